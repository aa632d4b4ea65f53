//! Iterators and methods of slices, compared with the loops that one would write by hand.

use crate::language::{Body, work};
use crate::measure::{LANGUAGE, constructs};
use vortex::prelude::*;

constructs! {
    adapters in LANGUAGE, [v n k i x bodies out];
    "An iteration costs as with `step_by`, with `windows` three instructions more and with `chunks` ten; parts of the \
     slice are checked when they are indexed, against `n`" {
        Chunks: { let mut s = v; for c in x[0..12].chunks(k) { s = work(s ^ c[0], v); } s }
            { let y = &x[0..12]; let mut s = v; for a in (0..y.len()).step_by(k) { s = work(s ^ y[a], v); } s } => 26;
        ChunksExact: { let mut s = v; for c in x[0..12].chunks_exact(k) { s = work(s ^ c[0], v); } s }
            { let y = &x[0..12]; let mut s = v; for a in (0..y.len()).step_by(k) { s = work(s ^ y[a], v); } s } => -3;
        Windows: { let mut s = v; for c in x[0..k + 11].windows(3) { s = work(s ^ c[0] ^ c[2], v); } s }
            { let y = &x[0..k + 11]; let mut s = v;
              for a in 0..y.len() - 2 { s = work(s ^ y[a] ^ y[a + 2], v); } s } => 23;
    }
    "of these they change where the loop begins and ends: some instructions in front of it; after `skip(n)`, where \
     `n` is no constant, seven more in each iteration." {
        Skip: { x[0..12].iter().skip(k).sum::<u32>() }
            { let y = &x[0..12]; let mut s = 0; for a in k..y.len() { s += y[a]; } s } => 54;
        Take: { x[0..12].iter().take(k).sum::<u32>() }
            { let y = &x[0..12]; let mut s = 0; for a in 0..k.min(y.len()) { s += y[a]; } s } => 0;
        Reverse: { let mut s = v; for a in x[0..12].iter().rev() { s = work(s ^ a, v); } s }
            { let y = &x[0..12]; let mut s = v; for a in (0..y.len()).rev() { s = work(s ^ y[a], v); } s } => 0;
        Step: { let mut s = v; for a in x[0..12].iter().step_by(k) { s = work(s ^ a, v); } s }
            { let y = &x[0..12]; let mut s = v; for a in (0..y.len()).step_by(k) { s = work(s ^ y[a], v); } s } => 0;
    }
    "One loop; the second has an index check for each iteration, unless it is known to be inside" {
        Enumerate: { x[0..8].iter().enumerate().map(|(a, e)| e * a as u32).sum::<u32>() }
            { let y = &x[0..8]; let mut s = 0; for a in 0..y.len() { s += y[a] * a as u32; } s } => 0;
        Zip: { x[0..8].iter().zip(&x[8..16]).map(|(a, b)| a * b).sum::<u32>() }
            { let (y, z) = (&x[0..8], &x[8..16]); let mut s = 0; for a in 0..y.len() { s += y[a] * z[a]; } s } => 2;
        ZipAny: { x[0..k + 5].iter().zip(&x[8..16]).map(|(a, b)| a * b).sum::<u32>() }
            { let (y, z) = (&x[0..k + 5], &x[8..16]); let mut s = 0;
              for a in 0..y.len().min(z.len()) { s += y[a] * z[a]; } s } => 0;
    }
    "one loop, with a branch in it that says which part is next: nine instructions in each iteration; none where both \
     lengths are constants" {
        Chain: { x[0..k + 3].iter().chain(&x[8..k + 11]).sum::<u32>() }
            { let (y, z) = (&x[0..k + 3], &x[8..k + 11]); let mut s = 0;
              for a in 0..y.len() { s += y[a]; } for a in 0..z.len() { s += z[a]; } s } => 64;
        ChainOfConstant: { x[0..4].iter().chain(&x[8..12]).sum::<u32>() }
            { let (y, z) = (&x[0..4], &x[8..12]); let mut s = 0;
              for a in 0..y.len() { s += y[a]; } for a in 0..z.len() { s += z[a]; } s } => 0;
    }
    "the closure becomes part of the loop's body; all but `map` are a branch in it, and those that end the loop are \
     part of its test." {
        Filter: { x[0..8].iter().filter(|a| **a > n).count() as u32 }
            { let y = &x[0..8]; let mut s = 0; for a in 0..y.len() { if y[a] > n { s += 1; } } s } => 0;
        FilterMap: { x[0..8].iter().filter_map(|a| a.checked_sub(n)).sum::<u32>() }
            { let y = &x[0..8]; let mut s = 0;
              for a in 0..y.len() { if let Some(b) = y[a].checked_sub(n) { s += b; } } s } => 0;
        TakeWhile: { x[0..8].iter().take_while(|a| **a < n).sum::<u32>() }
            { let y = &x[0..8]; let mut s = 0; for a in 0..y.len() { if y[a] >= n { break; } s += y[a]; } s } => 0;
        SkipWhile: { x[0..8].iter().skip_while(|a| **a < n).sum::<u32>() + v }
            { let y = &x[0..8]; let mut s = v; let mut skips = true;
              for a in 0..y.len() { if y[a] >= n { skips = false; } if !skips { s += y[a]; } } s } => 8;
        MapWhile: { x[0..8].iter().map_while(|a| n.checked_sub(*a)).sum::<u32>() }
            { let y = &x[0..8]; let mut s = 0;
              for a in 0..y.len() { let Some(b) = n.checked_sub(y[a]) else { break; }; s += b; } s } => 7;
    }
    "a loop, from the first item to the last: what you would write by hand." {
        Fold: { x[0..8].iter().fold(v, |s, a| s * 3 + a) }
            { let y = &x[0..8]; let mut s = v; for a in 0..y.len() { s = s * 3 + y[a]; } s } => 0;
        Product: { x[0..8].iter().product::<u32>() }
            { let y = &x[0..8]; let mut s = 1; for a in 0..y.len() { s *= y[a]; } s } => 0;
        Count: { x[0..8].iter().count() as u32 + v } { x[0..8].len() as u32 + v } => 0;
    }
    "a loop that is left at the first item that decides" {
        Any: { x[0..8].iter().any(|a| *a > n) as u32 }
            { let y = &x[0..8]; let mut s = 0; for a in 0..y.len() { if y[a] > n { s = 1; break; } } s } => 0;
        Position: { x[0..8].iter().position(|a| *a > n).unwrap_or(9) as u32 }
            { let y = &x[0..8]; let mut s = 9; for a in 0..y.len() { if y[a] > n { s = a as u32; break; } } s } => -8;
        Find: { x[0..8].iter().find(|a| **a > n).copied().unwrap_or(9) }
            { let y = &x[0..8]; let mut s = 9; for a in 0..y.len() { if y[a] > n { s = y[a]; break; } } s } => -7;
        FindMap: { x[0..8].iter().find_map(|a| a.checked_sub(n)).unwrap_or(9) }
            { let y = &x[0..8]; let mut s = 9;
              for a in 0..y.len() { if let Some(b) = y[a].checked_sub(n) { s = b; break; } } s } => -4;
    }
    "an `Option`; up to three instructions in each iteration besides the rest, for whether the item is the first." {
        Max: { x[0..8].iter().copied().max().unwrap_or(0) }
            { let y = &x[0..8]; let mut s = 0; for a in 0..y.len() { s = s.max(y[a]); } s } => -2;
        Reduce: { x[0..8].iter().copied().reduce(|a, b| a ^ b).unwrap_or(0) }
            { let y = &x[0..8]; let mut s = 0; for a in 0..y.len() { s ^= y[a]; } s } => 0;
    }
}

