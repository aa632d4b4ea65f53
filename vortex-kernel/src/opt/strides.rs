//! How far apart in memory it is what neighbouring items access: `4 * n` bytes for `x[row * n + k]`.

use super::defs::Defs;
use super::unroll_and_jam::Varies;
use crate::ir::{BinOp, Builder, CmpOp, Function, Op, Type, Value};

/// Bytes, as what every launch knows: a number, times an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stride {
    bytes: u32,
    argument: Option<Value>,
}

/// Lines as many bytes apart have few places in the cache: those of 16 items, in 16 KiB of four ways.
const FEW_PLACES: u32 = 1024;

impl Stride {
    const NOTHING: Self = Self {
        bytes: 0,
        argument: None,
    };

    const ONE: Self = Self {
        bytes: 1,
        argument: None,
    };

    /// Where it is the same for all launches, whether lines so far apart have few places in the cache.
    pub(super) fn has_few_places(self) -> bool {
        self != Self::NOTHING && self.argument.is_none() && self.bytes.is_multiple_of(FEW_PLACES)
    }

    /// Whether lines so far apart have more places in the cache, which is computed if it depends on the launch.
    pub(crate) fn has_more_places(self, b: &mut Builder<'_>) -> Option<Value> {
        let argument = self.argument?;
        let times = b.u32(self.bytes);
        let bytes = b.binary(BinOp::Mul, argument, times);
        let mask = b.u32(FEW_PLACES - 1);
        let within = b.binary(BinOp::And, bytes, mask);
        let zero = b.u32(0);
        Some(b.compare(CmpOp::Ne, within, zero))
    }

    fn plus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::NOTHING, stride) | (stride, Self::NOTHING) => Some(stride),
            (a, b) => (a.argument == b.argument).then_some(Self {
                bytes: a.bytes.wrapping_add(b.bytes),
                ..a
            }),
        }
    }

    fn times(self, factor: u32) -> Self {
        Self {
            bytes: self.bytes.wrapping_mul(factor),
            ..self
        }
    }
}

/// What strides are computed of.
pub(super) struct Strides<'a> {
    pub(super) function: &'a Function,
    pub(super) defs: &'a Defs,
    /// The ids that are one more for the next item.
    pub(super) ids: &'a [Value],
    /// What depends on them.
    pub(super) varies: &'a Varies,
}

/// Expressions are followed this deep.
const DEPTH: u32 = 10;

impl Strides<'_> {
    /// By how much more an address, or an index, is for the next item, if that can be said.
    pub(super) fn of(&self, value: Value) -> Option<Stride> {
        self.by_steps(value, DEPTH)
    }

    fn by_steps(&self, value: Value, depth: u32) -> Option<Stride> {
        if !self.varies.is(value) {
            return Some(Stride::NOTHING);
        }
        if self.ids.contains(&value) {
            return Some(Stride::ONE);
        }
        let depth = depth.checked_sub(1)?;
        match *self.defs.get(value)? {
            Op::Binary(BinOp::Add, a, b) => {
                (self.by_steps(a, depth)?).plus(self.by_steps(b, depth)?)
            }
            Op::Binary(BinOp::Sub, a, b) => {
                let less = self.by_steps(b, depth)?.times(u32::MAX);
                self.by_steps(a, depth)?.plus(less)
            }
            Op::Binary(BinOp::Mul, a, b) => {
                let (a, b) = if self.varies.is(a) { (a, b) } else { (b, a) };
                let stride = self.by_steps(a, depth)?;
                self.product(stride, b)
            }
            Op::Binary(BinOp::Shl, a, b) => {
                let stride = self.by_steps(a, depth)?;
                Some(stride.times(1 << (self.defs.constant(b)? & 31)))
            }
            Op::PtrAdd { base, index, scale } => {
                let stride = self.by_steps(index, depth)?.times(scale);
                self.by_steps(base, depth)?.plus(stride)
            }
            _ => None,
        }
    }

    fn product(&self, stride: Stride, factor: Value) -> Option<Stride> {
        if let Some(factor) = self.defs.constant(factor) {
            return Some(stride.times(factor));
        }
        let mut params = self.function.params.iter();
        let is_argument = params.any(|param| param.value == factor)
            && self.function.ty(factor) == Type::U32
            && stride.argument.is_none();
        is_argument.then_some(Stride {
            argument: Some(factor),
            ..stride
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::coarsening::{Axis, ids_along};
    use super::*;
    use crate::ir::parse;

    /// The stride of the last value of a kernel, in bytes, and whether that is times its argument `n`.
    fn stride(body: &str) -> Option<(u32, bool)> {
        let text = format!(
            "kernel \"k\" (v0: ptr<global> \"x\" arg 0 at 0, v1: u32 \"n\" arg 1 at 4) args 8 {{ \
             v2: u32 = id linear v3: u32 = const 3 {body} }}"
        );
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let ids = ids_along(&function.body, Axis::Column);
        let defs = Defs::of(&function.body, &function);
        let strides = Strides {
            function: &function,
            defs: &defs,
            ids: &ids,
            varies: &Varies::of(&function, &function.body, &ids),
        };
        let last = function.body.insts.last().map(|inst| inst.results[0]);
        let stride = last.and_then(|last| strides.of(last))?;
        Some((stride.bytes, stride.argument.is_some()))
    }

    #[test]
    fn rows_are_as_far_apart_as_they_are_long() {
        let row = "v4: u32 = mul v2, v1 v5: u32 = add v4, v3 v6: ptr<global> = ptradd v0, v5 * 4";
        assert_eq!(stride(row), Some((4, true)));
        assert_eq!(
            stride("v4: u32 = shl v2, v3 v5: ptr<global> = ptradd v0, v4 * 4"),
            Some((32, false))
        );
        assert_eq!(
            stride("v4: u32 = mul v3, v2 v5: u32 = sub v1, v4"),
            Some((0_u32.wrapping_sub(3), false))
        );
        assert_eq!(stride("v4: u32 = add v1, v3"), Some((0, false)));
    }

    #[test]
    fn some_are_not_known() {
        assert_eq!(stride("v4: u32 = mul v2, v2"), None);
        assert_eq!(stride("v4: u32 = div v2, v3"), None);
        assert_eq!(
            stride("v4: u32 = mul v2, v1 v5: u32 = mul v4, v1"),
            None,
            "n times n"
        );
        assert_eq!(
            stride("v4: u32 = mul v2, v1 v5: u32 = add v4, v2"),
            None,
            "n and one more"
        );
    }
}
