//! Cores in clusters, on Vortex 3. Its RTL, built with two clusters of two cores, makes the same of [`program`] where
//! two are to meet; of a count it keeps as many bits as a cluster's cores take, so that 4 is 2 there, and an error
//! here.

use crate::grid_programs::{grid, groups, launch, trap, v3};
use crate::harness::Asm;
use vortex_isa::{Opcode, csr, x};
use vortex_sim::{Checks, Config, ConfigError, Generation, Machine, Model, TrapKind, WaitReason};

/// Each of four cores stores 1 + its number to its word, meets others at a barrier for so many, and adds up the words
/// of its cluster, of which it does not know; the sum goes 8 words further.
fn program(count: u32) -> Asm {
    groups(|program| {
        program
            .csrr(x::A0, csr::MSCRATCH)
            .csrr(x::A1, csr::CORE_ID)
            .i(Opcode::Slli, x::A2, x::A1, 2)
            .r(Opcode::Add, x::A2, x::A0, x::A2)
            .i(Opcode::Addi, x::A3, x::A1, 1)
            .store(Opcode::Sw, x::A3, x::A2, 0)
            .li(x::T0, 1 << 31)
            .li(x::T1, count)
            .simt(Opcode::Bar, x::T0, x::T1)
            // The first of the two cores of a cluster.
            .i(Opcode::Srli, x::A3, x::A1, 1)
            .i(Opcode::Slli, x::A3, x::A3, 3)
            .r(Opcode::Add, x::A3, x::A0, x::A3)
            .i(Opcode::Lw, x::A4, x::A3, 0)
            .i(Opcode::Lw, x::A5, x::A3, 4)
            .r(Opcode::Add, x::A4, x::A4, x::A5)
            .store(Opcode::Sw, x::A4, x::A2, 32)
            .csrr(x::A4, csr::NUM_CORES)
            .store(Opcode::Sw, x::A4, x::A0, 64);
    })
}

fn config(cores: u32, clusters: u32) -> Config {
    Config {
        clusters,
        ..v3(cores, 2, 2)
    }
}

#[test]
fn cores_of_a_cluster_meet() {
    let four = grid([4, 1, 1], [2, 1, 1], 0);
    for deterministic in [true, false] {
        let config = Config {
            deterministic,
            checks: match deterministic {
                true => Checks::all(),
                false => Checks::none(),
            },
            ..config(4, 2)
        };
        let found = launch(config, &program(2), four, &[0; 32]);
        // Cores have numbers of all clusters, and count all.
        assert_eq!(found[..4], [1, 2, 3, 4]);
        assert_eq!(found[8..12], [3, 3, 7, 7]);
        assert_eq!(found[16], 4);
    }
}

#[test]
fn cores_of_different_clusters_do_not() {
    let four = grid([4, 1, 1], [2, 1, 1], 0);
    let kind = trap(config(4, 2), &program(4), four, &[0; 32]);
    let expected = 4;
    assert_eq!(
        kind,
        TrapKind::BarrierCount {
            id: 1 << 31,
            expected,
            most: 2
        }
    );
    assert_eq!(
        kind.to_string(),
        "global barrier 0 for 4 cores: each cluster of this device has 2, and 1 to 2 can meet"
    );
    for deterministic in [true, false] {
        let unwatched = Config {
            checks: Checks::none(),
            deterministic,
            ..config(4, 2)
        };
        let kind = trap(unwatched, &program(4), four, &[0; 32]);
        let TrapKind::Deadlock { waiting } = &kind else {
            panic!("{kind}");
        };
        let reason = WaitReason::GlobalBarrier {
            id: 0,
            arrived: 2,
            expected,
        };
        assert_eq!(waiting.len(), 4);
        assert!(waiting.iter().all(|warp| warp.reason == reason), "{kind}");
    }
}

#[test]
fn clusters_that_cannot_be() {
    let error = |config| Machine::new(config).err().unwrap();
    for (cores, clusters) in [(4, 0), (4, 3), (2, 4)] {
        let expected = ConfigError::Clusters { clusters, cores };
        assert_eq!(error(config(cores, clusters)), expected);
    }
    assert_eq!(
        error(config(4, 3)).to_string(),
        "4 cores cannot be in 3 clusters: each has as many"
    );
    let older = Config {
        generation: Generation::V2,
        ..config(4, 2)
    };
    assert_eq!(
        error(older).to_string(),
        "a device of Vortex 2 has 1 cluster, and 2 were asked for"
    );
    let timed = Config {
        model: Model::cycle(),
        ..config(4, 2)
    };
    assert_eq!(
        error(timed).to_string(),
        "the cycle model has 1 cluster, and 2 were asked for"
    );
}
