//! Sums of floats to which something is added where a condition holds: every bit is rustc's, for numbers that a plain 0
//! in place of what is not added would show in.

use crate::harness::DEVICES;
use vortex::prelude::*;

#[vortex::kernel(host)]
fn sums(x: &[f32], y: &mut [[f32; 7]], start: f32, most: f32) {
    let i = global_id();
    let own = x[i];
    let (mut near, mut cubes, mut count) = (0.0, 0.0, 0.0);
    let mut added_before = 0.0;
    let (mut from_start, mut differences, mut both) = (start, 0.0, 0.0);
    for &other in x {
        let left = most - (own - other);
        // This sum is there before the choice, which only takes it.
        let with = added_before + left;
        if left > 0.0 {
            added_before = with;
            near += left;
            cubes += 2.0 * left * (left * left);
        }
        if other >= own {
            count += 1.0;
            both += own * other;
        } else {
            both += own;
        }
        if other < most {
            from_start += other;
            differences -= other;
        }
    }
    y[i] = [
        near,
        cubes,
        count,
        from_start,
        differences,
        both,
        added_before,
    ];
}

#[test]
fn each_bit() {
    let all = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.5,
        -3e38,
        3e38,
        1e-40,
        -1e-40,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let bits = |sums: &[[f32; 7]]| -> Vec<[u32; 7]> {
        // Which bits a NaN has is not told by Rust.
        let bits = |sum: f32| if sum.is_nan() { f32::NAN } else { sum }.to_bits();
        sums.iter().map(|sums| sums.map(bits)).collect()
    };
    for device in DEVICES.iter() {
        for x in [
            &all[..],
            &all[..9],
            &all[..5],
            &all[..2],
            &[-0.0; 7],
            &all[3..8],
        ] {
            for start in [0.0, -0.0, 1.5] {
                for most in [0.0, 1.0, f32::INFINITY] {
                    let n = x.len();
                    let mut expected = vec![[0.0; 7]; n];
                    sums::on_host(x, &mut expected, start, most)
                        .over(n)
                        .launch()
                        .unwrap();
                    let (x, mut y) = (device.upload(x).unwrap(), device.alloc(n).unwrap());
                    sums(&x, &mut y, start, most)
                        .over(n)
                        .launch(device)
                        .unwrap();
                    let found = y.download().unwrap();
                    assert_eq!(
                        bits(&found),
                        bits(&expected),
                        "{start} {most}\n{found:?}\n{expected:?}"
                    );
                }
            }
        }
    }
}

#[vortex::kernel]
fn beside(x: &[f32], sums: &mut [f32], bits: &mut [u32]) {
    let i = global_id();
    let own = x[i];
    let (mut sum, mut last) = (2.0, 7);
    if own >= 0.0 {
        sum += own;
        last = own.to_bits();
    }
    sums[i] = sum;
    bits[i] = last;
}

/// -0 is added like 0, but is not 0.
#[test]
fn bits_beside_a_sum() {
    let x = [0.0, -0.0, 1.5, -1.5, f32::NEG_INFINITY];
    for device in DEVICES.iter() {
        let uploaded = device.upload(&x).unwrap();
        let mut sums = device.alloc(x.len()).unwrap();
        let mut bits = device.alloc(x.len()).unwrap();
        beside(&uploaded, &mut sums, &mut bits)
            .over(x.len())
            .launch(device)
            .unwrap();
        assert_eq!(sums.download().unwrap(), [2.0, 2.0, 3.5, 2.0, 2.0]);
        let expected = [0, 1 << 31, 1.5f32.to_bits(), 7, 7];
        assert_eq!(bits.download().unwrap(), expected);
    }
}
