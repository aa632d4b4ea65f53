//! Who has what, for all small sizes.

use std::ops::Range;

use vortex::prelude::*;
use vortex::{Portion, Split};

use super::devices;

/// Each unit is in one portion, and portions are in the order of the devices.
fn covers(split: &Split, units: usize) {
    let mut next = 0;
    for (number, portion) in split.portions().iter().enumerate() {
        assert_eq!(portion.device(), number);
        assert_eq!(
            (portion.start(), portion.range()),
            (next, next..portion.end())
        );
        assert_eq!(portion.len(), portion.end() - portion.start());
        assert_eq!(portion.is_empty(), portion.range().is_empty());
        next = portion.end();
    }
    assert_eq!((next, split.units()), (units, units));
    assert_eq!(split.portions().len(), split.devices().len());
}

fn halo_is(portion: &Portion, units: usize, halo: usize) {
    // Unit by unit, as one would say it: it has what is at most so far from one of its own.
    let near = |unit: usize| portion.range().any(|own| own.abs_diff(unit) <= halo);
    let expected: Vec<usize> = (0..units).filter(|&unit| near(unit)).collect();
    assert_eq!(
        portion.with_halo().collect::<Vec<_>>(),
        expected,
        "{portion:?}"
    );
    assert_eq!(
        portion.with_halo().start + portion.halo_before(),
        portion.start()
    );
    assert_eq!(
        portion.end() + portion.halo_after(),
        portion.with_halo().end
    );
}

#[test]
fn every_unit_is_in_one_portion() {
    for count in 1..=5 {
        let devices = devices(count);
        for (units, granularity, halo) in
            (0..=13).flat_map(|u| (1..=4).flat_map(move |g| (0..=3).map(move |h| (u, g, h))))
        {
            let split = devices.split(units).granularity(granularity).halo(halo);
            let split = split.build().unwrap();
            covers(&split, units);
            let portions = split.portions();
            for portion in portions {
                halo_is(portion, units, halo);
                // It starts where a granule does, or has nothing.
                assert!(portion.start().is_multiple_of(granularity) || portion.is_empty());
            }
            // Equal, but for one granule, and the first have most.
            let granules = |portion: &Portion| portion.len().div_ceil(granularity);
            let sizes: Vec<usize> = portions.iter().map(granules).collect();
            assert!(sizes.is_sorted_by(|a, b| a >= b), "{portions:?}");
            assert!(sizes[0] - sizes[count - 1] <= 1, "{portions:?}");
        }
    }
}

#[test]
fn every_unit_is_in_one_portion_whatever_the_weights() {
    for weights in [
        &[1.0][..],
        &[0.0, 1.0],
        &[1.0, 0.0],
        &[1.0, 3.0],
        &[0.1, 0.2, 0.3],
        &[0.0, 1e-300, 0.0],
        &[1e300, 1.0, 1e-300, 7.0],
        &[1.0, 0.0, 0.0, 1.0, 0.0],
    ] {
        let devices = devices(weights.len());
        let sum: f64 = weights.iter().sum();
        for (units, granularity) in (0..=40).flat_map(|u| (1..=3).map(move |g| (u, g))) {
            let split = devices.split(units).granularity(granularity);
            let split = split.weights(weights).build().unwrap();
            covers(&split, units);
            for (portion, weight) in split.portions().iter().zip(weights) {
                assert!(
                    *weight > 0.0 || portion.is_empty(),
                    "{weights:?}: {portion:?}"
                );
                // As near to its share as granules allow at both ends.
                let share = units as f64 * weight / sum;
                let off = (portion.len() as f64 - share).abs();
                assert!(off <= 2.0 * granularity as f64, "{weights:?}: {portion:?}");
            }
        }
    }
    let split = devices(3)
        .split(80)
        .weights(&[1.0, 2.0, 5.0])
        .build()
        .unwrap();
    let lengths: Vec<usize> = split.portions().iter().map(Portion::len).collect();
    assert_eq!(lengths, [10, 20, 50]);
}

