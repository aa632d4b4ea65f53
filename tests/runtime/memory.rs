//! Memory of the device: what is written is read, what cannot be is said, and all of it is given back.

use super::{add, device, libvortex, message};
use std::sync::Arc;
use vortex::prelude::*;
use vortex::sim::Checks;
use vortex::{Error, LaunchError, MemoryError};

#[test]
fn buffers_hold_what_was_written() {
    let device = device();
    let mut buffer = device.upload(&[1i32, 2, 3, 4, 5]).unwrap();
    assert_eq!(buffer.len(), 5);
    assert_eq!(buffer.slice(1..3).unwrap().download().unwrap(), [2, 3]);
    buffer.slice_mut(3..).unwrap().write(&[40, 50]).unwrap();
    let (mut low, high) = buffer.split_at_mut(1).unwrap();
    low.write(&[10]).unwrap();
    assert_eq!(high.len(), 4);
    assert_eq!(buffer.download().unwrap(), [10, 2, 3, 40, 50]);
    assert_eq!(
        device.alloc::<f32>(3).unwrap().download().unwrap(),
        [0.0; 3]
    );
    assert_eq!(
        device.upload(&[true, false]).unwrap().download().unwrap(),
        [true, false]
    );
    assert!(device.alloc::<u8>(0).unwrap().is_empty());
    assert_eq!(device.upload::<u8>(&[]).unwrap().download().unwrap(), []);
}

#[test]
fn elements_are_copied_to_where_the_host_wants_them() {
    let device = device();
    let buffer = device.upload(&[1u32, 2, 3, 4]).unwrap();
    let mut host = vec![0; 4];
    buffer.download_into(&mut host).unwrap();
    assert_eq!(host, [1, 2, 3, 4]);
    let part = buffer.slice(1..3).unwrap();
    part.download_into(&mut host[2..]).unwrap();
    assert_eq!(host, [1, 2, 2, 3]);
    let error = buffer.download_into(&mut host[..3]).unwrap_err();
    let says = "cannot copy a device slice of 4 elements into 3 elements of the host; a part of that length is \
                `.slice(..3)?`, at tests/runtime/memory.rs:";
    assert!(error.to_string().starts_with(says), "{error}");
}

#[test]
fn impossible_ranges_are_errors() {
    let device = device();
    let mut buffer = device.alloc::<u16>(4).unwrap();
    let error = buffer.slice(2..7).unwrap_err();
    let says = "the range 2..7 is out of bounds of a device slice of 4 elements, at tests/runtime/memory.rs:";
    let line = "let error = buffer.slice(2..7).unwrap_err();";
    let message = error.to_string();
    assert!(
        message.starts_with(says) && message.contains(line),
        "{message}"
    );
    assert!(buffer.slice(..=usize::MAX).is_err());
    assert!(buffer.slice_mut(std::hint::black_box(3)..2).is_err());
    assert!(buffer.split_at_mut(5).is_err());
    assert_eq!(buffer.slice(4..).unwrap().len(), 0);
    let error = buffer.write(&[1, 2, 3]).unwrap_err();
    let says = "cannot copy 3 elements into a device slice of 4 elements; a part of that length is \
                `.slice_mut(..3)?`, at tests/runtime/memory.rs:";
    assert!(error.to_string().starts_with(says), "{error}");
}

#[test]
fn impossible_allocations_are_errors() {
    let device = device();
    assert_eq!(
        device.alloc::<f32>(1 << 40).unwrap_err().to_string(),
        "1099511627776 elements of `f32` are more than the device's 4 GiB address space holds"
    );
    assert!(matches!(
        device.alloc::<u32>(usize::MAX),
        Err(Error::Memory(MemoryError::AllocationTooLarge { .. }))
    ));
    assert!(matches!(
        device.alloc::<u8>(u32::MAX as usize),
        Err(Error::Memory(MemoryError::OutOfMemory { .. }))
    ));
    assert!(device.alloc::<u8>(1).is_ok());
}

#[test]
fn memory_is_given_back() {
    // At once, if the device need not know what was freed.
    let checks = Checks {
        freed: false,
        ..Checks::default()
    };
    let device = Device::builder().checks(checks).open().unwrap();
    let addresses: Vec<u32> = (0..3)
        .map(|_| device.alloc::<u8>(5000).unwrap().as_ptr().addr())
        .collect();
    assert!(addresses.iter().all(|&address| address == addresses[0]));
}

