//! The kernel IR: typed SSA values in structured control flow.
//!
//! # Shape
//!
//! A [`Function`] is one kernel. Its [`Block`] is a list of [`Inst`]s; control flow is nested inside instructions
//! ([`Op::If`], [`Op::While`]), never a graph of jumps. A value is defined once and is visible from there to the end of
//! the block that defines it, including nested blocks. Structure is what makes SIMT divergence tractable, and it is
//! kept until machine code.
//!
//! # Two forms
//!
//! * **Staged** ([`Form::Staged`]) is what running a kernel's body records: mutable locals are [`Var`]s with
//!   [`Op::VarGet`] / [`Op::VarSet`], loops are [`Op::Loop`], a block to leave early is an [`Op::Scope`], and a block
//!   may end in [`Op::Break`], [`Op::Continue`] or [`Op::Return`].
//! * **Structured** ([`Form::Structured`]) has none of these: `opt::structurise` turns jumps into
//!   structured conditions and `opt::ssa` turns variables into values. Every loop is an
//!   [`Op::While`]. All further passes, the interpreter's fast path and code generation see only this form.
//!
//! # Values and words
//!
//! Every value fits one 32-bit device word, except 64-bit integers, which `opt::legalize_i64` turns into pairs of words
//! before the entry is made. A word holds its type's canonical form: `bool` is 0 or 1, `i8`/`i16` are sign-extended,
//! `u8`/`u16` zero-extended. Integer arithmetic wraps at the width of its type; shift amounts are taken modulo the
//! width.
//!
//! # Execution
//!
//! A function describes **one work item**; `codegen::entry` wraps it into the loop that a warp runs
//! over its items. Within a warp all active lanes execute an instruction together. A value is
//! *uniform* when all active lanes hold the same word (`opt::uniformity`); an `If` or `While` whose
//! condition is not uniform is *divergent*.
//!
//! # Memory
//!
//! Loads and stores carry an [`Alias`] that says through which argument they access memory. Memory of a shared slice is
//! not written during the launch; two exclusive slices do not overlap. A check (`i < len`) is an ordinary comparison
//! and an ordinary `If` whose else-arm is an [`Op::Fault`]; so removing a check is constant folding and nothing else.
//!
//! # As text
//!
//! [`print`](mod@print) has the form; [`parse`](fn@parse) reads it, [`verify`](fn@verify) checks the rules, and
//! [`interp`] runs it.
//!
//! ```
//! use vortex_kernel::ir::{Form, interp, parse, verify};
//!
//! let text = r#"kernel "store" (v0: ptr<global> "x" arg 0 at 0, v1: u32 "value" arg 1 at 4) args 8 {
//!   store v0+0, v1 exclusive(0)
//! }
//! "#;
//! let function = parse(text)?;
//! verify(&function, Form::Structured)?;
//!
//! let mut memory = interp::Memory::default();
//! memory.map(0x1_0000, vec![0; 4]);
//! let args = [0x1_0000u32, 42].map(u32::to_le_bytes).concat();
//! interp::run_items(&function, &args, [1, 1, 1], &mut memory, interp::DEFAULT_BUDGET)?;
//! assert_eq!(memory.region(0x1_0000), Some(&42u32.to_le_bytes()[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod builder;
pub(crate) mod check_note;
mod entities;
pub mod eval;
pub(crate) mod expand;
mod facts;
mod ids;
pub mod interp;
pub(crate) mod launch_conditions;
mod lexer;
mod memory;
mod message;
mod names;
mod op;
mod overflowed;
pub mod parse;
mod parse_error;
mod plain;
pub mod print;
mod source;
mod types;
pub mod verify;
pub mod visit;
mod warp;

