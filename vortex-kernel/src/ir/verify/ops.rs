//! What each operation requires of its operands and results.

use super::{Checked, Rule, Verifier};
use crate::ir::op::{Gives, Operands, Signature};
use crate::ir::{
    Alias, AtomicOp, BinOp, Const, Csr, FaultKind, Inst, MAX_PANIC_WORDS, Op, Space, Type, UnOp,
    Value, WarpOp,
};

impl Verifier<'_> {
    /// Everything about an instruction but its blocks.
    pub(super) fn head(&mut self, inst: &Inst) -> Checked {
        if !self.f.locs.is_valid(inst.loc) {
            return Err(Rule::Loc);
        }
        self.form(&inst.op)?;
        if let Some(signature) = inst.op.signature() {
            self.signature(inst, signature)?;
        }
        match &inst.op {
            Op::Const(value) => {
                let ty = self.result(inst)?;
                if !is_canonical(*value, ty) {
                    return Err(Rule::Constant(value.0, ty));
                }
            }
            Op::Unary(op, a) => {
                let (wanted, takes) = unary_takes(*op);
                self.check(*a, wanted, takes)?;
            }
            Op::Binary(op, a, _) => {
                self.check(*a, binary_wants(*op), |ty| binary_takes(*op, ty))?;
            }
            Op::Compare(_, a, _) => {
                self.check(*a, "something that is compared", |ty| !ty.is_half())?;
            }
            Op::Select(cond, a, b) => {
                self.exactly(*cond, Type::Bool)?;
                let ty = self.visible(*a)?;
                self.exactly(*b, ty)?;
                self.gives(inst, ty)?;
            }
            Op::Cast(a) => {
                let (from, to) = (self.visible(*a)?, self.result(inst)?);
                if !casts(from, to) {
                    return Err(Rule::Type {
                        value: *a,
                        found: from,
                        wanted: format!("something that `as {to}` accepts"),
                    });
                }
            }
            Op::Bitcast(a) => {
                let (from, to) = (self.visible(*a)?, self.result(inst)?);
                if !bitcasts(from, to) {
                    return Err(Rule::Type {
                        value: *a,
                        found: from,
                        wanted: format!("a type that shares its word with {to}"),
                    });
                }
            }
            Op::PtrAdd { base, index, scale } => {
                let ty = self.check(*base, "a pointer", |ty| matches!(ty, Type::Ptr(_)))?;
                self.check(*index, "u32 or i32", |ty| {
                    matches!(ty, Type::U32 | Type::I32)
                })?;
                self.gives(inst, ty)?;
                if *scale == 0 {
                    return Err(Rule::Range("the scale is at least 1"));
                }
            }
            Op::Load { ptr, alias, .. } => {
                self.alias(*alias)?;
                self.check(*ptr, "a pointer", |ty| matches!(ty, Type::Ptr(_)))?;
                self.result(inst)?;
            }
            Op::Store { ptr, alias, .. } => {
                self.alias(*alias)?;
                self.check(*ptr, "a pointer", |ty| matches!(ty, Type::Ptr(_)))?;
            }
            Op::Atomic {
                op, ptr, operands, ..
            } => {
                self.check(*ptr, "a pointer", |ty| matches!(ty, Type::Ptr(_)))?;
                Self::count("operands", operands.len(), op.operands())?;
                let (word, ty) = if *op == AtomicOp::Store {
                    Self::count("results", inst.results.len(), 0)?;
                    (operands[0], self.visible(operands[0])?)
                } else {
                    let ty = self.result(inst)?;
                    (inst.results[0], ty)
                };
                self.matches(word, ty, "a word that has this atomic operation", |ty| {
                    op.takes(ty)
                })?;
                for operand in operands {
                    self.exactly(*operand, ty)?;
                }
            }
            Op::Id(id) => {
                if id.dimension().is_some_and(|n| n > 2) {
                    return Err(Rule::Range("dimensions are 0, 1 and 2"));
                }
            }
            Op::Csr(csr) => self.gives(inst, csr_type(*csr))?,
            Op::LocalAddr(id) => self.local(*id)?,
            Op::PrivateAddr(id) => self.alias(Alias::Private(*id))?,
            Op::DataAddr(id) => self.alias(Alias::Data(*id))?,
            Op::Warp { op, operands } => self.warp(inst, *op, operands)?,
            Op::Panic { message, operands } | Op::Print { message, operands } => {
                let words = self.message(*message)?;
                let is_panic = matches!(inst.op, Op::Panic { .. });
                if is_panic && operands.len() > MAX_PANIC_WORDS {
                    return Err(Rule::Range("a panic has at most 6 words of values"));
                }
                Self::count("operands", operands.len(), words as usize)?;
            }
            // An overflow tells of which numbers, if it can.
            Op::Fault {
                kind: FaultKind::Overflow,
                operands,
            } if operands.len() > 2 => {
                if operands.len() > MAX_PANIC_WORDS {
                    return Err(Rule::Range("a fault has at most 6 words of values"));
                }
            }
            Op::Fault { operands, .. } => Self::count("operands", operands.len(), 2)?,
            Op::Record { operands, .. } => {
                if operands.len() > MAX_PANIC_WORDS {
                    return Err(Rule::Range("a record has at most 6 words of values"));
                }
            }
            Op::If { cond, .. } => self.exactly(*cond, Type::Bool)?,
            Op::While(w) => self.visible_all(&w.init)?,
            Op::VarGet(var) => {
                let ty = self.var(*var)?;
                if self.assigned.as_ref().is_some_and(|a| !a[*var]) {
                    return Err(Rule::Unassigned(*var));
                }
                self.gives(inst, ty)?;
            }
            Op::VarSet(var, value) => {
                let ty = self.var(*var)?;
                self.exactly(*value, ty)?;
                if let Some(assigned) = &mut self.assigned {
                    assigned[*var] = true;
                }
            }
            Op::Break(label) | Op::Continue(label) => self.target(&inst.op, *label)?,
            Op::Return => self.assigned = None,
            Op::BarrierWait(given) | Op::Await { phase: given, .. } => {
                if !self.arrivals.contains(given) {
                    return Err(Rule::Arrival(*given));
                }
            }
            // Its row says all about its types.
            op => debug_assert!(op.signature().is_some(), "nothing checks {op:?}"),
        }
        Ok(())
    }

    /// Types as the row of an operation has them.
    fn signature(&self, inst: &Inst, signature: Signature) -> Checked {
        let (mut checked, mut first) = (Ok(()), None);
        inst.op.operands(&mut |value| {
            let wanted = match signature.operands {
                _ if checked.is_err() => return,
                Operands::Any => None,
                Operands::Alike => first,
                Operands::Are(ty) => Some(ty),
            };
            match wanted {
                Some(ty) => checked = self.exactly(value, ty),
                None => match self.visible(value) {
                    Ok(ty) => first = Some(ty),
                    Err(rule) => checked = Err(rule),
                },
            }
        });
        checked?;
        match (signature.result, first) {
            (Gives::A(ty), _) | (Gives::Alike, Some(ty)) => self.gives(inst, ty),
            (Gives::Alike, None) => self.result(inst).map(|_| ()),
            (Gives::Nothing, _) => Self::count("results", inst.results.len(), 0),
        }
    }

    fn warp(&self, inst: &Inst, op: WarpOp, operands: &[Value]) -> Checked {
        match op.operands() {
            Some(wanted) => Self::count("operands", operands.len(), wanted)?,
            None if operands.is_empty() => Self::count("operands", 0, 1)?,
            None => {}
        }
        match op {
            WarpOp::Active => self.gives(inst, Type::U32),
            WarpOp::All | WarpOp::Any | WarpOp::Uniform | WarpOp::Ballot => {
                self.exactly(operands[0], Type::Bool)?;
                match op {
                    WarpOp::Ballot => self.gives(inst, Type::U32),
                    _ => self.gives(inst, Type::Bool),
                }
            }
            WarpOp::Shuffle | WarpOp::Read => {
                let ty = self.visible(operands[0])?;
                self.exactly(operands[1], Type::U32)?;
                self.gives(inst, ty)
            }
            WarpOp::Broadcast => self.gives(inst, self.visible(operands[0])?),
            WarpOp::Reduce(by) | WarpOp::Scan(by) | WarpOp::ScanBefore(by) => {
                for operand in operands {
                    let ty =
                        self.check(*operand, "something to combine", |ty| binary_takes(by, ty))?;
                    if WarpOp::neutral(by, ty).is_none() {
                        return Err(Rule::Range(
                            "lanes are combined by add, min, max, and, or and xor",
                        ));
                    }
                }
                self.parallel("operands", operands, &inst.results)
            }
        }
    }
}

