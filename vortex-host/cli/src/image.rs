//! Textures of `vortex run`: from files, with samplers, and to files.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use png::BitDepth;
use vortex::meta::{ArgInfo, Element, Texel, f16};
use vortex::prelude::{Address, Filter, Sampler, Vec2, Vec4};
use vortex::{Device, ModuleLaunch, Texture};

use crate::held::Held;
use crate::picture::{self, Picture};
use crate::{input, npy};

/// A texture that a kernel takes.
pub(crate) struct Image {
    kind: Kind,
    size: [usize; 3],
    texture: Box<dyn Held>,
}

/// What a parameter that is a texture says about it.
#[derive(Clone, Debug, PartialEq)]
struct Kind {
    mutable: bool,
    channel: String,
    channels: usize,
    axes: usize,
}

impl Kind {
    /// Of `&mut Texture<Vec4<u8>, 3>`.
    fn of(arg: &ArgInfo) -> Option<Self> {
        let reference = arg.rust_type.strip_prefix('&')?;
        let (mutable, texture) = match reference.strip_prefix("mut ") {
            Some(texture) => (true, texture),
            None => (false, reference),
        };
        let texel = texture.strip_prefix("Texture<")?.strip_suffix('>')?;
        let (texel, axes) = match texel.strip_suffix(", 3") {
            Some(texel) => (texel, 3),
            None => (texel, 2),
        };
        let of = |vector: &str| texel.strip_prefix(vector)?.strip_suffix('>');
        let (channel, channels) = match (of("Vec2<"), of("Vec4<")) {
            (Some(channel), _) => (channel, 2),
            (_, Some(channel)) => (channel, 4),
            _ => (texel, 1),
        };
        Some(Self {
            mutable,
            channel: channel.to_owned(),
            channels,
            axes,
        })
    }

    /// Bytes of these samples, as texels of this kind have them.
    fn bytes(&self, samples: &[u16]) -> Result<Vec<u8>> {
        let samples = samples.iter().copied();
        let unit = |sample: u16| f32::from(sample) / f32::from(u16::MAX);
        Ok(match &*self.channel {
            "u8" => samples.map(picture::narrow).collect(),
            "u16" => samples.flat_map(u16::to_le_bytes).collect(),
            "f16" => samples
                .flat_map(|sample| f16::from_f32(unit(sample)).to_le_bytes())
                .collect(),
            "f32" => samples
                .flat_map(|sample| unit(sample).to_le_bytes())
                .collect(),
            other => bail!("a texture of {other} cannot be given here"),
        })
    }

    /// The samples of texels of this kind, and how many bits are kept of each. Floats are cut off at 0 and 1.
    fn samples(&self, bytes: &[u8]) -> Result<(Vec<u16>, BitDepth)> {
        let wide = |value: f32| (value.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u16;
        let halves = || bytes.as_chunks::<2>().0.iter().copied();
        let words = || bytes.as_chunks::<4>().0.iter().copied();
        let samples = match &*self.channel {
            "u8" => {
                let samples = bytes.iter().map(|byte| u16::from(*byte) * 257);
                return Ok((samples.collect(), BitDepth::Eight));
            }
            "u16" => halves().map(u16::from_le_bytes).collect(),
            "f16" => halves()
                .map(|half| wide(f16::from_le_bytes(half).to_f32()))
                .collect(),
            "f32" => words().map(|word| wide(f32::from_le_bytes(word))).collect(),
            other => bail!("a texture of {other} cannot be written here"),
        };
        Ok((samples, BitDepth::Sixteen))
    }
}

impl<T: Texel, const D: usize> Held for Texture<T, D> {
    fn give<'a>(
        &'a mut self,
        launch: ModuleLaunch<'a>,
        name: &str,
        mutable: bool,
    ) -> vortex::Result<ModuleLaunch<'a>> {
        match mutable {
            true => launch.texture_mut(name, self),
            false => launch.texture(name, self),
        }
    }

    fn bytes(&self) -> vortex::Result<Vec<u8>> {
        Ok(T::bytes_of(&self.download()?).into_owned())
    }
}

