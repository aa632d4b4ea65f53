//! What generated kernels do together: atomic operations, warp operations, barriers and local memory.

use super::generate::{Generator, SCALARS, SLOTS, Scope, break_if, new_var, step_by_one};
use vortex_kernel::ir::{
    Alias, AtomicOp, BinOp, Builder, CmpOp, Id, Loc, LocalId, MemoryObject, Op, Order,
    Scope as Among, Space, Type, Value, WarpOp,
};

/// Items that a group has at most.
pub(crate) const LARGEST_GROUP: u32 = 64;

/// Counters after the items' own words, and what they start as: each is changed by one operation only.
pub(crate) const COUNTERS: [(AtomicOp, u32); 7] = [
    (AtomicOp::Add, 0),
    (AtomicOp::And, u32::MAX),
    (AtomicOp::Or, 0),
    (AtomicOp::Xor, 0),
    (AtomicOp::Min, u32::MAX),
    (AtomicOp::Max, 0),
    (AtomicOp::FloatAdd, 0),
];

/// After the counters, the address of the input.
pub(crate) const POINTER_SLOT: u32 = COUNTERS.len() as u32;

/// Counters in local memory, which are added to.
const LOCAL_COUNTERS: u32 = 4;

/// How many elements the launch gives objects in local memory that have no size of their own.
pub(crate) const SIZED: u32 = LARGEST_GROUP + 3;

/// Types of values that are combined from lane to lane.
const COMBINED: [Type; 10] = *SCALARS.first_chunk().unwrap();

const ORDERS: [Order; 5] = [
    Order::Relaxed,
    Order::Acquire,
    Order::Release,
    Order::AcqRel,
    Order::SeqCst,
];

fn counters() -> LocalId {
    LocalId::from_u32(3)
}

/// An object in local memory with an element of each item, which others read between barriers.
#[derive(Clone, Copy)]
pub(crate) struct Shared {
    start: Value,
    /// The element of the item.
    pub(crate) own: Value,
    pub(crate) alias: Alias,
    ty: Type,
}

/// What the items of a group share: elements of each item, and counters.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    shared: [Shared; 3],
    counts: Value,
    items: Value,
}

fn declare(b: &mut Builder<'_>, name: &str, ty: Type, fixed: u32, count: Option<Value>) -> Value {
    let object = MemoryObject {
        size: fixed * ty.bytes(),
        count,
        align: ty.align(),
        agreed: false,
        name: name.to_owned(),
        loc: Loc::NONE,
    };
    let locals = &mut b.function.locals;
    let id = locals.push(object);
    b.value(Op::LocalAddr(id), Type::Ptr(Space::Local))
}

impl Group {
    /// Declares the memory and fills it. Of some objects, the launch says how many elements they have.
    pub(crate) fn new(b: &mut Builder<'_>, count: Value) -> Self {
        let (item, items) = (b.id(Id::LocalLinear), b.id(Id::LocalCount));
        let objects = [
            ("words", Type::U32, LARGEST_GROUP, None),
            ("sized", Type::F32, 1, Some(count)),
            ("small", Type::U16, 1, Some(count)),
        ];
        let mut number = 0;
        let shared = objects.map(|(name, ty, fixed, count)| {
            let start = declare(b, name, ty, fixed, count);
            let own = b.ptr_add(start, item, ty.bytes());
            let alias = Alias::Local(LocalId::from_u32(number));
            number += 1;
            let first = b.cast(item, ty);
            b.store(own, 0, first, alias);
            Shared {
                start,
                own,
                alias,
                ty,
            }
        });
        let counts = declare(b, "counts", Type::U32, LOCAL_COUNTERS, None);
        let zero = b.u32(0);
        let first = b.compare(CmpOp::Eq, item, zero);
        let mut clear = b.inner();
        for n in 0..LOCAL_COUNTERS as i32 {
            clear.store(counts, n * 4, zero, Alias::Local(counters()));
        }
        let clear = clear.finish();
        b.when(first, clear);
        b.effect(Op::Barrier);
        Self {
            shared,
            counts,
            items,
        }
    }