pub use builder::Builder;
pub use check_note::CheckNote;
pub use entities::{
    DataId, EntityRef, EntitySet, Label, Loc, LocalId, MessageId, PrimaryMap, PrivateId,
    ReservedValue, SecondaryMap, Value, Var,
};
pub use facts::Facts;
pub use ids::{Csr, Id};
pub use launch_conditions::{LaunchConditions, LaunchTests};
pub use memory::{
    Alias, AtomicOp, DataObject, GlobalVariable, MAX_ALIGN, MemoryObject, Order, Scope,
};
pub use message::{Message, Render, Stream};
pub use names::{LocalPlace, NamedLocal, NamedObject, ScalarShape, Shape};
pub use op::{Effect, Op};
pub use overflowed::Overflowed;
pub use parse::parse;
pub use parse_error::{ParseError, Problem};
pub use source::SourceLoc;
pub use types::{Const, Space, Type};
pub use verify::{VerifyError, verify};
pub use warp::WarpOp;

pub use crate::abi::MAX_PANIC_WORDS;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Operations on one value. Operand and result have the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// Wrapping negation of integers; sign flip of floats.
    Neg,
    /// Complement of integers; logical not of `bool`.
    Not,
    /// Clears the sign of a float.
    Abs,
    /// Correctly rounded square root of a float.
    Sqrt,
    /// The largest integer not above a float. As the next four: of floats that an `i32` is near; others give the
    /// limits of `i32` as floats, NaN the upper one. Zero has no sign.
    Floor,
    /// The smallest integer not below a float.
    Ceil,
    /// The integer next to a float towards zero.
    Trunc,
    /// The integer nearest to a float, of halves the one away from zero.
    Round,
    /// The integer nearest to a float, of halves the even one.
    RoundEven,
}

impl UnOp {
    /// Those that floats have.
    pub const OF_FLOATS: [Self; 8] = [
        Self::Neg,
        Self::Abs,
        Self::Sqrt,
        Self::Floor,
        Self::Ceil,
        Self::Trunc,
        Self::Round,
        Self::RoundEven,
    ];

    /// Whether it rounds a float to an integer.
    #[must_use]
    pub const fn rounds(self) -> bool {
        use UnOp::{Abs, Ceil, Floor, Neg, Not, Round, RoundEven, Sqrt, Trunc};
        match self {
            Neg | Not | Abs | Sqrt => false,
            Floor | Ceil | Trunc | Round | RoundEven => true,
        }
    }
}

/// Operations on two values of one type, giving that type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// Wrapping on integers, IEEE on floats.
    Add,
    /// Wrapping on integers, IEEE on floats.
    Sub,
    /// Wrapping on integers, IEEE on floats.
    Mul,
    /// High word of the product of two 32-bit integers, signed or unsigned by type.
    MulHigh,
    /// Integers: the divisor has been checked (a zero divisor gives what RISC-V gives). IEEE on floats.
    Div,
    /// Integers: as `Div`. Not defined on floats in this version.
    Rem,
    /// Integers and `bool`.
    And,
    /// Integers and `bool`.
    Or,
    /// Integers and `bool`.
    Xor,
    /// Amount (second operand, same type) modulo the width.
    Shl,
    /// Arithmetic on signed, logical on unsigned types; amount modulo the width.
    Shr,
    /// Rust's `min`: on floats the non-NaN operand wins.
    Min,
    /// Rust's `max`: on floats the non-NaN operand wins.
    Max,
    /// The first float with the sign of the second.
    CopySign,
    /// The first float, negated if the second has a sign.
    FlipSign,
}

/// Comparisons of two values of one type, giving `bool`. Signedness comes from the type; on floats
/// all but `Ne` are false when an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CmpOp {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less than.
    Lt,
    /// Less than or equal.
    Le,
    /// Greater than.
    Gt,
    /// Greater than or equal.
    Ge,
}

impl BinOp {
    /// Those that floats have.
    pub const OF_FLOATS: [Self; 8] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Min,
        Self::Max,
        Self::CopySign,
        Self::FlipSign,
    ];
}

impl CmpOp {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Eq, Self::Ne, Self::Lt, Self::Le, Self::Gt, Self::Ge];
}

