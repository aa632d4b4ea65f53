//! Vortex 3: grids of work groups, and what came with them.

use crate::grid_programs::{
    global_number, grid, groups, item_number, launch, trap, try_launch, v3, word,
};
use crate::harness::Asm;
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::timing::TimingConfig;
use vortex_sim::{Checks, Config, Generation, Grid, GridError, LaunchError, Model, TrapKind};

/// Where each item stores 1 + its place along an axis.
fn places(axis: u16) -> Asm {
    groups(|program| {
        global_number(program);
        word(program, x::A1, x::S2);
        program
            .csrr(x::A2, axis)
            .i(Opcode::Addi, x::A2, x::A2, 1)
            .store(Opcode::Sw, x::A2, x::A1, 0);
    })
}

#[test]
fn every_item_of_a_grid_runs_once_and_knows_its_place() {
    for (cores, warps, threads) in [(1, 1, 1), (1, 4, 4), (2, 2, 8), (4, 16, 32), (3, 4, 4)] {
        let most: u32 = warps * threads;
        for (groups, items) in [
            ([1, 1, 1], [1, 1, 1]),
            ([5, 1, 1], [most, 1, 1]),
            ([3, 4, 2], [most.min(3), 1, 1]),
            ([7, 2, 1], [most.min(2), most.div_ceil(4).min(4), 1]),
            ([2, 3, 4], [1, most.min(3), (most / 3).clamp(1, 5)]),
        ] {
            let group_size: u32 = items.iter().product();
            let count = groups.iter().product::<u32>() * group_size;
            for (first, per_item) in [(csr::CTA_BLOCK_ID_X, false), (csr::CTA_THREAD_ID_X, true)] {
                for axis in 0..3 {
                    let program = places(first + axis as u16);
                    let found = launch(
                        v3(cores, warps, threads),
                        &program,
                        grid(groups, items, 0),
                        &vec![0; count as usize],
                    );
                    let expected: Vec<u32> = (0..count)
                        .map(|n| {
                            let (number, dims) = match per_item {
                                true => (n % group_size, items),
                                false => (n / group_size, groups),
                            };
                            let [x, y, _] = dims;
                            1 + [number % x, number / x % y, number / (x * y)][axis]
                        })
                        .collect();
                    assert_eq!(
                        found, expected,
                        "{groups:?} x {items:?} on {cores}x{warps}x{threads}"
                    );
                }
            }
        }
    }
}

#[test]
fn cores_on_host_threads_run_the_same_groups() {
    let config = Config {
        deterministic: false,
        checks: Checks::default(),
        ..v3(4, 4, 4)
    };
    let program = places(csr::CTA_BLOCK_ID_X);
    let found = launch(
        config,
        &program,
        grid([1000, 1, 1], [8, 1, 1], 0),
        &[0; 8000],
    );
    let expected: Vec<u32> = (0..8000).map(|n| 1 + n / 8).collect();
    assert_eq!(found, expected);
}

#[test]
fn cores_begin_with_a_group_each() {
    let program = groups(|program| {
        program
            .csrr(x::S2, csr::CTA_BLOCK_ID_X)
            .csrr(x::A2, csr::CORE_ID);
        word(program, x::A1, x::S2);
        program.store(Opcode::Sw, x::A2, x::A1, 0);
    });
    let found = launch(
        v3(4, 4, 1),
        &program,
        grid([8, 1, 1], [1, 1, 1], 0),
        &[9; 8],
    );
    assert_eq!(found, [0, 1, 2, 3, 0, 1, 2, 3]);
}

