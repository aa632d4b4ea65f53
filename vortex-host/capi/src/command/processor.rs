//! The Command Processor: its registers, and the ring of commands behind one queue.
//!
//! A command is done when it is fetched, except a launch, which runs on a thread of the device: the commands after it
//! wait until a register is read or written once it has ended.

use super::caps;
use super::launch::Registers;
use super::memory::HostMemory;
use crate::device::Device;
use crate::failure::Failure;
use std::collections::{BTreeMap, VecDeque};
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;
use vortex_sim::PerfClass;

/// Bytes of a line of the ring, which holds whole commands, and this many at most.
const LINE: usize = 64;
const COMMANDS: usize = 5;

/// How long who reads a register waits for a kernel at most. The runtime asks in a loop, which would keep a processor
/// busy that the kernel could use.
const REST: Duration = Duration::from_micros(50);

/// What is copied at a time.
const CHUNK: u64 = 64 << 10;

/// A command: what to do, with up to three operands.
#[derive(Clone, Copy, Debug)]
struct Command {
    opcode: u8,
    operands: [u64; 3],
}

/// What commands do. Others do nothing.
mod opcode {
    pub(super) const MEM_WRITE: u8 = 1;
    pub(super) const MEM_COPY: u8 = 3;
    pub(super) const DCR_WRITE: u8 = 4;
    pub(super) const DCR_READ: u8 = 5;
    pub(super) const LAUNCH: u8 = 6;
    pub(super) const FENCE: u8 = 7;
    pub(super) const EVENT_SIGNAL: u8 = 8;
    pub(super) const EVENT_WAIT: u8 = 9;
    pub(super) const CACHE_FLUSH: u8 = 0xa;
}

/// Bytes of a command by what it does.
const fn size(opcode: u8) -> usize {
    match opcode {
        opcode::FENCE => 8,
        opcode::LAUNCH | opcode::CACHE_FLUSH | 0xb | 0xc => 12,
        opcode::DCR_WRITE | opcode::DCR_READ | opcode::EVENT_SIGNAL => 20,
        opcode::MEM_WRITE..=opcode::MEM_COPY | opcode::EVENT_WAIT => 28,
        _ => 4,
    }
}

/// The commands of a line: up to a header of zeros, or the first that is cut off or one too many.
fn commands(line: &[u8; LINE]) -> impl Iterator<Item = Command> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let header = line.get(at..at + 4)?;
        let opcode = header[0];
        let end = at + size(opcode);
        if header[..2] == [0, 0] || end > LINE {
            return None;
        }
        let operand = |n: usize| {
            let start = at + 4 + 8 * n;
            // What a shorter command lacks, nobody asks for.
            let bytes = line.get(start..start + 8).unwrap_or(&[0; 8]);
            u64::from_le_bytes(bytes.try_into().unwrap_or_default())
        };
        let operands = [0, 1, 2].map(operand);
        at = end;
        Some(Command { opcode, operands })
    })
    .take(COMMANDS)
}

/// The registers of the queue, and what is under way.
#[derive(Default)]
struct Queue {
    ring: u64,
    head_address: u64,
    completion: u64,
    ring_log2: u32,
    control: u32,
    /// The low half of the tail, until the high half comes.
    tail_low: u32,
    /// How far the runtime has written, in bytes; and how far that was read.
    tail: u64,
    head: u64,
    /// Commands that are done.
    done: u64,
    error: u32,
    /// Those of the last line that are not.
    waiting: VecDeque<Command>,
}

/// A device as Vortex 3's runtime sees it.
pub(super) struct Processor {
    device: Arc<Device>,
    pub(super) memory: HostMemory,
    control: u32,
    page_table: u64,
    queue: Queue,
    registers: Registers,
    last_read: u32,
    is_running: bool,
    counts: Vec<Counts>,
}

/// What a core has done since the device was opened: as in hardware, counters continue from launch to launch.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// Cycles in which it was busy; none without a cycle model.
    cycles: u64,
    /// Instructions of warps.
    instructions: u64,
    /// By class and number, those that the device knows.
    of_classes: BTreeMap<(u32, u32), u64>,
}

/// The half of a word that a register is.
fn half(word: u64, high: bool) -> u32 {
    (word >> if high { 32 } else { 0 }) as u32
}

fn set_half(word: &mut u64, high: bool, value: u32) {
    let shift = if high { 32 } else { 0 };
    *word = *word & !(u64::from(u32::MAX) << shift) | u64::from(value) << shift;
}

impl Processor {
    pub(super) fn new(device: Device) -> Result<Processor, Failure> {
        caps::check(device.config())?;
        device.with_machine(vortex_sim::Machine::share);
        let counts = vec![Counts::default(); device.config().cores as usize];
        Ok(Processor {
            device: Arc::new(device),
            memory: HostMemory::default(),
            control: 0,
            page_table: 0,
            queue: Queue::default(),
            registers: Registers::default(),
            last_read: 0,
            is_running: false,
            counts,
        })
    }

