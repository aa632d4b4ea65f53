//! The types of values that kernels compute with: scalars, short vectors, texels, and whatever else is a
//! [`DeviceType`].
//!
//! What a kernel can do with them is the business of [`lang`](crate::lang), how they are described to others that of
//! [`meta`](crate::meta).

mod by_hand;
mod by_value;
mod comparisons;
mod device_type;
mod marker;
mod numbers;
mod pointer;
mod scalar;
mod scalar_type;
mod spelled;
mod texel;
mod vector;

pub use by_hand::{ByHand, Comparison};
pub use by_value::{Argument, ByValue};
pub use comparisons::{Compared, Comparisons, NotCompared};
pub(crate) use device_type::value_types;
pub use device_type::{
    DeviceType, Kind, Lanes, Leaf, Lift, Mutables, Places, Struct, ValueType, Word, Words,
};
pub use half::{bf16, f16};
pub use pointer::{RawPtr, RawPtrMut};
pub use scalar::{Checked, Element, InMemory, IsCopy, Scalar, TimeInMemory};
pub use scalar_type::{ScalarType, Spelling};
pub(crate) use spelled::Text;
pub use spelled::{Part, Parts, Spelled};
pub use texel::{Channel, InTexture, Texel};
pub use vector::{Vec2, Vec3, Vec4};
