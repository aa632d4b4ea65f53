//! The kernels that are debugged. Lines are named by comments: `// at: name`.

use vortex::prelude::*;

#[vortex::kernel]
pub(crate) fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] += alpha * x[i]; // at: saxpy
    }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(crate) struct Particle {
    pub(crate) pos: Vec3<f32>,
    pub(crate) mass: f32,
    pub(crate) id: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(u32)]
pub(crate) enum Mode {
    Fast = 1,
    Slow = 5,
}

#[vortex::device]
fn energy(p: Particle, scale: f32) -> f32 {
    let length = p.pos.x * p.pos.x + p.pos.y * p.pos.y;
    let scaled = length * scale; // at: energy
    scaled * p.mass // at: energy returns
}

#[vortex::kernel]
pub(crate) fn values(particles: &[Particle], mode: Mode, out: &mut [f32]) {
    let i = global_id();
    let p = particles[i];
    let flag = i % 2 == 1;
    let pair = (i as i32 - 7, 0.5f32);
    let weights = [1.0, 2.5, 4.0];
    let some = if flag { Some(p.id) } else { None };
    let large = 1i64 << 40;
    let small = -3i8;
    let half = f16::from_f32(1.5);
    let is_slow = mode == Mode::Slow;
    let first = energy(p, 2.0); // at: values
    let mut sum = first;
    for k in 0..3usize {
        let term = weights[k] * pair.1;
        sum += term; // at: values loop
    }
    if let Some(id) = some {
        sum += id as f32; // at: values some
    }
    if is_slow {
        sum += small as f32 + large as f32 * 0.0 + half.to_f32() + pair.0 as f32; // at: values slow
    }
    out[i] = sum; // at: values end
}

#[vortex::kernel]
pub(crate) fn shadows(out: &mut [u32]) {
    let i = global_id() as u32;
    let x = i + 1;
    let y = {
        let x = x * 10;
        x + 1 // at: shadows inner
    };
    let z = x + y; // at: shadows outer
    let x = z * 2;
    let mut n = 0;
    let mut steps = x; // at: shadows later
    while steps > 1 {
        steps /= 2;
        n += 1; // at: shadows loop
    }
    out[i as usize] = n + x; // at: shadows end
}

#[vortex::device]
fn doubled<T: Num>(v: T) -> T {
    let sum = v + v;
    sum
}

#[vortex::device]
fn plus_one(v: u32) -> u32 {
    let given = v;
    given + 1 // at: plus one
}

#[vortex::kernel]
pub(crate) fn called_twice(n: u32, out: &mut [u32]) {
    let i = global_id();
    let narrow = doubled(n);
    let wide = doubled((1u64 << 40) + n as u64);
    let of_argument = plus_one(n);
    let of_item = plus_one(i as u32 * 100);
    out[i] = narrow + (wide >> 32) as u32 + of_argument + of_item; // at: called twice
}

#[vortex::kernel]
#[allow(unused_variables)]
pub(crate) fn partly_gone(n: u32, out: &mut [u32]) {
    let i = global_id();
    let unused = i + 1;
    let tripled = |v: u32| 3 * v;
    let place = &mut out[i];
    *place = tripled(i as u32); // at: partly gone
}

#[vortex::kernel]
pub(crate) fn parted(out: &mut [u32]) {
    let i = global_id();
    let mut v = i as u32;
    if i % 4 == 0 {
        v += 100; // at: parted then
        v *= 2;
    } else {
        v += 1000; // at: parted else
        v *= 3;
    }
    let mut k = 0u32;
    while k < v % 4 {
        k += 1; // at: parted loop
    }
    out[i] = v + k; // at: parted end
}

#[vortex::kernel]
pub(crate) fn reversed(x: &[u32], out: &mut [u32]) {
    let tile = local::<[u32; 16]>();
    let l = local_id();
    let base = group_id() * 16;
    tile[l] = x[base + l] * 2; // at: reversed store
    barrier(); // at: reversed barrier
    let other = tile[15 - l];
    out[base + l] = other; // at: reversed end
}

#[vortex::kernel]
pub(crate) fn picture(out: &mut [u32]) {
    let (x, y) = global_id_2d();
    let (width, _) = global_size_2d();
    let shade = (x * 10 + y) as u32;
    out[y * width + x] = shade; // at: picture
}

#[vortex::kernel]
pub(crate) fn counted(total: &mut [u32]) {
    let i = global_id() as u32;
    total.atomic(0).fetch_add(i, Relaxed); // at: counted
}

#[vortex::kernel]
pub(crate) fn beyond(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    let wanted = i * 3; // at: beyond index
    out[i] = x[wanted]; // at: beyond
}

#[vortex::kernel]
pub(crate) fn stray(to: *mut u32, out: &mut [u32]) {
    let i = global_id();
    out[i] = 7; // at: stray before
    if i == 5 {
        // SAFETY: it is not: that is what it is for.
        unsafe { *to.add(1 << 20) = 1 } // at: stray
    }
}

#[vortex::kernel]
pub(crate) fn racing(out: &mut [u32]) {
    let i = global_id();
    if i % 8 == 0 {
        out[0] = i as u32; // at: racing
    }
}

#[vortex::kernel]
pub(crate) fn spinning(out: &mut [u32]) {
    let mut n = 0u32;
    while out[0] == 0 {
        n += 1; // at: spinning
    }
    out[1] = n;
}

#[vortex::kernel]
pub(crate) fn talking(x: &[u32]) {
    let i = global_id();
    let twice = x[i] * 2;
    println!("{i}: {twice}"); // at: talking
}
