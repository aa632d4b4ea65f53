//! The operations, one row for each: its parts, its text form, its effect, the form of the IR that it is restricted to,
//! and its types.
//!
//! Visitors, the text form, the verifier's rules for types, and the properties that passes use ([`Op::effect`]) follow
//! from a row. A row does not say what the operation means (`interp`), how it is lowered (`codegen::ops`), or who emits
//! it.

use super::plain::{Line, Parts, Plain};
use super::{
    Alias, Arm, AtomicOp, BinOp, Block, CmpOp, Const, Csr, DataId, FaultKind, FaultOperands, Form,
    Id, Label, LocalId, MessageId, Order, PrivateId, Scope, Space, Type, UnOp, Value, Var, WarpOp,
    While,
};
use crate::ir::lexer::{Lexer, Parse};
use std::fmt;

/// The effect of an operation besides its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing, and its results depend on its operands only.
    Pure,
    /// Nothing, but its results depend on when it runs.
    Reads,
    /// Something visible elsewhere: it is kept.
    Writes,
    /// Something that depends on which lanes or items do it together: it is never moved, merged, duplicated or removed.
    Convergent,
    /// That of its blocks, or a jump.
    Control,
}

/// The types that an operation asks of its operands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operands {
    /// Any, each its own.
    Any,
    /// All the same.
    Alike,
    /// All this one.
    Are(Type),
}

/// What an operation gives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gives {
    /// No result.
    Nothing,
    /// One of the type that the operands have.
    Alike,
    /// One of this type.
    A(Type),
}

/// Types of operands and result, as far as a row can say them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signature {
    pub(super) operands: Operands,
    pub(super) result: Gives,
}

/// A part of an operation: whether it has values in it.
trait Part {
    fn values(&self, _: &mut dyn FnMut(Value)) {}

    fn values_mut(&mut self, _: &mut dyn FnMut(&mut Value)) {}
}

impl Part for Value {
    fn values(&self, f: &mut dyn FnMut(Value)) {
        f(*self);
    }

    fn values_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        f(self);
    }
}

impl Part for [Value; 2] {
    fn values(&self, f: &mut dyn FnMut(Value)) {
        self.iter().for_each(|value| f(*value));
    }

    fn values_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        self.iter_mut().for_each(f);
    }
}

impl Part for FaultOperands {
    fn values(&self, f: &mut dyn FnMut(Value)) {
        self.iter().for_each(|value| f(*value));
    }

    fn values_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        self.iter_mut().for_each(f);
    }
}

impl Part for Vec<Value> {
    fn values(&self, f: &mut dyn FnMut(Value)) {
        self.iter().for_each(|value| f(*value));
    }

    fn values_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        self.iter_mut().for_each(f);
    }
}

/// What it starts with; the rest is read inside ([`Op::inner_operands`]).
impl Part for Box<While> {
    fn values(&self, f: &mut dyn FnMut(Value)) {
        self.init.values(f);
    }

    fn values_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        self.init.values_mut(f);
    }
}

macro_rules! without_values {
    ($($ty:ty)*) => {$(impl Part for $ty {})*};
}

without_values! {
    Alias Arm AtomicOp BinOp Block CmpOp Const Csr DataId FaultKind Id Label LocalId MessageId Order PrivateId Scope
    UnOp Var WarpOp i32 u32
}

/// Types as a row has them.
macro_rules! signature {
    ([by hand]) => { None };
    ([$($operands:ident)? -> $($result:ident $(($space:ident))?)?]) => {
        Some(Signature {
            operands: operands!($($operands)?),
            result: gives!($($result $(($space))?)?),
        })
    };
}

macro_rules! operands {
    () => {
        Operands::Any
    };
    (any) => {
        Operands::Any
    };
    (alike) => {
        Operands::Alike
    };
    ($ty:ident) => {
        Operands::Are(Type::$ty)
    };
}

macro_rules! gives {
    () => {
        Gives::Nothing
    };
    (alike) => {
        Gives::Alike
    };
    ($ty:ident) => {
        Gives::A(Type::$ty)
    };
    (Ptr ($space:ident)) => {
        Gives::A(Type::Ptr(Space::$space))
    };
}

/// A form as a row has it.
macro_rules! form {
    (Any) => {
        None
    };
    ($form:ident) => {
        Some(Form::$form)
    };
}

/// Writes an operation that a row has a name for.
macro_rules! write_plain {
    ($out:ident _ $($part:ident)*) => {{
        $(let _ = $part;)*
        None
    }};
    ($out:ident $name:literal $($part:ident)*) => {
        Some(Line::start($out, $name).and_then(|mut line| {
            let line = &mut line;
            $($part.write(line)?;)*
            let _ = line;
            Ok(())
        }))
    };
}

