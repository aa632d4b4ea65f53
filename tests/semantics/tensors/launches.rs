//! Tensors as arguments of launches.

use vortex::meta::KernelInfo;
use vortex::prelude::*;
use vortex::{ArgCounts, ClientVisitor, DeviceVisitor, VisitedArg};

use super::device;

#[vortex::kernel]
fn scaled(by: i32, #[layout(tile_shape = [4, 4])] a: &Tensor<i32, 6, 7>, b: &mut Tensor<i32>) {
    let (col, row) = global_id_2d();
    b.write(row, col, by * a.read(row, col));
}

/// What a visitor is shown, and its words.
#[derive(Default)]
struct Seen(Vec<(&'static str, String, Vec<u32>)>);

impl Seen {
    fn note(&mut self, what: &'static str, arg: &VisitedArg<'_>) {
        let words = arg.bytes().unwrap_or_default().as_chunks::<4>().0;
        let words = words.iter().map(|word| u32::from_le_bytes(*word));
        self.0.push((what, arg.name().to_owned(), words.collect()));
    }
}

impl ClientVisitor for Seen {
    fn value(&mut self, arg: &VisitedArg<'_>) {
        self.note("value", arg);
    }
    fn tensor(&mut self, arg: &VisitedArg<'_>) {
        self.note("tensor", arg);
    }
}

impl DeviceVisitor for Seen {
    fn value(&mut self, arg: &VisitedArg<'_>) {
        self.note("value", arg);
    }
    fn address(&mut self, arg: &VisitedArg<'_>) {
        self.note("address", arg);
    }
    fn extents(&mut self, arg: &VisitedArg<'_>) {
        self.note("extents", arg);
    }
}

#[test]
fn visitors_see_tensors() {
    let device = device();
    let layout = TensorLayout::INTERLEAVED.tile_shape(4, 4);
    let a = device.alloc_tensor(layout).unwrap();
    let mut b = device
        .alloc_tensor_of(6, 7, TensorLayout::INTERLEAVED)
        .unwrap();
    let [first, second] = [a.binding(), b.binding()].map(|binding| binding.base_address);
    let launch = scaled(3, &a, &mut b);
    let (mut client, mut sent) = (Seen::default(), Seen::default());
    launch.visit_client(&mut client);
    launch.visit_device(&mut sent);
    let seen = |all: &[(&'static str, &str, &[u32])]| -> Vec<_> {
        let all = all.iter();
        all.map(|(what, name, words)| (*what, (*name).to_owned(), words.to_vec()))
            .collect()
    };
    // Two by two tiles of 4 x 4, one of 32 x 32.
    let expected = seen(&[
        ("value", "by", &[3]),
        ("tensor", "a", &[first, 64, 6, 7]),
        ("tensor", "b", &[second, 1024, 6, 7]),
    ]);
    assert_eq!(client.0, expected);
    let expected = seen(&[
        ("value", "by", &[3]),
        ("address", "a", &[first, 64]),
        ("extents", "a", &[6, 7]),
        ("address", "b", &[second, 1024]),
        ("extents", "b", &[6, 7]),
    ]);
    assert_eq!(sent.0, expected);
    let counts = ArgCounts::of(&KernelInfo::from(&scaled::META).args);
    assert_eq!((counts.client, counts.device), (3, 5));
}
