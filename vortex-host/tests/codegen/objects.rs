//! What generated kernels do with memory objects of their own: private arrays and constant tables.

use super::generate::{Generator, SCALARS, Scope};
use super::values::stored;
use vortex_kernel::ir::{
    Alias, BinOp, Builder, DataId, DataObject, Loc, MemoryObject, Op, PrivateId, Space, Type, Value,
};

/// Words of each object; a power of two.
pub(crate) const WORDS: u32 = 8;
/// Reached at constant places only, so that it can be kept in registers.
fn known() -> PrivateId {
    PrivateId::from_u32(0)
}

/// Reached at any place.
fn any() -> PrivateId {
    PrivateId::from_u32(1)
}

/// Declares the objects, and fills those that start with any contents.
pub(crate) fn declare(b: &mut Builder<'_>) {
    for name in ["known", "any"] {
        b.function.privates.push(MemoryObject {
            size: WORDS * 4,
            count: None,
            align: 4,
            agreed: false,
            name: name.to_owned(),
            loc: Loc::NONE,
        });
    }
    let words = (1..=WORDS).map(|n| n.wrapping_mul(0x9e37_79b9));
    b.function.data.push(DataObject {
        bytes: words.flat_map(u32::to_le_bytes).collect(),
        align: 4,
    });
    for object in [known(), any()] {
        let start = address(b, object);
        for n in 0..WORDS {
            let word = b.u32(n);
            b.store(start, n as i32 * 4, word, Alias::Private(object));
        }
    }
}

fn address(b: &mut Builder<'_>, object: PrivateId) -> Value {
    b.value(Op::PrivateAddr(object), Type::Ptr(Space::Private))
}

/// The array that is reached at any place.
pub(crate) fn array(b: &mut Builder<'_>) -> (Value, Alias) {
    (address(b, any()), Alias::Private(any()))
}

/// The table.
pub(crate) fn table(b: &mut Builder<'_>) -> (Value, Alias) {
    let id = DataId::from_u32(0);
    let start = b.value(Op::DataAddr(id), Type::Ptr(Space::Constant));
    (start, Alias::Data(id))
}

impl Generator<'_> {
    /// An element's distance from the start of an object, where a value of type `ty` fits.
    fn displacement(&mut self, ty: Type) -> i32 {
        let word = self.pick((WORDS - u32::from(ty.is_wide())) as usize) as i32 * 4;
        word + self.within_word(ty)
    }

    /// The start of an object, or some element of it that leaves room for a wide value after it.
    fn part_of(&mut self, b: &mut Builder<'_>, scope: &Scope, start: Value) -> Value {
        let index = self.of_type(b, scope, Type::U32);
        let limit = b.u32(WORDS / 2 - 1);
        let mut index = b.binary(BinOp::And, index, limit);
        if self.pick(3) == 0 {
            index = b.cast(index, Type::I32);
        }
        b.ptr_add(start, index, 4)
    }

    /// Writes to a private object, reads one, or looks something up.
    pub(crate) fn object(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let ty = self.one_of(&SCALARS);
        let memory_type = stored(ty);
        if self.pick(4) == 0 {
            let (start, alias) = table(b);
            let at = self.part_of(b, scope, start);
            let found = b.load(memory_type, at, 8, alias);
            scope.values.push(self.convert(b, found, ty));
            return;
        }
        let object = self.one_of(&[known(), any()]);
        let mut at = address(b, object);
        let mut displacement = self.displacement(memory_type);
        if object == any() && self.pick(2) == 0 {
            at = self.part_of(b, scope, at);
            displacement = 8;
        }
        if self.pick(2) == 0 {
            let value = self.of_type(b, scope, ty);
            let value = self.convert(b, value, memory_type);
            b.store(at, displacement, value, Alias::Private(object));
        } else {
            let value = b.load(memory_type, at, displacement, Alias::Private(object));
            scope.values.push(self.convert(b, value, ty));
        }
    }
}