#[test]
fn numbers_of_any_size_can_be_split() {
    let devices = devices(3);
    for builder in [
        devices.split(usize::MAX),
        devices
            .split(usize::MAX)
            .halo(usize::MAX)
            .granularity(usize::MAX),
        devices.split(usize::MAX).granularity(1 << 40),
        devices.split(usize::MAX).weights(&[1.0, 1.0, 1.0]),
    ] {
        covers(&builder.build().unwrap(), usize::MAX);
    }
}

#[test]
fn splits_of_the_same_portions() {
    let split = devices(3).split(10).unit(4).halo(1).build().unwrap();
    let ranges = |split: &Split| -> Vec<(Range<usize>, Range<usize>)> {
        let portions = split.portions().iter();
        portions
            .map(|portion| (portion.range(), portion.with_halo()))
            .collect()
    };
    assert_eq!(ranges(&split), [(0..4, 0..5), (4..7, 3..8), (7..10, 6..10)]);
    let other = split.with_unit(7).unwrap();
    assert_eq!(
        (other.unit(), other.elements(), split.elements()),
        (7, 70, 40)
    );
    assert_eq!(ranges(&other), ranges(&split));
    let bare = split.with_halo(0);
    assert_eq!(ranges(&bare), [(0..4, 0..4), (4..7, 4..7), (7..10, 7..10)]);
    assert_eq!(bare.with_halo(1).portions(), split.portions());
}

#[test]
fn what_is_scattered_is_where_the_split_says_and_comes_back() {
    for count in 1..=4 {
        let devices = devices(count);
        for (units, unit, halo) in
            (0..=6).flat_map(|n| (0..=3).flat_map(move |u| (0..=2).map(move |h| (n, u, h))))
        {
            let split = devices.split(units).unit(unit).halo(halo).build().unwrap();
            let data: Vec<u32> = (0..units * unit).map(|i| 100 + i as u32).collect();
            let mut buffer = SplitBuffer::scatter(&split, &data).unwrap();
            assert_eq!(
                (buffer.len(), buffer.is_empty()),
                (data.len(), data.is_empty())
            );
            assert_eq!(buffer.gather().unwrap(), data);
            for (part, device) in buffer.parts().zip(&devices) {
                let elements = |units: Range<usize>| &data[units.start * unit..units.end * unit];
                let portion = part.portion();
                assert_eq!(part.download().unwrap(), elements(portion.with_halo()));
                assert_eq!(
                    part.own().unwrap().download().unwrap(),
                    elements(portion.range())
                );
                // It is on that device.
                assert!(std::ptr::eq(part.device().progress(), device.progress()));
            }
            let zeros = SplitBuffer::<u32>::alloc(&split).unwrap();
            assert_eq!(zeros.gather().unwrap(), vec![0; data.len()]);
            let other: Vec<u32> = data.iter().map(|value| value * 3).collect();
            buffer.write(&other).unwrap();
            assert_eq!(buffer.gather().unwrap(), other);
        }
    }
}

#[test]
fn each_device_has_all_of_what_is_replicated() {
    let devices = devices(3);
    let mut table = Replicas::broadcast(&devices, &[1u32, 2, 3]).unwrap();
    assert_eq!(table.download_each().unwrap(), [[1, 2, 3]; 3]);
    table.write(&[4, 5, 6]).unwrap();
    // What is written on one device is on that one.
    table.iter_mut().nth(1).unwrap().write(&[7, 8, 9]).unwrap();
    assert_eq!(
        table.download_each().unwrap(),
        [[4, 5, 6], [7, 8, 9], [4, 5, 6]]
    );
    let zeros = Replicas::<u32>::alloc_each(&devices, 2).unwrap();
    assert_eq!((zeros.len(), zeros.is_empty()), (2, false));
    assert_eq!(zeros.download_each().unwrap(), [[0, 0]; 3]);
}
