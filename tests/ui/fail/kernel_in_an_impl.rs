struct Pipeline;

impl Pipeline {
    #[vortex::kernel]
    fn fill(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

fn main() {}
