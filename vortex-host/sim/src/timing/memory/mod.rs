//! The memory system: sockets with their caches, the optional levels behind them, main memory.

use super::cache::{BANKS, Cache};
use super::config::{CacheConfig, LINE_BITS, TimingConfig};
use super::dram::{Dram, DramStats};
use super::queue::{Queue, RoundRobin};
use super::request::{Access, CacheShape, Fill, Request};
use super::stages::CacheStages;
use super::stats::CacheStats;
use crate::layout;

mod socket;

pub(in crate::timing) use socket::{Shared, Socket};

/// Memory ports that any level has at most: as many as the memory has channels.
const MEMORY_PORTS: usize = 2;

/// Whether accesses to a line go past all caches.
pub(super) const fn is_uncached(line: u32) -> bool {
    line >= layout::CONSOLE >> LINE_BITS && line < layout::USER >> LINE_BITS
}

/// A core's number in its socket, kept in the upper bits of a tag.
const CORE_SHIFT: u32 = 24;

/// Bits of a tag that a core can use.
pub(super) const TAG_MASK: u32 = (1 << CORE_SHIFT) - 1;

/// Who waits for a line, and where.
#[derive(Clone, Copy, Debug)]
enum Route {
    Icache { socket: u16, fill: Fill },
    Dcache { socket: u16, port: u8, fill: Fill },
    Level { level: u8, port: u8, fill: Fill },
}

/// A request on its way to memory.
#[derive(Clone, Copy, Debug)]
struct Ask {
    line: u32,
    access: Access,
    answer: Option<Route>,
}

/// A cache behind all sockets.
#[derive(Debug)]
struct Level {
    cache: Cache,
    /// What the ports' sources show.
    inputs: Vec<Queue<Request>>,
    routes: Vec<Route>,
    free: Vec<u32>,
}

