#[vortex::kernel]
fn find(x: &mut [f32]) {
    let first = x[0]?;
    let nothing = None;
    let something = Some(first);
}

fn main() {}
