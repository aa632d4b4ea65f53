#[vortex::constant]
static OTHER: std::time::Duration = std::time::Duration::ZERO;

#[vortex::global]
static VALUE: u32 = 1.5;

#[vortex::global]
static COMPUTED: u32 = std::env::args().count() as u32;

#[vortex::global]
static BUFFER: [Plain; 2] = [Plain(0); 2];

#[derive(Clone, Copy)]
struct Plain(u32);

fn main() {}

// Mistakes: 5
