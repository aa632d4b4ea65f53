#[vortex::kernel]
fn search(n: u32, x: &mut [u32]) {
    'outer: for i in 0..n {
        for j in 0..n {
            if i * j > 10 {
                break 'outer;
            }
        }
    }
    x[0] = loop {
        break 3;
    };
}

fn main() {}