    /// Waits until nothing of this library runs any more.
    pub(super) fn close(&self) {
        self.device.close();
    }

    /// Writes a register. Writes to read-only and unknown registers are ignored.
    pub(super) fn write(&mut self, offset: u32, value: u32) {
        let high = offset & 4 != 0;
        let queue = &mut self.queue;
        match offset {
            0x000 => self.control = value,
            0x028 | 0x02c => set_half(&mut self.page_table, high, value),
            0x100 | 0x104 => set_half(&mut queue.ring, high, value),
            0x108 | 0x10c => set_half(&mut queue.head_address, high, value),
            0x110 | 0x114 => set_half(&mut queue.completion, high, value),
            0x118 => queue.ring_log2 = value & 0x3f,
            0x11c => queue.control = value,
            0x120 => queue.tail_low = value,
            0x124 => queue.tail = u64::from(value) << 32 | u64::from(queue.tail_low),
            _ => {}
        }
        self.go_on();
    }

    /// Reads a register.
    pub(super) fn read(&mut self, offset: u32) -> u32 {
        if self.is_running {
            self.device.rest(REST);
        }
        self.go_on();
        let high = offset & 4 != 0;
        let queue = &self.queue;
        let config = self.device.config();
        match offset {
            0x000 => self.control,
            0x004 => queue.error << 1 | u32::from(self.is_busy()),
            // Ids of 6 bits, rings of 64 KiB, one queue; neither descriptors of launches nor draws, and no page tables.
            0x008 => 6 << 16 | 16 << 8 | 1,
            0x010 | 0x014 => 0,
            0x018 | 0x01c => half(caps::device(config), high),
            0x020 | 0x024 => half(caps::isa(config), high),
            0x028 | 0x02c => half(self.page_table, high),
            0x100 | 0x104 => half(queue.ring, high),
            0x108 | 0x10c => half(queue.head_address, high),
            0x110 | 0x114 => half(queue.completion, high),
            0x118 => queue.ring_log2,
            0x11c => queue.control,
            0x120 => queue.tail_low,
            0x124 => half(queue.tail, true),
            0x128 => queue.done as u32,
            0x12c => queue.error,
            0x130 => self.last_read,
            _ => 0xdead_beef,
        }
    }

    /// Whether there are commands that are not done.
    fn is_busy(&self) -> bool {
        let queue = &self.queue;
        self.is_running || !queue.waiting.is_empty() || queue.head < queue.tail
    }

    /// Does what can be done of what the runtime has asked for.
    fn go_on(&mut self) {
        if self.control & self.queue.control & 1 == 0 {
            return;
        }
        loop {
            if self.is_running {
                match self.device.wait(0) {
                    Err(Failure::TimedOut(_)) => return,
                    result => {
                        self.is_running = false;
                        self.count();
                        self.retire(result);
                    }
                }
            }
            let Some(command) = self.next() else {
                return;
            };
            match command.opcode {
                opcode::LAUNCH => {
                    let job = self.registers.job();
                    match self.device.launch(job.start, job.argument, job.grid) {
                        Ok(()) => self.is_running = true,
                        Err(failure) => self.retire(Err(failure)),
                    }
                }
                opcode::EVENT_WAIT => match self.is_signalled(command) {
                    Ok(false) => {
                        self.queue.waiting.push_front(command);
                        return;
                    }
                    // What is in no memory will never be there.
                    result => self.retire(result.map(drop)),
                },
                _ => {
                    let result = self.execute(command);
                    self.retire(result);
                }
            }
        }
    }

    /// The next command, from the ring if need be.
    fn next(&mut self) -> Option<Command> {
        while self.queue.waiting.is_empty() {
            if self.queue.head >= self.queue.tail {
                return None;
            }
            let size = 1u64 << self.queue.ring_log2;
            let address = self.queue.ring.wrapping_add(self.queue.head & (size - 1));
            self.queue.head += LINE as u64;
            let mut line = [0; LINE];
            match self.load(address, &mut line) {
                Ok(()) => self.queue.waiting.extend(commands(&line)),
                Err(failure) => self.retire(Err(failure)),
            }
        }
        self.queue.waiting.pop_front()
    }

    /// A command is done, or has failed.
    fn retire(&mut self, result: Result<(), Failure>) {
        if let Err(failure) = result {
            self.queue.error = 1;
            // Nobody is left to tell if stderr is closed.
            let _ = writeln!(std::io::stderr(), "vortex-embedded: {failure}");
        }
        self.queue.done += 1;
        if self.queue.completion != 0 {
            let done = self.queue.done.to_le_bytes();
            // The runtime has given the address; if it means nothing, it reads the register.
            let _ = self.store(self.queue.completion, &done);
        }
    }

    fn execute(&mut self, command: Command) -> Result<(), Failure> {
        let [first, second, third] = command.operands;
        match command.opcode {
            opcode::MEM_WRITE..=opcode::MEM_COPY => self.copy(first, second, third)?,
            opcode::DCR_WRITE => self.registers.write(first as u32 & 0xfff, second as u32),
            opcode::DCR_READ => self.last_read = self.counter(first as u32 & 0xfff, second as u32),
            opcode::EVENT_SIGNAL => self.store(first, &second.to_le_bytes())?,
            // Nothing is cached, everything is done in order; and the runtime was told of nothing else.
            _ => {}
        }
        Ok(())
    }

