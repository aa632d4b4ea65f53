//! Lost updates: stores that are noted to be one, by lanes of which several may have the same element.

use crate::harness::{Asm, CODE, Numbers, bytes, lanes, machine};
use vortex_isa::{Opcode, csr, x};
use vortex_sim::debug::{Note, Update};
use vortex_sim::{Access, Checks, Config, TrapKind, layout};

/// What a warp stores at which addresses, and what was there.
struct Trial {
    opcode: Opcode,
    size: u32,
    update: Update,
    threads: u32,
    mask: u32,
    local: bool,
    /// Of the sixteen words; nothing was written there if there is none.
    before: Option<Vec<u32>>,
    offsets: Vec<u32>,
    values: Vec<u32>,
}

impl Trial {
    fn new(numbers: &mut Numbers) -> Trial {
        let (opcode, size) = [(Opcode::Sb, 1), (Opcode::Sh, 2), (Opcode::Sw, 4)][numbers.below(3)];
        let threads = [1, 2, 4, 12, 32][numbers.below(5)];
        let all = u32::MAX >> (32 - threads);
        let mask = match numbers.next() & all {
            0 => all,
            _ if numbers.below(2) == 0 => all,
            some => some,
        };
        // Few places, or as many as there are; values that agree in parts, or altogether, with new memory, too.
        let places = [1, 2, 16][numbers.below(3)];
        let words = [0xbaad_f00d, 0xbaad, 0xf0, 0x101, 0x201, 0x1_0101];
        let (first, different) = (numbers.below(3), 1 + numbers.below(3));
        let mut word = || words[first + numbers.below(different)];
        let before: Vec<u32> = (0..16).map(|_| word()).collect();
        let values = (0..32).map(|_| word()).collect();
        let rises = numbers.below(4) == 0;
        let offsets = (0..32).map(|lane| match rises {
            true => 4 * (lane % 16),
            false => 4 * numbers.below(places) as u32 + numbers.below(2) as u32 * size % 4,
        });
        let offsets: Vec<u32> = offsets.collect();
        let before = (numbers.below(4) != 0).then_some(before);
        let values = match &before {
            // What is there already.
            None if numbers.below(2) == 0 => offsets
                .iter()
                .map(|offset| layout::UNINITIALISED >> (8 * (offset % 4)))
                .collect(),
            _ => values,
        };
        Trial {
            opcode,
            size,
            update: [Update::Chosen, Update::Made][numbers.below(2)],
            threads,
            mask,
            local: numbers.below(2) == 0,
            before,
            offsets,
            values,
        }
    }

    /// The lane whose update is lost, the one that it has the element in common with, and the offset.
    fn expected(&self) -> Option<(u32, u32, u32)> {
        let kept = u32::MAX >> (32 - 8 * self.size);
        let before = |offset: u32| {
            let words = self.before.as_ref();
            let word = words.map_or(layout::UNINITIALISED, |words| words[offset as usize / 4]);
            word >> (8 * (offset % 4)) & kept
        };
        let active = || (0..self.threads).filter(|lane| self.mask >> lane & 1 != 0);
        active().find_map(|lane| {
            let offset = self.offsets[lane as usize];
            let stored = |lane: u32| self.values[lane as usize] & kept;
            let other = active().find(|&other| self.offsets[other as usize] == offset)?;
            let lost = stored(lane) != stored(other)
                || self.update == Update::Made && stored(lane) != before(offset);
            (other != lane && lost).then_some((lane, other, offset))
        })
    }

    fn found(&self) -> Option<(u32, u32, u32)> {
        let mut program = Asm::new();
        program.all_lanes().lane_address();
        program.i(Opcode::Lw, x::S1, x::A1, 0);
        program.i(Opcode::Lw, x::S2, x::A1, 128);
        match self.local {
            true => program.csrr(x::S3, csr::LOCAL_MEM_BASE),
            false => program.i(Opcode::Lw, x::S3, x::A0, 256),
        };
        for (n, &word) in self.before.iter().flatten().enumerate() {
            program.li(x::T1, word);
            program.store(Opcode::Sw, x::T1, x::S3, 4 * n as i32);
        }
        program.r(Opcode::Add, x::S3, x::S3, x::S1);
        program.li(x::T0, self.mask).simt(Opcode::Tmc, x::T0, 0);
        program
            .label("update")
            .store(self.opcode, x::S2, x::S3, 0)
            .end();

        let checks = Checks {
            races: false,
            lockstep: false,
            // Where nobody wrote, nothing is allocated.
            unmapped: false,
            bounds: false,
            ..Checks::all()
        };
        let mut machine = machine(
            Config {
                checks,
                ..lanes(self.threads)
            },
            &program,
        );
        let table = machine.alloc(260, Access::ReadWrite).unwrap();
        // In a part of memory where nothing else is.
        let place = 0x0100_0000;
        if self.before.is_some() {
            machine.reserve(place, 64, Access::ReadWrite).unwrap();
        }
        let all: Vec<u32> = [&self.offsets[..], &self.values[..], &[place]].concat();
        machine.write(table, &bytes(&all)).unwrap();
        let update = program.address("update") - CODE;
        machine.annotate(CODE, &program.bytes(), &mut |offset, _| Note {
            update: (offset == update).then_some(self.update),
            ..Note::default()
        });
        let trap = machine.run(CODE, table).err()?;
        let TrapKind::LostUpdate {
            address,
            size,
            other,
        } = trap.kind
        else {
            panic!("{trap}")
        };
        assert_eq!((trap.pc - CODE, size), (update, self.size));
        let base = if self.local { layout::LOCAL } else { place };
        Some((trap.lane.unwrap(), other, address - base))
    }
}

#[test]
fn an_update_is_lost_if_another_lane_stores_something_else() {
    let mut numbers = Numbers(5);
    for n in 0..1500 {
        let trial = Trial::new(&mut numbers);
        assert_eq!(
            trial.found(),
            trial.expected(),
            "{n}: {:?} as {:?}, mask {:#x} of {}, local: {}, before: {:x?}, offsets {:x?}, values {:x?}",
            trial.opcode,
            trial.update,
            trial.mask,
            trial.threads,
            trial.local,
            trial.before,
            trial.offsets,
            trial.values
        );
    }
}
