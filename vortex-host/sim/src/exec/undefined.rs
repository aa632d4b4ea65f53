//! Uninitialised values: what instructions compute from them, and which instructions must not use them.
//!
//! Every bit of registers and memory has a shadow, which is 1 if the bit holds no value. This module handles
//! instructions that have such a register among their operands, or overwrite one; all others are skipped. What decides
//! a warp's control flow, or an address, must have a value, and so must what is stored where the host reads; anything
//! else may be computed. A result's bit has a value if the operands' bits that have one determine it. For sums and
//! products, only the lowest bit without a value is tracked; for other arithmetic, a result has a value if all operands
//! have.

use super::super::code::Op;
use super::super::registers::{Row, SINK, lane, lane_mut, lanes_of};
use super::super::shadow::{self, Shadow};
use super::super::trap::{AccessKind, Origin, TrapKind, UninitialisedUse as Use};
use super::{Context, Fault, flags, warp_ops};
use vortex_isa::{Class, Format, Opcode};

/// Before an instruction that has to do with registers of unknown value. Returns whether it was executed, too.
#[inline(never)]
pub(super) fn observe(cx: &mut Context<'_>, opcode: Opcode, op: &Op) -> Result<bool, Box<Fault>> {
    cx.warp.fill(op.rows);
    let doubtful = match flags::possible(opcode) {
        0 => 0,
        _ => doubtful(cx, opcode, op),
    };
    let origin = match undefined_operands(cx, opcode, op).next() {
        Some(row) if doubtful != 0 => cx.warp.origin(row),
        _ => Origin::Register,
    };
    pass_on(cx, opcode, op)?;
    if doubtful != 0 {
        let octets = cx.config.threads.div_ceil(8) as usize;
        flags::execute(cx.warp, octets, opcode, op, doubtful, origin)?;
    }
    Ok(doubtful != 0)
}

/// The registers among the operands that lack values in some active lane.
fn undefined_operands(
    cx: &Context<'_>,
    opcode: Opcode,
    op: &Op,
) -> impl Iterator<Item = u8> + use<> {
    let undefined = cx.warp.undefined();
    let rows = [op.rs1, op.rs2, op.rs3];
    let operands = opcode.info().rs.iter().zip(rows);
    operands
        .filter(|(file, _)| file.is_some())
        .map(|(_, row)| row)
        .filter(move |row| undefined >> row & 1 != 0)
}

/// The active lanes in which an operand has bits without a value.
fn doubtful(cx: &Context<'_>, opcode: Opcode, op: &Op) -> u32 {
    let unknown = |row, n: &u32| cx.warp.shadow_of(row, *n) != 0;
    lanes_of(cx.warp.mask())
        .filter(|n| undefined_operands(cx, opcode, op).any(|row| unknown(row, n)))
        .fold(0, |lanes, n| lanes | 1 << n)
}

