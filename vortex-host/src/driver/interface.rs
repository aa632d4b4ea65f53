//! What the runtime requires of a device.

use std::fmt;
use std::time::Duration;

use vortex_kernel::isa::{Generation, Inst};

use crate::counters::PerfCounters;
use vortex_sim::debug::{Note, Tell, Terms, WordLocation};
use vortex_sim::timing::TimingStats;
use vortex_sim::{Config, Count, Grid, GridError, PerfClass, Progress, Trap, Usage};

/// What a device is made of; [`Device::caps`](crate::Device::caps) returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caps {
    /// The generation of Vortex that it is of.
    pub generation: Generation,
    /// Cores of the device, in all of its clusters.
    pub cores: u32,
    /// Clusters that the cores are in, of as many each; 1 where the device does not say.
    pub clusters: u32,
    /// Warps per core.
    pub warps: u32,
    /// Threads (lanes) per warp.
    pub threads: u32,
    /// Whether the cores have the Zicond extension.
    pub zicond: bool,
    /// Whether the cores have the A extension.
    pub atomics: bool,
    /// Whether the cores have votes and shuffles.
    pub warp_ops: bool,
    /// Whether clusters have engines that copy tiles between memory and local memory while kernels run (DXA). Vortex 3
    /// can be built with them. Nothing here uses them so far.
    pub async_copies: bool,
    /// Whether cores have units that multiply matrices (TCU), which Vortex 3 can be built with. Nothing here uses them
    /// so far.
    pub tensor_units: bool,
    /// Bytes of local memory per core.
    pub local_memory: u32,
}

impl Caps {
    /// Hardware threads of the whole device: cores times warps times threads.
    #[must_use]
    pub const fn harts(&self) -> u32 {
        self.cores * self.warps * self.threads
    }

    /// Core, warp of it and lane of that, of a hardware thread by its number.
    pub(crate) const fn place(&self, hart: u32) -> [u32; 3] {
        let warp = hart / self.threads;
        [warp / self.warps, warp % self.warps, hart % self.threads]
    }

    /// The most work items that a group can have: what fits one core, its warps times its threads.
    #[must_use]
    pub const fn max_group(&self) -> u32 {
        self.warps * self.threads
    }
}

/// In a line: its shape, what it can do, and what it cannot that kernels may ask of it.
impl fmt::Display for Caps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, ", self.generation)?;
        if self.clusters > 1 {
            write!(f, "{} with ", Count(self.clusters, "cluster"))?;
        }
        write!(
            f,
            "{} x {} x {}, groups of up to {}, {} of local memory",
            Count(self.cores, "core"),
            Count(self.warps, "warp"),
            Count(self.threads, "thread"),
            Count(self.max_group(), "item"),
            Count(self.local_memory, "byte"),
        )?;
        let parts = [
            (self.zicond, "Zicond"),
            (self.atomics, "atomics"),
            (!self.atomics, "no atomics"),
            (self.warp_ops, "votes and shuffles"),
            (self.async_copies, "asynchronous copies (DXA)"),
            (self.tensor_units, "tensor units (TCU)"),
        ];
        let mut there = parts.iter().filter(|(is_there, _)| *is_there);
        there.try_for_each(|(_, name)| write!(f, ", {name}"))
    }
}

/// Why a driver could not do something.
#[derive(Debug)]
pub(crate) enum DriverError {
    /// No free range of that size.
    OutOfMemory,
    /// The device stopped the kernel.
    Trap(Box<Trap>),
    /// The device cannot be given that grid.
    Grid(GridError),
    /// The kernel did not end in time, and cannot be stopped.
    TimedOut { waited: Duration },
    /// Anything else, in the driver's words.
    Failed(String),
}

/// What a run cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stats {
    /// Instructions, counted once per warp, if the device does so.
    pub(crate) instructions: Option<u64>,
    /// Instructions, counted once per active lane, if the device does so.
    pub(crate) lane_instructions: Option<u64>,
    /// The most divergent splits open at a time, if the device tells.
    pub(crate) split_depth: Option<u32>,
    /// Clock cycles, if the device counts them.
    pub(crate) cycles: Option<u64>,
    /// Where they went, if the device knows.
    pub(crate) timing: Option<Box<TimingStats>>,
    /// What the kernel printed.
    pub(crate) console: String,
    /// How many bytes of that were not kept.
    pub(crate) console_lost: u64,
    /// What it says about its success, if it is a program that says so.
    pub(crate) exit_code: Option<u32>,
    /// How long it took until the kernel ran on its own; no time where it runs in the caller's thread.
    pub(crate) start: Duration,
    /// Performance counters, if a class of them is selected and the device has them.
    pub(crate) counters: Option<Box<PerfCounters>>,
    /// The same and more by the clock of Vortex's runtime, if that takes times.
    pub(crate) times: Option<RuntimeTimes>,
}

/// Where the time of a launch went by the clock of Vortex's runtime, that of version 3 (`vx_event_get_profiling` in its
/// `vortex2.h`): what [`Report::runtime_times`](crate::Report::runtime_times) returns. The runtime takes these times on
/// the host, to the nanosecond, so they include its way to the device and back; cycles are the device's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuntimeTimes {
    /// In the runtime's queue, until its thread took the launch up.
    pub queued: Duration,
    /// From there until it was started on the device.
    pub submitted: Duration,
    /// From there until the device had said that it has ended.
    pub ran: Duration,
}

