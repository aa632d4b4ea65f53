//! `#[vortex::device(host)]`: functions that kernels and the host call by one name, with one result.

// Twins are what the user wrote, with indices where device code is clearest with them.
#![allow(clippy::needless_range_loop, clippy::manual_swap)]

use std::ops::{Mul, Neg};

use vortex::prelude::*;

use crate::harness::DEVICES;

#[vortex::device(host)]
fn sq(x: f32) -> f32 {
    x * x
}

mod far {
    /// Between two values.
    #[vortex::device(host)]
    pub(crate) fn lerp(a: f32, b: f32, t: f32) -> f32 {
        a + (b - a) * t
    }

    pub(crate) mod away {
        use super::lerp;

        #[vortex::device(host)]
        pub(crate) fn middle(a: f32, b: f32) -> f32 {
            super::super::sq(lerp(a, b, 0.5))
        }
    }
}

use far::away;

#[vortex::device(host)]
fn largest<T: Num>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[vortex::device(host)]
fn polynomial<T: Signed>(x: T, y: T) -> T {
    -x * x + y % x - y / x
}

#[vortex::device(host)]
fn mixed<T: Int>(x: T, y: T) -> T {
    !(x & y) ^ (x | y)
}

#[vortex::device(host)]
fn bell(v: Vec3<f32>, x: f32) -> f32 {
    let mut n = v
        .cross(vec3(x, 1.0, 2.0))
        .max(vec3(1.0, x, 1.0))
        .normalize();
    n[1] += n[0] + n.length();
    vortex::math::exp(-sq(n.dot(v))) + vortex::math::erf(n.y)
}

#[vortex::device(host)]
fn times<const N: u32>(x: u32) -> u32 {
    x.wrapping_mul(N)
}

#[vortex::device(host)]
fn constant<const N: u32>() -> u32 {
    N
}

#[vortex::device(host)]
fn order(a: &mut u32, b: &mut u32) {
    if *a > *b {
        let larger = *a;
        *a = *b;
        *b = larger;
    }
}

#[vortex::device(host)]
fn find(values: &[u32], is: impl Fn(u32) -> bool) -> usize {
    for i in 0..values.len() {
        if is(values[i]) {
            return i;
        }
    }
    values.len()
}

#[vortex::device(host)]
fn twice<F: Fn(u32) -> u32>(f: F, x: u32) -> u32 {
    f(f(x))
}

#[vortex::device(host)]
fn next(x: u32) -> u32 {
    x.wrapping_add(1)
}

#[vortex::device(host)]
fn climb(x: &[i32], i: usize) -> Option<i32> {
    let here = x.get(i).copied().unwrap_or(i32::MAX);
    #[unroll(2)]
    for k in i..x.len() {
        if x[k] > here {
            return x[k].checked_sub(here);
        }
    }
    None
}

#[vortex::device(host)]
unsafe fn at(p: *const u32, i: usize) -> u32 {
    // SAFETY: the caller says that there are so many elements.
    unsafe { *p.add(i) }
}

/// A name that Rust's library has, too.
#[vortex::device(host)]
fn max(a: u32, b: u32, c: u32) -> u32 {
    let ab = if a > b { a } else { b };
    if ab > c { ab } else { c }
}

/// As macros of Rust's library are called.
#[vortex::device(host)]
fn line(v: Vec3<f32>) -> Vec2<f32> {
    v.zx() * 2.0
}

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Complex {
    re: f32,
    im: f32,
}

#[vortex::device(host)]
impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

#[vortex::device(host)]
impl Neg for Complex {
    type Output = Complex;

    fn neg(self) -> Complex {
        Complex {
            re: -self.re,
            im: -self.im,
        }
    }
}

#[vortex::device(host)]
fn rotate(z: Complex, by: &Complex) -> Complex {
    -(z * *by)
}

/// All that the twins give, from the same arguments on both sides.
macro_rules! results {
    ($x:expr, $i:expr, $v:expr) => {{
        let (x, i, v) = ($x, $i, $v);
        let mut low = v[i];
        let mut high = largest(low, 10);
        order(&mut low, &mut high);
        let z = rotate(Complex { re: x, im: 1.0 }, &Complex { re: 0.5, im: -x });
        let flat = line(vec3(x, 2.0, 3.0));
        [
            sq(x).to_bits(),
            far::lerp(x, 2.0, 0.25).to_bits(),
            away::middle(x, 3.0).to_bits(),
            crate::twins::sq(x).to_bits(),
            times::<3>(v[i]),
            largest::<u32>(v[i], 7),
            polynomial((v[i] % 100) as i32 + 1, 7) as u32,
            mixed(v[i], 12),
            bell(vec3(x, 2.0, 0.5), x % 3.0).to_bits(),
            constant::<8>(),
            low,
            high,
            find(v, |value: u32| value > low) as u32,
            twice(next, v[i]),
            twice(|value: u32| value ^ 5, v[i]),
            max(v[i], 6, 2),
            z.re.to_bits(),
            z.im.to_bits(),
            flat.x.to_bits(),
            flat.y.to_bits(),
        ]
    }};
}

