//! Kernels in which each work item is on its own.

use vortex::prelude::*;

use super::{assert_close, device, floats, noise};

// Mandelbrot.

#[vortex::kernel]
fn mandelbrot(width: usize, height: usize, limit: u32, out: &mut [u32]) {
    let (px, py) = global_id_2d();
    let c = (
        px as f32 / width as f32 * 3.0 - 2.0,
        py as f32 / height as f32 * 2.0 - 1.0,
    );
    let (mut x, mut y) = (0.0f32, 0.0f32);
    let mut n = 0;
    while n < limit && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + c.0, 2.0 * x * y + c.1);
        n += 1;
    }
    out[py * width + px] = n;
}

// Game of life.

#[vortex::kernel]
fn life(width: usize, height: usize, old: &[u8], new: &mut [u8]) {
    let (x, y) = global_id_2d();
    let mut neighbours = 0;
    for dy in -1..=1i32 {
        for dx in -1..=1i32 {
            if (dx, dy) == (0, 0) {
                continue;
            }
            let nx = (x as i32 + dx).rem_euclid(width as i32) as usize;
            let ny = (y as i32 + dy).rem_euclid(height as i32) as usize;
            neighbours += old[ny * width + nx];
        }
    }
    new[y * width + x] = match (old[y * width + x], neighbours) {
        (1, 2 | 3) | (0, 3) => 1,
        _ => 0,
    };
}

// SHA-256 of one block.

const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

const START: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

#[vortex::device]
fn compress(state: &mut [u32; 8], block: &[u8]) {
    let mut w = [0u32; 64];
    for (w, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        *w = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for i in 16..64 {
        let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
        let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16]
            .wrapping_add(s0)
            .wrapping_add(w[i - 7])
            .wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for i in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let ch = (e & f) ^ (!e & g);
        let t1 = h
            .wrapping_add(s1)
            .wrapping_add(ch)
            .wrapping_add(K[i])
            .wrapping_add(w[i]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let maj = (a & b) ^ (a & c) ^ (b & c);
        let t2 = s0.wrapping_add(maj);
        h = g;
        g = f;
        f = e;
        e = d.wrapping_add(t1);
        d = c;
        c = b;
        b = a;
        a = t1.wrapping_add(t2);
    }
    for (s, v) in state.iter_mut().zip([a, b, c, d, e, f, g, h].iter()) {
        *s = s.wrapping_add(*v);
    }
}

#[vortex::kernel]
fn sha256(blocks: &[u8], digests: &mut [u8]) {
    let i = global_id();
    let mut state = START;
    compress(&mut state, &blocks[64 * i..64 * (i + 1)]);
    for (bytes, word) in digests[32 * i..][..32]
        .chunks_exact_mut(4)
        .zip(state.iter())
    {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
}

// Philox.

#[vortex::device]
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let p0 = 0xD2511F53u64 * counter[0] as u64;
        let p1 = 0xCD9E8D57u64 * counter[2] as u64;
        counter = [
            (p1 >> 32) as u32 ^ counter[1] ^ key[0],
            p1 as u32,
            (p0 >> 32) as u32 ^ counter[3] ^ key[1],
            p0 as u32,
        ];
        key[0] = key[0].wrapping_add(0x9E3779B9);
        key[1] = key[1].wrapping_add(0xBB67AE85);
    }
    counter
}

#[vortex::kernel]
fn random(seed: u64, out: &mut [u32]) {
    let i = global_id();
    let words = philox([i as u32, 0, 0, 0], [seed as u32, (seed >> 32) as u32]);
    out[4 * i..4 * i + 4].copy_from_slice(&words);
}

// Softmax of rows.

#[vortex::kernel]
fn softmax(columns: usize, x: &[f32], y: &mut [f32]) {
    let row = global_id() * columns;
    let x = &x[row..row + columns];
    let y = &mut y[row..row + columns];
    let max = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (y, x) in y.iter_mut().zip(x) {
        *y = (x - max).exp();
        sum += *y;
    }
    y.iter_mut().for_each(|y| *y /= sum);
}

// Sparse matrix by vector.

#[vortex::kernel]
fn spmv(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_id();
    let range = starts[row] as usize..starts[row + 1] as usize;
    y[row] = columns[range.clone()]
        .iter()
        .zip(&values[range])
        .map(|(c, v)| v * x[*c as usize])
        .sum();
}

// Quicksort with a stack.

#[vortex::kernel]
fn quicksort(x: &mut [i32]) {
    let mut stack = [[0; 2]; 32];
    let mut depth = 0;
    if x.is_empty() {
        return;
    }
    stack[depth] = [0, x.len() - 1];
    depth += 1;
    while depth > 0 {
        depth -= 1;
        let [low, high] = stack[depth];
        if low >= high {
            continue;
        }
        let pivot = x[(low + high) / 2];
        let (mut i, mut j) = (low as i32, high as i32);
        while i <= j {
            while x[i as usize] < pivot {
                i += 1;
            }
            while x[j as usize] > pivot {
                j -= 1;
            }
            if i <= j {
                x.swap(i as usize, j as usize);
                i += 1;
                j -= 1;
            }
        }
        if (low as i32) < j {
            stack[depth] = [low, j as usize];
            depth += 1;
        }
        if i < high as i32 {
            stack[depth] = [i as usize, high];
            depth += 1;
        }
    }
}

