//! Local memory: what the items of a group have in common.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::rc::Rc;
use std::slice;
use std::sync::{Mutex, PoisonError};

use vortex_kernel::meta::Element;

use super::turn::Turn;

/// The local memory of a group, by its places in the kernel. What one group leaves there the next one finds.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<HashMap<u32, Box<dyn Any + Send>>>);

/// Elements at an address of their own.
struct Block<T> {
    first: NonNull<T>,
    len: usize,
}

// SAFETY: it owns its elements, as a `Box<[T]>` does; those of elements can be sent.
unsafe impl<T: Element> Send for Block<T> {}

impl<T: Element> Block<T> {
    fn new(len: usize) -> Self {
        let zeros = vec![0; size_of::<T>()];
        let Some(zero) = T::from_bytes(&zeros) else {
            panic!(
                "local memory of this type has no first value on the host: no bytes of zeros are one of its values"
            );
        };
        let elements = Box::leak(vec![zero; len].into_boxed_slice());
        Self {
            first: NonNull::from(elements).cast(),
            len,
        }
    }
}

impl<T> Drop for Block<T> {
    fn drop(&mut self) {
        let elements = NonNull::slice_from_raw_parts(self.first, self.len);
        // SAFETY: this is the box that `new` has leaked.
        drop(unsafe { Box::from_raw(elements.as_ptr()) });
    }
}

impl Memory {
    /// The elements at a place of the kernel.
    fn at<T: Element>(&self, site: u32, len: usize) -> NonNull<T> {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let block = blocks
            .entry(site)
            .or_insert_with(|| Box::new(Block::<T>::new(len)));
        match block.downcast_ref::<Block<T>>() {
            Some(block) if block.len == len => block.first,
            _ => panic!("internal error: two kinds of local memory at one place of a kernel"),
        }
    }
}

/// What one item has of local memory: the elements, whenever it is the item's turn.
#[derive(Debug)]
pub struct LentLocal<'a, T> {
    first: NonNull<T>,
    len: usize,
    site: u32,
    item: u64,
    /// The last turn they were lent for.
    last: Cell<Option<u64>>,
    lent: Rc<RefCell<Vec<u32>>>,
    memory: PhantomData<&'a Memory>,
}

impl<'a, T: Element> LentLocal<'a, T> {
    pub(super) fn new(
        memory: &'a Memory,
        site: u32,
        len: usize,
        item: u64,
        lent: &Rc<RefCell<Vec<u32>>>,
    ) -> Self {
        let is_lent = lent.borrow().contains(&site);
        assert!(
            !is_lent,
            "internal error: local memory is lent twice to one item"
        );
        lent.borrow_mut().push(site);
        Self {
            first: memory.at(site, len),
            len,
            site,
            item,
            last: Cell::new(None),
            lent: lent.clone(),
            memory: PhantomData,
        }
    }

    /// The elements, until the item lets others run.
    ///
    /// # Panics
    /// If they have been lent for this turn, or this is another item's, which is not so in code that the macro makes.
    #[allow(
        clippy::mut_from_ref,
        reason = "once for each turn, which is borrowed, too"
    )]
    pub fn lend_slice<'t>(&'t self, turn: &'t Turn<'_>) -> &'t mut [T] {
        turn.lend(self.item, &self.last);
        // SAFETY: the group's memory has this many elements here for as long as it lives. This is the only reference
        // to them: the item is lent each place by one of these at a time, once in each turn, which it borrows, and
        // `Turn::barrier` has a turn mutably before it lets other items run.
        unsafe { slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }

    /// The one element of what has been declared in the kernel.
    ///
    /// # Panics
    /// As [`Self::lend_slice`].
    #[allow(clippy::mut_from_ref, reason = "as above")]
    pub fn lend<'t>(&'t self, turn: &'t Turn<'_>) -> &'t mut T {
        match self.lend_slice(turn) {
            [element, ..] => element,
            [] => panic!("internal error: local memory without elements"),
        }
    }
}

impl<T> Drop for LentLocal<'_, T> {
    fn drop(&mut self) {
        self.lent.borrow_mut().retain(|site| *site != self.site);
    }
}