/// Why a work item failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FaultKind {
    /// `slice[index]` with `index >= len`. Operands: index, len. Execution continues without the access.
    Index,
    /// A texel beyond the edge of its texture. Operands: the coordinate, the texels along its axis. Execution continues
    /// without the access.
    Texel,
    /// An element or a tile beyond the edge of its tensor. Operands: the coordinate, how many there are along its
    /// axis. Execution continues without the access.
    Element,
    /// A circular buffer whose pages are all taken, or of which none is: operands n and m, where n must be less.
    /// Execution continues.
    Pages,
    /// Division or remainder by zero. Operands: dividend, divisor. Execution continues with 0.
    DivideByZero,
    /// `MIN / -1` or `MIN % -1`. Operands: dividend, divisor. Execution continues with 0.
    DivideOverflow,
    /// A range stepped by zero. Operands: 0, the step. The item ends.
    StepByZero,
    /// `unwrap` of a `None`. Operands: zeros. The item ends.
    Unwrap,
    /// The result does not fit its type, in a kernel that checks that. Operands: which operation, by its number among
    /// [`OVERFLOWING`], and 0; or what [`Overflowed`] reads. The item ends.
    Overflow,
    /// `panic!`, an `assert!` that does not hold, and their kin: see [`Op::Panic`]. The item ends.
    Panic,
    /// `slice[start..end]` that ends beyond the slice, or before it begins. Operands: `end`, and the length of the
    /// slice if that is less; else `start`, which is greater than `end`. Execution continues with no elements.
    Range,
    /// `slice[start..]` that begins beyond the slice. Operands: `start`, len. Execution continues with no elements.
    RangeStart,
    /// `slice.split_at(middle)` beyond the end. Operands: `middle`, len; zeros if they are not known. Execution
    /// continues with parts of no elements.
    Split,
    /// `copy_from_slice` between slices of two lengths. Operands: that of the source, that of the destination. The item
    /// ends.
    Lengths,
    /// `chunks` and its kin of no elements. Operands: 0, the size. The item ends.
    ZeroChunks,
    /// `windows` of no elements. Operands: 0, the size. The item ends.
    ZeroWindows,
}

impl FaultKind {
    /// Whether it is about an index that is out of bounds, or about elements of which there are too few.
    #[must_use]
    pub const fn is_of_bounds(self) -> bool {
        match self {
            Self::Index | Self::Texel | Self::Element => true,
            Self::Range | Self::RangeStart | Self::Split | Self::Lengths => true,
            Self::Pages | Self::DivideByZero | Self::DivideOverflow | Self::StepByZero => false,
            Self::Unwrap | Self::Overflow | Self::Panic | Self::ZeroChunks | Self::ZeroWindows => {
                false
            }
        }
    }
}

/// What can overflow, for people.
pub const OVERFLOWING: [&str; 9] = [
    "an addition",
    "a subtraction",
    "a multiplication",
    "a negation",
    "a shift to the left",
    "a shift to the right",
    "an absolute value",
    "a power",
    "the next multiple",
];

/// A list of instructions. In the staged form the last one may be a jump; nothing follows a jump.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The instructions, in program order.
    pub insts: Vec<Inst>,
}

/// What a failure tells: nearly always two values.
pub type FaultOperands = SmallVec<[Value; 2]>;

/// What an instruction defines: nearly always one value, which needs no memory of its own.
pub type Results = SmallVec<[Value; 2]>;

/// One instruction: what it does, what it defines, where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// Values defined here. Their types are in [`Function::values`].
    pub results: Results,
    /// The operation.
    pub op: Op,
    /// Where in the user's source.
    pub loc: Loc,
}

/// One arm of an [`Op::If`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arm {
    /// What the arm does.
    pub block: Block,
    /// What the `If` results in when this arm is taken; one per result. Ignored by an arm that ends in a jump
    /// (staged form), where it must still name values of the right types or be empty.
    pub yields: Vec<Value>,
    /// Whether it is another version of the other arm, for when less is known: with checks and guards that the other
    /// arm omits. It is rarely taken.
    pub is_fallback: bool,
}

