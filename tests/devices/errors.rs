//! What cannot be, and what is said of it.

use vortex::prelude::*;

use super::{devices, message};

#[test]
fn no_devices() {
    let none = "work cannot be divided among 0 devices: give `Devices::of` at least one, as in \
                `Devices::of(vec![Device::open()?])`";
    assert_eq!(message(Devices::of(Vec::new())), none);
    assert_eq!(message(Devices::embedded(0, Device::builder())), none);
}

#[test]
fn a_device_twice() {
    let open = || Device::builder().released().open().unwrap();
    let device = open();
    assert_eq!(
        message(Devices::of(vec![open(), device.clone(), device])),
        "device 2 is device 1 once more: `clone()` gives another handle to the same device. \
         `Device::builder().open()?` opens one more, and `Devices::embedded(3, Device::builder())` as many as this"
    );
}

#[test]
fn devices_that_cannot_be_built() {
    let wide = || Device::builder().threads(33);
    let one = message(wide().open());
    assert!(one.starts_with("cannot build this device: "), "{one}");
    assert_eq!(message(Devices::embedded(1, wide())), one);
    assert_eq!(
        message(Devices::embedded(2, wide())),
        format!("of 2 devices, device 0 (counted from 0) cannot be opened: {one}")
    );
}

#[test]
fn splits_that_cannot_be() {
    let devices = devices(2);
    let split = || devices.split(10);
    let nan = split().weights(&[f64::NAN, 1.0]).build();
    assert_eq!(
        message(nan),
        "the weight of device 0 is NaN: a weight is 0 or more, and finite; with 0 the device has no part of the work"
    );
    for (builder, says) in [
        (
            split().granularity(0),
            "`.granularity(0)`: portions cannot start at multiples of 0 units; write 1 or more, or leave it out, which is 1",
        ),
        (
            split().weights(&[1.0]),
            "1 weight cannot be for 2 devices: `.weights(&[..])` takes one for each device, in their order",
        ),
        (
            split().weights(&[1.0, -0.5]),
            "the weight of device 1 is -0.5: a weight is 0 or more, and finite; with 0 the device has no part of the work",
        ),
        (
            split().weights(&[0.0, 0.0]),
            "the sum of the weights is 0, so they are no shares of it: it must be more than 0, and finite",
        ),
        (
            split().weights(&[f64::MAX, f64::MAX]),
            "the sum of the weights is inf, so they are no shares of it: it must be more than 0, and finite",
        ),
        (
            devices.split(usize::MAX).unit(2),
            "18446744073709551615 units of 2 elements are more than can be counted",
        ),
    ] {
        assert_eq!(message(builder.build()), says);
    }
    let split = split().build().unwrap();
    assert_eq!(
        message(split.with_unit(usize::MAX)),
        "10 units of 18446744073709551615 elements are more than can be counted"
    );
}

#[test]
fn data_that_a_split_does_not_cover() {
    let devices = devices(2);
    let scatter = |units, unit, found| {
        let split = devices.split(units).unit(unit).build().unwrap();
        message(SplitBuffer::scatter(&split, &vec![0u8; found]))
    };
    assert_eq!(
        scatter(10, 1, 9),
        "the split covers 10 units of 1 element, but there are 9: write `devices.split(9)`"
    );
    assert_eq!(
        scatter(10, 1, 640),
        "the split covers 10 units of 1 element, but there are 640: write `.unit(64)`, or `split.with_unit(64)?` where \
         the portions are to be the same"
    );
    assert_eq!(
        scatter(10, 4, 44),
        "the split covers 10 units of 4 elements, which are 40, but there are 44: write `devices.split(11)`"
    );
    assert_eq!(
        scatter(10, 4, 41),
        "the split covers 10 units of 4 elements, which are 40, but there are 41, which is not a whole number of units"
    );
    assert_eq!(
        scatter(1, 4, 0),
        "the split covers 1 unit of 4 elements, which are 4, but there are 0: write `devices.split(0)`"
    );
    // Rows without columns are none the less rows.
    assert_eq!(
        scatter(10, 0, 5),
        "the split covers 10 units of 0 elements, which are 0, but there are 5, which is not a whole number of units"
    );
    assert!(scatter(10, 0, 20).ends_with(
        "but there are 20: write `.unit(2)`, or `split.with_unit(2)?` where \
         the portions are to be the same"
    ));
    let mut buffer = SplitBuffer::<u8>::alloc(&devices.split(4).build().unwrap()).unwrap();
    assert!(
        message(buffer.write(&[1; 5]))
            .starts_with("the split covers 4 units of 1 element, but there are 5")
    );
    let mut table = Replicas::<u8>::alloc_each(&devices, 4).unwrap();
    let says = "on device 0: cannot copy 5 elements into a device slice of 4 elements, at tests/devices/errors.rs:";
    let message = message(table.write(&[1; 5]));
    assert!(message.starts_with(says), "{message}");
}

#[test]
fn what_is_divided_among_others() {
    let (two, three) = (devices(2), devices(3));
    let split = two.split(10).build().unwrap();
    let x = SplitBuffer::<u8>::alloc(&split).unwrap();
    let mut table = Replicas::<u8>::alloc_each(&three, 4).unwrap();
    let other = |argument, found, here| {
        format!(
            "argument {argument} is divided among other devices than those that run: {found} devices there, {here} \
             devices here. Make its split, or its replicas, from the same `Devices`, or from a clone of it"
        )
    };
    assert_eq!(message(three.run(&split, |_, _| Ok(()))), other(0, 2, 3));
    assert_eq!(
        message(three.run((&table, &x), |_, _| Ok(()))),
        other(1, 2, 3)
    );
    assert_eq!(
        message(two.run((&x, &mut table), |_, _| Ok(()))),
        other(1, 3, 2)
    );
    // As many, and not the same; a clone is the same, and so are the same devices in the same order.
    assert_eq!(message(devices(2).run(&x, |_, _| Ok(()))), other(0, 2, 2));
    two.clone().run(&x, |_, _| Ok(())).unwrap();
    let same = Devices::of(two.iter().cloned().collect()).unwrap();
    same.run(&x, |_, _| Ok(())).unwrap();
    let turned = Devices::of(two.iter().rev().cloned().collect()).unwrap();
    assert_eq!(message(turned.run(&x, |_, _| Ok(()))), other(0, 2, 2));
    assert_eq!(
        message(two.run((&x, &[1, 2, 3][..]), |_, _| Ok(()))),
        "argument 1 has 3 values for 2 devices: a slice that `run` is given has one value for each device. \
         A buffer is divided by `SplitBuffer::scatter(&split, &data)`"
    );
}
