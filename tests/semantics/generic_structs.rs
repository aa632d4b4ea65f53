//! Structs with parameters: types and constants.

use vortex::DeviceType;
use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Matrix<T: Copy, const R: usize, const C: usize> {
    rows: [[T; C]; R],
    scale: Pair<T>,
    tag: u32,
}

#[vortex::device]
impl<T: Num> Pair<T> {
    fn of(a: T, b: T) -> Pair<T> {
        Self { a, b }
    }

    fn sum(&self) -> T {
        self.a + self.b
    }

    fn swapped(self) -> Self {
        Pair {
            a: self.b,
            b: self.a,
        }
    }

    fn add_all(&mut self, x: T) {
        self.a += x;
        self.b += x;
    }
}

#[vortex::device]
impl<T: Num, const R: usize, const C: usize> Matrix<T, R, C> {
    const CELLS: u32 = (R * C) as u32;

    fn times(&self, v: [T; C]) -> [T; R] {
        let mut out = [self.scale.a; R];
        for r in 0..R {
            let mut sum = self.scale.sum();
            for c in 0..C {
                sum += self.rows[r][c] * v[c];
            }
            out[r] = sum;
        }
        out
    }
}

#[vortex::device]
fn last<T: Num, const N: usize>(p: Pair<T>, all: &[Pair<T>], m: Matrix<T, N, 2>) -> T {
    let Pair { a, b } = p;
    let mut q = all[0];
    q.a = a;
    q.sum() + b + m.times([a, b])[N - 1]
}

#[vortex::kernel]
fn kernel<T: Num, const N: usize>(
    p: Pair<T>,
    m: Matrix<T, N, 2>,
    pairs: &mut [Pair<T>],
    out: &mut [T],
    cells: &mut [u32],
) {
    let i = global_id();
    out[i] = last(p, &pairs[i..], m) + Pair::of(p.a, p.a).sum();
    pairs[i].add_all(p.b);
    pairs[i] = Pair {
        b: m.scale.a,
        ..pairs[i].swapped()
    };
    cells[i] = Matrix::<T, N, 2>::CELLS + m.tag;
}

/// Runs the kernel over numbers of a type that has `From<u8>`.
macro_rules! over {
    ($($name:ident: $ty:ty;)*) => {$(
        #[test]
        fn $name() {
            let n = |x: u8| <$ty>::from(x);
            let p = Pair { a: n(3), b: n(10) };
            let m = Matrix {
                rows: [[n(1), n(2)], [n(3), n(4)], [n(5), n(6)]],
                scale: Pair { a: n(7), b: n(2) },
                tag: 100,
            };
            let pairs: Vec<_> = (0..21).map(|i| Pair { a: n(i), b: n(i + 1) }).collect();
            let outs: Vec<$ty> = pairs
                .iter()
                .map(|pair| {
                    let times = n(7) + n(2) + n(5) * p.a + n(6) * p.b;
                    p.a + pair.b + p.b + times + p.a + p.a
                })
                .collect();
            let expected: Vec<_> = pairs
                .iter()
                .map(|pair| Pair { a: pair.b + p.b, b: n(7) })
                .collect();
            for device in DEVICES.iter() {
                let mut on_device = device.upload(&pairs).unwrap();
                let mut out = device.alloc(21).unwrap();
                let mut cells = device.alloc(21).unwrap();
                kernel(p, m, &mut on_device, &mut out, &mut cells)
                    .over(21)
                    .launch(device)
                    .unwrap();
                assert_eq!(on_device.download().unwrap(), expected);
                assert_eq!(out.download().unwrap(), outs);
                assert_eq!(cells.download().unwrap(), [106; 21]);
            }
        }
    )*};
}

over! {
    of_f32: f32;
    of_u8: u8;
    of_i64: i64;
}

#[test]
fn they_are_spelled_with_their_parameters() {
    let meta = kernel::<i16, 3>::META;
    assert_eq!(meta.args[0].rust_type, "Pair<i16>");
    assert_eq!(meta.args[1].rust_type, "Matrix<i16, 3, 2>");
    assert_eq!(meta.args[2].rust_type, "&mut [Pair<i16>]");
    assert_eq!(meta.args[1].size, size_of::<Matrix<i16, 3, 2>>());
}
