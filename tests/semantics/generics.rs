//! Generic kernels: an image for each instance.

use std::mem::offset_of;

use vortex::meta::Element;
use vortex::prelude::*;

use crate::harness::DEVICES;

/// `x * by + N`, of elements below `limit`.
#[vortex::kernel]
fn scale<T, const N: usize>(flag: bool, by: T, x: &[T], small: u8, out: &mut [T], more: *const T)
where
    T: Int,
{
    let i = global_id();
    if i < out.len() && flag && small == 200 {
        let mut value = x[i] * by;
        #[unroll]
        for _ in 0..N {
            value += by;
        }
        if i % N == 0 {
            value = x[i];
        }
        // SAFETY: it points to one element.
        out[i] = value + largest(by, unsafe { *more });
    }
}

#[vortex::device]
fn largest<T: Num>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[vortex::kernel]
fn reversed<T, const SIZE: usize>(x: &mut [T]) {
    let part = local::<[T; SIZE]>();
    part[local_id()] = x[global_id()];
    barrier();
    x[global_id()] = part[local_size() - 1 - local_id()];
}

#[vortex::kernel]
fn fill<const WORD: u32>(x: &mut [u32]) {
    x[global_id()] = match x[global_id()] {
        0 => WORD,
        n => n + WORD / 2,
    };
}

mod elsewhere {
    #[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
    #[repr(C)]
    pub(super) struct Point {
        pub(super) x: f32,
        pub(super) y: i32,
    }
}
use elsewhere::Point;

/// Values of every kind of size, in the order that leaves most between them.
#[vortex::kernel]
fn mixed<A, B, const N: usize>(
    a: A,
    wide: u64,
    flag: bool,
    b: B,
    more: [A; N],
    tail: A,
    out: &mut [u32],
) {
    _ = (a, wide, flag, b, more, tail);
    out[global_id()] = 1;
}

/// What is known of an instance of [`mixed`], from its argument struct.
macro_rules! offsets {
    ($a:ty, $b:ty, $n:literal) => {{
        type Args = vortex::Args<mixed<$a, $b, $n>>;
        let offsets = [
            offset_of!(Args, a),
            offset_of!(Args, wide),
            offset_of!(Args, flag),
            offset_of!(Args, b),
            offset_of!(Args, more),
            offset_of!(Args, tail),
            offset_of!(Args, out),
        ];
        let meta = <mixed<$a, $b, $n>>::META;
        assert!(meta.is_by_value());
        assert_eq!(
            offsets.to_vec(),
            meta.args.iter().map(|arg| arg.offset).collect::<Vec<_>>()
        );
        assert_eq!((size_of::<Args>(), align_of::<Args>()), (meta.size, 4));
        offsets
    }};
}

#[test]
fn instances_have_argument_structs() {
    assert_eq!(offsets!(u8, usize, 3), [0, 4, 12, 16, 20, 23, 24]);
    assert_eq!(offsets!(f16, bool, 1), [0, 4, 12, 13, 14, 16, 20]);
    assert_eq!(offsets!(i64, isize, 2), [0, 8, 16, 20, 24, 40, 48]);
    assert_eq!(offsets!(Point, u16, 2), [0, 8, 16, 18, 20, 36, 44]);
    // A larger value is passed by the address of a copy, and launches as ever.
    assert!(!<mixed<Point, u8, 20>>::META.is_by_value());
    let device = &DEVICES[1];
    let point = Point { x: 1.0, y: 2 };
    let mut out = device.alloc(4).unwrap();
    let launch = mixed(point, 1, true, 2u8, [point; 20], point, &mut out);
    launch.over(4).launch(device).unwrap();
    let launch = mixed(7u8, 1, true, 2usize, [1; 3], 9, &mut out);
    launch.over(4).launch(device).unwrap();
    assert_eq!(out.download().unwrap(), [1; 4]);
}

macro_rules! scaled {
    ($($ty:ident)*) => {$(
        for device in DEVICES.iter() {
            let x: Vec<$ty> = (0..100).map(|i| (i * 7 % 50) as $ty).collect();
            let (from, more) = (device.upload(&x).unwrap(), device.upload(&[9 as $ty]).unwrap());
            let mut out = device.upload(&[0 as $ty; 100]).unwrap();
            for by in [2, 11 as $ty] {
                scale::<$ty, 3>(true, by, &from, 200, &mut out, more.as_ptr()).over(100).launch(device).unwrap();
                let expected: Vec<$ty> = (x.iter().enumerate())
                    .map(|(i, x)| {
                        let value = if i % 3 == 0 { *x } else { x.wrapping_mul(by).wrapping_add(by.wrapping_mul(3)) };
                        value.wrapping_add(by.max(9))
                    })
                    .collect();
                assert_eq!(out.download().unwrap(), expected);
            }
        }
    )*};
}

#[test]
fn each_type_has_its_kernel() {
    scaled! { u8 i16 u32 i32 i64 }
}

fn reverse<T: Element + Copy + PartialEq + std::fmt::Debug>(x: [T; 8]) {
    for device in DEVICES
        .iter()
        .filter(|device| device.caps().max_group() >= 4)
    {
        let mut y = device.upload(&x).unwrap();
        reversed::<T, 4>(&mut y)
            .grid(2)
            .block(4)
            .launch(device)
            .unwrap();
        let mut expected = x;
        expected.chunks_mut(4).for_each(<[T]>::reverse);
        assert_eq!(y.download().unwrap(), expected);
    }
}

#[test]
fn elements_of_any_type() {
    reverse([1u8, 2, 3, 4, 5, 6, 7, 8]);
    reverse([1.5f32, -2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    reverse([1, 2, 3, 4, 5, 6, 7, 8].map(|y| Point { x: 0.5, y }));
}

#[test]
fn constants_make_instances() {
    for device in DEVICES.iter() {
        let mut x = device.upload(&[0u32, 5]).unwrap();
        fill::<8>(&mut x).over(2).launch(device).unwrap();
        assert_eq!(x.download().unwrap(), [8, 9]);
        fill::<100>(&mut x).over(2).launch(device).unwrap();
        assert_eq!(x.download().unwrap(), [58, 59]);
    }
}

#[test]
fn instances_have_names() {
    let device = &DEVICES[1];
    let mut x = device.upload(&[1.0f32]).unwrap();
    let error = reversed::<f32, 16>(&mut x)
        .over(1)
        .launch(device)
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("kernel reversed<f32, 16> uses work groups"),
        "{text}"
    );
    let mut points = device.upload(&[Point { x: 1.0, y: 2 }]).unwrap();
    let error = reversed::<Point, 1>(&mut points)
        .over(1)
        .launch(device)
        .unwrap_err();
    assert!(
        error.to_string().starts_with("kernel reversed<Point, 1> "),
        "{error}"
    );
    assert_eq!(reversed::<u32, 4>::META.name, "reversed");
    assert_eq!(scale::<i64, 2>::META.args[1].offset, 4);
    assert_eq!(scale::<u8, 2>::META.args[1].offset, 1);
}