/// Ensures that what must have a value has one, and says what of the result has one.
fn pass_on(cx: &mut Context<'_>, opcode: Opcode, op: &Op) -> Result<(), Box<Fault>> {
    use Opcode as O;
    let info = opcode.info();
    let active = cx.warp.mask();
    let last = 1 << cx.warp.last_lane();
    match opcode {
        O::Beq | O::Bne | O::Blt | O::Bge | O::Bltu | O::Bgeu => return branch(cx, opcode, op),
        O::Jalr => need(cx, op.rs1, active, u32::MAX, Use::Jump)?,
        O::Split => need(cx, op.rs1, active, 1, Use::ThreadMask)?,
        O::Pred => {
            need(cx, op.rs1, active, 1, Use::ThreadMask)?;
            let predicate = cx.warp.registers.row(op.rs1);
            let leaves = |n| (lane(predicate, n) & 1 == 0) == (op.rd == 0);
            // The second operand matters if nobody stays.
            if lanes_of(active).all(leaves) {
                need(cx, op.rs2, last, u32::MAX, Use::ThreadMask)?;
            }
        }
        O::Tmc | O::Join => need(cx, op.rs1, last, u32::MAX, Use::ThreadMask)?,
        O::Bar | O::BarArrive | O::BarWait | O::Wspawn => {
            let what = match opcode {
                O::Wspawn => Use::Spawn,
                _ => Use::Barrier,
            };
            need(cx, op.rs1, last, u32::MAX, what)?;
            need(cx, op.rs2, last, u32::MAX, what)?;
        }
        O::Csrrw | O::Csrrs | O::Csrrc => need(cx, op.rs1, active, u32::MAX, Use::Csr)?,
        _ => {}
    }
    let access = match info.class {
        Class::Load | Class::LoadPacked => Some(AccessKind::Load),
        Class::Store => Some(AccessKind::Store),
        Class::Atomic => Some(AccessKind::Atomic),
        _ => None,
    };
    if let Some(access) = access {
        need(cx, op.rs1, active, u32::MAX, Use::Address(access))?;
        if info.class == Class::LoadPacked {
            need(cx, op.rs2, active, u32::MAX, Use::Address(access))?;
        }
    }
    if info.rd.is_none() || op.rd == SINK {
        return Ok(());
    }
    let Some(shadow) = cx.warp.shadow() else {
        return Ok(());
    };

    let mut undefined = undefined_operands(cx, opcode, op);
    // What memory and CSRs hold does not depend on registers; what is loaded is seen to later.
    let computed = access.is_none() && !matches!(info.class, Class::Csr | Class::Jump);
    let (bits, origin) = if let Some(first) = undefined.next().filter(|_| computed) {
        let bits = match opcode {
            O::ShflUp | O::ShflDown | O::ShflBfly | O::ShflIdx => shuffled(cx, opcode, op, shadow),
            O::VoteAll | O::VoteAny | O::VoteUni | O::VoteBallot => {
                let any = lanes_of(active)
                    .filter(|&n| shadow.lane(op.rs1, n) & 1 != 0)
                    .fold(0, |any, n| any | 1 << n);
                let bits = match opcode {
                    O::VoteBallot => any,
                    _ => u32::from(any != 0),
                };
                [[bits; 8]; 4]
            }
            _ => {
                let mut bits: Row = [[0; 8]; 4];
                for n in lanes_of(active) {
                    let operand = |row| Operand {
                        value: lane(cx.warp.registers.row(row), n),
                        unknown: shadow.lane(row, n),
                    };
                    let second = match info.format {
                        Format::I | Format::Shift => Operand {
                            value: op.imm,
                            unknown: 0,
                        },
                        _ => operand(op.rs2),
                    };
                    let third = match info.rs[2] {
                        Some(_) => shadow.lane(op.rs3, n),
                        None => 0,
                    };
                    *lane_mut(&mut bits, n) = match op.rs1 == op.rs2 && info.format == Format::R {
                        // However it was, it is zero now.
                        true if matches!(opcode, O::Xor | O::Sub) => 0,
                        _ => result(opcode, operand(op.rs1), second, third),
                    };
                }
                bits
            }
        };
        (bits, shadow.origin(first))
    } else if matches!(opcode, O::ShflUp | O::ShflDown | O::ShflBfly | O::ShflIdx) {
        // The values of lanes that are off are looked at, too.
        (shuffled(cx, opcode, op, shadow), shadow.origin(op.rs1))
    } else {
        cx.warp.define(op.rd);
        return Ok(());
    };
    cx.warp.set_shadow(op.rd, &bits, origin);
    Ok(())
}

fn shuffled(cx: &Context<'_>, opcode: Opcode, op: &Op, shadow: &Shadow) -> Row {
    let mut bits: Row = [[0; 8]; 4];
    for n in lanes_of(cx.warp.mask()) {
        let given = lane(cx.warp.registers.row(op.rs2), n);
        let source = warp_ops::source(opcode, n, given, cx.config.threads);
        // What is got from a lane that is off differs between Vortex's simulator and its hardware, where that is not
        // read.
        let is_read = warp_ops::readable(cx) >> source & 1 != 0;
        *lane_mut(&mut bits, n) = match shadow.lane(op.rs2, n) {
            0 if is_read => shadow.lane(op.rs1, source),
            _ => u32::MAX,
        };
    }
    bits
}

/// An operand, and which of its bits have no value.
#[derive(Clone, Copy)]
struct Operand {
    value: u32,
    unknown: u32,
}

impl Operand {
    fn is_zero(self) -> bool {
        self.value | self.unknown == 0
    }

    /// The least and the most it can be.
    fn range(self, flip: u32) -> (u32, u32) {
        let value = self.value ^ flip;
        (value & !self.unknown, value | self.unknown)
    }

    fn known_ones(self) -> u32 {
        self.value & !self.unknown
    }

    fn known_zeros(self) -> u32 {
        !self.value & !self.unknown
    }
}

/// The sign, which makes an unsigned comparison of a signed one.
const SIGN: u32 = 1 << 31;

/// Whether it is known if `a < b`.
fn decides_less(a: Operand, b: Operand, flip: u32) -> bool {
    let ((a_least, a_most), (b_least, b_most)) = (a.range(flip), b.range(flip));
    a_most < b_least || a_least >= b_most
}

