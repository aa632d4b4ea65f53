unsafe extern "C" {
    #[vortex::kernel]
    fn saxpy(alpha: f32);
}

fn main() {}
