use vortex::prelude::*;

const WIDTH: i32 = 64;

#[vortex::kernel]
fn shade(width: u32, image: &mut [f32]) {
    let (x, y) = global_id_2d();
    if x < width {
        image[y * WIDTH + x] = x * 0.5;
    }
}

fn main() {}

// Mistakes: 3
