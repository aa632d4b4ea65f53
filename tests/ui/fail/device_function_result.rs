#[vortex::device]
fn count(x: &[f32]) -> u32 {
    x.len()
}

#[vortex::device]
fn positive(x: f32) -> f32 {
    if x < 0.0 {
        return 0;
    }
    x
}

#[vortex::device]
fn is_large(x: f32) -> f32 {
    x > 100.0
}

fn main() {}

// Mistakes: 3