    /// Words of the items.
    pub(crate) const fn words(&self) -> Shared {
        self.shared[0]
    }
}

impl Generator<'_> {
    /// A warp operation.
    pub(crate) fn ask(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let vote = [WarpOp::All, WarpOp::Any, WarpOp::Uniform, WarpOp::Ballot];
        let (op, operands, ty) = match self.pick(10) {
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
                let ty = self.one_of(&SCALARS);
                let value = self.of_type(b, scope, ty);
                let lane = self.lane(b, scope);
                (WarpOp::Shuffle, vec![value, lane], ty)
            }
            5 => {
                let ty = self.one_of(&SCALARS);
                (WarpOp::Broadcast, vec![self.of_type(b, scope, ty)], ty)
            }
            _ => return self.combined(b, scope),
        };
        b.value(Op::Warp { op, operands }, ty)
    }

    fn lane(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let lane = self.of_type(b, scope, Type::U32);
        if self.pick(3) == 0 {
            return lane;
        }
        let any = b.u32(7);
        b.binary(BinOp::And, lane, any)
    }

    /// One to three words combined over lanes: one of the results.
    fn combined(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let arithmetic = [BinOp::Add, BinOp::Min, BinOp::Max];
        let bits = [BinOp::And, BinOp::Or, BinOp::Xor];
        let by = self.one_of(&[arithmetic, bits].concat());
        let types: Vec<Type> = COMBINED
            .into_iter()
            .filter(|ty| match ty {
                Type::F32 => arithmetic.contains(&by),
                Type::Bool => bits.contains(&by),
                _ => true,
            })
            .collect();
        let words = self.pick(3) + 1;
        let types: Vec<Type> = (0..words).map(|_| self.one_of(&types)).collect();
        let operands = types.iter().map(|ty| self.of_type(b, scope, *ty)).collect();
        let op = self.one_of(&[WarpOp::Reduce(by), WarpOp::Scan(by), WarpOp::ScanBefore(by)]);
        let results = b.multi(Op::Warp { op, operands }, &types);
        results[self.pick(words)]
    }

    /// Adds to a counter that all items add to, or the like.
    pub(crate) fn count(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        if let (Some(group), 0) = (self.group, self.pick(3)) {
            let n = self.pick(LOCAL_COUNTERS as usize) as i32;
            let term = self.of_type(b, scope, Type::U32);
            let at = (group.counts, n * 4, Alias::Local(counters()));
            self.atomic(b, AtomicOp::Add, at, vec![term], Type::U32);
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
        let at = (self.counters, n as i32 * 4, Alias::Exclusive(1));
        let ty = b.function.ty(operand);
        self.atomic(b, op, at, vec![operand], ty);
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
        let slot = self.pick(SLOTS as usize) as i32 * 4;
        let at = match (self.pick(4), self.group) {
            (0, Some(group)) => (group.words().own, 0, group.words().alias),
            (1, _) => (self.own, slot, Alias::Any),
            _ => (self.own, slot, Alias::Exclusive(1)),
        };
        let mut operands = Vec::new();
        for _ in 0..op.operands() {
            operands.push(self.of_type(b, scope, ty));
        }
        if op == AtomicOp::CompareExchange && self.pick(2) == 0 {
            // What is there, so that it is exchanged.
            operands[0] = b.load(ty, at.0, at.1, at.2);
        }
        self.atomic(b, op, at, operands, ty)
    }

    /// The operation on a word of type `ty`, in any order and scope.
    pub(crate) fn atomic(
        &mut self,
        b: &mut Builder<'_>,
        op: AtomicOp,
        (ptr, offset, alias): (Value, i32, Alias),
        operands: Vec<Value>,
        ty: Type,
    ) -> Option<Value> {
        let operation = Op::Atomic {
            op,
            ptr,
            offset,
            operands,
            alias,
            order: self.one_of(&ORDERS),
            scope: self.one_of(&[Among::Group, Among::Device]),
        };
        if op == AtomicOp::Store {
            b.effect(operation);
            return None;
        }
        Some(b.value(operation, ty))
    }

    /// Where all items of a group come or none, mostly all: tells the group something and hears what others have told
    /// it.
    pub(crate) fn gather(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        if self.pick(3) != 0 {
            return self.meet(b, scope);
        }
        let id = self.one_of(&[Id::GroupLinear, Id::Group(0), Id::Groups(1), Id::LocalCount]);
        let (number, limit) = (b.id(id), b.u32(self.pick(3) as u32));
        let comes = b.compare(CmpOp::Gt, number, limit);
        let label = self.label();
        self.depth += 1;
        let mut inner = b.inner();
        let in_scope = self.pick(2) == 0;
        if in_scope {
            break_if(&mut inner, comes, label);
        }
        let mut heard = scope.clone();
        self.meet(&mut inner, &mut heard);
        for value in heard.values.split_off(scope.values.len()) {
            self.store(&mut inner, value);
        }
        let body = inner.finish();
        self.depth -= 1;
        match in_scope {
            true => b.effect(Op::Scope { label, body }),
            false => b.when(comes, body),
        }
    }

    /// A barrier, or both halves of one with what an item does for itself in between, which may be to end.
    fn all_come(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        if self.pick(2) == 0 {
            b.effect(Op::Barrier);
            return;
        }
        let token = b.value(Op::BarrierArrive, Type::U32);
        let value = self.of_type(b, scope, Type::U32);
        let one = b.u32(1);
        let value = b.binary(BinOp::Add, value, one);
        self.store(b, value);
        if self.pick(6) == 0 {
            let ends = self.of_type(b, scope, Type::Bool);
            let mut end = b.inner();
            end.effect(Op::Return);
            let end = end.finish();
            b.when(ends, end);
        }
        b.effect(Op::BarrierWait(token));
    }

    /// Tells the group something and hears what others have told it; or does so in a loop.
    pub(crate) fn meet(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let Some(group) = self.group else {
            return;
        };
        if self.depth > 0 || self.pick(3) != 0 {
            let shared = self.one_of(&group.shared);
            let value = self.of_type(b, scope, shared.ty);
            b.store(shared.own, 0, value, shared.alias);
            self.all_come(b, scope);
            let other = self.of_type(b, scope, Type::U32);
            let mut other = b.binary(BinOp::Rem, other, group.items);
            if self.pick(3) == 0 {
                other = b.cast(other, Type::I32);
            }
            let other = b.ptr_add(shared.start, other, shared.ty.bytes());
            scope.values.push(b.load(shared.ty, other, 0, shared.alias));
            let n = self.pick(LOCAL_COUNTERS as usize) as i32;
            let count = b.load(Type::U32, group.counts, n * 4, Alias::Local(counters()));
            scope.values.push(count);
            self.all_come(b, scope);
            return;
        }
        let counter = new_var(b, Type::U32);
        let zero = b.u32(0);
        b.effect(Op::VarSet(counter, zero));
        let label = self.label();
        self.depth += 1;
        let mut body = b.inner();
        let iteration = body.value(Op::VarGet(counter), Type::U32);
        let iterations = body.u32(1 + self.pick(3) as u32);
        let done = body.compare(CmpOp::Ge, iteration, iterations);
        break_if(&mut body, done, label);
        let mut inner = scope.clone();
        inner.values.push(iteration);
        // Not one of the loops that what is inside can leave.
        self.branch(&mut body, &mut inner);
        self.meet(&mut body, &mut inner);
        let last = inner.values.last().copied();
        if let Some(last) = last {
            self.store(&mut body, last);
        }
        let body = body.finish();
        let mut step = b.inner();
        step_by_one(&mut step, counter);
        let step = step.finish();
        b.effect(Op::Loop { label, body, step });
        self.depth -= 1;
    }
}
