//! Choices between sums by the bits of a word: every bit is rustc's, also of zeros, infinities and large numbers.

use crate::harness::DEVICES;
use vortex::prelude::*;

#[vortex::device(host)]
fn gradient(hash: u8, x: f32, y: f32) -> f32 {
    match hash & 7 {
        0 => x + 2.0 * y,
        1 => -x + 2.0 * y,
        2 => x - 2.0 * y,
        3 => -x - 2.0 * y,
        4 => y + 2.0 * x,
        5 => -y + 2.0 * x,
        6 => y - 2.0 * x,
        _ => -y - 2.0 * x,
    }
}

#[vortex::device(host)]
fn edges(hash: u32, x: f32, y: f32, z: f32) -> f32 {
    match hash & 15 {
        0 | 12 => x + y,
        1 | 13 => -x + y,
        2 => x - y,
        3 => -x - y,
        4 => x + z,
        5 => -x + z,
        6 => x - z,
        7 => -x - z,
        8 => y + z,
        9 | 14 => -y + z,
        10 => y - z,
        _ => -y - z,
    }
}

/// With conditions as they come, arms that are products, and one that none of the others is like.
#[vortex::device(host)]
fn mixed(word: u32, x: f32, y: f32) -> f32 {
    let low = word % 4;
    if low > 2 {
        -(x * y)
    } else if low == 1 || low == 2 {
        if low == 1 { -x * y } else { x * y }
    } else {
        x
    }
}

#[vortex::device(host)]
fn fused(word: u32, x: f32, y: f32) -> f32 {
    match word & 3 {
        0 => x.mul_add(y, 1.0),
        1 => x.mul_add(-y, 1.0),
        2 => (-x).mul_add(y, -1.0),
        _ => x.mul_add(2.0, -y),
    }
}

#[vortex::kernel(host)]
fn choose(words: &[u32], x: f32, y: f32, z: f32, out: &mut [[f32; 7]]) {
    let i = global_id();
    let word = words[i];
    let u = if word & 1 == 0 { x } else { -x };
    let v = if word & 8 != 0 { -y } else { y };
    out[i] = [
        gradient(word as u8, x, y),
        edges(word, x, y, z),
        mixed(word, x, y),
        fused(word, x, y),
        u + v,
        u,
        match word & 3 {
            0 => -(x + y),
            1 => x + y,
            2 => x * -2.0,
            _ => y * 2.0,
        },
    ];
}

#[test]
fn each_bit() {
    let words: Vec<u32> = (0..40).map(|k| k * 7 % 40).collect();
    let numbers = [
        0.0,
        -0.0,
        1.5,
        -3e38,
        1e-40,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let bits = |rows: &[[f32; 7]]| -> Vec<[u32; 7]> {
        // Which bits a NaN has is not told by Rust.
        let bits = |float: f32| if float.is_nan() { f32::NAN } else { float }.to_bits();
        rows.iter().map(|row| row.map(bits)).collect()
    };
    for device in DEVICES.iter() {
        let uploaded = device.upload(&words).unwrap();
        for (x, y) in numbers.iter().flat_map(|x| numbers.map(|y| (*x, y))) {
            let z = 0.75;
            let mut expected = vec![[0.0; 7]; words.len()];
            choose::on_host(&words, x, y, z, &mut expected)
                .over(words.len())
                .launch()
                .unwrap();
            let mut out = device.alloc(words.len()).unwrap();
            choose(&uploaded, x, y, z, &mut out)
                .over(words.len())
                .launch(device)
                .unwrap();
            let found = out.download().unwrap();
            assert_eq!(bits(&found), bits(&expected), "{x} {y}");
        }
    }
}

#[vortex::kernel]
fn straight(words: &[u32], x: f32, y: f32, out: &mut [f32]) {
    let i = global_id();
    let word = words[i];
    let u = if word & 1 == 0 { x } else { -x };
    out[i] = gradient(word as u8, x, y) + edges(word, x, y, 0.75) + u;
}

/// Without a branch, lanes that disagree take as long as others.
#[test]
fn lanes_do_not_part() {
    let device = Device::builder().threads(4).open().unwrap();
    let mut out = device.alloc::<f32>(64).unwrap();
    let mut count = |words: &[u32]| {
        let words = device.upload(words).unwrap();
        let launch = straight(&words, 1.0, 2.0, &mut out).over(64);
        launch.launch(&device).unwrap().instructions()
    };
    let alike = count(&[3; 64]);
    let apart: Vec<u32> = (0..64).map(|i| i % 4 * 5).collect();
    assert_eq!(count(&apart), alike);
}

/// Parts of sums of parts are compared with each other: of arms as deep as these that would never end.
#[vortex::kernel(host)]
fn deep(words: &[u32], x: f32, out: &mut [f32]) {
    let i = global_id();
    let word = words[i];
    out[i] = match word & 3 {
        0 => squared(x),
        1 => squared(-x),
        2 => squared(x + 1.0),
        _ => squared(x - 1.0),
    };
}

#[vortex::device(host)]
fn squared(x: f32) -> f32 {
    let mut x = x;
    #[unroll]
    for _ in 0..24 {
        x = x * x + x;
    }
    x
}

#[test]
fn arms_of_many_operations() {
    let words: Vec<u32> = (0..8).collect();
    let mut expected = vec![0.0; words.len()];
    deep::on_host(&words, 0.01, &mut expected)
        .over(words.len())
        .launch()
        .unwrap();
    for device in DEVICES.iter() {
        let uploaded = device.upload(&words).unwrap();
        let mut out = device.alloc(words.len()).unwrap();
        deep(&uploaded, 0.01, &mut out)
            .over(words.len())
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}
