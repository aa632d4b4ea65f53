#[vortex::device]
fn bump(a: &mut f32) {
    *a += 1.0;
}

#[vortex::device]
fn fill(a: &mut [f32]) {
    a[0] = 1.0;
}

#[vortex::device]
fn set(a: &mut [f32; 4]) {
    a[0] = 1.0;
}

#[vortex::device]
fn halved(a: f32) -> f32 {
    a / 2.0
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Ball {
    height: f32,
}

#[vortex::device]
fn lift(ball: &mut Ball) {
    ball.height += 1.0;
}

#[vortex::kernel]
fn by_value(x: &mut [f32]) {
    let mut b = x[1];
    b += 1.0;
    bump(b);
}

#[vortex::kernel]
fn of_another_type(x: &mut [f32]) {
    let mut n = 1u32;
    bump(&mut n);
    x[0] = n as f32;
}

#[vortex::kernel]
fn shared(x: &mut [f32]) {
    let mut b = x[1];
    b += 1.0;
    bump(&b);
}

#[vortex::kernel]
fn shared_element(x: &mut [f32]) {
    bump(&x[1]);
}

#[vortex::kernel]
fn slice(x: &mut [f32]) {
    bump(x);
}

#[vortex::kernel]
fn shared_array(x: &mut [f32]) {
    let mut a = [0.0f32; 4];
    a[1] = x[0];
    fill(&a);
}

#[vortex::kernel]
fn shared_array_of_a_length(x: &mut [f32]) {
    let mut a = [0.0f32; 4];
    a[1] = x[0];
    set(&a);
}

#[vortex::kernel]
fn array(x: &mut [f32]) {
    let mut a = [0.0f32; 4];
    a[1] = x[0];
    set(a);
}

#[vortex::kernel]
fn shared_struct(x: &mut [f32]) {
    let mut ball = Ball { height: x[0] };
    ball.height += 1.0;
    lift(&ball);
}

#[vortex::kernel]
fn reference_for_value(x: &mut [f32]) {
    let mut b = x[1];
    b += 1.0;
    x[0] = halved(&b);
}

#[vortex::kernel]
fn reference_to_a_parameter(x: &mut [f32], n: f32) {
    x[0] = halved(&n);
}

fn main() {
    let mut x = 1.0f32;
    bump(&mut x);
}

// Mistakes: 12
