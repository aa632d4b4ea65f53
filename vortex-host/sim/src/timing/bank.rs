//! A bank of a cache: non-blocking, write-through or write-back.
//!
//! It accepts one thing per cycle, the first of: a request that waited for a line that is there now, a line from
//! memory, a flush, a new request. Tags are looked up in the next cycle. In the one after that, or some cycles later
//! where data is further downstream, a hit is answered, and a miss or a write is sent towards memory. A miss keeps its
//! place until its line has arrived and it passes through the bank again. Where lines are forwarded, the loads at the
//! head of the waiting ones are instead answered from the arrived line, one per cycle, up to the first store or atomic
//! operation.

use super::atomics::{Atomics, Turn};
use super::config::CacheConfig;
use super::queue::{Deep, InFlight, Queue, RoundRobin};
use super::request::{Access, CacheShape, Fill, Miss, Request};
use super::stats::CacheStats;
use super::tags::{Evicted, Tags};

/// What is in the first stage.
#[derive(Clone, Copy, Debug)]
enum Work {
    Fill(u32),
    New(Request),
    Replay(Request),
    /// Writes what an atomic operation has made.
    Write(u32),
    /// Empties all.
    Sweep,
    /// Writes back one of all places.
    Clean(u32),
}

/// What is behind the tag look-up.
#[derive(Clone, Copy, Debug)]
enum Behind {
    Access(Looked),
    /// Lines that have lost their place and were written to: they go to memory one by one.
    Evicted(Evicted),
}

/// A request behind the tag look-up.
#[derive(Clone, Copy, Debug)]
struct Looked {
    request: Request,
    replay: bool,
    hit: bool,
    /// The line is on its way already.
    joined: bool,
    /// Stores wait for their line, too.
    keeps: bool,
    /// Its place among the misses.
    serial: u64,
}

/// How a line is asked for that an access needs.
fn fetched(access: Access) -> Access {
    match access {
        Access::Store | Access::Atomic { .. } => Access::Load,
        _ => access,
    }
}

impl Looked {
    /// Whether it is answered.
    fn answers(&self) -> bool {
        self.hit && self.request.access != Access::Store
    }

    /// Whether it passes again when its line has come. A write does if that is on its way already.
    fn waits(&self) -> bool {
        let kept = self.keeps || self.joined || self.request.access != Access::Store;
        !self.replay && !self.hit && kept
    }
}

/// A request that waits for its line.
#[derive(Clone, Copy, Debug)]
struct Pending {
    request: Request,
    serial: u64,
    /// It has left the bank, in this cycle.
    waiting_since: Option<u64>,
}

#[derive(Debug)]
pub(super) struct Bank {
    /// Requests to memory from which on nothing that may make more is taken.
    memory_limit: usize,
    stage0: Option<Work>,
    stage1: Option<Behind>,
    /// What is between the look-up and the data, a ring, and which of it comes to the data next.
    late: Box<[Option<Behind>]>,
    next_late: usize,
    /// A line that has come lies in the way of others, until it is where the data is.
    filling: usize,
    /// Loads that wait for a line are answered from it.
    forwards: bool,
    write_back: bool,
    /// The line that came last answers loads.
    forwarding: bool,
    tags: Tags,
    pending: Vec<Pending>,
    pub(super) in_flight: InFlight,
    serial: u64,
    /// The request to pass through again in this cycle.
    replay: Option<u64>,
    /// Sets, or places, still to be emptied, before which no request is taken.
    pub(super) sweep: u32,
    /// It is to be emptied when it is done with what it has.
    pub(super) awaits_sweep: bool,
    /// While that lasts, something is on its way until this cycle.
    sending: u64,
    /// Requests behind the crossbar, if that has registers.
    pub(super) input: Option<Queue<Request>>,
    pub(super) answers: Queue<Request>,
    pub(super) misses: Deep<Miss>,
    pub(super) fills: Queue<u32>,
    pub(super) grant: RoundRobin,
    atomics: Atomics,
}

