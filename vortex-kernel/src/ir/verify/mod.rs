//! The rules of the IR, checked.
//!
//! The promise: a function that [`verify`] accepts is lowered to an image, or refused with a typed error; nothing after
//! the verifier panics on it. In debug builds the verifier runs after each pass.
//!
//! What is checked: every value is defined once, of a known type and visible where it is used; operand types, result
//! types and arities fit the operation; constants are canonical words of their type; the function obeys its [`Form`];
//! jumps name an enclosing loop and end their block; in the staged form every variable is assigned on all paths that
//! lead to a read.

use super::print::headline;
use super::{
    Alias, Arm, Block, DataId, Form, Function, Inst, Label, LocalId, MAX_ALIGN, MessageId, Op,
    PrivateId, SecondaryMap, SourceLoc, Type, Value, Var, While,
};
pub use ops::{csr_type, is_canonical};
use thiserror::Error;

mod ops;

/// Deepest nesting of blocks that is accepted in the staged form.
pub const MAX_STAGED_NESTING: u32 = 200;
/// Deepest nesting of blocks that is accepted in the structured form, where guards and versions nest further.
pub const MAX_NESTING: u32 = 256;

/// A broken rule, and the instruction that breaks it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid IR at `{inst}`{}: {rule}", .loc.as_ref().map(|l| format!(" ({l})")).unwrap_or_default())]
pub struct VerifyError {
    /// The first line of the instruction's text, or the function's name.
    pub inst: String,
    /// Where in the user's source, if known.
    pub loc: Option<SourceLoc>,
    /// The rule that it breaks, and how.
    pub rule: Rule,
}

/// What can be wrong with a function.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Rule {
    /// A value used where it is not visible, or never defined.
    #[error("{0} is not defined here")]
    Undefined(Value),
    /// A value with two definitions.
    #[error("{0} is defined twice")]
    Redefined(Value),
    /// An operand or result of the wrong type.
    #[error("{value} is {found}, but must be {wanted}")]
    Type {
        /// The operand or result.
        value: Value,
        /// What it is.
        found: Type,
        /// What it must be.
        wanted: String,
    },
    /// A list of the wrong length.
    #[error("{found} {what}, but {wanted} are needed")]
    Count {
        /// Values of which kind.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        wanted: usize,
    },
    /// A constant that is not a word of its type.
    #[error("{0:#x} is no canonical {1}")]
    Constant(u64, Type),
    /// An operation that this form has not.
    #[error("not allowed in the {} form", match .0 { Form::Staged => "staged", Form::Structured => "structured" })]
    Form(Form),
    /// A jump to a loop that does not enclose it.
    #[error("no enclosing loop {0}")]
    Label(Label),
    /// Instructions after a jump.
    #[error("follows a jump in the same block")]
    AfterJump,
    /// A variable that does not exist.
    #[error("no variable {0}")]
    NoVar(Var),
    /// An object in local memory that does not exist.
    #[error("no object {0} in local memory")]
    NoLocal(LocalId),
    /// A message that does not exist.
    #[error("no message {0}")]
    NoMessage(MessageId),
    /// An object in private memory that does not exist.
    #[error("no object {0} in private memory")]
    NoPrivate(PrivateId),
    /// Constant data that does not exist.
    #[error("no constant data {0}")]
    NoData(DataId),
    /// A variable that may be read before it is assigned.
    #[error("{0} may be read before it is assigned")]
    Unassigned(Var),
    /// A location outside the table.
    #[error("the location is not in the table")]
    Loc,
    /// Half of a barrier without the other.
    #[error("{0} is not what the arrival at a barrier gives")]
    Arrival(Value),
    /// Numbers out of range: dimensions, scales.
    #[error("{0}")]
    Range(&'static str),
    /// Too many nested blocks.
    #[error("control flow is nested too deeply")]
    TooDeep,
}

