//! Bounds from below: of quotients, shifts and differences of what the launch says, of parts that are counted, and of
//! masks; and guards that follow each other. Against rustc, with what fails named as it is.

use crate::harness::{DEVICES, fault_of};
use vortex::prelude::*;
use vortex::{Error, FaultKind, Report};

/// Rows of which the last ones begin no window.
#[vortex::kernel(host)]
fn windows_of_rows(x: &[u32], y: &mut [u32], width: usize, channels: usize) {
    let height = x.len() / (width * channels);
    let i = global_id();
    let mut sum = 0;
    for row in 0..height - 2 {
        sum = sum * 3
            + x[(row * width * channels + i) % x.len()]
            + x[((row + 2) * width + i / 4) * channels];
    }
    y[i] = sum;
}

#[vortex::kernel(host)]
fn halves(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    let last = (x.len() >> 1) - 1;
    let mut sum = 0;
    for k in 0..last {
        sum = sum / 5 + x[last - k + i];
    }
    y[i] = sum;
}

/// The lists are as long as there are whole tracks.
#[vortex::kernel(host)]
fn mixed(tracks: &[u32], gains: &[u32], frames: usize, y: &mut [u32]) {
    let i = global_id();
    let mut sum = 0;
    for (track, gain) in tracks.chunks_exact(frames).zip(gains) {
        sum += track[i] * gain;
    }
    for (n, track) in tracks.chunks_exact(frames).enumerate() {
        sum = sum * 3 + track[i] + n as u32;
    }
    y[i] = sum;
}

/// A table whose length is a power of two, or is not.
#[vortex::kernel(host)]
fn masked(table: &[u32], y: &mut [u32]) {
    let mask = table.len() - 1;
    let mut at = global_id() & mask;
    let mut sum = 0;
    for _ in 0..7 {
        sum = sum * 3 + table[at];
        at = (at * 5 + 1) & mask;
    }
    y[global_id()] = sum;
}

/// Two guards on one condition, and one on its opposite.
#[vortex::kernel(host)]
fn got(x: &[[u32; 3]], z: &[u32], y: &mut [u32]) {
    let i = global_id();
    let Some(parts) = x.get(i) else { return };
    let more = z.get(i);
    let mut sum = parts[0] * 2 + parts[2];
    if let Some(&more) = more {
        sum += more;
    }
    match z.get(i * 2) {
        None => sum += 1000,
        Some(&twice) => sum = sum * 7 + twice,
    }
    y[i] = sum;
}

/// Rows and columns of an image out of one number, as there is one launch over all of it.
#[vortex::kernel(host)]
fn smoothed(width: usize, x: &[u32], y: &mut [u32]) {
    let i = global_id();
    let height = x.len() / width;
    let (column, row) = (i % width, i / width);
    if row > 0 && row + 1 < height && column > 0 && column + 1 < width {
        y[i] = x[i - 1] * 3 + x[i + 1] * 5 + x[i - width] * 7 + x[i + width];
    } else if row >= 2 {
        y[i] = x[i - 2 * width];
    }
}

/// The same with `<=`, and with what follows the last row.
#[vortex::kernel(host)]
fn rows_of_three(width: usize, x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i / width + 3 <= x.len() / width {
        y[i] = x[i] + x[i + 2 * width];
    }
}

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i * 7919 % 1009).collect()
}

#[test]
fn quotients() {
    for device in DEVICES.iter() {
        for (len, width, channels) in [(96, 4, 2), (64, 8, 2), (48, 4, 4), (24, 4, 2), (16, 4, 2)] {
            let x = numbers(len);
            let mut expected = vec![0; 8];
            windows_of_rows::on_host(&x, &mut expected, width, channels)
                .over(8)
                .launch()
                .unwrap();
            let (x, mut y) = (device.upload(&x).unwrap(), device.alloc(8).unwrap());
            windows_of_rows(&x, &mut y, width, channels)
                .over(8)
                .launch(device)
                .unwrap();
            assert_eq!(y.download().unwrap(), expected, "{len}");
        }
    }
}

#[test]
fn shifts() {
    for device in DEVICES.iter() {
        for len in [40, 18, 8, 3, 2] {
            let x = numbers(len);
            let mut expected = vec![0; 6];
            let on_host = halves::on_host(&x, &mut expected).over(6).launch();
            let (x, mut y) = (device.upload(&x).unwrap(), device.alloc(6).unwrap());
            let launched = halves(&x, &mut y).over(6).launch(device);
            match on_host {
                Ok(_) => {
                    launched.unwrap();
                    assert_eq!(y.download().unwrap(), expected, "{len}");
                }
                Err(_) => assert_eq!(fault_of(launched).unwrap().kind, FaultKind::Index),
            }
        }
    }
}

