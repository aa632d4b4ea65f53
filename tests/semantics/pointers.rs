//! Raw pointers and slices of every element type.

use vortex::prelude::*;

use crate::harness::DEVICES;

macro_rules! copies {
    ($($name:ident $ty:ident)*) => {$(
        #[test]
        fn $name() {
            #[vortex::kernel]
            fn reverse(n: usize, from: *const $ty, to: *mut $ty) {
                let i = global_id();
                if !from.is_null() && i < n {
                    // SAFETY: both have `n` elements.
                    unsafe { *to.add(i) = *from.add(n).sub(i + 1) };
                }
            }

            let data: Vec<$ty> = (0..77).map(|i| <$ty as crate::harness::Sample>::from_bits(u32::wrapping_mul(i, 2_654_435_761))).collect();
            for device in DEVICES.iter() {
                let from = device.upload(&data).unwrap();
                let mut to = device.alloc(data.len()).unwrap();
                reverse(77, from.as_ptr(), to.as_mut_ptr()).over(100).launch(device).unwrap();
                let reversed: Vec<$ty> = data.iter().rev().copied().collect();
                let same = to.download().unwrap().into_iter().zip(reversed);
                assert!(same.into_iter().all(|(a, b)| crate::harness::Sample::same(a, b)));
                // Nothing happens behind a null pointer.
                reverse(77, DevicePtr::null(), to.as_mut_ptr()).over(100).launch(device).unwrap();
            }
        }
    )*};
}

copies! { bools bool i8s i8 i16s i16 i32s i32 u8s u8 u16s u16 u32s u32 f32s f32 }

#[vortex::kernel]
fn walk(step: isize, from: *const i32, to: *mut i32) {
    let mut p = from;
    let mut q = to;
    // SAFETY: the launch below stays inside its buffers.
    unsafe {
        let mut sum = 0;
        for _ in 0..4 {
            sum += *p;
            p = p.offset(step);
        }
        q = q.add(global_id());
        *q += sum;
    }
}

#[test]
fn pointers_are_values() {
    for device in DEVICES.iter() {
        let from = device
            .upload(&[1, 10, 100, 1000, 10_000, 100_000, 1_000_000])
            .unwrap();
        let mut to = device.upload(&[1i32, 2, 3]).unwrap();
        walk(2, from.as_ptr(), to.as_mut_ptr())
            .over(3)
            .launch(device)
            .unwrap();
        assert_eq!(to.download().unwrap(), [1_010_102, 1_010_103, 1_010_104]);
        let end = from.slice(3..).unwrap();
        walk(-1, end.as_ptr(), to.as_mut_ptr())
            .over(3)
            .launch(device)
            .unwrap();
        assert_eq!(to.download().unwrap(), [1_011_213, 1_011_214, 1_011_215]);
    }
}

#[vortex::kernel]
unsafe fn fill(to: *mut u8, value: u8) {
    // SAFETY: the caller's.
    unsafe { *to.add(global_id()) = value };
}

#[test]
fn unsafe_kernels_are_launched_unsafely() {
    for device in DEVICES.iter() {
        let mut to = device.alloc(9).unwrap();
        // SAFETY: 9 items write 9 elements.
        unsafe { fill(to.as_mut_ptr(), 7) }
            .over(9)
            .launch(device)
            .unwrap();
        assert_eq!(to.download().unwrap(), [7; 9]);
    }
}

#[vortex::kernel]
fn choose(first: &[i32], second: &[i32], out: &mut [i32]) {
    let i = global_id();
    let source = if i % 2 == 0 { first } else { second };
    let k = i.min(source.len() - 1);
    out[i] = if source.is_empty() { -1 } else { source[k] };
}

#[test]
fn slices_are_values() {
    for device in DEVICES.iter() {
        let buffer = device.upload(&[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        let (first, second) = (buffer.slice(..3).unwrap(), buffer.slice(3..).unwrap());
        let mut out = device.alloc(6).unwrap();
        choose(&first, &second, &mut out)
            .over(6)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), [1, 5, 3, 7, 3, 8]);
    }
}

// Many sizes in a row are the point.
#[allow(clippy::too_many_arguments)]
#[vortex::kernel]
fn mixed(a: u8, b: bool, c: i16, d: f32, e: u8, f: usize, g: isize, h: i8, out: &mut [f32]) {
    if b {
        out[global_id()] = a as f32 + c as f32 + d + e as f32 + f as f32 + g as f32 + h as f32;
    }
}

#[test]
fn scalars_arrive_whatever_their_size() {
    for device in DEVICES.iter() {
        let mut out = device.alloc(1).unwrap();
        mixed(200, true, -300, 0.5, 255, 70_000, -5, -128, &mut out)
            .over(1)
            .launch(device)
            .unwrap();
        assert_eq!(
            out.download().unwrap(),
            [200.0 - 300.0 + 0.5 + 255.0 + 70_000.0 - 5.0 - 128.0]
        );
        mixed(0, false, 0, 0.0, 0, 0, 0, 0, &mut out)
            .over(1)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), [70_022.5]);
    }
}
