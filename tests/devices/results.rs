//! What runs on several devices gives what it gives on one.

use std::sync::mpsc;
use std::time::Duration;

use vortex::Portion;
use vortex::prelude::*;

use super::devices;

#[vortex::kernel]
fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] += alpha * x[i];
}

/// A number for each place of the whole, of which the slice begins at `start`.
#[vortex::kernel]
fn numbered(start: usize, out: &mut [u32]) {
    let i = global_id();
    out[i] = (start + i) as u32 * 7;
}

/// One sum for each group.
#[vortex::kernel(block = 16)]
fn sums(x: &[u32], of_groups: &mut [u32]) {
    let sum = group::reduce_add(x[global_id()]);
    if local_id() == 0 {
        of_groups[group_id()] = sum;
    }
}

#[vortex::kernel]
fn count(x: &[u32], counts: &mut [u32]) {
    let i = global_id();
    if i < x.len() {
        counts.atomic(x[i] as usize).fetch_add(1, Relaxed);
    }
}

fn saxpy_on(count: usize, len: usize) -> Vec<f32> {
    let devices = devices(count);
    let split = devices.split(len).build().unwrap();
    let x: Vec<f32> = (0..len).map(|i| i as f32 * 0.37).collect();
    let y: Vec<f32> = (0..len).map(|i| 1.0 / (i + 1) as f32).collect();
    let x = SplitBuffer::scatter(&split, &x).unwrap();
    let mut y = SplitBuffer::scatter(&split, &y).unwrap();
    let reports = devices.run((&x, &mut y), |device, (x, mut y)| {
        saxpy(3.1, &x, &mut y).over_each().launch(device)
    });
    assert_eq!(reports.unwrap().len(), count);
    y.gather().unwrap()
}

#[test]
fn elements() {
    // 3: there are devices whose portion is empty.
    for len in [0, 3, 64, 1000] {
        let one: Vec<u32> = saxpy_on(1, len).into_iter().map(f32::to_bits).collect();
        let host = |i: usize| (1.0 / (i + 1) as f32 + 3.1 * (i as f32 * 0.37)).to_bits();
        assert_eq!(one, (0..len).map(host).collect::<Vec<_>>());
        for count in [2, 4, 5] {
            let several: Vec<u32> = saxpy_on(count, len).into_iter().map(f32::to_bits).collect();
            assert_eq!(several, one, "{count} devices, {len} elements");
        }
    }
}

#[test]
fn ids_start_at_0_and_the_portion_says_where() {
    let devices = devices(3);
    let split = devices.split(50).weights(&[1.0, 0.0, 4.0]).build().unwrap();
    let mut out = SplitBuffer::alloc(&split).unwrap();
    let run = devices.run(&mut out, |device, mut out| {
        numbered(out.portion().start(), &mut out)
            .over_each()
            .launch(device)
    });
    run.unwrap();
    let expected: Vec<u32> = (0..50).map(|i| i * 7).collect();
    assert_eq!(out.gather().unwrap(), expected);
}

#[test]
fn groups() {
    let x: Vec<u32> = (0..16 * 21).map(|i| i * i).collect();
    let expected: Vec<u32> = x.chunks(16).map(|group| group.iter().sum()).collect();
    for count in 1..=4 {
        let devices = devices(count);
        let split = devices.split(21).unit(16).build().unwrap();
        let x = SplitBuffer::scatter(&split, &x).unwrap();
        let mut of_groups = SplitBuffer::alloc(&split.with_unit(1).unwrap()).unwrap();
        let run = devices.run(
            (&x, &mut of_groups, &split),
            |device, (x, mut sum, portion)| sums(&x, &mut sum).grid(portion.len()).launch(device),
        );
        run.unwrap();
        assert_eq!(of_groups.gather().unwrap(), expected, "{count} devices");
    }
}

#[test]
fn a_histogram_of_each() {
    let x: Vec<u32> = (0..500).map(|i| i * i % 11).collect();
    let mut expected = [0; 11];
    x.iter().for_each(|&value| expected[value as usize] += 1);
    // Those with atomic operations.
    let devices = Devices::embedded(3, Device::builder().cores(1)).unwrap();
    let x = SplitBuffer::scatter(&devices.split(x.len()).build().unwrap(), &x).unwrap();
    let mut counts = Replicas::alloc_each(&devices, 11).unwrap();
    let run = devices.run((&x, &mut counts), |device, (x, mut counts)| {
        count(&x, &mut counts).over(x.len()).launch(device)
    });
    run.unwrap();
    let mut all = [0; 11];
    for counts in counts.download_each().unwrap() {
        assert!(counts.iter().sum::<u32>() >= 166);
        all.iter_mut()
            .zip(counts)
            .for_each(|(all, count)| *all += count);
    }
    assert_eq!(all, expected);
}