#[vortex::kernel]
fn on_the_device(x: &[f32], v: &[u32], out: &mut [[u32; 20]]) {
    let i = global_id();
    let mut low = v[i];
    let mut high = largest(low, 10);
    order(&mut low, &mut high);
    let a = x[i];
    let z = rotate(Complex { re: a, im: 1.0 }, &Complex { re: 0.5, im: -a });
    let flat = line(vec3(a, 2.0, 3.0));
    out[i] = [
        sq(a).to_bits(),
        far::lerp(a, 2.0, 0.25).to_bits(),
        away::middle(a, 3.0).to_bits(),
        crate::twins::sq(a).to_bits(),
        times::<3>(v[i]),
        largest::<u32>(v[i], 7),
        polynomial((v[i] % 100) as i32 + 1, 7) as u32,
        mixed(v[i], 12),
        bell(vec3(a, 2.0, 0.5), a % 3.0).to_bits(),
        constant::<8>(),
        low,
        high,
        find(v, |value: u32| value > low) as u32,
        twice(next, v[i]),
        twice(|value: u32| value ^ 5, v[i]),
        max(v[i], 6, 2),
        z.re.to_bits(),
        z.im.to_bits(),
        flat.x.to_bits(),
        flat.y.to_bits(),
    ];
}

#[test]
fn twins_give_the_same_on_both_sides() {
    let x = [0.0f32, -1.5, 3.25, 1e30, f32::MIN_POSITIVE, 0.1];
    let v = [3u32, 12, 0, u32::MAX, 9, 10];
    let expected: Vec<_> = (0..x.len()).map(|i| results!(x[i], i, &v)).collect();
    for device in DEVICES.iter() {
        let (dx, dv) = (device.upload(&x).unwrap(), device.upload(&v).unwrap());
        let mut out = device.alloc::<[u32; 20]>(x.len()).unwrap();
        on_the_device(&dx, &dv, &mut out)
            .over(x.len())
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[vortex::kernel]
fn optional(x: &[i32], out: &mut [i32]) {
    let i = global_id();
    out[i] = climb(x, i).map_or(-1, |height| height);
}

#[test]
fn twins_have_options() {
    let x = [3, 4, 1, 200, i32::MIN];
    let expected: Vec<_> = (0..6).map(|i| climb(&x, i).unwrap_or(-1)).collect();
    assert_eq!(expected, [1, 196, 199, -1, -1, -1]);
    for device in DEVICES.iter() {
        let dx = device.upload(&x).unwrap();
        let mut out = device.alloc::<i32>(6).unwrap();
        optional(&dx, &mut out).over(6).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[vortex::kernel]
fn through_pointers(p: *const u32, out: &mut [u32]) {
    let i = global_id();
    // SAFETY: there are as many as work items.
    out[i] = unsafe { next(at(p, i)) };
}

#[test]
fn unsafe_twins_are_called_in_unsafe_blocks() {
    let v = [5u32, 6, 7];
    // SAFETY: inside of the array.
    assert_eq!(unsafe { at(v.as_ptr(), 2) }, 7);
    for device in DEVICES.iter() {
        let dv = device.upload(&v).unwrap();
        let mut out = device.alloc::<u32>(3).unwrap();
        through_pointers(dv.as_ptr(), &mut out)
            .over(3)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), [6, 7, 8]);
    }
}

#[test]
fn twins_are_functions_of_the_host() {
    let pointer: fn(f32) -> f32 = sq;
    assert_eq!(pointer(3.0), 9.0);
    let squares: Vec<f32> = [1.0, 2.0].into_iter().map(sq).collect();
    assert_eq!(squares, [1.0, 4.0]);
    assert_eq!(largest("a".len(), 3), 3);
}

/// Also where they are declared in another function.
#[test]
fn twins_may_be_local() {
    #[vortex::device(host)]
    fn cube(x: u32) -> u32 {
        x * x * x
    }

    #[vortex::kernel]
    fn cubes(x: &mut [u32]) {
        #[vortex::device(host)]
        fn inner(x: u32) -> u32 {
            cube(x) + 1
        }
        x[global_id()] = inner(x[global_id()]);
    }

    assert_eq!(cube(3), 27);
    let device = &DEVICES[0];
    let mut x = device.upload(&[2u32, 3]).unwrap();
    cubes(&mut x).over_each().launch(device).unwrap();
    assert_eq!(x.download().unwrap(), [9, 28]);
}
