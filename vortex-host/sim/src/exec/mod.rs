//! The executor: runs one warp for a while.
//!
//! An instruction is one pass over the lanes of its operand rows, eight at a time, in loops that LLVM turns into vector
//! instructions. Rare cases (faults, memory that was not looked up yet, rounding modes, CSRs) are out of line.

mod atomic;
mod branch;
mod csr;
mod flags;
mod float;
mod integer;
mod lanes;
mod memory;
mod packed;
mod place;
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
use super::trap::TrapKind;
use super::warp::Warp;
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
    if wide::is_there() {
        // SAFETY: this processor has the features that the function is compiled for, as was just found out: the
        // question is made of the same list.
        return unsafe {
            if context.races.is_some() {
                wide::run::<true, true>(context, block, limit)
            } else if context.shadow.is_some() {
                wide::run::<true, false>(context, block, limit)
            } else {
                wide::run::<false, false>(context, block, limit)
            }
        };
    }
    run_with::<false, true, true>(context, block, limit)
}

/// Declares `is_there`, which returns whether this processor has all of the listed features, and `run`, which is
/// compiled for them: one list for both, as calling a function on a processor without one of its features is
/// undefined.
#[cfg(target_arch = "x86_64")]
macro_rules! compiled_for {
    ($($feature:tt),*) => {
        /// Whether this processor has what `run` is compiled for.
        #[inline]
        pub(super) fn is_there() -> bool {
            static THERE: LazyLock<bool> =
                LazyLock::new(|| true $(&& is_x86_feature_detected!($feature))*);
            *THERE
        }

        /// Runs the warp with vectors of eight lanes and a fused multiply-add.
        $(#[target_feature(enable = $feature)])*
        pub(super) fn run<const TRACK: bool, const WATCH: bool>(
            context: &mut Context<'_>,
            block: &Block,
            limit: u32,
        ) -> Exit {
            run_with::<true, TRACK, WATCH>(context, block, limit)
        }
    };
}

/// The interpreter loop for processors that have more than x86-64 asks of them.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Block, Context, Exit, run_with};
    use std::sync::LazyLock;

    compiled_for!("avx2", "fma", "bmi1", "bmi2", "lzcnt", "popcnt");
}

