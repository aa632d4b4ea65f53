//! What `#[vortex::kernel(..)]` says beside the signature.

use vortex::meta::ScalarType;
use vortex::prelude::*;
use vortex::{Error, Module};

use crate::harness::DEVICES;

const TILE: usize = 8;

/// Gives each item what the next one of its group holds.
///
/// In two lines.
#[vortex::kernel(block = (TILE, 2), vec_hint = u32, name = "next.in.tile")]
fn next(x: &[u32], out: &mut [u32]) {
    let (i, j) = local_id_2d();
    let tile = local::<[u32; 16]>();
    tile[j * local_size_2d().0 + i] = x[global_id()];
    barrier();
    let neighbour = (local_id() + 1) % local_size();
    out[global_id()] = tile[neighbour];
}

/// The same for groups of any size.
#[vortex::kernel]
fn next_of_any(x: &[u32], out: &mut [u32]) {
    let (i, j) = local_id_2d();
    let tile = local::<[u32; 16]>();
    tile[j * local_size_2d().0 + i] = x[global_id()];
    barrier();
    let neighbour = (local_id() + 1) % local_size();
    out[global_id()] = tile[neighbour];
}

#[test]
fn they_are_constants() {
    const BLOCK: Option<[u32; 3]> = next::META.attributes.block;
    assert_eq!(BLOCK, Some([8, 2, 1]));
    assert_eq!(next::META.attributes.vec_hint, Some(ScalarType::U32));
    assert_eq!(next::META.name, "next.in.tile");
    assert_eq!(next::META.function, "next");
    assert_eq!(
        next::META.doc,
        Some("Gives each item what the next one of its group holds.\n\nIn two lines.")
    );
    assert_eq!(next_of_any::META.attributes.to_string(), "{}");
    assert_eq!(
        next::META.attributes.to_string(),
        "{block = [8, 2, 1], vec_hint = \"u32\"}"
    );
}

/// The same on each device, and how many instructions it took on the last: with a known block, compiled for the launch's, and for any.
fn run(over: (usize, usize)) -> [u64; 3] {
    let data: Vec<u32> = (0..over.0 * over.1).map(|n| n as u32 * 7).collect();
    let mut instructions = [0; 3];
    for device in DEVICES
        .iter()
        .filter(|device| device.caps().max_group() >= 16)
    {
        let x = device.upload(&data).unwrap();
        let mut known = device.alloc(data.len()).unwrap();
        let mut unknown = device.alloc(data.len()).unwrap();
        // The block is known: `.over` is enough, and so is `.grid`.
        let a = next(&x, &mut known).over(over).launch(device).unwrap();
        let b = next_of_any(&x, &mut unknown)
            .grid((over.0 / TILE, over.1 / 2))
            .block((TILE, 2))
            .launch(device)
            .unwrap();
        assert_eq!(known.download().unwrap(), unknown.download().unwrap());
        next(&x, &mut known)
            .grid((over.0 / TILE, over.1 / 2))
            .launch(device)
            .unwrap();
        let module = Module::builder("m").kernel::<next_of_any>();
        let module = module.device(device).build().unwrap();
        let c = next_of_any(&x, &mut unknown)
            .grid((over.0 / TILE, over.1 / 2))
            .block((TILE, 2))
            .launch_from(&module, device)
            .unwrap();
        assert_eq!(known.download().unwrap(), unknown.download().unwrap());
        instructions = [a, b, c].map(|report| report.instructions().unwrap());
    }
    instructions
}

#[test]
fn a_known_block_gives_the_same_for_less() {
    run((8, 2));
    let [known, of_launch, unknown] = run((64, 24));
    assert_eq!(known, of_launch);
    assert!(known * 20 < unknown * 19, "{known} {unknown}");
}

#[test]
fn a_launch_with_another_block_is_an_error() {
    let device = &DEVICES[1];
    let x = device.upload(&[0; 32]).unwrap();
    let mut out = device.alloc(32).unwrap();
    let error = next(&x, &mut out).grid(2).block(16).launch(device);
    let error = error.unwrap_err();
    assert!(matches!(error, Error::BlockMismatch { .. }));
    assert_eq!(
        error.to_string(),
        "kernel next.in.tile is declared with groups of 8 x 2 work items, but this launch gives groups of 16; \
         write `.block((8, 2))`, or leave it out"
    );
    let error = next(&x, &mut out).over(32).launch(device).unwrap_err();
    assert!(matches!(error, Error::PartialGroups { .. }));
}

#[vortex::kernel(subgroup = 4)]
fn lanes(out: &mut [u32]) {
    out[global_id()] = lane_count() as u32;
}

#[test]
fn a_subgroup_is_what_the_device_has() {
    let mut ran = 0;
    for device in DEVICES.iter() {
        let mut out = device.alloc(5).unwrap();
        let report = lanes(&mut out).over(5).launch(device);
        if device.caps().threads == 4 {
            report.unwrap();
            assert_eq!(out.download().unwrap(), [4; 5]);
            ran += 1;
        } else {
            assert_eq!(
                report.unwrap_err().to_string(),
                format!(
                    "kernel lanes is declared with `subgroup = 4`, but the warps of this device have {} lanes",
                    device.caps().threads
                )
            );
        }
    }
    assert!(ran > 0);
}
