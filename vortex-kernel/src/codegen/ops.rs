//! Structured IR to CLIF: single operations.
//!
//! Every value is a word in the canonical form of its type (see `ir`). Operations on 32-bit types are unchanged; after
//! operations that can leave the range of a narrower type the word is brought back into it.

use super::CompileError;
use super::analysis::unsigned_limits;
use super::carrier;
use super::lower::{Lower, Shared};
use super::tags::{Note, Role};
use crate::ir::{AtomicOp, BinOp, CmpOp, Inst, Op, Order, Type, UnOp, Value};
use crate::isa::{IMMEDIATES, Opcode, Rounding};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlagsData, types};

pub(super) type Lowered = Result<clif::Value, CompileError>;

impl Lower<'_> {
    /// Lowers an operation that is not control flow.
    pub(super) fn op(&mut self, inst: &Inst) -> Result<(), CompileError> {
        match &inst.op {
            Op::Const(_) | Op::Assume(_) | Op::PrivateAddr(_) => return Ok(()),
            Op::Csr(_) if self.rereads_csr() => return Ok(()),
            Op::Compare(..) | Op::Unary(UnOp::Not, _) if self.is_fused(inst.results[0]) => {
                return Ok(());
            }
            Op::Compare(op @ (CmpOp::Eq | CmpOp::Ne), a, b) if self.ir.ty(*a) != Type::F32 => {
                return self.equality(inst.results[0], *op == CmpOp::Eq, *a, *b);
            }
            Op::Store {
                ptr, value, offset, ..
            } => return self.store(*ptr, *value, *offset),
            Op::Atomic {
                op,
                ptr,
                offset,
                operands,
                order,
                ..
            } => {
                let address = (*ptr, *offset);
                let old = self.atomic(*op, address, operands, *order)?;
                if let [result] = inst.results[..] {
                    let old = match self.ir.ty(result) {
                        Type::F32 => self.ins().bitcast(types::F64, MemFlagsData::new(), old),
                        _ => old,
                    };
                    self.define(result, old);
                }
                return Ok(());
            }
            // There is one such instruction, for all scopes.
            Op::Fence(_) => {
                self.ins().fence();
                return Ok(());
            }
            Op::Warp { op, operands } => return self.warp(inst, *op, operands),
            Op::Record {
                site,
                item,
                operands,
            } => return self.record(*site, *item, operands),
            Op::NarrowMask(mask) => {
                let mask = self.value(*mask)?;
                self.carry(carrier::SET_MASK, mask, mask);
                return Ok(());
            }
            Op::Meet { barrier, warps } => {
                let (barrier, warps) = (self.value(*barrier)?, self.value(*warps)?);
                self.carry(carrier::BARRIER, barrier, warps);
                return Ok(());
            }
            Op::Await { barrier, phase } => {
                let (barrier, phase) = (self.value(*barrier)?, self.value(*phase)?);
                self.carry(carrier::AWAIT, barrier, phase);
                return Ok(());
            }
            _ => {}
        }
        let [result] = inst.results[..] else {
            return Err(CompileError::internal(format!(
                "{:?} is not lowered",
                inst.op
            )));
        };
        let ty = match self.analysis.stays[result] {
            // A word that is in its type's range anyway is computed as one of 32 bits.
            true if self.ir.ty(result).is_signed() => Type::I32,
            true => Type::U32,
            false => self.ir.ty(result),
        };
        let value = match &inst.op {
            Op::Unary(op, a) => self.unary(*op, *a, ty)?,
            Op::Binary(op, a, b) if ty == Type::F32 => self.float_binary(*op, *a, *b)?,
            Op::Binary(op, a, b) => {
                if *op == BinOp::Add {
                    self.tag_sum(*a, *b);
                }
                self.int_binary(*op, *a, *b, ty)?
            }
            Op::Compare(op, a, b) => {
                let op = self.analysis.inverse[result].unwrap_or(*op);
                let bit = self.comparison(op, *a, *b)?;
                self.ins().uextend(types::I64, bit)
            }
            Op::Select(cond, a, b) => self.select(*cond, *a, *b, ty)?,
            Op::MulAdd(a, b, c) => {
                let (a, b, c) = (self.value(*a)?, self.value(*b)?, self.value(*c)?);
                self.ins().fma(a, b, c)
            }
            Op::Cast(a) => self.cast(*a, ty)?,
            Op::Bitcast(a) => self.bitcast(*a, ty)?,
            Op::PtrAdd { base, index, scale } => self.ptr_add(*base, *index, *scale)?,
            Op::Load { ptr, offset, .. } => self.load(*ptr, *offset, ty)?,
            Op::Csr(csr) => self.read_csr(*csr),
            Op::DataAddr(id) => self.data(*id)?,
            Op::Clock => self.read_now(carrier::CLOCK, &[]),
            Op::Arrive { barrier, warps } => {
                let (barrier, warps) = (self.value(*barrier)?, self.value(*warps)?);
                self.carry(carrier::ARRIVE, barrier, warps)
            }
            // Handled above, or by `lower` where they hold blocks, or replaced before lowering begins.
            op @ (Op::Const(_)
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Id(_)
            | Op::LocalAddr(_)
            | Op::PrivateAddr(_)
            | Op::Barrier
            | Op::BarrierArrive
            | Op::BarrierWait(_)
            | Op::Fence(_)
            | Op::Meet { .. }
            | Op::Await { .. }
            | Op::Warp { .. }
            | Op::NarrowMask(_)
            | Op::Assume(_)
            | Op::Fault { .. }
            | Op::Panic { .. }
            | Op::Record { .. }
            | Op::Print { .. }
            | Op::If { .. }
            | Op::While(_)
            | Op::Loop { .. }
            | Op::Scope { .. }
            | Op::VarGet(_)
            | Op::VarSet(..)
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return) => {
                return Err(CompileError::internal(format!("{op:?} is not lowered")));
            }
        };
        self.define(result, value);
        Ok(())
    }

    /// Brings a word into the canonical form of a narrow type.
    pub(super) fn canonical(&mut self, word: clif::Value, ty: Type) -> clif::Value {
        let unused = i64::from(32 - ty.bits());
        match ty {
            Type::U8 => self.ins().band_imm_s(word, 255),
            Type::U16 => {
                let high = self.ins().ishl_imm_s(word, unused);
                self.ins().ushr_imm_s(high, unused)
            }
            Type::I8 | Type::I16 => {
                let high = self.ins().ishl_imm_s(word, unused);
                self.ins().sshr_imm_s(high, unused)
            }
            _ => word,
        }
    }

    fn unary(&mut self, op: UnOp, a: Value, ty: Type) -> Lowered {
        let a = self.value(a)?;
        Ok(match (op, ty) {
            (UnOp::Neg, Type::F32) => self.ins().fneg(a),
            (UnOp::Abs, _) => self.ins().fabs(a),
            (UnOp::Sqrt, _) => self.ins().sqrt(a),
            (UnOp::Floor, _) => self.through_word(a, Rounding::Rdn),
            (UnOp::Ceil, _) => self.through_word(a, Rounding::Rup),
            (UnOp::Trunc, _) => self.through_word(a, Rounding::Rtz),
            (UnOp::Round, _) => self.through_word(a, Rounding::Rmm),
            (UnOp::RoundEven, _) => self.through_word(a, Rounding::Rne),
            (UnOp::Neg, _) => {
                let word = self.ins().ineg(a);
                self.canonical(word, ty)
            }
            (UnOp::Not, Type::Bool) => self.ins().bxor_imm_s(a, 1),
            (UnOp::Not, Type::U8) => self.ins().bxor_imm_s(a, 255),
            (UnOp::Not, _) => {
                let word = self.ins().bnot(a);
                self.canonical(word, ty)
            }
        })
    }

    /// A float made an integer, and a float again.
    fn through_word(&mut self, a: clif::Value, rounding: Rounding) -> clif::Value {
        let word = self.carry(carrier::float_to_i32(rounding), a, a);
        self.ins().fcvt_from_sint(types::F64, word)
    }

    fn float_binary(&mut self, op: BinOp, a: Value, b: Value) -> Lowered {
        let (a, b) = (self.value(a)?, self.value(b)?);
        Ok(match op {
            BinOp::Add => self.ins().fadd(a, b),
            BinOp::Sub => self.ins().fsub(a, b),
            BinOp::Mul => self.ins().fmul(a, b),
            BinOp::Div => self.ins().fdiv(a, b),
            BinOp::Min => self.carry(carrier::FMIN, a, b),
            BinOp::Max => self.carry(carrier::FMAX, a, b),
            BinOp::CopySign => self.carry(carrier::FSGNJ, a, b),
            BinOp::FlipSign => self.carry(carrier::FSGNJX, a, b),
            _ => {
                return Err(CompileError::internal(format!("{op:?} on floats")));
            }
        })
    }

    fn int_binary(&mut self, op: BinOp, a: Value, b: Value, ty: Type) -> Lowered {
        let signed = ty.is_signed();
        match op {
            BinOp::And if ty == Type::Bool && self.inputs.target.zicond => return self.both(a, b),
            BinOp::Shl | BinOp::Shr => return self.shift(op, a, b, ty),
            BinOp::Min | BinOp::Max => return self.least_or_greatest(op, a, b, signed),
            _ => {}
        }
        let (a, b) = (self.value(a)?, self.value(b)?);
        let word = match op {
            BinOp::Add => self.ins().iadd(a, b),
            BinOp::Sub => self.ins().isub(a, b),
            BinOp::Mul => self.ins().imul(a, b),
            BinOp::MulHigh if signed => self.ins().smulhi(a, b),
            BinOp::MulHigh => self.ins().umulhi(a, b),
            BinOp::Div if signed => self.carry(carrier::DIV, a, b),
            BinOp::Div => self.carry(carrier::DIVU, a, b),
            BinOp::Rem if signed => self.carry(carrier::REM, a, b),
            BinOp::Rem => self.carry(carrier::REMU, a, b),
            // These stay in range by themselves.
            BinOp::And => return Ok(self.ins().band(a, b)),
            BinOp::Or => return Ok(self.ins().bor(a, b)),
            BinOp::Xor => return Ok(self.ins().bxor(a, b)),
            BinOp::Shl
            | BinOp::Shr
            | BinOp::Min
            | BinOp::Max
            | BinOp::CopySign
            | BinOp::FlipSign => {
                return Err(CompileError::internal("among arithmetic"));
            }
        };
        Ok(self.canonical(word, ty))
    }

    fn shift(&mut self, op: BinOp, a: Value, amount: Value, ty: Type) -> Lowered {
        let a = self.value(a)?;
        let amount = match self.constant(amount) {
            Some(amount) => self.word(amount & (ty.bits() - 1)),
            None => {
                let amount = self.value(amount)?;
                return Ok(self.shifted(op, a, amount, ty));
            }
        };
        Ok(self.shifted_by_less(op, a, amount, ty))
    }

    /// A shift by an amount that is taken modulo the type's width.
    pub(super) fn shifted(
        &mut self,
        op: BinOp,
        a: clif::Value,
        amount: clif::Value,
        ty: Type,
    ) -> clif::Value {
        // The hardware takes 32-bit amounts modulo 32 itself.
        let amount = match ty.bits() {
            32 => amount,
            bits => self.ins().band_imm_s(amount, i64::from(bits - 1)),
        };
        self.shifted_by_less(op, a, amount, ty)
    }

    fn shifted_by_less(
        &mut self,
        op: BinOp,
        a: clif::Value,
        amount: clif::Value,
        ty: Type,
    ) -> clif::Value {
        match op {
            BinOp::Shl => {
                let word = self.ins().ishl(a, amount);
                self.canonical(word, ty)
            }
            _ if ty.is_signed() => self.ins().sshr(a, amount),
            _ => self.ins().ushr(a, amount),
        }
    }

    /// A comparison as CLIF's `i8`, for a branch or to be extended to a word.
    pub(super) fn comparison(&mut self, op: CmpOp, a: Value, b: Value) -> Lowered {
        let ty = self.ir.ty(a);
        let (a, b) = (self.value(a)?, self.value(b)?);
        if ty == Type::F32 {
            let cc = match op {
                CmpOp::Eq => FloatCC::Equal,
                CmpOp::Ne => FloatCC::NotEqual,
                CmpOp::Lt => FloatCC::LessThan,
                CmpOp::Le => FloatCC::LessThanOrEqual,
                CmpOp::Gt => FloatCC::GreaterThan,
                CmpOp::Ge => FloatCC::GreaterThanOrEqual,
            };
            return Ok(self.ins().fcmp(cc, a, b));
        }
        let cc = match (op, ty.is_signed()) {
            (CmpOp::Eq, _) => IntCC::Equal,
            (CmpOp::Ne, _) => IntCC::NotEqual,
            (CmpOp::Lt, true) => IntCC::SignedLessThan,
            (CmpOp::Le, true) => IntCC::SignedLessThanOrEqual,
            (CmpOp::Gt, true) => IntCC::SignedGreaterThan,
            (CmpOp::Ge, true) => IntCC::SignedGreaterThanOrEqual,
            (CmpOp::Lt, false) => IntCC::UnsignedLessThan,
            (CmpOp::Le, false) => IntCC::UnsignedLessThanOrEqual,
            (CmpOp::Gt, false) => IntCC::UnsignedGreaterThan,
            (CmpOp::Ge, false) => IntCC::UnsignedGreaterThanOrEqual,
        };
        Ok(self.ins().icmp(cc, a, b))
    }

    /// Whether a word is zero, or whether it is not, as a branch condition. Written as a comparison, so that Cranelift
    /// does not look through it and compare once more what has been compared already.
    pub(super) fn zero_test(&mut self, word: clif::Value, is_zero: bool) -> clif::Value {
        let cc = match is_zero {
            true => IntCC::Equal,
            false => IntCC::NotEqual,
        };
        self.ins().icmp_imm_s(cc, word, 0)
    }

    pub(super) fn bitcast(&mut self, a: Value, to: Type) -> Lowered {
        let from_float = self.ir.ty(a) == Type::F32;
        let a = self.value(a)?;
        Ok(match (from_float, to == Type::F32) {
            (true, false) => self.ins().bitcast(types::I64, MemFlagsData::new(), a),
            (false, true) => self.ins().bitcast(types::F64, MemFlagsData::new(), a),
            _ => a,
        })
    }

    fn cast(&mut self, a: Value, to: Type) -> Lowered {
        let (from, is_number) = (self.ir.ty(a), self.is_number(a));
        let a = self.value(a)?;
        Ok(match (from, to) {
            (Type::F32, Type::F32) => a,
            (Type::F32, _) => self.float_to_int(a, is_number, to),
            (_, Type::F32) if from.is_signed() => self.ins().fcvt_from_sint(types::F64, a),
            (_, Type::F32) => self.ins().fcvt_from_uint(types::F64, a),
            _ if fits(from, to) => a,
            _ => self.canonical(a, to),
        })
    }

    /// Saturating, NaN to 0, as Rust has it.
    fn float_to_int(&mut self, a: clif::Value, is_number: bool, to: Type) -> clif::Value {
        if !to.is_signed() {
            // fmax prefers a number to a NaN: that is the 0 wanted.
            let [low, high] = unsigned_limits(to);
            let low = self.float_constant(low.map_or(0, f32::to_bits));
            let mut a = self.carry(carrier::FMAX, a, low);
            if let Some(high) = high {
                let high = self.float_constant(high.to_bits());
                a = self.carry(carrier::FMIN, a, high);
            }
            return self.carry(carrier::FLOAT_TO_U32, a, a);
        }
        // Clamping a float would make a number of a NaN, so narrow types clamp what the conversion gives.
        let word = match is_number {
            true => self.carry(carrier::float_to_i32(Rounding::Rtz), a, a),
            false => self.ins().fcvt_to_sint_sat(types::I64, a),
        };
        let (low, high) = match to {
            Type::I8 => (i32::from(i8::MIN), i32::from(i8::MAX)),
            Type::I16 => (i32::from(i16::MIN), i32::from(i16::MAX)),
            _ => return word,
        };
        let low = self.word(low.cast_unsigned());
        let bit = self.ins().icmp(IntCC::SignedLessThan, word, low);
        let below = self.ins().uextend(types::I64, bit);
        let word = self.select_words(below, low, word);
        let high = self.word(high.cast_unsigned());
        let bit = self.ins().icmp(IntCC::SignedLessThan, word, high);
        let inside = self.ins().uextend(types::I64, bit);
        self.select_words(inside, word, high)
    }

    fn ptr_add(&mut self, base: Value, index: Value, scale: u32) -> Lowered {
        let base = self.value(base)?;
        if let Some(index) = self.constant(index) {
            let offset = index.wrapping_mul(scale);
            if !IMMEDIATES.contains(&offset.cast_signed()) {
                // Cranelift would take a sum apart again, and add the constant at each access.
                let back = self.word(offset.wrapping_neg());
                return Ok(self.ins().isub(base, back));
            }
            let offset = self.word(offset);
            return Ok(self.ins().iadd(base, offset));
        }
        let index = self.value(index)?;
        if scale == 1 {
            return Ok(self.ins().iadd(base, index));
        }
        let bytes = match self.shared(Shared::Scaled(index, scale)) {
            Some(bytes) => bytes,
            None => {
                let bytes = if scale.is_power_of_two() {
                    let amount = i64::from(scale.trailing_zeros());
                    self.ins().ishl_imm_s(index, amount)
                } else {
                    let factor = self.word(scale);
                    self.ins().imul(index, factor)
                };
                self.remember_shared(Shared::Scaled(index, scale), bytes);
                bytes
            }
        };
        Ok(self.ins().iadd(base, bytes))
    }

    fn load(&mut self, ptr: Value, offset: i32, ty: Type) -> Lowered {
        if self.never_happens(ptr, offset, ty.bytes()) {
            return Ok(match ty {
                Type::F32 => self.float_constant(0),
                _ => self.word(0),
            });
        }
        let ptr = self.value(ptr)?;
        let flags = MemFlagsData::trusted();
        let ins = self.ins();
        Ok(match ty {
            Type::F32 => ins.load(types::F64, flags, ptr, offset),
            Type::Bool | Type::U8 => ins.uload8(types::I64, flags, ptr, offset),
            Type::I8 => ins.sload8(types::I64, flags, ptr, offset),
            Type::U16 => ins.uload16(types::I64, flags, ptr, offset),
            Type::I16 => ins.sload16(types::I64, flags, ptr, offset),
            Type::I32 | Type::U32 | Type::Ptr(_) => ins.sload32(flags, ptr, offset),
            Type::I64 | Type::U64 | Type::F16 | Type::BF16 => {
                return Err(CompileError::internal(format!("a load of {ty} is left")));
            }
        })
    }

    fn store(&mut self, ptr: Value, value: Value, offset: i32) -> Result<(), CompileError> {
        let bytes = self.ir.ty(value).bytes();
        if self.never_happens(ptr, offset, bytes) {
            return Ok(());
        }
        let update = self.inputs.updates.get(ptr, offset, value);
        // A float constant is stored as the word it is.
        let value = match self.constant(value) {
            Some(word) => self.word(word),
            None => self.value(value)?,
        };
        let ptr = self.value(ptr)?;
        let flags = MemFlagsData::trusted();
        if let Some(update) = update {
            self.tag_noted(Note::Update(update));
        }
        match bytes {
            1 => self.ins().istore8(flags, value, ptr, offset),
            2 => self.ins().istore16(flags, value, ptr, offset),
            // As 64 bits: narrowing makes one word of it, and Cranelift knows x0 for a zero here.
            _ => self.ins().store(flags, value, ptr, offset),
        };
        if update.is_some() {
            self.tag(Role::Plain);
        }
        Ok(())
    }
}

