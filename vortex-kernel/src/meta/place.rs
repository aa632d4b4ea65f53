//! The positions of values in an argument struct: just the algorithm.

use bytemuck::{Pod, Zeroable};

use super::kind::ArgKind;
use super::texture::TextureArg;
use crate::types::{Argument, Scalar};

/// No member of an argument struct is aligned more than this.
pub const MAX_ALIGN: usize = 4;

/// A tensor in an argument struct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TensorArg {
    /// Device address of the first element.
    pub addr: u32,
    /// Elements of local memory that each group needs for its shard; none for a tensor in global memory.
    pub local: u32,
    /// Rows of the matrix.
    pub rows: u32,
    /// Columns of the matrix.
    pub cols: u32,
}

/// A struct or an array of more bytes is passed by the address of a copy of it.
pub const MOST_BY_VALUE: usize = 128;

/// What the layout of an argument depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgType {
    /// What kind of argument it is.
    pub kind: ArgKind,
    /// Size in bytes.
    pub size: usize,
    /// Natural alignment in bytes, a power of two; [`layout`] caps it at [`MAX_ALIGN`].
    pub align: usize,
}

impl ArgType {
    /// A device address: 4 bytes.
    pub const POINTER: Self = Self::new(ArgKind::Pointer, 4, 4);

    /// A device address and a length: 8 bytes ([`SliceArg`](super::SliceArg)).
    pub const SLICE: Self = Self::new(ArgKind::Slice, 8, 4);

    /// How many elements a piece of local memory has: 4 bytes.
    pub const LOCAL_SIZE: Self = Self::new(ArgKind::LocalSize, 4, 4);

    /// An image and a sampler: a [`TextureArg`].
    pub const IMAGE: Self = Self::new(ArgKind::Image, size_of::<TextureArg>(), 4);

    /// A tensor: a [`TensorArg`].
    pub const TENSOR: Self = Self::new(ArgKind::Tensor, size_of::<TensorArg>(), 4);

    /// An argument of any kind, of `size` bytes at a multiple of `align`.
    ///
    /// # Panics
    /// If `align` is not a power of two.
    #[must_use]
    pub const fn new(kind: ArgKind, size: usize, align: usize) -> Self {
        assert!(align.is_power_of_two(), "an alignment is a power of two");
        Self { kind, size, align }
    }

    /// A number or `bool`.
    #[must_use]
    pub const fn scalar<T: Scalar>() -> Self {
        let bytes = T::SCALAR.bytes();
        Self::new(ArgKind::Scalar, bytes, bytes)
    }

    /// A value of this type, or the address of one that is large.
    #[must_use]
    pub const fn value<T: Argument>() -> Self {
        match T::AS_SCALAR {
            Some(scalar) => Self::new(ArgKind::Scalar, scalar.bytes(), scalar.bytes()),
            None if size_of::<T>() > MOST_BY_VALUE => Self::new(ArgKind::ByRef, 4, 4),
            None => Self::new(ArgKind::Struct, size_of::<T>(), align_of::<T>()),
        }
    }

    /// The alignment in an argument struct.
    #[must_use]
    pub const fn capped_align(self) -> usize {
        if self.align < MAX_ALIGN {
            self.align
        } else {
            MAX_ALIGN
        }
    }
}

/// Sizes and offsets of some arguments, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout<const N: usize> {
    /// What was laid out.
    pub kinds: [ArgKind; N],
    /// Bytes of each.
    pub sizes: [usize; N],
    /// Where each begins, in bytes from the start.
    pub offsets: [usize; N],
    /// Bytes of all of them, padding included: a multiple of 4.
    pub total: usize,
}

impl<const N: usize> Layout<N> {
    /// How many arguments there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        N
    }

    /// Bytes that belong to no argument.
    #[must_use]
    pub const fn padding(&self) -> usize {
        let mut padding = self.total;
        let mut index = 0;
        while index < N {
            padding -= self.sizes[index];
            index += 1;
        }
        padding
    }
}

/// Lays arguments out: in order, naturally aligned but never to more than [`MAX_ALIGN`], and the whole rounded up to
/// a multiple of it.
///
/// ```
/// use vortex_kernel::meta::{ArgType, layout};
///
/// let layout = layout([ArgType::scalar::<i32>(), ArgType::POINTER, ArgType::scalar::<u8>(), ArgType::SLICE]);
/// assert_eq!(layout.sizes, [4, 4, 1, 8]);
/// assert_eq!(layout.offsets, [0, 4, 8, 12]);
/// assert_eq!(layout.total, 20);
/// ```
#[must_use]
pub const fn layout<const N: usize>(types: [ArgType; N]) -> Layout<N> {
    let mut layout = Layout {
        kinds: [ArgKind::Unknown; N],
        sizes: [0; N],
        offsets: [0; N],
        total: 0,
    };
    let mut end = 0;
    let mut index = 0;
    while index < N {
        let ty = types[index];
        layout.kinds[index] = ty.kind;
        layout.sizes[index] = ty.size;
        layout.offsets[index] = round_up(end, ty.capped_align());
        end = layout.offsets[index] + ty.size;
        index += 1;
    }
    layout.total = round_up(end, MAX_ALIGN);
    layout
}

/// The next multiple of `align`.
pub(super) const fn round_up(offset: usize, align: usize) -> usize {
    offset.div_ceil(align) * align
}

/// Bytes of a value in device memory.
pub(super) const fn bytes_of_value<T: Argument>() -> usize {
    match T::AS_SCALAR {
        Some(scalar) => scalar.bytes(),
        None => size_of::<T>(),
    }
}
