//! Random well-formed staged functions, grown from a string of bytes: shorter and smaller bytes give simpler functions.
#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

mod choices;
mod outcome;

pub(crate) use choices::Choices;
#[allow(unused_imports)]
pub(crate) use outcome::{Outcome, outcome};
use vortex_kernel::ir::{
    Alias, Arm, BinOp, Block, Builder, CmpOp, FaultKind, Function, Id, Label, Loc, Op, Param,
    Results, SourceLoc, Space, Type, UnOp, Value, Var,
};

const POINTER: Type = Type::Ptr(Space::Global);
const SCALARS: [Type; 10] = [
    Type::U32,
    Type::Bool,
    Type::I32,
    Type::F32,
    Type::I8,
    Type::U8,
    Type::I16,
    Type::U16,
    Type::U64,
    Type::I64,
];
pub(crate) const X: u32 = 0x1_0000;
pub(crate) const Y: u32 = 0x2_0000;
pub(crate) const Z: u32 = 0x3_0000;
const X_LEN: u32 = 24;
const Y_LEN: u32 = 20;
/// Elements after the raw pointer, which indices are masked to.
const Z_LEN: u32 = 16;

/// What is visible at a place.
#[derive(Clone, Default)]
struct Scope {
    values: Vec<Value>,
    vars: Vec<Var>,
    /// Loops and scopes, and whether there is no `continue` to them.
    loops: Vec<(Label, bool)>,
    depth: usize,
}

struct Generator<'a> {
    choices: Choices<'a>,
    labels: u32,
    counters: Vec<Var>,
    params: [Value; 6],
}

/// The function that `bytes` describe. Its arguments are
/// `n: u32, a: i32, b: f32, x: &[f32], y: &mut [u32], z: *mut u32` (with the slices' lengths).
pub(crate) fn function(bytes: &[u8]) -> Function {
    let mut f = Function {
        name: "random".to_owned(),
        args_size: 32,
        locs: vec![SourceLoc {
            file: String::new(),
            line: 0,
            column: 0,
        }]
        .into(),
        ..Function::default()
    };
    for line in 1..4 {
        f.locs.push(SourceLoc {
            file: "r.rs".to_owned(),
            line,
            column: 1,
        });
    }
    let types = [
        Type::U32,
        Type::I32,
        Type::F32,
        POINTER,
        Type::U32,
        POINTER,
        Type::U32,
        POINTER,
    ];
    let mut values = Vec::new();
    for ((offset, arg), ty) in [0, 1, 2, 3, 3, 4, 4, 5].into_iter().enumerate().zip(types) {
        let value = f.new_value(ty);
        let (offset, name) = (4 * u32::try_from(offset).unwrap(), format!("p{offset}"));
        f.params.push(Param {
            value,
            name,
            arg,
            offset,
        });
        values.push(value);
    }
    let mut scope = Scope {
        values: values[..3].to_vec(),
        ..Scope::default()
    };
    let mut generator = Generator {
        choices: Choices(bytes),
        labels: 0,
        counters: Vec::new(),
        params: values[2..].try_into().unwrap(),
    };
    let mut b = Builder::new(&mut f, Loc::NONE);
    let item = b.id(Id::GlobalLinear);
    let x = b.id(Id::Global(0));
    scope.values.extend([item, x]);
    while !generator.choices.done() && !ends(&b) {
        generator.block(&mut b, &mut scope, 12);
    }
    // What is left in variables and values is observed.
    let last = scope.values.len().saturating_sub(4);
    for value in scope.values.split_off(last) {
        let ty = b.function.ty(value);
        if ty != POINTER {
            let word = generator.as_u32(&mut b, value);
            let at = b.binary(BinOp::And, item, word);
            generator.raw_store(&mut b, at, word);
        }
    }
    f.body = b.finish();
    f
}

