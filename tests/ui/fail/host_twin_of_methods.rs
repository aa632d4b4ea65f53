use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ball {
    radius: f32,
}

#[vortex::device(host)]
impl Ball {
    fn sides() -> u32 {
        1
    }

    fn of<T: Num>(x: T) -> Self {
        Ball { radius: 1.0 }
    }

    fn length(&self) -> f32 {
        self.radius
    }

    fn shared(&self, tile: &mut Local<[f32]>) {
        barrier();
    }

    fn grown(&self, by: f32) -> f32 {
        by = 2.0;
        self.radius * by
    }
}

#[vortex::device(host)]
trait Scaled<T> {
    fn scaled(&self, by: T) -> T;
}

fn main() {}

// Mistakes: 7