/// Reads an operation that a row has a name for.
macro_rules! read_plain {
    ($word:ident _ $($op:tt)*) => {};
    ($word:ident $name:literal $($op:tt)*) => {
        if $word == $name {
            return Ok(Some($($op)*));
        }
    };
}

macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $variant:ident
        $(($($part:ident: $part_ty:ty),*))?
        $({ $($(#[$field_doc:meta])* $field:ident: $field_ty:ty,)* })?
        => $name:tt $effect:ident $form:ident $signature:tt;
    )*) => {
        /// An operation.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Op {$(
            $(#[$doc])*
            $variant $(($($part_ty),*))? $({ $($(#[$field_doc])* $field: $field_ty,)* })?,
        )*}

        impl Op {
            /// Calls `f` on every value the operation reads before its nested blocks run: not on what arms yield nor on
            /// what iterations of a loop test, exit with or carry.
            pub fn operands(&self, f: &mut dyn FnMut(Value)) {
                match self {$(
                    Self::$variant $(($($part),*))? $({ $($field),* })? => {
                        $($($part.values(f);)*)?
                        $($($field.values(f);)*)?
                    }
                )*}
            }

            /// As [`Op::operands`], to change them.
            pub fn operands_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
                match self {$(
                    Self::$variant $(($($part),*))? $({ $($field),* })? => {
                        $($($part.values_mut(f);)*)?
                        $($($field.values_mut(f);)*)?
                    }
                )*}
            }

            /// Its effect besides its results.
            #[must_use]
            pub const fn effect(&self) -> Effect {
                match self {
                    // Lanes exchange what each of them stores and loads.
                    Self::Load { alias: Alias::Exchange, .. }
                    | Self::Store { alias: Alias::Exchange, .. } => Effect::Convergent,
                    $(Self::$variant { .. } => Effect::$effect,)*
                }
            }

            /// The only form of the IR that it is in; nothing if it is in both.
            pub(super) const fn only_form(&self) -> Option<Form> {
                match self {$(Self::$variant { .. } => form!($form),)*}
            }

            /// Its types, as far as its row says them.
            pub(super) const fn signature(&self) -> Option<Signature> {
                match self {$(Self::$variant { .. } => signature!($signature),)*}
            }

            /// Writes it, if that is its name and then its parts.
            pub(super) fn write_plain(&self, out: &mut dyn fmt::Write) -> Option<fmt::Result> {
                match self {$(
                    Self::$variant $(($($part),*))? $({ $($field),* })? =>
                        write_plain!(out $name $($($part)*)? $($($field)*)?),
                )*}
            }

            /// Reads one that [`Op::write_plain`] writes, after its name.
            pub(super) fn read_plain(word: &str, lex: &mut Lexer<'_>) -> Parse<Option<Self>> {
                let mut parts = Parts::of(lex);
                $(read_plain!(word $name Self::$variant
                    $(($(<$part_ty as Plain>::read(&mut parts)?),*))?
                    $({ $($field: <$field_ty as Plain>::read(&mut parts)?),* })?);)*
                Ok(None)
            }
        }
    };
}

// Parts, then: the name in the text form, or `_` if it is written otherwise (`print`, `parse::ops`); the effect; the
// only form; and types of operands and result (`alike` for operands of one type), or that `verify::ops` checks them by
// hand. What a row cannot say, such as which types an addition takes, is checked there, too.
operations! {
    /// A constant of the result's type.
    Const(value: Const) => _ Pure Any [by hand];
    /// One operand, same type.
    Unary(op: UnOp, a: Value) => _ Pure Any [alike -> alike];
    /// Two operands of one type, giving that type.
    Binary(op: BinOp, a: Value, b: Value) => _ Pure Any [alike -> alike];
    /// Two operands of one type, giving `bool`.
    Compare(op: CmpOp, a: Value, b: Value) => _ Pure Any [alike -> Bool];
    /// `if cond { a } else { b }` without control flow; both are evaluated before.
    Select(cond: Value, a: Value, b: Value) => "select" Pure Any [by hand];
    /// `a * b + c` with one rounding, on `f32`.
    MulAdd(a: Value, b: Value, c: Value) => "muladd" Pure Any [F32 -> F32];
    /// Rust's `as` from the operand's type to the result's type (numbers and `bool`).
    Cast(a: Value) => "cast" Pure Any [by hand];
    /// Same word, other type (`f32` <-> `u32`/`i32`, pointer <-> `u32`).
    Bitcast(a: Value) => "bitcast" Pure Any [by hand];
    /// `base + index * scale` in bytes, wrapping at 32 bits. `index` is `u32` or `i32`; the result
    /// has the base's type.
    PtrAdd {
        /// The pointer to start from.
        base: Value,
        /// How many elements.
        index: Value,
        /// Size of an element in bytes; at least 1.
        scale: u32,
    } => _ Pure Any [by hand];
    /// Reads a value of the result's type at `ptr + offset`.
    Load {
        /// The address that `offset` is added to.
        ptr: Value,
        /// Constant displacement in bytes.
        offset: i32,
        /// What it accesses memory through.
        alias: Alias,
    } => _ Reads Any [by hand];
    /// Writes `value` at `ptr + offset`.
    Store {
        /// The address that `offset` is added to.
        ptr: Value,
        /// The value that is stored.
        value: Value,
        /// Constant displacement in bytes.
        offset: i32,
        /// What it accesses memory through.
        alias: Alias,
    } => _ Writes Any [any ->];
    /// One indivisible step on the word at `ptr + offset`, which is `I32`, `U32` or `F32` by the type of the result (of
    /// the operand for [`AtomicOp::Store`], which has no result). The result is the word from before. No plain load is
    /// reused across it, except of what is not written during the launch.
    Atomic {
        /// What it does.
        op: AtomicOp,
        /// The address that `offset` is added to.
        ptr: Value,
        /// Constant displacement in bytes.
        offset: i32,
        /// As many as [`AtomicOp::operands`] says, of the word's type.
        operands: Vec<Value>,
        /// What it accesses memory through.
        alias: Alias,
        /// What it orders.
        order: Order,
        /// The scope in which it orders memory.
        scope: Scope,
    } => _ Writes Any [by hand];
    /// A fact about the current work item; gone after `codegen::entry`.
    Id(id: Id) => "id" Pure Any [-> U32];
    /// Cycles that the core has run for, a `u32` that wraps. Never moved, and never merged with another.
    Clock => "clock" Reads Any [-> U32];
    /// A value read from the hart; only in code made by `codegen::entry`.
    Csr(csr: Csr) => "csr" Pure Structured [by hand];
    /// Address of an object in local memory, the same for all items of a group; gone after `codegen::entry`.
    LocalAddr(object: LocalId) => "local_addr" Pure Any [-> Ptr(Local)];
    /// Address of an object in private memory: each item has its own. The same object in every execution.
    PrivateAddr(object: PrivateId) => "private_addr" Pure Any [-> Ptr(Private)];
    /// Address of constant data, which is part of the image.
    DataAddr(object: DataId) => "data_addr" Pure Any [-> Ptr(Constant)];
    /// Every item of the group that has not ended arrives before any goes on; what was written before, to local and
    /// to global memory, is seen after it. Convergent: all items of the group come to it or none. Gone after
    /// `codegen::entry`.
    Barrier => "barrier" Convergent Any [->];
    /// The first half of a barrier: the item arrives and continues at once. Its result is for the `barrier_wait` that
    /// is the other half. What the item wrote before is seen by every item of the group after that. Convergent as
    /// `barrier`, and gone after `codegen::entry`.
    BarrierArrive => "barrier_arrive" Convergent Any [-> U32];
    /// The second half: waits until every item of the group that has not ended has arrived. Convergent as `barrier`,
    /// and gone after `codegen::entry`.
    BarrierWait(token: Value) => "barrier_wait" Convergent Any [U32 ->];
    /// All items of the scope see what the item wrote before it earlier than anything that it writes afterwards; and
    /// what it reads afterwards is read afterwards. No plain load is reused across it, except of data that nothing
    /// writes during the launch.
    Fence(scope: Scope) => "fence" Writes Any [->];
    /// Waits until `warps` warps of the core have arrived at barrier number `barrier`, where both are uniform and
    /// `warps` is at least 1; convergent, and only in the entry.
    Meet {
        /// Which of the core's barriers.
        barrier: Value,
        /// How many warps it waits for.
        warps: Value,
    } => "meet" Convergent Structured [U32 ->];
    /// The warp arrives at a barrier as for `meet`, without waiting. Its result is the phase that the barrier is in,
    /// which ends when `warps` warps have arrived. Convergent, and only in the entry for Vortex 3.
    Arrive {
        /// Which of the core's barriers.
        barrier: Value,
        /// How many warps are to arrive.
        warps: Value,
    } => "arrive" Convergent Structured [U32 -> U32];
    /// Waits until a barrier is not in this phase any more. Convergent, and only in the entry for Vortex 3.
    Await {
        /// Which of the core's barriers.
        barrier: Value,
        /// What `arrive` gave.
        phase: Value,
    } => "await" Convergent Structured [U32 ->];
    /// The lanes of a warp ask each other; see [`WarpOp`]. Convergent.
    Warp {
        /// The operation.
        op: WarpOp,
        /// As many as [`WarpOp::operands`] says.
        operands: Vec<Value>,
    } => _ Convergent Any [by hand];
    /// Narrows the active lanes of the warp to the mask; uniform, and only in the entry.
    NarrowMask(mask: Value) => "narrow_mask" Convergent Structured [U32 ->];
    /// States that a `bool` is true here. It computes nothing: passes may use it until `opt::forget` drops it.
    Assume(cond: Value) => "assume" Writes Any [Bool ->];
    /// Records a failure of the current item unless its lane has one already, and continues.
    Fault {
        /// What has failed.
        kind: FaultKind,
        /// Words that say more, two if not for an overflow; their meaning depends on `kind`.
        operands: FaultOperands,
    } => "fault" Writes Any [any ->];
    /// Records a failure with a message of the user's, as [`Op::Fault`] does; what follows ends the item.
    Panic {
        /// What it says.
        message: MessageId,
        /// The values in it: at most [`MAX_PANIC_WORDS`](super::MAX_PANIC_WORDS) words.
        operands: Vec<Value>,
    } => "panic" Writes Any [any ->];
    /// Records a failure: what [`Op::Fault`] and [`Op::Panic`] become, and only in the entry.
    Record {
        /// Which of the places that can fail it is, counted from 1.
        site: u32,
        /// The number of the item, as the host counts.
        item: Value,
        /// Words that say more: at most [`MAX_PANIC_WORDS`](super::MAX_PANIC_WORDS).
        operands: Vec<Value>,
    } => _ Writes Structured [U32 ->];
    /// Hands the host a message, after those that the item has printed before. One that finds no room is only counted.
    Print {
        /// What it says.
        message: MessageId,
        /// The values in it.
        operands: Vec<Value>,
    } => "print" Writes Any [any ->];
    /// Two-way branch. Its results are what the taken arm yields.
    If {
        /// The condition, a `bool`.
        cond: Value,
        /// Taken when true.
        then: Box<Arm>,
        /// Taken when false.
        els: Box<Arm>,
    } => _ Control Any [by hand];
    /// Structured form: the only loop. See [`While`].
    While(inner: Box<While>) => _ Control Structured [by hand];

    /// Staged form only: an endless loop, left by `Break`.
    Loop {
        /// What `Break` and `Continue` inside refer to.
        label: Label,
        /// The loop's body. Reaching its end, or a `Continue`, goes to `step`.
        body: Block,
        /// Runs between iterations (a `for` advances its counter here); may `Break`, not `Continue`.
        step: Block,
    } => _ Control Staged [->];
    /// Staged form only: runs `body` once; a `Break` inside leaves it.
    Scope {
        /// What `Break` inside refers to. There is no `Continue` to it.
        label: Label,
        /// The code within it.
        body: Block,
    } => _ Control Staged [->];
    /// Staged form only: reads a mutable local.
    VarGet(var: Var) => "get" Reads Staged [by hand];
    /// Staged form only: writes a mutable local.
    VarSet(var: Var, value: Value) => "set" Writes Staged [any ->];
    /// Staged form only: leaves the loop or scope.
    Break(label: Label) => "break" Control Staged [->];
    /// Staged form only: starts the loop's next iteration.
    Continue(label: Label) => "continue" Control Staged [->];
    /// Staged form only: ends the work item.
    Return => "return" Control Staged [->];
}

impl Op {
    /// An [`Op::If`].
    #[must_use]
    pub fn branch(cond: Value, then: Arm, els: Arm) -> Self {
        let [then, els] = [then, els].map(Box::new);
        Self::If { cond, then, els }
    }

    /// Whether the operation computes its result from its operands and nothing else, and does nothing else.
    #[must_use]
    pub const fn is_pure(&self) -> bool {
        matches!(self.effect(), Effect::Pure)
    }

    /// Whether the operation is kept even where its results are not needed. An operation with blocks is kept for their
    /// contents.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        matches!(self.effect(), Effect::Writes | Effect::Convergent)
    }

    /// Whether the operation is convergent: never moved, merged, duplicated or removed.
    #[must_use]
    pub const fn is_convergent(&self) -> bool {
        matches!(self.effect(), Effect::Convergent)
    }

    /// Whether the operation depends on which lanes or items do it together: barriers and warp operations.
    #[must_use]
    pub const fn is_collective(&self) -> bool {
        self.is_convergent() && !matches!(self, Self::NarrowMask(_))
    }

    /// Whether all items of a group reach the operation, or none, and no access to memory may move across it: a
    /// barrier, or half of one.
    #[must_use]
    pub const fn is_barrier(&self) -> bool {
        matches!(
            self,
            Self::Barrier
                | Self::BarrierArrive
                | Self::BarrierWait(_)
                | Self::Meet { .. }
                | Self::Arrive { .. }
                | Self::Await { .. }
        )
    }

    /// Whether the operation jumps (staged form).
    #[must_use]
    pub const fn is_jump(&self) -> bool {
        matches!(self, Self::Break(_) | Self::Continue(_) | Self::Return)
    }
}
