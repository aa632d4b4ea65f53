//! What the items of a group compute together.

use crate::harness::DEVICES;
use vortex::prelude::*;

fn values(n: usize) -> Vec<u32> {
    let value = |i: usize| (i as u32).wrapping_mul(2_654_435_761) >> (i % 23);
    (0..n).map(value).collect()
}

/// Groups of several sizes on devices that have room for them.
fn each(run: impl Fn(&Device, usize, usize)) {
    for device in DEVICES.iter() {
        let room = device.caps().max_group() as usize;
        for (groups, block) in [(4, 1), (3, 7), (5, 16), (2, 64), (3, 150)] {
            if block <= room {
                run(device, groups, block);
            }
        }
    }
}

#[vortex::kernel]
fn sums(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    for turn in 0..2 {
        let v = x[i] + turn;
        out[i * 3] += group::reduce_add(v);
        out[i * 3 + 1] += group::inclusive_add(v);
        out[i * 3 + 2] += group::exclusive_add(v);
    }
}

#[test]
fn sums_over_groups() {
    each(|device, groups, block| {
        let x = values(groups * block);
        let on_device = device.upload(&x).unwrap();
        let mut out = device.upload(&vec![0u32; x.len() * 3]).unwrap();
        sums(&on_device, &mut out)
            .grid(groups)
            .block(block)
            .launch(device)
            .unwrap();
        let mut expected = vec![0u32; x.len() * 3];
        for (group, x) in x.chunks(block).enumerate() {
            for turn in 0..2 {
                let mut sum = 0u32;
                for (i, v) in x.iter().enumerate() {
                    let at = (group * block + i) * 3;
                    let all = x
                        .iter()
                        .fold(0u32, |s, v| s.wrapping_add(v.wrapping_add(turn)));
                    expected[at] = expected[at].wrapping_add(all);
                    expected[at + 2] = expected[at + 2].wrapping_add(sum);
                    sum = sum.wrapping_add(v.wrapping_add(turn));
                    expected[at + 1] = expected[at + 1].wrapping_add(sum);
                }
            }
        }
        assert_eq!(out.download().unwrap(), expected, "{:?}", device.caps());
    });
}

#[vortex::kernel]
fn extremes(x: &[f32], least: &mut [f32], most: &mut [f32], parity: &mut [u32]) {
    let i = global_id();
    least[i] = group::inclusive_min(x[i]);
    most[i] = group::reduce_max(x[i]);
    parity[i] = group::exclusive_xor(x[i] as u32);
}

#[test]
fn extremes_of_floats() {
    each(|device, groups, block| {
        let x: Vec<f32> = values(groups * block)
            .iter()
            .map(|v| *v as i32 as f32)
            .collect();
        let on_device = device.upload(&x).unwrap();
        let [mut least, mut most] = [(); 2].map(|()| device.alloc::<f32>(x.len()).unwrap());
        let mut parity = device.alloc::<u32>(x.len()).unwrap();
        extremes(&on_device, &mut least, &mut most, &mut parity)
            .grid(groups)
            .block(block)
            .launch(device)
            .unwrap();
        let (least, most) = (least.download().unwrap(), most.download().unwrap());
        let parity = parity.download().unwrap();
        for (group, x) in x.chunks(block).enumerate() {
            let (mut min, mut xor) = (f32::INFINITY, 0);
            let max = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            for (i, &v) in x.iter().enumerate() {
                min = min.min(v);
                let at = group * block + i;
                assert_eq!((least[at], most[at], parity[at]), (min, max, xor));
                xor ^= v as u32;
            }
        }
    });
}

#[vortex::kernel]
fn of_those_left(x: &[u32], first: usize, out: &mut [u32]) {
    let i = global_id();
    if local_id() < first || x[i] % 3 == 0 {
        return;
    }
    out[i] = group::reduce_add(1u32) * 1000 + group::exclusive_add(1u32);
}

#[test]
fn items_that_have_returned_do_not_count() {
    each(|device, groups, block| {
        let x = values(groups * block);
        let on_device = device.upload(&x).unwrap();
        for first in [0, block / 2] {
            let mut out = device.upload(&vec![0u32; x.len()]).unwrap();
            of_those_left(&on_device, first, &mut out)
                .grid(groups)
                .block(block)
                .launch(device)
                .unwrap();
            let out = out.download().unwrap();
            for (out, x) in out.chunks(block).zip(x.chunks(block)) {
                let left = |i: usize| i >= first && x[i] % 3 != 0;
                let all = (0..block).filter(|i| left(*i)).count() as u32;
                let mut before = 0;
                for (i, out) in out.iter().enumerate() {
                    let expected = if left(i) { all * 1000 + before } else { 0 };
                    assert_eq!(*out, expected, "{:?}", device.caps());
                    before += u32::from(left(i));
                }
            }
        }
    });
}

#[test]
fn a_combination_under_a_condition_is_an_error_in_its_own_words() {
    #[vortex::kernel]
    fn under_a_condition(x: &mut [u32]) {
        let i = global_id();
        if i < 3 {
            x[i] = group::reduce_add(x[i]);
        }
    }

    let device = Device::open().unwrap();
    let mut x = device.upload(&[1u32; 8]).unwrap();
    let launch = under_a_condition(&mut x).grid(1).block(8);
    let error = launch.launch(&device).unwrap_err().to_string();
    assert!(
        error.contains("the reduction or scan over the group at"),
        "{error}"
    );
    assert!(
        error.contains("partials.rs:") && !error.contains("barrier()"),
        "{error}"
    );
}
