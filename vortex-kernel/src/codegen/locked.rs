//! Atomic operations without an instruction: compare-exchange, and addition of floats.
//!
//! RISC-V would build them from `lr` and `sc`, but on Vortex a core has one reservation, which any store of the core
//! ends, so at most one of a warp's lanes succeeds, and in local memory none ever does. So they are built from `amo`
//! instructions, which always work, and a lock:
//!
//! ```text
//! loop {
//!     if exchange(lock, 1) == 0 {
//!         old := word; word := f(old)
//!         exchange(lock, 0)                   after a fence
//!         leave
//!     }
//! }
//! ```
//!
//! The lane that has got the lock releases it in the same iteration, before the others of its warp try again, and does
//! not wait in between. So the holder of a lock always continues, and some lane makes progress in every iteration: it
//! cannot hang.
//!
//! The lock of a word is one of [`LOCKS`], by its address. Other changes of words that may be locked take the lock too;
//! a plain read sees the word before or after.

use crate::abi::{EXCHANGE_WORD, FAULT_AREA_HEADER, FaultRecord, LOCKS, header};
use crate::ir::expand::{Expand, Expanded, expand_body};
use crate::ir::{
    Alias, Arm, AtomicOp, BinOp, Block, Builder, CmpOp, Csr, Function, Op, Order, Scope, Space,
    Type, Value, While,
};

/// Brings the atomic operations of a function that the entry has wrapped into the form that is lowered.
pub(super) fn expand(function: &mut Function) {
    let mut locked = Vec::new();
    function.body.visit(&mut |inst| {
        if let Op::Atomic {
            op: AtomicOp::CompareExchange | AtomicOp::FloatAdd,
            alias,
            ..
        } = inst.op
        {
            locked.push(alias);
        }
    });
    if locked.is_empty() {
        return;
    }
    expand_body(function, &mut Locks { locked });
}

struct Locks {
    /// What is reached by operations that need a lock.
    locked: Vec<Alias>,
}

/// An atomic operation.
struct Atomic<'a> {
    op: AtomicOp,
    ptr: Value,
    offset: i32,
    operands: &'a [Value],
    alias: Alias,
}

impl Expand for Locks {
    fn expand(&mut self, b: &mut Builder<'_>, op: &mut Op, results: &[Value]) -> Expanded {
        let Op::Atomic {
            op,
            ptr,
            offset,
            operands,
            alias,
            order,
            scope,
        } = op
        else {
            return Expanded::Kept;
        };
        let overlaps = |locked: &Alias| may_overlap(*locked, *alias);
        if *op == AtomicOp::Load || !self.locked.iter().any(overlaps) {
            return Expanded::Kept;
        }
        let atomic = Atomic {
            op: *op,
            ptr: *ptr,
            offset: *offset,
            operands,
            alias: *alias,
        };
        let subject = results.first().or(operands.first());
        let ty = subject.map_or(Type::U32, |v| b.function.ty(*v));
        if order.releases() {
            b.effect(Op::Fence(*scope));
        }
        let old = atomic.under_lock(b, ty);
        if order.acquires() {
            b.effect(Op::Fence(*scope));
        }
        Expanded::Is(old)
    }
}

/// Whether two accesses can reach the same word.
fn may_overlap(a: Alias, b: Alias) -> bool {
    match (a, b) {
        (Alias::Any, Alias::Exclusive(_)) | (Alias::Exclusive(_), Alias::Any) => true,
        (Alias::Unknown, other) | (other, Alias::Unknown) => !matches!(
            other,
            Alias::Launch | Alias::Shared(_) | Alias::Data(_) | Alias::Exchange
        ),
        (a, b) => a == b,
    }
}

