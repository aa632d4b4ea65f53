#[vortex::kernel]
fn search(n: u32, x: &mut [u32]) {
    'outer: for i in 0..n {
        let leave = |limit: u32| {
            if i > limit {
                break 'outer;
            }
        };
        leave(3);
        break 'outr;
    }
    continue 'outer;
    'block: {
        if n > 3 {
            continue 'block;
        }
        break;
    }
    x[0] = 1;
}

fn main() {}

// Mistakes: 5
