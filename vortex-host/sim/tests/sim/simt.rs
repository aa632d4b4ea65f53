//! Masks, divergence, warps and barriers; votes, shuffles, and the CSRs that tell a thread who it is.

use crate::harness::{Asm, CODE, bytes, lanes, machine, racing, run, try_run, words};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Access, Checks, Config};

#[test]
pub(crate) fn identities() {
    let numbers = [
        csr::MHARTID,
        csr::THREAD_ID,
        csr::WARP_ID,
        csr::CORE_ID,
        csr::NUM_THREADS,
        csr::NUM_WARPS,
        csr::NUM_CORES,
        csr::LOCAL_MEM_BASE,
        csr::ACTIVE_THREADS,
    ];
    for (cores, warps, threads) in [(1, 1, 1), (2, 3, 5), (3, 4, 32)] {
        let mut program = Asm::new();
        program
            .all_warps()
            .csrr(x::A1, csr::MHARTID)
            .li(x::A2, 4 * numbers.len() as u32);
        program
            .r(Opcode::Mul, x::A1, x::A1, x::A2)
            .r(Opcode::Add, x::A1, x::A1, x::A0);
        for (n, &number) in numbers.iter().enumerate() {
            program
                .csrr(x::A2, number)
                .store(Opcode::Sw, x::A2, x::A1, 4 * n as i32);
        }
        program.end();
        let harts = cores * warps * threads;
        let config = Config::with_shape(cores, warps, threads);
        let result = run(config, &program, &vec![0; harts as usize * numbers.len()]);
        for (hart, values) in (0..harts).zip(result.chunks(numbers.len())) {
            let all = u32::MAX >> (32 - threads);
            let expected = [
                hart,
                hart % threads,
                hart / threads % warps,
                hart / threads / warps,
                threads,
                warps,
                cores,
                0xffff_0000,
                all,
            ];
            assert_eq!(values, expected);
        }
    }
}

/// Lane n of 8 takes the side that bit n of the pattern names; both sides note the order in which they ran.
fn two_sides(pattern: u32, negate: bool) -> Vec<u32> {
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .li(x::A2, pattern)
        .r(Opcode::Srl, x::A2, x::A2, x::S4);
    program.li(x::A3, 0);
    let split = Inst {
        rs2: negate.into(),
        ..Inst::r(Opcode::Split, x::A4, x::A2, 0)
    };
    program.emit(split).i(Opcode::Andi, x::A5, x::A2, 1).branch(
        Opcode::Beq,
        x::A5,
        x::ZERO,
        "else",
    );
    // A counter in memory, so that it is shared: the side's turn.
    program
        .i(Opcode::Lw, x::A6, x::A0, 32)
        .i(Opcode::Addi, x::A6, x::A6, 1)
        .store(Opcode::Sw, x::A6, x::A0, 32);
    program.i(Opcode::Addi, x::A3, x::A6, 100).jump("join");
    program.label("else");
    program
        .i(Opcode::Lw, x::A6, x::A0, 32)
        .i(Opcode::Addi, x::A6, x::A6, 1)
        .store(Opcode::Sw, x::A6, x::A0, 32);
    program.i(Opcode::Addi, x::A3, x::A6, 200);
    program
        .label("join")
        .join(x::A4)
        .csrr(x::A7, csr::ACTIVE_THREADS)
        .r(Opcode::Sub, x::A7, x::A7, x::S5);
    program
        .r(Opcode::Add, x::A3, x::A3, x::A7)
        .store(Opcode::Sw, x::A3, x::A1, 0)
        .end();
    run(lanes(8), &program, &[0; 9])[..8].to_vec()
}

