//! Reading and writing texels, and what goes wrong.

use vortex::prelude::*;
use vortex::sim::{Checks, TrapKind};
use vortex::{Error, FaultKind, KernelEntry, MemoryError};

use crate::DEVICES;

#[vortex::kernel]
fn turned(image: &Texture<Vec4<u8>>, out: &mut Texture<Vec4<u8>>) {
    let (x, y) = global_id_2d();
    out.write(image.height() - 1 - y, x, image.read(x, y));
}

#[test]
fn texels_are_read_and_written() {
    for device in &*DEVICES {
        let texels: Vec<_> = (0..15u8).map(|n| vec4(n, n + 100, 255 - n, n)).collect();
        let image = device.texture((5, 3), &texels).unwrap();
        let mut out = device.alloc_texture((3, 5)).unwrap();
        turned(&image, &mut out)
            .over((5, 3))
            .launch(device)
            .unwrap();
        let out = out.download().unwrap();
        for y in 0..3 {
            for x in 0..5 {
                assert_eq!(out[x * 3 + 2 - y], texels[y * 5 + x]);
            }
        }
    }
}

#[vortex::device]
fn doubled(image: &Texture<f32, 3>, x: usize, y: usize, z: usize) -> f32 {
    2.0 * image.read(x, y, z)
}

#[vortex::device]
fn put(image: &mut Texture<f32, 3>, x: usize, y: usize, value: f32) {
    image.write(x, y, 0, value);
    if image.depth() > 1 {
        image.write(x, y, image.depth() - 1, image.read(x, y, 0) + 1.0);
    }
}

#[vortex::kernel]
fn through_functions(input: &Texture<f32, 3>, out: &mut Texture<f32, 3>) {
    let (x, y, z) = global_id_3d();
    let image = input;
    let value = doubled(image, x, y, z);
    if z == 0 {
        put(out, x, y, value);
    } else if z + 1 < out.depth() {
        out.write(x, y, z, value);
    }
}

