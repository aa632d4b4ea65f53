//! Blurs a picture: a convolution with a bell curve, first along rows and then along columns.
//!
//! A pass goes along rows and writes what it computes with rows and columns exchanged, so two of it make a blur. Every
//! pixel is a work item. A group has a piece of a row, and copies it to local memory with what is beyond its ends.
//!
//! ```sh
//! cargo run --release --example convolution             # the picture in examples/data
//! cargo run --release --example convolution -- my.png   # writes my.blurred.png next to it
//! ```

#[path = "shared/picture.rs"]
mod picture;
mod shared;

use std::error::Error;
use std::path::{Path, PathBuf};

use picture::{Picture, read_png, write_png};
use vortex::prelude::*;

/// Pixels to either side that count.
const RADIUS: usize = 4;

/// The most items of a group.
const LARGEST: usize = 64;

/// How much each of them counts. The host writes it.
#[vortex::constant]
static WEIGHTS: [f32; 2 * RADIUS + 1] = [0.0; 2 * RADIUS + 1];

/// Beyond the border of the picture, its outermost pixels go on.
#[vortex::kernel]
fn blur_rows(width: usize, height: usize, from: &[f32], to: &mut [f32]) {
    let piece = local::<[f32; LARGEST + 2 * RADIUS]>();
    let (x, row) = global_id_2d();
    let first = x - local_id();
    for i in (local_id()..local_size() + 2 * RADIUS).step_by(local_size()) {
        let column = (first + i).clamp(RADIUS, width - 1 + RADIUS) - RADIUS;
        piece[i] = from[row * width + column];
    }
    barrier();
    if x < width {
        let mut sum = 0.0;
        for (&weight, &pixel) in WEIGHTS.iter().zip(&piece[local_id()..]) {
            sum += weight * pixel;
        }
        to[x * height + row] = sum;
    }
}

/// The same in plain Rust.
fn blur_rows_on_host(weights: &[f32], width: usize, from: &[f32]) -> Vec<f32> {
    let height = from.len() / width;
    let mut to = vec![0.0; from.len()];
    for (y, row) in from.chunks(width).enumerate() {
        for x in 0..width {
            let mut sum = 0.0;
            for (k, weight) in weights.iter().enumerate() {
                sum += weight * row[(x + k).saturating_sub(RADIUS).min(width - 1)];
            }
            to[x * height + y] = sum;
        }
    }
    to
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = match std::env::args_os().nth(1) {
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("data/harbour.png"),
        Some(path) => PathBuf::from(path),
    };
    let picture = read_png(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (width, height) = (picture.width, picture.height);
    let pixels: Vec<f32> = picture
        .pixels
        .iter()
        .map(|&pixel| f32::from(pixel))
        .collect();
    let curve: [f32; 2 * RADIUS + 1] = std::array::from_fn(|i| {
        let away = i as f32 - RADIUS as f32;
        (-away * away / 8.0).exp()
    });
    let weights = curve.map(|weight| weight / curve.iter().sum::<f32>());

    let device = Device::open()?;
    device.global(&WEIGHTS).write(weights)?;
    let group = shared::group_size(&device, LARGEST);
    let mut image = device.upload(&pixels)?;
    let mut turned = device.alloc(pixels.len())?;
    let rows = blur_rows(width, height, &image, &mut turned);
    rows.grid((width.div_ceil(group), height))
        .block(group)
        .launch(&device)?;
    let columns = blur_rows(height, width, &turned, &mut image);
    let report = columns
        .grid((height.div_ceil(group), width))
        .block(group)
        .launch(&device)?;
    let blurred = image.download()?;

    // Weighted pixels are added in the same order on both sides, so not a bit differs.
    let expected = blur_rows_on_host(&weights, width, &pixels);
    assert!(blurred == blur_rows_on_host(&weights, height, &expected));
    let pixels = blurred.iter().map(|&pixel| (pixel + 0.5) as u8).collect();
    let file = path.with_extension("blurred.png");
    let blurred = Picture { pixels, ..picture };
    write_png(&file, &blurred).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("{report}");
    println!(
        "all {} pixels agree with plain Rust; blurred they are in {}",
        width * height,
        file.display()
    );
    Ok(())
}
