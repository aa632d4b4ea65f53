//! Sums of products of tiles, spread over the registers of a group.

use std::marker::PhantomData;
use std::panic::Location;

use super::buffer::End;
use super::{CircularBuffer, element_address, group_size, report};
use crate::ir::{Alias, BinOp, CmpOp, Op, Type, Value, Var};
use crate::lang::Lane;
use crate::lang::base::branch::branch;
use crate::lang::base::flow::for_range;
use crate::lang::base::staged::zero;
use crate::lang::control::function::Nothing;
use crate::lang::library::ids::local_id;
use crate::lang::recorder::{self, At, emit, emit_const, emit_void, placed};
use crate::lang::value::arith::on_words;
use crate::tensor::TensorElement;

/// A tile of sums, each in a register of one of the group's work items.
pub struct Accumulator<S: TensorElement> {
    shape: [u32; 2],
    /// Rows and columns of the part that each work item has.
    part: [u32; 2],
    /// The first of the variables; the others follow.
    first: Var,
    /// Where in a row of the left factor a work item goes on; see [`Rotation`].
    rotation: Var,
    sum: PhantomData<S>,
}

/// A work item has at most as many sums.
const MOST_SUMS: u32 = 64;

/// So many products are written one after the other; more are a loop.
const MOST_PRODUCTS: u32 = 1024;

/// Rows and columns of the part of a tile that each of so many work items has: the smallest, and of these the most
/// square one, preferably of an even width.
fn part_of([rows, cols]: [u32; 2], items: u32) -> [u32; 2] {
    let divisors = |n: u32| (1..=n).filter(move |part| n.is_multiple_of(*part));
    let parts = divisors(rows).flat_map(|m| divisors(cols).map(move |n| [m, n]));
    let enough = parts.filter(|[m, n]| (rows / m) * (cols / n) <= items);
    let best = enough.min_by_key(|&[m, n]| (m * n, m + n, n % 2));
    best.unwrap_or([rows, cols])
}

/// The order in which a work item goes through what is summed over: each begins a word further on than the one before
/// it, and comes back to the beginning of the row. The lanes of a warp have the same rows of the left factor, and
/// local memory answers reads of one address one after the other; so they read different ones.
///
/// The place is a variable, and not computed from the number of the step, so that nobody computes all of them ahead
/// and has no registers for them.
#[derive(Clone, Copy)]
struct Rotation {
    place: Var,
    /// Bytes of a step.
    step: u32,
    /// Bytes of a row.
    row: u32,
    /// Bytes from a row of the right factor to the next, for each byte of a row of the left one.
    below: u32,
}

impl Rotation {
    /// Bytes from where a work item begins to where the next one does.
    const BY: u32 = 4;

    /// The bytes from the beginning of the row, and those of the right factor from its first row; the next step is one
    /// further on.
    fn advance(self, at: At) -> [Value; 2] {
        let word = |number| emit_const(number, Type::U32, at);
        let place = emit(Op::VarGet(self.place), Type::U32, at);
        // It may have been left by a product of another type.
        let within = (self.row - 1) & !(self.step - 1);
        let place = on_words(BinOp::And, place, word(within), at);
        let next = on_words(BinOp::Add, place, word(self.step), at);
        emit_void(Op::VarSet(self.place, next), at);
        [place, on_words(BinOp::Mul, place, word(self.below), at)]
    }
}

/// How the products of a part are gone through.
struct Way {
    /// Elements of a row of the left factor that are multiplied one after the other, before the next iteration.
    steps: u32,
    /// Elements that are taken out of a word.
    together: u32,
    a_in_pairs: bool,
    b_in_pairs: bool,
    rotation: Option<Rotation>,
}

/// One of the factors: a page.
#[derive(Clone, Copy)]
struct Page {
    /// Of the first element of the part that a work item needs.
    addr: Value,
    alias: Alias,
    /// Elements from a row to the next.
    stride: u32,
}

