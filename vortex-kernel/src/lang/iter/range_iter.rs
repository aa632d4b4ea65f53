//! What a `for` goes over when it does not just count upwards: ranges with `rev` and `step_by`.

use std::panic::Location;

use crate::ir::{self, BinOp, Const, FaultKind, SourceLoc, Type};
use crate::lang::base::branch::{branch, fail_if};
use crate::lang::base::flow::{
    Counter, Label, all_iterations, break_if, leave_if, one_iteration, repeat, too_often,
};
use crate::lang::base::lane::Lane;
use crate::lang::base::numbers::Int;
use crate::lang::error::{MOST_UNROLLED, StageError};
use crate::lang::recorder::{At, const_of, emit_constant, placed, report};
use crate::lang::value::arith::binary;
use crate::lang::value::convert::convert;
use crate::lang::value::float::select;
use crate::lang::value::integer::{at_most, less, most, of, same};

/// The iterations of a `for` over a range.
#[derive(Clone, Copy, Debug)]
pub struct RangeIter<T: Int> {
    /// The first number, and the one that is not passed; neither means anything if there are no iterations.
    from: Lane<T>,
    to: Lane<T>,
    /// Whether there are iterations.
    any: Lane<bool>,
    down: bool,
    step: Option<Lane<T::Distance>>,
    /// How many iterations there are, where it has been said.
    counted: Option<Lane<usize>>,
}

/// `start..end`.
#[track_caller]
#[must_use]
pub fn range_iter<T: Int>(start: Lane<T>, end: impl FnOnce() -> Lane<T>) -> RangeIter<T> {
    let end = end();
    placed(Location::caller(), || RangeIter {
        from: start,
        to: end - of(1),
        any: less(start, end),
        down: false,
        step: None,
        counted: None,
    })
}

/// `start..=end`.
#[track_caller]
#[must_use]
pub fn range_iter_inclusive<T: Int>(start: Lane<T>, end: impl FnOnce() -> Lane<T>) -> RangeIter<T> {
    let end = end();
    placed(Location::caller(), || RangeIter {
        from: start,
        to: end,
        any: at_most(start, end),
        down: false,
        step: None,
        counted: None,
    })
}

impl<T: Int> RangeIter<T> {
    /// The same numbers, last one first.
    #[track_caller]
    #[must_use]
    pub fn rev(self) -> Self {
        let at = Location::caller();
        placed(at, || {
            let last = match self.step {
                None => self.to,
                Some(step) => {
                    let distance = self.distance(self.from, at);
                    let beyond = convert(binary(BinOp::Rem, distance, step, at), at);
                    match self.down {
                        true => self.to + beyond,
                        false => self.to - beyond,
                    }
                }
            };
            Self {
                from: last,
                to: self.from,
                down: !self.down,
                ..self
            }
        })
    }

    /// Every `step`th number, beginning with the first. A step of zero ends the work item.
    #[track_caller]
    #[must_use]
    pub fn step_by(self, step: Lane<usize>) -> Self {
        let at = Location::caller();
        placed(at, || {
            if const_of(step.value()).is_none_or(|step| step == 0) {
                let zero: Lane<usize> = of(0);
                let operands = [zero.value(), step.value()];
                fail_if(
                    same(step, zero).value(),
                    FaultKind::StepByZero,
                    operands,
                    at,
                );
            }
            let step = convert(step, at);
            let step = match self.step {
                None => step,
                Some(inner) => saturating_product(inner, step, at),
            };
            Self {
                step: Some(step),
                counted: None,
                ..self
            }
        })
    }

    /// The first `n` iterations.
    #[track_caller]
    #[must_use]
    pub fn take(self, n: Lane<usize>) -> Self {
        let at = Location::caller();
        placed(at, || {
            let after: Lane<T::Distance> = convert(n - of(1), at);
            let after = self.last_number(at).min(after);
            let some = !same(n, of(0));
            Self {
                to: self.after(after, at),
                any: self.any & some,
                counted: None,
                ..self
            }
        })
    }

