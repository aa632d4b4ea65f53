//! Values where a function of the user's takes a `&mut`, or a slice to write to.

use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Rng {
    state: u32,
}

#[vortex::device]
impl Rng {
    fn skip(n: &mut u32) -> u32 {
        *n += 1;
        *n
    }

    fn next(&mut self, count: &mut u32) -> u32 {
        *count += 1;
        self.state
    }
}

#[vortex::device]
fn bump(n: &mut u32, by: u32) -> u32 {
    *n += by;
    *n
}

#[vortex::device]
fn seed(rng: &mut Rng) {
    rng.state = 1;
}

#[vortex::device]
fn store<T: Copy>(to: &mut T, value: T) {
    *to = value;
}

#[vortex::device]
fn fill(out: &mut [u32]) {
    out[0] = 1;
}

#[vortex::device]
fn total(x: &[u32]) -> u32 {
    x.iter().sum()
}

#[vortex::device]
fn or_zero(o: Option<u32>) -> u32 {
    o.unwrap_or(0)
}

#[vortex::kernel]
fn lent(x: &[Rng], out: &mut [u32]) {
    let i = global_id();
    let mut n = 3;
    let mut rng = x[i];
    bump(n, 1);
    bump(out[i], 1);
    seed(rng);
    store(n, 2);
    Rng::skip(n);
    rng.next(n);
    fill(out[i]);
    let parts = [n, 1, 2];
    n += total(parts);
    n += or_zero(n);
    out[i] = n;
}

fn main() {}

// Mistakes: 9
