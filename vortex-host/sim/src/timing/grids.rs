//! Grids of work groups whose cycles were measured on the hardware description of Vortex 3 (upstream's d76b7f24e).
//!
//! Each program was put into an image at the address that it has here, with its words after the argument, and launched
//! with the same grid.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::TimingConfig;
use crate::debug::Terms;
use crate::{Access, Checks, Config, Grid, Machine, Model};
use vortex_isa::{Generation, Inst, Opcode, csr, x};

const WORDS: usize = 1 << 16;

fn addi(rd: u8, rs1: u8, imm: i32) -> Inst {
    Inst::i(Opcode::Addi, rd, rs1, imm)
}

/// `body` for each group: with the buffer in a0, the item's number in a1 and the address of its word in a2, and behind
/// it the window that a warp's next group begins in.
fn program(body: &[Inst]) -> Vec<Inst> {
    let mut code = vec![
        Inst::csrr(x::A0, csr::MSCRATCH),
        Inst::csrr(x::T0, csr::CTA_BLOCK_ID_X),
        Inst::csrr(x::T1, csr::CTA_BLOCK_DIM_X),
        Inst::r(Opcode::Mul, x::T0, x::T0, x::T1),
        Inst::csrr(x::T1, csr::CTA_RANK),
        Inst::csrr(x::T2, csr::NUM_THREADS),
        Inst::r(Opcode::Mul, x::T1, x::T1, x::T2),
        Inst::csrr(x::T2, csr::THREAD_ID),
        Inst::r(Opcode::Add, x::T0, x::T0, x::T1),
        Inst::r(Opcode::Add, x::A1, x::T0, x::T2),
        Inst::i(Opcode::Slli, x::A2, x::A1, 2),
        Inst::r(Opcode::Add, x::A2, x::A2, x::A0),
    ];
    code.extend(body);
    code.push(Inst::of(Opcode::Wsync));
    code.push(Inst::jal(x::ZERO, 20));
    code.push(Inst::jal(x::ZERO, -4 * code.len() as i32));
    code.extend([Inst::nop(); 3]);
    code.push(Inst::simt(Opcode::Tmc, x::ZERO, 0));
    code
}

fn programs() -> Vec<(&'static str, Vec<Inst>, u32)> {
    let load = Inst::i(Opcode::Lw, x::A3, x::A2, 0);
    let store = Inst::s(Opcode::Sw, x::A3, x::A2, 0);
    let local = [
        Inst::csrr(x::T3, csr::CTA_LMEM_ADDR),
        Inst::csrr(x::T4, csr::CTA_RANK),
        Inst::csrr(x::T5, csr::NUM_THREADS),
        Inst::r(Opcode::Mul, x::T4, x::T4, x::T5),
        Inst::csrr(x::T5, csr::THREAD_ID),
        Inst::r(Opcode::Add, x::T4, x::T4, x::T5),
        Inst::i(Opcode::Slli, x::T4, x::T4, 2),
        Inst::r(Opcode::Add, x::T3, x::T3, x::T4),
        Inst::csrr(x::S2, csr::CTA_ID),
        Inst::csrr(x::S3, csr::CTA_SIZE),
    ];
    let to_local = Inst::s(Opcode::Sw, x::A3, x::T3, 0);
    let from_local = Inst::i(Opcode::Lw, x::A3, x::T3, 0);
    let meet = Inst::simt(Opcode::Bar, x::S2, x::S3);
    let with = |before: &[Inst], body: &[Inst]| program(&[before, body].concat());
    let halves = [
        load,
        Inst::r(Opcode::BarArrive, x::S4, x::S2, x::S3),
        addi(x::A4, x::A4, 1),
        addi(x::A4, x::A4, 1),
        addi(x::A4, x::A4, 1),
        Inst::simt(Opcode::BarWait, x::S2, x::S4),
        addi(x::A3, x::A3, 1),
        store,
    ];
    let floats = [
        Inst::i(Opcode::Flw, 1, x::A2, 0),
        Inst::r(Opcode::Fadd, 2, 1, 1),
        Inst::r(Opcode::Fmul, 3, 1, 1),
        Inst::r(Opcode::Fsgnj, 4, 1, 2),
        Inst::csrr(x::A4, csr::FFLAGS),
        Inst::r4(Opcode::Fmadd, 5, 1, 2, 3),
        Inst::r(Opcode::Fmax, 6, 5, 4),
        Inst::s(Opcode::Fsw, 6, x::A2, 0),
    ];
    vec![
        ("nothing", program(&[]), 0),
        ("words", program(&[load, addi(x::A3, x::A3, 1), store]), 0),
        (
            "rows",
            program(&[
                Inst::i(Opcode::Slli, x::A2, x::A1, 6),
                Inst::r(Opcode::Add, x::A2, x::A2, x::A0),
                load,
                Inst::i(Opcode::Lw, x::A4, x::A2, 4),
                Inst::r(Opcode::Add, x::A3, x::A3, x::A4),
                store,
                Inst::s(Opcode::Sw, x::A3, x::A2, 32),
            ]),
            0,
        ),
        (
            "meeting",
            with(&local, &[load, to_local, meet, from_local, meet, store]),
            1024,
        ),
        ("halves", with(&local, &halves), 0),
        ("floats", program(&floats), 0),
    ]
}