#[test]
fn every_closure_gets_its_device_and_its_parts() {
    let devices = devices(3);
    let split = devices.split(7).build().unwrap();
    let x = SplitBuffer::scatter(&split, &[1u32; 7]).unwrap();
    let table = Replicas::broadcast(&devices, &[5u32, 6]).unwrap();
    let names = ["a", "b", "c"];
    let mut seen = [0; 3];
    let run = devices.run(
        (&split, &x, &table, &names[..], &mut seen[..]),
        |device, (portion, x, table, name, seen)| {
            let same = |other: &Device| std::ptr::eq(other.progress(), device.progress());
            assert!(same(x.device()) && same(table.device()));
            assert_eq!(x.portion(), portion);
            *seen += portion.len();
            Ok((portion.device(), *name, x.len(), table.len()))
        },
    );
    assert_eq!(
        run.unwrap(),
        [(0, "a", 3, 2), (1, "b", 2, 2), (2, "c", 2, 2)]
    );
    assert_eq!(seen, [3, 2, 2]);
    // Nothing is divided, and there is a call for each all the same.
    assert_eq!(devices.run((), |_, ()| Ok(1)).unwrap(), [1; 3]);
    let lengths = devices.run(&split, |_, portion: &Portion| Ok(portion.len()));
    assert_eq!(lengths.unwrap(), [3, 2, 2]);
}

#[test]
fn all_run_at_the_same_time() {
    let devices = devices(3);
    // Each waits until it has heard of both others.
    let (say, hear): (Vec<_>, Vec<_>) = (0..3).map(|_| mpsc::channel::<usize>()).unzip();
    let mut hear: Vec<_> = hear.into_iter().enumerate().collect();
    let run = devices.run(&mut hear[..], |_, (number, hear)| {
        say.iter().for_each(|say| say.send(*number).unwrap());
        let mut heard = Vec::new();
        for _ in 0..3 {
            heard.push(hear.recv_timeout(Duration::from_secs(60)).unwrap());
        }
        heard.sort_unstable();
        Ok(heard)
    });
    assert_eq!(run.unwrap(), [[0, 1, 2]; 3]);
}

#[test]
fn devices_of_several_shapes() {
    let shapes = [(1, 1, 1), (1, 4, 4), (3, 2, 8)];
    let device = |(cores, warps, threads)| {
        let builder = Device::builder().cores(cores).warps(warps).threads(threads);
        builder.open().unwrap()
    };
    let devices = Devices::of(shapes.into_iter().map(device).collect()).unwrap();
    let harts = |device: &Device| f64::from(device.caps().harts());
    let weights: Vec<f64> = devices.iter().map(harts).collect();
    let split = devices.split(1300).weights(&weights).build().unwrap();
    let lengths: Vec<usize> = split.portions().iter().map(Portion::len).collect();
    assert_eq!(lengths, [20, 320, 960]);
    let mut out = SplitBuffer::alloc(&split).unwrap();
    let run = devices.run(&mut out, |device, mut out| {
        numbered(out.portion().start(), &mut out)
            .over_each()
            .launch(device)
    });
    run.unwrap();
    assert_eq!(
        out.gather().unwrap(),
        (0..1300).map(|i| i * 7).collect::<Vec<u32>>()
    );
}

#[test]
fn streams_of_each_device() {
    let devices = devices(2);
    let split = devices.split(100).build().unwrap();
    let mut out = SplitBuffer::alloc(&split).unwrap();
    let streams: Vec<Stream> = devices
        .iter()
        .map(|device| device.stream().unwrap())
        .collect();
    for (stream, mut out) in streams.iter().zip(out.parts_mut()) {
        let start = out.portion().start();
        stream
            .launch(numbered(start, &mut out).over_each())
            .detach();
    }
    assert_eq!(
        out.gather().unwrap(),
        (0..100).map(|i| i * 7).collect::<Vec<u32>>()
    );
}