impl Bank {
    pub(super) fn new(config: &CacheConfig, shape: &CacheShape) -> Bank {
        // Requests in the stages, and the one let in while they are counted, may need a place, too.
        let stages = 2 + shape.deferred;
        let write_back = shape.stages.write_back;
        let least = match write_back {
            true => config.misses as usize,
            false => 0,
        };
        let memory_queue = (config.memory_queue as usize)
            .max(least)
            .max(2 * stages - 1);
        let memory_queue = memory_queue.next_power_of_two();
        let tags = Tags::new(config, shape);
        Bank {
            memory_limit: memory_queue - stages,
            stage0: None,
            stage1: None,
            late: vec![None; shape.deferred].into_boxed_slice(),
            next_late: 0,
            filling: 0,
            forwards: shape.stages.forwards,
            write_back,
            forwarding: false,
            pending: Vec::with_capacity(config.misses as usize),
            in_flight: InFlight::new(config.misses as usize),
            serial: 0,
            replay: None,
            awaits_sweep: false,
            sending: 0,
            sweep: match shape.stages.early_reset {
                true => 0,
                false => tags.sets().saturating_sub(shape.early),
            },
            tags,
            input: (shape.ports > 2).then(|| Queue::new(2)),
            answers: Queue::new(2),
            misses: Deep::new(memory_queue),
            fills: Queue::new(2),
            grant: RoundRobin::default(),
            atomics: Atomics::default(),
        }
    }

    /// Moves the stages on. `false`: an answer is not taken, so that all stands still.
    pub(super) fn advance(&mut self, now: u64, number: u16, stats: &mut CacheStats) -> bool {
        self.atomics.step();
        let memory_full = self.memory_full(now);
        let last = match self.late.get_mut(self.next_late) {
            Some(last) => last,
            None => &mut self.stage1,
        };
        match last {
            Some(Behind::Access(looked)) if looked.answers() && !self.answers.accepts(now) => {
                return false;
            }
            Some(Behind::Access(looked)) if self.atomics.stalls(looked.request.line) => {
                return false;
            }
            Some(Behind::Evicted(evicted)) => {
                if memory_full {
                    return false;
                }
                let sector = evicted.written.trailing_zeros();
                evicted.written &= evicted.written - 1;
                self.misses.push(
                    now,
                    Miss {
                        line: evicted.line | sector,
                        access: Access::Store,
                        answer: None,
                    },
                );
                if evicted.written != 0 {
                    return false;
                }
            }
            _ => {}
        }
        let found = self.stage0.take().and_then(|work| self.look_up(work));
        let looked = std::mem::replace(&mut self.stage1, found);
        if let Some(Behind::Access(looked)) = &looked {
            self.count(now, looked, stats);
        }
        let reached = match self.late.get_mut(self.next_late) {
            Some(last) => {
                let reached = std::mem::replace(last, looked);
                self.next_late = (self.next_late + 1) % self.late.len();
                self.filling = self.filling.saturating_sub(1);
                reached
            }
            None => looked,
        };
        if let Some(Behind::Access(looked)) = reached {
            self.finish(now, number, looked);
        }
        true
    }

    fn look_up(&mut self, work: Work) -> Option<Behind> {
        let (request, replay) = match work {
            Work::Write(line) => {
                self.tags.look_up(line, true);
                return None;
            }
            Work::Sweep => {
                self.tags.sweep();
                return None;
            }
            Work::Clean(place) => return self.tags.clean(place).map(Behind::Evicted),
            Work::Fill(line) => return self.tags.fill(line).map(Behind::Evicted),
            Work::New(request) => (request, false),
            Work::Replay(request) => (request, true),
        };
        let writes = self.write_back && request.access == Access::Store;
        let hit = self.tags.look_up(request.line, writes);
        let overtakes = hit && !replay && self.overtakes(&request);
        let request = Request {
            overtakes,
            ..request
        };
        if matches!(request.access, Access::Atomic { .. }) {
            self.atomics.looked_up(hit);
        }
        if hit || replay {
            return Some(Behind::Access(Looked {
                request,
                replay,
                hit,
                joined: false,
                keeps: false,
                serial: 0,
            }));
        }
        // A line is on its way for loads, and where it is written back, for stores.
        let same = |p: &Pending| {
            p.request.line == request.line && (self.write_back || p.request.access != Access::Store)
        };
        let joined = self.pending.iter().any(same);
        self.serial += 1;
        let looked = Looked {
            request,
            replay,
            hit,
            joined,
            keeps: self.write_back,
            serial: self.serial,
        };
        if looked.waits() {
            self.pending.push(Pending {
                request,
                serial: self.serial,
                waiting_since: None,
            });
        }
        Some(Behind::Access(looked))
    }

