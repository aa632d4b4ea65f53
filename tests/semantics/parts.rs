//! Parts of slices.

use vortex::prelude::*;

use crate::harness::DEVICES;

#[vortex::device]
fn total(values: &[u32]) -> u32 {
    let mut sum = 0;
    for value in values {
        sum += value;
    }
    sum
}

#[vortex::device]
fn fill(values: &mut [u32], value: u32) {
    for i in 0..values.len() {
        values[i] = value + i as u32;
    }
}

#[vortex::kernel]
fn rows(width: usize, input: &[u32], output: &mut [u32], sums: &mut [u32]) {
    let row = global_id();
    let from = &input[row * width..(row + 1) * width];
    let to = &mut output[row * width..];
    let mut middle = &mut to[1..=2];
    fill(&mut middle[..], 100);
    to[0] = from[width - 1];
    fill(&mut to[3..width], from[0]);
    let other = &to[..2];
    sums[row] = total(from)
        + total(&from[2..2])
        + other[1]
        + input[row..].len() as u32
        + other.len() as u32;
    middle = to;
    middle[0] += 1;
}

#[test]
fn parts_are_slices() {
    const WIDTH: usize = 5;
    for device in DEVICES.iter() {
        let data: Vec<u32> = (0..40).map(|i| i * 3).collect();
        let input = device.upload(&data).unwrap();
        let mut output = device.upload(&[0u32; 40]).unwrap();
        let mut sums = device.upload(&[0u32; 8]).unwrap();
        rows(WIDTH, &input, &mut output, &mut sums)
            .over(8)
            .launch(device)
            .unwrap();
        let mut expected = vec![0; 40];
        let mut expected_sums = vec![0; 8];
        for row in 0..8 {
            let from = &data[row * WIDTH..(row + 1) * WIDTH];
            let to = &mut expected[row * WIDTH..][..WIDTH];
            to.copy_from_slice(&[from[4] + 1, 100, 101, from[0], from[0] + 1]);
            expected_sums[row] = from.iter().sum::<u32>() + 100 + (40 - row as u32) + 2;
        }
        assert_eq!(output.download().unwrap(), expected);
        assert_eq!(sums.download().unwrap(), expected_sums);
    }
}

#[vortex::kernel]
fn beyond(start: usize, end: usize, values: &mut [u32]) {
    let part = &mut values[start..end];
    values[0] = part.len() as u32 + 7;
    if part.len() > 0 {
        part[0] = 9;
    }
}

#[test]
fn parts_are_checked() {
    for device in DEVICES.iter() {
        let mut values = device.upload(&[1u32, 2, 3]).unwrap();
        beyond(1, 3, &mut values).over(1).launch(device).unwrap();
        assert_eq!(values.download().unwrap(), [9, 9, 3]);
        let error = beyond(1, 4, &mut values)
            .over(1)
            .launch(device)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("a range of elements ends at 4, of a slice of 3 elements, at ")
                && error.contains("parts.rs:"),
            "{error}"
        );
        assert_eq!(values.download().unwrap(), [7, 9, 3]);
        let error = beyond(3, 2, &mut values)
            .over(1)
            .launch(device)
            .unwrap_err()
            .to_string();
        let says = "a range of elements begins at 3, and ends before that, at 2";
        assert!(error.contains(says), "{error}");
        beyond(3, 3, &mut values).over(1).launch(device).unwrap();
    }
}
