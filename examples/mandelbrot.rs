//! Draws the Mandelbrot set: for each pixel, after how many steps of `z = z * z + c` its `c` runs away.
//!
//! Every pixel is a work item, since none needs another one. Neighbouring items leave the loop after about as many
//! steps, so the lanes of a warp seldom wait for each other, but for those along the edge of the set.
//!
//! ```sh
//! cargo run --release --example mandelbrot                  # 160 rows
//! cargo run --release --example mandelbrot -- 600 set.png   # rows, and the file to write
//! ```

#[path = "shared/picture.rs"]
mod picture;
mod shared;

use std::error::Error;
use std::ops::{Add, Mul};

use vortex::prelude::*;

/// Steps after which a point is taken for one of the set.
const MOST: u32 = 128;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Complex {
    re: f32,
    im: f32,
}

#[vortex::device]
impl Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

#[vortex::device]
impl Mul for Complex {
    type Output = Complex;

    fn mul(self, other: Complex) -> Complex {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

/// The steps until `z` is further than 2 from 0; never, as far as one can see, for a point of the set.
#[vortex::device]
fn escape(c: Complex) -> Option<u32> {
    let mut z = Complex { re: 0.0, im: 0.0 };
    for step in 0..MOST {
        if z.re * z.re + z.im * z.im > 4.0 {
            return Some(step);
        }
        z = z * z + c;
    }
    None
}

/// From blue by way of white to brown.
#[vortex::device(host)]
fn colour(steps: u32) -> [u8; 3] {
    let near = (steps as f32 / 48.0).min(1.0).sqrt();
    let [red, green, blue] = [2.0 * near, 1.5 * near, 1.5 - near];
    [
        (255.0 * red.min(1.0)) as u8,
        (255.0 * green.min(1.6 - near)) as u8,
        (255.0 * blue.min(1.0)) as u8,
    ]
}

#[vortex::kernel]
fn mandelbrot(width: usize, height: usize, picture: &mut [[u8; 3]]) {
    let (x, y) = global_id_2d();
    let pixel = 3.0 / width as f32;
    let re = x as f32 * pixel - 2.25;
    let im = (y as f32 - 0.5 * height as f32) * pixel;
    picture[y * width + x] = match escape(Complex { re, im }) {
        Some(steps) => colour(steps),
        None => [0, 0, 0],
    };
}

/// The same in plain Rust.
fn on_host(width: usize, height: usize) -> Vec<[u8; 3]> {
    let pixel = 3.0 / width as f32;
    let pixels = (0..width * height).map(|i| {
        let re = (i % width) as f32 * pixel - 2.25;
        let im = ((i / width) as f32 - 0.5 * height as f32) * pixel;
        let (mut a, mut b, mut steps) = (0.0f32, 0.0f32, 0);
        while steps < MOST && a * a + b * b <= 4.0 {
            (a, b) = (a * a - b * b + re, a * b + b * a + im);
            steps += 1;
        }
        if steps == MOST {
            [0, 0, 0]
        } else {
            colour(steps)
        }
    });
    pixels.collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let (height, file) = shared::size_and_picture(160, 4096, "mandelbrot");
    let width = height * 3 / 2;

    let device = Device::open()?;
    let mut picture = device.alloc(width * height)?;
    let launch = mandelbrot(width, height, &mut picture).over((width, height));
    let report = launch.launch(&device)?;
    let pixels = picture.download()?;

    // Sums and products are rounded alike on both sides, so not a bit differs.
    assert_eq!(pixels, on_host(width, height));
    picture::write_colours(&file, width, &pixels)?;
    println!("{report}");
    println!(
        "{width} x {height} pixels as in plain Rust, in {}",
        file.display()
    );
    Ok(())
}
