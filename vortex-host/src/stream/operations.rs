//! Copies between host and device, and on the device.

use std::panic::Location;

use vortex_kernel::meta::Element;

use super::{Pending, Stream};
use crate::device::buffer::DeviceSlice;
use crate::error::{Error, Result, StreamError};

impl Stream {
    /// Copies `data`, which must be of the same length, to the device, and returns the `Vec` that it was in.
    ///
    /// [`Pending::wait`] returns an error if the length is another one, if the memory is another device's, if the
    /// device cannot be written, or if an earlier operation of the stream has failed.
    #[track_caller]
    pub fn enqueue_write<'a, T: Element>(
        &self,
        to: &'a mut DeviceSlice<T>,
        data: impl Into<Vec<T>>,
    ) -> Pending<'a, Vec<T>> {
        let (own, place, data) = (self.owns(to), to.place(), data.into());
        let here = Location::caller();
        Pending::new(self.enqueue(&[to.access(true)], move || {
            own?;
            let written = place.write(&data);
            written.map_err(|error| error.of_memory_at(here))?;
            Ok(data)
        }))
    }

    /// Copies the elements to the host, where [`Pending::wait`] returns them.
    ///
    /// That is an error if the memory is another device's, if the device cannot be read, if it holds something that is
    /// not a `T` (a `bool` other than 0 and 1), or if an earlier operation of the stream has failed.
    pub fn enqueue_read<'a, T: Element>(&self, from: &'a DeviceSlice<T>) -> Pending<'a, Vec<T>> {
        let (own, place) = (self.owns(from), from.place());
        Pending::new(self.enqueue(&[from.access(false)], move || {
            own?;
            place.read()
        }))
    }

    /// Copies elements to others on the same device, without the host.
    ///
    /// [`Pending::wait`] returns an error if the lengths differ, if one of them is on another device than the stream,
    /// if the device cannot be read or written, or if an earlier operation of the stream has failed.
    #[track_caller]
    pub fn enqueue_copy<'a, T: Element>(
        &self,
        from: &'a DeviceSlice<T>,
        to: &'a mut DeviceSlice<T>,
    ) -> Pending<'a, ()> {
        let own = self.owns(from).and(self.owns(to));
        let (source, place) = (from.place(), to.place());
        let here = Location::caller();
        Pending::new(
            self.enqueue(&[from.access(false), to.access(true)], move || {
                own?;
                let copied = place.copy_from(&source);
                copied.map_err(|error| error.of_memory_at(here))
            }),
        )
    }

    /// Sets every element to `value`.
    ///
    /// [`Pending::wait`] returns an error if the memory is another device's, if the device cannot be written, or if an
    /// earlier operation of the stream has failed.
    pub fn enqueue_fill<'a, T: Element>(
        &self,
        to: &'a mut DeviceSlice<T>,
        value: T,
    ) -> Pending<'a, ()> {
        let (own, place) = (self.owns(to), to.place());
        Pending::new(self.enqueue(&[to.access(true)], move || {
            own?;
            place.fill(value)
        }))
    }

    /// Whether memory is on the stream's device.
    pub(super) fn owns<T: Element>(&self, slice: &DeviceSlice<T>) -> Result<()> {
        if slice.device().id() != self.device.id() {
            return Err(Error::Stream(StreamError::ForeignStream));
        }
        Ok(())
    }
}
