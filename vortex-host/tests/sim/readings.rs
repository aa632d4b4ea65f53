//! What is said of mistakes: what happened, and what would have been right.

use vortex_host::sim::{Access, AccessKind, Trap, TrapKind, WaitReason, Waiting};
use vortex_kernel::isa::{Inst, Opcode, x};

/// A trap of this kind at an instruction, or at a word that is none.
fn told(kind: TrapKind, word: u32) -> String {
    let trap = Trap {
        kind,
        pc: 0x8000_0010,
        core: 1,
        warp: 2,
        lane: Some(3),
        word: Some(word),
    };
    trap.to_string()
}

#[test]
fn instructions_that_a_device_lacks() {
    let word = Inst::r(Opcode::AmoaddW, x::A0, x::A1, x::A2).encode();
    assert_eq!(
        told(TrapKind::IllegalInstruction, word),
        "illegal instruction: this device is built without atomic operations (A)\n  \
         at 0x80000010: amoadd.w a0, a2, (a1)\n  core 1, warp 2, lane 3"
    );
    for (opcode, lacks) in [
        (Opcode::CzeroEqz, "Zicond"),
        (Opcode::ShflIdx, "votes and shuffles"),
    ] {
        let text = told(
            TrapKind::IllegalInstruction,
            Inst::r(opcode, x::A0, x::A1, x::A2).encode(),
        );
        assert!(text.contains(lacks), "{text}");
    }
    assert_eq!(
        told(TrapKind::IllegalInstruction, 0xffff_ffff),
        "illegal instruction: this word encodes none\n  at 0x80000010: 0xffffffff\n  core 1, warp 2, lane 3"
    );
}

#[test]
fn mistakes_say_what_would_be_right() {
    let (access, address, size) = (AccessKind::Store, 0x1002, 4);
    let cases = [
        (
            TrapKind::AccessDenied {
                access,
                address,
                size,
                allowed: Access::Read,
            },
            "forbidden store of 4 bytes at 0x1002: this memory is ",
        ),
        (
            TrapKind::Misaligned {
                access,
                address,
                size,
            },
            "misaligned store of 4 bytes at 0x1002, which is no multiple of 4",
        ),
        (
            TrapKind::ConsoleAccess {
                access,
                address: 0x40,
                size,
            },
            "store of 4 bytes at the console (0x40), which takes stores of single bytes only",
        ),
        (
            TrapKind::DivergentBranch {
                taken: 3,
                not_taken: 12,
            },
            "divergent branch: lanes 0x3 take it, lanes 0xc do not, and no split guards it",
        ),
        (
            TrapKind::DivergentJump {
                target: 0x100,
                other: 0x200,
            },
            "divergent jump: lanes of the warp go to 0x100 and to 0x200, and a warp is in one place; split them first",
        ),
        (
            TrapKind::InvalidRounding { frm: 5 },
            "frm holds 5, which is no rounding mode: those are 0 to 4",
        ),
        (
            TrapKind::JoinUnderflow,
            "join without an open split: each join ends one split",
        ),
        (
            TrapKind::JoinMismatch { depth: 0, open: 2 },
            "join to depth 0 while 2 splits are open: it does not belong to the innermost one, which is at depth 1",
        ),
        (
            TrapKind::InvalidBarrier { id: 7, limit: 2 },
            "barrier 7 does not exist: this device has numbers 0 to 1",
        ),
        (
            TrapKind::SpawnOutsideWarpZero,
            "wspawn outside of warp 0, which alone can start others",
        ),
        (
            TrapKind::BudgetSpent { budget: 100 },
            "still running after 100 instructions of warps, which is the budget: an endless loop, unless a larger budget is needed",
        ),
        (
            TrapKind::Deadlock {
                waiting: vec![Waiting {
                    core: 0,
                    warp: 1,
                    pc: 0x8000_0014,
                    reason: WaitReason::Barrier {
                        id: 0,
                        arrived: 1,
                        expected: 2,
                    },
                }],
            },
            "deadlock: every warp that is left waits\n  core 0, warp 1 before 0x80000014: barrier 0, where 1 of 2 warps arrived",
        ),
    ];
    for (kind, text) in cases {
        let told = told(kind, Inst::nop().encode());
        assert!(told.starts_with(text), "{told}");
        assert!(
            told.ends_with("\n  at 0x80000010: nop\n  core 1, warp 2, lane 3"),
            "{told}"
        );
    }
}
