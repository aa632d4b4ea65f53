//! CSR accesses.

use super::super::code::Op;
use super::super::layout::LOCAL;
use super::super::registers::{Row, SINK, lane, lane_mut, lanes_of};
use super::super::trap::TrapKind;
use super::{Context, Fault, branch, flags, lanes};
use vortex_isa::{Generation, Opcode, csr};

/// Machine-mode registers that exist in name only: zero, and deaf.
const INERT: [u16; 12] = [
    0x180, // satp
    0x300, // mstatus
    0x301, // misa
    0x302, // medeleg
    0x303, // mideleg
    0x304, // mie
    0x305, // mtvec
    0x341, // mepc
    0x342, // mcause
    0x3a0, // pmpcfg0
    0x3b0, // pmpaddr0
    0x744, // mnstatus
];

pub(super) fn execute(cx: &mut Context<'_>, opcode: Opcode, op: &Op) -> Result<(), Box<Fault>> {
    let number = (op.imm & 0xfff) as u16;
    let old = read(cx, number)?;
    let unknown = match number {
        csr::FFLAGS | csr::FCSR => flags::read(cx.warp).1,
        _ => 0,
    };

    let immediate = matches!(opcode, Opcode::Csrrwi | Opcode::Csrrsi | Opcode::Csrrci);
    let always = matches!(opcode, Opcode::Csrrw | Opcode::Csrrwi);
    // `csrr` reads x0 or the immediate 0 and writes nothing.
    let operand = if op.rs1 == 0 && !always {
        None
    } else if immediate {
        Some(u32::from(op.rs1))
    } else {
        let row = cx.warp.registers.row(op.rs1);
        let last = lane(row, cx.warp.last_lane());
        let different = lanes_of(cx.warp.mask()).find(|&n| lane(row, n) != last);
        if let (Some(n), true) = (different, cx.config.checks.divergence) {
            return Err(Fault::in_lane(
                TrapKind::DivergentCsrWrite { csr: number },
                n,
            ));
        }
        Some(last)
    };
    if let Some(operand) = operand {
        let new = match opcode {
            Opcode::Csrrw | Opcode::Csrrwi => operand,
            Opcode::Csrrs | Opcode::Csrrsi => old | operand,
            _ => old & !operand,
        };
        // Of the others of a CSR of flags, it stays open whether they are raised.
        let set = if always { u32::MAX } else { operand };
        write(cx, number, new, set)?;
    }

    let octets = cx.config.threads.div_ceil(8) as usize;
    let threads = cx.config.threads;
    let in_lanes = |value: &dyn Fn(u32) -> u32| {
        let mut values: Row = [[0; 8]; 4];
        for n in 0..threads {
            *lane_mut(&mut values, n) = value(n);
        }
        values
    };
    match number {
        csr::THREAD_ID | csr::MHARTID => {
            lanes::assign(cx.warp, octets, op, &in_lanes(&|n| old + n));
        }
        csr::CTA_THREAD_ID_X..=csr::CTA_THREAD_ID_Z => {
            let (group, axis) = (cx.warp.group, number - csr::CTA_THREAD_ID_X);
            let item = |n| group.item(usize::from(axis), n, threads);
            lanes::assign(cx.warp, octets, op, &in_lanes(&item));
        }
        _ => lanes::splat(cx.warp, octets, op, old),
    }
    if unknown != 0 && op.rd != SINK {
        let origin = cx.warp.doubts.origin;
        cx.warp.set_shadow(op.rd, &[[unknown; 8]; 4], origin);
    }
    Ok(())
}

/// The value in lane 0.
fn read(cx: &mut Context<'_>, number: u16) -> Result<u32, Box<Fault>> {
    let config = cx.config;
    Ok(match number {
        csr::FFLAGS => flags::read(cx.warp).0,
        csr::FRM => cx.warp.frm,
        csr::FCSR => cx.warp.frm << 5 | flags::read(cx.warp).0,
        csr::MSCRATCH if config.hardware().scratch_of_warps => cx.warp.scratch,
        csr::MSCRATCH => cx.core.mscratch,
        csr::THREAD_ID => 0,
        csr::WARP_ID => cx.warp_id,
        csr::CORE_ID => cx.core.id,
        csr::ACTIVE_WARPS => cx.active_warps,
        csr::ACTIVE_THREADS => cx.warp.mask(),
        csr::MHARTID => (cx.core.id * config.warps + cx.warp_id) * config.threads,
        csr::NUM_THREADS => config.threads,
        csr::NUM_WARPS => config.warps,
        csr::NUM_CORES => config.cores,
        csr::LOCAL_MEM_BASE => LOCAL,
        csr::MCYCLE => cx.core.cycles() as u32,
        csr::MCYCLEH => (cx.core.cycles() >> 32) as u32,
        csr::MINSTRET => retired(cx) as u32,
        csr::MINSTRETH => (retired(cx) >> 32) as u32,
        _ if number & !0x80 >= csr::MCYCLE && number & !0x80 < csr::MCYCLE + csr::COUNTERS => {
            // Of the pipeline and the memory system: the functional model leaves them zero.
            let counter = cx.core.counters[usize::from((number & !0x80) - csr::MCYCLE)];
            if number & 0x80 == 0 {
                counter as u32
            } else {
                (counter >> 32) as u32
            }
        }
        _ if config.generation.has(csr::since(number)) && csr::since(number) == Generation::V3 => {
            grid(cx, number)
        }
        _ if let Some(value) = handler(cx, number) => *value,
        _ if INERT.contains(&number) => 0,
        _ => {
            return Err(Fault::new(TrapKind::InvalidCsr {
                csr: number,
                write: false,
            }));
        }
    })
}

