//! The cycle model: when a Vortex in hardware would do what the executor does.
//!
//! It follows the hardware description of Vortex v2, and that of Vortex 3 as of d76b7f24e, register by register. The
//! differences are data in `stages`; figures below are for v2. The stages are the registers between which something can
//! wait, and in a cycle each advances by what the following ones accept. The executor runs an instruction when it is
//! dispatched to its unit, in program order per warp; what it did (lanes, addresses, whether the warp continues)
//! decides what the later stages do with it.
//!
//! # The pipeline
//!
//! Cycles count from the one in which a warp is chosen; an unhindered instruction spends one cycle in each stage.
//!
//! | cycle | stage | what can hold it up |
//! |---|---|---|
//! | 0 | schedule: the lowest warp that is not held | two instructions chosen and not fetched |
//! | 1, 2 | fetch: a word from the instruction cache, shared by a socket | other cores' fetches, misses |
//! | 3 to 5 | cache pipeline, decode | a full instruction buffer of the warp blocks those of all warps |
//! | 6 | instruction buffer, four per warp | the next stage |
//! | 7 | scoreboard: one warp per slice, in turn | a source or the destination is still to be written |
//! | 8 to 10 | operands: three register reads from four banks | one more cycle per read in the same bank (register number % 4) |
//! | 11 | dispatch: two per slice and unit | a busy unit; everything behind it in the slice waits |
//! | 12 | the unit takes it (LSU, SFU: 13, one slice after the other) | see below |
//!
//! A warp is fetched again after decode (6 cycles after the last time), but after branches, jumps, environment calls,
//! accesses to float CSRs and SIMT control only once these took effect: 15 cycles, `join` 16, a barrier when its last
//! warp arrived. Results are committed one per slice and cycle, in the order integer, load/store, control, float; the
//! register can be read in the second cycle after that. From issue to issue of a dependent instruction that makes:
//!
//! * integer 9; multiply and divide 13 (pipelined); with [`Divider::serial`] a division 42, 33 of them not shared
//!   with another;
//! * float add, multiply, fused 12, compare and move 10, convert 13, divide 23, square root 18; pipelined each, but a
//!   slice's float unit holds two instructions at a time;
//! * CSR 11;
//! * load from local memory 18 and one more per lane in the same bank; cached load 20 with one core in the socket,
//!   two more with several. Two loads of a core are under way at a time; lanes are merged by line of
//!   `min(4 * lanes, 64)` bytes, a line every other cycle. A store is committed as soon as it is queued.
//!
//! # Memory
//!
//! The L1 caches of a socket (up to four cores) are pipelined, non-blocking and write-through, with as many banks as
//! a core can ask for lines in a cycle (one up to 16 lanes, two beyond), and replace the oldest line of a set. Both
//! share one or two ports to memory, instruction fetches first. `fence` drains and empties the data cache, one set
//! per cycle. Main memory is HBM2: rows, banks, bank groups and pseudo channels with their command timing, a
//! first-ready scheduler, writes kept back while there are reads; see [`DramConfig`]. Accesses below 64 KiB, to
//! device registers, go past the caches.
//!
//! # What is not modelled
//!
//! * Units with fewer lanes than a warp has; clusters; virtual memory; the global barrier's arbiters (it takes four
//!   cycles); the arbiters of more than a dozen cores.
//! * The state of main memory and caches after the previous launch: each begins with closed rows and empty caches.
//! * Data in the caches: values come from the executor, so a racing program sees values in the order of dispatch.
//! * Atomics, votes and shuffles are not part of v2's hardware: an atomic is timed as a load per lane, votes and
//!   shuffles as integer operations. So are atomics of version 3 where the data cache is not the last one.
//! * Beyond four cores: registers in the crossbars between sockets, except for one.
//!
//! # How exact it is
//!
//! docs/reports.md has the figures. `cargo run --release -p vortex-sim --example calibrate -- DIRECTORY` compares it
//! with measured cycles and prints a table: compared with the hardware description under Verilator, it is exact to the
//! cycle on the 26 calibration images in three shapes. It was also exact on 73 of 74 runs of generated programs that
//! mix everything above: 1 and 2 cores, 4, 8 and 16 warps, one and two requests per cycle; the remaining one, two cores
//! that race for the same lines, is 0.5% off. `measured/` has some of these, and programs compiled from C, which the
//! tests run.
//!
//! For Vortex 3, the same images, in `measured`, are exact, too: with one core of 4, 8 and 16 lanes and with two cores,
//! with and without a second and third level of cache; so are thirty launches of grids, in `grids`, and launches of
//! kernels, compiled by this library or from C++, whose groups the hardware hands out.
//!
//! Not measured: more than two cores.

