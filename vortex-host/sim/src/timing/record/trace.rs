//! Traces: what became of each instruction, stage by stage.

use super::CoreLocation;
use vortex_isa::RegFile;

/// How much of a run is traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceLimits {
    /// Instructions of warps, at most; those that are dispatched first.
    pub instructions: usize,
    /// Only those that are dispatched in these cycles.
    pub cycles: std::ops::Range<u64>,
    /// Whether values of registers are noted.
    pub values: bool,
}

impl Default for TraceLimits {
    /// A million instructions, with values.
    fn default() -> Self {
        TraceLimits {
            instructions: 1_000_000,
            cycles: 0..u64::MAX,
            values: true,
        }
    }
}

/// The values of a register of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterValues {
    /// Which file it is of.
    pub file: RegFile,
    /// Its number there, 0 to 31.
    pub number: u8,
    /// The bits that each lane of the warp holds, lane 0 first; `None` of those that were not active.
    pub lanes: Box<[Option<u32>]>,
}

/// An instruction of a warp. Cycles count from the start of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// The number that Vortex's hardware and simulator give it: of its warp on the device from bit 32 on, and how many
    /// instructions that warp fetched before, below.
    pub uuid: u64,
    /// Core of the device, from 0.
    pub core: u32,
    /// Warp of the core, from 0.
    pub warp: u32,
    /// Address of the instruction.
    pub pc: u32,
    /// The lanes that executed it, a bit each.
    pub lanes: u32,
    /// Cycle in which its warp was chosen to be fetched.
    pub scheduled: u64,
    /// Cycle in which it was asked of the instruction cache.
    pub fetched: u64,
    /// Cycle in which it was decoded.
    pub decoded: u64,
    /// Cycle in which it was issued.
    pub issued: u64,
    /// Cycle in which it went to its unit, which is when its effect takes place.
    pub dispatched: u64,
    /// Cycle in which its result was written; a store's, when the load-store unit had taken it.
    pub committed: u64,
    /// What it wrote, if values were asked for and it writes a register.
    pub destination: Option<RegisterValues>,
    /// What it read, likewise.
    pub operands: Vec<RegisterValues>,
}

/// An answer of a data cache to a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheAnswer {
    /// The core that asked.
    pub core: u32,
    /// Cycle of the answer.
    pub cycle: u64,
    /// The [`TraceRecord::uuid`] of the instruction that loads.
    pub uuid: u64,
    /// Whether the line was there.
    pub hit: bool,
}

/// What became of each instruction of a run, as far as the limits let it be noted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traced {
    /// What was dispatched, by core and warp, in the order in which each was fetched.
    pub instructions: Vec<TraceRecord>,
    /// Answers of the data caches, core by core.
    pub answers: Vec<CacheAnswer>,
    /// Instructions of warps that [`TraceLimits::instructions`] had no room for.
    pub left_out: u64,
    /// Of each core, its socket and its number there.
    pub places: Vec<(u32, u32)>,
}

impl Traced {
    pub(super) fn of(
        cores: impl Iterator<Item = (CoreLocation, Option<Recorded>)>,
        most: usize,
    ) -> Traced {
        let mut traced = Traced::default();
        for (location, own) in cores {
            let CoreLocation {
                socket, in_socket, ..
            } = location;
            traced.places.push((socket as u32, in_socket as u32));
            if let Some(own) = own {
                traced.instructions.extend(own.done);
                traced.answers.extend(own.answers);
                traced.left_out += own.left_out;
            }
        }
        // Each core has as many as all may have together.
        traced.instructions.sort_by_key(|record| record.dispatched);
        let more = traced.instructions.len().saturating_sub(most);
        traced.left_out += more as u64;
        traced.instructions.truncate(most);
        traced.instructions.sort_by_key(|record| record.uuid);
        traced
    }
}

/// What is traced of a core while it runs.
#[derive(Debug)]
pub(in crate::timing) struct Recorded {
    limits: TraceLimits,
    /// Of each warp: when it was chosen, and when its fetch began.
    chosen: Vec<(u64, u64)>,
    /// Of each warp, how many instructions it fetched.
    count: Vec<u32>,
    /// Of each instruction under way, by its number: what is known so far.
    under_way: Vec<Option<TraceRecord>>,
    done: Vec<TraceRecord>,
    answers: Vec<CacheAnswer>,
    dispatched: usize,
    left_out: u64,
}

impl Recorded {
    pub(super) fn new(limits: TraceLimits, warps: usize) -> Recorded {
        Recorded {
            limits,
            chosen: vec![(0, 0); warps],
            count: vec![0; warps],
            under_way: Vec::new(),
            done: Vec::new(),
            answers: Vec::new(),
            dispatched: 0,
            left_out: 0,
        }
    }

    pub(super) fn scheduled(&mut self, cycle: u64, warp: usize) {
        self.chosen[warp].0 = cycle;
    }

    pub(super) fn fetched(&mut self, cycle: u64, warp: usize) {
        self.chosen[warp].1 = cycle;
    }

    pub(super) fn decoded(
        &mut self,
        cycle: u64,
        id: usize,
        location: &CoreLocation,
        warp: usize,
        pc: u32,
    ) {
        let global = (location.core * location.warps + warp) as u64;
        let (scheduled, fetched) = self.chosen[warp];
        let record = TraceRecord {
            uuid: global << 32 | u64::from(self.count[warp]),
            core: location.core as u32,
            warp: warp as u32,
            pc,
            lanes: 0,
            scheduled,
            fetched,
            decoded: cycle,
            issued: 0,
            dispatched: 0,
            committed: 0,
            destination: None,
            operands: Vec::new(),
        };
        self.count[warp] = self.count[warp].wrapping_add(1);
        if self.under_way.len() <= id {
            self.under_way.resize_with(id + 1, || None);
        }
        self.under_way[id] = Some(record);
    }

    pub(super) fn issued(&mut self, cycle: u64, id: usize) {
        if let Some(Some(record)) = self.under_way.get_mut(id) {
            record.issued = cycle;
        }
    }

    /// It goes to its unit: whether it is traced, with values.
    pub(super) fn dispatched(&mut self, cycle: u64, id: usize) -> bool {
        let Some(slot) = self.under_way.get_mut(id) else {
            return false;
        };
        let is_inside = self.limits.cycles.contains(&cycle);
        if !is_inside || self.dispatched >= self.limits.instructions {
            *slot = None;
            self.left_out += u64::from(is_inside);
            return false;
        }
        self.dispatched += 1;
        if let Some(record) = slot {
            record.dispatched = cycle;
        }
        self.limits.values
    }

    pub(super) fn executed(
        &mut self,
        id: usize,
        lanes: u32,
        operands: Vec<RegisterValues>,
        destination: Option<RegisterValues>,
    ) {
        if let Some(Some(record)) = self.under_way.get_mut(id) {
            record.lanes = lanes;
            record.operands = operands;
            record.destination = destination;
        }
    }

    pub(super) fn answered(&mut self, cycle: u64, id: usize, hit: bool) {
        if let Some(Some(record)) = self.under_way.get(id) {
            self.answers.push(CacheAnswer {
                core: record.core,
                cycle,
                uuid: record.uuid,
                hit,
            });
        }
    }

    pub(super) fn committed(&mut self, cycle: u64, id: usize) {
        if let Some(slot) = self.under_way.get_mut(id)
            && let Some(mut record) = slot.take()
        {
            record.committed = cycle;
            self.done.push(record);
        }
    }
}
