// Mistakes: 8

use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Grid {
    width: u32,
}

#[vortex::device]
impl Grid {
    fn new(width: u32) -> Grid {
        Grid { width }
    }
}

#[vortex::kernel]
fn collatz(x: &mut [u32]) {
    let i = global_id();
    let mut n = x[i];
    while n != 1 {
        if n % 2 == 0 { n / 2 } else { 3 * n + 1 }
        n -= 1;
    }
    x[i] = n;
}

#[vortex::kernel]
fn quote(x: &mut [u32]) {
    'outer: for i in 0..8 {
        for j in 0..8 {
            if x[i] == x[j] {
                break outer;
            }
        }
    }
}

#[vortex::kernel]
fn dot(x: &mut [u32]) {
    let grid = Grid.new(64);
    x[0] = grid.width;
}

#[vortex::kernel]
fn negated(x: &mut [u32]) {
    let i = global_id();
    let left = -i;
    x[left] = 1;
}

#[vortex::kernel]
fn beyond(x: &mut [u32]) {
    let pair = [x[0], x[1]];
    x[0] = pair[2];
}

#[vortex::kernel]
fn unrolled(n: u32, x: &mut [u32]) {
    #[unroll]
    for k in 0..n {
        x[0] += k;
    }
}

#[vortex::kernel]
fn step(x: &mut [u32]) {
    for k in (0..x.len()).step(2) {
        x[k] = 0;
    }
}

#[vortex::kernel]
fn functions_of_c(y: f32, x: &mut [f32]) {
    x[0] = atan2(y, x[0]);
}

fn main() {}
