#![allow(clippy::unwrap_used)]
use super::*;
use crate::debug::Terms;
use crate::{Access, Checks, Config, Generation, Machine, Model, RunStats};
use vortex_isa::{Inst, Opcode, csr, x};

/// Loads, floats, a split, local memory and a loop, in all lanes of a warp.
fn program() -> Vec<Inst> {
    let addi = |rd, rs1, imm| Inst::i(Opcode::Addi, rd, rs1, imm);
    let mut code = vec![
        addi(x::T0, x::ZERO, -1),
        Inst::simt(Opcode::Tmc, x::T0, 0),
        Inst::csrr(x::A0, csr::MSCRATCH),
        Inst::csrr(x::A1, csr::THREAD_ID),
        Inst::csrr(x::A3, csr::LOCAL_MEM_BASE),
        // Lanes are 256 bytes apart, and in one bank of local memory.
        Inst::i(Opcode::Slli, x::A2, x::A1, 8),
        Inst::r(Opcode::Add, x::A0, x::A0, x::A2),
        Inst::r(Opcode::Add, x::A3, x::A3, x::A2),
        Inst::i(Opcode::Sltiu, x::T1, x::A1, 2),
        addi(x::S0, x::ZERO, 50),
    ];
    let body = [
        Inst::i(Opcode::Flw, 1, x::A0, 0),
        Inst::r(Opcode::Fadd, 2, 1, 2),
        Inst::r(Opcode::Fdiv, 3, 2, 1),
        Inst::s(Opcode::Sw, x::S0, x::A3, 0),
        Inst::i(Opcode::Lw, x::T2, x::A3, 0),
        Inst::s(Opcode::Sw, x::T2, x::A0, 4),
        addi(x::S0, x::S0, -1),
        Inst::b(Opcode::Bne, x::S0, x::ZERO, -28),
    ];
    code.extend(body);
    code.push(Inst::simt(Opcode::Tmc, x::ZERO, 0));
    code
}

fn run(generation: Generation, model: Model, recording: Option<&mut Recording>) -> RunStats {
    let mut machine = Machine::new(Config {
        model,
        generation,
        checks: Checks::none(),
        ..Config::with_shape(2, 4, 4)
    })
    .unwrap();
    let buffer = machine.alloc(1 << 12, Access::ReadWrite).unwrap();
    machine.write(buffer, &[1; 1 << 12]).unwrap();
    let code = machine.alloc(1 << 12, Access::Read).unwrap();
    let bytes: Vec<u8> = program()
        .iter()
        .flat_map(|inst| inst.encode().to_le_bytes())
        .collect();
    machine.write(code, &bytes).unwrap();
    let mut lent = std::iter::empty();
    let terms = Terms::of(&mut lent, &|_| {});
    let terms = match recording {
        Some(recording) => terms.recorded(recording),
        None => terms,
    };
    machine.run_on(code, buffer, terms).unwrap()
}

#[test]
fn recording_changes_no_cycle_and_loses_none() {
    for generation in [Generation::V2, Generation::V3] {
        let mut recording = Recording::of_profile().with_trace(TraceLimits::default());
        let plain = run(generation, Model::cycle(), None);
        let recorded = run(generation, Model::cycle(), Some(&mut recording));
        assert_eq!(plain, recorded);
        // Also where the device counts no cycles otherwise.
        let mut again = Recording::of_profile();
        let functional = run(generation, Model::Functional, Some(&mut again));
        assert_eq!(functional.timing, plain.timing);

        let (timing, profile) = (plain.timing.unwrap(), recording.profile.unwrap());
        assert_eq!(again.profile.as_ref(), Some(&profile));
        let sum = |of: fn(&PcProfile) -> u64| profile.by_pc.values().map(of).sum::<u64>();
        let awaited = profile.by_pc.values();
        let awaited = awaited.fold(Stalls::default(), |sum, pc| sum.plus(&pc.awaited));
        assert_eq!(
            awaited.plus(&Stalls {
                idle: timing.stalls.idle,
                ..Stalls::default()
            }),
            timing.stalls
        );
        assert_eq!(profile.warps().of(WarpState::Issued), timing.instructions);
        let lines = profile.timeline.warps.iter();
        let total = lines.fold(WarpCycles::default(), |sum, warp| sum.plus(&warp.total()));
        assert_eq!(total, profile.warps());
        assert_eq!(sum(|pc| pc.local_accesses), 2 * 2 * 50);
        assert_eq!(sum(|pc| pc.local_turns), 4 * 2 * 2 * 50);
        // Four cores of Vortex 2 share a socket, and each of Vortex 3 has one.
        let sockets = if generation == Generation::V2 { 1 } else { 2 };
        assert_eq!(profile.footprint.loaded, sockets * 4, "lines of each");

        let trace = recording.trace.unwrap();
        assert_eq!(
            (trace.instructions.len() as u64, trace.left_out),
            (timing.instructions, 0)
        );
        for record in &trace.instructions {
            let stages = [
                record.scheduled,
                record.fetched,
                record.decoded,
                record.issued,
                record.dispatched,
                record.committed,
            ];
            assert!(stages.is_sorted(), "{record:?}");
        }
    }
}

#[test]
fn slots_count_for_what_is_waited_for() {
    let mut recording = Recording::of_profile();
    let stats = run(Generation::V2, Model::cycle(), Some(&mut recording));
    let (timing, profile) = (stats.timing.unwrap(), recording.profile.unwrap());
    let first = *timing.by_pc.keys().next().unwrap();
    let at = |index: u32| profile.by_pc[&(first + 4 * index)];
    let waits = |index: u32| timing.by_pc[&(first + 4 * index)].stalls;
    // The sum waits for the load, the quotient for the sum; lanes of the load are far apart.
    assert!(waits(11).memory > 1000 && at(11).awaited.memory == 0);
    assert!(at(10).awaited.memory >= waits(11).memory);
    assert!(at(11).awaited.fpu >= waits(12).fpu);
    assert_eq!(
        (at(10).strides.usual(), at(10).turns),
        (Some(256), 4 * 50 * 2)
    );
    assert_eq!(at(14).local_turns, 4 * at(14).local_accesses);
}
