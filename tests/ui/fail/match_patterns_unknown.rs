#[vortex::kernel]
fn choose(n: u32, x: &mut [f32]) {
    match n {
        ref mut m => {}
    }
    match n {
        &m => {}
    }
    match n {
        'a' => {}
        _ => {}
    }
    x[0] = match n {
        LIMIT => 1.0,
        _ => 2.0,
    };
}

fn main() {}

// Mistakes: 2
