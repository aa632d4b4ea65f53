//! A loop that lanes leave in several ways selects nothing in each iteration.

use vortex::Generation;
use vortex::prelude::*;
use vortex::sim::Model;

#[vortex::device]
fn number(bytes: &[u8], from: usize) -> Option<(u32, usize)> {
    let mut value = 0;
    let mut shift = 0;
    let mut at = from;
    while shift < 35 {
        let byte = *bytes.get(at)?;
        at += 1;
        value |= ((byte & 0x7f) as u32) << shift;
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
        shift += 7;
    }
    None
}

#[vortex::kernel]
fn numbers(bytes: &[u8], sums: &mut [u32]) {
    let mut sum = 0u32;
    let mut at = 0;
    while let Some((value, next)) = number(bytes, at) {
        sum = sum.wrapping_add(value);
        at = next;
    }
    sums[global_id()] = sum;
}

#[test]
fn numbers_of_five_bytes() {
    for generation in [Generation::V2, Generation::V3] {
        let device = Device::builder().generation(generation).cores(1);
        let device = device
            .warps(4)
            .threads(4)
            .model(Model::cycle())
            .open()
            .unwrap();
        let bytes = [0x81u8, 0x82, 0x83, 0x84, 0x05].repeat(20);
        let number = 1 | 2 << 7 | 3 << 14 | 4 << 21 | 5 << 28u32;
        let bytes = device.upload(&bytes).unwrap();
        let mut sums = device.alloc(16).unwrap();
        let report = numbers(&bytes, &mut sums).over(16).launch(&device).unwrap();
        assert_eq!(sums.download().unwrap(), [20u32.wrapping_mul(number); 16]);
        // Of four warps. There are about fifteen in the inner loop, and as many around it for five bytes.
        let of_byte = report.instructions().unwrap() / (4 * 100);
        assert!(of_byte < 24, "{generation:?}: {of_byte} instructions");
    }
}
