use std::ops::{Add, AddAssign, Mul, Neg};

use vortex::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Complex {
    re: f32,
    im: f32,
}

#[vortex::device]
impl Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

#[vortex::device]
impl AddAssign for Complex {
    fn add_assign(&mut self, other: Complex) {
        *self = *self + other;
    }
}

#[vortex::device]
impl<'a> Mul<&'a Complex> for Complex {
    type Output = Complex;

    fn mul(self, other: &'a Complex) -> Complex {
        self
    }
}

#[vortex::device]
impl PartialOrd for Complex {
    fn partial_cmp(&self, other: &Complex) -> Option<std::cmp::Ordering> {
        self.re.partial_cmp(&other.re)
    }
}

#[vortex::device]
impl Neg for Complex {
    fn neg(self) -> Complex {
        self
    }
}

#[vortex::kernel]
fn misused(z: &mut [Complex], x: f32) {
    let i = global_id();
    z[i] = z[i] + x;
    z[i] = z[i] - z[i];
    z[i] += 1.0;
    let sum: f32 = z[i] + z[i];
}

fn main() {}

// Mistakes: 8