impl Atomic<'_> {
    /// The operation, and the word from before, of type `ty`.
    fn under_lock(&self, b: &mut Builder<'_>, ty: Type) -> Value {
        let lock = self.lock(b);
        let mut iteration = b.inner();
        let one = iteration.u32(1);
        let taken = relaxed(&mut iteration, AtomicOp::Exchange, (lock, LOCKS_AT), one);
        let zero = iteration.u32(0);
        let free = iteration.compare(CmpOp::Eq, taken, zero);

        let mut inside = iteration.inner();
        let old = inside.value(self.part(AtomicOp::Load, Vec::new()), ty);
        self.change(&mut inside, old, ty);
        inside.effect(Op::Atomic {
            op: AtomicOp::Store,
            ptr: lock,
            offset: LOCKS_AT,
            operands: vec![zero],
            alias: Alias::Any,
            order: Order::Release,
            scope: Scope::Device,
        });
        let then = Arm::new(inside.finish(), vec![old]);
        let mut outside = iteration.inner();
        let nothing = outside.constant(0, ty);
        let els = Arm::new(outside.finish(), vec![nothing]);
        let old = iteration.if_else(free, then, els);
        let again = iteration.compare(CmpOp::Ne, taken, zero);
        let iteration = iteration.finish();
        let results = b.while_loop(While {
            params: Vec::new(),
            init: Vec::new(),
            before: iteration,
            cond: again,
            exits: old,
            after: Block::default(),
            next: Vec::new(),
            optional: false,
        });
        results[0]
    }

    /// A step on the word, for the one who has its lock.
    fn part(&self, op: AtomicOp, operands: Vec<Value>) -> Op {
        Op::Atomic {
            op,
            ptr: self.ptr,
            offset: self.offset,
            operands,
            alias: self.alias,
            order: Order::Relaxed,
            scope: Scope::Device,
        }
    }

    fn change(&self, b: &mut Builder<'_>, old: Value, ty: Type) {
        match (self.op, self.operands) {
            (AtomicOp::CompareExchange, &[expected, new]) => {
                let equal = b.compare(CmpOp::Eq, old, expected);
                let mut exchange = b.inner();
                exchange.effect(self.part(AtomicOp::Store, vec![new]));
                let exchange = exchange.finish();
                b.when(equal, exchange);
            }
            (AtomicOp::FloatAdd, &[term]) => {
                let sum = b.binary(BinOp::Add, old, term);
                b.effect(self.part(AtomicOp::Store, vec![sum]));
            }
            (AtomicOp::Store, operands) => b.effect(self.part(AtomicOp::Store, operands.to_vec())),
            (op, operands) => {
                b.value(self.part(op, operands.to_vec()), ty);
            }
        }
    }

    /// Where the word's lock is, except for [`LOCKS_AT`].
    fn lock(&self, b: &mut Builder<'_>) -> Value {
        let block = b.csr(Csr::LaunchBlock);
        let faults_at = (b.function.args_size + header::FAULTS) as i32;
        let faults = b.load(Type::Ptr(Space::Global), block, faults_at, Alias::Launch);
        let [cores, warps, lanes] =
            [Csr::NumCores, Csr::NumWarps, Csr::NumLanes].map(|csr| b.csr(csr));
        let on_core = b.binary(BinOp::Mul, warps, lanes);
        let harts = b.binary(BinOp::Mul, cores, on_core);
        let locks = b.ptr_add(
            faults,
            harts,
            size_of::<FaultRecord>() as u32 + EXCHANGE_WORD,
        );
        let mut address = b.bitcast(self.ptr, Type::U32);
        if self.offset != 0 {
            let offset = b.u32(self.offset.cast_unsigned());
            address = b.binary(BinOp::Add, address, offset);
        }
        let mask = b.u32((LOCKS - 1) * 4);
        let number = b.binary(BinOp::And, address, mask);
        b.ptr_add(locks, number, 1)
    }
}

/// Offset of the first lock from where the exchange ends, which is counted from the first record.
const LOCKS_AT: i32 = FAULT_AREA_HEADER as i32;

fn relaxed(
    b: &mut Builder<'_>,
    op: AtomicOp,
    (ptr, offset): (Value, i32),
    operand: Value,
) -> Value {
    let ty = b.function.ty(operand);
    let op = Op::Atomic {
        op,
        ptr,
        offset,
        operands: vec![operand],
        alias: Alias::Any,
        order: Order::Relaxed,
        scope: Scope::Device,
    };
    b.value(op, ty)
}
