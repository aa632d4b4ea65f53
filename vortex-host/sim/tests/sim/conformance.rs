//! Every row of the instruction table has a test of what it does, by values that come from elsewhere.

use std::collections::HashSet;

use crate::harness::{Asm, assembled, lanes, run};
use crate::{float, grids, integer, memory, simt};
use vortex_isa::{Inst, Opcode, csr, x};

/// Tests, and the opcodes whose results they hold against a model, edge values included.
fn cases() -> Vec<(fn(), Vec<Opcode>)> {
    use Opcode::*;
    vec![
        (
            integer::register_operations,
            vec![
                Add, Sub, Sll, Slt, Sltu, Xor, Srl, Sra, Or, And, Mul, Mulh, Mulhsu, Mulhu, Div,
                Divu, Rem, Remu, CzeroEqz, CzeroNez,
            ],
        ),
        (
            integer::immediate_operations,
            vec![Addi, Slti, Sltiu, Xori, Ori, Andi, Slli, Srli, Srai],
        ),
        (integer::upper_immediates, vec![Lui, Auipc]),
        (integer::jumps_link_and_clear_bit_0, vec![Jal, Jalr]),
        (integer::branches, vec![Beq, Bne, Blt, Bge, Bltu, Bgeu]),
        (
            memory::loads_of_all_sizes_at_all_offsets,
            vec![Lb, Lbu, Lh, Lhu, Lw],
        ),
        (
            memory::stores_of_all_sizes_leave_the_rest_alone,
            vec![Sb, Sh, Sw],
        ),
        (
            memory::atomics_take_lanes_in_order,
            vec![
                AmoswapW, AmoaddW, AmoxorW, AmoandW, AmoorW, AmominW, AmomaxW, AmominuW, AmomaxuW,
            ],
        ),
        (memory::reservations, vec![LrW, ScW]),
        (float::addition, vec![Fadd]),
        (float::subtraction, vec![Fsub]),
        (float::multiplication, vec![Fmul]),
        (float::division, vec![Fdiv]),
        (float::square_root, vec![Fsqrt]),
        (float::fused, vec![Fmadd, Fmsub, Fnmsub, Fnmadd]),
        (float::conversions, vec![FcvtWS, FcvtWuS, FcvtSW, FcvtSWu]),
        (
            float::signs_moves_and_classes,
            vec![Fsgnj, Fsgnjn, Fsgnjx, FmvXW, FmvWX, Fclass],
        ),
        (
            float::comparisons_and_choices,
            vec![Feq, Flt, Fle, Fmin, Fmax],
        ),
        (floats_are_moved_as_they_are, vec![Flw, Fsw]),
        (
            csr_operations,
            vec![Csrrw, Csrrs, Csrrc, Csrrwi, Csrrsi, Csrrci],
        ),
        (a_fence_changes_nothing, vec![Fence]),
        (simt::the_core_ends_with_an_environment_call, vec![Ecall]),
        (a_breakpoint_ends_the_core, vec![Ebreak]),
        (simt::identities, vec![Tmc]),
        (
            simt::spawned_warps_run_with_one_lane_and_share_mscratch,
            vec![Wspawn],
        ),
        (
            simt::the_larger_side_of_a_split_runs_first,
            vec![Split, Join],
        ),
        (simt::barriers_hold_warps_back, vec![Bar]),
        (
            simt::a_divergent_loop_counts_each_lane_on_its_own,
            vec![Pred],
        ),
        (simt::votes, vec![VoteAll, VoteAny, VoteUni, VoteBallot]),
        (simt::shuffles, vec![ShflUp, ShflDown, ShflBfly, ShflIdx]),
        (grids::some_arrive_and_others_wait, vec![BarArrive, BarWait]),
        (grids::calls_of_the_system_go_to_the_handler, vec![Mret]),
        (
            grids::parts_of_words_are_packed,
            vec![PacklbF, PacklhF, Wsync],
        ),
        (grids::lanes_are_given_the_words_of_one, vec![Wgather]),
    ]
}

#[test]
fn every_row_of_the_table_has_a_test() {
    let mut tested = HashSet::new();
    for (test, opcodes) in cases() {
        let assembled = assembled(test);
        for opcode in opcodes {
            assert!(assembled.contains(&opcode), "{opcode:?} is not in its test");
            assert!(tested.insert(opcode), "{opcode:?} is there twice");
        }
    }
    let missing: Vec<_> = Opcode::ALL
        .iter()
        .filter(|row| !tested.contains(row))
        .collect();
    assert!(missing.is_empty(), "no test of {missing:?}");
}

