//! Names of locals, which are kept only where somebody wants to debug a kernel.
//!
//! A local with a name has a copy of its value in private memory, where a debugger finds it: whenever it is given one,
//! that is stored there, too. Nothing is ever loaded from these copies, so that what the kernel does, and which values
//! its lanes have in common, is the same with and without.

use std::cell::Cell;
use std::collections::HashMap;

use super::{At, Recorder, with};
use crate::ir::{
    Alias, LocalId, LocalPlace, NamedLocal, NamedObject, Op, PrivateId, Shape, SourceLoc, Value,
    Var,
};
use crate::types::Leaf;

/// Bytes of copies that an item has at most: a half of its stack.
const ROOM: u32 = 4 << 10;

/// Bytes of a copy at most.
const MOST: u32 = 256;

thread_local! {
    static IS_ON: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`, in which kernels that are recorded keep the names of their locals.
pub fn with_names<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IS_ON.set(self.0);
        }
    }

    let _restore = Restore(IS_ON.replace(true));
    f()
}

/// Whether a recorder that begins now keeps names.
pub(super) fn is_on() -> bool {
    IS_ON.get()
}

/// What holds a local.
#[derive(Debug)]
pub(in crate::lang) enum Holder {
    /// These values, one for each word.
    Values(Vec<Value>),
    /// Variables, numbered from this one; `is_set` says whether they hold something by now.
    Variables { first: Var, is_set: bool },
    /// An object in private memory, so far in.
    Private(PrivateId, u32),
}

/// A local that has been given a name.
pub(in crate::lang) struct Local {
    pub(in crate::lang) name: &'static str,
    pub(in crate::lang) after: At,
    pub(in crate::lang) until: At,
    pub(in crate::lang) is_param: bool,
    pub(in crate::lang) shape: Shape,
    pub(in crate::lang) leaves: Vec<Leaf>,
    pub(in crate::lang) holder: Holder,
}

/// What a recorder keeps.
#[derive(Default)]
pub(super) struct Names {
    /// The number of each local, by its name and where it is declared: one in a function that is called twice, or in a
    /// loop that is unrolled, is the same each time.
    known: HashMap<(&'static str, At), usize>,
    /// Where the words of variables are copied to.
    copies: HashMap<Var, (PrivateId, u32)>,
    bytes: u32,
}

/// Whether names are kept.
pub(in crate::lang) fn keeps_names() -> bool {
    with(|recorder| recorder.names.is_some() && !recorder.is_dead())
}

/// Keeps what an object in local memory is called where it is declared, which is before a function calls it otherwise.
pub(in crate::lang) fn name_object(id: LocalId, name: &str, shape: impl FnOnce() -> Shape) {
    with(|recorder| {
        let kept = &mut recorder.function.local_names[id];
        kept.get_or_insert_with(|| NamedObject {
            name: name.to_owned(),
            shape: shape(),
            period: None,
        });
    });
}

/// Keeps a name.
pub(in crate::lang) fn keep_name(local: Local) {
    with(|recorder| recorder.keep_name(local));
}

impl Recorder {
    fn keep_name(&mut self, local: Local) {
        let Local {
            after,
            shape,
            leaves,
            holder,
            ..
        } = &local;
        let Some(names) = &self.names else { return };
        let known = names.known.get(&(local.name, *after)).copied();
        // Of another instance of a generic function: it is of another type, for which the copy may have no room.
        if known.is_some_and(|known| self.function.names[known].shape != *shape) {
            return;
        }
        let place = match (known, holder) {
            (Some(known), Holder::Private(id, offset)) => {
                let here = Some(LocalPlace::Private(*id, *offset));
                let named = &mut self.function.names[known];
                // One that is elsewhere each time is nowhere in particular.
                named.place = named.place.filter(|_| named.place == here);
                named.place
            }
            (Some(known), _) => self.function.names[known].place,
            (None, Holder::Private(id, offset)) => Some(LocalPlace::Private(*id, *offset)),
            // Only a parameter is always there; a local may be another value the next time.
            (None, Holder::Values(values))
                if local.is_param
                    && let Some(offset) = self.argument(values, leaves) =>
            {
                Some(LocalPlace::Argument(offset))
            }
            (None, _) => {
                let ends = leaves.iter().map(|leaf| leaf.offset + leaf.ty.bytes());
                let size = ends.max().unwrap_or(0).max(shape.size());
                let id = self.room_for(size, after);
                id.map(|id| LocalPlace::Private(id, 0))
            }
        };
        match holder {
            Holder::Values(values) => {
                for (leaf, value) in leaves.iter().zip(values) {
                    self.copy(place, leaf.offset, *value, after);
                }
            }
            Holder::Variables { first, is_set } => {
                for (leaf, number) in leaves.iter().zip(first.as_u32()..) {
                    let var = Var::from_u32(number);
                    if let (Some(LocalPlace::Private(id, offset)), Some(names)) =
                        (place, &mut self.names)
                    {
                        names.copies.insert(var, (id, offset + leaf.offset));
                    }
                    if *is_set {
                        let value = self.function.new_value(leaf.ty);
                        self.push(vec![value], Op::VarGet(var), after);
                        self.copy(place, leaf.offset, value, after);
                    }
                }
            }
            Holder::Private(..) => {}
        }
        if known.is_none()
            && let Some(names) = &mut self.names
        {
            let number = self.function.names.len();
            names.known.insert((local.name, local.after), number);
            self.function.names.push(NamedLocal {
                name: local.name.to_owned(),
                shape: local.shape,
                after: SourceLoc::from_caller(local.after),
                until: SourceLoc::from_caller(local.until),
                is_param: local.is_param,
                place,
            });
        }
    }

    /// Where in the argument struct values lie, if they are those of a parameter.
    fn argument(&self, values: &[Value], leaves: &[Leaf]) -> Option<u32> {
        let offset = |value: &Value| {
            let mut params = self.function.params.iter();
            let param = params.find(|param| param.value == *value)?;
            Some(param.offset)
        };
        let start = offset(values.first()?)?.checked_sub(leaves.first()?.offset)?;
        let mut words = values.iter().zip(leaves);
        words
            .all(|(value, leaf)| offset(value) == Some(start + leaf.offset))
            .then_some(start)
    }

    /// An object for copies, if there is room for one more.
    fn room_for(&mut self, size: u32, at: At) -> Option<PrivateId> {
        let names = self.names.as_mut()?;
        if size == 0 || size > MOST || names.bytes + size > ROOM {
            return None;
        }
        names.bytes += size;
        Some(self.new_object(size, "a copy for debuggers", at))
    }

    /// Stores a value where a debugger looks for it.
    fn copy(&mut self, place: Option<LocalPlace>, offset: u32, value: Value, at: At) {
        let Some(LocalPlace::Private(id, start)) = place else {
            return;
        };
        let (ptr, alias) = (self.address_of(id, at), Alias::Private(id));
        let offset = (start + offset).cast_signed();
        let store = Op::Store {
            ptr,
            value,
            offset,
            alias,
        };
        self.push(Vec::new(), store, at);
    }

    /// A variable has been given a value.
    pub(super) fn copy_of_var(&mut self, var: Var, value: Value, at: At) {
        let names = self.names.as_ref();
        let place = names.and_then(|names| names.copies.get(&var).copied());
        if let Some((id, offset)) = place {
            self.copy(Some(LocalPlace::Private(id, offset)), 0, value, at);
        }
    }
}