/// Checks `function` against the rules of `form`.
///
/// # Errors
/// The first broken rule in program order.
pub fn verify(function: &Function, form: Form) -> Result<(), VerifyError> {
    let mut verifier = Verifier {
        f: function,
        form,
        state: function.map_values(State::New),
        scope: Vec::new(),
        loops: Vec::new(),
        arrivals: Vec::new(),
        assigned: Some(function.map_vars(false)),
        depth: 0,
    };
    verifier.function().map_err(|rule| VerifyError {
        inst: format!("kernel {:?}", function.name),
        loc: None,
        rule,
    })?;
    verifier.block(&function.body)
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Visible,
    Gone,
}

/// What is assigned at a point of the program; `None` where control does not get.
type Assigned = Option<SecondaryMap<Var, bool>>;

struct Enclosing {
    label: Label,
    /// Joined over all breaks, and over all continues.
    at_break: Assigned,
    at_continue: Assigned,
    /// `Continue` has somewhere to go: not in a step, nor in a scope.
    goes_on: bool,
}

struct Verifier<'a> {
    f: &'a Function,
    form: Form,
    state: SecondaryMap<Value, State>,
    /// Visible values, innermost last.
    scope: Vec<Value>,
    loops: Vec<Enclosing>,
    /// What arrivals at barriers have given.
    arrivals: Vec<Value>,
    assigned: Assigned,
    depth: u32,
}

type Checked = Result<(), Rule>;

fn join(into: &mut Assigned, other: &Assigned) {
    match (&mut *into, other) {
        (Some(a), Some(b)) => a.iter_mut().for_each(|(var, a)| *a &= b[var]),
        (None, Some(b)) => *into = Some(b.clone()),
        (_, None) => {}
    }
}

