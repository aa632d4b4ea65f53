//! Prices of American puts by a tree of 22 steps, of which each item keeps a row.

use super::bound::{EXP, Work};
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

const STEPS: usize = 22;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
pub(crate) struct Put {
    spot: f32,
    strike: f32,
    years: f32,
}

variants! {
    fn binomial(puts: &[Put], rate: f32, volatility: f32, prices: &mut [f32]) {
        let i = global_id();
        if i >= puts.len() {
            return;
        }
        let put = puts[i];
        let dt = put.years / STEPS as f32;
        let up = (volatility * dt.sqrt()).exp();
        let down = 1.0 / up;
        let growth = (rate * dt).exp();
        let chance = (growth - down) / (up - down);
        let (rising, falling) = (chance / growth, (1.0 - chance) / growth);
        let mut values = [0.0; STEPS + 1];
        let mut lowest = put.spot;
        for _ in 0..STEPS {
            lowest *= down;
        }
        let square = up * up;
        let mut spot = lowest;
        for value in values.iter_mut() {
            *value = (put.strike - spot).max(0.0);
            spot *= square;
        }
        for step in (0..STEPS).rev() {
            lowest *= up;
            spot = lowest;
            for k in 0..=step {
                let kept = rising * values[k + 1] + falling * values[k];
                values[k] = kept.max(put.strike - spot);
                spot *= square;
            }
        }
        prices[i] = values[0];
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, rate, volatility) = (128, 0.06f32, 0.3f32);
    let random = numbers(3 * n, 148);
    let all: Vec<Put> = random
        .chunks(3)
        .map(|k| Put {
            spot: 1.0 + 0.3 * k[0],
            strike: 1.0 + 0.3 * k[1],
            years: 1.0 + 0.8 * k[2],
        })
        .collect();
    let price = |put: &Put| {
        let [spot, strike, years] = [put.spot, put.strike, put.years].map(f64::from);
        let dt = years / STEPS as f64;
        let up = (f64::from(volatility) * dt.sqrt()).exp();
        let growth = (f64::from(rate) * dt).exp();
        let chance = (growth - 1.0 / up) / (up - 1.0 / up);
        let now = |step: usize, k: usize| strike - spot * up.powi(2 * k as i32 - step as i32);
        let mut row: Vec<f64> = (0..=STEPS).map(|k| now(STEPS, k).max(0.0)).collect();
        for step in (0..STEPS).rev() {
            for k in 0..=step {
                let kept = (chance * row[k + 1] + (1.0 - chance) * row[k]) / growth;
                row[k] = kept.max(now(step, k));
            }
        }
        row[0] as f32
    };
    let expected = all.iter().map(price).collect();
    let puts = suite.device.upload(&all)?;
    let mut prices = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(
        binomial(&puts, rate, volatility, &mut prices).over(n),
        &suite.device
    );
    // In the tree 5 sums and products and a maximum for each node, in its last row 2 and a maximum; 2 more for a step.
    let steps = STEPS as f64;
    let nodes = steps * (steps + 1.0) / 2.0;
    let work = Work {
        items: n,
        loads: 3.0,
        stores: 1.0,
        sums: 5.0 * nodes + 4.0 * steps,
        comparisons: nodes + steps,
        quotients: 5.0,
        roots: 1.0,
        words: 3 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/binomial",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            puts.as_ptr().addr(),
            rate.to_bits(),
            volatility.to_bits(),
            prices.as_ptr().addr(),
        ],
    };
    suite.compare::<binomial>(
        "binomial puts 128",
        &ours,
        &cpp,
        &work.and(2.0, &EXP),
        &mut [(&mut prices, expected)],
    )
}
