//! Devices that fail, and closures that panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use vortex::prelude::*;
use vortex::{DevicesError, Error, Faults};

use super::{devices, message};

#[vortex::kernel]
fn halved(by: &[u32], out: &mut [u32]) {
    let i = global_id();
    out[i] = 100 / by[i];
}

/// Three devices, of which the second and third fail so.
fn faulty(faults: Faults) -> Devices {
    let device = |faults| Device::builder().released().faults(faults).open().unwrap();
    Devices::of(vec![
        device(Faults::default()),
        device(faults),
        device(faults),
    ])
    .unwrap()
}

#[test]
fn a_device_that_cannot_run_is_named() {
    let devices = faulty(Faults {
        run: 1,
        ..Faults::default()
    });
    let split = devices.split(30).build().unwrap();
    let by = SplitBuffer::scatter(&split, &[2; 30]).unwrap();
    let mut out = SplitBuffer::alloc(&split).unwrap();
    let mut run = || {
        devices.run((&by, &mut out), |device, (by, mut out)| {
            halved(&by, &mut out).over_each().launch(device)
        })
    };
    let Err(Error::Devices(DevicesError::Failed {
        device,
        units,
        cause,
        also,
    })) = run()
    else {
        panic!("no failure")
    };
    assert_eq!((device, units, &also[..]), (1, Some(10..20), &[2][..]));
    assert!(matches!(*cause, Error::Device(_)), "{cause}");
    assert_eq!(
        message(run()),
        "on device 1, which has the units 10..20: the device's driver failed: a run failed on purpose\n\
         device 2 failed, too"
    );
    // The first device did its part.
    assert_eq!(out.gather().unwrap()[..10], [50; 10]);
}

#[test]
fn a_device_without_memory_is_named() {
    let devices = faulty(Faults {
        alloc: 1,
        ..Faults::default()
    });
    let split = devices.split(30).build().unwrap();
    assert_eq!(
        message(SplitBuffer::scatter(&split, &[2u32; 30])),
        "on device 1, which has the units 10..20: the device has no free range of 40 bytes"
    );
    assert_eq!(
        message(Replicas::<u32>::alloc_each(&devices, 2)),
        "on device 1: the device has no free range of 8 bytes"
    );
}

#[test]
fn a_device_that_cannot_be_read_or_written_is_named() {
    let devices = faulty(Faults {
        read: 1,
        ..Faults::default()
    });
    let split = devices.split(30).halo(1).build().unwrap();
    let mut buffer = SplitBuffer::scatter(&split, &[2u32; 30]).unwrap();
    let read = "on device 1, which has the units 10..20: the device's driver failed: a copy from the device failed on purpose";
    assert_eq!(message(buffer.gather()), read);
    assert_eq!(message(buffer.exchange_halos()), read);

    let devices = faulty(Faults {
        write: 1,
        ..Faults::default()
    });
    assert_eq!(
        message(Replicas::broadcast(&devices, &[2u32])),
        "on device 1: the device's driver failed: a copy to the device failed on purpose"
    );
}

#[test]
fn a_work_item_that_fails_is_counted_on_its_device() {
    let devices = devices(2);
    let split = devices.split(10).build().unwrap();
    let mut divisors = [2; 10];
    divisors[8] = 0;
    let by = SplitBuffer::scatter(&split, &divisors).unwrap();
    let mut out = SplitBuffer::alloc(&split).unwrap();
    let error = message(devices.run((&by, &mut out), |device, (by, mut out)| {
        halved(&by, &mut out).over_each().launch(device)
    }));
    let start = "on device 1, which has the units 5..10: kernel halved, work item 3: ";
    assert!(error.starts_with(start), "{error}");
    assert!(error.contains("tests/devices/failures.rs:"), "{error}");
    // All can be used on.
    let by = SplitBuffer::scatter(&split, &[4; 10]).unwrap();
    let run = devices.run((&by, &mut out), |device, (by, mut out)| {
        halved(&by, &mut out).over_each().launch(device)
    });
    run.unwrap();
    assert_eq!(out.gather().unwrap(), [25; 10]);
}

#[test]
fn all_that_fail_are_counted() {
    let fail = |failing: &[usize]| {
        let devices = devices(4);
        let split = devices.split(3).build().unwrap();
        message(devices.run(
            &split,
            |device, portion| match failing.contains(&portion.device()) {
                true => device.upload(&[1u32])?.write(&[1, 2]),
                false => Ok(()),
            },
        ))
    };
    let cause = "cannot copy 2 elements into a device slice of 1 element";
    let first = format!("on device 0, which has the units 0..1: {cause}");
    let one = fail(&[0]);
    assert!(
        one.starts_with(&first) && !one.contains("failed, too"),
        "{one}"
    );
    let last = fail(&[3]);
    let begins = format!("on device 3, which has no units: {cause}");
    assert!(last.starts_with(&begins), "{last}");
    let all = fail(&[0, 1, 2, 3]);
    let ends = "\ndevices 1, 2 and 3 failed, too";
    assert!(all.starts_with(&first) && all.ends_with(ends), "{all}");
}

#[test]
fn a_panic_is_passed_on_when_all_have_ended() {
    let devices = devices(4);
    let split = devices.split(4).build().unwrap();
    let ended = AtomicUsize::new(0);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        devices.run(&split, |device, portion| {
            match portion.device() {
                // An error does not hide it.
                0 => return device.upload(&[1u32])?.write(&[]),
                2 => panic!("of the third device"),
                3 => panic!("of the last device"),
                _ => thread::sleep(Duration::from_millis(200)),
            }
            ended.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    }));
    assert_eq!(ended.into_inner(), 1);
    let panic = panic.unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"of the third device"));
    // They can be used on.
    assert_eq!(
        devices.run(&split, |_, portion| Ok(portion.len())).unwrap(),
        [1; 4]
    );
}

#[test]
fn a_panic_is_on_a_thread_that_has_the_name_of_its_device() {
    let names = devices(2).run((), |_, ()| Ok(thread::current().name().map(str::to_owned)));
    let expected = ["vortex device 0", "vortex device 1"].map(|name| Some(name.to_owned()));
    assert_eq!(names.unwrap(), expected);
}
