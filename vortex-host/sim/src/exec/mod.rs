//! The executor: runs one warp for a while.
//!
//! An instruction is one pass over the lanes of its operand rows, eight at a time, in loops that LLVM turns into vector
//! instructions. Rare cases (faults, memory that was not looked up yet, rounding modes, CSRs) are out of line. So is
//! what takes long over the lanes, as there are several copies of the loop.

mod arithmetic;
mod atomic;
mod branch;
mod csr;
mod flags;
mod float;
mod fused;
mod integer;
mod lanes;
mod memory;
mod packed;
mod place;
mod processor;
mod simt;
mod undefined;
mod updates;
mod warp_ops;
mod watch;

use super::code::{Block, Code};
use super::config::Config;
use super::console::Console;
use super::core::{CoreState, Reservations};
use super::memory::Memory;
use super::notes::Notes;
use super::protection::Protection;
use super::race::{Kind, Races};
use super::registers::SINK;
use super::trap::TrapKind;
use super::warp::Warp;
#[cfg(target_arch = "x86_64")]
use processor::Wide;
use processor::{Plain, Processor, Work};
use std::sync::Mutex;
use std::sync::atomic::{Ordering::SeqCst, fence};
use vortex_isa::Opcode;

/// What a warp runs in.
pub(super) struct Context<'a> {
    pub(super) warp: &'a mut Warp,
    pub(super) core: &'a mut CoreState,
    pub(super) memory: &'a Memory,
    /// The bits of memory that hold no value, if that matters.
    pub(super) shadow: Option<&'a Memory>,
    pub(super) protection: &'a Protection,
    pub(super) code: &'a Code,
    pub(super) console: &'a mut Console,
    pub(super) reservations: &'a mut Reservations,
    /// The race detector, if races matter.
    pub(super) races: Option<&'a mut Races>,
    /// What is known about the program, if anything.
    pub(super) notes: Option<&'a Notes>,
    /// Other threads run other cores; held by atomic operations that change a word and its shadow.
    pub(super) shared: Option<&'a Mutex<()>>,
    pub(super) config: &'a Config,
    pub(super) warp_id: u32,
    /// Mask of the core's warps that have not ended.
    pub(super) active_warps: u32,
}

/// What an instruction does that is not allowed, and in which lane.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) kind: TrapKind,
    pub(super) lane: Option<u32>,
}

impl Fault {
    /// A fault of the warp as a whole.
    #[cold]
    fn new(kind: TrapKind) -> Box<Fault> {
        Box::new(Fault { kind, lane: None })
    }

    /// A fault of one lane.
    #[cold]
    fn in_lane(kind: TrapKind, lane: u32) -> Box<Fault> {
        Box::new(Fault {
            kind,
            lane: Some(lane),
        })
    }
}

/// Why a warp stopped. Its pc is that of the next instruction to run, after a fault that of the faulting one.
#[derive(Debug)]
pub(super) enum Exit {
    /// It ran as long as it was allowed to.
    Slice,
    /// The next instruction is not in the block.
    Fetch,
    /// Its mask became empty.
    Ended,
    /// It ended the whole core.
    Halted,
    /// It reached a barrier.
    Barrier { id: u32, expected: u32 },
    /// It has arrived at a barrier, and wants to know the phase in a register.
    Arrived { id: u32, expected: u32, rd: u8 },
    /// A barrier is to wait for this many asynchronous copies, too; likewise.
    Expects { id: u32, copies: u32, rd: u8 },
    /// It wants to wait until a barrier is in another phase.
    Wait { id: u32, phase: u32 },
    /// It wants to start warps.
    Spawn { warps: u32, pc: u32 },
    /// It wrote to what was decoded.
    CodeWritten,
    /// It did something that is not allowed.
    Fault(Box<Fault>),
}

