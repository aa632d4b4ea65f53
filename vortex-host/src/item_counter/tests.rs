use super::*;
use std::ops::Range;
use vortex_kernel::isa::{Inst, Opcode};

const T0: u8 = 5;
const T1: u8 = 6;
const S2: u8 = 18;
const END: Inst = Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO);

/// The iteration of a warp at each instruction; before those in `marked`, `S2` counts iterations.
fn iterations<const N: usize>(code: [Inst; N], marked: Range<u32>) -> [Option<Iteration>; N] {
    let bytes = code.map(|inst| inst.encode().to_le_bytes());
    let iterations = [ItemCounterEntry {
        offset: marked.start * 4,
        end: marked.end * 4,
        register: S2,
    }];
    let iterations = ItemCounters::new(bytes.as_flattened(), &iterations);
    std::array::from_fn(|n| iterations.at(n as u32 * 4))
}

fn register(register: u8) -> Option<Iteration> {
    Some(Iteration::In(WordLocation::Register(register)))
}

fn stack(offset: i32) -> Option<Iteration> {
    Some(Iteration::In(WordLocation::Stack(x::SP, offset)))
}

#[test]
fn a_routine_is_in_the_iteration_of_its_caller() {
    let code = [
        Inst::jal(x::TP, 12),
        Inst::mv(S2, T0),
        Inst::jal(x::ZERO, 0),
        Inst::mv(x::GP, T1),
        Inst::i(Opcode::Jalr, x::ZERO, x::TP, 0),
    ];
    let called = Some(Iteration::Called);
    assert_eq!(
        iterations(code, 2..3),
        [register(T0), register(T0), register(S2), called, called]
    );
}

#[test]
fn the_number_is_followed_through_moves_and_the_stack() {
    let code = [
        Inst::mv(T1, T0),
        Inst::s(Opcode::Sw, T1, x::SP, 8),
        Inst::i(Opcode::Addi, T1, x::ZERO, 1),
        Inst::i(Opcode::Lw, S2, x::SP, 8),
        Inst::i(Opcode::Addi, S2, S2, 4),
        END,
    ];
    let found = [
        register(T0),
        register(T1),
        stack(8),
        stack(8),
        register(S2),
        None,
    ];
    assert_eq!(iterations(code, 4..5), found);
}

#[test]
fn slots_that_lanes_share_lines_for_are_others_than_those_of_the_frame() {
    let code = [
        Inst::s(Opcode::Sw, T1, x::S0, 8),
        Inst::s(Opcode::Sw, T0, x::SP, 8),
        Inst::i(Opcode::Lw, S2, x::S0, 8),
        Inst::nop(),
        END,
    ];
    let slot = Some(Iteration::In(WordLocation::Stack(x::S0, 8)));
    assert_eq!(iterations(code, 3..4)[..3], [register(T1), slot, slot]);
}

#[test]
fn far_words_of_the_stack_are_found() {
    let code = [
        Inst::u(Opcode::Lui, T0, 0x1000),
        Inst::r(Opcode::Add, T0, x::SP, T0),
        Inst::i(Opcode::Lw, S2, T0, -4),
        Inst::nop(),
        END,
    ];
    assert_eq!(iterations(code, 3..4)[0], stack(0xffc));
}

#[test]
fn either_way_of_a_branch_may_lead_there() {
    let code = [
        Inst::b(Opcode::Beq, T0, x::ZERO, 12),
        Inst::mv(S2, x::ZERO),
        END,
        Inst::mv(S2, T1),
        Inst::nop(),
        END,
    ];
    assert_eq!(iterations(code, 4..5)[0], register(T1));
}

#[test]
fn before_the_loop_is_the_first_iteration_and_after_it_none() {
    let code = [
        Inst::i(Opcode::Lw, T0, T1, 0),
        Inst::csrr(S2, vortex_kernel::isa::csr::WARP_ID),
        Inst::i(Opcode::Lw, T0, S2, 0),
        Inst::b(Opcode::Bne, T0, x::ZERO, -4),
        Inst::i(Opcode::Lw, T0, T1, 0),
        END,
    ];
    let found = iterations(code, 2..4);
    assert_eq!(found[..2], [Some(Iteration::First); 2]);
    assert_eq!(found[2..4], [register(S2); 2]);
    assert_eq!(found[4], None);
}

