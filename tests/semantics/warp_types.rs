//! What lanes and groups pass and combine, of all types: 64 bits, 16-bit floats, vectors, structs.

use vortex::prelude::*;

use crate::warps::{Active, DEVICES, ITEMS, values, warps};

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Mixed {
    wide: i64,
    pair: [i16; 2],
    half: f16,
    flag: bool,
    kind: Kind,
    place: Vec2<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(u8)]
enum Kind {
    Low,
    High,
}

#[vortex::kernel]
fn pass(x: &[u32], values: &[Mixed], out: &mut [Mixed], wide: &mut [u64]) {
    let i = global_id();
    let (v, mixed) = (x[i], values[i]);
    if v % 3 != 0 {
        out[4 * i] = warp::broadcast(mixed);
        out[4 * i + 1] = warp::shuffle(mixed, (v % 40) as usize);
        out[4 * i + 2] = warp::shuffle_up(mixed, 1);
        out[4 * i + 3] = warp::shuffle_xor(mixed, 2);
        wide[i] = warp::shuffle_down(mixed.wide as u64 * 3, (v % 5) as usize);
    }
}

fn mixed(v: u32) -> Mixed {
    Mixed {
        wide: i64::from(v as i32).wrapping_mul(-0x1_2345_6789),
        pair: [v as i16, !v as i16],
        half: f16::from_bits((v % 0x7c00) as u16),
        flag: v.is_multiple_of(2),
        kind: if v > 1000 { Kind::High } else { Kind::Low },
        place: vec2(v as f32, -1.0 / v as f32),
    }
}

#[test]
fn values_of_all_types_are_passed() {
    for items in ITEMS {
        let x = values(items);
        let y: Vec<Mixed> = x.iter().map(|v| mixed(*v)).collect();
        for (lanes, device) in DEVICES.iter() {
            let (on_device, y) = (device.upload(&x).unwrap(), device.upload(&y).unwrap());
            let mut out = device.upload(&vec![mixed(0); 4 * items]).unwrap();
            let mut wide = device.alloc::<u64>(items).unwrap();
            pass(&on_device, &y, &mut out, &mut wide)
                .over(items)
                .launch(device)
                .unwrap();
            let mut expected = vec![mixed(0); 4 * items];
            let mut expected_wide = vec![0u64; items];
            for (w, active) in warps(&x, *lanes, |v| v % 3 != 0).iter().enumerate() {
                for &(lane, v) in &active.0 {
                    let (at, up) = (w * lanes + lane, lane.wrapping_sub(1));
                    let theirs = [
                        active.0[0].1,
                        active.read(lane, (v % 40) as usize),
                        active.read(lane, up),
                        active.read(lane, lane ^ 2),
                    ];
                    expected[4 * at..4 * at + 4].copy_from_slice(&theirs.map(mixed));
                    let down = mixed(active.read(lane, lane + (v % 5) as usize));
                    expected_wide[at] = (down.wide as u64).wrapping_mul(3);
                }
            }
            assert_eq!(out.download().unwrap(), expected, "{:?}", device.caps());
            assert_eq!(wide.download().unwrap(), expected_wide);
        }
    }
}

