//! Elements of device memory as a buffer of MPI.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;

use mpi::datatype::{
    AsDatatype, Buffer, BufferMut, Collection, Equivalence, Pointer, PointerMut, UserDatatype,
};
use vortex::meta::Element;

use crate::error::{Error, Result};

/// Elements of any [`DeviceType`](vortex::DeviceType) as they lie in device memory: what crate `mpi` sends and
/// receives.
///
/// Its MPI datatype is as many bytes as a `T` has, so that counts are counts of `T`, in the program's own calls of MPI
/// as well:
///
/// ```
/// use mpi::traits::*;
/// use vortex_mpi::{Packet, World};
///
/// #[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
/// #[repr(C)]
/// struct Body {
///     mass: f32,
///     fixed: bool,
/// }
///
/// fn main() -> vortex_mpi::Result<()> {
///     let world = World::open()?;
///     let mut bodies = Packet::of(&[Body { mass: 2.5, fixed: true }])?;
///     world.mpi(|communicator| communicator.process_at_rank(0).broadcast_into(&mut bodies));
///     assert_eq!(bodies.values().map(|bodies| bodies[0].mass), Some(2.5));
///     Ok(())
/// }
/// ```
///
/// (Rust's rules for implementations do not let this crate implement `mpi::datatype::Equivalence` for all device
/// types, and a type with a `bool` in it, or an enum, could not be received as itself: not all bytes are one.)
pub struct Packet<T> {
    /// So many elements, and one byte more: of an empty `Vec` Rust's pointer is 1, by which MPI means `MPI_IN_PLACE`.
    bytes: Vec<u8>,
    count: i32,
    elements: PhantomData<T>,
}

impl<T: Element> Packet<T> {
    /// The bytes of these elements.
    ///
    /// # Errors
    /// If they are more than MPI can count.
    pub fn of(elements: &[T]) -> Result<Self> {
        let mut packet = Self::zeroed(elements.len())?;
        let elements = T::bytes_of(elements);
        packet.bytes[..elements.len()].copy_from_slice(&elements);
        Ok(packet)
    }

    /// Room for this many elements, to be received into.
    ///
    /// # Errors
    /// If they are more than MPI can count.
    pub fn zeroed(count: usize) -> Result<Self> {
        let elements = i32::try_from(count).map_err(|_| Error::TooMany { count })?;
        Ok(Self {
            bytes: vec![0; count * size_of::<T>() + 1],
            count: elements,
            elements: PhantomData,
        })
    }

    /// The elements; `None` if the bytes of one are not a valid `T` (a `bool` other than 0 and 1).
    #[must_use]
    pub fn values(&self) -> Option<Vec<T>> {
        self.checked().ok()
    }

    /// The elements, or the number of an invalid one.
    pub(crate) fn checked(&self) -> vortex::Result<Vec<T>> {
        let size = size_of::<T>();
        let elements = self
            .bytes
            .chunks_exact(size.max(1))
            .take(self.count as usize);
        let ty = T::SPELLING.name;
        let element = |(index, bytes)| {
            let invalid = || vortex::MemoryError::InvalidElement { index, ty };
            T::from_bytes(bytes).ok_or_else(|| vortex::Error::Memory(invalid()))
        };
        elements.enumerate().map(element).collect()
    }
}

impl<T> fmt::Debug for Packet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packet")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

// SAFETY: the datatype is `size_of::<T>()` bytes in a row, which is what an element takes in `bytes`.
unsafe impl<T: Element> AsDatatype for Packet<T> {
    type Out = UserDatatype;

    fn as_datatype(&self) -> UserDatatype {
        // No element is larger than 2 GB.
        UserDatatype::contiguous(size_of::<T>() as i32, &u8::equivalent_datatype())
    }
}

// SAFETY: this many elements are in `bytes`: `zeroed`, which makes all packets, sees to that, and nothing changes
// either.
unsafe impl<T: Element> Collection for Packet<T> {
    fn count(&self) -> i32 {
        self.count
    }
}

// SAFETY: the pointer is that of `bytes`, valid for as long as the packet is borrowed.
unsafe impl<T: Element> Pointer for Packet<T> {
    fn pointer(&self) -> *const c_void {
        self.bytes.as_ptr().cast()
    }
}

// SAFETY: as for `Pointer`, and `bytes` is borrowed mutably; whatever bytes are written are bytes.
unsafe impl<T: Element> PointerMut for Packet<T> {
    fn pointer_mut(&mut self) -> *mut c_void {
        self.bytes.as_mut_ptr().cast()
    }
}

// SAFETY: `count()` times the datatype is within `bytes`, where the pointer leads.
unsafe impl<T: Element> Buffer for Packet<T> {}

// SAFETY: as above.
unsafe impl<T: Element> BufferMut for Packet<T> {}
