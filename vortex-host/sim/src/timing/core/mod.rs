//! A core: its warps through schedule, fetch and decode, and the stages behind in order.

mod dispatch;
mod record;
mod sleep;

use self::dispatch::Dispatcher;
use self::sleep::Sleep;
use super::config::TimingConfig;
use super::counters::{self, CoreCounts, CounterClass, Counters};
use super::issue::{Blocked, Slice, Written};
use super::lsu::{Addresses, Lsu};
use super::memory::{Memory, Shared, Socket, TAG_MASK};
use super::program::{GroupShape, Program, Table};
use super::queue::{Calendar, Queue};
use super::record::Recorder;
use super::request::{Access, LINE_BITS};
use super::stages::Stages;
use super::stats::Stalls;
use super::units::{Around, Funnel, Sfu};
use super::uop::{Entry, Id, Kind, Unit, Uop, Uops};
use super::{RESET, RunShape};
use crate::warp::lanes_of;

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
    /// Barriers whose instructions were executed, with nobody waiting any more, and did not take effect yet.
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
    /// Who takes notes, if somebody asked for them.
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
        let count = (warps / config.warps_per_slice.max(1)).max(1) as usize;
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
    pub(super) fn is_done(&self) -> bool {
        let ended = |warp: &WarpState| warp.pending == 0;
        let idle = self.live == 0 && self.uops.is_empty() && self.warps.iter().all(ended);
        self.halted || idle && self.dispatcher.as_ref().is_none_or(Dispatcher::rests)
    }

    /// Whether warps wait and nothing is under way that could let one of them go on: only another core can.
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

    /// Moves on by a cycle. Answers the barrier that was completed, which may be one of other cores too.
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

    /// Applies what took effect in earlier cycles.
    fn release<P: Program>(&mut self, now: u64, program: &mut P) {
        for warp in lanes_of(self.released.take(now)) {
            let warp = warp as usize;
            if self.warps[warp].fetch == Fetch::Held {
                self.warps[warp].pc = program.pc(self.id, warp);
            }
            self.set(warp, Fetch::Ready);
        }
        for warp in lanes_of(self.retired.take(now)) {
            self.warps[warp as usize].pending -= 1;
        }
        let active = self.live.count_ones();
        if self.spawning.is_some_and(|since| since <= now)
            && self.active == 1
            && program.spawn(self.id)
        {
            self.spawning = None;
            for warp in 0..self.warps.len() {
                if program.is_ready(self.id, warp) {
                    let pc = program.pc(self.id, warp);
                    (self.warps[warp].pc, self.warps[warp].fetched) = (pc, pc);
                    self.set(warp, Fetch::Fetching);
                    self.hold_until(now + 1, warp as u8);
                }
            }
        }
        self.active = active;
    }

    /// Schedule, fetch and decode.
    fn fetch<P: Program>(
        &mut self,
        now: u64,
        memory: &mut Memory,
        program: &mut P,
        table: &mut Table,
    ) {
        self.counts.fetch_latency += self.counts.fetching;
        let icache = &mut memory.sockets[self.socket].icache;
        if let Some(&answer) = icache.answers(self.slot, 0).front(now) {
            let warp = (answer.tag & TAG_MASK) as usize;
            let WarpState { slice, index, .. } = self.warps[warp];
            let to = &mut self.slices[usize::from(slice)];
            if to.has_room(now, usize::from(index)) {
                icache.answers(self.slot, 0).pop(now);
                self.counts.fetching -= 1;
                // Its pc has moved on.
                let pc = self.warps[warp].pc.wrapping_sub(4);
                let (entry, decoded) = table.decode(pc, program);
                let id = self.uops.add(Uop {
                    warp: warp as u8,
                    slice,
                    index,
                    entry,
                    decoded,
                    request: 0,
                    waits: false,
                    barrier: 0,
                });
                to.put(now, usize::from(index), id);
                if P::RECORDS
                    && let Some(recorder) = &mut self.recorder
                {
                    recorder.decoded(id, warp, pc);
                }
                if decoded.holds_fetch() {
                    self.set(warp, Fetch::Held);
                } else {
                    self.hold_until(now + self.unlock, warp as u8);
                }
            } else {
                self.counts.buffer_stalls += 1;
            }
        }
        if let Some(&warp) = self.scheduled.front(now) {
            if !icache.source(self.slot, 0).accepts(now) {
                self.counts.scheduler_stalls += 1;
            } else {
                self.counts.fetches += 1;
                self.counts.fetching += 1;
                self.scheduled.pop(now);
                let state = &mut self.warps[usize::from(warp)];
                let request = Shared::request(
                    self.slot,
                    0,
                    state.pc >> LINE_BITS,
                    Access::Load,
                    u32::from(warp),
                );
                icache.source(self.slot, 0).push(now, request);
                if P::RECORDS
                    && let Some(recorder) = &mut self.recorder
                {
                    recorder.fetched(usize::from(warp), state.pc);
                }
                state.pc = state.pc.wrapping_add(4);
                state.pending += 1;
            }
        }
        let ready = self.schedulable();
        if ready == 0 {
            self.counts.scheduler_idle += 1;
        } else if self.scheduled.accepts(now) {
            let warp = ready.trailing_zeros() as usize;
            self.warps[warp].ahead += 1;
            self.warps[warp].fetched = self.warps[warp].pc;
            self.set(warp, Fetch::Fetching);
            self.scheduled.push(now, warp as u8);
            if P::RECORDS
                && let Some(recorder) = &mut self.recorder
            {
                recorder.scheduled(warp);
            }
        }
    }

    /// The warps of which one may be chosen.
    fn schedulable(&self) -> u32 {
        let Some(most) = self.most_ahead else {
            return self.ready;
        };
        // One that has more, as all were full, does not count as full.
        let is_full = |&warp: &u32| self.warps[warp as usize].ahead == most;
        let all = self.warps.len() as u32;
        let full = (0..all)
            .filter(is_full)
            .fold(0, |mask, warp| mask | 1 << warp);
        match full == u32::MAX >> (32 - all) {
            true => self.ready,
            false => self.ready & !full,
        }
    }

    /// Writes back what was chosen in the last cycle and chooses anew.
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

    /// Moves the units on. Answers the barrier that was completed.
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
        for (id, hit) in self.lsu.answered.drain(..) {
            let stats = table.stats(self.uops[id].entry);
            stats.loads += 1;
            stats.load_misses += u64::from(!hit);
            if P::RECORDS
                && let Some(recorder) = &mut self.recorder
            {
                recorder.answered(id, hit);
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

    /// A branch takes effect in a cycle.
    fn resolve<P: Program>(&mut self, when: u64, warp: u8, program: &mut P) {
        if program.is_ready(self.id, usize::from(warp)) {
            self.hold_until(when, warp);
        } else {
            self.halted = true;
        }
    }

    /// A control instruction takes effect. Answers the barrier that it completed.
    fn control<P: Program>(&mut self, now: u64, id: Id, program: &mut P) -> Option<u32> {
        let Uop {
            warp,
            decoded,
            waits,
            barrier,
            ..
        } = self.uops[id];
        let index = usize::from(warp);
        let is_barrier = decoded.kind == Kind::Barrier;
        let after_barrier = now + self.after_barrier;
        if decoded.kind == Kind::Arrival {
            self.pass(barrier);
            self.wake(after_barrier, barrier, program);
            return Some(barrier);
        }
        if program.is_idle(self.id, index) {
            self.set(index, Fetch::Inactive);
            if let Some(dispatcher) = &mut self.dispatcher {
                dispatcher.ended(now, index);
            }
        } else if !waits && is_barrier {
            self.hold_until(after_barrier, warp);
            self.pass(barrier);
            self.wake(after_barrier, barrier, program);
            return Some(barrier);
        } else if !waits {
            self.hold_until(now + 1 + u64::from(decoded.kind == Kind::Join), warp);
        } else if is_barrier && !self.passes(barrier) && program.is_ready(self.id, index) {
            // Another slice's warp was executed later and took effect earlier.
            self.hold_until(after_barrier, warp);
        } else {
            self.set(index, Fetch::Waiting);
            self.warps[index].barrier = barrier;
            if !is_barrier {
                self.spawning = Some(now + 1);
            }
        }
        None
    }

    /// Lets warps go on whose barrier another core completed.
    pub(super) fn wake_from_outside<P: Program>(
        &mut self,
        when: u64,
        barrier: u32,
        program: &mut P,
        table: &mut Table,
    ) {
        self.rouse::<P>(table);
        // A core that is about to complete the barrier itself wakes its warps then.
        if !self.passes(barrier) {
            self.wake(when, barrier, program);
        }
    }

    /// Whether a warp has executed the instruction that completes a barrier, which is on its way to take effect.
    fn passes(&self, barrier: u32) -> bool {
        self.passing.contains(&barrier)
    }

    /// What a warp has done at a barrier takes effect.
    fn pass(&mut self, barrier: u32) {
        if let Some(which) = self.passing.iter().position(|&passing| passing == barrier) {
            self.passing.swap_remove(which);
        }
    }

    /// Lets warps go on that wait at a barrier which is complete.
    fn wake<P: Program>(&mut self, when: u64, barrier: u32, program: &mut P) {
        for warp in 0..self.warps.len() {
            let WarpState {
                fetch, barrier: at, ..
            } = self.warps[warp];
            let waits = fetch == Fetch::Waiting && at == barrier;
            if waits && program.is_ready(self.id, warp) {
                self.set(warp, Fetch::Held);
                self.hold_until(when, warp as u8);
            }
        }
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
