//! Rotates a picture around its centre: a texture, sampled between its pixels.
//!
//! ```sh
//! cargo run --release --example rotate                # the picture in examples/data by 30 degrees
//! cargo run --release --example rotate -- my.png 45   # writes my.rotated.png next to it
//! ```

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use vortex::prelude::*;

#[path = "shared/picture.rs"]
mod picture;

use picture::{Picture, read_png, write_png};

/// What is beyond the picture: a light grey.
const BEYOND: f32 = 0.8;

/// Every pixel is what the picture has where it comes from.
#[vortex::kernel]
fn rotate(picture: &Texture<u8>, sin: f32, cos: f32, rotated: &mut Texture<u8>) {
    let (column, row) = global_id_2d();
    let (width, height) = (rotated.width() as f32, rotated.height() as f32);
    let x = column as f32 + 0.5 - 0.5 * width;
    let y = row as f32 + 0.5 - 0.5 * height;
    let grey = picture.sample(
        cos * x + sin * y + 0.5 * width,
        cos * y - sin * x + 0.5 * height,
    );
    rotated.write(column, row, (255.0 * grey + 0.5) as u8);
}

/// The same in plain Rust, and in `f64`: up to rounding, the brightness of a pixel.
fn rotated_on_host(picture: &Picture, angle: f64, column: usize, row: usize) -> f64 {
    let (width, height) = (picture.width, picture.height);
    let at = |x: i64, y: i64| match (usize::try_from(x), usize::try_from(y)) {
        (Ok(x), Ok(y)) if x < width && y < height => f64::from(picture.at(x, y)),
        _ => 255.0 * f64::from(BEYOND),
    };
    let (sin, cos) = angle.sin_cos();
    let (middle_x, middle_y) = (0.5 * width as f64, 0.5 * height as f64);
    let (x, y) = (column as f64 + 0.5 - middle_x, row as f64 + 0.5 - middle_y);
    // Pixels have their brightness in their middle.
    let x_from = cos * x + sin * y + middle_x - 0.5;
    let y_from = cos * y - sin * x + middle_y - 0.5;
    let (left, above) = (x_from.floor() as i64, y_from.floor() as i64);
    let (right_part, below_part) = (x_from - x_from.floor(), y_from - y_from.floor());
    let line = |y| at(left, y) * (1.0 - right_part) + at(left + 1, y) * right_part;
    line(above) * (1.0 - below_part) + line(above + 1) * below_part
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let path = match arguments.first() {
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("data/harbour.png"),
        Some(path) => PathBuf::from(path),
    };
    let degrees = match arguments.get(1) {
        None => 30.0,
        Some(angle) => {
            let angle = angle.to_string_lossy();
            let degrees = angle.parse().ok().filter(|d: &f64| d.is_finite());
            degrees.ok_or_else(|| format!("the angle is a number of degrees, not `{angle}`"))?
        }
    };
    if arguments.len() > 2 {
        return Err(format!(
            "expected at most two arguments, a PNG file and an angle, but got {}",
            arguments.len()
        )
        .into());
    }
    let picture = read_png(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let size = (picture.width, picture.height);
    let angle = degrees.to_radians();

    let device = Device::open()?;
    let sampler = Sampler::LINEAR.address(Address::Border([BEYOND; 4]));
    let texture = device
        .texture(size, &picture.pixels)?
        .with_sampler(sampler.in_texels());
    let mut rotated = device.alloc_texture(size)?;
    let (sin, cos) = angle.sin_cos();
    let report = rotate(&texture, sin as f32, cos as f32, &mut rotated)
        .over(size)
        .launch(&device)?;

    let rotated = Picture {
        width: size.0,
        height: size.1,
        pixels: rotated.download()?,
    };
    for row in 0..size.1 {
        for column in 0..size.0 {
            let expected = rotated_on_host(&picture, angle, column, row);
            let pixel = rotated.at(column, row);
            if (f64::from(pixel) - expected).abs() > 1.0 {
                return Err(format!(
                    "the pixel in column {column} of row {row} is {pixel}, not {expected:.2}"
                )
                .into());
            }
        }
    }
    let target = path.with_extension("rotated.png");
    write_png(&target, &rotated).map_err(|error| format!("{}: {error}", target.display()))?;

    println!("{report}");
    println!(
        "all {} pixels agree with plain Rust; the rotated picture is in {}",
        size.0 * size.1,
        target.display()
    );
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
