//! Handing out work groups, as Vortex 3 does in hardware (its `VX_kmu` and `VX_cta_dispatch`): a grid's groups go to
//! whichever core has a slot for one, and a group's warps to the core's lowest free ones.
//!
//! A warp that ends does not start again: for its next group it continues 16 bytes before the `tmc` that has ended it,
//! with its registers unchanged. So programs have a few instructions there that start over.

use super::config::Config;
use super::grid::{Grid, GroupOfWarp};
use super::layout::LOCAL;
use super::race::Races;
use super::timing::GroupShape;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// From the instruction after the `tmc` that ended a warp back to where it continues for its next group.
const WINDOW: u32 = 20;

/// A grid while it runs. All threads of a run take groups from it.
#[derive(Debug)]
pub(crate) struct Launch {
    grid: Grid,
    /// Where a warp starts in its first group.
    start: u32,
    argument: u32,
    count: u64,
    /// The number of the group that is next.
    next: AtomicU64,
}

impl Launch {
    pub(crate) fn new(grid: Grid, start: u32, argument: u32) -> Launch {
        Launch {
            grid,
            start,
            argument,
            count: grid.count(),
            next: AtomicU64::new(0),
        }
    }

    /// What a warp finds in `mscratch`.
    pub(crate) fn argument(&self) -> u32 {
        self.argument
    }

    /// The place of the next group in the grid.
    pub(crate) fn take(&self) -> Option<[u32; 3]> {
        // Beyond the count it grows by one for each question of a core, which cannot overflow.
        self.group(self.next.fetch_add(1, Relaxed))
    }

    /// The place of a group, if there is one of this number.
    pub(crate) fn group(&self, number: u64) -> Option<[u32; 3]> {
        (number < self.count).then(|| self.grid.place(number))
    }

    /// How many groups were asked for.
    pub(crate) fn handed_out(&self) -> u64 {
        self.next.load(Relaxed)
    }

    /// Makes it what it was.
    pub(crate) fn set_handed_out(&self, groups: u64) {
        self.next.store(groups, Relaxed);
    }

    /// Whether there are groups that no core has taken.
    pub(crate) fn has_more(&self) -> bool {
        self.next.load(Relaxed) < self.count
    }

    /// The groups as the cycle model hands them out.
    pub(crate) fn shape(&self, config: &Config) -> GroupShape {
        GroupShape {
            count: self.count,
            warps: self.grid.group_size().div_ceil(config.threads),
            slots: self.slots(config),
        }
    }

    /// As many groups have room in a core at a time.
    fn slots(&self, config: &Config) -> usize {
        let most = config.warps as usize;
        match Grid::local_stride(self.grid.local_bytes) {
            0 => most,
            stride => ((config.local_mem / stride) as usize).clamp(1, most),
        }
    }
}

/// The part of a core that starts its warps.
#[derive(Clone, Debug)]
pub(crate) struct Dispatcher {
    /// Of each slot, the warps that its group has not ended.
    slots: Vec<u32>,
    /// The slot that is next.
    tail: usize,
    /// The group whose warps are being started, as its next warp knows it.
    current: Option<GroupOfWarp>,
    /// Of each warp, the slot of its group.
    slot_of: Vec<Option<usize>>,
    /// Where each warp continues, once it has run in this launch.
    resume: Vec<Option<u32>>,
}

impl Dispatcher {
    pub(crate) fn new(config: &Config) -> Dispatcher {
        let warps = config.warps as usize;
        Dispatcher {
            slots: vec![0; warps],
            tail: 0,
            current: None,
            slot_of: vec![None; warps],
            resume: vec![None; warps],
        }
    }

    /// As after a reset.
    pub(crate) fn reset(&mut self) {
        self.slots.fill(0);
        self.tail = 0;
        self.current = None;
        self.slot_of.fill(None);
        self.resume.fill(None);
    }

    /// Takes a group if there is a slot for it.
    fn accept(
        &mut self,
        launch: &Launch,
        config: &Config,
        group: impl FnOnce() -> Option<[u32; 3]>,
    ) -> Option<GroupOfWarp> {
        let stride = Grid::local_stride(launch.grid.local_bytes);
        let slots = launch.slots(config);
        let slot = match self.tail < slots {
            true => self.tail,
            false => 0,
        };
        if self.slots[slot] != 0 {
            return None;
        }
        let at = group()?;
        let size = launch.grid.group_size().div_ceil(config.threads);
        self.slots[slot] = size;
        self.tail = (slot + 1) % slots;
        Some(GroupOfWarp {
            slot: slot as u32,
            rank: 0,
            size,
            at,
            local: LOCAL + slot as u32 * stride,
            grid: launch.grid,
        })
    }

    /// Takes a group to start its warps, and answers its slot.
    pub(crate) fn take(
        &mut self,
        launch: &Launch,
        config: &Config,
        group: impl FnOnce() -> Option<[u32; 3]>,
    ) -> Option<usize> {
        self.current = self.accept(launch, config, group);
        self.current.map(|group| group.slot as usize)
    }

    /// Whether a group's warps are being started.
    pub(crate) fn is_starting(&self) -> bool {
        self.current.is_some()
    }

    /// Has this warp be the next of the group taken last. Answers what it knows of the group, and where it starts.
    pub(crate) fn next(&mut self, warp: usize, launch: &Launch) -> Option<(GroupOfWarp, u32)> {
        let group = self.current?;
        let next = GroupOfWarp {
            rank: group.rank + 1,
            ..group
        };
        self.current = (next.rank < next.size).then_some(next);
        self.slot_of[warp] = Some(group.slot as usize);
        Some((group, self.resume[warp].unwrap_or(launch.start)))
    }

    /// A warp has ended, with its program counter after the instruction that did it.
    pub(crate) fn ended(&mut self, core: u32, warp: usize, pc: u32, races: Option<&mut Races>) {
        self.resume[warp] = Some(pc.wrapping_sub(WINDOW));
        let Some(slot) = self.slot_of[warp].take() else {
            return;
        };
        self.slots[slot] -= 1;
        if let Some(races) = races {
            races.leave_slot(core, warp as u32, slot as u32);
        }
    }
}
