//! A bank of a cache: non-blocking, write-through.
//!
//! It takes one thing per cycle, the first of: a request that waited for a line that is there now, a line from
//! memory, a flush, a new request. Tags are looked up in the next cycle; in the one after that a hit is answered, a
//! miss or a write sent towards memory. A miss keeps its place until its line has come and it passes through the bank
//! again.

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
    Sweep,
}

/// A request behind the tag look-up.
#[derive(Clone, Copy, Debug)]
struct Looked {
    request: Request,
    replay: bool,
    hit: bool,
    /// A load of the same line was under way.
    joined: bool,
    /// Its place among the misses.
    serial: u64,
}

impl Looked {
    /// Whether it passes again when its line has come. A write does if that is on its way already.
    fn waits(&self) -> bool {
        !self.replay && !self.hit && (self.joined || self.request.access != Access::Store)
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
    stage1: Option<Looked>,
    /// Tags by set and way.
    tags: Vec<u32>,
    next_way: Vec<u8>,
    pending: Vec<Pending>,
    pub(super) places: Places,
    serial: u64,
    /// The request to pass through again in this cycle.
    replay: Option<u64>,
    /// Sets still to be emptied, before which no request is taken.
    pub(super) sweep: u32,
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
        let memory_queue = (config.memory_queue as usize).max(3);
        Bank {
            sets,
            set_mask: sets.is_power_of_two().then(|| sets - 1),
            ways,
            bank_bits: shape.banks.trailing_zeros(),
            memory_limit: memory_queue - 2,
            stage0: None,
            stage1: None,
            tags: vec![INVALID; sets as usize * ways],
            next_way: vec![0; sets as usize],
            pending: Vec::with_capacity(config.misses as usize),
            places: Places::new(config.misses as usize),
            serial: 0,
            replay: None,
            sweep: sets.saturating_sub(shape.early),
            input: (shape.ports > 2).then(|| Queue::new(2)),
            answers: Queue::new(2),
            misses: Deep::new(memory_queue),
            fills: Queue::new(2),
            grant: RoundRobin::default(),
        }
    }

    /// Moves the stages on. `false`: an answer is not taken, so that all stands still.
    pub(super) fn advance(&mut self, now: u64, number: u16, stats: &mut CacheStats) -> bool {
        let answers = |looked: Looked| looked.hit && looked.request.access != Access::Store;
        if self.stage1.is_some_and(answers) && !self.answers.accepts(now) {
            return false;
        }
        let finished = self.stage1.take();
        self.stage1 = self.stage0.take().and_then(|work| self.look_up(work));
        if let Some(looked) = finished {
            self.finish(now, number, looked, stats);
        }
        true
    }

    fn look_up(&mut self, work: Work) -> Option<Looked> {
        let set = |line: u32| match self.set_mask {
            Some(mask) => (line >> self.bank_bits & mask) as usize,
            None => ((line >> self.bank_bits) % self.sets) as usize,
        };
        let (request, replay) = match work {
            Work::Sweep => {
                self.tags.fill(INVALID);
                return None;
            }
            Work::Fill(line) => {
                let set = set(line);
                let way = usize::from(self.next_way[set]);
                self.next_way[set] = ((way + 1) % self.ways) as u8;
                self.tags[set * self.ways + way] = line;
                return None;
            }
            Work::New(request) => (request, false),
            Work::Replay(request) => (request, true),
        };
        let hit = self.tags[set(request.line) * self.ways..][..self.ways].contains(&request.line);
        if hit || replay {
            return Some(Looked {
                request,
                replay,
                hit,
                joined: false,
                serial: 0,
            });
        }
        let same =
            |p: &Pending| p.request.line == request.line && p.request.access != Access::Store;
        let joined = self.pending.iter().any(same);
        self.serial += 1;
        let looked = Looked {
            request,
            replay,
            hit,
            joined,
            serial: self.serial,
        };
        if looked.waits() {
            self.pending.push(Pending {
                request,
                serial: self.serial,
                waiting: false,
            });
        }
        Some(looked)
    }

    /// Answers a hit, sends a miss or a write towards memory.
    fn finish(&mut self, now: u64, number: u16, looked: Looked, stats: &mut CacheStats) {
        let Looked {
            request,
            replay,
            hit,
            joined,
            serial,
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
        if store {
            self.misses.push(
                now,
                Miss {
                    line,
                    access: Access::Store,
                    answer: None,
                },
            );
        } else if !hit && !joined {
            self.misses.push(
                now,
                Miss {
                    line,
                    access: request.access,
                    answer: Some(Fill::Line { bank: number, line }),
                },
            );
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

    fn memory_full(&self, now: u64) -> bool {
        self.misses.len_at_start(now) >= self.memory_limit
    }

    /// Takes what comes before new requests. `true`: that was something. `after_reset`: emptying takes all cycles.
    pub(super) fn serve(&mut self, now: u64, after_reset: bool) -> bool {
        if after_reset && self.sweep > 0 {
            self.sweep -= 1;
            return true;
        }
        if let Some(serial) = self.replay {
            let Some(index) = self.pending.iter().position(|p| p.serial == serial) else {
                return true;
            };
            let request = self.pending[index].request;
            if request.access != Access::Store || !self.memory_full(now) {
                self.pending.remove(index);
                self.places.release(now);
                self.stage0 = Some(Work::Replay(request));
                self.replay = self.next_waiting(request.line);
            }
            return true;
        }
        if let Some(line) = self.fills.pop(now) {
            self.stage0 = Some(Work::Fill(line));
            self.replay = self.next_waiting(line);
            return true;
        }
        if self.sweep > 0 {
            self.sweep -= 1;
            self.stage0 = Some(Work::Sweep);
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