mod atomics;
mod bank;
mod cache;
mod collector;
mod config;
mod control;
mod core;
mod counters;
mod dram;
#[cfg(test)]
mod grids;
mod hand_out;
mod issue;
mod knobs;
mod limits;
mod local;
mod lsu;
#[cfg(test)]
mod measured;
mod memory;
mod network;
mod program;
mod queue;
mod record;
mod request;
mod stages;
mod stats;
mod tags;
#[cfg(test)]
mod tests;
mod units;
mod uop;
mod watchdog;

pub use config::{CacheConfig, Divider, DramConfig, TimingConfig};
pub use counters::CounterClass;
pub use knobs::{KNOBS, Knob, KnobError};
pub use limits::{ExecutionUnit, Limits};
pub use record::{
    CacheAnswer, Footprint, PcProfile, ProfileData, Recording, RegisterValues, Strides, Timeline,
    TraceLimits, TraceRecord, Traced, WarpCycles, WarpState, WarpTimeline,
};
pub use stats::{CacheStats, MemoryStats, PcStats, Stalls, TimingStats};

pub(crate) use counters::Counters;
pub(crate) use lsu::Addresses;
pub(crate) use program::{GroupShape, Program};
pub(crate) use watchdog::Standstill;

use self::core::Core;
use hand_out::HandOut;
use lsu::Lsu;
use memory::Memory;
use program::Table;
use record::Noted;
use stages::Stages;
use vortex_isa::GLOBAL_BARRIER;
use watchdog::Watchdog;

/// What a run of the model is about.
pub(super) struct RunShape {
    pub(super) cores: u32,
    pub(super) warps: u32,
    pub(super) threads: u32,
    /// First address and size of local memory.
    pub(super) local: (u32, u32),
    /// What performance counters count.
    pub(super) counters: CounterClass,
}

/// Why a run did not end.
#[derive(Debug)]
pub(super) enum Stop<E> {
    /// The program did something that is not allowed.
    Program(E),
    /// Every warp that is left waits.
    Deadlock,
    /// The model itself is stuck: a bug of the model, not of the program.
    NoProgress(Standstill),
}

/// The cycle of reset. (Cycle 0 is the time at which queues were never touched.)
const RESET: u64 = 1;

/// Cycles from the last arrival at a barrier of the device until the warps of other cores continue.
const ACROSS: u64 = 4;

/// How often it is looked whether all warps wait for each other, or nothing moves at all.
const LOOK: u64 = 1 << 10;

/// Runs a program from `entry` on. Notes what it is asked to.
pub(super) fn run<P: Program>(
    config: &TimingConfig,
    shape: &RunShape,
    program: &mut P,
    entry: u32,
    recording: Option<&mut Recording>,
) -> Result<TimingStats, Stop<P::Error>> {
    match recording {
        None => run_noted(config, shape, program, entry, None),
        recording => run_noted(config, shape, &mut Noted(program), entry, recording),
    }
}

