//! Kernels whose work items work together.

use vortex::prelude::*;

use super::{assert_close, device, floats, noise};

// Histogram: in local memory first, then in the buffer.

const BINS: usize = 64;

#[vortex::kernel]
fn histogram(values: &[u32], bins: &mut [u32]) {
    let tile = local::<[u32; BINS]>();
    for b in (local_id()..BINS).step_by(local_size()) {
        tile[b] = 0;
    }
    barrier();
    if let Some(value) = values.get(global_id()) {
        tile.atomic(*value as usize % BINS).fetch_add(1, Relaxed);
    }
    barrier();
    for b in (local_id()..BINS).step_by(local_size()) {
        bins.atomic(b).fetch_add(tile[b], Relaxed);
    }
}

#[test]
fn histograms() {
    let values = noise(1000, 5);
    let mut expected = vec![0u32; BINS];
    values
        .iter()
        .for_each(|v| expected[*v as usize % BINS] += 1);
    let device = device();
    let x = device.upload(&values).unwrap();
    let mut bins = device.alloc::<u32>(BINS).unwrap();
    histogram(&x, &mut bins)
        .grid(63)
        .block(16)
        .launch(&device)
        .unwrap();
    assert_eq!(bins.download().unwrap(), expected);
}

// Bitonic sort in local memory.

#[vortex::kernel]
fn bitonic(data: &mut [u32]) {
    let tile = local::<[u32; 128]>();
    let i = local_id();
    tile[i] = data[global_id()];
    barrier();
    let mut k = 2;
    while k <= 128 {
        let mut j = k / 2;
        while j > 0 {
            let other = i ^ j;
            if other > i {
                let up = i & k == 0;
                if (tile[i] > tile[other]) == up {
                    let t = tile[i];
                    tile[i] = tile[other];
                    tile[other] = t;
                }
            }
            barrier();
            j /= 2;
        }
        k *= 2;
    }
    data[global_id()] = tile[i];
}

#[test]
fn bitonic_sort() {
    let mut values = noise(256, 7);
    let device = device();
    let mut x = device.upload(&values).unwrap();
    bitonic(&mut x).grid(2).block(128).launch(&device).unwrap();
    values.chunks_mut(128).for_each(<[u32]>::sort_unstable);
    assert_eq!(x.download().unwrap(), values);
}

// Reduction with shuffles.

#[vortex::kernel]
fn total(x: &[f32], sums: &mut [f32]) {
    let mut sum = 0.0;
    for i in (global_id()..x.len()).step_by(global_size()) {
        sum += x[i];
    }
    let mut offset = lane_count() / 2;
    while offset > 0 {
        sum += warp::shuffle_down(sum, offset);
        offset /= 2;
    }
    if lane_id() == 0 {
        sums.atomic(0).fetch_add(sum, Relaxed);
    }
}

// Convolution with a halo in local memory.

const RADIUS: usize = 2;
const SIDE: usize = 8;
const TILE: usize = SIDE + 2 * RADIUS;

#[vortex::kernel]
fn convolve(width: usize, height: usize, weights: &[f32], image: &[f32], out: &mut [f32]) {
    let tile = local::<[[f32; TILE]; TILE]>();
    let (lx, ly) = local_id_2d();
    let (gx, gy) = group_id_2d();
    for y in (ly..TILE).step_by(SIDE) {
        for x in (lx..TILE).step_by(SIDE) {
            let ix = (gx * SIDE + x).saturating_sub(RADIUS).min(width - 1);
            let iy = (gy * SIDE + y).saturating_sub(RADIUS).min(height - 1);
            tile[y][x] = image[iy * width + ix];
        }
    }
    barrier();
    let mut sum = 0.0;
    for dy in 0..=2 * RADIUS {
        for dx in 0..=2 * RADIUS {
            sum += weights[dy * (2 * RADIUS + 1) + dx] * tile[ly + dy][lx + dx];
        }
    }
    let (x, y) = global_id_2d();
    if x < width && y < height {
        out[y * width + x] = sum;
    }
}

// FFT, radix 2, in local memory.

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Complex {
    re: f32,
    im: f32,
}

#[vortex::device]
impl Complex {
    fn new(re: f32, im: f32) -> Self {
        Complex { re, im }
    }
    fn times(self, o: Self) -> Self {
        Complex {
            re: self.re * o.re - self.im * o.im,
            im: self.re * o.im + self.im * o.re,
        }
    }
    fn plus(self, o: Self) -> Self {
        Complex {
            re: self.re + o.re,
            im: self.im + o.im,
        }
    }
    fn minus(self, o: Self) -> Self {
        Complex {
            re: self.re - o.re,
            im: self.im - o.im,
        }
    }
}

