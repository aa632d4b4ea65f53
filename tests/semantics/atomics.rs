//! Atomic operations: what all items do together is what they would do one after the other.

use crate::harness::DEVICES;
use vortex::prelude::*;

const ITEMS: u32 = 1000;
const BINS: usize = 7;

/// What a kernel leaves of `start` on every device.
fn on_each<T: vortex::meta::Element + PartialEq + std::fmt::Debug>(
    start: &[T],
    expected: &[T],
    run: impl Fn(&mut DeviceSlice<T>, &Device) -> vortex::Result<()>,
) {
    for device in DEVICES.iter() {
        let mut memory = device.upload(start).unwrap();
        run(&mut memory, device).unwrap();
        assert_eq!(memory.download().unwrap(), expected, "{:?}", device.caps());
    }
}

fn mixed(i: u32) -> u32 {
    i.wrapping_mul(2_654_435_761) >> 7
}

#[vortex::kernel]
fn combine(x: &mut [u32]) {
    let i = global_id() as u32;
    let v = (i * 2_654_435_761) >> 7;
    x.atomic(0).fetch_add(v, Relaxed);
    x.atomic(1).fetch_sub(v, Acquire);
    x.atomic(2).fetch_and(v | 5, Release);
    x.atomic(3).fetch_or(v, AcqRel);
    x.atomic(4).fetch_xor(v, SeqCst);
    x.atomic(5).fetch_min(v, Relaxed);
    x.atomic(6).fetch_max(v, Relaxed);
}

#[test]
fn every_combination_of_unsigned_words() {
    let start = [1, 2, u32::MAX, 3, 9, u32::MAX, 0];
    let mut expected = start;
    for v in (0..ITEMS).map(mixed) {
        expected[0] = expected[0].wrapping_add(v);
        expected[1] = expected[1].wrapping_sub(v);
        expected[2] &= v | 5;
        expected[3] |= v;
        expected[4] ^= v;
        expected[5] = expected[5].min(v);
        expected[6] = expected[6].max(v);
    }
    on_each(&start, &expected, |x, device| {
        combine(x).over(ITEMS as usize).launch(device).map(drop)
    });
}

#[vortex::kernel]
fn combine_signed(x: &mut [i32]) {
    let i = global_id() as i32;
    let v = i * 7919 - 3_000_000;
    x.atomic(0).fetch_add(v, Relaxed);
    x.atomic(1).fetch_min(v, Relaxed);
    x.atomic(2).fetch_max(v - 5_000_000, Relaxed);
    x.atomic(3).fetch_sub(-1, Relaxed);
}

#[test]
fn signed_words_compare_as_signed() {
    let v = (0..ITEMS as i32).map(|i| i * 7919 - 3_000_000);
    let expected = [
        v.clone().fold(10, i32::wrapping_add),
        v.clone().min().unwrap(),
        v.max().unwrap() - 5_000_000,
        ITEMS as i32,
    ];
    on_each(&[10, 0, i32::MIN, 0], &expected, |x, device| {
        combine_signed(x)
            .over(ITEMS as usize)
            .launch(device)
            .map(drop)
    });
}

#[vortex::kernel]
fn tickets(next: &mut [u32], taken: &mut [u32]) {
    let ticket = next.atomic(0).fetch_add(1, Relaxed);
    taken.atomic(ticket as usize).store(ticket + 1, Release);
}

#[test]
fn what_was_there_before_is_given_to_one_item_only() {
    let expected: Vec<u32> = (1..=ITEMS).collect();
    on_each(&vec![0; ITEMS as usize], &expected, |taken, device| {
        let mut next = device.upload(&[0u32])?;
        tickets(&mut next, taken)
            .over(ITEMS as usize)
            .launch(device)?;
        assert_eq!(next.download()?, [ITEMS]);
        Ok(())
    });
}

#[vortex::kernel]
fn histogram(values: &[u32], bins: &mut [u32]) {
    let i = global_id();
    if values[i] & 1 == 0 {
        let bin = values[i] as usize % bins.len();
        bins.atomic(bin).fetch_add(1, Relaxed);
    }
}

