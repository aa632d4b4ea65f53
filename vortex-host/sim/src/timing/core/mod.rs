//! A core: its warps through schedule, fetch and decode, and the later stages in order.

mod control;
mod dispatch;
mod fetch;
mod record;
mod sleep;

use self::dispatch::Dispatcher;
use self::sleep::Sleep;
use super::config::{LINE_BITS, TimingConfig};
use super::control::{Around, Funnel, Sfu};
use super::counters::{self, CoreCounts, CounterClass, Counters};
use super::issue::{Blocked, Slice, Written};
use super::lsu::{Addresses, Lsu};
use super::memory::{Memory, Shared, Socket, TAG_MASK};
use super::program::{GroupShape, Program, Table};
use super::queue::{Calendar, Queue};
use super::record::Recorder;
use super::request::Access;
use super::stages::Stages;
use super::stats::Stalls;
use super::uop::{Entry, Id, Kind, Unit, Uop, Uops};
use super::{RESET, RunShape};
use crate::registers::lanes_of;

/// What a warp does as far as fetching goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fetch {
    /// It can be fetched.
    Ready,
    /// It is being fetched.
    Fetching,
    /// It waits for an instruction to take effect.
    Held,
    /// It waits for other warps.
    Waiting,
    /// It ended, or was not started.
    Inactive,
}

#[derive(Clone, Copy, Debug)]
struct WarpState {
    /// Its slice, and its number there.
    slice: u8,
    index: u8,
    fetch: Fetch,
    pc: u32,
    /// The instruction fetched last.
    fetched: u32,
    /// Instructions fetched and not committed.
    pending: u32,
    /// Instructions chosen that have not left its buffer.
    ahead: u32,
    /// The barrier that it waits at.
    barrier: u32,
}

/// A work group that a core can take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Offer {
    /// The number of the one that there is in this cycle.
    pub(super) group: Option<u64>,
    /// It took that.
    pub(super) taken: bool,
    /// There may be one in a later cycle.
    pub(super) more: bool,
}

#[derive(Debug)]
pub(super) struct Core {
    id: usize,
    socket: usize,
    /// Its number in the socket.
    slot: usize,
    warps: Vec<WarpState>,
    /// The warps that are [`Fetch::Ready`], and those that are not [`Fetch::Inactive`]; see [`Core::set`].
    ready: u32,
    live: u32,
    /// Warps that can be fetched from a cycle on.
    released: Calendar,
    /// Warps of which an instruction counts as done from a cycle on.
    retired: Calendar,
    /// Warp 0 waits to spawn others from a cycle on.
    spawning: Option<u64>,
    /// Active warps in the last cycle.
    active: u32,
    /// Barriers whose instructions were executed, with no warp waiting any more, and that did not take effect yet.
    passing: Vec<u32>,
    uops: Uops,
    scheduled: Queue<u8>,
    slices: Vec<Slice>,
    sfu: Sfu,
    sfu_funnel: Funnel,
    pub(super) lsu: Lsu,
    lsu_funnel: Funnel,
    lsu_input: Queue<Id>,
    addresses: Addresses,
    /// Cycles from decode on, as [`Stages`] says, and from the completion of a barrier.
    unlock: u64,
    after_barrier: u64,
    barriers_drain: bool,
    /// How many instructions of a warp may be ahead, if those of too many are passed over.
    most_ahead: Option<u32>,
    /// What the hardware hands work groups to.
    dispatcher: Option<Dispatcher>,
    /// That works in this cycle.
    dispatching: bool,
    /// Warps were active, or instructions under way, in the last cycle.
    was_active: bool,
    /// Cycles in which it was busy.
    pub(super) busy_cycles: u64,
    /// An environment call ended the core.
    halted: bool,
    /// Instructions dispatched.
    executed: u64,
    sleep: Sleep,
    pub(super) stalls: Stalls,
    pub(super) register_conflicts: u64,
    counts: CoreCounts,
    class: CounterClass,
    /// The recorder, if a recording was requested.
    recorder: Option<Box<Recorder>>,
}

