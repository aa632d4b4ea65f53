//! Images that must be rejected, and shapes that must not.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use crate::ir::Loc;

const ZICOND: Target = Target {
    generation: Generation::V2,
    zicond: true,
    atomics: false,
    warp_ops: false,
};

fn placed(inst: Inst) -> Placed {
    let branch = (inst.opcode.info().class == Class::Branch).then_some(Branch::Guarded);
    Placed {
        inst,
        loc: Loc::NONE,
        branch,
        update: None,
    }
}

/// Verifies compiled code after an empty start.
fn check(code: &[Inst]) -> Result<(), String> {
    let code: Vec<_> = code.iter().copied().map(placed).collect();
    verify(&code, 0, 0, ZICOND).map_err(|e| e.to_string())
}

fn rejected(code: &[Inst], why: &str) {
    let error = check(code).expect_err(why);
    assert!(error.contains(why), "{error}");
}

fn split(token: u8, word: u8) -> Inst {
    Inst::r(Opcode::Split, token, word, 0)
}

fn join(token: u8) -> Inst {
    Inst::simt(Opcode::Join, token, 0)
}

fn pred(word: u8, mask: u8) -> Inst {
    Inst::simt(Opcode::Pred, word, mask)
}

fn beqz(register: u8, offset: i32) -> Inst {
    Inst::b(Opcode::Beq, register, x::ZERO, offset)
}

const END: Inst = Inst::simt(Opcode::Tmc, x::ZERO, 0);
const WORK: Inst = Inst::i(Opcode::Addi, x::A5, x::A5, 1);

#[test]
fn an_if_with_spilled_token_and_copied_condition() {
    check(&[
        split(x::A0, x::A1),
        Inst::s(Opcode::Sw, x::A0, x::SP, 16),
        Inst::mv(x::A2, x::A1),
        beqz(x::A2, 8),
        WORK,
        Inst::i(Opcode::Lw, x::A3, x::SP, 16),
        join(x::A3),
        END,
    ])
    .unwrap();
}

#[test]
fn a_token_in_a_slot_that_lanes_share_a_line_for() {
    let with = |reload: i32| {
        [
            split(x::A0, x::A1),
            Inst::s(Opcode::Sw, x::A0, spills::BASE, -2048),
            Inst::s(Opcode::Sw, x::A5, spills::BASE, -1984),
            // In the frame: another place than any slot.
            Inst::s(Opcode::Sw, x::A5, x::SP, 0),
            beqz(x::A1, 8),
            WORK,
            Inst::i(Opcode::Lw, x::A3, spills::BASE, reload),
            join(x::A3),
            END,
        ]
    };
    check(&with(-2048)).unwrap();
    rejected(&with(-1984), "something else than the token");
    rejected(&with(-2044), "between two slots");
}

#[test]
fn the_stack_stays_where_the_start_has_put_it() {
    for register in [x::SP, spills::BASE] {
        let moved = Inst::i(Opcode::Addi, register, register, 64);
        rejected(&[moved, END], "the stack moves");
    }
}

#[test]
fn a_loop_with_pred() {
    check(&[
        Inst::read_mask(x::A0),
        WORK,
        Inst::i(Opcode::Slti, x::A1, x::A5, 10),
        pred(x::A1, x::A0),
        Inst::b(Opcode::Bne, x::A1, x::ZERO, -12),
        END,
    ])
    .unwrap();
}

#[test]
fn branches_need_their_guard() {
    rejected(&[beqz(x::A1, 8), WORK, END], "without its guard");
    rejected(
        &[split(x::A0, x::A1), beqz(x::A2, 8), WORK, join(x::A0), END],
        "something else than what its guard looked at",
    );
    // The word is made anew between the two.
    rejected(
        &[
            split(x::A0, x::A1),
            Inst::i(Opcode::Addi, x::A1, x::A1, 1),
            beqz(x::A1, 8),
            WORK,
            join(x::A0),
            END,
        ],
        "something else than what its guard looked at",
    );
    rejected(
        &[
            split(x::A0, x::A1),
            Inst::b(Opcode::Blt, x::A1, x::ZERO, 8),
            WORK,
            join(x::A0),
            END,
        ],
        "no test for zero",
    );
}