    /// Whether a request that finds its line goes before one for the same word that waits for it. While loads at the
    /// head of the waiting ones are answered from the line, what comes in finds it, and what waits behind does not yet.
    fn overtakes(&self, request: &Request) -> bool {
        if !self.forwards || request.words == 0 {
            return false;
        }
        let of_line = self.pending.iter().map(|p| &p.request);
        let mut of_line = of_line.filter(|earlier| earlier.line == request.line);
        // Loads in front of the first store have been answered, or will be before anything is stored.
        let mut is_behind_a_store = false;
        of_line.any(|earlier| {
            is_behind_a_store |= earlier.access.stores();
            let is_one_changed = earlier.access.stores() || request.access.stores();
            earlier.words & request.words != 0 && is_behind_a_store && is_one_changed
        })
    }

    /// Counts what has been looked up, and lets it wait for its line or gives its place back.
    fn count(&mut self, now: u64, looked: &Looked, stats: &mut CacheStats) {
        let Looked {
            request,
            hit,
            serial,
            ..
        } = *looked;
        if looked.replay {
            return;
        }
        stats.overtaken += u64::from(request.overtakes);
        if request.access == Access::Store {
            stats.writes += 1;
            stats.write_misses += u64::from(!hit);
        } else {
            stats.reads += 1;
            stats.read_misses += u64::from(!hit);
        }
        if !looked.waits() {
            self.in_flight.release(now);
        } else if let Some(p) = self.pending.iter_mut().find(|p| p.serial == serial) {
            p.waiting_since = Some(now);
        }
    }

    /// Answers a hit, sends a miss or a write towards memory.
    fn finish(&mut self, now: u64, number: u16, looked: Looked) {
        let Looked {
            request,
            replay,
            hit,
            joined,
            ..
        } = looked;
        let (line, store) = (request.line, request.access == Access::Store);
        if let (true, Access::Atomic { word }) = (hit, request.access) {
            self.atomics.answered(line, word);
        }
        if hit && !store {
            let missed = replay;
            self.answers.push(now, Request { missed, ..request });
        }
        let writes = store && !self.write_back && !(self.forwards && replay);
        let fetches = (!store || self.write_back) && !hit && !joined;
        if writes || fetches {
            let (access, answer) = match writes {
                true => (Access::Store, None),
                false => {
                    let answer = Fill::Line { bank: number, line };
                    (fetched(request.access), Some(answer))
                }
            };
            let miss = Miss {
                line,
                access,
                answer,
            };
            self.misses.push(now, miss);
        }
    }

    /// Whether a step changes nothing until something comes in. `direct`: others take answers and requests to memory
    /// from here.
    #[inline]
    pub(super) fn is_at_rest(&self, direct: bool) -> bool {
        self.stage0.is_none()
            && self.stage1.is_none()
            && self.atomics.rest()
            && self.late.iter().all(Option::is_none)
            && self.filling == 0
            && self.replay.is_none()
            && self.sweep == 0
            && self.fills.is_empty()
            && self.input.as_ref().is_none_or(Queue::is_empty)
            && (direct || self.answers.is_empty() && self.misses.is_empty())
    }

    /// Whether something is under way that a flush must wait for.
    pub(super) fn is_draining(&self, now: u64) -> bool {
        let late = self.late.iter().any(Option::is_some);
        let moves = self.stage0.is_some() || self.stage1.is_some() || late || !self.atomics.rest();
        !self.in_flight.was_empty(now) || self.forwards && (moves || !self.misses.is_empty())
    }

    /// Whether it has been emptied, and nothing is on its way through it or to memory. To be asked in every cycle of
    /// that.
    pub(super) fn has_sent(&mut self, now: u64) -> bool {
        let behind = self.late.len() as u64;
        if self.stage0.is_some() {
            self.sending = now + 3 + behind;
        } else if self.stage1.is_some() || self.late.iter().any(Option::is_some) {
            self.sending = self.sending.max(now + 2 + behind);
        } else if self.misses.len_at_start(now) > 0 {
            self.sending = self.sending.max(now + 1);
        }
        self.sweep == 0 && !self.awaits_sweep && now >= self.sending
    }

    /// Begins to empty it.
    pub(super) fn begin_sweep(&mut self) {
        self.awaits_sweep = false;
        self.sweep = match self.write_back {
            true => self.tags.places(),
            false => self.tags.sets(),
        };
    }

