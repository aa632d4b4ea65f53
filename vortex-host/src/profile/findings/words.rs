//! What findings say.

use super::Cause;
use super::rules::{Weight, times_loaded};
use crate::profile::costs::ratio;
use crate::profile::{Profile, ProfiledInstruction};

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Requests of an access, and how far apart its lanes are.
fn requests(at: &ProfiledInstruction) -> String {
    let requests = at.costs.requests_per_access().unwrap_or_default();
    let apart = match at.stride {
        Some(bytes) => format!(
            "neighbouring items are {} bytes apart",
            bytes.unsigned_abs()
        ),
        None => "neighbouring items are in no order".to_owned(),
    };
    format!("{requests:.1} requests per access: {apart}")
}

fn what(at: &ProfiledInstruction) -> &'static str {
    match at.class {
        crate::profile::InstructionClass::Store => "stores",
        _ => "loads",
    }
}

/// A sentence on a finding.
pub(super) fn sentence(profile: &Profile, weight: &Weight) -> String {
    let share = percent(weight.share);
    let device = &profile.device;
    let launch = &profile.launch;
    let total = &profile.total;
    let Some(at) = weight.first(profile) else {
        return without_place(profile, weight, &share);
    };
    let work = &at.costs.work;
    match weight.cause {
        Cause::Uncoalesced => format!("{} cost {share} of issue slots; {}", what(at), requests(at)),
        Cause::BankConflicts => format!(
            "local memory costs {share} of issue slots; lanes wait for each other at its banks: {:.1} turns per \
             access instead of one",
            ratio(work.local_turns, work.local_accesses)
        ),
        Cause::Divergence => format!(
            "lanes that are off cost {share} of issue slots: {:.1} of {} lanes are active per instruction",
            total.active_lanes(),
            device.threads
        ),
        Cause::PrivateMemory => format!(
            "the stack costs {share} of issue slots: {} of instructions load or store values there that have no \
             register, or arrays of a work item",
            percent(ratio(total.work.private_accesses, total.work.executed))
        ),
        Cause::Barriers => format!(
            "barriers cost {share} of issue slots: warps spend {} of their time waiting there for others",
            percent(ratio(total.warps.barrier, total.warps.total()))
        ),
        Cause::Occupancy | Cause::TooLittleWork | Cause::Imbalance | Cause::PartialWarps => {
            without_place(profile, weight, &share)
        }
        Cause::FloatThroughput => {
            format!("the float units are full: {share} of issue slots wait for room in them")
        }
        Cause::FloatLatency => format!(
            "waits for float results {share} of issue slots: each instruction needs the one before it, and {} \
             warps of a core are too few to fill the time",
            launch.warps
        ),
        Cause::FloatDivision => format!(
            "float divisions and square roots cost {share} of issue slots: {:.0} cycles each",
            ratio(work.latency, work.executed)
        ),
        Cause::IntegerDivision => format!(
            "integer divisions cost {share} of issue slots: {:.0} cycles each",
            ratio(work.latency, work.executed)
        ),
        Cause::IntegerLatency => format!(
            "waits for integer results {share} of issue slots: each instruction needs the one before it"
        ),
        Cause::Instructions => format!(
            "executes instructions {share} of the time: {:.1} for each work item, and nothing else holds them up as \
             much",
            total.work.executed as f64 * f64::from(device.threads) / f64::from(launch.items.max(1))
        ),
        Cause::InstructionCache => format!(
            "waits for instructions {share} of issue slots: {} of code are executed, and the instruction cache has \
             {}",
            bytes(64 * profile.memory.most_code_lines),
            bytes(device.icache.into())
        ),
        Cause::ColdCode => format!(
            "a short launch: {share} of issue slots wait until the {} of its code have come from memory for the first \
             time",
            bytes(64 * profile.memory.most_code_lines)
        ),
        Cause::Branches => format!(
            "waits for branches {share} of issue slots: a warp goes on only when its branch is decided"
        ),
        Cause::CacheThrash => format!(
            "loads cost {share} of issue slots; each line is loaded {:.1} times: {} are in use, and the data cache \
             has {}",
            times_loaded(profile),
            bytes(64 * profile.memory.most_loaded_lines),
            bytes(device.dcache.into())
        ),
        Cause::MemoryBandwidth => format!(
            "main memory costs {share} of issue slots: it moves {:.1} bytes per cycle, of at most {:.0}",
            ratio(profile.memory.bytes(), profile.cycles),
            device.memory_bytes
        ),
        Cause::MemoryLatency => format!(
            "waits for {} from main memory {share} of issue slots: {:.0} cycles each",
            what(at),
            ratio(work.latency, work.executed)
        ),
        Cause::CacheLatency => format!(
            "waits for loads {share} of issue slots, {:.0} cycles each, although their lines are in the cache",
            ratio(work.latency, work.executed)
        ),
        Cause::LocalLatency => format!(
            "waits for local memory {share} of issue slots, {:.0} cycles each",
            ratio(work.latency, work.executed)
        ),
        Cause::Atomics if 20 * work.same_word < work.executed => format!(
            "atomic operations cost {share} of issue slots: {:.0} cycles each",
            ratio(work.latency, work.executed)
        ),
        Cause::Atomics => format!(
            "atomic operations cost {share} of issue slots: of {:.1} lanes, {:.1} access the word of another",
            ratio(work.lanes, work.executed),
            ratio(work.same_word, work.executed)
        ),
        Cause::Fences => format!(
            "fences cost {share} of issue slots: {:.0} cycles each",
            ratio(work.latency, work.executed)
        ),
        Cause::Control => format!(
            "waits {share} of issue slots until changes of the active lanes, and reads of CSRs, take effect"
        ),
    }
}

