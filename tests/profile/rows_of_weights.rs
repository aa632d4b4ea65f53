//! Rows of which each lane has some of its own, and that are multiplied by what all of them share.

use vortex::codegen::Tuning;
use vortex::explain::CoarseFate;
use vortex::prelude::*;
use vortex::sim::{Checks, Model};

#[vortex::kernel]
fn normalised(x: &[f32], weights: &[f32], y: &mut [f32], n: usize) {
    let row = global_id();
    let x = &x[row * n..(row + 1) * n];
    let mut sum = 0.0;
    for v in x {
        sum += v * v;
    }
    let scale = 1.0 / (sum / n as f32 + 1e-5).sqrt();
    for k in 0..n {
        y[row * n + k] = x[k] * scale * weights[k];
    }
}

fn on_the_host(x: &[f32], weights: &[f32]) -> Vec<f32> {
    let n = weights.len();
    let row = |row: &[f32]| {
        let mean = row.iter().fold(0.0, |sum, v| sum + v * v) / n as f32;
        let scale = 1.0 / (mean + 1e-5).sqrt();
        let scaled = row
            .iter()
            .zip(weights)
            .map(|(v, weight)| v * scale * weight);
        scaled.collect::<Vec<_>>()
    };
    x.chunks(n).flat_map(row).collect()
}

/// One core of 4 warps of 4 lanes, on the cycle model.
fn device(tuning: Tuning) -> Device {
    let checks = Checks {
        races: false,
        ..Checks::default()
    };
    let builder = Device::builder().cores(1).warps(4).threads(4);
    let builder = builder.model(Model::cycle()).checks(checks);
    builder.tuning(tuning).open().unwrap()
}

fn cycles(device: &Device, rows: usize, n: usize) -> u64 {
    let x: Vec<f32> = (0..rows * n).map(|i| (i % 31) as f32 - 15.0).collect();
    let weights: Vec<f32> = (0..n).map(|i| (i % 7) as f32 * 0.25).collect();
    let (on_device, shared) = (device.upload(&x).unwrap(), device.upload(&weights).unwrap());
    let mut y = device.alloc::<f32>(rows * n).unwrap();
    let launch = normalised(&on_device, &shared, &mut y, n).over(rows);
    let report = launch.launch(device).unwrap();
    assert_eq!(
        y.download().unwrap(),
        on_the_host(&x, &weights),
        "{rows} x {n}"
    );
    report.cycles().unwrap()
}

#[test]
fn rows_share_their_weights_unless_their_lines_have_few_places_in_the_cache() {
    let several = device(Tuning::default());
    let one_by_one = device(Tuning::default().one_by_one());
    let both = |rows, n| [&several, &one_by_one].map(|device| cycles(device, rows, n));
    let [fast, slow] = both(64, 64);
    assert!(4 * fast < 3 * slow, "{fast} against {slow}");
    // The last rows are left to the loop over single items.
    let [fast, slow] = both(61, 60);
    assert!(fast < slow, "{fast} against {slow}");
    // Two at once would take half as long again.
    let [kept, slow] = both(64, 256);
    assert!(kept < slow + slow / 20, "{kept} against {slow}");
}

#[test]
fn a_row_that_is_not_there_is_the_same_failure() {
    let message = |tuning| {
        let device = device(tuning);
        let x = device.upload(&vec![1.0_f32; 64 * 64 - 1]).unwrap();
        let weights = device.upload(&vec![1.0_f32; 64]).unwrap();
        let mut y = device.alloc::<f32>(64 * 64).unwrap();
        let launch = normalised(&x, &weights, &mut y, 64).over(64);
        let explanation = launch.explain(&device).unwrap();
        let blocks = explanation.coarsening().clone();
        let launch = normalised(&x, &weights, &mut y, 64).over(64);
        (launch.launch(&device).unwrap_err().to_string(), blocks)
    };
    let (several, blocks) = message(Tuning::default());
    assert!(
        matches!(blocks, CoarseFate::Blocks([2, 1, 1])),
        "{blocks:?}"
    );
    let (one_by_one, _) = message(Tuning::default().one_by_one());
    assert_eq!(several, one_by_one);
    assert!(several.contains("work item 63"), "{several}");
}
