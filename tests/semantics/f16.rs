//! `f16` and `bf16`: every value, the rounding of `f32`, arithmetic against the crate `half`.

use vortex::prelude::*;

use crate::harness::{DEVICES, Sample, check, pairs, same};

macro_rules! halves {
    ($($ty:ident $name:ident)*) => {$(
        impl Sample for $ty {
            const EDGES: &[Self] = &[
                $ty::ZERO, $ty::NEG_ZERO, $ty::ONE, $ty::NEG_ONE, $ty::MAX, $ty::MIN, $ty::MIN_POSITIVE,
                $ty::MIN_POSITIVE_SUBNORMAL, $ty::MAX_SUBNORMAL, $ty::EPSILON, $ty::INFINITY,
                $ty::NEG_INFINITY, $ty::NAN, $ty::PI, $ty::from_bits(0x3555), $ty::from_bits(0x4248),
            ];

            fn from_bits(bits: u32) -> Self {
                $ty::from_bits(bits as u16)
            }

            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }
        }

        mod $name {
            use super::*;

            #[test]
            fn every_value() {
                #[vortex::kernel]
                fn widen(x: &[$ty], out: &mut [f32], back: &mut [$ty], bits: &mut [u16]) {
                    let i = global_id();
                    out[i] = x[i].to_f32();
                    back[i] = $ty::from_f32(x[i].to_f32());
                    bits[i] = $ty::from_bits(x[i].to_bits()).to_bits();
                }

                let values: Vec<$ty> = (0..=u16::MAX).map($ty::from_bits).collect();
                for device in &DEVICES[1..] {
                    let x = device.upload(&values).unwrap();
                    let mut out = device.alloc(values.len()).unwrap();
                    let mut back = device.alloc(values.len()).unwrap();
                    let mut bits = device.alloc(values.len()).unwrap();
                    widen(&x, &mut out, &mut back, &mut bits).over(values.len()).launch(device).unwrap();
                    let (out, back, bits) = (out.download().unwrap(), back.download().unwrap(), bits.download().unwrap());
                    for (n, x) in values.iter().enumerate() {
                        assert!(out[n].same(x.to_f32()), "{x:?}: {:?}", out[n]);
                        assert!(back[n].same(*x), "{x:?} and back: {:?}", back[n]);
                        assert_eq!(bits[n], x.to_bits());
                    }
                }
            }

            /// Around every value: itself, what lies half way to the next, and their neighbours.
            #[test]
            fn rounding() {
                #[vortex::kernel]
                fn narrow(x: &[f32], out: &mut [$ty]) {
                    let i = global_id();
                    out[i] = $ty::from_f32(x[i]);
                }

                let mut values = Vec::new();
                for bits in (0..=u16::MAX).step_by(3) {
                    let (x, next) = ($ty::from_bits(bits).to_f32(), $ty::from_bits(bits.wrapping_add(1)).to_f32());
                    let middle = x + (next - x) / 2.0;
                    values.extend([x, middle, middle.next_up(), middle.next_down()]);
                }
                values.extend([65_503.0, 65_519.996, 65_520.0, 65_536.0, 1e10, f32::MAX, 1e-8, 1e-40, 3e-8, 2.98e-8, -65_520.0]);
                values.extend((0..40_000u32).map(|n| f32::from_bits(n.wrapping_mul(0x9e37_79b9))));
                for device in &DEVICES[1..] {
                    let x = device.upload(&values).unwrap();
                    let mut out = device.alloc(values.len()).unwrap();
                    narrow(&x, &mut out).over(values.len()).launch(device).unwrap();
                    for (x, found) in values.iter().zip(out.download().unwrap()) {
                        assert!(found.same($ty::from_f32(*x)), "{x:e}: {found:?}, not {:?}", $ty::from_f32(*x));
                    }
                }
            }

            same! {
                add(a: $ty, b: $ty) -> $ty { a + b }
                sub(a: $ty, b: $ty) -> $ty { a - b }
                mul(a: $ty, b: $ty) -> $ty { a * b }
                div(a: $ty, b: $ty) -> $ty { a / b }
                rem(a: $ty, b: $ty) -> $ty { a % b }
                neg(a: $ty, b: $ty) -> $ty { -a }
                chains(a: $ty, b: $ty) -> $ty {
                    let mut x = a;
                    x += b;
                    x *= $ty::from_f32(3.0);
                    if x < a || b == $ty::ONE { x -= b; } else { x /= $ty::PI; }
                    x
                }
                compares(a: $ty, b: $ty) -> bool { (a < b) != (a >= b) || a != b }
                classes(a: $ty, b: $ty) -> u32 { a.is_nan() as u32 + 2 * a.is_finite() as u32 + 4 * b.is_infinite() as u32 }
                in_wider_sums(a: $ty, b: $ty) -> f32 {
                    let mut sum = 0.0;
                    for i in 0..4 {
                        sum += a.to_f32() * b.to_f32() + i as f32;
                    }
                    sum
                }
                choices(a: $ty, b: $ty) -> $ty { if a.to_bits() & 1 == 0 { a } else { b } }
            }
        }
    )*};
}

halves! { f16 on_f16 bf16 on_bf16 }

#[test]
fn absolute_value_and_extremes() {
    #[vortex::kernel]
    fn extremes(a: &[f16], b: &[f16], out: &mut [f16]) {
        let i = global_id();
        out[i] = a[i].abs().max(b[i].abs()).min(f16::MAX);
    }

    let host = |a: f16, b: f16| {
        let [a, b] = [a, b].map(|x| x.to_f32().abs());
        f16::from_f32(a.max(b).min(f16::MAX.to_f32()))
    };
    check(pairs(), host, |a, b, out, device| {
        extremes(a, b, out).over(a.len()).launch(device).map(drop)
    });
}

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Texel {
    colour: f16,
    depth: bf16,
}

#[test]
fn are_arguments_fields_and_shared() {
    #[vortex::kernel]
    fn scale(factor: f16, bias: bf16, texels: &mut [Texel]) {
        let tile = local::<[f16; 4]>();
        let i = local_id();
        tile[i] = texels[i].colour;
        barrier();
        texels[i].colour = tile[3 - i] * factor;
        texels[i].depth += bias;
    }

    assert_eq!(size_of::<vortex::Args<scale>>(), 12);
    for device in &DEVICES[1..] {
        let texel = |n: usize| Texel {
            colour: f16::from_f32(n as f32),
            depth: bf16::from_f32(n as f32),
        };
        let mut texels = device.upload(&[0, 1, 2, 3].map(texel)).unwrap();
        scale(f16::from_f32(0.5), bf16::ONE, &mut texels)
            .grid(1)
            .block(4)
            .launch(device)
            .unwrap();
        let expected = [0, 1, 2, 3].map(|n: usize| Texel {
            colour: f16::from_f32((3 - n) as f32 / 2.0),
            depth: bf16::from_f32(n as f32 + 1.0),
        });
        assert_eq!(texels.download().unwrap(), expected);
    }
}
