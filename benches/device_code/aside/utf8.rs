//! How many characters a piece of UTF-8 has, or that it is none: each item has a piece.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

/// Not UTF-8.
const WRONG: u32 = u32::MAX;

#[vortex::device]
fn characters(text: &[u8]) -> Option<u32> {
    let mut count = 0;
    let mut at = 0;
    while at < text.len() {
        let first = text[at];
        // How many bytes follow, and what the first of them may be.
        let (more, low, high) = match first {
            0..=0x7f => (0, 0x80, 0xbf),
            0xc2..=0xdf => (1, 0x80, 0xbf),
            0xe0 => (2, 0xa0, 0xbf),
            0xed => (2, 0x80, 0x9f),
            0xe1..=0xef => (2, 0x80, 0xbf),
            0xf0 => (3, 0x90, 0xbf),
            0xf1..=0xf3 => (3, 0x80, 0xbf),
            0xf4 => (3, 0x80, 0x8f),
            _ => return None,
        };
        if more > 0 {
            let second = *text.get(at + 1)?;
            if second < low || second > high {
                return None;
            }
        }
        for k in 2..=more {
            if *text.get(at + k)? & 0xc0 != 0x80 {
                return None;
            }
        }
        at += more + 1;
        count += 1;
    }
    Some(count)
}

variants! {
    fn utf8(text: &[u8], starts: &[u32], counts: &mut [u32]) {
        let i = global_id();
        let piece = &text[starts[i] as usize..starts[i + 1] as usize];
        counts[i] = match characters(piece) {
            Some(count) => count,
            None => WRONG,
        };
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, length) = (256, 20);
    let (mut all, mut starts) = (Vec::new(), vec![0u32]);
    for (k, piece) in numbers(n * length, 110).chunks(length).enumerate() {
        let character = |number: &f32| {
            let most = [0x7f, 0x7f, 0x600, 0xffff, 0x10_ffff][(number * number * 5.0) as usize];
            char::from_u32((number.abs() * most as f32) as u32).unwrap_or('?')
        };
        let mut bytes = piece.iter().map(character).collect::<String>().into_bytes();
        match k % 16 {
            3 => bytes[10] = 0xff,
            8 => drop(bytes.pop()),
            9 => bytes.extend([0xc0, 0x80]),
            13 => bytes.extend([0xed, 0xa0, 0x80, b'x']),
            _ => {}
        }
        all.extend(bytes);
        starts.push(all.len() as u32);
    }
    let count = |i: usize| {
        let piece = &all[starts[i] as usize..starts[i + 1] as usize];
        std::str::from_utf8(piece).map_or(WRONG, |text| text.chars().count() as u32)
    };
    let expected = (0..n).map(count).collect();
    let text = suite.device.upload(&all)?;
    let starts = suite.device.upload(&starts)?;
    let mut counts = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(utf8(&text, &starts, &mut counts).over(n), &suite.device);
    // Of each byte a load and which kind it is, where all are looked at.
    let each = all.len() as f64 / n as f64 / 2.0;
    let work = Work {
        items: n,
        loads: 2.0 + each,
        stores: 1.0,
        others: 2.0 * each,
        words: n + all.len() / 8,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/utf8",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            text.as_ptr().addr(),
            starts.as_ptr().addr(),
            counts.as_ptr().addr(),
        ],
    };
    suite.compare::<utf8>(
        "utf-8 256",
        &ours,
        &cpp,
        &work,
        &mut [(&mut counts, expected)],
    )
}