#[test]
pub(crate) fn the_larger_side_of_a_split_runs_first() {
    for pattern in 0..256u32 {
        for negate in [false, true] {
            let (ones, zeros) = (pattern.count_ones(), 8 - pattern.count_ones());
            // A negated split takes the other side for the true one: that matters for ties.
            let ones_first = if negate { ones > zeros } else { ones >= zeros };
            let diverges = ones != 0 && zeros != 0;
            let turn = |first: bool| if first || !diverges { 1 } else { 2 };
            for (lane, value) in two_sides(pattern, negate).into_iter().enumerate() {
                let expected = if pattern >> lane & 1 != 0 {
                    100 + turn(ones_first)
                } else {
                    200 + turn(!ones_first)
                };
                assert_eq!(
                    value, expected,
                    "pattern {pattern:#x}, negate {negate}, lane {lane}"
                );
            }
        }
    }
}

#[test]
fn splits_nest_as_deep_as_there_are_lanes() {
    // Each level splits off its highest lane: 31 levels for 32 lanes. Then everything joins again.
    let threads = 32;
    let mut program = Asm::new();
    program.all_lanes().lane_address().li(x::A2, 0);
    const LABELS: [&str; 31] = [
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
        "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30",
    ];
    for (level, label) in LABELS.into_iter().enumerate() {
        // Lanes below go on; tokens are depths, so they need not be kept.
        program
            .i(Opcode::Slti, x::A3, x::S4, threads - 1 - level as i32)
            .split(x::A4, x::A3);
        program.branch(Opcode::Beq, x::A3, x::ZERO, label);
        program.i(Opcode::Addi, x::A2, x::A2, 1);
    }
    for (level, label) in LABELS.into_iter().enumerate().rev() {
        program.label(label).li(x::A4, level as u32).join(x::A4);
    }
    program
        .csrr(x::A5, csr::ACTIVE_THREADS)
        .r(Opcode::Sub, x::A5, x::A5, x::S5)
        .r(Opcode::Add, x::A2, x::A2, x::A5);
    program.store(Opcode::Sw, x::A2, x::A1, 0).end();
    let result = run(lanes(threads as u32), &program, &[9; 32]);
    assert_eq!(
        result,
        (0..32)
            .map(|lane| (threads as u32 - 1 - lane).min(31))
            .collect::<Vec<_>>()
    );
}

#[test]
pub(crate) fn a_divergent_loop_counts_each_lane_on_its_own() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .li(x::A2, 0)
        .i(Opcode::Lw, x::A3, x::A1, 0);
    program.csrr(x::A4, csr::ACTIVE_THREADS);
    program
        .label("again")
        .r(Opcode::Sltu, x::A5, x::A2, x::A3)
        .simt(Opcode::Pred, x::A5, x::A4);
    program
        .branch(Opcode::Beq, x::A5, x::ZERO, "out")
        .i(Opcode::Addi, x::A2, x::A2, 1)
        .jump("again");
    program
        .label("out")
        .store(Opcode::Sw, x::A2, x::A1, 0)
        .end();
    let counts = [3, 0, 7, 1, 1, 20, 0, 2, 5, 5, 5];
    assert_eq!(run(lanes(11), &program, &counts), counts);
}

#[test]
fn a_negated_pred_keeps_the_others() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .i(Opcode::Andi, x::A2, x::S4, 1)
        .li(x::A3, 0);
    program
        .emit(Inst {
            rd: 1,
            ..Inst::simt(Opcode::Pred, x::A2, x::S5)
        })
        .li(x::A3, 1);
    // Nobody is left: back to the mask in a register.
    program
        .li(x::A4, 0)
        .simt(Opcode::Pred, x::A4, x::S5)
        .store(Opcode::Sw, x::A3, x::A1, 0)
        .end();
    assert_eq!(run(lanes(4), &program, &[9; 4]), [1, 0, 1, 0]);
}

#[test]
pub(crate) fn spawned_warps_run_with_one_lane_and_share_mscratch() {
    let mut program = Asm::new();
    program
        .li(x::T0, 100)
        .la(x::T1, "all")
        .simt(Opcode::Wspawn, x::T0, x::T1);
    program
        .label("all")
        .csrr(x::A0, csr::MSCRATCH)
        .csrr(x::A1, csr::WARP_ID)
        .csrr(x::A2, csr::ACTIVE_THREADS);
    program
        .i(Opcode::Slli, x::A3, x::A1, 2)
        .r(Opcode::Add, x::A3, x::A3, x::A0)
        .store(Opcode::Sw, x::A2, x::A3, 0)
        .end();
    assert_eq!(
        run(Config::with_shape(1, 6, 4), &program, &[0; 7]),
        [1, 1, 1, 1, 1, 1, 0]
    );
}

