//! Device memory that a host program owns: buffers, and views into them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, Range, RangeBounds};
use std::sync::Arc;

use vortex_kernel::meta::{Element, SliceArg};

use super::Device;
use super::allocation::Memory;
use super::elements::{Elements, within};
use crate::driver::Access;
use crate::error::{Error, MemoryError, Result, located};
use crate::hazards::AccessRange;
use crate::pointer::{DevicePtr, DevicePtrMut};

/// Elements in device memory, owned; freed on drop. Made by [`Device::upload`] and [`Device::alloc`].
///
/// It dereferences to [`DeviceSlice`], whose methods it has: to copy elements to the host and back, and to take parts.
/// A kernel that asks for `&[T]` or `&mut [T]` is called with `&buffer` or `&mut buffer`. A buffer has less than 4 GiB.
///
/// ```
/// # fn main() -> vortex_host::Result<()> {
/// let device = vortex_host::Device::open()?;
/// let mut buffer = device.alloc::<f32>(4)?;
/// buffer.write(&[1.0, 2.0, 3.0, 4.0])?;
/// buffer.slice_mut(2..)?.write(&[0.0, 0.0])?;
/// assert_eq!(buffer.download()?, [1.0, 2.0, 0.0, 0.0]);
/// # Ok(())
/// # }
/// ```
pub struct Buffer<T> {
    // Without a bound: where a `T` is no element, that is said of what makes the buffer, and of nothing else.
    all: DeviceSlice<T>,
}

/// Elements in device memory: a [`Buffer`], or a part of one.
pub struct DeviceSlice<T> {
    memory: Arc<Memory>,
    addr: u32,
    len: u32,
    elem: PhantomData<T>,
    /// How they are copied to the host, which `download` asks no bound for.
    read: fn(&Self) -> Result<Vec<T>>,
}

/// A part of a buffer, borrowed to be read: [`DeviceSlice::slice`] makes one. `&view` is an argument for `&[T]`.
pub struct View<'a, T> {
    part: DeviceSlice<T>,
    whole: PhantomData<&'a DeviceSlice<T>>,
}

/// A part of a buffer, borrowed to be written: [`DeviceSlice::slice_mut`] and [`DeviceSlice::split_at_mut`] make some.
/// `&mut view` is an argument for `&mut [T]`.
pub struct ViewMut<'a, T> {
    part: DeviceSlice<T>,
    whole: PhantomData<&'a mut DeviceSlice<T>>,
}

impl Device {
    /// The `len` elements from `first` on.
    ///
    /// # Errors
    /// [`MemoryError::NullSlice`], [`MemoryError::MisalignedSlice`] or [`MemoryError::ForeignPointer`] if `first` is
    /// null, misaligned or of another device; [`MemoryError::AllocationTooLarge`] if so many elements do not fit the
    /// address space.
    ///
    /// # Safety
    /// While the view lives, the elements must stay allocated and nothing may write them.
    pub unsafe fn slice_from_raw<T: Element>(
        &self,
        first: DevicePtr<T>,
        len: usize,
    ) -> Result<View<'_, T>> {
        View::from_raw(self, first.addr(), first.device(), len)
    }

    /// The `len` elements from `first` on, to write to.
    ///
    /// # Errors
    /// As for [`Device::slice_from_raw`].
    ///
    /// # Safety
    /// While the view lives, the elements must stay allocated and be reached through nothing else.
    pub unsafe fn slice_from_raw_mut<T: Element>(
        &self,
        first: DevicePtrMut<T>,
        len: usize,
    ) -> Result<ViewMut<'_, T>> {
        ViewMut::from_raw(self, first.addr(), first.device(), len)
    }
}

impl<T: Element> Buffer<T> {
    /// Room for `len` elements. Even an empty buffer has an address of its own.
    pub(crate) fn uninit(device: &Device, len: usize) -> Result<Self> {
        let too_large = || {
            Error::Memory(MemoryError::AllocationTooLarge {
                elements: len,
                ty: T::SPELLING.name,
            })
        };
        let bytes = len.checked_mul(size_of::<T>()).ok_or_else(too_large)?;
        let bytes = u32::try_from(bytes).map_err(|_| too_large())?.max(4);
        let addr = device.state().alloc(bytes, Access::ReadWrite)?;
        let memory = Arc::new(Memory {
            device: device.clone(),
            owned: Some((addr, bytes)),
            holds_pointers: T::HOLDS_POINTERS,
        });
        let len = u32::try_from(len).map_err(|_| too_large())?;
        Ok(Self {
            all: DeviceSlice {
                memory,
                addr,
                len,
                elem: PhantomData,
                read: DeviceSlice::read,
            },
        })
    }
}

