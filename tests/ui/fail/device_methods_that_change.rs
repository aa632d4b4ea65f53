use vortex::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ball {
    speed: f32,
}

#[vortex::device]
impl Ball {
    fn push(&mut self, by: f32) {
        self.speed += by;
    }

    fn halt(&self) {
        self.push(-self.speed);
    }
}

#[vortex::kernel]
fn push_all(balls: &[Ball]) {
    let ball = balls[0];
    ball.push(1.0);
    balls[1].push(1.0);
}

fn main() {}

// Mistakes: 3
