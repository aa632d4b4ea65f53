//! Lists of numbers as differences in LEB128, seven bits in a byte: each item decodes a list.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

/// Numbers in a list.
const LIST: usize = 12;

/// The number at a place, and where it ends.
#[vortex::device]
fn number(bytes: &[u8], mut at: usize) -> (u32, usize) {
    let mut value = 0;
    let mut shift = 0;
    loop {
        let byte = bytes[at];
        at += 1;
        value |= ((byte & 0x7f) as u32) << shift;
        if byte & 0x80 == 0 {
            return (value, at);
        }
        shift += 7;
    }
}

variants! {
    fn varint(bytes: &[u8], starts: &[u32], lists: &mut [u32]) {
        let i = global_id();
        let mut at = starts[i] as usize;
        let mut last = 0;
        for k in 0..LIST {
            let (difference, end) = number(bytes, at);
            last += difference;
            lists[i * LIST + k] = last;
            at = end;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 384;
    let (mut encoded, mut starts, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for list in numbers(n * LIST, 107).chunks(LIST) {
        starts.push(encoded.len() as u32);
        let mut last = 0u32;
        for (k, number) in list.iter().enumerate() {
            let mut rest = (number.abs() * [100.0, 9000.0, 100.0, 3e6][k % 4]) as u32;
            last += rest;
            expected.push(last);
            while rest >= 128 {
                encoded.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            encoded.push(rest as u8);
        }
    }
    let bytes = suite.device.upload(&encoded)?;
    let starts = suite.device.upload(&starts)?;
    let mut lists = suite.device.upload(&vec![0u32; n * LIST])?;
    let ours = launched!(varint(&bytes, &starts, &mut lists).over(n), &suite.device);
    // Of each byte a load, its bits, where they belong, and whether it is the last one.
    let each = encoded.len() as f64 / n as f64;
    let work = Work {
        items: n,
        loads: 1.0 + each,
        stores: LIST as f64,
        others: 4.0 * each + LIST as f64,
        words: n + encoded.len() / 4,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/varint",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            bytes.as_ptr().addr(),
            starts.as_ptr().addr(),
            lists.as_ptr().addr(),
        ],
    };
    suite.compare::<varint>(
        "varint 384 of 12",
        &ours,
        &cpp,
        &work,
        &mut [(&mut lists, expected)],
    )
}
