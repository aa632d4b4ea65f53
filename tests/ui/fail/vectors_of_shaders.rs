// Mistakes: 6
use vortex::prelude::*;

#[vortex::kernel]
fn of_a_vector(image: &mut [Vec4<f32>], width: u32) {
    let i = global_id();
    let uv = vec2(i as f32 / width as f32, 0.5);
    image[i] = vec4(uv, 0.0, 1.0);
}

#[vortex::kernel]
fn by_colours(image: &mut [Vec4<f32>]) {
    let i = global_id();
    let colour = image[i].rgb();
    image[i].x = colour.dot(colour);
}

#[vortex::kernel]
fn of_one_colour(image: &mut [Vec4<f32>]) {
    image[global_id()].x = image[0].g;
}

#[vortex::kernel]
fn assigned(image: &mut [Vec4<f32>]) {
    image[global_id()].xy = vec2(0.0, 1.0);
}

#[vortex::kernel]
fn length(points: &[Vec3<f32>], y: &mut [f32]) {
    let i = global_id();
    y[i] = points[i].norm();
}

#[vortex::kernel]
fn memory(y: &mut [f32]) {
    let tile = shared::<[f32; 64]>();
    y[0] = tile[0];
}

fn main() {}
