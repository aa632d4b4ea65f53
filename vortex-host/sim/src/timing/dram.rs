//! Main memory: HBM2 channels behind a first-ready, first-come scheduler, rows left open.
//!
//! A line is four bursts of 16 bytes on neighbouring burst addresses, which alternate between the channels; it has
//! arrived when the first of them has, as in the memory model that Vortex's simulators use. One burst enters a
//! controller per cycle.

use super::config::DramConfig;
use std::collections::VecDeque;

/// Bursts that make a line.
const BURSTS: u32 = 4;
/// Bursts a controller keeps in either of its queues.
const BACKLOG: usize = 33;
const PSEUDO_CHANNELS: usize = 2;
const GROUPS: usize = 4;
const BANKS: usize = 4;
/// log2 of the bursts in a row.
const COLUMN_BITS: u32 = 5;

/// A burst in a controller.
#[derive(Clone, Copy, Debug)]
struct Burst {
    address: u32,
    place: BurstAddress,
    store: bool,
    /// Who waits for it.
    line: Option<usize>,
    /// When it reached the controller.
    arrived: u64,
}

/// Where a burst address lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BurstAddress {
    pseudo: usize,
    group: usize,
    bank: usize,
    row: u32,
}

impl BurstAddress {
    /// Of a burst in its channel.
    fn of(unit: u32) -> BurstAddress {
        let bits = |at: u32, width: u32| (unit >> (COLUMN_BITS + at) & ((1 << width) - 1)) as usize;
        BurstAddress {
            pseudo: bits(0, 1),
            group: bits(1, 2),
            bank: bits(3, 2),
            row: unit >> (COLUMN_BITS + 5),
        }
    }
}

/// When each command may come next.
#[derive(Clone, Copy, Debug, Default)]
struct Earliest {
    activate: u64,
    precharge: u64,
    read: u64,
    write: u64,
}

impl Earliest {
    fn raise(field: &mut u64, to: u64) {
        *field = (*field).max(to);
    }
}

#[derive(Clone, Debug, Default)]
struct PseudoChannel {
    earliest: Earliest,
    groups: [Earliest; GROUPS],
    banks: [[Earliest; BANKS]; GROUPS],
    open: [[Option<u32>; BANKS]; GROUPS],
    /// Times of the last four activations.
    activations: [u64; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Activate,
    Precharge,
    Read,
    Write,
}

#[derive(Debug)]
struct Channel {
    /// Bursts whose row is being opened for them.
    opening: Vec<Burst>,
    reads: Vec<Burst>,
    writes: Vec<Burst>,
    writing: bool,
    pseudo: [PseudoChannel; PSEUDO_CHANNELS],
    /// No row command before this.
    row_command: u64,
    /// With what is queued, no command at all before this.
    quiet: u64,
    /// Data on its way: when it arrives, and who waits.
    arriving: VecDeque<(u64, Option<usize>)>,
}

/// A line on its way through memory.
#[derive(Clone, Copy, Debug)]
struct Line<T> {
    /// What to answer; stores are not answered.
    answer: Option<T>,
    ready: bool,
}

/// What main memory did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DramStats {
    pub(super) reads: u64,
    pub(super) writes: u64,
    /// Reads not yet answered, and the sum of that over all cycles.
    waiting: u64,
    pub(super) latency: u64,
    /// Cycles in which nothing could enter because a channel had too much to do.
    pub(super) full: u64,
}

/// Main memory. `T` is what a request is answered with.
#[derive(Debug)]
pub(super) struct Dram<T> {
    config: DramConfig,
    channels: Vec<Channel>,
    /// Lines that came in through each port, in order.
    order: Vec<VecDeque<usize>>,
    lines: Vec<Line<T>>,
    free: Vec<usize>,
    /// Requests that came in this cycle or were held up, per port.
    entering: Vec<VecDeque<(u32, usize)>>,
    bursts: VecDeque<Burst>,
    /// Lines that it has finished, where it reports one in a cycle.
    done: Option<VecDeque<usize>>,
    rests_until: u64,
    pub(super) stats: DramStats,
}