/// What is counted as instructions.
fn retired(cx: &Context<'_>) -> u64 {
    match cx.config.hardware().counts_lanes {
        true => cx.core.lane_instructions,
        false => cx.core.instructions,
    }
}

/// A CSR that came with Vortex 3: what a warp knows about its group and the grid. In lane 0.
fn grid(cx: &Context<'_>, number: u16) -> u32 {
    let group = &cx.warp.group;
    let axis = |first: u16, counts: &[u32; 3]| counts[usize::from(number - first) % 3];
    match number {
        csr::CTA_ID => group.slot,
        csr::CTA_RANK => group.rank,
        csr::CTA_SIZE => group.size,
        csr::CTA_THREAD_ID_X..=csr::CTA_THREAD_ID_Z => {
            let axis = usize::from(number - csr::CTA_THREAD_ID_X);
            group.item(axis, 0, cx.config.threads)
        }
        csr::CTA_BLOCK_ID_X..=csr::CTA_BLOCK_ID_Z => axis(csr::CTA_BLOCK_ID_X, &group.at),
        csr::CTA_BLOCK_DIM_X..=csr::CTA_BLOCK_DIM_Z => {
            axis(csr::CTA_BLOCK_DIM_X, &group.grid.items)
        }
        csr::CTA_GRID_DIM_X..=csr::CTA_GRID_DIM_Z => axis(csr::CTA_GRID_DIM_X, &group.grid.groups),
        csr::CTA_LMEM_ADDR => group.local,
        csr::CTA_CLUSTER_SIZE => 1,
        csr::CTA_ENTRY => group.grid.entry,
        _ => cx.config.barriers(),
    }
}

/// The causes of traps that `ecall` and `ebreak` give (the RISC-V manual, volume II, 3.1.15).
const ECALL: u32 = 11;
const EBREAK: u32 = 3;

/// A CSR of the warp's trap handler, where these exist.
fn handler<'a>(cx: &'a mut Context<'_>, number: u16) -> Option<&'a mut u32> {
    if cx.config.hardware().system_calls_halt {
        return None;
    }
    let handler = &mut cx.warp.handler;
    match number {
        0x300 => Some(&mut handler.status),
        0x305 => Some(&mut handler.tvec),
        0x341 => Some(&mut handler.epc),
        0x342 => Some(&mut handler.cause),
        0x343 => Some(&mut handler.tval),
        _ => None,
    }
}

/// `ecall` or `ebreak` at `pc`. Returns where to continue.
#[cold]
pub(super) fn enter_handler(
    cx: &mut Context<'_>,
    opcode: Opcode,
    pc: u32,
) -> Result<u32, Box<Fault>> {
    let handler = &mut cx.warp.handler;
    if handler.tvec == 0 {
        return Err(Fault::new(TrapKind::NoTrapHandler));
    }
    handler.epc = pc;
    handler.cause = if opcode == Opcode::Ecall {
        ECALL
    } else {
        EBREAK
    };
    branch::target(handler.tvec & !3)
}

/// `mret`. Returns where to continue.
#[cold]
pub(super) fn leave_handler(cx: &Context<'_>) -> Result<u32, Box<Fault>> {
    branch::target(cx.warp.handler.epc)
}

/// Writes a CSR. The instruction itself says what the bits in `set` are to be; the others are as they were.
fn write(cx: &mut Context<'_>, number: u16, value: u32, set: u32) -> Result<(), Box<Fault>> {
    match number {
        csr::FFLAGS => flags::write(cx.warp, set, value),
        csr::FRM => cx.warp.frm = value & 7,
        csr::FCSR => {
            cx.warp.frm = value >> 5 & 7;
            flags::write(cx.warp, set, value);
        }
        csr::MSCRATCH if cx.config.hardware().scratch_of_warps => cx.warp.scratch = value,
        csr::MSCRATCH => cx.core.mscratch = value,
        _ if let Some(place) = handler(cx, number) => *place = value,
        _ if INERT.contains(&number) => {}
        _ => {
            return Err(Fault::new(TrapKind::InvalidCsr {
                csr: number,
                write: true,
            }));
        }
    }
    Ok(())
}