impl Arm {
    /// One that is not a fallback.
    #[must_use]
    pub const fn new(block: Block, yields: Vec<Value>) -> Self {
        Self {
            block,
            yields,
            is_fallback: false,
        }
    }
}

/// The loop of the structured form, tested in its middle:
///
/// ```text
/// params := init
/// loop {
///     before
///     if !cond { results := exits; leave }
///     after
///     params := next
/// }
/// ```
///
/// `before` sees `params`; `cond` and `exits` see what `before` defines; `after` and `next` see that and what
/// `after` defines. An empty `after` makes it a bottom-tested loop, an empty or pure `before` a top-tested one.
#[derive(Clone, Debug, PartialEq)]
pub struct While {
    /// Values carried from iteration to iteration; defined here.
    pub params: Vec<Value>,
    /// Their values in the first iteration.
    pub init: Vec<Value>,
    /// Runs in every iteration, also in the one that leaves.
    pub before: Block,
    /// Whether to continue: a `bool`.
    pub cond: Value,
    /// The loop's results, one per result of the instruction.
    pub exits: Vec<Value>,
    /// Runs when `cond` held.
    pub after: Block,
    /// The params of the next iteration.
    pub next: Vec<Value>,
    /// It is a faster version of what other code does, too: it is in the first arm of an `If` whose other arm is
    /// correct whatever the condition is.
    pub optional: bool,
}

/// A word of the argument struct, as the kernel sees it. A slice is two of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The value that stands for it.
    pub value: Value,
    /// Name for printing: `x`, or `x.len` for a slice's length.
    pub name: String,
    /// Which argument of the kernel's signature.
    pub arg: u32,
    /// Offset in the argument struct, in bytes.
    pub offset: u32,
}

/// One kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// The kernel's unmangled name.
    pub name: String,
    /// Its arguments, word by word. Types are in `values`.
    pub params: Vec<Param>,
    /// Size of the argument struct in bytes: where the launch header starts (see [`crate::abi`]).
    pub args_size: u32,
    /// Type of every value, by [`Value`].
    pub values: PrimaryMap<Value, Type>,
    /// Type of every mutable local, by [`Var`] (staged form).
    pub vars: PrimaryMap<Var, Type>,
    /// Objects in local memory, by [`LocalId`]: one of each for every group. Their initial contents are undefined.
    pub locals: PrimaryMap<LocalId, MemoryObject>,
    /// What the user calls them. Not part of the text.
    pub local_names: SecondaryMap<LocalId, Option<NamedObject>>,
    /// The kernel's messages, by [`MessageId`].
    pub messages: PrimaryMap<MessageId, Message>,
    /// Objects in private memory, by [`PrivateId`]: one of each for every item. Their initial contents are undefined.
    pub privates: PrimaryMap<PrivateId, MemoryObject>,
    /// Constant data, by [`DataId`].
    pub data: PrimaryMap<DataId, DataObject>,
    /// The program's variables that it uses, in the order of their addresses, which are the last of the parameters.
    /// Not part of the text.
    pub globals: Vec<GlobalVariable>,
    /// What the user calls constant data, by [`DataId`]; empty where it has no name. Not part of the text.
    pub data_names: Vec<String>,
    /// Locals whose names are kept. Not part of the text.
    pub names: Vec<NamedLocal>,
    /// Source locations, by [`Loc`]; entry 0 is [`Loc::NONE`].
    pub locs: PrimaryMap<Loc, SourceLoc>,
    /// What one work item does.
    pub body: Block,
    /// The device functions that are part of the body, for metadata. Not part of the text.
    pub callees: Vec<Callee>,
    /// What is known about it so far, for metadata, written by the passes that determine it. Not part of the text.
    pub facts: Facts,
    /// What is done about indices. Not part of the text.
    pub indices: IndexChecks,
    /// What became of checks so far. Not part of the text.
    pub check_notes: Vec<CheckNote>,
    /// Which of a lane's simultaneous items an instruction is for: column and row in the lane's block, by location. Not
    /// part of the text.
    pub block_items: SecondaryMap<Loc, Option<[u8; 2]>>,
    /// The conditions that its host evaluates, or checks, if it does. Not part of the text.
    pub launch_conditions: Option<LaunchConditions>,
}

