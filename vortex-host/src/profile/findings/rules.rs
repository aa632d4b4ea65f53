//! How much each cause costs.

use std::collections::BTreeMap;

use super::Cause;
use crate::profile::costs::ratio;
use crate::profile::{InstructionClass, Profile, ProfiledInstruction};

/// What a cause costs.
#[derive(Clone, Debug)]
pub(super) struct Weight {
    pub(super) cause: Cause,
    /// Of all issue slots.
    pub(super) share: f64,
    /// What its instructions cost of that, by their places in [`Profile::instructions`].
    pub(super) of: BTreeMap<usize, f64>,
}

impl Weight {
    /// The instruction that costs most.
    pub(super) fn first<'a>(&self, profile: &'a Profile) -> Option<&'a ProfiledInstruction> {
        let (&index, _) = self.of.iter().max_by(|a, b| a.1.total_cmp(b.1))?;
        profile.instructions.get(index)
    }

    /// The line that costs most, of those with a place in the source.
    pub(super) fn line(&self, profile: &Profile) -> Option<usize> {
        let mut lines: BTreeMap<usize, f64> = BTreeMap::new();
        for (&index, slots) in &self.of {
            let line = profile.instructions.get(index)?.line;
            if profile.lines.get(line)?.file.is_some() {
                *lines.entry(line).or_default() += slots;
            }
        }
        let most = lines.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        most.map(|(line, _)| line)
    }
}

/// The share of what main memory can move from which on it is the limit.
const BUSY_MEMORY: f64 = 0.45;

/// Times that lines are loaded, on average, from which on the cache is too small for them.
const LOADED_AGAIN: f64 = 2.0;

/// The share of its cycles in which a unit is busy from which on waiting for it is a matter of throughput.
const BUSY_UNIT: f64 = 0.75;

/// How much of a latency can be hidden within a work item, about: by two results at a time, and some more.
const HIDDEN: f64 = 0.75;

/// Bytes of a line of cache.
const LINE: u64 = 64;

#[derive(Default)]
struct Weights(BTreeMap<Cause, Weight>);

impl Weights {
    fn add(&mut self, cause: Cause, index: Option<usize>, slots: f64) {
        if slots <= 0.0 {
            return;
        }
        let weight = self.0.entry(cause).or_insert(Weight {
            cause,
            share: 0.0,
            of: BTreeMap::new(),
        });
        weight.share += slots;
        if let Some(index) = index {
            *weight.of.entry(index).or_default() += slots;
        }
    }
}

/// What is known about the launch as a whole.
struct Whole<'a> {
    profile: &'a Profile,
    /// The share of latencies that are there because warps are not.
    absent: f64,
    /// The share of latencies that are there because warps wait at barriers.
    waiting: f64,
    float_busy: bool,
    memory_busy: bool,
    loaded_again: bool,
    code_fits: bool,
    /// The share of slots in which lanes were off that had an item.
    diverged: f64,
}

impl Whole<'_> {
    /// The share of latencies that no other warp could hide.
    fn own(&self) -> f64 {
        (1.0 - self.absent - self.waiting).max(0.0)
    }
}

fn share(profile: &Profile, gauge: &str) -> f64 {
    let gauge = profile.speed.iter().find(|found| found.name == gauge);
    gauge.map_or(0.0, |gauge| gauge.share)
}

fn whole(profile: &Profile) -> Whole<'_> {
    let capacity = profile.device.all_warps() as f64 * profile.cycles as f64;
    let warps = &profile.total.warps;
    let memory = &profile.memory;
    Whole {
        profile,
        absent: (1.0 - warps.total() as f64 / capacity.max(1.0)).clamp(0.0, 1.0),
        waiting: (warps.barrier as f64 / capacity.max(1.0)).clamp(0.0, 1.0),
        float_busy: share(profile, "float unit") >= BUSY_UNIT,
        memory_busy: share(profile, "memory") >= BUSY_MEMORY,
        loaded_again: times_loaded(profile) >= LOADED_AGAIN,
        code_fits: LINE * memory.most_code_lines <= profile.device.icache.into(),
        diverged: 0.0,
    }
}

/// How often each line that is needed comes from what is after the first level of cache.
pub(super) fn times_loaded(profile: &Profile) -> f64 {
    let memory = &profile.memory;
    let level = profile.caches.get(2);
    let asked = level.map_or(memory.lines_read, |level| level.reads);
    ratio(asked, memory.loaded_lines + memory.code_lines)
}

/// The requests to memory that each instruction makes, of all: loads that miss, and stores.
fn traffic(profile: &Profile) -> BTreeMap<usize, f64> {
    let requests = |at: &ProfiledInstruction| match at.class {
        InstructionClass::Store => at.costs.work.requests,
        _ => at.costs.work.load_misses,
    };
    let all: u64 = profile.instructions.iter().map(requests).sum();
    let each = profile.instructions.iter().enumerate();
    each.map(|(index, at)| (index, ratio(requests(at), all)))
        .collect()
}

