//! The load-store unit: request queue, coalescer, local memory.
//!
//! Lanes are requested together; those in local memory go to its banks, the others to the coalescer, which makes one
//! request per line of `min(4 * lanes, 64)` bytes for each group of as many lanes as a line has words, every other
//! cycle.

mod holders;

pub(super) use holders::AccessShape;

use super::config::LINE_BITS;
use super::local::{LocalAccess, LocalMemory};
use super::memory::{Shared, TAG_MASK, is_uncached};
use super::queue::{Deep, InFlight, Queue};
use super::request::Access;
use super::stages::{CHANNELS, Stages};
use super::stats::MemoryStats;
use super::uop::Id;
use crate::registers::lanes_of;

/// The lanes of an access, each with its address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Addresses {
    pub(crate) lanes: u32,
    pub(crate) of: [u32; 32],
}

/// What goes out together: per channel a line, and the lanes that it serves.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    lines: [Option<u32>; CHANNELS],
    /// The words of each line that lanes access, by bits.
    words: [u16; CHANNELS],
    lanes: [u32; CHANNELS],
}

/// An access under way.
#[derive(Clone, Debug, Default)]
struct Pending {
    uop: Id,
    access: Option<Access>,
    /// What it loads, the data cache changes.
    is_atomic: bool,
    /// Lanes still to be answered.
    left: u32,
    batches: Vec<Batch>,
    /// Channels of each batch still to be answered.
    open: Vec<u8>,
    sent: usize,
    /// Lanes in local memory that were not sent yet.
    local: u32,
    words: Box<[u32; 32]>,
}

/// Result of an access, or part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) uop: Id,
    /// Nothing of the access is left.
    pub(super) last: bool,
}

/// An answer of the data cache to a load.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub(super) uop: Id,
    /// Its line was not there.
    pub(super) missed: bool,
    /// It went before a store that came earlier.
    pub(super) overtakes: bool,
}

#[derive(Debug)]
pub(super) struct Lsu {
    channels: usize,
    /// log2 of the bytes that the coalescer merges.
    word_bits: u32,
    lanes_per_channel: u32,
    local: (u32, u32),
    /// The core's data cache does atomic operations; or else they take as long as loads.
    atomics_in_cache: bool,

    requests: Vec<Pending>,
    free: Vec<u16>,

    queue: Deep<u16>,
    in_flight: InFlight,
    /// A fence is under way, and when the last one ended; in the next cycle others can follow.
    fence: bool,
    fenced: u64,

    global: Option<u16>,
    sending: bool,
    coalescing: InFlight,

    /// The request before the lanes' queues, if there is a register for it.
    local_register: Option<Option<u16>>,
    local_memory: LocalMemory,
    /// Answered lanes of a request, together.
    local_out: Queue<(u16, u32)>,

    answer: Option<(u16, u32)>,
    results: Queue<Done>,
    stored: Queue<Done>,
    pub(super) done: Queue<Done>,
    pub(super) stats: MemoryStats,
    pub(super) traffic: Traffic,
    /// Answers of the data cache in this cycle.
    pub(super) answered: Vec<Answer>,
}

/// What a core asked of its data cache.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traffic {
    pub(super) loads: u64,
    pub(super) stores: u64,
    /// Loads not yet answered, and the sum of that over all cycles.
    waiting: u64,
    pub(super) latency: u64,
}

impl Lsu {
    pub(super) fn new(stages: &Stages, threads: u32, local: (u32, u32)) -> Lsu {
        let threads = threads.next_power_of_two();
        let line = stages.coalesced;
        let lanes = threads as usize;
        Lsu {
            channels: Lsu::channels(stages, threads),
            word_bits: line.trailing_zeros(),
            lanes_per_channel: line / 4,
            local,
            atomics_in_cache: stages.caches.write_back,
            requests: Vec::new(),
            free: Vec::new(),
            queue: Deep::new(stages.requests),
            in_flight: InFlight::new(stages.loads),
            fence: false,
            fenced: 0,
            global: None,
            sending: false,
            coalescing: InFlight::new(stages.coalescer),
            local_register: stages.local_register.then_some(None),
            local_memory: LocalMemory::new(lanes),
            local_out: Queue::new(2),
            answer: None,
            results: Queue::new(2),
            stored: Queue::new(2),
            done: Queue::new(2),
            stats: MemoryStats::default(),
            traffic: Traffic::default(),
            answered: Vec::new(),
        }
    }

