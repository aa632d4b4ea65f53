//! Operations that borrow host memory, bounded by a scope.

use std::marker::PhantomData;
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

use vortex_kernel::meta::Element;

use super::pending::Slot;
use super::{Pending, Stream};
use crate::device::buffer::DeviceSlice;
use crate::error::Result;
use crate::hazards::AccessRange;
use crate::hazards::Completion;

/// What [`Stream::scope`] hands to its closure: enqueues operations that borrow host memory until the scope ends.
pub struct Scope<'scope, 'env: 'scope> {
    stream: &'scope Stream,
    /// The last operation of the scope; those before it are done when it is.
    last: Mutex<Option<Arc<Completion>>>,
    /// Invariant, as in `std::thread::Scope`.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl Stream {
    /// Calls `f` with a scope in which operations can borrow host memory. Returns when they are done, also if `f`
    /// panics.
    ///
    /// Errors of operations are returned by their [`Pending`] or by [`Stream::wait`].
    pub fn scope<'env, R>(
        &'env self,
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> R {
        /// Waits, whatever way the scope is left.
        struct End<'a>(&'a Mutex<Option<Arc<Completion>>>);

        impl Drop for End<'_> {
            fn drop(&mut self) {
                let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(last) = &*last {
                    last.wait();
                }
            }
        }

        let scope = Scope {
            stream: self,
            last: Mutex::new(None),
            scope: PhantomData,
            env: PhantomData,
        };
        let _end = End(&scope.last);
        f(&scope)
    }
}

impl<'scope> Scope<'scope, '_> {
    /// The stream that operations of this scope are enqueued on.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.stream
    }

    /// Copies `data`, which must be of the same length, to the device.
    #[track_caller]
    pub fn enqueue_write<'a, T: Element>(
        &'scope self,
        to: &'a mut DeviceSlice<T>,
        data: &'scope [T],
    ) -> Pending<'a, ()> {
        let (own, place) = (self.stream.owns(to), to.place());
        let here = Location::caller();
        Pending::new(self.enqueue(to.access(true), move || {
            own?;
            let written = place.write(data);
            written.map_err(|error| error.of_memory_at(here))
        }))
    }

    /// Copies the elements to a host slice of the same length.
    #[track_caller]
    pub fn enqueue_read<'a, T: Element>(
        &'scope self,
        from: &'a DeviceSlice<T>,
        to: &'scope mut [T],
    ) -> Pending<'a, ()> {
        let (own, place) = (self.stream.owns(from), from.place());
        let here = Location::caller();
        Pending::new(self.enqueue(from.access(false), move || {
            own?;
            let read = place.read_into(to);
            read.map_err(|error| error.of_memory_at(here))
        }))
    }

    fn enqueue(
        &'scope self,
        access: AccessRange,
        work: impl FnOnce() -> Result<()> + Send + 'scope,
    ) -> Arc<Slot<()>> {
        let work: Box<dyn FnOnce() -> Result<()> + Send + 'scope> = Box::new(work);
        // SAFETY: only the lifetime changes. The closure is called or dropped before its operation is done, and
        // `Stream::scope` does not return before that: no value that the user can leak has a part in it. It borrows
        // nothing that ends before the scope does.
        let work: Box<dyn FnOnce() -> Result<()> + Send + 'static> =
            unsafe { std::mem::transmute(work) };
        // Held until `last` is right, so that two threads cannot note theirs in another order than they enqueue.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = self.stream.enqueue(&[access], work);
        *last = Some(Arc::clone(&slot.completion));
        slot
    }
}