#[test]
fn floats_are_moved_as_they_are() {
    // Numbers, subnormals, infinities, NaNs of either kind with what they carry.
    let bits = [
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x007f_ffff,
        0x0080_0000,
        0x3f80_0000,
        0xff7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7f80_0001,
        0xffbf_ffff,
        0x7fc0_0000,
        0x7fc1_2345,
        0xffff_ffff,
        0x1234_5678,
    ];
    for threads in [1, 4, 16] {
        let mut program = Asm::new();
        program.all_lanes().lane_address();
        let rounds = bits.len() as u32 / threads;
        for round in 0..rounds {
            let offset = (round * threads * 4) as i32;
            let register = round as u8;
            program.i(Opcode::Flw, register, x::A1, offset).store(
                Opcode::Fsw,
                register,
                x::A1,
                64 + offset,
            );
        }
        program
            .csrr(x::T0, csr::FFLAGS)
            .store(Opcode::Sw, x::T0, x::A0, 128)
            .end();
        let mut buffer = bits.to_vec();
        buffer.resize(33, 0xffff);
        let result = run(lanes(threads), &program, &buffer);
        assert_eq!(result[16..32], bits);
        assert_eq!(result[32], 0, "no flags");
    }
}

#[test]
fn csr_operations() {
    use Opcode::*;
    for old in [0, 1, 0x1f, 0xe0, 0xff, 0x6a] {
        for operand in [0, 1, 5, 0x1f, 0x60, 0xff, 0xffff_ffff] {
            for opcode in [Csrrw, Csrrs, Csrrc, Csrrwi, Csrrsi, Csrrci] {
                let immediate = matches!(opcode, Csrrwi | Csrrsi | Csrrci);
                if immediate && operand > 31 {
                    continue;
                }
                let new = match opcode {
                    Csrrw | Csrrwi => operand,
                    Csrrs | Csrrsi => old | operand,
                    _ => old & !operand,
                };
                let source = if immediate { operand as u8 } else { x::T1 };
                let mut program = Asm::new();
                program
                    .all_lanes()
                    .li(x::T0, old)
                    .li(x::T1, operand)
                    .emit(Inst::csr_op(Csrrw, x::ZERO, csr::FCSR, x::T0))
                    .emit(Inst::csr_op(opcode, x::T2, csr::FCSR, source))
                    .csrr(x::T3, csr::FCSR)
                    .csrr(x::T4, csr::FRM)
                    .csrr(x::T5, csr::FFLAGS);
                for (register, offset) in [(x::T2, 0), (x::T3, 4), (x::T4, 8), (x::T5, 12)] {
                    program.store(Sw, register, x::A0, offset);
                }
                program.end();
                let result = run(lanes(4), &program, &[9; 4]);
                let new = new & 0xff;
                assert_eq!(
                    result,
                    [old, new, new >> 5, new & 31],
                    "{opcode} of {old:#x} and {operand:#x}"
                );
            }
        }
    }
    // x0 and an immediate of 0 do not write, so that what cannot be written can be read.
    for opcode in [Csrrs, Csrrc, Csrrsi, Csrrci] {
        let mut program = Asm::new();
        program
            .all_lanes()
            .emit(Inst::csr_op(opcode, x::T2, csr::NUM_THREADS, 0))
            .store(Sw, x::T2, x::A0, 0)
            .end();
        assert_eq!(run(lanes(4), &program, &[0]), [4], "{opcode}");
    }
}

#[test]
fn a_fence_changes_nothing() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .i(Opcode::Lw, x::A2, x::A1, 0)
        .emit(Inst::of(Opcode::Fence))
        .i(Opcode::Addi, x::A2, x::A2, 1)
        .store(Opcode::Sw, x::A2, x::A1, 0)
        .emit(Inst::of(Opcode::Fence))
        .end();
    assert_eq!(run(lanes(4), &program, &[1, 2, 3, 4]), [2, 3, 4, 5]);
}

#[test]
fn a_breakpoint_ends_the_core() {
    let mut program = Asm::new();
    program
        .all_lanes()
        .lane_address()
        .store(Opcode::Sw, x::S4, x::A1, 0)
        .emit(Inst::of(Opcode::Ebreak))
        .store(Opcode::Sw, x::ZERO, x::A1, 0)
        .end();
    assert_eq!(run(lanes(4), &program, &[9; 4]), [0, 1, 2, 3]);
}
