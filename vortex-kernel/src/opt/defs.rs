//! What defines a value, for passes that look through operands.

use crate::ir::{Arm, Block, Const, Function, Op, SecondaryMap, Type, Value};

/// The operation after every value, as far as seen. Only operations without nested blocks are kept.
#[derive(Debug)]
pub(super) struct Defs {
    ops: SecondaryMap<Value, Option<Op>>,
}

impl Defs {
    pub(super) fn new(function: &Function) -> Self {
        Self {
            ops: function.map_values(None),
        }
    }

    /// Everything a block defines.
    pub(super) fn of(block: &Block, function: &Function) -> Self {
        let mut defs = Self::new(function);
        block.visit(&mut |inst| {
            if let [result] = inst.results[..] {
                defs.set(result, &inst.op);
            }
        });
        defs
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
        Op::Binary(BinOp::Min | BinOp::Max, ..) if ty != Type::F32 => 4,
        Op::Select(..) => 3,
        Op::PtrAdd { scale: 1, .. } => 1,
        Op::PtrAdd { .. } | Op::Cast(_) | Op::Compare(..) => 2,
        _ => 1,
    }
}

/// What the instructions of both arms of an `If` cost, if all they do is compute.
pub(super) fn cost_of_arms(function: &Function, arms: [&Arm; 2]) -> Option<u32> {
    let costs = arms.map(|arm| cost_of_arm(function, arm, cost));
    costs.into_iter().sum()
}

/// What those of one cost that are not numbers already, with what each of them does.
pub(super) fn cost_of_arm(
    function: &Function,
    arm: &Arm,
    cost: impl Fn(&Op, Type) -> u32,
) -> Option<u32> {
    let costs = arm.block.insts.iter().map(|inst| {
        let ty = inst.results.first().map(|v| function.ty(*v));
        inst.op.is_pure().then(|| match &inst.op {
            // Its word is that number.
            Op::Cast(a) if function.ty(*a) == Type::Bool => 0,
            op => cost(op, ty.unwrap_or(Type::U32)),
        })
    });
    costs.sum()
}