impl Stats {
    /// Of a launch of no work items.
    pub(crate) fn of_nothing() -> Self {
        Self {
            instructions: Some(0),
            lane_instructions: Some(0),
            ..Self::default()
        }
    }
}

/// Whether kernels may write a range of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    ReadWrite,
}

/// A lane of a warp of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HardwareThread {
    pub(crate) core: u32,
    pub(crate) warp: u32,
    pub(crate) lane: u32,
}

/// One opened device.
pub(crate) trait Driver: Send {
    /// What it is made of.
    fn caps(&self) -> Caps;

    /// The embedded device that it is, if it is one.
    fn config(&self) -> Option<&Config> {
        None
    }

    /// Whether it only knows what a run cost if the kernel leaves its counters in memory.
    fn reads_dump(&self) -> bool {
        false
    }

    /// Whether it watches which items race each other.
    fn watches_races(&self) -> bool {
        false
    }

    /// Has later launches say what the performance counters of a class have counted.
    fn count(&mut self, _class: Option<PerfClass>) {}

    /// Whether it runs grids: what [`Driver::launch`] is for.
    fn hands_out_groups(&self) -> bool {
        false
    }

    /// Whether it notes what terms ask it to.
    fn records(&self) -> bool {
        false
    }

    /// How far runs have come; a driver that does not know says nothing.
    fn progress(&self) -> Progress {
        Progress::default()
    }

    /// Bytes of device memory in use, also while a kernel runs; nothing from a driver that does not know.
    fn usage(&self) -> Option<Usage> {
        None
    }

    /// Reserves `bytes` of device memory; the contents are unspecified.
    fn alloc(&mut self, bytes: u32, access: Access) -> Result<u32, DriverError>;

    /// Reserves device memory at an address, for a program; the contents are unspecified.
    fn reserve(&mut self, addr: u32, bytes: u32, access: Access) -> Result<(), DriverError>;

    /// Changes what kernels may do with a part of what [`Driver::reserve`] has reserved.
    fn set_access(&mut self, addr: u32, bytes: u32, access: Access) -> Result<(), DriverError>;

    /// Gives back what [`Driver::alloc`] returned, or [`Driver::reserve`] was given.
    fn free(&mut self, addr: u32);

    /// Offers to say more of the instructions of the program at `addr`, by their offsets.
    fn annotate(&mut self, _addr: u32, _code: &[u8], _note: &mut dyn FnMut(u32, Inst) -> Note) {}

    /// Says that what happens in a part of what [`Driver::alloc`] returned is not a data race. Of several, the last
    /// counts.
    fn let_race(&mut self, _addr: u32, _bytes: u32) {}

    /// Copies to the device.
    fn write(&mut self, addr: u32, bytes: &[u8]) -> Result<(), DriverError>;

    /// Copies from the device.
    fn read(&mut self, addr: u32, bytes: &mut [u8]) -> Result<(), DriverError>;

    /// The first lane of a warp that was active when the last run ended. Nothing on devices that do not say.
    fn first_lane(&self, _core: u32, _warp: u32) -> Option<u32> {
        None
    }

    /// What a lane held in a place when the last run ended.
    fn held(&self, _at: HardwareThread, _place: WordLocation) -> Option<u32> {
        None
    }

    /// Runs the code at `entry` to its end.
    fn run(&mut self, entry: u32, argument: u32) -> Result<Stats, DriverError>;

    /// As [`Driver::run`], on such terms. A driver that cannot keep them takes no notice.
    fn run_on(
        &mut self,
        entry: u32,
        argument: u32,
        _terms: Terms<'_>,
    ) -> Result<Stats, DriverError> {
        self.run(entry, argument)
    }

    /// Has the hardware hand out groups of warps, which run the code at `entry` to its end; else as
    /// [`Driver::run_on`]. Only for drivers that say they can.
    fn launch(
        &mut self,
        _entry: u32,
        _argument: u32,
        _grid: &Grid,
        _terms: Terms<'_>,
    ) -> Result<Stats, DriverError> {
        let what = "this driver starts programs, and cannot have the hardware hand out work groups";
        Err(DriverError::Failed(what.to_owned()))
    }

    /// The same of a third-party program.
    fn launch_foreign(
        &mut self,
        entry: u32,
        argument: u32,
        grid: &Grid,
        tell: Tell<'_>,
    ) -> Result<Stats, DriverError> {
        let mut lent = std::iter::empty();
        self.launch(entry, argument, grid, Terms::of(&mut lent, tell))
    }

    /// The number of the group of warps that the hardware has handed to a warp last, and the warp's number in that.
    fn handed(&self, _core: u32, _warp: u32) -> Option<(u32, u32)> {
        None
    }

    /// The same of a program with Vortex's own start-up, which uses memory after its image for its threads.
    fn run_foreign(
        &mut self,
        entry: u32,
        argument: u32,
        _tell: Tell<'_>,
    ) -> Result<Stats, DriverError> {
        self.run(entry, argument)
    }
}
