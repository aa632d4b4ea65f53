//! The text form of the IR, as written to listings and `.vir` files. [`parse()`](super::parse()) reads it back.
//!
//! ```text
//! kernel "scale" (v0: f32 "factor" arg 0 at 0, v1: ptr<global> "y" arg 1 at 4) args 8 {
//!   loc @1 "src/scale.rs":3:5
//!   v2: u32 = id linear @1
//!   v3: ptr<global> = ptradd v1, v2 * 4 @1
//!   v4: f32 = load v3+0 exclusive(1) @1
//!   v5: f32 = mul v4, v0 @1
//!   store v3+0, v5 exclusive(1) @1
//! }
//! ```
//!
//! Numbers of values survive a round trip; the types of undefined values do not.

use super::{
    Alias, Arm, AtomicOp, BinOp, Block, CmpOp, Const, Csr, FaultKind, Function, Id, Inst, Loc,
    MemoryObject, Message, Op, Order, Scope, Space, Stream, Type, UnOp, Value, WarpOp, While,
};
use std::fmt::{self, Display, Formatter, Write};

/// Defines, for a fieldless enum, the word that stands for each variant in the text form.
macro_rules! words {
    ($($ty:ident { $($variant:ident = $word:literal),+ $(,)? })+) => {$(
        impl $ty {
            /// The word for this in the text form.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// What a word of the text form stands for.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    )+};
}

words! {
    UnOp {
        Neg = "neg", Not = "not", Abs = "abs", Sqrt = "sqrt", Floor = "floor", Ceil = "ceil", Trunc = "trunc",
        Round = "round", RoundEven = "round_even",
    }
    BinOp {
        Add = "add", Sub = "sub", Mul = "mul", MulHigh = "mulhigh", Div = "div", Rem = "rem",
        And = "and", Or = "or", Xor = "xor", Shl = "shl", Shr = "shr", Min = "min", Max = "max",
        CopySign = "copysign", FlipSign = "flipsign",
    }
    CmpOp { Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge" }
    Csr {
        LaunchBlock = "launch_block", HartId = "hart_id", LaneId = "lane_id", WarpId = "warp_id",
        CoreId = "core_id", NumLanes = "num_lanes", NumWarps = "num_warps", NumCores = "num_cores",
        LocalBase = "local_base", HandedGroup = "handed_group", HandedSlot = "handed_slot",
        HandedWarps = "handed_warps", HandedRank = "handed_rank", HandedLocal = "handed_local",
    }
    FaultKind {
        Index = "index", Texel = "texel", Element = "element", Pages = "pages", DivideByZero = "divide_by_zero",
        DivideOverflow = "divide_overflow", StepByZero = "step_by_zero", Unwrap = "unwrap", Panic = "panic",
        Overflow = "overflow", Range = "range", RangeStart = "range_start", Split = "split", Lengths = "lengths",
        ZeroChunks = "zero_chunks", ZeroWindows = "zero_windows",
    }
    Stream { Out = "out", Err = "err" }
    AtomicOp {
        Load = "load", Store = "store", Add = "add", Sub = "sub", And = "and", Or = "or", Xor = "xor", Min = "min",
        Max = "max", Exchange = "exchange", CompareExchange = "compare_exchange", FloatAdd = "float_add",
    }
    Order {
        Relaxed = "relaxed", Acquire = "acquire", Release = "release", AcqRel = "acqrel", SeqCst = "seqcst",
    }
    Scope { Group = "group", Device = "device" }
    Space { Private = "private", Global = "global", Constant = "constant", Local = "local" }
}

impl WarpOp {
    /// The word for this in the text form; what it combines by is another.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::All => "all",
            Self::Any => "any",
            Self::Uniform => "uniform",
            Self::Ballot => "ballot",
            Self::Shuffle => "shuffle",
            Self::Broadcast => "broadcast",
            Self::Reduce(_) => "reduce",
            Self::Scan(_) => "scan",
            Self::ScanBefore(_) => "scan_before",
            Self::Read => "read",
        }
    }

    /// What a word of the text form stands for; one that combines does so by `add` for now.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "active" => Self::Active,
            "all" => Self::All,
            "any" => Self::Any,
            "uniform" => Self::Uniform,
            "ballot" => Self::Ballot,
            "shuffle" => Self::Shuffle,
            "broadcast" => Self::Broadcast,
            "reduce" => Self::Reduce(BinOp::Add),
            "scan" => Self::Scan(BinOp::Add),
            "scan_before" => Self::ScanBefore(BinOp::Add),
            "read" => Self::Read,
            _ => return None,
        })
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::Ptr(space) => return write!(f, "ptr<{}>", space.word()),
        })
    }
}

