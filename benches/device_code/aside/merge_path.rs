//! Two sorted arrays become one: each item finds where its part begins in both, and merges that.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

const PART: usize = 16;

/// How many of the first `diagonal` elements are from `a`.
#[vortex::device]
fn from_first(a: &[u32], b: &[u32], diagonal: usize) -> usize {
    let mut low = diagonal.saturating_sub(b.len());
    let mut high = diagonal.min(a.len());
    while low < high {
        let middle = (low + high) / 2;
        if a[middle] <= b[diagonal - 1 - middle] {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

variants! {
    fn merge_path(a: &[u32], b: &[u32], to: &mut [u32]) {
        let diagonal = global_id() * PART;
        let mut i = from_first(a, b, diagonal);
        let mut j = diagonal - i;
        for to in &mut to[diagonal..diagonal + PART] {
            if j >= b.len() || (i < a.len() && a[i] <= b[j]) {
                *to = a[i];
                i += 1;
            } else {
                *to = b[j];
                j += 1;
            }
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let [first, second] = [(1400, 105), (2696, 106)].map(|(count, seed)| {
        let numbers = numbers(count, seed).into_iter();
        let mut values: Vec<u32> = numbers.map(|x| (x.abs() * 1e5) as u32).collect();
        values.sort_unstable();
        values
    });
    let mut expected: Vec<u32> = first.iter().chain(&second).copied().collect();
    expected.sort_unstable();
    let n = expected.len() / PART;
    let a = suite.device.upload(&first)?;
    let b = suite.device.upload(&second)?;
    let mut to = suite.device.upload(&vec![0u32; expected.len()])?;
    let ours = launched!(merge_path(&a, &b, &mut to).over(n), &suite.device);
    // Each element is loaded, compared and stored once; the search takes up to 11 steps of two loads.
    let part = PART as f64;
    let work = Work {
        items: n,
        loads: part + 2.0,
        stores: part,
        others: 2.0 * part,
        words: expected.len(),
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/merge_path",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            a.as_ptr().addr(),
            b.as_ptr().addr(),
            to.as_ptr().addr(),
            first.len() as u32,
            second.len() as u32,
        ],
    };
    suite.compare::<merge_path>(
        "merge path 256 of 16",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