/// The interpreter loop. `FMA`: `f32::mul_add` is an instruction of the host. `TRACK`: if there are shadows, they are
/// kept. `WATCH`: if there is a race detector, it looks on.
#[inline(always)]
fn run_with<const FMA: bool, const TRACK: bool, const WATCH: bool>(
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
        let undefined = TRACK && cx.warp.undefined() & op.rows != 0;
        if undefined && check!(undefined::observe(cx, opcode, op)) {
            count(cx);
            pc = next;
            continue;
        }

        macro_rules! binary {
            ($operation:expr) => {
                lanes::binary(cx.warp, octets, op, $operation)
            };
        }
        macro_rules! immediate {
            ($operation:expr) => {{
                let imm = op.imm;
                lanes::unary(cx.warp, octets, op, |a| $operation(a, imm))
            }};
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
                    let kind = Kind::$kind;
                    check!(watch::access::<$size>(cx, octets, op, pc, kind));
                }
            };
        }
        macro_rules! load {
            ($size:literal, $extend:expr) => {{
                watch!($size, Load);
                check!(memory::load::<$size, TRACK>(cx, octets, op, pc, $extend))
            }};
        }
        macro_rules! store {
            ($size:literal) => {{
                if let Some(update) = op.update {
                    check!(updates::check::<$size>(cx, op, update));
                }
                watch!($size, Store);
                if check!(memory::store::<$size, TRACK>(cx, octets, op)) {
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

            O::Lb => load!(1, |value| value as i8 as u32),
            O::Lh => load!(2, |value| value as i16 as u32),
            O::Lbu => load!(1, |value| value),
            O::Lhu => load!(2, |value| value),
            O::Lw | O::Flw => load!(4, |value| value),
            O::Sb => store!(1),
            O::Sh => store!(2),
            O::Sw | O::Fsw => store!(4),

            O::Addi => immediate!(u32::wrapping_add),
            O::Slti => immediate!(integer::slt),
            O::Sltiu => immediate!(integer::sltu),
            O::Xori => immediate!(|a, b| a ^ b),
            O::Ori => immediate!(|a, b| a | b),
            O::Andi => immediate!(|a, b| a & b),
            O::Slli => immediate!(integer::sll),
            O::Srli => immediate!(integer::srl),
            O::Srai => immediate!(integer::sra),
            O::Add => binary!(u32::wrapping_add),
            O::Sub => binary!(u32::wrapping_sub),
            O::Sll => binary!(integer::sll),
            O::Slt => binary!(integer::slt),
            O::Sltu => binary!(integer::sltu),
            O::Xor => binary!(|a, b| a ^ b),
            O::Srl => binary!(integer::srl),
            O::Sra => binary!(integer::sra),
            O::Or => binary!(|a, b| a | b),
            O::And => binary!(|a, b| a & b),
            O::Mul => binary!(u32::wrapping_mul),
            O::Mulh => binary!(integer::mulh),
            O::Mulhsu => binary!(integer::mulhsu),
            O::Mulhu => binary!(integer::mulhu),
            O::Div => binary!(integer::div),
            O::Divu => binary!(integer::divu),
            O::Rem => binary!(integer::rem),
            O::Remu => binary!(integer::remu),
            O::CzeroEqz => binary!(|a, b| if b == 0 { 0 } else { a }),
            O::CzeroNez => binary!(|a, b| if b != 0 { 0 } else { a }),

            O::Fadd => check!(float::add(cx.warp, octets, op)),
            O::Fsub => check!(float::sub(cx.warp, octets, op)),
            O::Fmul => check!(float::mul(cx.warp, octets, op)),
            O::Fdiv => check!(float::div(cx.warp, octets, op)),
            O::Fsqrt => check!(float::sqrt(cx.warp, octets, op)),
            O::Fmadd => check!(float::fma::<FMA>(cx.warp, octets, op, 0, 0)),
            O::Fmsub => check!(float::fma::<FMA>(cx.warp, octets, op, 0, float::SIGN)),
            O::Fnmsub => check!(float::fma::<FMA>(cx.warp, octets, op, float::SIGN, 0)),
            O::Fnmadd => check!(float::fma::<FMA>(
                cx.warp,
                octets,
                op,
                float::SIGN,
                float::SIGN
            )),
            O::Fsgnj => binary!(|a, b| a & !float::SIGN | b & float::SIGN),
            O::Fsgnjn => binary!(|a, b| a & !float::SIGN | !b & float::SIGN),
            O::Fsgnjx => binary!(|a, b| a ^ b & float::SIGN),
            O::Fmin => float::min(cx.warp, octets, op),
            O::Fmax => float::max(cx.warp, octets, op),
            O::Feq => float::eq(cx.warp, octets, op),
            O::Flt => float::lt(cx.warp, octets, op),
            O::Fle => float::le(cx.warp, octets, op),
            O::FcvtWS => check!(float::to_signed(cx.warp, octets, op)),
            O::FcvtWuS => check!(float::to_unsigned(cx.warp, octets, op)),
            O::FcvtSW => check!(float::from_signed(cx.warp, octets, op)),
            O::FcvtSWu => check!(float::from_unsigned(cx.warp, octets, op)),
            O::FmvXW | O::FmvWX => lanes::unary(cx.warp, octets, op, |a| a),
            O::Fclass => lanes::unary(cx.warp, octets, op, float::classify),

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
                if TRACK && !undefined {
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
    let (registers, mask, _) = warp.lanes();
    for (octet, mask) in registers.row_mut(register).iter_mut().zip(mask) {
        *octet = lanes::blend(mask, &[value; 8], octet);
    }
    warp.define(register);
}

/// Counts an instruction, under the mask it ran with.
#[inline(always)]
fn count(cx: &mut Context<'_>) {
    cx.core.instructions += 1;
    cx.core.lane_instructions += u64::from(cx.warp.mask().count_ones());
}
