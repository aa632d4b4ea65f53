//! rustc as an oracle: generated kernels run natively, in the interpreter, and on the embedded device, and have to give
//! the same bits.
//!
//! ```text
//! SEED=7 COUNT=1000 cargo run --manifest-path tests/oracle/Cargo.toml
//! ```
//!
//! The seed decides the kernels, and nothing else does; a kernel that differs is shown by its name, and its text is in
//! `kernels.rs` of the build's `OUT_DIR`.

use std::process::ExitCode;

use vortex::prelude::*;
use vortex_kernel::ir::Function;
use vortex_kernel::ir::interp::{DEFAULT_BUDGET, Grid, Memory, run_grid};

/// A kernel, as each of the three has it.
struct Twins {
    name: &'static str,
    groups: bool,
    on_host: fn(&[u32], &[f32], &mut [u32], &mut [f32]) -> vortex::Result<()>,
    on_device: fn(&Device, &[u32], &[f32]) -> vortex::Result<Outcome>,
    stage: fn() -> Result<Function, vortex::StageError>,
}

/// What a kernel leaves: words, and floats by their bits. All NaNs are one.
#[derive(Debug, PartialEq)]
struct Outcome(Vec<u32>, Vec<u32>);

impl Outcome {
    fn of(words: Vec<u32>, floats: &[f32]) -> Self {
        let bits = |float: &f32| {
            if float.is_nan() {
                f32::NAN.to_bits()
            } else {
                float.to_bits()
            }
        };
        Self(words, floats.iter().map(bits).collect())
    }
}

/// Three groups of eight.
const ITEMS: usize = 24;

macro_rules! twins {
    ($name:ident, $groups:literal) => {
        Twins {
            name: stringify!($name),
            groups: $groups,
            on_host: |x, f, y, g| {
                let launch = $name::on_host(x, f, y, g);
                let launch = if $groups {
                    launch.grid(3).block(8)
                } else {
                    launch.over(ITEMS)
                };
                launch.launch().map(drop)
            },
            on_device: |device, x, f| {
                let (x, f) = (device.upload(x)?, device.upload(f)?);
                let (mut y, mut g) = (
                    device.upload(&[0u32; ITEMS])?,
                    device.upload(&[0.0f32; ITEMS])?,
                );
                let launch = $name(&x, &f, &mut y, &mut g);
                let launch = if $groups {
                    launch.grid(3).block(8)
                } else {
                    launch.over(ITEMS)
                };
                launch.launch(device)?;
                Ok(Outcome::of(y.download()?, &g.download()?))
            },
            stage: vortex_kernel::lang::stage::<$name>,
        }
    };
}

#[allow(warnings, clippy::all)]
mod kernels {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

impl Twins {
    fn natively(&self, x: &[u32], f: &[f32]) -> Result<Outcome, String> {
        let (mut y, mut g) = ([0; ITEMS], [0.0; ITEMS]);
        (self.on_host)(x, f, &mut y, &mut g).map_err(|error| error.to_string())?;
        Ok(Outcome::of(y.to_vec(), &g))
    }

    /// As staged, before any pass has seen it.
    fn interpreted(&self, x: &[u32], f: &[f32]) -> Result<Outcome, String> {
        const PLACES: [u32; 4] = [0x1_0000, 0x2_0000, 0x3_0000, 0x4_0000];
        let function = (self.stage)().map_err(|error| error.to_string())?;
        let mut memory = Memory::default();
        let contents: [&[u8]; 4] = [
            bytemuck::cast_slice(x),
            bytemuck::cast_slice(f),
            &[0; ITEMS * 4],
            &[0; ITEMS * 4],
        ];
        for (place, bytes) in PLACES.iter().zip(contents) {
            memory.map(*place, bytes.to_vec());
        }
        let slices = PLACES.map(|place| [place, ITEMS as u32]);
        // Warps of one lane, as the host has them.
        let grid = match self.groups {
            true => Grid {
                groups: [3, 1, 1],
                block: [8, 1, 1],
                lanes: 1,
            },
            false => Grid {
                groups: [1; 3],
                block: [ITEMS as u32, 1, 1],
                lanes: 1,
            },
        };
        run_grid(
            &function,
            bytemuck::cast_slice(&slices),
            grid,
            &mut memory,
            DEFAULT_BUDGET,
        )
        .map_err(|trap| trap.to_string())?;
        let words = |place| {
            let bytes = memory.region(place).unwrap_or_default();
            bytes
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect::<Vec<_>>()
        };
        let floats: Vec<f32> = words(PLACES[3]).into_iter().map(f32::from_bits).collect();
        Ok(Outcome::of(words(PLACES[2]), &floats))
    }
}

fn main() -> ExitCode {
    let x: Vec<u32> = (0..ITEMS as u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9) >> (i % 32))
        .collect();
    let f: Vec<f32> = (0..ITEMS)
        .map(|i| (i as f32 - 7.0) * 1.37f32.powi(i as i32))
        .collect();
    let devices = [(1, 16, 1), (2, 4, 8)].map(|(cores, warps, threads)| {
        Device::builder()
            .cores(cores)
            .warps(warps)
            .threads(threads)
            .open()
            .expect("the embedded device")
    });
    let mut different = 0;
    for twins in kernels::KERNELS {
        let natively = twins.natively(&x, &f);
        let mut others = vec![("the interpreter", twins.interpreted(&x, &f))];
        for device in &devices {
            others.push((
                "the device",
                (twins.on_device)(device, &x, &f).map_err(|error| error.to_string()),
            ));
        }
        for (who, outcome) in others {
            if natively.is_err() || natively != outcome {
                different += 1;
                println!("{}:\nrustc: {natively:?}\n{who}: {outcome:?}", twins.name);
            }
        }
    }
    println!(
        "{} kernels, {different} differences",
        kernels::KERNELS.len()
    );
    if different == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
