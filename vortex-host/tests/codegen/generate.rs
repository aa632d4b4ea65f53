//! Kernels from choices: every list of numbers is a well-formed kernel that ends, and shorter lists are smaller
//! kernels.
//!
//! What items write they do not share, but for counters to which atomic operations do things that can be done in any
//! order, and for local memory, which they read between barriers. So any order of execution gives the same memory.

use super::never::Called;
use super::pointers::Slice;
use super::together::Group;
use super::variables::Variables;
use super::{failing, objects};
use vortex_kernel::ir::{
    Arm, BinOp, Block, Builder, CmpOp, Function, Id, Label, Loc, Op, Param, Scope as Among,
    SourceLoc, Space, Type, Value, Var,
};

/// Words that each item may write.
pub(crate) const SLOTS: u32 = 16;
/// Words that all items may read.
pub(crate) const INPUT_WORDS: u32 = 256;

pub(crate) const SCALARS: [Type; 12] = [
    Type::U32,
    Type::I32,
    Type::F32,
    Type::Bool,
    Type::U8,
    Type::I8,
    Type::U16,
    Type::I16,
    Type::U64,
    Type::I64,
    Type::F16,
    Type::BF16,
];

/// Those that lie in one word.
pub(crate) const OF_A_WORD: [Type; 10] = [
    Type::U32,
    Type::I32,
    Type::F32,
    Type::Bool,
    Type::U8,
    Type::I8,
    Type::U16,
    Type::I16,
    Type::F16,
    Type::BF16,
];

pub(crate) const INTEGERS: [Type; 8] = [
    Type::U32,
    Type::I32,
    Type::U8,
    Type::I8,
    Type::U16,
    Type::I16,
    Type::U64,
    Type::I64,
];

const ITEM_IDS: [Id; 10] = [
    Id::Global(0),
    Id::Global(1),
    Id::Global(2),
    Id::GlobalSize(0),
    Id::GlobalSize(1),
    Id::GlobalSize(2),
    Id::GlobalLinear,
    Id::GlobalCount,
    Id::Lane,
    Id::Lanes,
];

const GROUP_IDS: [Id; 16] = [
    Id::LocalLinear,
    Id::Local(0),
    Id::Local(1),
    Id::Local(2),
    Id::LocalSize(0),
    Id::LocalSize(1),
    Id::LocalSize(2),
    Id::LocalCount,
    Id::GroupLinear,
    Id::Group(0),
    Id::Group(1),
    Id::Group(2),
    Id::Groups(0),
    Id::Groups(1),
    Id::Groups(2),
    Id::GroupCount,
];

/// What kernels are about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing of groups.
    Items,
    /// Local memory and barriers, and all else.
    Groups,
    /// Elements at indices from memory, and nothing that keeps lanes from doing several items at once.
    Lookups,
    /// Few kinds of steps, in any order: effects, checks, branches and loops around them.
    Order,
    /// The same with barriers.
    OrderOfGroups,
}

/// Makes a kernel of choices.
pub(crate) struct Generator<'a> {
    choices: std::slice::Iter<'a, u16>,
    pub(crate) depth: u32,
    pub(crate) labels: u32,
    /// Loops around the current place.
    loops: Vec<Label>,
    /// Those of them that only jumps to further outside leave.
    pub(crate) endless: Vec<Label>,
    /// Scopes around it.
    scopes: Vec<Label>,
    /// Device functions around it.
    pub(crate) called: Vec<Called>,
    /// What all items read.
    pub(crate) input: Value,
    /// What this item reads and writes.
    pub(crate) own: Value,
    /// What all items count in.
    pub(crate) counters: Value,
    /// What the items of a group share, if the kernel knows of groups.
    pub(crate) group: Option<Group>,
    /// The program's variables, if it uses them.
    pub(crate) variables: Option<Variables>,
}

/// Values and variables that may be used at a place.
#[derive(Clone, Default)]
pub(crate) struct Scope {
    pub(crate) values: Vec<Value>,
    pub(crate) vars: Vec<Var>,
    pub(crate) slices: Vec<Slice>,
}

