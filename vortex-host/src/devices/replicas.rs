//! Buffers that each device has completely.

use std::fmt;
use std::panic::Location;

use vortex_kernel::meta::Element;

use super::{Devices, on};
use crate::device::Device;
use crate::device::buffer::Buffer;
use crate::error::Result;

/// A buffer of the same length on each device: data that all of them read, such as a table, or that each writes for
/// itself, such as the counts of its portion.
pub struct Replicas<T> {
    pub(super) devices: Devices,
    pub(super) each: Vec<Buffer<T>>,
}

impl<T: Element> Replicas<T> {
    /// Copies `data` to each device.
    ///
    /// # Errors
    /// If a device has no room for it.
    pub fn broadcast(devices: &Devices, data: &[T]) -> Result<Self> {
        Self::made(devices, |device| device.upload(data))
    }

    /// `len` zeros on each device.
    ///
    /// # Errors
    /// If a device has no room for them.
    pub fn alloc_each(devices: &Devices, len: usize) -> Result<Self> {
        Self::made(devices, |device| device.alloc(len))
    }

    fn made(devices: &Devices, make: impl Fn(&Device) -> Result<Buffer<T>>) -> Result<Self> {
        let each = devices.iter().enumerate();
        let each = each.map(|(number, device)| on(number, None, make(device)));
        Ok(Self {
            each: each.collect::<Result<_>>()?,
            devices: devices.clone(),
        })
    }

    /// How many elements each device has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.each.first().map_or(0, |buffer| buffer.len())
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The buffers, one for each device in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, Buffer<T>> {
        self.each.iter()
    }

    /// The buffers, to write to.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Buffer<T>> {
        self.each.iter_mut()
    }

    /// Copies `data`, which must be of the same length, to each device.
    ///
    /// # Errors
    /// If it is of another length, or a device cannot be written.
    #[track_caller]
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        let here = Location::caller();
        let mut each = self.each.iter_mut().enumerate();
        each.try_for_each(|(number, buffer)| {
            let written = buffer.put(data).map_err(|error| error.of_memory_at(here));
            on(number, None, written)
        })
    }

    /// Copies what each device has to the host, in their order.
    ///
    /// # Errors
    /// If a device cannot be read.
    pub fn download_each(&self) -> Result<Vec<Vec<T>>> {
        let each = self.each.iter().enumerate();
        each.map(|(number, buffer)| on(number, None, buffer.download()))
            .collect()
    }
}

impl<'a, T: Element> IntoIterator for &'a Replicas<T> {
    type Item = &'a Buffer<T>;
    type IntoIter = std::slice::Iter<'a, Buffer<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T: Element> IntoIterator for &'a mut Replicas<T> {
    type Item = &'a mut Buffer<T>;
    type IntoIter = std::slice::IterMut<'a, Buffer<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T: Element> fmt::Debug for Replicas<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.each).finish()
    }
}
