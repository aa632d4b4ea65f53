//! Pass A2: the circular buffer through which the tiles of each tensor go between global and local memory.

use serde::{Deserialize, Serialize};

use super::{BufferRecord, Dtype};

/// The circular buffer of a tensor: `tt.cb.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CircularBufferRecord {
    /// Its number in the kernel: inputs first, then outputs.
    pub cb_id: u32,
    /// Bytes of a page, which holds a tile.
    pub page_size: u32,
    /// How many pages it has.
    pub depth: u32,
    /// The type of pages' elements.
    pub data_format: DataFormat,
}

/// The types of elements in pages of a circular buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataFormat {
    /// Elements are `bf16`.
    Bfloat16,
    /// Elements are `f16`.
    Float16,
    /// Elements are `f32`.
    Float32,
    /// Elements are `i8`.
    Int8,
    /// Elements are `i32`.
    Int32,
}

impl From<Dtype> for DataFormat {
    fn from(dtype: Dtype) -> Self {
        match dtype {
            Dtype::Bf16 => Self::Bfloat16,
            Dtype::F16 => Self::Float16,
            Dtype::F32 => Self::Float32,
            Dtype::I8 => Self::Int8,
            Dtype::I32 => Self::Int32,
        }
    }
}

impl DataFormat {
    /// As the records spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bfloat16 => "bfloat16",
            Self::Float16 => "float16",
            Self::Float32 => "float32",
            Self::Int8 => "int8",
            Self::Int32 => "int32",
        }
    }
}

/// The direction of tiles through a circular buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// From global memory, for a `&Tensor`.
    Input,
    /// To global memory, for a `&mut Tensor`.
    Output,
}

impl Role {
    /// The role of a tensor that a kernel may write to, or not.
    #[must_use]
    pub const fn of(is_mutable: bool) -> Self {
        match is_mutable {
            false => Self::Input,
            true => Self::Output,
        }
    }

    /// As people and tools call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }

    /// The name of the buffer with this number among those of its role: `cb_in0`.
    #[must_use]
    pub fn buffer_name(self, number: usize) -> String {
        match self {
            Self::Input => format!("cb_in{number}"),
            Self::Output => format!("cb_out{number}"),
        }
    }
}

/// Bytes of a tile.
pub(super) const fn page_size(buffer: &BufferRecord) -> u32 {
    let [height, width] = buffer.tile_shape;
    height * width * buffer.dtype.bytes()
}

impl CircularBufferRecord {
    /// Bytes of all its pages.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.page_size as u64 * self.depth as u64
    }
}
