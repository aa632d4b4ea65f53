//! Structured IR to CLIF: choices without a branch.

use super::lower::{Lower, Shared};
use super::ops::Lowered;
use super::{CompileError, carrier};
use crate::ir::{BinOp, Type, Value};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlagsData, types};

impl Lower<'_> {
    pub(super) fn least_or_greatest(
        &mut self,
        op: BinOp,
        a: Value,
        b: Value,
        signed: bool,
    ) -> Lowered {
        /// As large as the constant that an `addi` takes, and one that it takes off.
        const SMALL: i64 = 1 << 11;
        let (a, b, limit) = match (self.constant(a), self.constant(b)) {
            (Some(limit), None) => (b, a, Some(limit)),
            (_, limit) => (a, b, limit),
        };
        let limit = limit.map(|limit| i64::from(limit.cast_signed()));
        let (a, b) = (self.value(a)?, self.value(b)?);
        let less = if signed {
            IntCC::SignedLessThan
        } else {
            IntCC::UnsignedLessThan
        };
        Ok(match (op, limit) {
            (BinOp::Max, Some(1)) if !signed => {
                let zero = self.ins().icmp_imm_s(IntCC::Equal, a, 0);
                let one_more = self.ins().uextend(types::I64, zero);
                self.ins().iadd(a, one_more)
            }
            (BinOp::Min, Some(1)) if !signed => {
                let one = self.ins().icmp_imm_s(IntCC::NotEqual, a, 0);
                self.ins().uextend(types::I64, one)
            }
            // What is between it and the limit, or nothing.
            (_, Some(limit)) if (1 - SMALL..SMALL).contains(&limit) => {
                let bit = self.ins().icmp(less, a, b);
                let is_less = self.ins().uextend(types::I64, bit);
                let distance = self.moved(a, -limit);
                let distance = match op {
                    BinOp::Min => self.zero_unless(is_less, distance),
                    _ => self.zero_if(is_less, distance),
                };
                self.moved(distance, limit)
            }
            _ => {
                let (small, large) = if op == BinOp::Min { (a, b) } else { (b, a) };
                let bit = self.ins().icmp(less, a, b);
                let is_less = self.ins().uextend(types::I64, bit);
                self.select_words(is_less, small, large)
            }
        })
    }

    /// `word + by`.
    fn moved(&mut self, word: clif::Value, by: i64) -> clif::Value {
        match by {
            0 => word,
            by => self.ins().iadd_imm_s(word, by),
        }
    }

    pub(super) fn select(&mut self, cond: Value, a: Value, b: Value, ty: Type) -> Lowered {
        if let Some(stepped) = self.stepped(cond, a, b, ty)? {
            return Ok(stepped);
        }
        let (word_a, word_b) = (self.constant(a), self.constant(b));
        // Between constants, 0 and 1 are worth something.
        let is_bit = word_a.is_some() && word_b.is_some();
        let (cond, a, b, word_a, word_b) = match self.choice(cond)? {
            Some((word, false)) if !is_bit => (word, a, b, word_a, word_b),
            Some((word, true)) if !is_bit => (word, b, a, word_b, word_a),
            _ => (self.value(cond)?, a, b, word_a, word_b),
        };
        let [a, b] = if ty == Type::F32 {
            // Through integer registers; a float constant need not go through a float register first.
            let mut words = [a, b];
            let mut lowered = [cond; 2];
            for (value, lowered) in words.iter_mut().zip(&mut lowered) {
                *lowered = match self.constant(*value) {
                    Some(word) => self.word(word),
                    None => self.bitcast(*value, Type::U32)?,
                };
            }
            lowered
        } else {
            [self.value(a)?, self.value(b)?]
        };
        let word = match (word_a, word_b) {
            // What is between both, or nothing.
            (Some(x), Some(y)) => {
                let distance = self.word_if(cond, x.wrapping_sub(y));
                match y {
                    0 => distance,
                    _ => self.ins().iadd(distance, b),
                }
            }
            (_, Some(0)) => self.zero_unless(cond, a),
            (Some(0), _) => self.zero_if(cond, b),
            _ => self.select_words(cond, a, b),
        };
        Ok(if ty == Type::F32 {
            self.ins().bitcast(types::F64, MemFlagsData::new(), word)
        } else {
            word
        })
    }

    /// A word by which `czero` chooses as a condition says, if there is one besides the condition's own; and whether it
    /// is 0 where that holds, instead of where it does not.
    fn choice(&mut self, cond: Value) -> Result<Option<(clif::Value, bool)>, CompileError> {
        if !self.inputs.target.zicond {
            return Ok(None);
        }
        if let Some(difference) = self.difference_of(cond) {
            return Ok(Some(difference));
        }
        let (inner, inverted) = self.analysis.condition(cond);
        Ok(match inverted {
            true => Some((self.value(inner)?, true)),
            false => None,
        })
    }

    /// Where a condition is whether two words are equal, or not: the bits in which they differ, and whether the
    /// condition holds if there are none.
    pub(super) fn difference_of(&self, cond: Value) -> Option<(clif::Value, bool)> {
        let (inner, inverted) = self.analysis.condition(cond);
        let (different, is_equal) = self.different[inner]?;
        Some((different, inverted != is_equal))
    }

    /// `a & b` of conditions.
    pub(super) fn both(&mut self, a: Value, b: Value) -> Lowered {
        for (bit, chosen) in [(a, b), (b, a)] {
            if self.constant(bit).is_none()
                && let Some((word, inverted)) = self.choice(chosen)?
            {
                let bit = self.value(bit)?;
                return Ok(match inverted {
                    true => self.zero_if(word, bit),
                    false => self.zero_unless(word, bit),
                });
            }
        }
        // One is there for lanes that do not leave a loop in its first iteration.
        let (a, b) = (self.value(a)?, self.value(b)?);
        Ok(match [a, b].map(|value| self.is_one(value)) {
            [true, _] => b,
            [_, true] => a,
            _ => self.ins().band(a, b),
        })
    }

    /// Whether it is the constant 1.
    fn is_one(&self, value: clif::Value) -> bool {
        let dfg = &self.cursor.func.dfg;
        let defined_by = dfg.value_def(dfg.resolve_aliases(value)).inst();
        defined_by.is_some_and(|inst| {
            matches!(dfg.insts[inst], clif::InstructionData::UnaryImm { opcode: clif::Opcode::Iconst, imm }
                if imm.bits() == 1)
        })
    }

    /// Whether two words are equal, or whether they are not, and what chooses by that.
    pub(super) fn equality(
        &mut self,
        result: Value,
        is_equal: bool,
        a: Value,
        b: Value,
    ) -> Result<(), CompileError> {
        let different = self.difference(a, b)?;
        let cc = match is_equal {
            true => IntCC::Equal,
            false => IntCC::NotEqual,
        };
        let bit = self.ins().icmp_imm_s(cc, different, 0);
        let word = self.ins().uextend(types::I64, bit);
        self.define(result, word);
        self.different[result] = Some((different, is_equal));
        Ok(())
    }

    /// The bits in which two words differ.
    fn difference(&mut self, a: Value, b: Value) -> Lowered {
        let (zero_a, zero_b) = (self.constant(a) == Some(0), self.constant(b) == Some(0));
        let (a, b) = (self.value(a)?, self.value(b)?);
        if zero_a || zero_b {
            return Ok(if zero_b { a } else { b });
        }
        let key = Shared::Difference(a, b);
        if let Some(different) = self.shared(key) {
            return Ok(different);
        }
        let different = self.ins().bxor(a, b);
        self.remember_shared(key, different);
        Ok(different)
    }

    /// `if cond { b + x } else { b }` and its like: `b + if cond { x } else { 0 }`.
    fn stepped(
        &mut self,
        cond: Value,
        a: Value,
        b: Value,
        ty: Type,
    ) -> Result<Option<clif::Value>, CompileError> {
        let (cond, inverted) = self.analysis.condition(cond);
        for (changed, same, when) in [(a, b, !inverted), (b, a, inverted)] {
            let Some((op, x, y)) = self.analysis.step[changed] else {
                continue;
            };
            let by = match op {
                BinOp::Add | BinOp::Or | BinOp::Xor if y == same => x,
                BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr
                    if x == same =>
                {
                    y
                }
                _ => continue,
            };
            let cond = self.value(cond)?;
            let by = match (when, self.constant(by)) {
                (true, Some(word)) => self.word_if(cond, word),
                (false, Some(1)) => self.ins().bxor_imm_s(cond, 1),
                (true, None) => {
                    let by = self.value(by)?;
                    self.zero_unless(cond, by)
                }
                (false, _) => {
                    let by = self.value(by)?;
                    self.zero_if(cond, by)
                }
            };
            let same = self.value(same)?;
            let word = match op {
                BinOp::Add => self.ins().iadd(same, by),
                BinOp::Sub => self.ins().isub(same, by),
                BinOp::Or => return Ok(Some(self.ins().bor(same, by))),
                BinOp::Xor => return Ok(Some(self.ins().bxor(same, by))),
                _ => return Ok(Some(self.shifted(op, same, by, ty))),
            };
            return Ok(Some(self.canonical(word, ty)));
        }
        Ok(None)
    }

    /// `if cond { word } else { 0 }`.
    fn word_if(&mut self, cond: clif::Value, word: u32) -> clif::Value {
        match word {
            1 => cond,
            u32::MAX => self.ins().ineg(cond),
            _ if word.is_power_of_two() => {
                let amount = self.word(word.trailing_zeros());
                self.ins().ishl(cond, amount)
            }
            _ => {
                let word = self.word(word);
                self.zero_unless(cond, word)
            }
        }
    }

    /// `if cond { a } else { b }` without a branch; `cond` is 0 or 1.
    pub(super) fn select_words(
        &mut self,
        cond: clif::Value,
        a: clif::Value,
        b: clif::Value,
    ) -> clif::Value {
        if self.inputs.target.zicond {
            let a = self.carry(carrier::CZERO_EQZ, a, cond);
            let b = self.carry(carrier::CZERO_NEZ, b, cond);
            self.ins().bor(a, b)
        } else {
            let mask = self.ins().ineg(cond);
            let different = self.ins().bxor(a, b);
            let change = self.ins().band(different, mask);
            self.ins().bxor(b, change)
        }
    }

    /// `if cond { a } else { 0 }`.
    pub(super) fn zero_unless(&mut self, cond: clif::Value, a: clif::Value) -> clif::Value {
        if self.inputs.target.zicond {
            self.carry(carrier::CZERO_EQZ, a, cond)
        } else {
            let mask = self.ins().ineg(cond);
            self.ins().band(a, mask)
        }
    }

    /// `if cond { 0 } else { b }`.
    fn zero_if(&mut self, cond: clif::Value, b: clif::Value) -> clif::Value {
        if self.inputs.target.zicond {
            self.carry(carrier::CZERO_NEZ, b, cond)
        } else {
            let mask = self.ins().iadd_imm_s(cond, -1);
            self.ins().band(b, mask)
        }
    }
}
