//! Float flags: clear at first, and of operands without a value without one themselves.

use crate::harness::{Asm, lanes, run, trap, try_run};
use crate::uninitialised::{Body, fails, program, what};
use vortex_isa::{Inst, Opcode, RegFile, csr, x};
use vortex_sim::{Origin, UninitialisedUse as Use, layout};

const FFLAGS_NX: i32 = 1;
const FFLAGS_NV: i32 = 16;

/// Branches on the float flags in `mask`.
fn decide_by_flags(p: &mut Asm, csr: u16, mask: i32) {
    p.csrr(x::T1, csr)
        .i(Opcode::Andi, x::T1, x::T1, mask)
        .branch(Opcode::Bne, x::T1, x::ZERO, "end");
}

#[test]
fn float_flags_are_clear_at_first() {
    // As in the RTL, where a reset clears them and sets the rounding mode.
    let flags = program(|p| {
        p.csrr(x::T1, csr::FCSR)
            .branch(Opcode::Bne, x::T1, x::ZERO, "end")
            .csrr(x::T1, csr::FRM)
            .branch(Opcode::Bne, x::T1, x::ZERO, "end")
            .csrr(x::T1, csr::FFLAGS)
            .i(Opcode::Addi, x::T1, x::T1, 7)
            .store(Opcode::Sw, x::T1, x::A1, 0);
    });
    assert_eq!(run(lanes(4), &flags, &[0; 4]), [7; 4]);
}

#[test]
fn float_flags_of_unwritten_operands_decide_nothing() {
    let write = |p: &mut Asm| {
        p.li(x::T0, 0)
            .r1(Opcode::FmvWX, 2, x::T0)
            .r1(Opcode::FmvWX, 3, x::T0);
    };
    // Operation, and a flag that it can raise.
    for (opcode, flag) in [
        (Opcode::Fadd, FFLAGS_NX),
        (Opcode::Fdiv, 8),
        (Opcode::Fmul, 2),
        (Opcode::Fmax, FFLAGS_NV),
        (Opcode::Flt, FFLAGS_NV),
    ] {
        for number in [csr::FFLAGS, csr::FCSR] {
            let body = |p: &mut Asm| {
                p.r(opcode, 1, 2, 3);
                decide_by_flags(p, number, flag);
            };
            let found = fails(body, write);
            assert_eq!(found, (Use::Branch, "t1", flag as u32, Origin::Register));
        }
        // Flags that it cannot raise, and the rounding mode, are what they were.
        let spared = program(|p| {
            p.r(opcode, 1, 2, 3);
            decide_by_flags(p, csr::FRM, 7);
            if opcode != Opcode::Fdiv {
                decide_by_flags(p, csr::FFLAGS, 8);
            }
        });
        run(lanes(4), &spared, &[0; 4]);
    }
    // Where the operand was loaded from is told.
    let loaded = program(|p| {
        p.csrr(x::A2, csr::LOCAL_MEM_BASE)
            .i(Opcode::Flw, 2, x::A2, 8)
            .r(Opcode::Fadd, 1, 2, 2);
        decide_by_flags(p, csr::FFLAGS, 31);
    });
    let trap = trap(lanes(4), &loaded, &[0; 4]);
    let Origin::Memory { address, .. } = what(&trap).3 else {
        panic!("{trap}");
    };
    assert_eq!(address, layout::LOCAL + 8);
}

