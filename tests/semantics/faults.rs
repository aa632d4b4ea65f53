//! Checks that fail, and what the launch says about it.

use vortex::prelude::*;
use vortex::{Error, Fault};

use crate::harness::DEVICES;

fn fault(result: vortex::Result<vortex::Report>) -> Fault {
    match result {
        Err(Error::Fault(fault)) => *fault,
        other => panic!("expected a fault, got {other:?}"),
    }
}

#[vortex::kernel]
fn shifted(by: usize, x: &[i32], y: &mut [i32]) {
    let i = global_id();
    y[i] = x[i + by];
}

#[test]
fn an_index_out_of_bounds_names_item_and_line() {
    for device in DEVICES.iter() {
        let x = device.upload(&[7; 100]).unwrap();
        let mut y = device.alloc(100).unwrap();
        let result = shifted(10, &x, &mut y).over(100).launch(device);
        let message = result.as_ref().unwrap_err().to_string();
        let fault = fault(result);
        assert_eq!((fault.item, fault.operands), (90, [100, 100]));
        assert_eq!(fault.kernel, "shifted");
        assert_eq!(fault.at.file, file!());
        assert!(
            message.starts_with("kernel shifted, work item 90: index 100 is out of bounds of a slice of 100 elements, at tests/semantics/faults.rs:"),
            "{message}"
        );
        assert!(message.contains("y[i] = x[i + by];\n"), "{message}");
        // Reads outside give zero, everything else goes on; and the device is as good as new.
        assert_eq!(
            y.download().unwrap()[89..],
            [7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        );
        assert!(shifted(0, &x, &mut y).over(100).launch(device).is_ok());
        assert_eq!(y.download().unwrap(), [7; 100]);
    }
}

#[test]
fn a_store_out_of_bounds_does_not_land() {
    for device in DEVICES.iter() {
        let x = device.upload(&[7; 200]).unwrap();
        let mut y = device.alloc(100).unwrap();
        let (mut low, high) = y.split_at_mut(50).unwrap();
        let fault = fault(shifted(0, &x, &mut low).over(200).launch(device));
        assert_eq!((fault.item, fault.operands), (50, [50, 50]));
        assert_eq!(high.download().unwrap(), [0; 50]);
        assert_eq!(low.download().unwrap(), [7; 50]);
    }
}

#[test]
fn an_index_never_wraps_into_a_slice() {
    for device in DEVICES.iter() {
        let x = device.upload(&[7; 100]).unwrap();
        let mut y = device.alloc(100).unwrap();
        // 4 bytes per element: this index times 4 is 0 in 32 bits.
        let fault = fault(shifted(1 << 30, &x, &mut y).over(1).launch(device));
        assert_eq!(fault.operands, [1 << 30, 100]);
    }
}

#[vortex::kernel]
fn divide(a: &[i32], b: &[i32], out: &mut [i32]) {
    let i = global_id();
    out[i] = 1;
    let quotient = a[i] / b[i];
    out[i] = quotient;
}

#[vortex::kernel]
fn remainder(a: &[u8], b: &[u8], out: &mut [u8]) {
    let i = global_id();
    out[i] = a[i] % b[i];
}

#[vortex::kernel]
fn negate_by_division(a: &[i8], out: &mut [i8]) {
    let i = global_id();
    out[i] = a[i] / -1;
}

#[test]
fn a_division_by_zero_ends_the_item() {
    for device in DEVICES.iter() {
        let a = device.upload(&[6, 7, 8, 9, 10]).unwrap();
        let b = device.upload(&[3, 0, 4, 0, 5]).unwrap();
        let mut out = device.alloc(5).unwrap();
        let result = divide(&a, &b, &mut out).over(5).launch(device);
        assert!(
            result
                .as_ref()
                .unwrap_err()
                .to_string()
                .contains("work item 1: division by zero, at tests/semantics/faults.rs:")
        );
        assert_eq!(fault(result).item, 1);
        assert_eq!(out.download().unwrap(), [2, 1, 2, 1, 2]);

        let (a, b) = (
            device.upload(&[200u8, 201]).unwrap(),
            device.upload(&[7u8, 0]).unwrap(),
        );
        let mut out = device.upload(&[9u8, 9]).unwrap();
        assert_eq!(
            fault(remainder(&a, &b, &mut out).over(2).launch(device)).item,
            1
        );
        assert_eq!(out.download().unwrap(), [4, 9]);
    }
}

#[test]
fn an_overflowing_division_ends_the_item() {
    for device in DEVICES.iter() {
        let a = device.upload(&[i32::MIN, i32::MIN, 5]).unwrap();
        let b = device.upload(&[1, -1, -1]).unwrap();
        let mut out = device.alloc(3).unwrap();
        let result = divide(&a, &b, &mut out).over(3).launch(device);
        let message = result.unwrap_err().to_string();
        assert!(
            message.contains("work item 1: the division of -2147483648 by -1 overflows, at"),
            "{message}"
        );
        assert_eq!(out.download().unwrap(), [i32::MIN, 1, -5]);

        let a = device.upload(&[127i8, -127, -128]).unwrap();
        let mut out = device.alloc(3).unwrap();
        let result = negate_by_division(&a, &mut out).over(3).launch(device);
        let message = result.unwrap_err().to_string();
        assert!(
            message.contains("work item 2: the division of -128 by -1 overflows, at"),
            "{message}"
        );
        assert_eq!(out.download().unwrap(), [-127, 127, 0]);
    }
}

#[vortex::kernel]
fn in_two_dimensions(width: usize, out: &mut [u8]) {
    let (x, y) = global_id_2d();
    out[y * width + x + 1] = 1;
}

#[test]
fn coordinates_are_told() {
    for device in DEVICES.iter() {
        let mut out = device.alloc(12).unwrap();
        let result = in_two_dimensions(4, &mut out).over((4, 3)).launch(device);
        let message = result.unwrap_err().to_string();
        let start = "kernel in_two_dimensions, work item 11 (x = 3, y = 2): index 12 is out of bounds of a slice of 12 elements";
        assert!(message.starts_with(start), "{message}");
    }
}

#[vortex::kernel]
fn poke(to: *mut u32) {
    // SAFETY: none; this is what the test is about.
    unsafe { *to = 1 };
}

#[test]
fn a_wild_pointer_stops_the_kernel_and_nothing_else() {
    for device in DEVICES.iter() {
        let mut buffer = device.upload(&[1u32, 2, 3]).unwrap();
        let result = poke(DevicePtrMut::null()).over(1).launch(device);
        let message = result.as_ref().unwrap_err().to_string();
        assert!(matches!(result, Err(Error::Trap(_))), "{message}");
        assert!(
            message.starts_with("kernel poke: ") && message.contains("tests/semantics/faults.rs:"),
            "{message}"
        );
        assert!(message.contains("unsafe { *to = 1 };"), "{message}");
        poke(buffer.as_mut_ptr()).over(1).launch(device).unwrap();
        assert_eq!(buffer.download().unwrap(), [1, 2, 3]);
    }
}