/// Whether it is known if `a == b`.
fn decides_equal(a: Operand, b: Operand) -> bool {
    let unknown = a.unknown | b.unknown;
    unknown == 0 || (a.value ^ b.value) & !unknown != 0
}

/// The bits of a result that have no value.
fn result(opcode: Opcode, a: Operand, b: Operand, third: u32) -> u32 {
    use Opcode as O;
    let any = a.unknown | b.unknown;
    match opcode {
        O::FmvXW | O::FmvWX => a.unknown,
        O::Addi | O::Add if b.is_zero() => a.unknown,
        O::Add if a.is_zero() => b.unknown,
        O::Mul | O::Mulh | O::Mulhu | O::Mulhsu if a.is_zero() || b.is_zero() => 0,
        // From the lowest such bit on, through carries.
        O::Addi | O::Add | O::Sub | O::Mul => any | any.wrapping_neg(),
        O::Xor | O::Xori => any,
        O::And | O::Andi => any & !a.known_zeros() & !b.known_zeros(),
        O::Or | O::Ori => any & !a.known_ones() & !b.known_ones(),
        O::Sll | O::Slli | O::Srl | O::Srli | O::Sra | O::Srai if b.unknown & 31 != 0 => {
            if a.is_zero() { 0 } else { u32::MAX }
        }
        O::Sll | O::Slli => a.unknown << (b.value & 31),
        O::Srl | O::Srli => a.unknown >> (b.value & 31),
        O::Sra | O::Srai => (a.unknown as i32 >> (b.value & 31)) as u32,
        O::Slt | O::Slti => u32::from(!decides_less(a, b, SIGN)),
        O::Sltu | O::Sltiu => u32::from(!decides_less(a, b, 0)),
        O::CzeroEqz | O::CzeroNez => {
            let zero = Operand {
                value: 0,
                unknown: 0,
            };
            let keeps_nonzero = opcode == O::CzeroEqz;
            match (decides_equal(b, zero), b.value & !b.unknown != 0) {
                (true, nonzero) if nonzero == keeps_nonzero => a.unknown,
                (true, _) => 0,
                (false, _) => a.unknown | a.value,
            }
        }
        O::Fsgnj | O::Fsgnjn => a.unknown & !SIGN | b.unknown & SIGN,
        O::Fsgnjx => a.unknown | b.unknown & SIGN,
        O::Feq | O::Flt | O::Fle => u32::from(any != 0),
        O::Fsqrt | O::FcvtWS | O::FcvtWuS | O::FcvtSW | O::FcvtSWu | O::Fclass => all(a.unknown),
        _ => all(any | third),
    }
}

/// All bits if there is any.
fn all(bits: u32) -> u32 {
    if bits == 0 { 0 } else { u32::MAX }
}

fn branch(cx: &Context<'_>, opcode: Opcode, op: &Op) -> Result<(), Box<Fault>> {
    use Opcode as O;
    let Some(shadow) = cx.warp.shadow() else {
        return Ok(());
    };
    for n in lanes_of(cx.warp.mask()) {
        let [a, b] = [op.rs1, op.rs2].map(|row| Operand {
            value: lane(cx.warp.registers.row(row), n),
            unknown: shadow.lane(row, n),
        });
        let decided = match opcode {
            O::Beq | O::Bne => decides_equal(a, b),
            O::Blt | O::Bge => decides_less(a, b, SIGN),
            _ => decides_less(a, b, 0),
        };
        if !decided {
            let row = if a.unknown != 0 { op.rs1 } else { op.rs2 };
            return Err(fault(cx, row, a.unknown | b.unknown, Use::Branch, n));
        }
    }
    Ok(())
}

/// Fails if a register lacks any of these bits in any of these lanes.
pub(super) fn need(
    cx: &Context<'_>,
    row: u8,
    lanes: u32,
    bits: u32,
    what: Use,
) -> Result<(), Box<Fault>> {
    if cx.warp.undefined() >> (row & 63) & 1 == 0 {
        return Ok(());
    }
    let unknown = |n| cx.warp.shadow_of(row, n) & bits;
    match lanes_of(lanes).find(|&n| unknown(n) != 0) {
        Some(n) => Err(fault(cx, row, unknown(n), what, n)),
        None => Ok(()),
    }
}

#[cold]
pub(super) fn fault(cx: &Context<'_>, row: u8, bits: u32, what: Use, lane: u32) -> Box<Fault> {
    let origin = cx.warp.origin(row);
    let kind = TrapKind::Uninitialised {
        what,
        register: shadow::name(row),
        bits,
        origin,
    };
    Fault::in_lane(kind, lane)
}