    /// Whether a load, or an access that has not left the queue, was under way as the cycle began.
    pub(super) fn is_busy(&self, now: u64) -> bool {
        self.queue.len_at_start(now) > 0 || !self.in_flight.was_empty(now)
    }

    /// Whether nothing is under way.
    pub(super) fn rests(&self) -> bool {
        self.queue.is_empty()
            && self.local_register.flatten().is_none()
            && self.global.is_none()
            && self.traffic.waiting == 0
            && self.local_memory.rests()
            && self.local_out.is_empty()
            && self.answer.is_none()
            && [&self.results, &self.stored, &self.done]
                .into_iter()
                .all(Queue::is_empty)
    }

    /// Whether nothing moved in this cycle, and nothing but answers and room on the way to the cache can make it.
    pub(super) fn is_still(&self, now: u64) -> bool {
        !self.sending
            && self.answer.is_none()
            && self.local_memory.rests()
            && self.local_register.flatten().is_none()
            && self.local_out.is_empty()
            && [&self.results, &self.stored, &self.done]
                .into_iter()
                .all(Queue::is_empty)
            && (self.queue.is_empty() || self.global.is_some())
            && !self.queue.moved(now)
            && !self.in_flight.freed(now)
            && !self.coalescing.freed(now)
            && self.fenced != now
    }

    /// Counts cycles in which nothing moved.
    pub(super) fn wait(&mut self, cycles: u64) {
        self.traffic.latency += cycles * self.traffic.waiting;
    }

    /// Requests that can be made of the data cache at once.
    pub(super) fn channels(stages: &Stages, threads: u32) -> usize {
        (threads.next_power_of_two() * 4 / stages.coalesced) as usize
    }

