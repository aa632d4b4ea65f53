//! Programs whose cycles are known from the hardware description, and what the model reports for them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::{CacheConfig, Divider, PcStats, Stalls, TimingConfig, TimingStats};
use crate::{Access, Checks, Config, Machine, Model, Trap, TrapKind};
use vortex_isa::{Inst, Opcode, csr, x};

const ITERATIONS: i32 = 200;

/// Runs a program that gets the address of a zeroed buffer in `mscratch`.
fn run_with(config: Config, program: &[Inst]) -> TimingStats {
    let mut machine = Machine::new(config).unwrap();
    let buffer = machine.alloc(1 << 20, Access::ReadWrite).unwrap();
    machine.write(buffer, &[0; 1 << 20]).unwrap();
    let code = machine.alloc(1 << 12, Access::Read).unwrap();
    let bytes: Vec<u8> = program
        .iter()
        .flat_map(|inst| inst.encode().to_le_bytes())
        .collect();
    machine.write(code, &bytes).unwrap();
    let stats = machine.run(code, buffer).unwrap();
    assert_eq!(stats.cycles, Some(stats.timing.as_ref().unwrap().cycles));
    *stats.timing.unwrap()
}

fn run(shape: [u32; 3], program: &[Inst]) -> TimingStats {
    let [cores, warps, threads] = shape;
    let checks = Checks::none();
    run_with(
        Config {
            model: Model::cycle(),
            checks,
            ..Config::with_shape(cores, warps, threads)
        },
        program,
    )
}

fn addi(rd: u8, rs1: u8, imm: i32) -> Inst {
    Inst::i(Opcode::Addi, rd, rs1, imm)
}

/// `body` many times, in one lane: the buffer is in a0, 1.0 in f1, the thread mask in s2.
fn repeat(body: &[Inst]) -> Vec<Inst> {
    let mut program = vec![
        Inst::csrr(x::A0, csr::MSCRATCH),
        Inst::csrr(x::S2, csr::ACTIVE_THREADS),
        Inst::csrr(x::A3, csr::LOCAL_MEM_BASE),
        Inst::u(Opcode::Lui, x::T0, 0x3f80_0000),
        Inst::r1(Opcode::FmvWX, 1, x::T0),
        addi(x::S0, x::ZERO, ITERATIONS),
    ];
    program.extend(body);
    program.push(addi(x::S0, x::S0, -1));
    program.push(Inst::b(
        Opcode::Bne,
        x::S0,
        x::ZERO,
        -4 * (body.len() as i32 + 1),
    ));
    program.push(Inst::simt(Opcode::Tmc, x::ZERO, 0));
    program
}

/// Cycles that eight of an instruction add to a loop, each.
fn cycles_each(inst: Inst, timing: &TimingConfig) -> f64 {
    let cycles = |count: usize| {
        let config = Config {
            model: Model::Cycle(Box::new(timing.clone())),
            checks: Checks::none(),
            ..Config::with_shape(1, 4, 4)
        };
        run_with(config, &repeat(&vec![inst; count])).cycles as f64
    };
    (cycles(17) - cycles(9)) / f64::from(8 * ITERATIONS)
}

#[test]
fn dependent_instructions_take_what_the_pipeline_makes_of_them() {
    let float = |opcode| Inst::r(opcode, 2, 2, 1);
    let chains = [
        (addi(x::A1, x::A1, 1), 9.0),
        (Inst::r(Opcode::Mul, x::A1, x::A1, x::A2), 13.0),
        (Inst::r(Opcode::Divu, x::A1, x::A1, x::A2), 13.0),
        (float(Opcode::Fadd), 12.0),
        (float(Opcode::Fdiv), 23.0),
        (Inst::csrr(x::A1, csr::THREAD_ID), 11.0),
        (Inst::simt(Opcode::Tmc, x::S2, 0), 15.0),
        (Inst::b(Opcode::Beq, x::S2, x::ZERO, 8), 15.0),
        // Independent: as fast as one warp is fetched.
        (addi(x::A1, x::A2, 1), 9.0),
        (addi(x::ZERO, x::A2, 1), 6.0),
    ];
    for (inst, cycles) in chains {
        let measured = cycles_each(inst, &TimingConfig::default());
        assert!(
            (measured - cycles).abs() < 0.3,
            "{inst}: {measured} cycles instead of {cycles}"
        );
    }
}

