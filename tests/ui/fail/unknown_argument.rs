#[vortex::kernel(fast_math)]
fn unknown(x: &[f32]) {}

#[vortex::kernel(crate = "vortex")]
fn quoted(x: &[f32]) {}

#[vortex::kernel(crate = vortex, crate = vortex)]
fn repeated(x: &[f32]) {}

#[vortex::kernel(crate)]
fn incomplete(x: &[f32]) {}

fn main() {}

// Mistakes: 4
