// Mistakes: 10
use vortex::prelude::*;

#[vortex::device]
fn scaled(v: &[f32], by: f32) -> f32 {
    v * 2.0 * by
}

#[vortex::kernel]
fn k(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let mut s = 0.0;
    for c in x.chunks(4) {
        s += 1.0;
        s = c + 1.0;
    }
    if x > 0.0 {
        out[i] = scaled(x, s);
    }
    out[i] = x.iter().fold(0, |a, v| a + v);
    out[i] = *x.get(i + 1).unwrap_or(&0);
    let n = x.iter().fold(0, |a, v| a + (*v > 1.0) as u32);
    out[i] += n as f32;
    let p = i as f32 * x;
    out[i] += p;
}

#[vortex::kernel]
fn chosen(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let best: Option<u32> = Some(x[i]);
    let wrong: Result<f32, u32> = Err(x[i]);
    let none: Option<f32> = if i > 2 { Some(0.0) } else { None };
    out[i] = best.unwrap() as f32 + wrong.unwrap() + none.unwrap();
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct P {
    a: f32,
}

#[vortex::device]
fn area(p: P, scale: f32) -> f32 {
    p.a * scale
}

#[vortex::kernel]
fn areas(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = area(x, 1.0);
}

#[vortex::kernel]
fn assigned(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let v = out[i] = x[i];
    out[i] = v + 1.0;
}

fn main() {}
