use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Ball {
    mass: f32,
}

impl Ball {
    fn note(&self, speed: f32) {
        println!("{speed}, {}", self.mass);
    }

    fn forget(&self) {}
}

fn log(x: f32, at: u32) {
    println!("{x}, {at}");
}

fn tick() {}

unsafe fn poke(x: f32) -> f32 {
    x
}

#[vortex::device]
fn apply(f: impl Fn(f32), x: f32) {
    f(x);
}

#[vortex::kernel]
fn noted(balls: &[Ball], x: &mut [f32]) {
    let i = global_id();
    log(x[i], 1);
    tick();
    balls[i].note(x[i]);
    balls[i].forget();
    Ball::forget(&balls[i]);
    unsafe {
        log(x[i], 2);
        x[i] = poke(x[i]);
    }
    apply(f32::sqrt, x[i]);
    x.iter().copied().for_each(tick);
}

fn main() {}

// Mistakes: 9
