//! Short vectors, as data: two, three or four numbers of one type.

use bytemuck::{Pod, Zeroable};
use vortex_macros::DeviceType;

/// Two numbers of one type: `Vec2<f32>`. Eight bytes of `f32`, aligned as one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, DeviceType)]
#[vortex(crate = crate)]
#[repr(C)]
pub struct Vec2<T> {
    /// The first.
    pub x: T,
    /// The second.
    pub y: T,
}

/// Three numbers of one type: `Vec3<f32>`. Twelve bytes of `f32`, aligned as one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, DeviceType)]
#[vortex(crate = crate)]
#[repr(C)]
pub struct Vec3<T> {
    /// The first.
    pub x: T,
    /// The second.
    pub y: T,
    /// The third.
    pub z: T,
}

/// Four numbers of one type: `Vec4<f32>`. Sixteen bytes of `f32`, aligned as one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, DeviceType)]
#[vortex(crate = crate)]
#[repr(C)]
pub struct Vec4<T> {
    /// The first.
    pub x: T,
    /// The second.
    pub y: T,
    /// The third.
    pub z: T,
    /// The fourth.
    pub w: T,
}

macro_rules! plain_data {
    ($($vec:ident)*) => {$(
        // SAFETY: `repr(C)`, and all fields are of one type, so there is no padding; all zeros are valid for each.
        unsafe impl<T: Zeroable> Zeroable for $vec<T> {}
        // SAFETY: as above, and each field is plain data.
        unsafe impl<T: Pod> Pod for $vec<T> {}
    )*};
}

plain_data! { Vec2 Vec3 Vec4 }
