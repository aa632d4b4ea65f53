//! Where lanes are in the work of a launch.

use vortex_kernel::isa::Generation;
use vortex_sim::debug::WordLocation;
use vortex_sim::{Origin, Trap, TrapKind, Waiting};

use super::shape::Stopped;
use crate::device::State;
use crate::driver::HardwareThread;
use crate::fault::Involved;
use crate::image::Loaded;
use crate::item_counter::{CALLER, ItemCounters, Iteration};

/// Who knows what lanes hold.
pub(super) trait Lanes {
    /// What a lane holds in a place.
    fn held(&self, at: HardwareThread, place: WordLocation) -> Option<u32>;

    /// The number of the group of warps that the hardware has handed to a warp last, and the warp's number in that.
    fn handed(&self, core: u32, warp: u32) -> Option<(u32, u32)>;

    /// The first active lane of a warp.
    fn first_lane(&self, core: u32, warp: u32) -> Option<u32>;
}

impl Lanes for State {
    fn held(&self, at: HardwareThread, place: WordLocation) -> Option<u32> {
        self.driver.held(at, place)
    }

    fn handed(&self, core: u32, warp: u32) -> Option<(u32, u32)> {
        self.driver.handed(core, warp)
    }

    fn first_lane(&self, core: u32, warp: u32) -> Option<u32> {
        self.driver.first_lane(core, warp)
    }
}

/// An image on a device, and what its code says of iterations.
pub(super) struct Whereabouts<'a> {
    loaded: &'a Loaded,
    counters: ItemCounters<'a>,
}

impl<'a> Whereabouts<'a> {
    pub(super) fn of(loaded: &'a Loaded) -> Self {
        let counters = loaded.item_counters();
        Self { loaded, counters }
    }

    fn iteration(&self, pc: u32) -> Option<Iteration> {
        self.counters.at(pc.checked_sub(self.loaded.addr)?)
    }

    fn handed(&self, lanes: &dyn Lanes, core: u32, warp: u32) -> Option<(u32, u32)> {
        match self.loaded.image.generation() {
            Generation::V2 => None,
            Generation::V3 => lanes.handed(core, warp),
        }
    }

    /// Where a lane is that is at an instruction.
    pub(super) fn at(&self, lanes: &dyn Lanes, at: HardwareThread, pc: u32) -> Option<Stopped> {
        let iteration = match self.iteration(pc)? {
            Iteration::Called => self.iteration(lanes.held(at, CALLER)?)?,
            found => found,
        };
        let number = match iteration {
            Iteration::First => None,
            Iteration::In(place) => Some(lanes.held(at, place)?),
            // A routine calls none.
            Iteration::Called => return None,
        };
        Some(Stopped {
            at,
            handed: self.handed(lanes, at.core, at.warp),
            number,
            block_item: self.loaded.block_item(pc),
        })
    }

    /// Where those are that a trap names.
    pub(super) fn involved(&self, lanes: &dyn Lanes, trap: &Trap) -> Involved<Stopped> {
        let at = |core, warp, lane: Option<u32>, pc| {
            let lane = lane.or_else(|| lanes.first_lane(core, warp))?;
            self.at(lanes, HardwareThread { core, warp, lane }, pc)
        };
        let waits = |warp: &Waiting| at(warp.core, warp.warp, None, warp.pc);
        let first = match &trap.kind {
            // It went on since, so the device kept the number.
            TrapKind::DataRace { first, .. }
            | TrapKind::OnlyLockstep { first, .. }
            | TrapKind::StaleRead { first, .. } => {
                let at = HardwareThread {
                    core: first.core,
                    warp: first.warp,
                    lane: first.lane,
                };
                match self.iteration(first.pc) {
                    // The warp may have been handed another group since.
                    Some(Iteration::First) if self.loaded.image.generation() == Generation::V3 => {
                        None
                    }
                    Some(Iteration::First) => Some(None),
                    Some(Iteration::In(_)) => first.work.map(Some),
                    Some(Iteration::Called) | None => None,
                }
                .map(|number| Stopped {
                    at,
                    handed: self.handed(lanes, at.core, at.warp),
                    number,
                    block_item: self.loaded.block_item(first.pc),
                })
            }
            // Its warp is still at the same work.
            TrapKind::Uninitialised {
                origin: Origin::Memory { pc, warp, lane, .. },
                ..
            } if *warp == trap.warp => {
                let block_item = self.loaded.block_item(*pc);
                at(trap.core, *warp, Some(*lane), trap.pc).map(|at| Stopped { block_item, ..at })
            }
            TrapKind::StoreCollision { other, .. } | TrapKind::LostUpdate { other, .. } => {
                at(trap.core, trap.warp, Some(*other), trap.pc)
            }
            TrapKind::BarrierMismatch { first, .. } | TrapKind::OtherBarrier { first } => {
                waits(first)
            }
            _ => None,
        };
        Involved {
            own: at(trap.core, trap.warp, trap.lane, trap.pc),
            first,
            waiting: trap.kind.waiting().iter().map(waits).collect(),
        }
    }
}
