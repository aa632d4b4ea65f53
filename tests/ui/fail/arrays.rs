use vortex::prelude::*;

const TABLE: [f32; 3] = [1.0, 2.0, 1.0];

#[vortex::kernel]
fn elements_differ(n: u32, x: &mut [f32]) {
    let weights = [1.0, x[0], n];
    x[0] = weights[0];
}

#[vortex::kernel]
fn length_of_a_value(n: usize, x: &mut [f32]) {
    let zeros = [0.0; n];
    x[0] = zeros[0];
}

#[vortex::kernel]
fn not_mutable(x: &mut [f32]) {
    let i = global_id();
    let zeros = [0.0; 4];
    zeros[i] = x[i];
}

#[vortex::kernel]
fn written_table(x: &mut [f32]) {
    TABLE[1] = x[0];
}

#[vortex::kernel]
fn index_of_another_type(n: u32, x: &mut [f32]) {
    x[0] = TABLE[n];
}

#[vortex::kernel]
fn another_length(x: &mut [f32]) {
    let mut weights = TABLE;
    weights = [0.0; 4];
    x[0] = weights[1];
}

#[vortex::kernel]
fn missing_pattern(x: &mut [f32]) {
    let [a, b] = TABLE;
    x[0] = a + b;
}

fn main() {}

// Mistakes: 7
