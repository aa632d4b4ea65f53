#[vortex::kernel]
fn check(x: &[f32]) {
    assert!(x.len() > 3);
    if x[0] < 0.0 {
        panic!("negative");
    }
}

fn main() {}
