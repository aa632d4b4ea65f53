//! Fields of type `PhantomData`, which have no words, and the parameters that only these name.

use std::marker::PhantomData;

use vortex::DeviceType;
use vortex::prelude::*;

use crate::harness::DEVICES;

/// No device type, and nothing asks for it to be one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Meters;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Id<T: ?Sized> {
    of: PhantomData<T>,
    index: u32,
    by: PhantomData<fn() -> Box<T>>,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(transparent)]
struct Quantity<T, U>(T, PhantomData<U>);

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Entry {
    tag: PhantomData<Meters>,
    id: Id<Meters>,
    others: [Id<f32>; 2],
    length: Quantity<f32, Meters>,
}

const fn id<T: ?Sized>(index: u32) -> Id<T> {
    Id {
        of: PhantomData,
        index,
        by: PhantomData,
    }
}

#[vortex::device]
impl Id<Meters> {
    fn next(self) -> Self {
        Id {
            index: self.index + 1,
            ..self
        }
    }
}

const SEVEN: Id<Meters> = id(7);

#[vortex::kernel]
fn kernel(first: Id<Meters>, entries: &mut [Entry], lengths: &mut [Quantity<f32, Meters>]) {
    let i = global_id();
    let mut entry = entries[i];
    let Id { index, of, .. } = first.next();
    entry.id = Id {
        of,
        index: entry.id.index + index,
        by: PhantomData,
    };
    entry.others[i % 2].index = SEVEN.index;
    entry.length = lengths[i];
    entries[i] = entry;
    if entries[i] == entry {
        lengths[i].0 += entries[i].length.0;
    }
    lengths[i].1 = entries[i].length.1;
}

#[test]
fn they_are_nothing_on_the_device() {
    let entry = Entry {
        tag: PhantomData,
        id: id(10),
        others: [id(1), id(2)],
        length: Quantity(0.5, PhantomData),
    };
    assert_eq!(size_of::<Entry>(), 16);
    for device in DEVICES.iter() {
        let mut entries = device.upload(&[entry; 2]).unwrap();
        let given = [1.0, 2.0].map(|length| Quantity(length, PhantomData));
        let mut lengths = device.upload(&given).unwrap();
        kernel(id(3), &mut entries, &mut lengths)
            .over(2)
            .launch(device)
            .unwrap();
        let after = |others, length| Entry {
            id: id(14),
            others,
            length,
            ..entry
        };
        let expected = [
            after([id(7), id(2)], given[0]),
            after([id(1), id(7)], given[1]),
        ];
        assert_eq!(entries.download().unwrap(), expected);
        let doubled = [2.0, 4.0].map(|length| Quantity(length, PhantomData));
        assert_eq!(lengths.download().unwrap(), doubled);
    }
}

#[test]
fn what_only_they_name_is_left_open_in_signatures() {
    let meta = kernel::META;
    assert_eq!(meta.args[0].rust_type, "Id<_>");
    assert_eq!(meta.args[0].size, 4);
    assert_eq!(meta.args[2].rust_type, "&mut [Quantity<f32, _>]");
}
