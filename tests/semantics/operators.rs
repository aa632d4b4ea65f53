//! Operators of the user's types: `#[vortex::device] impl Add for ..`.

use std::ops::{Add, AddAssign, BitAnd, BitOr, BitXor, Div, Mul, Neg, Rem, Shl, Shr, Sub};

use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Complex {
    re: f32,
    im: f32,
}

/// A number and its derivative.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Dual<T> {
    value: T,
    slope: T,
}

/// 24.8 bits.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Fixed(i32);

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(u8)]
enum Sign {
    Minus,
    Plus,
}

/// Blocks, once for kernels and once for the host.
macro_rules! on_both {
    ($({ $($block:tt)* })*) => {$(
        #[vortex::device]
        $($block)*

        #[allow(clippy::suspicious_arithmetic_impl)]
        $($block)*
    )*};
}

/// Operators with two sides.
macro_rules! operators {
    ($([$($generics:tt)*] $op:ident<$rhs:ty> for $ty:ty => $output:ty: $method:ident($a:ident, $b:ident) $body:block)*) => {
        on_both! {$({
            impl<$($generics)*> $op<$rhs> for $ty {
                type Output = $output;

                fn $method(self, $b: $rhs) -> $output {
                    let $a = self;
                    $body
                }
            }
        })*}
    };
}

operators! {
    [] Add<Complex> for Complex => Complex: add(a, b) {
        Complex { re: a.re + b.re, im: a.im + b.im }
    }
    [] Sub<Complex> for Complex => Complex: sub(a, b) {
        Complex { re: a.re - b.re, im: a.im - b.im }
    }
    [] Mul<Complex> for Complex => Complex: mul(a, b) {
        Complex { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }
    }
    [] Mul<f32> for Complex => Complex: mul(a, b) {
        Complex { re: a.re * b, im: a.im * b }
    }
    [] Mul<Complex> for f32 => Complex: mul(a, b) {
        b * a
    }
    [] Div<Complex> for Complex => Complex: div(a, b) {
        let scale = 1.0 / (b.re * b.re + b.im * b.im);
        a * Complex { re: b.re * scale, im: -b.im * scale }
    }
    [] Rem<i32> for Fixed => Fixed: rem(a, b) {
        Fixed(a.0 % b)
    }
    [] Shl<u32> for Fixed => Fixed: shl(a, b) {
        Fixed(a.0 << b)
    }
    [] Shr<u32> for Fixed => Fixed: shr(a, b) {
        Fixed(a.0 >> b)
    }
    [] Mul<Fixed> for Fixed => Fixed: mul(a, b) {
        Fixed(((a.0 as i64 * b.0 as i64) >> 8) as i32)
    }
    [] BitAnd<Fixed> for Fixed => i32: bitand(a, b) {
        a.0 & b.0
    }
    [] BitOr<Fixed> for Fixed => bool: bitor(a, b) {
        a.0 != 0 || b.0 != 0
    }
    [] BitXor<Fixed> for Fixed => Fixed: bitxor(a, b) {
        if a.0 > b.0 {
            return Fixed(a.0 ^ b.0);
        }
        b
    }
    [] Mul<Sign> for Sign => Sign: mul(a, b) {
        match (a, b) {
            (Sign::Plus, Sign::Plus) | (Sign::Minus, Sign::Minus) => Sign::Plus,
            _ => Sign::Minus,
        }
    }
    [T: Num + Add<Output = T>] Add<Dual<T>> for Dual<T> => Dual<T>: add(a, b) {
        Dual { value: a.value + b.value, slope: a.slope + b.slope }
    }
}

on_both! {
    {
        impl Neg for Complex {
            type Output = Self;

            fn neg(mut self) -> Self::Output {
                self.re *= -1.0;
                self.im *= -1.0;
                self
            }
        }
    }
    {
        impl std::ops::Not for Sign {
            type Output = Sign;

            fn not(self) -> Sign {
                if self == Sign::Plus {
                    Sign::Minus
                } else {
                    Sign::Plus
                }
            }
        }
    }
}

/// What kernels have by `+` and `*`.
macro_rules! assigning {
    ($($op:ident $method:ident $by:tt $ty:ty;)*) => {$(
        impl std::ops::$op for $ty {
            fn $method(&mut self, other: Self) {
                *self = *self $by other;
            }
        }
    )*};
}

assigning! {
    AddAssign add_assign + Complex;
    MulAssign mul_assign * Complex;
    AddAssign add_assign + Dual<i32>;
}

/// Runs one body as a kernel over elements, and on the host.
macro_rules! on {
    ($($name:ident($x:ident, $y:ident: [$ty:ty], $i:ident) $of:expr => $body:block)*) => {$(
        #[test]
        fn $name() {
            #[vortex::kernel]
            fn kernel($x: &[$ty], $y: &mut [$ty]) {
                let $i = global_id();
                $body
            }

            #[allow(clippy::assign_op_pattern, clippy::op_ref)]
            fn host($x: &[$ty], $y: &mut [$ty], $i: usize) {
                $body
            }

            let of: fn(i32) -> $ty = $of;
            let x: Vec<$ty> = (-20..20).map(of).collect();
            let mut expected = x.clone();
            (0..x.len()).for_each(|i| host(&x, &mut expected, i));
            for device in &*DEVICES {
                let (on_device, mut y) = (device.upload(&x).unwrap(), device.upload(&x).unwrap());
                kernel(&on_device, &mut y).over(x.len()).launch(device).unwrap();
                assert_eq!(y.download().unwrap(), expected);
            }
        }
    )*};
}

