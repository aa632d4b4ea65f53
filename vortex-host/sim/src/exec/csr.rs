//! CSR accesses.

use super::super::code::Op;
use super::super::layout::LOCAL;
use super::super::trap::TrapKind;
use super::super::warp::{SINK, lane, lane_mut, lanes_of};
use super::{Context, Fault, flags, lanes};
use vortex_isa::{Opcode, csr};

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
    if matches!(number, csr::THREAD_ID | csr::MHARTID) {
        let mut values = [[0; 8]; 4];
        for n in 0..cx.config.threads {
            *lane_mut(&mut values, n) = old + n;
        }
        lanes::assign(cx.warp, octets, op, &values);
    } else {
        lanes::splat(cx.warp, octets, op, old);
    }
    if unknown != 0 && op.rd != SINK {
        let origin = cx.warp.doubts.origin;
        cx.warp.set_shadow(op.rd, &[[unknown; 8]; 4], origin);
    }
    Ok(())
}

/// The value in lane 0.
fn read(cx: &Context<'_>, number: u16) -> Result<u32, Box<Fault>> {
    let config = cx.config;
    Ok(match number {
        csr::FFLAGS => flags::read(cx.warp).0,
        csr::FRM => cx.warp.frm,
        csr::FCSR => cx.warp.frm << 5 | flags::read(cx.warp).0,
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
        csr::MINSTRET => cx.core.lane_instructions as u32,
        csr::MINSTRETH => (cx.core.lane_instructions >> 32) as u32,
        _ if number & !0x80 >= csr::MCYCLE && number & !0x80 < csr::MCYCLE + csr::COUNTERS => {
            // Of the pipeline and the memory system: the functional model leaves them zero.
            let counter = cx.core.counters[usize::from((number & !0x80) - csr::MCYCLE)];
            if number & 0x80 == 0 {
                counter as u32
            } else {
                (counter >> 32) as u32
            }
        }
        _ if INERT.contains(&number) => 0,
        _ => {
            return Err(Fault::new(TrapKind::InvalidCsr {
                csr: number,
                write: false,
            }));
        }
    })
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
        csr::MSCRATCH => cx.core.mscratch = value,
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
