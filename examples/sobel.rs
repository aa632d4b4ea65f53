//! Finds the edges in a picture with a Sobel filter, one pixel per work item.
//!
//! ```sh
//! cargo run --release --example sobel             # the picture in examples/data
//! cargo run --release --example sobel -- my.png   # writes my.edges.png next to it
//! ```

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use vortex::prelude::*;

#[path = "shared/picture.rs"]
mod picture;

use picture::{Picture, read_png, write_png};

/// Beyond the border of the picture, its outermost pixels go on.
#[vortex::kernel]
pub fn sobel(width: usize, height: usize, input: &[u8], output: &mut [u8]) {
    let (x, y) = global_id_2d();
    let left = x.max(1) - 1;
    let right = (x + 1).min(width - 1);
    let above = (y.max(1) - 1) * width;
    let row = y * width;
    let below = (y + 1).min(height - 1) * width;

    let a = input[above + left] as i32;
    let b = input[above + x] as i32;
    let c = input[above + right] as i32;
    let d = input[row + left] as i32;
    let e = input[row + right] as i32;
    let f = input[below + left] as i32;
    let g = input[below + x] as i32;
    let h = input[below + right] as i32;

    let dx = (c + 2 * e + h) - (a + 2 * d + f);
    let dy = (f + 2 * g + h) - (a + 2 * b + c);
    output[row + x] = ((dx * dx + dy * dy) as f32).sqrt() as u8;
}

/// The same in plain Rust.
fn sobel_on_host(picture: &Picture) -> Vec<u8> {
    let (width, height) = (picture.width, picture.height);
    let at = |x, y| i32::from(picture.at(x, y));
    let mut edges = Vec::with_capacity(picture.pixels.len());
    for y in 0..height {
        for x in 0..width {
            let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
            let (above, below) = (y.saturating_sub(1), (y + 1).min(height - 1));
            let dx = at(right, above) + 2 * at(right, y) + at(right, below)
                - at(left, above)
                - 2 * at(left, y)
                - at(left, below);
            let dy = at(left, below) + 2 * at(x, below) + at(right, below)
                - at(left, above)
                - 2 * at(x, above)
                - at(right, above);
            edges.push(((dx * dx + dy * dy) as f32).sqrt() as u8);
        }
    }
    edges
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let path = match &arguments[..] {
        [] => Path::new(env!("CARGO_MANIFEST_DIR")).join("data/harbour.png"),
        [path] => PathBuf::from(path),
        more => {
            return Err(format!(
                "expected at most one argument, a PNG file, but got {}",
                more.len()
            )
            .into());
        }
    };
    let picture = read_png(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (width, height) = (picture.width, picture.height);

    let device = Device::open()?;
    let input = device.upload(&picture.pixels)?;
    let mut output = device.alloc(width * height)?;
    let report = sobel(width, height, &input, &mut output)
        .over((width, height))
        .launch(&device)?;
    let pixels = output.download()?;

    if pixels != sobel_on_host(&picture) {
        return Err("the device and the plain-Rust loop disagree".into());
    }
    let edges = Picture {
        width,
        height,
        pixels,
    };
    let target = path.with_extension("edges.png");
    write_png(&target, &edges).map_err(|error| format!("{}: {error}", target.display()))?;

    println!("{report}");
    println!(
        "all {} pixels agree with the plain-Rust loop; edges are in {}",
        width * height,
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
