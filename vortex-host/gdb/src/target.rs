//! The device in terms of the `gdbstub` crate: threads are lanes.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::Arc;

use gdbstub::common::{Pid, Signal, Tid};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadRangeStepping, MultiThreadRangeSteppingOps, MultiThreadResume,
    MultiThreadResumeOps, MultiThreadSchedulerLocking, MultiThreadSchedulerLockingOps,
    MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::reverse_exec::{
    ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint, SwBreakpointOps,
    WatchKind,
};
use gdbstub::target::ext::exec_file::{ExecFile, ExecFileOps};
use gdbstub::target::ext::host_io::HostIoOps;
use gdbstub::target::ext::libraries::{Libraries, LibrariesOps};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{Target, TargetError, TargetResult};
use vortex_sim::Trap;
use vortex_sim::stepping::{WarpId, Watched};

use crate::arch::{LaneRegisters, Vortex};
use crate::explain::Program;
use crate::files::Files;
use crate::lane::{self, Lane};
use crate::link::{Gone, Link};
use crate::resume::{Action, Breakpoint, Plan, Shown};
use crate::wire::Conditions;

/// A device that is debugged.
pub(crate) struct Debugged {
    pub(crate) link: Link,
    /// Cores, warps of each, lanes of each warp.
    pub(crate) shape: [u32; 3],
    pub(crate) files: Files,
    conditions: Conditions,
    breakpoints: Vec<Breakpoint>,
    watched: Vec<(u32, u32, WatchKind)>,
    /// What gdb wants to happen next.
    pub(crate) action: Action,
    /// What has been reported of a breakpoint.
    pub(crate) shown: Option<Shown>,
    /// A mistake that has been reported, and since which nothing has moved or was changed.
    pub(crate) told: Option<Box<Trap>>,
    /// When it was said that what is watched is about to be accessed.
    pub(crate) warned: Option<u64>,
    /// The lane that gdb has looked at last: what it means where it names none.
    current: Cell<Option<Lane>>,
}

impl Debugged {
    pub(crate) fn new(link: Link, conditions: Conditions) -> Debugged {
        Debugged {
            link,
            shape: [1; 3],
            files: Files::default(),
            conditions,
            breakpoints: Vec::new(),
            watched: Vec::new(),
            action: Action::default(),
            shown: None,
            told: None,
            warned: None,
            current: Cell::new(None),
        }
    }

    /// Another connection has other conditions.
    pub(crate) fn set_conditions(&mut self, conditions: Conditions) {
        self.conditions = conditions;
    }

    /// A program is on the device. Whether it was not before.
    pub(crate) fn add(&mut self, program: Program) -> bool {
        self.files.add(program)
    }

    /// The thread that a lane is.
    pub(crate) fn thread(&self, lane: Lane) -> Tid {
        lane.thread(self.shape)
    }

    fn lane(&self, thread: Tid) -> Lane {
        Lane::of(thread, self.shape)
    }

    /// A lane that gdb looks at.
    fn looked_at(&self, thread: Tid) -> Lane {
        let lane = self.lane(thread);
        self.current.set(Some(lane));
        lane
    }

    /// What to stop at.
    pub(crate) fn plan(&self) -> Plan {
        let watched = self.watched.iter().map(|&(address, size, kind)| Watched {
            first: address,
            last: address.saturating_add(size.saturating_sub(1)),
            reads: kind != WatchKind::Write,
            writes: kind != WatchKind::Read,
        });
        Plan {
            breakpoints: Arc::from(self.breakpoints.as_slice()),
            watched: watched.collect(),
        }
    }

    /// What a watchpoint is, by its number in the plan.
    pub(crate) fn watchpoint(&self, number: usize) -> Option<(u32, WatchKind)> {
        let (address, _, kind) = *self.watched.get(number)?;
        Some((address, kind))
    }

    /// Another launch begins.
    pub(crate) fn begin(&mut self, shape: [u32; 3]) {
        self.shape = shape;
        self.forget();
    }

    /// Forgets what a debugger has asked for.
    pub(crate) fn reset(&mut self) {
        self.breakpoints.clear();
        self.watched.clear();
        self.forget();
    }

    /// Forgets what is true of one launch.
    fn forget(&mut self) {
        self.action = Action::default();
        self.shown = None;
        self.told = None;
        self.warned = None;
        self.current.set(None);
    }

