//! Gives a picture more contrast: counts how often each brightness occurs, and spreads out the frequent ones.
//!
//! Each group counts in local memory, where atomic additions are near, and adds its counts to those of all groups once,
//! at its end. So there are as many groups as the device has room for, and each work item goes over many pixels.
//!
//! ```sh
//! cargo run --release --example histogram             # the picture in examples/data
//! cargo run --release --example histogram -- my.png   # writes my.contrast.png next to it
//! ```

#[path = "shared/picture.rs"]
mod picture;
mod shared;

use std::error::Error;
use std::path::{Path, PathBuf};

use picture::{Picture, read_png, write_png};
use vortex::prelude::*;

/// How often each brightness occurs.
#[vortex::kernel]
fn histogram(pixels: &[u8], counts: &mut [u32]) {
    let own = local::<[u32; 256]>();
    for level in (local_id()..256).step_by(local_size()) {
        own[level] = 0;
    }
    barrier();
    for i in (global_id()..pixels.len()).step_by(global_size()) {
        own.atomic(pixels[i] as usize).fetch_add(1, Relaxed);
    }
    barrier();
    for level in (local_id()..256).step_by(local_size()) {
        counts.atomic(level).fetch_add(own[level], Relaxed);
    }
}

/// Gives each pixel the brightness that the table has for it.
#[vortex::kernel]
fn replace(table: &[u8], pixels: &mut [u8]) {
    let i = global_id();
    pixels[i] = table[pixels[i] as usize];
}

/// For each brightness the new one: the part of the pixels that are no brighter.
fn equalised(counts: &[u32]) -> Vec<u8> {
    let all: u32 = counts.iter().sum();
    let mut darker = 0u64;
    let level = |count: &u32| {
        darker += u64::from(*count);
        (darker * 255 / u64::from(all)) as u8
    };
    counts.iter().map(level).collect()
}

/// Both histograms in 16 lines.
fn print(before: &[u32], after: &[u32], pixels: usize) {
    let bar = |counts: &[u32]| {
        let part = counts.iter().sum::<u32>() as f32 / pixels as f32;
        shared::bar(2.0 * part, 32)
    };
    println!("level    before                           after");
    for level in (0..256).step_by(16) {
        let (before, after) = (&before[level..level + 16], &after[level..level + 16]);
        println!(
            "{level:3}..{:3} {:32} {}",
            level + 16,
            bar(before),
            bar(after)
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = match std::env::args_os().nth(1) {
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("data/harbour.png"),
        Some(path) => PathBuf::from(path),
    };
    let picture = read_png(&path).map_err(|error| format!("{}: {error}", path.display()))?;

    let device = Device::open()?;
    let (group, cores) = (
        shared::group_size(&device, 256),
        device.caps().cores as usize,
    );
    let mut pixels = device.upload(&picture.pixels)?;
    let mut counts = device.upload(&[0u32; 256])?;
    let launch = histogram(&pixels, &mut counts);
    let report = launch.grid(2 * cores).block(group).launch(&device)?;
    let before = counts.download()?;
    let table = equalised(&before);
    let table_device = device.upload(&table)?;
    replace(&table_device, &mut pixels)
        .over_each()
        .launch(&device)?;

    let mut expected = [[0; 256]; 2];
    let pixels = pixels.download()?;
    for (&old, &new) in picture.pixels.iter().zip(&pixels) {
        expected[0][usize::from(old)] += 1;
        expected[1][usize::from(new)] += 1;
        assert_eq!(new, table[usize::from(old)]);
    }
    assert_eq!(before, expected[0]);
    print(&before, &expected[1], pixels.len());
    let file = path.with_extension("contrast.png");
    let contrast = Picture { pixels, ..picture };
    write_png(&file, &contrast).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("{report}");
    println!(
        "all {} pixels are counted; more contrast is in {}",
        contrast.pixels.len(),
        file.display()
    );
    Ok(())
}
