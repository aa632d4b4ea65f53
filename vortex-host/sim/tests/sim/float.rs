//! Floating-point instructions in every rounding mode, with their flags, against the oracle.

use crate::harness::{Asm, Numbers, lanes, run};
use crate::oracle::{self, NV};
use vortex_isa::{Inst, Opcode, Rounding, csr, f, x};

/// Zeros, subnormals, the ends of the normal range, ones and neighbours, infinities, NaNs of both kinds.
const EDGES: &[u32] = &[
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x0000_0002,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x3380_0000,
    0x3400_0000,
    0x3eff_ffff,
    0x3f00_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3fc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x4b7f_ffff,
    0x4b80_0000,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0xcf00_0001,
    0x4f7f_ffff,
    0x4f80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_1234,
    0x7f80_0001,
    0xffbf_ffff,
    0x1f80_0000,
];

const MODES: [Rounding; 5] = [
    Rounding::Rne,
    Rounding::Rtz,
    Rounding::Rdn,
    Rounding::Rup,
    Rounding::Rmm,
];

/// Operands: edges with edges, and numbers whose exponents are close enough to interact.
fn operands() -> Vec<[u32; 3]> {
    let mut numbers = Numbers(7);
    let mut all = Vec::new();
    for &a in EDGES {
        for &b in EDGES {
            let c = EDGES[numbers.below(EDGES.len())];
            all.push([a, b, c]);
        }
    }
    // A tiny sum that is not exact, though the quotient of the factors is the addend's opposite.
    all.push([0x0000_0001, 0x3f00_0000, 0x8000_0002]);
    for n in 0..1600 {
        let base = match n % 4 {
            0 => 127,
            1 => 1 + numbers.below(60) as u32,
            2 => 190 + numbers.below(60) as u32,
            _ => 30 + numbers.below(200) as u32,
        };
        let mut close = |exponent: u32| {
            let exponent = (exponent + numbers.below(28) as u32).clamp(14, 268) - 14;
            // Short significands make ties and exact results.
            let fraction = match numbers.below(3) {
                0 => numbers.next() & 0x7f_ffff,
                1 => numbers.next() & 0x70_0000,
                _ => numbers.next() & 0x7f_f000 | 1,
            };
            numbers.next() & 1 << 31 | exponent.min(254) << 23 | fraction
        };
        let (a, b) = (
            close(base),
            close(if n % 4 == 0 { 127 } else { 254 - base.min(254) }),
        );
        let product = ((a >> 23 & 255) + (b >> 23 & 255))
            .saturating_sub(127)
            .min(254);
        all.push([a, b, close(product)]);
    }
    all
}

/// Runs an instruction on all operands (fa1, fa2, fa3 as floats, a1 as an integer) in one lane, flags cleared before
/// each. Results are in fa0 or a0; answers results and flags.
fn one_by_one(inst: Inst, operands: &[[u32; 3]], frm: Option<Rounding>) -> Vec<(u32, u32)> {
    let info = inst.opcode.info();
    let float_result = info.rd == Some(vortex_isa::RegFile::Float);
    let mut program = Asm::new();
    program
        .all_lanes()
        .emit(Inst::mv(x::S0, x::A0))
        .li(x::S2, operands.len() as u32);
    if let Some(frm) = frm {
        program.emit(Inst::csr_op(Opcode::Csrrwi, x::ZERO, csr::FRM, frm as u8));
    }
    program.label("next").i(Opcode::Lw, x::A1, x::S0, 0);
    for (n, register) in [f::FA1, f::FA2, f::FA3].into_iter().enumerate() {
        program.i(Opcode::Flw, register, x::S0, 4 * n as i32);
    }
    program
        .emit(Inst::csr_op(Opcode::Csrrw, x::ZERO, csr::FFLAGS, x::ZERO))
        .emit(inst)
        .csrr(x::A2, csr::FFLAGS);
    program
        .store(
            if float_result {
                Opcode::Fsw
            } else {
                Opcode::Sw
            },
            10,
            x::S0,
            0,
        )
        .store(Opcode::Sw, x::A2, x::S0, 4);
    program
        .i(Opcode::Addi, x::S0, x::S0, 12)
        .i(Opcode::Addi, x::S2, x::S2, -1);
    program.branch(Opcode::Bne, x::S2, x::ZERO, "next").end();
    let buffer = run(lanes(1), &program, operands.as_flattened());
    buffer.chunks(3).map(|item| (item[0], item[1])).collect()
}

