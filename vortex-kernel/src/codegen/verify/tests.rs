//! Images that must be rejected, and shapes that must not.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;

const ZICOND: Target = Target {
    generation: Generation::V2,
    zicond: true,
    atomics: false,
    warp_ops: false,
};

fn placed(inst: Inst) -> Placed {
    let branch = (inst.opcode.info().class == Class::Branch).then_some(Branch::Guarded);
    Placed {
        branch,
        ..Placed::made_up(inst)
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
    // The word is made again between the two.
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

/// What is known about two registers, one after the other, where two ways come together: the names that they have then.
fn joined(one: [Name; 2], other: [Name; 2]) -> [Name; 2] {
    let with = |names: [Name; 2]| {
        let mut state = State::start();
        state.set(x::A1, names[0]);
        state.set(x::A2, names[1]);
        state
    };
    let mut state = with(one);
    state.join(&with(other), 9).unwrap();
    // The same once more says nothing new.
    assert_eq!(state.clone().join(&state, 9), Ok(false));
    [state.get(x::A1), state.get(x::A2)]
}

#[test]
fn ways_that_come_together_keep_what_is_one_word_on_both() {
    let made = |at| Name::of(Kind::Made(at));
    let are_one = |one, other| {
        let [a, b] = joined(one, other);
        a == b && a != Name::UNKNOWN
    };
    // One word on each way, but not the same one; then again, without a change and with each of them changed.
    let copies = joined([made(1); 2], [made(2); 2]);
    assert_eq!(copies[0], copies[1]);
    assert_eq!(joined(copies, copies), copies);
    assert!(!are_one(copies, [made(5), copies[1]]));
    assert!(!are_one(copies, [copies[0], made(5)]));
    assert!(are_one(copies, [made(5); 2]));
    // Two words on each way, or on one.
    assert!(!are_one([made(1), made(3)], [made(2), made(4)]));
    assert!(!are_one([made(1), made(3)], [made(2); 2]));
    assert!(!are_one([made(1); 2], [made(2), made(4)]));
    // Words that nothing is known about are not one.
    assert!(!are_one([Name::UNKNOWN; 2], [made(1); 2]));
    assert!(!are_one([made(1); 2], [Name::UNKNOWN; 2]));
    assert!(!are_one([Name::UNKNOWN; 2], [Name::UNKNOWN; 2]));
}

#[test]
fn ways_that_come_together_wait_for_one_branch() {
    let name = Name::of(Kind::Made(1));
    let joins = |one: Guard, other: Guard| {
        let [mut one, other] = [one, other].map(|guard| {
            let mut state = State::start();
            state.guard = guard;
            state
        });
        one.join(&other, 9).is_ok()
    };
    let guards = [
        Guard::None,
        Guard::Split(1, name),
        Guard::Split(2, name),
        Guard::Pred(name, true),
        Guard::Pred(name, false),
    ];
    for (at, one) in guards.into_iter().enumerate() {
        for (also_at, other) in guards.into_iter().enumerate() {
            assert_eq!(joins(one, other), at == also_at, "{one:?} {other:?}");
        }
    }
}

#[test]
fn each_word_of_the_frame_has_a_place_of_its_own() {
    let [first, second, far] = [0, 4, 80_000].map(|offset| Location::slot(offset).unwrap());
    assert!(first < second && second < far);
    let mut state = State::start();
    let names = [1, 2, 3].map(|at| Name::of(Kind::Made(at)));
    state.guard = Guard::Split(1, names[0]);
    state.set(x::T6, names[1]);
    state.set_slot(first, names[2]);
    // Whatever has another name on the other way gets one that says where it is.
    let mut other = State::start();
    other.guard = Guard::Split(1, names[1]);
    other.set(x::T6, names[2]);
    state.join(&other, 9).unwrap();
    let Guard::Split(_, guard) = state.guard else {
        panic!("{:?}", state.guard);
    };
    let places = [guard, state.get(x::T6), state.slot(first)];
    for (at, place) in places.iter().enumerate() {
        assert!(!places[..at].contains(place), "{places:?}");
    }
    assert_eq!(Location::slot(-4), None);
    assert_eq!(Location::slot(4 * i32::from(u16::MAX)), None);
}

#[test]
fn objects_of_the_program_are_not_what_cranelift_keeps() {
    const PRIVATE: i32 = 16;
    // A token that is kept in the frame, and what is done between that and its reload.
    let kept = |at: i32, between: &[Inst]| {
        let mut code = vec![
            Inst::i(Opcode::Addi, x::A2, x::SP, 0),
            Inst::i(Opcode::Addi, x::A3, x::SP, PRIVATE),
            split(x::A0, x::A1),
            Inst::s(Opcode::Sw, x::A0, x::SP, at),
        ];
        code.extend(between);
        let reload = Inst::i(Opcode::Lw, x::A0, x::SP, at);
        code.extend([beqz(x::A1, 8), WORK, reload, join(x::A0), END]);
        let code: Vec<_> = code.into_iter().map(placed).collect();
        verify(&code, 0, PRIVATE.cast_unsigned(), ZICOND).map_err(|e| e.to_string())
    };
    let store = |register, at| Inst::s(Opcode::Sw, x::A5, register, at);
    for at in [PRIVATE, PRIVATE + 4] {
        kept(at, &[]).unwrap();
        // Through a pointer to an object, wherever it seems to go.
        kept(at, &[store(x::A2, at)]).unwrap();
    }
    for (at, between) in [
        (0, &[][..]),
        (PRIVATE - 4, &[]),
        // Over the token, by sp and by an address that is none of an object's.
        (PRIVATE, &[store(x::SP, PRIVATE)]),
        (PRIVATE, &[store(x::A3, 0)]),
    ] {
        let error = kept(at, between).expect_err("another word");
        assert!(error.contains("something else than the token"), "{error}");
    }
}

#[test]
fn warps_are_spawned_by_the_start_where_it_goes_on() {
    let spawning = |start_length, offset| {
        let code = [
            Inst::u(Opcode::Auipc, x::A1, 0),
            Inst::i(Opcode::Addi, x::A1, x::A1, offset),
            Inst::simt(Opcode::Wspawn, x::A0, x::A1),
            END,
        ];
        verify(&code.map(placed), start_length, 0, ZICOND).map_err(|e| e.to_string())
    };
    spawning(3, 12).unwrap();
    for (start_length, offset) in [(3, 8), (3, 16), (2, 12), (0, 12), (0, 8)] {
        let error = spawning(start_length, offset).expect_err("spawned elsewhere");
        assert!(error.contains("spawned by the start"), "{error}");
    }
}
