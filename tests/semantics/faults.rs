//! Checks that fail, and what the launch says about it.

use vortex::prelude::*;
use vortex::{Error, Fault, FaultKind};

use crate::harness::{DEVICES, fault_of};

fn fault(result: vortex::Result<vortex::Report>) -> Fault {
    fault_of(result).unwrap()
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
fn a_division_by_zero_gives_zero() {
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
        // As after an index out of bounds, everything else goes on.
        assert_eq!(out.download().unwrap(), [2, 0, 2, 0, 2]);

        let (a, b) = (
            device.upload(&[200u8, 201]).unwrap(),
            device.upload(&[7u8, 0]).unwrap(),
        );
        let mut out = device.upload(&[9u8, 9]).unwrap();
        assert_eq!(
            fault(remainder(&a, &b, &mut out).over(2).launch(device)).item,
            1
        );
        assert_eq!(out.download().unwrap(), [4, 0]);
    }
}

#[test]
fn an_overflowing_division_gives_zero() {
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
        assert_eq!(out.download().unwrap(), [i32::MIN, 0, -5]);

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
fn takes_parts(how: u32, from: usize, to: usize, x: &[u32], y: &mut [u32]) {
    let len = match how {
        0 => x[from..to].len(),
        1 => x[from..=to].len(),
        2 => x[from..].len(),
        3 => x[..to].len(),
        4 => x.split_at(to).1.len(),
        5 => {
            y[from..to].copy_from_slice(x);
            7
        }
        6 => x.chunks(from).count(),
        7 => x.chunks_exact(from).count(),
        8 => x.windows(from).count(),
        9 => {
            y.chunks_mut(from).for_each(|part| part[0] = 7);
            7
        }
        10 => {
            y.split_at_mut(to).0.fill(7);
            7
        }
        _ => [1, 2, 3, 4][from..to].len(),
    };
    y[0] = len as u32;
}

/// Of each way to take a part: what is said where it is not inside, and what the item leaves in `y[0]`, which is 9 if
/// it has ended.
#[test]
fn parts_that_are_not_inside_say_which_end_is_wrong() {
    use FaultKind::{Lengths, Range, RangeStart, Split, ZeroChunks, ZeroWindows};
    let cases = [
        (
            0,
            2,
            9,
            Range,
            "a range of elements ends at 9, of a slice of 8 elements",
            0,
        ),
        (
            0,
            5,
            3,
            Range,
            "a range of elements begins at 5, and ends before that, at 3",
            0,
        ),
        (
            0,
            9,
            10,
            Range,
            "a range of elements ends at 10, of a slice of 8 elements",
            0,
        ),
        (
            0,
            9,
            3,
            Range,
            "a range of elements begins at 9, and ends before that, at 3",
            0,
        ),
        (
            1,
            2,
            8,
            Range,
            "a range of elements ends at 9, of a slice of 8 elements",
            0,
        ),
        (
            1,
            5,
            2,
            Range,
            "a range of elements begins at 5, and ends before that, at 3",
            0,
        ),
        (
            2,
            9,
            0,
            RangeStart,
            "a range of elements begins at 9, of a slice of 8 elements",
            0,
        ),
        (
            3,
            0,
            9,
            Range,
            "a range of elements ends at 9, of a slice of 8 elements",
            0,
        ),
        (4, 0, 9, Split, "a slice of 8 elements is split at 9", 0),
        (
            5,
            1,
            2,
            Lengths,
            "`copy_from_slice` of 8 elements into a slice of 1",
            9,
        ),
        (
            5,
            0,
            9,
            Lengths,
            "`copy_from_slice` of 8 elements into a slice of 9",
            9,
        ),
        (6, 0, 0, ZeroChunks, "chunks of zero elements", 9),
        (7, 0, 0, ZeroChunks, "chunks of zero elements", 9),
        (8, 0, 0, ZeroWindows, "windows of zero elements", 9),
        (9, 0, 0, ZeroChunks, "chunks of zero elements", 9),
        (10, 0, 11, Split, "a slice of 10 elements is split at 11", 7),
        (
            11,
            1,
            5,
            Range,
            "a range of elements ends at 5, of a slice of 4 elements",
            0,
        ),
        (
            11,
            2,
            1,
            Range,
            "a range of elements begins at 2, and ends before that, at 1",
            0,
        ),
    ];
    for device in DEVICES.iter() {
        let x = device.upload(&[3u32; 8]).unwrap();
        for (how, from, to, kind, says, left) in cases {
            let mut y = device.upload(&[9u32; 10]).unwrap();
            let launched = takes_parts(how, from, to, &x, &mut y).over(1);
            let fault = fault(launched.launch(device));
            let message = fault.to_string();
            assert_eq!(fault.kind, kind, "{how}: {message}");
            let start = format!("kernel takes_parts, work item 0: {says}, at ");
            assert!(message.starts_with(&start), "{how}: {message}");
            assert_eq!(y.download().unwrap()[..2], [left, 9], "{how}: {message}");
        }
        // Those that are just inside.
        for (how, from, to) in [
            (0, 8, 8),
            (1, 0, 7),
            (2, 8, 0),
            (3, 0, 8),
            (4, 0, 8),
            (5, 0, 8),
            (6, 1, 0),
            (8, 9, 0),
            (10, 0, 10),
            (11, 4, 4),
        ] {
            let mut y = device.upload(&[9u32; 10]).unwrap();
            takes_parts(how, from, to, &x, &mut y)
                .over(1)
                .launch(device)
                .unwrap();
        }
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

/// Sums of elements whose indices are loaded: a row for each item.
#[vortex::kernel]
fn gathered(starts: &[u32], at: &[u32], x: &[f32], y: &mut [f32], n: &mut [u32]) {
    let row = global_id();
    let (mut sum, mut count) = (0.5, 0);
    for k in starts[row] as usize..starts[row + 1] as usize {
        sum += x[at[k] as usize] * 2.0;
        if at[k] % 3 == 0 {
            count += 1;
        }
    }
    y[row] = sum;
    n[row] = count;
}

/// What it computes where reads out of bounds give zero, and the first of them in each row.
fn gathered_by_hand(
    starts: &[u32],
    at: &[u32],
    x: &[f32],
) -> (Vec<f32>, Vec<u32>, Vec<Option<[u32; 2]>>) {
    let (mut sums, mut counts, mut failed) = (vec![], vec![], vec![]);
    for row in starts.windows(2) {
        let (mut sum, mut count) = (0.5, 0);
        let mut first = None;
        for k in row[0]..row[1] {
            let place = at.get(k as usize).copied();
            if place.is_none() {
                first = first.or(Some([k, at.len() as u32]));
            }
            let place = place.unwrap_or(0);
            let element = x.get(place as usize).copied();
            if element.is_none() {
                first = first.or(Some([place, x.len() as u32]));
            }
            sum += element.unwrap_or(0.0) * 2.0;
            count += u32::from(place % 3 == 0);
        }
        sums.push(sum);
        counts.push(count);
        failed.push(first);
    }
    (sums, counts, failed)
}

#[test]
fn what_is_gathered_fails_where_it_fails() -> vortex::Result<()> {
    let rows = 70u32;
    let starts: Vec<u32> = (0..=rows).map(|row| row * (row + 1) / 2).collect();
    let entries = starts[rows as usize];
    let places: Vec<u32> = (0..entries).map(|k| k * 7919 % 40).collect();
    let with = |at: usize, value: u32| {
        let mut places = places.clone();
        places[at] = value;
        places
    };
    let x: Vec<f32> = (0..40).map(|k| k as f32 + 0.25).collect();
    // All well; one index too large, in the first and in the last iteration of a row; too few indices; no elements.
    for (places, x) in [
        (places.clone(), &x[..]),
        (with(starts[33] as usize, 40), &x[..]),
        (with(starts[34] as usize - 1, u32::MAX), &x[..]),
        (places[..entries as usize - 3].to_vec(), &x[..]),
        (places.clone(), &x[..39]),
        (places.clone(), &[]),
    ] {
        let (sums, counts, failed) = gathered_by_hand(&starts, &places, x);
        for device in DEVICES.iter() {
            let (starts, at, x) = (
                device.upload(&starts)?,
                device.upload(&places)?,
                device.upload(x)?,
            );
            let (mut y, mut n) = (device.alloc(rows as usize)?, device.alloc(rows as usize)?);
            let launch = gathered(&starts, &at, &x, &mut y, &mut n).over(rows as usize);
            let result = launch.launch(device);
            assert_eq!(y.download()?, sums);
            assert_eq!(n.download()?, counts);
            if failed.iter().all(Option::is_none) {
                result?;
            } else {
                let fault = fault(result);
                let first = failed[fault.item as usize];
                assert_eq!(Some(fault.operands), first, "item {}", fault.item);
            }
        }
    }
    Ok(())
}

#[vortex::kernel]
fn exchanged(apart: usize, x: &[u32], y: &mut [u32]) {
    let i = global_id();
    y[i] = x[i ^ apart] + x[i | 1];
}

/// No bit above the highest of both sides is set in `a ^ b` and `a | b`: just enough is asked before all items.
#[test]
fn bits_have_bounds() -> vortex::Result<()> {
    for device in DEVICES.iter() {
        for (count, len, apart) in [
            (64, 64, 32),
            (64, 63, 32),
            (64, 64, 64),
            (63, 64, 5),
            (1, 2, 0),
            (100, 127, 3),
        ] {
            let input: Vec<u32> = (0..len).map(|k| k * k).collect();
            let x = device.upload(&input)?;
            let mut y = device.alloc(count as usize)?;
            let result = exchanged(apart, &x, &mut y)
                .over(count as usize)
                .launch(device);
            let at = |k: u32| input.get(k as usize).copied();
            let fails = |i: &u32| at(i ^ apart as u32).is_none() || at(i | 1).is_none();
            assert_eq!(
                result.is_err(),
                (0..count).any(|i| fails(&i)),
                "{count} {len} {apart}"
            );
            let expected: Vec<u32> = (0..count)
                .map(|i| at(i ^ apart as u32).unwrap_or(0) + at(i | 1).unwrap_or(0))
                .collect();
            assert_eq!(y.download()?, expected);
        }
    }
    Ok(())
}
