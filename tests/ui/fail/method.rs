struct Scale(f32);

impl Scale {
    #[vortex::kernel]
    fn apply(&self, x: &mut [f32]) {}
}

fn main() {}