#[test]
fn branches_that_do_not_reach_go_through_other_code() {
    let far = |at: i32, to: i32| {
        let near = Inst::i(Opcode::Jalr, x::ZERO, T0, 4 * (to - at));
        [Inst::u(Opcode::Auipc, T0, 0), near]
    };
    let [high, low] = far(4, 7);
    let code = [
        Inst::b(Opcode::Beq, T1, x::ZERO, 16),
        Inst::mv(S2, T1),
        Inst::nop(),
        Inst::jal(x::ZERO, 12),
        high,
        low,
        Inst::nop(),
        Inst::i(Opcode::Lw, S2, x::SP, 8),
        Inst::jal(x::ZERO, -20),
    ];
    let found = iterations(code, 2..7);
    assert_eq!(found[1..4], [register(T1), register(S2), register(S2)]);
    assert_eq!(found[4..8], [stack(8), stack(8), register(S2), stack(8)]);
    assert_eq!(found[8], register(S2));
}

#[test]
fn what_is_no_code_ends_the_search() {
    let code = [Inst::jal(x::ZERO, -8), Inst::jal(x::ZERO, 0), END];
    assert_eq!(iterations(code, 9..10), [Some(Iteration::First); 3]);
    assert_eq!(iterations(code, 2..3)[1], Some(Iteration::First));
}

#[test]
fn stores_through_far_addresses_are_seen() {
    let code = [
        Inst::u(Opcode::Lui, T0, 0x1000),
        Inst::r(Opcode::Add, T0, x::SP, T0),
        Inst::s(Opcode::Sw, T1, T0, -4),
        Inst::u(Opcode::Lui, T1, 0x1000),
        Inst::r(Opcode::Add, T1, T1, x::SP),
        Inst::i(Opcode::Lw, S2, T1, -4),
        Inst::nop(),
        END,
    ];
    let found = iterations(code, 6..7);
    assert_eq!(found[..3], [register(T1); 3]);
    assert_eq!(found[3..6], [stack(0xffc); 3]);
}

#[test]
fn of_places_that_are_noted_twice_the_first_counts() {
    let iterations =
        [(4, 12, S2), (0, 8, T0), (0, 20, T1)].map(|(offset, end, register)| ItemCounterEntry {
            offset,
            end,
            register,
        });
    let code = Code::of(
        &[Inst::nop(); 4]
            .map(|inst| inst.encode().to_le_bytes())
            .concat(),
    );
    let marks = code.marks(&iterations);
    assert_eq!(marks, [Some(T0), Some(S2), Some(S2), Some(T1)]);
    let beyond = ItemCounterEntry {
        offset: u32::MAX,
        end: u32::MAX,
        register: S2,
    };
    assert_eq!(code.marks(&[beyond]), [None; 4]);
}

/// A way through code of this many instructions used to take the square of their number, in time and in memory.
#[test]
fn code_of_any_kind_takes_time_in_proportion_to_its_size() {
    const COUNT: usize = 1 << 18;
    let stores = |n: usize| Inst::s(Opcode::Sw, T0, x::SP, (n as i32 * 4) & 0x7ff);
    let branches = |n: usize| match n % 2 {
        0 => stores(n),
        _ => Inst::b(Opcode::Beq, T0, x::ZERO, 8),
    };
    let kinds: [&dyn Fn(usize) -> Inst; 2] = [&stores, &branches];
    for inst in kinds {
        let code: Vec<u8> = (0..COUNT)
            .flat_map(|n| inst(n).encode().to_le_bytes())
            .collect();
        let entry = |n: usize| ItemCounterEntry {
            offset: COUNT as u32 * 2,
            end: COUNT as u32 * 4,
            register: n as u8,
        };
        let marks: Vec<ItemCounterEntry> = (0..COUNT / 16).map(entry).collect();
        let began = std::time::Instant::now();
        let iterations = ItemCounters::new(&code, &marks[S2.into()..]);
        let found = (0..COUNT as u32).filter(|n| iterations.at(n * 4) == register(S2));
        assert_eq!(found.count(), COUNT);
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }
}