#[vortex::kernel]
fn fft(data: &mut [Complex]) {
    let tile = local::<[Complex; 64]>();
    let i = local_id();
    for k in [i, i + 32] {
        tile[(k as u32).reverse_bits() as usize >> 26] = data[k];
    }
    barrier();
    let mut half = 1;
    while half < 64 {
        let k = i % half;
        let a = (i - k) * 2 + k;
        let b = a + half;
        let angle = -std::f32::consts::PI * k as f32 / half as f32;
        let (sin, cos) = angle.sin_cos();
        let t = tile[b].times(Complex::new(cos, sin));
        let u = tile[a];
        tile[a] = u.plus(t);
        tile[b] = u.minus(t);
        barrier();
        half *= 2;
    }
    for k in [i, i + 32] {
        data[k] = tile[k];
    }
}

// Transpose by tiles, prefix scan.

#[vortex::kernel]
fn transpose(n: usize, x: &[f32], y: &mut [f32]) {
    let tile = local::<[[f32; 9]; 8]>();
    let (lx, ly) = local_id_2d();
    let (gx, gy) = group_id_2d();
    tile[ly][lx] = x[(gy * 8 + ly) * n + gx * 8 + lx];
    barrier();
    y[(gx * 8 + ly) * n + gy * 8 + lx] = tile[lx][ly];
}

#[vortex::kernel]
fn scan(x: &[u32], y: &mut [u32], tile: &mut Local<[u32]>) {
    let i = local_id();
    tile[i] = x[global_id()];
    barrier();
    let mut d = 1;
    while d < local_size() {
        let v = if i >= d { tile[i - d] } else { 0 };
        barrier();
        tile[i] += v;
        barrier();
        d <<= 1;
    }
    y[global_id()] = tile[i];
}

#[test]
fn totals() {
    let device = device();
    let values = floats(1000, 17);
    let x = device.upload(&values).unwrap();
    let mut sums = device.upload(&[0.0f32]).unwrap();
    total(&x, &mut sums).over(128).launch(&device).unwrap();
    assert_close(&sums.download().unwrap(), &[values.iter().sum()]);
}

#[test]
fn convolution() {
    let device = device();
    let (width, height) = (19usize, 11usize);
    let (weights, pixels) = (floats(25, 29), floats(width * height, 31));
    let (w, image) = (
        device.upload(&weights).unwrap(),
        device.upload(&pixels).unwrap(),
    );
    let mut out = device.alloc(width * height).unwrap();
    convolve(width, height, &w, &image, &mut out)
        .grid((3, 2))
        .block((8, 8))
        .launch(&device)
        .unwrap();
    let pixel = |i: usize| {
        let at = |k: usize| {
            let x = (i % width + k % 5).saturating_sub(2).min(width - 1);
            let y = (i / width + k / 5).saturating_sub(2).min(height - 1);
            pixels[y * width + x]
        };
        (0..25).map(|k| weights[k] * at(k)).sum::<f32>()
    };
    assert_close(
        &out.download().unwrap(),
        &(0..width * height).map(pixel).collect::<Vec<_>>(),
    );
}

#[test]
fn fourier() {
    let device = device();
    let values = floats(128, 43);
    let input: Vec<Complex> = values
        .chunks(2)
        .map(|c| Complex { re: c[0], im: c[1] })
        .collect();
    let mut data = device.upload(&input).unwrap();
    fft(&mut data).grid(1).block(32).launch(&device).unwrap();
    let bin = |k: usize| {
        let term = |(n, c): (usize, &Complex)| {
            let (sin, cos) = (-std::f64::consts::TAU * (k * n) as f64 / 64.0).sin_cos();
            let (re, im) = (f64::from(c.re), f64::from(c.im));
            (re * cos - im * sin, re * sin + im * cos)
        };
        let sum = input
            .iter()
            .enumerate()
            .map(term)
            .fold((0.0, 0.0), |s, t| (s.0 + t.0, s.1 + t.1));
        [sum.0 as f32, sum.1 as f32]
    };
    let found: Vec<f32> = data
        .download()
        .unwrap()
        .iter()
        .flat_map(|c| [c.re, c.im])
        .collect();
    let expected: Vec<f32> = (0..64).flat_map(bin).collect();
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
    }
}

#[test]
fn transposed() {
    let device = device();
    let values = floats(32 * 32, 53);
    let x = device.upload(&values).unwrap();
    let mut y = device.alloc(32 * 32).unwrap();
    transpose(32, &x, &mut y)
        .grid((4, 4))
        .block((8, 8))
        .launch(&device)
        .unwrap();
    let expected: Vec<f32> = (0..32 * 32).map(|i| values[i % 32 * 32 + i / 32]).collect();
    assert_eq!(y.download().unwrap(), expected);
}

#[test]
fn scanned() {
    let device = device();
    let values = noise(256, 59);
    let x = device.upload(&values).unwrap();
    let mut y = device.alloc(256).unwrap();
    scan(&x, &mut y, LocalLen(64))
        .grid(4)
        .block(64)
        .launch(&device)
        .unwrap();
    let sums = |group: &[u32]| {
        let add = |sum: &mut u32, v: &u32| {
            *sum = sum.wrapping_add(*v);
            Some(*sum)
        };
        group.iter().scan(0u32, add).collect::<Vec<_>>()
    };
    assert_eq!(
        y.download().unwrap(),
        values.chunks(64).flat_map(sums).collect::<Vec<_>>()
    );
}