    fn memory_full(&self, now: u64) -> bool {
        self.misses.len_at_start(now) >= self.memory_limit
    }

    /// Takes what comes before new requests. `true`: that was something. `after_reset`: emptying takes all cycles.
    pub(super) fn serve(&mut self, now: u64, after_reset: bool) -> bool {
        if after_reset && self.sweep > 0 {
            self.sweep -= 1;
            return true;
        }
        if self.forward(now) {
            return self.sweep > 0;
        }
        if let Some(serial) = self.replay {
            let Some(index) = self.pending.iter().position(|p| p.serial == serial) else {
                return true;
            };
            let request = self.pending[index].request;
            let writes = request.access == Access::Store && !self.write_back;
            if !writes || !self.memory_full(now) {
                self.pending.remove(index);
                self.in_flight.release(now);
                self.stage0 = Some(Work::Replay(request));
                self.replay = self.next_waiting(request.line);
            }
            return true;
        }
        if self.filling == 0
            && !(self.write_back && self.memory_full(now))
            && let Some(line) = self.fills.pop(now)
        {
            self.stage0 = Some(Work::Fill(line));
            self.replay = self.next_waiting(line);
            self.forwarding = self.forwards;
            self.filling = match self.late.len() {
                0 => 0,
                stages => stages + 1,
            };
            return true;
        }
        if self.sweep > 0 {
            if !self.write_back {
                self.sweep -= 1;
                self.stage0 = Some(Work::Sweep);
            } else if !self.memory_full(now) {
                self.stage0 = Some(Work::Clean(self.tags.places() - self.sweep));
                self.sweep -= 1;
            }
            return true;
        }
        false
    }

    /// Answers a load from the line that has come, if it is the turn of one. New requests can be taken meanwhile.
    fn forward(&mut self, now: u64) -> bool {
        let (true, Some(serial)) = (self.forwarding, self.replay) else {
            return false;
        };
        let Some(index) = self.pending.iter().position(|p| p.serial == serial) else {
            return false;
        };
        let request = self.pending[index].request;
        if request.access.stores() {
            self.forwarding = false;
            return false;
        }
        // A hit of this cycle has gone first; then the load passes through the bank, like a store.
        if !self.answers.moved_in(now) {
            if self.answers.accepts(now) {
                self.pending.remove(index);
                self.in_flight.release(now);
                let missed = true;
                self.answers.push(now, Request { missed, ..request });
                self.replay = self.next_waiting(request.line);
            }
            return true;
        }
        false
    }

    /// Writes what an atomic operation has made, if it is the turn of that. `true`: no new request can be taken.
    pub(super) fn writes_atomics(&mut self, now: u64) -> bool {
        if !self.atomics.seen {
            return false;
        }
        let can_write = !self.memory_full(now) && self.in_flight.available(now);
        match self.atomics.turn(can_write) {
            Turn::Free => return false,
            Turn::Held => {}
            Turn::Write(line) => self.stage0 = Some(Work::Write(line)),
        }
        true
    }

    /// Whether a new request for a line waits, as an atomic operation waits for that line. In the cycle after that has
    /// left the bank nobody knows of it yet.
    pub(super) fn defers(&self, now: u64, line: u32) -> bool {
        let waits = |p: &Pending| {
            matches!(p.request.access, Access::Atomic { .. })
                && p.request.line == line
                && p.waiting_since.is_none_or(|since| since < now)
        };
        self.atomics.seen && self.pending.iter().any(waits)
    }

    /// Whether a new request can be taken.
    pub(super) fn admits(&self, now: u64, stats: &mut CacheStats) -> bool {
        if !self.in_flight.available(now) {
            stats.miss_stalls += 1;
            return false;
        }
        if self.memory_full(now) {
            stats.memory_stalls += 1;
            return false;
        }
        true
    }

    /// Takes a new request.
    pub(super) fn enter(&mut self, request: Request) {
        self.in_flight.take();
        self.stage0 = Some(Work::New(request));
    }

    /// The oldest request that waits for a line.
    fn next_waiting(&self, line: u32) -> Option<u64> {
        self.pending
            .iter()
            .find(|p| p.waiting_since.is_some() && p.request.line == line)
            .map(|p| p.serial)
    }
}
