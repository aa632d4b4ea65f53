//! What is said of mistakes: what happened, and what would have been right.

use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{
    Access, AccessKind, Origin, RacingAccess, Trap, TrapKind, UninitialisedUse, WaitReason, Waiting,
};

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
    let waiting = Waiting {
        core: 0,
        warp: 1,
        pc: 0x8000_0014,
        word: Some(Inst::simt(Opcode::Bar, x::A1, x::A2).encode()),
        reason: WaitReason::Barrier {
            id: 0,
            arrived: 1,
            expected: 2,
        },
    };
    let cases = [
        (
            TrapKind::AccessDenied {
                access,
                address,
                size,
                allowed: Access::Read,
            },
            "forbidden store of 4 bytes at 0x1002: this memory is read-only; see to it that the pointer leads into a \
             buffer that can be written, and not to the program or its constants, or take a slice, whose indices are \
             checked",
        ),
        (
            TrapKind::AccessDenied {
                access: AccessKind::Load,
                address,
                size,
                allowed: Access::Write,
            },
            "forbidden load of 4 bytes at 0x1002: this memory is write-only; see to it that the pointer leads into a \
             buffer that can be read, or take a slice, whose indices are checked",
        ),
        (
            TrapKind::Misaligned {
                access,
                address,
                size,
            },
            "misaligned store of 4 bytes at 0x1002, which is no multiple of 4; step a pointer of this type by whole \
             elements, or go through the bytes one by one",
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
            TrapKind::BudgetSpent {
                budget: 100,
                livelock: false,
            },
            "still running after 100 instructions of warps, which is the budget: an endless loop, unless a larger budget is needed",
        ),
        (
            TrapKind::BudgetSpent {
                budget: 100,
                livelock: true,
            },
            "still running after 100 instructions of warps, which is the budget: a livelock: all warps that run \
             repeat atomic operations that change nothing; lanes of a warp go in step, so that none can wait in a \
             loop for what another one is to do after it, and not all groups of a launch run at a time; a sum needs \
             no lock, `x.atomic(i).fetch_add(v, Relaxed)`, nor does what `fetch_max` and other operations combine; \
             where there has to be one, let one item of each warp take it, `if warp::elect() { .. }`, and do the work \
             of all of them, from `warp::reduce_max(v)` and its like; and a second launch begins \
             when all items of the first have ended",
        ),
        (
            TrapKind::Livelock,
            "it will never end, for it is a livelock: all warps that run repeat atomic operations that change \
             nothing; lanes of a warp go in step, so that none can wait in a loop for what another one is to do \
             after it, and not all groups of a launch run at a time; a sum needs no lock, `x.atomic(i).fetch_add(v, \
             Relaxed)`, nor does what `fetch_max` and other operations combine; where there has to be one, let one \
             item of each warp take it, `if warp::elect() { .. }`, and do the work of all of them, from \
             `warp::reduce_max(v)` and its like; and a second launch begins when all items of the first have ended",
        ),
        (
            TrapKind::CyclesSpent { cycles: 100 },
            "still running after 100 cycles, which is all it was given",
        ),
        (
            TrapKind::FetchOutOfBounds,
            "execution left the program: there is no code here; warps end by `tmc` with no lanes",
        ),
        (
            TrapKind::MisalignedJump { target: 0x102 },
            "jump to 0x102, which is no multiple of 4",
        ),
        (
            TrapKind::OutOfBounds {
                access,
                address,
                size,
                nearest: Some((0x1000, 0x1003)),
            },
            "out-of-bounds store of 4 bytes at 0x1002, 2 bytes too long for the allocation at 0x1000 (4 bytes); \
             compare with the length of what the pointer leads into, or take a slice, whose indices are checked",
        ),
        (
            TrapKind::OutOfBounds {
                access,
                address,
                size,
                nearest: Some((0x1008, 0x1008)),
            },
            "out-of-bounds store of 4 bytes at 0x1002, 6 bytes before the allocation at 0x1008 (1 byte); compare \
             with the length of what the pointer leads into, or take a slice, whose indices are checked",
        ),
        (
            TrapKind::OutOfBounds {
                access: AccessKind::Load,
                address: 12,
                size: 2,
                nearest: Some((0x10000, 0x10003)),
            },
            "null pointer: load of 2 bytes at 0xc; a null pointer leads nowhere: ask `is_null()` before, `if \
             !pointer.is_null() { .. }`",
        ),
        (
            TrapKind::UseAfterFree {
                access,
                address,
                size,
                allocation: (0x1000, 0x10ff),
            },
            "use after free: store of 4 bytes at 0x1002, 2 bytes into the allocation at 0x1000 (256 bytes), which the host has freed; a buffer has to live as long as kernels use it",
        ),
        (
            TrapKind::DataRace {
                access,
                address,
                size,
                first: RacingAccess {
                    access: AccessKind::Atomic,
                    pc: 0x8000_0020,
                    word: Inst::r(Opcode::AmoaddW, x::A0, x::A1, x::A2).encode(),
                    core: 3,
                    warp: 4,
                    lane: 5,
                    work: None,
                },
            },
            "data race: store of 4 bytes at 0x1002 and atomic access by core 3, warp 4, lane 5 (at 0x80000020: amoadd.w a0, a2, (a1)); a barrier between them would order them in a group, and everywhere a second launch, or another buffer to write to; atomic operations do not race, and one work item may access an element as it likes; the check is `Checks::races` or `foreign_races`, and VORTEX_CHECKS=-races,-foreign-races turns it off",
        ),
        (
            TrapKind::StaleRead {
                address,
                size,
                first: RacingAccess {
                    access: AccessKind::Store,
                    pc: 0x8000_0020,
                    word: Inst::s(Opcode::Sw, x::A0, x::A1, 4).encode(),
                    core: 3,
                    warp: 4,
                    lane: 5,
                    work: None,
                },
            },
            "stale data: load of 4 bytes at 0x1002, of which this core's data cache may still hold what was there before the store by core 3, warp 4, lane 5 (at 0x80000020: sw a0, 4(a1)); a barrier orders them, but does not renew caches: execute a `fence` on this core between the barrier and the load; the check is `Checks::races` or `foreign_races`, and VORTEX_CHECKS=-races,-foreign-races turns it off",
        ),
        (
            TrapKind::LentMemory {
                access,
                address,
                size,
            },
            "store of 4 bytes at 0x1002, in what the kernel was given by `&`, a slice or texture that nothing may change during the launch; take it by `&mut`, or store to a part of the buffer that was not given; the check is `Checks::races` or `foreign_races`, and VORTEX_CHECKS=-races,-foreign-races turns it off",
        ),
        (
            TrapKind::StoreCollision {
                address,
                size,
                other: 6,
            },
            "data race: lane 6 stores another value to 0x1002 (4 bytes) with the same instruction; one lane may store there, or all the same value; the check is `Checks::races` or `foreign_races`, and VORTEX_CHECKS=-races,-foreign-races turns it off",
        ),
        (
            TrapKind::LostUpdate {
                address,
                size,
                other: 6,
            },
            "lost update: lane 6 changes the same 4 bytes at 0x1002 with the same instruction; both begin with what was there before, so that one of the changes is lost; make it one step, such as `x.atomic(i).fetch_add(1, Relaxed)`, or leave it to a single work item; the check is `Checks::lost_updates`, and VORTEX_CHECKS=-lost-updates turns it off",
        ),
        (
            TrapKind::Uninitialised {
                what: UninitialisedUse::Branch,
                register: "a0",
                bits: 0xff,
                origin: Origin::Register,
            },
            "use of uninitialised data: a branch is decided by a0, in its bits 0xff, which was never written, or comes from a register that was not; it has to be written before it is used",
        ),
        (
            TrapKind::InvalidCsr {
                csr: 0x7c0,
                write: false,
            },
            "CSR 0x7c0 does not exist on this device",
        ),
        (
            TrapKind::InvalidCsr {
                csr: csr::MHARTID,
                write: true,
            },
            "CSR mhartid cannot be written: it is read-only",
        ),
        (
            TrapKind::DivergentCsrWrite { csr: csr::FRM },
            "the active lanes write different values to CSR frm, of which a warp has one: all have to write the same",
        ),
        (
            TrapKind::SplitOverflow { limit: 3 },
            "split: all 3 levels of divergence of this warp are in use, one less than it has lanes; some need their joins first",
        ),
        (
            TrapKind::OpenSplits { open: 1, lanes: 6 },
            "the warp ended with 1 open split: lanes 0x6 were still to go on, and every split needs its join first",
        ),
        (
            TrapKind::BarrierCount {
                id: 1,
                expected: 0,
                most: 4,
            },
            "barrier 1 for 0 warps: a core of this device has 4, and 1 to 4 can meet",
        ),
        (
            TrapKind::BarrierCount {
                id: 1 << 31,
                expected: 9,
                most: 2,
            },
            "global barrier 0 for 9 cores: each cluster of this device has 2, and 1 to 2 can meet",
        ),
        (
            TrapKind::ExpectsCopies { id: 0, copies: 2 },
            "barrier 0 is to wait for 2 asynchronous copies, which this device does not make: whoever waits there would wait for ever; leave out what expects them (`expect_tx`), or run this on a device with DXA",
        ),
        (
            TrapKind::BarrierMismatch {
                expected: 3,
                first: waiting.clone(),
            },
            "barrier mismatch: this warp is to wait for 3 in all, and core 0, warp 1 waits for another number (barrier 0, where 1 of 2 warps arrived, at 0x80000014: bar a1, a2); all who meet have to ask for the same",
        ),
        (
            TrapKind::OtherBarrier {
                first: waiting.clone(),
            },
            "barrier mismatch: core 0, warp 1 waits for this warp, but elsewhere or for another group (barrier 0, where 1 of 2 warps arrived, at 0x80000014: bar a1, a2); all warps of a group have to come to the same barriers",
        ),
        (
            TrapKind::DivergentBarrier {
                id: 1,
                lanes: 3,
                others: 12,
            },
            "divergent barrier: lanes 0x3 come to barrier 1 without lanes 0xc of their warp, which a split has sent another way; all lanes that work have to come together",
        ),
        (
            TrapKind::Deadlock {
                waiting: vec![waiting],
            },
            "deadlock: every warp that is left waits for warps that do not come; all warps of a group have to come to the same barriers\n  \
             core 0, warp 1: barrier 0, where 1 of 2 warps arrived, at 0x80000014: bar a1, a2",
        ),
        (
            TrapKind::NoProgress {
                cycle: 7,
                state: "core 0: warp 1 Held at 0x80000014, 2 under way".to_owned(),
            },
            "internal error: the cycle model executes nothing any more in cycle 7, although no warp waits for another; please report this with the program, which the functional model (VORTEX_MODEL=functional) may still run\n  \
             core 0: warp 1 Held at 0x80000014, 2 under way",
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