impl Verifier<'_> {
    fn function(&mut self) -> Checked {
        if self.f.locs.is_empty() {
            return Err(Rule::Loc);
        }
        for param in &self.f.params {
            self.define(param.value)?;
        }
        let data = self
            .f
            .data
            .values()
            .map(|object| (object.bytes.len(), object.align));
        let objects = self.f.locals.values().chain(self.f.privates.values());
        let sizes = objects
            .clone()
            .map(|object| (object.size as usize, object.align));
        for (size, align) in sizes.chain(data) {
            if size == 0 || !align.is_power_of_two() || align > MAX_ALIGN {
                return Err(Rule::Range(
                    "objects have a size, and an alignment that is a power of two up to 16",
                ));
            }
        }
        for object in objects {
            if !self.f.locs.is_valid(object.loc) {
                return Err(Rule::Loc);
            }
            let count = object.count.map(|count| self.f.values.get(count));
            if count.is_some_and(|ty| ty != Some(&Type::U32)) {
                return Err(Rule::Range("an object's count of elements is a u32"));
            }
        }
        Ok(())
    }

    fn define(&mut self, value: Value) -> Checked {
        match self.state.get_mut(value) {
            Some(state @ State::New) => *state = State::Visible,
            Some(_) => return Err(Rule::Redefined(value)),
            None => return Err(Rule::Undefined(value)),
        }
        self.scope.push(value);
        Ok(())
    }

    fn leave_scope(&mut self, mark: usize) {
        for value in self.scope.drain(mark..) {
            self.state[value] = State::Gone;
        }
    }

    fn visible(&self, value: Value) -> Result<Type, Rule> {
        match self.state.get(value) {
            Some(State::Visible) => Ok(self.f.ty(value)),
            _ => Err(Rule::Undefined(value)),
        }
    }

    fn visible_all(&self, values: &[Value]) -> Checked {
        values.iter().try_for_each(|v| self.visible(*v).map(drop))
    }

    /// `value` is visible and its type passes `ok`.
    fn check(&self, value: Value, wanted: &str, ok: impl Fn(Type) -> bool) -> Result<Type, Rule> {
        let found = self.visible(value)?;
        self.matches(value, found, wanted, ok)
    }

    fn matches(
        &self,
        value: Value,
        found: Type,
        wanted: &str,
        ok: impl Fn(Type) -> bool,
    ) -> Result<Type, Rule> {
        if ok(found) {
            return Ok(found);
        }
        Err(Rule::Type {
            value,
            found,
            wanted: wanted.to_owned(),
        })
    }

    fn exactly(&self, value: Value, ty: Type) -> Checked {
        Self::same(value, self.visible(value)?, ty)
    }

    fn same(value: Value, found: Type, ty: Type) -> Checked {
        if found == ty {
            return Ok(());
        }
        Err(Rule::Type {
            value,
            found,
            wanted: ty.to_string(),
        })
    }

    fn count(what: &'static str, found: usize, wanted: usize) -> Checked {
        if found == wanted {
            return Ok(());
        }
        Err(Rule::Count {
            what,
            found,
            wanted,
        })
    }

    /// `values` correspond to `like` one to one, in type too.
    fn parallel(&self, what: &'static str, values: &[Value], like: &[Value]) -> Checked {
        Self::count(what, values.len(), like.len())?;
        for (value, like) in values.iter().zip(like) {
            let ty = self.f.values.get(*like).copied();
            self.exactly(*value, ty.ok_or(Rule::Undefined(*like))?)?;
        }
        Ok(())
    }

    /// The type of the only result.
    fn result(&self, inst: &Inst) -> Result<Type, Rule> {
        Self::count("results", inst.results.len(), 1)?;
        let value = inst.results[0];
        let ty = self.f.values.get(value);
        ty.copied().ok_or(Rule::Undefined(value))
    }

    /// The only result has type `ty`.
    fn gives(&self, inst: &Inst, ty: Type) -> Checked {
        let found = self.result(inst)?;
        Self::same(inst.results[0], found, ty)
    }

    fn block(&mut self, block: &Block) -> Result<(), VerifyError> {
        let limit = match self.form {
            Form::Staged => MAX_STAGED_NESTING,
            Form::Structured => MAX_NESTING,
        };
        let mut jumped = false;
        self.depth += 1;
        for inst in &block.insts {
            let checked = if jumped {
                Err(Rule::AfterJump)
            } else if self.depth > limit {
                Err(Rule::TooDeep)
            } else {
                self.head(inst)
            };
            checked.map_err(|rule| self.error(inst, rule))?;
            self.nested(inst)?;
            for result in &inst.results {
                self.define(*result)
                    .map_err(|rule| self.error(inst, rule))?;
            }
            if matches!(inst.op, Op::BarrierArrive | Op::Arrive { .. }) {
                self.arrivals.extend(&inst.results);
            }
            jumped = inst.op.is_jump();
        }
        self.depth -= 1;
        Ok(())
    }

    fn error(&self, inst: &Inst, rule: Rule) -> VerifyError {
        let loc = self.f.locs.get(inst.loc);
        VerifyError {
            inst: headline(self.f, inst),
            loc: loc.filter(|l| !l.file.is_empty()).cloned(),
            rule,
        }
    }

    fn form(&self, op: &Op) -> Checked {
        let only = op.only_form().unwrap_or(self.form);
        if only == self.form {
            Ok(())
        } else {
            Err(Rule::Form(self.form))
        }
    }

    fn local(&self, id: LocalId) -> Checked {
        match self.f.locals.get(id) {
            Some(_) => Ok(()),
            None => Err(Rule::NoLocal(id)),
        }
    }

    /// How many words of values a message has.
    fn message(&self, id: MessageId) -> Result<u32, Rule> {
        let message = self.f.messages.get(id);
        message
            .map(|message| message.words)
            .ok_or(Rule::NoMessage(id))
    }

    fn alias(&self, alias: Alias) -> Checked {
        match alias {
            Alias::Local(id) => self.local(id),
            Alias::Private(id) if self.f.privates.get(id).is_none() => Err(Rule::NoPrivate(id)),
            Alias::Data(id) if self.f.data.get(id).is_none() => Err(Rule::NoData(id)),
            _ => Ok(()),
        }
    }

    fn var(&self, var: Var) -> Result<Type, Rule> {
        let ty = self.f.vars.get(var);
        ty.copied().ok_or(Rule::NoVar(var))
    }

    fn target(&mut self, op: &Op, label: Label) -> Checked {
        let found = self.loops.iter_mut().rfind(|l| l.label == label);
        let target = found.ok_or(Rule::Label(label))?;
        let joined = match op {
            Op::Continue(_) if !target.goes_on => return Err(Rule::Label(label)),
            Op::Continue(_) => &mut target.at_continue,
            _ => &mut target.at_break,
        };
        join(joined, &self.assigned);
        self.assigned = None;
        Ok(())
    }

    fn nested(&mut self, inst: &Inst) -> Result<(), VerifyError> {
        match &inst.op {
            Op::If { then, els, .. } => {
                let before = self.assigned.clone();
                self.arm(inst, then)?;
                let after_then = std::mem::replace(&mut self.assigned, before);
                self.arm(inst, els)?;
                join(&mut self.assigned, &after_then);
                Ok(())
            }
            Op::While(w) => self.while_(inst, w),
            Op::Loop { label, body, step } => {
                self.enter(inst, *label, true)?;
                let mark = self.scope.len();
                self.block(body)?;
                self.leave_scope(mark);
                if let Some(this) = self.loops.last_mut() {
                    this.goes_on = false;
                    join(&mut self.assigned, &this.at_continue);
                }
                self.block(step)?;
                self.leave_scope(mark);
                self.assigned = self.loops.pop().and_then(|this| this.at_break);
                Ok(())
            }
            Op::Scope { label, body } => {
                self.enter(inst, *label, false)?;
                let mark = self.scope.len();
                self.block(body)?;
                self.leave_scope(mark);
                if let Some(this) = self.loops.pop() {
                    join(&mut self.assigned, &this.at_break);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn enter(&mut self, inst: &Inst, label: Label, goes_on: bool) -> Result<(), VerifyError> {
        if self.loops.iter().any(|l| l.label == label) {
            return Err(self.error(inst, Rule::Label(label)));
        }
        self.loops.push(Enclosing {
            label,
            at_break: None,
            at_continue: None,
            goes_on,
        });
        Ok(())
    }

    fn arm(&mut self, inst: &Inst, arm: &Arm) -> Result<(), VerifyError> {
        let mark = self.scope.len();
        self.block(&arm.block)?;
        let last = arm.block.insts.last().map(|i| &i.op);
        let jumps = matches!(last, Some(Op::Break(_) | Op::Continue(_) | Op::Return));
        if !(jumps && arm.yields.is_empty()) {
            self.parallel("yields", &arm.yields, &inst.results)
                .map_err(|rule| self.error(inst, rule))?;
        }
        self.leave_scope(mark);
        Ok(())
    }

    fn while_(&mut self, inst: &Inst, w: &While) -> Result<(), VerifyError> {
        let error = |this: &Self, rule| this.error(inst, rule);
        self.parallel("initial values", &w.init, &w.params)
            .map_err(|rule| error(self, rule))?;
        let mark = self.scope.len();
        for param in &w.params {
            self.define(*param).map_err(|rule| error(self, rule))?;
        }
        self.block(&w.before)?;
        self.exactly(w.cond, Type::Bool)
            .and_then(|()| self.parallel("exits", &w.exits, &inst.results))
            .map_err(|rule| error(self, rule))?;
        self.block(&w.after)?;
        self.parallel("next values", &w.next, &w.params)
            .map_err(|rule| error(self, rule))?;
        self.leave_scope(mark);
        Ok(())
    }
}