impl Level {
    /// `number`: counted from the cores' caches on. `last`: it is the one before memory.
    fn new(
        config: &CacheConfig,
        stages: &CacheStages,
        ports: usize,
        number: usize,
        last: bool,
    ) -> Level {
        let banks = ports.next_power_of_two().min(BANKS);
        let shape = CacheShape {
            ports,
            banks,
            memory_ports: ports.min(MEMORY_PORTS).min(banks),
            bypass: true,
            fill_queue: 4,
            // Reset passes through one register per level of the hierarchy.
            early: number as u32,
            sector_bits: u32::from(stages.large),
            deferred: stages.deferred(number, config.size),
            stages: CacheStages {
                write_back: stages.large && last,
                ..*stages
            },
        };
        Level {
            cache: Cache::new(config, shape),
            inputs: (0..ports).map(|_| Queue::new(1)).collect(),
            routes: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Shows the cache what waits at a port: there is no register between, so it stays where it is until it was taken.
    fn show(&mut self, port: usize, ask: Ask) {
        let tag = ask.answer.map_or(0, |route| self.remember(route));
        let store = ask.answer.is_none();
        let access = match is_uncached(ask.line) {
            true => Access::Uncached { store },
            false => ask.access,
        };
        self.inputs[port].show(Request {
            line: ask.line,
            access,
            port: port as u16,
            tag,
            words: 0,
            missed: false,
            overtakes: false,
        });
    }

    /// Keeps where an answer goes, and says under which number.
    fn remember(&mut self, route: Route) -> u32 {
        match self.free.pop() {
            Some(tag) => {
                self.routes[tag as usize] = route;
                tag
            }
            None => {
                self.routes.push(route);
                self.routes.len() as u32 - 1
            }
        }
    }
}

fn queues_of_routes(count: usize) -> Vec<Queue<Route>> {
    (0..count).map(|_| Queue::new(2)).collect()
}

/// The crossbar between channels and ports, with a register for each channel's answer.
#[derive(Debug)]
struct Responses {
    registers: Vec<Option<(u8, Route)>>,
    grant: Vec<RoundRobin>,
}

impl Responses {
    fn step(&mut self, now: u64, dram: &mut Dram<(u8, Route)>, ports: &mut [Queue<Route>]) {
        for (channel, register) in self.registers.iter_mut().enumerate() {
            if register.is_none() {
                *register = dram.answer(channel, true);
            }
        }
        for (port, queue) in ports.iter_mut().enumerate() {
            if !queue.accepts(now) {
                continue;
            }
            let registers = &self.registers;
            let mine = |n: usize| registers[n].is_some_and(|(to, _)| usize::from(to) == port);
            if let Some(channel) = self.grant[port].choose(registers.len(), mine) {
                self.grant[port].served(channel);
                if let Some((_, route)) = self.registers[channel].take() {
                    queue.push(now, route);
                }
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.registers.iter().all(Option::is_none)
    }
}

/// Everything behind the cores.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) sockets: Vec<Socket>,
    l1_ports: usize,
    levels: Vec<Level>,
    /// Requests at the last ports before memory, where several sources share them.
    merged: Vec<Queue<Ask>>,
    merge_grant: RoundRobin,
    /// Requests per channel, if there are several ports.
    to_dram: Vec<Queue<Ask>>,
    to_dram_grant: Vec<RoundRobin>,
    dram: Dram<(u8, Route)>,
    /// Before the ports, if channels have registers.
    responses: Option<Responses>,
    /// Answers per port.
    from_dram: Vec<Queue<Route>>,
    /// Behind these, by the port of the first level that they are for, where sources share ports and have registers.
    shared_out: Vec<Queue<Route>>,
}

impl Memory {
    /// `channels`: requests that a core can make of its data cache in a cycle.
    pub(super) fn new(
        config: &TimingConfig,
        stages: &CacheStages,
        cores: usize,
        channels: usize,
    ) -> Memory {
        let per_socket = (config.cores_per_socket as usize).clamp(1, cores);
        let l1_ports = channels.min(BANKS).min(MEMORY_PORTS);
        let socket = |cores: usize| Socket {
            icache: Shared::new(
                &config.icache,
                cores,
                2,
                CacheShape {
                    ports: 1,
                    banks: 1,
                    memory_ports: 1,
                    bypass: false,
                    fill_queue: 0,
                    early: 0,
                    sector_bits: 0,
                    deferred: stages.deferred(0, config.icache.size),
                    stages: CacheStages {
                        write_back: false,
                        ..*stages
                    },
                },
            ),
            dcache: Shared::new(
                &config.dcache,
                cores,
                1,
                CacheShape {
                    ports: channels,
                    banks: channels.min(BANKS),
                    memory_ports: l1_ports,
                    bypass: true,
                    fill_queue: 4,
                    early: 0,
                    sector_bits: 0,
                    deferred: stages.deferred(0, config.dcache.size),
                    stages: *stages,
                },
            ),
            out: Queue::new(2),
            icache_fills: Queue::new(2),
            dcache_fills: Queue::new(2),
        };
        let sockets: Vec<Socket> = (0..cores)
            .step_by(per_socket)
            .map(|first| socket(per_socket.min(cores - first)))
            .collect();
        let mut ports = sockets.len() * l1_ports;
        let mut levels = Vec::new();
        for (number, level) in [(1, &config.l2), (2, &config.l3)] {
            if let Some(level) = level {
                let last = number == 2 || config.l3.is_none();
                levels.push(Level::new(level, stages, ports, number, last));
                ports = ports.min(MEMORY_PORTS);
            }
        }
        let last = ports.min(MEMORY_PORTS);
        let shared = match levels.is_empty() && ports > last && stages.crossbars {
            true => ports,
            false => 0,
        };
        let queues = |count: usize| (0..count).map(|_| Queue::new(2)).collect::<Vec<_>>();
        Memory {
            sockets,
            l1_ports,
            levels,
            merged: queues(if ports > last { last } else { 0 }),
            merge_grant: RoundRobin::default(),
            to_dram: queues(if last > 1 {
                config.dram.channels as usize
            } else {
                0
            }),
            to_dram_grant: vec![RoundRobin::default(); config.dram.channels as usize],
            dram: Dram::new(config.dram.clone(), stages.memory_queue),
            responses: stages.memory_queue.then(|| Responses {
                registers: vec![None; config.dram.channels as usize],
                grant: vec![RoundRobin::default(); last],
            }),
            from_dram: queues_of_routes(last),
            shared_out: queues_of_routes(shared),
        }
    }

    /// The socket of a core, and the core's number in it.
    pub(super) fn locate(&self, core: usize) -> (usize, usize) {
        let per_socket = self.sockets[0].icache.cores;
        (core / per_socket, core % per_socket)
    }

    /// What the caches did: instruction, data, and the levels behind them.
    pub(super) fn stats(&self) -> (CacheStats, CacheStats, Vec<CacheStats>) {
        let sum = |stats: &mut dyn Iterator<Item = CacheStats>| {
            stats.fold(CacheStats::default(), |a, b| a.plus(&b))
        };
        (
            sum(&mut self.sockets.iter().map(|s| s.icache.cache.stats)),
            sum(&mut self.sockets.iter().map(|s| s.dcache.cache.stats)),
            self.levels.iter().map(|level| level.cache.stats).collect(),
        )
    }

    /// The caches of a socket: instruction and data.
    pub(super) fn of_socket(&self, socket: usize) -> (&CacheStats, &CacheStats) {
        let Socket { icache, dcache, .. } = &self.sockets[socket];
        (&icache.cache.stats, &dcache.cache.stats)
    }

    /// A level behind the sockets, if there is one.
    pub(super) fn level(&self, level: usize) -> Option<&CacheStats> {
        self.levels.get(level).map(|level| &level.cache.stats)
    }

    /// Lines that main memory was asked for, and given.
    pub(super) fn lines(&self) -> (u64, u64) {
        let DramStats { reads, writes, .. } = self.dram.stats;
        (reads, writes)
    }

    /// Main memory.
    pub(super) fn dram(&self) -> DramStats {
        self.dram.stats
    }

    /// Lines that main memory has been asked for or given, and is not done with.
    pub(super) fn lines_under_way(&self) -> u64 {
        self.dram.lines_under_way()
    }

    /// Moves on by a cycle.
    pub(super) fn step(&mut self, now: u64) {
        let arrives = self.from_dram.iter().any(|queue| !queue.is_empty());
        let responds = self.responses.as_ref().is_some_and(|r| !r.is_empty());
        if arrives || responds || !self.dram.rests(now) || self.leaves() {
            self.step_dram(now);
        }
        let shared = self.shared_out.iter().any(|queue| !queue.is_empty());
        if arrives || shared || !self.levels.is_empty() {
            self.deliver(now);
        }
        for level in 0..self.levels.len() {
            self.step_level(now, level);
        }
        for (number, socket) in self.sockets.iter_mut().enumerate() {
            socket.step(now, number as u16);
        }
    }

    /// The request that leaves the sockets or a level through a port: `level` counts what was passed.
    fn front(&mut self, now: u64, level: usize, port: usize) -> Option<Ask> {
        if level > 0 {
            let miss = *self.levels[level - 1].cache.requests(port).front(now)?;
            let route = |fill| Route::Level {
                level: level as u8 - 1,
                port: port as u8,
                fill,
            };
            return Some(Ask {
                line: miss.line,
                access: miss.access,
                answer: miss.answer.map(route),
            });
        }
        let (socket, port) = self.l1_port(port);
        if port == 0 {
            return self.sockets[socket].out.front(now).copied();
        }
        let miss = *self.sockets[socket]
            .dcache
            .cache
            .requests(port)
            .front(now)?;
        let route = |fill| Route::Dcache {
            socket: socket as u16,
            port: port as u8,
            fill,
        };
        Some(Ask {
            line: miss.line,
            access: miss.access,
            answer: miss.answer.map(route),
        })
    }

    /// The socket of a port of the first level, and its number there.
    fn l1_port(&self, port: usize) -> (usize, usize) {
        match self.l1_ports {
            1 => (port, 0),
            ports => (port / ports, port % ports),
        }
    }

    fn pop(&mut self, now: u64, level: usize, port: usize) {
        if level > 0 {
            self.levels[level - 1].cache.requests(port).pop(now);
            return;
        }
        let (socket, port) = self.l1_port(port);
        if port == 0 {
            self.sockets[socket].out.pop(now);
        } else {
            self.sockets[socket].dcache.cache.requests(port).pop(now);
        }
    }

    /// Moves a level on, which takes its requests from where they are.
    fn step_level(&mut self, now: u64, level: usize) {
        let ports = self.levels[level].inputs.len();
        for port in 0..ports {
            if self.levels[level].inputs[port].is_empty()
                && let Some(ask) = self.front(now, level, port)
            {
                self.levels[level].show(port, ask);
            }
        }
        let Level { cache, inputs, .. } = &mut self.levels[level];
        cache.step(now, inputs);
        for port in 0..ports {
            if self.levels[level].inputs[port].is_empty() {
                self.pop(now, level, port);
            }
        }
    }

    /// Whether there are requests on their way to main memory.
    fn leaves(&self) -> bool {
        let some = |queues: &[Queue<Ask>]| queues.iter().any(|queue| !queue.is_empty());
        if some(&self.merged) || some(&self.to_dram) {
            return true;
        }
        match self.levels.last() {
            Some(Level { cache, .. }) => cache.has_requests(0),
            None => self.sockets.iter().any(|socket| {
                // Those of the first port leave through the socket's own.
                !socket.out.is_empty() || socket.dcache.cache.has_requests(1)
            }),
        }
    }

    fn step_dram(&mut self, now: u64) {
        match &mut self.responses {
            Some(responses) => responses.step(now, &mut self.dram, &mut self.from_dram),
            None => {
                for channel in 0..self.to_dram_grant.len() {
                    let takes = self.from_dram.iter().all(|queue| queue.accepts(now));
                    if let Some((port, route)) = self.dram.answer(channel, takes) {
                        self.from_dram[usize::from(port)].push(now, route);
                    }
                }
            }
        }
        self.ask_dram(now);
        self.dram.step(now);
    }

    /// Brings requests to main memory.
    fn ask_dram(&mut self, now: u64) {
        let level = self.levels.len();
        let last = self.from_dram.len();
        if !self.merged.is_empty() {
            self.merge(now, level, last);
        }
        let next = |memory: &mut Memory, port: usize| match memory.merged.is_empty() {
            true => memory.front(now, level, port),
            false => memory.merged[port].front(now).copied(),
        };
        let take = |memory: &mut Memory, port: usize| match memory.merged.is_empty() {
            true => memory.pop(now, level, port),
            false => drop(memory.merged[port].pop(now)),
        };
        if last == 1 {
            if let Some(ask) = next(self, 0) {
                take(self, 0);
                self.dram
                    .request(ask.line, ask.answer.map(|route| (0, route)));
            }
        } else {
            for channel in 0..self.to_dram.len() {
                if let Some(ask) = self.to_dram[channel].pop(now) {
                    let port = match ask.answer {
                        Some(Route::Dcache { port, .. } | Route::Level { port, .. }) => port,
                        _ => 0,
                    };
                    self.dram
                        .request(ask.line, ask.answer.map(|route| (port % last as u8, route)));
                }
                if !self.to_dram[channel].accepts(now) {
                    continue;
                }
                let grant = self.to_dram_grant[channel];
                let chosen = grant.choose(last, |port| {
                    next(self, port).is_some_and(|ask| self.dram.port(ask.line) == channel)
                });
                if let Some(port) = chosen
                    && let Some(ask) = next(self, port)
                {
                    self.to_dram_grant[channel].served(port);
                    take(self, port);
                    self.to_dram[channel].push(now, ask);
                }
            }
        }
    }

    /// Brings requests to the ports that several sources share. One arbiter serves all ports: each `ports` sources in
    /// turn, which have a port each.
    fn merge(&mut self, now: u64, level: usize, ports: usize) {
        let sources = self.sockets.len() * self.l1_ports;
        let grant = self.merge_grant;
        let asks = |memory: &mut Memory, source: usize| {
            source < sources && memory.front(now, level, source).is_some()
        };
        let chosen = grant.choose(sources.div_ceil(ports), |n| {
            (0..ports).any(|port| asks(self, n * ports + port))
        });
        let Some(n) = chosen else { return };
        let takes = |queue: &Queue<Ask>| queue.accepts(now);
        if self.merged.iter().any(takes) {
            self.merge_grant.served(n);
        }
        for port in 0..ports {
            let source = n * ports + port;
            if self.merged[port].accepts(now)
                && source < sources
                && let Some(ask) = self.front(now, level, source)
            {
                self.pop(now, level, source);
                self.merged[port].push(now, ask);
            }
        }
    }

    /// Brings answers of memory and of the levels to who waits for them.
    fn deliver(&mut self, now: u64) {
        for source in 0..self.shared_out.len() {
            if let Some(&route) = self.shared_out[source].front(now)
                && self.hand(now, route)
            {
                self.shared_out[source].pop(now);
            }
        }
        for port in 0..self.from_dram.len() {
            let Some(&route) = self.from_dram[port].front(now) else {
                continue;
            };
            let source = self.source_of(route);
            let taken = match self.shared_out.get_mut(source) {
                Some(queue) => queue.offer(now, route),
                None => self.hand(now, route),
            };
            if taken {
                self.from_dram[port].pop(now);
            }
        }
        for level in 0..self.levels.len() {
            for port in 0..self.levels[level].inputs.len() {
                let Some(&answer) = self.levels[level].cache.answers(port).front(now) else {
                    continue;
                };
                let route = self.levels[level].routes[answer.tag as usize];
                if self.hand(now, route) {
                    self.levels[level].cache.answers(port).pop(now);
                    self.levels[level].free.push(answer.tag);
                }
            }
        }
    }

    /// The port of the first level that an answer is for.
    fn source_of(&self, route: Route) -> usize {
        match route {
            Route::Icache { socket, .. } => usize::from(socket) * self.l1_ports,
            Route::Dcache { socket, port, .. } => {
                usize::from(socket) * self.l1_ports + usize::from(port)
            }
            Route::Level { port, .. } => usize::from(port),
        }
    }

    /// Gives an answer to who waits for it, if that takes it.
    fn hand(&mut self, now: u64, route: Route) -> bool {
        let (cache, port, fill) = match route {
            Route::Icache { socket, fill } => {
                return self.sockets[usize::from(socket)]
                    .icache_fills
                    .offer(now, fill);
            }
            Route::Dcache {
                socket,
                port: 0,
                fill,
            } => {
                return self.sockets[usize::from(socket)]
                    .dcache_fills
                    .offer(now, fill);
            }
            Route::Dcache { socket, port, fill } => (
                &mut self.sockets[usize::from(socket)].dcache.cache,
                port,
                fill,
            ),
            Route::Level { level, port, fill } => {
                (&mut self.levels[usize::from(level)].cache, port, fill)
            }
        };
        let takes = cache.takes_fill(now, usize::from(port), &fill);
        if takes {
            cache.fill(now, usize::from(port), fill);
        }
        takes
    }
}
