// Mistakes: 4
use vortex::prelude::*;

#[vortex::kernel]
fn k(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let chosen = if i > 2 { 1 } else { 2.0 };
    let matched = match i {
        0 => 1.0,
        1 => 2,
        _ => 3.0,
    };
    let found = loop {
        if i > 2 {
            break 1;
        }
        let count = loop {
            break 2;
        };
        if x[count] > 0.0 {
            break 2.0;
        }
    };
    out[i] = chosen + matched;
    out[i] = if found > 1.0 { 0.5 } else { 0 };
}

fn main() {}
