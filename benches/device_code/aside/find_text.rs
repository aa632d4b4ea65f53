//! Where a word first occurs in lines of text: each item has a line.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

/// The word is not there.
const NOWHERE: u32 = u32::MAX;

variants! {
    fn find_text(text: &[u8], starts: &[u32], word: &[u8], places: &mut [u32]) {
        let i = global_id();
        let line = &text[starts[i] as usize..starts[i + 1] as usize];
        let place = line.windows(word.len()).position(|part| part == word);
        places[i] = place.map_or(NOWHERE, |at| at as u32);
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 256;
    let wanted = b"abac";
    let (mut all, mut first) = (Vec::new(), vec![0u32]);
    for (k, length) in numbers(n, 149).into_iter().enumerate() {
        let length = (length.abs() * 48.0) as usize;
        let letters = numbers(length, 1000 + k as u32).into_iter();
        all.extend(letters.map(|x| b"aaabbcd"[(x.abs() * 7.0) as usize]));
        first.push(all.len() as u32);
    }
    let find = |i: usize| {
        let line = &all[first[i] as usize..first[i + 1] as usize];
        let mut places = 0..(line.len() + 1).saturating_sub(wanted.len());
        let place = places.find(|at| line[*at..].starts_with(wanted));
        place.map_or(NOWHERE, |at| at as u32)
    };
    let expected: Vec<u32> = (0..n).map(find).collect();
    let starts = suite.device.upload(&first)?;
    let text = suite.device.upload(&all)?;
    let word = suite.device.upload(wanted)?;
    let mut places = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(
        find_text(&text, &starts, &word, &mut places).over(n),
        &suite.device
    );
    // At least the first letter of each place before the one that is found, or before the end.
    let tried = (0..n).map(|i| match expected[i] {
        NOWHERE => (first[i + 1] - first[i] + 1).saturating_sub(wanted.len() as u32),
        place => place + wanted.len() as u32,
    });
    let each = f64::from(tried.sum::<u32>()) / n as f64;
    let work = Work {
        items: n,
        loads: 2.0 + each,
        stores: 1.0,
        others: each,
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/find_text",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            text.as_ptr().addr(),
            starts.as_ptr().addr(),
            word.as_ptr().addr(),
            wanted.len() as u32,
            places.as_ptr().addr(),
        ],
    };
    suite.compare::<find_text>(
        "find text 256",
        &ours,
        &cpp,
        &work,
        &mut [(&mut places, expected)],
    )
}
