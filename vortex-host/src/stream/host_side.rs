//! Host operations in the order of a stream, for example sending elements elsewhere or computing with them.

use std::fmt;

use vortex_kernel::meta::Element;

use super::{Pending, Stream};
use crate::device::buffer::DeviceSlice;
use crate::device::elements::Elements;
use crate::error::{Error, MemoryError, Result};

/// The device memory that an operation of the host may use while it runs: see [`Stream::enqueue_host`].
pub struct HostSide<T: Element> {
    reads: Option<Elements<T>>,
    writes: Option<Elements<T>>,
}

impl<T: Element> HostSide<T> {
    /// Copies the elements that the operation reads to the host; if it reads none, those that it writes.
    ///
    /// # Errors
    /// If the device cannot be read, or holds something that is not a `T`.
    pub fn read(&self) -> Result<Vec<T>> {
        match self.reads.as_ref().or(self.writes.as_ref()) {
            Some(elements) => elements.read(),
            None => Ok(Vec::new()),
        }
    }

    /// Copies `data`, which must be of the same length, to the memory that the operation writes.
    ///
    /// # Errors
    /// If it is of another length, or the device cannot be written.
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        match &self.writes {
            Some(elements) => elements.write(data),
            None if data.is_empty() => Ok(()),
            None => Err(Error::Memory(MemoryError::LengthMismatch {
                host: data.len(),
                device: 0,
                at: None,
            })),
        }
    }
}

impl<T: Element> fmt::Debug for HostSide<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = |elements: &Option<Elements<T>>| elements.as_ref().map(|found| found.len);
        f.debug_struct("HostSide")
            .field("reads", &len(&self.reads))
            .field("writes", &len(&self.writes))
            .finish()
    }
}

impl Stream {
    /// Runs `work` on the host in the order of the stream: on the stream's thread, after earlier operations of the
    /// stream and after anything that uses the same memory. Other streams, and the host's own accesses, wait for it
    /// likewise.
    ///
    /// `work` is called in any case. If a failure has stopped the stream, or the memory is another device's, it gets
    /// the error instead of the memory, and should return it after it has notified those that count on the operation.
    ///
    /// It must not wait for what needs the same memory: that waits for `work`.
    ///
    /// ```
    /// # fn main() -> vortex_host::Result<()> {
    /// let device = vortex_host::Device::open()?;
    /// let stream = device.stream()?;
    /// let mut buffer = device.upload(&[3, 1, 2])?;
    /// let sorted = stream.enqueue_host(None, Some(&mut *buffer), |memory| {
    ///     let mut memory = memory?;
    ///     let mut values = memory.read()?;
    ///     values.sort_unstable();
    ///     memory.write(&values)
    /// });
    /// sorted.wait()?;
    /// assert_eq!(buffer.download()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn enqueue_host<'a, T: Element, R: Send + 'static>(
        &self,
        reads: Option<&'a DeviceSlice<T>>,
        writes: Option<&'a mut DeviceSlice<T>>,
        work: impl FnOnce(Result<HostSide<T>>) -> Result<R> + Send + 'static,
    ) -> Pending<'a, R> {
        let writes = writes.map(|slice| &*slice);
        let own: Result<()> = reads
            .iter()
            .chain(&writes)
            .try_for_each(|slice| self.owns(slice));
        let accesses: Vec<_> = reads
            .iter()
            .map(|slice| slice.access(false))
            .chain(writes.iter().map(|slice| slice.access(true)))
            .collect();
        let memory = HostSide {
            reads: reads.map(DeviceSlice::place),
            writes: writes.map(DeviceSlice::place),
        };
        let work = move |skip: Option<Error>| work(skip.map_or(own, Err).map(|()| memory));
        Pending::new(self.enqueue_anyway(&accesses, work))
    }
}