impl Display for Alias {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Launch => f.write_str("launch"),
            Self::Shared(n) => write!(f, "shared({n})"),
            Self::Exclusive(n) => write!(f, "exclusive({n})"),
            Self::Unknown => f.write_str("unknown"),
            Self::Local(n) => write!(f, "local({})", n.as_u32()),
            Self::Private(n) => write!(f, "private({})", n.as_u32()),
            Self::Data(n) => write!(f, "data({})", n.as_u32()),
            Self::Exchange => f.write_str("exchange"),
        }
    }
}

impl Display for Id {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let axis = |n: u8| AXES.get(usize::from(n)).copied().unwrap_or("?");
        match self {
            Self::GlobalLinear => f.write_str("linear"),
            Self::Global(n) => f.write_str(axis(*n)),
            Self::GlobalCount => f.write_str("count"),
            Self::GlobalSize(n) => write!(f, "size_{}", axis(*n)),
            Self::Lane => f.write_str("lane"),
            Self::Warp => f.write_str("warp"),
            Self::Core => f.write_str("core"),
            Self::Lanes => f.write_str("lanes"),
            Self::Warps => f.write_str("warps"),
            Self::Cores => f.write_str("cores"),
            Self::LocalLinear => f.write_str("local_linear"),
            Self::Local(n) => write!(f, "local_{}", axis(*n)),
            Self::LocalCount => f.write_str("local_count"),
            Self::LocalSize(n) => write!(f, "local_size_{}", axis(*n)),
            Self::GroupLinear => f.write_str("group_linear"),
            Self::Group(n) => write!(f, "group_{}", axis(*n)),
            Self::GroupCount => f.write_str("group_count"),
            Self::Groups(n) => write!(f, "groups_{}", axis(*n)),
        }
    }
}

impl Id {
    /// What a word of the text form stands for.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let axis = |w: &str| AXES.iter().zip(0u8..).find(|(a, _)| **a == w);
        Some(match word {
            "linear" => Self::GlobalLinear,
            "count" => Self::GlobalCount,
            "lane" => Self::Lane,
            "warp" => Self::Warp,
            "core" => Self::Core,
            "lanes" => Self::Lanes,
            "warps" => Self::Warps,
            "cores" => Self::Cores,
            "local_linear" => Self::LocalLinear,
            "local_count" => Self::LocalCount,
            "group_linear" => Self::GroupLinear,
            "group_count" => Self::GroupCount,
            _ => {
                type OfAxis = fn(u8) -> Id;
                // The longest prefix first.
                let of: [(&str, OfAxis); 5] = [
                    ("local_size_", Self::LocalSize),
                    ("local_", Self::Local),
                    ("groups_", Self::Groups),
                    ("group_", Self::Group),
                    ("size_", Self::GlobalSize),
                ];
                let named = of.into_iter().find_map(|(prefix, id)| {
                    let name = word.strip_prefix(prefix)?;
                    Some((name, id))
                });
                let (name, id) = named.unwrap_or((word, Self::Global));
                id(axis(name)?.1)
            }
        })
    }
}

