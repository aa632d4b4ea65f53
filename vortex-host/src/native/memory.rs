//! Local memory, shared by the items of a group.

use std::any::Any;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use vortex_kernel::meta::Element;

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
        let zero = || {
            T::from_bytes(&zeros).unwrap_or_else(|| {
                panic!(
                    "local memory of this type has no first value on the host: no bytes of zeros are one of its values"
                )
            })
        };
        let elements: Box<[T]> = (0..len).map(|_| zero()).collect();
        let elements = Box::leak(elements);
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
    pub(super) fn at<T: Element>(&self, site: u32, len: usize) -> NonNull<T> {
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
