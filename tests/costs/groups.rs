//! Work groups: barriers, local memory, and what combines all items.

use crate::measure::{GROUPS, Ordinary, one_by_one, pairs};
use vortex::Generation;
use vortex::prelude::*;

/// Devices on which a group of 16 items has one, two, four and eight warps.
fn devices(generation: Generation) -> [(Device, u32); 4] {
    [16, 8, 4, 2].map(|lanes| {
        let builder = one_by_one(generation);
        let builder = builder.cores(1).warps(8).threads(lanes);
        (builder.open().unwrap(), lanes)
    })
}

macro_rules! in_groups {
    ($name:ident [$v:ident $i:ident $tile:ident]; $($cases:tt)*) => {
        pairs! {
            $name in GROUPS, on devices(Generation::V2),
            fn measured($tile: &mut Local<[u32]>, x: &[u32], out: &mut [u32]) {
                let $i = global_id();
                let $v = x[$i];
                return out[$i];
            }
            launch |device, items, case, with| {
                let x: Vec<u32> = (0..items).map(Ordinary::ordinary).collect();
                let x = device.upload(&x).unwrap();
                let mut out = device.alloc::<u32>(items).unwrap();
                let launch = measured(case, with, LocalLen(16), &x, &mut out);
                launch.grid(items / 16).block(16).launch(device).unwrap()
            }
            $($cases)*
        }
    };
}

in_groups! {
    constructs [v i tile];
    "ids within the group are computed once per warp; those of the group, and `global_id()` with them, cost a few instructions per group" {
        LocalId: { v + local_id() as u32 } { v } => 1, 1, 1, 1;
        LocalSize: { v + local_size() as u32 } { v } => 1, 1, 1, 1;
        GroupId: { v + group_id() as u32 } { v } => 1, 1, 1, 1;
        GroupCount: { v + group_count() as u32 } { v } => 1, 1, 1, 1;
    }
    "It is one instruction, and one or two that load the barrier's number and that of the\nwarps; in a group that fits one warp it does not wait." {
        Barrier: { barrier(); v } { v } => 3, 2, 2, 2;
    }
    "The first half is nothing and the second a whole barrier" {
        Halves: { let token = barrier::arrive(); token.wait(); v } { v } => 3, 2, 2, 2;
    }
    "A load or store costs one instruction, as one of global memory does, and the check of its index, unless lanes agree on that" {
        Store: { let part = local::<[u32; 16]>(); part[local_id()] = v; v } { v } => 1, 1, 1, 1;
        Load: { let part = local::<[u32; 16]>(); part[local_id()] = v; barrier(); part[5] }
            { let part = local::<[u32; 16]>(); part[local_id()] = v; barrier(); v } => 1, 1, 1, 1;
        StoreSized: { tile[local_id()] = v; v } { v } => 1, 1, 1, 1;
        LoadSized: { tile[local_id()] = v; barrier(); tile[5] }
            { tile[local_id()] = v; barrier(); v } => 1, 1, 1, 1;
    }
    "which costs a split, a branch and a join between two barriers" {
        Return: { if v == 100 { return; } barrier(); tile[5] = 2; barrier(); tile[6] = 1; barrier(); v }
            { if v == 100 { return; } barrier(); tile[5] = 2; barrier(); v } => 8, 7, 7, 7;
        NoReturn: { barrier(); tile[5] = 2; barrier(); tile[6] = 1; barrier(); v }
            { barrier(); tile[5] = 2; barrier(); v } => 5, 4, 4, 4;
    }
    "It costs what it costs a warp,\nand 20 to 60 instructions in a group of up to four warps, 3 to 7 more for each warp beyond." {
        ReduceAdd: { v ^ group::reduce_add(v) } { v ^ warp::reduce_add(v) } => 21, 21, 27, 40;
        InclusiveMax: { v ^ group::inclusive_max(v) } { v ^ warp::inclusive_max(v) } => 39, 43, 56, 83;
        ExclusiveAdd: { v ^ group::exclusive_add(v) } { v ^ warp::exclusive_add(v) } => 36, 39, 48, 69;
    }
}

pairs! {
    halves_of_barriers in GROUPS, on devices(Generation::V3),
    fn measured(x: &[u32], out: &mut [u32]) {
        let i = group_id();
        let v = x[i];
        return out[i];
    }
    launch |device, items, case, with| {
        let x: Vec<u32> = (0..items / 16).map(Ordinary::ordinary).collect();
        let x = device.upload(&x).unwrap();
        let mut out = device.alloc::<u32>(items / 16).unwrap();
        measured(case, with, &x, &mut out).grid(items / 16).block(16).launch(device).unwrap()
    }
    "It is one instruction, and one or two that load the barrier's number and that of the\nwarps; in a group that fits one warp it does not wait." {
        Barrier: { barrier(); v } { v } => 1, 1, 1, 1;
    }
    "The first half is nothing and the second a whole barrier" {
        Halves: { let token = barrier::arrive(); token.wait(); v } { v } => 1, 1, 1, 1;
    }
}

/// Products of tiles of 4 KiB and of 256 bytes, declared in this order.
macro_rules! with_tiles {
    ($name:ident [$large:ident $small:ident] $($tile:ident $len:literal)*) => {
        #[vortex::kernel(block = 64)]
        fn $name(x: &[f32], out: &mut [f32]) {
            $(let $tile = local::<[f32; $len]>();)*
            let (i, l) = (global_id(), local_id());
            for k in 0..16 {
                $large[k * 64 + l] = x[i] * k as f32;
            }
            $small[l] = x[i];
            barrier();
            let mut sum = 0.0;
            for k in 0..16 {
                sum += $large[k * 64 + 63 - l] * $small[4 * k];
            }
            out[i] = sum;
        }
    };
}

with_tiles! { large_first [large small] large 1024 small 64 }
with_tiles! { small_first [large small] small 64 large 1024 }

/// Small objects of local memory lie first, so that loads and stores hold their offsets.
#[test]
fn the_order_of_declarations_costs_nothing() {
    // Of each the image and the buffers lie where those of the other do.
    let device = || {
        let builder = Device::builder().cores(1).warps(16).threads(4);
        builder.model(vortex::sim::Model::cycle()).open().unwrap()
    };
    let (one, other) = (device(), device());
    let cost = |report: vortex::Report| (report.instructions(), report.cycles());
    let (x, mut out) = (one.upload(&[1.5f32; 256]).unwrap(), one.alloc(256).unwrap());
    let large_first = cost(large_first(&x, &mut out).grid(4).launch(&one).unwrap());
    let (x, mut out) = (
        other.upload(&[1.5f32; 256]).unwrap(),
        other.alloc(256).unwrap(),
    );
    let small_first = cost(small_first(&x, &mut out).grid(4).launch(&other).unwrap());
    assert_eq!(large_first, small_first);
}
