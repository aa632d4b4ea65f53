//! References where functions take others of the same memory: a `&[T; N]` for a `&[T]`, a `&mut [T]` for a `&[T]`. And
//! `for` over a `&mut` of elements.

use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Track {
    points: [i32; 3],
    length: i32,
}

impl Track {
    const START: Self = Self {
        points: [1, 2, 3],
        length: 0,
    };
}

/// The same functions over staged values and as Rust.
macro_rules! functions {
    ($($module:ident: $attribute:meta;)*) => {$(
        mod $module {
            use super::Track;

            #[$attribute]
            fn total(values: &[i32]) -> i32 {
                let mut sum = 0;
                for v in values {
                    sum += *v;
                }
                sum
            }

            #[$attribute]
            fn at<const N: usize>(values: &[i32; N], i: usize) -> i32 {
                values[i % N]
            }

            #[$attribute]
            fn value(v: &i32) -> i32 {
                *v
            }

            #[$attribute]
            fn add(values: &mut [i32], by: i32) {
                for v in values {
                    *v += by;
                }
            }

            #[$attribute]
            fn add_to_four(values: &mut [i32; 4], by: i32) {
                add(values, by);
                for v in values {
                    *v *= 2;
                }
            }

            #[$attribute]
            fn add_in_step(values: &mut [i32], others: &[i32]) {
                for (i, (v, other)) in values.into_iter().zip(others).enumerate() {
                    *v += *other * (i as i32 + 1);
                }
            }

            #[$attribute]
            fn add_and_sum(values: &mut [i32]) -> i32 {
                add(values, 4);
                total(values)
            }

            #[$attribute]
            fn by_value(mut values: [i32; 3]) -> i32 {
                values[1] = 10;
                let before = total(&values);
                add(&mut values, 7);
                before * 100 + total(&values) + at(&values, 4)
            }

            #[$attribute]
            pub(super) fn all(
                i: usize,
                rows: &[[i32; 4]],
                own: &mut [[i32; 4]],
                tracks: &mut [Track],
                fixed: [i32; 3],
                out: &mut [i32],
            ) {
                let a = [1, 2, 3];
                let mut b = [5, 6, i as i32];
                add(&mut b, 3);
                add_in_step(&mut b, &a);
                let n = 3;
                let mut sums = [total(&a), total(&b), total(&rows[i]), total(&fixed)];
                add_to_four(&mut own[i], 1);
                for c in own[i].iter_mut() {
                    *c += 1;
                }
                for (k, c) in own[i].iter_mut().enumerate().filter(|(k, _)| k % 2 == 1) {
                    *c += 100 * k as i32;
                }
                add(&mut tracks[i].points, at(&own[i], i));
                for p in tracks[i].points.iter_mut() {
                    *p += 1;
                }
                tracks[i].length = total(&tracks[i].points) + value(&tracks[i].points[1]) + value(&n);
                add(&mut sums[1..3], 1);
                out[i] = add_and_sum(&mut sums) + by_value(a) + total(&own[i]) + at(&rows[i], i) + sums[2];
            }
        }
    )*};
}

functions! {
    on_the_device: vortex::device;
    on_the_host: inline;
}

#[vortex::kernel]
fn coerced(
    rows: &[[i32; 4]],
    own: &mut [[i32; 4]],
    tracks: &mut [Track],
    fixed: [i32; 3],
    out: &mut [i32],
) {
    on_the_device::all(global_id(), rows, own, tracks, fixed, out);
}