/// How indices that may be out of bounds are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexChecks {
    /// Each is checked, unless it is known to be in bounds.
    #[default]
    Made,
    /// The same, and a check at each access is an error.
    Denied,
    /// None is checked.
    Left,
}

/// A device function that was recorded as part of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callee {
    /// As the user spells it.
    pub name: String,
    /// Path of the module it is declared in.
    pub module: String,
    /// Where it is declared.
    pub loc: SourceLoc,
    /// The kernel and the functions that call it.
    pub callers: Vec<String>,
    /// How often they do.
    pub call_sites: u32,
}

/// Which invariants a function obeys; see the module documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Variables, loops with jumps, returns.
    Staged,
    /// Values, `If` and `While` only.
    Structured,
}

/// Offsets of objects of these sizes and alignments, one after the other, and the size of all of them. Small ones come
/// first, so that the offsets of as many as can be fit into loads and stores.
fn lay_out<K: EntityRef>(objects: impl Iterator<Item = (u32, u32)>) -> (PrimaryMap<K, u32>, u32) {
    let objects: Vec<_> = objects.collect();
    let mut order: Vec<usize> = (0..objects.len()).collect();
    order.sort_by_key(|&number| objects[number].0);
    let mut offsets = vec![0; objects.len()];
    let mut end = 0u32;
    for number in order {
        let (size, align) = objects[number];
        offsets[number] = end.next_multiple_of(align.clamp(1, MAX_ALIGN));
        end = offsets[number]
            .saturating_add(size)
            .min(u32::MAX - MAX_ALIGN);
    }
    (
        offsets.into_iter().collect(),
        end.next_multiple_of(MAX_ALIGN),
    )
}

impl Function {
    /// Type of a value.
    ///
    /// # Panics
    /// If the value is of another function; the verifier rules that out.
    #[must_use]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value]
    }

    /// The offsets of objects in local memory from the start of a group's part, and the size of that part. Those whose
    /// size the launch sets follow all others, in order, each at a multiple of [`MAX_ALIGN`]; `count` says how many
    /// elements they have.
    #[must_use]
    pub fn local_layout(&self, count: impl Fn(Value) -> u32) -> (PrimaryMap<LocalId, u32>, u32) {
        let bytes = |object: &MemoryObject| object.count.map_or(object.size, |_| 0);
        let fixed = self
            .locals
            .values()
            .map(|object| (bytes(object), object.align));
        let (mut offsets, mut end) = lay_out(fixed);
        for (object, offset) in self.locals.values().zip(offsets.values_mut()) {
            if let Some(elements) = object.count {
                *offset = end;
                let size = count(elements).saturating_mul(object.size);
                end = end.saturating_add(size).min(u32::MAX - MAX_ALIGN);
                end = end.next_multiple_of(MAX_ALIGN);
            }
        }
        (offsets, end)
    }

    /// The same for the objects in private memory of an item.
    #[must_use]
    pub fn private_layout(&self) -> (PrimaryMap<PrivateId, u32>, u32) {
        lay_out(
            self.privates
                .values()
                .map(|object| (object.size, object.align)),
        )
    }

    /// The offsets of constant data, and its total size.
    #[must_use]
    pub fn data_image(&self) -> (PrimaryMap<DataId, u32>, Vec<u8>) {
        let sizes = self.data.values().map(|object| {
            let size = u32::try_from(object.bytes.len()).unwrap_or(u32::MAX);
            (size, object.align)
        });
        let (offsets, size) = lay_out(sizes);
        let mut image = vec![0; size as usize];
        for (object, at) in self.data.values().zip(offsets.values()) {
            let at = *at as usize;
            image[at..at + object.bytes.len()].copy_from_slice(&object.bytes);
        }
        (offsets, image)
    }
}
