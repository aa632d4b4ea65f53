use vortex::prelude::*;

#[vortex::kernel]
fn scale<T>(by: T, x: &mut [T]) {
    let i = global_id();
    if x[i] < by {
        x[i] = x[i] * by;
    }
    x[i] += by;
}

#[vortex::device]
fn middle<T>(a: T, b: T) -> T {
    a + b
}

#[vortex::kernel]
fn add<T: Copy + Send + 'static>(a: &[T], b: &[T], out: &mut [T]) {
    let i = global_id();
    out[i] = a[i] + b[i];
}

#[vortex::device]
fn least<T, F>(a: T, b: T, f: F) -> T
where
    T: PartialOrd,
    F: Fn(T) -> T,
{
    f(if a < b { a * a } else { b })
}

fn main() {}

// Mistakes: 4