/// A warp's second group begins 16 bytes before the `tmc` that has ended it for the first one, with its registers.
#[test]
fn a_warp_goes_on_in_its_window() {
    let mut program = Asm::new();
    program.li(x::S7, 0).jump("body");
    // The window, not where the program starts.
    program
        .label("window")
        .i(Opcode::Addi, x::S7, x::S7, 1)
        .jump("body");
    program.all([Inst::nop(); 2]);
    program.label("end").end();
    program.label("body").csrr(x::S2, csr::CTA_BLOCK_ID_X);
    word(&mut program, x::A1, x::S2);
    program.store(Opcode::Sw, x::S7, x::A1, 0).jump("end");
    let found = launch(
        v3(1, 1, 4),
        &program,
        grid([5, 1, 1], [1, 1, 1], 0),
        &[9; 5],
    );
    assert_eq!(found, [0, 1, 2, 3, 4]);

    // Without anything there, it leaves the program.
    let mut program = Asm::new();
    program.end();
    let kind = trap(v3(1, 1, 4), &program, grid([2, 1, 1], [1, 1, 1], 0), &[0]);
    assert_eq!(kind, TrapKind::FetchOutOfBounds);
}

#[test]
fn slots_have_local_memory_and_barriers_of_their_own() {
    // Each group adds up its items' numbers in local memory, with a barrier before and after.
    let program = groups(|program| {
        let barrier = |program: &mut Asm| {
            program
                .csrr(x::T0, csr::CTA_ID)
                .csrr(x::T1, csr::CTA_SIZE)
                .simt(Opcode::Bar, x::T0, x::T1);
        };
        global_number(program);
        program
            .csrr(x::S5, csr::CTA_LMEM_ADDR)
            .i(Opcode::Slli, x::A1, x::S3, 2)
            .r(Opcode::Add, x::A1, x::A1, x::S5)
            .store(Opcode::Sw, x::S2, x::A1, 0);
        barrier(program);
        program
            .csrr(x::S6, csr::CTA_BLOCK_DIM_X)
            .li(x::A2, 0)
            .label("sum")
            .i(Opcode::Lw, x::A3, x::S5, 0)
            .r(Opcode::Add, x::A2, x::A2, x::A3)
            .i(Opcode::Addi, x::S5, x::S5, 4)
            .i(Opcode::Addi, x::S6, x::S6, -1)
            .branch(Opcode::Bne, x::S6, x::ZERO, "sum");
        word(program, x::A1, x::S2);
        program.store(Opcode::Sw, x::A2, x::A1, 0);
    });
    // Of 16 KiB, two groups at a time have 6 KiB each.
    for local in [64, 100, 6 << 10, 16 << 10] {
        for items in [4, 8, 16] {
            let count = 20 * items;
            let grid = grid([20, 1, 1], [items, 1, 1], local);
            let found = launch(v3(2, 4, 4), &program, grid, &vec![0; count as usize]);
            let expected: Vec<u32> = (0..count)
                .map(|n| {
                    let first = n / items * items;
                    (first..first + items).sum()
                })
                .collect();
            assert_eq!(found, expected, "{local} bytes, {items} items");
        }
    }
}

/// Warp 0 of a group stores and arrives, warp 1 waits and loads.
fn hand_over(waits: bool) -> Asm {
    groups(|program| {
        program
            .csrr(x::T0, csr::CTA_ID)
            .li(x::T1, 1)
            .csrr(x::S4, csr::CTA_RANK)
            .csrr(x::A0, csr::MSCRATCH)
            .branch(Opcode::Bne, x::S4, x::ZERO, "second")
            .li(x::A1, 77)
            .store(Opcode::Sw, x::A1, x::A0, 0)
            .r(Opcode::BarArrive, x::A3, x::T0, x::T1)
            .store(Opcode::Sw, x::A3, x::A0, 4)
            .jump("done")
            .label("second");
        if waits {
            // The first phase is 0.
            program.simt(Opcode::BarWait, x::T0, x::ZERO);
        }
        program
            .i(Opcode::Lw, x::A2, x::A0, 0)
            .store(Opcode::Sw, x::A2, x::A0, 8)
            .label("done");
    })
}

