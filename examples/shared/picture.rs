//! What the examples with pictures share: PNG files.

use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;

use image::{GrayImage, ImageFormat, ImageReader};

/// A picture in shades of grey.
pub(crate) fn read_png(path: &Path) -> Result<GrayImage, Box<dyn Error>> {
    const MAX_PIXELS: u64 = 1 << 26;
    let open = || {
        io::Result::Ok(ImageReader::with_format(
            io::BufReader::new(fs::File::open(path)?),
            ImageFormat::Png,
        ))
    };
    // The header is read first: what it claims decides how much memory the pixels would take.
    let (width, height) = open()?.into_dimensions()?;
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 {
        return Err("the picture is empty".into());
    }
    if pixels > MAX_PIXELS {
        return Err(format!(
            "the picture has {width} x {height} pixels, more than {MAX_PIXELS} in all"
        )
        .into());
    }
    Ok(open()?.decode()?.into_luma8())
}

/// Under its name there is either the whole picture or what was there before.
pub(crate) fn write_png(path: &Path, picture: &GrayImage) -> Result<(), Box<dyn Error>> {
    let unfinished = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = picture
        .save_with_format(&unfinished, ImageFormat::Png)
        .map_err(Box::<dyn Error>::from)
        .and_then(|()| Ok(fs::rename(&unfinished, path)?));
    if written.is_err() {
        // It may not even exist; the first error is the one to tell.
        let _ = fs::remove_file(&unfinished);
    }
    written
}
