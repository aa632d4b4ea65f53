//! What limited a kernel.
//!
//! Each empty issue slot counts for the instruction that was waited for, and so for the kind of that instruction and
//! how it was executed: a load whose lanes are far apart, a division, a barrier. Slots that stayed empty because of
//! latencies count partly for the warps that were missing to fill them. The cost of a finding is roughly the share of
//! all slots that would be gained without it; the largest is the limiter.

mod rules;
mod words;

use serde::{Deserialize, Serialize};

use super::Profile;
use super::costs::rounded;

/// What a kernel can be held up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Cause {
    /// Lanes of an access are in many places, each of which is a request.
    Uncoalesced,
    /// Lanes of an access are in one bank of local memory.
    BankConflicts,
    /// Lanes of a warp go different ways, or leave a loop one after the other.
    Divergence,
    /// Values are kept on the stack, or a work item has arrays there.
    PrivateMemory,
    /// Warps wait at barriers for others that have more to do.
    Barriers,
    /// Cores run fewer warps than they have, because groups take too much.
    Occupancy,
    /// There are fewer work items than lanes.
    TooLittleWork,
    /// Some warps or cores have more to do than others.
    Imbalance,
    /// Groups do not fill their warps.
    PartialWarps,
    /// The float units have no room for more.
    FloatThroughput,
    /// Float results are waited for.
    FloatLatency,
    /// Float divisions and square roots are waited for.
    FloatDivision,
    /// Integer divisions are waited for.
    IntegerDivision,
    /// Results of integer instructions are waited for.
    IntegerLatency,
    /// Warps do nothing but execute: there are many instructions.
    Instructions,
    /// Instructions do not fit the instruction cache.
    InstructionCache,
    /// The launch is so short that it matters that its code comes from memory first.
    ColdCode,
    /// Branches are waited for.
    Branches,
    /// What is loaded again is no longer in the cache.
    CacheThrash,
    /// Main memory moves as much as it can.
    MemoryBandwidth,
    /// Loads from main memory are waited for.
    MemoryLatency,
    /// Loads that are in the cache are waited for.
    CacheLatency,
    /// Local memory is waited for.
    LocalLatency,
    /// Atomic operations are waited for.
    Atomics,
    /// Fences are waited for.
    Fences,
    /// CSRs and changes of the active lanes are waited for.
    Control,
}

/// Something that a kernel was held up by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// What it was, for programs.
    pub cause: Cause,
    /// The share of issue slots that would be gained without it, about, from 0 to 1. Shares of several findings need
    /// not add up to 1.
    pub share: f64,
    /// What it was, in a sentence with figures of the launch.
    pub sentence: String,
    /// What can be done about it, in a sentence.
    pub advice: String,
    /// Index into [`Profile::lines`] of the line to look at, if it is about one.
    pub line: Option<usize>,
}

/// The least share of issue slots that is worth a word.
const LEAST: f64 = 0.02;

/// What a launch was held up by, what costs most first.
pub(super) fn of(profile: &Profile) -> Vec<Finding> {
    let mut weighed = rules::weigh(profile);
    weighed.retain(|weight| weight.share >= LEAST);
    weighed.sort_by(|a, b| b.share.total_cmp(&a.share));
    let finding = |weight: rules::Weight| Finding {
        cause: weight.cause,
        share: rounded(weight.share),
        sentence: words::sentence(profile, &weight),
        advice: words::advice(profile, &weight),
        line: weight.line(profile),
    };
    weighed.into_iter().map(finding).collect()
}