#[test]
pub(crate) fn some_arrive_and_others_wait() {
    // One lane of each warp: of several, all would store.
    let grid = grid([1, 1, 1], [2, 1, 1], 0);
    let found = launch(v3(1, 2, 1), &hand_over(true), grid, &[0; 3]);
    assert_eq!(found, [77, 0, 77]);
    let kind = trap(v3(1, 2, 1), &hand_over(false), grid, &[0; 3]);
    assert!(matches!(kind, TrapKind::DataRace { .. }), "{kind}");
}

#[test]
fn phases_follow_each_other() {
    // All arrive, do something, and wait, ten times; in each phase warp 0 changes what the others read in the next.
    let program = groups(|program| {
        program
            .csrr(x::T0, csr::CTA_ID)
            .i(Opcode::Addi, x::T0, x::T0, 0x300)
            .csrr(x::T1, csr::CTA_SIZE)
            .csrr(x::S4, csr::CTA_RANK)
            .csrr(x::A0, csr::MSCRATCH)
            .li(x::S5, 10)
            .li(x::S6, 0)
            .label("again")
            .branch(Opcode::Bne, x::S4, x::ZERO, "others")
            .store(Opcode::Sw, x::S5, x::A0, 0)
            .label("others")
            .r(Opcode::BarArrive, x::S7, x::T0, x::T1)
            .simt(Opcode::BarWait, x::T0, x::S7)
            .i(Opcode::Lw, x::A1, x::A0, 0)
            .r(Opcode::Add, x::S6, x::S6, x::A1)
            .simt(Opcode::Bar, x::T0, x::T1)
            .i(Opcode::Addi, x::S5, x::S5, -1)
            .branch(Opcode::Bne, x::S5, x::ZERO, "again");
        item_number(program, x::S3);
        word(program, x::A1, x::S3);
        program.store(Opcode::Sw, x::S6, x::A1, 4);
    });
    let found = launch(
        v3(1, 4, 1),
        &program,
        grid([1, 1, 1], [4, 1, 1], 0),
        &[0; 5],
    );
    assert_eq!(found, [1, 55, 55, 55, 55]);
}

#[test]
fn who_waits_for_a_phase_that_never_ends_is_named() {
    let program = groups(|program| {
        program
            .csrr(x::T0, csr::CTA_ID)
            .simt(Opcode::BarWait, x::T0, x::ZERO);
    });
    let kind = trap(v3(1, 2, 1), &program, grid([1, 1, 1], [1, 1, 1], 0), &[0]);
    assert_eq!(
        kind.to_string().lines().nth(1),
        Some(
            "  core 0, warp 0: the end of a phase of barrier 0, in which 0 warps arrived, at 0x80000018: bar.wait t0, zero"
        )
    );
}

#[test]
fn who_waits_for_a_phase_of_a_global_barrier_is_named_by_its_number() {
    let program = groups(|program| {
        program
            .li(x::T0, (1 << 31) | 0x100)
            .simt(Opcode::BarWait, x::T0, x::ZERO);
    });
    let kind = trap(v3(1, 2, 1), &program, grid([1, 1, 1], [1, 1, 1], 0), &[0]);
    let said = kind.to_string();
    assert!(
        said.contains("the end of a phase of global barrier 256, in which 0 warps arrived"),
        "{said}"
    );
}

#[test]
fn barriers_that_are_not_there() {
    let program = groups(|program| {
        program
            .li(x::T0, 0x802)
            .li(x::T1, 2)
            .simt(Opcode::Bar, x::T0, x::T1);
    });
    let kind = trap(v3(1, 4, 1), &program, grid([1, 1, 1], [1, 1, 1], 0), &[0]);
    assert_eq!(
        kind.to_string(),
        "barrier 0x802 does not exist: the lowest 8 bits are the slot of a group (CSR `cta_id`), of which this device \
         has 0 to 3, and those above the number of its barrier, 0 to 7"
    );
}

