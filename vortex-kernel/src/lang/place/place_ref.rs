//! How places are read and written.

use crate::ir::{Alias, BinOp, CmpOp, FaultKind, Op, SourceLoc, Type, Value, Var};
use crate::lang::StageError;
use crate::lang::base::branch::branch;
use crate::lang::base::flow::while_loop;
use crate::lang::base::lane::{Lane, words_of};
use crate::lang::base::staged::{Staged, leaves, values_of, zero};
use crate::lang::recorder::{
    self, At, Check, ListId, PlaceRef, Reached, Root, const_of, emit, emit_const, emit_void,
    new_var, type_of,
};
use crate::types::{DeviceType, Leaf};

/// From how many words on an array is filled by a loop.
const FILLED_BY_A_LOOP: usize = 64;

impl PlaceRef {
    /// The element of an array. One at a constant index is found now.
    pub(in crate::lang) fn element_of_array<T: DeviceType, const N: usize>(
        mut self,
        index: Lane<usize>,
        at: At,
    ) -> Self {
        let index = index.value();
        let constant = const_of(index).map(|constant| constant as usize);
        if let Some(n) = constant.filter(|n| *n < N) {
            self.first = self.first.wrapping_add(n as u32 * T::LEAVES);
            self.offset = self.offset.wrapping_add((n * size_of::<T>()) as u32);
            if let Root::Memory { at: place, .. } = &mut self.root {
                *place = at;
            }
            return self;
        }
        if let Some(index) = constant
            && recorder::is_unconditional()
        {
            recorder::report(StageError::Index {
                index,
                len: N,
                at: SourceLoc::from_caller(at),
            });
        }
        if let Root::Values(list) = self.root {
            let (addr, alias) = self.materialized::<T, N>(list, at);
            self = Self::new(Root::Memory {
                addr,
                check: None,
                alias,
                at,
            });
        }
        let len = u32::try_from(N).unwrap_or(u32::MAX);
        let alias = match self.root {
            Root::Memory { alias, .. } => Some(alias),
            _ => None,
        };
        let len = || match alias {
            Some(Alias::Exclusive(number) | Alias::Shared(number)) => length(number, len, at),
            _ => emit_const(len, Type::U32, at),
        };
        self.element::<T>(index, len, at)
    }

    /// Where the parts of an indexed value that is an array are put.
    pub(super) fn materialized<T: DeviceType, const N: usize>(
        &self,
        list: ListId,
        at: At,
    ) -> (Value, Alias) {
        let count = N * T::LEAVES as usize;
        let mut parts = Vec::new();
        <[T; N]>::leaves(0, &mut parts);
        let name = std::any::type_name::<[T; N]>();
        recorder::materialize(list, self.first as usize, count, &parts, name, at)
    }

    pub(in crate::lang) fn get<S: Staged>(&self, at: At) -> S {
        let values = match self.root {
            Root::Variables => {
                let get = |(var, leaf): (Var, Leaf)| emit(Op::VarGet(var), leaf.ty, at);
                self.variables_of::<S>().map(get).collect()
            }
            Root::Values(list) => recorder::list(list, self.first as usize, leaves::<S>().len()),
            Root::Memory { .. } => {
                return self.guarded(|reached| self.load(used_at(reached, at)), zero::<S>);
            }
        };
        S::build(&mut words_of(values))
    }

    pub(in crate::lang) fn set<S: Staged>(&self, value: S, at: At) {
        match self.root {
            Root::Variables => {
                for ((var, _), value) in self.variables_of::<S>().zip(values_of(value)) {
                    emit_void(Op::VarSet(var, value), at);
                }
            }
            // Values are no places that can be assigned to.
            Root::Values(_) => {}
            Root::Memory { .. } => {
                self.guarded(|reached| self.store(used_at(reached, at), value), |_| ());
            }
        }
    }

    pub(in crate::lang) fn update<S: Staged>(&self, f: impl FnOnce(S) -> S, at: At) {
        match self.root {
            Root::Variables | Root::Values(_) => self.set(f(self.get(at)), at),
            Root::Memory { .. } => {
                let access = |reached: Reached| {
                    let reached = used_at(reached, at);
                    self.store(reached, f(self.load(reached)));
                };
                self.guarded(access, |_| ());
            }
        }
    }

    fn variables_of<S: Staged>(&self) -> impl Iterator<Item = (Var, Leaf)> {
        (self.first..).map(Var::from_u32).zip(leaves::<S>())
    }

    fn load<S: Staged>(&self, reached: Reached) -> S {
        S::build(&mut words_of(self.load_words(leaves::<S>(), reached)))
    }

    fn load_words(&self, leaves: Vec<Leaf>, (ptr, alias, at): Reached) -> Vec<Value> {
        let values = leaves.into_iter().map(|leaf| {
            let offset = self.displacement(leaf.offset);
            emit(Op::Load { ptr, offset, alias }, leaf.ty, at)
        });
        values.collect()
    }