/// The same 32 at a time, flags cleared once per round; answers results, and the flags of each round.
fn all_together(inst: Inst, operands: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let float_result = inst.opcode.info().rd == Some(vortex_isa::RegFile::Float);
    let rounds = operands.len().div_ceil(32);
    let mut program = Asm::new();
    program
        .all_lanes()
        .li(x::T0, 12)
        .r(Opcode::Mul, x::S0, x::S4, x::T0)
        .r(Opcode::Add, x::S0, x::S0, x::A0);
    program.li(x::S2, rounds as u32).li(x::S3, 32 * 12);
    program.label("next").i(Opcode::Lw, x::A1, x::S0, 0);
    for (n, register) in [f::FA1, f::FA2, f::FA3].into_iter().enumerate() {
        program.i(Opcode::Flw, register, x::S0, 4 * n as i32);
    }
    program
        .emit(Inst::csr_op(Opcode::Csrrw, x::ZERO, csr::FFLAGS, x::ZERO))
        .emit(inst)
        .csrr(x::A2, csr::FFLAGS);
    program
        .store(
            if float_result {
                Opcode::Fsw
            } else {
                Opcode::Sw
            },
            10,
            x::S0,
            0,
        )
        .store(Opcode::Sw, x::A2, x::S0, 4);
    program
        .r(Opcode::Add, x::S0, x::S0, x::S3)
        .i(Opcode::Addi, x::S2, x::S2, -1);
    program.branch(Opcode::Bne, x::S2, x::ZERO, "next").end();
    let mut padded = operands.to_vec();
    padded.resize(rounds * 32, [0; 3]);
    let buffer = run(lanes(32), &program, padded.as_flattened());
    let results = buffer.chunks(3).map(|item| item[0]).collect();
    let flags = buffer.chunks(3 * 32).map(|round| round[1]).collect();
    (results, flags)
}

fn check(opcode: Opcode, expected: impl Fn([u32; 3], Rounding) -> (u32, u32)) {
    let operands = operands();
    let inst = |rm| Inst::r4(opcode, 10, 11, 12, 13).rounded(rm);
    let trim = |inst: Inst| {
        // Registers the format lacks.
        let [_, rs2, rs3] = opcode.info().rs;
        Inst {
            rs2: if rs2.is_some() { inst.rs2 } else { 0 },
            rs3: if rs3.is_some() { inst.rs3 } else { 0 },
            ..inst
        }
    };
    let modes: &[Rounding] = match Inst::decode(trim(inst(Rounding::Rup)).encode()) {
        Some(decoded) if decoded.rm == Rounding::Rup => &MODES,
        _ => &MODES[..1],
    };
    for &rm in modes {
        let inst = trim(inst(rm));
        for (operands, result) in operands.iter().zip(one_by_one(inst, &operands, None)) {
            let expected = expected(*operands, rm);
            assert_eq!(
                result, expected,
                "{inst} of {operands:#010x?}: {:#010x} instead of {:#010x}",
                result.0, expected.0
            );
        }
        let (results, flags) = all_together(inst, &operands);
        for (n, operands) in operands.chunks(32).enumerate() {
            let mut raised = if operands.len() < 32 {
                expected([0; 3], rm).1
            } else {
                0
            };
            for (lane, &operands) in operands.iter().enumerate() {
                let expected = expected(operands, rm);
                assert_eq!(
                    results[n * 32 + lane],
                    expected.0,
                    "{inst} of {operands:#010x?} in lane {lane}"
                );
                raised |= expected.1;
            }
            assert_eq!(flags[n], raised, "{inst}: flags of a warp");
        }
    }
}

