//! Warp operations against what they mean: with the device's votes and shuffles, and without.

use std::sync::LazyLock;

use vortex::Generation;
use vortex::prelude::*;

/// Devices with and without votes and shuffles, by lanes per warp.
pub(crate) static DEVICES: LazyLock<Vec<(usize, Device)>> = LazyLock::new(|| {
    let shapes = [
        (1, 1, 1, true),
        (1, 4, 4, true),
        (2, 4, 8, true),
        (1, 2, 16, false),
        (2, 2, 32, true),
    ];
    let open = |(cores, warps, threads, zicond)| {
        [true, false].map(|warp_ops| {
            let builder = Device::builder().cores(cores).warps(warps).threads(threads);
            let device = builder.zicond(zicond).warp_ops(warp_ops).open().unwrap();
            (threads as usize, device)
        })
    };
    let new = Device::builder().generation(Generation::V3);
    let new = new.cores(2).warps(4).threads(8).open().unwrap();
    let all = shapes.into_iter().flat_map(open);
    all.chain([(8, new)]).collect()
});

/// Numbers of items: whole warps, and a last warp that is not full.
pub(crate) const ITEMS: [usize; 3] = [64, 71, 203];

pub(crate) fn values(items: usize) -> Vec<u32> {
    let mut state = 0x2545_f491_u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state >> (state % 29)
    };
    (0..items).map(|_| random()).collect()
}

/// The lanes of a warp that take part: their numbers and values, lowest first.
#[derive(Clone)]
pub(crate) struct Active<T>(pub(crate) Vec<(usize, T)>);

impl<T: Copy> Active<T> {
    fn mask(&self, holds: impl Fn(T) -> bool) -> u32 {
        let lanes = self.0.iter().filter(|(_, v)| holds(*v));
        lanes.fold(0, |mask, (lane, _)| mask | 1 << lane)
    }

    pub(crate) fn read(&self, own: usize, lane: usize) -> T {
        let find = |lane| self.0.iter().find(|(n, _)| *n == lane);
        find(lane).or(find(own)).unwrap().1
    }

    /// Each lane's value combined with those before, at doubling distances.
    pub(crate) fn scan(&self, combine: impl Fn(T, T) -> T) -> Vec<T> {
        let mut all: Vec<T> = self.0.iter().map(|(_, v)| *v).collect();
        let mut distance = 1;
        while distance < all.len() {
            let before = all.clone();
            for n in distance..all.len() {
                all[n] = combine(before[n - distance], before[n]);
            }
            distance *= 2;
        }
        all
    }
}

/// The lanes of each warp that take part.
pub(crate) fn warps<T: Copy>(
    x: &[T],
    lanes: usize,
    takes_part: impl Fn(T) -> bool,
) -> Vec<Active<T>> {
    let numbered = |warp: &[T]| warp.iter().copied().enumerate().collect::<Vec<_>>();
    x.chunks(lanes)
        .map(|warp| {
            let mut active = numbered(warp);
            active.retain(|(_, v)| takes_part(*v));
            Active(active)
        })
        .collect()
}

/// What `expected` says for every item, `width` words each; those of lanes that take no part are 0.
fn expect<T: Copy>(
    x: &[T],
    lanes: usize,
    width: usize,
    takes_part: impl Fn(T) -> bool,
    expected: impl Fn(&Active<T>, usize) -> Vec<u32>,
) -> Vec<u32> {
    let mut out = vec![0; x.len() * width];
    for (w, active) in warps(x, lanes, takes_part).iter().enumerate() {
        for &(lane, _) in &active.0 {
            let at = (w * lanes + lane) * width;
            out[at..at + width].copy_from_slice(&expected(active, lane));
        }
    }
    out
}

const ANSWERS: usize = 13;

#[vortex::kernel]
fn ask(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    let v = x[i];
    let at = i * ANSWERS;
    if v % 3 != 0 {
        out[at] = warp::active();
        out[at + 1] = warp::all(v % 8 != 1) as u32;
        out[at + 2] = warp::any(v % 16 == 5) as u32;
        out[at + 3] = warp::uniform(v > 1000) as u32;
        out[at + 4] = warp::ballot(v % 4 < 2);
        out[at + 5] = warp::elect() as u32;
        out[at + 6] = warp::broadcast(v);
        out[at + 7] = warp::shuffle(v, (v % 40) as usize);
        out[at + 8] = warp::shuffle_up(v, 1);
        out[at + 9] = warp::shuffle_down(v, (v % 5) as usize);
        out[at + 10] = warp::shuffle_xor(v, 3);
        out[at + 11] = warp::shuffle_down(v, usize::MAX);
        out[at + 12] = warp::ballot(x[0] == 7) | warp::ballot(true);
    }
}

