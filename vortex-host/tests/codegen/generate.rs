//! Kernels from choices: every list of numbers is a well-formed kernel that ends, and shorter lists are smaller kernels.
//!
//! What items write they do not share, but for counters to which atomic operations do things that can be done in any order, and
//! for local memory, which they read between barriers. So any order of execution gives the same memory.

use crate::objects;
use crate::together::Group;
use vortex_kernel::ir::{
    Alias, Arm, BinOp, Block, Builder, CmpOp, FaultKind, Function, Id, Label, Loc, Op, Param,
    Scope as Among, SourceLoc, Space, Type, UnOp, Value, Var, eval,
};

/// Words that each item may write.
pub(crate) const SLOTS: u32 = 16;
/// Words that all items may read.
pub(crate) const INPUT_WORDS: u32 = 256;

pub(crate) const SCALARS: [Type; 10] = [
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
];

const COMPARISONS: [CmpOp; 6] = [
    CmpOp::Eq,
    CmpOp::Ne,
    CmpOp::Lt,
    CmpOp::Le,
    CmpOp::Gt,
    CmpOp::Ge,
];

const FLOAT_OPS: [BinOp; 6] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Min,
    BinOp::Max,
];

const INT_OPS: [BinOp; 13] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Rem,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::Min,
    BinOp::Max,
    BinOp::MulHigh,
];

const CONSTANTS: [u32; 11] = [
    0,
    1,
    2,
    5,
    31,
    2047,
    2048,
    0x7fff_f900,
    0x8000_0000,
    u32::MAX,
    0x3fc0_0000,
];

const ITEM_IDS: [Id; 6] = [
    Id::Global(0),
    Id::Global(1),
    Id::Global(2),
    Id::GlobalSize(1),
    Id::Lane,
    Id::Lanes,
];

const GROUP_IDS: [Id; 7] = [
    Id::LocalLinear,
    Id::Local(0),
    Id::Local(1),
    Id::LocalSize(0),
    Id::GroupLinear,
    Id::Group(1),
    Id::Groups(0),
];

/// Makes a kernel of choices.
pub(crate) struct Generator<'a> {
    choices: std::slice::Iter<'a, u16>,
    pub(crate) depth: u32,
    pub(crate) labels: u32,
    /// Loops around the current place.
    loops: Vec<Label>,
    /// Scopes around it.
    scopes: Vec<Label>,
    /// What all items read.
    input: Value,
    /// What this item reads and writes.
    pub(crate) own: Value,
    /// What all items count in.
    pub(crate) counters: Value,
    /// What the items of a group share, if the kernel knows of groups.
    pub(crate) group: Option<Group>,
}

/// Values and variables that may be used at a place.
#[derive(Clone, Default)]
pub(crate) struct Scope {
    pub(crate) values: Vec<Value>,
    vars: Vec<Var>,
}

