//! What textures are made of.

use half::f16;

use super::device_type::DeviceType;
use super::scalar::{Element, Scalar};
use super::vector::{Vec2, Vec4};

/// What a texture can be made of: `u8`, `u16`, `f16` or `f32`, or a `Vec2` or `Vec4` of one of these.
#[diagnostic::on_unimplemented(
    message = "a texture cannot be made of `{Self}`",
    label = "not a texel",
    note = "texels are `u8`, `u16`, `f16` and `f32`, for one channel, and `Vec2` and `Vec4` of these for two and four: `Texture<Vec4<u8>>`"
)]
pub trait InTexture {
    /// The type itself.
    #[doc(hidden)]
    type This: Texel;
}

/// [`InTexture`] with its bounds, which generated code does not ask for in an error.
pub trait Texel: Element + InTexture + Copy {
    /// What a sample gives: `f32`, or a `Vec2` or `Vec4` of that.
    type Sample: DeviceType;

    /// The type of a channel.
    #[doc(hidden)]
    type Channel: Channel;

    /// As what a kernel takes: a texture of two dimensions, or of three, to be read or also written.
    #[doc(hidden)]
    const SPELLING: [&'static str; 4];
}

/// A channel of a texel.
pub trait Channel: Scalar {
    /// What is kept for 1, of normalised integers.
    #[doc(hidden)]
    const MOST: Option<f32>;
}

macro_rules! texels {
    ($($ty:ty, [$($name:literal)*], $channel:ty, $sample:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl InTexture for $ty {
            type This = Self;
        }

        #[diagnostic::do_not_recommend]
        impl Texel for $ty {
            type Sample = $sample;
            type Channel = $channel;
            const SPELLING: [&'static str; 4] = [
                concat!("&Texture<", $($name,)* ">"),
                concat!("&mut Texture<", $($name,)* ">"),
                concat!("&Texture<", $($name,)* ", 3>"),
                concat!("&mut Texture<", $($name,)* ", 3>"),
            ];
        }
    )*};
}

macro_rules! channels {
    ($($channel:ident $name:literal $most:expr;)*) => {$(
        impl Channel for $channel {
            const MOST: Option<f32> = $most;
        }

        texels! {
            $channel, [$name], $channel, f32;
            Vec2<$channel>, ["Vec2<" $name ">"], $channel, Vec2<f32>;
            Vec4<$channel>, ["Vec4<" $name ">"], $channel, Vec4<f32>;
        }
    )*};
}

channels! {
    u8 "u8" Some(255.0);
    u16 "u16" Some(65535.0);
    f16 "f16" None;
    f32 "f32" None;
}
