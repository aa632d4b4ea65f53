//! Performance counters of Vortex 3, which the host asks for by class.

use crate::grid_programs::{global_number, grid, groups, v3, word};
use crate::harness::{Asm, CODE, bytes, machine};
use vortex_isa::{Opcode, csr, x};
use vortex_sim::debug::Terms;
use vortex_sim::timing::{CacheConfig, TimingConfig};
use vortex_sim::{Access, Config, Generation, Machine, Model, PerfClass};

/// Groups of a warp each, of four items.
const GROUPS: u64 = 10;

/// Each item doubles its word, by way of local memory and a float unit; the first of a warp adds 1.
fn program() -> Asm {
    groups(|program| {
        global_number(program);
        word(program, x::A1, x::S2);
        program
            .i(Opcode::Lw, x::A2, x::A1, 0)
            .r(Opcode::Add, x::A2, x::A2, x::A2)
            .csrr(x::A3, csr::CTA_LMEM_ADDR)
            .i(Opcode::Slli, x::A4, x::S3, 2)
            .r(Opcode::Add, x::A3, x::A3, x::A4)
            .store(Opcode::Sw, x::A2, x::A3, 0)
            .i(Opcode::Flw, 1, x::A3, 0)
            .r(Opcode::Fsgnj, 2, 1, 1)
            .r1(Opcode::FmvXW, x::A2, 2)
            .csrr(x::A4, csr::THREAD_ID)
            .i(Opcode::Sltiu, x::A4, x::A4, 1)
            .split(x::A5, x::A4)
            .r(Opcode::Add, x::A2, x::A2, x::A4)
            .join(x::A5)
            .store(Opcode::Sw, x::A2, x::A1, 0);
    })
}

fn ran(config: Config) -> Machine {
    let mut machine = machine(config, &program());
    let size = 4 * 4 * GROUPS;
    let address = machine.alloc(size, Access::ReadWrite).unwrap();
    machine
        .write(address, &bytes(&[4; 4 * GROUPS as usize]))
        .unwrap();
    let mut lent = std::iter::empty();
    let terms = Terms::of(&mut lent, &|_| {});
    let grid = grid([GROUPS as u32, 1, 1], [4, 1, 1], 64);
    machine.launch(CODE, address, &grid, terms).unwrap();
    let mut words = [0; 16];
    machine.read(address, &mut words).unwrap();
    assert_eq!([words[0], words[4], words[8], words[12]], [9, 8, 8, 8]);
    machine
}

/// What core 0 says, of those that it knows.
fn known(machine: &Machine, class: PerfClass) -> Vec<(u32, u64)> {
    let numbers = class.counters().iter().map(|counter| counter.number);
    numbers
        .filter_map(|number| Some((number, machine.counter(0, class, number)?)))
        .collect()
}

fn timed(cores: u32, timing: TimingConfig) -> Machine {
    ran(Config {
        model: Model::Cycle(Box::new(timing)),
        ..v3(cores, 4, 4)
    })
}

#[test]
fn a_core_counts_what_it_executes() {
    let machine = timed(1, TimingConfig::of(Generation::V3));
    let core = known(&machine, PerfClass::Core);
    let of = |number| core.iter().find(|(n, _)| *n == number).unwrap().1;
    let instructions = machine.instructions(0).unwrap();
    assert_eq!(of(0xb06), instructions);
    assert_eq!(
        of(0xb13) + of(0xb14) + of(0xb15) + of(0xb16),
        instructions,
        "by unit"
    );
    // To the body and back; and splits off the first lane.
    assert_eq!([of(0xb11), of(0xb12)], [2 * GROUPS, GROUPS]);
    assert_eq!([of(0xb14), of(0xb15)], [2 * GROUPS, 4 * GROUPS]);
    assert_eq!(of(0xb1a), instructions, "fetches");
    // By lane, local memory included.
    assert_eq!([of(0xb1c), of(0xb1e)], [8 * GROUPS; 2]);
    assert!(of(0xb07) > 3 * instructions && of(0xb07) < 4 * instructions);
}

#[test]
fn caches_and_memory_count() {
    let machine = timed(1, TimingConfig::of(Generation::V3));
    let numbers = |class| -> Vec<u32> {
        let known = known(&machine, class);
        known.into_iter().map(|(number, _)| number).collect()
    };
    assert_eq!(numbers(PerfClass::InstructionCache), [0xb03, 0xb04]);
    assert_eq!(numbers(PerfClass::DataCache), [0xb03, 0xb04, 0xb05, 0xb06]);
    let memory = known(&machine, PerfClass::Memory);
    // Lanes that read and write local memory.
    assert_eq!(
        memory,
        [(0xb07, 4 * GROUPS), (0xb08, 4 * GROUPS), (0xb0a, 0)]
    );
    for class in [PerfClass::SecondLevel, PerfClass::TensorUnits] {
        assert!(numbers(class).is_empty());
    }
    let timing = TimingConfig {
        l2: Some(CacheConfig::l2()),
        ..TimingConfig::of(Generation::V3)
    };
    let level = known(&timed(2, timing), PerfClass::SecondLevel);
    assert!(level[0].1 > 0, "{level:?}");
}

#[test]
fn what_is_not_known_is_not_there() {
    // What each of several cores' own caches did, the cycle model does not tell.
    let machine = timed(2, TimingConfig::of(Generation::V3));
    assert!(known(&machine, PerfClass::DataCache).is_empty());
    assert!(known(&machine, PerfClass::Core).len() > 5);
    assert_eq!(machine.counter(2, PerfClass::Core, 0xb06), None);
    // Without cycles, two are.
    let machine = ran(v3(1, 4, 4));
    let core = known(&machine, PerfClass::Core);
    assert_eq!(core[0], (0xb06, machine.instructions(0).unwrap()));
    assert_eq!(core.len(), 2);
}