impl<T: Copy> Dram<T> {
    /// `queue`: as [`CacheStages::memory_queue`](super::stages::CacheStages::memory_queue) says.
    pub(super) fn new(config: DramConfig, queue: bool) -> Dram<T> {
        let count = config.channels as usize;
        let channel = || Channel {
            opening: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            writing: false,
            pseudo: Default::default(),
            row_command: 0,
            quiet: 0,
            arriving: VecDeque::new(),
        };
        Dram {
            channels: (0..count).map(|_| channel()).collect(),
            order: vec![VecDeque::new(); count],
            entering: vec![VecDeque::new(); count],
            lines: Vec::new(),
            free: Vec::new(),
            bursts: VecDeque::new(),
            done: queue.then(VecDeque::new),
            rests_until: 0,
            stats: DramStats::default(),
            config,
        }
    }

    /// Lines that are under way.
    pub(super) fn lines_under_way(&self) -> u64 {
        (self.lines.len() - self.free.len()) as u64
    }

    /// Whether nothing is under way.
    #[cfg(test)]
    fn is_idle(&self) -> bool {
        self.order.iter().all(VecDeque::is_empty) && self.bursts.is_empty()
    }

    /// Whether nothing is under way but writes whose time has not come.
    #[inline(always)]
    pub(super) fn rests(&self, now: u64) -> bool {
        now < self.rests_until
    }

    /// Until when nothing happens unless it is asked for more.
    fn next_event(&self) -> u64 {
        let empty = self.bursts.is_empty()
            && self.done.as_ref().is_none_or(VecDeque::is_empty)
            && self.order.iter().all(VecDeque::is_empty)
            && self.entering.iter().all(VecDeque::is_empty);
        if !empty {
            return 0;
        }
        let next = |channel: &Channel| match channel.arriving.is_empty() {
            true => channel.quiet,
            false => 0,
        };
        self.channels.iter().map(next).min().unwrap_or(0)
    }

    /// The port that serves a line.
    pub(super) fn port(&self, line: u32) -> usize {
        line as usize % self.channels.len()
    }

    /// Takes a request; ports always do.
    pub(super) fn request(&mut self, line: u32, answer: Option<T>) {
        let port = self.port(line);
        self.rests_until = 0;
        if answer.is_some() {
            self.stats.reads += 1;
            self.stats.waiting += 1;
        } else {
            self.stats.writes += 1;
        }
        let entry = Line {
            answer,
            ready: false,
        };
        let index = match self.free.pop() {
            Some(index) => {
                self.lines[index] = entry;
                index
            }
            None => {
                self.lines.push(entry);
                self.lines.len() - 1
            }
        };
        self.order[port].push_back(index);
        self.entering[port].push_back((line, index));
    }

    /// The answer that a port gives in this cycle, if the other side takes it.
    pub(super) fn answer(&mut self, port: usize, takes: bool) -> Option<T> {
        let &index = self.order[port].front()?;
        let line = self.lines[index];
        if !line.ready || (line.answer.is_some() && !takes) {
            return None;
        }
        self.order[port].pop_front();
        self.free.push(index);
        self.stats.waiting -= u64::from(line.answer.is_some());
        line.answer
    }

    /// Moves on by a cycle. Answers come before, requests before or after.
    pub(super) fn step(&mut self, now: u64) {
        self.stats.latency += self.stats.waiting;
        if let Some(line) = self.done.as_mut().and_then(VecDeque::pop_front) {
            self.lines[line].ready = true;
        }
        self.enter_burst(now);
        for number in 0..self.channels.len() {
            self.step_channel(number, now);
        }
        for port in &mut self.entering {
            let Some((line, index)) = port.pop_front() else {
                continue;
            };
            let store = self.lines[index].answer.is_none();
            for n in 0..BURSTS {
                let address = line.wrapping_add(n);
                self.bursts.push_back(Burst {
                    address,
                    place: BurstAddress::of(address / self.channels.len() as u32),
                    store,
                    line: (n == 0).then_some(index),
                    arrived: 0,
                });
            }
        }
        self.rests_until = self.next_event();
    }

    /// It is done with a line.
    fn finish(&mut self, line: usize) {
        match &mut self.done {
            Some(done) => done.push_back(line),
            None => self.lines[line].ready = true,
        }
    }