#[test]
fn device_functions_take_textures() {
    for device in &*DEVICES {
        let texels: Vec<f32> = (0..24u8).map(f32::from).collect();
        let input = device.texture((2, 3, 4), &texels).unwrap();
        let mut out = device.alloc_texture((2, 3, 4)).unwrap();
        through_functions(&input, &mut out)
            .over((2, 3, 4))
            .launch(device)
            .unwrap();
        let expected: Vec<f32> = (0..24u8)
            .map(|n| match n / 6 {
                3 => 2.0 * f32::from(n - 18) + 1.0,
                _ => 2.0 * f32::from(n),
            })
            .collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[vortex::kernel]
fn read_at(image: &Texture<u16>, x: usize, y: usize, out: &mut [u16]) {
    out[0] = image.read(x, y);
}

#[vortex::kernel]
fn write_at(image: &mut Texture<f16, 3>, x: usize, y: usize, z: usize) {
    image.write(x, y, z, f16::from_f32(1.0));
}

fn fault(result: Result<vortex::Report, Error>) -> (FaultKind, [u32; 2], String) {
    match result {
        Err(Error::Fault(fault)) => (fault.kind, fault.operands, fault.to_string()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn texels_beyond_the_edge_are_faults() {
    let device = &DEVICES[0];
    let image = device.texture((3, 2), &[7u16; 6]).unwrap();
    let mut out = device.upload(&[1u16]).unwrap();
    for (x, y, operands) in [(3, 0, [3, 3]), (0, 2, [2, 2]), (9, 9, [9, 3])] {
        let launch = read_at(&image, x, y, &mut out).over(1);
        let (kind, found, text) = fault(launch.launch(device));
        assert_eq!((kind, found), (FaultKind::Texel, operands));
        let [coordinate, count] = operands;
        let expected = format!(
            "coordinate {coordinate} is out of bounds of a texture of {count} texels along that axis"
        );
        assert!(text.contains(&expected), "{text}");
        assert!(text.contains("image.read(x, y)"), "{text}");
        assert_eq!(out.download().unwrap(), [0]);
    }
    let mut volume = device.alloc_texture((2, 3, 4)).unwrap();
    for (x, y, z, operands) in [(2, 0, 0, [2, 2]), (0, 3, 9, [3, 3]), (1, 2, 4, [4, 4])] {
        let launch = write_at(&mut volume, x, y, z).over(1);
        assert_eq!(fault(launch.launch(device)).1, operands);
    }
    assert!(volume.download().unwrap().iter().all(|x| x.to_bits() == 0));
}

#[vortex::kernel]
fn sample_each(image: &Texture<f32>, points: &[Vec2<f32>], out: &mut [f32]) {
    let i = global_id();
    out[i] = image.sample(points[i].x, points[i].y);
}

#[test]
fn no_coordinate_leads_out_of_a_texture() {
    let device = &DEVICES[0];
    let image = device.texture((3, 2), &[0.5f32; 6]).unwrap();
    let edges = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        3e9,
        -3e9,
        1e-40,
    ];
    let points: Vec<_> = edges
        .iter()
        .flat_map(|&x| edges.iter().map(move |&y| vec2(x, y)))
        .collect();
    let points = device.upload(&points).unwrap();
    let mut image = image;
    for filter in [Filter::Nearest, Filter::Linear] {
        for address in [
            Address::Clamp,
            Address::Repeat,
            Address::Mirror,
            Address::Border([0.5; 4]),
        ] {
            let sampler = Sampler::NEAREST.filter(filter).address(address);
            for sampler in [sampler, sampler.in_texels()] {
                image.set_sampler(sampler);
                let mut out = device.alloc(points.len()).unwrap();
                sample_each(&image, &points, &mut out)
                    .over(points.len())
                    .launch(device)
                    .unwrap();
                let out = out.download().unwrap();
                assert!(
                    out.iter().all(|&x| x == 0.5 || x.is_nan()),
                    "{sampler:?}: {out:?}"
                );
                assert!(out[63] == 0.5);
            }
        }
    }
}

#[test]
fn sizes_are_checked() {
    let device = &DEVICES[0];
    let error = device.texture((3, 2), &[0.0f32; 5]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a texture of 3 x 2 has 6 texels, but there are 5"
    );
    let error = device.alloc_texture::<u8, 3>((3, 0, 1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a texture has between 1 and 65535 texels along each axis, not 3 x 0"
    );
    assert!(matches!(
        device.alloc_texture::<f32, 3>((65_535, 65_535, 65_535)),
        Err(Error::Memory(MemoryError::AllocationTooLarge { .. }))
    ));
    assert!(device.alloc_texture::<f32, 2>((65_536, 1)).is_err());
}

#[vortex::kernel]
fn guarded(image: &Texture<f32>, out: &mut Texture<f32>) {
    let (x, y) = global_id_2d();
    if x < image.width() && y < image.height() && x < out.width() && y < out.height() {
        out.write(x, y, image.read(x, y));
    }
}

#[vortex::kernel]
fn unguarded(image: &Texture<f32>, out: &mut Texture<f32>) {
    let (x, y) = global_id_2d();
    out.write(x, y, image.read(x, y));
}

#[test]
fn what_the_kernel_has_checked_is_not_checked_again() {
    let device = &DEVICES[0];
    let guarded = KernelEntry::of::<guarded>().attributes(device).unwrap();
    let unguarded = KernelEntry::of::<unguarded>().attributes(device).unwrap();
    assert!(guarded.no_indirect_global_access && unguarded.no_indirect_global_access);
    let checks = |entry: KernelEntry| entry.explain(device).unwrap().checks().clone();
    let guarded = checks(KernelEntry::of::<guarded>());
    let unguarded = checks(KernelEntry::of::<unguarded>());
    assert!(guarded.emitted > 0 && guarded.emitted == unguarded.emitted);
    assert_eq!(guarded.proved, guarded.emitted);
    assert_eq!((unguarded.proved, unguarded.kept.len()), (0, 0));
}

/// Each item writes its texel, and then the one of the item after it.
#[vortex::kernel]
fn colliding(image: &mut Texture<u16>) {
    let x = global_id();
    image.write(x, 0, 1);
    image.write((x + 1) % image.width(), 0, 2);
}

#[test]
fn races_for_texels_are_found() {
    let builder = Device::builder().cores(2).warps(2).threads(4);
    // Within a warp, lockstep orders them.
    let checks = Checks {
        lockstep: false,
        ..Checks::all()
    };
    let device = builder.checks(checks).open().unwrap();
    let mut image = device.alloc_texture((40, 1)).unwrap();
    let error = colliding(&mut image).over(40).launch(&device).unwrap_err();
    let Error::Trap(report) = &error else {
        panic!("{error}")
    };
    assert!(
        matches!(report.trap.kind, TrapKind::DataRace { .. }),
        "{error}"
    );
}
