//! xxHash, of 32 bits, of keys of up to 40 bytes: each item has a key.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

const PRIMES: [u32; 5] = [
    0x9e37_79b1,
    0x85eb_ca77,
    0xc2b2_ae3d,
    0x27d4_eb2f,
    0x1656_67b1,
];

#[vortex::device]
fn word(key: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([key[at], key[at + 1], key[at + 2], key[at + 3]])
}

#[vortex::device]
fn round(sum: u32, word: u32) -> u32 {
    let sum = sum.wrapping_add(word.wrapping_mul(PRIMES[1]));
    sum.rotate_left(13).wrapping_mul(PRIMES[0])
}

#[vortex::device]
fn hash(key: &[u8], seed: u32) -> u32 {
    let mut at = 0;
    let mut hash = seed.wrapping_add(PRIMES[4]);
    if key.len() >= 16 {
        let mut a = seed.wrapping_add(PRIMES[0]).wrapping_add(PRIMES[1]);
        let mut b = seed.wrapping_add(PRIMES[1]);
        let mut c = seed;
        let mut d = seed.wrapping_sub(PRIMES[0]);
        while at + 16 <= key.len() {
            a = round(a, word(key, at));
            b = round(b, word(key, at + 4));
            c = round(c, word(key, at + 8));
            d = round(d, word(key, at + 12));
            at += 16;
        }
        hash = a.rotate_left(1);
        hash = hash.wrapping_add(b.rotate_left(7));
        hash = hash.wrapping_add(c.rotate_left(12));
        hash = hash.wrapping_add(d.rotate_left(18));
    }
    hash = hash.wrapping_add(key.len() as u32);
    while at + 4 <= key.len() {
        hash = hash.wrapping_add(word(key, at).wrapping_mul(PRIMES[2]));
        hash = hash.rotate_left(17).wrapping_mul(PRIMES[3]);
        at += 4;
    }
    for &byte in &key[at..] {
        hash = hash.wrapping_add((byte as u32).wrapping_mul(PRIMES[4]));
        hash = hash.rotate_left(11).wrapping_mul(PRIMES[0]);
    }
    hash = (hash ^ (hash >> 15)).wrapping_mul(PRIMES[1]);
    hash = (hash ^ (hash >> 13)).wrapping_mul(PRIMES[2]);
    hash ^ (hash >> 16)
}

variants! {
    fn xxhash(bytes: &[u8], starts: &[u32], seed: u32, hashes: &mut [u32]) {
        let i = global_id();
        let key = &bytes[starts[i] as usize..starts[i + 1] as usize];
        hashes[i] = hash(key, seed);
    }
}

/// The hash of a key.
fn plain(key: &[u8], seed: u32) -> u32 {
    let step = |sum: u32, times: u32, word: u32, by: u32, last: u32| {
        let sum = sum.wrapping_add(word.wrapping_mul(times));
        sum.rotate_left(by).wrapping_mul(last)
    };
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u32::from(*byte))
    };
    let [p1, p2, p3, p4, p5] = PRIMES;
    let stripes = key.chunks_exact(16);
    let rest = stripes.remainder();
    let mut state = [p1.wrapping_add(p2), p2, 0, p1.wrapping_neg()].map(|x| x.wrapping_add(seed));
    for stripe in stripes {
        for (sum, bytes) in state.iter_mut().zip(stripe.chunks(4)) {
            *sum = step(*sum, p2, word(bytes), 13, p1);
        }
    }
    let mixed = state
        .iter()
        .zip([1, 7, 12, 18])
        .map(|(sum, by)| sum.rotate_left(by));
    let mut hash = match key.len() {
        ..16 => seed.wrapping_add(p5),
        _ => mixed.fold(0, u32::wrapping_add),
    };
    hash = hash.wrapping_add(key.len() as u32);
    let words = rest.chunks_exact(4);
    let last = words.remainder();
    hash = words.fold(hash, |hash, bytes| step(hash, p3, word(bytes), 17, p4));
    hash = last
        .iter()
        .fold(hash, |hash, byte| step(hash, p5, u32::from(*byte), 11, p1));
    hash = (hash ^ hash >> 15).wrapping_mul(p2);
    hash = (hash ^ hash >> 13).wrapping_mul(p3);
    hash ^ hash >> 16
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    // As its authors say.
    assert_eq!(plain(b"", 0), 0x02cc_5d05);
    let (n, seed) = (512, 99);
    let (mut all, mut starts) = (Vec::new(), vec![0u32]);
    for (k, length) in numbers(n, 108).into_iter().enumerate() {
        let length = (length.abs() * 41.0) as usize;
        all.extend((0..length).map(|at| (at * 37 + k * 101 + at * at) as u8));
        starts.push(all.len() as u32);
    }
    let key = |i: usize| &all[starts[i] as usize..starts[i + 1] as usize];
    let expected = (0..n).map(|i| plain(key(i), seed)).collect();
    let bytes = suite.device.upload(&all)?;
    let starts = suite.device.upload(&starts)?;
    let mut hashes = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(
        xxhash(&bytes, &starts, seed, &mut hashes).over(n),
        &suite.device
    );
    // Of each word 4 loads of bytes, 6 operations that make a word of them, and 6 that mix it; 8 at the end.
    let each = all.len() as f64 / n as f64 / 4.0;
    let work = Work {
        items: n,
        loads: 2.0 + 4.0 * each,
        stores: 1.0,
        others: 12.0 * each + 8.0,
        words: n + all.len() / 4,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/xxhash",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            bytes.as_ptr().addr(),
            starts.as_ptr().addr(),
            seed,
            hashes.as_ptr().addr(),
        ],
    };
    suite.compare::<xxhash>(
        "xxhash 512",
        &ours,
        &cpp,
        &work,
        &mut [(&mut hashes, expected)],
    )
}