#[test]
fn warps_can_be_spawned_again_after_a_wait_for_their_end() {
    // Two rounds of warps add to a sum; in between, wspawn with 1 waits for the end of the first round.
    let mut program = Asm::new();
    program
        .li(x::T0, 4)
        .la(x::T1, "worker")
        .simt(Opcode::Wspawn, x::T0, x::T1);
    program
        .li(x::T0, 1)
        .simt(Opcode::Wspawn, x::T0, x::T1)
        .csrr(x::A0, csr::MSCRATCH);
    program
        .i(Opcode::Lw, x::A1, x::A0, 0)
        .store(Opcode::Sw, x::A1, x::A0, 4);
    program
        .li(x::T0, 3)
        .simt(Opcode::Wspawn, x::T0, x::T1)
        .li(x::T0, 0)
        .simt(Opcode::Wspawn, x::T0, x::T1);
    program
        .i(Opcode::Lw, x::A1, x::A0, 0)
        .store(Opcode::Sw, x::A1, x::A0, 8)
        .end();
    program
        .label("worker")
        .csrr(x::A0, csr::MSCRATCH)
        .li(x::A1, 1);
    program.r(Opcode::AmoaddW, x::ZERO, x::A0, x::A1).end();
    assert_eq!(
        run(Config::with_shape(1, 4, 4), &program, &[0; 3]),
        [5, 3, 5]
    );
}

#[test]
pub(crate) fn the_core_ends_with_an_environment_call() {
    let mut program = Asm::new();
    program
        .all_warps()
        .csrr(x::A1, csr::WARP_ID)
        .li(x::A2, 3)
        .branch(Opcode::Beq, x::A1, x::A2, "last");
    program
        .label("forever")
        .simt(Opcode::Bar, x::ZERO, x::A2)
        .jump("forever");
    program
        .label("last")
        .emit(Inst::of(Opcode::Ecall))
        .store(Opcode::Sw, x::A2, x::A0, 0)
        .end();
    assert_eq!(run(Config::with_shape(1, 4, 2), &program, &[0]), [0]);
}

/// Every warp adds to a sum, waits, and stores the sum it sees.
/// Sums that warps come to between barriers, as each warp sees them: of its core, or of the device.
pub(crate) fn sums(cores: u32, global: bool, deterministic: bool) -> Vec<u32> {
    let warps = 4;
    let config = racing(Config {
        deterministic,
        ..Config::with_shape(cores, warps, 2)
    });
    let expected = if global { cores } else { warps };
    let mut program = Asm::new();
    program
        .all_warps()
        .li(x::T0, 1)
        .simt(Opcode::Tmc, x::T0, 0)
        .csrr(x::A1, csr::CORE_ID);
    // Without a global barrier each core has a sum of its own.
    let sum = if global { x::ZERO } else { x::A1 };
    program
        .i(Opcode::Slli, x::A2, sum, 2)
        .r(Opcode::Add, x::A2, x::A2, x::A0);
    program
        .li(x::S2, 5)
        .csrr(x::A3, csr::WARP_ID)
        .i(Opcode::Slli, x::A4, x::A1, 2)
        .r(Opcode::Add, x::A4, x::A4, x::A3);
    program
        .i(Opcode::Slli, x::A4, x::A4, 2)
        .r(Opcode::Add, x::A4, x::A4, x::A0);
    program
        .li(x::A5, if global { 1 << 31 | 1 } else { 1 })
        .li(x::A6, expected)
        .li(x::A7, 1);
    program
        .label("round")
        .r(Opcode::AmoaddW, x::ZERO, x::A2, x::A7)
        .simt(Opcode::Bar, x::A5, x::A6);
    program
        .i(Opcode::Lw, x::T2, x::A2, 0)
        .store(Opcode::Sw, x::T2, x::A4, 64)
        .simt(Opcode::Bar, x::A5, x::A6);
    program
        .i(Opcode::Addi, x::S2, x::S2, -1)
        .branch(Opcode::Bne, x::S2, x::ZERO, "round")
        .end();
    run(config, &program, &[0; 32])[16..16 + (cores * warps) as usize].to_vec()
}