impl<S: TensorElement> Accumulator<S> {
    pub(super) fn of(shape: [u32; 2], at: At) -> Self {
        let mut part = part_of(shape, group_size(at));
        let [m, n] = part;
        if m * n > MOST_SUMS {
            // The kernel does not compile, and what else is recorded of it keeps to what there is.
            part = [1, 1];
            let [rows, cols] = shape;
            report(
                format!(
                    "a tile of {rows} x {cols} is too much for the registers of this group: up to {MOST_SUMS} elements \
                     for each work item are possible, so write a larger `block` or smaller tiles"
                ),
                at,
            );
        }
        let vars = (0..part[0] * part[1]).map(|_| recorder::new_var(Self::ty()));
        let vars: Vec<Var> = vars.collect();
        let accumulator = Self {
            shape,
            part,
            first: vars.first().copied().unwrap_or(Var::from_u32(0)),
            rotation: recorder::new_var(Type::U32),
            sum: PhantomData,
        };
        let further = emit_const(Rotation::BY, Type::U32, at);
        let start = on_words(BinOp::Mul, local_id().value(), further, at);
        emit_void(Op::VarSet(accumulator.rotation, start), at);
        accumulator.zero(at);
        accumulator
    }

    fn ty() -> Type {
        S::DTYPE.scalar().ir()
    }

    fn vars(self) -> impl Iterator<Item = Var> {
        let count = self.part[0] * self.part[1];
        (0..count).map(move |n| Var::from_u32(self.first.as_u32() + n))
    }

    fn zero(self, at: At) {
        for var in self.vars() {
            emit_void(Op::VarSet(var, emit_const(0, Self::ty(), at)), at);
        }
    }

    fn get(self, at: At) -> Vec<Value> {
        let get = |var| emit(Op::VarGet(var), Self::ty(), at);
        self.vars().map(get).collect()
    }

    fn set(self, sums: Vec<Value>, at: At) {
        for (var, sum) in self.vars().zip(sums) {
            emit_void(Op::VarSet(var, sum), at);
        }
    }

    /// The first row and column of the part of this work item.
    fn place(self, at: At) -> [Value; 2] {
        let word = |number| emit_const(number, Type::U32, at);
        let across = word(self.shape[1] / self.part[1]);
        let own = local_id().value();
        let [m, n] = self.part.map(word);
        [
            on_words(BinOp::Mul, on_words(BinOp::Div, own, across, at), m, at),
            on_words(BinOp::Mul, on_words(BinOp::Rem, own, across, at), n, at),
        ]
    }

    /// Does this in the work items that have a part.
    fn in_parts(self, f: impl FnOnce(), at: At) {
        let parts = (self.shape[0] / self.part[0]) * (self.shape[1] / self.part[1]);
        if parts >= group_size(at) {
            return f();
        }
        let own = local_id().value();
        let parts = emit_const(parts, Type::U32, at);
        let has_part = emit(Op::Compare(CmpOp::Lt, own, parts), Type::Bool, at);
        branch(has_part, f, || (), at);
    }

    /// Makes all sums zero.
    #[track_caller]
    pub fn clear(self) -> Nothing {
        self.zero(Location::caller());
        Nothing {}
    }

    /// Adds the product of the tiles in the pages at the front of two buffers.
    #[track_caller]
    pub fn mma<A, B>(self, a: CircularBuffer<A>, b: CircularBuffer<B>) -> Nothing
    where
        A: TensorElement<Sum = S>,
        B: TensorElement<Sum = S>,
    {
        let at = Location::caller();
        let ([rows, inner], [inner_of_b, cols]) = (a.shape(), b.shape());
        if [rows, cols] != self.shape || inner != inner_of_b {
            let [m, n] = self.shape;
            report(
                format!(
                    "the product of a tile of {rows} x {inner} and one of {inner_of_b} x {cols} is no tile of {m} x \
                     {n}: see to it that the `tile_shape`s fit"
                ),
                at,
            );
            return Nothing {};
        }
        placed(at, || {
            self.in_parts(|| self.add_products(a, b, inner, at), at);
        });
        Nothing {}
    }

