//! What the examples with pictures share: pictures in shades of grey or in colours, and PNG files of them.

#![allow(dead_code, reason = "no example uses all of it")]

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::Path;

use png::{BitDepth, ColorType, Decoder, Encoder, Limits, Transformations};

/// A picture in shades of grey, one byte a pixel, row by row from the top.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u8>,
}

impl Picture {
    /// The brightness of the pixel in column `x` of row `y`.
    pub(crate) fn at(&self, x: usize, y: usize) -> u8 {
        self.pixels[y * self.width + x]
    }
}

/// Reads a PNG file; colours become the grey of the same brightness, as by Rec. 709.
pub(crate) fn read_png(path: &Path) -> Result<Picture, Box<dyn Error>> {
    const MAX_PIXELS: usize = 1 << 26;
    let limits = Limits {
        bytes: 8 * MAX_PIXELS,
    };
    let mut decoder = Decoder::new_with_limits(BufReader::new(File::open(path)?), limits);
    decoder.set_transformations(Transformations::normalize_to_color8());
    // The header is read first: what it claims decides how much memory the pixels would take.
    let header = decoder.read_header_info()?;
    let (width, height) = (header.width as usize, header.height as usize);
    if width.saturating_mul(height) > MAX_PIXELS {
        return Err(format!(
            "the picture has {width} x {height} pixels, more than {MAX_PIXELS} in all"
        )
        .into());
    }
    let mut reader = decoder.read_info()?;
    let size = reader
        .output_buffer_size()
        .ok_or("the picture is too large")?;
    let mut samples = vec![0; size];
    let frame = reader.next_frame(&mut samples)?;
    samples.truncate(frame.buffer_size());
    Ok(Picture {
        width,
        height,
        pixels: match frame.color_type {
            ColorType::Grayscale => samples,
            ColorType::GrayscaleAlpha => samples.chunks(2).map(|pixel| pixel[0]).collect(),
            ColorType::Rgb => samples.chunks(3).map(brightness).collect(),
            ColorType::Rgba => samples.chunks(4).map(brightness).collect(),
            ColorType::Indexed => return Err("the palette of the picture was not read".into()),
        },
    })
}

/// The brightness of red, green and blue.
fn brightness(pixel: &[u8]) -> u8 {
    let [red, green, blue] = [pixel[0], pixel[1], pixel[2]].map(u32::from);
    ((2126 * red + 7152 * green + 722 * blue) / 10_000) as u8
}

/// Under its name there is either the whole picture or what was there before.
pub(crate) fn write_png(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let size = (picture.width, picture.height);
    write(path, size, ColorType::Grayscale, &picture.pixels)
}

/// The same for pixels of red, green and blue, of which a row has `width`. An error says which file it was.
pub(crate) fn write_colours(
    path: &Path,
    width: usize,
    pixels: &[[u8; 3]],
) -> Result<(), Box<dyn Error>> {
    let size = (width, pixels.len() / width.max(1));
    let written = write(path, size, ColorType::Rgb, pixels.as_flattened());
    written.map_err(|error| format!("{}: {error}", path.display()).into())
}

fn write(
    path: &Path,
    size: (usize, usize),
    color: ColorType,
    samples: &[u8],
) -> Result<(), Box<dyn Error>> {
    let unfinished = path.with_extension(format!("{}.tmp", std::process::id()));
    let encoded = encode(&unfinished, size, color, samples);
    let written = encoded.and_then(|()| Ok(fs::rename(&unfinished, path)?));
    if written.is_err() {
        // It may not even exist; the first error is the one to tell.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn encode(
    path: &Path,
    (width, height): (usize, usize),
    color: ColorType,
    samples: &[u8],
) -> Result<(), Box<dyn Error>> {
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = Encoder::new(file, width.try_into()?, height.try_into()?);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(samples)?;
    Ok(writer.finish()?)
}