    fn enter_burst(&mut self, now: u64) {
        let Some(&burst) = self.bursts.front() else {
            return;
        };
        let burst = Burst {
            arrived: now,
            ..burst
        };
        let number = burst.address as usize % self.channels.len();
        let channel = &mut self.channels[number];
        if burst.store {
            if channel.writes.len() >= BACKLOG {
                self.stats.full += 1;
                return;
            }
            channel.writes.push(burst);
            channel.quiet = 0;
            // A store is done as soon as the controller has it.
            if let Some(line) = burst.line {
                self.finish(line);
            }
        } else if channel
            .writes
            .iter()
            .any(|write| write.address == burst.address)
        {
            channel.arriving.push_back((now, burst.line));
        } else if channel.reads.len() < BACKLOG {
            channel.reads.push(burst);
            channel.quiet = 0;
        } else {
            self.stats.full += 1;
            return;
        }
        self.bursts.pop_front();
    }

    fn step_channel(&mut self, number: usize, now: u64) {
        let config = &self.config;
        let channel = &mut self.channels[number];
        if let Some(&(when, line)) = channel.arriving.front()
            && when <= now
        {
            channel.arriving.pop_front();
            if let Some(line) = line {
                match &mut self.done {
                    Some(done) => done.push_back(line),
                    None => self.lines[line].ready = true,
                }
            }
        }

        if now < channel.quiet {
            return;
        }
        // The oldest burst whose next command can be given, or else when one can.
        let best = |channel: &Channel, bursts: &[Burst]| -> Result<(usize, Command), u64> {
            let mut next = u64::MAX;
            let mut found: Option<(usize, Command)> = None;
            for (index, burst) in bursts.iter().enumerate() {
                let at = burst.place;
                let command = channel.command(at, burst.store);
                let earliest = channel.earliest(at, command);
                if earliest > now {
                    next = next.min(earliest);
                } else if found.is_none_or(|(oldest, _)| burst.arrived < bursts[oldest].arrived) {
                    found = Some((index, command));
                }
            }
            found.ok_or(next)
        };

        let opening = best(channel, &channel.opening);
        if let Ok((index, command)) = opening {
            let burst = channel.opening[index];
            channel.issue(burst.place, command, now, config);
            if matches!(command, Command::Read | Command::Write) {
                channel.opening.remove(index);
                channel.sent(&burst, now, config);
            }
            return;
        }
        channel.choose_direction();
        let queue = if channel.writing {
            &channel.writes
        } else {
            &channel.reads
        };
        let (index, command) = match (best(channel, queue), opening) {
            (Ok(found), _) => found,
            (Err(queued), opened) => {
                channel.quiet = queued.min(opened.err().unwrap_or(now));
                return;
            }
        };
        let burst = queue[index];
        let at = burst.place;
        let same_bank = |other: &Burst| {
            let other = other.place;
            (other.pseudo, other.group, other.bank) == (at.pseudo, at.group, at.bank)
        };
        if command == Command::Precharge && channel.opening.iter().any(same_bank) {
            return;
        }
        channel.issue(at, command, now, config);
        if command != Command::Precharge {
            if channel.writing {
                channel.writes.remove(index)
            } else {
                channel.reads.remove(index)
            };
            if command == Command::Activate {
                channel.opening.push(burst)
            } else {
                channel.sent(&burst, now, config)
            }
        }
    }
}

impl Channel {
    /// Writes wait until there is nothing to read or too many of them.
    fn choose_direction(&mut self) {
        if self.writing {
            if self.writes.len() * 5 < BACKLOG - 1 && !self.reads.is_empty() {
                self.writing = false;
            }
        } else if self.writes.len() * 5 > (BACKLOG - 1) * 4 || self.reads.is_empty() {
            self.writing = true;
        }
    }

    /// What a burst needs next.
    fn command(&self, at: BurstAddress, store: bool) -> Command {
        match self.pseudo[at.pseudo].open[at.group][at.bank] {
            None => Command::Activate,
            Some(row) if row != at.row => Command::Precharge,
            Some(_) if store => Command::Write,
            Some(_) => Command::Read,
        }
    }