    fn add_products<A, B>(self, a: CircularBuffer<A>, b: CircularBuffer<B>, inner: u32, at: At)
    where
        A: TensorElement<Sum = S>,
        B: TensorElement<Sum = S>,
    {
        let [row, col] = self.place(at);
        let stride = emit_const(inner, Type::U32, at);
        let row_start = on_words(BinOp::Mul, row, stride, at);
        let a = Page::of(a, End::Front, row_start, at);
        let b = Page::of(b, End::Front, col, at);
        let [m, n] = self.part;
        let most = (MOST_PRODUCTS / (m * n)).max(1);
        // An even number, if that can be: 16-bit elements are loaded in pairs.
        let steps = (1..=inner).filter(|steps| inner.is_multiple_of(*steps) && *steps <= most);
        let steps = steps
            .max_by_key(|steps| (steps.is_multiple_of(2), *steps))
            .unwrap_or(1);
        let way = self.way::<A, B>([a, b], steps);
        if steps == inner {
            let sums = self.products::<A, B>(self.get(at), [a, b], &way, at);
            return self.set(sums, at);
        }
        let iterations = emit_const(inner / steps, Type::U32, at);
        for_range(
            zero(at),
            || Lane::<usize>::new(iterations),
            |_, iteration| {
                let factors = match way.rotation {
                    // It goes on by itself.
                    Some(_) => [a, b],
                    None => {
                        let word = |number| emit_const(number, Type::U32, at);
                        let done = on_words(BinOp::Mul, iteration.value(), word(steps), at);
                        let below = on_words(BinOp::Mul, done, word(b.stride), at);
                        let done = on_words(BinOp::Mul, done, word(A::DTYPE.bytes()), at);
                        let below = on_words(BinOp::Mul, below, word(B::DTYPE.bytes()), at);
                        [a.displaced(done, at), b.displaced(below, at)]
                    }
                };
                let sums = self.products::<A, B>(self.get(at), factors, &way, at);
                self.set(sums, at);
            },
        );
    }

    /// How products of these pages are gone through, so many steps one after the other.
    fn way<A: TensorElement, B: TensorElement>(self, [a, b]: [Page; 2], steps: u32) -> Way {
        let pairs =
            |width: u32, page: Page| width.is_multiple_of(2) && page.stride.is_multiple_of(2);
        let a_in_pairs = is_paired::<A>() && pairs(steps, a);
        let together = if a_in_pairs { 2 } else { 1 };
        let size = A::DTYPE.bytes();
        let (row, below) = (a.stride * size, b.stride * B::DTYPE.bytes());
        let is_rotated = row.is_power_of_two() && row >= Rotation::BY && below.is_multiple_of(size);
        Way {
            steps,
            together,
            a_in_pairs,
            b_in_pairs: is_paired::<B>() && pairs(self.part[1], b),
            rotation: is_rotated.then_some(Rotation {
                place: self.rotation,
                step: together * size,
                row,
                below: below / size,
            }),
        }
    }

    /// Adds products to the sums.
    fn products<A: TensorElement, B: TensorElement>(
        self,
        mut sums: Vec<Value>,
        [a, b]: [Page; 2],
        way: &Way,
        at: At,
    ) -> Vec<Value> {
        let [m, n] = self.part;
        for k in (0..way.steps).step_by(way.together as usize) {
            let (a, b, k) = match way.rotation {
                Some(rotation) => {
                    let [across, down] = rotation.advance(at);
                    (a.displaced(across, at), b.displaced(down, at), 0)
                }
                None => (a, b, k),
            };
            // All that is loaded for a step is under way before any of it is used.
            let rows = (0..m).map(|i| a.loads::<A>([i, k], way.together, way.a_in_pairs, at));
            let rows: Vec<Vec<Value>> = rows.collect();
            let across = (k..k + way.together).map(|k| b.loads::<B>([k, 0], n, way.b_in_pairs, at));
            let across: Vec<Vec<Value>> = across.collect();
            let rows = rows.iter().map(|row| factors::<A>(row, way.a_in_pairs, at));
            let rows: Vec<Vec<Value>> = rows.collect();
            for (step, row_of_b) in across.iter().enumerate() {
                let across = factors::<B>(row_of_b, way.b_in_pairs, at);
                for (i, row) in rows.iter().enumerate() {
                    for (j, factor) in across.iter().enumerate() {
                        let sum = &mut sums[i * n as usize + j];
                        *sum = Self::added(*sum, row[step], *factor, at);
                    }
                }
            }
        }
        sums
    }

    fn added(sum: Value, a: Value, b: Value, at: At) -> Value {
        match Self::ty() {
            Type::F32 => emit(Op::MulAdd(a, b, sum), Type::F32, at),
            ty => {
                let product = emit(Op::Binary(BinOp::Mul, a, b), ty, at);
                emit(Op::Binary(BinOp::Add, sum, product), ty, at)
            }
        }
    }

