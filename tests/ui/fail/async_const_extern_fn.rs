#[vortex::kernel]
async fn waits(x: &[f32]) {}

#[vortex::kernel]
const fn constant(x: &[f32]) {}

#[vortex::kernel]
extern "C" fn foreign(x: &[f32]) {}

#[vortex::kernel]
const unsafe extern "C" fn all_of_it(x: *mut f32) {}

fn main() {}

// Mistakes: 5
