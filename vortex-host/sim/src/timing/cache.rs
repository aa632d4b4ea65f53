//! A cache: banks behind crossbars, what goes past them, and flushes.

use super::bank::Bank;
use super::config::CacheConfig;
use super::network::Network;
use super::queue::{Deep, Queue, RoundRobin};
use super::request::{Access, CacheShape, Fill, Miss, Request};
use super::stats::CacheStats;

/// Banks of a cache, at most.
pub(super) const BANKS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flushing {
    Idle,
    Begin,
    Drain,
    Sweep,
    /// The banks but the first wait until they are empty, here for as many cycles more as they have stages.
    Settle(u8),
    Done,
    /// The flushes at these ports can pass.
    Release(u64),
}

/// What is asked at the ports in a cycle, a bit per port.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    uncached: u64,
    flushes: u64,
    cached: u64,
}

/// The numbers of the bits that are set.
fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let one = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(one)
    })
}

/// A cache with its crossbars.
#[derive(Debug)]
pub(super) struct Cache {
    shape: CacheShape,
    banks: Vec<Bank>,
    flushing: Flushing,
    /// On the way from the banks to their ports, where that is more than a crossbar.
    answers_network: Option<Network<Request>>,
    /// Answers per port behind the crossbar, and behind the merge with what went past the cache.
    crossed: Vec<Option<Request>>,
    out: Vec<Queue<Request>>,
    answer_grant: Vec<RoundRobin>,
    /// To memory, likewise.
    misses_network: Option<Network<Miss>>,
    /// Per memory port.
    leaving: Vec<Option<Miss>>,
    pub(super) misses: Vec<Deep<Miss>>,
    miss_grant: Vec<RoundRobin>,
    merge: Vec<bool>,
    fills: Vec<Deep<Fill>>,
    /// And from there to the banks.
    fills_network: Option<Network<u32>>,
    fill_grant: Vec<RoundRobin>,
    /// Nothing is inside but what others must take: until something comes in, no step changes anything.
    rests: bool,
    /// It is plain and nothing goes past: others take answers and requests from the bank itself.
    direct: bool,
    pub(super) stats: CacheStats,
}

impl Cache {
    pub(super) fn new(config: &CacheConfig, shape: CacheShape) -> Cache {
        Cache {
            banks: (0..shape.banks)
                .map(|_| Bank::new(config, &shape))
                .collect(),
            flushing: Flushing::Idle,
            // Without what goes past the cache, there are two registers at each crossbar, and one otherwise.
            answers_network: Network::new(shape.banks, shape.ports, shape.bypass),
            misses_network: Network::new(shape.banks, shape.memory_ports, shape.bypass),
            fills_network: Network::new(shape.memory_ports, shape.banks, false),
            crossed: vec![None; shape.ports],
            out: (0..shape.ports).map(|_| Queue::new(2)).collect(),
            answer_grant: vec![RoundRobin::default(); shape.ports],
            leaving: vec![None; shape.memory_ports],
            misses: (0..shape.memory_ports).map(|_| Deep::new(2)).collect(),
            miss_grant: vec![RoundRobin::default(); shape.memory_ports],
            merge: vec![false; shape.memory_ports],
            fills: (0..shape.memory_ports)
                .map(|_| Deep::new(shape.fill_queue.max(1)))
                .collect(),
            fill_grant: vec![RoundRobin::default(); shape.banks],
            rests: false,
            direct: Cache::is_plain(&shape) && !shape.bypass,
            stats: CacheStats::default(),
            shape,
        }
    }

    /// One port and one bank, and therefore no crossbar with registers.
    #[inline(always)]
    fn is_plain(shape: &CacheShape) -> bool {
        shape.ports == 1 && shape.banks == 1 && !shape.stages.crossbars
    }

    /// No register is between the banks' requests to memory and the merge with what goes past the cache.
    fn sends_itself(&self) -> bool {
        self.shape.banks == 1 && !(self.shape.stages.crossbars && self.shape.bypass)
    }

