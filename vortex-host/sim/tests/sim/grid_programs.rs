//! Programs of work groups, and devices of Vortex 3 that run them.

use crate::harness::{Asm, CODE, bytes, machine, words};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::debug::Terms;
use vortex_sim::{Access, Checks, Config, Generation, Grid, LaunchError, RunStats, TrapKind};

/// A device of Vortex 3 that watches for everything.
pub(crate) fn v3(cores: u32, warps: u32, threads: u32) -> Config {
    Config {
        generation: Generation::V3,
        checks: Checks {
            lockstep: false,
            ..Checks::all()
        },
        ..Config::with_shape(cores, warps, threads)
    }
}

pub(crate) fn grid(groups: [u32; 3], items: [u32; 3], local_bytes: u32) -> Grid {
    Grid {
        groups,
        items,
        local_bytes,
        entry: CODE,
    }
}

/// Runs a grid, with a buffer of words in `mscratch`.
pub(crate) fn try_launch(
    config: Config,
    program: &Asm,
    grid: Grid,
    buffer: &[u32],
) -> Result<(Vec<u32>, RunStats), LaunchError> {
    let mut machine = machine(config, program);
    let size = buffer.len() as u64 * 4;
    let address = machine.alloc(size, Access::ReadWrite).unwrap();
    machine.write(address, &bytes(buffer)).unwrap();
    let mut lent = std::iter::empty();
    let terms = Terms::of(&mut lent, &|_| {});
    let stats = machine.launch(CODE, address, &grid, terms)?;
    let mut result = vec![0; size as usize];
    machine.read(address, &mut result).unwrap();
    Ok((words(&result), stats))
}

pub(crate) fn launch(config: Config, program: &Asm, grid: Grid, buffer: &[u32]) -> Vec<u32> {
    match try_launch(config, program, grid, buffer) {
        Ok((buffer, _)) => buffer,
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn trap(config: Config, program: &Asm, grid: Grid, buffer: &[u32]) -> TrapKind {
    match try_launch(config, program, grid, buffer) {
        Err(LaunchError::Trap(trap)) => trap.kind,
        other => panic!("{other:?}"),
    }
}

/// A program that does `body` for each warp of each group: its first five instructions are the window in which a warp
/// begins with the next group.
pub(crate) fn groups(body: impl FnOnce(&mut Asm)) -> Asm {
    let mut program = Asm::new();
    program.jump("body");
    program.all([Inst::nop(); 3]);
    program.label("end").end().label("body");
    body(&mut program);
    program.jump("end");
    program
}

/// `rd` = the number of the group, x first; `t5` and `t6` are lost.
fn group_number(program: &mut Asm, rd: u8) {
    program
        .csrr(x::T5, csr::CTA_GRID_DIM_Y)
        .csrr(rd, csr::CTA_BLOCK_ID_Z)
        .r(Opcode::Mul, rd, rd, x::T5)
        .csrr(x::T5, csr::CTA_BLOCK_ID_Y)
        .r(Opcode::Add, rd, rd, x::T5)
        .csrr(x::T5, csr::CTA_GRID_DIM_X)
        .r(Opcode::Mul, rd, rd, x::T5)
        .csrr(x::T5, csr::CTA_BLOCK_ID_X)
        .r(Opcode::Add, rd, rd, x::T5);
}

/// `rd` = the number of the work item in its group, by rank and lane; `t5` is lost.
pub(crate) fn item_number(program: &mut Asm, rd: u8) {
    program
        .csrr(rd, csr::CTA_RANK)
        .csrr(x::T5, csr::NUM_THREADS)
        .r(Opcode::Mul, rd, rd, x::T5)
        .csrr(x::T5, csr::THREAD_ID)
        .r(Opcode::Add, rd, rd, x::T5);
}

/// `rd` = the address of word `number` of the buffer.
pub(crate) fn word(program: &mut Asm, rd: u8, number: u8) {
    program
        .i(Opcode::Slli, rd, number, 2)
        .csrr(x::T5, csr::MSCRATCH)
        .r(Opcode::Add, rd, rd, x::T5);
}

/// `s2` = the number of the item in the whole grid, `s3` = in its group.
pub(crate) fn global_number(program: &mut Asm) {
    group_number(program, x::S2);
    item_number(program, x::S3);
    for axis in [
        csr::CTA_BLOCK_DIM_X,
        csr::CTA_BLOCK_DIM_Y,
        csr::CTA_BLOCK_DIM_Z,
    ] {
        program
            .csrr(x::T5, axis)
            .r(Opcode::Mul, x::S2, x::S2, x::T5);
    }
    program.r(Opcode::Add, x::S2, x::S2, x::S3);
}