    fn store<S: Staged>(&self, reached: Reached, value: S) {
        let (leaves, values) = (leaves::<S>(), values_of(value));
        if let Some(stride) = stride_of_equals(&leaves, &values) {
            return self.fill(reached, values[0], stride, values.len());
        }
        for (leaf, value) in leaves.into_iter().zip(values) {
            self.store_word(reached, self.displacement(leaf.offset), value);
        }
    }

    fn store_word(&self, (ptr, alias, at): Reached, offset: i32, value: Value) {
        let store = Op::Store {
            ptr,
            value,
            offset,
            alias,
        };
        emit_void(store, at);
    }

    /// Stores one word many times.
    fn fill(&self, (base, alias, at): Reached, value: Value, scale: u32, count: usize) {
        let constant = |word: usize| emit_const(word as u32, Type::U32, at);
        let number = new_var(Type::U32);
        let next = || emit(Op::VarGet(number), Type::U32, at);
        emit_void(Op::VarSet(number, constant(0)), at);
        recorder::placed(at, || {
            while_loop(
                |_| {
                    let is_one = Op::Compare(CmpOp::Lt, next(), constant(count));
                    Lane::new(emit(is_one, Type::Bool, at))
                },
                |_| {
                    let index = next();
                    let ptr = Op::PtrAdd { base, index, scale };
                    let ptr = emit(ptr, type_of(base), at);
                    self.store_word((ptr, alias, at), self.displacement(0), value);
                    let after = emit(Op::Binary(BinOp::Add, next(), constant(1)), Type::U32, at);
                    emit_void(Op::VarSet(number, after), at);
                },
            );
        });
    }

    /// Device types are far smaller than 2 GiB.
    fn displacement(&self, offset: u32) -> i32 {
        self.offset.wrapping_add(offset).cast_signed()
    }

    /// Does `access` if all indices are inside, and records a fault otherwise.
    pub(in crate::lang) fn guarded<R: Staged>(
        &self,
        access: impl FnOnce(Reached) -> R,
        otherwise: impl Fn(At) -> R,
    ) -> R {
        let Root::Memory {
            addr,
            check,
            alias,
            at,
        } = self.root
        else {
            return R::unreachable();
        };
        let mut access = Some(access);
        let mut access = |ptr| match access.take() {
            Some(access) => access((ptr, alias, at)),
            None => R::unreachable(),
        };
        reach(addr, &recorder::checks(check), &mut access, &otherwise)
    }
}

/// An access is where its place is named. For debuggers, one by a reference that was made elsewhere is where that is
/// used: a line has the code of what it does.
fn used_at((ptr, alias, named): Reached, used: At) -> Reached {
    let is_elsewhere = used.file() == named.file() && used.line() != named.line();
    let at = if is_elsewhere && recorder::keeps_names() {
        used
    } else {
        named
    };
    (ptr, alias, at)
}

/// The length of an array in what has this number. That of a variable is known before all loops, as that of a slice
/// is, so that they can be tested once.
fn length(number: u32, len: u32, at: At) -> Value {
    match recorder::is_variable(number) {
        true => recorder::emit_const_first(len, Type::U32, at),
        false => emit_const(len, Type::U32, at),
    }
}

/// Makes the checks, the first one first, and then the access.
fn reach<R: Staged>(
    base: Value,
    checks: &[Check],
    access: &mut dyn FnMut(Value) -> R,
    otherwise: &dyn Fn(At) -> R,
) -> R {
    let Some((check, rest)) = checks.split_first() else {
        return access(base);
    };
    let Check {
        index,
        len,
        scale,
        at,
        ..
    } = *check;
    let inside = emit(Op::Compare(CmpOp::Lt, index, len), Type::Bool, at);
    let element = || {
        let ptr = emit(Op::PtrAdd { base, index, scale }, type_of(base), at);
        reach(ptr, rest, access, otherwise)
    };
    let fault = || {
        let fault = Op::Fault {
            kind: FaultKind::Index,
            operands: [index, len].into(),
        };
        emit_void(fault, at);
        otherwise(at)
    };
    branch(inside, element, fault, at)
}

/// The distance of words that are all the same, if they are many.
fn stride_of_equals(leaves: &[Leaf], values: &[Value]) -> Option<u32> {
    let [first, second, ..] = leaves else {
        return None;
    };
    let stride = second.offset.checked_sub(first.offset)?;
    let even = leaves
        .windows(2)
        .all(|pair| pair[1].offset.checked_sub(pair[0].offset) == Some(stride));
    let same = values.iter().all(|value| *value == values[0]);
    let many = values.len() >= FILLED_BY_A_LOOP && leaves.len() == values.len();
    (even && same && many && stride > 0).then_some(stride)
}