    /// The answers for a port.
    #[inline]
    pub(super) fn answers(&mut self, port: usize) -> &mut Queue<Request> {
        if self.direct {
            &mut self.banks[0].answers
        } else {
            &mut self.out[port]
        }
    }

    /// The requests to memory of a memory port.
    pub(super) fn requests(&mut self, port: usize) -> &mut Deep<Miss> {
        if self.direct {
            &mut self.banks[0].misses
        } else {
            &mut self.misses[port]
        }
    }

    /// Whether there are requests to memory at any memory port from one on.
    #[inline]
    pub(super) fn has_requests(&self, first: usize) -> bool {
        let waits = |requests: &Deep<Miss>| !requests.is_empty();
        match self.direct {
            true => first == 0 && waits(&self.banks[0].misses),
            false => self.misses[first..].iter().any(waits),
        }
    }

    /// Whether an answer from memory can come in.
    pub(super) fn takes_fill(&self, now: u64, port: usize, fill: &Fill) -> bool {
        match fill {
            Fill::Direct(request) => self.out[usize::from(request.port)].accepts(now),
            Fill::Line { bank, .. } if self.shape.fill_queue == 0 => {
                self.banks[usize::from(*bank)].fills.accepts(now)
            }
            Fill::Line { .. } => self.fills[port].accepts(now),
        }
    }

    /// Takes an answer from memory.
    pub(super) fn fill(&mut self, now: u64, port: usize, fill: Fill) {
        match fill {
            Fill::Direct(request) => self.out[usize::from(request.port)].push(now, request),
            Fill::Line { bank, line } if self.shape.fill_queue == 0 => {
                self.banks[usize::from(bank)].fills.push(now, line)
            }
            Fill::Line { .. } => self.fills[port].push(now, fill),
        }
        self.rests = false;
    }

    /// Whether nothing is inside but what others must take.
    pub(super) fn rests(&self) -> bool {
        self.rests
    }

    fn is_at_rest(&self) -> bool {
        self.flushing == Flushing::Idle
            && self.banks.iter().all(|bank| bank.is_at_rest(self.direct))
            && self.crossed.iter().all(Option::is_none)
            && self.leaving.iter().all(Option::is_none)
            && self.fills.iter().all(Deep::is_empty)
            && self.answers_network.as_ref().is_none_or(Network::is_empty)
            && self.misses_network.as_ref().is_none_or(Network::is_empty)
            && self.fills_network.as_ref().is_none_or(Network::is_empty)
    }

    /// Moves on by a cycle. `ports` are the requests.
    pub(super) fn step(&mut self, now: u64, ports: &mut [Queue<Request>]) {
        if self.rests && ports.iter().all(Queue::is_empty) {
            return;
        }
        match ports {
            [port] if self.direct => {
                self.move_on_plain(now, port);
                self.rests = self.banks[0].is_at_rest(true);
            }
            _ => {
                self.move_on(now, ports);
                self.rests = self.is_at_rest();
            }
        }
    }

    /// As below, without crossbars and flushes, which a cache like this has not.
    fn move_on_plain(&mut self, now: u64, port: &mut Queue<Request>) {
        let bank = &mut self.banks[0];
        if !bank.advance(now, 0, &mut self.stats) || bank.serve(now, true) {
            return;
        }
        if port.front(now).is_some()
            && bank.admits(now, &mut self.stats)
            && let Some(request) = port.pop(now)
        {
            bank.enter(request);
        }
    }

    fn move_on(&mut self, now: u64, ports: &mut [Queue<Request>]) {
        let asked = Cache::survey(now, ports);
        self.send(now, ports, asked.uncached);
        self.answer(now);
        let held = self.flushing != Flushing::Idle || asked.flushes != 0;
        let mut served = match self.flushing {
            Flushing::Release(ports) => asked.flushes & ports,
            _ => 0,
        };
        if !held {
            served |= asked.cached;
        }
        if self.banks.len() == 1 {
            self.step_bank(now, 0, ports, served);
            if !held {
                let contenders = asked.cached.count_ones().saturating_sub(1);
                self.stats.bank_stalls += u64::from(contenders);
            }
        } else {
            self.step_banks(now, ports, served);
        }
        if held {
            self.flush(now, ports);
        }
        self.distribute_fills(now);
    }