fn run_noted<P: Program>(
    config: &TimingConfig,
    shape: &RunShape,
    program: &mut P,
    entry: u32,
    recording: Option<&mut Recording>,
) -> Result<TimingStats, Stop<P::Error>> {
    let stages = Stages::new(config, shape);
    let mut memory = Memory::new(
        config,
        &stages.caches,
        shape.cores as usize,
        Lsu::channels(&stages, shape.threads),
    );
    let groups = program.grid();
    let core = |id: u32| Core::new(id as usize, config, &stages, shape, &memory, groups);
    let mut cores: Vec<Core> = (0..shape.cores).map(core).collect();
    let mut table = Table::new(config, &stages);
    if groups.is_none() {
        for core in &mut cores {
            core.start(entry);
        }
    }
    if let Some(recording) = &recording {
        recording.begin(&mut cores, config, shape, &memory);
    }
    let mut now = RESET;
    let ended = to_end(
        &mut now,
        config,
        shape,
        program,
        &mut cores,
        &mut memory,
        &mut table,
    );
    for core in &mut cores {
        core.rouse::<P>(&mut table);
    }
    if let Some(recording) = recording {
        let limits = Limits::new(config, &stages, shape);
        recording.end(now - RESET, &mut cores, &table, &memory, limits);
    }
    ended?;
    let busy = match groups {
        None => vec![now - RESET; cores.len()],
        Some(_) => cores.iter().map(|core| core.busy_cycles).collect(),
    };
    Ok(stats(busy, &memory, &cores, &table))
}

/// Moves everything on until nothing is left to do.
#[inline(always)]
fn to_end<P: Program>(
    now: &mut u64,
    config: &TimingConfig,
    shape: &RunShape,
    program: &mut P,
    cores: &mut [Core],
    memory: &mut Memory,
    table: &mut Table,
) -> Result<(), Stop<P::Error>> {
    let groups = program.grid().map_or(0, |groups| groups.count);
    let mut hand_out = HandOut::new(cores.len(), groups);
    let mut watchdog = Watchdog::new(config, shape);
    while hand_out.left() > 0 || !cores.iter().all(Core::is_done) {
        *now += 1;
        let now = *now;
        memory.step(now);
        hand_out.step(now, cores);
        for number in 0..cores.len() {
            let mut offer = hand_out.offer(now, number);
            let met = cores[number]
                .step(now, memory, program, table, &mut offer)
                .map_err(Stop::Program)?;
            if offer.taken {
                hand_out.taken(now, number);
            }
            if let Some(barrier) = met.filter(|&barrier| barrier & GLOBAL_BARRIER != 0) {
                for other in (0..cores.len()).filter(|&other| other != number) {
                    cores[other].wake_from_outside(now + ACROSS, barrier, program, table);
                }
            }
        }
        if now.is_multiple_of(LOOK) {
            if is_deadlock(cores, hand_out.left() > 0) {
                return Err(Stop::Deadlock);
            }
            watchdog
                .look(now - RESET, cores, memory.lines_under_way())
                .map_err(Stop::NoProgress)?;
        }
    }
    Ok(())
}

/// Whether warps wait, nothing is under way that could let one continue, and no core can let another's continue.
fn is_deadlock(cores: &[Core], more_groups: bool) -> bool {
    let is_stuck = |core: &Core| core.is_stuck(more_groups);
    cores.iter().any(is_stuck) && cores.iter().all(|core| core.is_done() || is_stuck(core))
}

fn stats(busy_cycles: Vec<u64>, memory: &Memory, cores: &[Core], table: &Table) -> TimingStats {
    let (icache, dcache, levels) = memory.stats();
    let by_pc = table.by_pc();
    TimingStats {
        cycles: busy_cycles.iter().copied().max().unwrap_or(0),
        busy_cycles,
        instructions: by_pc.values().map(|pc| pc.executed).sum(),
        lane_instructions: by_pc.values().map(|pc| pc.lanes).sum(),
        stalls: cores
            .iter()
            .fold(Stalls::default(), |sum, core| sum.plus(&core.stalls)),
        register_conflicts: cores.iter().map(|core| core.register_conflicts).sum(),
        icache,
        dcache,
        levels,
        memory: cores.iter().fold(MemoryStats::default(), |sum, core| {
            sum.plus(&core.lsu.stats)
        }),
        by_pc,
    }
}
