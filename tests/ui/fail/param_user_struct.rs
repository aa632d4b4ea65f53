struct Point {
    x: f32,
    y: f32,
}

#[vortex::kernel]
fn by_value(p: Point) {}

#[vortex::kernel]
fn in_a_slice(p: &[Point]) {}

#[vortex::kernel]
fn in_an_array(p: [Point; 2]) {}

fn main() {}

// Mistakes: 3