#[test]
fn under_a_divergent_condition() {
    let values: Vec<u32> = (0..ITEMS).map(mixed).collect();
    let mut expected = [0u32; BINS];
    for v in values.iter().filter(|v| **v & 1 == 0) {
        expected[*v as usize % BINS] += 1;
    }
    on_each(&[0; BINS], &expected, |bins, device| {
        let values = device.upload(&values)?;
        histogram(&values, bins)
            .over(values.len())
            .launch(device)
            .map(drop)
    });
}

#[vortex::kernel]
fn floats(x: &mut [f32], old: &mut [f32]) {
    let i = global_id();
    old[i] = x.atomic(i).swap(i as f32 + 0.5, AcqRel);
    x.atomic(i + old.len()).store(-2.5, Relaxed);
    let read = x.atomic(i).load(Acquire);
    old[i] += read;
}

#[test]
fn floats_travel_as_the_words_they_are() {
    for device in DEVICES.iter() {
        let mut x = device.upload(&vec![f32::MIN_POSITIVE; 80]).unwrap();
        let mut old = device.upload(&[0.0f32; 40]).unwrap();
        floats(&mut x, &mut old).over(40).launch(device).unwrap();
        let x = x.download().unwrap();
        assert!((0..40).all(|i| x[i] == i as f32 + 0.5 && x[i + 40] == -2.5));
        let old = old.download().unwrap();
        assert!((0..40).all(|i| old[i] == f32::MIN_POSITIVE + (i as f32 + 0.5)));
    }
}

#[vortex::kernel]
unsafe fn through_a_pointer(x: *mut u32, n: u32) {
    for i in 0..n {
        // SAFETY: `x` points to `n` elements.
        unsafe { x.add(i as usize).atomic().fetch_add(i, Relaxed) };
    }
}

#[test]
fn through_pointers_and_in_loops() {
    let expected: Vec<u32> = (0..5).map(|i| i * 33).collect();
    on_each(&[0u32; 5], &expected, |x, device| {
        // SAFETY: `x` has five elements.
        unsafe { through_a_pointer(x.as_mut_ptr(), 5) }
            .over(33)
            .launch(device)
            .map(drop)
    });
}

#[vortex::kernel]
fn beyond(x: &mut [u32], seen: &mut [u32]) {
    let i = global_id();
    seen[i] = x.atomic(i + 2).fetch_add(1, Relaxed);
}

#[test]
fn outside_of_the_slice_nothing_happens() {
    for device in DEVICES.iter() {
        let mut x = device.upload(&[7u32; 3]).unwrap();
        let mut seen = device.upload(&[5u32; 2]).unwrap();
        let error = beyond(&mut x, &mut seen).over(2).launch(device);
        let text = error.unwrap_err().to_string();
        assert!(text.contains("atomics.rs"), "{text}");
        assert_eq!(x.download().unwrap(), [7, 7, 8]);
        assert_eq!(seen.download().unwrap(), [7, 0]);
    }
}

#[vortex::kernel]
fn seen_after_an_atomic(x: &mut [u32], out: &mut [u32]) {
    let i = global_id();
    let before = x[i];
    x.atomic(i).fetch_add(1, Relaxed);
    out[i] = x[i] - before;
}

#[test]
fn plain_loads_are_not_reused_across_an_atomic() {
    on_each(&[0u32; 50], &[1; 50], |out, device| {
        let mut x = device.upload(&[3u32; 50])?;
        seen_after_an_atomic(&mut x, out)
            .over(50)
            .launch(device)
            .map(drop)
    });
}

#[test]
fn a_device_without_atomics_says_so() {
    let device = Device::builder().atomics(false).open().unwrap();
    let mut x = device.upload(&[0u32; 7]).unwrap();
    let text = combine(&mut x).over(1).launch(&device).unwrap_err();
    let text = text.to_string();
    assert!(
        text.contains("A extension") && text.contains("atomics.rs"),
        "{text}"
    );
}
