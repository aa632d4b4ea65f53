struct Point {
    x: f32,
    y: f32,
}

struct Wrapper(f32);

#[vortex::kernel]
fn points(out: &mut [f32]) {
    let p = Point { x: 1.0, y: 2.0 };
    let Point { x, y } = p;
    let w = Wrapper(x);
    out[0] = p.x + w.0 + y;
}

fn main() {}