    fn earliest(&self, at: BurstAddress, command: Command) -> u64 {
        let pseudo = &self.pseudo[at.pseudo];
        let field = |of: &Earliest| match command {
            Command::Activate => of.activate,
            Command::Precharge => of.precharge,
            Command::Read => of.read,
            Command::Write => of.write,
        };
        let own = field(&pseudo.earliest)
            .max(field(&pseudo.groups[at.group]))
            .max(field(&pseudo.banks[at.group][at.bank]));
        match command {
            Command::Activate | Command::Precharge => own.max(self.row_command),
            Command::Read | Command::Write => own,
        }
    }

    fn issue(&mut self, at: BurstAddress, command: Command, now: u64, t: &DramConfig) {
        let pseudo = &mut self.pseudo[at.pseudo];
        let raise = Earliest::raise;
        let (cl, cwl) = (u64::from(t.read_latency), u64::from(t.write_latency));
        let bl = u64::from(t.burst);
        let after = |cycles: u32| now + u64::from(cycles);
        let group = &mut pseudo.groups[at.group];
        let bank = &mut pseudo.banks[at.group][at.bank];
        match command {
            Command::Activate => {
                pseudo.open[at.group][at.bank] = Some(at.row);
                self.row_command = now + 2;
                pseudo.activations.rotate_left(1);
                pseudo.activations[3] = now;
                let window = if pseudo.activations[0] == 0 {
                    0
                } else {
                    pseudo.activations[0] + u64::from(t.four_activations)
                };
                raise(
                    &mut pseudo.earliest.activate,
                    after(t.activate_to_activate).max(window),
                );
                raise(&mut group.activate, after(t.activate_to_activate_group));
                raise(&mut bank.activate, after(t.row_cycle));
                raise(&mut bank.read, after(t.activate_to_access));
                raise(&mut bank.write, after(t.activate_to_access));
                raise(&mut bank.precharge, after(t.activate_to_precharge));
            }
            Command::Precharge => {
                pseudo.open[at.group][at.bank] = None;
                raise(&mut bank.activate, after(t.precharge));
            }
            Command::Read => {
                raise(&mut pseudo.earliest.read, now + bl);
                raise(
                    &mut pseudo.earliest.write,
                    now + (cl + bl + 2).saturating_sub(cwl),
                );
                raise(&mut group.read, after(t.access_to_access_group));
                raise(&mut bank.precharge, after(t.read_to_precharge));
            }
            Command::Write => {
                raise(&mut pseudo.earliest.write, now + bl);
                raise(
                    &mut pseudo.earliest.read,
                    now + cwl + bl + u64::from(t.write_to_read),
                );
                raise(&mut group.write, after(t.access_to_access_group));
                raise(
                    &mut group.read,
                    now + cwl + bl + u64::from(t.write_to_read_group),
                );
                raise(
                    &mut bank.precharge,
                    now + cwl + bl + u64::from(t.write_recovery),
                );
            }
        }
    }

    /// The burst's data moves.
    fn sent(&mut self, burst: &Burst, now: u64, t: &DramConfig) {
        if !burst.store {
            self.arriving
                .push_back((now + u64::from(t.read_latency + t.burst), burst.line));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// Cycles from request to answer.
    fn latency(dram: &mut Dram<u32>, now: &mut u64, line: u32) -> u64 {
        let start = *now;
        dram.request(line, Some(line));
        loop {
            let port = dram.port(line);
            let answer = dram.answer(port, true);
            dram.step(*now);
            if answer == Some(line) {
                return *now - start;
            }
            *now += 1;
            assert!(*now < start + 1000);
        }
    }

    #[test]
    fn open_rows_answer_sooner() {
        let mut dram = Dram::new(DramConfig::default(), false);
        let mut now = 100;
        let closed = latency(&mut dram, &mut now, 0);
        now += 100;
        let open = latency(&mut dram, &mut now, 2);
        now += 100;
        let conflict = latency(&mut dram, &mut now, 2 << 20);
        // Enter, activate to access, read latency and burst, answer.
        assert_eq!(closed, 1 + 7 + 7 + 4 + 1);
        assert_eq!(open, closed - 7);
        assert_eq!(conflict, closed + 7);
    }

    #[test]
    fn stores_are_not_answered() {
        let mut dram: Dram<u32> = Dram::new(DramConfig::default(), false);
        dram.request(4, None);
        for now in 1..100 {
            assert_eq!(dram.answer(0, true), None);
            dram.step(now);
        }
        assert!(dram.is_idle());
    }
}