#[test]
fn splits_need_their_join() {
    rejected(&[split(x::A0, x::A1), END], "waits for its branch");
    rejected(
        &[split(x::A0, x::A1), beqz(x::A1, 8), WORK, END],
        "still open",
    );
    // One arm goes past the join.
    rejected(
        &[split(x::A0, x::A1), beqz(x::A1, 12), WORK, join(x::A0), END],
        "reached with",
    );
    // Each arm has its own.
    rejected(
        &[
            split(x::A0, x::A1),
            beqz(x::A1, 12),
            join(x::A0),
            Inst::jal(x::ZERO, 8),
            join(x::A0),
            END,
        ],
        "has another join",
    );
    rejected(
        &[
            split(x::A0, x::A1),
            beqz(x::A1, 8),
            Inst::mv(x::A0, x::A2),
            join(x::A0),
            END,
        ],
        "something else than the token",
    );
}

#[test]
fn preds_need_their_loop() {
    rejected(
        &[pred(x::A1, x::A0), beqz(x::A1, 8), WORK, END],
        "without the mask of the innermost loop",
    );
    // The mask of an outer loop would switch too many lanes on.
    rejected(
        &[
            Inst::read_mask(x::A0),
            Inst::read_mask(x::A2),
            pred(x::A1, x::A0),
            Inst::b(Opcode::Bne, x::A1, x::ZERO, -4),
            END,
        ],
        "without the mask of the innermost loop",
    );
    // Lanes stay on the wrong side.
    rejected(
        &[
            Inst::read_mask(x::A0),
            pred(x::A1, x::A0),
            beqz(x::A1, -4),
            END,
        ],
        "",
    );
}

#[test]
fn only_code_is_executed() {
    rejected(&[WORK], "control leaves the image");
    rejected(&[Inst::jal(x::ZERO, 64), END], "unknown place");
    rejected(&[Inst::ret(), END], "unknown place");
    rejected(&[Inst::simt(Opcode::Wspawn, x::A0, x::A1), END], "spawned");
    let target = Target {
        zicond: false,
        ..ZICOND
    };
    let czero = [Inst::r(Opcode::CzeroEqz, x::A0, x::A1, x::A2), END].map(placed);
    assert!(verify(&czero, 0, 0, ZICOND).is_ok());
    assert!(verify(&czero, 0, 0, target).is_err());
}

#[test]
fn far_jumps_are_followed() {
    check(&[
        Inst::u(Opcode::Auipc, x::T6, 0),
        Inst::i(Opcode::Jalr, x::ZERO, x::T6, 12),
        WORK,
        END,
    ])
    .unwrap();
}

#[test]
fn a_call_comes_back_to_where_it_was_made() {
    const BACK: Inst = Inst::i(Opcode::Jalr, x::ZERO, x::TP, 0);
    // From two places, of which one is in an arm.
    let calls = |routine: &[Inst]| {
        let mut code = vec![
            Inst::jal(x::TP, 28),
            split(x::A0, x::A1),
            beqz(x::A1, 8),
            Inst::jal(x::TP, 16),
            join(x::A0),
            WORK,
            END,
        ];
        code.extend(routine);
        code
    };
    check(&calls(&[WORK, BACK])).unwrap();
    rejected(&calls(&[WORK]), "leaves the image");
    rejected(
        &calls(&[Inst::i(Opcode::Addi, x::TP, x::TP, 4), BACK]),
        "unknown place",
    );
    rejected(&calls(&[Inst::mv(x::TP, x::A0), BACK]), "unknown place");
    rejected(&calls(&[Inst::jal(x::ZERO, 4), BACK]), "straight-line");
    rejected(&calls(&[split(x::A2, x::A1), BACK]), "waits for its branch");
    rejected(&calls(&[Inst::mv(x::A0, x::A2), BACK]), "token");
    rejected(
        &[WORK, Inst::i(Opcode::Jalr, x::RA, x::A0, 0), END],
        "unknown place",
    );
    rejected(&calls(&[END, BACK]), "straight-line");
}

