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
                // Nothing is read through a null pointer.
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

/// A list: each node knows the next one.
#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Node {
    value: f32,
    next: RawPtr<Node>,
}

/// The sum over a list, and how many nodes it has.
#[vortex::kernel]
fn sum_of_lists(heads: &[*const Node], sums: &mut [f32], lengths: &mut [u32]) {
    let i = global_id();
    let mut node = heads[i];
    let (mut sum, mut length) = (0.0, 0);
    while !node.is_null() {
        // SAFETY: a list consists of nodes, and its last one has none after it.
        unsafe {
            sum += (*node).value;
            node = (*node).next;
        }
        length += 1;
    }
    sums[i] = sum;
    lengths[i] = length;
}

#[test]
fn lists_are_followed() {
    for device in DEVICES.iter() {
        // Lists of 0 to 4 nodes, backwards through one buffer.
        let mut nodes = device.alloc::<Node>(10).unwrap();
        let start = RawPtr::<Node>::from(nodes.as_ptr()).addr();
        let at = |index: u32| RawPtr::new(start + index * size_of::<Node>() as u32);
        let mut all = Vec::new();
        let mut heads = Vec::new();
        for length in 0..5u32 {
            let mut next = RawPtr::null();
            for n in 0..length {
                all.push(Node {
                    value: (n + 1) as f32,
                    next,
                });
                next = at(all.len() as u32 - 1);
            }
            heads.push(next);
        }
        nodes.write(&all).unwrap();
        let heads = device.upload(&heads).unwrap();
        let (mut sums, mut lengths) = (device.alloc(5).unwrap(), device.alloc(5).unwrap());
        let launch = sum_of_lists(&heads, &mut sums, &mut lengths).over(5);
        launch.launch(device).unwrap();
        assert_eq!(sums.download().unwrap(), [0.0, 1.0, 3.0, 6.0, 10.0]);
        assert_eq!(lengths.download().unwrap(), [0, 1, 2, 3, 4]);
    }
}

/// Where a matrix has its rows: not one after the other.
#[vortex::kernel]
fn add_to_rows(by: f32, width: usize, rows: *const *mut f32) {
    let (x, y) = global_id_2d();
    if x < width {
        // SAFETY: there are as many rows as items along y, and each has `width` elements.
        unsafe {
            let row = *rows.add(y);
            *row.add(x) += by;
        }
    }
}

#[test]
fn pointers_to_pointers_are_followed() {
    for device in DEVICES.iter() {
        let mut rows: Vec<_> = (0..3)
            .map(|y| device.upload(&[y as f32; 5]).unwrap())
            .collect();
        let addresses: Vec<RawPtrMut<f32>> =
            rows.iter_mut().map(|row| row.as_mut_ptr().into()).collect();
        let table = device.upload(&addresses).unwrap();
        add_to_rows(10.0, 5, table.as_ptr())
            .over((8, 3))
            .launch(device)
            .unwrap();
        for (y, row) in rows.iter().enumerate() {
            assert_eq!(row.download().unwrap(), [10.0 + y as f32; 5]);
        }
    }
}

/// A part of memory, as C has it.
#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct View<T> {
    to: RawPtrMut<T>,
    len: u32,
}

#[vortex::device]
fn first(p: *const f32) -> f32 {
    if p.is_null() {
        return -1.0;
    }
    // SAFETY: whoever calls this says so.
    unsafe { *p }
}

#[vortex::kernel]
fn swap_views(a: View<f32>, mut b: View<f32>, both: &mut [RawPtr<f32>], firsts: &mut [f32]) {
    let i = global_id();
    if i < a.len as usize {
        // SAFETY: both views have as many elements as they say.
        unsafe {
            let old = *a.to.add(i);
            *a.to.add(i) = *b.to.add(i);
            *b.to.add(i) = old;
        }
    }
    b.len = 0;
    if i < both.len() {
        firsts[i] = first(both[i]);
        let other = both[(i + 1) % both.len()];
        if both[i] == other {
            firsts[i] = -2.0;
        }
    }
}

#[test]
fn structs_with_pointers_are_arguments() {
    for device in DEVICES.iter() {
        let mut x = device.upload(&[1.0f32, 2.0, 3.0]).unwrap();
        let mut y = device.upload(&[4.0f32, 5.0, 6.0]).unwrap();
        let other = device.upload(&[7.0f32]).unwrap();
        let view = |buffer: &mut Buffer<f32>| View {
            to: buffer.as_mut_ptr().into(),
            len: 3,
        };
        let (a, b) = (view(&mut x), view(&mut y));
        let pointers = [RawPtr::from(other.as_ptr()), RawPtr::null(), RawPtr::null()];
        let mut both = device.upload(&pointers).unwrap();
        let mut firsts = device.alloc(3).unwrap();
        swap_views(a, b, &mut both, &mut firsts)
            .over(3)
            .launch(device)
            .unwrap();
        assert_eq!(x.download().unwrap(), [4.0, 5.0, 6.0]);
        assert_eq!(y.download().unwrap(), [1.0, 2.0, 3.0]);
        assert_eq!(firsts.download().unwrap(), [7.0, -2.0, -1.0]);
        assert_eq!(both.download().unwrap(), pointers);
    }
}

/// Stored by a kernel, used by another.
#[vortex::global]
static CURRENT: RawPtrMut<u32> = RawPtrMut::null();

#[vortex::kernel]
fn remember(p: *mut u32) {
    CURRENT = p;
}

#[vortex::kernel]
fn count_there() {
    let p = CURRENT;
    if !p.is_null() {
        // SAFETY: what `remember` was given is there still.
        unsafe { *p += 1 };
    }
}

#[test]
fn variables_hold_pointers() {
    for device in DEVICES.iter() {
        let mut count = device.upload(&[5u32]).unwrap();
        remember(count.as_mut_ptr()).over(1).launch(device).unwrap();
        count_there().over(1).launch(device).unwrap();
        assert_eq!(count.download().unwrap(), [6]);
    }
}
