#[vortex::kernel]
fn unrolled(x: &mut [f32]) {
    #[unroll]
    for i in 0..4 {
        x[i] = 0.0;
    }
    x[0] = #[allow(unused_parens)] (1.0);
}

fn main() {}
