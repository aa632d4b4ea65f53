//! Barriers of Vortex 3 that are to wait for asynchronous copies (`expect_tx`), which the device does not make.

use crate::grid_programs::{grid, groups, launch, trap, v3, word};
use crate::harness::Asm;
use vortex_isa::{Opcode, csr, x};
use vortex_sim::{Checks, Config, TrapKind, WaitReason};

/// Barrier 3 of the group's slot.
const BARRIER: u32 = 3 << 8;

/// The first warp of a group has its barrier expect copies, as often as there are numbers, and stores the phase that it
/// is told; then all meet there if they are to, and the first warp stores 7.
fn program(numbers: &'static [u32], meet: bool) -> Asm {
    groups(|program| {
        program
            .csrr(x::S2, csr::CTA_RANK)
            .csrr(x::T0, csr::CTA_ID)
            .li(x::T1, BARRIER)
            .r(Opcode::Add, x::T0, x::T0, x::T1)
            .branch(Opcode::Bne, x::S2, x::ZERO, "meet");
        for number in numbers {
            program
                .li(x::T1, 1 << 31 | number)
                .r(Opcode::BarArrive, x::A3, x::T0, x::T1);
        }
        program.label("meet");
        if meet {
            program
                .csrr(x::T1, csr::CTA_SIZE)
                .simt(Opcode::Bar, x::T0, x::T1);
        }
        word(program, x::A1, x::S2);
        program
            .i(Opcode::Addi, x::A3, x::A3, 7)
            .branch(Opcode::Bne, x::S2, x::ZERO, "done")
            .store(Opcode::Sw, x::A3, x::A1, 0)
            .label("done");
    })
}

#[test]
fn expecting_copies_is_a_mistake() {
    // Two warps.
    let pair = grid([1, 1, 1], [4, 1, 1], 0);
    for meet in [false, true] {
        for (number, copies, said) in [
            (&[1][..], 1, "1 asynchronous copy"),
            (&[2], 2, "2 asynchronous copies"),
            // The hardware takes 5 bits of what is 1 less.
            (&[0], 32, "32 asynchronous copies"),
            (&[33], 1, "1 asynchronous copy"),
        ] {
            let kind = trap(v3(1, 4, 2), &program(number, meet), pair, &[0; 2]);
            let id = BARRIER;
            assert_eq!(kind, TrapKind::ExpectsCopies { id, copies });
            assert_eq!(
                kind.to_string(),
                format!(
                    "barrier 768 is to wait for {said}, which this device does not make: whoever waits there would \
                     wait for ever; leave out what expects them (`expect_tx`), or run this on a device with DXA"
                )
            );
        }
    }
}

#[test]
fn unwatched_they_are_expected_as_in_hardware() {
    let pair = grid([1, 1, 1], [4, 1, 1], 0);
    let config = Config {
        checks: Checks::none(),
        ..v3(1, 4, 2)
    };
    // Nobody waits.
    assert_eq!(
        launch(config.clone(), &program(&[2], false), pair, &[9; 2]),
        [7, 9]
    );
    // All are there, but not the copies.
    let kind = trap(config.clone(), &program(&[2, 3], true), pair, &[0; 2]);
    let TrapKind::Deadlock { waiting } = &kind else {
        panic!("{kind}");
    };
    let reason = WaitReason::Copies {
        id: BARRIER,
        copies: 5,
    };
    assert_eq!(waiting.len(), 2);
    assert!(waiting.iter().all(|warp| warp.reason == reason), "{kind}");
    assert!(
        kind.to_string()
            .contains("barrier 768, for 5 asynchronous copies to end, which nothing makes here"),
        "{kind}"
    );
    // There are 6 bits for them: so does Vortex's RTL, where 32 and 32 let them go on, and 31 and 33, which is 1, do
    // not.
    assert_eq!(
        launch(config, &program(&[32, 32], true), pair, &[9; 2]),
        [7, 9]
    );
}
