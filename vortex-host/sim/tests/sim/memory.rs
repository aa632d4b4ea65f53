//! Loads, stores and atomics; what is where, and who may go there.

use crate::harness::{Asm, CODE, bytes, lanes, machine, racing, run, try_run, words};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Access, Checks, Config, Machine, MemoryError, layout};

#[test]
pub(crate) fn loads_of_all_sizes_at_all_offsets() {
    type Value = fn(&[u8]) -> u32;
    let cases: [(Opcode, i32, Value); 5] = [
        (Opcode::Lb, 1, |b| b[0] as i8 as u32),
        (Opcode::Lbu, 1, |b| b[0].into()),
        (Opcode::Lh, 2, |b| i16::from_le_bytes([b[0], b[1]]) as u32),
        (Opcode::Lhu, 2, |b| u16::from_le_bytes([b[0], b[1]]).into()),
        (Opcode::Lw, 4, |b| {
            u32::from_le_bytes([b[0], b[1], b[2], b[3]])
        }),
    ];
    let data: Vec<u32> = (0..16u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
    let data_bytes = bytes(&data);
    for (opcode, size, value) in cases {
        for threads in [1, 7, 32] {
            let mut program = Asm::new();
            // Lane n reads element n, and stores what it read as a word after the data.
            program.all_lanes().lane_address().i(
                Opcode::Slli,
                x::A2,
                x::S4,
                size.trailing_zeros() as i32,
            );
            program
                .i(Opcode::Andi, x::A2, x::A2, 31)
                .r(Opcode::Add, x::A2, x::A2, x::A0)
                .i(opcode, x::A3, x::A2, 8);
            program.store(Opcode::Sw, x::A3, x::A1, 64).end();
            let mut buffer = data.clone();
            buffer.resize(16 + 32, 0);
            let result = run(lanes(threads), &program, &buffer);
            for lane in 0..threads as usize {
                let offset = (lane * size as usize) % 32 + 8;
                assert_eq!(
                    result[16 + lane],
                    value(&data_bytes[offset..]),
                    "{opcode} of lane {lane}"
                );
            }
        }
    }
}

#[test]
pub(crate) fn stores_of_all_sizes_leave_the_rest_alone() {
    for (opcode, size) in [(Opcode::Sb, 1), (Opcode::Sh, 2), (Opcode::Sw, 4)] {
        for threads in [1, 5, 8, 32] {
            let mut program = Asm::new();
            program
                .all_lanes()
                .li(x::A2, size)
                .r(Opcode::Mul, x::A2, x::A2, x::S4)
                .r(Opcode::Add, x::A2, x::A2, x::A0);
            program
                .li(x::A3, 0x8182_8384)
                .r(Opcode::Add, x::A3, x::A3, x::S4)
                .store(opcode, x::A3, x::A2, 4)
                .end();
            let result = bytes(&run(lanes(threads), &program, &[0x6060_6060; 40]));
            let mut expected = vec![0x60; 160];
            for lane in 0..threads {
                let value = (0x8182_8384 + lane).to_le_bytes();
                let at = (4 + lane * size) as usize;
                expected[at..at + size as usize].copy_from_slice(&value[..size as usize]);
            }
            assert_eq!(result, expected, "{opcode} with {threads} lanes");
        }
    }
}

#[test]
fn scattered_addresses_and_several_allocations() {
    // Lane n stores to and loads from the n-th of several buffers, far apart.
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .i(Opcode::Lw, x::A2, x::A1, 0);
    for _ in 0..3 {
        program
            .i(Opcode::Lw, x::A3, x::A2, 0)
            .i(Opcode::Addi, x::A3, x::A3, 1)
            .store(Opcode::Sw, x::A3, x::A2, 0);
    }
    program.store(Opcode::Sw, x::A3, x::A1, 0).end();
    let mut machine = machine(lanes(8), &program);
    let pointers: Vec<u32> = (0..8)
        .map(|n| {
            machine.alloc(5 << 20, Access::ReadWrite).unwrap();
            let address = machine.alloc(64, Access::ReadWrite).unwrap();
            machine.write(address, &bytes(&[n * 10])).unwrap();
            address
        })
        .collect();
    let table = machine.alloc(32, Access::ReadWrite).unwrap();
    machine.write(table, &bytes(&pointers)).unwrap();
    machine.run(CODE, table).unwrap();
    let mut result = [0; 32];
    machine.read(table, &mut result).unwrap();
    assert_eq!(
        words(&result),
        (0..8).map(|n| n * 10 + 3).collect::<Vec<_>>()
    );
}

#[test]
fn the_highest_lane_wins() {
    let mut program = Asm::new();
    program.all_lanes().store(Opcode::Sw, x::S4, x::A0, 0);
    program
        .li(x::T0, 0x0000_7f00)
        .simt(Opcode::Tmc, x::T0, 0)
        .store(Opcode::Sb, x::S4, x::A0, 4)
        .end();
    assert_eq!(run(racing(lanes(32)), &program, &[0, 0]), [31, 14]);
}

#[test]
fn fresh_memory_is_recognisable_and_freed_memory_is_fresh_again() {
    let checks = Checks {
        freed: false,
        ..Checks::all()
    };
    let mut machine = Machine::new(Config {
        checks,
        ..Config::default()
    })
    .unwrap();
    let first = machine.alloc(100_000, Access::ReadWrite).unwrap();
    let mut word = [0; 4];
    machine.read(first + 4096, &mut word).unwrap();
    assert_eq!(u32::from_le_bytes(word), layout::UNINITIALISED);
    machine.write(first, &[1; 100_000]).unwrap();
    machine.free(first).unwrap();
    assert_eq!(machine.alloc(100_000, Access::ReadWrite), Ok(first));
    machine.read(first + 4096, &mut word).unwrap();
    assert_eq!(u32::from_le_bytes(word), layout::UNINITIALISED);
}

#[test]
fn local_memory_is_one_per_core_and_survives() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .csrr(x::A1, csr::LOCAL_MEM_BASE)
        .csrr(x::A2, csr::CORE_ID);
    program
        .i(Opcode::Slli, x::A3, x::A2, 2)
        .r(Opcode::Add, x::A3, x::A3, x::A0);
    // The last word: what the run before left goes out, the core's number comes in.
    program
        .li(x::T0, 16 * 1024 - 4)
        .r(Opcode::Add, x::A1, x::A1, x::T0);
    program
        .i(Opcode::Lw, x::A4, x::A1, 0)
        .store(Opcode::Sw, x::A4, x::A3, 0)
        .store(Opcode::Sw, x::A2, x::A1, 0)
        .end();
    // Nobody may rely on it, though.
    let config = Config {
        checks: Checks::none(),
        ..Config::with_shape(3, 1, 4)
    };
    let mut machine = machine(config, &program);
    let buffer = machine.alloc(12, Access::ReadWrite).unwrap();
    for expected in [[layout::UNINITIALISED; 3], [0, 1, 2]] {
        machine.run(CODE, buffer).unwrap();
        let mut result = [0; 12];
        machine.read(buffer, &mut result).unwrap();
        assert_eq!(words(&result), expected);
    }
}