/// What each cause costs.
pub(super) fn weigh(profile: &Profile) -> Vec<Weight> {
    let mut whole = whole(profile);
    let mut weights = Weights::default();
    for (index, instruction) in profile.instructions.iter().enumerate() {
        lanes(&whole, index, instruction, &mut weights);
    }
    let diverged = weights.0.get(&Cause::Divergence);
    whole.diverged = diverged.map_or(0.0, |weight| weight.share / profile.slots.max(1) as f64);
    // Slots that more warps would fill.
    let mut hidden: BTreeMap<usize, f64> = BTreeMap::new();
    for (index, instruction) in profile.instructions.iter().enumerate() {
        let latency = stalls(&whole, index, instruction, &mut weights);
        *hidden.entry(index).or_default() += latency;
        executed(&whole, index, instruction, &mut weights);
    }
    if whole.code_fits && whole.memory_busy {
        behind(&whole, profile.total.work.long_fetches as f64, &mut weights);
    }
    absent(&whole, &hidden, &mut weights);
    let slots = profile.slots.max(1) as f64;
    let shares = weights.0.into_values().map(|weight| Weight {
        share: weight.share / slots,
        ..weight
    });
    shares.collect()
}

/// Slots that stayed empty because of an instruction. Returns those that more warps would have filled.
fn stalls(whole: &Whole<'_>, index: usize, at: &ProfiledInstruction, weights: &mut Weights) -> f64 {
    let awaited = &at.costs.awaited;
    let mut latency = 0.0;
    let missing = at.costs.work.long_fetches;
    let mut add = |cause, slots: f64, is_latency: bool| {
        if is_latency {
            latency += slots;
            weights.add(cause, Some(index), slots * whole.own() * HIDDEN);
        } else {
            weights.add(cause, Some(index), slots);
        }
    };
    let waits = (awaited.memory + awaited.busy) as f64;
    match at.class {
        InstructionClass::Load | InstructionClass::Store => {
            for (cause, part, is_latency) in access(whole, at) {
                add(cause, waits * part, is_latency);
            }
        }
        InstructionClass::Atomic => add(Cause::Atomics, waits, false),
        InstructionClass::Fence => add(Cause::Fences, waits, false),
        InstructionClass::FloatDivide => {
            add(
                Cause::FloatDivision,
                (awaited.fpu + awaited.busy) as f64,
                false,
            );
        }
        InstructionClass::Float | InstructionClass::FloatOther => {
            add(Cause::FloatThroughput, awaited.busy as f64, false);
            let (cause, is_latency) = match whole.float_busy {
                true => (Cause::FloatThroughput, false),
                false => (Cause::FloatLatency, true),
            };
            add(cause, awaited.fpu as f64, is_latency);
        }
        InstructionClass::Divide => {
            add(
                Cause::IntegerDivision,
                (awaited.alu + awaited.busy) as f64,
                false,
            );
        }
        InstructionClass::Integer | InstructionClass::Multiply | InstructionClass::Branch => {
            add(Cause::IntegerLatency, awaited.alu as f64, true);
            add(
                Cause::Instructions,
                awaited.busy as f64 * (1.0 - whole.diverged),
                false,
            );
        }
        InstructionClass::Mask | InstructionClass::System | InstructionClass::Barrier => {
            add(Cause::Control, (awaited.sfu + awaited.busy) as f64, true);
        }
    }
    match at.class {
        InstructionClass::Branch => add(Cause::Branches, awaited.control as f64, true),
        _ => add(Cause::Control, awaited.control as f64, true),
    }
    add(Cause::Barriers, awaited.barrier as f64, false);
    match (whole.code_fits, whole.memory_busy) {
        (false, _) => add(Cause::InstructionCache, missing as f64, false),
        (true, false) => add(Cause::ColdCode, missing as f64, false),
        // Counted for the memory that they wait for, all together.
        (true, true) => {}
    }
    let there = awaited.fetch.saturating_sub(missing) as f64;
    add(Cause::Instructions, there * (1.0 - whole.diverged), true);
    latency
}

/// Slots of fetches that wait for memory while it does other things: they count for these.
fn behind(whole: &Whole<'_>, slots: f64, weights: &mut Weights) {
    for (index, part) in traffic(whole.profile) {
        if let Some(at) = whole.profile.instructions.get(index) {
            for (cause, of_access, _) in access(whole, at) {
                weights.add(cause, Some(index), slots * part * of_access);
            }
        }
    }
}