    /// The lane that a mistake is reported of.
    pub(crate) fn lane_of(&self, trap: &Trap) -> Result<Lane, Gone> {
        let &Trap {
            core, warp, lane, ..
        } = trap;
        let warp = WarpId { core, warp };
        match lane {
            Some(number) => Ok(Lane { warp, number }),
            None => {
                let lanes = self.link.with(move |halted| halted.stepper.active(warp))?;
                Ok(self.first_lane(warp, lanes))
            }
        }
    }
}

/// gdb calls it a bad address.
const FAULT: u8 = 14;

impl Target for Debugged {
    type Arch = Vortex;
    type Error = Gone;

    fn base_ops(&mut self) -> BaseOps<'_, Vortex, Gone> {
        BaseOps::MultiThread(self)
    }

    fn use_rle(&self) -> bool {
        // What the connection adds to answers would have to know about it.
        false
    }

    fn use_fork_stop_reason(&self) -> bool {
        false
    }

    fn use_vfork_stop_reason(&self) -> bool {
        false
    }

    fn use_vforkdone_stop_reason(&self) -> bool {
        false
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_exec_file(&mut self) -> Option<ExecFileOps<'_, Self>> {
        Some(self)
    }

    fn support_libraries(&mut self) -> Option<LibrariesOps<'_, Self>> {
        Some(self)
    }

    fn support_host_io(&mut self) -> Option<HostIoOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadBase for Debugged {
    fn read_registers(
        &mut self,
        registers: &mut LaneRegisters,
        tid: Tid,
    ) -> TargetResult<(), Self> {
        let lane = self.looked_at(tid);
        let read = self.link.with(move |halted| lane::registers(halted, lane));
        *registers = read.map_err(TargetError::Fatal)?;
        Ok(())
    }

    fn write_registers(&mut self, registers: &LaneRegisters, tid: Tid) -> TargetResult<(), Self> {
        let (lane, registers) = (self.lane(tid), registers.clone());
        let done = self
            .link
            .with(move |halted| lane::set_registers(halted, lane, &registers));
        match done.map_err(TargetError::Fatal)? {
            true => {
                self.told = None;
                Ok(())
            }
            false => Err(TargetError::NonFatal),
        }
    }

    fn read_addrs(&mut self, address: u32, data: &mut [u8], tid: Tid) -> TargetResult<usize, Self> {
        let (lane, size) = (self.looked_at(tid), data.len());
        let read = self
            .link
            .with(move |halted| lane::memory(halted, lane, address, size));
        let read = read.map_err(TargetError::Fatal)?;
        if read.is_empty() {
            return Err(TargetError::Errno(FAULT));
        }
        data[..read.len()].copy_from_slice(&read);
        Ok(read.len())
    }

    fn write_addrs(&mut self, address: u32, data: &[u8], tid: Tid) -> TargetResult<(), Self> {
        let (core, data) = (self.lane(tid).warp.core, data.to_vec());
        let done = self
            .link
            .with(move |halted| halted.stepper.write(core, address, &data));
        match done.map_err(TargetError::Fatal)? {
            true => {
                self.told = None;
                Ok(())
            }
            false => Err(TargetError::Errno(FAULT)),
        }
    }

    fn list_active_threads(&mut self, is_active: &mut dyn FnMut(Tid)) -> Result<(), Gone> {
        let shape = self.shape;
        let lanes = self.link.with(move |halted| lane::all(halted, shape))?;
        // A request for any gets the first one.
        let current = self.current.get();
        let others = lanes.into_iter().filter(|lane| Some(*lane) != current);
        for lane in current.into_iter().chain(others) {
            is_active(lane.thread(shape));
        }
        Ok(())
    }

    fn is_thread_alive(&mut self, tid: Tid) -> Result<bool, Gone> {
        let lane = self.lane(tid);
        self.link
            .with(move |halted| halted.explain.has_work(lane.warp, lane.number))
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl ThreadExtraInfo for Debugged {
    fn thread_extra_info(&self, tid: Tid, buf: &mut [u8]) -> Result<usize, Gone> {
        let lane = self.lane(tid);
        let text = self.link.with(move |halted| lane::describe(halted, lane))?;
        Ok(copied(text.as_bytes(), buf))
    }
}

/// Copies what there is room for.
fn copied(bytes: &[u8], buf: &mut [u8]) -> usize {
    let count = bytes.len().min(buf.len());
    buf[..count].copy_from_slice(&bytes[..count]);
    count
}

impl MultiThreadResume for Debugged {
    fn resume(&mut self) -> Result<(), Gone> {
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), Gone> {
        self.action = Action::default();
        Ok(())
    }

    fn set_resume_action_continue(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), Gone> {
        // Of several, gdb names all; then nobody is held back.
        self.action.only = Some(self.lane(tid).warp);
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<MultiThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, Tid, Self>> {
        Some(self)
    }
}

impl MultiThreadSingleStep for Debugged {
    fn set_resume_action_step(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), Gone> {
        self.action.step = Some((self.lane(tid), 0..0));
        Ok(())
    }
}

impl MultiThreadRangeStepping for Debugged {
    fn set_resume_action_range_step(&mut self, tid: Tid, start: u32, end: u32) -> Result<(), Gone> {
        self.action.step = Some((self.lane(tid), start..end));
        Ok(())
    }
}

impl MultiThreadSchedulerLocking for Debugged {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Gone> {
        self.action.is_locked = true;
        Ok(())
    }
}

impl ReverseCont<Tid> for Debugged {
    fn reverse_cont(&mut self) -> Result<(), Gone> {
        self.action = Action {
            is_back: true,
            ..Action::default()
        };
        Ok(())
    }
}

impl ReverseStep<Tid> for Debugged {
    fn reverse_step(&mut self, tid: Tid) -> Result<(), Gone> {
        self.action = Action {
            is_back: true,
            step: Some((self.lane(tid), 0..0)),
            ..Action::default()
        };
        Ok(())
    }
}

impl Breakpoints for Debugged {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Debugged {
    fn add_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        let conditions = self.conditions.of(address);
        self.breakpoints.retain(|there| there.address != address);
        self.breakpoints.push(Breakpoint {
            address,
            conditions: conditions.into(),
        });
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        self.breakpoints.retain(|there| there.address != address);
        Ok(true)
    }
}

impl HwWatchpoint for Debugged {
    fn add_hw_watchpoint(
        &mut self,
        address: u32,
        size: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        self.watched.push((address, size, kind));
        Ok(true)
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u32,
        size: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let known = (address, size, kind);
        let number = self.watched.iter().position(|watched| *watched == known);
        if let Some(number) = number {
            self.watched.remove(number);
        }
        Ok(number.is_some())
    }
}

/// A part of a text, as gdb asks for it.
fn part_of(text: &str, offset: u64, length: usize, buf: &mut [u8]) -> usize {
    let part = text.as_bytes().get(offset as usize..).unwrap_or_default();
    copied(&part[..part.len().min(length)], buf)
}

impl ExecFile for Debugged {
    fn get_exec_file(
        &self,
        _: Option<Pid>,
        offset: u64,
        length: usize,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        Ok(part_of(self.files.main(), offset, length, buf))
    }
}

impl Libraries for Debugged {
    fn get_libraries(
        &self,
        offset: u64,
        length: usize,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        Ok(part_of(&self.files.list(), offset, length, buf))
    }
}

impl Debugged {
    /// The lane that a stop of a warp is reported of, if nothing says which.
    pub(crate) fn first_lane(&self, warp: WarpId, lanes: u32) -> Lane {
        let number = lanes.trailing_zeros().min(self.shape[2] - 1);
        Lane { warp, number }
    }
}

impl Lane {
    /// The thread of a lane; threads are numbered from 1.
    pub(crate) fn thread(self, [_, warps, threads]: [u32; 3]) -> Tid {
        let warp = self.warp.core * warps + self.warp.warp;
        NonZeroUsize::MIN.saturating_add((warp * threads + self.number) as usize)
    }

    /// The lane of a thread.
    pub(crate) fn of(thread: Tid, [_, warps, threads]: [u32; 3]) -> Lane {
        let number = (thread.get() - 1) as u32;
        let warp = number / threads;
        Lane {
            warp: WarpId {
                core: warp / warps,
                warp: warp % warps,
            },
            number: number % threads,
        }
    }
}
