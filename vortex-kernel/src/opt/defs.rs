//! What defines a value, for passes that look through operands.

use crate::ir::{Arm, BinOp, Block, Const, Function, Inst, Op, SecondaryMap, Type, Value};
use rustc_hash::FxHashMap;

/// The operation after every value, as far as seen. Only operations without nested blocks are kept.
#[derive(Debug)]
pub(super) struct Defs {
    ops: SecondaryMap<Value, Option<Op>>,
    /// Conditions that are results of `if`s.
    lazy: FxHashMap<Value, Both>,
}

/// A condition that is two conditions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Both {
    /// By `and`, else by `or`.
    pub(super) is_and: bool,
    pub(super) first: Value,
    pub(super) second: Value,
    /// Whether the second is asked, and computed, only where the first does not decide.
    pub(super) is_lazy: bool,
}

impl Both {
    /// What an operation on conditions is.
    pub(super) fn of(op: &Op) -> Option<Self> {
        let &Op::Binary(op @ (BinOp::And | BinOp::Or), first, second) = op else {
            return None;
        };
        Some(Self {
            is_and: op == BinOp::And,
            first,
            second,
            is_lazy: false,
        })
    }

    /// What an `if` on `cond` gives as `&&` and `||` do, by what its arms give and which of both truths a constant is.
    pub(super) fn of_arms(
        cond: Value,
        [then, els]: [Value; 2],
        truth: impl Fn(Value) -> Option<bool>,
    ) -> Option<Self> {
        let (is_and, second) = match (truth(then), truth(els)) {
            (_, Some(false)) => (true, then),
            (Some(true), _) => (false, els),
            _ => return None,
        };
        Some(Self {
            is_and,
            first: cond,
            second,
            is_lazy: true,
        })
    }
}

impl Defs {
    pub(super) fn new(function: &Function) -> Self {
        Self {
            ops: function.map_values(None),
            lazy: FxHashMap::default(),
        }
    }

    /// Everything a block defines.
    pub(super) fn of(block: &Block, function: &Function) -> Self {
        let mut defs = Self::new(function);
        let mut choices: Vec<&Inst> = Vec::new();
        block.visit(&mut |inst| {
            if let [result] = inst.results[..] {
                defs.set(result, &inst.op);
            }
            let is_condition = |value: &Value| function.ty(*value) == Type::Bool;
            if matches!(inst.op, Op::If { .. }) && inst.results.iter().any(is_condition) {
                choices.push(inst);
            }
        });
        for inst in choices {
            defs.set_lazy(inst, function);
        }
        defs
    }

    /// Notes which results of an `if` are conditions made of two.
    fn set_lazy(&mut self, inst: &Inst, function: &Function) {
        let Op::If { cond, then, els } = &inst.op else {
            return;
        };
        let yields = then.yields.iter().zip(&els.yields);
        for (result, (then, els)) in inst.results.iter().zip(yields) {
            let truth = |value| self.constant(value).map(|word| word != 0);
            if function.ty(*result) == Type::Bool
                && let Some(both) = Both::of_arms(*cond, [*then, *els], truth)
            {
                self.lazy.insert(*result, both);
            }
        }
    }

    /// The two conditions that one is.
    pub(super) fn both(&self, condition: Value) -> Option<Both> {
        let eager = self.get(condition).and_then(Both::of);
        eager.or_else(|| self.lazy.get(&condition).copied())
    }

    pub(super) fn set(&mut self, value: Value, op: &Op) {
        self.ops[value] = op.is_pure().then(|| op.clone());
    }

    pub(super) fn get(&self, value: Value) -> Option<&Op> {
        self.ops[value].as_ref()
    }

    /// Whether two values are the same, or constants of one word.
    pub(super) fn same(&self, a: Value, b: Value) -> bool {
        let words = || self.constant(a).zip(self.constant(b));
        a == b || words().is_some_and(|(a, b)| a == b)
    }

    /// The word of a constant.
    pub(super) fn constant(&self, value: Value) -> Option<u32> {
        match self.get(value) {
            Some(Op::Const(Const(word))) => u32::try_from(*word).ok(),
            _ => None,
        }
    }
}

/// Instructions a pure operation costs, roughly, as the lowering expands it.
pub(super) fn cost(op: &Op, ty: Type) -> u32 {
    use crate::ir::BinOp;
    match op {
        Op::Const(_) | Op::Bitcast(_) | Op::PrivateAddr(_) => 0,
        Op::Binary(BinOp::Div | BinOp::Rem, ..) => 8,
        Op::Unary(crate::ir::UnOp::Sqrt, _) => 8,
        Op::Unary(op, _) if op.rounds() => 2,
        Op::Binary(BinOp::Min | BinOp::Max, ..) if ty != Type::F32 => 4,
        Op::Select(..) => 3,
        Op::PtrAdd { scale: 1, .. } => 1,
        Op::PtrAdd { .. } | Op::Cast(_) | Op::Compare(..) => 2,
        _ => 1,
    }
}

/// The same, if all that the operation does is compute.
pub(super) fn cost_if_pure(op: &Op, ty: Type) -> Option<u32> {
    op.is_pure().then(|| cost(op, ty))
}

/// What the instructions of both arms of an `If` cost, if all they do is compute.
pub(super) fn cost_of_arms(function: &Function, arms: [&Arm; 2]) -> Option<u32> {
    let costs = arms.map(|arm| cost_of(function, &arm.block.insts, cost_if_pure));
    costs.into_iter().sum()
}

/// What instructions cost that are not numbers already, if each of them costs something that can be said.
pub(super) fn cost_of(
    function: &Function,
    insts: &[Inst],
    cost: impl Fn(&Op, Type) -> Option<u32>,
) -> Option<u32> {
    let costs = insts.iter().map(|inst| {
        let ty = inst.results.first().map(|v| function.ty(*v));
        match &inst.op {
            // Its word is that number.
            Op::Cast(a) if function.ty(*a) == Type::Bool => Some(0),
            op => cost(op, ty.unwrap_or(Type::U32)),
        }
    });
    costs.sum()
}
