#[vortex::kernel]
fn option_plain(x: &[f32], y: &mut [f32]) {
    y[0] = x.get(3);
}

#[vortex::kernel]
fn option_add(x: &[f32], y: &mut [f32]) {
    y[0] = x.get(3) + 1.0;
}

#[vortex::kernel]
fn option_cmp(x: &[f32], y: &mut [f32]) {
    if x.first() > 1.0 {
        y[0] = 1.0;
    }
}

fn main() {}

// Mistakes: 3