#[test]
fn a_serial_divider_takes_its_time() {
    let timing = TimingConfig {
        divider: Divider::serial(),
        ..TimingConfig::default()
    };
    let dependent = cycles_each(Inst::r(Opcode::Divu, x::A1, x::A1, x::A2), &timing);
    assert!((dependent - 42.0).abs() < 0.3, "{dependent}");
    // One bit per cycle, one cycle to load the operands, and one to hand on the result.
    let independent = cycles_each(Inst::r(Opcode::Divu, x::ZERO, x::A1, x::A2), &timing);
    assert!((independent - 34.0).abs() < 0.3, "{independent}");
}

#[test]
fn a_load_waits_for_what_it_loads() {
    // The buffer holds zeros, so that adding what was loaded changes no address.
    let chase = |base| {
        [
            Inst::i(Opcode::Lw, x::A1, base, 0),
            Inst::r(Opcode::Add, base, base, x::A1),
        ]
    };
    let chain = |base| {
        let body: Vec<Inst> = (0..4).flat_map(|_| chase(base)).collect();
        let stats = run([1, 4, 4], &repeat(&body));
        stats.cycles as f64 / f64::from(4 * ITERATIONS)
    };
    // The add, and a share of the loop.
    let cached = chain(x::A0);
    assert!((20.0 + 9.0..20.0 + 9.0 + 8.0).contains(&cached), "{cached}");
}

#[test]
fn runs_are_the_same_every_time() {
    let program = repeat(&[
        Inst::i(Opcode::Lw, x::A1, x::A0, 0),
        Inst::s(Opcode::Sw, x::S0, x::A0, 64),
    ]);
    assert_eq!(run([2, 8, 8], &program), run([2, 8, 8], &program));
}

/// All lanes of warp 0 access memory at a distance of `stride` bytes.
fn strided(stride: i32, opcode: Opcode) -> Vec<Inst> {
    let access = if opcode == Opcode::Lw {
        Inst::i(opcode, x::A2, x::A1, 0)
    } else {
        Inst::s(opcode, x::A2, x::A1, 0)
    };
    vec![
        addi(x::T0, x::ZERO, -1),
        Inst::simt(Opcode::Tmc, x::T0, 0),
        Inst::csrr(x::A0, csr::MSCRATCH),
        Inst::csrr(x::T0, csr::THREAD_ID),
        addi(x::T1, x::ZERO, stride),
        Inst::r(Opcode::Mul, x::T0, x::T0, x::T1),
        Inst::r(Opcode::Add, x::A1, x::A0, x::T0),
        access,
        Inst::simt(Opcode::Tmc, x::ZERO, 0),
    ]
}

#[test]
fn lanes_coalesce_by_line() {
    for opcode in [Opcode::Lw, Opcode::Sw] {
        for (threads, stride, requests) in [
            (8, 4, 1),
            (8, 0, 1),
            (8, 8, 2),
            (8, 64, 8),
            (32, 4, 2),
            (32, 64, 32),
        ] {
            let stats = run([1, 4, threads], &strided(stride, opcode));
            assert_eq!(
                stats.memory.requests, requests,
                "{threads} lanes, {stride} bytes apart"
            );
            assert_eq!(
                (stats.memory.accesses, stats.memory.lanes),
                (1, u64::from(threads))
            );
        }
    }
}

#[test]
fn statistics_add_up() {
    let stats = run(
        [1, 4, 4],
        &repeat(&[Inst::i(Opcode::Lw, x::A1, x::A0, 0), addi(x::A1, x::A1, 1)]),
    );
    let iterations = u64::try_from(ITERATIONS).unwrap();
    assert_eq!(stats.instructions, 6 + 4 * iterations + 1);
    assert_eq!(stats.lane_instructions, stats.instructions, "a single lane");
    assert_eq!(
        (stats.dcache.reads, stats.dcache.read_misses),
        (iterations, 1)
    );
    assert_eq!(
        stats.stalls.total() + stats.instructions,
        stats.cycles,
        "each cycle issues or stalls for one reason"
    );
    let slowest = stats
        .by_pc
        .values()
        .max_by_key(|pc| pc.stalls.memory)
        .unwrap();
    assert_eq!(
        slowest.executed, iterations,
        "the add that waits for the load"
    );
    assert!(stats.stalls.memory > stats.stalls.alu);
    let by_pc = (stats.by_pc.values()).fold(PcStats::default(), |sum, pc| sum.plus(pc));
    let idle = stats.stalls.idle;
    assert_eq!(
        by_pc.stalls,
        Stalls {
            idle: 0,
            ..stats.stalls
        },
        "every stall has its instruction"
    );
    assert_eq!(by_pc.stalls.total() + idle, stats.stalls.total());
    assert_eq!((by_pc.loads, by_pc.load_misses), (iterations, 1));
    assert_eq!((by_pc.accesses, by_pc.requests), (iterations, iterations));
}