    /// All iterations but the first `n`.
    #[track_caller]
    #[must_use]
    pub fn skip(self, n: Lane<usize>) -> Self {
        let at = Location::caller();
        placed(at, || {
            let n: Lane<T::Distance> = convert(n, at);
            let some = at_most(n, self.last_number(at));
            Self {
                from: self.after(n, at),
                any: self.any & some,
                counted: None,
                ..self
            }
        })
    }

    /// How many iterations come before the last one.
    fn last_number(&self, at: At) -> Lane<T::Distance> {
        let distance = self.distance(self.from, at);
        match self.step {
            None => distance,
            Some(step) => binary(BinOp::Div, distance, step, at),
        }
    }

    /// The number that lies so many iterations after the first.
    fn after<N: Int>(&self, iterations: Lane<N>, at: At) -> Lane<T> {
        placed(at, || {
            let mut by: Lane<T> = convert(iterations, at);
            if let Some(step) = self.step {
                by = by * convert(step, at);
            }
            self.moved(self.from, by)
        })
    }

    /// The number that lies so far after `i`.
    fn moved(&self, i: Lane<T>, by: Lane<T>) -> Lane<T> {
        match self.down {
            true => i - by,
            false => i + by,
        }
    }

    /// How many iterations come before that of `i`.
    pub(in crate::lang) fn number(&self, i: Lane<T>, at: At) -> Lane<T> {
        let from = self.from;
        if self.step.is_none() && !self.down && const_of(from.value()) == Some(0) {
            return i;
        }
        placed(at, || {
            let distance = if self.down { from - i } else { i - from };
            match self.step {
                None => distance,
                Some(step) => binary(BinOp::Div, distance, convert(step, at), at),
            }
        })
    }

    /// The same, known to have so many iterations: that takes less than to count them.
    pub(in crate::lang) fn counted(self, count: Lane<usize>) -> Self {
        let counted = Some(count);
        Self { counted, ..self }
    }

    /// How many iterations there are.
    pub(in crate::lang) fn count(&self, at: At) -> Lane<usize> {
        if let Some(count) = self.counted {
            return count;
        }
        let some = || {
            // As many as a `usize` can count.
            let steps = self.last_number(at).min(of(i64::from(u32::MAX) - 1));
            convert::<usize, _>(steps, at) + of(1)
        };
        placed(at, || branch(self.any.value(), some, || of(0), at))
    }

    /// The number of iteration `n`.
    pub(in crate::lang) fn nth(&self, n: Lane<usize>, at: At) -> Lane<T> {
        let ty = T::SCALAR.ir();
        if self.step.is_none()
            && !self.down
            && ty == Type::U32
            && const_of(self.from.value()) == Some(0)
        {
            return Lane::new(n.value());
        }
        self.after(n, at)
    }

    /// How far `i` is from the end.
    fn distance(&self, i: Lane<T>, at: At) -> Lane<T::Distance> {
        placed(at, || {
            let distance = match self.down {
                true => i - self.to,
                false => self.to - i,
            };
            convert(convert::<T::Unsigned, _>(distance, at), at)
        })
    }
}

/// A product of two steps. No distance is greater than the greatest number.
fn saturating_product<N: Int>(a: Lane<N>, b: Lane<N>, at: At) -> Lane<N> {
    let high = binary(BinOp::MulHigh, a, b, at);
    select(same(high, of(0)), a * b, most())
}