    /// Moves the banks on, which could take the requests of these ports.
    fn step_banks(&mut self, now: u64, ports: &mut [Queue<Request>], served: u64) {
        let mut wanted = [0u64; BANKS];
        for port in ones(served) {
            if let Some(request) = ports[port].front(now) {
                let wanted = &mut wanted[self.bank_of(request.line)];
                let loads_or_stores = request.access.loads() || request.access.stores();
                self.stats.bank_stalls += u64::from(loads_or_stores && *wanted != 0);
                *wanted |= 1 << port;
            }
        }
        for (number, &wanted) in wanted.iter().enumerate().take(self.banks.len()) {
            if wanted != 0 || !self.banks[number].is_at_rest(true) {
                self.step_bank(now, number, ports, wanted);
            }
        }
    }

    /// What is asked at the ports.
    fn survey(now: u64, ports: &[Queue<Request>]) -> Asked {
        let mut asked = Asked::default();
        for (port, request) in ports.iter().enumerate() {
            let Some(request) = request.front(now) else {
                continue;
            };
            match request.access {
                Access::Uncached { .. } => asked.uncached |= 1 << port,
                Access::Flush => asked.flushes |= 1 << port,
                Access::Load | Access::Atomic { .. } | Access::Store => asked.cached |= 1 << port,
            }
        }
        asked
    }

    fn bank_of(&self, line: u32) -> usize {
        (line >> self.shape.sector_bits) as usize & (self.shape.banks - 1)
    }

    /// Sends misses, and what goes past the cache, towards memory.
    fn send(&mut self, now: u64, ports: &mut [Queue<Request>], uncached: u64) {
        let count = self.shape.memory_ports;
        for port in 0..count {
            if self.misses[port].accepts(now) {
                let uncached = ones(uncached).find(|n| n % count == port);
                let single = self.sends_itself();
                let cached = if single {
                    self.banks[0].misses.front(now).is_some()
                } else {
                    self.leaving[port].is_some()
                };
                // Whoever was not served last.
                let take_uncached = uncached.is_some() && (!cached || self.merge[port]);
                if let (true, Some(n)) = (take_uncached, uncached) {
                    self.merge[port] = false;
                    if let Some(request) = ports[n].pop(now) {
                        let store = request.access == Access::Uncached { store: true };
                        let answer = (!store).then_some(Fill::Direct(request));
                        self.misses[port].push(
                            now,
                            Miss {
                                line: request.line,
                                access: request.access,
                                answer,
                            },
                        );
                    }
                } else if cached {
                    self.merge[port] = true;
                    let miss = if single {
                        self.banks[0].misses.pop(now)
                    } else {
                        self.leaving[port].take()
                    };
                    if let Some(miss) = miss {
                        self.misses[port].push(now, miss);
                    }
                }
            }
            if self.sends_itself() || self.leaving[port].is_some() {
                continue;
            }
            let grant = &mut self.miss_grant[port];
            if let Some(network) = &mut self.misses_network {
                let comes = |n| network.front(now, port, n).is_some();
                if let Some(n) = grant.choose(2, comes) {
                    grant.served(n);
                    self.leaving[port] = network.pop(now, port, n);
                }
            } else {
                let banks = &self.banks;
                let of_port = self.shape.banks.div_ceil(count);
                let comes = |n: usize| banks[n * count + port].misses.front(now).is_some();
                if let Some(n) = grant.choose(of_port, comes) {
                    grant.served(n);
                    self.leaving[port] = self.banks[n * count + port].misses.pop(now);
                }
            }
        }
        if let Some(network) = &mut self.misses_network {
            let banks = &mut self.banks;
            network.step(now, banks.len(), |bank, take| {
                let misses = &mut banks[bank].misses;
                let miss = match take {
                    true => misses.pop(now),
                    false => misses.front(now).copied(),
                };
                Some((miss?, bank % count))
            });
        }
    }