#[test]
fn caches_keep_what_was_used_last() {
    // 32 KiB over and over: too much for the first level, not for the second.
    let program = [
        Inst::csrr(x::A0, csr::MSCRATCH),
        addi(x::S1, x::ZERO, 4),
        addi(x::A1, x::A0, 0),
        addi(x::S0, x::ZERO, 512),
        Inst::i(Opcode::Lw, x::A2, x::A1, 0),
        addi(x::A1, x::A1, 64),
        addi(x::S0, x::S0, -1),
        Inst::b(Opcode::Bne, x::S0, x::ZERO, -12),
        addi(x::S1, x::S1, -1),
        Inst::b(Opcode::Bne, x::S1, x::ZERO, -28),
        Inst::simt(Opcode::Tmc, x::ZERO, 0),
    ];
    let plain = run([1, 4, 4], &program);
    assert_eq!((plain.dcache.reads, plain.dcache.read_misses), (2048, 2048));
    let timing = TimingConfig {
        l2: Some(CacheConfig::l2()),
        ..TimingConfig::default()
    };
    let config = Config {
        model: Model::Cycle(Box::new(timing)),
        ..Config::with_shape(1, 4, 4)
    };
    let levelled = run_with(config, &program);
    let l2 = levelled.levels[0];
    assert!(l2.read_misses < 520 + 8 && l2.reads >= 2048, "{l2:?}");
    assert!(
        levelled.cycles < plain.cycles,
        "{} < {}",
        levelled.cycles,
        plain.cycles
    );
}

/// What a run in one of the machine's smallest shapes ends with.
fn trap(mut machine: Machine, program: &[Inst]) -> Box<Trap> {
    let buffer = machine.alloc(64, Access::ReadWrite).unwrap();
    machine.write(buffer, &[0; 64]).unwrap();
    let code = machine.alloc(64, Access::Read).unwrap();
    let bytes: Vec<u8> = program
        .iter()
        .flat_map(|inst| inst.encode().to_le_bytes())
        .collect();
    machine.write(code, &bytes).unwrap();
    machine.run(code, buffer).unwrap_err()
}

#[test]
fn waiting_for_nobody_is_noticed() {
    let machine = Machine::new(Config {
        model: Model::cycle(),
        ..Config::with_shape(1, 4, 4)
    });
    let trap = trap(
        machine.unwrap(),
        &[
            addi(x::T0, x::ZERO, 2),
            Inst::simt(Opcode::Bar, x::ZERO, x::T0),
            Inst::simt(Opcode::Tmc, x::ZERO, 0),
        ],
    );
    assert!(
        matches!(&trap.kind, TrapKind::Deadlock { waiting } if waiting.len() == 1),
        "{trap}"
    );
}

/// Such hardware takes no load at all, and nobody can open a device of it.
#[test]
fn a_model_that_stands_still_is_reported() {
    let hardware = TimingConfig {
        load_queue: 0,
        ..TimingConfig::default()
    };
    let config = Config {
        model: Model::Cycle(Box::new(hardware)),
        ..Config::with_shape(1, 4, 4)
    };
    assert!(Machine::new(config.clone()).is_err());
    let trap = trap(
        Machine::unchecked(config),
        &[
            Inst::csrr(x::A0, csr::MSCRATCH),
            Inst::i(Opcode::Lw, x::A1, x::A0, 0),
            Inst::simt(Opcode::Tmc, x::ZERO, 0),
        ],
    );
    let TrapKind::NoProgress { cycle, state } = &trap.kind else {
        panic!("{trap}");
    };
    assert!((100_000..200_000).contains(cycle), "{trap}");
    assert!(state.starts_with("core 0: warp 0 "), "{trap}");
    assert!(trap.to_string().starts_with("internal error: "), "{trap}");
}

#[test]
fn float_registers_are_told_from_integer_ones() {
    let mixed = run(
        [1, 4, 4],
        &repeat(&[Inst::r(Opcode::Fadd, 11, 1, 1), addi(x::A2, x::A1, 1)]),
    );
    assert!(
        mixed.stalls.fpu < 9,
        "a1 is not fa1, which is read only before the loop"
    );
}

#[test]
fn statistics_print_for_people() {
    let text = run([1, 4, 8], &strided(64, Opcode::Lw)).to_string();
    assert_eq!(
        text,
        "IPC 0.03, active lanes per instruction 6.4\n\
         issue slots: 3.2% used, fetch 44.3%, idle 38.6%, alu 8.6%, control 5.4%\n\
         instruction cache: 9 reads, 88.9% hits, 0 writes\n\
         data cache: 8 reads, 0.0% hits, 0 writes\n\
         accesses: 1, 8.00 requests each"
    );
}
