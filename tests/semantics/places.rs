//! Where on the device a work item runs.

use crate::harness::{DEVICES, SHAPES};
use vortex::prelude::*;

#[vortex::kernel]
fn place(at: &mut [u32], shape: &mut [u32]) {
    let i = global_id();
    let (lane, warp, core) = (lane_id(), warp_id(), core_id());
    at[i] = ((core * warp_count() + warp) * lane_count() + lane) as u32;
    shape[0] = lane_count() as u32;
    shape[1] = warp_count() as u32;
    shape[2] = core_count() as u32;
    // Lanes disagree about where they are, warps do not.
    if lane % 2 == 1 {
        at[i] += 1000;
    }
}

#[test]
fn a_full_turn_has_one_item_in_each_place() {
    for (device, (cores, warps, threads, _)) in DEVICES.iter().zip(SHAPES) {
        let harts = cores * warps * threads;
        let mut at = device.upload(&vec![0u32; harts as usize]).unwrap();
        let mut shape = device.upload(&[0u32; 3]).unwrap();
        place(&mut at, &mut shape)
            .over(harts as usize)
            .launch(device)
            .unwrap();
        assert_eq!(shape.download().unwrap(), [threads, warps, cores]);
        let at = at.download().unwrap();
        let mut at: Vec<u32> = at
            .into_iter()
            .enumerate()
            .map(|(item, place)| place - item as u32 % threads % 2 * 1000)
            .collect();
        at.sort_unstable();
        assert_eq!(at, (0..harts).collect::<Vec<_>>());
    }
}
