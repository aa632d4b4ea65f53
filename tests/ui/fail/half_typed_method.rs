// Mistakes: 4
use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct P {
    x: f32,
    y: f32,
}

#[vortex::device]
impl P {
    pub fn length(&self) -> f32 {
        (self.x * self.x + self.).sqrt()
    }

    fn sum(self) -> f32 {
        self.x + self.y
    }
}

#[vortex::device]
trait Shape {
    const SIDES: u32;
    fn area(&self, scale: f32) -> f32 {
        let mut area = self.
        scale
    }
    fn sides(&self) -> u32;
}

#[vortex::device]
impl Shape for P {
    const SIDES: u32 = 2;
    fn sides(&self) -> u32 {
        Self::
    }
}

#[vortex::device(host)]
impl P {
    fn half(&self) -> f32 {
        self.x * 0.5 +
    }
}

#[vortex::kernel]
fn k(x: &[P], out: &mut [f32]) {
    let i = global_id();
    out[i] = x[i].length() + x[i].sum() + x[i].area(2.0) + x[i].half();
    out[i] += x[i].sides() as f32;
}

fn main() {
    let p = P { x: 1.0, y: 2.0 };
    println!("{}", p.half());
}
