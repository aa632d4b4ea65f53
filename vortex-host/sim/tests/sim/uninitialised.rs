//! Values that nobody has put where they are: what must not depend on them, and what may be done with them all the
//! same.

use crate::harness::{Asm, CODE, lanes, machine, racing, run, trap};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{
    Access, AccessKind, Checks, Config, Origin, Trap, TrapKind, UninitialisedUse as Use, layout,
};

/// A part of a program.
pub(crate) type Body<'a> = &'a dyn Fn(&mut Asm);

/// What depends on what, and how that came to be.
pub(crate) fn what(trap: &Trap) -> (Use, &'static str, u32, Origin) {
    match trap.kind {
        TrapKind::Uninitialised {
            what,
            register,
            bits,
            origin,
        } => (what, register, bits, origin),
        _ => panic!("{trap}"),
    }
}

/// All lanes of a warp do what `body` says, and end.
pub(crate) fn program(body: impl Fn(&mut Asm)) -> Asm {
    let mut program = Asm::new();
    program.all_lanes().lane_address();
    body(&mut program);
    program.label("end").end();
    program
}

/// Fails as it is, and not after `write`, which gives a value to what lacks it.
pub(crate) fn fails(
    body: impl Fn(&mut Asm),
    write: impl Fn(&mut Asm),
) -> (Use, &'static str, u32, Origin) {
    let buffer = [1, 2, 3, 4];
    run(
        lanes(4),
        &program(|p| {
            write(p);
            body(p);
        }),
        &buffer,
    );
    let unwatched = Config {
        checks: Checks::none(),
        ..lanes(4)
    };
    let program = program(body);
    if let Err(trap) = crate::harness::try_run(unwatched, &program, &buffer) {
        // Addresses made of rubbish lead nowhere, watched or not.
        assert!(
            !matches!(trap.kind, TrapKind::Uninitialised { .. }),
            "{trap}"
        );
    }
    what(&trap(lanes(4), &program, &buffer))
}

