//! Performance counters, as programs read them and leave them for the host.

use crate::harness::{racing, *};
use vortex_isa::{Opcode, csr, x};
use vortex_sim::timing::CounterClass;
use vortex_sim::{Access, Config, Machine, Model};

const CORES: u32 = 2;
const ITERATIONS: u32 = 64;

/// Each core: some work, then all counters go to its performance dump.
fn program() -> Asm {
    let mut asm = Asm::new();
    asm.all_lanes()
        .lane_address()
        .csrr(x::A6, csr::LOCAL_MEM_BASE)
        .li(x::S0, ITERATIONS)
        .label("again")
        .i(Opcode::Lw, x::T1, x::A1, 0)
        .i(Opcode::Addi, x::T1, x::T1, 1)
        .r(Opcode::Mul, x::T2, x::T1, x::T1)
        .store(Opcode::Sw, x::T1, x::A6, 0)
        .i(Opcode::Lw, x::T2, x::A6, 0)
        .i(Opcode::Slli, x::T3, x::S4, 8)
        .r(Opcode::Add, x::T3, x::T3, x::A1)
        .i(Opcode::Lw, x::T4, x::T3, 0)
        .store(Opcode::Sw, x::T1, x::A1, 0)
        .csrr(x::T5, csr::CORE_ID)
        .i(Opcode::Addi, x::T5, x::T5, 1)
        .i(Opcode::Addi, x::S0, x::S0, -1)
        .branch(Opcode::Bne, x::S0, x::ZERO, "again")
        .li(x::T0, 1)
        .simt(Opcode::Tmc, x::T0, 0)
        .csrr(x::A2, csr::CORE_ID)
        .i(Opcode::Slli, x::A2, x::A2, 8);
    for slot in 0..32u16 {
        asm.csrr(x::T0, csr::MCYCLE + slot)
            .csrr(x::T1, csr::MCYCLEH + slot)
            .store(Opcode::Sw, x::T0, x::A2, 0x80 + i32::from(slot) * 8)
            .store(Opcode::Sw, x::T1, x::A2, 0x84 + i32::from(slot) * 8);
    }
    asm.end();
    asm
}

/// Slots 0 to 31 of each core.
fn counters(model: Model, class: CounterClass) -> Vec<Vec<u64>> {
    // Cores store to each other's words.
    let config = racing(Config {
        model,
        ..Config::with_shape(CORES, 4, 4)
    });
    let mut machine = machine(config, &program());
    let buffer = machine.alloc(4096, Access::ReadWrite).unwrap();
    machine.write(buffer, &[0; 4096]).unwrap();
    machine.set_counters(class);
    machine.run(CODE, buffer).unwrap();
    let machine = &machine;
    let all = |core| (0..32).map(move |slot| machine.dumped(core, slot).unwrap());
    (0..CORES).map(|core| all(core).collect()).collect()
}

/// Counter of a CSR number, 0xB03 on.
fn at(counters: &[u64], number: usize) -> u64 {
    counters[number - usize::from(csr::MCYCLE)]
}

#[test]
fn the_core_class_tells_where_a_core_waits() {
    for core in counters(Model::cycle(), CounterClass::Core) {
        let cycles = core[0];
        let [alu, fpu, lsu, sfu] = [0xb08, 0xb09, 0xb0a, 0xb0b].map(|n| at(&core, n));
        assert_eq!(at(&core, 0xb06), alu + fpu + lsu + sfu, "the scoreboard's");
        assert_eq!(sfu, at(&core, 0xb0c) + at(&core, 0xb0d), "CSRs and control");
        assert!(alu > 0 && lsu > 0 && sfu > 0, "{alu} {lsu} {sfu}");
        assert_eq!(fpu, 0);
        // One warp that is mostly waiting; every instruction is fetched, and those after the last read are not many.
        assert!(at(&core, 0xb03) > cycles / 2, "the scheduler idles");
        let iterations = u64::from(ITERATIONS);
        let fetches = at(&core, 0xb0e);
        assert!(
            (13 * iterations..13 * iterations + 160).contains(&fetches),
            "{fetches}"
        );
        assert!(at(&core, 0xb11) >= 3 * fetches, "their latency");
        // Four lanes in a line, and four lanes in four lines.
        assert_eq!(at(&core, 0xb0f), 5 * iterations, "loads");
        assert!(at(&core, 0xb10) >= iterations, "stores");
        assert!(at(&core, 0xb12) > 5 * iterations * 4, "latency of loads");
        assert!(core[0x13..].iter().all(|&counter| counter == 0));
    }
}

#[test]
fn the_memory_class_tells_what_caches_and_memory_did() {
    let iterations = u64::from(ITERATIONS);
    for core in counters(Model::cycle(), CounterClass::Memory) {
        let (reads, misses) = (at(&core, 0xb06), at(&core, 0xb08));
        // One cache for both cores.
        assert!(
            (5 * iterations..=10 * iterations).contains(&reads),
            "{reads}"
        );
        assert!((5..100).contains(&misses), "{misses}");
        assert!(
            at(&core, 0xb03) > 13 * iterations && at(&core, 0xb04) > 4,
            "instruction cache"
        );
        assert!(at(&core, 0xb07) >= iterations, "writes");
        for level in 0xb0c..=0xb17 {
            assert_eq!(at(&core, level), 0, "no second or third level");
        }
        let [reads, writes, latency] = [0xb18, 0xb19, 0xb1a].map(|n| at(&core, n));
        assert!(reads >= 4 && writes >= iterations, "{reads} {writes}");
        assert!(latency / reads > 10, "latency");
        // VX_CSR_MPM_LMEM_READS of Vortex 2's VX_types.vh, and what follows.
        assert_eq!(at(&core, 0xb1b), 4 * iterations, "local reads, by lane");
        assert_eq!(at(&core, 0xb1c), 4 * iterations, "local writes, by lane");
        assert!(at(&core, 0xb1d) >= 3 * iterations, "four lanes, one bank");
        assert_eq!(
            at(&core, 0xb1f),
            3 * iterations,
            "turns of the coalescer beyond the first"
        );
    }
}

#[test]
fn without_a_class_or_a_clock_they_are_zero() {
    for (model, class) in [
        (Model::cycle(), CounterClass::None),
        (Model::Functional, CounterClass::Core),
        (Model::Functional, CounterClass::Memory),
    ] {
        for core in counters(model.clone(), class) {
            assert!(core[0] > 0 && core[2] > 0);
            assert!(core[3..].iter().all(|&counter| counter == 0));
        }
    }
}

#[test]
fn a_register_selects_the_class() {
    assert_eq!(CounterClass::from_register(0), CounterClass::None);
    assert_eq!(CounterClass::from_register(1), CounterClass::Core);
    assert_eq!(CounterClass::from_register(2), CounterClass::Memory);
    assert_eq!(CounterClass::from_register(105), CounterClass::None);
}

#[test]
fn reading_counters_takes_the_same_time_in_every_class() {
    let cycles = |class| {
        let config = Config {
            model: Model::cycle(),
            ..Config::with_shape(1, 1, 4)
        };
        let mut machine: Machine = machine(config, &program());
        let buffer = machine.alloc(4096, Access::ReadWrite).unwrap();
        machine.write(buffer, &[0; 4096]).unwrap();
        machine.set_counters(class);
        machine.run(CODE, buffer).unwrap().cycles
    };
    assert_eq!(cycles(CounterClass::None), cycles(CounterClass::Core));
    assert_eq!(cycles(CounterClass::None), cycles(CounterClass::Memory));
}