    /// Writes the sums to the reserved page of a buffer, rounded to its elements.
    #[track_caller]
    pub fn store_to<T>(self, buffer: CircularBuffer<T>) -> Nothing
    where
        T: TensorElement<Sum = S>,
    {
        let at = Location::caller();
        if buffer.shape() != self.shape {
            let ([m, n], [rows, cols]) = (self.shape, buffer.shape());
            report(
                format!("sums of a tile of {m} x {n} do not fit a page of {rows} x {cols}"),
                at,
            );
            return Nothing {};
        }
        placed(at, || {
            let store = || {
                let [row, col] = self.place(at);
                let stride = emit_const(self.shape[1], Type::U32, at);
                let before = on_words(BinOp::Mul, row, stride, at);
                let start = on_words(BinOp::Add, before, col, at);
                let part = Page::of(buffer, End::Back, start, at);
                part.put::<T>(self.part, &self.get(at), at);
            };
            self.in_parts(store, at);
        });
        Nothing {}
    }
}

/// Whether two elements are taken out of a word by themselves.
fn is_paired<T: TensorElement>() -> bool {
    T::DTYPE.scalar().ir() == Type::BF16
}

impl Page {
    /// A page of a buffer, from this element on.
    fn of<T: TensorElement>(buffer: CircularBuffer<T>, end: End, first: Value, at: At) -> Self {
        let (addr, alias) = buffer.address(end, first, at);
        let [_, stride] = buffer.shape();
        Self {
            addr,
            alias,
            stride,
        }
    }

    /// The same so many bytes further on.
    fn displaced(self, bytes: Value, at: At) -> Self {
        let addr = element_address(self.addr, bytes, 1, at);
        Self { addr, ..self }
    }

    /// So many elements of a row, or pairs of them.
    fn loads<T: TensorElement>(
        self,
        [row, col]: [u32; 2],
        count: u32,
        in_pairs: bool,
        at: At,
    ) -> Vec<Value> {
        let (ty, step) = match in_pairs {
            true => (Type::U32, 2),
            false => (T::DTYPE.scalar().ir(), 1),
        };
        let load = |col: u32| {
            let load = Op::Load {
                ptr: self.addr,
                offset: ((row * self.stride + col) * T::DTYPE.bytes()) as i32,
                alias: self.alias,
            };
            emit(load, ty, at)
        };
        (col..col + count).step_by(step).map(load).collect()
    }

    /// Stores the sums of a part, row by row.
    fn put<T: TensorElement>(self, [rows, cols]: [u32; 2], sums: &[Value], at: At) {
        let ty = T::DTYPE.scalar().ir();
        let places = (0..rows).flat_map(|row| (0..cols).map(move |col| row * self.stride + col));
        for (place, sum) in places.zip(sums) {
            let value = match recorder::type_of(*sum) == ty {
                true => *sum,
                false => emit(Op::Cast(*sum), ty, at),
            };
            let store = Op::Store {
                ptr: self.addr,
                value,
                offset: (place * T::DTYPE.bytes()) as i32,
                alias: self.alias,
            };
            emit_void(store, at);
        }
    }
}

/// What was loaded, as it is multiplied and summed up.
fn factors<T: TensorElement>(loaded: &[Value], in_pairs: bool, at: At) -> Vec<Value> {
    if in_pairs {
        return loaded.iter().flat_map(|word| halves(*word, at)).collect();
    }
    let (ty, sum) = (T::DTYPE, <T::Sum as TensorElement>::DTYPE);
    let cast = |value: &Value| match ty == sum {
        true => *value,
        false => emit(Op::Cast(*value), sum.scalar().ir(), at),
    };
    loaded.iter().map(cast).collect()
}

/// Two `bf16` in a word as `f32`: a `bf16` is the upper half of an `f32`.
fn halves(word: Value, at: At) -> [Value; 2] {
    let low = on_words(BinOp::Shl, word, emit_const(16, Type::U32, at), at);
    let high = on_words(BinOp::And, word, emit_const(0xffff_0000, Type::U32, at), at);
    [low, high].map(|bits| emit(Op::Bitcast(bits), Type::F32, at))
}

#[cfg(test)]
mod tests {
    use super::part_of;

    #[test]
    fn parts_are_small_and_square() {
        assert_eq!(part_of([16, 16], 64), [2, 2]);
        assert_eq!(part_of([32, 32], 64), [4, 4]);
        assert_eq!(part_of([16, 16], 512), [1, 1]);
        assert_eq!(part_of([16, 16], 128), [1, 2]);
        assert_eq!(part_of([3, 5], 1), [3, 5]);
        assert_eq!(part_of([3, 5], 4), [1, 5]);
    }
}
