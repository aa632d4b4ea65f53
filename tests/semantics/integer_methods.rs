//! The methods of integers against Rust's: of 8 bits over all pairs, of others over edge values and random ones.

use vortex::prelude::*;

use crate::harness::{DEVICES, SHAPES, Sample, pairs};

/// Values of 8 bits: each with each.
fn all_pairs<A: Sample, B: Sample>() -> (Vec<A>, Vec<B>) {
    let byte = |index: u32| (index >> 8) << 1;
    (0..1 << 16)
        .map(|index| (A::from_bits(byte(index)), B::from_bits((index & 255) << 1)))
        .unzip()
}

/// Each expression in a column of its own, compared with what `host` gives.
fn check<A: Sample, B: Sample>(
    names: &[&str],
    host: impl Fn(A, B) -> Vec<u64>,
    kernel: impl Fn(
        &DeviceSlice<A>,
        &DeviceSlice<B>,
        &mut DeviceSlice<u64>,
        &Device,
    ) -> vortex::Result<()>,
) {
    let run = |(a, b): (Vec<A>, Vec<B>), device: usize| {
        let shape = SHAPES[device];
        let device = &DEVICES[device];
        let (a_device, b_device) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
        let mut out = device.alloc(a.len() * names.len()).unwrap();
        kernel(&a_device, &b_device, &mut out, device).unwrap();
        let results = out.download().unwrap();
        for ((&a, &b), results) in a.iter().zip(&b).zip(results.chunks(names.len())) {
            for ((name, result), expected) in names.iter().zip(results).zip(host(a, b)) {
                assert_eq!(
                    *result, expected,
                    "{name} of {a:?} and {b:?}: left is the device, right is Rust (shape {shape:?})"
                );
            }
        }
    };
    for device in 0..SHAPES.len() {
        run(pairs(), device);
    }
    if size_of::<A>() == 1 && size_of::<B>() == 1 {
        run(all_pairs(), 1);
        run(all_pairs(), 5);
    }
}

/// `name(a: A, b: B) { expressions }`: each is what Rust says. Where Rust's own would panic, `=>` says what to compare
/// with.
macro_rules! columns {
    ($($name:ident($a:ident: $A:ty, $b:ident: $B:ty) { $($device:expr $(=> $host:expr)?;)* })*) => {$(
        #[test]
        // The host's copy is held to the kernel's wording.
        #[allow(clippy::all, unused_variables, unused_assignments)]
        fn $name() {
            #[vortex::kernel]
            fn kernel(left: &[$A], right: &[$B], out: &mut [u64]) {
                let i = global_id();
                let $a = left[i];
                let $b = right[i];
                let columns = out.len() / left.len();
                let mut column = i * columns;
                $(
                    out[column] = ($device) as u64;
                    column += 1;
                )*
            }

            fn host($a: $A, $b: $B) -> Vec<u64> {
                vec![$(columns!(@host $device $(=> $host)?) as u64),*]
            }

            check(&[$(stringify!($device)),*], host, |a, b, out, device| {
                kernel(a, b, out).over(a.len()).launch(device).map(drop)
            });
        }
    )*};
    (@host $device:expr) => { ($device) };
    (@host $device:expr => $host:expr) => { ($host) };
}

