//! What generated kernels do together: atomic operations, warp operations, barriers and local memory.

use crate::generate::{Generator, SLOTS, Scope, new_var};
use vortex_kernel::ir::{
    Alias, AtomicOp, BinOp, Builder, CmpOp, Id, Label, Loc, LocalId, MemoryObject, Op, Order,
    Scope as Among, Space, Type, Value, WarpOp,
};

/// Items that a group has at most.
pub(crate) const LARGEST_GROUP: u32 = 64;

/// Counters behind the items' own words, and what they start as: each is changed by one operation only.
pub(crate) const COUNTERS: [(AtomicOp, u32); 7] = [
    (AtomicOp::Add, 0),
    (AtomicOp::And, u32::MAX),
    (AtomicOp::Or, 0),
    (AtomicOp::Xor, 0),
    (AtomicOp::Min, u32::MAX),
    (AtomicOp::Max, 0),
    (AtomicOp::FloatAdd, 0),
];

/// Counters in local memory, which are added to.
const LOCAL_COUNTERS: u32 = 4;

/// Types of values that go from lane to lane.
const PASSED: [Type; 8] = [
    Type::U32,
    Type::I32,
    Type::F32,
    Type::Bool,
    Type::U8,
    Type::I8,
    Type::U16,
    Type::I16,
];

const WORDS: LocalId = LocalId(0);
const COUNTS: LocalId = LocalId(1);

/// What the items of a group share: a word of each, and counters.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    words: Value,
    counts: Value,
    own: Value,
    items: Value,
}

impl Group {
    /// Declares the memory and fills it.
    pub(crate) fn new(b: &mut Builder<'_>) -> Self {
        for (name, words) in [("words", LARGEST_GROUP), ("counts", LOCAL_COUNTERS)] {
            b.function.locals.push(MemoryObject {
                size: words * 4,
                count: None,
                align: 4,
                name: name.to_owned(),
                loc: Loc::NONE,
            });
        }
        let [words, counts] =
            [WORDS, COUNTS].map(|id| b.value(Op::LocalAddr(id), Type::Ptr(Space::Local)));
        let (item, items) = (b.id(Id::LocalLinear), b.id(Id::LocalCount));
        let own = b.ptr_add(words, item, 4);
        b.store(own, 0, item, Alias::Local(WORDS));
        let zero = b.u32(0);
        let first = b.compare(CmpOp::Eq, item, zero);
        let mut clear = b.inner();
        for n in 0..LOCAL_COUNTERS as i32 {
            clear.store(counts, n * 4, zero, Alias::Local(COUNTS));
        }
        let clear = clear.finish();
        b.when(first, clear);
        b.effect(Op::Barrier);
        Self {
            words,
            counts,
            own,
            items,
        }
    }
}

