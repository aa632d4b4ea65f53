#[vortex::device]
fn wrong_result(a: f32) -> u32 {
    a * 2.0
}

#[vortex::device]
fn wrong_return(a: f32) -> f32 {
    if a < 0.0 {
        return 1u32;
    }
    a
}

#[vortex::device]
fn no_bound<T>(a: T, b: T) -> T {
    a + b
}

#[vortex::device]
fn no_result(a: f32) -> f32 {
    let _ = a;
}

#[vortex::kernel]
fn kernel(x: &mut [f32]) {
    x[0] = wrong_return(x[0]) + no_bound(x[0], x[1]) + no_result(x[2]);
    x[1] = wrong_result(x[0]) as f32;
}

fn main() {}

// Mistakes: 4
