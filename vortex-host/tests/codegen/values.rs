//! Values in generated kernels: what is computed, chosen, converted, read and written.

use super::generate::{Generator, INPUT_WORDS, SCALARS, SLOTS, Scope};
use vortex_kernel::ir::{Alias, BinOp, Builder, CmpOp, Op, Type, UnOp, Value, eval};

const INT_OPS: [BinOp; 13] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Rem,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::Min,
    BinOp::Max,
    BinOp::MulHigh,
];

const CONSTANTS: [u32; 11] = [
    0,
    1,
    2,
    5,
    31,
    2047,
    2048,
    0x7fff_f900,
    0x8000_0000,
    u32::MAX,
    0x3fc0_0000,
];

impl Generator<'_> {
    pub(crate) fn load(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let ty = self.one_of(&SCALARS);
        let start = self.pick(64) as u32;
        self.load_at(b, scope, ty, start)
    }

    /// Reads the input at a place that depends on some value, or the item's own output.
    pub(crate) fn load_at(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope,
        ty: Type,
        start: u32,
    ) -> Value {
        let memory_type = stored(ty);
        let value = if self.pick(4) == 0 {
            let offset = (start % slots(memory_type) * 4) as i32 + self.within_word(memory_type);
            b.load(memory_type, self.own, offset, Alias::Exclusive(1))
        } else {
            let index = self.one_of(&scope.values);
            let index = self.convert(b, index, Type::U32);
            let limit = b.u32(63);
            let index = b.binary(BinOp::And, index, limit);
            let ptr = b.ptr_add(self.input, index, memory_type.bytes());
            let offset = (start * 4 % (INPUT_WORDS * 2)) as i32;
            b.load(memory_type, ptr, offset, Alias::Shared(0))
        };
        self.convert(b, value, ty)
    }

    pub(crate) fn store(&mut self, b: &mut Builder<'_>, value: Value) {
        let ty = b.function.ty(value);
        let slot = self.pick(slots(ty) as usize) as i32 * 4 + self.within_word(ty);
        b.store(self.own, slot, value, Alias::Exclusive(1));
    }

    /// A place in a word where a value of type `ty` can lie; mostly the first one.
    pub(crate) fn within_word(&mut self, ty: Type) -> i32 {
        let size = ty.bytes();
        if size >= 4 || self.pick(3) != 0 {
            return 0;
        }
        (self.pick((4 / size) as usize) as u32 * size) as i32
    }

    pub(crate) fn value(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        match self.pick(4) {
            0 if !scope.vars.is_empty() => {
                let var = self.one_of(&scope.vars);
                let ty = b.function.vars[var];
                b.value(Op::VarGet(var), ty)
            }
            1 => {
                let ty = self.one_of(&SCALARS);
                self.constant(b, ty)
            }
            _ => self.one_of(&scope.values),
        }
    }

    fn constant(&mut self, b: &mut Builder<'_>, ty: Type) -> Value {
        let word = self.one_of(&CONSTANTS);
        if ty.is_wide() {
            let high = self.one_of(&CONSTANTS);
            return b.wide_constant(u64::from(high) << 32 | u64::from(word), ty);
        }
        b.constant(eval::canonical(word, ty), ty)
    }

    pub(crate) fn of_type(&mut self, b: &mut Builder<'_>, scope: &Scope, ty: Type) -> Value {
        if self.pick(6) == 0 {
            return self.constant(b, ty);
        }
        let value = self.value(b, scope);
        self.convert(b, value, ty)
    }

    pub(crate) fn convert(&mut self, b: &mut Builder<'_>, value: Value, ty: Type) -> Value {
        let from = b.function.ty(value);
        match (from, ty) {
            _ if from == ty => value,
            _ if from.is_half() && ty != Type::F32 => {
                let wide = b.cast(value, Type::F32);
                self.convert(b, wide, ty)
            }
            (_, Type::Bool) => {
                let zero = b.constant(0, from);
                b.compare(CmpOp::Gt, value, zero)
            }
            (Type::Bool, Type::F32) => {
                let word = b.cast(value, Type::U32);
                b.cast(word, Type::F32)
            }
            _ if ty.is_half() => {
                let wide = self.convert(b, value, Type::F32);
                b.cast(wide, ty)
            }
            _ => b.cast(value, ty),
        }
    }

    /// The same word as another type.
    fn seen_as(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let kinds = [
            &[Type::U32, Type::I32, Type::F32][..],
            &[Type::U16, Type::F16][..],
            &[Type::U16, Type::BF16][..],
        ];
        let types = self.one_of(&kinds);
        let [from, to] = [0, 1].map(|_| self.one_of(types));
        let value = self.of_type(b, scope, from);
        // Of a type of 16 bits there is none to its own.
        match from == to && from.bits() == 16 {
            true => b.cast(value, Type::F32),
            false => b.bitcast(value, to),
        }
    }

    pub(crate) fn operation(&mut self, b: &mut Builder<'_>, scope: &Scope) -> Value {
        let ty = self.one_of(&SCALARS);
        let x = self.of_type(b, scope, ty);
        let y = self.of_type(b, scope, ty);
        match (self.pick(9), ty) {
            (8, _) => self.seen_as(b, scope),
            (1, _) => {
                let cond = self.of_type(b, scope, Type::Bool);
                b.select(cond, x, y)
            }
            (2, _) => {
                let to = self.one_of(&SCALARS);
                if to == ty && !ty.is_half() {
                    return b.cast(x, to);
                }
                self.convert(b, x, to)
            }
            // Computed in 32 bits.
            (_, Type::F16 | Type::BF16) => {
                let [x, y] = [x, y].map(|value| b.cast(value, Type::F32));
                let op = self.one_of(&BinOp::OF_FLOATS);
                let exact = b.binary(op, x, y);
                b.cast(exact, ty)
            }
            (0, _) => {
                let op = self.one_of(&CmpOp::ALL);
                b.compare(op, x, y)
            }
            (3, Type::F32) => {
                let op = self.one_of(&UnOp::OF_FLOATS);
                b.unary(op, x)
            }
            (3, Type::Bool) => b.unary(UnOp::Not, x),
            (3, _) => {
                let op = self.one_of(&[UnOp::Neg, UnOp::Not]);
                b.unary(op, x)
            }
            (4, Type::F32) => {
                let z = self.of_type(b, scope, ty);
                b.value(Op::MulAdd(x, y, z), ty)
            }
            (_, Type::F32) => {
                let op = self.one_of(&BinOp::OF_FLOATS);
                b.binary(op, x, y)
            }
            (_, Type::Bool) => {
                let op = self.one_of(&[BinOp::And, BinOp::Or, BinOp::Xor]);
                b.binary(op, x, y)
            }
            _ => {
                let op = match self.one_of(&INT_OPS) {
                    BinOp::MulHigh if ty.bits() < 32 => BinOp::Mul,
                    op => op,
                };
                b.binary(op, x, y)
            }
        }
    }
}

/// In memory, a `bool` is a byte.
pub(crate) fn stored(ty: Type) -> Type {
    if ty == Type::Bool { Type::U8 } else { ty }
}

/// Where a value of type `ty` may begin among the words of an item.
fn slots(ty: Type) -> u32 {
    SLOTS - u32::from(ty.is_wide())
}