#[test]
fn mandelbrot_set() {
    let device = device();
    let (width, height) = (24, 16);
    let mut out = device.alloc(width * height).unwrap();
    mandelbrot(width, height, 50, &mut out)
        .over((width, height))
        .launch(&device)
        .unwrap();
    let escape = |px: usize, py: usize| {
        let c = (
            px as f32 / width as f32 * 3.0 - 2.0,
            py as f32 / height as f32 * 2.0 - 1.0,
        );
        let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0);
        while n < 50 && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + c.0, 2.0 * x * y + c.1);
            n += 1;
        }
        n
    };
    let expected: Vec<u32> = (0..width * height)
        .map(|i| escape(i % width, i / width))
        .collect();
    assert_eq!(out.download().unwrap(), expected);
}

#[test]
fn life_goes_on() {
    let device = device();
    let (width, height) = (9usize, 7usize);
    let cells: Vec<u8> = noise(width * height, 11)
        .iter()
        .map(|v| (v % 3 == 0) as u8)
        .collect();
    let old = device.upload(&cells).unwrap();
    let mut new = device.alloc(width * height).unwrap();
    life(width, height, &old, &mut new)
        .over((width, height))
        .launch(&device)
        .unwrap();
    let next = |i: usize| {
        let at = |dx: usize, dy: usize| {
            cells[(i / width + dy) % height * width + (i % width + dx) % width]
        };
        let around = [(1, 0), (0, 1), (1, 1)];
        let around = around
            .iter()
            .flat_map(|&(x, y)| [(x, y), (width - x, height - y)]);
        let corners = [(1, height - 1), (width - 1, 1)];
        let n: u8 = around.chain(corners).map(|(x, y)| at(x, y)).sum();
        (n == 3 || n == 2 && cells[i] == 1) as u8
    };
    assert_eq!(
        new.download().unwrap(),
        (0..width * height).map(next).collect::<Vec<_>>()
    );
}

#[test]
fn digests() {
    let device = device();
    let message = |text: &[u8]| {
        let mut block = [0u8; 64];
        block[..text.len()].copy_from_slice(text);
        block[text.len()] = 0x80;
        block[63] = (text.len() * 8) as u8;
        block
    };
    let blocks = [message(b"abc"), message(b"")].concat();
    let blocks = device.upload(&blocks).unwrap();
    let mut digests = device.alloc::<u8>(64).unwrap();
    sha256(&blocks, &mut digests)
        .over(2)
        .launch(&device)
        .unwrap();
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let digests = digests.download().unwrap();
    assert_eq!(
        hex(&digests[..32]),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(
        hex(&digests[32..]),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
}

#[test]
fn philox_of_the_paper() {
    let device = device();
    let mut out = device.alloc::<u32>(4).unwrap();
    random(0, &mut out).over(1).launch(&device).unwrap();
    assert_eq!(
        out.download().unwrap(),
        [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
    );
}

#[test]
fn rows_of_softmax() {
    let device = device();
    let values = floats(40, 23);
    let x = device.upload(&values).unwrap();
    let mut y = device.alloc(40).unwrap();
    softmax(8, &x, &mut y).over(5).launch(&device).unwrap();
    let expected: Vec<f32> = (values.chunks(8))
        .flat_map(|row| {
            let sum: f32 = row.iter().map(|v| v.exp()).sum();
            row.iter().map(move |v| v.exp() / sum)
        })
        .collect();
    assert_close(&y.download().unwrap(), &expected);
}

#[test]
fn sparse_matrix() {
    let device = device();
    let (starts, columns) = ([0u32, 2, 2, 5, 6], [0u32, 3, 1, 2, 4, 0]);
    let (values, x) = (floats(6, 37), floats(5, 41));
    let mut y = device.alloc(4).unwrap();
    let upload = |x: &[u32]| device.upload(x).unwrap();
    let floats = |x: &[f32]| device.upload(x).unwrap();
    spmv(
        &upload(&starts),
        &upload(&columns),
        &floats(&values),
        &floats(&x),
        &mut y,
    )
    .over(4)
    .launch(&device)
    .unwrap();
    let row = |row: usize| {
        let range = starts[row] as usize..starts[row + 1] as usize;
        range
            .map(|k| values[k] * x[columns[k] as usize])
            .sum::<f32>()
    };
    assert_close(&y.download().unwrap(), &(0..4).map(row).collect::<Vec<_>>());
}

#[test]
fn quickly_sorted() {
    let device = device();
    let mut values: Vec<i32> = noise(200, 47).iter().map(|v| *v as i32 % 100).collect();
    let mut x = device.upload(&values).unwrap();
    quicksort(&mut x).over(1).launch(&device).unwrap();
    values.sort_unstable();
    assert_eq!(x.download().unwrap(), values);
}
