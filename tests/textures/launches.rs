//! Textures as arguments: by type, by name, on streams, in metadata.

use vortex::meta::view::{CHeader, View as _};
use vortex::meta::{Access, ArgKind, KernelInfo, SamplerArg, Space, TextureArg};
use vortex::prelude::*;
use vortex::{
    ArgCounts, ClientVisitor, DeviceVisitor, Error, LaunchError, VisitedArg, visit_client,
    visit_device,
};

use crate::DEVICES;

#[vortex::device]
fn centre(image: &Texture<f32>, x: usize, y: usize) -> f32 {
    let (u, v) = (
        (x as f32 + 0.5) / image.width() as f32,
        (y as f32 + 0.5) / image.height() as f32,
    );
    image.sample(u, v)
}

/// Adds what a sample of each texel's centre gives.
#[vortex::kernel]
fn add(count: u8, image: &Texture<f32>, out: &mut Texture<f32>, volume: &Texture<Vec2<f16>, 3>) {
    let (x, y) = global_id_2d();
    let both = centre(image, x, y) + centre(out, x, y);
    out.write(x, y, both * count as f32 + volume.read(0, 0, 0).x.to_f32());
}

#[vortex::kernel]
fn flipped<T: Copy>(image: &Texture<T>, out: &mut Texture<T>) {
    let (x, y) = global_id_2d();
    let texel = image.read(x, y);
    out.write(image.width() - 1 - x, y, texel);
}

const _: () = assert!(add::META.args[1].offset == 4 && add::META.size == 112);

fn textures(device: &Device) -> (Texture<f32>, Texture<f32>, Texture<Vec2<f16>, 3>) {
    let one = f16::from_f32(1.0);
    (
        device.texture((2, 1), &[1.0, 2.0]).unwrap(),
        device.texture((2, 1), &[10.0, 20.0]).unwrap(),
        device.texture((1, 1, 1), &[vec2(one, one)]).unwrap(),
    )
}

#[test]
fn by_type() {
    for device in &*DEVICES {
        let (image, mut out, volume) = textures(device);
        let launch = add(2, &image, &mut out, &volume).over((2, 1));
        launch.launch(device).unwrap();
        assert_eq!(out.download().unwrap(), [23.0, 45.0]);
        let mut other = device.alloc_texture((2, 1)).unwrap();
        flipped(&out, &mut other)
            .over((2, 1))
            .launch(device)
            .unwrap();
        assert_eq!(other.download().unwrap(), [45.0, 23.0]);
        assert_eq!(
            flipped::<Vec4<u8>>::META.args[1].rust_type,
            "&mut Texture<Vec4<u8>>"
        );
    }
}

#[test]
fn by_name() {
    let device = &DEVICES[0];
    let (image, mut out, volume) = textures(device);
    let launch = device.kernel("launches::add").unwrap();
    let launch = launch.args((2u8, &image, &mut out, &volume)).unwrap();
    launch.over((2, 1)).launch(device).unwrap();
    assert_eq!(out.download().unwrap(), [23.0, 45.0]);

    let wrong = |result: Result<vortex::ModuleLaunch<'_>, Error>| match result {
        Err(Error::Refused {
            cause: LaunchError::ArgumentType {
                expected, found, ..
            },
            ..
        }) => (expected, found),
        other => panic!("{other:?}"),
    };
    let call = || device.kernel("launches::add").unwrap();
    assert_eq!(
        wrong(call().texture("image", &volume)),
        ("&Texture<f32>".into(), "&Texture<Vec2<f16>, 3>".into())
    );
    assert_eq!(
        wrong(call().texture("out", &image)),
        ("&mut Texture<f32>".into(), "&Texture<f32>".into())
    );
    assert_eq!(
        wrong(call().slice("image", image.texels())),
        ("&Texture<f32>".into(), "&[f32]".into())
    );
}

#[test]
fn on_streams() {
    let device = &DEVICES[0];
    let (image, mut out, volume) = textures(device);
    let (one, other) = (device.stream().unwrap(), device.stream().unwrap());
    for turn in 0..50 {
        let stream = if turn % 2 == 0 { &one } else { &other };
        let pending = stream.launch(add(1, &image, &mut out, &volume).over((2, 1)));
        drop(pending);
    }
    assert_eq!(out.download().unwrap(), [110.0, 170.0]);
}

#[test]
fn another_device_s_texture_is_refused() {
    let (image, mut out, volume) = textures(&DEVICES[0]);
    let launch = add(2, &image, &mut out, &volume).over((2, 1));
    assert!(matches!(
        launch.launch(&DEVICES[1]),
        Err(Error::Refused { cause: LaunchError::ForeignBuffer { argument, .. }, .. }) if argument == "image"
    ));
}

