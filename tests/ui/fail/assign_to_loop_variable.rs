#[vortex::kernel]
fn every_other(x: &mut [f32]) {
    for i in 0..x.len() {
        x[i] = 0.0;
        i += 1;
    }
}

fn main() {}
