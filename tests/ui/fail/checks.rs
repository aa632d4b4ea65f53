//! What `checks`, `deny` and `contract` do not take, and calls of kernels without checks.

#[vortex::kernel(checks)]
fn without_a_value(x: &mut [u32]) {}

#[vortex::kernel(checks = full)]
fn without_quotes(x: &mut [u32]) {}

#[vortex::kernel(checks = "some")]
fn of_another_kind(x: &mut [u32]) {}

#[vortex::kernel(contract = "fast")]
fn contracts_a_lot(x: &mut [f32]) {}

#[vortex::kernel(deny)]
fn denies_something(x: &mut [f32]) {}

#[vortex::kernel(deny = "checks")]
fn denies_by_text(x: &mut [f32]) {}

#[vortex::kernel(deny(loops))]
fn denies_loops(x: &mut [f32]) {}

fn main() {}

// Mistakes: 7