#[test]
fn groups_race_unless_one_has_the_slot_of_the_other() {
    // Each group stores its number to one word: of memory, or of its local memory.
    let store = |local: bool| {
        groups(move |program| {
            let from = if local {
                csr::CTA_LMEM_ADDR
            } else {
                csr::MSCRATCH
            };
            program
                .csrr(x::A1, csr::CTA_BLOCK_ID_X)
                .csrr(x::A0, from)
                .store(Opcode::Sw, x::A1, x::A0, 0);
        })
    };
    let groups = grid([9, 1, 1], [1, 1, 1], 4 << 10);
    let kind = trap(v3(1, 4, 1), &store(false), groups, &[0]);
    assert!(matches!(kind, TrapKind::DataRace { .. }), "{kind}");
    launch(v3(1, 4, 1), &store(true), groups, &[0]);
}

#[test]
fn the_smaller_side_of_a_split_goes_first() {
    // The lanes of the predicate's mask store 1, the others 2, to one word: the last to do so is seen.
    let program = |mask: u32| {
        groups(move |program| {
            program
                .csrr(x::T1, csr::THREAD_ID)
                .li(x::T2, mask)
                .r(Opcode::Srl, x::T2, x::T2, x::T1)
                .csrr(x::A0, csr::MSCRATCH)
                .split(x::S1, x::T2)
                .i(Opcode::Andi, x::T3, x::T2, 1)
                .branch(Opcode::Beq, x::T3, x::ZERO, "else")
                .li(x::A1, 1)
                .store(Opcode::Sw, x::A1, x::A0, 0)
                .jump("join")
                .label("else")
                .li(x::A1, 2)
                .store(Opcode::Sw, x::A1, x::A0, 0)
                .label("join")
                .join(x::S1)
                .csrr(x::A1, csr::ACTIVE_THREADS)
                .store(Opcode::Sw, x::A1, x::A0, 4);
        })
    };
    for (mask, last) in [(0b0001, 2), (0b0111, 1), (0b0101, 2), (0b1010, 2)] {
        let config = Config {
            checks: Checks::none(),
            ..v3(1, 1, 4)
        };
        let found = launch(
            config,
            &program(mask),
            grid([1, 1, 1], [4, 1, 1], 0),
            &[0; 2],
        );
        assert_eq!(found, [last, 0xf], "{mask:#b}");
    }
}

#[test]
fn what_warps_print_is_in_rings() {
    // Each warp puts two characters into the ring of its first thread, and counts them.
    let program = groups(|program| {
        program
            .csrr(x::T0, csr::MHARTID)
            .i(Opcode::Slli, x::T1, x::T0, 2)
            .i(Opcode::Slli, x::T2, x::T0, 9);
        for character in [b'a', b'\n'] {
            program
                .i(Opcode::Lw, x::T3, x::T1, 0x40)
                .r(Opcode::Add, x::T4, x::T2, x::T3)
                .li(x::A1, u32::from(character))
                .store(Opcode::Sb, x::A1, x::T4, 0x240)
                .i(Opcode::Addi, x::T3, x::T3, 1)
                .store(Opcode::Sw, x::T3, x::T1, 0x40);
        }
    });
    for _ in 0..2 {
        let (_, stats) =
            try_launch(v3(1, 4, 1), &program, grid([3, 1, 1], [1, 1, 1], 0), &[0]).unwrap();
        assert_eq!(stats.console, "#0: a\n#1: a\n#2: a\n");
    }
}

#[test]
fn counts_are_of_warps() {
    let program = groups(|program| {
        program
            .csrr(x::A1, csr::MINSTRET)
            .csrr(x::A0, csr::MSCRATCH)
            .store(Opcode::Sw, x::A1, x::A0, 0);
    });
    let config = Config {
        checks: Checks::none(),
        ..v3(1, 1, 4)
    };
    let (found, stats) = try_launch(config, &program, grid([1, 1, 1], [4, 1, 1], 0), &[0]).unwrap();
    assert_eq!(found, [1]);
    // The jump to the body, its three, the jump back, and the end.
    assert_eq!((stats.instructions, stats.lane_instructions), (6, 24));
}

