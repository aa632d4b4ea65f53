//! Loops that load by what they have loaded, whose checks are made without branches and end them: results, and what
//! fails first, against the same functions on the host.

use crate::harness::{SHAPES, fault_of, unwatched};
use std::panic::{AssertUnwindSafe, catch_unwind};
use vortex::FaultKind;
use vortex::prelude::*;

const ITEMS: usize = 200;

/// A number that looks like any other.
fn scrambled(seed: u32, k: usize) -> u32 {
    let mut word = (k as u32 ^ seed.wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b);
    word ^= word >> 13;
    word = word.wrapping_mul(0xc2b2_ae35);
    word ^ word >> 16
}

/// The results of all items, or the index and the length of the first that fails, and the item.
fn on_the_host(function: impl Fn(usize) -> u32) -> Result<Vec<u32>, (u32, [u32; 2])> {
    let one = |item: usize| {
        catch_unwind(AssertUnwindSafe(|| function(item))).map_err(|panic| {
            let text = panic.downcast::<String>().unwrap();
            let numbers = text
                .split(|c: char| !c.is_ascii_digit())
                .filter(|part| !part.is_empty());
            let [len, index] = numbers.map(|n| n.parse().unwrap()).collect::<Vec<_>>()[..] else {
                panic!("{text}");
            };
            (item as u32, [index, len])
        })
    };
    (0..ITEMS).map(one).collect()
}

/// Of each function of an item's number, two slices and a number of the launch: a kernel, and a test with slices that
/// have no bad index, one in 100 or more, and with no elements.
macro_rules! walks {
    ($($name:ident: |$i:ident, $a:ident, $b:ident, $n:ident| $body:block)*) => {$(
        mod $name {
            use super::*;

            #[vortex::device(host)]
            fn of_item($i: usize, $a: &[u32], $b: &[u32], $n: u32) -> u32 $body

            #[vortex::kernel]
            fn walk(a: &[u32], b: &[u32], n: u32, results: &mut [u32]) {
                let i = global_id();
                results[i] = of_item(i, a, b, n);
            }

            #[test]
            fn $name() -> vortex::Result<()> {
                let mut failures = 0;
                for device in SHAPES.into_iter().map(unwatched) {
                    for (seed, bad) in [(1, 0), (2, 1), (3, 7), (4, 100), (5, 900)] {
                        for (in_a, in_b) in [(50, 40), (300, 1), (1, 300), (0, 5), (5, 0)] {
                            failures += compare(&device, seed, bad, in_a, in_b)?;
                        }
                    }
                }
                assert!(failures > 30, "{failures}");
                Ok(())
            }

            /// So many of 1,000 elements are no good indices. Whether an item fails.
            fn compare(device: &Device, seed: u32, bad: u32, in_a: usize, in_b: usize) -> vortex::Result<u32> {
                let element = |seed: u32, k: usize, len: usize| {
                    let word = scrambled(seed, k);
                    if word % 1000 < bad { word } else { word / 1000 % len.max(1) as u32 }
                };
                let a: Vec<u32> = (0..in_a).map(|k| element(seed, k, in_b)).collect();
                let b: Vec<u32> = (0..in_b).map(|k| element(!seed, k, in_a)).collect();
                let n = (in_a.min(in_b) / 2) as u32;
                let expected = on_the_host(|item| of_item(item, &a, &b, n));
                let mut results = device.alloc::<u32>(ITEMS)?;
                let (on_a, on_b) = (device.upload(&a)?, device.upload(&b)?);
                let launched = walk(&on_a, &on_b, n, &mut results).over(ITEMS).launch(device);
                let fault = fault_of(launched);
                let case = format!("{seed} {bad} {in_a} {in_b}");
                match expected {
                    Ok(expected) => {
                        assert_eq!(fault, None, "{case}");
                        assert_eq!(results.download()?, expected, "{case}");
                        Ok(0)
                    }
                    Err((item, operands)) => {
                        let fault = fault.unwrap();
                        assert_eq!((fault.kind, fault.item), (FaultKind::Index, item), "{case}");
                        assert_eq!(fault.operands, operands, "{case}");
                        Ok(1)
                    }
                }
            }
        }
    )*};
}