/// Runs the warp for at most `limit` instructions, as long as they are in `block`.
pub(super) fn run(context: &mut Context<'_>, block: &Block, limit: u32) -> Exit {
    #[cfg(target_arch = "x86_64")]
    if let Some(wide) = Wide::get() {
        return if context.races.is_some() {
            wide.call(Interpreter::<true, true>, context, block, limit)
        } else if context.shadow.is_some() {
            wide.call(Interpreter::<true, false>, context, block, limit)
        } else {
            wide.call(Interpreter::<false, false>, context, block, limit)
        };
    }
    Plain.call(Interpreter::<true, true>, context, block, limit)
}

/// The interpreter loop. `TRACK`: if there are shadows, they are kept. `WATCH`: if there is a race detector, it looks
/// on.
struct Interpreter<const TRACK: bool, const WATCH: bool>;

impl<const TRACK: bool, const WATCH: bool> Work<&mut Context<'_>, &Block, u32>
    for Interpreter<TRACK, WATCH>
{
    type Result = Exit;

    #[inline(always)]
    fn on<P: Processor>(
        self,
        processor: P,
        cx: &mut Context<'_>,
        block: &Block,
        limit: u32,
    ) -> Exit {
        run_on::<P, TRACK, WATCH>(processor, cx, block, limit)
    }
}