#[test]
fn grids_that_a_device_cannot_be_given() {
    let program = groups(|_| {});
    let refused = |config: Config, grid: Grid| match try_launch(config, &program, grid, &[0]) {
        Err(LaunchError::Grid(error)) => error,
        other => panic!("{other:?}"),
    };
    let small = grid([1, 1, 1], [1, 1, 1], 0);
    let v2 = Config::with_shape(1, 4, 4);
    assert_eq!(
        refused(v2, small).to_string(),
        "Vortex 2 has no hardware that hands out work groups; Vortex 3 has"
    );
    for items in [[17, 1, 1], [0, 1, 1], [1 << 31, 1 << 31, 1 << 31]] {
        let error = refused(v3(1, 4, 4), Grid { items, ..small });
        assert_eq!(error, GridError::Items { items, most: 16 });
    }
    let local_bytes = (16 << 10) + 4;
    let error = refused(
        v3(1, 4, 4),
        Grid {
            local_bytes,
            ..small
        },
    );
    assert_eq!(
        error.to_string(),
        "a group with 16388 bytes of local memory is not possible: a core has 16384"
    );
    let groups = [u32::MAX; 3];
    let error = refused(v3(1, 4, 4), Grid { groups, ..small });
    assert_eq!(error, GridError::Groups(groups));

    let nothing = Grid {
        groups: [3, 0, 1],
        ..small
    };
    let (_, stats) = try_launch(v3(1, 4, 4), &program, nothing, &[0]).unwrap();
    assert_eq!(stats.instructions, 0);
}

#[test]
fn the_cycle_model_is_of_the_devices_generation() {
    let with = |timing: TimingConfig| {
        let config = Config {
            model: Model::Cycle(Box::new(timing)),
            ..v3(1, 4, 4)
        };
        vortex_sim::Machine::new(config).err()
    };
    assert_eq!(with(TimingConfig::default()), None);
    assert_eq!(with(TimingConfig::of(Generation::V3)), None);
    let changed = |generation| TimingConfig {
        multiply: 7,
        ..TimingConfig::of(generation)
    };
    assert_eq!(with(changed(Generation::V3)), None);
    let refused = with(changed(Generation::V2)).unwrap();
    assert_eq!(
        refused.to_string(),
        "the cycle model was given hardware of Vortex 2, with details of its own; this device is of Vortex 3: begin \
         with `TimingConfig::of(Generation::V3)`"
    );
}

#[test]
pub(crate) fn calls_of_the_system_go_to_the_handler() {
    let program = |handled: bool| {
        groups(move |program| {
            program.csrr(x::A0, csr::MSCRATCH);
            if handled {
                program.la(x::T0, "handler").emit(Inst::csr_op(
                    Opcode::Csrrw,
                    x::ZERO,
                    0x305,
                    x::T0,
                ));
            }
            program
                .emit(Inst::of(Opcode::Ecall))
                .emit(Inst::of(Opcode::Ebreak))
                .jump("over")
                // Stores the cause and goes on behind.
                .label("handler")
                .csrr(x::T1, 0x342)
                .store(Opcode::Sw, x::T1, x::A0, 0)
                .i(Opcode::Addi, x::A0, x::A0, 4)
                .csrr(x::T1, 0x341)
                .i(Opcode::Addi, x::T1, x::T1, 4)
                .emit(Inst::csr_op(Opcode::Csrrw, x::ZERO, 0x341, x::T1))
                .emit(Inst::of(Opcode::Mret))
                .label("over");
        })
    };
    let one = grid([1, 1, 1], [1, 1, 1], 0);
    assert_eq!(launch(v3(1, 1, 1), &program(true), one, &[0; 2]), [11, 3]);
    assert_eq!(
        trap(v3(1, 1, 1), &program(false), one, &[0; 2]),
        TrapKind::NoTrapHandler
    );
}

