#[vortex::kernel]
fn nested(x: &mut [f32]) {
    fn square(v: f32) -> f32 {
        v * v
    }
    const TWO: f32 = 2.0;
    use std::f32::consts::PI;
    x[0] = PI;
}

fn main() {}
