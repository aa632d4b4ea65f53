//! Kernels that one finds in every collection of examples, written as one would, against plain Rust.

mod groups;
mod items;
mod objects;

use vortex::prelude::*;

/// A device whose groups can have 128 work items.
fn device() -> Device {
    let builder = Device::builder().cores(2).warps(8).threads(16);
    builder.open().unwrap()
}

/// Numbers that look random.
fn noise(count: usize, seed: u32) -> Vec<u32> {
    let mut state = seed | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn floats(count: usize, seed: u32) -> Vec<f32> {
    let small = |v: u32| (v % 2001) as f32 / 1000.0 - 1.0;
    noise(count, seed).into_iter().map(small).collect()
}

fn assert_close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(
            error <= 1e-4 * expected.abs().max(1.0),
            "{i}: {found} is not {expected}"
        );
    }
}