#[test]
fn references_become_what_functions_take() {
    const N: usize = 23;
    let row = |i: usize| [i as i32, 2, -3, 7 * i as i32];
    let rows: Vec<_> = (0..N).map(row).collect();
    let (mut own, mut tracks, mut out) = (rows.clone(), vec![Track::START; N], vec![0; N]);
    for i in 0..N {
        on_the_host::all(i, &rows, &mut own, &mut tracks, [4, 5, 6], &mut out);
    }
    for device in DEVICES.iter() {
        let rows = device.upload(&rows).unwrap();
        let mut changed = device.upload(&rows.download().unwrap()).unwrap();
        let mut moved = device.upload(&[Track::START; N]).unwrap();
        let mut sums = device.alloc(N).unwrap();
        coerced(&rows, &mut changed, &mut moved, [4, 5, 6], &mut sums)
            .over(N)
            .launch(device)
            .unwrap();
        assert_eq!(sums.download().unwrap(), out);
        assert_eq!(changed.download().unwrap(), own);
        assert_eq!(moved.download().unwrap(), tracks);
    }
}

#[vortex::kernel]
fn each_of_the_signature(rows: &mut [[i32; 4]], n: &mut [i32]) {
    for row in rows {
        for c in row {
            *c += 1;
        }
    }
    for (count, k) in n.into_iter().rev().zip(0..3) {
        *count = k;
    }
}

#[test]
fn a_for_over_exclusive_elements_assigns_to_them() {
    for device in DEVICES.iter() {
        let mut rows = device.upload(&[[1, 2, 3, 4]; 3]).unwrap();
        let mut n = device.upload(&[0; 3]).unwrap();
        each_of_the_signature(&mut rows, &mut n)
            .over(1)
            .launch(device)
            .unwrap();
        assert_eq!(rows.download().unwrap(), [[2, 3, 4, 5]; 3]);
        assert_eq!(n.download().unwrap(), [2, 1, 0]);
    }
}

#[vortex::device(host)]
fn hashed(x: &[u8], first: u32) -> u32 {
    let mut hash = first;
    for v in x {
        hash = hash.wrapping_mul(31) ^ *v as u32;
    }
    hash
}

#[vortex::device(host)]
fn middle(x: &[u8; 3]) -> u32 {
    x[1] as u32
}

#[vortex::kernel(host)]
fn references_to_arrays(x: &[u8], y: &mut [u8], out: &mut [u32]) {
    let i = global_id();
    let of = |x: &[u8]| hashed(x, i as u32);
    let cleared = |part: &mut [u8]| part[0] = 0;
    let fixed = [1, 2, 3];
    let mut own = [4, 5, 6];
    own[i % 3] = 9;
    let text = b"abc";
    let again = text;
    let array = &fixed;
    let written = &[7, 8, 9];
    let typed: &[u8; 3] = b"xyz";
    let slice: &[u8] = b"xyzw";
    let of_a_name: &[u8] = text;
    let of_a_list: &[u8] = &[1, 2, 3, 4];
    let mut sum = of(b"*")
        ^ of(&[1, 2])
        ^ of(&fixed) << 1
        ^ of(&own) << 2
        ^ of(x)
        ^ of(&x[1..3]) << 3
        ^ of(slice);
    sum ^= of(text) << 4
        ^ of(again) << 5
        ^ of(array) << 6
        ^ of(written) << 7
        ^ of(typed) << 8
        ^ of(&text[..2]);
    sum ^= hashed(text, 1) << 9
        ^ hashed(array, 2) << 10
        ^ hashed(written, 3) << 11
        ^ hashed(typed, 4) << 12;
    sum ^= hashed(of_a_name, 5) << 13
        ^ hashed(of_a_list, 6) << 14
        ^ middle(again) << 15
        ^ middle(written) << 16;
    cleared(&mut own);
    sum ^= of(&own) << 17 ^ of(&y[..2]) << 18;
    out[i] = sum ^ of(y);
}

#[test]
fn names_of_references_to_arrays_coerce() {
    let x = [4, 7, 7, 2, 5, 3, 4];
    let (mut own, mut expected) = (x, [0; 8]);
    references_to_arrays::on_host(&x, &mut own, &mut expected)
        .over(8)
        .launch()
        .unwrap();
    for device in DEVICES.iter() {
        let (bytes, mut own) = (device.upload(&x).unwrap(), device.upload(&x).unwrap());
        let mut out = device.alloc(8).unwrap();
        references_to_arrays(&bytes, &mut own, &mut out)
            .over(8)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}
