//! What `#[vortex::kernel(..)]` says besides the signature.

use crate::said::said;
use vortex::meta::{Facts, Hinted as _};
use vortex::prelude::*;
use vortex::{Error, LaunchError, Module};

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
    assert_eq!(next::META.attributes.vec_hint, Some(u32::HINT));
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

/// As OpenCL lets kernels be declared: what the hints say can be of no use here.
#[vortex::kernel(vec_hint = f32, block_hint = (8, 16, 32), block = (1, 2, 4), subgroup = 1)]
fn with_hints(out: &mut [u32]) {
    out[global_id()] = lane_count() as u32;
}

#[vortex::kernel(vec_hint = Vec4<f32>, block_hint = (0, 1, 1))]
fn with_vectors(out: &mut [Vec4<f32>]) {
    out[global_id()] *= 2.0;
}

#[test]
fn hints_are_hints() {
    let attributes = with_hints::META.attributes;
    assert_eq!(
        attributes.to_string(),
        "{block = [1, 2, 4], block_hint = [8, 16, 32], subgroup = 1, vec_hint = \"f32\"}"
    );
    let warnings = [
        "the hint (8, 16, 32) is not used: a group of more than 1024 work items fits no Vortex",
        "the hint (8, 16, 32) is not used: every launch has `block = (1, 2, 4)`",
    ];
    assert_eq!(attributes.warnings(), warnings);
    let device = Device::builder()
        .cores(1)
        .warps(8)
        .threads(1)
        .open()
        .unwrap();
    let module = Module::builder("m").kernel::<with_hints>();
    let module = module.device(&device).build().unwrap();
    let module = Module::from_elf(&module.to_elf()).unwrap();
    let facts = module.kernels()[0].facts();
    assert_eq!(
        facts.warnings.as_deref(),
        Some(&warnings.map(str::to_owned)[..])
    );
    assert_eq!(facts.to_string().parse::<Facts>().unwrap(), *facts);
    let mut out = device.alloc(16).unwrap();
    with_hints(&mut out).grid(2).launch(&device).unwrap();
    assert_eq!(out.download().unwrap(), [1; 16]);
    with_hints(&mut out)
        .over((2, 2, 4))
        .launch_from(&module, &device)
        .unwrap();

    let attributes = with_vectors::META.attributes;
    assert_eq!(attributes.vec_hint, Some(<Vec4<f32>>::HINT));
    assert_eq!(
        attributes.warnings(),
        ["the hint (0, 1, 1) is not used: a group of no work items cannot cover any work"]
    );
    let mut x = device.upload(&[vec4(1.0f32, 2.0, 3.0, 4.0); 3]).unwrap();
    with_vectors(&mut x).over(3).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [vec4(2.0, 4.0, 6.0, 8.0); 3]);
    assert!(next::META.attributes.warnings().is_empty());
}

/// The same on each device, and how many instructions it took on the last: with a known block, compiled for the
/// launch's, and for any.
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
    assert!(matches!(
        error,
        Error::Refused {
            cause: LaunchError::BlockMismatch { .. },
            ..
        }
    ));
    assert_eq!(
        said(&error),
        "kernel next.in.tile is declared with groups of 8 x 2 work items, but this launch gives groups of 16; \
         write `.block((8, 2))`, or leave it out"
    );
    let error = next(&x, &mut out).over(32).launch(device).unwrap_err();
    assert!(matches!(
        error,
        Error::Refused {
            cause: LaunchError::PartialGroups { .. },
            ..
        }
    ));
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
                said(&report.unwrap_err()),
                format!(
                    "kernel lanes is declared with `subgroup = 4`, but the warps of this device have {}",
                    match device.caps().threads {
                        1 => "1 lane".to_owned(),
                        threads => format!("{threads} lanes"),
                    }
                )
            );
        }
    }
    assert!(ran > 0);
}
