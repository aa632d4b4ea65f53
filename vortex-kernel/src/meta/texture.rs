//! Textures: their texels, their samplers, and their layout in an argument struct.

use bytemuck::{Pod, Zeroable};

use crate::types::{Channel as _, Texel};

/// A texture's sampler: `Sampler::LINEAR.address(Address::Repeat)`.
///
/// By default the texel counts that a sample is in, the texel at the edge continues beyond it, and coordinates go from
/// 0 to 1 along each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    filter: Filter,
    address: Address,
    normalised: bool,
}

/// Which texels around a sample count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The texel it is in.
    #[default]
    Nearest,
    /// The nearest two along each axis, weighted by distance.
    Linear,
}

/// What is beyond the edges of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Address {
    /// The texel at the edge.
    #[default]
    Clamp,
    /// The texture again.
    Repeat,
    /// The texture again, mirrored at each edge.
    Mirror,
    /// A colour, of which the first channels count: the value of a sample there.
    Border([f32; 4]),
}

impl Sampler {
    /// The texel a sample is in.
    pub const NEAREST: Self = Self {
        filter: Filter::Nearest,
        address: Address::Clamp,
        normalised: true,
    };

    /// Interpolation between the nearest texels.
    pub const LINEAR: Self = Self {
        filter: Filter::Linear,
        ..Self::NEAREST
    };

    /// The same with another filter.
    #[must_use]
    pub const fn filter(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// The same with something else beyond the edges.
    #[must_use]
    pub const fn address(self, address: Address) -> Self {
        Self { address, ..self }
    }

    /// The same with coordinates that count texels: the first one reaches from 0 to 1.
    #[must_use]
    pub const fn in_texels(self) -> Self {
        Self {
            normalised: false,
            ..self
        }
    }

    /// As it lies in an argument struct; `most` is what is kept for a channel of 1.
    fn arg(self, most: f32) -> SamplerArg {
        let filter = match self.filter {
            Filter::Nearest => 0,
            Filter::Linear => SamplerArg::LINEAR,
        };
        let (address, border) = match self.address {
            Address::Clamp => (0, [0.0; 4]),
            Address::Repeat => (SamplerArg::REPEAT, [0.0; 4]),
            Address::Mirror => (SamplerArg::MIRROR, [0.0; 4]),
            Address::Border(colour) => (SamplerArg::BORDER, colour.map(|part| part * most)),
        };
        let normalised = match self.normalised {
            true => SamplerArg::NORMALISED,
            false => 0,
        };
        SamplerArg {
            settings: filter | address | normalised,
            border,
        }
    }
}

impl Default for Sampler {
    fn default() -> Self {
        Self::NEAREST
    }
}

/// An image in an argument struct: its address and size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ImageArg {
    /// Device address of the first texel. The others follow, row by row.
    pub addr: u32,
    /// Texels along x.
    pub width: u32,
    /// Texels along y.
    pub height: u32,
    /// Texels along z, 1 of an image of two dimensions.
    pub depth: u32,
}

/// A sampler in an argument struct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SamplerArg {
    /// Which of the settings below it has.
    pub settings: u32,
    /// The colour beyond the edge, of normalised integers in units of the integer.
    pub border: [f32; 4],
}

impl SamplerArg {
    /// The bit of [`Filter::Linear`]; without, texels are not filtered.
    pub const LINEAR: u32 = 1;
    /// The bit of coordinates that go from 0 to 1 along each axis; without, they count texels.
    pub const NORMALISED: u32 = 1 << 1;
    /// The bit of [`Address::Repeat`]; without any of these three, coordinates are clamped.
    pub const REPEAT: u32 = 1 << 2;
    /// The bit of [`Address::Mirror`].
    pub const MIRROR: u32 = 1 << 3;
    /// The bit of [`Address::Border`].
    pub const BORDER: u32 = 1 << 4;
}

/// A texture in an argument struct: an image and a sampler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct TextureArg {
    /// The address and number of texels.
    pub image: ImageArg,
    /// The sampler.
    pub sampler: SamplerArg,
}

impl TextureArg {
    /// A texture of such texels.
    #[must_use]
    pub fn of<T: Texel>(image: ImageArg, sampler: Sampler) -> Self {
        let sampler = sampler.arg(T::Channel::MOST.unwrap_or(1.0));
        Self { image, sampler }
    }
}