#[test]
fn foreign_buffers_are_errors() {
    if libvortex::is_version_3() {
        // It has only one device.
        return;
    }
    let (here, there) = (device(), device());
    let x = there.upload(&[1, 2, 3]).unwrap();
    let mut y = here.alloc(3).unwrap();
    assert_eq!(
        message(add(1, &x, &mut y).over(3).launch(&here)),
        "kernel add, argument `x`: the buffer belongs to another device than the launch"
    );
    assert!(message(add(1, &x, &mut y).over(3).launch(&there)).contains("argument `y`"));

    #[vortex::kernel]
    fn raw(from: *const i32) {
        let _ = from;
    }
    assert!(matches!(
        raw(x.as_ptr()).over(1).launch(&here),
        Err(Error::Refused {
            cause: LaunchError::ForeignBuffer { .. },
            ..
        })
    ));
    assert!(raw(DevicePtr::null()).over(1).launch(&here).is_ok());
    // Clones are handles to one device.
    assert!(
        add(1, &y.device().upload(&[1, 2, 3]).unwrap(), &mut y)
            .over(3)
            .launch(&here.clone())
            .is_ok()
    );
}

#[test]
fn raw_slices_are_checked() {
    if libvortex::is_version_3() {
        // It has only one device.
        return;
    }
    let (here, there) = (device(), device());
    let buffer = here.upload(&[1u16, 2, 3, 4]).unwrap();
    let pointer = buffer.as_ptr();
    // SAFETY: `buffer` outlives the views, and nothing writes it.
    let raw = |device: &Device, pointer, len| unsafe {
        device
            .slice_from_raw(pointer, len)
            .map(|view| view.download())
    };
    assert_eq!(raw(&here, pointer, 3).unwrap().unwrap(), [1, 2, 3]);
    let error = |device, pointer, len| raw(device, pointer, len).unwrap_err().to_string();
    assert_eq!(
        error(&here, DevicePtr::null(), 3),
        "a slice of `u16` cannot start at the null pointer"
    );
    assert!(error(&there, pointer, 3).ends_with("belongs to another device"));
    assert!(error(&here, pointer, 1 << 40).contains("more than the device's 4 GiB"));
    let odd = here.upload(&[1u8, 2, 3, 4]).unwrap();
    let odd = odd.slice(1..).unwrap();
    assert!(error(&here, odd.as_ptr().cast(), 1).ends_with("which is not aligned"));
    // Too long, but nobody can know before it is read.
    assert!(raw(&here, pointer, 5000).unwrap().is_err());
    // Elements of 12 bytes are at multiples of 4.
    let triples = here.upload(&[[1u32, 2, 3], [4, 5, 6], [7, 8, 9]]).unwrap();
    for (first, left) in [(0, 3), (1, 2), (2, 1)] {
        let rest = triples.slice(first..).unwrap();
        // SAFETY: `triples` outlives the views, and nothing writes it.
        let view = unsafe { here.slice_from_raw(rest.as_ptr(), left) };
        assert_eq!(view.unwrap().download().unwrap(), rest.download().unwrap());
    }
}

#[test]
fn swapped_slices_do_not_alias() {
    let device = device();
    let mut x = device.upload(&[1, 2, 3]).unwrap();
    let mut y = device.alloc(2).unwrap();
    // A view into `x` trades places with `y`.
    std::mem::swap(&mut *x.slice_mut(..2).unwrap(), &mut *y);
    let error = message(add(1, &x, &mut y).over(2).launch(&device));
    assert_eq!(
        error,
        "kernel add: the arguments `x` and `y` overlap, and one of them is written"
    );
}

#[test]
fn launches_take_what_derefs_to_memory_of_the_device() {
    struct Grid(Buffer<i32>);

    impl std::ops::Deref for Grid {
        type Target = Buffer<i32>;

        fn deref(&self) -> &Buffer<i32> {
            &self.0
        }
    }

    impl std::ops::DerefMut for Grid {
        fn deref_mut(&mut self) -> &mut Buffer<i32> {
            &mut self.0
        }
    }

    /// Each reference is lent to both launches.
    fn twice(
        device: &Device,
        x: &DeviceSlice<i32>,
        y: &mut DeviceSlice<i32>,
    ) -> vortex::Result<()> {
        add(1, x, y).over(4).launch(device)?;
        add(2, x, y).over(3).launch(device)?;
        Ok(())
    }

    let device = device();
    let launch = || -> vortex::Result<Vec<i32>> {
        let x = Arc::new(device.upload(&[10, 20, 30, 40])?);
        let mut y = Grid(device.alloc(4)?);
        let mut boxed = Box::new(device.alloc(4)?);
        twice(&device, &x, &mut y)?;
        add(5, &y, &mut boxed).over(4).launch(&device)?;
        add(7, &x.slice(2..)?, &mut boxed.slice_mut(..2)?)
            .over(2)
            .launch(&device)?;
        boxed.download()
    };
    assert_eq!(launch().unwrap(), [37, 47, 37, 46]);
}