impl Core {
    pub(super) fn new(
        id: usize,
        config: &TimingConfig,
        stages: &Stages,
        shape: &RunShape,
        memory: &Memory,
        groups: Option<GroupShape>,
    ) -> Core {
        let warps = shape.warps;
        let count = config.issue_slices(warps) as usize;
        let (socket, slot) = memory.locate(id);
        let warps_of = |slice: usize| (warps as usize - slice).div_ceil(count);
        Core {
            id,
            socket,
            slot,
            warps: (0..warps as usize)
                .map(|warp| WarpState {
                    slice: (warp % count) as u8,
                    index: (warp / count) as u8,
                    fetch: Fetch::Inactive,
                    pc: 0,
                    fetched: 0,
                    pending: 0,
                    ahead: 0,
                    barrier: 0,
                })
                .collect(),
            ready: 0,
            live: 0,
            released: Calendar::default(),
            retired: Calendar::default(),
            spawning: None,
            active: 0,
            passing: Vec::new(),
            uops: Uops::default(),
            scheduled: Queue::new(2),
            slices: (0..count)
                .map(|slice| Slice::new(config, stages, warps_of(slice)))
                .collect(),
            sfu: Sfu::new(stages),
            sfu_funnel: Funnel::default(),
            lsu: Lsu::new(stages, shape.threads, shape.local),
            lsu_funnel: Funnel::default(),
            lsu_input: Queue::new(2),
            addresses: Addresses::default(),
            unlock: stages.unlock,
            after_barrier: 1 + u64::from(stages.barriers_drain),
            barriers_drain: stages.barriers_drain,
            most_ahead: stages
                .passes_over_full
                .then_some(config.instruction_buffer.max(1)),
            dispatcher: groups.map(|groups| Dispatcher::new(groups, warps)),
            dispatching: false,
            was_active: false,
            busy_cycles: 0,
            halted: false,
            executed: 0,
            sleep: Sleep::new(count),
            stalls: Stalls::default(),
            register_conflicts: 0,
            counts: CoreCounts::default(),
            class: shape.counters,
            recorder: None,
        }
    }

    /// Starts warp 0.
    pub(super) fn start(&mut self, pc: u32) {
        (self.warps[0].pc, self.warps[0].fetched) = (pc, pc);
        self.set(0, Fetch::Ready);
        self.active = 1;
    }

    /// Changes what a warp does as far as fetching goes.
    fn set(&mut self, warp: usize, fetch: Fetch) {
        self.warps[warp].fetch = fetch;
        let mark = |warps: u32, yes: bool| warps & !(1 << warp) | u32::from(yes) << warp;
        self.ready = mark(self.ready, fetch == Fetch::Ready);
        self.live = mark(self.live, fetch != Fetch::Inactive);
    }