#[test]
fn a_sampler_takes_no_compilation() {
    let device = &DEVICES[0];
    let (mut image, mut out, volume) = textures(device);
    for sampler in [Sampler::LINEAR, Sampler::NEAREST.address(Address::Mirror)] {
        image.set_sampler(sampler);
        assert_eq!(image.sampler(), sampler);
        add(1, &image, &mut out, &volume)
            .over((2, 1))
            .launch(device)
            .unwrap();
    }
    assert_eq!(out.download().unwrap(), [14.0, 26.0]);
}

#[test]
fn metadata_tells_of_images() {
    let kernel = KernelInfo::from(&add::META);
    let [_, image, out, volume] = kernel.args() else {
        panic!("four arguments");
    };
    for arg in [image, out, volume] {
        assert_eq!((arg.kind, arg.size, arg.align), (ArgKind::Image, 36, 4));
        assert_eq!(arg.address_space, Space::Global);
        assert!(!arg.is_pointer);
    }
    assert_eq!(
        (image.access, out.access),
        (Access::ReadOnly, Access::ReadWrite)
    );
    assert_eq!(
        (&*image.opencl_type, &*volume.opencl_type),
        ("image2d_t", "image3d_t")
    );
    assert_eq!((image.element_size, volume.element_size), (4, 4));
    assert_eq!(image.device_type, "{image2d, sampler}");

    let header = CHeader::of(&kernel);
    let text = header.to_string();
    assert!(
        text.contains("uint32_t volume[4];\n    uint32_t volume_sampler[5];"),
        "{text}"
    );
    assert_eq!(text.parse::<CHeader>().unwrap(), header);
    assert_eq!(size_of::<TextureArg>() - size_of::<SamplerArg>(), 16);
}

#[test]
fn one_argument_of_the_host_is_two_of_the_device() {
    #[derive(Default)]
    struct Seen(Vec<&'static str>);

    impl ClientVisitor for Seen {
        fn image(&mut self, _: &VisitedArg<'_>) {
            self.0.push("image with sampler");
        }
        fn value(&mut self, _: &VisitedArg<'_>) {
            self.0.push("value");
        }
    }

    impl DeviceVisitor for Seen {
        fn image(&mut self, _: &VisitedArg<'_>) {
            self.0.push("image");
        }
        fn sampler(&mut self, _: &VisitedArg<'_>) {
            self.0.push("sampler");
        }
    }

    let args = KernelInfo::from(&add::META).args;
    let counts = ArgCounts::of(&args);
    assert_eq!(
        (counts.client, counts.device, counts.by_reference),
        (4, 7, false)
    );
    let (mut client, mut device) = (Seen::default(), Seen::default());
    visit_client(&args[..2], &mut client);
    visit_device(&args[..2], &mut device);
    assert_eq!(client.0, ["value", "image with sampler"]);
    assert_eq!(device.0, ["image", "sampler"]);
}

#[test]
fn visitors_see_an_image_and_its_sampler() {
    #[derive(Default)]
    struct Parts(Vec<(usize, usize, Vec<u8>)>);

    impl Parts {
        fn note(&mut self, arg: &VisitedArg<'_>) {
            let bytes = arg.bytes().unwrap().to_vec();
            self.0.push((arg.index(), arg.offset(), bytes));
        }
    }

    impl DeviceVisitor for Parts {
        fn image(&mut self, arg: &VisitedArg<'_>) {
            self.note(arg);
        }
        fn sampler(&mut self, arg: &VisitedArg<'_>) {
            self.note(arg);
        }
    }

    let (image, mut out, volume) = textures(&DEVICES[0]);
    let mut parts = Parts::default();
    add(2, &image, &mut out, &volume).visit_device(&mut parts);
    let places = parts
        .0
        .iter()
        .map(|(index, at, bytes)| (*index, *at, bytes.len()));
    let places: Vec<_> = places.collect();
    assert_eq!(
        places,
        [
            (1, 4, 16),
            (2, 20, 20),
            (3, 40, 16),
            (4, 56, 20),
            (5, 76, 16),
            (6, 92, 20)
        ]
    );
    // Width and height of the first.
    assert_eq!(parts.0[0].2[4..12], [2, 0, 0, 0, 1, 0, 0, 0]);
    assert_ne!(parts.0[0].2[..4], parts.0[2].2[..4]);
}
