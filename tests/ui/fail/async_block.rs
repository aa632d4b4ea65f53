#[vortex::kernel]
fn blocks(x: &mut [f32]) {
    let later = async { 3.0 };
}

fn main() {}
