//! A filter of 16 coefficients over a signal, of which every second result is kept.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn fir(signal: &[f32], taps: &[f32], kept: &mut [f32]) {
        let i = global_id();
        if i < kept.len() {
            let window = &signal[2 * i..2 * i + taps.len()];
            kept[i] = window.iter().zip(taps).map(|(x, tap)| x * tap).sum();
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, count) = (1024, 16);
    let (samples, factors) = (numbers(2 * n + count, 120), numbers(count, 121));
    let result = |i: usize| (0..count).map(|k| samples[2 * i + k] * factors[k]).sum();
    let expected = (0..n).map(result).collect();
    let signal = suite.device.upload(&samples)?;
    let taps = suite.device.upload(&factors)?;
    let mut kept = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(fir(&signal, &taps, &mut kept).over(n), &suite.device);
    // The coefficients could stay in registers; a load, a product and a sum for each.
    let each = count as f64;
    let work = Work {
        items: n,
        loads: each,
        stores: 1.0,
        sums: 2.0 * each,
        words: samples.len(),
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/fir",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            signal.as_ptr().addr(),
            taps.as_ptr().addr(),
            count as u32,
            kept.as_ptr().addr(),
        ],
    };
    suite.compare::<fir>(
        "fir 1024 of 16",
        &ours,
        &cpp,
        &work,
        &mut [(&mut kept, expected)],
    )
}
