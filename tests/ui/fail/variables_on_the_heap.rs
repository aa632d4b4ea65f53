// Mistakes: 2
use vortex::prelude::*;

#[vortex::global]
static HISTOGRAM: Vec<u32> = Vec::new();

#[vortex::global]
static TABLE: Box<[f32]> = Box::new([]);

#[vortex::kernel]
fn histogram(x: &[u8]) {
    let i = global_id();
    HISTOGRAM.atomic(x[i] as usize).fetch_add(1, Relaxed);
}

fn main() {}