#[test]
fn what_decides_needs_a_value() {
    let t1_is_zero = |p: &mut Asm| {
        p.li(x::T1, 0);
    };
    let cases: [(Body<'_>, Use); 7] = [
        (
            &|p| {
                p.branch(Opcode::Beq, x::T1, x::ZERO, "end");
            },
            Use::Branch,
        ),
        (
            &|p| {
                p.split(x::T2, x::T1).join(x::T2);
            },
            Use::ThreadMask,
        ),
        (
            &|p| {
                p.simt(Opcode::Pred, x::T1, x::S5);
            },
            Use::ThreadMask,
        ),
        (
            &|p| {
                p.li(x::T2, 1).simt(Opcode::Bar, x::T1, x::T2);
            },
            Use::Barrier,
        ),
        (
            &|p| {
                p.simt(Opcode::Wspawn, x::T1, x::ZERO);
            },
            Use::Spawn,
        ),
        (
            &|p| {
                p.emit(Inst::csr_op(Opcode::Csrrw, x::ZERO, csr::FRM, 6));
            },
            Use::Csr,
        ),
        (
            &|p| {
                p.store(Opcode::Sb, x::T1, x::ZERO, layout::CONSOLE as i32);
            },
            Use::Console,
        ),
    ];
    for (body, used) in cases {
        let found = fails(body, t1_is_zero);
        assert_eq!(found.0, used);
        assert_eq!((found.1, found.3), ("t1", Origin::Register));
    }
}

#[test]
fn addresses_need_a_value() {
    let pointer = |p: &mut Asm| {
        p.r(Opcode::Add, x::T1, x::A0, x::ZERO);
    };
    let cases: [(Body<'_>, AccessKind); 3] = [
        (
            &|p| {
                p.i(Opcode::Lw, x::T2, x::T1, 0);
            },
            AccessKind::Load,
        ),
        (
            &|p| {
                p.store(Opcode::Sw, x::ZERO, x::T1, 0);
            },
            AccessKind::Store,
        ),
        (
            &|p| {
                p.r(Opcode::AmoaddW, x::T2, x::T1, x::ZERO);
            },
            AccessKind::Atomic,
        ),
    ];
    for (body, access) in cases {
        assert_eq!(fails(body, pointer).0, Use::Address(access));
    }
    let jump = |p: &mut Asm| {
        p.i(Opcode::Jalr, x::ZERO, x::T1, 0);
    };
    let to_the_end = |p: &mut Asm| {
        p.la(x::T1, "end");
    };
    assert_eq!(fails(jump, to_the_end).0, Use::Jump);
}

#[test]
fn copies_spills_and_arithmetic_are_nobodys_business() {
    // All lanes have one stack.
    let result = run(
        racing(lanes(4)),
        &program(|p| {
            p.li(x::SP, layout::STACK_TOP - 64)
                // Saved and restored, whole and in bytes.
                .store(Opcode::Sw, x::S1, x::SP, 0)
                .i(Opcode::Lw, x::S1, x::SP, 0)
                .i(Opcode::Lb, x::T1, x::SP, 1)
                .store(Opcode::Sb, x::T1, x::SP, 9)
                .i(Opcode::Addi, x::T3, x::S2, 0)
                .r(Opcode::Mul, x::T3, x::T3, x::S3)
                .r(Opcode::Fadd, 1, 2, 3)
                // What it was does not matter to the result.
                .r(Opcode::Xor, x::T3, x::T3, x::T3)
                .i(Opcode::Andi, x::T4, x::S2, 0)
                .i(Opcode::Ori, x::T5, x::S2, -1)
                .r(Opcode::CzeroEqz, x::T6, x::S2, x::ZERO)
                .r(Opcode::Add, x::T3, x::T3, x::T4)
                .r(Opcode::Add, x::T3, x::T3, x::T5)
                .r(Opcode::Add, x::T3, x::T3, x::T6)
                .store(Opcode::Sw, x::T3, x::A1, 0);
        }),
        &[0; 4],
    );
    assert_eq!(result, [u32::MAX; 4]);
}

#[test]
fn fields_of_a_word_have_values_of_their_own() {
    // A byte of a word on the stack is written, and so is a bit of another.
    let body = |mask: i32| {
        move |p: &mut Asm| {
            p.li(x::SP, layout::STACK_TOP - 64)
                .li(x::T1, 7)
                .store(Opcode::Sb, x::T1, x::SP, 1)
                .i(Opcode::Lw, x::T2, x::SP, 0)
                .i(Opcode::Ori, x::T2, x::T2, 4)
                .i(Opcode::Andi, x::T2, x::T2, mask)
                .branch(Opcode::Bne, x::T2, x::ZERO, "end");
        }
    };
    run(lanes(4), &program(body(0x700)), &[0; 4]);
    run(lanes(4), &program(body(0x004)), &[0; 4]);
    // A bit that is set decides, whatever the others are.
    run(lanes(4), &program(body(0x70f)), &[0; 4]);
    let trap = trap(lanes(4), &program(body(0x003)), &[0; 4]);
    let (used, register, bits, origin) = what(&trap);
    assert_eq!((used, register, bits), (Use::Branch, "t2", 3));
    assert!(
        matches!(origin, Origin::Memory { address, .. } if address == layout::STACK_TOP - 64),
        "{trap}"
    );
    assert!(
        trap.to_string().starts_with(
            "use of uninitialised data: a branch is decided by t2, in its bits 0x3, which comes from 0xfffeffc0, \
             where nothing was stored (loaded at 0x80000"
        ),
        "{trap}"
    );
}

#[test]
fn local_memory_is_empty_at_each_launch() {
    let body = |write: bool| {
        move |p: &mut Asm| {
            p.csrr(x::A2, csr::LOCAL_MEM_BASE)
                .i(Opcode::Slli, x::T1, x::S4, 2)
                .r(Opcode::Add, x::A2, x::A2, x::T1);
            if write {
                p.store(Opcode::Sw, x::S4, x::A2, 64);
            }
            p.label("load")
                .i(Opcode::Lw, x::T2, x::A2, 64)
                .label("store")
                .store(Opcode::Sw, x::T2, x::A1, 0);
        }
    };
    let config = || lanes(8);
    assert_eq!(
        run(config(), &program(body(true)), &[9; 8]),
        [0, 1, 2, 3, 4, 5, 6, 7]
    );
    let reads = program(body(false));
    let trap = trap(config(), &reads, &[9; 8]);
    let (used, register, bits, origin) = what(&trap);
    let store = Use::Store {
        address: layout::USER,
        size: 4,
    };
    assert_eq!((used, register, bits), (store, "t2", u32::MAX));
    assert_eq!(
        (trap.pc, trap.lane),
        (reads.address("store"), Some(0)),
        "{trap}"
    );
    let Origin::Memory { address, pc, .. } = origin else {
        panic!("{trap}");
    };
    assert_eq!((address, pc), (layout::LOCAL + 64, reads.address("load")));

    // What the launch before left there is no value for the next.
    let mut machine = machine(config(), &reads);
    let writes = program(body(true)).bytes();
    let other = CODE + 0x1000;
    machine
        .reserve(other, writes.len() as u64, Access::Read)
        .unwrap();
    machine.write(other, &writes).unwrap();
    let buffer = machine.alloc(32, Access::ReadWrite).unwrap();
    machine.run(other, buffer).unwrap();
    machine.run(CODE, buffer).unwrap_err();
}

#[test]
fn buffers_hold_what_was_written_to_them() {
    // The first word of the argument points at a buffer; its third is added to, and lands in the fourth.
    let copies = program(|p| {
        p.i(Opcode::Lw, x::A2, x::A0, 0)
            .i(Opcode::Lw, x::T1, x::A2, 8)
            .i(Opcode::Addi, x::T1, x::T1, 1)
            .store(Opcode::Sw, x::T1, x::A2, 12);
    });
    // Freed memory is used again at once.
    let config = Config {
        checks: "-freed".parse().unwrap(),
        ..lanes(4)
    };
    let mut machine = machine(config, &copies);
    let argument = machine.alloc(4, Access::Read).unwrap();
    let buffer = machine.alloc(16, Access::ReadWrite).unwrap();
    machine.write(argument, &buffer.to_le_bytes()).unwrap();
    let trap = machine.run(CODE, argument).unwrap_err();
    assert!(
        matches!(what(&trap).0, Use::Store { address, size: 4 } if address == buffer + 12),
        "{trap}"
    );
    // Half of the word, then all of it.
    machine.write(buffer + 8, &[5, 0]).unwrap();
    let trap = machine.run(CODE, argument).unwrap_err();
    assert_eq!(what(&trap).2, 0xffff_0000);
    machine.write(buffer + 10, &[0, 0]).unwrap();
    machine.run(CODE, argument).unwrap();
    let mut word = [0; 4];
    machine.read(buffer + 12, &mut word).unwrap();
    assert_eq!(word, [6, 0, 0, 0]);
    // All of the buffer; and as it is after somebody else had the memory.
    machine.write(buffer, &[0; 16]).unwrap();
    machine.run(CODE, argument).unwrap();
    machine.free(buffer).unwrap();
    assert_eq!(machine.alloc(16, Access::ReadWrite), Ok(buffer));
    machine.run(CODE, argument).unwrap_err();
}

#[test]
fn lanes_have_values_of_their_own() {
    // Lanes 1 and 2 write t1; then all four use it, or these two.
    let body = |mask: u32| {
        move |p: &mut Asm| {
            p.li(x::T0, 6)
                .simt(Opcode::Tmc, x::T0, 0)
                .li(x::T1, 0)
                .li(x::T0, mask)
                .simt(Opcode::Tmc, x::T0, 0)
                .branch(Opcode::Beq, x::T1, x::ZERO, "end");
        }
    };
    run(lanes(4), &program(body(6)), &[0; 4]);
    run(lanes(4), &program(body(2)), &[0; 4]);
    // t0 was written by lanes 1 and 2 only, too; the last active lane is what `tmc` goes by.
    let trap = trap(lanes(4), &program(body(7)), &[0; 4]);
    assert_eq!((what(&trap).0, trap.lane), (Use::Branch, Some(0)));
}

#[test]
fn shuffles_and_votes_pass_it_on() {
    // Lanes 0 and 1 get the values of lanes 2 and 3, of which `written` have any.
    let body = |written: u32| {
        move |p: &mut Asm| {
            p.li(x::T2, 2 | 31 << 6)
                .li(x::T0, written)
                .simt(Opcode::Tmc, x::T0, 0)
                .li(x::T1, 1)
                .li(x::T0, 3)
                .simt(Opcode::Tmc, x::T0, 0)
                .r(Opcode::ShflDown, x::T3, x::T1, x::T2)
                .store(Opcode::Sw, x::T3, x::A1, 0);
        }
    };
    let result = run(lanes(4), &program(body(15)), &[0; 4]);
    assert_eq!(result, [1, 1, 0, 0]);
    let trap = trap(lanes(4), &program(body(7)), &[0; 4]);
    assert_eq!(
        (what(&trap).1, trap.lane),
        ("t3", Some(1)),
        "lane 3 wrote nothing: {trap}"
    );

    let vote = |p: &mut Asm| {
        p.r(Opcode::VoteAny, x::T2, x::T1, x::ZERO)
            .branch(Opcode::Bne, x::T2, x::ZERO, "end");
    };
    let written = |p: &mut Asm| {
        p.li(x::T1, 0);
    };
    assert_eq!(fails(vote, written).1, "t2");
}

#[test]
fn atomics_count_on_from_something() {
    let add = |p: &mut Asm| {
        p.csrr(x::A2, csr::LOCAL_MEM_BASE)
            .r(Opcode::AmoaddW, x::T1, x::A2, x::S4)
            .i(Opcode::Lw, x::T1, x::A2, 0)
            .store(Opcode::Sw, x::T1, x::A1, 0);
    };
    let zero = |p: &mut Asm| {
        p.csrr(x::A2, csr::LOCAL_MEM_BASE)
            .store(Opcode::Sw, x::ZERO, x::A2, 0);
    };
    assert_eq!(fails(add, zero).1, "t1");
    // An exchange puts a value there, whatever was before.
    let exchange = program(|p| {
        p.csrr(x::A2, csr::LOCAL_MEM_BASE)
            .r(Opcode::AmoswapW, x::ZERO, x::A2, x::S4)
            .i(Opcode::Lw, x::T1, x::A2, 0)
            .store(Opcode::Sw, x::T1, x::A1, 0);
    });
    assert_eq!(run(lanes(4), &exchange, &[0; 4]), [3; 4]);
}
