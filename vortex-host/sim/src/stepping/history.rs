//! Snapshots, and restoring them.

use super::Stepper;
use super::lanes::Parked;
use super::order::Turn;
use crate::console::Console;
use crate::core::{Core, Reservations};
use crate::layout::LOCAL;
use crate::memory::{CHUNK_BITS, Chunk, Memory};
use crate::race::Races;
use crate::run::Meeting;
use crate::run::Run;
use std::collections::HashMap;

/// Instructions of warps from one snapshot to the next, at first.
const INTERVAL: u64 = 1 << 16;

/// How much host memory snapshots may take, in bytes; when they take more, every other one goes.
const ROOM: usize = 256 << 20;

/// How far before a moment of the past that somebody wants to see a snapshot is made: they are likely to go back a
/// little further.
const NEAR: u64 = 1 << 11;

/// A chunk of memory before it was changed, and of the bits in it without a value. `None`: there was none yet.
struct Contents {
    memory: Option<Chunk>,
    shadow: Option<Chunk>,
}

impl Contents {
    fn of(run: &Run<'_>, address: u32) -> Contents {
        let copy = |memory: &Memory| memory.existing(address).cloned();
        Contents {
            memory: copy(run.memory),
            shadow: run.shadow.and_then(copy),
        }
    }

    fn restore(&self, run: &Run<'_>, address: u32) {
        run.memory.restore(address, self.memory.as_ref());
        if let Some(shadow) = run.shadow {
            shadow.restore(address, self.shadow.as_ref());
        }
    }

    fn bytes(&self) -> usize {
        let chunks = [&self.memory, &self.shadow].into_iter().flatten();
        chunks.count() << CHUNK_BITS
    }
}

/// All that a run changes, at some time.
struct Snapshot {
    at: u64,
    turn: Turn,
    /// How many changes had been made.
    edits: usize,
    parked: Parked,
    cores: Vec<Core>,
    console: Console,
    reservations: Reservations,
    waiting: Vec<Vec<u32>>,
    /// Groups that had been handed out.
    groups: u64,
    races: Option<Box<Races>>,
    /// Memory that was changed from here to the next snapshot, as it was here: by the number of the chunk.
    changed: HashMap<u32, Contents>,
    /// Without memory.
    bytes: usize,
}

/// Snapshots of a run, the earliest first. There is one of its beginning.
pub(super) struct History {
    snapshots: Vec<Snapshot>,
    interval: u64,
    /// The chunks of memory in the last snapshot, a bit each.
    changed: Box<[u64]>,
}

impl Default for History {
    fn default() -> History {
        History {
            snapshots: Vec::new(),
            interval: INTERVAL,
            changed: vec![0; 1 << (32 - CHUNK_BITS - 6)].into(),
        }
    }
}

impl History {
    /// Whether it is time for a snapshot.
    pub(super) fn is_due(&self, time: u64) -> bool {
        let last = self.snapshots.last();
        last.is_none_or(|last| time >= last.at + self.interval)
    }

    /// Keeps what is around an address, which is about to be changed, unless that was done since the last snapshot.
    pub(super) fn preserve(&mut self, run: &Run<'_>, address: u32) {
        let chunk = address >> CHUNK_BITS;
        let (word, bit) = ((chunk / 64) as usize, 1 << (chunk % 64));
        if address >= LOCAL || self.changed[word] & bit != 0 {
            return;
        }
        self.changed[word] |= bit;
        if let Some(last) = self.snapshots.last_mut() {
            last.changed.insert(chunk, Contents::of(run, address));
        }
    }

    fn bytes(&self) -> usize {
        let memory = |snapshot: &Snapshot| -> usize {
            let contents = snapshot.changed.values();
            contents.map(Contents::bytes).sum()
        };
        let bytes = |snapshot: &Snapshot| snapshot.bytes + memory(snapshot);
        self.snapshots.iter().map(bytes).sum()
    }

    /// Leaves out every other snapshot.
    fn thin(&mut self) {
        let mut kept: Vec<Snapshot> = Vec::new();
        for (number, snapshot) in std::mem::take(&mut self.snapshots).into_iter().enumerate() {
            match kept.last_mut() {
                Some(before) if number % 2 == 1 => {
                    for (chunk, contents) in snapshot.changed {
                        before.changed.entry(chunk).or_insert(contents);
                    }
                }
                _ => kept.push(snapshot),
            }
        }
        self.snapshots = kept;
        self.interval *= 2;
        // What the last one has may be more than has changed since it would have been made; that does no harm.
        self.mark();
    }

