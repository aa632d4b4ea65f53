//! A lane as gdb sees it.

use vortex_sim::WaitReason;
use vortex_sim::stepping::{LaneState, Stepper, WarpId};

use crate::agent::Around;
use crate::arch::{FIRST_WORK, FLOAT, LaneRegisters, MSCRATCH, PC, WORK};
use crate::explain::Explain;
use crate::link::Halted;

/// A lane of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) warp: WarpId,
    pub(crate) number: u32,
}

/// Where the numbers of [`WORK`] are for programs that say so in their symbols: words that each lane has its own of, at
/// addresses where there is no memory. `break saxpy.rs:7 if item == 4096` reads them.
pub(crate) const WORK_ADDRESS: u32 = 0x10;

/// All lanes that have work.
pub(crate) fn all(halted: &mut Halted<'_, '_>, [cores, warps, threads]: [u32; 3]) -> Vec<Lane> {
    let warps = (0..cores).flat_map(|core| (0..warps).map(move |warp| WarpId { core, warp }));
    let lanes = warps.flat_map(|warp| (0..threads).map(move |number| Lane { warp, number }));
    lanes
        .filter(|lane| halted.explain.has_work(lane.warp, lane.number))
        .collect()
}

/// Where a lane is; where its warp has ended, at the last instruction, as another function may follow.
pub(crate) fn pc(stepper: &Stepper<'_>, lane: Lane) -> u32 {
    match stepper.lane(lane.warp, lane.number) {
        LaneState::Parked(pc) => pc,
        _ if !stepper.is_running(lane.warp) => stepper.pc(lane.warp).saturating_sub(4),
        LaneState::Active | LaneState::Off => stepper.pc(lane.warp),
    }
}

/// The numbers of [`WORK`].
fn work(stepper: &Stepper<'_>, explain: &dyn Explain, lane: Lane) -> [Option<u32>; WORK.len()] {
    let item = explain.item(stepper, lane.warp, lane.number);
    let WarpId { core, warp } = lane.warp;
    [
        item.as_ref().map(|item| item.number),
        item.and_then(|item| item.group),
        Some(lane.number),
        Some(warp),
        Some(core),
    ]
}

pub(crate) fn registers(halted: &mut Halted<'_, '_>, lane: Lane) -> LaneRegisters {
    let register = |number: usize| {
        let register = halted
            .stepper
            .register(lane.warp, lane.number, number as u8);
        register.unwrap_or_default()
    };
    LaneRegisters {
        x: std::array::from_fn(register),
        pc: pc(halted.stepper, lane),
        f: std::array::from_fn(|number| register(32 + number)),
        mscratch: halted.stepper.mscratch(lane.warp).unwrap_or_default(),
        work: work(halted.stepper, halted.explain, lane),
    }
}

/// Changes those that are others; whether that is possible.
pub(crate) fn set_registers(
    halted: &mut Halted<'_, '_>,
    lane: Lane,
    wanted: &LaneRegisters,
) -> bool {
    let now = registers(halted, lane);
    if now.pc != wanted.pc {
        // A warp's lanes go together.
        return false;
    }
    let now = now.x.iter().chain(&now.f);
    let changed = now.zip(wanted.x.iter().chain(&wanted.f)).zip(0u8..);
    for ((now, wanted), number) in changed {
        if now != wanted {
            halted
                .stepper
                .set_register(lane.warp, lane.number, number, *wanted);
        }
    }
    true
}

/// Memory as a lane sees it, up to the first gap.
pub(crate) fn memory(
    halted: &mut Halted<'_, '_>,
    lane: Lane,
    address: u32,
    size: usize,
) -> Vec<u8> {
    let mut bytes = vec![0; size];
    let count = read(halted.stepper, halted.explain, lane, address, &mut bytes);
    bytes.truncate(count);
    bytes
}

/// The same into a buffer. Returns how many bytes there are.
fn read(
    stepper: &Stepper<'_>,
    explain: &dyn Explain,
    lane: Lane,
    address: u32,
    into: &mut [u8],
) -> usize {
    let size = into.len();
    match work_word(stepper, explain, lane, address, size) {
        Some(word) => {
            into.copy_from_slice(&word.to_le_bytes()[..size]);
            size
        }
        None => stepper.read(lane.warp.core, address, into),
    }
}

/// A number of [`WORK`], by its address.
fn work_word(
    stepper: &Stepper<'_>,
    explain: &dyn Explain,
    lane: Lane,
    address: u32,
    size: usize,
) -> Option<u32> {
    let offset = address.checked_sub(WORK_ADDRESS)?;
    if !offset.is_multiple_of(4) || size > 4 {
        return None;
    }
    *work(stepper, explain, lane).get(offset as usize / 4)?
}

/// A lane in a condition.
pub(crate) struct LaneAround<'a, 'r> {
    pub(crate) stepper: &'a Stepper<'r>,
    pub(crate) explain: &'a dyn Explain,
    pub(crate) lane: Lane,
}

impl Around for LaneAround<'_, '_> {
    fn register(&self, number: usize) -> Option<u32> {
        let Lane { warp, number: lane } = self.lane;
        match number {
            PC => Some(pc(self.stepper, self.lane)),
            0..PC => self.stepper.register(warp, lane, number as u8),
            MSCRATCH => self.stepper.mscratch(warp),
            FLOAT..MSCRATCH => {
                let number = 32 + number - FLOAT;
                self.stepper.register(warp, lane, number as u8)
            }
            _ => {
                let work = work(self.stepper, self.explain, self.lane);
                *work.get(number - FIRST_WORK)?
            }
        }
    }

    fn memory(&self, address: u32, size: usize) -> Option<u64> {
        let mut bytes = [0; 8];
        let part = bytes.get_mut(..size)?;
        let read = read(self.stepper, self.explain, self.lane, address, part);
        (read == size).then_some(u64::from_le_bytes(bytes))
    }
}

/// What is written after a thread: where the lane is, and what it does.
pub(crate) fn describe(halted: &mut Halted<'_, '_>, lane: Lane) -> String {
    let WarpId { core, warp } = lane.warp;
    let mut text = format!("core {core} warp {warp} lane {}", lane.number);
    let stepper = &*halted.stepper;
    if let Some(item) = halted.explain.item(stepper, lane.warp, lane.number) {
        text += &format!(": {}", item.text);
    }
    match stepper.lane(lane.warp, lane.number) {
        _ if !stepper.is_running(lane.warp) => {
            text += match stepper.pc(lane.warp) {
                0 => ", not started",
                _ => ", done",
            }
        }
        LaneState::Off => text += ", off",
        LaneState::Parked(_) => text += ", inactive",
        LaneState::Active => {}
    }
    if let Some(waiting) = stepper.waits(lane.warp) {
        text += match waiting.reason {
            WaitReason::Spawn => ", about to start other warps",
            _ => ", at a barrier",
        };
    }
    text
}
