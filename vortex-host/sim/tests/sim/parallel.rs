//! Cores on host threads.

use crate::harness::{Asm, Numbers, racing, run, trap, try_run};
use crate::simt::sums;
use vortex_isa::{Opcode, csr, x};
use vortex_sim::{Checks, Config, Model, TrapKind, WaitReason, layout};

/// Enough to meet in every way.
const TIMES: usize = 20;

fn parallel(cores: u32, warps: u32, threads: u32) -> Config {
    racing(Config {
        deterministic: false,
        ..Config::with_shape(cores, warps, threads)
    })
}

/// `a3` = the hart's number, `a2` its address in a buffer of words.
fn every_hart() -> Asm {
    let mut program = Asm::new();
    program
        .all_warps()
        .csrr(x::A3, csr::MHARTID)
        .i(Opcode::Slli, x::A2, x::A3, 2)
        .r(Opcode::Add, x::A2, x::A2, x::A0);
    program
}

#[test]
fn barriers_hold_warps_and_cores_back() {
    for _ in 0..TIMES {
        assert_eq!(sums(3, false, false), vec![20; 12]);
        assert_eq!(sums(2, true, false), vec![40; 8]);
        assert_eq!(sums(4, true, false), vec![80; 16]);
    }
}

#[test]
fn atomic_operations_are_in_one_step() {
    // Each hart adds its number to one word many times, and toggles bits of another one with lr and sc.
    let mut program = every_hart();
    program.li(x::S2, 200).li(x::A4, 3).label("again");
    program.r(Opcode::AmoaddW, x::ZERO, x::A0, x::A3);
    program.i(Opcode::Addi, x::A1, x::A0, 4);
    program.r(Opcode::AmomaxuW, x::ZERO, x::A1, x::A3);
    program
        .i(Opcode::Addi, x::S2, x::S2, -1)
        .branch(Opcode::Bne, x::S2, x::ZERO, "again")
        .end();
    let harts = 4 * 2 * 4;
    for checks in [parallel(1, 1, 1).checks, Checks::none()] {
        let config = Config {
            checks,
            ..parallel(4, 2, 4)
        };
        for _ in 0..TIMES {
            let sum = 200 * (harts * (harts - 1) / 2);
            assert_eq!(run(config.clone(), &program, &[0, 0]), [sum, harts - 1]);
        }
    }
}

#[test]
fn reservations_end_with_what_others_write() {
    // One lane of each core counts up with lr and sc.
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .li(x::S2, 500)
        .label("again");
    program
        .r(Opcode::LrW, x::A1, x::A0, 0)
        .i(Opcode::Addi, x::A1, x::A1, 1)
        .r(Opcode::ScW, x::A2, x::A0, x::A1)
        .branch(Opcode::Bne, x::A2, x::ZERO, "again");
    program
        .i(Opcode::Addi, x::S2, x::S2, -1)
        .branch(Opcode::Bne, x::S2, x::ZERO, "again")
        .end();
    for _ in 0..TIMES {
        assert_eq!(run(parallel(4, 1, 1), &program, &[0]), [2000]);
    }
}

#[test]
fn bytes_of_a_word_are_written_by_all() {
    // Hart n writes byte n, over and over, and the cores meet in every word.
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .csrr(x::A1, csr::CORE_ID)
        .r(Opcode::Add, x::A0, x::A0, x::A1)
        .li(x::S2, 300);
    program.label("again");
    for word in 0..8 {
        program.store(Opcode::Sb, x::A1, x::A0, 4 * word);
    }
    program
        .i(Opcode::Addi, x::S2, x::S2, -1)
        .branch(Opcode::Bne, x::S2, x::ZERO, "again")
        .end();
    for _ in 0..TIMES {
        assert_eq!(run(parallel(4, 1, 1), &program, &[!0; 8]), [0x0302_0100; 8]);
    }
}

#[test]
fn cores_wait_for_each_other_in_memory() {
    // Core n waits for n in memory, and writes n + 1: more cores than there are processors, so they have to take turns.
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .csrr(x::A1, csr::CORE_ID)
        .label("wait");
    program
        .i(Opcode::Lw, x::A2, x::A0, 0)
        .branch(Opcode::Bne, x::A2, x::A1, "wait")
        .i(Opcode::Addi, x::A1, x::A1, 1)
        .store(Opcode::Sw, x::A1, x::A0, 0)
        .end();
    assert_eq!(run(parallel(16, 1, 1), &program, &[0]), [16]);
}

