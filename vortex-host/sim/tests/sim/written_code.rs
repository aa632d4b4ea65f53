//! Code that a program writes.

use crate::harness::{Asm, CODE, bytes, lanes, machine, words};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Access, Checks, Config, Model};

#[test]
fn code_that_is_written_is_decoded_again() {
    for opcode in [Opcode::Sw, Opcode::AmoswapW] {
        written_by(opcode);
    }
}

/// The program overwrites an instruction it has run before, in memory that the host made writable.
fn written_by(opcode: Opcode) {
    let mut program = Asm::new();
    program
        .all_lanes()
        .la(x::A1, "patched")
        .i(Opcode::Lw, x::A2, x::A0, 0)
        .li(x::S2, 2);
    program
        .label("again")
        .label("patched")
        .i(Opcode::Addi, x::A3, x::ZERO, 1);
    match opcode {
        Opcode::Sw => program.store(opcode, x::A2, x::A1, 0),
        _ => program.r(opcode, x::ZERO, x::A1, x::A2),
    };
    program
        .i(Opcode::Addi, x::S2, x::S2, -1)
        .branch(Opcode::Bne, x::S2, x::ZERO, "again");
    program.store(Opcode::Sw, x::A3, x::A0, 4).end();
    let mut machine = machine(lanes(4), &program);
    machine
        .set_access(CODE, program.bytes().len() as u64, Access::ReadWrite)
        .unwrap();
    let buffer = machine.alloc(8, Access::ReadWrite).unwrap();
    machine
        .write(
            buffer,
            &bytes(&[Inst::i(Opcode::Addi, x::A3, x::ZERO, 2).encode(), 0]),
        )
        .unwrap();
    machine.run(CODE, buffer).unwrap();
    let mut result = [0; 8];
    machine.read(buffer, &mut result).unwrap();
    assert_eq!(words(&result)[1], 2);
    // And what the host writes.
    machine
        .write(
            program.address("patched"),
            &bytes(&[Inst::i(Opcode::Addi, x::A3, x::ZERO, 3).encode()]),
        )
        .unwrap();
    machine
        .write(
            buffer,
            &bytes(&[Inst::i(Opcode::Addi, x::A3, x::ZERO, 3).encode(), 0]),
        )
        .unwrap();
    machine.run(CODE, buffer).unwrap();
    machine.read(buffer, &mut result).unwrap();
    assert_eq!(words(&result)[1], 3);
}

/// Two routines so many bytes apart, each written in one lane, called, written again through the same register, and
/// called again.
fn routines(log_apart: i32) -> Asm {
    let mut program = Asm::new();
    program
        .all_lanes()
        .li(x::T0, 3)
        .simt(Opcode::Tmc, x::T0, x::ZERO)
        .i(Opcode::Slli, x::A1, x::S4, log_apart)
        .r(Opcode::Add, x::A1, x::A1, x::A0)
        .li(x::A2, Inst::ret().encode())
        .store(Opcode::Sw, x::A2, x::A1, 4);
    for value in 1..=3 {
        program
            .li(x::A2, Inst::i(Opcode::Addi, x::A3, x::ZERO, value).encode())
            .store(Opcode::Sw, x::A2, x::A1, 0);
        for routine in 0..2 {
            program
                .li(x::A4, routine << log_apart)
                .r(Opcode::Add, x::A4, x::A4, x::A0)
                .i(Opcode::Jalr, x::RA, x::A4, 0)
                .i(Opcode::Slli, x::S2, x::S2, 4)
                .r(Opcode::Add, x::S2, x::S2, x::A3);
        }
    }
    program.store(Opcode::Sw, x::S2, x::A0, 64).end();
    program
}

#[test]
fn written_code_is_called_and_written_again() {
    for (log_apart, model) in [3, 16]
        .into_iter()
        .flat_map(|apart| [Model::Functional, Model::cycle()].map(|model| (apart, model)))
    {
        let config = Config {
            model,
            checks: Checks::none(),
            ..lanes(4)
        };
        let mut machine = machine(config, &routines(log_apart));
        let buffer = machine.alloc(128 << 10, Access::ReadWrite).unwrap();
        machine.run(CODE, buffer).unwrap();
        let mut result = [0; 4];
        machine.read(buffer + 64, &mut result).unwrap();
        assert_eq!(words(&result)[0] & 0xff_ffff, 0x11_22_33);
    }
}

/// A store that fails in one lane after it wrote to code in another: the next run sees what was written.
#[test]
fn code_that_was_written_by_half_a_store() {
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .i(Opcode::Lw, x::A2, x::A0, 0)
        .branch(Opcode::Beq, x::A2, x::ZERO, "second");
    program
        .all_lanes()
        .la(x::A1, "patched")
        .r(Opcode::Mul, x::A3, x::S4, x::A1)
        .r(Opcode::Sub, x::A1, x::A1, x::A3);
    // Lane 0 writes to the program, lane 1 to address 0.
    program
        .store(Opcode::Sw, x::A2, x::A1, 0)
        .label("second")
        .label("patched")
        .i(Opcode::Addi, x::A3, x::ZERO, 1);
    program.store(Opcode::Sw, x::A3, x::A0, 4).end();
    let mut machine = machine(lanes(4), &program);
    machine
        .set_access(CODE, program.bytes().len() as u64, Access::ReadWrite)
        .unwrap();
    let buffer = machine.alloc(8, Access::ReadWrite).unwrap();
    let patch = Inst::i(Opcode::Addi, x::A3, x::ZERO, 2).encode();
    machine.write(buffer, &bytes(&[patch, 0])).unwrap();
    let trap = machine.run(CODE, buffer).unwrap_err();
    assert_eq!(trap.lane, Some(1), "{trap}");
    machine.write(buffer, &bytes(&[0, 0])).unwrap();
    machine.run(CODE, buffer).unwrap();
    let mut result = [0; 8];
    machine.read(buffer, &mut result).unwrap();
    assert_eq!(words(&result)[1], 2);
}
