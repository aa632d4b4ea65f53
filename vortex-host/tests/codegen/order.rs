//! Kernels of few steps about what comes first: effects, checks that may fail, and the branches and loops around them.
//!
//! Passes move checks: before an item's first effect, before a loop, out of an arm, together with others. What they
//! must not be moved past is rare among all that a kernel can contain. So these contain little else, and each only some
//! kinds of steps: a pass that gives up at one of them is not kept from all kernels by it. Indices depend on what has
//! been read, on what the item has written, and on what an arm or an iteration has computed. Most checks hold for most
//! items: lanes do several items at once only where all hold, and of its failures a lane tells the first alone.

use super::failing::{ENDING, GOING_ON, elsewhere};
use super::generate::{Generator, INPUT_WORDS, Scope, arm};
use super::objects;
use super::order_loops::Iteration;
use vortex_kernel::ir::{Alias, Arm, Builder, CmpOp, FaultKind, Id, Op, Type, Value};

/// What a kernel may do next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// An element is read, if it is one.
    Read,
    /// One is read or written as before.
    Again,
    Write,
    /// A check by itself.
    Check,
    Divide,
    Compute,
    /// A condition, for later.
    Decide,
    Store,
    /// What has been stored is read.
    Load,
    /// An atomic operation.
    Count,
    Print,
    Branch,
    /// Arms that give values.
    Choose,
    /// `a && b` or `a || b`, of which `b` needs an element.
    Lazy,
    Return,
    Loop,
    /// A loop whose index comes from the iteration before.
    Chase,
    /// A loop over parts of the input.
    Parts,
    /// All further steps are in an arm.
    Guard,
    /// Items of a group meet, if an element that all of them read says so.
    Meet,
}

/// Those that every kernel may do.
const USUAL: [Step; 5] = [
    Step::Read,
    Step::Read,
    Step::Store,
    Step::Compute,
    Step::Decide,
];

/// Those of which a kernel may do some.
const OTHERS: [Step; 17] = [
    Step::Again,
    Step::Write,
    Step::Write,
    Step::Check,
    Step::Divide,
    Step::Load,
    Step::Load,
    Step::Count,
    Step::Branch,
    Step::Branch,
    Step::Choose,
    Step::Lazy,
    Step::Return,
    Step::Loop,
    Step::Chase,
    Step::Parts,
    Step::Guard,
];

/// Words of the item's own that steps write and read: few, so that what is read has been written.
const OWN: u32 = 4;

/// What a kernel is made of.
pub(crate) struct Plan {
    steps: Vec<Step>,
    /// How many arms and loops there may be around a step.
    depth: u32,
}

/// What has elements.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Input,
    Table,
    Own,
    /// The last word of the input, or nothing, where its first element would not exist.
    End(u32),
    /// A part of the input, which starts here.
    Part(Value),
}

impl Place {
    const fn elements(self) -> u32 {
        match self {
            Self::Input => INPUT_WORDS,
            Self::Table => objects::WORDS,
            Self::Own => OWN,
            Self::End(elements) => elements,
            Self::Part(_) => 0,
        }
    }
}

/// An access that is checked.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) place: Place,
    pub(crate) index: Value,
    pub(crate) len: Value,
    /// Whether it is one, if that has been compared already.
    pub(crate) cond: Option<Value>,
}

impl Access {
    fn compared(&self, b: &mut Builder<'_>) -> Value {
        (self.cond).unwrap_or_else(|| b.compare(CmpOp::Lt, self.index, self.len))
    }
}

/// What there is at some point.
#[derive(Clone, Default)]
pub(crate) struct Here {
    /// Words, the last of which are used most.
    pub(crate) scope: Scope,
    pub(crate) conds: Vec<Value>,
    accesses: Vec<Access>,
    depth: u32,
}