// Without a bound, as the struct.
impl<T> DeviceSlice<T> {
    /// Number of elements, not of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.memory.device
    }

    /// Copies the elements to the host. Waits for pending operations of streams that write them.
    ///
    /// # Errors
    /// [`DeviceError::Driver`](crate::DeviceError::Driver) if the device cannot be read,
    /// [`MemoryError::InvalidElement`] if it holds something that is no `T` (a `bool` other than 0 and 1).
    #[rustfmt::skip] // rustc shows the line where an argument is passed.
    pub fn download(&self) -> Result<Vec<T>> { // `let host = y.download()?;`, or `y.download_into(&mut host)?;`
        (self.read)(self)
    }

    /// The bytes that an operation uses.
    pub(crate) fn access(&self, writes: bool) -> AccessRange {
        let start = u64::from(self.addr);
        AccessRange {
            start,
            end: start + u64::from(self.len) * size_of::<T>() as u64,
            writes,
        }
    }

    /// What keeps the memory alive.
    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// As it lies in an argument struct.
    pub(crate) fn as_arg(&self) -> SliceArg {
        SliceArg {
            addr: self.addr,
            len: self.len,
        }
    }
}

impl<T: Element> DeviceSlice<T> {
    /// Memory that is not this library's to free.
    fn from_raw(device: &Device, addr: u32, owner: u64, len: usize) -> Result<Self> {
        let ty = T::SPELLING.name;
        if addr == 0 {
            return Err(Error::Memory(MemoryError::NullSlice { ty }));
        }
        if !(addr as usize).is_multiple_of(align_of::<T>()) {
            return Err(Error::Memory(MemoryError::MisalignedSlice { addr, ty }));
        }
        if owner != device.id() {
            return Err(Error::Memory(MemoryError::ForeignPointer { addr }));
        }
        let fits = len
            .checked_mul(size_of::<T>())
            .is_some_and(|bytes| bytes <= (u32::MAX - addr) as usize);
        if !fits {
            return Err(Error::Memory(MemoryError::AllocationTooLarge {
                elements: len,
                ty,
            }));
        }
        let memory = Arc::new(Memory {
            device: device.clone(),
            owned: None,
            holds_pointers: T::HOLDS_POINTERS,
        });
        Ok(Self {
            memory,
            addr,
            len: len as u32,
            elem: PhantomData,
            read: Self::read,
        })
    }

    fn read(&self) -> Result<Vec<T>> {
        self.quiet(false);
        self.place().read()
    }

    /// Copies the elements to the host, to where `to` is, which must be of the same length. Waits for pending
    /// operations of streams that write them.
    ///
    /// # Errors
    /// [`MemoryError::DownloadLength`] if it is of another length; otherwise as for [`DeviceSlice::download`], and then
    /// a part of the elements may have been copied.
    #[track_caller]
    pub fn download_into(&self, to: &mut [T]) -> Result<()> {
        self.quiet(false);
        located(self.place().read_into(to))
    }

    /// Copies `data`, which must be of the same length, to the device. Waits for pending operations of streams that
    /// read or write the elements.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] if it is of another length, and then nothing is copied;
    /// [`DeviceError::Driver`](crate::DeviceError::Driver) if the device cannot be written.
    #[track_caller]
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        located(self.put(data))
    }

    /// The same for those who say where in the program it is asked for.
    pub(crate) fn put(&mut self, data: &[T]) -> Result<()> {
        self.quiet(true);
        self.place().write(data)
    }

    /// Sets every element to zero.
    pub(crate) fn clear(&mut self) -> Result<()> {
        self.quiet(true);
        let bytes = self.len() * size_of::<T>();
        self.place().repeat(bytes, &[0])
    }

    /// How many pending operations of streams read this memory.
    #[must_use]
    pub fn pending_readers(&self) -> usize {
        let AccessRange { start, end, .. } = self.access(false);
        self.device().hazards().users(start, end).0
    }

    /// How many pending operations of streams write this memory.
    #[must_use]
    pub fn pending_writers(&self) -> usize {
        let AccessRange { start, end, .. } = self.access(false);
        self.device().hazards().users(start, end).1
    }

    /// Waits for the pending operations that what is about to happen here conflicts with.
    fn quiet(&self, writes: bool) {
        let access = self.access(writes);
        self.device().hazards().wait_for([access].into_iter());
    }

    /// The elements for an operation, which sees to the order of things itself.
    pub(crate) fn place(&self) -> Elements<T> {
        Elements {
            memory: Arc::clone(&self.memory),
            addr: self.addr,
            len: self.len,
            elem: PhantomData,
        }
    }

    /// The elements of `range`, to be read: `..10`, `5..`, `2..=4`. They are not copied.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if the range reaches beyond the slice, or ends before it begins.
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>> {
        Ok(View {
            part: located(self.part(range))?,
            whole: PhantomData,
        })
    }

    /// The elements of `range`, to be written. They are not copied.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if the range reaches beyond the slice, or ends before it begins.
    #[track_caller]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>> {
        Ok(ViewMut {
            part: located(self.part(range))?,
            whole: PhantomData,
        })
    }

    /// The elements before `mid` and those from `mid` on, both to be written: two halves for one launch.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if `mid` lies beyond the slice.
    #[track_caller]
    pub fn split_at_mut(&mut self, mid: usize) -> Result<(ViewMut<'_, T>, ViewMut<'_, T>)> {
        let (low, high) = (located(self.part(..mid))?, self.part(mid..)?);
        Ok((
            ViewMut {
                part: low,
                whole: PhantomData,
            },
            ViewMut {
                part: high,
                whole: PhantomData,
            },
        ))
    }

    /// The address of the first element, for kernels that take a `*const T`.
    #[must_use]
    pub fn as_ptr(&self) -> DevicePtr<T> {
        DevicePtr::new(self.addr, self.device().id())
    }

    /// The address of the first element, for kernels that take a `*mut T`.
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> DevicePtrMut<T> {
        DevicePtrMut::new(self.addr, self.device().id())
    }

    fn part(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let Range { start, end } = within(range, self.len())?;
        // Both are at most `len`, hence within 32 bits.
        let offset = (start * size_of::<T>()) as u32;
        let len = (end - start) as u32;
        Ok(Self {
            memory: Arc::clone(&self.memory),
            addr: self.addr + offset,
            len,
            elem: PhantomData,
            read: self.read,
        })
    }
}

