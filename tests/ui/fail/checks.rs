//! What `checks` and `contract` do not take.

#[vortex::kernel(checks)]
fn without_a_value(x: &mut [u32]) {}

#[vortex::kernel(checks = full)]
fn without_quotes(x: &mut [u32]) {}

#[vortex::kernel(checks = "some")]
fn of_another_kind(x: &mut [u32]) {}

#[vortex::kernel(contract = "fast")]
fn contracts_a_lot(x: &mut [f32]) {}

fn main() {}