fn texels<T: Element>(bytes: &[u8]) -> Result<Vec<T>> {
    let texels = bytes.chunks_exact(size_of::<T>()).map(T::from_bytes);
    let texels: Option<_> = texels.collect();
    texels.context("these are no texels")
}

/// What a texture is made from.
struct Content<'a> {
    axes: usize,
    size: [usize; 3],
    bytes: &'a [u8],
    sampler: Sampler,
}

/// A texture of two or three dimensions.
fn of_axes<T: Texel>(device: &Device, content: &Content<'_>) -> Result<Box<dyn Held>> {
    let texels: Vec<T> = texels(content.bytes)?;
    let ([x, y, z], sampler) = (content.size, content.sampler);
    Ok(match content.axes {
        2 => {
            let texture = device.texture::<T, 2>((x, y), &texels)?;
            Box::new(texture.with_sampler(sampler))
        }
        _ => {
            let texture = device.texture::<T, 3>((x, y, z), &texels)?;
            Box::new(texture.with_sampler(sampler))
        }
    })
}

/// A texture of these texels.
fn of_texels(device: &Device, kind: &Kind, content: &Content<'_>) -> Result<Box<dyn Held>> {
    macro_rules! textures {
        ($($channel:ident $name:literal)*) => {
            match (&*kind.channel, kind.channels) {
                $(
                    ($name, 1) => of_axes::<$channel>(device, content),
                    ($name, 2) => of_axes::<Vec2<$channel>>(device, content),
                    ($name, _) => of_axes::<Vec4<$channel>>(device, content),
                )*
                (other, _) => bail!("a texture of {other} cannot be given here"),
            }
        };
    }

    textures! { u8 "u8" u16 "u16" f16 "f16" f32 "f32" }
}

impl Image {
    /// What `photo.png,filter=linear,edge=clamp` stands for, on a device.
    pub(crate) fn read(device: &Device, arg: &ArgInfo, value: &str) -> Result<Self> {
        let kind = Kind::of(arg).ok_or_else(|| {
            anyhow!(
                "`{}` is {}, which cannot be given here",
                arg.name,
                arg.rust_type
            )
        })?;
        let (content, sampler) = sampler(&arg.name, value)?;
        let (size, bytes) = contents(arg, &kind, content)?;
        let held = Content {
            axes: kind.axes,
            size,
            bytes: &bytes,
            sampler,
        };
        let texture = of_texels(device, &kind, &held);
        let texture = texture.with_context(|| format!("`{}={content}`", arg.name))?;
        Ok(Self {
            kind,
            size,
            texture,
        })
    }

    /// Gives it to a launch.
    pub(crate) fn give<'a>(
        &'a mut self,
        launch: ModuleLaunch<'a>,
        name: &str,
    ) -> Result<ModuleLaunch<'a>> {
        Ok(self.texture.give(launch, name, self.kind.mutable)?)
    }

    /// Writes what it holds to a file: a picture, a NumPy array, or bytes, by the end of its name.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let shown = || path.display().to_string();
        let bytes = self.texture.bytes()?;
        let Kind {
            channel,
            channels,
            axes,
            ..
        } = &self.kind;
        let extension = path.extension().and_then(|extension| extension.to_str());
        let file = match extension {
            Some("png") if *axes == 3 => bail!(
                "{}: a picture has two dimensions, and the texture has three; write it to a `.npy` file",
                shown()
            ),
            Some("png") => {
                let (samples, depth) = self.kind.samples(&bytes)?;
                let [width, height, _] = self.size;
                let picture = Picture {
                    width,
                    height,
                    channels: *channels,
                    samples,
                };
                picture.write(depth).with_context(shown)?
            }
            Some("npy") => {
                let descr = npy::descr(channel).context("NumPy has no type for these channels")?;
                let mut shape: Vec<usize> = self.size[..*axes].iter().rev().copied().collect();
                if *channels > 1 {
                    shape.push(*channels);
                }
                npy::write(descr, &shape, &bytes)
            }
            _ => bytes,
        };
        std::fs::write(path, file).with_context(shown)
    }
}

