use std::sync::atomic::AtomicU32;
use vortex::prelude::*;

#[vortex::constant]
static TABLE: [f32; 4] = [1.0; 4];

#[vortex::constant]
static SCALE: f32 = 2.0;

#[vortex::global]
static BINS: [u32; 8] = [0; 8];

static OF_THE_HOST: u32 = 3;

static SHARED: AtomicU32 = AtomicU32::new(0);

#[vortex::kernel]
fn writes_a_constant(x: &[f32]) {
    SCALE = x[0];
}

#[vortex::kernel]
fn writes_an_element(x: &[f32]) {
    TABLE[global_id()] += x[0];
}

#[vortex::kernel]
fn counts_in_a_constant() {
    SCALE.atomic().fetch_add(1.0, Relaxed);
}

#[vortex::kernel]
fn writes_a_static_of_the_host() {
    OF_THE_HOST += 1;
}

#[vortex::kernel]
fn uses_an_atomic_of_the_host() {
    SHARED.fetch_add(1, Relaxed);
}

#[vortex::kernel]
fn of_another_type(x: &mut [f32]) {
    x[0] = BINS[0];
    BINS[1] = x[1];
}

#[vortex::kernel]
fn lends_a_constant() {
    bump(&mut SCALE);
}

#[vortex::device]
fn bump(x: &mut f32) {
    *x += 1.0;
}

fn main() {}

// Mistakes: 8
