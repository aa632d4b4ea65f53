//! The recorder: what makes staged IR of the calls of a running kernel body.
//!
//! One recorder per thread is active while [`crate::lang::stage`] runs a body. It owns the function under
//! construction and the stack of blocks that are open at this point of the body.

mod blocks;
mod functions;
mod held;
mod names;
mod objects;
mod places;
mod settled;

pub(super) use blocks::{OpenBlock, begin_iteration, closed, in_block, is_dead, mark_dead};
pub use functions::Declared;
pub(super) use functions::{Active, enter_function, leave_function};
pub(super) use held::{OpenLiteral, Receiver};
pub use names::with_names;
pub(super) use names::{Holder, Local as NamedLocal, keep_name, keeps_names, name_object};
pub(super) use objects::{materialize, note_table};
pub use places::PlaceRef;
pub(super) use places::{Check, ListId, Reached, Root, checks, list, new_list};
pub(super) use settled::{Change, Settled};

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::panic::Location;

use crate::ir::eval::wide;
use crate::ir::{
    Alias, Const, Function, GlobalVariable, IndexChecks, Inst, Label, Loc, LocalId, MemoryObject,
    Message, MessageId, Op, SecondaryMap, SourceLoc, Type, Value, Var,
};
use crate::lang::StageError;
use crate::meta::{Attributes, Checks, Denied};

/// The place in the user's source that a call came from.
pub(super) type At = &'static Location<'static>;

