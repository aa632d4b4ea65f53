//! Halos, against a stencil on the host.

use vortex::prelude::*;

use super::devices;

/// Sums of what is at most `reach` rows away, in rows of `width`. The slices begin with `above` rows of others.
#[vortex::kernel]
fn blur(width: usize, reach: usize, above: usize, rows: usize, old: &[u32], new: &mut [u32]) {
    let (x, y) = global_id_2d();
    if y < rows {
        let row = above + y;
        let last = old.len() / width;
        let mut sum = 0u32;
        for near in row.max(reach) - reach..(row + reach + 1).min(last) {
            sum = sum.wrapping_mul(3).wrapping_add(old[near * width + x]);
        }
        new[row * width + x] = sum;
    }
}

fn blurred(width: usize, reach: usize, old: &[u32]) -> Vec<u32> {
    let last = old.len() / width;
    let place = |at: usize| {
        let (x, row) = (at % width, at / width);
        let near = row.saturating_sub(reach)..(row + reach + 1).min(last);
        near.fold(0u32, |sum, near| {
            sum.wrapping_mul(3).wrapping_add(old[near * width + x])
        })
    };
    (0..old.len()).map(place).collect()
}

fn start(len: usize) -> Vec<u32> {
    (0..len as u32)
        .map(|i| i.wrapping_mul(2_654_435_761))
        .collect()
}

/// `steps` steps on these devices, with the exchange of halos or without.
fn on_devices(devices: &Devices, [rows, width, reach]: [usize; 3], exchanges: bool) -> Vec<u32> {
    let split = devices.split(rows).unit(width).halo(reach).build().unwrap();
    let mut old = SplitBuffer::scatter(&split, &start(rows * width)).unwrap();
    let mut new = SplitBuffer::alloc(&split).unwrap();
    for _ in 0..STEPS {
        let run = devices.run((&old, &mut new), |device, (old, mut new)| {
            let portion = new.portion();
            blur(
                width,
                reach,
                portion.halo_before(),
                portion.len(),
                &old,
                &mut new,
            )
            .over((width, portion.len()))
            .launch(device)
        });
        run.unwrap();
        if exchanges {
            new.exchange_halos().unwrap();
        }
        std::mem::swap(&mut old, &mut new);
    }
    old.gather().unwrap()
}

const STEPS: usize = 3;

#[test]
fn a_stencil_is_that_of_the_host() {
    // In the last ones halos are larger than portions, and some portions are empty.
    for [rows, width, reach] in [
        [12, 5, 1],
        [13, 4, 2],
        [7, 3, 3],
        [5, 2, 4],
        [3, 2, 2],
        [1, 1, 1],
    ] {
        let mut expected = start(rows * width);
        for _ in 0..STEPS {
            expected = blurred(width, reach, &expected);
        }
        for count in 1..=4 {
            let found = on_devices(&devices(count), [rows, width, reach], true);
            assert_eq!(
                found, expected,
                "{rows} x {width}, {reach} far, {count} devices"
            );
        }
    }
}

#[test]
fn without_an_exchange_it_is_another() {
    let shape = [12, 5, 1];
    let exchanged = on_devices(&devices(2), shape, true);
    assert_ne!(on_devices(&devices(2), shape, false), exchanged);
    // One device has no halo to exchange.
    assert_eq!(on_devices(&devices(1), shape, false), exchanged);
}

#[test]
fn an_exchange_copies_what_owners_have_to_halos_and_nothing_else() {
    for (count, units, halo) in
        (1..=4).flat_map(|c| (0..=7).flat_map(move |u| (0..=4).map(move |h| (c, u, h))))
    {
        let devices = devices(count);
        let split = devices.split(units).unit(2).halo(halo).build().unwrap();
        let mut buffer = SplitBuffer::alloc(&split).unwrap();
        // Every place of every device is another number: 100 times the device's, and its own.
        for mut part in buffer.parts_mut() {
            let first = 1000 * (part.portion().device() as u32 + 1);
            let values: Vec<u32> = (first..).take(part.len()).collect();
            part.write(&values).unwrap();
        }
        let all = buffer.gather().unwrap();
        buffer.exchange_halos().unwrap();
        assert_eq!(buffer.gather().unwrap(), all);
        for part in buffer.parts() {
            let units = part.portion().with_halo();
            assert_eq!(
                part.download().unwrap(),
                all[2 * units.start..2 * units.end]
            );
        }
    }
}

/// With a halo of as many units as there are steps, none is exchanged: each step computes one unit less of it.
#[test]
fn a_wide_halo_saves_exchanges() {
    let (rows, width) = (20, 3);
    let mut expected = start(rows * width);
    for _ in 0..STEPS {
        expected = blurred(width, 1, &expected);
    }
    let devices = devices(3);
    let split = devices.split(rows).unit(width).halo(STEPS).build().unwrap();
    let mut old = SplitBuffer::scatter(&split, &start(rows * width)).unwrap();
    let mut new = SplitBuffer::alloc(&split).unwrap();
    for step in 0..STEPS {
        // What is still right of the halo after this step, where it does not end with the whole.
        let left = STEPS - 1 - step;
        let run = devices.run((&old, &mut new), |device, (old, mut new)| {
            let portion = new.portion();
            let above = portion.halo_before() - portion.halo_before().min(left);
            let below = portion.halo_after().min(left);
            let count = portion.halo_before() - above + portion.len() + below;
            blur(width, 1, above, count, &old, &mut new)
                .over((width, count))
                .launch(device)
        });
        run.unwrap();
        std::mem::swap(&mut old, &mut new);
    }
    assert_eq!(old.gather().unwrap(), expected);
}