/// A test that combines lanes by an operation: `combine` of what `widen` makes of the values, each result `narrow`ed.
macro_rules! combining {
    ($($name:ident $ty:ty as $wide:ty, $neutral:expr, $combine:expr, $reduce:ident $inclusive:ident $exclusive:ident, $from:expr;)*) => {$(
        #[test]
        fn $name() {
            #[vortex::kernel]
            fn kernel(x: &[u32], y: &[$ty], out: &mut [$ty]) {
                let i = global_id();
                if x[i] % 4 != 0 {
                    out[i * 3] = warp::$reduce(y[i]);
                    out[i * 3 + 1] = warp::$inclusive(y[i]);
                    out[i * 3 + 2] = warp::$exclusive(y[i]);
                }
            }

            #[vortex::kernel]
            fn of_group(y: &[$ty], out: &mut [$ty]) {
                let i = global_id();
                out[i * 3] = group::$reduce(y[i]);
                out[i * 3 + 1] = group::$inclusive(y[i]);
                out[i * 3 + 2] = group::$exclusive(y[i]);
            }

            let combine: fn($wide, $wide) -> $wide = $combine;
            let from: fn(u32) -> $ty = $from;
            let neutral: $wide = $neutral;
            for items in ITEMS {
                let x = values(items);
                let y: Vec<$ty> = x.iter().map(|v| from(*v)).collect();
                for (lanes, device) in DEVICES.iter() {
                    let (on_device, on_device_y) = (device.upload(&x).unwrap(), device.upload(&y).unwrap());
                    let mut out = device.upload(&vec![from(0); items * 3]).unwrap();
                    kernel(&on_device, &on_device_y, &mut out).over(items).launch(device).unwrap();
                    let mut expected = vec![from(0); items * 3];
                    for (w, active) in warps(&x, *lanes, |v| v % 4 != 0).into_iter().enumerate() {
                        let active = Active(active.0.into_iter().map(|(n, v)| (n, <$wide>::from(from(v)))).collect());
                        let sums = active.scan(combine);
                        for (n, &(lane, _)) in active.0.iter().enumerate() {
                            let at = (w * lanes + lane) * 3;
                            expected[at] = narrow(sums[sums.len() - 1]);
                            expected[at + 1] = narrow(sums[n]);
                            expected[at + 2] = narrow(if n == 0 { neutral } else { sums[n - 1] });
                        }
                    }
                    assert_eq!(out.download().unwrap(), expected, "{:?}", device.caps());
                }
            }
            // Groups of several warps, of which the last one is not full.
            let (groups, block) = (3, 13);
            let y: Vec<$ty> = values(groups * block).iter().map(|v| from(*v)).collect();
            for (lanes, device) in DEVICES.iter() {
                if device.caps().harts() / device.caps().cores < block as u32 {
                    continue;
                }
                let on_device = device.upload(&y).unwrap();
                let mut out = device.upload(&vec![from(0); y.len() * 3]).unwrap();
                of_group(&on_device, &mut out).grid(groups).block(block).launch(device).unwrap();
                let mut expected = Vec::new();
                for group in y.chunks(block) {
                    let warps: Vec<Vec<$wide>> = group.chunks(*lanes).map(|warp| {
                        Active(warp.iter().map(|v| (0, <$wide>::from(*v))).collect()).scan(combine)
                    }).collect();
                    let upto = |warps: &[Vec<$wide>]| warps.iter().fold(neutral, |sum, w| combine(sum, w[w.len() - 1]));
                    for i in 0..group.len() {
                        let (own, lane) = (i / lanes, i % lanes);
                        let before = upto(&warps[..own]);
                        let in_warp = if lane == 0 { neutral } else { warps[own][lane - 1] };
                        expected.extend([upto(&warps), combine(before, warps[own][lane]), combine(before, in_warp)].map(narrow::<$wide, $ty>));
                    }
                }
                assert_eq!(out.download().unwrap(), expected, "group, {:?}", device.caps());
            }
        }
    )*};
}

fn narrow<W: Narrow<T>, T>(wide: W) -> T {
    wide.narrow()
}

/// Rounds what was computed with more bits.
trait Narrow<T> {
    fn narrow(self) -> T;
}

impl<T> Narrow<T> for T {
    fn narrow(self) -> T {
        self
    }
}

impl Narrow<f16> for f32 {
    fn narrow(self) -> f16 {
        f16::from_f32(self)
    }
}

impl Narrow<bf16> for f32 {
    fn narrow(self) -> bf16 {
        bf16::from_f32(self)
    }
}