on! {
    complex_numbers(x, y: [Complex], i) |i| Complex { re: i as f32, im: 0.5 } => {
        let mut z = x[i] * x[i] + x[i] * 0.5;
        z += 2.0 * x[i];
        z = z - -x[i];
        y[i] = z / Complex { re: 1.0, im: 2.0 };
        y[i] *= z;
        y[i].re += 1.0;
    }
    in_a_loop(x, y: [Complex], i) |i| Complex { re: i as f32 * 0.1, im: 0.3 } => {
        let mut z = Complex { re: 0.0, im: 0.0 };
        let mut turns = 0.0;
        while turns < 30.0 && z.re * z.re + z.im * z.im < 4.0 {
            z = z * z + x[i];
            turns += 1.0;
        }
        y[i] = Complex { re: turns, im: z.im };
    }
    fixed_point(x, y: [Fixed], i) |i| Fixed(i * 177) => {
        let half = x[i] >> 1u32;
        let mut f = (x[i] * half) << 3u32;
        f = f ^ x[i];
        if f | half {
            f = f % 1000;
        }
        y[i] = Fixed(f & Fixed(0xfff));
    }
    signs(x, y: [Sign], i) |i| if i % 3 == 0 { Sign::Minus } else { Sign::Plus } => {
        y[i] = !(x[i] * !x[i]) * x[0];
    }
    generic(x, y: [Dual<i32>], i) |i| Dual { value: i, slope: 1 } => {
        y[i] += x[i] + Dual { value: 3, slope: -2 };
    }
}

#[vortex::device]
fn mixed<T: Copy + Add<Output = T> + Mul<f32, Output = T>>(a: T, b: T, by: f32) -> T {
    a * (1.0 - by) + b * by
}

#[vortex::device]
fn sum<T>(x: &[T]) -> T
where
    T: std::ops::Add<Output = T>,
{
    let mut sum = x[0];
    for i in 1..x.len() {
        sum = sum + x[i];
    }
    sum
}

/// Of what can be added to itself, and multiplied by a float.
#[vortex::device]
fn gathered<T: Copy + AddAssign + std::ops::MulAssign<f32>>(x: &[T], by: f32) -> T {
    let mut sum = x[0];
    for i in 1..x.len() {
        sum += x[i];
    }
    sum *= by;
    sum
}

#[vortex::kernel]
fn gather<T>(x: &[T], y: &mut [T])
where
    T: AddAssign + std::ops::MulAssign<f32>,
{
    let i = global_id();
    y[i] = gathered(&x[i..], 0.5);
}

#[test]
fn bounds_by_operators_that_assign() {
    let x: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let z: Vec<Complex> = x.iter().map(|&x| Complex { re: x, im: -x }).collect();
    let expected: Vec<f32> = (0..8).map(|i| x[i..].iter().sum::<f32>() * 0.5).collect();
    for device in &*DEVICES {
        let mut y = device.alloc(8).unwrap();
        let x = device.upload(&x).unwrap();
        gather(&x, &mut y).over(8).launch(device).unwrap();
        assert_eq!(y.download().unwrap(), expected);
        let mut y = device.alloc(8).unwrap();
        let z = device.upload(&z).unwrap();
        gather(&z, &mut y).over(8).launch(device).unwrap();
        let y: Vec<Complex> = y.download().unwrap();
        let same = |(y, e): (&Complex, &f32)| y.re == *e && y.im == -*e;
        assert!(y.iter().zip(&expected).all(same));
    }
}

#[vortex::kernel]
fn blend<T: Add<Output = T> + Mul<f32, Output = T>>(x: &[T], y: &mut [T]) {
    let i = global_id();
    y[i] = mixed(x[i], sum(x), 0.25);
}

#[test]
fn bounds_by_operators() {
    let x: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let z: Vec<Complex> = x.iter().map(|&x| Complex { re: x, im: -x }).collect();
    let expected: Vec<f32> = x.iter().map(|x| x * 0.75 + 28.0 * 0.25).collect();
    for device in &*DEVICES {
        let mut y = device.alloc(8).unwrap();
        blend(&device.upload(&x).unwrap(), &mut y)
            .over(8)
            .launch(device)
            .unwrap();
        assert_eq!(y.download().unwrap(), expected);
        let mut y = device.alloc(8).unwrap();
        blend(&device.upload(&z).unwrap(), &mut y)
            .over(8)
            .launch(device)
            .unwrap();
        let y: Vec<Complex> = y.download().unwrap();
        assert!(
            y.iter()
                .zip(&expected)
                .all(|(y, e)| y.re == *e && y.im == -*e)
        );
    }
}

#[vortex::device(host)]
impl Complex {
    fn twice(self) -> Self {
        self + self
    }
}

/// The field of a product whose right side is a call.
#[vortex::device(host)]
fn parts(a: Complex) -> f32 {
    (a * a.twice()).re + (a.twice() * a).im - (a + a.twice()).re
}

#[vortex::kernel]
fn parts_of_products(x: &[Complex], y: &mut [f32]) {
    let i = global_id();
    y[i] = parts(x[i]) + (x[i] * x[i].twice()).im;
}

#[test]
fn fields_of_products() {
    let x = [(1.0, 2.0), (-3.5, 0.25), (0.0, 1e3)].map(|(re, im)| Complex { re, im });
    let expected = x.map(|x| parts(x) + (x * x.twice()).im);
    for device in DEVICES.iter() {
        let (x, mut y) = (device.upload(&x).unwrap(), device.alloc(3).unwrap());
        parts_of_products(&x, &mut y)
            .over_each()
            .launch(device)
            .unwrap();
        assert_eq!(y.download().unwrap(), expected);
    }
}
