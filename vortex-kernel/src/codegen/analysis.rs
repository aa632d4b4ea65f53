//! What lowering knows about values before it begins.

use super::Target;
use crate::ir::{BinOp, CmpOp, Csr, Function, Op, PrivateId, SecondaryMap, Type, UnOp, Value};
use crate::opt::{Uniformity, Updates, inverse};

/// What lowering goes by besides the IR.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub(super) target: Target,
    pub(super) uniformity: &'a Uniformity,
    /// The values that count the iterations of the warp.
    pub(super) item_counters: &'a [Value],
    pub(super) updates: &'a Updates,
}

/// Inputs about values, gathered in one walk.
pub(super) struct Analysis {
    pub(super) uses: SecondaryMap<Value, u32>,
    /// The word of a constant.
    pub(super) constant: SecondaryMap<Value, Option<u32>>,
    /// The operand of a logical not.
    not: SecondaryMap<Value, Option<Value>>,
    /// The comparison, if its only use is a plain branch.
    pub(super) fused: SecondaryMap<Value, Option<(CmpOp, Value, Value)>>,
    /// The comparison that is made instead, if lanes only are told apart by it: one instruction, not two.
    pub(super) inverse: SecondaryMap<Value, Option<CmpOp>>,
    /// The integer operation that it is the result of, if it can as well be done once more.
    pub(super) step: SecondaryMap<Value, Option<(BinOp, Value, Value)>>,
    /// What is read from the hart.
    pub(super) csr: SecondaryMap<Value, Option<Csr>>,
    /// The object in private memory of which it is an address, and how far it is from its start, where that is
    /// constant.
    pub(super) private: SecondaryMap<Value, Option<(PrivateId, i32)>>,
    /// Whether a float certainly is not a NaN.
    pub(super) number: SecondaryMap<Value, bool>,
    /// Whether what an operation gives is in the range of its narrow type before it is brought into it.
    pub(super) stays: SecondaryMap<Value, bool>,
    /// Float constants, each once.
    pub(super) floats: Vec<u32>,
}

impl Analysis {
    pub(super) fn of(function: &Function, inputs: Inputs<'_>) -> Self {
        let mut analysis = Self {
            uses: function.map_values(0),
            constant: function.map_values(None),
            not: function.map_values(None),
            fused: function.map_values(None),
            inverse: function.map_values(None),
            step: function.map_values(None),
            csr: function.map_values(None),
            private: function.map_values(None),
            number: function.map_values(false),
            stays: function.map_values(false),
            floats: Vec::new(),
        };
        let mut compares = function.map_values(None);
        let mut ranges = function.map_values(None);
        let mut conditions = Vec::new();
        let mut choices = Vec::new();
        function.body.uses(&mut |v| analysis.uses[v] += 1);
        function.body.visit(&mut |inst| {
            match &inst.op {
                Op::If { cond, .. } => conditions.push(*cond),
                Op::While(w) => conditions.push(w.cond),
                _ => {}
            }
            let [result] = inst.results[..] else {
                return;
            };
            let ty = function.ty(result);
            if let Some(range) = reached(function, &ranges, &inst.op, ty) {
                let (least, most) = range_of(ty);
                let stays = least <= range.0 && range.1 <= most;
                ranges[result] = stays.then_some(range);
                let may_leave = match inst.op {
                    Op::Binary(op, ..) => matches!(op, BinOp::Add | BinOp::Sub),
                    _ => matches!(inst.op, Op::Cast(_) | Op::Unary(..)),
                };
                analysis.stays[result] = stays && may_leave && ty.is_int() && ty.bits() < 32;
            }
            if ty == Type::F32 {
                analysis.number[result] = analysis.gives_a_number(function, &inst.op);
            }
            match &inst.op {
                Op::Const(word) => {
                    let word = u32::try_from(word.0).ok();
                    analysis.constant[result] = word;
                    if ty == Type::F32 {
                        word.into_iter().for_each(|word| analysis.add_float(word));
                    }
                }
                Op::Cast(a) if function.ty(*a) == Type::F32 => {
                    let limits = unsigned_limits(ty);
                    for limit in limits.into_iter().flatten() {
                        analysis.add_float(limit.to_bits());
                    }
                }
                Op::Unary(UnOp::Not, a) if function.ty(*a) == Type::Bool => {
                    analysis.not[result] = Some(*a);
                }
                // Between constants a choice may be the condition's word itself.
                Op::Select(cond, a, b) => {
                    let between_constants = [a, b].map(|value| analysis.constant[*value].is_some());
                    if between_constants != [true; 2] {
                        choices.push(*cond);
                    }
                }
                Op::Binary(op, a, b) if ty.is_int() => {
                    // To bring another word into the range of a narrow type would cost what is gained.
                    let is_whole = ty.bits() == 32;
                    if is_whole || analysis.uses[result] == 1 {
                        analysis.step[result] = Some((*op, *a, *b));
                    }
                }
                Op::Compare(op, a, b) => compares[result] = Some((*op, *a, *b)),
                Op::Csr(csr) => analysis.csr[result] = Some(*csr),
                Op::PrivateAddr(id) => analysis.private[result] = Some((*id, 0)),
                Op::Bitcast(a) => analysis.private[result] = analysis.private[*a],
                Op::PtrAdd { base, index, scale } => {
                    let object = analysis.private[*base].zip(analysis.constant[*index]);
                    analysis.private[result] = object.map(|((id, at), index)| {
                        (id, at.wrapping_add_unsigned(index.wrapping_mul(*scale)))
                    });
                }
                _ => {}
            }
        });
        for cond in conditions {
            let (inner, _) = analysis.condition(cond);
            if !analysis.is_only_tested(cond) {
                continue;
            }
            if inputs.uniformity.is_uniform(inner) {
                analysis.fused[inner] = compares[inner];
            } else {
                analysis.inverse[inner] = compares[inner].and_then(|of| contrary(function, of));
            }
        }
        // `czero` chooses by either truth.
        choices.retain(|cond| inputs.target.zicond && analysis.is_only_tested(*cond));
        for cond in choices {
            let (inner, _) = analysis.condition(cond);
            analysis.inverse[inner] = compares[inner].and_then(|of| contrary(function, of));
        }
        analysis
    }