impl Const {
    /// Writes the constant as a number of type `ty`.
    fn write(self, ty: Type, out: &mut impl Write) -> fmt::Result {
        let Ok(word) = u32::try_from(self.0) else {
            return match ty {
                Type::I64 => write!(out, "{}", self.0.cast_signed()),
                Type::U64 => write!(out, "{}", self.0),
                _ => write!(out, "{:#x}", self.0),
            };
        };
        match ty {
            Type::Bool if word < 2 => write!(out, "{}", word == 1),
            Type::I8 | Type::I16 | Type::I32 => write!(out, "{}", word.cast_signed()),
            Type::F32 if !f32::from_bits(word).is_nan() => {
                write!(out, "{:?}", f32::from_bits(word))
            }
            Type::U8 | Type::U16 | Type::U32 | Type::I64 | Type::U64 => write!(out, "{word}"),
            _ => write!(out, "{word:#x}"),
        }
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {:?} (", self.name)?;
        for (i, param) in self.params.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let ty = DisplayType(self, param.value);
            let (value, name, arg, offset) = (param.value, &param.name, param.arg, param.offset);
            write!(f, "{comma}{value}: {ty} {name:?} arg {arg} at {offset}")?;
        }
        writeln!(f, ") args {} {{", self.args_size)?;
        for (id, loc) in self.locs.iter().skip(1) {
            writeln!(f, "  loc {id} {:?}:{}:{}", loc.file, loc.line, loc.column)?;
        }
        for (var, ty) in &self.vars {
            writeln!(f, "  var {var}: {ty}")?;
        }
        let locals = self.locals.iter();
        let privates = self.privates.iter();
        let objects = locals
            .map(|(id, object)| (format!("local {id}"), object))
            .chain(privates.map(|(id, object)| (format!("private {id}"), object)));
        for (what, object) in objects {
            let MemoryObject {
                size,
                count,
                align,
                agreed,
                name,
                loc,
            } = object;
            write!(f, "  {what} {name:?} size {size}")?;
            if let Some(count) = count {
                write!(f, " x {count}")?;
            }
            write!(f, " align {align}")?;
            if *agreed {
                f.write_str(" agreed")?;
            }
            if *loc != Loc::NONE {
                write!(f, " {loc}")?;
            }
            writeln!(f)?;
        }
        for (id, message) in &self.messages {
            let Message {
                text,
                stream,
                words,
                ..
            } = message;
            writeln!(f, "  message {id} {text:?} words {words} {}", stream.word())?;
        }
        for (id, object) in &self.data {
            write!(f, "  data {id} align {} [", object.align)?;
            for (n, byte) in object.bytes.iter().enumerate() {
                write!(f, "{}{byte}", if n == 0 { "" } else { " " })?;
            }
            writeln!(f, "]")?;
        }
        let mut printer = Printer {
            function: self,
            out: f,
            indent: 1,
        };
        printer.block(&self.body)?;
        writeln!(f, "}}")
    }
}

/// Prints the type of a value, also of one that does not exist (the verifier prints broken IR).
struct DisplayType<'a>(&'a Function, Value);

impl Display for DisplayType<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0.values.get(self.1) {
            Some(ty) => ty.fmt(f),
            None => f.write_str("?"),
        }
    }
}

/// The first line of an instruction: enough to name it in a message.
#[must_use]
pub fn headline(function: &Function, inst: &Inst) -> String {
    let mut text = String::new();
    let mut printer = Printer {
        function,
        out: &mut text,
        indent: 0,
    };
    // Writing to a String does not fail.
    let _ = printer.head(inst);
    text
}

struct Printer<'a, W> {
    function: &'a Function,
    out: &'a mut W,
    indent: usize,
}

