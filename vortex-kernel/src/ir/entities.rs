//! Typed ids of a function's entities, and maps by them: a [`PrimaryMap`] owns what an id stands for, a
//! [`SecondaryMap`] adds to it.

use super::{Function, Type};
use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};

pub use cranelift_entity::packed_option::ReservedValue;
pub use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap};

macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident $prefix:literal)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        entity_impl!($name, $prefix);
    )*};
}

entities! {
    /// An SSA value: its type is in [`Function::values`].
    Value "v"
    /// A mutable local of the staged form: its type is in [`Function::vars`].
    Var "m"
    /// An object in local memory, of [`Function::locals`].
    LocalId "l"
    /// An object in private memory, of [`Function::privates`].
    PrivateId "p"
    /// Constant data, of [`Function::data`].
    DataId "d"
    /// Names a loop or scope of the staged form, so that `break` and `continue` survive any rewrapping.
    Label "L"
    /// A place in the user's source, of [`Function::locs`].
    Loc "@"
    /// A message, of [`Function::messages`].
    #[derive(Serialize, Deserialize)]
    MessageId "t"
}

impl Loc {
    /// The location of code the compiler made up. Always entry 0 of [`Function::locs`].
    pub const NONE: Self = Self(0);
}

impl Function {
    /// A map that says `of` of every value there is.
    #[must_use]
    pub fn map_values<V: Clone>(&self, of: V) -> SecondaryMap<Value, V> {
        sized(self.values.len(), of)
    }

    /// A map that says `of` of every mutable local there is.
    #[must_use]
    pub fn map_vars<V: Clone>(&self, of: V) -> SecondaryMap<Var, V> {
        sized(self.vars.len(), of)
    }

    /// A new value of type `ty`.
    pub fn new_value(&mut self, ty: Type) -> Value {
        self.values.push(ty)
    }
}

fn sized<K: EntityRef, V: Clone>(count: usize, of: V) -> SecondaryMap<K, V> {
    let mut map = SecondaryMap::with_default(of);
    map.resize(count);
    map
}