impl<'a> Generator<'a> {
    pub(crate) fn kernel(choices: &'a [u16], kind: Kind) -> Function {
        let mut f = Function {
            name: "generated".to_owned(),
            args_size: 20,
            locs: vec![SourceLoc {
                file: String::new(),
                line: 0,
                column: 0,
            }]
            .into(),
            ..Function::default()
        };
        let params = [
            ("input", Type::Ptr(Space::Global)),
            ("output", Type::Ptr(Space::Global)),
            ("n", Type::U32),
            ("x", Type::F32),
            ("sized.len", Type::U32),
        ];
        for (n, (name, ty)) in params.into_iter().enumerate() {
            let value = f.new_value(ty);
            f.params.push(Param {
                value,
                name: name.to_owned(),
                arg: n as u32,
                offset: n as u32 * 4,
            });
        }
        let [input, output, n, x, sized] = [0, 1, 2, 3, 4].map(Value::from_u32);
        let mut choices = choices.iter();
        let with_variables = choices.next().is_some_and(|choice| choice % 2 == 1)
            && matches!(kind, Kind::Items | Kind::Groups);
        let variables = with_variables.then(|| Variables::new(&mut f));
        let mut b = Builder::new(&mut f, Loc::NONE);
        let item = b.id(Id::GlobalLinear);
        let own = b.ptr_add(output, item, SLOTS * 4);
        let items = b.id(Id::GlobalCount);
        let counters = b.ptr_add(output, items, SLOTS * 4);
        let group =
            matches!(kind, Kind::Groups | Kind::OrderOfGroups).then(|| Group::new(&mut b, sized));
        let mut generator = Generator {
            choices,
            depth: 0,
            labels: 0,
            loops: Vec::new(),
            endless: Vec::new(),
            scopes: Vec::new(),
            called: Vec::new(),
            input,
            own,
            counters,
            group,
            variables,
        };
        let mut scope = Scope {
            values: vec![item, n, x],
            ..Scope::default()
        };
        if matches!(kind, Kind::Order | Kind::OrderOfGroups) {
            objects::declare(&mut b);
            failing::declare(&mut b);
            generator.ordered(&mut b, scope);
            f.body = b.finish();
            return f;
        }
        for _ in 0..generator.pick(5) {
            let id = generator.id(&mut b);
            scope.values.push(id);
        }
        objects::declare(&mut b);
        failing::declare(&mut b);
        for _ in 0..4 {
            let value = generator.load(&mut b, &scope);
            generator.declare(&mut b, &mut scope, value);
        }
        match kind {
            Kind::Lookups => generator.lookups(&mut b, scope),
            _ => {
                generator.statements(&mut b, scope);
            }
        }
        f.body = b.finish();
        f
    }

    /// A number below `limit`; 0 once the choices have run out.
    pub(crate) fn pick(&mut self, limit: usize) -> usize {
        let choice = self.choices.next().copied().unwrap_or(0);
        usize::from(choice) % limit
    }