/// After a load that brought bits without a value, in the active lanes.
#[cold]
#[inline(never)]
pub(super) fn loaded(cx: &mut Context<'_>, op: &Op, pc: u32, addresses: &Row, bits: &Row) {
    let first = lanes_of(cx.warp.mask()).find(|&n| lane(bits, n) != 0);
    if let Some(n) = first.filter(|_| op.rd != SINK) {
        let origin = origin_at(cx, lane(addresses, n), pc, n);
        cx.warp.set_shadow(op.rd, bits, origin);
    }
}

/// Where bits without a value come from that a lane loads.
fn origin_at(cx: &Context<'_>, address: u32, pc: u32, lane: u32) -> Origin {
    let copied = cx.core.copied.get(&(address & !3));
    copied.copied().unwrap_or_else(|| Origin::Memory {
        address,
        pc,
        word: cx.memory.word(pc),
        warp: cx.warp_id,
        lane,
    })
}

/// After a lane has changed a word without a value, which leaves it without one.
#[cold]
pub(super) fn changed(cx: &mut Context<'_>, address: u32, pc: u32, lane: u32) {
    let origin = origin_at(cx, address, pc, lane);
    cx.core.copied.insert(address & !3, origin);
}

/// After a store of bits without a value, which is no use of them.
#[cold]
pub(super) fn stored(cx: &mut Context<'_>, row: u8, address: u32) {
    let origin = cx.warp.origin(row);
    // What was never loaded, such as registers that a function saves, is said of the register.
    if let Origin::Memory { .. } = origin {
        cx.core.copied.insert(address & !3, origin);
    }
}

#[cfg(test)]
mod tests {
    use super::super::integer;
    use super::*;

    /// A bit of a result has no value if and only if the choice of the operands' unknown bits makes a difference to
    /// it; what is said may err on the side of the unknown, but not of the known.
    #[test]
    fn results_are_known_only_if_they_are_the_same_for_all_operands() {
        use Opcode as O;
        type Operation = fn(u32, u32) -> u32;
        let operations: &[(Opcode, Operation, bool)] = &[
            (O::Add, u32::wrapping_add, false),
            (O::Sub, u32::wrapping_sub, false),
            (O::Mul, u32::wrapping_mul, false),
            (O::Mulhu, integer::mulhu, false),
            (O::And, |a, b| a & b, true),
            (O::Or, |a, b| a | b, true),
            (O::Xor, |a, b| a ^ b, true),
            (O::Sll, integer::sll, false),
            (O::Srl, integer::srl, false),
            (O::Sra, integer::sra, false),
            (O::Slt, integer::slt, true),
            (O::Sltu, integer::sltu, true),
            (O::CzeroEqz, |a, b| if b == 0 { 0 } else { a }, true),
            (O::CzeroNez, |a, b| if b != 0 { 0 } else { a }, true),
        ];
        // Three unknown bits among four, at both ends of the word.
        let masks = [0, 1, 2, 5, 0x8000_0000, 0xc000_0001, 0x8000_0003];
        let values = [0, 1, 3, 0x8000_0000, 0x8000_0002, u32::MAX, 31];
        let choices = |value: u32, unknown: u32| {
            let mut all = vec![value & !unknown];
            for bit in (0..32).filter(|bit| unknown >> bit & 1 != 0) {
                all.extend(all.clone().iter().map(|value| value | 1 << bit));
            }
            all
        };
        for &(opcode, operation, exact) in operations {
            for (a, b) in values.iter().flat_map(|&a| values.map(|b| (a, b))) {
                for (unknown_a, unknown_b) in masks.iter().flat_map(|&a| masks.map(|b| (a, b))) {
                    let expected = operation(a, b);
                    let mut differs = 0;
                    for a in choices(a, unknown_a) {
                        for b in choices(b, unknown_b) {
                            differs |= operation(a, b) ^ expected;
                        }
                    }
                    let operand = |value, unknown| Operand { value, unknown };
                    let said = result(opcode, operand(a, unknown_a), operand(b, unknown_b), 0);
                    assert_eq!(
                        differs & !said,
                        0,
                        "{opcode:?} {a:#x}/{unknown_a:#x}, {b:#x}/{unknown_b:#x}"
                    );
                    if exact {
                        assert_eq!(
                            differs, said,
                            "{opcode:?} {a:#x}/{unknown_a:#x}, {b:#x}/{unknown_b:#x}"
                        );
                    }
                }
            }
        }
    }
}