    /// Whether what `op` gives, a float, certainly is not a NaN.
    fn gives_a_number(&self, function: &Function, op: &Op) -> bool {
        let number = |v: &Value| self.number[*v];
        match op {
            Op::Const(word) => u32::try_from(word.0).is_ok_and(|w| !f32::from_bits(w).is_nan()),
            Op::Cast(a) => {
                !function.ty(*a).is_half() && (function.ty(*a) != Type::F32 || number(a))
            }
            // They prefer a number to a NaN.
            Op::Binary(BinOp::Min | BinOp::Max, a, b) => number(a) || number(b),
            Op::Unary(UnOp::Neg | UnOp::Abs, a) => number(a),
            _ => false,
        }
    }

    fn add_float(&mut self, word: u32) {
        if !self.floats.contains(&word) {
            self.floats.push(word);
        }
    }

    /// Whether a condition and what its nots are about are used for nothing else.
    fn is_only_tested(&self, cond: Value) -> bool {
        self.uses[cond] == 1 && self.not[cond].is_none_or(|inner| self.is_only_tested(inner))
    }

    /// A condition without the nots around it, and whether its word says the contrary.
    pub(super) fn condition(&self, mut cond: Value) -> (Value, bool) {
        let mut inverted = false;
        while let Some(inner) = self.not[cond] {
            cond = inner;
            inverted = !inverted;
        }
        (cond, inverted != self.inverse[cond].is_some())
    }
}

/// What is compared instead where a comparison takes two instructions, and the contrary one.
fn contrary(function: &Function, (op, a, _): (CmpOp, Value, Value)) -> Option<CmpOp> {
    let takes_two = matches!(op, CmpOp::Ge | CmpOp::Le);
    takes_two.then(|| inverse(op, function.ty(a))).flatten()
}

/// From the least to the greatest.
type Range = (i64, i64);

/// All values of an integer type, or of `bool`.
fn range_of(ty: Type) -> Range {
    match (ty.bits(), ty.is_signed()) {
        (bits @ ..32, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (bits @ ..32, false) => (0, (1 << bits) - 1),
        (_, true) => (i32::MIN.into(), i32::MAX.into()),
        (_, false) => (0, u32::MAX.into()),
    }
}

/// In which range the exact result of an operation of type `ty` is, as far as that is worth knowing of words that are
/// brought into the range of a narrow type.
fn reached(
    function: &Function,
    ranges: &SecondaryMap<Value, Option<Range>>,
    op: &Op,
    ty: Type,
) -> Option<Range> {
    let is_number = |ty: Type| ty == Type::Bool || ty.is_int() && !ty.is_wide();
    let of = |v: &Value| {
        let ty = function.ty(*v);
        is_number(ty).then(|| ranges[*v].unwrap_or_else(|| range_of(ty)))
    };
    match op {
        Op::Const(word) if is_number(ty) => {
            let word = u32::try_from(word.0).ok()?;
            let number = match ty.is_signed() {
                true => word.cast_signed().into(),
                false => word.into(),
            };
            Some((number, number))
        }
        Op::Cast(a) => of(a),
        Op::Unary(UnOp::Neg, a) => of(a).map(|(least, most)| (-most, -least)),
        Op::Binary(BinOp::Add, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            Some((a.0 + b.0, a.1 + b.1))
        }
        Op::Binary(BinOp::Sub, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            Some((a.0 - b.1, a.1 - b.0))
        }
        Op::Binary(BinOp::And, a, b) => match (of(a)?, of(b)?) {
            ((0.., a), (0.., b)) => Some((0, a.min(b))),
            ((0.., most), _) | (_, (0.., most)) => Some((0, most)),
            _ => None,
        },
        Op::Select(_, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            Some((a.0.min(b.0), a.1.max(b.1)))
        }
        _ => None,
    }
}

/// The range to which a float is clamped before it becomes an unsigned integer, as far as the conversion does not do
/// so.
pub(super) fn unsigned_limits(to: Type) -> [Option<f32>; 2] {
    match to {
        Type::U8 => [Some(0.0), Some(f32::from(u8::MAX))],
        Type::U16 => [Some(0.0), Some(f32::from(u16::MAX))],
        Type::U32 => [Some(0.0), None],
        _ => [None, None],
    }
}
