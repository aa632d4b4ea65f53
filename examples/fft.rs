//! The spectrogram of a sound, frame by frame through a fast Fourier transform: a tone that rises, over one that stays.
//!
//! A group transforms a frame in local memory, where all stages happen between barriers. In each stage the work items
//! share the butterflies, which change two points each and no others.
//!
//! ```sh
//! cargo run --release --example fft                      # 128 frames
//! cargo run --release --example fft -- 512 sound.png     # frames, and the file to write
//! ```

#[path = "shared/picture.rs"]
mod picture;
mod shared;

use std::error::Error;
use std::f32::consts::{PI, TAU};

use vortex::prelude::*;

/// Samples of a frame, and how many binary digits their numbers have.
const N: usize = 256;
const DIGITS: u32 = N.ilog2();

/// From the beginning of a frame to that of the next.
const HOP: usize = 64;

/// The product of two complex numbers, whose real part is called `x`.
#[vortex::device]
fn product(a: Vec2<f32>, b: Vec2<f32>) -> Vec2<f32> {
    vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
}

/// Of each frame how loud its frequencies are.
#[vortex::kernel]
fn spectrum(sound: &[f32], loudness: &mut [f32]) {
    let points = local::<[Vec2<f32>; N]>();
    for i in (local_id()..N).step_by(local_size()) {
        // Frames fade in and out (a Hann window); points begin in the order of their digits read backwards.
        let window = 0.5 - 0.5 * (TAU / N as f32 * i as f32).cos();
        let place = (i as u32).reverse_bits() >> (32 - DIGITS);
        points[place as usize] = vec2(window * sound[group_id() * HOP + i], 0.0);
    }
    barrier();
    let mut half = 1;
    while half < N {
        for i in (local_id()..N / 2).step_by(local_size()) {
            let k = i % half;
            let a = 2 * i - k;
            let (sin, cos) = (-PI / half as f32 * k as f32).sin_cos();
            let turned = product(points[a + half], vec2(cos, sin));
            let first = points[a];
            points[a] = first + turned;
            points[a + half] = first - turned;
        }
        barrier();
        half *= 2;
    }
    for i in (local_id()..N / 2).step_by(local_size()) {
        loudness[group_id() * (N / 2) + i] = points[i].length();
    }
}

/// The same by the definition, in `f64`.
fn spectrum_on_host(frame: &[f32]) -> Vec<f64> {
    let turns: Vec<(f64, f64)> = (0..N)
        .map(|k| (k as f64 / N as f64 * std::f64::consts::TAU).sin_cos())
        .collect();
    let windowed: Vec<f64> = (frame.iter().zip(&turns))
        .map(|(&sample, (_, cos))| f64::from(sample) * (0.5 - 0.5 * cos))
        .collect();
    let loudness = |k: usize| {
        let (mut re, mut im) = (0.0, 0.0);
        for (i, sample) in windowed.iter().enumerate() {
            let (sin, cos) = turns[i * k % N];
            re += sample * cos;
            im -= sample * sin;
        }
        f64::hypot(re, im)
    };
    (0..N / 2).map(loudness).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let (frames, file) = shared::size_and_picture(128, 4096, "fft");
    let length = (frames - 1) * HOP + N;
    let sound: Vec<f32> = (0..length)
        .map(|i| {
            let part = i as f64 / length as f64;
            let rising = (i as f64 * (0.2 + part)).sin();
            (0.6 * rising + 0.2 * (i as f64 * 0.6).sin()) as f32
        })
        .collect();

    let device = Device::open()?;
    let sound_device = device.upload(&sound)?;
    let mut loudness = device.alloc(frames * N / 2)?;
    let report = spectrum(&sound_device, &mut loudness)
        .grid(frames)
        .block(shared::group_size(&device, N / 4))
        .launch(&device)?;
    let loudness = loudness.download()?;

    // Eight stages round differently than the sum: by some 1e-7 of the loudest frequency each.
    let mut worst = 0.0f64;
    for (frame, got) in loudness.chunks(N / 2).enumerate() {
        let expected = spectrum_on_host(&sound[frame * HOP..frame * HOP + N]);
        let off = got
            .iter()
            .zip(&expected)
            .map(|(a, b)| (f64::from(*a) - b).abs());
        worst = off.fold(worst, f64::max);
    }
    assert!(worst < 1e-6 * N as f64, "off by {worst}");

    // Time goes to the right, and frequency upwards.
    let pixels: Vec<[u8; 3]> = (0..frames * N / 2)
        .map(|i| {
            let level = loudness[i % frames * (N / 2) + N / 2 - 1 - i / frames];
            let shade = (0.25 * level.max(1e-3).log10() + 0.5).clamp(0.0, 1.0);
            [shade, shade * shade, 0.3 + 0.2 * shade].map(|part| (255.0 * part) as u8)
        })
        .collect();
    picture::write_colours(&file, frames, &pixels)?;
    println!("{report}");
    println!(
        "{frames} frames, off by {worst:.1e} at most, in {}",
        file.display()
    );
    Ok(())
}