/// The type of a [`Csr`]'s value.
#[must_use]
pub const fn csr_type(csr: Csr) -> Type {
    match csr {
        Csr::LaunchBlock => Type::Ptr(Space::Constant),
        Csr::LocalBase | Csr::HandedLocal => Type::Ptr(Space::Local),
        _ => Type::U32,
    }
}

/// Whether `value` is a word as values of type `ty` have it.
#[must_use]
pub const fn is_canonical(value: Const, ty: Type) -> bool {
    if ty.is_wide() {
        return true;
    }
    if value.0 > u32::MAX as u64 {
        return false;
    }
    let word = value.0 as u32;
    match ty {
        Type::Bool => word <= 1,
        Type::I8 => word.cast_signed() == word as i8 as i32,
        Type::I16 => word.cast_signed() == word as i16 as i32,
        Type::U8 => word <= 0xff,
        Type::U16 | Type::F16 | Type::BF16 => word <= 0xffff,
        Type::I32 | Type::U32 | Type::F32 | Type::Ptr(_) | Type::I64 | Type::U64 => true,
    }
}

/// What an operation takes, in words, and as types.
fn unary_takes(op: UnOp) -> (&'static str, fn(Type) -> bool) {
    match op {
        UnOp::Neg => ("a number", |ty| ty.is_int() || ty == Type::F32),
        UnOp::Not => ("an integer or bool", |ty| ty.is_int() || ty == Type::Bool),
        UnOp::Abs
        | UnOp::Sqrt
        | UnOp::Floor
        | UnOp::Ceil
        | UnOp::Trunc
        | UnOp::Round
        | UnOp::RoundEven => ("f32", |ty| ty == Type::F32),
    }
}

