#![deny(unreachable_patterns, irrefutable_let_patterns, unused_variables)]

#[vortex::kernel]
fn choose(n: u32, x: &mut [f32]) {
    x[0] = match n {
        0..=10 => 1.0,
        k => 2.0,
        5 => 3.0,
    };
    if let m = n {
        x[m as usize] = 0.0;
    }
    match n {
        used if used > 3 => {}
        _ => {}
    }
}

fn main() {}

// Mistakes: 3