#[test]
fn each_hart_has_a_stack() {
    let mut program = Asm::new();
    program
        .all_warps()
        .csrr(x::A1, csr::MHARTID)
        .i(Opcode::Slli, x::A2, x::A1, 13)
        .li(x::SP, layout::STACK_TOP);
    program
        .r(Opcode::Sub, x::SP, x::SP, x::A2)
        .store(Opcode::Sw, x::A1, x::SP, -4)
        .li(x::T0, 8192);
    program
        .r(Opcode::Sub, x::A3, x::SP, x::T0)
        .store(Opcode::Sw, x::A1, x::A3, 0);
    program
        .i(Opcode::Lw, x::A4, x::SP, -4)
        .i(Opcode::Slli, x::A5, x::A1, 2)
        .r(Opcode::Add, x::A5, x::A5, x::A0);
    program.store(Opcode::Sw, x::A4, x::A5, 0).end();
    assert_eq!(
        run(Config::with_shape(2, 4, 8), &program, &[0; 64]),
        (0..64).collect::<Vec<_>>()
    );
}

#[test]
fn console_lines_carry_their_buffer() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .li(x::A1, layout::CONSOLE)
        .r(Opcode::Add, x::A1, x::A1, x::S4);
    program
        .i(Opcode::Addi, x::A2, x::S4, i32::from(b'a'))
        .store(Opcode::Sb, x::A2, x::A1, 0);
    program
        .li(x::A2, b'!'.into())
        .store(Opcode::Sb, x::A2, x::A1, 0);
    // Lane 2 ends its line, the others are cut off.
    program
        .li(x::T0, 4)
        .simt(Opcode::Tmc, x::T0, 0)
        .li(x::A2, b'\n'.into())
        .store(Opcode::Sb, x::A2, x::A1, 0)
        .end();
    let (_, stats) = try_run(lanes(3), &program, &[0]).unwrap();
    assert_eq!(stats.console, "#2: c!\n#0: a!\n#1: b!\n");
}