impl Generator<'_> {
    fn block(&mut self, b: &mut Builder<'_>, scope: &mut Scope, statements: usize) {
        for _ in 0..=1 + self.choices.below(statements) {
            if self.choices.done() {
                return;
            }
            b.loc = Loc::from_u32(u32::from(self.choices.byte() % 4));
            if !self.statement(b, scope) {
                return;
            }
        }
    }

    fn of_type(&mut self, b: &mut Builder<'_>, scope: &Scope, ty: Type) -> Value {
        let fitting: Vec<Value> = scope
            .values
            .iter()
            .copied()
            .filter(|v| b.function.ty(*v) == ty)
            .collect();
        if fitting.is_empty() || self.choices.below(5) == 4 {
            return self.constant(b, ty);
        }
        // The latest are the most interesting.
        let back = self.choices.below(fitting.len());
        fitting[fitting.len() - 1 - back]
    }

    fn constant(&mut self, b: &mut Builder<'_>, ty: Type) -> Value {
        let small = u32::from(self.choices.byte());
        let word = match ty {
            Type::Bool => small & 1,
            Type::F32 => self
                .choices
                .pick(&[0.0f32, -0.0, 1.0, 0.5, -3.25, 1e30, f32::INFINITY, f32::NAN])
                .to_bits(),
            _ => {
                let word = match small % 8 {
                    0..=4 => small / 8,
                    5 => u32::MAX,
                    6 => 0x8000_0000,
                    _ => 0x7fff_ff80,
                };
                vortex_kernel::ir::eval::canonical(word, ty)
            }
        };
        b.constant(word, ty)
    }

    fn as_u32(&mut self, b: &mut Builder<'_>, value: Value) -> Value {
        match b.function.ty(value) {
            Type::U32 => value,
            Type::F32 => b.bitcast(value, Type::U32),
            ty if ty.is_wide() => {
                let amount = b.wide_constant(32, ty);
                let high = b.binary(BinOp::Shr, value, amount);
                let (low, high) = (b.cast(value, Type::U32), b.cast(high, Type::U32));
                b.binary(BinOp::Xor, low, high)
            }
            _ => b.cast(value, Type::U32),
        }
    }

    fn raw_place(&mut self, b: &mut Builder<'_>, index: Value) -> Value {
        let mask = b.u32(Z_LEN - 1);
        let index = b.binary(BinOp::And, index, mask);
        b.ptr_add(self.params[5], index, 4)
    }

    fn raw_store(&mut self, b: &mut Builder<'_>, index: Value, word: Value) {
        let place = self.raw_place(b, index);
        b.store(place, 0, word, Alias::Any);
    }

    /// Appends a statement; whether control may get past it.
    fn statement(&mut self, b: &mut Builder<'_>, scope: &mut Scope) -> bool {
        let ty = self.choices.pick(&SCALARS);
        match self.choices.below(21) {
            0..=4 => {
                let value = self.scalar(b, scope, ty);
                scope.values.push(value);
            }
            5 => {
                let value = self.of_type(b, scope, ty);
                let var = new_var(b, ty);
                b.effect(Op::VarSet(var, value));
                scope.vars.push(var);
            }
            6 | 7 if !scope.vars.is_empty() => {
                let var = self.choices.pick(&scope.vars);
                let ty = b.function.vars[var];
                let value = self.of_type(b, scope, ty);
                b.effect(Op::VarSet(var, value));
            }
            8 | 9 if !scope.vars.is_empty() => {
                let var = self.choices.pick(&scope.vars);
                let ty = b.function.vars[var];
                scope.values.push(b.value(Op::VarGet(var), ty));
            }
            10 => {
                let index = self.index(b, scope);
                let value = self.checked(b, self.params[1], self.params[2], index, |b, place| {
                    let value = b.load(Type::F32, place, 0, Alias::Shared(3));
                    vec![value]
                });
                scope.values.extend(value);
            }
            11 | 12 => {
                let index = self.index(b, scope);
                let word = self.of_type(b, scope, Type::U32);
                let update = self.choices.below(2) == 1;
                self.checked(b, self.params[3], self.params[4], index, |b, place| {
                    let mut word = word;
                    if update {
                        let old = b.load(Type::U32, place, 0, Alias::Exclusive(4));
                        word = b.binary(BinOp::Add, old, word);
                    }
                    b.store(place, 0, word, Alias::Exclusive(4));
                    Vec::new()
                });
            }
            13 => {
                let index = self.of_type(b, scope, Type::U32);
                let place = self.raw_place(b, index);
                scope.values.push(b.load(Type::U32, place, 0, Alias::Any));
            }
            14 => {
                let (index, word) = (
                    self.of_type(b, scope, Type::U32),
                    self.of_type(b, scope, Type::U32),
                );
                self.raw_store(b, index, word);
            }
            15 => {
                let ty = self
                    .choices
                    .pick(&[Type::U32, Type::I32, Type::I8, Type::I64]);
                let (a, c) = (self.of_type(b, scope, ty), self.of_type(b, scope, ty));
                let zero = b.constant(0, ty);
                let fails = b.compare(CmpOp::Eq, c, zero);
                let mut arm = b.inner();
                arm.effect(Op::Fault {
                    kind: FaultKind::DivideByZero,
                    operands: [a, c].into(),
                });
                arm.effect(Op::Return);
                let arm = arm.finish();
                b.when(fails, arm);
                let op = self.choices.pick(&[BinOp::Div, BinOp::Rem]);
                scope.values.push(b.binary(op, a, c));
            }
            16 if scope.depth > 0 && self.choices.below(3) == 0 => {
                return self.jump(b, scope);
            }
            17 | 18 if scope.depth < 5 => self.branch(b, scope),
            19 if scope.depth < 4 && scope.loops.len() < 3 => match self.choices.below(3) {
                0 => self.once(b, scope),
                _ => self.counted_loop(b, scope),
            },
            20 => self.cells(b, scope),
            _ => scope.values.push(self.constant(b, ty)),
        }
        true
    }

    /// Reads at sums of two rows and two columns, and stores to one of them.
    fn cells(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let ty = self.choices.pick(&[Type::U32, Type::I32]);
        let half = b.constant(Z_LEN / 2 - 1, ty);
        let [left, right, above, below] = std::array::from_fn(|_| {
            let value = self.of_type(b, scope, ty);
            b.binary(BinOp::And, value, half)
        });
        let cells = self.params[5];
        let cell = |b: &mut Builder<'_>, row, column| {
            let index = b.binary(BinOp::Add, row, column);
            b.ptr_add(cells, index, 4)
        };
        for (row, column) in [(above, left), (above, right), (below, right), (below, left)] {
            let place = cell(b, row, column);
            scope.values.push(b.load(Type::U32, place, 0, Alias::Any));
        }
        let word = self.of_type(b, scope, Type::U32);
        let place = cell(b, above, right);
        b.store(place, 0, word, Alias::Any);
    }

    /// An index that is often in bounds.
    fn index(&mut self, b: &mut Builder<'_>, scope: &mut Scope) -> Value {
        let value = self.of_type(b, scope, Type::U32);
        if self.choices.below(3) == 0 {
            let mask = b.u32(15);
            return b.binary(BinOp::And, value, mask);
        }
        value
    }

    fn checked(
        &mut self,
        b: &mut Builder<'_>,
        base: Value,
        len: Value,
        index: Value,
        access: impl FnOnce(&mut Builder<'_>, Value) -> Vec<Value>,
    ) -> Vec<Value> {
        let inside = b.compare(CmpOp::Lt, index, len);
        let mut then = b.inner();
        let place = then.ptr_add(base, index, 4);
        let yields = access(&mut then, place);
        let then = Arm::new(then.finish(), yields);
        let mut els = b.inner();
        els.effect(Op::Fault {
            kind: FaultKind::Index,
            operands: [index, len].into(),
        });
        let yields = then
            .yields
            .iter()
            .map(|v| els.function.ty(*v))
            .collect::<Vec<_>>();
        let yields = yields.into_iter().map(|ty| els.constant(0, ty)).collect();
        let els = Arm::new(els.finish(), yields);
        b.if_else(inside, then, els)
    }

    fn scalar(&mut self, b: &mut Builder<'_>, scope: &Scope, ty: Type) -> Value {
        let int = ty.is_int();
        match self.choices.below(7) {
            0 | 1 => {
                let ops: &[BinOp] = match ty {
                    Type::F32 => &BinOp::OF_FLOATS,
                    Type::Bool => &[BinOp::And, BinOp::Or, BinOp::Xor],
                    Type::I32 | Type::U32 | Type::I64 | Type::U64 => &[
                        BinOp::Add,
                        BinOp::Sub,
                        BinOp::Mul,
                        BinOp::And,
                        BinOp::Or,
                        BinOp::Xor,
                        BinOp::Shl,
                        BinOp::Shr,
                        BinOp::Min,
                        BinOp::Max,
                        BinOp::MulHigh,
                    ],
                    _ => &[
                        BinOp::Add,
                        BinOp::Sub,
                        BinOp::Mul,
                        BinOp::And,
                        BinOp::Or,
                        BinOp::Xor,
                        BinOp::Shl,
                        BinOp::Shr,
                        BinOp::Min,
                        BinOp::Max,
                    ],
                };
                let (op, a) = (self.choices.pick(ops), self.of_type(b, scope, ty));
                let c = self.of_type(b, scope, ty);
                b.binary(op, a, c)
            }
            2 => {
                let ops: &[UnOp] = match ty {
                    Type::F32 => &UnOp::OF_FLOATS,
                    Type::Bool => &[UnOp::Not],
                    _ => &[UnOp::Neg, UnOp::Not],
                };
                let (op, a) = (self.choices.pick(ops), self.of_type(b, scope, ty));
                b.unary(op, a)
            }
            3 => {
                let cond = self.of_type(b, scope, Type::Bool);
                let (x, y) = (self.of_type(b, scope, ty), self.of_type(b, scope, ty));
                b.select(cond, x, y)
            }
            4 if ty == Type::F32 => {
                let [x, y, z] = [(); 3].map(|()| self.of_type(b, scope, ty));
                b.value(Op::MulAdd(x, y, z), ty)
            }
            5 if int || ty == Type::F32 => {
                let from = self.choices.pick(&SCALARS);
                let from = if ty == Type::F32 && from == Type::Bool {
                    Type::U32
                } else {
                    from
                };
                let a = self.of_type(b, scope, from);
                b.cast(a, ty)
            }
            _ => {
                let of = self.choices.pick(&SCALARS);
                let op = self.choices.pick(&CmpOp::ALL);
                let x = self.of_type(b, scope, of);
                let y = self.of_type(b, scope, of);
                b.compare(op, x, y)
            }
        }
    }

    fn jump(&mut self, b: &mut Builder<'_>, scope: &Scope) -> bool {
        if scope.loops.is_empty() || self.choices.below(4) == 3 {
            b.effect(Op::Return);
            return false;
        }
        let (label, in_step) = self.choices.pick(&scope.loops);
        let continues = !in_step && self.choices.below(2) == 0;
        b.effect(if continues {
            Op::Continue(label)
        } else {
            Op::Break(label)
        });
        false
    }

    fn branch(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let cond = self.of_type(b, scope, Type::Bool);
        let types: Vec<Type> = (0..self.choices.below(3))
            .map(|_| self.choices.pick(&SCALARS))
            .collect();
        let [then, els] = [(); 2].map(|()| {
            let mut inner_scope = Scope {
                depth: scope.depth + 1,
                ..scope.clone()
            };
            let mut inner = b.inner();
            self.block(&mut inner, &mut inner_scope, 5);
            let jumps = inner.block.insts.last().is_some_and(|i| i.op.is_jump());
            let yields = if jumps {
                Vec::new()
            } else {
                types
                    .iter()
                    .map(|ty| self.of_type(&mut inner, &inner_scope, *ty))
                    .collect()
            };
            Arm::new(inner.finish(), yields)
        });
        scope
            .values
            .extend(b.multi(Op::branch(cond, then, els), &types));
    }

    /// A scope.
    fn once(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let label = Label::from_u32(self.labels);
        self.labels += 1;
        let mut inner_scope = Scope {
            depth: scope.depth + 1,
            ..scope.clone()
        };
        inner_scope.loops.push((label, true));
        let mut body = b.inner();
        self.block(&mut body, &mut inner_scope, 6);
        let body = body.finish();
        b.effect(Op::Scope { label, body });
    }

    /// A loop that ends after at most seven iterations, tested at its top, in its middle or in its step.
    fn counted_loop(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let label = Label::from_u32(self.labels);
        self.labels += 1;
        let counter = new_var(b, Type::U32);
        let start = b.u32(0);
        b.effect(Op::VarSet(counter, start));
        let limit = if self.choices.below(2) == 0 {
            b.u32(3)
        } else {
            let (value, mask) = (self.of_type(b, scope, Type::U32), b.u32(7));
            b.binary(BinOp::And, value, mask)
        };
        let mut inner_scope = Scope {
            depth: scope.depth + 1,
            ..scope.clone()
        };
        inner_scope.loops.push((label, false));
        let shape = self.choices.below(4);
        let leave = |b: &mut Builder<'_>, limit| {
            let count = b.value(Op::VarGet(counter), Type::U32);
            let over = b.compare(CmpOp::Ge, count, limit);
            let then = Block {
                insts: vec![vortex_kernel::ir::Inst {
                    results: Results::new(),
                    op: Op::Break(label),
                    loc: Loc::NONE,
                }],
            };
            b.when(over, then);
            count
        };
        let mut body = b.inner();
        if shape == 1 {
            self.block(&mut body, &mut inner_scope, 3);
        }
        if !ends(&body) && shape != 2 {
            let count = leave(&mut body, limit);
            inner_scope.values.push(count);
        }
        if !ends(&body) {
            self.block(&mut body, &mut inner_scope, 6);
        }
        let body = body.finish();
        let mut step = b.inner();
        if shape == 2 {
            leave(&mut step, limit);
        }
        if shape == 3 {
            let mut step_scope = Scope {
                depth: scope.depth + 1,
                ..scope.clone()
            };
            step_scope.loops = scope
                .loops
                .iter()
                .map(|l| (l.0, l.1))
                .chain([(label, true)])
                .collect();
            self.block(&mut step, &mut step_scope, 2);
        }
        if !ends(&step) {
            let count = step.value(Op::VarGet(counter), Type::U32);
            let one = step.u32(1);
            let next = step.binary(BinOp::Add, count, one);
            step.effect(Op::VarSet(counter, next));
        }
        let step = step.finish();
        b.effect(Op::Loop { label, body, step });
        if self.choices.below(2) == 0 {
            scope.values.push(b.value(Op::VarGet(counter), Type::U32));
        }
    }
}

fn ends(b: &Builder<'_>) -> bool {
    b.block.insts.last().is_some_and(|i| i.op.is_jump())
}

fn new_var(b: &mut Builder<'_>, ty: Type) -> Var {
    b.function.vars.push(ty)
}