walks! {
    to_the_root: |i, a, _b, n| {
        let mut node = i as u32;
        let mut steps = 0;
        while a[node as usize] != node && steps < n + 9 {
            node = a[node as usize];
            steps += 1;
        }
        node + steps
    }
    checked_after_the_test: |i, a, b, n| {
        let mut at = i as u32 % 50;
        let mut left = 20 + n;
        while left > 0 && at != n {
            at = b[a[at as usize] as usize];
            left -= 1;
        }
        at * 100 + left
    }
    // The first element leads to itself, so what goes on from it never ends; no other does.
    to_the_end: |i, a, _b, n| {
        let start = i % 60;
        let (mut at, mut sum) = (start, 0);
        while at < 300 {
            let step = a[at] % 3;
            sum += step;
            at += if at == 0 && start > 0 { 0 } else { step as usize + 1 };
        }
        sum + n
    }
    loops_in_loops: |i, a, b, n| {
        let mut sum = 0;
        for k in 0..8 {
            let mut at = a[(i + k * 7) % 60];
            while at % 5 != 3 && at != 0 {
                at = b[at as usize].min(at - 1);
                sum += 1;
            }
            sum += at + n;
        }
        sum
    }
    as_long_as_both: |i, a, b, n| {
        let mut at = i as u32 % 45;
        let mut sum = 0;
        while at > 0 && a[at as usize] != n || sum < 3 {
            at = b[(at / 2) as usize] / 2;
            sum += 1;
            if sum > 40 {
                break;
            }
        }
        sum * 1000 + at
    }
    in_arms: |i, a, b, n| {
        let (mut at, mut count) = (i % 50, 0);
        while count < 30 {
            count += 1;
            if a[at] & 1 == 0 {
                at = b[at] as usize;
            } else if at > 2 {
                at = a[at - 3] as usize;
                if b[at] == n {
                    break;
                }
            } else {
                at += 9;
            }
        }
        at as u32 * 100 + count
    }
    // What is loaded by a condition is no element where it does not hold.
    guarded_and_checked: |i, a, b, n| {
        let (mut at, mut count) = (i, 0);
        while count < 20 && (at < b.len() && b[at] != n || a[count % 8] > 9) {
            at = (a[b[(at + count) % 35] as usize] % 100_000_000) as usize * 3;
            count += 1;
        }
        at as u32 % 1000 + count as u32
    }
    with_a_loop_in_the_test: |i, a, b, n| {
        let (mut at, mut count) = (i as u32 % 50, 0);
        while {
            let mut from = at;
            while from % 5 != 3 && from > 0 {
                from = b[from as usize].min(from - 1);
            }
            from % 1000 + count < 30 + n
        } {
            at = a[at as usize];
            count += 3;
        }
        at % 1000 * 100 + count
    }
    of_rows: |i, a, b, n| {
        let start = i % 7;
        let row = if a.len() >= start + 3 { &a[start..start + i % 4] } else { &a[..a.len()] };
        let (mut at, mut count) = (0, 0);
        while at < row.len() && count < 10 {
            at = b[row[at] as usize] as usize % 4;
            count += row[at] + 1;
        }
        count + n
    }
    counted: |i, a, b, n| {
        let mut sum = 0;
        for k in 0..12 {
            let at = a[(i * 3 + k) % 50] as usize;
            if at % 4 != 1 && b[at] != n || k > 10 {
                sum += at as u32;
            }
            for &from in &a[..a.len().min(3)] {
                sum += b[from as usize] ^ k as u32;
            }
        }
        sum
    }
}