macro_rules! every_integer {
    ($($ty:ident $unsigned:ident $signed:ident $name:ident)*) => {$(
        mod $name {
            use super::*;

            columns! {
                bits(a: $ty, b: $ty) {
                    a.count_ones();
                    a.count_zeros();
                    a.leading_zeros();
                    a.leading_ones();
                    a.trailing_zeros();
                    a.trailing_ones();
                    a.swap_bytes();
                    a.reverse_bits();
                    a.to_be();
                    a.to_le();
                    (b << 3).leading_zeros();
                    (b << 3).trailing_zeros();
                }
                shifts(a: $ty, b: u32) {
                    a.rotate_left(b);
                    a.rotate_right(b);
                    a.rotate_left(3);
                    a.wrapping_shl(b);
                    a.wrapping_shr(b);
                    a.overflowing_shl(b).0;
                    a.overflowing_shl(b).1;
                    a.overflowing_shr(b).1;
                    a.unbounded_shl(b);
                    a.unbounded_shr(b);
                    a.unbounded_shr(b % 40);
                }
                wraps(a: $ty, b: $ty) {
                    a.wrapping_add(b);
                    a.wrapping_sub(b);
                    a.wrapping_mul(b);
                    a.wrapping_neg();
                    a.overflowing_add(b).0;
                    a.overflowing_add(b).1;
                    a.overflowing_sub(b).0;
                    a.overflowing_sub(b).1;
                    a.overflowing_mul(b).0;
                    a.overflowing_mul(b).1;
                    a.overflowing_neg().0;
                    a.overflowing_neg().1;
                }
                saturates(a: $ty, b: $ty) {
                    a.saturating_add(b);
                    a.saturating_sub(b);
                    a.saturating_mul(b);
                    a.saturating_div(b | 1);
                    a.abs_diff(b);
                    a.midpoint(b);
                    a.min(b);
                    a.max(b);
                }
                divides(a: $ty, b: $ty) {
                    a.wrapping_div(b | 1);
                    a.wrapping_rem(b | 1);
                    a.wrapping_div(b & 0x7e | 2);
                    a.wrapping_rem(b & 0x7e | 2);
                    a.overflowing_div(b | 1).0;
                    a.overflowing_div(b | 1).1;
                    a.overflowing_rem(b | 1).0;
                    a.overflowing_rem(b | 1).1;
                    a.wrapping_div_euclid(b | 1);
                    a.wrapping_rem_euclid(b | 1);
                    if b == 0 || b == !0 { 7 } else { a.div_euclid(b) };
                    if b == 0 || b == !0 { 7 } else { a.rem_euclid(b) };
                    a.div_euclid(3) ^ a.rem_euclid(10);
                }
                options(a: $ty, b: $ty) {
                    a.checked_add(b).unwrap_or(77);
                    a.checked_sub(b).unwrap_or(77);
                    a.checked_mul(b).unwrap_or(77);
                    a.checked_div(b).unwrap_or(77);
                    a.checked_rem(b).unwrap_or(77);
                    a.checked_div_euclid(b).unwrap_or(77);
                    a.checked_rem_euclid(b).unwrap_or(77);
                    a.checked_neg().unwrap_or(77);
                    a.checked_shl(b as u32 & 127).unwrap_or(77);
                    a.checked_shr(b as u32 & 127).unwrap_or(77);
                    a.checked_pow(b as u32 & 7).unwrap_or(77);
                    a.checked_ilog2().unwrap_or(77) => if a <= 0 { 77 } else { a.ilog2() };
                    a.checked_add(1).is_some();
                }
                powers(a: $ty, b: $ty) {
                    a.pow(0);
                    a.pow(3) => a.wrapping_pow(3);
                    a.pow(b as u32 & 31) => a.wrapping_pow(b as u32 & 31);
                    a.wrapping_pow(b as u32);
                    (a & 3).overflowing_pow(b as u32 & 31).0;
                    (a & 3).overflowing_pow(b as u32 & 31).1;
                    a.overflowing_pow(b as u32 & 7).1;
                    (a & 3).saturating_pow(b as u32 & 31);
                    a.saturating_pow(b as u32 & 3);
                }
            }
        }
    )*};
}

every_integer! {
    i8 u8 i8 on_i8
    i16 u16 i16 on_i16
    i32 u32 i32 on_i32
    i64 u64 i64 on_i64
    u64 u64 i64 on_u64
    u8 u8 i8 on_u8
    u16 u16 i16 on_u16
    u32 u32 i32 on_u32
}

macro_rules! every_signed {
    ($($ty:ident $unsigned:ident $name:ident)*) => {$(
        mod $name {
            use super::*;

            columns! {
                signs(a: $ty, b: $ty) {
                    a.abs() => a.wrapping_abs();
                    a.wrapping_abs();
                    a.saturating_abs();
                    a.overflowing_abs().0;
                    a.overflowing_abs().1;
                    a.unsigned_abs();
                    a.signum();
                    a.is_positive();
                    a.is_negative();
                    a.saturating_neg();
                    a.cast_unsigned();
                    a.checked_abs().unwrap_or(77);
                }
                mixed(a: $ty, b: $unsigned) {
                    a.wrapping_add_unsigned(b);
                    a.wrapping_sub_unsigned(b);
                    a.saturating_add_unsigned(b);
                    a.saturating_sub_unsigned(b);
                }
            }
        }
    )*};
}