/// A sentence on what has no line.
fn without_place(profile: &Profile, weight: &Weight, share: &str) -> String {
    let device = &profile.device;
    let launch = &profile.launch;
    match weight.cause {
        Cause::TooLittleWork => format!(
            "too few work items: {} items fill {} of {} warps, which costs {share} of issue slots",
            launch.items,
            launch.filled_warps.min(device.all_warps()),
            device.all_warps()
        ),
        Cause::Occupancy => format!(
            "cores run {} of their {} warps, which costs {share} of issue slots: the limit is {}",
            launch.warps,
            device.warps,
            launch.limit.as_deref().unwrap_or("what groups take")
        ),
        Cause::Imbalance => format!(
            "warps that have ended while others go on cost {share} of issue slots: on average {:.1} of {} run",
            ratio(profile.total.warps.total(), profile.cycles),
            device.all_warps()
        ),
        Cause::PartialWarps => {
            let items: u32 = launch
                .block
                .map_or(launch.items, |block| block.iter().product());
            format!(
                "lanes without a work item cost {share} of issue slots: {items} items do not fill warps of {} lanes",
                device.threads
            )
        }
        cause => format!("{cause:?} costs {share} of issue slots"),
    }
}

fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} bytes"),
        _ => format!("{:.0} KiB", count as f64 / 1024.0),
    }
}

/// What can be done about a finding.
pub(super) fn advice(profile: &Profile, weight: &Weight) -> String {
    let lanes = profile.device.threads;
    match weight.cause {
        Cause::Uncoalesced => "Let neighbouring work items access neighbouring elements: swap the roles of the indices, \
                               store the data the other way round, or bring it through local memory."
            .to_owned(),
        Cause::BankConflicts => format!(
            "Make the distance of neighbouring lanes' elements odd: rows of a tile that are a word longer ({} instead \
             of {lanes}) put them into different banks.",
            lanes + 1
        ),
        Cause::Divergence => "Give the items of a warp the same way: sort work by kind, compute both sides and choose, or \
                              make loops equally long for neighbours."
            .to_owned(),
        Cause::PrivateMemory => "Keep fewer values alive at once: compute late, split the kernel, or make arrays of a \
                                 work item smaller or indexed by constants."
            .to_owned(),
        Cause::Barriers => "Spread the work between two barriers evenly over the warps of a group, or put more work \
                            between them."
            .to_owned(),
        Cause::Occupancy => "Make groups take less: smaller tiles in local memory, or a number of items whose warps \
                             divide those of a core."
            .to_owned(),
        Cause::TooLittleWork => "Run more work items, or several launches' work in one.".to_owned(),
        Cause::Imbalance => "Make work items equally long, or use many more of them than run at a time.".to_owned(),
        Cause::PartialWarps => format!("Use groups whose number of items is a multiple of {lanes}."),
        Cause::FloatThroughput => "The device does not compute faster. Fewer float operations help, and fused ones \
                                   (`mul_add`), or fixed point."
            .to_owned(),
        Cause::FloatLatency => "Compute several independent results per work item, in several variables, so that one \
                                does not wait for the other."
            .to_owned(),
        Cause::FloatDivision => "Multiply by a reciprocal that is computed once, or take one division for several \
                                 quotients."
            .to_owned(),
        Cause::IntegerDivision => "Divide by constants, by powers of two, or on the host; count indices along instead of \
                                   dividing them."
            .to_owned(),
        Cause::IntegerLatency => "Interleave independent work, in several variables.".to_owned(),
        Cause::Instructions => "Do more per instruction: hoist what is the same in all iterations, replace checked \
                                accesses by iteration, let each item do several elements."
            .to_owned(),
        Cause::InstructionCache => "Make the code smaller: unroll less, and loop over what is written out.".to_owned(),
        Cause::ColdCode => "Do more work per launch, or less code for it.".to_owned(),
        Cause::Branches => "Make loops longer in what they do per iteration (`#[unroll]`), or run more warps.".to_owned(),
        Cause::CacheThrash => "Use what was loaded before it is pushed out: work in tiles that fit the cache or local \
                               memory."
            .to_owned(),
        Cause::MemoryBandwidth => "Move fewer bytes: smaller types, each element loaded once, results kept until they \
                                   are final, stores of whole lines."
            .to_owned(),
        Cause::MemoryLatency => "Load earlier what is needed later, several loads at once, and not from addresses that \
                                 were loaded just before."
            .to_owned(),
        Cause::CacheLatency => "Load once and keep it in a variable, or load several elements before the first is used."
            .to_owned(),
        Cause::LocalLatency => "Read several elements of local memory before the first is used.".to_owned(),
        Cause::Atomics => "Combine within the warp or in local memory first, and let one item per group update memory."
            .to_owned(),
        Cause::Fences => "Use fewer fences, and barriers where only the group must see what was written.".to_owned(),
        Cause::Control => "Use fewer conditions that differ between neighbours, or make both sides so short that they \
                           are computed without a branch."
            .to_owned(),
    }
}
