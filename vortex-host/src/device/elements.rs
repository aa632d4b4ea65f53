//! Copying elements between host and device.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};
use std::sync::Arc;

use vortex_kernel::meta::Element;

use super::Device;
use super::allocation::Memory;
use crate::error::{Error, MemoryError, Result};

/// Elements in device memory, however they are borrowed: the owner of this ensures that nothing else happens to them
/// meanwhile.
pub(crate) struct Elements<T: Element> {
    pub(crate) memory: Arc<Memory>,
    pub(crate) addr: u32,
    pub(crate) len: u32,
    pub(crate) elem: PhantomData<T>,
}

/// The elements of this range, of `len`.
pub(crate) fn within(range: impl RangeBounds<usize>, len: usize) -> Result<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&start) => start.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    if start > end || end > len {
        return Err(Error::Memory(MemoryError::OutOfRange {
            start,
            end,
            len,
            at: None,
        }));
    }
    Ok(start..end)
}

/// Elements as they lie in device memory. This is the user's code, so it is not called while the device is locked: it
/// may panic, and use the device.
///
/// # Panics
/// If the type's own implementation of [`Element`] gives another number of bytes than the elements have.
pub(crate) fn bytes_of<T: Element>(elements: &[T]) -> Cow<'_, [u8]> {
    let bytes = T::bytes_of(elements);
    assert_eq!(
        bytes.len(),
        size_of_val(elements),
        "`{}` has another size in device memory than in Rust",
        T::SPELLING.name
    );
    bytes
}

/// How much is copied at a time where it goes through a buffer on the host.
const CHUNK: usize = 1 << 20;

impl<T: Element> Elements<T> {
    fn len(&self) -> usize {
        self.len as usize
    }

    fn device(&self) -> &Device {
        self.memory.device()
    }

    fn check_len(&self, host: usize) -> Result<()> {
        let device = self.len();
        if host != device {
            return Err(Error::Memory(MemoryError::LengthMismatch {
                host,
                device,
                at: None,
            }));
        }
        Ok(())
    }

    /// Hands each element to `take`, in order.
    fn for_each(&self, mut take: impl FnMut(T)) -> Result<()> {
        let mut bytes = vec![0; self.len() * size_of::<T>()];
        let _span = tracing::info_span!("download", bytes = bytes.len()).entered();
        self.device().state().read(self.addr, &mut bytes)?;
        for (index, bytes) in bytes.chunks_exact(size_of::<T>().max(1)).enumerate() {
            take(
                T::from_bytes(bytes).ok_or(Error::Memory(MemoryError::InvalidElement {
                    index,
                    ty: T::SPELLING.name,
                }))?,
            );
        }
        Ok(())
    }

    pub(crate) fn read(&self) -> Result<Vec<T>> {
        let mut elements = Vec::with_capacity(self.len());
        self.for_each(|element| elements.push(element))?;
        Ok(elements)
    }

    pub(crate) fn read_into(&self, to: &mut [T]) -> Result<()> {
        let (device, host) = (self.len(), to.len());
        if host != device {
            return Err(Error::Memory(MemoryError::DownloadLength {
                device,
                host,
                at: None,
            }));
        }
        let mut places = to.iter_mut();
        self.for_each(|element| {
            if let Some(place) = places.next() {
                *place = element;
            }
        })
    }

    pub(crate) fn write(&self, data: &[T]) -> Result<()> {
        self.check_len(data.len())?;
        let bytes = size_of_val(data);
        let _span = tracing::info_span!("upload", bytes, what = "elements").entered();
        let data = bytes_of(data);
        self.device().state().write(self.addr, &data)
    }

    pub(crate) fn fill(&self, value: T) -> Result<()> {
        let size = size_of::<T>();
        self.repeat(self.len() * size, &bytes_of(&[value]))
    }

    /// Writes this many bytes, the same ones again and again.
    pub(crate) fn repeat(&self, bytes: usize, pattern: &[u8]) -> Result<()> {
        let most = (CHUNK / pattern.len().max(1)).max(1) * pattern.len();
        let chunk: Vec<u8> = pattern
            .iter()
            .copied()
            .cycle()
            .take(bytes.min(most))
            .collect();
        let mut state = self.device().state();
        let mut done = 0;
        while done < bytes {
            let next = (bytes - done).min(chunk.len());
            // Within the allocation, hence within 32 bits.
            state.write(self.addr + done as u32, &chunk[..next])?;
            done += next;
        }
        Ok(())
    }

    pub(crate) fn copy_from(&self, from: &Self) -> Result<()> {
        self.check_len(from.len())?;
        let bytes = self.len() * size_of::<T>();
        let mut chunk = vec![0; bytes.min(CHUNK)];
        let mut state = self.device().state();
        for done in (0..bytes).step_by(CHUNK) {
            let chunk = &mut chunk[..(bytes - done).min(CHUNK)];
            state.read(from.addr + done as u32, chunk)?;
            state.write(self.addr + done as u32, chunk)?;
        }
        Ok(())
    }
}