impl<'a> Generator<'a> {
    pub(crate) fn kernel(choices: &'a [u16], grouped: bool) -> Function {
        let mut f = Function {
            name: "generated".to_owned(),
            args_size: 16,
            locs: vec![SourceLoc {
                file: String::new(),
                line: 0,
                column: 0,
            }],
            ..Function::default()
        };
        let params = [
            ("input", Type::Ptr(Space::Global)),
            ("output", Type::Ptr(Space::Global)),
            ("n", Type::U32),
            ("x", Type::F32),
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
        let [input, output, n, x] = [0, 1, 2, 3].map(Value);
        let mut b = Builder::new(&mut f, Loc::NONE);
        let item = b.id(Id::GlobalLinear);
        let own = b.ptr_add(output, item, SLOTS * 4);
        let items = b.id(Id::GlobalCount);
        let counters = b.ptr_add(output, items, SLOTS * 4);
        let group = grouped.then(|| Group::new(&mut b));
        let mut generator = Generator {
            choices: choices.iter(),
            depth: 0,
            labels: 0,
            loops: Vec::new(),
            scopes: Vec::new(),
            input,
            own,
            counters,
            group,
        };
        let mut scope = Scope {
            values: vec![item, n, x],
            vars: Vec::new(),
        };
        let of_group = if grouped { &GROUP_IDS[..] } else { &[] };
        for id in [&ITEM_IDS, of_group].concat() {
            if generator.pick(3) == 1 {
                scope.values.push(b.id(id));
            }
        }
        objects::declare(&mut b);
        for _ in 0..4 {
            let value = generator.load(&mut b, &scope);
            generator.declare(&mut b, &mut scope, value);
        }
        generator.statements(&mut b, scope);
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

    /// Statements up to the end of the block; the choices decide how many.
    fn statements(&mut self, b: &mut Builder<'_>, mut scope: Scope) {
        let count = 1 + self.pick(8);
        for _ in 0..count {
            let exhausted = self.choices.len() == 0;
            if exhausted || self.statement(b, &mut scope) {
                return;
            }
        }
        // Keep what was computed alive up to here.
        for value in scope.values.clone().into_iter().rev().take(3) {
            self.store(b, value);
        }
    }

    /// Whether the statement was a jump, which ends the block.
    fn statement(&mut self, b: &mut Builder<'_>, scope: &mut Scope) -> bool {
        match self.pick(24) {
            0 => {
                let value = self.value(b, scope);
                self.store(b, value);
            }
            1..=3 => {
                let value = self.operation(b, scope);
                scope.values.push(value);
            }
            4 => {
                let value = self.value(b, scope);
                self.declare(b, scope, value);
            }
            5 | 6 => {
                let var = self.one_of(&scope.vars);
                let ty = b.function.vars[var.0 as usize];
                let value = self.of_type(b, scope, ty);
                b.effect(Op::VarSet(var, value));
            }
            7 | 8 if self.depth < 5 => self.branch(b, scope),
            9 | 10 if self.depth < 4 => self.turns(b, scope),
            11 => self.crowd(b, scope),
            12 if self.depth > 0 => return self.jump(b, scope),
            13 => self.fault(b, scope),
            14 | 15 => {
                let value = self.ask(b, scope);
                scope.values.push(value);
            }
            16 => self.count(b, scope),
            17 if self.depth == 0 && self.group.is_some() => self.meet(b, scope),
            17 => {
                let value = self.exchange(b, scope);
                scope.values.extend(value);
            }
            18 | 19 => self.object(b, scope),
            20 => {
                let value = self.rounded(b, scope);
                scope.values.push(value);
            }
            21 => match self.pick(4) {
                0 => b.effect(Op::Fence(self.one_of(&[Among::Group, Among::Device]))),
                _ => self.leave(b, scope),
            },
            22 if self.depth < 5 => self.scope(b, scope),
            _ => {
                let value = self.load(b, scope);
                scope.values.push(value);
            }
        }
        false
    }

    /// Some items end here, with or without a failure.
    fn leave(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let mut leaving = self.of_type(b, scope, Type::Bool);
        // Not so often that little is left.
        for _ in 0..2 {
            let also = self.of_type(b, scope, Type::Bool);
            leaving = b.binary(BinOp::And, leaving, also);
        }
        let last = self.value(b, scope);
        let mut inner = b.inner();
        self.store(&mut inner, last);
        if self.pick(2) == 0 {
            let zero = inner.u32(0);
            inner.effect(Op::Fault {
                kind: FaultKind::Unwrap,
                operands: [zero, zero],
            });
        }
        inner.effect(Op::Return);
        let inner = inner.finish();
        b.when(leaving, inner);
    }

    /// A block that can be left early.
    fn scope(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let label = Label(self.labels);
        self.labels += 1;
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

    /// A check that fails for some.
    fn fault(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let index = self.of_type(b, scope, Type::U32);
        let len = b.u32(1 << 20);
        let inside = b.compare(CmpOp::Lt, index, len);
        let mut failing = b.inner();
        failing.effect(Op::Fault {
            kind: FaultKind::Index,
            operands: [index, len],
        });
        let els = arm(failing.finish());
        b.if_else(inside, Arm::default(), els);
    }

    pub(crate) fn branch(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let cond = self.of_type(b, scope, Type::Bool);
        self.depth += 1;
        if self.pick(3) == 0 {
            let ty = self.one_of(&SCALARS);
            let [then, els] = [0, 1].map(|_| {
                let mut inner = b.inner();
                if self.pick(2) == 1 {
                    let stored = self.operation(&mut inner, scope);
                    self.store(&mut inner, stored);
                }
                let yields = vec![self.of_type(&mut inner, scope, ty)];
                Arm {
                    block: inner.finish(),
                    yields,
                }
            });
            let results = b.if_else(cond, then, els);
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

    /// A loop with a counter that ends it, after a number of turns that may differ from lane to lane.
    fn turns(&mut self, b: &mut Builder<'_>, scope: &Scope) {
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
        let label = Label(self.labels);
        self.labels += 1;
        self.depth += 1;

        let mut body = b.inner();
        let turn = body.value(Op::VarGet(counter), Type::U32);
        let done = body.compare(CmpOp::Ge, turn, limit);
        let mut leave = body.inner();
        leave.effect(Op::Break(label));
        let leave = leave.finish();
        body.when(done, leave);
        let mut inner = scope.clone();
        inner.values.push(turn);
        self.loops.push(label);
        self.statements(&mut body, inner);
        self.loops.pop();
        let body = body.finish();

        let mut step = b.inner();
        let turn = step.value(Op::VarGet(counter), Type::U32);
        let one = step.u32(1);
        let next = step.binary(BinOp::Add, turn, one);
        step.effect(Op::VarSet(counter, next));
        let step = step.finish();
        b.effect(Op::Loop { label, body, step });
        self.depth -= 1;
    }

    fn jump(&mut self, b: &mut Builder<'_>, scope: &Scope) -> bool {
        let value = self.value(b, scope);
        self.store(b, value);
        let (loops, scopes) = (self.loops.clone(), self.scopes.clone());
        let jump = match self.pick(7) {
            1 | 2 if !loops.is_empty() => Op::Break(self.one_of(&loops)),
            3 | 4 if !loops.is_empty() => Op::Continue(self.one_of(&loops)),
            1.. if !scopes.is_empty() => Op::Break(self.one_of(&scopes)),
            _ => Op::Return,
        };
        b.effect(jump);
        true
    }

    fn load(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let ty = self.one_of(&SCALARS);
        let start = self.pick(64) as u32;
        self.load_at(b, scope, ty, start)
    }

    /// Reads the input at a place that depends on some value, or the item's own output.
    fn load_at(&mut self, b: &mut Builder<'_>, scope: &Scope, ty: Type, start: u32) -> Value {
        let memory_type = if ty == Type::Bool { Type::U8 } else { ty };
        let value = if self.pick(4) == 0 {
            let offset = (start % slots(memory_type) * 4) as i32;
            b.load(memory_type, self.own, offset, Alias::Exclusive(1))
        } else {
            let index = self.one_of(&scope.values);
            let index = self.convert(b, index, Type::U32);
            let limit = b.u32(63);
            let index = b.binary(BinOp::And, index, limit);
            let ptr = b.ptr_add(self.input, index, memory_type.bytes());
            let offset = (start * 4 % (INPUT_WORDS * 2)) as i32;
            b.load(memory_type, ptr, offset, Alias::Shared(0))
        };
        self.convert(b, value, ty)
    }

    pub(crate) fn store(&mut self, b: &mut Builder<'_>, value: Value) {
        let ty = b.function.ty(value);
        let slot = self.pick(slots(ty) as usize) as i32 * 4;
        b.store(self.own, slot, value, Alias::Exclusive(1));
    }

    fn value(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        match self.pick(4) {
            0 if !scope.vars.is_empty() => {
                let var = self.one_of(&scope.vars);
                let ty = b.function.vars[var.0 as usize];
                b.value(Op::VarGet(var), ty)
            }
            1 => {
                let ty = self.one_of(&SCALARS);
                self.constant(b, ty)
            }
            _ => self.one_of(&scope.values),
        }
    }

    fn constant(&mut self, b: &mut Builder<'_>, ty: Type) -> Value {
        let word = self.one_of(&CONSTANTS);
        if ty.is_wide() {
            let high = self.one_of(&CONSTANTS);
            return b.wide_constant(u64::from(high) << 32 | u64::from(word), ty);
        }
        b.constant(eval::canonical(word, ty), ty)
    }

    pub(crate) fn of_type(&mut self, b: &mut Builder<'_>, scope: &Scope, ty: Type) -> Value {
        if self.pick(6) == 0 {
            return self.constant(b, ty);
        }
        let value = self.value(b, scope);
        self.convert(b, value, ty)
    }

    pub(crate) fn convert(&mut self, b: &mut Builder<'_>, value: Value, ty: Type) -> Value {
        let from = b.function.ty(value);
        match (from, ty) {
            _ if from == ty => value,
            (_, Type::Bool) => {
                let zero = b.constant(0, from);
                b.compare(CmpOp::Gt, value, zero)
            }
            (Type::Bool, Type::F32) => {
                let word = b.cast(value, Type::U32);
                b.cast(word, Type::F32)
            }
            _ => b.cast(value, ty),
        }
    }

    fn operation(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let ty = self.one_of(&SCALARS);
        let x = self.of_type(b, scope, ty);
        let y = self.of_type(b, scope, ty);
        match (self.pick(8), ty) {
            (0, _) => {
                let op = self.one_of(&COMPARISONS);
                b.compare(op, x, y)
            }
            (1, _) => {
                let cond = self.of_type(b, scope, Type::Bool);
                b.select(cond, x, y)
            }
            (2, _) => {
                let to = self.one_of(&SCALARS);
                self.convert(b, x, to)
            }
            (3, Type::F32) => {
                let op = self.one_of(&[UnOp::Neg, UnOp::Abs, UnOp::Sqrt]);
                b.unary(op, x)
            }
            (3, Type::Bool) => b.unary(UnOp::Not, x),
            (3, _) => {
                let op = self.one_of(&[UnOp::Neg, UnOp::Not]);
                b.unary(op, x)
            }
            (4, Type::F32) => {
                let z = self.of_type(b, scope, ty);
                b.value(Op::MulAdd(x, y, z), ty)
            }
            (_, Type::F32) => {
                let op = self.one_of(&FLOAT_OPS);
                b.binary(op, x, y)
            }
            (_, Type::Bool) => {
                let op = self.one_of(&[BinOp::And, BinOp::Or, BinOp::Xor]);
                b.binary(op, x, y)
            }
            _ => {
                let op = match self.one_of(&INT_OPS) {
                    BinOp::MulHigh if ty.bits() < 32 => BinOp::Mul,
                    op => op,
                };
                b.binary(op, x, y)
            }
        }
    }
}

/// Where a value of type `ty` may begin among the words of an item.
fn slots(ty: Type) -> u32 {
    SLOTS - u32::from(ty.is_wide())
}

pub(crate) fn new_var(b: &mut Builder<'_>, ty: Type) -> Var {
    b.function.vars.push(ty);
    Var(b.function.vars.len() as u32 - 1)
}

fn arm(block: Block) -> Arm {
    Arm {
        block,
        yields: Vec::new(),
    }
}
