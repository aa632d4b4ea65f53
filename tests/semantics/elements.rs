//! `for` over the elements of slices.

use vortex::prelude::*;

use crate::harness::DEVICES;

#[vortex::device]
fn total(values: &[u32]) -> u32 {
    let mut sum = 0;
    for value in values {
        if *value == 99 {
            return 1_000_000;
        }
        sum += value;
    }
    sum
}

#[vortex::kernel]
fn sums(x: &[u32], out: &mut [u32]) {
    let mut sum = 0;
    for &v in x {
        if v == 5 {
            continue;
        }
        if v > 40 {
            break;
        }
        sum += v;
    }
    out[0] = sum;
    out[1] = total(x);
    let mut weighted = 0;
    for (i, v) in x.iter().enumerate() {
        weighted += i as u32 * *v;
    }
    out[2] = weighted;
    let mut last = 0;
    for v in x.iter().rev() {
        last = last * 3 + v;
    }
    out[3] = last;
    let mut steps = 0;
    for (i, &v) in x.iter().step_by(3).enumerate() {
        steps = steps * 5 + i as u32 * 7 + v;
    }
    out[4] = steps;
    let mut back = 0;
    for (i, v) in x.iter().enumerate().step_by(2).rev() {
        back = back * 5 + i as u32 * 7 + *v;
    }
    out[5] = back;
    let mut counted = 0;
    for (i, _) in x.iter().rev().step_by(2).enumerate() {
        counted = counted * 3 + i as u32;
    }
    out[6] = counted;
    let mut some = 0;
    #[unroll(3)]
    for mut v in x.iter().copied() {
        v += 1;
        some = some * 3 + v;
    }
    out[7] = some;
}

fn sums_on_the_host(x: &[u32]) -> [u32; 8] {
    let fold = |values: &mut dyn Iterator<Item = u32>, by: u32| {
        values.fold(0u32, |a, v| a.wrapping_mul(by).wrapping_add(v))
    };
    [
        x.iter()
            .take_while(|v| **v <= 40)
            .filter(|v| **v != 5)
            .sum(),
        if x.contains(&99) {
            1_000_000
        } else {
            x.iter().sum()
        },
        x.iter().enumerate().map(|(i, v)| i as u32 * v).sum(),
        fold(&mut x.iter().rev().copied(), 3),
        fold(
            &mut x
                .iter()
                .step_by(3)
                .enumerate()
                .map(|(i, v)| i as u32 * 7 + v),
            5,
        ),
        fold(
            &mut x
                .iter()
                .enumerate()
                .step_by(2)
                .rev()
                .map(|(i, v)| i as u32 * 7 + v),
            5,
        ),
        fold(
            &mut x.iter().rev().step_by(2).enumerate().map(|(i, _)| i as u32),
            3,
        ),
        fold(&mut x.iter().map(|v| v + 1), 3),
    ]
}

#[vortex::kernel]
fn changed(x: &mut [i32], by: &[i32]) {
    for v in x.iter_mut() {
        *v += by[0];
    }
    for (i, v) in x.iter_mut().enumerate().rev() {
        if *v < 0 {
            break;
        }
        *v = *v * 2 + i as i32;
    }
    for v in &mut x {
        *v ^= 1;
    }
    let tile = local::<[i32; 4]>();
    for (i, v) in tile.iter_mut().enumerate() {
        *v = i as i32;
    }
    #[unroll]
    for v in tile.iter() {
        x[0] += *v;
    }
}

#[test]
fn elements_one_after_the_other() {
    let cases: [&[u32]; 4] = [
        &[],
        &[7],
        &[1, 5, 9, 30, 2, 8, 41, 3],
        &[4, 99, 2, 5, 6, 7, 8],
    ];
    for device in DEVICES.iter() {
        for x in cases {
            let expected = sums_on_the_host(x);
            let x = device.upload(x).unwrap();
            let mut out = device.upload(&[0u32; 8]).unwrap();
            sums(&x, &mut out).over(1).launch(device).unwrap();
            assert_eq!(out.download().unwrap(), expected);
        }
    }
}

#[test]
fn elements_to_write() {
    for device in DEVICES.iter() {
        let start = [3, -20, 8, 0, 11];
        let mut expected = start.map(|v| v + 2);
        for (i, v) in expected.iter_mut().enumerate().rev() {
            if *v < 0 {
                break;
            }
            *v = *v * 2 + i as i32;
        }
        expected.iter_mut().for_each(|v| *v ^= 1);
        expected[0] += 6;
        let (mut x, by) = (device.upload(&start).unwrap(), device.upload(&[2]).unwrap());
        changed(&mut x, &by)
            .grid(1)
            .block(1)
            .launch(device)
            .unwrap();
        assert_eq!(x.download().unwrap(), expected);
    }
}