#[test]
fn a_console_keeps_so_much_and_counts_the_rest() {
    const TURNS: u32 = 40_000;
    let mut program = Asm::new();
    program
        .all_lanes()
        .li(x::A1, layout::CONSOLE)
        .r(Opcode::Add, x::A1, x::A1, x::S4)
        .li(x::A2, b'a'.into())
        .li(x::T1, TURNS)
        .label("more")
        .store(Opcode::Sb, x::A2, x::A1, 0)
        .i(Opcode::Addi, x::T1, x::T1, -1)
        .branch(Opcode::Bne, x::T1, x::ZERO, "more")
        .end();
    let (_, stats) = try_run(lanes(32), &program, &[0]).unwrap();
    let room = 1 << 20;
    assert_eq!(stats.console_lost, u64::from(32 * TURNS) - room);
    let last = stats.console.lines().last().unwrap();
    let said = format!("({} more bytes found no room)", stats.console_lost);
    assert_eq!(last, said);
    assert!(stats.console.len() as u64 <= room + 300);
}

#[test]
fn the_performance_dump_is_the_hosts_to_read() {
    let mut program = Asm::new();
    program
        .csrr(x::A1, csr::CORE_ID)
        .i(Opcode::Slli, x::A1, x::A1, 8)
        .i(Opcode::Addi, x::A1, x::A1, layout::DUMP as i32);
    program
        .li(x::A2, 7)
        .store(Opcode::Sw, x::A2, x::A1, 8)
        .store(Opcode::Sw, x::ZERO, x::A1, 12);
    program
        .csrr(x::A2, csr::MINSTRET)
        .store(Opcode::Sw, x::A2, x::A1, 16)
        .store(Opcode::Sw, x::ZERO, x::A1, 20)
        .end();
    let mut machine = machine(Config::with_shape(2, 1, 1), &program);
    let stats = machine.run(CODE, 0).unwrap();
    assert_eq!(stats.exit_code, Some(7));
    assert_eq!(
        [
            machine.dumped(0, 2),
            machine.dumped(1, 2),
            machine.dumped(1, 3),
            machine.dumped(2, 2)
        ],
        [Some(6), Some(6), None, None]
    );
}

