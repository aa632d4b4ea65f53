use vortex::prelude::*;

#[vortex::kernel]
fn c(x: &mut [f32], n: &[i32], t: &mut [u32]) {
    x[0] = x[1] * M_PI;
    let mut least = INFINITY;
    least = least.min(FLT_MAX);
    x[1] = least + float(n[0]);
    let v = make_float4(x[0], x[1], 0.0, 1.0);
    x[2] = v.x;
    let start = clock64();
    x[3] = mad24(n[1], n[2], 5) as f32;
}

#[vortex::kernel]
fn shader(x: &mut [f32]) {
    let i = gl_GlobalInvocationID.x;
    x[i] = 1.0;
    workgroupBarrier();
    x[i] = clamp(pow(x[i], 2.0), 0.0, 1.0);
}

#[vortex::kernel(host)]
fn on_both_sides(x: &mut [f32]) {
    x[0] = mix(x[0], 1.0, 0.5);
}

fn main() {}

// Mistakes: 12
