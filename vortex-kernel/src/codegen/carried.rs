//! What loops over items and groups carry from one iteration to the next.

use crate::ir::{BinOp, Block, Builder, CmpOp, Type, Value, While};

/// One coordinate and how it advances.
pub(super) struct Coordinate {
    initial: Value,
    pub(super) param: Value,
    pub(super) size: Value,
    /// How far it advances in one iteration; for all but x, one more.
    step: Value,
    /// It starts again where it has come to its size.
    wraps: bool,
}

impl Coordinate {
    /// `number` taken apart into its first `dimensions` coordinates, with these extents and steps. Where there are no
    /// more, the last need not start again.
    pub(super) fn all(
        b: &mut Builder<'_>,
        number: Value,
        dimensions: u8,
        are_more: bool,
        mut extent_and_step: impl FnMut(&mut Builder<'_>, u32) -> (Value, Value),
    ) -> Vec<Self> {
        let mut coordinates = Vec::new();
        let mut rest = number;
        for dimension in 0..dimensions {
            let (size, mut step) = extent_and_step(b, dimension.into());
            if dimension > 0 {
                let one = b.u32(1);
                step = b.binary(BinOp::Add, step, one);
            }
            let wraps = are_more || dimension + 1 < dimensions;
            coordinates.push(Self {
                initial: match wraps {
                    true => b.binary(BinOp::Rem, rest, size),
                    false => rest,
                },
                wraps,
                param: b.function.new_value(Type::U32),
                size,
                step,
            });
            if dimension + 1 < dimensions {
                rest = b.binary(BinOp::Div, rest, size);
            }
        }
        coordinates
    }

    /// `param + step`, less `size` if that is too much, with a carry in and out. Carries are words that are 1 when
    /// there is none: what a comparison gives. So a dimension with a carry coming in steps by one more, less the
    /// word.
    fn advance(&self, b: &mut Builder<'_>, no_carry: &mut Option<Value>) -> Value {
        let mut sum = b.binary(BinOp::Add, self.param, self.step);
        if let Some(no_carry) = *no_carry {
            sum = b.binary(BinOp::Sub, sum, no_carry);
        }
        if !self.wraps {
            return sum;
        }
        let inside = b.compare(CmpOp::Lt, sum, self.size);
        let zero = b.u32(0);
        let excess = b.select(inside, zero, self.size);
        *no_carry = Some(b.cast(inside, Type::U32));
        b.binary(BinOp::Sub, sum, excess)
    }
}

/// What a loop over items or groups carries from iteration to iteration.
#[derive(Default)]
pub(super) struct Carried {
    params: Vec<Value>,
    init: Vec<Value>,
    next: Vec<Value>,
}

impl Carried {
    /// A number that grows by `stride`.
    pub(super) fn number(
        &mut self,
        b: &mut Builder<'_>,
        param: Value,
        initial: Value,
        stride: Value,
    ) {
        self.params.push(param);
        self.init.push(initial);
        self.next.push(b.binary(BinOp::Add, param, stride));
    }

    /// Coordinates, x first.
    pub(super) fn coordinates(&mut self, b: &mut Builder<'_>, coordinates: &[Coordinate]) {
        let mut no_carry = None;
        for coordinate in coordinates {
            self.params.push(coordinate.param);
            self.init.push(coordinate.initial);
            self.next.push(coordinate.advance(b, &mut no_carry));
        }
    }

    /// The loop that carries them.
    pub(super) fn while_loop(self, before: Block, cond: Value, after: Block) -> While {
        While {
            params: self.params,
            init: self.init,
            before,
            cond,
            exits: Vec::new(),
            after,
            next: self.next,
            optional: false,
        }
    }
}
