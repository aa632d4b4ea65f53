//! Warp operations: with the device's votes and shuffles, and without.

use crate::measure::{Ordinary, WARP, one_by_one, pairs};
use vortex::Generation;
use vortex::prelude::*;

/// With votes and shuffles, and without, with four lanes; and both with eight.
fn devices() -> [(Device, u32); 4] {
    [(4, true), (4, false), (8, true), (8, false)].map(|(lanes, warp_ops)| {
        let builder = one_by_one(Generation::V2).cores(1).warps(1).threads(lanes);
        (builder.warp_ops(warp_ops).open().unwrap(), lanes)
    })
}

macro_rules! operations {
    ($name:ident [$v:ident $x:ident $out:ident]; $($cases:tt)*) => {
        pairs! {
            $name in WARP, on devices(),
            fn measured($x: &[u32], $out: &mut [u32]) {
                let i = global_id();
                let $v = $x[i];
                return $out[i];
            }
            launch |device, items, case, with| {
                let x: Vec<u32> = (0..items).map(Ordinary::ordinary).collect();
                let x = device.upload(&x).unwrap();
                let mut out = device.alloc::<u32>(items).unwrap();
                let launch = measured(case, with, &x, &mut out);
                launch.over(items).launch(device).unwrap()
            }
            $($cases)*
        }
    };
}

operations! {
    votes [v x out];
    "| `active` | 2, once for a block of code | the same |" {
        Active: { v ^ warp::active() } { v ^ 1 } => 2, 2, 2, 2;
        ActiveTwice: { (v ^ warp::active()) + warp::active() } { (v ^ 1) + 1 } => 2, 2, 2, 2;
    }
    "| `all`, `any`, `uniform`, `ballot` | 1 | 10 to 17 |" {
        All: { warp::all(v > 3) as u32 } { (v > 3) as u32 } => 1, 14, 1, 15;
        Any: { warp::any(v > 3) as u32 } { (v > 3) as u32 } => 1, 11, 1, 12;
        Uniform: { warp::uniform(v > 3) as u32 } { (v > 3) as u32 } => 1, 16, 1, 17;
        Ballot: { warp::ballot(v > 3) } { (v > 3) as u32 } => 1, 10, 1, 11;
    }
}

// All of them need `active`, too: both sides have it.
operations! {
    values [v x out];
    "| `elect` | 2 | the same |" {
        Elect: { v ^ warp::active() ^ warp::elect() as u32 } { v ^ warp::active() ^ 1 } => 2, 2, 2, 2;
    }
    "| `broadcast` | 8 | 9 |" {
        Broadcast: { warp::broadcast(v) ^ warp::active() } { v ^ warp::active() } => 8, 9, 8, 9;
    }
    "| `shuffle…` | 6 to 8 | 8 to 10 |" {
        Shuffle: { warp::shuffle(v, 2) ^ warp::active() } { v ^ warp::active() } => 8, 10, 8, 10;
        Up: { warp::shuffle_up(v, 2) ^ warp::active() } { v ^ warp::active() } => 8, 10, 8, 10;
        Down: { warp::shuffle_down(v, 2) ^ warp::active() } { v ^ warp::active() } => 7, 9, 7, 9;
        Xor: { warp::shuffle_xor(v, 2) ^ warp::active() } { v ^ warp::active() } => 7, 9, 7, 9;
        Any: { warp::shuffle(v, (v & 3) as usize) ^ warp::active() } { v ^ (v & 3) ^ warp::active() } => 6, 8, 6, 8;
    }
    "take one `shuffle` or `broadcast` for each word, of which each after the first costs two instructions" {
        Words: {
            let w = warp::shuffle(vec3(v, v ^ 5, v ^ 6), 2);
            w.x ^ w.y * w.z
        } {
            let w = vec3(warp::shuffle(v, 2), v ^ 5, v ^ 6);
            w.x ^ w.y * w.z
        } => 4, 4, 4, 4;
        WordsOfOne: {
            let w = warp::broadcast(vec3(v, v ^ 5, v ^ 6));
            w.x ^ w.y * w.z
        } {
            let w = vec3(warp::broadcast(v), v ^ 5, v ^ 6);
            w.x ^ w.y * w.z
        } => 4, 4, 4, 4;
    }
}

operations! {
    combined [v x out];
    "| `inclusive_add`, `…_or`, `…_xor` of integers | 2, and 7 for each time the number of lanes doubles | \
     15, and 17 |" {
        InclusiveAdd: { warp::inclusive_add(v) ^ warp::active() } { v ^ warp::active() } => 16, 48, 23, 65;
        InclusiveOr: { warp::inclusive_or(v) ^ warp::active() } { v ^ warp::active() } => 16, 48, 23, 65;
        InclusiveXor: { warp::inclusive_xor(v) ^ warp::active() } { v ^ warp::active() } => 16, 48, 23, 65;
    }
    "| the other `inclusive_…` | 2, and 10 to 14 | 15, and 18 to 21 |" {
        InclusiveAnd: { warp::inclusive_and(v) ^ warp::active() } { v ^ warp::active() } => 22, 50, 32, 68;
        InclusiveMin: { warp::inclusive_min(v) ^ warp::active() } { v ^ warp::active() } => 28, 56, 41, 77;
        InclusiveFloat: {
            let z = warp::inclusive_add(f32::from_bits(v));
            (z + z).to_bits() ^ warp::active()
        } {
            let z = f32::from_bits(v);
            (z + z).to_bits() ^ warp::active()
        } => 30, 56, 44, 77;
    }
    "| `exclusive_…` | 4 to 7 more | 6 to 9 more |" {
        ExclusiveAdd: { warp::exclusive_add(v) } { warp::inclusive_add(v) } => 4, 6, 4, 6;
        ExclusiveMin: { warp::exclusive_min(v) } { warp::inclusive_min(v) } => 7, 9, 7, 9;
    }
    "| `reduce_…` | 4 to 6, and 4 to 7 for each time the number of lanes doubles | that of `inclusive_…`, and 10 |" {
        ReduceAdd: { warp::reduce_add(v) ^ warp::active() } { v ^ warp::active() } => 12, 58, 16, 75;
        ReduceMax: { warp::reduce_max(v) ^ warp::active() } { v ^ warp::active() } => 18, 66, 25, 87;
        ReduceFloat: {
            let z = warp::reduce_add(f32::from_bits(v));
            (z + z).to_bits() ^ warp::active()
        } {
            let z = f32::from_bits(v);
            (z + z).to_bits() ^ warp::active()
        } => 18, 66, 24, 87;
    }
    "A word that is combined twice in one block of code, first up to each lane and then over all, goes through one loop." {
        Both: { warp::inclusive_add(v) ^ warp::reduce_add(v) } { warp::inclusive_add(v) ^ 1 } => 9, 10, 9, 10;
    }
    "with 64 bits 14 instructions for each time the number of lanes doubles, with a `Vec3<f32>` 37; 26 and 39 without." {
        Wide: { warp::inclusive_add(v as u64) as u32 ^ warp::active() } { v ^ warp::active() } => 25, 67, 39, 93;
        Floats: {
            let z = warp::inclusive_add(vec3(f32::from_bits(v), f32::from_bits(v ^ 5), f32::from_bits(v ^ 6)));
            (z.x + z.y * z.z).to_bits() ^ warp::active()
        } {
            let z = vec3(f32::from_bits(v), f32::from_bits(v ^ 5), f32::from_bits(v ^ 6));
            (z.x + z.y * z.z).to_bits() ^ warp::active()
        } => 76, 92, 113, 131;
    }
}
