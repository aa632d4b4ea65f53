use vortex::prelude::*;

#[vortex::kernel]
fn waves(x: &mut [f32]) {
    let i = global_id();
    x[i] = x[i].gamma();
    x[i] = x.iter().sum::<f32>();
    x[i] = x[i].max::<f32>(1.0);
}

fn main() {}