/// Groups, items of each, and the shape of the device.
type Launch = (u32, u32, [u32; 3]);

const LAUNCHES: [Launch; 5] = [
    (8, 16, [1, 4, 4]),
    (100, 4, [1, 4, 4]),
    (40, 8, [1, 4, 4]),
    (30, 64, [1, 8, 8]),
    (60, 16, [1, 8, 8]),
];

/// What a launch takes in the model; the command line that measures it, too.
fn cycles(code: &[Inst], (groups, items, shape): Launch, local_bytes: u32) -> (u64, String) {
    let [cores, warps, threads] = shape;
    let mut machine = Machine::new(Config {
        generation: Generation::V3,
        model: Model::Cycle(Box::new(TimingConfig::of(Generation::V3))),
        checks: Checks::none(),
        ..Config::with_shape(cores, warps, threads)
    })
    .unwrap();
    let buffer = machine.alloc(4 * WORDS as u64, Access::ReadWrite).unwrap();
    machine.write(buffer, &[0; 4 * WORDS]).unwrap();
    let start = machine.alloc(1 << 12, Access::Read).unwrap();
    let bytes: Vec<u8> = (code.iter())
        .flat_map(|inst| inst.encode().to_le_bytes())
        .collect();
    machine.write(start, &bytes).unwrap();
    let grid = Grid {
        groups: [groups, 1, 1],
        items: [items, 1, 1],
        local_bytes,
        entry: start,
    };
    let mut lent = std::iter::empty();
    let terms = Terms::of(&mut lent, &|_| {});
    let stats = machine.launch(start, buffer, &grid, terms).unwrap();
    let line = format!("-g {groups} -b {items} -l {local_bytes} -A {buffer:#x} at {start:#x}");
    (stats.cycles.unwrap(), line)
}

/// Cycles in hardware, by program and launch. The halves of barriers of several groups in a core hang it: what it reads
/// of a barrier's phase is what it writes of another's in the same cycle (`phase_r` of `VX_bar_unit`).
const HARDWARE: [[Option<u64>; LAUNCHES.len()]; 6] = [
    [Some(1467), Some(4599), Some(3608), Some(6482), Some(3273)],
    [Some(1999), Some(6139), Some(4885), Some(8617), Some(4263)],
    [
        Some(2428),
        Some(7498),
        Some(5924),
        Some(26_556),
        Some(12_785),
    ],
    [Some(3155), Some(9651), Some(7647), Some(14_480), Some(6898)],
    [Some(2979), Some(9302), None, None, None],
    [Some(2473), Some(7687), Some(6085), Some(10_623), Some(5257)],
];

#[test]
fn grids_take_as_long_as_in_hardware() {
    for ((name, code, local_bytes), hardware) in programs().into_iter().zip(HARDWARE) {
        for (launch, hardware) in LAUNCHES.into_iter().zip(hardware) {
            let (model, line) = cycles(&code, launch, local_bytes);
            let Some(hardware) = hardware else { continue };
            assert_eq!(model, hardware, "{name} ({line})");
        }
    }
}
