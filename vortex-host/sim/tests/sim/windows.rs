//! Where a core remembers what a register pointed into: whatever the register points at next is looked at all the same.

use crate::harness::{Asm, CODE, Numbers, bytes, lanes, machine, words};
use crate::uninitialised::what;
use vortex_isa::{Opcode, csr, x};
use vortex_sim::{Access, Checks, Config, Trap, TrapKind, UninitialisedUse as Use, layout};

/// Bytes of the data: parts of four times 64 KiB, and no multiple of 2.
const SIZE: u32 = 0x3_1233;

/// What the second access is about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slip {
    Nothing,
    /// One lane, on or off, or all lanes.
    Misaligned,
    AllMisaligned,
    Outside,
    AllOutside,
}

/// A warp that loads through a register, and then does `opcode` through it with other addresses.
#[derive(Debug)]
struct Trial {
    opcode: Opcode,
    threads: u32,
    mask: u32,
    /// Addresses in the data, which may lie outside, and in front.
    second: Vec<i64>,
    values: Vec<u32>,
    /// Bytes that the host has written, out of the whole data.
    written: Vec<bool>,
    aligns: bool,
}

/// What comes of it: the lanes' words, or who does what wrong.
#[derive(Debug, PartialEq)]
enum Outcome {
    Words(Vec<u32>, Vec<u8>),
    Misaligned(u32),
    Outside(u32),
    /// Bits of the lane's result that nobody has given a value.
    Unknown(u32, u32),
}

fn size_of(opcode: Opcode) -> u32 {
    match opcode {
        Opcode::Lb | Opcode::Lbu | Opcode::Sb => 1,
        Opcode::Lh | Opcode::Lhu | Opcode::Sh => 2,
        _ => 4,
    }
}

fn is_store(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Sb | Opcode::Sh | Opcode::Sw)
}

/// As loads widen what they find.
fn widened(opcode: Opcode, value: u32) -> u32 {
    match opcode {
        Opcode::Lb => value as i8 as u32,
        Opcode::Lh => value as i16 as u32,
        _ => value,
    }
}

impl Trial {
    fn new(numbers: &mut Numbers, written: &[Vec<bool>]) -> Trial {
        use Opcode::*;
        let opcode = [Lb, Lbu, Lh, Lhu, Lw, Lw, Sb, Sh, Sw, Sw][numbers.below(10)];
        let threads = [1, 4, 8, 12, 20, 32][numbers.below(6)];
        let all = u32::MAX >> (32 - threads);
        let mask = match (numbers.next() | numbers.next()) & all {
            0 => all,
            _ if numbers.below(3) == 0 => all,
            some => some,
        };
        let size = i64::from(size_of(opcode));
        let slip = [
            Slip::Nothing,
            Slip::Nothing,
            Slip::Misaligned,
            Slip::AllMisaligned,
            Slip::Outside,
            Slip::AllOutside,
        ][numbers.below(6)];
        // All in one part of memory, in two, or anywhere.
        let places = [(0, 0xe000), (0x2_0000, 0x8000), (0, SIZE - 8)];
        let (place, other) = (numbers.below(3), numbers.below(3));
        let astray = numbers.below(threads as usize) as u32;
        let mut outside = || {
            // The first aligned access that is not wholly inside.
            let end = (i64::from(SIZE) - size) / size * size + size;
            [-size, -4, end, end + 4, 0x4_0000][numbers.below(5)]
        };
        let outside: Vec<i64> = (0..threads).map(|_| outside()).collect();
        let second = (0..threads).map(|lane| {
            let place = if lane < threads / 2 { other } else { place };
            let (first, length) = places[place];
            let at = i64::from(first) + numbers.below(length as usize) as i64 / size * size;
            match slip {
                Slip::Misaligned if lane == astray => at + 1 + numbers.below(3) as i64,
                Slip::AllMisaligned => at + size / 2,
                Slip::Outside if lane == astray => outside[lane as usize],
                Slip::AllOutside => outside[lane as usize],
                _ => at,
            }
        });
        let second = second.collect();
        let values = (0..threads).map(|_| numbers.next()).collect();
        let written = written[numbers.below(written.len())].clone();
        let aligns = numbers.below(2) == 0;
        Trial {
            opcode,
            threads,
            mask,
            second,
            values,
            written,
            aligns,
        }
    }

