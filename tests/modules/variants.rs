//! Several images of a kernel.

use vortex::codegen::Tuning;
use vortex::meta::{Attributes, Facts, KernelInfo};
use vortex::prelude::*;
use vortex::{Error, KernelEntry, LaunchError, Module};

use crate::{distances, group_sums, sums};

#[test]
fn images_are_chosen_by_shape_and_size() {
    let builder = Module::builder("variants").kernel::<group_sums>();
    let module = builder
        .alternative([16, 1, 1])
        .alternative([64, 1, 1])
        .alternative([256, 1, 1])
        .build()
        .unwrap();
    let blocks: Vec<_> = module.kernels()[0]
        .alternatives
        .iter()
        .map(|one| one.block)
        .collect();
    assert_eq!(
        blocks,
        [None, Some([16, 1, 1]), Some([64, 1, 1]), Some([256, 1, 1])]
    );
    assert_eq!(module.kernels()[0].facts.image_variants, Some(4));
    let device = Device::open().unwrap();
    assert_eq!(
        sums(&module, &device, 512, None),
        (
            vec![256; 2],
            "for groups of 256, one of 4: of the groups that divide 512 work items the largest that a core runs \
             at a time (512 items)"
                .to_owned()
        )
    );
    assert_eq!(sums(&module, &device, 320, None).0, [64; 5]);
    assert_eq!(
        sums(&module, &device, 320, Some(32)),
        (
            vec![32; 10],
            "for groups of any size, one of 4: there is none for groups of 32".to_owned()
        )
    );
    assert_eq!(
        sums(&module, &device, 320, Some(64)),
        (
            vec![64; 5],
            "for groups of 64, one of 4: the launch has these groups".to_owned()
        )
    );
    let small = Device::builder().released().open().unwrap();
    assert_eq!(sums(&module, &small, 320, None).0, [16; 20]);
}

#[test]
fn variants_have_the_same_metadata() {
    let of = |module: Module| -> Vec<KernelInfo> {
        let kernels = module.kernels().iter().cloned();
        // All that is not about the images.
        kernels
            .map(|kernel| KernelInfo {
                facts: Facts::default(),
                alternatives: Vec::new(),
                ..kernel
            })
            .collect()
    };
    let builder = || {
        Module::builder("m")
            .kernel::<distances>()
            .kernel::<group_sums>()
    };
    let plain = of(builder().build().unwrap());
    assert_eq!(
        of(builder().alternative([64, 1, 1]).build().unwrap()),
        plain
    );
    assert_eq!(of(builder().single().build().unwrap()), plain);
    assert_eq!(plain[1].attributes, Attributes::NONE);
}

#[test]
fn single_kernels_have_one_known_block() {
    let module = Module::builder("m")
        .kernel::<group_sums>()
        .single()
        .alternative([64, 1, 1])
        .build()
        .unwrap();
    assert_eq!(module.images("group_sums").len(), 1);
    assert_eq!(module.kernels()[0].facts.known_block, Some([16, 1, 1]));
    let device = Device::builder().released().open().unwrap();
    let (sums, choice) = sums(&module, &device, 64, None);
    assert_eq!(
        (sums, choice.as_str()),
        (vec![16; 4], "for groups of 16, the only one")
    );
    let x = device.upload(&[1u32; 64]).unwrap();
    let mut out = device.alloc::<u32>(64).unwrap();
    let launch = module.launch("group_sums").unwrap().slice("x", &x).unwrap();
    let launch = launch.slice_mut("out", &mut out).unwrap().grid(2).block(32);
    assert!(matches!(
        launch.launch(&device),
        Err(Error::Refused {
            cause: LaunchError::BlockMismatch { .. },
            ..
        })
    ));
}

