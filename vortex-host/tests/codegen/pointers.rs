//! Slices and pointers of generated kernels: parts of slices, one slice or another, checked accesses, addresses that
//! lie in memory.

use super::failing::elsewhere;
use super::generate::{Generator, INPUT_WORDS, OF_A_WORD, SLOTS, Scope, arm, new_var};
use super::objects;
use super::together::POINTER_SLOT;
use super::values::stored;
use vortex_kernel::ir::{
    Alias, Arm, BinOp, Builder, CmpOp, FaultKind, Op, Space, Type, UnOp, Value,
};

const POINTER: Type = Type::Ptr(Space::Global);

/// Words that an item may read, and perhaps write.
#[derive(Clone, Copy)]
pub(crate) struct Slice {
    addr: Value,
    len: Value,
    alias: Alias,
    writable: bool,
}

impl Generator<'_> {
    /// A slice to begin with.
    fn whole(&mut self, b: &mut Builder<'_>) -> Slice {
        let (addr, len, alias, writable) = match (self.pick(6), self.group) {
            (0, _) => (self.input, INPUT_WORDS, Alias::Shared(0), false),
            (1, _) => {
                let (addr, alias) = objects::array(b);
                (addr, objects::WORDS, alias, true)
            }
            (2, _) => {
                let (addr, alias) = objects::table(b);
                (addr, objects::WORDS, alias, false)
            }
            (3, Some(group)) => {
                let shared = group.words();
                (shared.own, 1, shared.alias, true)
            }
            _ => (self.own, SLOTS, Alias::Exclusive(1), true),
        };
        let len = b.u32(len);
        let addr = match b.function.ty(addr) {
            POINTER => addr,
            _ => b.bitcast(addr, POINTER),
        };
        Slice {
            addr,
            len,
            alias,
            writable,
        }
    }

    fn slice(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Slice {
        match self.pick(3) {
            0 => self.whole(b),
            _ if scope.slices.is_empty() => self.whole(b),
            _ => self.one_of(&scope.slices),
        }
    }

    /// A number that often is a place in a slice.
    fn index(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let index = self.of_type(b, scope, Type::U32);
        if self.pick(5) == 0 {
            return index;
        }
        let limit = b.u32(self.one_of(&[3, 7, 15]));
        b.binary(BinOp::And, index, limit)
    }

    /// Does something with slices.
    pub(crate) fn slices(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        match self.pick(5) {
            0 => {
                let slice = self.slice(b, scope);
                let part = self.part(b, scope, slice);
                scope.slices.push(part);
            }
            1 => {
                let either = [0, 1].map(|_| self.slice(b, scope));
                let slice = self.either(b, scope, either);
                scope.slices.push(slice);
            }
            _ => self.element(b, scope),
        }
    }

    /// Between two places, as far as it lies in the slice.
    fn part(&mut self, b: &mut Builder<'_>, scope: &Scope, slice: Slice) -> Slice {
        let [start, end] = [0, 1].map(|_| self.index(b, scope));
        let ordered = b.compare(CmpOp::Le, start, end);
        let ends = b.compare(CmpOp::Le, end, slice.len);
        let inside = b.binary(BinOp::And, ordered, ends);
        let mut then = b.inner();
        let count = then.binary(BinOp::Sub, end, start);
        let then = yielding(then, count);
        let mut els = elsewhere(b);
        let operands = [
            els.select(ends, start, end),
            els.select(ends, end, slice.len),
        ]
        .into();
        let kind = FaultKind::Index;
        els.effect(Op::Fault { kind, operands });
        let nothing = els.u32(0);
        let els = yielding(els, nothing);
        let len = b.if_else(inside, then, els)[0];
        let addr = b.ptr_add(slice.addr, start, 4);
        Slice { addr, len, ..slice }
    }

    /// One slice or the other: chosen, out of arms, or in variables.
    fn either(&mut self, b: &mut Builder<'_>, scope: &Scope, [one, other]: [Slice; 2]) -> Slice {
        let cond = self.of_type(b, scope, Type::Bool);
        let [addr, len] = match self.pick(3) {
            0 => [(one.addr, other.addr), (one.len, other.len)].map(|(a, c)| b.select(cond, a, c)),
            1 => {
                let [then, els] = [one, other].map(|slice| Arm {
                    yields: vec![slice.addr, slice.len],
                    ..Arm::default()
                });
                let results = b.if_else(cond, then, els);
                [results[0], results[1]]
            }
            _ => {
                let vars = [POINTER, Type::U32].map(|ty| (new_var(b, ty), ty));
                b.effect(Op::VarSet(vars[0].0, other.addr));
                b.effect(Op::VarSet(vars[1].0, other.len));
                let mut inner = b.inner();
                inner.effect(Op::VarSet(vars[0].0, one.addr));
                inner.effect(Op::VarSet(vars[1].0, one.len));
                let inner = inner.finish();
                b.when(cond, inner);
                vars.map(|(var, ty)| b.value(Op::VarGet(var), ty))
            }
        };
        Slice {
            addr,
            len,
            alias: match one.alias == other.alias {
                true => one.alias,
                false => Alias::Unknown,
            },
            writable: one.writable && other.writable,
        }
    }

    /// Reads or writes an element, if it is one.
    fn element(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let slice = self.slice(b, scope);
        let index = self.index(b, scope);
        let ty = self.one_of(&OF_A_WORD);
        let writes = slice.writable && self.pick(2) == 0;
        let inside = b.compare(CmpOp::Lt, index, slice.len);
        let value = match writes {
            true => self.of_type(b, scope, ty),
            false => b.constant(0, ty),
        };
        let mut then = b.inner();
        let at = then.ptr_add(slice.addr, index, 4);
        let then = if writes {
            then.store(at, 0, value, slice.alias);
            arm(then.finish())
        } else {
            let found = then.load(stored(ty), at, 0, slice.alias);
            let found = self.convert(&mut then, found, ty);
            yielding(then, found)
        };
        let mut els = elsewhere(b);
        els.effect(Op::Fault {
            kind: FaultKind::Index,
            operands: [index, slice.len].into(),
        });
        let els = match writes {
            true => arm(els.finish()),
            false => yielding(els, value),
        };
        scope.values.extend(b.if_else(inside, then, els));
    }

    /// Does something with raw pointers.
    pub(crate) fn pointer(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let ty = self.one_of(&OF_A_WORD);
        let index = self.of_type(b, scope, Type::U32);
        let limit = b.u32(SLOTS / 2 - 1);
        let index = b.binary(BinOp::And, index, limit);
        match self.pick(5) {
            // Backwards, from the middle.
            0 => {
                let middle = b.u32(SLOTS / 2);
                let middle = b.ptr_add(self.own, middle, 4);
                let index = b.cast(index, Type::I32);
                let back = b.unary(UnOp::Neg, index);
                let at = b.ptr_add(middle, back, 4);
                let value = self.of_type(b, scope, ty);
                b.store(at, 0, value, Alias::Any);
            }
            1 => {
                let at = b.ptr_add(self.own, index, 4);
                let found = b.load(stored(ty), at, 4, Alias::Any);
                scope.values.push(self.convert(b, found, ty));
            }
            // An address that lies in memory.
            2 => {
                let alias = self.one_of(&[Alias::Any, Alias::Exclusive(1)]);
                let input = b.load(POINTER, self.counters, POINTER_SLOT as i32 * 4, alias);
                let at = b.ptr_add(input, index, 4);
                let alias = self.one_of(&[Alias::Any, Alias::Unknown]);
                let found = b.load(stored(ty), at, 0, alias);
                scope.values.push(self.convert(b, found, ty));
            }
            // Addresses as numbers.
            3 => {
                let at = b.ptr_add(self.own, index, 4);
                let [first, at] = [self.own, at].map(|at| b.bitcast(at, Type::U32));
                scope.values.push(b.binary(BinOp::Sub, at, first));
                let back = b.bitcast(at, POINTER);
                let found = b.load(Type::U32, back, 0, Alias::Any);
                scope.values.push(found);
            }
            _ => {
                let base = self.one_of(&[self.own, self.input]);
                let at = b.ptr_add(base, index, 4);
                self.store(b, at);
                let address = b.bitcast(at, Type::U32);
                let null = b.u32(0);
                scope.values.push(b.compare(CmpOp::Eq, address, null));
            }
        }
    }
}

/// What a block that ends here yields.
fn yielding(b: Builder<'_>, value: Value) -> Arm {
    Arm::new(b.finish(), vec![value])
}
