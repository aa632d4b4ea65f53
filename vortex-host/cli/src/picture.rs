//! Pictures in files: PNG and NumPy arrays.

use std::io::Cursor;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use png::{BitDepth, ColorType, Transformations};

use super::npy;

/// The most samples of a picture: as many as fill the memory of a device.
const MOST: usize = 1 << 31;
/// How many bytes a byte of compressed data can stand for at most (zlib's "Maximum Expansion Factor").
const MOST_COMPRESSED: usize = 1032;
/// A sample of 1.
const FULL: u16 = u16::MAX;

/// A picture of which nothing but its pixels is kept. A sample of 8 bits is kept as 257 times that, which loses
/// nothing.
#[derive(Debug, PartialEq)]
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Samples of each pixel: grey, grey and alpha, colours, or colours and alpha.
    pub(crate) channels: usize,
    pub(crate) samples: Vec<u16>,
}

impl Picture {
    /// Reads a PNG file.
    pub(crate) fn read(file: &[u8]) -> Result<Self> {
        let mut decoder = png::Decoder::new(Cursor::new(file));
        // Palettes become colours, and fewer than 8 bits become 8.
        decoder.set_transformations(Transformations::EXPAND);
        let mut reader = decoder.read_info()?;
        // The decoder ensures that there are 256 colours at most, and panics at a part of one.
        let palette = reader.info().palette.as_deref().unwrap_or_default();
        if !palette.len().is_multiple_of(3) {
            bail!("the palette of this picture is damaged");
        }
        // Memory is taken for what a file can hold, not for what it says it does.
        if file.len().saturating_mul(MOST_COMPRESSED) < reader.info().raw_bytes() {
            bail!("this picture is cut off");
        }
        let size = reader.output_buffer_size().filter(|size| *size <= MOST);
        let mut bytes = vec![0; size.ok_or_else(|| anyhow!("this picture is too large"))?];
        let info = reader.next_frame(&mut bytes)?;
        bytes.truncate(info.buffer_size());
        let samples = match info.bit_depth {
            BitDepth::Sixteen => {
                let (pairs, _) = bytes.as_chunks::<2>();
                pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect()
            }
            _ => bytes.iter().map(|byte| u16::from(*byte) * 257).collect(),
        };
        Ok(Self {
            width: info.width as usize,
            height: info.height as usize,
            channels: info.color_type.samples(),
            samples,
        })
    }

    /// The same with this many samples of each pixel, 1, 2 or 4: grey becomes a colour, and what is opaque gets an
    /// alpha of 1.
    pub(crate) fn with_channels(self, channels: usize) -> Result<Self> {
        let (from, to) = (self.channels, channels);
        let pixel: fn(&[u16]) -> [u16; 4] = match (from, to) {
            (same, channels) if same == channels => return Ok(self),
            (1, 2) => |p| [p[0], FULL, 0, 0],
            (1, 4) => |p| [p[0], p[0], p[0], FULL],
            (2, 4) => |p| [p[0], p[0], p[0], p[1]],
            (3, 4) => |p| [p[0], p[1], p[2], FULL],
            _ => bail!("this picture has {from} channels, and a texel of the texture has {to}"),
        };
        let pixels = self.samples.chunks_exact(from);
        let samples = pixels.flat_map(|old| pixel(old).into_iter().take(to));
        Ok(Self {
            channels,
            samples: samples.collect(),
            ..self
        })
    }

    /// As a PNG file of 8 or 16 bits for each sample.
    pub(crate) fn write(&self, depth: BitDepth) -> Result<Vec<u8>> {
        let samples = self.samples.iter();
        let bytes = match depth {
            BitDepth::Sixteen => samples.flat_map(|sample| sample.to_be_bytes()).collect(),
            _ => samples.map(|sample| narrow(*sample)).collect::<Vec<_>>(),
        };
        let mut file = Vec::new();
        // No texture has more than 65,535 texels along an axis.
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_depth(depth);
        encoder.set_color(match self.channels {
            1 => ColorType::Grayscale,
            2 => ColorType::GrayscaleAlpha,
            3 => ColorType::Rgb,
            _ => ColorType::Rgba,
        });
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&bytes)?;
        writer.finish()?;
        Ok(file)
    }
}

/// The nearest sample of 8 bits.
pub(crate) fn narrow(sample: u16) -> u8 {
    ((u32::from(sample) + 128) / 257) as u8
}