const SIGN: u32 = 1 << 31;

#[test]
pub(crate) fn addition() {
    check(Opcode::Fadd, |[a, b, _], rm| oracle::add(a, b, rm));
}

#[test]
pub(crate) fn subtraction() {
    check(Opcode::Fsub, |[a, b, _], rm| oracle::add(a, b ^ SIGN, rm));
}

#[test]
pub(crate) fn multiplication() {
    check(Opcode::Fmul, |[a, b, _], rm| oracle::mul(a, b, rm));
}

#[test]
pub(crate) fn division() {
    check(Opcode::Fdiv, |[a, b, _], rm| oracle::div(a, b, rm));
}

#[test]
pub(crate) fn square_root() {
    check(Opcode::Fsqrt, |[a, ..], rm| oracle::sqrt(a, rm));
}

#[test]
pub(crate) fn fused() {
    check(Opcode::Fmadd, |[a, b, c], rm| oracle::fma(a, b, c, rm));
    check(Opcode::Fmsub, |[a, b, c], rm| {
        oracle::fma(a, b, c ^ SIGN, rm)
    });
    check(Opcode::Fnmsub, |[a, b, c], rm| {
        oracle::fma(a ^ SIGN, b, c, rm)
    });
    check(Opcode::Fnmadd, |[a, b, c], rm| {
        oracle::fma(a ^ SIGN, b, c ^ SIGN, rm)
    });
}

#[test]
pub(crate) fn conversions() {
    check(Opcode::FcvtWS, |[a, ..], rm| {
        oracle::to_integer(a, i32::MIN.into(), i32::MAX.into(), rm)
    });
    check(Opcode::FcvtWuS, |[a, ..], rm| {
        oracle::to_integer(a, 0, u32::MAX.into(), rm)
    });
    check(Opcode::FcvtSW, |[a, ..], rm| {
        oracle::from_integer((a as i32).into(), rm)
    });
    check(Opcode::FcvtSWu, |[a, ..], rm| {
        oracle::from_integer(a.into(), rm)
    });
}

#[test]
pub(crate) fn signs_moves_and_classes() {
    check(Opcode::Fsgnj, |[a, b, _], _| (a & !SIGN | b & SIGN, 0));
    check(Opcode::Fsgnjn, |[a, b, _], _| (a & !SIGN | !b & SIGN, 0));
    check(Opcode::Fsgnjx, |[a, b, _], _| (a ^ b & SIGN, 0));
    check(Opcode::FmvXW, |[a, ..], _| (a, 0));
    check(Opcode::FmvWX, |[a, ..], _| (a, 0));
    check(Opcode::Fclass, |[a, ..], _| {
        use std::num::FpCategory as C;
        let value = f32::from_bits(a);
        let bit = match (value.classify(), a & SIGN != 0) {
            (C::Infinite, true) => 0,
            (C::Normal, true) => 1,
            (C::Subnormal, true) => 2,
            (C::Zero, true) => 3,
            (C::Zero, false) => 4,
            (C::Subnormal, false) => 5,
            (C::Normal, false) => 6,
            (C::Infinite, false) => 7,
            (C::Nan, _) if oracle::is_signalling(a) => 8,
            (C::Nan, _) => 9,
        };
        (1 << bit, 0)
    });
}

