//! The edit distance of pairs of words, of up to 16 letters each: each item has a pair, and a row of the table.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

/// Letters that there is room for.
const MOST: usize = 16;

#[vortex::device]
fn distance(a: &[u8], b: &[u8]) -> u32 {
    let mut row = [0; MOST + 1];
    for k in 0..=b.len() {
        row[k] = k as u32;
    }
    for (i, &letter) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as u32 + 1;
        for (j, &other) in b.iter().enumerate() {
            let replaced = diagonal + if letter == other { 0 } else { 1 };
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

variants! {
    fn edit_distance(letters: &[u8], lengths: &[u32], distances: &mut [u32]) {
        let i = global_id();
        let first = 2 * i * MOST;
        let second = first + MOST;
        let a = &letters[first..first + lengths[2 * i] as usize];
        let b = &letters[second..second + lengths[2 * i + 1] as usize];
        distances[i] = distance(a, b);
    }
}

/// The distance of two words.
fn plain(a: &[u8], b: &[u8]) -> u32 {
    let mut before: Vec<u32> = (0..=b.len() as u32).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i as u32 + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = before[j] + u32::from(x != y);
            row.push(replaced.min(before[j + 1] + 1).min(row[j] + 1));
        }
        before = row;
    }
    before[b.len()]
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    assert_eq!(plain(b"kitten", b"sitting"), 3);
    let n = 128;
    let random = numbers(2 * n * MOST, 111).into_iter();
    let all: Vec<u8> = random.map(|x| b'a' + (x.abs() * 4.0) as u8).collect();
    let random = numbers(2 * n, 112).into_iter();
    let counts: Vec<u32> = random.map(|x| 6 + (x.abs() * 11.0) as u32).collect();
    let word = |k: usize| &all[k * MOST..k * MOST + counts[k] as usize];
    let expected = (0..n)
        .map(|i| plain(word(2 * i), word(2 * i + 1)))
        .collect();
    let fields: u32 = counts.chunks(2).map(|pair| pair[0] * pair[1]).sum();
    let letters = suite.device.upload(&all)?;
    let lengths = suite.device.upload(&counts)?;
    let mut distances = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(
        edit_distance(&letters, &lengths, &mut distances).over(n),
        &suite.device
    );
    // For each field of the table two letters, a comparison, three sums and two minima.
    let each = f64::from(fields) / n as f64;
    let work = Work {
        items: n,
        loads: 2.0 + each,
        stores: 1.0,
        others: 8.0 * each,
        words: 2 * n + all.len() / 4,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/edit_distance",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            letters.as_ptr().addr(),
            lengths.as_ptr().addr(),
            distances.as_ptr().addr(),
        ],
    };
    suite.compare::<edit_distance>(
        "edit distance 128",
        &ours,
        &cpp,
        &work,
        &mut [(&mut distances, expected)],
    )
}
