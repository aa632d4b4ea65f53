#[vortex::kernel]
#[inline(always)]
fn inlined(x: &[f32]) {}

#[vortex::kernel]
#[unsafe(no_mangle)]
fn exported(x: &[f32]) {}

fn main() {}

// Mistakes: 2
