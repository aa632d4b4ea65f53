//! Locals with their names, for debuggers and messages: what the macro says of each that is used.

use std::panic::Location;

use crate::ir::{Alias, Shape};
use crate::lang::base::staged::Staged;
use crate::lang::place::access::{Mutable, Place};
use crate::lang::place::local::Local;
use crate::lang::recorder::{
    At, Holder, NamedLocal, PlaceRef, Root, keep_name, keeps_names, name_object, type_of,
};
use crate::types::{DeviceType, Element, Leaf};

/// A place in the user's source.
#[doc(hidden)]
#[track_caller]
#[must_use]
pub fn here() -> &'static Location<'static> {
    Location::caller()
}

/// A local that has been given a value.
#[doc(hidden)]
#[derive(Debug)]
pub struct NamedValue<'a, T> {
    name: &'static str,
    after: At,
    until: At,
    is_param: bool,
    value: &'a T,
}

/// `value` is called `name` from here on, until there.
#[doc(hidden)]
#[track_caller]
pub fn named<'a, T>(name: &'static str, until: At, value: &'a T) -> NamedValue<'a, T> {
    NamedValue {
        name,
        after: Location::caller(),
        until,
        is_param: false,
        value,
    }
}

/// The same of a parameter of the kernel.
#[doc(hidden)]
#[track_caller]
pub fn named_param<'a, T>(name: &'static str, until: At, value: &'a T) -> NamedValue<'a, T> {
    NamedValue {
        name,
        after: Location::caller(),
        until,
        is_param: true,
        value,
    }
}

/// A local, or a parameter, that nothing uses: debuggers know of it, and that its value is gone.
#[doc(hidden)]
#[track_caller]
pub fn named_unused(name: &'static str, until: At, is_param: bool) {
    named_gone(name, Location::caller(), until, is_param);
}

fn named_gone(name: &'static str, after: At, until: At, is_param: bool) {
    if !keeps_names() {
        return;
    }
    let NamedHolder {
        shape,
        leaves,
        holder,
    } = NamedHolder::gone();
    keep_name(NamedLocal {
        name,
        after,
        until,
        is_param,
        shape,
        leaves,
        holder,
    });
}

impl<T: Nameable> NamedValue<'_, T> {
    /// Keeps the name, if somebody wants that.
    pub fn keep(self) {
        self.kept(true);
    }

    /// The same of what has no value yet.
    pub fn keep_unset(self) {
        self.kept(false);
    }

    fn kept(self, is_set: bool) {
        self.value.is_called(self.name);
        if !keeps_names() {
            return;
        }
        let Some(shown) = self.value.holder(is_set) else {
            return;
        };
        let NamedHolder {
            shape,
            leaves,
            holder,
        } = shown;
        keep_name(NamedLocal {
            name: self.name,
            after: self.after,
            until: self.until,
            is_param: self.is_param,
            shape,
            leaves,
            holder,
        });
    }
}

/// Locals of which there is nothing to be shown but that they are there: what the language has no values for, such as
/// closures.
#[doc(hidden)]
pub trait Unnamed: Sized {
    /// Keeps the name alone.
    fn keep(self);

    /// The same of what has no value yet.
    fn keep_unset(self);
}

impl<T> Unnamed for NamedValue<'_, T> {
    fn keep(self) {
        named_gone(self.name, self.after, self.until, self.is_param);
    }

    fn keep_unset(self) {
        self.keep();
    }
}

/// What a debugger can be shown.
#[doc(hidden)]
pub trait Nameable {
    /// What it is, its words, and what holds them.
    #[doc(hidden)]
    fn holder(&self, is_set: bool) -> Option<NamedHolder>;

    /// What it is called, of what has the name also where nobody wants to debug the kernel.
    #[doc(hidden)]
    fn is_called(&self, _name: &str) {}
}

/// What a value is, its words, and what holds them.
#[doc(hidden)]
#[derive(Debug)]
pub struct NamedHolder {
    shape: Shape,
    leaves: Vec<Leaf>,
    holder: Holder,
}

impl NamedHolder {
    fn new(shape: Shape, leaves: Vec<Leaf>, holder: Holder) -> Option<Self> {
        Some(Self {
            shape,
            leaves,
            holder,
        })
    }

    /// Of what there is nothing to be shown but that it is there.
    fn gone() -> Self {
        Self {
            shape: Shape::Struct {
                name: "_".to_owned(),
                size: 0,
                fields: Vec::new(),
            },
            leaves: Vec::new(),
            holder: Holder::Values(Vec::new()),
        }
    }
}

fn leaves<S: Staged>() -> Vec<Leaf> {
    let mut leaves = Vec::new();
    S::leaves(&mut leaves);
    leaves
}

impl<S: Staged> Nameable for S {
    fn holder(&self, _: bool) -> Option<NamedHolder> {
        let mut values = Vec::new();
        self.values(&mut values);
        NamedHolder::new(S::shape(), leaves::<S>(), Holder::Values(values))
    }
}

impl<S: Staged> Nameable for Mutable<S> {
    fn holder(&self, is_set: bool) -> Option<NamedHolder> {
        let place = of_place::<S>(self.position(), "&mut ", is_set);
        Some(place.unwrap_or_else(NamedHolder::gone))
    }
}

impl<T: DeviceType> Nameable for Place<T> {
    fn holder(&self, is_set: bool) -> Option<NamedHolder> {
        let place = of_place::<crate::lang::Lane<T>>(self.position(), "&", is_set);
        Some(place.unwrap_or_else(NamedHolder::gone))
    }
}

/// A place: a local of its own, or a reference to something in memory.
fn of_place<S: Staged>(
    position: PlaceRef,
    sigil: &'static str,
    is_set: bool,
) -> Option<NamedHolder> {
    let shape = S::shape();
    if let Some(first) = position.first_variable() {
        let holder = Holder::Variables { first, is_set };
        return NamedHolder::new(shape, leaves::<S>(), holder);
    }
    if let Some(values) = position.listed(leaves::<S>().len()) {
        return NamedHolder::new(shape, leaves::<S>(), Holder::Values(values));
    }
    let (root, offset) = position.in_memory()?;
    match root {
        Root::Memory {
            alias: Alias::Private(id),
            check: None,
            ..
        } => NamedHolder::new(shape, leaves::<S>(), Holder::Private(id, offset)),
        Root::Memory {
            addr, check: None, ..
        } if offset == 0 => {
            let to = Box::new(shape);
            let word = vec![Leaf::new(0, type_of(addr))];
            let holder = Holder::Values(vec![addr]);
            NamedHolder::new(Shape::Pointer { sigil, to }, word, holder)
        }
        // What is checked has no address yet.
        Root::Memory { .. } | Root::Variables | Root::Values(_) => None,
    }
}

impl<T: Element> Nameable for Local<T> {
    fn holder(&self, _: bool) -> Option<NamedHolder> {
        let addr = self.address();
        let to = Box::new(T::shape());
        let word = vec![Leaf::new(0, type_of(addr))];
        let holder = Holder::Values(vec![addr]);
        let sigil = "&mut ";
        NamedHolder::new(Shape::Pointer { sigil, to }, word, holder)
    }

    fn is_called(&self, name: &str) {
        name_object(self.id(), name, T::shape);
    }
}