impl<W: Write> Printer<'_, W> {
    fn start(&mut self) -> fmt::Result {
        for _ in 0..self.indent {
            self.out.write_str("  ")?;
        }
        Ok(())
    }

    fn list(&mut self, values: &[Value]) -> fmt::Result {
        for (i, value) in values.iter().enumerate() {
            let comma = if i == 0 { " " } else { ", " };
            write!(self.out, "{comma}{value}")?;
        }
        Ok(())
    }

    /// A keyword with values on a line of its own; nothing when there are no values.
    fn line(&mut self, word: &str, values: &[Value]) -> fmt::Result {
        if values.is_empty() {
            return Ok(());
        }
        self.start()?;
        self.out.write_str(word)?;
        self.list(values)?;
        self.out.write_str("\n")
    }

    fn block(&mut self, block: &Block) -> fmt::Result {
        for inst in &block.insts {
            self.start()?;
            self.head(inst)?;
            self.out.write_str("\n")?;
            self.tail(inst)?;
        }
        Ok(())
    }

    fn nested(&mut self, block: &Block) -> fmt::Result {
        self.indent += 1;
        self.block(block)?;
        self.indent -= 1;
        Ok(())
    }

    fn close(&mut self, text: &str) -> fmt::Result {
        self.start()?;
        writeln!(self.out, "{text}")
    }

    /// Everything up to the end of the first line.
    fn head(&mut self, inst: &Inst) -> fmt::Result {
        for (i, result) in inst.results.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let ty = DisplayType(self.function, *result);
            write!(self.out, "{comma}{result}: {ty}")?;
        }
        if !inst.results.is_empty() {
            self.out.write_str(" = ")?;
        }
        self.operation(inst)?;
        if inst.loc != Loc::NONE {
            write!(self.out, " {}", inst.loc)?;
        }
        match &inst.op {
            Op::If { then, .. } if then.is_fallback => self.out.write_str(" fallback {"),
            Op::If { .. } | Op::While(_) | Op::Loop { .. } | Op::Scope { .. } => {
                self.out.write_str(" {")
            }
            _ => Ok(()),
        }
    }

    fn operation(&mut self, inst: &Inst) -> fmt::Result {
        let out = &mut *self.out;
        match &inst.op {
            Op::Const(value) => {
                out.write_str("const ")?;
                let ty = inst.results.first();
                let ty = ty.and_then(|v| self.function.values.get(*v));
                value.write(ty.copied().unwrap_or(Type::U32), out)
            }
            Op::Unary(op, a) => write!(out, "{} {a}", op.word()),
            Op::Binary(op, a, b) => write!(out, "{} {a}, {b}", op.word()),
            Op::Compare(op, a, b) => write!(out, "{} {a}, {b}", op.word()),
            Op::PtrAdd { base, index, scale } => write!(out, "ptradd {base}, {index} * {scale}"),
            Op::Load { ptr, offset, alias } => write!(out, "load {ptr}{offset:+} {alias}"),
            Op::Store {
                ptr,
                value,
                offset,
                alias,
            } => write!(out, "store {ptr}{offset:+}, {value} {alias}"),
            Op::Atomic {
                op,
                ptr,
                offset,
                operands,
                alias,
                order,
                scope,
            } => {
                write!(out, "atomic {} {ptr}{offset:+}", op.word())?;
                for operand in operands {
                    write!(out, ", {operand}")?;
                }
                write!(out, " {alias} {} {}", order.word(), scope.word())
            }
            Op::Warp { op, operands } => {
                write!(out, "warp {}", op.word())?;
                if let Some(combines) = op.combines() {
                    write!(out, " {}", combines.word())?;
                }
                self.list(operands)
            }
            Op::Record {
                site,
                item,
                operands,
            } => {
                write!(out, "record s{site}, {item}")?;
                for operand in operands {
                    write!(out, ", {operand}")?;
                }
                Ok(())
            }
            Op::If { cond, .. } => write!(out, "if {cond}"),
            Op::While(w) => {
                out.write_str("while ")?;
                if w.optional {
                    out.write_str("optional ")?;
                }
                out.write_str("(")?;
                for (i, param) in w.params.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    let ty = DisplayType(self.function, *param);
                    write!(out, "{comma}{param}: {ty}")?;
                    if let Some(init) = w.init.get(i) {
                        write!(out, " = {init}")?;
                    }
                }
                out.write_str(")")
            }
            Op::Loop { label, .. } => write!(out, "loop {label}"),
            Op::Scope { label, .. } => write!(out, "scope {label}"),
            // Its row says how it is written.
            op => op.write_plain(out).unwrap_or(Ok(())),
        }
    }

    /// The lines after the first one.
    fn tail(&mut self, inst: &Inst) -> fmt::Result {
        match &inst.op {
            Op::If { then, els, .. } => {
                self.arm(then)?;
                if **els != Arm::default() {
                    self.close(match els.is_fallback {
                        true => "} else fallback {",
                        false => "} else {",
                    })?;
                    self.arm(els)?;
                }
                self.close("}")
            }
            Op::While(w) => self.while_(w),
            Op::Scope { body, .. } => {
                self.nested(body)?;
                self.close("}")
            }
            Op::Loop { body, step, .. } => {
                self.nested(body)?;
                if !step.insts.is_empty() {
                    self.close("} step {")?;
                    self.nested(step)?;
                }
                self.close("}")
            }
            _ => Ok(()),
        }
    }

    fn arm(&mut self, arm: &Arm) -> fmt::Result {
        self.nested(&arm.block)?;
        self.indent += 1;
        self.line("yield", &arm.yields)?;
        self.indent -= 1;
        Ok(())
    }

    fn while_(&mut self, w: &While) -> fmt::Result {
        self.nested(&w.before)?;
        self.indent += 1;
        self.start()?;
        write!(self.out, "test {}", w.cond)?;
        if !w.exits.is_empty() {
            self.out.write_str(" exit")?;
            self.list(&w.exits)?;
        }
        self.out.write_str("\n")?;
        self.block(&w.after)?;
        self.line("next", &w.next)?;
        self.indent -= 1;
        self.close("}")
    }
}
