//! Whether runs of the cycle model end, whenever and however a program does.

use crate::harness::{Asm, CODE, Numbers, machine, try_run};
use crate::raw;
use std::collections::BTreeSet;
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Checks, Config, Model, TrapKind};

fn cycle_model(cores: u32, warps: u32, threads: u32) -> Config {
    Config {
        model: Model::cycle(),
        checks: Checks::none(),
        ..Config::with_shape(cores, warps, threads)
    }
}

/// All warps start and end, but for the first of core 0, which counts down. The instructions after that, of 6 and 11
/// cycles, make lengths in between.
fn lasting(iterations: u32, nops: u32, reads: u32) -> Asm {
    let mut program = Asm::new();
    program
        .all_warps()
        .csrr(x::T0, csr::CORE_ID)
        .csrr(x::T1, csr::WARP_ID)
        .r(Opcode::Or, x::T0, x::T0, x::T1)
        .branch(Opcode::Bne, x::T0, x::ZERO, "end")
        .li(x::S0, iterations)
        .label("again")
        .i(Opcode::Addi, x::S0, x::S0, -1)
        .branch(Opcode::Bne, x::S0, x::ZERO, "again");
    for _ in 0..nops {
        program.emit(Inst::nop());
    }
    for _ in 0..reads {
        program.csrr(x::T0, csr::THREAD_ID);
    }
    program.label("end").end();
    program
}

/// The model looks for deadlocks every 1,024 cycles, which may be the one in which the last warp's end takes effect.
#[test]
fn programs_of_every_length_end() {
    const LENGTHS: u64 = 1024;
    for [cores, warps, threads] in [[1, 1, 1], [1, 4, 4], [2, 2, 8], [1, 2, 32]] {
        let length = |iterations, nops, reads| {
            let program = lasting(iterations, nops, reads);
            let mut machine = machine(cycle_model(cores, warps, threads), &program);
            match machine.run(CODE, 0) {
                Ok(stats) => stats.cycles.unwrap() % LENGTHS,
                Err(trap) => {
                    panic!("{cores}x{warps}x{threads}, {iterations} {nops} {reads}: {trap}")
                }
            }
        };
        let mut seen = BTreeSet::new();
        for (nops, reads) in (0..6).flat_map(|nops| (0..12).map(move |reads| (nops, reads))) {
            let all = (1..=LENGTHS as u32).map(|iterations| length(iterations, nops, reads));
            // An iteration has the same length each time: after one that was seen come others that were.
            for length in all {
                if !seen.insert(length) {
                    break;
                }
            }
        }
        assert_eq!(seen.len() as u64, LENGTHS, "{cores}x{warps}x{threads}");
    }
}

/// A halted core does not wait for its loads, but what answers them must not wait for it either.
#[test]
fn a_core_that_halts_with_loads_under_way_holds_up_no_other() {
    for [cores, threads] in [[2, 32], [4, 32], [4, 4]] {
        let mut program = Asm::new();
        program
            .all_lanes()
            .csrr(x::T0, csr::MHARTID)
            .i(Opcode::Slli, x::T0, x::T0, 7)
            .r(Opcode::Add, x::A1, x::A0, x::T0)
            .csrr(x::T0, csr::CORE_ID)
            .branch(Opcode::Bne, x::T0, x::ZERO, "goes on")
            .i(Opcode::Lw, x::T1, x::A1, 0)
            .i(Opcode::Lw, x::T1, x::A1, 64)
            // The loads are asked for, and not answered yet.
            .all([Inst::nop(); 8])
            .emit(Inst::of(Opcode::Ecall))
            .label("goes on")
            .li(x::S0, 50)
            .label("again")
            .i(Opcode::Lw, x::T1, x::A1, 0)
            .i(Opcode::Addi, x::A1, x::A1, 64)
            .i(Opcode::Addi, x::S0, x::S0, -1)
            .branch(Opcode::Bne, x::S0, x::ZERO, "again")
            .end();
        let config = cycle_model(cores, 1, threads);
        let (_, stats) = try_run(config, &program, &[0; 1 << 13]).unwrap();
        // Each of the others runs through its loop.
        assert!(stats.instructions > 50 * 4 * u64::from(cores - 1));
    }
}

/// Nothing holds stores up, so that 2,048 lanes leave main memory more to do than it has done when they wait for an
/// instruction.
#[test]
fn long_queues_of_stores_are_no_standstill() {
    let mut program = Asm::new();
    program
        .all_warps()
        .all_lanes()
        .csrr(x::T0, csr::MHARTID)
        .i(Opcode::Slli, x::T0, x::T0, 6)
        .csrr(x::A0, csr::MSCRATCH)
        .r(Opcode::Add, x::A0, x::A0, x::T0)
        .li(x::S0, 64)
        .label("again")
        .store(Opcode::Sw, x::S0, x::A0, 0)
        .i(Opcode::Addi, x::S0, x::S0, -1)
        .branch(Opcode::Bne, x::S0, x::ZERO, "again");
    // The end is in another line.
    program.all([Inst::nop(); 32]).end();
    let config = cycle_model(4, 16, 32);
    let (_, stats) = try_run(config, &program, &[0; 2048 * 16]).unwrap();
    // It is over long after the last instruction of the loop.
    let cycles = stats.cycles.unwrap();
    assert!(cycles > 300_000, "{cycles}");
}

/// How many, or as many as `VORTEX_SOAK` says.
fn soak(count: u64) -> u64 {
    let asked = std::env::var("VORTEX_SOAK").ok();
    asked.map_or(count, |asked| {
        asked.parse().expect("VORTEX_SOAK is a number of programs")
    })
}

/// Whatever a program is, on whatever hardware: it ends, is told what it did wrong, or spends its budget.
#[test]
fn raw_programs_end() {
    let (mut ended, mut trapped) = (0, 0);
    for seed in 0..soak(1_500) {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let length = 1 + numbers.below(120);
        let bytes: Vec<u8> = (0..=length)
            .flat_map(|_| {
                // Seldom the word as it is.
                let word = numbers.next();
                let chosen = word & !u32::from(numbers.below(64) != 0);
                chosen.to_le_bytes()
            })
            .collect();
        match raw::run(&bytes) {
            Ok(_) => ended += 1,
            Err(trap) if matches!(trap.kind, TrapKind::NoProgress { .. }) => {
                panic!("program {seed}: {trap}")
            }
            Err(trap) => trapped += usize::from(!trap.to_string().is_empty()),
        }
    }
    assert!(ended > 100 && trapped > 100, "{ended} {trapped}");
}