#[test]
fn launches_of_a_program_s_kernels_have_images_for_their_groups() {
    let device = Device::open().unwrap();
    let x = device.upload(&[1u32; 256]).unwrap();
    let mut out = device.alloc::<u32>(256).unwrap();
    let mut chosen = |block: usize| {
        let launch = group_sums(&x, &mut out).grid(256 / block).block(block);
        let report = launch.launch(&device).unwrap();
        let sums = out.download().unwrap();
        assert_eq!(sums[..256 / block], vec![block as u32; 256 / block]);
        report.choice().unwrap().to_string()
    };
    for _ in 0..2 {
        assert_eq!(chosen(64), "for groups of 64, the only one");
    }
    for (block, of) in [(32, 2), (128, 3), (16, 4)] {
        let expected = format!("for groups of {block}, one of {of}: the launch has these groups");
        assert_eq!(chosen(block), expected);
    }
    for block in [8, 4] {
        assert_eq!(
            chosen(block),
            "for groups of any size, one of 5: there are already enough for groups of one size"
        );
    }
    assert!(chosen(16).starts_with("for groups of 16, one of 5: "));
}

#[vortex::kernel]
fn sizes_of_groups(out: &mut [u32]) {
    out[global_id()] = local_size() as u32;
}

#[vortex::kernel]
fn without_groups(out: &mut [u32]) {
    out[global_id()] = global_id() as u32;
}

#[test]
fn nothing_is_compiled_in_vain() {
    let device = Device::open().unwrap();
    let other = Device::open().unwrap();
    let mut out = device.alloc::<u32>(64).unwrap();
    let mut there = other.alloc::<u32>(64).unwrap();
    let builds = |kernel: KernelEntry| kernel.cache().builds;
    for (block, expected) in [(16, 1), (16, 1), (8, 2), (4, 3), (2, 4), (1, 5), (32, 5)] {
        sizes_of_groups(&mut out)
            .grid(64 / block)
            .block(block)
            .launch(&device)
            .unwrap();
        assert_eq!(out.download().unwrap(), [block as u32; 64]);
        assert_eq!(builds(KernelEntry::of::<sizes_of_groups>()), expected);
        without_groups(&mut out)
            .grid(64 / block)
            .block(block)
            .launch(&device)
            .unwrap();
        assert_eq!(builds(KernelEntry::of::<without_groups>()), 1);
    }
    sizes_of_groups(&mut there)
        .grid(4)
        .block(16)
        .launch(&other)
        .unwrap();
    assert_eq!(there.download().unwrap(), [16; 64]);
    assert_eq!(builds(KernelEntry::of::<sizes_of_groups>()), 5);
}

#[vortex::kernel]
fn transpose_tiles(x: &[u32], out: &mut [u32]) {
    let tile = local::<[u32; 64]>();
    let (column, row) = local_id_2d();
    let (width, height) = local_size_2d();
    tile[row * width + column] = x[group_id() * local_size() + local_id()];
    barrier();
    out[group_id() * local_size() + local_id()] =
        tile[local_id() % height * width + local_id() / height];
}

#[test]
fn what_is_known_of_groups_is_not_computed() {
    // One group after the other, so that both versions are of the same work.
    let tuning = Tuning::default().one_by_one();
    let device = Device::builder().tuning(tuning).open().unwrap();
    let numbers: Vec<u32> = (0..2048).collect();
    let x = device.upload(&numbers).unwrap();
    let mut out = device.alloc::<u32>(2048).unwrap();
    let module = Module::builder("m").kernel::<transpose_tiles>();
    let module = module.build().unwrap();
    let any = transpose_tiles(&x, &mut out).grid(32).block((16, 4));
    let any = any.launch_from(&module, &device).unwrap();
    let expected = out.download().unwrap();
    assert_eq!(expected[..6], [0, 16, 32, 48, 1, 17]);
    let known = transpose_tiles(&x, &mut out).grid(32).block((16, 4));
    let known = known.launch(&device).unwrap();
    assert_eq!(out.download().unwrap(), expected);
    let [any, known] = [any, known].map(|report| report.instructions().unwrap());
    assert!(known < any, "{known} and {any}");
}

#[test]
fn kernels_that_know_nothing_of_groups_have_one_image() {
    let device = Device::open().unwrap();
    let x = device.upload(&[3.0f32; 64]).unwrap();
    let mut out = device.alloc::<f32>(64).unwrap();
    for block in [16, 32] {
        let launch = distances(&x, &x, &mut out).grid(64 / block).block(block);
        assert!(launch.launch(&device).unwrap().choice().is_none());
    }
    let launch = distances(&x, &x, &mut out).over(64);
    assert!(launch.launch(&device).unwrap().choice().is_none());
}
