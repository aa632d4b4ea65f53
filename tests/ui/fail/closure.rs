use vortex::prelude::*;

#[vortex::kernel]
fn apply(x: &mut [f32]) {
    let double = |v: f32| 2.0 * v;
    x[0] = double(1);
    x[1] = double(x[0], x[1]);
    let first = async |v: f32| v;
    for i in 0..4 {
        let stop = |v: f32| {
            if v > 1.0 {
                break;
            }
        };
        stop(x[i]);
    }
}

#[vortex::device]
fn twice(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(f(x))
}

#[vortex::kernel]
fn wrong_closures(x: &mut [f32]) {
    let i = global_id();
    x[i] = twice(|v: u32| v, x[i]);
    x[i] = twice(x[i], x[i]);
}

#[vortex::kernel]
fn no_closure(x: &mut [f32]) {
    let i = global_id();
    let n = 3u32;
    x[i] = n(x[i]);
}

fn main() {}

// Mistakes: 6