impl Generator<'_> {
    /// A warp operation.
    pub(crate) fn ask(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let vote = [WarpOp::All, WarpOp::Any, WarpOp::Uniform, WarpOp::Ballot];
        let (op, operands, ty) = match self.pick(8) {
            0 => (WarpOp::Active, Vec::new(), Type::U32),
            1 | 2 => {
                let op = self.one_of(&vote);
                let ty = match op {
                    WarpOp::Ballot => Type::U32,
                    _ => Type::Bool,
                };
                (op, vec![self.of_type(b, scope, Type::Bool)], ty)
            }
            3 | 4 => {
                let ty = self.one_of(&PASSED);
                let value = self.of_type(b, scope, ty);
                let mut lane = self.of_type(b, scope, Type::U32);
                if self.pick(3) != 0 {
                    let any = b.u32(7);
                    lane = b.binary(BinOp::And, lane, any);
                }
                (WarpOp::Shuffle, vec![value, lane], ty)
            }
            5 => {
                let ty = self.one_of(&PASSED);
                (WarpOp::Broadcast, vec![self.of_type(b, scope, ty)], ty)
            }
            _ => {
                let ty = self.one_of(&PASSED);
                let arithmetic = [BinOp::Add, BinOp::Min, BinOp::Max];
                let bits = [BinOp::And, BinOp::Or, BinOp::Xor];
                let by = match ty {
                    Type::F32 => self.one_of(&arithmetic),
                    Type::Bool => self.one_of(&bits),
                    _ => self.one_of(&[arithmetic, bits].concat()),
                };
                let op =
                    self.one_of(&[WarpOp::Reduce(by), WarpOp::Scan(by), WarpOp::ScanBefore(by)]);
                (op, vec![self.of_type(b, scope, ty)], ty)
            }
        };
        b.value(Op::Warp { op, operands }, ty)
    }

    /// Adds to a counter that all items add to, or the like.
    pub(crate) fn count(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        if let (Some(group), 0) = (self.group, self.pick(3)) {
            let n = self.pick(LOCAL_COUNTERS as usize) as i32;
            let term = self.of_type(b, scope, Type::U32);
            let op = AtomicOp::Add;
            atomic(
                b,
                op,
                (group.counts, n * 4),
                vec![term],
                Alias::Local(COUNTS),
            );
            return;
        }
        let n = self.pick(COUNTERS.len());
        let (op, _) = COUNTERS[n];
        let mut operand = self.of_type(b, scope, Type::U32);
        if op == AtomicOp::FloatAdd {
            // So small that sums are exact.
            let limit = b.u32(15);
            let word = b.binary(BinOp::And, operand, limit);
            operand = b.cast(word, Type::F32);
        }
        let at = (self.counters, n as i32 * 4);
        atomic(b, op, at, vec![operand], Alias::Exclusive(1));
    }

    /// An atomic operation on a word of the item's own, so that its result is known.
    pub(crate) fn exchange(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Option<Value> {
        const OPS: [AtomicOp; 12] = [
            AtomicOp::Load,
            AtomicOp::Store,
            AtomicOp::Add,
            AtomicOp::Sub,
            AtomicOp::And,
            AtomicOp::Or,
            AtomicOp::Xor,
            AtomicOp::Min,
            AtomicOp::Max,
            AtomicOp::Exchange,
            AtomicOp::CompareExchange,
            AtomicOp::FloatAdd,
        ];
        let op = self.one_of(&OPS);
        let types = [Type::U32, Type::I32, Type::F32];
        let types: Vec<_> = types.into_iter().filter(|ty| op.takes(*ty)).collect();
        let ty = self.one_of(&types);
        let slot = self.pick(SLOTS as usize) as i32;
        let mut operands = Vec::new();
        for _ in 0..op.operands() {
            operands.push(self.of_type(b, scope, ty));
        }
        if op == AtomicOp::CompareExchange && self.pick(2) == 0 {
            // What is there, so that it is exchanged.
            operands[0] = b.load(ty, self.own, slot * 4, Alias::Exclusive(1));
        }
        if op == AtomicOp::Load {
            let load = operation(op, (self.own, slot * 4), operands, Alias::Exclusive(1));
            return Some(b.value(load, ty));
        }
        atomic(b, op, (self.own, slot * 4), operands, Alias::Exclusive(1))
    }

    /// Tells the group something and hears what others have told it; or does so in a loop.
    pub(crate) fn meet(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let Some(group) = self.group else {
            return;
        };
        if self.depth > 0 || self.pick(3) != 0 {
            let value = self.of_type(b, scope, Type::U32);
            b.store(group.own, 0, value, Alias::Local(WORDS));
            b.effect(Op::Barrier);
            let other = self.of_type(b, scope, Type::U32);
            let other = b.binary(BinOp::Rem, other, group.items);
            let other = b.ptr_add(group.words, other, 4);
            scope
                .values
                .push(b.load(Type::U32, other, 0, Alias::Local(WORDS)));
            let n = self.pick(LOCAL_COUNTERS as usize) as i32;
            let count = b.load(Type::U32, group.counts, n * 4, Alias::Local(COUNTS));
            scope.values.push(count);
            b.effect(Op::Barrier);
            return;
        }
        let counter = new_var(b, Type::U32);
        let zero = b.u32(0);
        b.effect(Op::VarSet(counter, zero));
        let label = Label(self.labels);
        self.labels += 1;
        self.depth += 1;
        let mut body = b.inner();
        let turn = body.value(Op::VarGet(counter), Type::U32);
        let turns = body.u32(1 + self.pick(3) as u32);
        let done = body.compare(CmpOp::Ge, turn, turns);
        let mut leave = body.inner();
        leave.effect(Op::Break(label));
        let leave = leave.finish();
        body.when(done, leave);
        let mut inner = scope.clone();
        inner.values.push(turn);
        // Not one of the loops that what is inside can leave.
        self.branch(&mut body, &mut inner);
        self.meet(&mut body, &mut inner);
        let last = inner.values.last().copied();
        if let Some(last) = last {
            self.store(&mut body, last);
        }
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
}

fn operation(op: AtomicOp, (ptr, offset): (Value, i32), operands: Vec<Value>, alias: Alias) -> Op {
    Op::Atomic {
        op,
        ptr,
        offset,
        operands,
        alias,
        order: Order::Relaxed,
        scope: Among::Device,
    }
}

fn atomic(
    b: &mut Builder<'_>,
    op: AtomicOp,
    at: (Value, i32),
    operands: Vec<Value>,
    alias: Alias,
) -> Option<Value> {
    let ty = b.function.ty(operands[0]);
    let operation = operation(op, at, operands, alias);
    if op == AtomicOp::Store {
        b.effect(operation);
        return None;
    }
    Some(b.value(operation, ty))
}