#[inline(always)]
fn run_on<P: Processor, const TRACK: bool, const WATCH: bool>(
    processor: P,
    cx: &mut Context<'_>,
    block: &Block,
    limit: u32,
) -> Exit {
    use Opcode as O;
    let octets = cx.config.threads.div_ceil(8) as usize;
    let mut pc = cx.warp.pc;
    let mut left = limit;

    macro_rules! stop {
        ($exit:expr) => {{
            let exit = $exit;
            cx.warp.pc = pc;
            return exit;
        }};
    }
    macro_rules! check {
        ($result:expr) => {
            match $result {
                Ok(value) => value,
                Err(fault) => stop!(Exit::Fault(fault)),
            }
        };
    }

    loop {
        let Some(op) = block.at(pc) else {
            stop!(Exit::Fetch)
        };
        if left == 0 {
            stop!(Exit::Slice);
        }
        left -= 1;
        let Some(opcode) = op.opcode else {
            stop!(Exit::Fault(Fault::new(TrapKind::IllegalInstruction)))
        };
        let mut next = pc.wrapping_add(4);
        let undefined = if TRACK {
            cx.warp.undefined() & op.rows
        } else {
            0
        };
        if undefined != 0 {
            // Most registers are written before they are read.
            if op.is_fresh && undefined == 1 << op.rd {
                cx.warp.define(op.rd);
            } else if check!(undefined::observe(cx, opcode, op)) {
                count(cx);
                pc = next;
                continue;
            }
        }

        macro_rules! inline {
            ($opcode:ident) => {
                processor.inline(arithmetic::$opcode, cx.warp, octets, op)
            };
        }
        macro_rules! call {
            ($opcode:ident) => {
                processor.call(arithmetic::$opcode, cx.warp, octets, op)
            };
        }
        macro_rules! branch {
            ($condition:expr) => {
                if check!(branch::decide(cx, octets, op, $condition)) {
                    next = check!(branch::target(pc.wrapping_add(op.imm)));
                }
            };
        }
        macro_rules! watch {
            ($size:literal, $kind:ident) => {
                if WATCH && cx.races.is_some() {
                    let look = watch::Look::<$size>(Kind::$kind);
                    check!(processor.inline(look, cx, op, (octets, pc)));
                }
            };
        }
        macro_rules! load {
            ($how:ident $size:literal, $extend:ident) => {{
                watch!($size, Load);
                let load = memory::Load::<$size, TRACK, _>(integer::$extend);
                check!(processor.$how(load, cx, op, (octets, pc)))
            }};
        }
        macro_rules! store {
            ($how:ident $size:literal) => {{
                if let Some(update) = op.update {
                    check!(updates::check::<$size>(cx, op, update));
                }
                watch!($size, Store);
                let store = memory::Store::<$size, TRACK>;
                if check!(processor.$how(store, cx, op, octets)) {
                    pc = next;
                    count(cx);
                    stop!(Exit::CodeWritten);
                }
            }};
        }

        match opcode {
            O::Lui => lanes::splat(cx.warp, octets, op, op.imm),
            O::Auipc => lanes::splat(cx.warp, octets, op, pc.wrapping_add(op.imm)),
            O::Jal => {
                lanes::splat(cx.warp, octets, op, next);
                next = check!(branch::target(pc.wrapping_add(op.imm)));
            }
            O::Jalr => {
                let target = check!(branch::indirect(cx, octets, op));
                lanes::splat(cx.warp, octets, op, next);
                next = target;
            }
            O::Beq => branch!(|a, b| a == b),
            O::Bne => branch!(|a, b| a != b),
            O::Blt => branch!(|a, b| (a as i32) < b as i32),
            O::Bge => branch!(|a, b| a as i32 >= b as i32),
            O::Bltu => branch!(|a, b| a < b),
            O::Bgeu => branch!(|a, b| a >= b),

            O::Lb => load!(call 1, extended_byte),
            O::Lh => load!(call 2, extended_half),
            O::Lbu => load!(inline 1, unchanged),
            O::Lhu => load!(call 2, unchanged),
            O::Lw | O::Flw => load!(inline 4, unchanged),
            O::Sb => store!(inline 1),
            O::Sh => store!(call 2),
            O::Sw | O::Fsw => store!(inline 4),

            O::Addi => inline!(Addi),
            O::Slti => inline!(Slti),
            O::Sltiu => inline!(Sltiu),
            O::Xori => inline!(Xori),
            O::Ori => inline!(Ori),
            O::Andi => inline!(Andi),
            O::Slli => inline!(Slli),
            O::Srli => inline!(Srli),
            O::Srai => inline!(Srai),
            O::Add => inline!(Add),
            O::Sub => inline!(Sub),
            O::Sll => inline!(Sll),
            O::Slt => inline!(Slt),
            O::Sltu => inline!(Sltu),
            O::Xor => inline!(Xor),
            O::Srl => inline!(Srl),
            O::Sra => inline!(Sra),
            O::Or => inline!(Or),
            O::And => inline!(And),
            O::Mul => inline!(Mul),
            O::Mulh => call!(Mulh),
            O::Mulhsu => call!(Mulhsu),
            O::Mulhu => call!(Mulhu),
            O::Div => call!(Div),
            O::Divu => call!(Divu),
            O::Rem => call!(Rem),
            O::Remu => call!(Remu),
            O::CzeroEqz => inline!(CzeroEqz),
            O::CzeroNez => inline!(CzeroNez),

            O::Fadd => check!(call!(Fadd)),
            O::Fsub => check!(call!(Fsub)),
            O::Fmul => check!(call!(Fmul)),
            O::Fdiv => check!(call!(Fdiv)),
            O::Fsqrt => check!(call!(Fsqrt)),
            O::Fmadd => check!(call!(Fmadd)),
            O::Fmsub => check!(call!(Fmsub)),
            O::Fnmsub => check!(call!(Fnmsub)),
            O::Fnmadd => check!(call!(Fnmadd)),
            O::Fsgnj => inline!(Fsgnj),
            O::Fsgnjn => inline!(Fsgnjn),
            O::Fsgnjx => inline!(Fsgnjx),
            O::Fmin => call!(Fmin),
            O::Fmax => call!(Fmax),
            O::Feq => call!(Feq),
            O::Flt => call!(Flt),
            O::Fle => call!(Fle),
            O::FcvtWS => check!(call!(FcvtWS)),
            O::FcvtWuS => check!(call!(FcvtWuS)),
            O::FcvtSW => check!(call!(FcvtSW)),
            O::FcvtSWu => check!(call!(FcvtSWu)),
            O::FmvXW | O::FmvWX => inline!(FmvXW),
            O::Fclass => call!(Fclass),

            O::LrW
            | O::ScW
            | O::AmoswapW
            | O::AmoaddW
            | O::AmoxorW
            | O::AmoandW
            | O::AmoorW
            | O::AmominW
            | O::AmomaxW
            | O::AmominuW
            | O::AmomaxuW => {
                watch!(4, Atomic);
                if check!(atomic::execute(cx, opcode, op, pc)) {
                    pc = next;
                    count(cx);
                    stop!(Exit::CodeWritten);
                }
            }

            O::Csrrw | O::Csrrs | O::Csrrc | O::Csrrwi | O::Csrrsi | O::Csrrci => {
                check!(csr::execute(cx, opcode, op))
            }
            // Memory is coherent and accesses happen in order.
            O::Fence => {
                if cx.shared.is_some() {
                    fence(SeqCst);
                }
                if WATCH {
                    watch::fence(cx);
                }
            }
            O::Ecall | O::Ebreak if !cx.config.hardware().system_calls_halt => {
                next = check!(csr::enter_handler(cx, opcode, pc));
            }
            O::Mret => next = check!(csr::leave_handler(cx)),
            // As Vortex's simulator does; its hardware ignores them.
            O::Ecall | O::Ebreak => {
                pc = next;
                count(cx);
                stop!(Exit::Halted);
            }

            O::Split => {
                count(cx);
                check!(simt::split(cx, op, next));
                pc = next;
                continue;
            }
            O::Join => {
                count(cx);
                pc = check!(simt::join(cx, op, next));
                continue;
            }
            O::Tmc | O::Pred => {
                count(cx);
                if opcode == O::Tmc {
                    simt::tmc(cx, op)
                } else {
                    simt::pred(cx, op)
                }
                if cx.warp.mask() == 0 {
                    check!(simt::end(cx));
                    pc = next;
                    stop!(Exit::Ended);
                }
                pc = next;
                continue;
            }
            O::Bar => {
                let barrier = check!(simt::barrier(cx, op));
                if let Some((id, expected)) = barrier {
                    pc = next;
                    count(cx);
                    stop!(Exit::Barrier { id, expected });
                }
                if WATCH {
                    watch::met(cx);
                }
            }
            O::BarArrive => {
                let exit = check!(simt::arrival(cx, op));
                pc = next;
                count(cx);
                stop!(exit);
            }
            O::BarWait => {
                let (id, phase) = check!(simt::phase(cx, op));
                pc = next;
                count(cx);
                stop!(Exit::Wait { id, phase });
            }
            // Everything is done in order.
            O::Wsync => {}
            O::Wspawn => {
                let (warps, target) = check!(simt::spawn(cx, op));
                pc = next;
                count(cx);
                stop!(Exit::Spawn { warps, pc: target });
            }

            O::VoteAll | O::VoteAny | O::VoteUni | O::VoteBallot => {
                if WATCH {
                    watch::met(cx);
                }
                warp_ops::vote(cx.warp, octets, opcode, op)
            }
            O::ShflUp | O::ShflDown | O::ShflBfly | O::ShflIdx => {
                if TRACK && undefined == 0 {
                    check!(undefined::observe(cx, opcode, op));
                }
                if WATCH {
                    watch::met(cx);
                }
                let readable = warp_ops::readable(cx);
                warp_ops::shuffle(cx.warp, cx.config.threads, readable, opcode, op)
            }
            O::Wgather => {
                if WATCH {
                    watch::met(cx);
                }
                warp_ops::gather(cx.warp, cx.config.threads, op)
            }
            O::PacklbF => check!(packed::load::<1>(cx, octets, op, pc)),
            O::PacklhF => check!(packed::load::<2>(cx, octets, op, pc)),
        }
        count(cx);
        pc = next;
    }
}

/// Gives a register a value in all active lanes.
pub(super) fn set_register(warp: &mut Warp, register: u8, value: u32) {
    if register != SINK {
        warp.define(register);
    }
    let (registers, mask, _) = warp.lanes();
    for (octet, mask) in registers.row_mut(register).iter_mut().zip(mask) {
        *octet = lanes::blend(mask, &[value; 8], octet);
    }
}

/// Counts an instruction, under the mask it ran with.
#[inline(always)]
fn count(cx: &mut Context<'_>) {
    cx.core.instructions += 1;
    cx.core.lane_instructions += u64::from(cx.warp.mask().count_ones());
}