impl Generator<'_> {
    /// All that such a kernel does.
    pub(crate) fn ordered(&mut self, b: &mut Builder<'_>, scope: Scope) {
        let mut steps = USUAL.to_vec();
        for _ in 0..1 + self.pick(4) {
            steps.push(self.one_of(&OTHERS));
        }
        // Items that print are not done at once.
        if self.pick(8) == 1 {
            steps.push(Step::Print);
        }
        if self.group.is_some() {
            steps.extend([Step::Meet; 3]);
        }
        let depth = self.one_of(&[1, 1, 2, 3]);
        let mut here = Here {
            scope,
            ..Here::default()
        };
        for _ in 0..1 + self.pick(2) {
            let word = self.word_of_item(b);
            here.scope.values.push(word);
        }
        let count = 2 + self.pick(7);
        self.steps(b, &mut here, &Plan { steps, depth }, count);
    }

    /// So many steps. What they have made is stored at last.
    pub(crate) fn steps(
        &mut self,
        b: &mut Builder<'_>,
        here: &mut Here,
        plan: &Plan,
        count: usize,
    ) {
        for done in 0..count {
            let step = self.one_of(&plan.steps);
            if step == Step::Guard && here.depth == 0 && done + 1 < count {
                let cond = self.guard(b, here);
                let mut inner = b.inner();
                let mut inside = here.inside();
                self.steps(&mut inner, &mut inside, plan, count - done - 1);
                let inner = inner.finish();
                b.when(cond, inner);
                return;
            }
            self.step(b, here, plan, step);
        }
        for _ in 0..1 + self.pick(2) {
            let value = self.recent(b, here);
            match self.pick(2) {
                0 => self.store(b, value),
                _ => self.keep(b, value),
            }
        }
    }

    /// Stores a word where steps read.
    fn keep(&mut self, b: &mut Builder<'_>, value: Value) {
        let slot = self.pick(OWN as usize) as i32 * 4;
        b.store(self.own, slot, value, Alias::Exclusive(1));
    }

    fn step(&mut self, b: &mut Builder<'_>, here: &mut Here, plan: &Plan, step: Step) {
        let is_deep = here.depth >= plan.depth;
        match step {
            Step::Read => {
                let access = match here.accesses.len() {
                    1.. if self.pick(4) == 3 => self.one_of(&here.accesses),
                    _ => self.access(b, here),
                };
                self.read(b, here, access);
            }
            Step::Again if !here.accesses.is_empty() => {
                let access = self.one_of(&here.accesses);
                match (access.place, self.pick(3)) {
                    (Place::Own, 0) => self.write(b, here, access),
                    _ => self.read(b, here, access),
                }
            }
            Step::Write => {
                let access = self.access_to(b, here, Place::Own);
                self.write(b, here, access);
            }
            Step::Check => {
                let (index, len) = self.index_and_len(b, here, INPUT_WORDS);
                let cond = b.compare(CmpOp::Lt, index, len);
                let mut els = elsewhere(b);
                let kind = self.one_of(&GOING_ON);
                let operands = [index, len].into();
                els.effect(Op::Fault { kind, operands });
                let els = arm(els.finish());
                b.if_else(cond, Arm::default(), els);
            }
            Step::Divide => {
                let quotient = self.divide(b, &here.scope);
                here.scope.values.push(quotient);
            }
            Step::Compute => {
                let value = self.computed(b, here);
                here.scope.values.push(value);
            }
            Step::Decide => {
                let cond = self.cond(b, here);
                here.conds.push(cond);
            }
            Step::Load => {
                let slot = self.pick(OWN as usize) as i32 * 4;
                let word = b.load(Type::U32, self.own, slot, Alias::Exclusive(1));
                here.scope.values.push(word);
            }
            Step::Count if self.pick(2) == 0 => self.count(b, &here.scope),
            Step::Count => {
                let before = self.exchange(b, &here.scope);
                here.scope.values.extend(before);
            }
            Step::Print => self.print(b, &here.scope),
            Step::Branch if !is_deep => {
                let cond = self.cond(b, here);
                let then = self.arm_of_steps(b, here, plan);
                let els = match self.pick(2) {
                    0 => Arm::default(),
                    _ => self.arm_of_steps(b, here, plan),
                };
                b.if_else(cond, then, els);
            }
            Step::Choose if !is_deep => self.choose(b, here, plan),
            Step::Lazy => {
                let cond = self.lazy(b, here);
                here.conds.push(cond);
                here.scope.values.push(cond);
                if !is_deep && self.pick(2) == 1 {
                    self.again_where(b, here, cond);
                }
            }
            Step::Return => self.end(b, here),
            Step::Loop if !is_deep => self.repeat(b, here, &Iteration::Steps(plan)),
            Step::Chase => self.repeat(b, here, &Iteration::Reads),
            Step::Parts => self.parts(b, here),
            Step::Meet if here.depth == 0 => self.meet_if(b, here),
            _ => {
                let value = self.recent(b, here);
                self.keep(b, value);
            }
        }
    }

    pub(crate) fn access(&mut self, b: &mut Builder<'_>, here: &Here) -> Access {
        let place = match self.pick(12) {
            6 => Place::End(1),
            7 => Place::End(0),
            8 | 9 => Place::Table,
            10 | 11 => Place::Own,
            _ => Place::Input,
        };
        self.access_to(b, here, place)
    }

    fn access_to(&mut self, b: &mut Builder<'_>, here: &Here, place: Place) -> Access {
        let (index, len) = self.index_and_len(b, here, place.elements());
        let cond = (self.pick(3) == 1).then(|| b.compare(CmpOp::Lt, index, len));
        Access {
            place,
            index,
            len,
            cond,
        }
    }

    fn start(&self, b: &mut Builder<'_>, place: Place) -> (Value, Alias) {
        match place {
            Place::Input => (self.input, Alias::Shared(0)),
            Place::Table => objects::table(b),
            Place::Own => (self.own, Alias::Exclusive(1)),
            Place::Part(start) => (start, Alias::Shared(0)),
            Place::End(elements) => {
                let before = b.u32(INPUT_WORDS - elements);
                (b.ptr_add(self.input, before, 4), Alias::Shared(0))
            }
        }
    }

    /// Reads an element, if it is one.
    pub(crate) fn read(&mut self, b: &mut Builder<'_>, here: &mut Here, access: Access) {
        let Access { index, len, .. } = access;
        let (start, alias) = self.start(b, access.place);
        let cond = access.compared(b);
        let mut then = b.inner();
        let at = then.ptr_add(start, index, 4);
        let element = then.load(Type::U32, at, 0, alias);
        let then = Arm::new(then.finish(), vec![element]);
        let failure = (FaultKind::Index, [index, len]);
        let element = self.or_other(b, cond, then, failure);
        here.scope.values.push(element);
        here.accesses.push(access);
    }

    /// Writes one.
    fn write(&mut self, b: &mut Builder<'_>, here: &mut Here, access: Access) {
        let Access { index, len, .. } = access;
        let (start, alias) = self.start(b, access.place);
        let value = self.recent(b, here);
        let cond = access.compared(b);
        let mut then = b.inner();
        let at = then.ptr_add(start, index, 4);
        then.store(at, 0, value, alias);
        let then = arm(then.finish());
        let mut els = elsewhere(b);
        let (kind, operands) = (FaultKind::Index, [index, len].into());
        els.effect(Op::Fault { kind, operands });
        let els = arm(els.finish());
        b.if_else(cond, then, els);
        here.accesses.push(access);
    }

    /// What an arm around all that follows is taken by.
    fn guard(&mut self, b: &mut Builder<'_>, here: &mut Here) -> Value {
        match self.pick(3) {
            0 => {
                let item = b.id(Id::GlobalLinear);
                let items = b.id(Id::GlobalCount);
                let few = b.u32(40);
                let limit = self.one_of(&[items, few]);
                b.compare(CmpOp::Lt, item, limit)
            }
            1 => self.lazy(b, here),
            _ => self.cond(b, here),
        }
    }

    /// `a && b` or `a || b`, of which `b` is about an element or a number, or another one of the same kind.
    fn lazy(&mut self, b: &mut Builder<'_>, here: &mut Here) -> Value {
        let first = self.cond(b, here);
        let is_and = self.pick(2) == 0;
        // What is read at an index that is known before can be read again where the condition holds.
        let access = match self.pick(4) {
            1 | 2 => Some(self.access(b, here)),
            3 if !here.accesses.is_empty() => Some(self.one_of(&here.accesses)),
            _ => None,
        };
        here.accesses.extend(access);
        let mut second = b.inner();
        let mut inside = here.inside();
        if self.pick(4) != 3 {
            let access = match access {
                Some(access) => access,
                None => self.access(&mut second, here),
            };
            self.read(&mut second, &mut inside, access);
        }
        let cond = match self.pick(4) {
            3 if here.depth < 3 => self.lazy(&mut second, &mut inside),
            _ => self.cond(&mut second, &inside),
        };
        let second = Arm::new(second.finish(), vec![cond]);
        let mut other = b.inner();
        let known = other.constant(u32::from(!is_and), Type::Bool);
        let other = Arm::new(other.finish(), vec![known]);
        match is_and {
            true => b.if_else(first, second, other)[0],
            false => b.if_else(first, other, second)[0],
        }
    }

    /// Reads what a condition may have read, where that holds or where it does not.
    fn again_where(&mut self, b: &mut Builder<'_>, here: &Here, cond: Value) {
        let Some(access) = here.accesses.last() else {
            return;
        };
        let (mut inner, mut inside) = (b.inner(), here.inside());
        self.read(&mut inner, &mut inside, *access);
        let value = self.recent(&mut inner, &inside);
        self.store(&mut inner, value);
        let inner = arm(inner.finish());
        let arms = match self.pick(2) {
            0 => [inner, Arm::default()],
            _ => [Arm::default(), inner],
        };
        let [then, els] = arms;
        b.if_else(cond, then, els);
    }

    fn arm_of_steps(&mut self, b: &mut Builder<'_>, here: &Here, plan: &Plan) -> Arm {
        let mut inner = b.inner();
        let count = 1 + self.pick(3);
        self.steps(&mut inner, &mut here.inside(), plan, count);
        arm(inner.finish())
    }

    /// Arms that give a word, mostly without effects.
    fn choose(&mut self, b: &mut Builder<'_>, here: &mut Here, plan: &Plan) {
        let cond = self.cond(b, here);
        let [then, els] = [0, 1].map(|_| {
            let mut inner = b.inner();
            let mut inside = here.inside();
            for _ in 0..self.pick(3) {
                let step = match self.pick(4) {
                    0 => self.one_of(&plan.steps),
                    1 => Step::Compute,
                    _ => Step::Read,
                };
                self.step(&mut inner, &mut inside, plan, step);
            }
            let word = self.recent(&mut inner, &inside);
            Arm::new(inner.finish(), vec![word])
        });
        let word = b.if_else(cond, then, els)[0];
        here.scope.values.push(word);
    }

    /// Has all items of a group meet, or none: one that has ended does not know.
    fn meet_if(&mut self, b: &mut Builder<'_>, here: &mut Here) {
        let id = self.one_of(&[Id::GroupLinear, Id::Group(0), Id::Groups(0)]);
        let index = b.id(id);
        let len = b.u32(self.one_of(&[1, 2, 8]));
        let access = Access {
            place: Place::Input,
            index,
            len,
            cond: None,
        };
        self.read(b, here, access);
        let read = here.recent_values(1).to_vec();
        let some = b.u32(self.one_of(&[8, 64, u32::MAX]));
        let cond = b.compare(CmpOp::Lt, read[0], some);
        self.depth += 1;
        let mut inner = b.inner();
        let mut inside = here.inside();
        self.meet(&mut inner, &mut inside.scope);
        let last = self.recent(&mut inner, &inside);
        self.store(&mut inner, last);
        let inner = inner.finish();
        self.depth -= 1;
        b.when(cond, inner);
    }

    /// Some items end, with or without a failure.
    fn end(&mut self, b: &mut Builder<'_>, here: &Here) {
        let cond = self.cond(b, here);
        let mut inner = elsewhere(b);
        if self.pick(2) == 1 {
            let last = self.recent(&mut inner, here);
            self.store(&mut inner, last);
        }
        match self.pick(4) {
            1 => {
                let kind = self.one_of(&ENDING);
                let operands = [0, 1].map(|_| self.recent(&mut inner, here)).into();
                inner.effect(Op::Fault { kind, operands });
            }
            2 => {
                let (message, operands) = self.message(&mut inner, &here.scope, 4);
                inner.effect(Op::Panic { message, operands });
            }
            _ => {}
        }
        inner.effect(Op::Return);
        let inner = inner.finish();
        b.when(cond, inner);
    }
}

impl Here {
    /// The last values, so many at most.
    pub(crate) fn recent_values(&self, most: usize) -> &[Value] {
        let values = &self.scope.values;
        &values[values.len().saturating_sub(most)..]
    }

    /// The same in an arm or a loop.
    pub(crate) fn inside(&self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self.clone()
        }
    }
}