#[test]
pub(crate) fn barriers_hold_warps_back() {
    assert_eq!(sums(1, false, true), vec![20; 4]);
    assert_eq!(sums(3, false, true), vec![20; 12]);
}

#[test]
fn global_barriers_hold_cores_back() {
    assert_eq!(sums(2, true, true), vec![40; 8]);
    assert_eq!(sums(4, true, true), vec![80; 16]);
}

#[test]
fn a_barrier_for_fewer_than_two_is_none() {
    let program = |count| {
        let mut program = Asm::new();
        program
            .all_lanes()
            .li(x::A1, 1)
            .li(x::A2, count)
            .simt(Opcode::Bar, x::ZERO, x::A2);
        program.store(Opcode::Sw, x::A1, x::A0, 0).end();
        program
    };
    assert_eq!(run(lanes(4), &program(1), &[0]), [1]);
    // Of 0 that is said, unless nobody wants to know.
    let config = Config {
        checks: Checks::none(),
        ..lanes(4)
    };
    assert_eq!(run(config, &program(0), &[0]), [1]);
}

#[test]
pub(crate) fn votes() {
    let active = 0b1011_0110u32;
    for pattern in [0, 0xff, active, !active, 0b0001_0100, 0b0100_1001] {
        let mut program = Asm::new();
        program
            .all_lanes()
            .li(x::A2, pattern)
            .r(Opcode::Srl, x::A2, x::A2, x::S4)
            .i(Opcode::Slli, x::A1, x::S4, 4);
        program
            .r(Opcode::Add, x::A1, x::A1, x::A0)
            .li(x::T0, active)
            .simt(Opcode::Tmc, x::T0, 0);
        for (n, opcode) in [
            Opcode::VoteAll,
            Opcode::VoteAny,
            Opcode::VoteUni,
            Opcode::VoteBallot,
        ]
        .into_iter()
        .enumerate()
        {
            program
                .r(opcode, x::A3, x::A2, 0)
                .store(Opcode::Sw, x::A3, x::A1, 4 * n as i32);
        }
        program.end();
        let result = run(lanes(8), &program, &[77; 32]);
        let ballot = pattern & active;
        let expected = [
            ballot == active,
            ballot != 0,
            ballot == 0 || ballot == active,
        ]
        .map(u32::from)
        .into_iter()
        .chain([ballot]);
        let expected: Vec<u32> = expected.collect();
        for (lane, votes) in result.chunks(4).enumerate() {
            let expected = if active >> lane & 1 != 0 {
                &expected[..]
            } else {
                &[77; 4]
            };
            assert_eq!(votes, expected, "{pattern:#x}, lane {lane}");
        }
    }
}

#[test]
pub(crate) fn shuffles() {
    let threads = 8u32;
    let values: Vec<u32> = (0..threads).map(|lane| 1000 + lane).collect();
    for (operand, clamp, segment) in [
        (1, 7, 0),
        (2, 7, 0),
        (0, 7, 0),
        (3, 3, 0x3c),
        (1, 1, 0x3e),
        (5, 7, 0),
        (63, 63, 0),
    ] {
        let control = segment << 12 | clamp << 6 | operand;
        for opcode in [
            Opcode::ShflUp,
            Opcode::ShflDown,
            Opcode::ShflBfly,
            Opcode::ShflIdx,
        ] {
            // Up is clamped from below.
            let mut program = Asm::new();
            program
                .all_lanes()
                .lane_address()
                .i(Opcode::Lw, x::A2, x::A1, 0)
                .li(x::A3, control);
            program
                .r(opcode, x::A2, x::A2, x::A3)
                .store(Opcode::Sw, x::A2, x::A1, 0)
                .end();
            let result = run(lanes(threads), &program, &values);
            for lane in 0..threads as i32 {
                let (operand, clamp, segment) = (operand as i32, clamp as i32, segment as i32);
                let (lowest, highest) = (lane & segment, lane & segment | clamp & !segment);
                let (source, fits) = match opcode {
                    Opcode::ShflUp => (lane - operand, lane - operand >= lowest),
                    Opcode::ShflDown => (lane + operand, lane + operand <= highest),
                    Opcode::ShflBfly => (lane ^ operand, lane ^ operand <= highest),
                    _ => (
                        lowest | operand & !segment,
                        lowest | operand & !segment <= highest,
                    ),
                };
                let source = if fits && source < threads as i32 {
                    source
                } else {
                    lane
                };
                assert_eq!(
                    result[lane as usize],
                    1000 + source as u32,
                    "{opcode} {control:#x}, lane {lane}"
                );
            }
        }
    }
}