    /// Whether what a command waits for has happened: a comparison of a word in memory.
    fn is_signalled(&mut self, command: Command) -> Result<bool, Failure> {
        let [address, target, operation] = command.operands;
        let mut word = [0; 8];
        self.load(address, &mut word)?;
        let value = u64::from_le_bytes(word);
        Ok(match operation & 3 {
            0 => value == target,
            1 => value >= target,
            2 => value > target,
            _ => value != target,
        })
    }

    /// Copies bytes, of the host or of the device.
    fn copy(&mut self, to: u64, from: u64, size: u64) -> Result<(), Failure> {
        let mut buffer = vec![0; size.min(CHUNK) as usize];
        let mut copied = 0;
        while copied < size {
            let part = &mut buffer[..(size - copied).min(CHUNK) as usize];
            self.load(from.wrapping_add(copied), part)?;
            self.store(to.wrapping_add(copied), part)?;
            copied += part.len() as u64;
        }
        Ok(())
    }

    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        if self.memory.read(address, bytes).is_some() {
            return Ok(());
        }
        let address = u32::try_from(address).map_err(|_| Failure::Address(address))?;
        self.device
            .with_machine(|machine| machine.read_shared(address, bytes))
            .map_err(Failure::Memory)
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Failure> {
        if self.memory.write(address, bytes).is_some() {
            return Ok(());
        }
        let address = u32::try_from(address).map_err(|_| Failure::Address(address))?;
        self.device
            .with_machine(|machine| machine.write_shared(address, bytes))
            .map_err(Failure::Memory)
    }

    /// Adds what the last run has cost.
    fn count(&mut self) {
        let Processor { device, counts, .. } = self;
        device.with_machine(|machine| {
            for (core, total) in (0..).zip(counts) {
                total.cycles += machine.cycles(core).unwrap_or(0);
                total.instructions += machine.instructions(core).unwrap_or(0);
                for class in PerfClass::ALL {
                    for counter in class.counters() {
                        if let Some(value) = machine.counter(core, class, counter.number) {
                            let key = (class.number(), counter.number);
                            *total.of_classes.entry(key).or_default() += value;
                        }
                    }
                }
            }
        });
    }

    /// What a configuration register answers: the counter that the tag names.
    fn counter(&self, register: u32, tag: u32) -> u32 {
        const COUNTERS: u32 = 1;
        if register != COUNTERS {
            return 0;
        }
        let (core, counter, class) = (tag & 0xffff, tag >> 16 & 0x1f, tag >> 22);
        let high = tag >> 16 & 0x20 != 0;
        const CYCLES: u32 = 0;
        const INSTRUCTIONS: u32 = 2;
        const FIRST: u32 = 0xb00;
        let Some(counts) = self.counts.get(core as usize) else {
            return 0;
        };
        let value = match counter {
            // Whatever the class.
            CYCLES => counts.cycles,
            INSTRUCTIONS => counts.instructions,
            // What it does not know, hardware that was built without it has as zero.
            _ => {
                let known = counts.of_classes.get(&(class, FIRST + counter));
                known.copied().unwrap_or(0)
            }
        };
        half(value, high)
    }
}

#[cfg(test)]
mod tests {
    use super::super::launch::Job;
    use super::*;

    #[test]
    fn a_line_holds_whole_commands() {
        let mut line = [0; LINE];
        line[0] = opcode::FENCE;
        line[8] = opcode::DCR_WRITE;
        line[12] = 0x10;
        line[20] = 7;
        let found: Vec<_> = commands(&line).map(|c| (c.opcode, c.operands)).collect();
        assert_eq!(found[0].0, opcode::FENCE);
        assert_eq!(
            (found[1].0, &found[1].1[..2]),
            (opcode::DCR_WRITE, &[0x10, 7][..])
        );
        assert_eq!(found.len(), 2);
        // One that does not fit any more.
        let mut line = [opcode::FENCE; LINE];
        line[24] = opcode::DCR_WRITE;
        line[44] = opcode::MEM_COPY;
        assert_eq!(commands(&line).count(), 4);
        // One too many.
        assert_eq!(commands(&[opcode::FENCE; LINE]).count(), 5);
    }

    #[test]
    fn a_launch_is_what_the_registers_say() {
        let mut registers = Registers::default();
        for (number, value) in (0x10..).zip([64, 0, 96, 0, 128, 0, 4, 2, 1, 10, 11, 12, 256]) {
            registers.write(number, value);
        }
        let Job {
            start,
            argument,
            grid,
        } = registers.job();
        assert_eq!([start, argument, grid.entry], [64, 128, 96]);
        assert_eq!((grid.items, grid.groups), ([4, 2, 1], [10, 11, 12]));
        assert_eq!(grid.local_bytes, 256);
    }
}