fn spread(v: u32) -> u64 {
    u64::from(v).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn components<T>(f: fn(T, T) -> T) -> impl Fn(Vec3<T>, Vec3<T>) -> Vec3<T> {
    move |a, b| Vec3 {
        x: f(a.x, b.x),
        y: f(a.y, b.y),
        z: f(a.z, b.z),
    }
}

combining! {
    wide_sums u64 as u64, 0, u64::wrapping_add, reduce_add inclusive_add exclusive_add, spread;
    wide_signed_sums i64 as i64, 0, i64::wrapping_add, reduce_add inclusive_add exclusive_add, |v| spread(v) as i64;
    wide_minima i64 as i64, i64::MAX, i64::min, reduce_min inclusive_min exclusive_min, |v| spread(v) as i64;
    wide_unsigned_minima u64 as u64, u64::MAX, u64::min, reduce_min inclusive_min exclusive_min, spread;
    wide_maxima i64 as i64, i64::MIN, i64::max, reduce_max inclusive_max exclusive_max, |v| spread(v) as i64;
    wide_unsigned_maxima u64 as u64, 0, u64::max, reduce_max inclusive_max exclusive_max, spread;
    wide_ands u64 as u64, u64::MAX, |a, b| a & b, reduce_and inclusive_and exclusive_and, |v| spread(v) | 0xff_0000_ff00_0000;
    wide_exclusive_ors i64 as i64, 0, |a, b| a ^ b, reduce_xor inclusive_xor exclusive_xor, |v| spread(v) as i64;
    half_sums f16 as f32, 0.0, |a, b| a + b, reduce_add inclusive_add exclusive_add, |v| f16::from_f32((v % 1000) as f32 / 7.0);
    half_maxima f16 as f32, f32::NEG_INFINITY, f32::max, reduce_max inclusive_max exclusive_max, |v| f16::from_f32((v % 1000) as f32 - 500.0);
    bfloat_sums bf16 as f32, 0.0, |a, b| a + b, reduce_add inclusive_add exclusive_add, |v| bf16::from_f32(v as f32 / 3.0);
    bool_ands bool as bool, true, |a, b| a & b, reduce_and inclusive_and exclusive_and, |v| v % 8 != 1;
    bool_ors bool as bool, false, |a, b| a | b, reduce_or inclusive_or exclusive_or, |v| v % 16 == 1;
    bool_exclusive_ors bool as bool, false, |a, b| a ^ b, reduce_xor inclusive_xor exclusive_xor, |v| v % 2 == 1;
    byte_sums u8 as u8, 0, u8::wrapping_add, reduce_add inclusive_add exclusive_add, |v| v as u8;
    byte_minima i8 as i8, i8::MAX, i8::min, reduce_min inclusive_min exclusive_min, |v| v as i8;
    short_maxima u16 as u16, 0, u16::max, reduce_max inclusive_max exclusive_max, |v| v as u16;
    short_ands i16 as i16, -1, |a, b| a & b, reduce_and inclusive_and exclusive_and, |v| v as i16 | 0xf0;
    sums_of_vectors Vec3<f32> as Vec3<f32>, vec3(0.0, 0.0, 0.0), |a, b| components(|a, b| a + b)(a, b), reduce_add inclusive_add exclusive_add, |v| vec3(v as f32 / 3.0, 1.0, -(v as f32));
    minima_of_vectors Vec3<i64> as Vec3<i64>, vec3(i64::MAX, i64::MAX, i64::MAX), |a, b| components(i64::min)(a, b), reduce_min inclusive_min exclusive_min, |v| vec3(spread(v) as i64, i64::from(v), -i64::from(v));
    ors_of_vectors Vec2<u8> as Vec2<u8>, vec2(0u8, 0), |a, b| vec2(a.x | b.x, a.y | b.y), reduce_or inclusive_or exclusive_or, |v| vec2(1 << (v % 8), (v % 2) as u8);
}

/// What the size of a number does not matter for.
#[vortex::device]
fn share<T: Num>(value: T, all: T) -> bool {
    warp::reduce_add(value) == all && warp::broadcast(value) == value
}

#[vortex::kernel]
fn generic(out: &mut [bool]) {
    let i = global_id();
    out[i] = share(1u64, warp::ballot(true).count_ones() as u64)
        && share(1.0, warp::ballot(true).count_ones() as f32)
        && share(1, warp::reduce_add(1));
}

#[test]
fn generic_functions_combine() {
    for (_, device) in DEVICES.iter() {
        let mut out = device.alloc::<bool>(8).unwrap();
        generic(&mut out).over(8).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), [true; 8]);
    }
}