#[test]
pub(crate) fn comparisons_and_choices() {
    let signalling = |a, b| {
        if oracle::is_signalling(a) || oracle::is_signalling(b) {
            NV
        } else {
            0
        }
    };
    let unordered = |a: f32, b: f32| if a.is_nan() || b.is_nan() { NV } else { 0 };
    let floats = |a, b| (f32::from_bits(a), f32::from_bits(b));
    check(Opcode::Feq, |[a, b, _], _| {
        (
            u32::from(floats(a, b).0 == floats(a, b).1),
            signalling(a, b),
        )
    });
    check(Opcode::Flt, |[a, b, _], _| {
        let (x, y) = floats(a, b);
        (u32::from(x < y), unordered(x, y))
    });
    check(Opcode::Fle, |[a, b, _], _| {
        let (x, y) = floats(a, b);
        (u32::from(x <= y), unordered(x, y))
    });
    // As IEEE 754-2019 has minimumNumber: total order among numbers, NaN only if there is nothing else.
    let choose = |a: u32, b: u32, smaller: bool| match (
        f32::from_bits(a).is_nan(),
        f32::from_bits(b).is_nan(),
    ) {
        (true, true) => oracle::NAN,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            let less = f32::from_bits(a).total_cmp(&f32::from_bits(b)).is_lt();
            if less == smaller { a } else { b }
        }
    };
    check(Opcode::Fmin, |[a, b, _], _| {
        (choose(a, b, true), signalling(a, b))
    });
    check(Opcode::Fmax, |[a, b, _], _| {
        (choose(a, b, false), signalling(a, b))
    });
}

#[test]
fn the_dynamic_mode_is_that_of_frm() {
    let operands = operands();
    for frm in MODES {
        let inst = Inst::r(Opcode::Fadd, 10, 11, 12);
        for (&[a, b, _], result) in operands.iter().zip(one_by_one(inst, &operands, Some(frm))) {
            assert_eq!(result, oracle::add(a, b, frm), "{a:#x} + {b:#x}, {frm:?}");
        }
    }
}

#[test]
fn flags_accumulate_until_they_are_cleared() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .i(Opcode::Flw, f::FA1, x::A1, 0);
    let fcsr = Inst::csr_op(Opcode::Csrrwi, x::ZERO, csr::FCSR, 0);
    program.emit(fcsr);
    program
        .r(Opcode::Fdiv, f::FA2, f::FA1, f::FA1)
        .r(Opcode::Fadd, f::FA3, f::FA1, f::FA1)
        .csrr(x::A2, csr::FCSR)
        .li(x::A3, 0);
    // Only the lanes that are active raise flags: lane 0 divides zero by zero.
    program
        .emit(fcsr)
        .li(x::T0, 0xe)
        .simt(Opcode::Tmc, x::T0, 0)
        .r(Opcode::Fdiv, f::FA2, f::FA1, f::FA1)
        .csrr(x::A3, csr::FCSR);
    program.li(x::T0, 0xf).simt(Opcode::Tmc, x::T0, 0);
    // Set, clear, and exchange with the rounding mode in the upper bits.
    program
        .emit(Inst::csr_op(Opcode::Csrrwi, x::ZERO, csr::FRM, 3))
        .emit(Inst::csr_op(Opcode::Csrrsi, x::A4, csr::FFLAGS, 5));
    program
        .emit(Inst::csr_op(Opcode::Csrrci, x::A5, csr::FFLAGS, 1))
        .csrr(x::A6, csr::FCSR);
    for (n, register) in [x::A2, x::A3, x::A4, x::A5, x::A6].into_iter().enumerate() {
        program.store(Opcode::Sw, register, x::A0, 16 + 4 * n as i32);
    }
    program.end();
    let third = (1.0f32 / 3.0).to_bits();
    let result = run(
        lanes(4),
        &program,
        &[0, third, third, f32::MAX.to_bits(), 9, 9, 9, 9, 9],
    );
    let [both, active, set, cleared, fcsr] = result[4..] else {
        panic!()
    };
    assert_eq!(both, NV | oracle::OF | oracle::NX);
    assert_eq!(active, 0);
    // Lanes 1 to 3 saw no flags; a3 of lane 0 is older, and lane 3 stores last.
    assert_eq!((set, cleared, fcsr), (0, 5, 3 << 5 | 4));
}
