//! A bank of a cache: non-blocking, write-through or write-back.
//!
//! It takes one thing per cycle, the first of: a request that waited for a line that is there now, a line from
//! memory, a flush, a new request. Tags are looked up in the next cycle; in the one after that a hit is answered, a
//! miss or a write sent towards memory. A miss keeps its place until its line has come and it passes through the bank
//! again; or else, where lines are forwarded, loads at the head of those that wait for it are answered from the line
//! as it has come, one in a cycle, until a store's turn comes.

use super::config::CacheConfig;
use super::queue::{Deep, Places, Queue, RoundRobin};
use super::request::{Access, CacheShape, Fill, Miss, Request};
use super::stats::CacheStats;

const INVALID: u32 = u32::MAX;

/// What is in the first stage.
#[derive(Clone, Copy, Debug)]
enum Work {
    Fill(u32),
    New(Request),
    Replay(Request),
    /// Empties all.
    Sweep,
    /// Writes back one of all places.
    Clean(u32),
}

/// What is behind the tag look-up.
#[derive(Clone, Copy, Debug)]
enum Behind {
    Access(Looked),
    /// A line that has lost its place and was written to.
    Evicted(u32),
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
        Access::Store => Access::Load,
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
    /// It has left the bank.
    waiting: bool,
}

#[derive(Debug)]
pub(super) struct Bank {
    sets: u32,
    /// Of a set's number, if their number is a power of two.
    set_mask: Option<u32>,
    ways: usize,
    /// Bits of a line's number that say which bank it is in.
    bank_bits: u32,
    /// Requests to memory from which on nothing that may make more is taken.
    memory_limit: usize,
    stage0: Option<Work>,
    stage1: Option<Behind>,
    /// Loads that wait for a line are answered from it.
    forwards: bool,
    write_back: bool,
    /// The line that came last answers loads.
    forwarding: bool,
    /// Tags by set and way, and whether what is there was written to.
    tags: Vec<u32>,
    dirty: Vec<bool>,
    next_way: Vec<u8>,
    pending: Vec<Pending>,
    pub(super) places: Places,
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
}

impl Bank {
    pub(super) fn new(config: &CacheConfig, shape: &CacheShape, sets: u32) -> Bank {
        let ways = config.ways as usize;
        // Requests in the two stages, and the one let in while they are counted, may need a place, too.
        let write_back = shape.stages.write_back;
        let least = if write_back { config.misses } else { 3 };
        let memory_queue = (config.memory_queue.max(least) as usize).next_power_of_two();
        Bank {
            sets,
            set_mask: sets.is_power_of_two().then(|| sets - 1),
            ways,
            bank_bits: shape.banks.trailing_zeros(),
            memory_limit: memory_queue - 2,
            stage0: None,
            stage1: None,
            forwards: shape.stages.forwards,
            write_back,
            forwarding: false,
            tags: vec![INVALID; sets as usize * ways],
            dirty: vec![false; sets as usize * ways],
            next_way: vec![0; sets as usize],
            pending: Vec::with_capacity(config.misses as usize),
            places: Places::new(config.misses as usize),
            serial: 0,
            replay: None,
            awaits_sweep: false,
            sending: 0,
            sweep: match shape.stages.early_reset {
                true => 0,
                false => sets.saturating_sub(shape.early),
            },
            input: (shape.ports > 2).then(|| Queue::new(2)),
            answers: Queue::new(2),
            misses: Deep::new(memory_queue),
            fills: Queue::new(2),
            grant: RoundRobin::default(),
        }
    }

    /// Moves the stages on. `false`: an answer is not taken, so that all stands still.
    pub(super) fn advance(&mut self, now: u64, number: u16, stats: &mut CacheStats) -> bool {
        let stalls = match &self.stage1 {
            Some(Behind::Access(looked)) => looked.answers() && !self.answers.accepts(now),
            Some(Behind::Evicted(_)) => self.memory_full(now),
            None => false,
        };
        if stalls {
            return false;
        }
        let finished = self.stage1.take();
        self.stage1 = self.stage0.take().and_then(|work| self.look_up(work));
        match finished {
            Some(Behind::Access(looked)) => self.finish(now, number, looked, stats),
            Some(Behind::Evicted(line)) => self.misses.push(
                now,
                Miss {
                    line,
                    access: Access::Store,
                    answer: None,
                },
            ),
            None => {}
        }
        true
    }

