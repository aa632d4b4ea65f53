//! A loop that lanes leave in several ways selects nothing in each iteration.

use crate::small_device;
use vortex::Generation;
use vortex::prelude::*;

/// What the digits that begin there come to, and where the next ones do.
#[vortex::device]
fn digits(text: &[u8], from: usize) -> Option<(u32, usize)> {
    let (mut value, mut at) = (0, from);
    while at < from + 10 {
        let byte = *text.get(at)?;
        at += 1;
        if byte == b' ' {
            return Some((value, at));
        }
        value = value * 10 + (byte - b'0') as u32;
    }
    None
}

#[vortex::kernel]
fn sum_of_digits(text: &[u8], sums: &mut [u32]) {
    let mut sum = 0u32;
    let mut at = 0;
    while let Some((value, next)) = digits(text, at) {
        sum += value;
        at = next;
    }
    sums[global_id()] = sum;
}

#[test]
fn numbers_of_four_digits() {
    for generation in [Generation::V2, Generation::V3] {
        let device = small_device(generation);
        let text = device.upload(&b"1234 ".repeat(20)).unwrap();
        let mut sums = device.alloc(16).unwrap();
        let launch = sum_of_digits(&text, &mut sums).over(16);
        let report = launch.launch(&device).unwrap();
        assert_eq!(sums.download().unwrap(), [20 * 1234; 16]);
        // Of four warps. There are about fifteen in the inner loop, and as many around it for five bytes.
        let of_byte = report.instructions().unwrap() / (4 * 100);
        assert!(of_byte < 24, "{generation:?}: {of_byte} instructions");
    }
}
