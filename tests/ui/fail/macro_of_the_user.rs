use vortex::prelude::*;

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

#[vortex::kernel]
fn squares(x: &mut [f32]) {
    let i = global_id();
    x[i] = square!(x[i]);
}

/// The way out.
macro_rules! kernel_of {
    ($name:ident, |$x:ident| $value:expr) => {
        #[vortex::kernel]
        fn $name(x: &mut [f32]) {
            let i = global_id();
            let $x = x[i];
            x[i] = $value;
        }
    };
}

kernel_of!(cubes, |x| x * x * x);

fn main() {
    let _ = square!(2);
}
