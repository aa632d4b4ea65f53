use vortex::prelude::*;

#[vortex::kernel(block = (64, 32, 1))]
fn too_large(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(block = (16, 0))]
fn empty(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(subgroup = 12)]
fn warps_of_twelve(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(name = "two words")]
fn badly_named(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(block = "16")]
fn quoted(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(block)]
fn without_value(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(vec_hint = 4)]
fn no_type(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(subgroup = 4, subgroup = 8)]
fn repeated(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(tags = [1, "two"])]
fn tagged_by_text(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(tags = 4)]
fn tagged_by_one(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel(tags = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17])]
fn tagged_too_often(out: &mut [u32]) {
    out[global_id()] = 1;
}

fn main() {}

// Mistakes: 11
