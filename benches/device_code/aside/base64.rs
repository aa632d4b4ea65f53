//! Base64: each item makes four characters of three bytes, and the last one what is left.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[vortex::device]
fn character(bits: u32, shift: u32) -> u8 {
    ALPHABET[(bits >> shift) as usize & 63]
}

variants! {
    fn base64(bytes: &[u8], text: &mut [u32]) {
        let i = global_id();
        let from = 3 * i;
        if from >= bytes.len() {
            return;
        }
        let byte = |k: usize| bytes.get(from + k).copied().unwrap_or(0) as u32;
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        let left = bytes.len() - from;
        let characters = [
            character(bits, 18),
            character(bits, 12),
            if left > 1 { character(bits, 6) } else { b'=' },
            if left > 2 { character(bits, 0) } else { b'=' },
        ];
        text[i] = u32::from_le_bytes(characters);
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 2048;
    let random = numbers(3 * n - 2, 150).into_iter();
    let all: Vec<u8> = random.map(|x| (x * 128.0 + 128.0) as u8).collect();
    let word = |part: &[u8]| {
        let bits = part
            .iter()
            .fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (24 - 8 * part.len());
        let character = |k: usize| match k <= part.len() {
            true => ALPHABET[(bits >> (18 - 6 * k)) as usize & 63],
            false => b'=',
        };
        u32::from_le_bytes(std::array::from_fn(character))
    };
    let expected = all.chunks(3).map(word).collect();
    let bytes = suite.device.upload(&all)?;
    let mut text = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(base64(&bytes, &mut text).over(n), &suite.device);
    // Three bytes and four characters; 4 operations for the bits, 7 for which character, 6 for the word.
    let work = Work {
        items: n,
        loads: 7.0,
        stores: 1.0,
        others: 17.0,
        words: all.len() / 4,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/base64",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            bytes.as_ptr().addr(),
            all.len() as u32,
            text.as_ptr().addr(),
        ],
    };
    suite.compare::<base64>(
        "base64 2048",
        &ours,
        &cpp,
        &work,
        &mut [(&mut text, expected)],
    )
}