    pub(crate) fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.pick(list.len())]
    }

    /// Something about where the item is.
    fn id(&mut self, b: &mut Builder<'_>) -> Value {
        let of_group = match self.group {
            Some(_) => &GROUP_IDS[..],
            None => &[],
        };
        let id = self.one_of(&[&ITEM_IDS, of_group].concat());
        b.id(id)
    }

    /// What depends on the device, as far as it is the same on all.
    fn of_device(&mut self, b: &mut Builder<'_>) -> Value {
        let (number, count) = match self.pick(3) {
            0 => (b.id(Id::Warp), b.id(Id::Warps)),
            1 => (b.id(Id::Core), b.id(Id::Cores)),
            _ => {
                let [earlier, later] = [0, 1].map(|_| b.value(Op::Clock, Type::U32));
                (b.binary(BinOp::Sub, later, earlier), b.u32(1 << 31))
            }
        };
        b.compare(CmpOp::Lt, number, count)
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels += 1;
        Label::from_u32(self.labels - 1)
    }

    /// Statements up to the end of the block; the choices decide how many. Returns whether control never passes the
    /// last one.
    pub(crate) fn statements(&mut self, b: &mut Builder<'_>, mut scope: Scope) -> bool {
        let count = 1 + self.pick(8);
        for _ in 0..count {
            if self.choices.len() == 0 {
                return false;
            }
            if self.statement(b, &mut scope) {
                return true;
            }
        }
        // Keep what was computed alive up to here.
        for value in scope.values.clone().into_iter().rev().take(3) {
            self.store(b, value);
        }
        false
    }

    /// Returns whether the statement ends the block: control never passes it.
    fn statement(&mut self, b: &mut Builder<'_>, scope: &mut Scope) -> bool {
        match self.pick(30) {
            0 => {
                let value = self.value(b, scope);
                self.store(b, value);
            }
            1..=4 => {
                let value = self.operation(b, scope);
                scope.values.push(value);
            }
            5 => {
                let value = self.value(b, scope);
                self.declare(b, scope, value);
            }
            6 | 7 => {
                let var = self.one_of(&scope.vars);
                let ty = b.function.vars[var];
                let value = self.of_type(b, scope, ty);
                b.effect(Op::VarSet(var, value));
            }
            8 | 9 if self.depth < 5 => self.branch(b, scope),
            10 | 11 if self.depth < 4 => self.counted_loop(b, scope),
            12 => self.crowd(b, scope),
            13 if self.depth > 0 => return self.jump(b, scope),
            28 if self.depth > 0 => {
                let jumps = self.never(b, scope);
                // Seldom, something follows it that is never reached.
                return jumps || self.pick(4) != 0;
            }
            29 if self.depth < 5 => self.call(b, scope),
            14 => match self.pick(6) {
                0 => self.print(b, scope),
                1 => self.fault(b, scope),
                2..=4 => {
                    let value = self.input_element(b, scope);
                    scope.values.push(value);
                }
                _ => {
                    let value = self.divide(b, scope);
                    scope.values.push(value);
                }
            },
            15 | 16 => {
                let value = self.ask(b, scope);
                scope.values.push(value);
            }
            17 => self.count(b, scope),
            18 if self.depth == 0 && self.group.is_some() => self.gather(b, scope),
            18 => {
                let value = self.exchange(b, scope);
                scope.values.extend(value);
            }
            19 | 20 => self.object(b, scope),
            21 => match self.pick(4) {
                0 => b.effect(Op::Fence(self.one_of(&[Among::Group, Among::Device]))),
                _ => self.leave(b, scope),
            },
            22 if self.depth < 5 => self.scope(b, scope),
            23 | 24 => self.slices(b, scope),
            25 => match self.pick(3) {
                0 => self.variable(b, scope),
                _ => self.pointer(b, scope),
            },
            26 => {
                let value = match self.pick(4) {
                    0 => self.of_device(b),
                    _ => self.id(b),
                };
                scope.values.push(value);
            }
            _ => {
                let value = self.load(b, scope);
                scope.values.push(value);
            }
        }
        false
    }

    /// A block that can be left early.
    fn scope(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let label = self.label();
        self.depth += 1;
        self.scopes.push(label);
        let mut body = b.inner();
        self.statements(&mut body, scope.clone());
        let body = body.finish();
        self.scopes.pop();
        self.depth -= 1;
        b.effect(Op::Scope { label, body });
    }

    /// Many values alive at once, so that some are spilled.
    fn crowd(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let ty = self.one_of(&[Type::U32, Type::F32]);
        let mut crowd = Vec::new();
        for n in 0..8 + self.pick(40) {
            let word = self.load_at(b, scope, Type::U32, n as u32 * 3);
            crowd.push(if ty == Type::F32 {
                b.bitcast(word, ty)
            } else {
                word
            });
        }
        if self.depth < 5 && self.pick(2) == 1 {
            self.branch(b, scope);
        }
        let sum = crowd
            .into_iter()
            .reduce(|sum, v| b.binary(BinOp::Add, sum, v));
        scope.values.extend(sum);
    }

    fn declare(&mut self, b: &mut Builder<'_>, scope: &mut Scope, value: Value) {
        let ty = b.function.ty(value);
        let var = new_var(b, ty);
        b.effect(Op::VarSet(var, value));
        scope.vars.push(var);
    }

    pub(crate) fn branch(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let cond = self.of_type(b, scope, Type::Bool);
        self.depth += 1;
        if self.pick(3) == 0 {
            let types: Vec<_> = (0..1 + self.pick(3))
                .map(|_| self.one_of(&SCALARS))
                .collect();
            let leaving = self.pick(4);
            let [then, els] = [0, 1].map(|arm| {
                if arm == leaving {
                    return self.arm_that_leaves(b, scope, &types);
                }
                let mut inner = b.inner();
                if self.pick(2) == 1 {
                    let stored = self.operation(&mut inner, scope);
                    self.store(&mut inner, stored);
                }
                let yields = types.iter();
                let yields = yields
                    .map(|ty| self.of_type(&mut inner, scope, *ty))
                    .collect();
                Arm::new(inner.finish(), yields)
            });
            let results = b.multi(Op::branch(cond, then, els), &types);
            scope.values.extend(results);
        } else {
            let mut then = b.inner();
            self.statements(&mut then, scope.clone());
            let then = arm(then.finish());
            let mut els = b.inner();
            if self.pick(2) == 1 {
                self.statements(&mut els, scope.clone());
            }
            let els = arm(els.finish());
            b.if_else(cond, then, els);
        }
        self.depth -= 1;
    }

    /// A loop with a counter that ends it, after a number of iterations that may differ from lane to lane.
    fn counted_loop(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let counter = new_var(b, Type::U32);
        let zero = b.u32(0);
        b.effect(Op::VarSet(counter, zero));
        let limit = if self.pick(2) == 0 {
            b.u32(self.pick(5) as u32)
        } else {
            let any = self.of_type(b, scope, Type::U32);
            let five = b.u32(5);
            b.binary(BinOp::Rem, any, five)
        };
        let label = self.label();
        self.depth += 1;

        let mut body = b.inner();
        let iteration = body.value(Op::VarGet(counter), Type::U32);
        let done = body.compare(CmpOp::Ge, iteration, limit);
        break_if(&mut body, done, label);
        let mut inner = scope.clone();
        inner.values.push(iteration);
        self.loops.push(label);
        self.statements(&mut body, inner);
        self.loops.pop();
        let body = body.finish();

        let mut step = b.inner();
        step_by_one(&mut step, counter);
        if self.pick(4) == 1 {
            let enough = self.of_type(&mut step, scope, Type::Bool);
            break_if(&mut step, enough, label);
        }
        let step = step.finish();
        b.effect(Op::Loop { label, body, step });
        self.depth -= 1;
    }

    pub(crate) fn jump(&mut self, b: &mut Builder<'_>, scope: &Scope) -> bool {
        let value = self.value(b, scope);
        self.store(b, value);
        let (loops, scopes) = (self.loops.clone(), self.scopes.clone());
        let repeated = [&loops[..], &self.endless].concat();
        let jump = match self.pick(9) {
            1 | 2 if !loops.is_empty() => Op::Break(self.one_of(&loops)),
            3 | 4 if !repeated.is_empty() => Op::Continue(self.one_of(&repeated)),
            7 | 8 if !self.called.is_empty() => {
                self.return_from(b, scope);
                return true;
            }
            1.. if !scopes.is_empty() => Op::Break(self.one_of(&scopes)),
            _ => Op::Return,
        };
        b.effect(jump);
        true
    }
}

pub(crate) fn new_var(b: &mut Builder<'_>, ty: Type) -> Var {
    b.function.vars.push(ty)
}

/// Counts the iterations of a loop, in its step.
pub(crate) fn step_by_one(step: &mut Builder<'_>, counter: Var) {
    let iteration = step.value(Op::VarGet(counter), Type::U32);
    let one = step.u32(1);
    let next = step.binary(BinOp::Add, iteration, one);
    step.effect(Op::VarSet(counter, next));
}

/// Leaves the loop or scope where `cond` holds.
pub(crate) fn break_if(b: &mut Builder<'_>, cond: Value, label: Label) {
    let mut leave = b.inner();
    leave.effect(Op::Break(label));
    let leave = leave.finish();
    b.when(cond, leave);
}

pub(crate) fn arm(block: Block) -> Arm {
    Arm::new(block, Vec::new())
}