fn binary_takes(op: BinOp, ty: Type) -> bool {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Min | BinOp::Max => {
            ty.is_int() || ty == Type::F32
        }
        BinOp::MulHigh => ty.is_int() && ty.bits() >= 32,
        BinOp::Rem | BinOp::Shl | BinOp::Shr => ty.is_int(),
        BinOp::And | BinOp::Or | BinOp::Xor => ty.is_int() || ty == Type::Bool,
        BinOp::CopySign | BinOp::FlipSign => ty == Type::F32,
    }
}

fn binary_wants(op: BinOp) -> &'static str {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Min | BinOp::Max => "a number",
        BinOp::MulHigh => "an integer of 32 or 64 bits",
        BinOp::Rem | BinOp::Shl | BinOp::Shr => "an integer",
        BinOp::And | BinOp::Or | BinOp::Xor => "an integer or bool",
        BinOp::CopySign | BinOp::FlipSign => "f32",
    }
}

/// What Rust's `as` accepts among our scalars.
fn casts(from: Type, to: Type) -> bool {
    let number = |ty: Type| ty.is_int() || ty == Type::F32;
    (number(from) && number(to))
        || (from.is_half() && to == Type::F32)
        || (from == Type::F32 && to.is_half())
        || (from == Type::Bool && (to.is_int() || to == Type::Bool))
}

fn bitcasts(from: Type, to: Type) -> bool {
    let word = |ty| matches!(ty, Type::I32 | Type::U32 | Type::F32);
    let address = |ty| matches!(ty, Type::Ptr(_));
    (word(from) && word(to))
        || (from.is_half() && to == Type::U16)
        || (from == Type::U16 && to.is_half())
        || (address(from) && (address(to) || to == Type::U32))
        || (address(to) && from == Type::U32)
}