#[test]
fn copies_are_of_one_iteration() {
    let one_iteration = |last: Inst| {
        check(&[
            WORK,
            Inst::mv(x::A1, x::A5),
            split(x::A0, x::A5),
            beqz(x::A1, 8),
            Inst::mv(x::A2, x::A2),
            join(x::A0),
            WORK,
            last,
            Inst::jal(x::ZERO, -24),
        ])
    };
    one_iteration(Inst::mv(x::A1, x::A5)).unwrap();
    let stale = one_iteration(Inst::mv(x::A2, x::A5)).expect_err("A1 is of the iteration before");
    assert!(stale.contains("something else"), "{stale}");

    // A word that no iteration changes, copied before the first and in each of them.
    let later = |first: Inst| {
        check(&[
            first,
            Inst::jal(x::ZERO, 4),
            Inst::jal(x::ZERO, 4),
            split(x::A0, x::A5),
            beqz(x::A1, 8),
            Inst::mv(x::A2, x::A2),
            join(x::A0),
            Inst::mv(x::A1, x::A5),
            Inst::jal(x::ZERO, -24),
        ])
    };
    later(Inst::mv(x::A1, x::A5)).unwrap();
    let first = later(Inst::mv(x::A1, x::A2)).expect_err("A1 is another word at first");
    assert!(first.contains("something else"), "{first}");
}

#[test]
fn barriers_are_those_of_the_group() {
    let target = Target {
        generation: Generation::V3,
        ..ZICOND
    };
    let check = |barriers: &[Inst]| {
        let number = Inst::csrr(x::A0, csr::CTA_ID);
        let second = Inst::i(Opcode::Ori, x::A2, x::A0, SECOND_BARRIER.cast_signed());
        let mut code = vec![number, Inst::csrr(x::A1, csr::CTA_SIZE), second];
        code.extend(barriers);
        // Over the window, in which the warp begins again.
        code.push(Inst::jal(x::ZERO, 8));
        code.push(Inst::jal(x::ZERO, -4 * code.len() as i32));
        code.extend([WORK, WORK, Inst::of(Opcode::Wsync), END]);
        let code: Vec<_> = code.into_iter().map(placed).collect();
        verify(&code, 0, 0, target).map_err(|e| e.to_string())
    };
    let whole = Inst::simt(Opcode::Bar, x::A0, x::A1);
    let arrive = |number, warps| Inst::r(Opcode::BarArrive, x::A3, number, warps);
    let wait = |number, phase| Inst::simt(Opcode::BarWait, number, phase);
    check(&[whole, arrive(x::A2, x::A1), wait(x::A2, x::A3)]).unwrap();
    for wrong in [
        &[Inst::simt(Opcode::Bar, x::A2, x::A1)][..],
        &[Inst::simt(Opcode::Bar, x::A0, x::A0)],
        &[arrive(x::A0, x::A1)],
        &[arrive(x::A2, x::A2)],
        &[wait(x::A2, x::A3)],
        &[arrive(x::A2, x::A1), wait(x::A0, x::A3)],
        &[arrive(x::A2, x::A1), wait(x::A2, x::ZERO)],
    ] {
        let error = check(wrong).expect_err("another barrier");
        assert!(error.contains("not that of the warp's group"), "{error}");
    }
    let guarded = [split(x::A4, x::A1), arrive(x::A2, x::A1)];
    let error = check(&guarded).expect_err("a barrier of some");
    assert!(error.contains("waits for its branch"), "{error}");
}

#[test]
fn instructions_are_those_that_the_target_has() {
    let v2 = Target::FULL;
    let v3 = Target {
        generation: Generation::V3,
        ..v2
    };
    let without_atomics = Target {
        atomics: false,
        ..v2
    };
    let write = Inst::csr_op(Opcode::Csrrw, x::A0, csr::THREAD_ID, x::A1);
    for (inst, target, expected) in [
        (Inst::of(Opcode::AmoaddW), v2, true),
        (Inst::of(Opcode::AmoaddW), without_atomics, false),
        (Inst::of(Opcode::LrW), v2, false),
        (Inst::of(Opcode::ScW), v2, false),
        (Inst::of(Opcode::Wsync), v3, true),
        (Inst::of(Opcode::Wsync), v2, false),
        (Inst::csrr(x::A0, csr::THREAD_ID), v2, true),
        (Inst::csrr(x::A0, 0x123), v2, false),
        (Inst::csrr(x::A0, csr::CTA_ID), v2, false),
        (Inst::csrr(x::A0, csr::CTA_ID), v3, true),
        (write, v2, false),
    ] {
        assert_eq!(is_legal(inst, target), expected, "{inst}");
    }
}
