#[vortex::kernel]
fn first<'a>(x: &'a [f32]) {}

#[vortex::kernel]
fn constrained(x: &[f32])
where
    f32: Copy,
{
}

#[vortex::kernel]
fn generic<T>(x: &[T], n: Vec<T>) {}

fn main() {}

// Mistakes: 3