every_signed! { i8 u8 signed_i8 i16 u16 signed_i16 i32 u32 signed_i32 i64 u64 signed_i64 }

macro_rules! every_unsigned {
    ($($ty:ident $signed:ident $name:ident)*) => {$(
        mod $name {
            use super::*;

            columns! {
                roots(a: $ty, b: $ty) {
                    a.isqrt();
                    (a & 0x7f).pow(2).isqrt() => (a & 0x7f).wrapping_pow(2).isqrt();
                    a.is_power_of_two();
                    (a & (1 << (b & 7))).is_power_of_two();
                    a.next_power_of_two() => a.checked_next_power_of_two().unwrap_or(0);
                    (a / 2).next_power_of_two();
                    a.cast_signed();
                }
                multiples(a: $ty, b: $ty) {
                    a.div_ceil(b | 1);
                    a.div_ceil(b.max(2));
                    (a / 2).next_multiple_of(b / 2 | 1);
                    (a / 2).next_multiple_of(8);
                    a.is_multiple_of(b);
                    a.is_multiple_of(b & 3);
                    a.checked_next_multiple_of(b).unwrap_or(77);
                    a.checked_next_power_of_two().unwrap_or(77);
                }
                mixed(a: $ty, b: $signed) {
                    a.wrapping_add_signed(b);
                    a.saturating_add_signed(b);
                }
            }
        }
    )*};
}

every_unsigned! { u8 i8 unsigned_u8 u16 i16 unsigned_u16 u32 i32 unsigned_u32 u64 i64 unsigned_u64 }

/// Every square, and both its neighbours: between them the root does not change.
#[test]
fn roots_of_all_squares() {
    #[vortex::kernel]
    fn roots(out: &mut [u32]) {
        let k = global_id() as u32;
        let square = k * k;
        let exact = square.isqrt() == k;
        let below = k == 0 || (square - 1).isqrt() == k - 1;
        let above = (square + 2 * k).isqrt() == k;
        out[global_id()] = (exact && below && above) as u32;
    }

    let device = &DEVICES[1];
    let mut out = device.alloc(1 << 16).unwrap();
    roots(&mut out).over(1 << 16).launch(device).unwrap();
    let wrong = out.download().unwrap().iter().position(|&right| right != 1);
    assert_eq!(wrong, None);
}

/// Squares all over the range, both their neighbours, and the largest numbers.
#[test]
fn roots_of_wide_squares() {
    #[vortex::kernel]
    fn roots(out: &mut [u32]) {
        let i = global_id() as u64;
        let k = if i < 1000 {
            i
        } else if i < 2000 {
            4_294_968_295 - i
        } else {
            i * 65_537
        };
        let square = k * k;
        let exact = square.isqrt() == k;
        let below = k == 0 || (square - 1).isqrt() == k - 1;
        let above = (square + 2 * k).isqrt() == k;
        out[global_id()] = (exact && below && above) as u32;
    }

    let device = &DEVICES[1];
    let mut out = device.alloc(65_000).unwrap();
    roots(&mut out).over(65_000).launch(device).unwrap();
    let wrong = out.download().unwrap().iter().position(|&right| right != 1);
    assert_eq!(wrong, None);
}

#[test]
fn a_generic_function_has_them() {
    #[vortex::device]
    fn digits<T: Unsigned>(x: T) -> u32 {
        x.count_ones() + x.leading_zeros() * 100
    }

    #[vortex::kernel]
    fn kernel(out: &mut [u32]) {
        let i = global_id();
        out[i] = digits(i as u8) + digits(i as u16) + digits(i);
    }

    let device = &DEVICES[1];
    let mut out = device.alloc(4).unwrap();
    kernel(&mut out).over(4).launch(device).unwrap();
    assert_eq!(out.download().unwrap(), [5600, 5303, 5003, 5006]);
}
