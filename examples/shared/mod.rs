//! What the examples share: sizes and files from the command line, sizes of groups, numbers to begin with, and
//! pictures made of characters.

#![allow(dead_code, reason = "no example uses all of it")]

use std::path::{Path, PathBuf};
use std::process::exit;

use vortex::prelude::Device;

/// The size given as the only argument, or `default`. Anything else than a number up to `max` ends
/// the program with one line that says so.
pub(crate) fn size_argument(default: usize, max: usize) -> usize {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match &arguments[..] {
        [] => default,
        [size] => size_of(&size.to_string_lossy(), 0, max),
        more => fail(&format!(
            "expected at most one argument, the size, but got {}",
            more.len()
        )),
    }
}

/// The size and the PNG file to write: arguments that may both be left out. The file is then `NAME.out.png` in
/// `examples/data`.
pub(crate) fn size_and_picture(default: usize, max: usize, name: &str) -> (usize, PathBuf) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let (mut size, mut picture) = (default, directory.join(format!("{name}.out.png")));
    let mut seen = [false; 2];
    for argument in std::env::args_os().skip(1) {
        let is_picture = Path::new(&argument)
            .extension()
            .is_some_and(|ext| ext == "png");
        if std::mem::replace(&mut seen[usize::from(is_picture)], true) {
            fail("expected at most two arguments, the size and a file whose name ends in .png");
        }
        match is_picture {
            true => picture = argument.into(),
            false => size = size_of(&argument.to_string_lossy(), 1, max),
        }
    }
    (size, picture)
}

fn size_of(text: &str, min: usize, max: usize) -> usize {
    let size = text.parse().ok().filter(|size| (min..=max).contains(size));
    size.unwrap_or_else(|| {
        fail(&format!(
            "the size is a whole number from {min} to {max}, not `{text}`"
        ))
    })
}

/// Ends the program with a line that says why.
pub(crate) fn fail(why: &str) -> ! {
    eprintln!("error: {why}");
    exit(1)
}

/// How many items a group may have on this device: a power of two, and at most `most`.
pub(crate) fn group_size(device: &Device, most: usize) -> usize {
    let fit = most.min(device.caps().max_group() as usize).max(1);
    1 << fit.ilog2()
}

/// Numbers that look random, the same in every run (Marsaglia's xorshift).
pub(crate) struct Random(u32);

impl Random {
    pub(crate) fn new() -> Self {
        Self(2_463_534_242)
    }

    pub(crate) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// A whole number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u64::from(self.next()) * end as u64) >> 32) as usize
    }

    /// From 0 to 1, which it does not reach.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1 << 24) as f32
    }
}

/// A character for a brightness from 0 to 1.
pub(crate) fn shade(brightness: f32) -> char {
    const SHADES: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];
    SHADES[((brightness * 10.0) as usize).min(9)]
}

/// A bar of up to `width` characters for a part from 0 to 1.
pub(crate) fn bar(part: f32, width: usize) -> String {
    "#".repeat((part.clamp(0.0, 1.0) * width as f32).round() as usize)
}

/// 64 blocks, as high as the mean numbers of as many parts; the lowest stands for the least of all numbers.
pub(crate) fn line(numbers: &[f32]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let least = numbers.iter().copied().fold(f32::INFINITY, f32::min);
    let most = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let parts = numbers.chunks(numbers.len().div_ceil(64).max(1));
    let block = |part: &[f32]| {
        let mean = part.iter().sum::<f32>() / part.len() as f32;
        BLOCKS[((mean - least) / (most - least) * 7.99) as usize]
    };
    parts.map(block).collect()
}
