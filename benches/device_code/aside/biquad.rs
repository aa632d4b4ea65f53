//! Two filters with feedback, one behind the other: each item has a channel, whose samples lie beside the others'.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
pub(crate) struct Stage {
    b: [f32; 3],
    a: [f32; 2],
}

/// What a stage keeps of the samples before.
#[derive(Clone, Copy, Default, vortex::DeviceType)]
#[repr(C)]
pub(crate) struct Kept {
    first: f32,
    second: f32,
}

#[vortex::device]
impl Kept {
    fn step(&mut self, stage: &Stage, x: f32) -> f32 {
        let y = stage.b[0] * x + self.first;
        self.first = stage.b[1] * x - stage.a[0] * y + self.second;
        self.second = stage.b[2] * x - stage.a[1] * y;
        y
    }
}

variants! {
    fn biquad(stages: &[Stage], samples: &[f32], channels: usize, filtered: &mut [f32]) {
        let channel = global_id();
        let (low, high) = (stages[0], stages[1]);
        let mut before = Kept::default();
        let mut behind = Kept::default();
        for at in 0..samples.len() / channels {
            let x = samples[at * channels + channel];
            let y = before.step(&low, x);
            filtered[at * channels + channel] = behind.step(&high, y);
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (channels, length) = (128, 32);
    let both = [[0.2, 0.4, 0.2, -0.5, 0.3f32], [0.7, -1.3, 0.6, -1.1, 0.45]];
    let inputs = numbers(channels * length, 122);
    let mut expected = vec![0.0; inputs.len()];
    for channel in 0..channels {
        let mut kept = [[0.0; 2]; 2];
        for at in (channel..inputs.len()).step_by(channels) {
            let mut x = inputs[at];
            for ([b0, b1, b2, a1, a2], [first, second]) in both.iter().zip(&mut kept) {
                let y = b0 * x + *first;
                *first = b1 * x - a1 * y + *second;
                *second = b2 * x - a2 * y;
                x = y;
            }
            expected[at] = x;
        }
    }
    let stage = |[b0, b1, b2, a1, a2]: [f32; 5]| Stage {
        b: [b0, b1, b2],
        a: [a1, a2],
    };
    let stages = suite.device.upload(&both.map(stage))?;
    let samples = suite.device.upload(&inputs)?;
    let mut filtered = suite.device.upload(&vec![0.0f32; inputs.len()])?;
    let ours = launched!(
        biquad(&stages, &samples, channels, &mut filtered).over(channels),
        &suite.device
    );
    // 9 sums and products for each sample and stage. The coefficients are the same for all.
    let each = length as f64;
    let work = Work {
        items: channels,
        loads: each,
        stores: each,
        sums: 2.0 * 9.0 * each,
        words: inputs.len(),
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/biquad",
        grid: [channels as u32, 1, 1],
        block: None,
        words: &[
            stages.as_ptr().addr(),
            samples.as_ptr().addr(),
            length as u32,
            channels as u32,
            filtered.as_ptr().addr(),
        ],
    };
    suite.compare::<biquad>(
        "biquad 128 of 32",
        &ours,
        &cpp,
        &work,
        &mut [(&mut filtered, expected)],
    )
}