constructs! {
    slices in LANGUAGE, [v n k i x bodies out];
    "a loop, left at the first elements that differ, at the cost of one by hand." {
        Equal: { (x[0..8] == x[7..15]) as u32 }
            { let (y, z) = (&x[0..8], &x[7..15]); let mut s = 1;
              for a in 0..y.len() { if y[a] != z[a] { s = 0; break; } } s } => 0;
        EqualTwice: { (x[0..16] == x[7..23]) as u32 }
            { let (y, z) = (&x[0..16], &x[7..23]); let mut s = 1;
              for a in 0..y.len() { if y[a] != z[a] { s = 0; break; } } s } => 0;
        StartsWith: { x[0..12].starts_with(&x[7..11]) as u32 }
            { let (y, z) = (&x[0..12], &x[7..11]); let mut s = 1;
              for a in 0..z.len() { if y[a] != z[a] { s = 0; break; } } s } => -1;
    }
    "a loop, left at the first element that is equal" {
        Contains: { x[0..8].contains(&n) as u32 }
            { let y = &x[0..8]; let mut s = 0; for a in 0..y.len() { if y[a] == n { s = 1; break; } } s } => 2;
    }
    "a loop; with `y` of another length a fault that ends the work item" {
        Fill: { let mut a = [n; 12]; a.fill(v); a[k] } { let mut a = [n; 12]; for b in 0..12 { a[b] = v; } a[k] } => 0;
        Reversed: { let mut a = [n; 12]; a[k] = v; a.reverse(); a[k] }
            { let mut a = [n; 12]; a[k] = v;
              for b in 0..6 { let c = a[b]; a[b] = a[11 - b]; a[11 - b] = c; } a[k] } => 0;
        Copy: { let mut a = [n; 12]; a.copy_from_slice(&x[0..12]); a[k] }
            { let mut a = [n; 12]; let y = &x[0..12]; for b in 0..12 { a[b] = y[b]; } a[k] } => 0;
    }
    "two slices, at the cost of `&x[..i]` and `&x[i..]`" {
        Split: { let (a, b) = x[0..12].split_at(k); v + a.len() as u32 * b.len() as u32 }
            { let y = &x[0..12]; let (a, b) = (&y[..k], &y[k..]); v + a.len() as u32 * b.len() as u32 } => 0;
    }
    "a loop of as many iterations as the length has bits, of 16 instructions each where all lanes look for the same" {
        Partition: { x[0..8].partition_point(|a| *a < n) as u32 + v } { v } => 52;
        PartitionTwice: { x[0..16].partition_point(|a| *a < n) as u32 + v } { v } => 68;
        Search: { x[0..8].binary_search(&n).is_ok() as u32 + v } { v } => 55;
        SearchTwice: { x[0..16].binary_search(&n).is_ok() as u32 + v } { v } => 71;
    }
    "and in `r.contains(&i)`, at no cost; `r.len()`, which is 0 of an empty range, costs nine instructions. \
     `(a..b).contains(&i)` is two comparisons." {
        Named: { let r = 2..k; v + r.len() as u32 } { v + (k as u32 - 2) } => 9;
        Within: { (3..n).contains(&v) as u32 } { (v >= 3 && v < n) as u32 } => 0;
    }
}
