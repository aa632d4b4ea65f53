//! An item's access to its group's local memory, for the duration of its turn.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::rc::Rc;
use std::slice;

use vortex_kernel::meta::Element;

use super::memory::Memory;
use super::turn::Turn;

impl<'a> Turn<'a> {
    /// What `local::<T>()` at this place of the kernel is to the item.
    pub fn local<T: Element>(&self, site: u32) -> LentLocal<'a, T> {
        self.local_of(site, 1)
    }

    /// What a `&mut Local<[T]>` parameter is to the item.
    pub fn local_of<T: Element>(&self, site: u32, len: usize) -> LentLocal<'a, T> {
        LentLocal::new(&self.group.memory, site, len, self.item(), &self.lent)
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
