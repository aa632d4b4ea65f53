//! What a function, a method or a name gives, where a value of a known type is wanted.

use vortex::prelude::*;

#[vortex::device]
fn falloff(d: f32) {
    1.0 / (d * d);
}

#[vortex::device]
fn index(v: f32) -> u32 {
    v as u32
}

#[vortex::device]
fn both(v: f32) -> (f32, f32) {
    (v, 0)
}

#[vortex::device]
fn polar(x: f32, y: f32) -> (f32, f32) {
    let r = (x * x + y * y).sqrt();
    r
}

#[vortex::device]
fn parse(c: u8) -> Result<u32, u8> {
    if c < 48 { Err(c) } else { Ok(c as u32 - 48) }
}

#[vortex::kernel]
fn operands(text: &[u8], out: &mut [u32]) {
    let i = global_id();
    out[i] = parse(text[i]) + 1;
}

#[vortex::kernel]
fn results(x: &[f32], n: &[u32], out: &mut [f32]) {
    let i = global_id();
    out[i] = falloff(x[i]);
    out[i] = index(x[i]);
    let at: usize = index(x[i]);
    if index(x[i]) < x.len() {
        out[i] = n.iter().sum();
    }
    out[i] = both(x[i]);
    out[i] = x.get(i).copied().unwrap_or(0);
}

#[vortex::kernel]
fn conditions(x: &[u32], slots: &mut [u32], limit: f32, out: &mut [u32]) {
    let i = global_id();
    if x.get(i) {
        out[i] = 1;
    }
    while slots.atomic(i).compare_exchange(0, 1, Relaxed, Relaxed) {}
    if x[i] > 3 && x[i] & 1 {
        out[i] = match x[i] {
            n if n > limit => 1,
            _ => 2,
        };
    }
    out[i] = u8::try_from(x[i]);
}

#[vortex::kernel]
fn bounds(n: u32, stride: u32, x: &[f32], out: &mut [f32]) {
    for k in global_id()..n {
        out[0] = 0.0;
    }
    for k in (0..x.len()).step_by(stride) {
        out[0] = 0.0;
    }
    let part = &x[1..n];
    let mixed = [x[0], n, part[0]];
    let twice = |v: u32| v * 2;
    out[0] = twice(x[0]) as f32;
    let sum = x.iter().fold(0, |acc, v| acc * n + v);
}

#[vortex::kernel]
fn options(x: &[f32], out: &mut [f32]) {
    let mut best: Option<f32> = None;
    for k in 0..x.len() {
        best = Some(k);
    }
    out[0] = best.unwrap_or(0.0);
}

fn main() {}

// Mistakes: 22
