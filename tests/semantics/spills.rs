//! More values at once than registers: slots of lanes share lines, however many there are, next to arrays in memory,
//! too.

use vortex::prelude::*;

use crate::harness::DEVICES;

/// A hash of `N` words, in both directions: each is alive from the first to the last.
#[vortex::kernel]
fn both_ways<const N: usize>(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < y.len() {
        let mut v = [0u32; N];
        #[unroll]
        for k in 0..N {
            v[k] = x[i * N + k];
        }
        let mut hash = 1;
        #[unroll]
        for k in 0..N {
            hash = hash * 31 + v[k];
        }
        #[unroll]
        for k in 0..N {
            hash = (hash ^ hash >> 7) * 37 + v[N - 1 - k];
        }
        y[i] = hash;
    }
}

/// The same of floats and words, with an array that has addresses.
#[vortex::kernel]
fn beside_an_array<const N: usize>(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < y.len() {
        let mut counts = [0u32; 9];
        let mut v = [0u32; N];
        let mut f = [0f32; N];
        #[unroll]
        for k in 0..N {
            v[k] = x[i * N + k];
            f[k] = v[k] as f32;
            counts[v[k] as usize % 9] += 1;
        }
        let (mut hash, mut sum) = (1, 0.0);
        #[unroll]
        for k in 0..N {
            hash = hash * 31 + v[k];
            sum = sum * 0.5 + f[k];
        }
        #[unroll]
        for k in 0..N {
            hash = (hash ^ hash >> 7) * 37 + v[N - 1 - k];
            sum = sum * 0.75 + f[N - 1 - k];
        }
        y[i] = hash + counts[hash as usize % 9] * 7 + sum.to_bits();
    }
}

fn forth_and_back(words: &[u32]) -> u32 {
    let forth = words
        .iter()
        .fold(1u32, |hash, word| hash.wrapping_mul(31).wrapping_add(*word));
    words.iter().rev().fold(forth, |hash, word| {
        (hash ^ hash >> 7).wrapping_mul(37).wrapping_add(*word)
    })
}

fn with_counts(words: &[u32]) -> u32 {
    let hash = forth_and_back(words);
    let count = words.iter().filter(|word| **word % 9 == hash % 9).count() as u32;
    let forth = words
        .iter()
        .fold(0.0, |sum: f32, word| sum * 0.5 + *word as f32);
    let sum = words
        .iter()
        .rev()
        .fold(forth, |sum, word| sum * 0.75 + *word as f32);
    hash.wrapping_add(count * 7).wrapping_add(sum.to_bits())
}

/// Runs a kernel on words that are all different, on every shape.
macro_rules! spilled {
    ($kernel:ident, $expected:ident, $($n:literal)*) => {$(
        let count = 150;
        let input: Vec<u32> = (0..$n * count).map(|k: u32| k.wrapping_mul(2_654_435_761)).collect();
        let expected: Vec<u32> = input.chunks($n).map($expected).collect();
        for device in DEVICES.iter() {
            let x = device.upload(&input)?;
            let mut y = device.upload(&vec![0; count as usize])?;
            $kernel::<$n>(&x, &mut y).over(count as usize).launch(device)?;
            assert_eq!(y.download()?, expected, "{} values", $n);
        }
    )*};
}

#[test]
fn slots_of_lanes_share_lines() -> vortex::Result<()> {
    spilled!(both_ways, forth_and_back, 20 40 64 90 140);
    Ok(())
}

#[test]
fn the_frame_keeps_what_has_an_address() -> vortex::Result<()> {
    spilled!(beside_an_array, with_counts, 16 40 70);
    Ok(())
}
