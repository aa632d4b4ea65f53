//! What kernels about what comes first compute: words, conditions and indices, mostly of what was made last.

use super::generate::{Generator, INPUT_WORDS};
use super::order::Here;
use vortex_kernel::ir::{Alias, Arm, BinOp, Builder, CmpOp, Id, Type, Value};

/// Numbers that are one less than lengths usually are.
const MASKS: [u32; 5] = [7, 15, 31, 63, 63];

impl Generator<'_> {
    /// A word, mostly one of those that were made last.
    pub(crate) fn recent(&mut self, b: &mut Builder<'_>, here: &Here) -> Value {
        let values = &here.scope.values;
        let value = match self.pick(8) {
            1 => {
                let word = self.one_of(&[0, 1, 2, 5, 64, u32::MAX]);
                b.u32(word)
            }
            2 | 3 => self.one_of(values),
            _ => self.one_of(here.recent_values(3)),
        };
        self.convert(b, value, Type::U32)
    }

    pub(crate) fn computed(&mut self, b: &mut Builder<'_>, here: &Here) -> Value {
        let [x, y] = [0, 1].map(|_| self.recent(b, here));
        match self.pick(6) {
            5 => self.matched(b, x, y),
            0 => b.binary(BinOp::Add, x, y),
            1 => b.binary(BinOp::Xor, x, y),
            2 => b.binary(BinOp::Min, x, y),
            3 => {
                let amount = b.u32(self.one_of(&[1, 3, 26]));
                b.binary(BinOp::Shr, x, amount)
            }
            _ => {
                let cond = self.cond(b, here);
                b.select(cond, x, y)
            }
        }
    }

    /// A condition that holds for some items.
    pub(crate) fn cond(&mut self, b: &mut Builder<'_>, here: &Here) -> Value {
        if !here.conds.is_empty() && self.pick(2) == 0 {
            return self.one_of(&here.conds);
        }
        let word = self.recent(b, here);
        match self.pick(6) {
            1 => {
                let item = b.id(Id::GlobalLinear);
                let limit = b.u32(self.one_of(&[1, 3, 16, 40]));
                let op = self.one_of(&[CmpOp::Lt, CmpOp::Ge, CmpOp::Ne]);
                b.compare(op, item, limit)
            }
            2 => {
                let other = self.recent(b, here);
                b.compare(CmpOp::Lt, word, other)
            }
            3 => {
                let limit = b.u32(self.one_of(&[8, 64]));
                b.compare(CmpOp::Lt, word, limit)
            }
            _ => {
                let bits = b.u32(self.one_of(&[1, 6]));
                let some = b.binary(BinOp::And, word, bits);
                let zero = b.u32(0);
                b.compare(CmpOp::Eq, some, zero)
            }
        }
    }

    /// An index, and a length that is no more than `most`.
    pub(crate) fn index_and_len(
        &mut self,
        b: &mut Builder<'_>,
        here: &Here,
        most: u32,
    ) -> (Value, Value) {
        let [n, sized] = [2, 4].map(|param| b.function.params[param].value);
        let mut mask = self.one_of(&MASKS);
        let kind = self.pick(24);
        // Of lengths that are known at the launch only, most hold, too.
        match kind {
            1 | 2 => mask = self.one_of(&[3, 7]),
            3 => mask = 63,
            _ => {}
        }
        mask = mask.min(most.saturating_sub(1));
        let word = self.recent(b, here);
        let index = match self.pick(16) {
            1 => word,
            2 => b.id(Id::GlobalLinear),
            3 => {
                let amount = b.u32(self.one_of(&[26, 29]));
                b.binary(BinOp::Shr, word, amount)
            }
            4 => {
                let mask = b.u32(mask);
                let word = b.binary(BinOp::And, word, mask);
                let one = b.u32(1);
                b.binary(BinOp::Add, word, one)
            }
            5 | 6 => {
                let other = self.recent(b, here);
                let sum = b.binary(BinOp::Add, word, other);
                let mask = b.u32(mask);
                b.binary(BinOp::And, sum, mask)
            }
            _ => {
                let mask = b.u32(mask);
                b.binary(BinOp::And, word, mask)
            }
        };
        let len = match (kind, most) {
            // Nothing, which one does not see.
            (_, 0) | (4, _) => {
                let seven = b.u32(7);
                b.binary(BinOp::Xor, n, seven)
            }
            (1 | 2, 7..) => n,
            (3, INPUT_WORDS) => sized,
            // Another one for each item.
            (5 | 6, _) => {
                let word = self.recent(b, here);
                let [mask, most] = [mask, most].map(|word| b.u32(word));
                let any = b.binary(BinOp::Or, word, mask);
                b.binary(BinOp::Min, any, most)
            }
            (7..=9, _) => b.u32(most),
            (10..=15, _) => b.u32(mask + 1),
            _ => b.u32((mask + 1).saturating_sub(self.one_of(&[0, 1]))),
        };
        (index, len)
    }

    /// A word of the input, another for each of some items.
    pub(crate) fn word_of_item(&mut self, b: &mut Builder<'_>) -> Value {
        let item = b.id(Id::GlobalLinear);
        let limit = b.u32(63);
        let index = b.binary(BinOp::And, item, limit);
        let at = b.ptr_add(self.input, index, 4);
        let start = self.pick(128) as i32 * 4;
        b.load(Type::U32, at, start, Alias::Shared(0))
    }

    /// What `match` gives: a number, or another value, or 0.
    fn matched(&mut self, b: &mut Builder<'_>, word: Value, value: Value) -> Value {
        // Numbers that are different, but equal as floats, too.
        let ty = self.one_of(&[Type::U32, Type::F32]);
        let words = match ty {
            Type::F32 => [0, 0x8000_0000, 0x3f80_0000],
            _ => [0, 1, 7],
        };
        let asked = match ty {
            Type::F32 => b.bitcast(word, ty),
            _ => word,
        };
        let [cond, other] = [0, 1].map(|_| {
            let known = b.constant(self.one_of(&words), ty);
            let op = self.one_of(&[CmpOp::Eq, CmpOp::Eq, CmpOp::Lt]);
            b.compare(op, asked, known)
        });
        let mut els = b.inner();
        let zero = els.u32(0);
        let either = els.select(other, value, zero);
        let els = Arm::new(els.finish(), vec![either]);
        let mut then = b.inner();
        let number = then.u32(5);
        let then = Arm::new(then.finish(), vec![number]);
        b.if_else(cond, then, els)[0]
    }
}
