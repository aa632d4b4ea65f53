//! What a core records while it runs.

use super::footprint::Lines;
use super::timeline::Growing;
use super::trace::{Recorded, RegisterValues, TraceLimits};
use super::{CoreLocation, PcProfile, ProfileData, WarpState};
use crate::registers::lanes_of;
use crate::timing::config::LINE_BITS;
use crate::timing::lsu::{AccessShape, Addresses};
use crate::timing::program::Table;

use crate::timing::stats::Stalls;
use crate::timing::uop::{Decoded, Entry, Id, Kind};
use std::ops::Range;

/// The notes of a core.
#[derive(Debug)]
pub(in crate::timing) struct Recorder {
    pub(super) location: CoreLocation,
    /// There if a profile is wanted.
    pub(super) timeline: Option<Growing>,
    pub(super) trace: Option<Recorded>,
    pub(super) lines: Lines,
    entries: Vec<PcProfile>,
    /// Of each access under way, by its number: its instruction.
    accesses: Vec<Entry>,
    /// Of each instruction under way, by its number: when it went to its unit, if it has.
    dispatched: Vec<Option<u64>>,
    /// Those that the load-store unit has taken.
    taken: Vec<bool>,
    /// Of each warp: the instruction executed last, if that can change its lanes, and those it had.
    masks: Vec<Option<(Entry, u32)>>,
    /// Of each warp: when it was chosen last to be fetched.
    chosen: Vec<u64>,
    stack: Range<u32>,
    /// The cycle.
    pub(in crate::timing) now: u64,
}

/// An instruction that goes to its unit.
pub(in crate::timing) struct Dispatched<'a> {
    pub(in crate::timing) id: Id,
    pub(in crate::timing) entry: Entry,
    pub(in crate::timing) warp: usize,
    pub(in crate::timing) decoded: &'a Decoded,
    /// The lanes that executed it.
    pub(in crate::timing) lanes: u32,
    /// Its access, if it is one: its number, what it accesses, and how.
    pub(in crate::timing) access: Option<(u16, &'a Addresses, AccessShape)>,
}

/// Cycles after which an instruction would be there if its line had been in the instruction cache.
const LONG_FETCH: u64 = 12;

fn at<T: Clone + Default>(all: &mut Vec<T>, index: usize) -> &mut T {
    if all.len() <= index {
        all.resize(index + 1, T::default());
    }
    &mut all[index]
}

impl Recorder {
    /// What was traced, and where.
    pub(super) fn into_trace(self) -> (CoreLocation, Option<Recorded>) {
        (self.location, self.trace)
    }

    /// `timeline`: the intervals that a warp can have, if a profile is wanted.
    pub(super) fn new(
        location: CoreLocation,
        timeline: Option<usize>,
        trace: Option<TraceLimits>,
        stack: Range<u32>,
    ) -> Recorder {
        Recorder {
            timeline: timeline.map(|columns| Growing::new(columns, location.warps)),
            trace: trace.map(|limits| Recorded::new(limits, location.warps)),
            lines: Lines::default(),
            entries: Vec::new(),
            accesses: Vec::new(),
            dispatched: Vec::new(),
            taken: Vec::new(),
            masks: vec![None; location.warps],
            chosen: vec![0; location.warps],
            stack,
            now: 0,
            location,
        }
    }

    /// Whether a profile is wanted.
    pub(in crate::timing) fn profiles(&self) -> bool {
        self.timeline.is_some()
    }

    fn entry(&mut self, entry: Entry) -> &mut PcProfile {
        at(&mut self.entries, entry.0 as usize)
    }

    /// A warp was chosen to be fetched.
    pub(in crate::timing) fn scheduled(&mut self, warp: usize) {
        self.chosen[warp] = self.now;
        if let Some(trace) = &mut self.trace {
            trace.scheduled(self.now, warp);
        }
    }

    /// An instruction was asked of the instruction cache.
    pub(in crate::timing) fn fetched(&mut self, warp: usize, pc: u32) {
        self.lines.code.insert(pc >> LINE_BITS);
        if let Some(trace) = &mut self.trace {
            trace.fetched(self.now, warp);
        }
    }

    /// It was decoded.
    pub(in crate::timing) fn decoded(&mut self, id: Id, warp: usize, pc: u32) {
        *at(&mut self.taken, usize::from(id)) = false;
        *at(&mut self.dispatched, usize::from(id)) = None;
        if let Some(trace) = &mut self.trace {
            trace.decoded(self.now, usize::from(id), &self.location, warp, pc);
        }
    }

    /// It was issued.
    pub(in crate::timing) fn issued(&mut self, id: Id) {
        if let Some(trace) = &mut self.trace {
            trace.issued(self.now, usize::from(id));
        }
    }

    /// It is about to go to its unit: whether its values are wanted.
    pub(in crate::timing) fn wants_values(&mut self, id: Id) -> bool {
        match &mut self.trace {
            Some(trace) => trace.dispatched(self.now, usize::from(id)),
            None => false,
        }
    }

