use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Sum {
    of: f32,
}

#[vortex::device]
impl Sum {
    fn add(&mut self, x: f32) {
        self.of += x;
    }
}

#[vortex::kernel]
fn sums(x: &mut [f32]) {
    let i = global_id();
    let mut sum = Sum { of: x[i] };
    sum.add(1.0);
    x[i] = sum.of;
}

fn main() {}
