trait Scale {
    #[vortex::kernel]
    fn apply(by: f32, x: &mut [f32]) {}
}

fn main() {}
