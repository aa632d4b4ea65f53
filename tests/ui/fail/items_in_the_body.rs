#[vortex::kernel]
fn nested(x: &mut [f32]) {
    fn square(v: f32) -> f32 {
        v * v
    }
    static TWO: f32 = 2.0;
    x[0] = 1.0;
}

fn main() {}

// Mistakes: 1
