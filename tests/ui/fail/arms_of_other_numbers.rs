#[vortex::kernel]
fn match_types(n: u32, y: &mut [f32]) {
    y[0] = match n {
        0 => 1.0,
        _ => 2,
    };
}

#[vortex::kernel]
fn assert_no_bool(n: u32, y: &mut [f32]) {
    assert!(n);
    y[0] = 1.0;
}

#[vortex::kernel]
fn assert_eq_types(n: u32, y: &mut [f32]) {
    assert_eq!(n, y[0]);
}

#[vortex::kernel]
fn min_by(x: &[f32], y: &mut [f32]) {
    y[0] = x.iter().min_by(|a, b| a < b).unwrap();
}

fn main() {}

// Mistakes: 4
