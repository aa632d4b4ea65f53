// Mistakes: 3
use vortex::prelude::*;

mod geometry {
    #[vortex::device]
    fn twice(x: f32) -> f32 {
        x * 2.0
    }

    #[vortex::device(host)]
    fn thrice(x: f32) -> f32 {
        x * 3.0
    }

    #[vortex::device]
    pub fn halved(x: f32) -> f32 {
        x * 0.5
    }
}

#[vortex::kernel]
fn private(y: &mut [f32]) {
    let i = global_id();
    y[i] = geometry::twice(y[i]);
}

#[vortex::kernel]
fn private_of_both(y: &mut [f32]) {
    let i = global_id();
    y[i] = geometry::thrice(y[i]);
}

#[vortex::kernel]
fn misspelt(y: &mut [f32]) {
    let i = global_id();
    y[i] = geometry::halfed(geometry::halved(y[i]));
}

fn main() {}