#[test]
pub(crate) fn atomics_take_lanes_in_order() {
    type Combine = fn(u32, u32) -> u32;
    let cases: [(Opcode, Combine); 9] = [
        (Opcode::AmoswapW, |_, b| b),
        (Opcode::AmoaddW, u32::wrapping_add),
        (Opcode::AmoxorW, |a, b| a ^ b),
        (Opcode::AmoandW, |a, b| a & b),
        (Opcode::AmoorW, |a, b| a | b),
        (Opcode::AmominW, |a, b| (a as i32).min(b as i32) as u32),
        (Opcode::AmomaxW, |a, b| (a as i32).max(b as i32) as u32),
        (Opcode::AmominuW, u32::min),
        (Opcode::AmomaxuW, u32::max),
    ];
    let operands = [
        0x8000_0000,
        5,
        0xffff_ffff,
        0x7fff_ffff,
        0,
        17,
        0x1234_5678,
        1,
    ];
    for (opcode, combine) in cases {
        let mut program = Asm::new();
        program
            .all_lanes()
            .lane_address()
            .i(Opcode::Lw, x::A2, x::A1, 4);
        program
            .r(opcode, x::A2, x::A0, x::A2)
            .store(Opcode::Sw, x::A2, x::A1, 4)
            .end();
        let mut buffer = vec![0x0f0f_0f0f];
        buffer.extend(operands);
        let result = run(lanes(8), &program, &buffer);
        let mut memory = 0x0f0f_0f0f;
        for (lane, operand) in operands.into_iter().enumerate() {
            assert_eq!(result[1 + lane], memory, "{opcode}, what lane {lane} saw");
            memory = combine(memory, operand);
        }
        assert_eq!(result[0], memory, "{opcode}");
    }
}

#[test]
pub(crate) fn reservations() {
    let mut program = Asm::new();
    program.all_lanes().lane_address().li(x::T1, 11);
    // All lanes reserve; the first to store ends the reservation of the others.
    program
        .r(Opcode::LrW, x::A2, x::A0, 0)
        .r(Opcode::ScW, x::A3, x::A0, x::S4)
        .store(Opcode::Sw, x::A3, x::A1, 4);
    // Without a reservation, after a store of anybody, and at another address: failure.
    program
        .li(x::T0, 1)
        .simt(Opcode::Tmc, x::T0, 0)
        .r(Opcode::ScW, x::A3, x::A0, x::T1)
        .store(Opcode::Sw, x::A3, x::A0, 20);
    program
        .r(Opcode::LrW, x::A2, x::A0, 0)
        .store(Opcode::Sw, x::T1, x::A0, 36)
        .r(Opcode::ScW, x::A3, x::A0, x::T1);
    program
        .store(Opcode::Sw, x::A3, x::A0, 24)
        .i(Opcode::Addi, x::A4, x::A0, 32);
    program
        .r(Opcode::LrW, x::A2, x::A0, 0)
        .r(Opcode::ScW, x::A3, x::A4, x::T1)
        .store(Opcode::Sw, x::A3, x::A0, 28);
    // Local memory has none.
    program
        .csrr(x::A5, csr::LOCAL_MEM_BASE)
        .r(Opcode::LrW, x::A2, x::A5, 0)
        .r(Opcode::ScW, x::A3, x::A5, x::T1);
    program.store(Opcode::Sw, x::A3, x::A0, 40).end();
    assert_eq!(
        run(lanes(4), &program, &[9; 11]),
        [0, 0, 1, 1, 1, 1, 1, 1, 9, 11, 1]
    );
}

#[test]
fn a_lock_across_cores_and_warps_counts_right() {
    // Each warp, with one lane, takes the lock, adds without atomicity, and lets go, 50 times.
    let mut program = Asm::new();
    program
        .all_warps()
        .li(x::T0, 1)
        .simt(Opcode::Tmc, x::T0, 0)
        .li(x::S2, 50)
        .li(x::A5, 1);
    program
        .label("take")
        .r(Opcode::LrW, x::A1, x::A0, 0)
        .branch(Opcode::Bne, x::A1, x::ZERO, "take");
    program
        .r(Opcode::ScW, x::A1, x::A0, x::A5)
        .branch(Opcode::Bne, x::A1, x::ZERO, "take")
        .emit(Inst::of(Opcode::Fence));
    program
        .i(Opcode::Lw, x::A2, x::A0, 4)
        .i(Opcode::Addi, x::A2, x::A2, 1)
        .store(Opcode::Sw, x::A2, x::A0, 4);
    program
        .emit(Inst::of(Opcode::Fence))
        .r(Opcode::AmoswapW, x::ZERO, x::A0, x::ZERO);
    program
        .i(Opcode::Addi, x::S2, x::S2, -1)
        .branch(Opcode::Bne, x::S2, x::ZERO, "take")
        .end();
    assert_eq!(
        run(Config::with_shape(3, 4, 4), &program, &[0, 0]),
        [0, 600]
    );
}

