//! The caches that the cores of a socket share.

use super::{Ask, CORE_SHIFT, Route};
use crate::timing::cache::Cache;
use crate::timing::config::CacheConfig;
use crate::timing::queue::{Queue, RoundRobin};
use crate::timing::request::{Access, CacheShape, Fill, Miss, Request};

/// A cache that the cores of a socket share.
#[derive(Debug)]
pub(in crate::timing) struct Shared {
    /// Requests by core and channel.
    pub(super) sources: Vec<Queue<Request>>,
    /// What is before each core's first, if there is a register.
    pub(super) first: Vec<Queue<Request>>,
    /// Behind the arbiters, if several cores share the cache.
    pub(super) staged: Vec<Queue<Request>>,
    pub(super) grant: Vec<RoundRobin>,
    /// Answers by core and channel, if several cores share the cache.
    pub(super) answers: Vec<Queue<Request>>,
    pub(super) cache: Cache,
    pub(super) cores: usize,
    pub(super) channels: usize,
}

impl Shared {
    pub(super) fn new(
        config: &CacheConfig,
        cores: usize,
        source: usize,
        shape: CacheShape,
    ) -> Shared {
        let channels = shape.ports;
        let queues = |count: usize, capacity: usize| {
            (0..count).map(|_| Queue::new(capacity)).collect::<Vec<_>>()
        };
        let several = if cores > 1 { cores * channels } else { 0 };
        let mut sources = queues(cores * channels, source);
        let mut first = Vec::new();
        if shape.stages.first_port {
            first = queues(cores, source);
            for core in 0..cores {
                sources[core * channels] = Queue::new(2);
            }
        }
        Shared {
            sources,
            first,
            staged: queues(if cores > 1 { channels } else { 0 }, 2),
            grant: vec![RoundRobin::default(); channels],
            answers: queues(several, 2),
            cache: Cache::new(config, shape),
            cores,
            channels,
        }
    }

    /// Where a core of the socket puts its requests.
    #[inline]
    pub(in crate::timing) fn source(&mut self, core: usize, channel: usize) -> &mut Queue<Request> {
        match self.first.get_mut(core) {
            Some(first) if channel == 0 => first,
            _ => &mut self.sources[core * self.channels + channel],
        }
    }

    /// A core's answers.
    #[inline]
    pub(in crate::timing) fn answers(
        &mut self,
        core: usize,
        channel: usize,
    ) -> &mut Queue<Request> {
        if self.cores > 1 {
            &mut self.answers[core * self.channels + channel]
        } else {
            self.cache.answers(channel)
        }
    }

    /// Whether there are answers for a core.
    pub(in crate::timing) fn has_answers(&mut self, core: usize) -> bool {
        (0..self.channels).any(|channel| !self.answers(core, channel).is_empty())
    }

    /// Whether all requests of a core have left.
    #[inline]
    pub(in crate::timing) fn has_sent(&self, core: usize) -> bool {
        let sources = &self.sources[core * self.channels..][..self.channels];
        match self.first.get(core) {
            Some(first) => first.is_empty() && sources[1..].iter().all(Queue::is_empty),
            None => sources.iter().all(Queue::is_empty),
        }
    }

    /// Takes the answers that a core has in this cycle, and drops them.
    pub(in crate::timing) fn discard_answers(&mut self, now: u64, core: usize) {
        for channel in 0..self.channels {
            self.answers(core, channel).pop(now);
        }
    }

    /// A request of a core.
    pub(in crate::timing) fn request(
        core: usize,
        channel: usize,
        (line, words): (u32, u16),
        access: Access,
        tag: u32,
    ) -> Request {
        Request {
            line,
            access,
            port: channel as u16,
            tag: (core as u32) << CORE_SHIFT | tag,
            words,
            missed: false,
            overtakes: false,
        }
    }

    pub(super) fn step(&mut self, now: u64) {
        self.step_cache(now);
        for (core, first) in self.first.iter_mut().enumerate() {
            let source = &mut self.sources[core * self.channels];
            if source.accepts(now)
                && let Some(request) = first.pop(now)
            {
                source.push(now, request);
            }
        }
    }

    fn step_cache(&mut self, now: u64) {
        if self.cores == 1 {
            self.cache.step(now, &mut self.sources);
            return;
        }
        let empty = |queues: &[Queue<Request>]| queues.iter().all(Queue::is_empty);
        let rests = self.cache.rests() && empty(&self.sources) && empty(&self.staged);
        if rests && (0..self.channels).all(|channel| self.cache.answers(channel).is_empty()) {
            return;
        }
        for channel in 0..self.channels {
            if let Some(&answer) = self.cache.answers(channel).front(now) {
                let core = (answer.tag >> CORE_SHIFT) as usize;
                let queue = &mut self.answers[core * self.channels + channel];
                if queue.accepts(now) {
                    queue.push(now, answer);
                    self.cache.answers(channel).pop(now);
                }
            }
            if self.staged[channel].accepts(now) {
                let (sources, channels) = (&self.sources, self.channels);
                let asks = |core: usize| sources[core * channels + channel].front(now).is_some();
                if let Some(core) = self.grant[channel].choose(self.cores, asks) {
                    self.grant[channel].served(core);
                    if let Some(request) = self.sources[core * self.channels + channel].pop(now) {
                        self.staged[channel].push(now, request);
                    }
                }
            }
        }
        self.cache.step(now, &mut self.staged);
    }
}

#[derive(Debug)]
pub(in crate::timing) struct Socket {
    pub(in crate::timing) icache: Shared,
    pub(in crate::timing) dcache: Shared,
    /// Requests of both caches to memory, at the port that they share.
    pub(super) out: Queue<Ask>,
    pub(super) icache_fills: Queue<Fill>,
    pub(super) dcache_fills: Queue<Fill>,
}

impl Socket {
    pub(super) fn step(&mut self, now: u64, number: u16) {
        for (fills, cache) in [
            (&mut self.icache_fills, &mut self.icache.cache),
            (&mut self.dcache_fills, &mut self.dcache.cache),
        ] {
            if let Some(&fill) = fills.front(now)
                && cache.takes_fill(now, 0, &fill)
            {
                fills.pop(now);
                cache.fill(now, 0, fill);
            }
        }
        if self.out.accepts(now) {
            let route = |miss: Miss, icache: bool| {
                let route = |fill| match icache {
                    true => Route::Icache {
                        socket: number,
                        fill,
                    },
                    false => Route::Dcache {
                        socket: number,
                        port: 0,
                        fill,
                    },
                };
                Ask {
                    line: miss.line,
                    access: miss.access,
                    answer: miss.answer.map(route),
                }
            };
            // The instruction cache goes first.
            if let Some(miss) = self.icache.cache.requests(0).pop(now) {
                self.out.push(now, route(miss, true));
            } else if let Some(miss) = self.dcache.cache.requests(0).pop(now) {
                self.out.push(now, route(miss, false));
            }
        }
        self.icache.step(now);
        self.dcache.step(now);
    }
}