    /// Makes `changed` say what the last snapshot has.
    fn mark(&mut self) {
        self.changed.fill(0);
        let chunks = self.snapshots.last().into_iter();
        for chunk in chunks.flat_map(|last| last.changed.keys()) {
            self.changed[(chunk / 64) as usize] |= 1 << (chunk % 64);
        }
    }

    /// The number of the last snapshot that is not later than this.
    pub(super) fn before(&self, time: u64) -> usize {
        let after = self
            .snapshots
            .partition_point(|snapshot| snapshot.at <= time);
        after.saturating_sub(1)
    }

    /// Whether there is a snapshot of this moment.
    fn is_kept(&self, time: u64) -> bool {
        self.snapshots.iter().any(|snapshot| snapshot.at == time)
    }

    /// When a snapshot was made.
    pub(super) fn time_of(&self, number: usize) -> u64 {
        self.snapshots.get(number).map_or(0, |snapshot| snapshot.at)
    }
}

impl Stepper<'_> {
    /// Makes a snapshot.
    pub(super) fn keep(&mut self) {
        let run = &self.run;
        let cores = run.cores.to_vec();
        let races = run.races.as_deref().cloned().map(Box::new);
        let bytes =
            cores.iter().map(Core::bytes).sum::<usize>() + races.as_deref().map_or(0, Races::bytes);
        let snapshot = Snapshot {
            at: self.time,
            turn: self.order.turn,
            edits: self.edits.applied,
            parked: self.parked.clone(),
            cores,
            console: run.console.clone(),
            reservations: run.reservations.clone(),
            waiting: match &run.global {
                Meeting::Own(waiting) => (**waiting).clone(),
                Meeting::Shared(_) => Vec::new(),
            },
            groups: run.launch.map_or(0, |launch| launch.handed_out()),
            races,
            changed: HashMap::new(),
            bytes,
        };
        self.history.snapshots.push(snapshot);
        self.history.changed.fill(0);
        while self.history.bytes() > ROOM && self.history.snapshots.len() > 2 {
            self.history.thin();
        }
    }

    /// Goes to a moment that has been reached before, back or on; at most to [`Stepper::end`](super::Stepper::end).
    pub fn seek(&mut self, time: u64) {
        let time = time.min(self.end);
        if time < self.time {
            self.restore(self.history.before(time));
        }
        let near = time.saturating_sub(NEAR);
        while self.time < time {
            if self.time == near && !self.history.is_kept(near) {
                self.keep();
            }
            match self.step() {
                super::Step::Executed { .. } => {}
                super::Step::Trapped(_) | super::Step::Over => return,
            }
        }
    }

    /// Makes everything as it was at a snapshot; those after it are forgotten.
    pub(super) fn restore(&mut self, number: usize) {
        let History { snapshots, .. } = &mut self.history;
        let Some((first, later)) = snapshots
            .get_mut(number..)
            .and_then(|all| all.split_first_mut())
        else {
            return;
        };
        let run = &mut self.run;
        // What is earlier counts.
        for snapshot in later.iter().rev().chain([&*first]) {
            for (chunk, contents) in &snapshot.changed {
                let address = chunk << CHUNK_BITS;
                contents.restore(run, address);
                let last = address | ((1 << CHUNK_BITS) - 1);
                if run.code.overlaps(address, last) {
                    run.code.invalidate(address, last);
                }
            }
        }
        first.changed.clear();
        for (core, kept) in run.cores.iter_mut().zip(&first.cores) {
            core.clone_from(kept);
            // Something may have been decoded since.
            core.state.forget_windows();
        }
        run.console.clone_from(&first.console);
        run.reservations.clone_from(&first.reservations);
        if let Meeting::Own(waiting) = &mut run.global {
            waiting.clone_from(&first.waiting);
        }
        if let Some(launch) = run.launch {
            launch.set_handed_out(first.groups);
        }
        if let (Some(races), Some(kept)) = (&mut run.races, &first.races) {
            (**races).clone_from(kept);
        }
        self.time = first.at;
        self.order.turn = first.turn;
        self.edits.applied = first.edits;
        self.parked.clone_from(&first.parked);
        snapshots.truncate(number + 1);
        self.history.changed.fill(0);
        // Some may have been made at that moment, but later.
        self.apply_edits();
    }
}