#[test]
fn allocations_that_cannot_be() {
    let mut machine = Machine::new(Config::default()).unwrap();
    assert_eq!(machine.alloc(0, Access::Read), Err(MemoryError::Empty));
    assert!(matches!(
        machine.alloc(1 << 40, Access::Read),
        Err(MemoryError::OutOfMemory { .. })
    ));
    assert!(matches!(
        machine.alloc(u64::MAX, Access::Read),
        Err(MemoryError::OutOfMemory { .. })
    ));
    machine.reserve(CODE, 100, Access::Read).unwrap();
    for (address, size) in [
        (CODE, 1),
        (CODE + 99, 1),
        (CODE - 1, 2),
        (0, 4),
        (0xfff, 0x1_0000),
        (0xffff_0000, 16),
        (CODE + 64, u64::MAX),
    ] {
        assert_eq!(
            machine.reserve(address, size, Access::Read),
            Err(MemoryError::Taken { address, size })
        );
    }
    machine.reserve(CODE + 128, 64, Access::Read).unwrap();
    assert_eq!(
        machine.free(CODE + 64),
        Err(MemoryError::NoAllocation(CODE + 64))
    );
    for (address, size) in [
        (CODE, 101),
        (CODE + 100, 1),
        (0, 1),
        (CODE - 4, 8),
        (CODE + 90, usize::MAX),
    ] {
        let size = size.min(200);
        assert!(
            machine.read(address, &mut vec![0; size]).is_err(),
            "{address:#x}, {size}"
        );
        assert!(machine.write(address, &vec![0; size]).is_err());
        assert!(
            machine
                .set_access(address, size as u64, Access::Read)
                .is_err()
        );
    }
    machine.write(CODE + 100, &[]).unwrap();
    assert!(machine.set_access(CODE, u64::MAX, Access::Read).is_err());
    let before = machine.mem_info();
    let big = machine.alloc(10_000, Access::Read).unwrap();
    assert_eq!(machine.mem_info().used, before.used + 12_288);
    machine.free(big).unwrap();
    assert_eq!(machine.mem_info(), before);
}

#[test]
fn the_devices_own_memory_can_be_reserved() {
    // Each core writes its first slot of the performance dump and the last.
    let mut program = Asm::new();
    program
        .csrr(x::A1, csr::CORE_ID)
        .i(Opcode::Slli, x::A2, x::A1, 8);
    program.li(x::A0, 5);
    for offset in [0x80, 0x84, 0x178] {
        program.store(Opcode::Sw, x::A0, x::A2, offset);
    }
    program.end();
    for bounds in [true, false] {
        let mut config = Config::with_shape(2, 1, 1);
        (config.checks.bounds, config.checks.rights) = (bounds, bounds);
        let mut machine = machine(config, &program);
        for (address, size) in [(0, 4), (0x40, 4), (0x7f, 2), (0xffff, 2), (0x80, u64::MAX)] {
            assert_eq!(
                machine.reserve_io(address, size, Access::Read),
                Err(MemoryError::Taken { address, size })
            );
        }
        let before = machine.mem_info();
        // Across the end of the dump.
        machine.reserve_io(0x270, 0x40, Access::Read).unwrap();
        machine.reserve_io(0x80, 4, Access::ReadWrite).unwrap();
        assert_eq!(machine.mem_info(), before);
        machine.write(0x270, &[7; 0x40]).unwrap();
        machine.run(CODE, 0).unwrap();
        let mut kept = [0; 0x40];
        machine.read(0x270, &mut kept).unwrap();
        assert_eq!(kept, [7; 0x40]);
        assert_eq!(machine.dumped(0, 0), Some(5 << 32 | 5));
        assert_eq!(machine.dumped(1, 0), Some(5 << 32 | 5));
        machine.free(0x270).unwrap();
        machine.run(CODE, 0).unwrap();
        assert_eq!(
            machine.dumped(1, 31),
            Some(u64::from(layout::UNINITIALISED) << 32 | 5)
        );
    }
}
