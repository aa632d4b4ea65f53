//! Arrays: of values, in `let mut` locals, in structs, as constant tables.

use vortex::DeviceType;
use vortex::prelude::*;

use crate::harness::{DEVICES, same};

const TABLE: [u32; 16] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];
const MATRIX: [[f32; 3]; 2] = [[1.0, 0.5, -2.0], [0.25, 8.0, 3.0]];
const BYTES: [u8; 5] = [255, 1, 128, 7, 9];

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Histogram {
    name: u8,
    counts: [u32; 4],
    mean: f32,
    rows: [[i16; 2]; 3],
}

const EMPTY: Histogram = Histogram {
    name: 7,
    counts: [10, 20, 30, 40],
    mean: 0.5,
    rows: [[1, 2], [3, 4], [5, 6]],
};

#[vortex::device]
fn total(values: [u32; 4]) -> u32 {
    let mut sum = 0;
    for i in 0..values.len() {
        sum += values[i];
    }
    sum
}

#[vortex::device]
fn reverse<const N: usize>(values: &mut [u32; N]) {
    for i in 0..N / 2 {
        let other = values[N - 1 - i];
        values[N - 1 - i] = values[i];
        values[i] = other;
    }
}

#[vortex::device]
fn powers(x: u32) -> [u32; 4] {
    if x == 3 {
        return [0; 4];
    }
    [1, x, x * x, x * x * x]
}

same! {
    constant_indices(a: u32, b: u32) -> u32 {
        let mut v = [a, b, 7];
        v[0] ^= v[1];
        v[2] = v[0] & v[2];
        let w = v;
        v[1] = 0;
        w[0] ^ w[1] ^ w[2] ^ v[1]
    }

    computed_indices(a: u32, b: u32) -> u32 {
        let mut v = [1, 2, 3, 4, 5, 6, 7, a];
        let i = (a % 8) as usize;
        let j = (b % 8) as usize;
        v[i] = b;
        v[j] ^= 1;
        v[(i + j) % 8] ^ v[7] ^ v[0]
    }

    loops_over_arrays(a: u32, b: u32) -> u32 {
        let mut v = [0u32; 12];
        for i in 0..12 {
            v[i] = (a ^ b.rotate_left(i as u32)) & 0xffff;
        }
        // Sorted by insertion.
        for i in 1..v.len() {
            let mut j = i;
            while j > 0 && v[j - 1] > v[j] {
                let other = v[j];
                v[j] = v[j - 1];
                v[j - 1] = other;
                j -= 1;
            }
        }
        let mut sum = 0;
        for i in 0..v.len() {
            sum += v[i] * (i as u32 + 1);
        }
        sum
    }

    values_indexed_in_loops(a: f32, b: f32) -> f32 {
        let weights = [a, 0.5, b, 2.0];
        let mut sum = 0.0;
        for i in 0..4 {
            for j in 0..2 {
                sum += weights[i] * weights[(i + j) % 4];
            }
        }
        sum
    }

    many_equal_elements(a: u32, b: u32) -> u32 {
        let mut v = [a; 100];
        v[(b % 100) as usize] = 1;
        let mut sum = 0;
        for i in 0..100 {
            sum ^= v[i] & (i as u32);
        }
        sum
    }

    tables(a: u32, b: u32) -> u32 {
        TABLE[(a % 16) as usize] * 1000 + TABLE[b as usize % TABLE.len()] + TABLE[5]
            + BYTES[(b % 5) as usize] as u32
    }

    two_dimensions(a: u32, b: u32) -> f32 {
        let (i, j) = ((a % 2) as usize, (b % 3) as usize);
        let mut m = MATRIX;
        m[i][j] += 1.0;
        m[1][0] *= 2.0;
        m[i] = MATRIX[1 - i];
        let row = m[1 - i];
        row[j] + m[i][2] * MATRIX[i][j] + m[0][1]
    }

    in_functions(a: u32, b: u32) -> u32 {
        let a = a % 256;
        let mut v = powers(a % 5);
        let before = total(v);
        reverse(&mut v);
        v[0] * 10 + before + total([a, 1, v[1], 2])
    } => {
        let x = a % 256 % 5;
        let v = if x == 3 { [0; 4] } else { [1, x, x * x, x * x * x] };
        let before: u32 = v.iter().sum();
        v[3] * 10 + before + (a % 256 + 1 + v[2] + 2)
    }

    patterns_of_arrays(a: u32, b: u32) -> u32 {
        let [x, y, ..] = [a, b, 3];
        match [a % 3, b % 3, 1] {
            [0, 0, _] => 1,
            [first, .., last] if first == last => x ^ 5,
            [_, 2, 1] => y,
            [.., last] => last + 70,
        }
    }

    in_structs_and_tuples(a: u32, b: u32) -> u32 {
        let i = (a % 4) as usize;
        let mut h = Histogram { counts: [a, 1, 2, b], ..EMPTY };
        h.counts[i] = 5;
        h.rows[i % 3][i % 2] = 100;
        h.rows[0][1] = -1;
        let mut t = (h, a, [b; 2]);
        t.0.counts[1] = 9;
        t.2[i % 2] = 3;
        t.1 = 4;
        h.counts[0] ^ t.0.counts[i] ^ t.2[0] ^ t.1 ^ (t.0.rows[i % 3][1] as u32) ^ EMPTY.counts[i]
    }

    chosen_arrays(a: u32, b: u32) -> u32 {
        let v = if a > b { [a, b, 1] } else { [2, b, a] };
        v[(b % 3) as usize]
    }

    wide_elements(a: u32, b: u32) -> u32 {
        let mut v = [a as u64, 1 << 40, b as u64 * 3];
        v[(a % 3) as usize] += 1 << 33;
        let sum = v[(b % 3) as usize] ^ v[1];
        (sum >> 32) as u32 ^ sum as u32
    }

    loops_over_elements(a: u32, b: u32) -> u32 {
        let mut v = [a % 100, 3, b % 7, 9];
        v[(b % 4) as usize] += 1;
        let mut sum = 0;
        for x in v {
            sum = sum * 2 + x;
        }
        for (i, x) in TABLE.iter().enumerate() {
            sum += (i as u32) * x;
        }
        sum
    }

    small_types(a: u32, b: u32) -> i32 {
        let mut flags = [false; 9];
        flags[(a % 9) as usize] = true;
        let mut small = [-1i8, 2, (a % 100) as i8];
        small[(b % 3) as usize] -= 2;
        if flags[(b % 9) as usize] { small[0] as i32 } else { small[2] as i32 + 1000 }
    }
}