    /// Whether all warps ended and nothing is under way.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        let ended = |warp: &WarpState| warp.pending == 0;
        let idle = self.live == 0 && self.uops.is_empty() && self.warps.iter().all(ended);
        self.halted || idle && self.dispatcher.as_ref().is_none_or(Dispatcher::rests)
    }

    /// Whether warps wait and nothing is under way that could let one of them continue: only another core can.
    pub(super) fn is_stuck(&self, more_groups: bool) -> bool {
        let under_way =
            !self.uops.is_empty() || !self.released.is_empty() || !self.retired.is_empty();
        let spawns = self.spawning.is_some() && self.active == 1;
        let rests = |warp: &WarpState| matches!(warp.fetch, Fetch::Inactive | Fetch::Waiting);
        let waits = |warp: &WarpState| warp.fetch == Fetch::Waiting;
        !self.halted
            && !under_way
            && !spawns
            && self.dispatcher_is_still(more_groups)
            && self.warps.iter().all(rests)
            && self.warps.iter().any(waits)
    }

    /// Instructions dispatched so far.
    pub(super) fn executed(&self) -> u64 {
        self.executed
    }

    /// What is under way, for the report of a standstill.
    pub(super) fn describe(&self) -> String {
        if self.halted {
            return "halted".to_owned();
        }
        let warps: Vec<String> = self
            .warps
            .iter()
            .enumerate()
            .filter(|(_, warp)| warp.fetch != Fetch::Inactive || warp.pending > 0)
            .map(|(number, warp)| {
                let WarpState {
                    fetch, pc, pending, ..
                } = warp;
                format!("warp {number} {fetch:?} at {pc:#010x}, {pending} under way")
            })
            .collect();
        if warps.is_empty() {
            return "all warps ended".to_owned();
        }
        warps.join("; ")
    }

    /// Moves on by a cycle. Returns the barrier that was completed, which may be one of other cores too.
    pub(super) fn step<P: Program>(
        &mut self,
        now: u64,
        memory: &mut Memory,
        program: &mut P,
        table: &mut Table,
        groups: &mut Offer,
    ) -> Result<Option<u32>, P::Error> {
        if self.halted {
            self.drain(now, memory);
            return Ok(None);
        }
        if self.is_done() && self.lsu.rests() && groups.group.is_none() {
            self.counts.scheduler_idle += 1;
            self.stalls.idle += self.slices.len() as u64;
            self.busy_cycles += u64::from(self.was_active);
            self.was_active = false;
            return Ok(None);
        }
        if self.sleeps::<P>(memory, table) {
            return Ok(None);
        }
        if P::RECORDS
            && let Some(recorder) = &mut self.recorder
        {
            recorder.now = now - RESET;
        }
        groups.taken = self.dispatch(now, program, groups.group);
        self.busy_cycles += u64::from(self.was_active || self.dispatching);
        self.release(now, program);
        self.fetch(now, memory, program, table);
        self.commit::<P>(now);
        let met = self.execute(now, memory, program, table);
        self.issue(now, memory, program, table)?;
        if P::RECORDS {
            self.observe(1, table);
        }
        for slice in &mut self.slices {
            slice.settle();
        }
        self.count_ahead();
        self.was_active = self.live != 0 || self.warps.iter().any(|warp| warp.pending > 0);
        self.doze(now, memory, groups.more);
        Ok(met)
    }

    /// Notes which warps' buffers were left.
    fn count_ahead(&mut self) {
        let slices = self.slices.len();
        for (number, slice) in self.slices.iter_mut().enumerate() {
            for index in lanes_of(std::mem::take(&mut slice.moved_up)) {
                self.warps[index as usize * slices + number].ahead -= 1;
            }
        }
    }

    /// Takes what memory still answers after an environment call ended the core: nobody else would, and the answers
    /// of other cores that share its caches would wait for ever.
    fn drain(&self, now: u64, memory: &mut Memory) {
        let Socket { icache, dcache, .. } = &mut memory.sockets[self.socket];
        icache.answers(self.slot, 0).pop(now);
        dcache.discard_answers(now, self.slot);
    }

    fn hold_until(&mut self, when: u64, warp: u8) {
        self.released.note(when, warp);
    }

    /// Writes back what was chosen in the last cycle and chooses again.
    #[inline]
    fn commit<P: Program>(&mut self, now: u64) {
        for slice in &mut self.slices {
            if let Some((id, true)) = slice.commit.take() {
                let uop = &self.uops[id];
                slice.written = Some(Written {
                    index: uop.index,
                    decoded: uop.decoded,
                });
                self.retired.note(now + 2, uop.warp);
                if P::RECORDS
                    && let Some(recorder) = &mut self.recorder
                {
                    recorder.committed(id, uop.entry);
                }
                self.uops.remove(id);
            }
            slice.choose_result(now);
        }
    }

    /// Moves the units on. Returns the barrier that was completed.
    fn execute<P: Program>(
        &mut self,
        now: u64,
        memory: &mut Memory,
        program: &mut P,
        table: &mut Table,
    ) -> Option<u32> {
        for slice in 0..self.slices.len() {
            if let Some(id) = self.slices[slice].compute(now, &self.uops) {
                let warp = self.uops[id].warp;
                self.resolve(now + 2, warp, program);
            }
        }

        let warps = &self.warps;
        let around = Around {
            alone: |warp: u8| warps[usize::from(warp)].pending <= 1,
            holds_barriers: self.barriers_drain && self.lsu.is_busy(now),
        };
        let did = self.sfu.step(now, &mut self.slices, &self.uops, &around);
        if let Some(id) = did.float_csr {
            self.hold_until(now + 1, self.uops[id].warp);
        }
        let met = did.control.and_then(|id| self.control(now, id, program));
        self.sfu_funnel
            .step(now, &mut self.slices, Unit::Sfu, &mut self.sfu.input);

        let dcache = &mut memory.sockets[self.socket].dcache;
        if let Some(&done) = self.lsu.done.front(now) {
            let slice = usize::from(self.uops[done.uop].slice);
            if self.slices[slice].loaded.offer(now, (done.uop, done.last)) {
                self.lsu.done.pop(now);
            }
        }
        self.lsu.step_answers(now, self.slot, dcache);
        for answer in self.lsu.answered.drain(..) {
            let id = answer.uop;
            let stats = table.stats(self.uops[id].entry);
            stats.loads += 1;
            stats.load_misses += u64::from(answer.missed);
            stats.overtaking += u64::from(answer.overtakes);
            if P::RECORDS
                && let Some(recorder) = &mut self.recorder
            {
                recorder.answered(id, !answer.missed);
            }
        }
        self.lsu.step_requests(now, self.slot, dcache);
        if let Some(&id) = self.lsu_input.front(now)
            && self.lsu.accept(now, self.uops[id].request)
        {
            self.lsu_input.pop(now);
            if P::RECORDS
                && let Some(recorder) = &mut self.recorder
            {
                recorder.taken(id);
            }
        }
        self.lsu_funnel
            .step(now, &mut self.slices, Unit::Lsu, &mut self.lsu_input);
        met
    }

    /// Dispatch, which executes, and the stages before it.
    fn issue<P: Program>(
        &mut self,
        now: u64,
        memory: &Memory,
        program: &mut P,
        table: &mut Table,
    ) -> Result<(), P::Error> {
        let count = self.slices.len();
        for number in 0..count {
            if let Some(id) = self.slices[number].dispatching(now, &self.uops) {
                let Uop {
                    warp,
                    entry,
                    decoded,
                    ..
                } = self.uops[id];
                // The control unit's turn rests with the last slice: CSRs of others are read a cycle later.
                let clock = now - RESET + u64::from(number + 1 < count);
                self.addresses.lanes = 0;
                if decoded.kind == Kind::Csr && self.class != CounterClass::None {
                    program.count(self.id, &self.counters(memory));
                }
                let accesses = matches!(decoded.kind, Kind::Load | Kind::Store | Kind::Atomic);
                let before = match P::RECORDS {
                    true => self.note_operands(id, program),
                    false => None,
                };
                let addresses = accesses.then_some(&mut self.addresses);
                let meets = matches!(decoded.kind, Kind::Barrier | Kind::Arrival);
                if meets {
                    self.uops[id].barrier = program.barrier_ahead(self.id, usize::from(warp));
                }
                let lanes = program.execute(self.id, usize::from(warp), clock, addresses)?;
                if decoded.kind == Kind::Fence {
                    // It asks for some line, to be answered when the cache was emptied.
                    (self.addresses.lanes, self.addresses.of) = (lanes, [0; 32]);
                }
                let request = match decoded.kind {
                    Kind::Load | Kind::Store | Kind::Atomic | Kind::Fence => {
                        Some(self.memory_request(id))
                    }
                    _ => None,
                };
                let waits = !program.is_ready(self.id, usize::from(warp));
                self.uops[id].waits = waits;
                if meets && !waits {
                    self.passing.push(self.uops[id].barrier);
                }
                self.executed += 1;
                let stats = table.stats(entry);
                stats.executed += 1;
                stats.lanes += u64::from(lanes.count_ones());
                if let Some(request) = request {
                    if decoded.kind != Kind::Fence {
                        let lines = self.lsu.lines_of(request);
                        stats.accesses += u64::from(lines > 0);
                        stats.requests += lines;
                    }
                    self.uops[id].request = request;
                }
                if P::RECORDS {
                    self.note_executed(id, lanes, request, before, program);
                }
                self.slices[number].send(now, id, &self.uops);
            }
            let slice = &mut self.slices[number];
            self.register_conflicts += u64::from(slice.collect(now, &self.uops));
            let blocked = slice.issue(now, &self.uops);
            if P::RECORDS {
                self.note_issued(number, blocked);
            }
            self.note_blocked(number, blocked);
            self.account::<P>(number, blocked, 1, table);
        }
        Ok(())
    }

    fn counters(&self, memory: &Memory) -> Counters {
        match self.class {
            CounterClass::None => Counters::default(),
            CounterClass::Core => counters::of_core(
                &self.counts,
                &self.stalls,
                self.register_conflicts,
                &self.lsu,
            ),
            CounterClass::Memory => counters::of_memory(memory, self.socket, &self.lsu),
        }
    }

    fn memory_request(&mut self, id: Id) -> u16 {
        let kind = self.uops[id].decoded.kind;
        let access = match kind {
            Kind::Store => Access::Store,
            Kind::Fence => Access::Flush,
            _ => Access::Load,
        };
        self.lsu
            .prepare(id, access, kind == Kind::Atomic, &self.addresses)
    }

    /// Notes why a slice issued nothing for some cycles, and because of which instruction.
    #[inline]
    fn account<P: Program>(
        &mut self,
        number: usize,
        blocked: Blocked,
        cycles: u64,
        table: &mut Table,
    ) {
        let (cause, entry): (fn(&mut Stalls) -> &mut u64, Entry) = match blocked {
            Blocked::Issued(_) => return,
            Blocked::Behind(id) => (|stalls| &mut stalls.busy, self.uops[id].entry),
            Blocked::Operand { id, unit, control } => {
                if unit == Unit::Sfu && !control {
                    self.counts.csr_stalls += cycles;
                }
                let cause: fn(&mut Stalls) -> &mut u64 = match unit {
                    Unit::Alu => |stalls| &mut stalls.alu,
                    Unit::Fpu => |stalls| &mut stalls.fpu,
                    Unit::Lsu => |stalls| &mut stalls.memory,
                    Unit::Sfu => |stalls| &mut stalls.sfu,
                };
                (cause, self.uops[id].entry)
            }
            Blocked::Empty => {
                let find = |state: Fetch| {
                    self.warps
                        .iter()
                        .skip(number)
                        .step_by(self.slices.len())
                        .find(|warp| warp.fetch == state)
                };
                if let Some(warp) = find(Fetch::Ready) {
                    (|stalls| &mut stalls.fetch, table.entry(warp.pc))
                } else if let Some(warp) = find(Fetch::Fetching) {
                    let entry = table.entry(warp.fetched);
                    if P::RECORDS {
                        self.note_fetching(number, entry, cycles);
                    }
                    (|stalls| &mut stalls.fetch, entry)
                } else if let Some(warp) = find(Fetch::Held) {
                    (|stalls| &mut stalls.control, table.entry(warp.fetched))
                } else if let Some(warp) = find(Fetch::Waiting) {
                    (|stalls| &mut stalls.barrier, table.entry(warp.fetched))
                } else {
                    self.stalls.idle += cycles;
                    return;
                }
            }
        };
        *cause(&mut self.stalls) += cycles;
        *cause(&mut table.stats(entry).stalls) += cycles;
        if P::RECORDS {
            self.note_awaited(number, blocked, entry, cause, cycles);
        }
    }
}
