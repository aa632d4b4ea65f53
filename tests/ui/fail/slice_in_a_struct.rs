// Mistakes: 4
use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Image<'a> {
    data: &'a [f32],
    width: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Weighted {
    value: f32,
    weight: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair(f32, f32);

#[vortex::device]
impl<'a> Image<'a> {
    fn at(&self, x: usize, y: usize) -> f32 {
        self.data[y * self.width as usize + x]
    }
}

#[vortex::kernel]
fn images(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let image = Image { data: x, width: 8 };
    out[i] = image.at(1, 2);
}

#[vortex::kernel]
fn weights(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let w = Weighted { value: x, weight: 0.5 };
    let pair = Pair(0.5, x);
    out[i] = w.value * w.weight + pair.0;
}

fn main() {}
