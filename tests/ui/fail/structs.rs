#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

#[vortex::kernel]
fn points(out: &mut [f32]) {
    let p = Point { x: 1.0, y: 2.0 };
    out[0] = p.x;
}

fn main() {}