#[test]
fn float_flags_have_values_of_their_own() {
    let third = |p: &mut Asm| {
        p.li(x::T0, 0x3f80_0000)
            .r1(Opcode::FmvWX, 4, x::T0)
            .li(x::T0, 0x4040_0000)
            .r1(Opcode::FmvWX, 5, x::T0)
            .r(Opcode::Fdiv, 6, 4, 5);
    };
    let cases: [(&str, Body<'_>, Option<i32>); 6] = [
        (
            "raised for certain before",
            &|p| third(p.r(Opcode::Fadd, 1, 2, 3)),
            None,
        ),
        (
            "and after",
            &|p| {
                third(p);
                p.r(Opcode::Fadd, 1, 2, 3);
            },
            None,
        ),
        (
            "written",
            &|p| {
                p.r(Opcode::Fadd, 1, 2, 3).emit(Inst::csr_op(
                    Opcode::Csrrwi,
                    x::ZERO,
                    csr::FFLAGS,
                    0,
                ));
            },
            None,
        ),
        (
            "cleared",
            &|p| {
                p.r(Opcode::Fadd, 1, 2, 3).emit(Inst::csr_op(
                    Opcode::Csrrci,
                    x::ZERO,
                    csr::FCSR,
                    1,
                ));
            },
            None,
        ),
        (
            "set",
            &|p| {
                p.r(Opcode::Fadd, 1, 2, 3).emit(Inst::csr_op(
                    Opcode::Csrrsi,
                    x::ZERO,
                    csr::FFLAGS,
                    1,
                ));
            },
            None,
        ),
        (
            "another one cleared",
            &|p| {
                p.r(Opcode::Fadd, 1, 2, 3).emit(Inst::csr_op(
                    Opcode::Csrrci,
                    x::ZERO,
                    csr::FFLAGS,
                    16,
                ));
            },
            Some(FFLAGS_NX),
        ),
    ];
    for (name, body, unknown) in cases {
        let program = program(|p| {
            body(p);
            decide_by_flags(p, csr::FFLAGS, FFLAGS_NX);
        });
        let result = try_run(lanes(4), &program, &[0; 4]);
        let bits = result.err().map(|trap| what(&trap).2 as i32);
        assert_eq!(bits, unknown, "{name}");
    }
}

#[test]
fn lanes_with_values_compute_as_ever_beside_lanes_without() {
    let edges = [
        0,
        0x8000_0000,
        1,
        0x007f_ffff,
        0x3f80_0001,
        0x4f00_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0xffc0_0000,
    ];
    let binary = [
        Opcode::Fadd,
        Opcode::Fsub,
        Opcode::Fmul,
        Opcode::Fdiv,
        Opcode::Fmin,
        Opcode::Fmax,
        Opcode::Feq,
        Opcode::Flt,
        Opcode::Fle,
    ];
    let unary = [
        Opcode::Fsqrt,
        Opcode::FcvtWS,
        Opcode::FcvtWuS,
        Opcode::FcvtSW,
        Opcode::FcvtSWu,
    ];
    let ternary = [Opcode::Fmadd, Opcode::Fmsub, Opcode::Fnmsub, Opcode::Fnmadd];
    // Lane 0 has values or not; the others do, and say what comes out, and which flags.
    let results = |opcode: Opcode, [a, b, c]: [u32; 3], lane_0: bool| {
        let program = program(|p| {
            if !lane_0 {
                p.li(x::T0, 14).simt(Opcode::Tmc, x::T0, 0);
            }
            for (register, value) in [(1, a), (2, b), (3, c)] {
                p.li(x::T1, value).r1(Opcode::FmvWX, register, x::T1);
            }
            p.li(x::T1, a);
            p.li(x::T0, 15).simt(Opcode::Tmc, x::T0, 0);
            let source = match opcode {
                Opcode::FcvtSW | Opcode::FcvtSWu => x::T1,
                _ => 1,
            };
            let writes_integer = opcode.info().rd == Some(RegFile::Integer);
            let rd = if writes_integer { x::T2 } else { 4 };
            let [_, second, third] = opcode.info().rs.map(|file| u8::from(file.is_some()));
            p.emit(Inst {
                rd,
                rs1: source,
                rs2: 2 * second,
                rs3: 3 * third,
                ..Inst::of(opcode)
            });
            if !writes_integer {
                p.r1(Opcode::FmvXW, x::T2, 4);
            }
            p.li(x::T0, 14).simt(Opcode::Tmc, x::T0, 0);
            p.store(Opcode::Sw, x::T2, x::A1, 0);
        });
        run(lanes(4), &program, &[0; 4])
    };
    for opcode in binary.into_iter().chain(unary).chain(ternary) {
        for (n, &a) in edges.iter().enumerate() {
            let (b, c) = (edges[(n + 3) % edges.len()], edges[(n + 7) % edges.len()]);
            // The same twice, and signs turned round, too.
            let negative = 1 << 31;
            for operands in [[a, b, c], [a, a, c ^ negative], [a ^ negative, b, c]] {
                let expected = results(opcode, operands, true);
                assert_eq!(
                    results(opcode, operands, false),
                    expected,
                    "{opcode:?} {operands:x?}"
                );
            }
        }
    }
}

#[test]
fn what_lanes_with_values_raise_is_raised_for_certain() {
    let (one, two, quiet, signalling) = (0x3f80_0000, 0x4000_0000, 0x7fc0_0000, 0x7f80_0001);
    let three = 0x4040_0000;
    for (opcode, a, b, flag, raised) in [
        (Opcode::Fmin, signalling, one, FFLAGS_NV, true),
        (Opcode::Fmin, quiet, one, FFLAGS_NV, false),
        (Opcode::Fmax, one, two, FFLAGS_NV, false),
        (Opcode::Feq, quiet, one, FFLAGS_NV, false),
        (Opcode::Feq, one, signalling, FFLAGS_NV, true),
        (Opcode::Flt, quiet, one, FFLAGS_NV, true),
        (Opcode::Flt, one, two, FFLAGS_NV, false),
        (Opcode::Fle, one, quiet, FFLAGS_NV, true),
        (Opcode::Fdiv, one, three, FFLAGS_NX, true),
        (Opcode::Fdiv, one, two, FFLAGS_NX, false),
    ] {
        // Lane 0 has values, and lane 1 none.
        let program = program(|p| {
            p.li(x::T0, 1).simt(Opcode::Tmc, x::T0, 0);
            for (register, value) in [(2, a), (3, b)] {
                p.li(x::T1, value).r1(Opcode::FmvWX, register, x::T1);
            }
            p.li(x::T0, 3).simt(Opcode::Tmc, x::T0, 0);
            let float = opcode.info().rd == Some(RegFile::Float);
            p.r(opcode, if float { 1 } else { x::T2 }, 2, 3)
                .csrr(x::T1, csr::FFLAGS)
                .i(Opcode::Andi, x::T1, x::T1, flag)
                .store(Opcode::Sw, x::T1, x::A1, 0);
        });
        let found = try_run(lanes(2), &program, &[0; 2]).map(|(left, _)| left);
        let expected = raised.then(|| vec![flag as u32; 2]);
        assert_eq!(found.ok(), expected, "{opcode:?} of {a:#x} and {b:#x}");
    }
}

#[test]
fn flags_that_may_be_raised_give_way_to_what_is_certain() {
    // A word that nobody has written holds 0xbaadf00d, and no float does.
    let doubt = |p: &mut Asm| {
        p.li(x::SP, layout::STACK_TOP - 64)
            .i(Opcode::Lw, x::S1, x::SP, 0)
            .r1(Opcode::FcvtSW, 1, x::S1);
    };
    let flags = |p: &mut Asm| {
        p.csrr(x::T1, csr::FFLAGS)
            .store(Opcode::Sw, x::T1, x::A1, 0);
    };
    let raised = program(|p| {
        doubt(p);
        p.li(x::T1, 0x0100_0001).r1(Opcode::FcvtSW, 1, x::T1);
        flags(p);
    });
    assert_eq!(run(lanes(1), &raised, &[9]), [FFLAGS_NX as u32]);
    let cleared = program(|p| {
        doubt(p);
        p.emit(Inst::csr_op(Opcode::Csrrwi, x::ZERO, csr::FFLAGS, 0));
        flags(p);
    });
    assert_eq!(run(lanes(1), &cleared, &[9]), [0]);
}
