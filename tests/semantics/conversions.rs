//! `From` of types of the user's, of numbers and of short vectors, against Rust's own.

use vortex::prelude::*;

use crate::harness::same;

#[derive(Clone, Copy, PartialEq, Debug, vortex::DeviceType)]
#[repr(C)]
struct Fraction {
    over: i32,
    under: u32,
}

#[derive(Clone, Copy, PartialEq, Debug, vortex::DeviceType)]
#[repr(u32)]
enum Half {
    Lower,
    Upper,
}

#[vortex::device(host)]
impl From<i32> for Fraction {
    fn from(over: i32) -> Self {
        Self { over, under: 1 }
    }
}

#[vortex::device(host)]
impl std::convert::From<[u32; 2]> for Fraction {
    fn from(parts: [u32; 2]) -> Fraction {
        let [over, under] = parts;
        Fraction {
            over: over as i32,
            under,
        }
    }
}

#[vortex::device(host)]
impl From<u32> for Half {
    fn from(n: u32) -> Self {
        if n < 1 << 31 {
            Half::Lower
        } else {
            Half::Upper
        }
    }
}

#[vortex::device(host)]
impl From<Fraction> for f32 {
    fn from(fraction: Fraction) -> f32 {
        fraction.over as f32 / fraction.under as f32
    }
}

#[derive(Clone, Copy, PartialEq, Debug, vortex::DeviceType)]
#[repr(C)]
struct Wrapped<T> {
    inner: T,
}

#[vortex::device(host)]
impl<T: Num> From<T> for Wrapped<T> {
    fn from(inner: T) -> Self {
        Self { inner }
    }
}

/// By a function of its own, which is no trait's.
#[derive(Clone, Copy, PartialEq, Debug, vortex::DeviceType)]
#[repr(C)]
struct Meters(f32);

#[vortex::device(host)]
impl Meters {
    fn from(feet: f32) -> Self {
        Self(feet * 0.25)
    }
}

#[vortex::device(host)]
fn halved<T: Into<f32>>(value: T) -> f32 {
    let value: f32 = value.into();
    value * 0.5
}

#[vortex::device(host)]
fn sum<T>(a: T, b: T) -> i64
where
    T: Copy + std::convert::Into<i64> + Into<f32>,
{
    let (wide, float): (i64, f32) = (a.into(), b.into());
    wide + float as i64
}

same! {
    types_of_the_user(a: u32, b: i32) -> u32 {
        let whole = Fraction::from(b);
        let both = Fraction::from([a, b as u32 | 1]);
        let made: Fraction = (b >> 3).into();
        let half: Half = a.into();
        let mut h = whole.over as u32 ^ both.under.rotate_left(7) ^ made.over as u32;
        if half == Half::from(b as u32) { h ^= 0x5555; }
        h ^= Wrapped::<u32>::from(a).inner >> 3;
        let wrapped: Wrapped<u32> = h.into();
        wrapped.inner ^ made.under
    }

    numbers_of_the_user(a: i32, b: i32) -> f32 {
        let quotient = f32::from(Fraction { over: a, under: b as u32 | 1 });
        let other: f32 = Fraction::from(a).into();
        quotient + other + Meters::from(8.0).0
    }

    numbers(a: u8, b: i16) -> i64 {
        let wide: u64 = a.into();
        let signed = i64::from(b) ^ i64::from(a) << 9;
        let flag = u32::from(a > 100) + u32::from(a);
        let index = usize::from(a) + usize::from(b > 0);
        signed ^ wide as i64 ^ (flag as i64) << 20 ^ (index as i64) << 32
    }

    far_shifts(a: u8, b: i16) -> i64 {
        let mask: u64 = 1 << 40;
        let wide = i64::from(b) << 33 >> 20;
        let signed: i16 = 1 << 15;
        wide ^ mask as i64 ^ i64::from(u32::from(a) << 24 >> 12) ^ i64::from(signed ^ b >> 12)
    }

    by_bounds(a: u8, b: i16) -> f32 {
        halved(a) + halved(b) + sum(b, 3) as f32 + sum(a, 4) as f32
    }

    to_floats(a: f16, b: bf16) -> f32 {
        let wide: f32 = a.into();
        let flag: f32 = (wide > 1.0).into();
        wide + f32::from(b) * 0.5 + f32::from(wide < 0.0) * 3.0 - flag
    }

    to_halves(a: i8, b: u8) -> f32 {
        let (half, other): (f16, f16) = (a.into(), f16::from(b));
        let (signed, unsigned): (bf16, bf16) = (bf16::from(a), b.into());
        half.to_f32() * other.to_f32() + signed.to_f32() / 128.0 + unsigned.to_f32()
    }

    vectors_and_arrays(a: f32, b: f32) -> f32 {
        let v = Vec3::from([a, b, 2.0]);
        let array: [f32; 3] = v.into();
        let w: Vec2<f32> = [b, a].into();
        array[1] - v.x * 0.5 + w.y.max(w.x)
    }
}
