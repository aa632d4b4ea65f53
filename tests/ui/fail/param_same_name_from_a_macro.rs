macro_rules! copy {
    ($x:ident) => {
        #[vortex::kernel]
        fn copy(x: &[f32], $x: &mut [f32]) {
            $x[0] = x[0];
        }
    };
}

copy!(x);

fn main() {}
