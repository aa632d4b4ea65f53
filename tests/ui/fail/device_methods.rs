use vortex::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ball {
    speed: f32,
}

#[vortex::device]
impl Ball {
    fn energy(&self, mass: f32) -> f32 {
        0.5 * mass * self.speed * self.speed
    }

    fn halt(&self) {
        self.speed = 0.0;
    }

    fn heat(&self) -> f32 {
        self.temperature
    }
}

impl Ball {
    fn on_host(&self) -> f32 {
        self.speed
    }

    #[vortex::device]
    fn faster(&self) -> f32 {
        self.speed
    }
}

#[vortex::kernel]
fn energies(balls: &[Ball], out: &mut [f32]) {
    let ball = balls[0];
    out[0] = ball.enrgy(1.0);
    out[1] = ball.energy(1u32);
    let bits: u32 = ball.energy(1.0);
    out[2] = ball.on_host();
    out[3] = out[2].to_degrees();
    out[4] = out.largest();
}

fn main() {}

// Mistakes: 8