/// What waiting for an access is due to: causes with their parts of the whole, and whether more warps would help.
fn access(whole: &Whole<'_>, at: &ProfiledInstruction) -> Vec<(Cause, f64, bool)> {
    let work = &at.costs.work;
    let executed = work.executed.max(1) as f64;
    let mut parts = Vec::new();
    let private = (work.private_accesses as f64 / executed).min(1.0);
    parts.push((Cause::PrivateMemory, private, false));
    let local = (work.local_accesses as f64 / executed).min(1.0);
    let conflicts = 1.0 - ratio(work.local_accesses, work.local_turns.max(1)).min(1.0);
    parts.push((Cause::BankConflicts, local * conflicts, false));
    parts.push((Cause::LocalLatency, local * (1.0 - conflicts), true));
    let global = (1.0 - private - local).max(0.0);
    let spread = global * spread(whole, at);
    parts.push((Cause::Uncoalesced, spread, false));
    let rest = global - spread;
    let misses = match (at.class, at.costs.hit_rate()) {
        (InstructionClass::Load, Some(hits)) => 1.0 - hits,
        _ => 1.0,
    };
    let (cause, is_latency) = match () {
        () if whole.loaded_again && at.class == InstructionClass::Load => {
            (Cause::CacheThrash, false)
        }
        () if whole.memory_busy => (Cause::MemoryBandwidth, false),
        () => (Cause::MemoryLatency, true),
    };
    // If memory is the limit, what is in the cache waits behind what is not.
    let missing = if cause == Cause::MemoryBandwidth {
        1.0
    } else {
        misses
    };
    parts.push((cause, rest * missing, is_latency));
    parts.push((Cause::CacheLatency, rest * (1.0 - missing), true));
    parts
}

/// Of the turns of the coalescer for an access, the part that neighbouring lanes next to each other would not need.
fn spread(whole: &Whole<'_>, at: &ProfiledInstruction) -> f64 {
    let work = &at.costs.work;
    let (bytes, requests) = whole.profile.device.coalesced;
    let together = f64::from((bytes * requests).max(1));
    let lanes = ratio(work.lanes, work.executed);
    let needed = (lanes * at.access_bytes as f64 / together).ceil().max(1.0);
    let turns = ratio(work.turns, work.accesses);
    if turns <= needed {
        return 0.0;
    }
    // Each line that is loaded for it holds more than what its lanes take.
    let used = (work.lanes * at.access_bytes) as f64 / (LINE * work.load_misses.max(1)) as f64;
    let waste = match at.class {
        InstructionClass::Load if work.load_misses > 0 => 1.0 - used,
        _ => 0.0,
    };
    waste.max(1.0 - needed / turns)
}

/// Slots in which an instruction was issued that need not be, or that is one of too many.
fn executed(whole: &Whole<'_>, index: usize, at: &ProfiledInstruction, weights: &mut Weights) {
    let work = &at.costs.work;
    let private = work.private_accesses as f64;
    weights.add(Cause::PrivateMemory, Some(index), private);
    let used = ratio(whole.profile.total.work.executed, whole.profile.slots);
    // An instruction less is a slot less only as far as slots are short.
    let short = used * (1.0 - whole.diverged);
    weights.add(
        Cause::Instructions,
        Some(index),
        work.executed as f64 * short,
    );
}

/// Slots of an instruction in which lanes were off.
fn lanes(whole: &Whole<'_>, index: usize, at: &ProfiledInstruction, weights: &mut Weights) {
    let threads = whole.profile.device.threads;
    let work = &at.costs.work;
    if work.executed == 0 || threads == 1 {
        return;
    }
    let slots = at.costs.slots() as f64;
    let off = 1.0 - ratio(work.lanes, work.executed * u64::from(threads));
    let empty = 1.0 - whole.profile.launch.filled_lanes(threads);
    // What starts warps runs in one lane.
    let in_source = whole
        .profile
        .lines
        .get(at.line)
        .is_some_and(|line| line.file.is_some());
    if in_source {
        weights.add(Cause::PartialWarps, Some(index), slots * empty.min(off));
        weights.add(
            Cause::Divergence,
            Some(index),
            slots * (off - empty).max(0.0),
        );
    }
}

/// Slots that warps would have filled that were not there, or waited at barriers.
fn absent(whole: &Whole<'_>, hidden: &BTreeMap<usize, f64>, weights: &mut Weights) {
    let launch = &whole.profile.launch;
    let idle = whole.profile.total.stalls.idle as f64;
    let cause = match () {
        () if launch.filled_warps < whole.profile.device.all_warps() => Cause::TooLittleWork,
        () if launch.limit.is_some() => Cause::Occupancy,
        () => Cause::Imbalance,
    };
    weights.add(cause, None, idle);
    // Twice the warps take half the time for the same work, as far as that consists of latencies.
    let latency: f64 = hidden.values().sum();
    let executed = whole.profile.total.work.executed as f64;
    let gained = ((latency + executed) * whole.absent).min(latency);
    for (&index, slots) in hidden {
        weights.add(cause, Some(index), gained * slots / latency.max(1.0));
    }
    let barriers: Vec<(usize, u64)> = (whole.profile.instructions.iter().enumerate())
        .map(|(index, at)| (index, at.costs.warps.barrier))
        .collect();
    let all: u64 = barriers.iter().map(|(_, cycles)| cycles).sum();
    let gained = ((latency + executed) * whole.waiting).min(latency);
    for (index, cycles) in barriers {
        weights.add(Cause::Barriers, Some(index), gained * ratio(cycles, all));
    }
}
