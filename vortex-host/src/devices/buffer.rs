//! Buffers spread over several devices, a part on each.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};

use vortex_kernel::meta::Element;

use super::on;
use super::split::{Portion, Split};
use crate::device::Device;
use crate::device::buffer::{Buffer, DeviceSlice, View, ViewMut};
use crate::error::{DevicesError, Result};

/// A split buffer: each device has its portion, and copies of the neighbouring elements if there is a halo.
///
/// [`gather`](Self::gather) reads back each device's own elements; halos keep what was last written to them, until
/// [`exchange_halos`](Self::exchange_halos).
pub struct SplitBuffer<T> {
    split: Split,
    /// One for each portion, with its halo.
    parts: Vec<Buffer<T>>,
}

/// One device's part of a [`SplitBuffer`], with the halo. It is a [`DeviceSlice`], which launches take.
pub struct Part<'a, T> {
    portion: &'a Portion,
    elements: &'a DeviceSlice<T>,
}

/// One device's part of a [`SplitBuffer`], with the halo, to write to.
pub struct PartMut<'a, T> {
    portion: &'a Portion,
    elements: &'a mut DeviceSlice<T>,
}

impl<T: Element> SplitBuffer<T> {
    /// Copies `data` to the devices, to each its portion and its halo.
    ///
    /// # Errors
    /// If it has not as many elements as the split, or if a device has no room for its part.
    pub fn scatter(split: &Split, data: &[T]) -> Result<Self> {
        check_len(split, data.len())?;
        Self::made(split, |device, portion| {
            device.upload(part_of(data, portion))
        })
    }

    /// As many zeros as the split has elements.
    ///
    /// # Errors
    /// If a device has no room for its part.
    pub fn alloc(split: &Split) -> Result<Self> {
        Self::made(split, |device, portion| {
            device.alloc(portion.elements(&portion.with_halo()).len())
        })
    }

    fn made(split: &Split, make: impl Fn(&Device, &Portion) -> Result<Buffer<T>>) -> Result<Self> {
        let parts = split.devices().iter().zip(split.portions());
        let parts = parts.map(|(device, portion)| on_device(portion, make(device, portion)));
        Ok(Self {
            parts: parts.collect::<Result<_>>()?,
            split: split.clone(),
        })
    }

    /// Copies the elements to the host: of each device its own, without halos.
    ///
    /// # Errors
    /// If a device cannot be read.
    pub fn gather(&self) -> Result<Vec<T>> {
        let mut all = Vec::with_capacity(self.len());
        for part in self.parts() {
            all.extend(on_device(part.portion, part.read(&part.portion.range()))?);
        }
        Ok(all)
    }

    /// Copies `data` to the devices once more, to each its portion and its halo.
    ///
    /// # Errors
    /// If it has not as many elements as the split, or if a device cannot be written.
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        check_len(&self.split, data.len())?;
        for part in self.parts_mut() {
            let own = part_of(data, part.portion);
            on_device(part.portion, part.elements.write(own))?;
        }
        Ok(())
    }

    /// Copies the owner's current elements to each halo.
    ///
    /// The copies go through the host. With a halo of `n` units, a kernel that reads neighbours one unit away can be
    /// launched `n` times in between, if it also computes as much of the halo as it still can each time.
    ///
    /// # Errors
    /// If a device cannot be read or written.
    pub fn exchange_halos(&mut self) -> Result<()> {
        for to in self.split.portions() {
            for halo in to.halos() {
                for from in self.split.portions() {
                    let units = halo.start.max(from.start())..halo.end.min(from.end());
                    if units.is_empty() {
                        continue;
                    }
                    let owner = Part {
                        portion: from,
                        elements: &self.parts[from.device()],
                    };
                    let elements = on_device(from, owner.read(&units))?;
                    let copy = self.parts[to.device()].slice_mut(to.elements_here(&units));
                    on_device(to, copy.and_then(|mut copy| copy.write(&elements)))?;
                }
            }
        }
        Ok(())
    }
}

impl<T> SplitBuffer<T> {
    /// How it is split.
    #[must_use]
    pub fn split(&self) -> &Split {
        &self.split
    }

    /// How many elements it has on all devices, without halos.
    #[must_use]
    pub fn len(&self) -> usize {
        self.split.elements()
    }

    /// Whether it has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Element> SplitBuffer<T> {
    /// The parts, one for each device in their order.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_, T>> {
        let parts = self.split.portions().iter().zip(&self.parts);
        parts.map(|(portion, elements)| Part { portion, elements })
    }

    /// The parts, to write to.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = PartMut<'_, T>> {
        let parts = self.split.portions().iter().zip(&mut self.parts);
        parts.map(|(portion, elements)| PartMut { portion, elements })
    }
}

fn check_len(split: &Split, found: usize) -> Result<()> {
    match found == split.elements() {
        true => Ok(()),
        false => Err(DevicesError::Length {
            units: split.units(),
            unit: split.unit(),
            found,
        }
        .into()),
    }
}

/// What a device gets of all elements.
fn part_of<'a, T>(data: &'a [T], portion: &Portion) -> &'a [T] {
    &data[portion.elements(&portion.with_halo())]
}

fn on_device<R>(portion: &Portion, result: Result<R>) -> Result<R> {
    on(portion.device(), Some(portion.range()), result)
}

impl<'a, T: Element> Part<'a, T> {
    /// What of the whole it is.
    #[must_use]
    pub fn portion(&self) -> &'a Portion {
        self.portion
    }

    /// The device's own elements, without the halo.
    ///
    /// # Errors
    /// As for [`DeviceSlice::slice`]; they always are within the part.
    pub fn own(&self) -> Result<View<'_, T>> {
        self.elements
            .slice(self.portion.elements_here(&self.portion.range()))
    }

    fn read(&self, units: &Range<usize>) -> Result<Vec<T>> {
        self.elements
            .slice(self.portion.elements_here(units))?
            .download()
    }
}

impl<'a, T: Element> PartMut<'a, T> {
    /// What of the whole it is.
    #[must_use]
    pub fn portion(&self) -> &'a Portion {
        self.portion
    }

    /// The device's own elements, without the halo.
    ///
    /// # Errors
    /// As for [`DeviceSlice::slice`]; they always are within the part.
    pub fn own(&self) -> Result<View<'_, T>> {
        self.elements
            .slice(self.portion.elements_here(&self.portion.range()))
    }

    /// The device's own elements, without the halo, to write to.
    ///
    /// # Errors
    /// As for [`DeviceSlice::slice`]; they always are within the part.
    pub fn own_mut(&mut self) -> Result<ViewMut<'_, T>> {
        let own = self.portion.elements_here(&self.portion.range());
        self.elements.slice_mut(own)
    }
}

impl<T: Element> Deref for Part<'_, T> {
    type Target = DeviceSlice<T>;

    fn deref(&self) -> &DeviceSlice<T> {
        self.elements
    }
}

impl<T: Element> Deref for PartMut<'_, T> {
    type Target = DeviceSlice<T>;

    fn deref(&self) -> &DeviceSlice<T> {
        self.elements
    }
}

impl<T: Element> DerefMut for PartMut<'_, T> {
    fn deref_mut(&mut self) -> &mut DeviceSlice<T> {
        self.elements
    }
}

impl<T: Element> fmt::Debug for SplitBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.parts()).finish()
    }
}

impl<T: Element> fmt::Debug for Part<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {}: {:?}", self.portion.device(), self.elements)
    }
}

impl<T: Element> fmt::Debug for PartMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {}: {:?}", self.portion.device(), self.elements)
    }
}