    fn look_up(&mut self, work: Work) -> Option<Behind> {
        let set = |line: u32| match self.set_mask {
            Some(mask) => (line >> self.bank_bits & mask) as usize,
            None => ((line >> self.bank_bits) % self.sets) as usize,
        };
        let (request, replay) = match work {
            Work::Sweep => {
                self.tags.fill(INVALID);
                return None;
            }
            Work::Clean(place) => {
                let (way, set) = (place / self.sets, place % self.sets);
                return self.replace((set as usize) * self.ways + way as usize, INVALID);
            }
            Work::Fill(line) => {
                let set = set(line);
                let way = usize::from(self.next_way[set]);
                self.next_way[set] = ((way + 1) % self.ways) as u8;
                return self.replace(set * self.ways + way, line);
            }
            Work::New(request) => (request, false),
            Work::Replay(request) => (request, true),
        };
        let first = set(request.line) * self.ways;
        let ways = &self.tags[first..][..self.ways];
        let way = ways.iter().position(|&line| line == request.line);
        if let Some(way) = way
            && request.access == Access::Store
        {
            self.dirty[first + way] |= self.write_back;
        }
        let hit = way.is_some();
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
                waiting: false,
            });
        }
        Some(Behind::Access(looked))
    }

    /// Puts another line at a place. Answers the one that was there, if that has to be written back.
    fn replace(&mut self, place: usize, line: u32) -> Option<Behind> {
        let old = std::mem::replace(&mut self.tags[place], line);
        let dirty = std::mem::replace(&mut self.dirty[place], false);
        dirty.then_some(Behind::Evicted(old))
    }

    /// Answers a hit, sends a miss or a write towards memory.
    fn finish(&mut self, now: u64, number: u16, looked: Looked, stats: &mut CacheStats) {
        let Looked {
            request,
            replay,
            hit,
            joined,
            serial,
            ..
        } = looked;
        let (line, store) = (request.line, request.access == Access::Store);
        if hit && !store {
            let missed = replay;
            self.answers.push(now, Request { missed, ..request });
        }
        if !replay {
            if store {
                stats.writes += 1;
                stats.write_misses += u64::from(!hit);
            } else {
                stats.reads += 1;
                stats.read_misses += u64::from(!hit);
            }
            if !looked.waits() {
                self.places.release(now);
            } else if let Some(p) = self.pending.iter_mut().find(|p| p.serial == serial) {
                p.waiting = true;
            }
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
    pub(super) fn is_at_rest(&self, direct: bool) -> bool {
        self.stage0.is_none()
            && self.stage1.is_none()
            && self.replay.is_none()
            && self.sweep == 0
            && self.fills.is_empty()
            && self.input.as_ref().is_none_or(Queue::is_empty)
            && (direct || self.answers.is_empty() && self.misses.is_empty())
    }

    /// Whether something is under way that a flush has to wait for.
    pub(super) fn is_draining(&self, now: u64) -> bool {
        let moves = self.stage0.is_some() || self.stage1.is_some();
        !self.places.was_empty(now) || self.forwards && (moves || !self.misses.is_empty())
    }

    /// Whether it has been emptied, and nothing is on its way through it or to memory. To be asked in every cycle of
    /// that.
    pub(super) fn has_sent(&mut self, now: u64) -> bool {
        if self.stage0.is_some() {
            self.sending = now + 3;
        } else if self.stage1.is_some() {
            self.sending = self.sending.max(now + 2);
        } else if self.misses.len_at_start(now) > 0 {
            self.sending = self.sending.max(now + 1);
        }
        self.sweep == 0 && !self.awaits_sweep && now >= self.sending
    }

    /// Begins to empty it.
    pub(super) fn begin_sweep(&mut self) {
        self.awaits_sweep = false;
        self.sweep = match self.write_back {
            true => self.sets * self.ways as u32,
            false => self.sets,
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
                self.places.release(now);
                self.stage0 = Some(Work::Replay(request));
                self.replay = self.next_waiting(request.line);
            }
            return true;
        }
        if !(self.write_back && self.memory_full(now))
            && let Some(line) = self.fills.pop(now)
        {
            self.stage0 = Some(Work::Fill(line));
            self.replay = self.next_waiting(line);
            self.forwarding = self.forwards;
            return true;
        }
        if self.sweep > 0 {
            if !self.write_back {
                self.sweep -= 1;
                self.stage0 = Some(Work::Sweep);
            } else if !self.memory_full(now) {
                let places = self.sets * self.ways as u32;
                self.stage0 = Some(Work::Clean(places - self.sweep));
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
        if request.access == Access::Store {
            self.forwarding = false;
            return false;
        }
        // A hit of this cycle has gone first; then the load passes through the bank, like a store.
        if !self.answers.moved_in(now) {
            if self.answers.accepts(now) {
                self.pending.remove(index);
                self.places.release(now);
                let missed = true;
                self.answers.push(now, Request { missed, ..request });
                self.replay = self.next_waiting(request.line);
            }
            return true;
        }
        false
    }

    /// Whether a new request can be taken.
    pub(super) fn admits(&self, now: u64, stats: &mut CacheStats) -> bool {
        if !self.places.available(now) {
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
        self.places.take();
        self.stage0 = Some(Work::New(request));
    }

    /// The oldest request that waits for a line.
    fn next_waiting(&self, line: u32) -> Option<u64> {
        self.pending
            .iter()
            .find(|p| p.waiting && p.request.line == line)
            .map(|p| p.serial)
    }
}