    /// Brings answers to their ports.
    fn answer(&mut self, now: u64) {
        if Cache::is_plain(&self.shape) {
            if self.shape.bypass
                && self.out[0].accepts(now)
                && let Some(answer) = self.banks[0].answers.pop(now)
            {
                self.out[0].push(now, answer);
            }
            return;
        }
        for port in 0..self.shape.ports {
            if self.shape.bypass {
                if self.out[port].accepts(now)
                    && let Some(answer) = self.crossed[port].take()
                {
                    self.out[port].push(now, answer);
                }
                if self.crossed[port].is_none() {
                    self.crossed[port] = self.cross(now, port);
                }
            } else if self.out[port].accepts(now)
                && let Some(answer) = self.cross(now, port)
            {
                self.out[port].push(now, answer);
            }
        }
        if let Some(network) = &mut self.answers_network {
            let banks = &mut self.banks;
            network.step(now, banks.len(), |bank, take| {
                let answers = &mut banks[bank].answers;
                let answer = match take {
                    true => answers.pop(now),
                    false => answers.front(now).copied(),
                }?;
                Some((answer, usize::from(answer.port)))
            });
        }
    }

    fn cross(&mut self, now: u64, port: usize) -> Option<Request> {
        if let Some(network) = &mut self.answers_network {
            let grant = &mut self.answer_grant[port];
            let n = grant.choose(2, |n| network.front(now, port, n).is_some())?;
            grant.served(n);
            return network.pop(now, port, n);
        }
        let banks = &self.banks;
        let here = |n: usize| {
            banks[n]
                .answers
                .front(now)
                .is_some_and(|answer| usize::from(answer.port) == port)
        };
        let bank = self.answer_grant[port].choose(banks.len(), here)?;
        self.answer_grant[port].served(bank);
        self.banks[bank].answers.pop(now)
    }

    /// Holds everything back while there is a flush at a port and the cache is not empty yet.
    fn flush(&mut self, now: u64, ports: &[Queue<Request>]) {
        let waiting = ports.iter().enumerate().fold(0, |mask, (n, port)| {
            mask | u64::from(is_flush(now, port)) << n
        });
        self.flushing = match self.flushing {
            Flushing::Idle if waiting != 0 && self.shape.bypass => Flushing::Begin,
            Flushing::Idle => Flushing::Idle,
            Flushing::Begin => {
                for bank in &mut self.banks {
                    bank.awaits_sweep = true;
                }
                Flushing::Drain
            }
            Flushing::Drain if self.shape.stages.forwards => match self.is_swept(now) {
                true => Flushing::Done,
                false => Flushing::Drain,
            },
            Flushing::Drain if self.banks.iter().any(|bank| bank.is_draining(now)) => {
                Flushing::Drain
            }
            Flushing::Drain => {
                for bank in &mut self.banks {
                    bank.begin_sweep();
                }
                Flushing::Sweep
            }
            Flushing::Sweep if self.banks.iter().any(|bank| bank.sweep > 0) => Flushing::Sweep,
            Flushing::Sweep if self.shape.banks > 1 => Flushing::Settle(2),
            Flushing::Sweep => Flushing::Done,
            Flushing::Settle(0) => {
                let sent = self.banks.iter().skip(1).all(|bank| bank.misses.is_empty());
                if sent {
                    Flushing::Done
                } else {
                    Flushing::Settle(0)
                }
            }
            Flushing::Settle(cycles) => Flushing::Settle(cycles - 1),
            Flushing::Done => Flushing::Release(waiting),
            Flushing::Release(0) => Flushing::Idle,
            Flushing::Release(left) => Flushing::Release(left),
        };
    }

