//! What a query attends to, in one pass over keys and values: each item has a query.

use super::bound::{EXP, Work};
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

/// Numbers in a query, a key and a value.
const WIDTH: usize = 8;

variants! {
    fn attention(queries: &[f32], keys: &[f32], values: &[f32], scale: f32, to: &mut [f32]) {
        let first = global_id() * WIDTH;
        let query = &queries[first..first + WIDTH];
        let mut most = f32::NEG_INFINITY;
        let mut total = 0.0;
        let mut mixed = [0.0; WIDTH];
        for (key, value) in keys.chunks_exact(WIDTH).zip(values.chunks_exact(WIDTH)) {
            let score = scale * query.iter().zip(key).map(|(a, b)| a * b).sum::<f32>();
            let new = most.max(score);
            let before = (most - new).exp();
            let weight = (score - new).exp();
            total = total * before + weight;
            for k in 0..WIDTH {
                mixed[k] = mixed[k] * before + weight * value[k];
            }
            most = new;
        }
        for k in 0..WIDTH {
            to[first + k] = mixed[k] / total;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, length, scale) = (128, 24, 2.0f32);
    let asked = numbers(n * WIDTH, 134);
    let [known, told] = [135, 136].map(|seed| numbers(length * WIDTH, seed));
    let result = |query: &[f32]| -> [f32; WIDTH] {
        let dot = |key: &[f32]| scale * query.iter().zip(key).map(|(a, b)| a * b).sum::<f32>();
        let scores: Vec<f32> = known.chunks(WIDTH).map(dot).collect();
        let most = scores.iter().copied().fold(f32::MIN, f32::max);
        let weights: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
        let total: f32 = weights.iter().sum();
        let sum = |k: usize| -> f32 {
            (0..length)
                .map(|at| weights[at] * told[at * WIDTH + k])
                .sum()
        };
        std::array::from_fn(|k| sum(k) / total)
    };
    let expected = asked.chunks(WIDTH).flat_map(result).collect();
    let queries = suite.device.upload(&asked)?;
    let keys = suite.device.upload(&known)?;
    let values = suite.device.upload(&told)?;
    let mut to = suite.device.upload(&vec![0.0f32; n * WIDTH])?;
    let ours = launched!(
        attention(&queries, &keys, &values, scale, &mut to).over(n),
        &suite.device
    );
    // For each key 2 loads, a product and a sum for the score, two products and a sum for the value, for each number;
    // a scale, a maximum, two differences, and a product and a sum for the total.
    let (all, width) = (length as f64, WIDTH as f64);
    let work = Work {
        items: n,
        loads: width + 2.0 * width * all,
        stores: width,
        sums: all * (5.0 * width + 5.0),
        comparisons: all,
        quotients: width,
        words: n * WIDTH + 2 * length * WIDTH,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/attention",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            queries.as_ptr().addr(),
            keys.as_ptr().addr(),
            values.as_ptr().addr(),
            length as u32,
            scale.to_bits(),
            to.as_ptr().addr(),
        ],
    };
    suite.compare::<attention>(
        "attention 128 to 24",
        &ours,
        &cpp,
        &work.and(2.0 * all, &EXP),
        &mut [(&mut to, expected)],
    )
}
