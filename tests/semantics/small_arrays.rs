//! Arrays of an item in loops with few iterations, of which the compiler makes values, against the same kernels
//! compiled by rustc.

#![expect(clippy::needless_range_loop, reason = "indices are what this is about")]

use crate::harness::as_on_the_host;
use vortex::prelude::*;

#[vortex::device(host)]
fn factor(a: &[[f32; 4]; 4]) -> [[f32; 4]; 4] {
    let mut l = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..=i {
            let mut sum = a[i][j];
            for k in 0..j {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = if i == j { sum.sqrt() } else { sum / l[j][j] };
        }
    }
    l
}

#[vortex::kernel(host)]
fn factors(a: &[[[f32; 4]; 4]], l: &mut [[[f32; 4]; 4]]) {
    let i = global_id();
    l[i] = factor(&a[i]);
}

/// The four least, in order, and how often one was put before others: a loop in a loop that is left early.
#[vortex::kernel(host)]
fn least(x: &[[u32; 9]], to: &mut [[u32; 5]]) {
    let i = global_id();
    let mut best = [u32::MAX; 4];
    let mut moves = 0;
    for v in x[i] {
        let mut k = 4;
        while k > 0 && best[k - 1] > v {
            k -= 1;
        }
        for n in (0..4).rev() {
            if n <= k {
                break;
            }
            best[n] = best[n - 1];
            moves += 1;
        }
        if k < 4 {
            best[k] = v;
        }
    }
    to[i] = [best[0], best[1], best[2], best[3], moves];
}

/// Where two differ first; whether all of one are less; which is the last that is odd, and how many come before one
/// that is a multiple of three.
#[vortex::kernel(host)]
fn searches(x: &[[u32; 6]], y: &[[u32; 6]], to: &mut [[u32; 4]]) {
    let i = global_id();
    let (a, b) = (x[i], y[i]);
    let mut first = 6;
    for k in 0..6 {
        if a[k] != b[k] {
            first = k as u32;
            break;
        }
    }
    let all = (0..6).all(|k| a[k] < b[k]);
    let mut odd = 9;
    let mut k = 6;
    loop {
        if k == 0 {
            break;
        }
        k -= 1;
        if a[k] % 2 == 1 {
            odd = k as u32;
            break;
        }
    }
    let mut count = 0;
    while count < 6 && b[count] % 3 != 0 {
        count += 1;
    }
    to[i] = [first, all as u32, odd, count as u32];
}

/// What is written at places that only the item knows stays in memory, beside what does not.
#[vortex::kernel(host)]
fn mixed(x: &[[u32; 6]], to: &mut [[u32; 6]]) {
    let i = global_id();
    let mut counts = [0u32; 6];
    let mut sums = [1u32; 3];
    for k in 0..6 {
        counts[x[i][k] as usize % 6] += 1;
        for n in 0..3 {
            sums[n] = sums[n] * 3 + x[i][k] + n as u32;
        }
    }
    for k in 0..6 {
        counts[k] = counts[k] * 1000 + sums[k % 3] % 1000;
    }
    to[i] = counts;
}

/// Numbers with many that are equal.
fn numbers<const N: usize>(count: usize, seed: u32) -> Vec<[u32; N]> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 28
    };
    (0..count)
        .map(|_| std::array::from_fn(|_| next()))
        .collect()
}

#[test]
fn of_rows_and_columns() {
    let matrix = |rows: [u32; 16]| -> [[f32; 4]; 4] {
        let at = |i: usize, j: usize| rows[4 * i + j] as f32 / 4.0;
        let product = |i, j| (0..4).map(|k| at(i, k) * at(j, k)).sum::<f32>();
        std::array::from_fn(|i| std::array::from_fn(|j| product(i, j) + (i == j) as u32 as f32))
    };
    let a: Vec<_> = numbers::<16>(50, 1).into_iter().map(matrix).collect();
    as_on_the_host!(factors(&a), [[0.0f32; 4]; 4]);
}

#[test]
fn in_order() {
    as_on_the_host!(least(&numbers::<9>(100, 2)), [0; 5]);
}

#[test]
fn that_are_searched() {
    let (x, mut y) = (numbers::<6>(200, 3), numbers::<6>(200, 4));
    // Those that differ late, and not at all, and those of which all are more.
    for (i, (a, b)) in x.iter().zip(&mut y).enumerate() {
        match i % 4 {
            0 => b[..i / 4 % 7].copy_from_slice(&a[..i / 4 % 7]),
            1 => *b = a.map(|v| v + 1 - (i % 8 == 1) as u32),
            _ => {}
        }
    }
    as_on_the_host!(searches(&x, &y), [0; 4]);
}

#[test]
fn beside_others() {
    as_on_the_host!(mixed(&numbers::<6>(100, 5)), [0; 6]);
}
