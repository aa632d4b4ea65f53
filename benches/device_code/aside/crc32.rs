//! CRC-32, a byte at a time with a table: each item has a message.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut sum = at as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 0 {
                sum >> 1
            } else {
                sum >> 1 ^ 0xedb8_8320
            };
            bit += 1;
        }
        table[at] = sum;
        at += 1;
    }
    table
}

variants! {
    fn crc32(bytes: &[u8], starts: &[u32], sums: &mut [u32]) {
        let i = global_id();
        let message = &bytes[starts[i] as usize..starts[i + 1] as usize];
        let sum = message
            .iter()
            .fold(!0u32, |sum, &byte| TABLE[((sum ^ byte as u32) & 255) as usize] ^ (sum >> 8));
        sums[i] = !sum;
    }
}

/// The sum of a message, bit by bit.
fn plain(message: &[u8]) -> u32 {
    let mut sum = !0;
    for byte in message {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ ((sum & 1) * 0xedb8_8320);
        }
    }
    !sum
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    assert_eq!(plain(b"123456789"), 0xcbf4_3926);
    let n = 256;
    let (mut all, mut starts) = (Vec::new(), vec![0u32]);
    for (k, length) in numbers(n, 113).into_iter().enumerate() {
        let length = 8 + (length.abs() * 32.0) as usize;
        all.extend((0..length).map(|at| (at * 91 + k * 57 + at * at * 3) as u8));
        starts.push(all.len() as u32);
    }
    let sum = |i: usize| plain(&all[starts[i] as usize..starts[i + 1] as usize]);
    let expected = (0..n).map(sum).collect();
    let bytes = suite.device.upload(&all)?;
    let starts = suite.device.upload(&starts)?;
    let mut sums = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(crc32(&bytes, &starts, &mut sums).over(n), &suite.device);
    // Of each byte itself and what the table says, and four operations.
    let each = all.len() as f64 / n as f64;
    let work = Work {
        items: n,
        loads: 2.0 + 2.0 * each,
        stores: 1.0,
        others: 4.0 * each,
        words: n + all.len() / 4,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/crc32",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            bytes.as_ptr().addr(),
            starts.as_ptr().addr(),
            sums.as_ptr().addr(),
        ],
    };
    suite.compare::<crc32>(
        "crc-32 256",
        &ours,
        &cpp,
        &work,
        &mut [(&mut sums, expected)],
    )
}