impl<'a, T: Element> View<'a, T> {
    pub(crate) fn from_raw(device: &'a Device, addr: u32, owner: u64, len: usize) -> Result<Self> {
        Ok(Self {
            part: DeviceSlice::from_raw(device, addr, owner, len)?,
            whole: PhantomData,
        })
    }
}

impl<'a, T: Element> ViewMut<'a, T> {
    pub(crate) fn from_raw(device: &'a Device, addr: u32, owner: u64, len: usize) -> Result<Self> {
        Ok(Self {
            part: DeviceSlice::from_raw(device, addr, owner, len)?,
            whole: PhantomData,
        })
    }
}

impl<T: Element> fmt::Debug for DeviceSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "[{}; {}] at {:#010x}",
            T::SPELLING.name,
            self.len,
            self.addr
        )
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("all", &self.all).finish()
    }
}

impl<T: Element> fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("part", &self.part).finish()
    }
}

impl<T: Element> fmt::Debug for ViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ViewMut").field("part", &self.part).finish()
    }
}

/// What the host can reach the elements of, which buffers are not.
#[diagnostic::on_unimplemented(
    message = "the host cannot reach the elements of a buffer, which are in device memory",
    label = "in device memory",
    note = "write `let values = buffer.download()?;` and use that, or `buffer.slice(a..b)?.download()?` for a part",
    note = "a launch takes a part as `&buffer.slice(a..b)?`, or `&mut buffer.slice_mut(a..b)?` where it writes"
)]
pub trait HostMemory<T> {
    /// What indexing gives: where that is in error, nothing is known of it, and rustc says no more.
    #[doc(hidden)]
    type Item;

    /// What a slice would give.
    #[doc(hidden)]
    fn given<R>(&self) -> R;
}

/// For what rustc says of `buffer[0]`.
impl<T: Element, I> Index<I> for DeviceSlice<T>
where
    Self: HostMemory<T>,
{
    type Output = <Self as HostMemory<T>>::Item;

    fn index(&self, _: I) -> &Self::Output {
        self.given()
    }
}

/// For what rustc says of what a slice has, and a buffer has not. Written out, and not by a macro, of which it would
/// speak.
impl<T: Element> DeviceSlice<T> {
    #[doc(hidden)]
    pub fn iter<R>(&self) -> R
    where
        Self: HostMemory<T>,
    {
        self.given()
    }

    #[doc(hidden)]
    pub fn iter_mut<R>(&mut self) -> R
    where
        Self: HostMemory<T>,
    {
        self.given()
    }

    #[doc(hidden)]
    pub fn to_vec<R>(&self) -> R
    where
        Self: HostMemory<T>,
    {
        self.given()
    }

    #[doc(hidden)]
    pub fn as_slice<R>(&self) -> R
    where
        Self: HostMemory<T>,
    {
        self.given()
    }
}

impl<T> Deref for Buffer<T> {
    type Target = DeviceSlice<T>;

    fn deref(&self) -> &DeviceSlice<T> {
        &self.all
    }
}

impl<T> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut DeviceSlice<T> {
        &mut self.all
    }
}

impl<T: Element> Deref for View<'_, T> {
    type Target = DeviceSlice<T>;

    fn deref(&self) -> &DeviceSlice<T> {
        &self.part
    }
}

impl<T: Element> Deref for ViewMut<'_, T> {
    type Target = DeviceSlice<T>;

    fn deref(&self) -> &DeviceSlice<T> {
        &self.part
    }
}

impl<T: Element> DerefMut for ViewMut<'_, T> {
    fn deref_mut(&mut self) -> &mut DeviceSlice<T> {
        &mut self.part
    }
}