/// What a texture holds at first, and its size.
fn contents(arg: &ArgInfo, kind: &Kind, content: &str) -> Result<([usize; 3], Vec<u8>)> {
    if let Some(size) = content.strip_prefix("zeros:") {
        let axes: Option<Vec<usize>> = size.split('x').map(|axis| axis.parse().ok()).collect();
        let axes = axes.filter(|axes| axes.len() == kind.axes);
        let (x, y, z) = match axes.as_deref() {
            Some(&[x, y]) => (x, y, 1),
            Some(&[x, y, z]) => (x, y, z),
            _ => bail!(
                "`{}={content}`: write the size as {}",
                arg.name,
                if kind.axes == 2 {
                    "zeros:WxH"
                } else {
                    "zeros:WxHxD"
                }
            ),
        };
        let texel = arg.element_size.max(1) as usize;
        let bytes = [y, z, texel].into_iter().try_fold(x, usize::checked_mul);
        let bytes = bytes.filter(|bytes| *bytes < 1 << 32);
        let bytes = bytes.ok_or_else(|| {
            anyhow!(
                "`{}={content}`: this is more than a device can hold",
                arg.name
            )
        })?;
        return Ok(([x, y, z], vec![0; bytes]));
    }
    let expected = || {
        format!(
            "`{}` is {}: its value is the name of a picture (.png) or an array (.npy), or `zeros:WxH`",
            arg.name, arg.rust_type
        )
    };
    let file = input::bytes_of_value(content, expected)?;
    let path = Path::new(content.strip_prefix('@').unwrap_or(content));
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("npy") => picture::array(&file, path, (&kind.channel, kind.channels, kind.axes)),
        Some("png") if kind.axes == 2 => {
            let picture =
                Picture::read(&file).and_then(|picture| picture.with_channels(kind.channels));
            let picture = picture.with_context(|| path.display().to_string())?;
            Ok((
                [picture.width, picture.height, 1],
                kind.bytes(&picture.samples)?,
            ))
        }
        _ => bail!(
            "{}: this cannot be a texture; {}",
            path.display(),
            expected()
        ),
    }
}

/// A value without how the texture is sampled, and that.
fn sampler<'a>(name: &str, value: &'a str) -> Result<(&'a str, Sampler)> {
    let mut parts = value.split(',');
    let content = parts.next().unwrap_or_default();
    let mut sampler = Sampler::NEAREST;
    for part in parts {
        sampler = match part.split_once('=') {
            Some(("filter", "nearest")) => sampler.filter(Filter::Nearest),
            Some(("filter", "linear")) => sampler.filter(Filter::Linear),
            Some(("edge", "clamp")) => sampler.address(Address::Clamp),
            Some(("edge", "repeat")) => sampler.address(Address::Repeat),
            Some(("edge", "mirror")) => sampler.address(Address::Mirror),
            Some(("edge", colour)) if colour.contains(':') => {
                sampler.address(Address::Border(border(name, colour)?))
            }
            Some(("unit", "image")) => sampler,
            Some(("unit", "texel")) => sampler.in_texels(),
            _ => bail!(
                "`{name}=..,{part}`: a texture is sampled with `filter=` nearest or linear, `edge=` clamp, repeat, mirror or a \
                 colour R:G:B:A, and `unit=` image or texel"
            ),
        };
    }
    Ok((content, sampler))
}

/// The colour `0.5:0:0:1`; channels that are left out are 0.
fn border(name: &str, colour: &str) -> Result<[f32; 4]> {
    let parts: Option<Vec<f32>> = colour.split(':').map(|part| part.parse().ok()).collect();
    let parts = parts.filter(|parts| parts.len() <= 4);
    let parts = parts.ok_or_else(|| {
        anyhow!("`{name}=..,edge={colour}`: a colour is written R:G:B:A, with numbers")
    })?;
    let mut border = [0.0; 4];
    border[..parts.len()].copy_from_slice(&parts);
    Ok(border)
}
