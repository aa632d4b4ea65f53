//! Tensors: matrices in device memory with a layout, and what the compiler makes of the layout.
//!
//! A parameter `&Tensor<T, M, N>` may declare with `#[layout(..)]` where the matrix is stored and in which order
//! ([`TensorLayout`]). Three passes make records of that, which are part of the kernel's metadata ([`TensorRecords`]):
//!
//! 1. [`infer_layout`]: the canonical buffer of each tensor, `tt.buffer.<name>`;
//! 2. [`propagate_layout`]: the circular buffer for its tiles, `tt.cb.<name>`;
//! 3. [`attach_accessor`]: how an index becomes an address, `tt.tensor_accessor.<name>`, and a summary of all.
//!
//! Each pass writes only its own records, from the signature and from the output of the previous pass; it is
//! idempotent. [`Geometry`] is the arithmetic that the host and the device share.

mod accessor;
mod error;
mod geometry;
mod infer;
mod layout;
mod passes;
mod picture;
mod propagate;
mod records;
#[cfg(test)]
mod tests;

use std::panic::Location;

pub use accessor::{
    AccessorRecord, AccessorSummary, GridParams, RuntimeBinding, ShardParams, StrideMode,
    TileParams,
};
pub use error::LayoutError;
pub use geometry::{Geometry, Word};
pub use infer::{BufferRecord, ShardRecord};
pub use layout::{Arrangement, Axes, Axis, ShardOrder, TensorLayout, TensorMemory};
pub use passes::{attach_accessor, infer_layout, propagate_layout};
pub use picture::Picture;
pub use propagate::{CircularBufferRecord, DataFormat, Role};
pub use records::{TensorRecord, TensorRecords};

use crate::types::{Element, Scalar, ScalarType, bf16, f16};
use serde::{Deserialize, Serialize};

/// Stands for an extent that the host sets with each launch: those of a `Tensor<T>` that names none.
pub const AT_LAUNCH: usize = usize::MAX;

/// The types of tensors' elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// `bf16`, 2 bytes.
    Bf16,
    /// `f16`, 2 bytes.
    F16,
    /// `f32`, 4 bytes.
    F32,
    /// `i8`, 1 byte.
    I8,
    /// `i32`, 4 bytes.
    I32,
}

impl Dtype {
    /// All types of elements.
    pub const ALL: [Self; 5] = [Self::Bf16, Self::F16, Self::F32, Self::I8, Self::I32];

    /// The same as a scalar type of kernels.
    #[must_use]
    pub const fn scalar(self) -> ScalarType {
        match self {
            Self::Bf16 => ScalarType::Bf16,
            Self::F16 => ScalarType::F16,
            Self::F32 => ScalarType::F32,
            Self::I8 => ScalarType::I8,
            Self::I32 => ScalarType::I32,
        }
    }

    /// Bytes of an element.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.scalar().bytes() as u32
    }

    /// As Rust spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.scalar().name()
    }
}

/// What a tensor can be made of: `bf16`, `f16`, `f32`, `i8` or `i32`.
#[diagnostic::on_unimplemented(
    message = "a tensor cannot be made of `{Self}`",
    label = "not an element of tensors",
    note = "tensors are made of `bf16`, `f16`, `f32`, `i8` or `i32`"
)]
pub trait InTensor {
    /// The type itself.
    #[doc(hidden)]
    type This: TensorElement;
}

/// [`InTensor`] with its bounds, which generated code does not ask for in an error.
pub trait TensorElement: Element + InTensor + Scalar {
    /// What sums of products of it are kept in: `f32`, or `i32`.
    type Sum: TensorElement<Sum = Self::Sum>;

    /// Which it is.
    #[doc(hidden)]
    const DTYPE: Dtype;

    /// What padding is made of.
    #[doc(hidden)]
    const ZERO: Self;
}

macro_rules! elements {
    ($($ty:ty: $dtype:ident $sum:ty, $zero:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl InTensor for $ty {
            type This = Self;
        }

        impl TensorElement for $ty {
            type Sum = $sum;
            const DTYPE: Dtype = Dtype::$dtype;
            const ZERO: Self = $zero;
        }
    )*};
}

elements! {
    bf16: Bf16 f32, bf16::ZERO;
    f16: F16 f32, f16::ZERO;
    f32: F32 f32, 0.0;
    i8: I8 i32, 0;
    i32: I32 i32, 0;
}

/// A parameter of a kernel, as far as the passes need it.
pub trait Parameter {
    /// Its number in the signature.
    fn index(&self) -> usize;
    /// Its name there.
    fn name(&self) -> &'static str;
    /// Whether the kernel may write to it.
    fn is_mutable(&self) -> bool;
    /// What the signature says about it, if it is a tensor.
    fn tensor(&self) -> Option<&TensorMeta>;
}

/// What the signature says about an argument that is a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TensorMeta {
    /// The type of its elements.
    pub dtype: Dtype,
    /// Rows and columns; [`AT_LAUNCH`] where the launch sets them.
    pub extents: [usize; 2],
    /// Where it is stored, and in which order.
    pub layout: TensorLayout,
    /// Where the parameter is.
    pub at: &'static Location<'static>,
}

impl TensorMeta {
    /// What the signature says, if it can be.
    ///
    /// # Panics
    /// With the text of the [`LayoutError`], if no tensor can have that layout.
    #[must_use]
    #[track_caller]
    pub const fn new<T: TensorElement, const M: usize, const N: usize>(
        name: &'static str,
        layout: Option<TensorLayout>,
    ) -> Self {
        let meta = Self {
            dtype: T::DTYPE,
            extents: [M, N],
            layout: match layout {
                Some(layout) => layout,
                None => TensorLayout::INTERLEAVED,
            },
            at: Location::caller(),
        };
        if let Err(error) = infer::infer(name, &meta, None) {
            panic!("{}", error.text().as_str());
        }
        meta
    }

    /// Rows and columns, where they are known.
    #[must_use]
    pub const fn known_extents(&self) -> Option<[u32; 2]> {
        match self.extents {
            [AT_LAUNCH, _] | [_, AT_LAUNCH] => None,
            [rows, cols] => Some([rows as u32, cols as u32]),
        }
    }
}
