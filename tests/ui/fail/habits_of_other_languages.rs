#[vortex::kernel]
fn habits(#[builtin(global_invocation_id)] id: u32, x: &[f32], y: &mut [f32]) {
    let i = id as usize;
    let v = if x[i] > 2.0 { 2.0 * x[i] };
    y[i] = if v > 2.0 { v } else if v > 1.0 { 2.0 };
    y[i] = x[i] ** 2.0;
    for k in x.len() {
        y[k] = v;
    }
    std::mem::swap(&mut y[i], &mut y[i + 1]);
}

fn main() {}

// Mistakes: 6