/// `for i in range { .. }`.
#[track_caller]
pub fn for_range_iter<T: Int>(range: RangeIter<T>, body: impl FnOnce(Label, Lane<T>)) {
    let at = Location::caller();
    let run = || {
        let counter = Counter::new(range.from, at);
        let advance = |label: Label| {
            placed(at, || {
                let i = counter.get();
                let (done, by) = match range.step {
                    None => (same(i, range.to), of(1)),
                    Some(step) => (less(range.distance(i, at), step), convert(step, at)),
                };
                break_if(done.value(), label, at);
                counter.set(range.moved(i, by));
            });
        };
        repeat(|label| body(label, counter.get()), advance, at);
    };
    branch(range.any.value(), run, || (), at);
}

/// `#[unroll] for i in iterations { .. }`: each iteration is recorded on its own, and `i` is a constant there.
#[track_caller]
pub fn for_unrolled<T: Int>(range: RangeIter<T>, mut body: impl FnMut(Label, Lane<T>)) {
    let at = Location::caller();
    let ty = T::SCALAR.ir();
    let known = (
        const_of(range.any.value()),
        const_of(range.from.value()),
        const_of(range.distance(range.from, at).value()),
        range.step.map_or(Some(1), |step| const_of(step.value())),
    );
    let (Some(any), Some(from), Some(distance), Some(step)) = known else {
        let at = SourceLoc::from_caller(at);
        return report(StageError::UnrolledRange { at });
    };
    let Some(last) = distance.checked_div(step).filter(|_| any != 0) else {
        return;
    };
    if last >= MOST_UNROLLED {
        return too_often(last.saturating_add(1), at);
    }
    let iteration = |exit, number: u64, body: &mut dyn FnMut(Label, Lane<T>)| {
        let by = number.wrapping_mul(step);
        let i = match range.down {
            true => from.wrapping_sub(by),
            false => from.wrapping_add(by),
        };
        let constant = Const(ir::eval::wide::cast(Type::U64, ty, i));
        let i = Lane::new(emit_constant(constant, ty, at));
        one_iteration(exit, |label| body(label, i), at);
    };
    all_iterations(
        |exit| (0..=last).for_each(|number| iteration(exit, number, &mut body)),
        at,
    );
}

/// `#[unroll(n)] for i in iterations { .. }`: `n` iterations at a time, and what remains one by one.
#[track_caller]
pub fn for_unrolled_by<T: Int>(
    range: RangeIter<T>,
    n: usize,
    mut body: impl FnMut(Label, Lane<T>),
) {
    let at = Location::caller();
    if n as u64 > MOST_UNROLLED {
        return too_often(n as u64, at);
    }
    let n = n.max(1) as i64;
    let step: Lane<T> = match range.step {
        None => placed(at, || of(1)),
        Some(step) => convert(step, at),
    };
    // The number `iterations` iterations after `i`.
    let after = |i: Lane<T>, iterations: i64| range.moved(i, step * of(iterations));
    let all = |exit: ir::Label| {
        // How many iterations follow the current one.
        let left = Counter::new(range.last_number(at), at);
        let counter = Counter::new(range.from, at);
        let advance = |now: Lane<T::Distance>, i: Lane<T>, iterations: i64| {
            left.set(now - of(iterations));
            counter.set(after(i, iterations));
        };
        let several = |label: Label| {
            let (now, needed) = placed(at, || {
                let (now, needed) = (left.get(), of(n - 1));
                break_if(less(now, needed).value(), label, at);
                (now, needed)
            });
            let i = counter.get();
            for iteration in 0..n {
                let i = placed(at, || after(i, iteration));
                one_iteration(exit, |label| body(label, i), at);
            }
            placed(at, || {
                leave_if(same(now, needed).value(), exit, at);
                advance(now, i, n);
            });
        };
        repeat(several, |_| (), at);
        let one = |_| {
            let i = counter.get();
            one_iteration(exit, |label| body(label, i), at);
            placed(at, || {
                let now = left.get();
                leave_if(same(now, of(0)).value(), exit, at);
                advance(now, i, 1);
            });
        };
        repeat(one, |_| (), at);
    };
    branch(range.any.value(), || all_iterations(all, at), || (), at);
}