    /// Prepares an access: what goes where, in which order.
    pub(super) fn prepare(
        &mut self,
        uop: Id,
        access: Access,
        separate: bool,
        addresses: &Addresses,
    ) -> u16 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.requests.push(Pending::default());
            (self.requests.len() - 1) as u16
        });
        let (local_base, local_size) = self.local;
        let store = access == Access::Store;
        let request = &mut self.requests[usize::from(index)];
        (request.uop, request.access, request.left) = (uop, Some(access), addresses.lanes);
        request.is_atomic = separate && self.atomics_in_cache;
        request.batches.clear();
        request.open.clear();
        (request.sent, request.local) = (0, 0);

        for lane in lanes_of(addresses.lanes) {
            let address = addresses.of[lane as usize];
            if access != Access::Flush && address.wrapping_sub(local_base) < local_size {
                request.local |= 1 << lane;
                request.words[lane as usize] = address.wrapping_sub(local_base) / 4;
            }
        }
        let global = addresses.lanes & !request.local;
        for channel in 0..self.channels as u32 {
            let group =
                u32::MAX >> (32 - self.lanes_per_channel) << (channel * self.lanes_per_channel);
            let mut left = global & group;
            let mut number = 0;
            while left != 0 {
                let word = addresses.of[left.trailing_zeros() as usize] >> self.word_bits;
                let mine = if separate {
                    left & left.wrapping_neg()
                } else {
                    lanes_of(left)
                        .filter(|&lane| addresses.of[lane as usize] >> self.word_bits == word)
                        .fold(0, |m, lane| m | 1 << lane)
                };
                left &= !mine;
                if request.batches.len() == number {
                    request.batches.push(Batch::default());
                    request.open.push(0);
                }
                request.batches[number].lines[channel as usize] =
                    Some(word << self.word_bits >> LINE_BITS);
                request.batches[number].words[channel as usize] = lanes_of(mine)
                    .map(|lane| addresses.of[lane as usize] >> 2 & 0xf)
                    .fold(0, |words, word| words | 1 << word);
                request.batches[number].lanes[channel as usize] = mine;
                request.open[number] |= 1 << channel;
                number += 1;
            }
        }

        let stats = &mut self.stats;
        let (all, near) = (
            u64::from(global.count_ones()),
            u64::from(request.local.count_ones()),
        );
        if access != Access::Flush && global != 0 {
            stats.accesses += 1;
            stats.lanes += all;
            stats.more_turns += request.batches.len() as u64 - 1;
        }
        if store {
            stats.local_writes += near
        } else {
            stats.local_reads += near
        }
        if access != Access::Flush {
            self.stats.requests += self.lines_of(index);
        }
        index
    }

    /// Requests that the coalescer makes of an access.
    pub(super) fn lines_of(&self, request: u16) -> u64 {
        let batches = &self.requests[usize::from(request)].batches;
        batches
            .iter()
            .map(|batch| batch.lines.iter().flatten().count() as u64)
            .sum()
    }

    /// Takes a request from the dispatcher if it can.
    pub(super) fn accept(&mut self, now: u64, request: u16) -> bool {
        let pending = &self.requests[usize::from(request)];
        let store = pending.access == Some(Access::Store);
        if self.fence || self.fenced == now || !self.queue.accepts(now) {
            return false;
        }
        if store {
            if !self.stored.offer(
                now,
                Done {
                    uop: pending.uop,
                    last: true,
                },
            ) {
                return false;
            }
        } else {
            if !self.in_flight.available(now) {
                return false;
            }
            self.in_flight.take();
            self.fence = pending.access == Some(Access::Flush);
        }
        self.queue.push(now, request);
        true
    }

    /// Moves results on, towards commit.
    pub(super) fn step_answers(&mut self, now: u64, core: usize, dcache: &mut Shared) {
        // Results go before stores.
        if self.done.accepts(now)
            && let Some(done) = self.results.pop(now).or_else(|| self.stored.pop(now))
        {
            self.done.push(now, done);
        }
        if let Some((request, lanes)) = self.answer
            && self.results.accepts(now)
        {
            self.answer = None;
            let pending = &mut self.requests[usize::from(request)];
            pending.left &= !lanes;
            let done = Done {
                uop: pending.uop,
                last: pending.left == 0,
            };
            self.results.push(now, done);
            if done.last {
                if pending.access == Some(Access::Flush) {
                    (self.fence, self.fenced) = (false, now);
                }
                self.in_flight.release(now);
                self.free.push(request);
            }
        }
        if self.answer.is_none() {
            self.answer = self.cached_answer(now, core, dcache);
        }
        if self.answer.is_none() {
            self.answer = match self.local_register {
                Some(_) => self.local_memory.answer(now),
                None => self.local_out.pop(now),
            };
        }
        if self.local_register.is_none()
            && self.local_out.accepts(now)
            && let Some(answer) = self.local_memory.answer(now)
        {
            self.local_out.push(now, answer);
        }
        self.stats.local_conflicts += self.local_memory.step(now);
    }

    /// The next answer of the data cache; those of one request that are there together count as one.
    fn cached_answer(&mut self, now: u64, core: usize, dcache: &mut Shared) -> Option<(u16, u32)> {
        if self.traffic.waiting == 0 {
            return None;
        }
        let first = (0..self.channels).find_map(|channel| {
            dcache
                .answers(core, channel)
                .front(now)
                .map(|answer| answer.tag & TAG_MASK)
        })?;
        let (request, batch) = ((first & 0xffff) as u16, (first >> 16) as usize);
        let pending = &mut self.requests[usize::from(request)];
        let mut lanes = 0;
        for channel in 0..self.channels {
            let answers = dcache.answers(core, channel);
            if answers
                .front(now)
                .is_some_and(|answer| answer.tag & TAG_MASK == first)
                && let Some(answer) = answers.pop(now)
            {
                self.traffic.waiting -= 1;
                if answer.access.loads() {
                    self.answered.push(Answer {
                        uop: pending.uop,
                        missed: answer.missed,
                        overtakes: answer.overtakes,
                    });
                }
                lanes |= pending.batches[batch].lanes[channel];
                pending.open[batch] &= !(1 << channel);
            }
        }
        if pending.open[batch] == 0 {
            self.coalescing.release(now);
        }
        Some((request, lanes))
    }

    /// Moves requests on, towards memory.
    pub(super) fn step_requests(&mut self, now: u64, core: usize, dcache: &mut Shared) {
        self.traffic.latency += self.traffic.waiting;
        self.coalesce(now, core, dcache);
        if let Some(Some(request)) = self.local_register {
            self.queue_local(now, request);
            if self.requests[usize::from(request)].local == 0 {
                self.local_register = Some(None);
                self.forget_store(request);
            }
        }
        let Some(&request) = self.queue.front(now) else {
            return;
        };
        let pending = &self.requests[usize::from(request)];
        let has_global = !pending.batches.is_empty();
        if has_global && self.global.is_some() {
            return;
        }
        if pending.local != 0 {
            match &mut self.local_register {
                Some(Some(_)) => return,
                Some(register) => *register = Some(request),
                None => {
                    self.queue_local(now, request);
                    if self.requests[usize::from(request)].local != 0 {
                        return;
                    }
                }
            }
        }
        self.queue.pop(now);
        if has_global {
            self.global = Some(request);
        } else {
            self.forget_store(request);
        }
    }

    /// Sends lanes to local memory: each has a register of its own, and what it does not take waits.
    fn queue_local(&mut self, now: u64, request: u16) {
        let pending = &mut self.requests[usize::from(request)];
        for lane in lanes_of(pending.local) {
            let access = LocalAccess {
                request,
                lane: lane as u8,
                word: pending.words[lane as usize],
                store: pending.access == Some(Access::Store),
            };
            if self.local_memory.offer(now, access) {
                pending.local &= !(1 << lane);
            }
        }
    }

    /// Forgets a store of which all was sent.
    fn forget_store(&mut self, request: u16) {
        let pending = &self.requests[usize::from(request)];
        let sent = pending.local == 0 && pending.sent == pending.batches.len();
        if sent && pending.access == Some(Access::Store) {
            self.free.push(request);
        }
    }

    fn coalesce(&mut self, now: u64, core: usize, dcache: &mut Shared) {
        let Some(request) = self.global else { return };
        if !self.sending {
            let sent = (0..self.channels).all(|channel| dcache.source(core, channel).is_empty());
            self.sending = sent && self.coalescing.available(now);
            return;
        }
        self.sending = false;
        let pending = &mut self.requests[usize::from(request)];
        let access = pending.access.unwrap_or(Access::Load);
        let store = access == Access::Store;
        let number = pending.sent;
        let batch = pending.batches[number];
        for channel in 0..self.channels {
            let Some(line) = batch.lines[channel] else {
                continue;
            };
            let access = if access != Access::Flush && is_uncached(line) {
                Access::Uncached { store }
            } else if pending.is_atomic {
                let first = batch.words[channel].trailing_zeros();
                Access::Atomic {
                    word: ((first * 4) >> self.word_bits) as u8,
                }
            } else {
                access
            };
            if store {
                self.traffic.stores += 1;
            } else {
                self.traffic.loads += 1;
                self.traffic.waiting += 1;
            }
            let tag = (number as u32) << 16 | u32::from(request);
            let touched = (line, batch.words[channel]);
            dcache
                .source(core, channel)
                .push(now, Shared::request(core, channel, touched, access, tag));
        }
        if !store {
            self.coalescing.take();
        }
        pending.sent += 1;
        if pending.sent == pending.batches.len() {
            self.global = None;
            self.forget_store(request);
        }
    }
}