#[test]
fn counters_count_instructions_and_lanes() {
    let mut program = Asm::new();
    program
        .csrr(x::A1, csr::MINSTRET)
        .csrr(x::A2, csr::MCYCLE)
        .all_lanes();
    program
        .csrr(x::A3, csr::MINSTRET)
        .csrr(x::A4, csr::MCYCLE)
        .csrr(x::A5, csr::MINSTRETH)
        .csrr(x::A6, 0xb9f);
    // The first two are known to lane 0 only.
    program.li(x::T0, 1).simt(Opcode::Tmc, x::T0, 0);
    for (n, register) in [x::A1, x::A2, x::A3, x::A4, x::A5, x::A6]
        .into_iter()
        .enumerate()
    {
        program.store(Opcode::Sw, register, x::A0, 4 * n as i32);
    }
    program.end();
    let (result, stats) = try_run(lanes(8), &program, &[9; 6]).unwrap();
    // Two with one lane each, then li and tmc, then three with eight lanes.
    assert_eq!(result, [0, 1, 4 + 3 * 8, 8, 0, 0]);
    assert_eq!(
        (stats.instructions, stats.lane_instructions),
        (4 + 9 + 7, 4 + 9 * 8 + 7)
    );
}

#[test]
fn registers_start_as_rubbish_but_always_the_same() {
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .store(Opcode::Sw, x::S11, x::A0, 0)
        .store(Opcode::Sw, x::T6, x::A0, 4)
        .end();
    let config = Config {
        checks: Checks::none(),
        ..Config::with_shape(1, 2, 4)
    };
    let mut machine = machine(config, &program);
    let buffer = machine.alloc(8, Access::ReadWrite).unwrap();
    let mut seen = Vec::new();
    for _ in 0..2 {
        machine.write(buffer, &bytes(&[0, 0])).unwrap();
        machine.run(CODE, buffer).unwrap();
        let mut result = [0; 8];
        machine.read(buffer, &mut result).unwrap();
        seen.push(words(&result));
    }
    assert_eq!(seen[0], seen[1]);
    assert!(seen[0].iter().all(|&value| value != 0) && seen[0][0] != seen[0][1]);
}

#[test]
fn warps_know_which_of_them_run() {
    // Warp 0 before and after it has started the others, each of which waits for all.
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .csrr(x::A1, csr::ACTIVE_WARPS)
        .store(Opcode::Sw, x::A1, x::A0, 0)
        .all_warps()
        .csrr(x::A1, csr::NUM_WARPS)
        .simt(Opcode::Bar, x::ZERO, x::A1)
        .csrr(x::A2, csr::ACTIVE_WARPS)
        .simt(Opcode::Bar, x::ZERO, x::A1)
        .csrr(x::A3, csr::WARP_ID)
        .branch(Opcode::Bne, x::A3, x::ZERO, "end")
        .store(Opcode::Sw, x::A2, x::A0, 4)
        .label("end")
        .end();
    let config = Config::with_shape(1, 3, 1);
    assert_eq!(run(config, &program, &[9, 9]), [1, 0b111]);
}