pub(super) struct Recorder {
    pub(super) function: Function,
    open: Vec<OpenBlock>,
    locs: HashMap<At, Loc>,
    /// Values known to be constants: a division by one of them needs no check.
    consts: HashMap<Value, Const>,
    labels: u32,
    /// Those that some `break` that can be reached goes to.
    left: HashSet<Label>,
    /// Where everything is said to come from: a call of the user's that is made of many operations.
    place: Option<At>,
    /// The device functions being recorded, outermost first.
    functions: Vec<Active>,
    /// How many blocks were open around the definition of each value.
    depths: SecondaryMap<Value, usize>,
    checks: Vec<Check>,
    lists: Vec<Vec<Value>>,
    /// The struct literals around this point of the body.
    pub(super) literals: Vec<OpenLiteral>,
    /// What methods are about to be called on, the innermost call last.
    pub(super) receivers: Vec<Receiver>,
    error: Option<StageError>,
    /// Arithmetic on integers that overflows is a fault.
    pub(super) checked: bool,
    /// Whether what is recorded is arithmetic with constants.
    of_constants: bool,
    /// Products of floats, kept for the sums they go into; none if they may not be merged.
    products: Option<HashMap<Value, [Value; 2]>>,
    /// Constants of the host that are made of many values: the first of them, the one after the last, and the name.
    tables: Vec<(Value, Value, &'static str)>,
    /// Names of locals, if they are kept.
    names: Option<names::Names>,
    /// The values of the kernel's `#[comptime]` parameters.
    pub(super) comptime: Vec<u64>,
    /// How many arguments the kernel has.
    pub(super) arguments: u32,
    /// Work items of a group, if every launch must have as many.
    pub(super) block: Option<[u32; 3]>,
    /// The arguments whose circular buffers exist.
    pub(super) circular: HashSet<u32>,
    /// The arguments whose shards exist in local memory of which the launch gives as much as one needs.
    pub(super) sharded: HashSet<u32>,
    /// Which of these need no barrier.
    pub(super) settled: Settled,
}

thread_local! {
    static ACTIVE: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

impl Recorder {
    pub(super) fn new(function: Function) -> Self {
        Self {
            function,
            open: vec![OpenBlock::default()],
            locs: HashMap::new(),
            consts: HashMap::new(),
            labels: 0,
            left: HashSet::new(),
            place: None,
            functions: Vec::new(),
            depths: SecondaryMap::new(),
            checks: Vec::new(),
            lists: Vec::new(),
            literals: Vec::new(),
            receivers: Vec::new(),
            error: None,
            checked: false,
            of_constants: false,
            products: None,
            tables: Vec::new(),
            names: names::is_on().then(names::Names::default),
            comptime: Vec::new(),
            arguments: 0,
            block: None,
            circular: HashSet::new(),
            sharded: HashSet::new(),
            settled: Settled::default(),
        }
    }

    /// Records a kernel of so many arguments: what else it is given is numbered after them.
    pub(super) fn with_arguments(mut self, count: usize) -> Self {
        self.arguments = u32::try_from(count).unwrap_or(u32::MAX / 2);
        self
    }

    /// Records with these values of the kernel's `#[comptime]` parameters.
    pub(super) fn with_comptime(mut self, values: &[u64]) -> Self {
        self.comptime = values.to_vec();
        self
    }

    /// Records as the user has asked for in the attribute.
    pub(super) fn with_attributes(mut self, attributes: &Attributes) -> Self {
        self.block = attributes.block;
        self.checked = attributes.checks == Some(Checks::Full);
        self.function.indices = match (attributes.checks, attributes.deny) {
            (Some(Checks::None), _) => IndexChecks::Left,
            (_, Some(Denied::Checks)) => IndexChecks::Denied,
            _ => IndexChecks::Made,
        };
        self.products = (attributes.contract == Some(true)).then(HashMap::new);
        self.function.facts.warnings = Some(attributes.warnings()).filter(|all| !all.is_empty());
        self
    }

    /// Runs `body` with this recorder active; what was active before is active again afterwards,
    /// also when `body` panics.
    pub(super) fn run(self, body: impl FnOnce()) -> Result<Function, StageError> {
        let restore = Restore(ACTIVE.replace(Some(self)));
        body();
        restore.recorded()
    }

    fn loc(&mut self, at: At) -> Loc {
        let at = self.place.unwrap_or(at);
        *self.locs.entry(at).or_insert_with(|| {
            let locs = &mut self.function.locs;
            locs.push(SourceLoc::from_caller(at))
        })
    }

    /// What an operation on constants gives.
    fn folded(&self, op: &Op, ty: Type) -> Option<Const> {
        let of = |v: &Value| Some(self.consts.get(v)?.0);
        Some(Const(match op {
            Op::Unary(op, a) => wide::unary(*op, ty, of(a)?),
            Op::Binary(op, a, b) => wide::binary(*op, ty, of(a)?, of(b)?),
            Op::Compare(op, a, b) => {
                wide::compare(*op, self.function.ty(*a), of(a)?, of(b)?).into()
            }
            Op::Select(cond, a, b) => {
                if of(cond)? == 0 {
                    of(b)?
                } else {
                    of(a)?
                }
            }
            Op::Cast(a) => wide::cast(self.function.ty(*a), ty, of(a)?),
            _ => return None,
        }))
    }

    /// Whether what follows in the open block cannot be reached.
    fn is_dead(&self) -> bool {
        self.open.last().is_some_and(|open| open.dead)
    }

    fn push(&mut self, results: Vec<Value>, op: Op, at: At) {
        self.push_at(self.open.len().saturating_sub(1), results, op, at);
    }

    /// Appends to the open block of this depth: before what is nested in it and still open.
    fn push_at(&mut self, depth: usize, results: Vec<Value>, op: Op, at: At) {
        let loc = self.loc(at);
        for result in &results {
            self.depths[*result] = depth;
        }
        if let Some(open) = self.open.get_mut(depth).filter(|open| !open.dead) {
            let results = results.into();
            open.block.insts.push(Inst { results, op, loc });
        }
    }
}

/// What was active before a recorder, and is active again when this is gone.
struct Restore(Option<Recorder>);

impl Drop for Restore {
    fn drop(&mut self) {
        ACTIVE.set(self.0.take());
    }
}

impl Restore {
    /// What the recorder that is active now has recorded.
    fn recorded(mut self) -> Result<Function, StageError> {
        let Some(mut recorder) = ACTIVE.replace(self.0.take()) else {
            unreachable!("a recorder outlives the body it records");
        };
        if let Some(error) = recorder.error {
            return Err(error);
        }
        let mut function = recorder.function;
        function.body = closed(recorder.open.pop()).block;
        let calls = function.callees.iter().map(|callee| callee.name.clone());
        function.facts.function_calls = Some(calls.collect());
        // What calls itself was reported.
        function.facts.recursion = Some(false);
        let globals = function.globals.iter().map(GlobalVariable::path);
        function.facts.globals = Some(globals.collect());
        Ok(function)
    }
}

/// Runs `f` on the active recorder.
#[track_caller]
pub(super) fn with<R>(f: impl FnOnce(&mut Recorder) -> R) -> R {
    ACTIVE.with_borrow_mut(|active| match active {
        Some(recorder) => f(recorder),
        None => panic!(
            "this is part of the kernel language: it means something only inside the body of a `#[vortex::kernel]` function"
        ),
    })
}

/// Records what `f` does as if all of it stood at `at`.
pub(super) fn placed<R>(at: At, f: impl FnOnce() -> R) -> R {
    let outer = enter_place(at);
    let result = f();
    leave_place(outer);
    result
}

fn enter_place(at: At) -> Option<At> {
    with(|recorder| {
        let outer = recorder.place;
        recorder.place = outer.or(Some(at));
        outer
    })
}

fn leave_place(outer: Option<At>) {
    with(|recorder| recorder.place = outer);
}

/// Whether an operator that stands in the user's code is to be checked for overflow. What is within an operation made
/// of many is known not to overflow, or meant to wrap.
pub(super) fn checks_operators() -> bool {
    with(|recorder| recorder.checked && recorder.place.is_none())
}

/// Whether overflow is a fault.
pub(super) fn checks_overflow() -> bool {
    with(|recorder| recorder.checked)
}

/// Records arithmetic with constants that are named where it stands, on which rustc checks for overflow, too.
pub fn of_constants<T>(record: impl FnOnce() -> T) -> T {
    let outer = with(|recorder| std::mem::replace(&mut recorder.of_constants, true));
    let recorded = record();
    with(|recorder| recorder.of_constants = outer);
    recorded
}

/// Whether an operator that stands in the user's code is one of such constants.
pub(super) fn is_of_constants(operands: [Value; 2]) -> bool {
    with(|recorder| recorder.of_constants && recorder.place.is_none())
        && operands
            .into_iter()
            .all(|operand| const_of(operand).is_some())
}

/// Records with overflow as a fault, whatever the kernel's attribute says.
pub(super) fn checking<T>(record: impl FnOnce() -> T) -> T {
    let outer = with(|recorder| std::mem::replace(&mut recorder.checked, true));
    let recorded = record();
    with(|recorder| recorder.checked = outer);
    recorded
}

/// Whether products and sums of floats may be merged here.
pub(super) fn contracts() -> bool {
    with(|recorder| recorder.products.is_some() && recorder.place.is_none())
}

/// Remembers that `result` is a product.
pub(super) fn note_product(result: Value, factors: [Value; 2]) {
    with(|recorder| {
        if let Some(products) = &mut recorder.products {
            products.insert(result, factors);
        }
    });
}

/// What `value` is the product of, if it was noted.
pub(super) fn product(value: Value) -> Option<[Value; 2]> {
    with(|recorder| recorder.products.as_ref()?.get(&value).copied())
}

/// Records an operation with one result. What is computed from constants is a constant, so that an unrolled loop's
/// number stays one.
pub(super) fn emit(op: Op, ty: Type, at: At) -> Value {
    with(|recorder| {
        let result = recorder.function.new_value(ty);
        let op = match recorder.folded(&op, ty) {
            Some(constant) => {
                recorder.consts.insert(result, constant);
                Op::Const(constant)
            }
            None => op,
        };
        recorder.push(vec![result], op, at);
        result
    })
}

/// Records an operation with any number of results.
pub(super) fn emit_many(op: Op, results: Vec<Value>, at: At) {
    with(|recorder| {
        let set = match op {
            Op::VarSet(var, value) => Some((var, value)),
            _ => None,
        };
        recorder.push(results, op, at);
        if let Some((var, value)) = set {
            recorder.copy_of_var(var, value, at);
        }
    });
}

/// Records an operation without result.
pub(super) fn emit_void(op: Op, at: At) {
    emit_many(op, Vec::new(), at);
}

/// Records a jump; nothing after it in its block is recorded.
pub(super) fn emit_jump(op: Op, at: At) {
    with(|recorder| {
        if recorder.is_dead() {
            return;
        }
        if let Op::Break(label) = op {
            recorder.left.insert(label);
        }
        recorder.push(Vec::new(), op, at);
    });
    mark_dead();
}

/// Whether a loop or scope is left by some `break`.
pub(super) fn is_left(label: Label) -> bool {
    with(|recorder| recorder.left.contains(&label))
}

/// Records a constant.
pub(super) fn emit_const(word: u32, ty: Type, at: At) -> Value {
    emit_constant(Const::from(word), ty, at)
}

/// Records a constant of any width.
pub(super) fn emit_constant(constant: Const, ty: Type, at: At) -> Value {
    let value = emit(Op::Const(constant), ty, at);
    with(|recorder| recorder.consts.insert(value, constant));
    value
}

/// Records a constant in front of all that is nested and still open.
pub(super) fn emit_const_first(word: u32, ty: Type, at: At) -> Value {
    with(|recorder| {
        let (value, constant) = (recorder.function.new_value(ty), Const::from(word));
        recorder.consts.insert(value, constant);
        recorder.push_at(0, vec![value], Op::Const(constant), at);
        value
    })
}

/// Whether what has this number is a variable of the program, and no argument.
pub(super) fn is_variable(number: u32) -> bool {
    with(|recorder| number >= recorder.arguments)
}

/// The word of a value that was recorded as a constant, or both words of one of 64 bits.
pub(super) fn const_of(value: Value) -> Option<u64> {
    with(|recorder| recorder.consts.get(&value).map(|constant| constant.0))
}

/// A value that no instruction defines, for code that is never reached.
pub(super) fn undefined(ty: Type) -> Value {
    with(|recorder| recorder.function.new_value(ty))
}

/// A new value that the caller will define as a result of an instruction.
pub(super) fn result_like(value: Value) -> Value {
    with(|recorder| {
        let ty = recorder.function.ty(value);
        recorder.function.new_value(ty)
    })
}

pub(super) fn type_of(value: Value) -> Type {
    with(|recorder| recorder.function.ty(value))
}

/// Declares a mutable local.
pub(super) fn new_var(ty: Type) -> Var {
    with(|recorder| recorder.function.vars.push(ty))
}

/// Declares an object in local memory.
pub(super) fn new_local(at: At, object: impl FnOnce(Loc) -> MemoryObject) -> LocalId {
    with(|recorder| {
        let object = object(recorder.loc(at));
        recorder.function.locals.push(object)
    })
}

/// Declares an object in private memory; gives its address.
pub(super) fn new_private(size: u32, name: &str, at: At) -> (Value, Alias) {
    with(|recorder| {
        let depth = recorder.open.len().saturating_sub(1);
        recorder.private(depth, size, name, at)
    })
}

/// Whether this point of the body is reached whatever the kernel is called with.
pub(super) fn is_unconditional() -> bool {
    with(|recorder| recorder.open.len() == 1 && !recorder.is_dead())
}

pub(super) fn new_label() -> Label {
    with(|recorder| {
        recorder.labels += 1;
        Label::from_u32(recorder.labels - 1)
    })
}

/// Keeps the first error of a body; recording goes on.
pub(super) fn report(error: StageError) {
    with(|recorder| {
        recorder.error.get_or_insert(error);
    });
}

/// Adds a message to the function.
pub(super) fn message(message: Message) -> MessageId {
    with(|recorder| recorder.function.messages.push(message))
}
