//! A kernel's arguments on the host, and each work item's share of them.

use std::cell::Cell;
use std::marker::PhantomData;
use std::slice;

use super::turn::{ItemId, Turn};

/// All arguments of a kernel: a list, `(a, (b, (c, ())))`.
pub trait HostArguments: Sync {
    /// What one work item has of them.
    type OfItem;

    /// What this item has of them.
    fn of_item(&self, item: &ItemId) -> Self::OfItem;

    /// Elements of the first `&mut [T]`.
    fn elements(&self) -> Option<usize>;
}

impl HostArguments for () {
    type OfItem = ();

    fn of_item(&self, _: &ItemId) {}

    fn elements(&self) -> Option<usize> {
        None
    }
}

impl<A: HostArgument, Rest: HostArguments> HostArguments for (A, Rest) {
    type OfItem = (A::OfItem, Rest::OfItem);

    fn of_item(&self, item: &ItemId) -> Self::OfItem {
        (self.0.of_item(item), self.1.of_item(item))
    }

    fn elements(&self) -> Option<usize> {
        self.0.elements().or_else(|| self.1.elements())
    }
}

/// One argument.
pub trait HostArgument: Sync {
    /// What one work item has of it.
    type OfItem;

    /// What this item has of it.
    fn of_item(&self, item: &ItemId) -> Self::OfItem;

    /// Elements, if it is a `&mut [T]`.
    fn elements(&self) -> Option<usize> {
        None
    }
}

/// A value, or a `&[T]`: each item has the same.
#[derive(Debug)]
pub struct Given<T>(pub T);

impl<T: Copy + Sync> HostArgument for Given<T> {
    type OfItem = T;

    fn of_item(&self, _: &ItemId) -> T {
        self.0
    }
}

/// A `*const T` or a `*mut T`.
#[derive(Debug)]
pub struct Address<P>(P);

/// What addresses are.
pub trait Pointer: Copy {}

impl<T> Pointer for *const T {}

impl<T> Pointer for *mut T {}

impl<P: Pointer> Address<P> {
    /// This address.
    pub const fn of(pointer: P) -> Self {
        Self(pointer)
    }
}

// SAFETY: an address is a number. Who reads or writes where it leads does so in `unsafe` blocks of their own.
unsafe impl<P: Pointer> Sync for Address<P> {}

impl<P: Pointer> HostArgument for Address<P> {
    type OfItem = P;

    fn of_item(&self, _: &ItemId) -> P {
        self.0
    }
}

/// A `&mut [T]`, which the items have one after the other.
#[derive(Debug)]
pub struct Exclusive<'a, T> {
    first: *mut T,
    len: usize,
    borrowed: PhantomData<&'a mut [T]>,
}

impl<'a, T: Send> Exclusive<'a, T> {
    /// This slice.
    pub const fn of(slice: &'a mut [T]) -> Self {
        Self {
            first: slice.as_mut_ptr(),
            len: slice.len(),
            borrowed: PhantomData,
        }
    }
}

// SAFETY: nothing is read or written but through what `Lent::lend` gives, to one item, and so in one thread, at a time;
// `T: Send` is asked for where one is made.
unsafe impl<T> Sync for Exclusive<'_, T> {}

impl<'a, T> HostArgument for Exclusive<'a, T> {
    type OfItem = Lent<'a, T>;

    fn of_item(&self, item: &ItemId) -> Lent<'a, T> {
        Lent {
            first: self.first,
            len: self.len,
            item: item.number(),
            last: Cell::new(None),
            borrowed: PhantomData,
        }
    }

    fn elements(&self) -> Option<usize> {
        Some(self.len)
    }
}

/// What one item has of a `&mut [T]`: the slice, whenever it is the item's turn. There is one for each item and slice,
/// since the numbers of items are made here only.
#[derive(Debug)]
pub struct Lent<'a, T> {
    first: *mut T,
    len: usize,
    item: u64,
    /// The last turn it was lent for.
    last: Cell<Option<u64>>,
    borrowed: PhantomData<&'a mut [T]>,
}

impl<T> Lent<'_, T> {
    /// The slice, until the item lets others run.
    ///
    /// # Panics
    /// If it has been lent for this turn, or this is another item's, which is not so in code that the macro makes.
    #[allow(
        clippy::mut_from_ref,
        reason = "once for each turn, which is borrowed, too"
    )]
    pub fn lend<'t>(&'t self, turn: &'t Turn<'_>) -> &'t mut [T] {
        turn.lend(self.item, &self.last);
        // SAFETY: pointer and length are those of a slice that is borrowed mutably for longer than this. It is the only
        // reference into it: this item is lent it once in each turn, which it borrows, and `Turn::barrier` has a turn
        // mutably before it lets other items run.
        unsafe { slice::from_raw_parts_mut(self.first, self.len) }
    }
}
