//! Textures: images in device memory, with their samplers.

use std::fmt;

use vortex_kernel::meta::{ImageArg, Sampler, Texel, TextureArg};

use crate::device::Device;
use crate::device::buffer::{Buffer, DeviceSlice};
use crate::error::{Error, MemoryError, Result};
use crate::extents::Extents;

/// No texture has more texels along an axis: where a sample is, is computed in 24 bits.
const MOST_TEXELS: usize = 65_535;

/// An image in device memory with its sampler: of two dimensions, or of three, `Texture<T, 3>`.
///
/// Made by [`Device::texture`]; a kernel takes it as `&Texture<T>` or, to write it, as `&mut Texture<T>`. It is freed
/// on drop.
///
/// ```
/// use vortex_host::Texture;
/// use vortex_kernel::meta::{Address, Sampler};
///
/// # fn main() -> vortex_host::Result<()> {
/// let device = vortex_host::Device::open()?;
/// let mut image: Texture<f32> = device.texture((2, 2), &[0.0, 1.0, 2.0, 3.0])?;
/// image.set_sampler(Sampler::LINEAR.address(Address::Repeat));
/// assert_eq!((image.width(), image.height()), (2, 2));
/// assert_eq!(image.texels().download()?, [0.0, 1.0, 2.0, 3.0]);
/// # Ok(())
/// # }
/// ```
pub struct Texture<T: Texel, const D: usize = 2> {
    texels: Buffer<T>,
    extent: [u32; 3],
    sampler: Sampler,
}

/// How many texels a texture has along each axis, x first: `(w, h)` or `(w, h, d)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the size of such a texture",
    label = "expected `(w, h)` for a `Texture<T>` and `(w, h, d)` for a `Texture<T, 3>`, each a `usize`"
)]
pub trait TextureSize<const D: usize> {
    /// As three dimensions.
    #[doc(hidden)]
    fn extent(self) -> [usize; 3];
}

impl TextureSize<2> for (usize, usize) {
    fn extent(self) -> [usize; 3] {
        [self.0, self.1, 1]
    }
}

impl TextureSize<3> for (usize, usize, usize) {
    fn extent(self) -> [usize; 3] {
        [self.0, self.1, self.2]
    }
}

impl Device {
    /// Copies an image to the device: its texels row by row, and slice by slice if there are several. It is sampled by
    /// [`Sampler::NEAREST`] until [`Texture::set_sampler`] changes that.
    ///
    /// # Errors
    /// If there are not as many texels as the size says, or the memory is full.
    pub fn texture<T: Texel, const D: usize>(
        &self,
        size: impl TextureSize<D>,
        texels: &[T],
    ) -> Result<Texture<T, D>> {
        let extent = extent(size.extent(), Some(texels.len()))?;
        Ok(Texture {
            texels: self.upload(texels)?,
            extent,
            sampler: Sampler::default(),
        })
    }

    /// An image of zeros, sampled as by [`Device::texture`].
    ///
    /// # Errors
    /// If an axis has no texels, or more than 65,535, or the memory is full.
    pub fn alloc_texture<T: Texel, const D: usize>(
        &self,
        size: impl TextureSize<D>,
    ) -> Result<Texture<T, D>> {
        let size = size.extent();
        let extent = extent(size, None)?;
        Ok(Texture {
            texels: self.alloc(size.into_iter().fold(1, usize::saturating_mul))?,
            extent,
            sampler: Sampler::default(),
        })
    }
}

/// A size in words, if it is one and has so many texels.
fn extent(size: [usize; 3], texels: Option<usize>) -> Result<[u32; 3]> {
    let extents = || Extents(size.map(|n| n as u64));
    if size.iter().any(|n| !(1..=MOST_TEXELS).contains(n)) {
        return Err(Error::Memory(MemoryError::TextureSize { size: extents() }));
    }
    let count = size.into_iter().fold(1, usize::saturating_mul);
    match texels {
        Some(texels) if texels != count => Err(Error::Memory(MemoryError::TexelCount {
            size: extents(),
            expected: count,
            found: texels,
        })),
        _ => Ok(size.map(|n| n as u32)),
    }
}

impl<T: Texel, const D: usize> Texture<T, D> {
    /// The same texture with another sampler: `device.texture(..)?.with_sampler(Sampler::LINEAR)`.
    #[must_use]
    pub fn with_sampler(mut self, sampler: Sampler) -> Self {
        self.sampler = sampler;
        self
    }

    /// Sets the sampler from the next launch on.
    pub fn set_sampler(&mut self, sampler: Sampler) {
        self.sampler = sampler;
    }

    /// Its sampler: the filter, and what is outside of it.
    #[must_use]
    pub const fn sampler(&self) -> Sampler {
        self.sampler
    }

    /// Number of texels along x.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.extent[0] as usize
    }

    /// Number of texels along y.
    #[must_use]
    pub const fn height(&self) -> usize {
        self.extent[1] as usize
    }

    /// The texels in device memory: row by row, slice by slice.
    #[must_use]
    pub fn texels(&self) -> &DeviceSlice<T> {
        &self.texels
    }

    /// The texels in device memory, to be written.
    pub fn texels_mut(&mut self) -> &mut DeviceSlice<T> {
        &mut self.texels
    }

    /// Copies the texels to the host, row by row.
    ///
    /// # Errors
    /// If the device cannot be read.
    pub fn download(&self) -> Result<Vec<T>> {
        self.texels.download()
    }

    /// As it lies in an argument struct.
    pub(crate) fn as_arg(&self) -> TextureArg {
        let [width, height, depth] = self.extent;
        let image = ImageArg {
            addr: self.texels.as_arg().addr,
            width,
            height,
            depth,
        };
        TextureArg::of::<T>(image, self.sampler)
    }
}

impl<T: Texel> Texture<T, 3> {
    /// Number of texels along z.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.extent[2] as usize
    }
}

impl<T: Texel, const D: usize> fmt::Debug for Texture<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = Extents(self.extent.map(u64::from));
        write!(f, "{size} texels, {:?}, {:?}", self.texels(), self.sampler)
    }
}