#[vortex::kernel]
fn accumulate(values: &[u32], histograms: &mut [Histogram], tails: &mut [[f32; 3]]) {
    let i = global_id();
    if i < histograms.len() {
        for k in 0..values.len() {
            histograms[i].counts[(values[k] % 4) as usize] += 1;
        }
        histograms[i].rows[2] = histograms[i].rows[i % 3];
        let mut tail = tails[i];
        tail[i % 3] = 9.0;
        tails[i] = [tail[2], tails[i][1], tail[0]];
    }
}

#[test]
fn arrays_lie_in_buffers() {
    for device in DEVICES.iter() {
        let values: Vec<u32> = (0..37).map(|i| i * i).collect();
        let from = device.upload(&values).unwrap();
        let start: Vec<Histogram> = (0..9).map(|i| Histogram { name: i, ..EMPTY }).collect();
        let mut histograms = device.upload(&start).unwrap();
        let numbers: Vec<[f32; 3]> = (0..9).map(|i| [i as f32, 0.5, -1.0]).collect();
        let mut tails = device.upload(&numbers).unwrap();
        accumulate(&from, &mut histograms, &mut tails)
            .over(12)
            .launch(device)
            .unwrap();
        let mut expected = start;
        for (i, h) in expected.iter_mut().enumerate() {
            for v in &values {
                h.counts[(v % 4) as usize] += 1;
            }
            h.rows[2] = h.rows[i % 3];
        }
        assert_eq!(histograms.download().unwrap(), expected);
        let expected: Vec<[f32; 3]> = numbers
            .iter()
            .enumerate()
            .map(|(i, t)| {
                let mut tail = *t;
                tail[i % 3] = 9.0;
                [tail[2], t[1], tail[0]]
            })
            .collect();
        assert_eq!(tails.download().unwrap(), expected);
    }
}

#[vortex::kernel]
fn beyond(n: usize, out: &mut [u32]) {
    let mut v = [[1u32; 4]; 2];
    v[n % 2][n] = 5;
    out[global_id()] = v[1][n] + v[1][1];
}

#[test]
fn indices_are_checked() {
    for device in DEVICES.iter() {
        let mut out = device.upload(&[0u32; 3]).unwrap();
        beyond(3, &mut out).over(3).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), [6; 3]);
        let error = beyond(4, &mut out).over(3).launch(device).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("index 4") && text.contains("arrays.rs:"),
            "{text}"
        );
    }
}

#[test]
fn a_constant_index_is_checked_early() {
    #[vortex::kernel]
    fn wrong(out: &mut [u32]) {
        let v = [1, 2, 3];
        let at = 3;
        out[0] = v[at];
    }

    let device = &DEVICES[0];
    let mut out = device.upload(&[0u32; 3]).unwrap();
    let error = wrong(&mut out).over(1).launch(device).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("the index 3 is outside of an array of 3 elements"),
        "{text}"
    );
}

#[test]
fn private_memory_has_an_end() {
    #[vortex::kernel]
    fn too_much(n: usize, out: &mut [u32]) {
        let mut v = [0u32; 4096];
        v[n] = 1;
        out[0] = v[n / 2];
    }

    let device = &DEVICES[0];
    let mut out = device.upload(&[0u32; 3]).unwrap();
    let error = too_much(5, &mut out).over(1).launch(device).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(
            "but there are 8128, of which the array at tests/semantics/arrays.rs:294:17 takes 16384:"
        ),
        "{text}"
    );
}