#[test]
fn lanes_that_take_part_are_asked_and_no_others() {
    for items in ITEMS {
        let x = values(items);
        for (lanes, device) in DEVICES.iter() {
            let on_device = device.upload(&x).unwrap();
            let mut out = device.alloc::<u32>(items * ANSWERS).unwrap();
            ask(&on_device, &mut out)
                .over(items)
                .launch(device)
                .unwrap();
            let expected = expect(
                &x,
                *lanes,
                ANSWERS,
                |v| v % 3 != 0,
                |active, lane| {
                    let all = active.mask(|_| true);
                    let v = active.read(lane, lane);
                    let large = active.mask(|v| v > 1000);
                    let up = lane.wrapping_sub(1);
                    vec![
                        all,
                        (active.mask(|v| v % 8 != 1) == all).into(),
                        (active.mask(|v| v % 16 == 5) != 0).into(),
                        (large == 0 || large == all).into(),
                        active.mask(|v| v % 4 < 2),
                        (active.0[0].0 == lane).into(),
                        active.0[0].1,
                        active.read(lane, (v % 40) as usize),
                        active.read(lane, up),
                        active.read(lane, lane + (v % 5) as usize),
                        active.read(lane, lane ^ 3),
                        v,
                        all,
                    ]
                },
            );
            assert_eq!(out.download().unwrap(), expected, "{:?}", device.caps());
        }
    }
}

#[vortex::kernel]
fn turn_by_turn(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    let v = x[i];
    let mut sum = 0;
    for turn in 0..v % 7 {
        if turn == v % 4 {
            continue;
        }
        if v % 11 == turn {
            break;
        }
        sum = sum * 31 + warp::active();
        sum += warp::shuffle_up(turn + i as u32, 1);
    }
    if v % 5 == 0 {
        return;
    }
    out[i] = sum ^ warp::ballot(v % 2 == 0);
}

#[test]
fn lanes_meet_in_the_same_turn() {
    for items in ITEMS {
        let x = values(items);
        for (lanes, device) in DEVICES.iter() {
            let on_device = device.upload(&x).unwrap();
            let mut out = device.alloc::<u32>(items).unwrap();
            turn_by_turn(&on_device, &mut out)
                .over(items)
                .launch(device)
                .unwrap();
            let mut expected = vec![0u32; items];
            for (w, warp) in x.chunks(*lanes).enumerate() {
                let mut sums = vec![0u32; warp.len()];
                for turn in 0..7 {
                    let comes = |v: u32| {
                        let leaves = (0..=turn).find(|t| v % 11 == *t && v % 4 != *t);
                        turn < v % 7 && turn != v % 4 && leaves.is_none()
                    };
                    let active = warps(warp, *lanes, comes).remove(0);
                    for &(lane, _) in &active.0 {
                        let below = lane.wrapping_sub(1);
                        let other = match active.0.iter().any(|(n, _)| *n == below) {
                            true => below,
                            false => lane,
                        };
                        let theirs = turn + (w * lanes + other) as u32;
                        let sum = sums[lane].wrapping_mul(31);
                        sums[lane] = sum.wrapping_add(active.mask(|_| true));
                        sums[lane] = sums[lane].wrapping_add(theirs);
                    }
                }
                let left = warps(warp, *lanes, |v| v % 5 != 0).remove(0);
                for &(lane, _) in &left.0 {
                    expected[w * lanes + lane] = sums[lane] ^ left.mask(|v| v % 2 == 0);
                }
            }
            assert_eq!(out.download().unwrap(), expected, "{:?}", device.caps());
        }
    }
}

/// A test that combines lanes by an operation: three kernels' worth of results, in divergent code.
macro_rules! combining {
    ($($name:ident $ty:ident $neutral:expr, $combine:expr, $reduce:ident $inclusive:ident $exclusive:ident, $from:expr, $bits:expr;)*) => {$(
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

            let combine: fn($ty, $ty) -> $ty = $combine;
            let from: fn(u32) -> $ty = $from;
            let bits: fn($ty) -> u32 = $bits;
            for items in ITEMS {
                let x = values(items);
                let y: Vec<$ty> = x.iter().map(|v| from(*v)).collect();
                for (lanes, device) in DEVICES.iter() {
                    let (on_device, y) = (device.upload(&x).unwrap(), device.upload(&y).unwrap());
                    let mut out = device.upload(&vec![from(0); items * 3]).unwrap();
                    kernel(&on_device, &y, &mut out).over(items).launch(device).unwrap();
                    let out: Vec<u32> = out.download().unwrap().into_iter().map(bits).collect();
                    let mut expected = vec![bits(from(0)); items * 3];
                    for (w, active) in warps(&x, *lanes, |v| v % 4 != 0).into_iter().enumerate() {
                        let active = Active(active.0.into_iter().map(|(n, v)| (n, from(v))).collect());
                        let sums = active.scan(combine);
                        for (n, &(lane, _)) in active.0.iter().enumerate() {
                            let at = (w * lanes + lane) * 3;
                            expected[at] = bits(sums[sums.len() - 1]);
                            expected[at + 1] = bits(sums[n]);
                            expected[at + 2] = bits(if n == 0 { $neutral } else { sums[n - 1] });
                        }
                    }
                    assert_eq!(out, expected, "{:?}", device.caps());
                }
            }
        }
    )*};
}