/// A program of random arithmetic, in which each hart keeps to its own words.
fn random(numbers: &mut Numbers) -> Asm {
    let mut program = every_hart();
    program.li(x::S2, 50).label("again");
    for _ in 0..30 {
        let register = |numbers: &mut Numbers| x::A4 + numbers.below(4) as u8;
        let (rd, a, b) = (register(numbers), register(numbers), register(numbers));
        match numbers.below(4) {
            0 => program.r(Opcode::Add, rd, a, x::A3),
            1 => program.r(Opcode::Mul, rd, a, b),
            2 => program.i(Opcode::Lw, rd, x::A2, 0),
            _ => program.store(Opcode::Sw, a, x::A2, 0),
        };
    }
    program
        .i(Opcode::Addi, x::S2, x::S2, -1)
        .branch(Opcode::Bne, x::S2, x::ZERO, "again")
        .end();
    program
}

#[test]
fn what_does_not_race_gives_the_same() {
    let mut numbers = Numbers(7);
    for _ in 0..TIMES {
        let program = random(&mut numbers);
        let buffer: Vec<u32> = (0..96).map(|_| numbers.next()).collect();
        let config = Config {
            checks: Checks {
                uninitialised: false,
                races: false,
                ..Checks::default()
            },
            ..parallel(6, 4, 4)
        };
        let alone = Config {
            deterministic: true,
            ..config.clone()
        };
        let (expected, stats) = try_run(alone, &program, &buffer).unwrap();
        let (found, parallel) = try_run(config, &program, &buffer).unwrap();
        assert_eq!(found, expected);
        assert_eq!(parallel, stats);
    }
}

#[test]
fn mistakes_are_found_where_they_are() {
    // Core 2 reaches too far, while the others go on for ever.
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .csrr(x::A1, csr::CORE_ID)
        .li(x::A2, 2)
        .branch(Opcode::Beq, x::A1, x::A2, "beyond")
        .label("for ever")
        .jump("for ever");
    program.label("beyond").i(Opcode::Lw, x::A1, x::A0, 4).end();
    let trapped = trap(parallel(4, 1, 1), &program, &[0]);
    assert!(matches!(trapped.kind, TrapKind::OutOfBounds { .. }));
    assert_eq!((trapped.core, trapped.pc), (2, program.address("beyond")));

    // What nobody wrote decides a branch.
    let mut program = every_hart();
    program
        .branch(Opcode::Beq, x::S7, x::ZERO, "on")
        .label("on")
        .end();
    let trapped = trap(parallel(3, 1, 1), &program, &[0; 3]);
    assert!(matches!(trapped.kind, TrapKind::Uninitialised { .. }));
}

#[test]
fn deadlocks_are_noticed() {
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::CORE_ID)
        .branch(Opcode::Beq, x::A0, x::ZERO, "end")
        .li(x::A1, 1 << 31)
        .li(x::A2, 3)
        .simt(Opcode::Bar, x::A1, x::A2)
        .label("end")
        .end();
    for _ in 0..TIMES {
        let found = trap(parallel(3, 1, 1), &program, &[0]);
        let expected = trap(Config::with_shape(3, 1, 1), &program, &[0]);
        assert_eq!(found, expected);
        let TrapKind::Deadlock { waiting } = found.kind else {
            panic!("{found}")
        };
        let reason = WaitReason::GlobalBarrier {
            id: 0,
            arrived: 2,
            expected: 3,
        };
        assert_eq!(
            (waiting.len(), waiting[1].core, &waiting[1].reason),
            (2, 2, &reason)
        );
    }
}

#[test]
fn runaways_are_stopped() {
    let mut program = Asm::new();
    program.label("for ever").jump("for ever");
    for budget in [1, 1000, 10_000_000] {
        let config = Config {
            instruction_budget: Some(budget),
            ..parallel(4, 2, 1)
        };
        let trapped = trap(config, &program, &[0]);
        assert_eq!(
            trapped.kind,
            TrapKind::BudgetSpent {
                budget,
                livelock: false
            }
        );
    }
    // Just enough is enough.
    let mut program = Asm::new();
    program.li(x::A0, 1).end();
    let instructions = 4 * 2;
    let config = Config {
        instruction_budget: Some(instructions),
        ..parallel(4, 1, 1)
    };
    assert_eq!(
        try_run(config, &program, &[0]).unwrap().1.instructions,
        instructions
    );
}

