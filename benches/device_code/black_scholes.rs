//! What European options are worth.

use super::bound::{EXP, LN, Work};
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

/// Of Abramowitz and Stegun's 26.2.17.
const SLOPE: f32 = 0.231_641_9;
const DENSITY: f32 = 0.398_942_3;
const A: [f32; 5] = [
    0.319_381_53,
    -0.356_563_78,
    1.781_477_9,
    -1.821_255_9,
    1.330_274_5,
];

/// The normal distribution's probability of less than `d`.
#[vortex::device]
fn normal(d: f32) -> f32 {
    let k = 1.0 / (1.0 + SLOPE * d.abs());
    let series = k * (A[0] + k * (A[1] + k * (A[2] + k * (A[3] + k * A[4]))));
    let rest = DENSITY * (-0.5 * d * d).exp() * series;
    if d > 0.0 { 1.0 - rest } else { rest }
}

variants! {
    fn black_scholes(
        prices: &[f32],
        strikes: &[f32],
        years: &[f32],
        calls: &mut [f32],
        puts: &mut [f32],
        rate: f32,
        volatility: f32,
    ) {
        let i = global_id();
        if i < prices.len() {
            let (price, strike, time) = (prices[i], strikes[i], years[i]);
            let spread = volatility * time.sqrt();
            let drift = (rate + 0.5 * volatility * volatility) * time;
            let d1 = ((price / strike).ln() + drift) / spread;
            let (near, far) = (normal(d1), normal(d1 - spread));
            let discounted = strike * (-rate * time).exp();
            calls[i] = price * near - discounted * far;
            puts[i] = discounted * (1.0 - far) - price * (1.0 - near);
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 1024;
    let (rate, volatility) = (0.02, 0.3);
    let between = |low: f32, high: f32, seed: u32| -> Vec<f32> {
        let part = |x: f32| low + (high - low) * (x + 1.0) / 2.0;
        numbers(n, seed).into_iter().map(part).collect()
    };
    let (prices, strikes) = (between(5.0, 30.0, 48), between(1.0, 100.0, 49));
    let years = between(0.25, 10.0, 50);
    let host_normal = |d: f32| {
        let k = 1.0 / (1.0 + SLOPE * d.abs());
        let series = k * (A[0] + k * (A[1] + k * (A[2] + k * (A[3] + k * A[4]))));
        let rest = DENSITY * (-0.5 * d * d).exp() * series;
        if d > 0.0 { 1.0 - rest } else { rest }
    };
    let value = |i: usize| -> [f32; 2] {
        let spread = volatility * years[i].sqrt();
        let drift = (rate + 0.5 * volatility * volatility) * years[i];
        let d1 = ((prices[i] / strikes[i]).ln() + drift) / spread;
        let (near, far) = (host_normal(d1), host_normal(d1 - spread));
        let discounted = strikes[i] * (-rate * years[i]).exp();
        [
            prices[i] * near - discounted * far,
            discounted * (1.0 - far) - prices[i] * (1.0 - near),
        ]
    };
    let expected = |which: usize| (0..n).map(|i| value(i)[which]).collect::<Vec<f32>>();
    let device = &suite.device;
    let [price, strike, time] = [&prices, &strikes, &years].map(|values| device.upload(values));
    let (price, strike, time) = (price?, strike?, time?);
    let mut calls = device.upload(&vec![0.0f32; n])?;
    let mut puts = device.upload(&vec![0.0f32; n])?;
    let ours = launched!(
        black_scholes(
            &price, &strike, &time, &mut calls, &mut puts, rate, volatility
        )
        .over(n),
        device
    );
    // Spread, drift and `d1` 4 sums and products, 2 quotients and a root; of each of two probabilities 16, a quotient,
    // a sign and a test; the discount 2, the values 8; a logarithm and three exponentials.
    let work = Work {
        items: n,
        loads: 3.0,
        stores: 2.0,
        sums: 46.0,
        comparisons: 4.0,
        quotients: 4.0,
        roots: 1.0,
        words: 3 * n,
        ..Work::default()
    };
    let work = work.and(1.0, &LN).and(3.0, &EXP);
    let cpp = Cpp {
        file: "black_scholes",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            price.as_ptr().addr(),
            strike.as_ptr().addr(),
            time.as_ptr().addr(),
            calls.as_ptr().addr(),
            puts.as_ptr().addr(),
            rate.to_bits(),
            volatility.to_bits(),
        ],
    };
    let mut outputs = [(&mut calls, expected(0)), (&mut puts, expected(1))];
    suite.compare::<black_scholes>("black-scholes 1024", &ours, &cpp, &work, &mut outputs)
}