impl Lower<'_> {
    /// All of them, reading and writing too, are `amo` instructions: those reach memory the same way, so that they
    /// agree on what is there.
    fn atomic(
        &mut self,
        op: AtomicOp,
        (ptr, offset): (Value, i32),
        operands: &[Value],
        order: Order,
    ) -> Lowered {
        let signed = operands.iter().any(|v| self.ir.ty(*v).is_signed());
        let opcode = match op {
            AtomicOp::Load | AtomicOp::Or => Opcode::AmoorW,
            AtomicOp::Store | AtomicOp::Exchange => Opcode::AmoswapW,
            AtomicOp::Add | AtomicOp::Sub => Opcode::AmoaddW,
            AtomicOp::And => Opcode::AmoandW,
            AtomicOp::Xor => Opcode::AmoxorW,
            AtomicOp::Min if signed => Opcode::AmominW,
            AtomicOp::Min => Opcode::AmominuW,
            AtomicOp::Max if signed => Opcode::AmomaxW,
            AtomicOp::Max => Opcode::AmomaxuW,
            AtomicOp::CompareExchange | AtomicOp::FloatAdd => {
                return Err(CompileError::internal(format!("{op:?} is not lowered")));
            }
        };
        let negated = op == AtomicOp::Sub;
        let operand = match operands {
            [] => self.word(0),
            [operand, ..] => match self.constant(*operand) {
                Some(word) if negated => self.word(word.wrapping_neg()),
                Some(word) => self.word(word),
                None => {
                    let value = self.value(*operand)?;
                    match self.ir.ty(*operand) {
                        Type::F32 => self.ins().bitcast(types::I64, MemFlagsData::new(), value),
                        _ if negated => self.ins().ineg(value),
                        _ => value,
                    }
                }
            },
        };
        let mut address = self.value(ptr)?;
        if offset != 0 {
            let offset = self.word(offset.cast_unsigned());
            address = self.ins().iadd(address, offset);
        }
        if order.releases() {
            self.ins().fence();
        }
        let old = self.carry(carrier::amo(opcode), address, operand);
        if order.acquires() {
            self.ins().fence();
        }
        Ok(old)
    }
}

/// Whether every canonical word of `from` is one of `to` and means the same.
fn fits(from: Type, to: Type) -> bool {
    let (from_bits, to_bits) = (from.bits(), to.bits());
    to_bits == 32 || from == to || (from_bits < to_bits && (!from.is_signed() || to.is_signed()))
}
