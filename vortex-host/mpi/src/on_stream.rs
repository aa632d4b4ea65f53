//! Operations between ranks that the host does not wait for: operations of a stream.

use std::fmt;
use std::sync::Arc;

use vortex::meta::Element;
use vortex::{DeviceSlice, Pending, Stream};

use crate::collective::Collective;
use crate::error::Result;
use crate::link::Link;
use crate::number::{Number, Reduction};

/// What [`World::on`](crate::World::on) gives: the operations of a [`World`](crate::World), in a stream.
///
/// Each has its place among the ranks' operations when it is enqueued, so ranks that enqueue in the same order fit
/// together, whatever their streams do first. Waiting for one returns a [`vortex::Error`]; `?` in a function that
/// returns [`vortex_mpi::Result`](crate::Result) makes it this crate's [`Error`](crate::Error) again.
///
/// A stream that a failure has stopped does not leave the other ranks waiting: its operations take part as failed
/// ones, so the others get an error that names this rank and the failure.
pub struct OnStream<'w> {
    link: &'w Arc<Link>,
    stream: &'w Stream,
}

impl<'w> OnStream<'w> {
    pub(crate) fn new(link: &'w Arc<Link>, stream: &'w Stream) -> Self {
        Self { link, stream }
    }

    /// [`World::send`](crate::World::send).
    ///
    /// # Errors
    /// If there is no such rank; the rest is in what it returns.
    pub fn send<'a, T: Element>(
        &self,
        to: usize,
        from: &'a DeviceSlice<T>,
    ) -> Result<Pending<'a, ()>> {
        let (link, rank) = (Arc::clone(self.link), self.link.known(to)?);
        let turn = link.sends[to].turn();
        Ok(self.stream.enqueue_host(Some(from), None, move |memory| {
            let result = link.send(&turn, rank, memory);
            link.noted(result).map_err(|error| error.in_stream())
        }))
    }

    /// [`World::receive`](crate::World::receive).
    ///
    /// # Errors
    /// If there is no such rank; the rest is in what it returns.
    pub fn receive<'a, T: Element>(
        &self,
        from: usize,
        to: &'a mut DeviceSlice<T>,
    ) -> Result<Pending<'a, ()>> {
        let (link, rank, count) = (Arc::clone(self.link), self.link.known(from)?, to.len());
        let turn = link.receives[from].turn();
        Ok(self.stream.enqueue_host(None, Some(to), move |memory| {
            let result = link.receive(&turn, rank, count, memory);
            link.noted(result).map_err(|error| error.in_stream())
        }))
    }

    /// [`World::broadcast`](crate::World::broadcast).
    pub fn broadcast<'a, T: Element>(
        &self,
        root: usize,
        buffer: &'a mut DeviceSlice<T>,
    ) -> Pending<'a, ()> {
        let operation = Collective::broadcast(self.link, root, buffer.len());
        self.enqueue(operation, None, Some(buffer))
    }

    /// [`World::scatter`](crate::World::scatter).
    pub fn scatter<'a, T: Element>(
        &self,
        root: usize,
        whole: Option<&'a DeviceSlice<T>>,
        part: &'a mut DeviceSlice<T>,
    ) -> Pending<'a, ()> {
        let len = whole.map(DeviceSlice::len);
        let operation = Collective::scatter(self.link, root, len, part.len());
        self.enqueue(operation, whole, Some(part))
    }

    /// [`World::gather`](crate::World::gather).
    pub fn gather<'a, T: Element>(
        &self,
        root: usize,
        part: &'a DeviceSlice<T>,
        whole: Option<&'a mut DeviceSlice<T>>,
    ) -> Pending<'a, ()> {
        let len = whole.as_ref().map(|whole| whole.len());
        let operation = Collective::gather(self.link, root, part.len(), len);
        self.enqueue(operation, Some(part), whole)
    }

    /// [`World::all_gather`](crate::World::all_gather).
    pub fn all_gather<'a, T: Element>(
        &self,
        part: &'a DeviceSlice<T>,
        whole: &'a mut DeviceSlice<T>,
    ) -> Pending<'a, ()> {
        let operation = Collective::all_gather(self.link, part.len(), whole.len());
        self.enqueue(operation, Some(part), Some(whole))
    }

    /// [`World::reduce`](crate::World::reduce).
    pub fn reduce<'a, T: Number>(
        &self,
        root: usize,
        reduction: Reduction,
        from: &'a DeviceSlice<T>,
        result: Option<&'a mut DeviceSlice<T>>,
    ) -> Pending<'a, ()> {
        let len = result.as_ref().map(|result| result.len());
        let operation = Collective::reduce(self.link, root, reduction, from.len(), len);
        self.enqueue(operation, Some(from), result)
    }

    /// [`World::all_reduce`](crate::World::all_reduce).
    pub fn all_reduce<'a, T: Number>(
        &self,
        reduction: Reduction,
        from: &'a DeviceSlice<T>,
        result: &'a mut DeviceSlice<T>,
    ) -> Pending<'a, ()> {
        let operation = Collective::all_reduce(self.link, reduction, from.len(), result.len());
        self.enqueue(operation, Some(from), Some(result))
    }

    fn enqueue<'a, T: Element>(
        &self,
        operation: Collective<T>,
        reads: Option<&'a DeviceSlice<T>>,
        writes: Option<&'a mut DeviceSlice<T>>,
    ) -> Pending<'a, ()> {
        self.stream.enqueue_host(reads, writes, move |memory| {
            operation.run(memory).map_err(|error| error.in_stream())
        })
    }
}

impl fmt::Debug for OnStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnStream")
            .field("stream", self.stream)
            .finish_non_exhaustive()
    }
}
