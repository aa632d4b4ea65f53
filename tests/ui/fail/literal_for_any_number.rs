// Mistakes: 12
use vortex::prelude::*;

#[vortex::kernel]
fn running_max<T: Num>(columns: usize, x: &[T], out: &mut [T]) {
    let row = global_id() * columns;
    let mut best: T = 0.0;
    for c in 0..columns {
        best = best.max(x[row + c]);
        out[row + c] = best;
    }
}

#[vortex::kernel]
fn sums<T: Num>(x: &[T], out: &mut [T]) {
    let mut sum = 0;
    for &v in x {
        sum += v;
    }
    let mut product = 1.0;
    for i in 0..x.len() {
        product = product * x[i];
    }
    let mut last = 0.0;
    for v in x.iter() {
        last = *v;
    }
    out[0] = sum;
    out[1] = 300;
    out[2] = product + last;
}

#[vortex::device]
fn doubled<T: Num>(x: T) -> T {
    let y: T = x;
    if y > 0 {
        return 0.0;
    }
    let two: T = 2.0;
    y * two * 2.5
}

#[vortex::device]
fn made<T: Num>(x: T) -> T {
    T::from(3) + x + 0.5 as T
}

#[vortex::device]
fn one<T: Int>() -> T {
    1
}

fn main() {}