#[test]
fn parts_that_are_counted() {
    for device in DEVICES.iter() {
        for (len, gains, frames) in [
            (60, 6, 10),
            (64, 3, 10),
            (64, 9, 10),
            (10, 1, 10),
            (9, 4, 10),
        ] {
            let (x, g) = (numbers(len), numbers(gains));
            let mut expected = vec![0; 10];
            mixed::on_host(&x, &g, frames, &mut expected)
                .over(10)
                .launch()
                .unwrap();
            let (x, g) = (device.upload(&x).unwrap(), device.upload(&g).unwrap());
            let mut y = device.alloc(10).unwrap();
            mixed(&x, &g, frames, &mut y)
                .over(10)
                .launch(device)
                .unwrap();
            assert_eq!(y.download().unwrap(), expected, "{len} {gains}");
        }
    }
}

#[test]
fn masks() {
    for device in DEVICES.iter() {
        for len in [64, 63, 1, 2, 40] {
            let x = numbers(len);
            let mut expected = vec![0; 20];
            masked::on_host(&x, &mut expected)
                .over(20)
                .launch()
                .unwrap();
            let (x, mut y) = (device.upload(&x).unwrap(), device.alloc(20).unwrap());
            masked(&x, &mut y).over(20).launch(device).unwrap();
            assert_eq!(y.download().unwrap(), expected, "{len}");
        }
        // `0 - 1` is every bit, and nothing is in the table.
        let (x, mut y) = (device.alloc::<u32>(0).unwrap(), device.alloc(20).unwrap());
        let error = masked(&x, &mut y).over(20).launch(device).unwrap_err();
        assert!(matches!(error, Error::Fault(_)), "{error}");
    }
}

#[test]
fn guards() {
    for device in DEVICES.iter() {
        for (items, others) in [(30, 30), (30, 17), (12, 60), (0, 5)] {
            let x: Vec<[u32; 3]> = numbers(items).iter().map(|&v| [v, v + 1, v * 3]).collect();
            let z = numbers(others);
            let mut expected = vec![0; 40];
            got::on_host(&x, &z, &mut expected)
                .over(40)
                .launch()
                .unwrap();
            let (x, z) = (device.upload(&x).unwrap(), device.upload(&z).unwrap());
            let mut y = device.upload(&[0; 40]).unwrap();
            got(&x, &z, &mut y).over(40).launch(device).unwrap();
            assert_eq!(y.download().unwrap(), expected, "{items} {others}");
        }
    }
}

/// Both launches give the same, or fail in the same way.
fn agree(
    (on_host, expected): (vortex::Result<Report>, &[u32]),
    (launched, y): (vortex::Result<Report>, &Buffer<u32>),
    case: &str,
) {
    let [wanted, found] =
        [on_host, launched].map(|result| fault_of(result).map(|fault| fault.kind));
    assert_eq!(found, wanted, "{case}");
    if found.is_none() {
        assert_eq!(y.download().unwrap(), expected, "{case}");
    }
}

#[test]
fn rows_of_one_number() {
    for device in DEVICES.iter() {
        let shapes = [
            (8, 64),
            (8, 63),
            (8, 72),
            (1, 20),
            (64, 64),
            (70, 64),
            (3, 2),
        ];
        for (width, len) in shapes.into_iter().chain([(0, 64), (5, 0), (1 << 31, 40)]) {
            for items in [1, len, len + 9] {
                let x = numbers(len);
                let mut expected = vec![0; len];
                let on_host = smoothed::on_host(width, &x, &mut expected).over(items);
                let on_host = on_host.launch();
                let (x, mut y) = (device.upload(&x).unwrap(), device.alloc(len).unwrap());
                let launched = smoothed(width, &x, &mut y).over(items).launch(device);
                let case = format!("{width} {len} {items}");
                agree((on_host, &expected), (launched, &y), &case);
            }
        }
    }
}

#[test]
fn quotients_up_to_the_last_row() {
    for device in DEVICES.iter() {
        for (width, len) in [
            (8, 64),
            (8, 63),
            (8, 24),
            (8, 20),
            (21, 64),
            (22, 64),
            (0, 9),
        ] {
            let x = numbers(len);
            let mut expected = vec![0; len];
            let on_host = rows_of_three::on_host(width, &x, &mut expected).over(len);
            let on_host = on_host.launch();
            let (x, mut y) = (device.upload(&x).unwrap(), device.alloc(len).unwrap());
            let launched = rows_of_three(width, &x, &mut y).over(len).launch(device);
            agree(
                (on_host, &expected),
                (launched, &y),
                &format!("{width} {len}"),
            );
        }
    }
}