#[test]
fn races_and_cycles_are_for_cores_that_take_turns() {
    let mut program = every_hart();
    program.store(Opcode::Sw, x::A3, x::A0, 0).end();
    let config = Config {
        checks: Checks::all(),
        ..parallel(2, 1, 1)
    };
    let trapped = trap(config, &program, &[0; 2]);
    assert!(
        matches!(trapped.kind, TrapKind::DataRace { .. }),
        "{trapped}"
    );
    let mut program = every_hart();
    program.store(Opcode::Sw, x::A3, x::A2, 0).end();
    let config = Config {
        model: Model::cycle(),
        ..parallel(2, 1, 1)
    };
    let (words, stats) = try_run(config, &program, &[7; 2]).unwrap();
    assert_eq!(words, [0, 1]);
    assert!(stats.cycles.is_some());
}

/// Shapes of devices: cores, warps, threads.
const SHAPES: [(u32, u32, u32); 9] = [
    (1, 1, 1),
    (2, 1, 1),
    (2, 4, 4),
    (3, 2, 8),
    (4, 4, 32),
    (5, 1, 3),
    (7, 8, 5),
    (16, 2, 4),
    (17, 3, 2),
];

/// All cores have come here with all of their warps.
fn meet(program: &mut Asm, cores: u32) {
    program
        .li(x::T1, 1 << 31)
        .li(x::T2, cores)
        .simt(Opcode::Bar, x::T1, x::T2);
}

#[test]
fn devices_of_many_shapes_do_the_same() {
    for (cores, warps, threads) in SHAPES {
        let harts = cores * warps * threads;
        // Each hart adds to a sum; when all have, each stores it and its number; then warp 0 of each core prints a
        // letter.
        let mut program = every_hart();
        program.i(Opcode::Addi, x::A4, x::A3, 1);
        program.r(Opcode::AmoaddW, x::ZERO, x::A0, x::A4);
        meet(&mut program, cores);
        program
            .i(Opcode::Lw, x::A5, x::A0, 0)
            .r(Opcode::Add, x::A5, x::A5, x::A3)
            .store(Opcode::Sw, x::A5, x::A2, 4);
        meet(&mut program, cores);
        program
            .csrr(x::A6, csr::WARP_ID)
            .branch(Opcode::Bne, x::A6, x::ZERO, "end")
            .li(x::T0, 1)
            .simt(Opcode::Tmc, x::T0, 0)
            .csrr(x::A6, csr::CORE_ID)
            .i(Opcode::Addi, x::A7, x::A6, layout::CONSOLE as i32);
        for letter in *b"core " {
            program
                .li(x::T3, letter.into())
                .store(Opcode::Sb, x::T3, x::A7, 0);
        }
        program
            .i(Opcode::Addi, x::T3, x::A6, i32::from(b'A'))
            .store(Opcode::Sb, x::T3, x::A7, 0)
            .li(x::T3, b'\n'.into())
            .store(Opcode::Sb, x::T3, x::A7, 0)
            .label("end")
            .end();
        let sum = harts * (harts + 1) / 2;
        let words = std::iter::once(sum).chain((0..harts).map(|hart| sum + hart));
        let words: Vec<u32> = words.collect();
        let mut lines: Vec<String> = (0..cores)
            .map(|core| format!("#{core}: core {}", char::from(b'A' + core as u8)))
            .collect();
        lines.sort();
        for checks in [parallel(1, 1, 1).checks, Checks::none()] {
            let config = Config {
                checks,
                ..parallel(cores, warps, threads)
            };
            for _ in 0..5 {
                let buffer = vec![0; 1 + harts as usize];
                let (found, stats) = try_run(config.clone(), &program, &buffer).unwrap();
                assert_eq!(found, words, "{cores} {warps} {threads}");
                let mut printed: Vec<&str> = stats.console.lines().collect();
                printed.sort_unstable();
                assert_eq!(printed, lines, "{cores} {warps} {threads}");
            }
        }
    }
}

#[test]
fn the_only_mistake_is_the_one_that_is_told() {
    for (cores, warps, threads) in SHAPES {
        for wrong in [0, cores / 2, cores - 1] {
            // The others wait, in vain, for the core that reaches too far.
            let mut program = every_hart();
            program
                .csrr(x::A4, csr::CORE_ID)
                .li(x::A5, wrong)
                .branch(Opcode::Bne, x::A4, x::A5, "right")
                .li(x::A6, 1 << 20)
                .r(Opcode::Add, x::A2, x::A2, x::A6)
                .label("right")
                .i(Opcode::Lw, x::A7, x::A2, 0);
            meet(&mut program, cores);
            program.end();
            let buffer = vec![0; (cores * warps * threads) as usize];
            let found = trap(parallel(cores, warps, threads), &program, &buffer);
            let expected = trap(Config::with_shape(cores, warps, threads), &program, &buffer);
            assert_eq!(found, expected);
            assert_eq!(found.core, wrong);
            assert!(matches!(found.kind, TrapKind::OutOfBounds { .. }));
        }
    }
}