#[test]
pub(crate) fn parts_of_words_are_packed() {
    // Bytes 3 apart and half words 6 apart, of the words that follow the results.
    let program = groups(|program| {
        program
            .csrr(x::A0, csr::MSCRATCH)
            .i(Opcode::Addi, x::A1, x::A0, 8)
            .li(x::A2, 3)
            .li(x::A3, 6)
            .r(Opcode::PacklbF, 1, x::A1, x::A2)
            .r(Opcode::PacklhF, 2, x::A1, x::A3)
            .store(Opcode::Fsw, 1, x::A0, 0)
            .store(Opcode::Fsw, 2, x::A0, 4)
            .emit(Inst::of(Opcode::Wsync));
    });
    let one = grid([1, 1, 1], [1, 1, 1], 0);
    let buffer = [0, 0, 0x0302_0100, 0x0706_0504, 0x0b0a_0908];
    let found = launch(v3(1, 1, 1), &program, one, &buffer);
    assert_eq!(found[..2], [0x0906_0300, 0x0706_0100]);
    // A byte beyond the buffer.
    let kind = trap(v3(1, 1, 1), &program, one, &buffer[..4]);
    assert!(
        matches!(kind, TrapKind::OutOfBounds { size: 1, .. }),
        "{kind}"
    );
}

#[test]
pub(crate) fn lanes_are_given_the_words_of_one() {
    let program = groups(|program| {
        program.csrr(x::S4, csr::THREAD_ID);
        for (register, base) in [(x::A1, 100), (x::A2, 200), (x::A3, 300), (x::A4, 400)] {
            program.i(Opcode::Addi, register, x::S4, base);
        }
        program.emit(Inst {
            imm: 2,
            ..Inst::r4(Opcode::Wgather, x::A4, x::A1, x::A2, x::A3)
        });
        word(program, x::S5, x::S4);
        program.store(Opcode::Sw, x::A4, x::S5, 0);
    });
    let found = launch(
        v3(1, 1, 8),
        &program,
        grid([1, 1, 1], [8, 1, 1], 0),
        &[0; 8],
    );
    // Lane 2 keeps its own; 3, 0 and 1 get lane 2's first, second and third.
    assert_eq!(found, [202, 302, 402, 102, 206, 306, 406, 106]);
}

#[test]
fn what_shuffles_get_from_lanes_that_are_off_is_no_value() {
    let program = groups(|program| {
        program
            .csrr(x::S4, csr::THREAD_ID)
            .csrr(x::A0, csr::MSCRATCH)
            // Lane 0 alone reads lane 1.
            .li(x::T0, 1)
            .simt(Opcode::Tmc, x::T0, 0)
            .li(x::T1, 0xfc1)
            .r(Opcode::ShflIdx, x::A1, x::S4, x::T1)
            .store(Opcode::Sw, x::A1, x::A0, 0);
    });
    let pair = grid([1, 1, 1], [2, 1, 1], 0);
    let kind = trap(v3(1, 1, 2), &program, pair, &[9]);
    assert!(matches!(kind, TrapKind::Uninitialised { .. }), "{kind}");
    let config = Config {
        checks: Checks::none(),
        ..v3(1, 1, 2)
    };
    assert_eq!(launch(config, &program, pair, &[9]), [0]);
}

/// Vortex's runtime starts programs of version 2 as a group of one warp on each core.
#[test]
fn programs_that_start_their_warps_themselves_run_too() {
    let mut program = Asm::new();
    program.all_warps();
    program.csrr(x::S6, csr::MHARTID);
    word(&mut program, x::A1, x::S6);
    program
        .i(Opcode::Addi, x::S6, x::S6, 1)
        .store(Opcode::Sw, x::S6, x::A1, 0)
        .end();
    for (cores, warps, threads) in [(1, 1, 1), (1, 4, 4), (3, 2, 8)] {
        let harts = cores * warps * threads;
        let found = crate::harness::run(
            v3(cores, warps, threads),
            &program,
            &vec![0; harts as usize],
        );
        assert_eq!(found, (1..=harts).collect::<Vec<u32>>());
    }
}