/// The texels of a NumPy array of such channels, and its size: rows, or slices of rows, each with as many channels as
/// a texel has.
pub(crate) fn array(
    file: &[u8],
    path: &Path,
    (channel, channels, axes): (&str, usize, usize),
) -> Result<([usize; 3], Vec<u8>)> {
    let array = npy::read(file).with_context(|| path.display().to_string())?;
    let shown = path.display();
    if npy::descr(channel).is_none_or(|expected| expected != array.descr) {
        bail!(
            "{shown}: the elements are `{}`, and a channel of the texture is {channel}",
            array.descr
        );
    }
    let size = match array.shape.strip_suffix(&[channels]) {
        Some(size) if size.len() == axes => Some(size),
        _ => Some(&*array.shape).filter(|size| channels == 1 && size.len() == axes),
    };
    let wanted = match axes {
        2 => "height, width",
        _ => "depth, height, width",
    };
    let size = size.ok_or_else(|| {
        anyhow!(
            "{shown}: the array's shape is {:?}, and the texture takes ({wanted}, {channels})",
            array.shape
        )
    })?;
    let mut extent = [1; 3];
    for (axis, length) in extent.iter_mut().zip(size.iter().rev()) {
        *axis = *length;
    }
    Ok((extent, array.bytes.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(channels: usize) -> Picture {
        let samples = (0..6 * channels).map(|n| n as u16 * 257);
        Picture {
            width: 3,
            height: 2,
            channels,
            samples: samples.collect(),
        }
    }

    #[test]
    fn pictures_read_as_they_were_written() {
        for channels in 1..=4 {
            for depth in [BitDepth::Eight, BitDepth::Sixteen] {
                let file = picture(channels).write(depth).unwrap();
                assert_eq!(Picture::read(&file).unwrap(), picture(channels));
                for length in 0..file.len() - 20 {
                    assert!(Picture::read(&file[..length]).is_err());
                }
            }
        }
    }

    /// A part of a PNG file, with its checksum.
    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let mut sum = u32::MAX;
        for byte in kind.iter().chain(data) {
            sum ^= u32::from(*byte);
            for _ in 0..8 {
                sum = (sum >> 1) ^ (0xedb8_8320 * (sum & 1));
            }
        }
        let length = data.len() as u32;
        [
            &length.to_be_bytes(),
            &kind[..],
            data,
            &(!sum).to_be_bytes(),
        ]
        .concat()
    }

    /// What is wrong with a picture of 6 pixels whose head says something else.
    fn error(size: [u8; 8], kind: [u8; 5], palette: &[u8]) -> String {
        let file = picture(4).write(BitDepth::Eight).unwrap();
        let head = chunk(b"IHDR", &[&size[..], &kind].concat());
        let palette = match palette {
            [] => Vec::new(),
            palette => chunk(b"PLTE", palette),
        };
        let file = [&file[..8], &head, &palette, &file[33..]].concat();
        Picture::read(&file).unwrap_err().to_string()
    }

    #[test]
    fn pictures_take_what_they_hold() {
        // 20,000 by 20,000 pixels.
        let size = [0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20];
        assert_eq!(error(size, [8, 6, 0, 0, 0], &[]), "this picture is cut off");
    }

    #[test]
    fn palettes_have_whole_colours() {
        for length in [4, 766, 767] {
            assert_eq!(
                error([0, 0, 0, 3, 0, 0, 0, 2], [8, 3, 0, 0, 0], &vec![7; length]),
                "the palette of this picture is damaged"
            );
        }
    }

    #[test]
    fn channels_are_added_and_never_lost() {
        let grey = picture(1).with_channels(4).unwrap();
        assert_eq!(grey.samples[4..8], [257, 257, 257, FULL]);
        let colour = picture(3).with_channels(4).unwrap();
        assert_eq!(colour.samples[4..8], [3 * 257, 4 * 257, 5 * 257, FULL]);
        let error = picture(3).with_channels(1).unwrap_err().to_string();
        assert_eq!(
            error,
            "this picture has 3 channels, and a texel of the texture has 1"
        );
    }

    #[test]
    fn samples_are_rounded() {
        assert_eq!([0, 128, 129, 257, u16::MAX].map(narrow), [0, 0, 1, 1, 255]);
    }
}