    fn expected(&self, data: &[u8]) -> Outcome {
        let size = size_of(self.opcode);
        let (mut results, mut data) = (self.values.clone(), data.to_vec());
        let active = || (0..self.threads).filter(|lane| self.mask >> lane & 1 != 0);
        let mut unknown = None;
        for lane in active() {
            let at = self.second[lane as usize];
            if self.aligns && at % i64::from(size) != 0 {
                return Outcome::Misaligned(lane);
            }
            if at < 0 || at + i64::from(size) > i64::from(SIZE) {
                return Outcome::Outside(lane);
            }
            let range = at as usize..at as usize + size as usize;
            let value = self.values[lane as usize].to_le_bytes();
            if is_store(self.opcode) {
                data[range].copy_from_slice(&value[..size as usize]);
                continue;
            }
            let word = |byte: &dyn Fn(usize) -> u8| {
                let bytes = range.clone().rev();
                widened(
                    self.opcode,
                    bytes.fold(0, |word, at| word << 8 | u32::from(byte(at))),
                )
            };
            results[lane as usize] = word(&|at| data[at]);
            let bits = word(&|at| if self.written[at] { 0 } else { 0xff });
            if bits != 0 && unknown.is_none() {
                unknown = Some(Outcome::Unknown(lane, bits));
            }
        }
        if is_store(self.opcode) {
            // Each lane looks at what is there once all have stored.
            for lane in active() {
                results[lane as usize] = data[self.second[lane as usize] as usize].into();
            }
        }
        unknown.unwrap_or(Outcome::Words(results, data))
    }

    fn outcome(&self, first: &[u32], data: &[u8]) -> Outcome {
        let mut program = Asm::new();
        let table = |part: u32| (4 * self.threads * part) as i32;
        program
            .all_lanes()
            .lane_address()
            .i(Opcode::Lw, x::S0, x::A1, 0)
            .i(Opcode::Lbu, x::S1, x::S0, 0)
            .i(Opcode::Lw, x::S0, x::A1, table(1))
            .i(Opcode::Lw, x::S1, x::A1, table(2))
            .li(x::T0, self.mask)
            .simt(Opcode::Tmc, x::T0, 0)
            .label("access");
        if is_store(self.opcode) {
            program
                .store(self.opcode, x::S1, x::S0, 8)
                .i(Opcode::Lbu, x::S1, x::S0, 8);
        } else {
            program.i(self.opcode, x::S1, x::S0, 8);
        }
        program.store(Opcode::Sw, x::S1, x::A1, table(2)).end();

        // Lanes may store to one place: the highest wins.
        let checks = Checks {
            races: !is_store(self.opcode),
            alignment: self.aligns,
            ..Config::with_shape(1, 1, 1).checks
        };
        let mut machine = machine(
            Config {
                checks,
                ..lanes(self.threads)
            },
            &program,
        );
        let table = machine
            .alloc(u64::from(12 * self.threads), Access::ReadWrite)
            .unwrap();
        let start = machine.alloc(SIZE.into(), Access::ReadWrite).unwrap();
        let mut at = 0;
        for part in self.written.chunk_by(|a, b| a == b) {
            if part[0] {
                let bytes = &data[at..at + part.len()];
                machine.write(start + at as u32, bytes).unwrap();
            }
            at += part.len();
        }
        let first = first
            .iter()
            .take(self.threads as usize)
            .map(|at| start + at);
        let second = self
            .second
            .iter()
            .map(|at| (i64::from(start) + at - 8) as u32);
        let all: Vec<u32> = first.chain(second).chain(self.values.clone()).collect();
        machine.write(table, &bytes(&all)).unwrap();
        if let Err(trap) = machine.run(CODE, table) {
            return self.fault(&trap, start, program.address("access"));
        }
        let (mut results, mut after) = (vec![0; 12 * self.threads as usize], vec![0; data.len()]);
        machine.read(table, &mut results).unwrap();
        machine.read(start, &mut after).unwrap();
        for (after, (before, written)) in after.iter_mut().zip(data.iter().zip(&self.written)) {
            // What nobody has written is whatever it is.
            if !written && !is_store(self.opcode) {
                *after = *before;
            }
        }
        Outcome::Words(words(&results)[2 * self.threads as usize..].to_vec(), after)
    }