combining! {
    sums u32 0, u32::wrapping_add, reduce_add inclusive_add exclusive_add, |v| v, |v| v;
    sums_of_floats f32 0.0, |a, b| a + b, reduce_add inclusive_add exclusive_add, |v| v as f32 / 3.0, f32::to_bits;
    minima i32 i32::MAX, i32::min, reduce_min inclusive_min exclusive_min, |v| v as i32, i32::cast_unsigned;
    maxima u32 0, u32::max, reduce_max inclusive_max exclusive_max, |v| v, |v| v;
    maxima_of_floats f32 f32::NEG_INFINITY, f32::max, reduce_max inclusive_max exclusive_max, |v| v as i32 as f32, f32::to_bits;
    ands u32 u32::MAX, |a, b| a & b, reduce_and inclusive_and exclusive_and, |v| v | 0xff00, |v| v;
    ors i32 0, |a, b| a | b, reduce_or inclusive_or exclusive_or, |v| v as i32, i32::cast_unsigned;
    exclusive_ors u32 0, |a, b| a ^ b, reduce_xor inclusive_xor exclusive_xor, |v| v, |v| v;
}

#[vortex::kernel]
fn bytes(x: &[u32], sums: &mut [u8], least: &mut [i16], flags: &mut [bool]) {
    let i = global_id();
    sums[i] = warp::reduce_add(x[i] as u8);
    least[i] = warp::inclusive_min(x[i] as i16);
    flags[i] = warp::shuffle_xor(x[i] % 2 == 0, 1);
}

#[test]
fn narrow_values_stay_in_range() {
    let x = values(100);
    for (lanes, device) in DEVICES.iter() {
        let on_device = device.upload(&x).unwrap();
        let mut sums = device.alloc::<u8>(x.len()).unwrap();
        let mut least = device.alloc::<i16>(x.len()).unwrap();
        let mut flags = device.alloc::<bool>(x.len()).unwrap();
        bytes(&on_device, &mut sums, &mut least, &mut flags)
            .over(x.len())
            .launch(device)
            .unwrap();
        let (sums, least) = (sums.download().unwrap(), least.download().unwrap());
        let flags = flags.download().unwrap();
        for (i, _) in x.iter().enumerate() {
            let start = i / lanes * lanes;
            let warp = &x[start..(start + lanes).min(x.len())];
            let sum = warp.iter().fold(0u8, |sum, v| sum.wrapping_add(*v as u8));
            let up_to = &x[start..=i];
            let min = up_to.iter().map(|v| *v as i16).min().unwrap();
            let other = warp.get((i - start) ^ 1).unwrap_or(&x[i]);
            assert_eq!(
                (sums[i], least[i], flags[i]),
                (sum, min, other.is_multiple_of(2))
            );
        }
    }
}

#[vortex::kernel]
fn in_groups(x: &[u32], out: &mut [u32]) {
    let v = x[global_id()];
    out[global_id()] = warp::exclusive_add(v) + group_id() as u32;
}

#[test]
fn a_group_fills_its_own_warps() {
    let (groups, block) = (5, 21);
    let x = values(groups * block);
    for (lanes, device) in DEVICES.iter() {
        if device.caps().harts() / device.caps().cores < block as u32 {
            continue;
        }
        let on_device = device.upload(&x).unwrap();
        let mut out = device.alloc::<u32>(x.len()).unwrap();
        in_groups(&on_device, &mut out)
            .grid(groups)
            .block(block)
            .launch(device)
            .unwrap();
        let expected: Vec<u32> = (0..x.len())
            .map(|i| {
                let local = i % block;
                let before = &x[i - local % lanes..i];
                let sum = before.iter().fold(0u32, |sum, v| sum.wrapping_add(*v));
                sum.wrapping_add((i / block) as u32)
            })
            .collect();
        assert_eq!(out.download().unwrap(), expected, "{:?}", device.caps());
    }
}
