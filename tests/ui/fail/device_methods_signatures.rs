use vortex::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ball {
    speed: f32,
}

#[vortex::device]
impl Ball {
    fn typed(self: &Self) -> f32 {
        self.speed
    }

    fn fill(&mut self, other: &mut Ball) {
        *self = *other;
    }

    fn exact(&self) -> f64 {
        1.0
    }
}

#[vortex::device]
trait Shape {
    fn area(&self) -> f32;

    fn len(&self) -> usize;
}

#[vortex::device]
impl Shape for Ball {
    fn area(&self) -> u32 {
        1
    }

    fn len(&self) -> usize {
        0
    }
}

fn main() {}

// Mistakes: 6
