//! A cursor that appends instructions to a block under construction.

use super::{
    Alias, Arm, BinOp, Block, CmpOp, Const, Csr, Function, Id, Inst, Loc, Op, Space, Type, UnOp,
    Value, While,
};
use smallvec::{SmallVec, smallvec};

/// Appends instructions to [`Builder::block`]; values are made in the function.
///
/// Nested blocks are built by a second cursor: `let mut inner = b.inner(); ..; let block = inner.finish();`.
#[derive(Debug)]
pub struct Builder<'a> {
    /// The function that owns the values.
    pub function: &'a mut Function,
    /// What has been appended so far.
    pub block: Block,
    /// Location given to the instructions that follow.
    pub loc: Loc,
}

impl Inst {
    /// Appends an instruction without results.
    #[must_use]
    pub fn effect(op: Op, loc: Loc) -> Self {
        Self {
            results: SmallVec::new(),
            op,
            loc,
        }
    }

    /// Takes the instruction out of its place, where one is left that is to be overwritten or removed.
    #[must_use]
    pub fn take(&mut self) -> Self {
        std::mem::replace(self, Self::effect(Op::Return, self.loc))
    }
}

/// For passes that make instructions before they have a block to put them in.
impl Function {
    /// Appends an instruction with one result of type `ty`, and returns the result.
    pub fn inst(&mut self, op: Op, ty: Type, loc: Loc) -> (Value, Inst) {
        let value = self.new_value(ty);
        let results = smallvec![value];
        (value, Inst { results, op, loc })
    }

    /// Appends an instruction with one result of type `ty`, which is returned.
    pub fn push(&mut self, op: Op, ty: Type, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let (value, inst) = self.inst(op, ty, loc);
        out.push(inst);
        value
    }
}

impl<'a> Builder<'a> {
    /// A cursor at the start of an empty block.
    pub fn new(function: &'a mut Function, loc: Loc) -> Self {
        Self {
            function,
            block: Block::default(),
            loc,
        }
    }

    /// A cursor for a block inside this one.
    pub fn inner(&mut self) -> Builder<'_> {
        Builder::new(self.function, self.loc)
    }

    /// The finished block.
    #[must_use]
    pub fn finish(self) -> Block {
        self.block
    }

    /// Appends an instruction without result.
    pub fn effect(&mut self, op: Op) {
        self.block.insts.push(Inst::effect(op, self.loc));
    }

    /// Appends an instruction with results of the given types.
    pub fn multi(&mut self, op: Op, types: &[Type]) -> Vec<Value> {
        let results: Vec<_> = types.iter().map(|t| self.function.new_value(*t)).collect();
        self.block.insts.push(Inst {
            results: SmallVec::from_slice(&results),
            op,
            loc: self.loc,
        });
        results
    }

    /// Appends an instruction with one result of type `ty`.
    pub fn value(&mut self, op: Op, ty: Type) -> Value {
        let insts = &mut self.block.insts;
        self.function.push(op, ty, self.loc, insts)
    }

    /// A constant, by its word.
    pub fn constant(&mut self, word: u32, ty: Type) -> Value {
        self.value(Op::Const(word.into()), ty)
    }

    /// A constant of a 64-bit type.
    pub fn wide_constant(&mut self, value: u64, ty: Type) -> Value {
        self.value(Op::Const(Const(value)), ty)
    }

    /// A `u32` constant.
    pub fn u32(&mut self, value: u32) -> Value {
        self.constant(value, Type::U32)
    }

    /// A `bool` constant.
    pub fn bool(&mut self, value: bool) -> Value {
        self.constant(u32::from(value), Type::Bool)
    }

    /// An operation on one value.
    pub fn unary(&mut self, op: UnOp, a: Value) -> Value {
        let ty = self.function.ty(a);
        self.value(Op::Unary(op, a), ty)
    }

    /// An operation on two values of one type.
    pub fn binary(&mut self, op: BinOp, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        self.value(Op::Binary(op, a, b), ty)
    }

    /// A comparison.
    pub fn compare(&mut self, op: CmpOp, a: Value, b: Value) -> Value {
        self.value(Op::Compare(op, a, b), Type::Bool)
    }

    /// `if cond { a } else { b }` without control flow.
    pub fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        self.value(Op::Select(cond, a, b), ty)
    }

    /// Rust's `as`.
    pub fn cast(&mut self, a: Value, to: Type) -> Value {
        self.value(Op::Cast(a), to)
    }

    /// The same word as another type.
    pub fn bitcast(&mut self, a: Value, to: Type) -> Value {
        self.value(Op::Bitcast(a), to)
    }

    /// `base + index * scale` in bytes.
    pub fn ptr_add(&mut self, base: Value, index: Value, scale: u32) -> Value {
        let ty = self.function.ty(base);
        self.value(Op::PtrAdd { base, index, scale }, ty)
    }

    /// Reads a `ty` at `ptr + offset`.
    pub fn load(&mut self, ty: Type, ptr: Value, offset: i32, alias: Alias) -> Value {
        self.value(Op::Load { ptr, offset, alias }, ty)
    }

    /// Writes `value` at `ptr + offset`.
    pub fn store(&mut self, ptr: Value, offset: i32, value: Value, alias: Alias) {
        self.effect(Op::Store {
            ptr,
            value,
            offset,
            alias,
        });
    }

    /// A fact about the work item.
    pub fn id(&mut self, id: Id) -> Value {
        self.value(Op::Id(id), Type::U32)
    }

    /// A value read from the hart.
    pub fn csr(&mut self, csr: Csr) -> Value {
        self.value(Op::Csr(csr), super::verify::csr_type(csr))
    }

    /// A branch; the results have the types of what `then` yields.
    pub fn if_else(&mut self, cond: Value, then: Arm, els: Arm) -> Vec<Value> {
        let types: Vec<_> = then.yields.iter().map(|v| self.function.ty(*v)).collect();
        self.multi(Op::branch(cond, then, els), &types)
    }

    /// A branch with one arm and no results.
    pub fn when(&mut self, cond: Value, then: Block) {
        let then = Arm::new(then, Vec::new());
        self.if_else(cond, then, Arm::default());
    }

    /// A loop; the results have the types of its exits.
    pub fn while_loop(&mut self, inner: While) -> Vec<Value> {
        let types: Vec<_> = inner.exits.iter().map(|v| self.function.ty(*v)).collect();
        self.multi(Op::While(Box::new(inner)), &types)
    }

    /// A null pointer.
    pub fn null(&mut self, space: Space) -> Value {
        self.constant(0, Type::Ptr(space))
    }
}