    fn fault(&self, trap: &Trap, start: u32, pc: u32) -> Outcome {
        let lane = trap.lane.unwrap();
        let wanted = (i64::from(start) + self.second[lane as usize]) as u32;
        match trap.kind {
            TrapKind::Misaligned { address, size, .. } => {
                assert_eq!((trap.pc, address, size), (pc, wanted, size_of(self.opcode)));
                Outcome::Misaligned(lane)
            }
            TrapKind::OutOfBounds { address, size, .. } => {
                assert_eq!((trap.pc, address, size), (pc, wanted, size_of(self.opcode)));
                Outcome::Outside(lane)
            }
            _ => {
                let (used, register, bits, _) = what(trap);
                assert!(
                    matches!(used, Use::Store { .. }) && register == "s1",
                    "{trap}"
                );
                Outcome::Unknown(lane, bits)
            }
        }
    }
}

#[test]
fn what_a_core_remembers_of_a_register_is_no_leave() {
    let mut numbers = Numbers(11);
    let data: Vec<u8> = (0..SIZE).map(|_| numbers.next() as u8).collect();
    // All of it; with a hole in the middle of a word here and there; with holes by the thousand; next to nothing; and
    // nothing, next to a table that is all written.
    let holes = |every: u32| {
        (0..SIZE)
            .map(|at| at % every < 9 || at % every > 10)
            .collect()
    };
    let rare = (0..SIZE).map(|at| at % 0x1000 == 0).collect();
    let (all, nothing) = (vec![true; SIZE as usize], vec![false; SIZE as usize]);
    let written = [all, holes(0x8000), holes(256), rare, nothing];
    for n in 0..2000 {
        let trial = Trial::new(&mut numbers, &written);
        let first: Vec<u32> = (0..32)
            .map(|_| numbers.below(SIZE as usize) as u32)
            .collect();
        let mut data = data.clone();
        if is_store(trial.opcode) {
            // Compared as a whole: what is not written is not read, either, and is as new memory is.
            let blank = 0xbaad_f00d_u32.to_le_bytes();
            for (at, byte) in data
                .iter_mut()
                .enumerate()
                .filter(|(at, _)| !trial.written[*at])
            {
                *byte = blank[at % 4];
            }
        }
        let (expected, outcome) = (trial.expected(&data), trial.outcome(&first, &data));
        assert!(
            outcome == expected,
            "{n}: {:?} {:x?} mask {:#x}, {} lanes",
            trial.opcode,
            trial.second,
            trial.mask,
            trial.threads
        );
    }
}

#[test]
fn an_allocation_smaller_than_an_access_holds_none() {
    for size in 1..4 {
        let mut program = Asm::new();
        program
            .csrr(x::A0, csr::MSCRATCH)
            .i(Opcode::Lbu, x::A1, x::A0, 0)
            .label("access")
            .i(Opcode::Lw, x::A1, x::A0, 0)
            .end();
        let mut machine = machine(lanes(1), &program);
        let start = machine.alloc(size, Access::ReadWrite).unwrap();
        machine.write(start, &[1; 3][..size as usize]).unwrap();
        let trap = machine.run(CODE, start).unwrap_err();
        assert_eq!(trap.pc, program.address("access"), "{size}: {trap}");
        assert!(
            matches!(trap.kind, TrapKind::OutOfBounds { size: 4, .. }),
            "{trap}"
        );
    }
}

#[test]
fn what_stores_do_not_change_they_do_not_change_after_a_load_either() {
    // Part of the performance dump that the host has taken, and kernels may only read.
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .i(Opcode::Lw, x::A1, x::A0, 0)
        .i(Opcode::Addi, x::A1, x::A1, 1)
        .store(Opcode::Sw, x::A1, x::A0, 0)
        .end();
    // Whether rights matter or not.
    for checks in ["", "-rights"] {
        let checks = checks.parse().unwrap();
        let mut machine = machine(Config { checks, ..lanes(1) }, &program);
        machine.reserve_io(layout::DUMP, 8, Access::Read).unwrap();
        machine.write(layout::DUMP, &[7; 8]).unwrap();
        machine.run(CODE, layout::DUMP).unwrap();
        let mut left = [0; 8];
        machine.read(layout::DUMP, &mut left).unwrap();
        assert_eq!(left, [7; 8]);
    }
}