    /// Lets each bank begin that is done with what it had. Returns whether all are empty, of which only the first does
    /// not wait for its last requests to memory.
    fn is_swept(&mut self, now: u64) -> bool {
        for bank in &mut self.banks {
            if bank.awaits_sweep && !bank.is_draining(now) {
                bank.begin_sweep();
            }
        }
        let (first, others) = self.banks.split_at_mut(1);
        // Each is asked, as each notes in every cycle how long it will still be sending.
        let mut others_sent = true;
        for bank in others {
            others_sent &= bank.has_sent(now);
        }
        others_sent
            && first
                .iter()
                .all(|bank| bank.sweep == 0 && !bank.awaits_sweep)
    }

    /// A flush passed a port.
    fn flushed(&mut self, port: usize) {
        if let Flushing::Release(left) = &mut self.flushing {
            *left &= !(1 << port);
        }
    }

    /// Moves a bank on, which could take the request of any port of `wanted`.
    fn step_bank(&mut self, now: u64, number: usize, ports: &mut [Queue<Request>], wanted: u64) {
        let bank = &mut self.banks[number];
        let port = bank.grant.among(wanted);
        if let (Some(input), Some(port)) = (&mut bank.input, port)
            && input.accepts(now)
            && let Some(request) = ports[port].pop(now)
        {
            input.push(now, request);
            bank.grant.served(port);
            self.flushed(port);
        }

        let bank = &mut self.banks[number];
        let after_reset = self.flushing == Flushing::Idle;
        if !bank.advance(now, number as u16, &mut self.stats) || bank.serve(now, after_reset) {
            return;
        }
        if bank.writes_atomics(now) {
            return;
        }
        let first = match (&bank.input, port) {
            (Some(input), _) => input.front(now),
            (None, Some(port)) => ports[port].front(now),
            (None, None) => None,
        };
        let comes = first.is_some_and(|request| !bank.defers(now, request.line));
        if !comes || !bank.admits(now, &mut self.stats) {
            return;
        }
        let request = match (&mut bank.input, port) {
            (Some(input), _) => input.pop(now),
            (None, Some(port)) => {
                bank.grant.served(port);
                ports[port].pop(now)
            }
            (None, None) => None,
        };
        if let Some(request) = request {
            let at_port = bank.input.is_none();
            bank.enter(request);
            if let (true, Some(port)) = (at_port, port) {
                self.flushed(port);
            }
        }
    }

    /// Hands lines from memory to their banks.
    fn distribute_fills(&mut self, now: u64) {
        let between = self.fills_network.as_ref();
        if self.fills.iter().all(Deep::is_empty) && between.is_none_or(Network::is_empty) {
            return;
        }
        for (number, bank) in self.banks.iter_mut().enumerate() {
            if !bank.fills.accepts(now) {
                continue;
            }
            let grant = &mut self.fill_grant[number];
            if let Some(network) = &mut self.fills_network {
                let comes = |n| network.front(now, number, n).is_some();
                let Some(n) = grant.choose(2, comes) else {
                    continue;
                };
                grant.served(n);
                if let Some(line) = network.pop(now, number, n) {
                    bank.fills.push(now, line);
                }
                continue;
            }
            let fills = &self.fills;
            let mine = |port: usize| match fills[port].front(now) {
                Some(&Fill::Line { bank, .. }) => usize::from(bank) == number,
                _ => false,
            };
            let Some(port) = grant.choose(fills.len(), mine) else {
                continue;
            };
            grant.served(port);
            if let Some(Fill::Line { line, .. }) = self.fills[port].pop(now) {
                bank.fills.push(now, line);
            }
        }
        if let Some(network) = &mut self.fills_network {
            let fills = &mut self.fills;
            network.step(now, fills.len(), |port, take| {
                let fill = match take {
                    true => fills[port].pop(now),
                    false => fills[port].front(now).copied(),
                };
                match fill? {
                    Fill::Line { bank, line } => Some((line, usize::from(bank))),
                    Fill::Direct(_) => None,
                }
            });
        }
    }
}

fn is_flush(now: u64, port: &Queue<Request>) -> bool {
    port.front(now)
        .is_some_and(|request| request.access == Access::Flush)
}
