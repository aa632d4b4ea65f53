//! Arrays made of slices, against rustc: `try_into`, `first_chunk` and `last_chunk`; and references to constants.

use std::array::TryFromSliceError;

use crate::harness::{DEVICES, as_on_the_host};
use vortex::prelude::*;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

#[vortex::device(host)]
fn four(x: &[i32]) -> Result<[i32; 4], TryFromSliceError> {
    let array: [i32; 4] = x.try_into()?;
    Ok(array)
}

#[vortex::kernel(host)]
fn of_every_length(x: &[i32], out: &mut [[i32; 4]]) {
    let n = global_id();
    let x = &x[n / 8..n / 8 + n % 8];
    let mut found = [-1, -2, -3, -4];
    if let Ok(array) = four(x) {
        found[0] = array[0] + array[3];
    }
    if let Some(&[a, b]) = x.first_chunk() {
        found[1] = a * 100 + b;
    }
    if let Some([.., c]) = x.last_chunk::<3>() {
        found[2] = *c;
    }
    let none: Option<&[i32; 0]> = x.last_chunk();
    found[3] = none.is_some() as i32;
    out[n] = found;
}

#[test]
fn slices_of_every_length() {
    let x: Vec<i32> = (0..16).map(|n| n * 7 - 20).collect();
    as_on_the_host!(of_every_length(&x), [0; 4], 64);
}

#[vortex::kernel(host)]
fn of_arrays(x: &[i32], out: &mut [[i32; 4]]) {
    let i = global_id();
    let mut a = [x[i], x[(i + 1) % x.len()], 7];
    let p: &[i32; 2] = a.first_chunk().unwrap();
    let first = *p;
    a[i % 3] += 5;
    let last = a.last_chunk::<2>().unwrap();
    let longer = a.first_chunk::<4>();
    out[i] = [first[1], last[0], last[1], longer.map_or(9, |b| b[3])];
}

#[test]
fn arrays_of_arrays() {
    let x: Vec<i32> = (0..50).map(|n| n * n % 23 - 7).collect();
    as_on_the_host!(of_arrays(&x), [0; 4]);
    let device = &DEVICES[0];
    let mut out = device.upload(&[[0; 4]; 50]).unwrap();
    let x = device.upload(&x).unwrap();
    // What the library loads is loaded in the user's line.
    let explained = of_arrays(&x, &mut out).over(50).explain(device).unwrap();
    let stages = explained.stages_to_text();
    assert!(stages.contains("tests/semantics/chunks.rs"));
    assert!(!stages.contains("vortex-kernel"), "{stages}");
}

#[vortex::kernel(host)]
fn sums(x: &[f32], y: &mut [f32], from: usize, count: usize) {
    let i = global_id();
    let p: &[f32; 4] = x[4 * i..4 * i + 4].try_into().unwrap();
    y[i] = p.iter().sum();
    let q: [f32; 2] = x[from..from + count].try_into().unwrap();
    y[i] += q[0] - q[1];
}

#[test]
fn a_slice_of_another_length() {
    let x: Vec<f32> = (0..16).map(|n| n as f32 * 0.5).collect();
    let mut expected = [0.0; 4];
    sums::on_host(&x, &mut expected, 3, 2)
        .over(4)
        .launch()
        .unwrap();
    for device in &*DEVICES {
        let mut y = device.upload(&[0.0; 4]).unwrap();
        let x = device.upload(&x).unwrap();
        sums(&x, &mut y, 3, 2).over(4).launch(device).unwrap();
        assert_eq!(y.download().unwrap(), expected);
        let failed = sums(&x, &mut y, 3, 3).over(4).launch(device).unwrap_err();
        let text = failed.to_string();
        assert!(text.contains("TryFromSliceError(())"), "{text}");
    }
}

#[vortex::kernel(host)]
fn hexadecimal(x: &[u32], out: &mut [u8]) {
    let i = global_id();
    out[i] = DIGITS[(x[i] >> 4 & 15) as usize];
}

#[test]
fn digits_of_a_constant() {
    let x: Vec<u32> = (0..64).map(|n| n * 5).collect();
    as_on_the_host!(hexadecimal(&x), 0);
}

#[vortex::kernel(host)]
fn by_names_of_functions(x: &[f32], n: &[i32], y: &mut [f32], m: &mut [i32]) {
    let i = global_id();
    let mut a = [x[i], x[i + 1], x[i + 2], -x[i]];
    a.sort_unstable_by(f32::total_cmp);
    y[i] = a[1];
    let largest = x[i..].iter().copied().max_by(f32::total_cmp);
    y[i] += largest.unwrap();
    let mut b = [n[i], n[i + 1], n[i + 2]];
    b.sort_by(Ord::cmp);
    m[i] = b[0] * 1000 + n[i..].iter().copied().min_by(Ord::cmp).unwrap();
}

#[test]
fn comparisons_by_their_names() {
    let x: Vec<f32> = (0..16).map(|n| (n * 37 % 11) as f32 - 5.0).collect();
    let n: Vec<i32> = (0..16).map(|n| n * 53 % 17 - 8).collect();
    let (mut y, mut m) = ([0.0; 12], [0; 12]);
    by_names_of_functions::on_host(&x, &n, &mut y, &mut m)
        .over(12)
        .launch()
        .unwrap();
    for device in &*DEVICES {
        let (x, n) = (device.upload(&x).unwrap(), device.upload(&n).unwrap());
        let mut found = device.upload(&[0.0; 12]).unwrap();
        let mut of_ints = device.upload(&[0; 12]).unwrap();
        by_names_of_functions(&x, &n, &mut found, &mut of_ints)
            .over(12)
            .launch(device)
            .unwrap();
        assert_eq!(found.download().unwrap(), y);
        assert_eq!(of_ints.download().unwrap(), m);
    }
}