    /// These are they.
    pub(in crate::timing) fn values(
        &mut self,
        id: Id,
        lanes: u32,
        operands: Vec<RegisterValues>,
        destination: Option<RegisterValues>,
    ) {
        if let Some(trace) = &mut self.trace {
            trace.executed(usize::from(id), lanes, operands, destination);
        }
    }

    /// It was executed, and goes to its unit.
    pub(in crate::timing) fn executed(&mut self, did: &Dispatched<'_>) {
        *at(&mut self.dispatched, usize::from(did.id)) = Some(self.now);
        let before = self.masks[did.warp].take();
        if let Some((entry, lanes)) = before
            && did.lanes & !lanes == 0
            && did.lanes != lanes
        {
            self.entry(entry).parted += 1;
        }
        if matches!(did.decoded.kind, Kind::Control) {
            self.masks[did.warp] = Some((did.entry, did.lanes));
        }
        if let Some((number, addresses, shape)) = did.access {
            *at(&mut self.accesses, usize::from(number)) = did.entry;
            self.accessed(did, addresses, shape);
        }
    }

    fn accessed(&mut self, did: &Dispatched<'_>, addresses: &Addresses, shape: AccessShape) {
        if did.decoded.kind == Kind::Fence {
            return;
        }
        let of = |lane: u32| addresses.of[lane as usize];
        let on_stack = lanes_of(addresses.lanes & !shape.local)
            .filter(|&lane| self.stack.contains(&of(lane)))
            .fold(0, |mask, lane| mask | 1 << lane);
        let others = addresses.lanes & !shape.local & !on_stack;
        let lines = match did.decoded.kind {
            Kind::Store => &mut self.lines.stored,
            _ => &mut self.lines.loaded,
        };
        lines.extend(lanes_of(others | on_stack).map(|lane| of(lane) >> LINE_BITS));
        let same = match did.decoded.kind {
            Kind::Atomic => {
                let mut words: Vec<u32> = lanes_of(others).map(of).collect();
                let all = words.len();
                words.sort_unstable();
                words.dedup();
                all - words.len()
            }
            _ => 0,
        };
        let entry = self.entry(did.entry);
        entry.turns += shape.turns;
        entry.local_accesses += u64::from(shape.local != 0);
        entry.local_turns += shape.local_turns;
        entry.private_accesses += u64::from(on_stack != 0);
        entry.same_word += same as u64;
        entry.strides.note(addresses, others);
    }

    /// The load-store unit has taken an access.
    pub(in crate::timing) fn taken(&mut self, id: Id) {
        *at(&mut self.taken, usize::from(id)) = true;
    }

    /// Whether it has.
    pub(in crate::timing) fn is_taken(&self, id: Id) -> bool {
        self.taken.get(usize::from(id)).copied().unwrap_or(false)
    }

    /// Whether an instruction has gone to its unit.
    pub(in crate::timing) fn is_dispatched(&self, id: Id) -> bool {
        self.dispatched
            .get(usize::from(id))
            .is_some_and(Option::is_some)
    }

    /// The instruction of an access.
    pub(in crate::timing) fn of_access(&self, number: u16) -> Option<Entry> {
        self.accesses.get(usize::from(number)).copied()
    }

    /// A data cache has answered.
    pub(in crate::timing) fn answered(&mut self, id: Id, hit: bool) {
        if let Some(trace) = &mut self.trace {
            trace.answered(self.now, usize::from(id), hit);
        }
    }

    /// Its result was written.
    pub(in crate::timing) fn committed(&mut self, id: Id, entry: Entry) {
        if self.profiles()
            && let Some(&Some(when)) = self.dispatched.get(usize::from(id))
        {
            self.entry(entry).latency += self.now - when;
        }
        if let Some(trace) = &mut self.trace {
            trace.committed(self.now, usize::from(id));
        }
    }

    /// Issue slots stayed empty because of an instruction.
    pub(in crate::timing) fn awaited(
        &mut self,
        entry: Entry,
        cause: fn(&mut Stalls) -> &mut u64,
        cycles: u64,
    ) {
        *cause(&mut self.entry(entry).awaited) += cycles;
    }

    /// Issue slots stayed empty because a warp's instruction is being fetched.
    pub(in crate::timing) fn fetching(&mut self, warp: usize, entry: Entry, cycles: u64) {
        let late = self.now.saturating_sub(self.chosen[warp]);
        self.entry(entry).long_fetches += cycles.min(late.saturating_sub(LONG_FETCH));
    }

    /// What a warp did in the last cycles, up to this one, at an instruction.
    pub(in crate::timing) fn was(
        &mut self,
        warp: usize,
        state: WarpState,
        entry: Entry,
        cycles: u64,
    ) {
        self.entry(entry).warps.add(state, cycles);
        if let Some(timeline) = &mut self.timeline {
            timeline.add(warp, state, self.now, cycles);
        }
    }

    /// Adds up what it knows about instructions.
    pub(super) fn add_to(&self, profile: &mut ProfileData, table: &Table) {
        for (pc, stats) in table.with_addresses(&self.entries) {
            let sum = profile.by_pc.entry(pc).or_default();
            *sum = sum.plus(&stats);
        }
    }
}
