//! The library: of the device, ids, warp and group operations, atomic ones, textures, tensors, and messages; of Rust,
//! what kernels may use of slices, bytes, `Ordering`, and functions.

pub(in crate::lang) mod ascii;
pub(in crate::lang) mod atomic;
pub mod barrier;
pub(in crate::lang) mod collectives;
pub(in crate::lang) mod compared;
pub(in crate::lang) mod core_fns;
pub mod group;
pub(in crate::lang) mod ids;
pub(in crate::lang) mod ordering;
pub mod outside;
pub(in crate::lang) mod print;
pub(in crate::lang) mod slices;
pub(in crate::lang) mod sort;
pub(in crate::lang) mod tensor;
pub(in crate::lang) mod texture;
pub(in crate::lang) mod unwrapped;
pub mod warp;

pub use atomic::{Atomic, AtomicInt, AtomicType};
pub use core_fns::{
    Alone, HasOrder, MadeByDefault, OfUser, Order, Ranks, Replace, Sample, Swap, Take, Unranked,
    array_from_fn, by_default, greatest, instead_of, least, named_min_or_max, named_replace,
    named_swap, named_take, no_end, replace, swap, take, within, within_inclusive,
};
pub use ids::{
    clock, core_count, core_id, global_id, global_id_2d, global_id_3d, global_size, global_size_2d,
    global_size_3d, group_count, group_count_2d, group_count_3d, group_id, group_id_2d,
    group_id_3d, lane_count, lane_id, local_id, local_id_2d, local_id_3d, local_size,
    local_size_2d, local_size_3d, warp_count, warp_id,
};
pub use ordering::{TotalOrder, partial_order, three_way, total_order, total_order_of};
pub use print::{Formatted, FormattedValues, Shown, like, panic, print, require};
pub use slices::{ChangedInPlace, SliceOf};
pub use tensor::{
    Accumulator, CircularBuffer, Shard, TensorMut, TensorRef, Tile, TileMut, WritableTensor,
    param_tensor, param_tensor_mut,
};
pub use texture::{TextureMut, TextureRef, WritableTexture, param_texture, param_texture_mut};
pub use unwrapped::{AfterText, Expected, NoError, expected};
