#[vortex::kernel]
fn sums(n: u32, step: u32, x: &mut [u32]) {
    for i in (0..n).step_by(step) {
        x[0] += i;
    }
    for i in 0..n.rev() {
        x[0] += i;
    }
    for i in (0..n).cycle() {
        x[0] += i;
    }
    for i in (0..n).rev(1) {
        x[0] += i;
    }
    for i in (0..).step_by(2) {
        x[0] += i;
    }
}

#[vortex::kernel]
fn typed(n: u32, step: u32, x: &mut [u32]) {
    for i in (0..n).step_by(step) {
        x[0] += i;
    }
}

fn main() {}

// Mistakes: 4
