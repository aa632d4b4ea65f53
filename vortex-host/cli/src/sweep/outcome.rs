//! The result of a run.

use serde::{Deserialize, Serialize};
use vortex::Profile;

/// What is kept of a point: all that its rows say, and nothing that differs from run to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Done {
    /// The point's key.
    pub(super) key: String,
    pub(super) outcome: Outcome,
}

/// How a point ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// Each kernel that ran, in the order in which they first did.
    Measured(Vec<Measured>),
    /// In words.
    Failed(String),
}

/// What was measured of a kernel; of several launches, their sum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Measured {
    pub(super) kernel: String,
    pub(super) launches: u64,
    pub(super) cycles: u64,
    /// Of warps.
    pub(super) instructions: u64,
    /// Of lanes.
    pub(super) lane_instructions: u64,
    pub(super) float_operations: u64,
    /// That main memory moved.
    pub(super) bytes: u64,
    /// What the device can do in a cycle: float operations, instructions of lanes, bytes.
    pub(super) float_peak: f64,
    pub(super) lane_peak: f64,
    pub(super) memory_peak: f64,
    /// What held up the longest launch most, in a word and in a sentence.
    pub(super) limiter: Option<String>,
    pub(super) sentence: Option<String>,
}

impl Measured {
    pub(super) fn of(profile: &Profile) -> Self {
        let roofline = &profile.roofline;
        let limiter = profile.limiter();
        Self {
            kernel: profile.kernel.clone(),
            launches: 1,
            cycles: profile.cycles,
            instructions: profile.total.work.executed,
            lane_instructions: roofline.lane_instructions,
            float_operations: roofline.float_operations,
            bytes: roofline.bytes,
            float_peak: roofline.float_peak,
            lane_peak: roofline.lane_peak,
            memory_peak: roofline.memory_peak,
            limiter: limiter.map(|finding| format!("{:?}", finding.cause)),
            sentence: limiter.map(|finding| finding.sentence.clone()),
        }
    }

    /// Launches of a program, those of a kernel together.
    pub(super) fn by_kernel(profiles: &[Profile]) -> Vec<Self> {
        let mut all: Vec<(Self, u64)> = Vec::new();
        for profile in profiles {
            let one = Self::of(profile);
            match all.iter_mut().find(|(sum, _)| sum.kernel == one.kernel) {
                Some((sum, longest)) => {
                    if one.cycles > *longest {
                        *longest = one.cycles;
                        (sum.limiter, sum.sentence) = (one.limiter, one.sentence);
                    }
                    sum.launches += 1;
                    sum.cycles += one.cycles;
                    sum.instructions += one.instructions;
                    sum.lane_instructions += one.lane_instructions;
                    sum.float_operations += one.float_operations;
                    sum.bytes += one.bytes;
                }
                None => {
                    let longest = one.cycles;
                    all.push((one, longest));
                }
            }
        }
        all.into_iter().map(|(sum, _)| sum).collect()
    }

    /// Instructions of lanes for each byte that main memory moved.
    pub(super) fn intensity(&self) -> f64 {
        self.lane_instructions as f64 / self.bytes.max(1) as f64
    }
}
