#[vortex::global]
static mut COUNT: u32 = 0;

#[vortex::constant]
static mut LIMIT: u32 = 0;

#[vortex::global]
const SIZE: u32 = 0;

#[vortex::constant]
fn table() {}

#[vortex::global]
static DOUBLE: f64 = 0.0;

#[vortex::global]
static INDEX: usize = 0;

#[vortex::global]
static PAIR: (u32, u32) = (0, 0);

#[vortex::constant]
static TEXT: &str = "";

#[vortex::global(shared)]
static ARGUMENT: u32 = 0;

fn main() {}

// Mistakes: 9
