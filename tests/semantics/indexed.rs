//! `m[i]` and `m[(row, column)]` of types that say themselves what that is.

use std::ops::{Index, IndexMut};

use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Matrix {
    values: [f32; 9],
}

#[vortex::device(host)]
impl Index<(usize, usize)> for Matrix {
    type Output = f32;

    fn index(&self, (row, column): (usize, usize)) -> &f32 {
        &self.values[row * 3 + column]
    }
}

#[vortex::device(host)]
impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f32 {
        let at = row * 3 + column;
        &mut self.values[at]
    }
}

/// By one number, too; nothing can be assigned to.
#[vortex::device(host)]
impl Index<usize> for Matrix {
    type Output = f32;

    fn index(&self, row: usize) -> &Self::Output {
        &self[(row, row)]
    }
}

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(u32)]
enum Axis {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Pair<T> {
    left: T,
    right: T,
}

#[vortex::device(host)]
impl<T: Num> Index<Axis> for Pair<T> {
    type Output = T;

    fn index(&self, axis: Axis) -> &T {
        match axis {
            Axis::Left => &self.left,
            Axis::Right => &self.right,
        }
    }
}

#[vortex::device]
impl Index<usize> for Pair<Matrix> {
    type Output = Matrix;

    fn index(&self, i: usize) -> &Matrix {
        if i == 0 {
            return self.left;
        }
        &self.right
    }
}

#[vortex::device]
fn trace<M: Index<usize, Output = f32>>(m: M) -> f32 {
    m[0] + m[1] + m[2]
}

#[vortex::kernel(host)]
fn products(a: &[Matrix], b: &[Matrix], first: Matrix, out: &mut [Matrix]) {
    let i = global_id();
    let mut m = Matrix { values: [0.0; 9] };
    for row in 0..3 {
        for column in 0..3 {
            for k in 0..3 {
                m[(row, column)] += a[i][(row, k)] * b[i][(k, column)];
            }
        }
    }
    m[(0, 2)] = first[(2, 0)];
    out[i] = m;
    out[i][(1, 1)] -= out[i][1];
    let corner = &mut out[i][(2, 2)];
    *corner = m[(2, 1)] + m[2];
}

fn matrices() -> [[Matrix; 2]; 2] {
    let of = |start: f32| Matrix {
        values: std::array::from_fn(|i| start + i as f32),
    };
    [[of(1.0), of(-3.0)], [of(0.5), of(2.0)]]
}

fn product(a: &Matrix, b: &Matrix, first: &Matrix) -> Matrix {
    let mut m = Matrix { values: [0.0; 9] };
    for (at, value) in m.values.iter_mut().enumerate() {
        let (row, column) = (at / 3, at % 3);
        *value = (0..3)
            .map(|k| a.values[row * 3 + k] * b.values[k * 3 + column])
            .sum();
    }
    m.values[2] = first.values[6];
    let last = m.values[7] + m.values[8];
    m.values[4] = 0.0;
    m.values[8] = last;
    m
}

#[test]
fn matrices_are_indexed_by_pairs() {
    let [a, b] = matrices();
    let expected = [product(&a[0], &b[0], &a[1]), product(&a[1], &b[1], &a[1])];
    for device in DEVICES.iter() {
        let mut out = device.upload(&a).unwrap();
        products(
            &device.upload(&a).unwrap(),
            &device.upload(&b).unwrap(),
            a[1],
            &mut out,
        )
        .over(2)
        .launch(device)
        .unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
    let mut out = a;
    products::on_host(&a, &b, a[1], &mut out)
        .over(2)
        .launch()
        .unwrap();
    assert_eq!(out, expected);
}

#[vortex::kernel]
fn by_variants(pairs: &[Pair<f32>], whole: Pair<Matrix>, y: &mut [f32]) {
    let i = global_id();
    let axis = if i % 2 == 0 { Axis::Left } else { Axis::Right };
    y[i] = pairs[i][Axis::Right] * 10.0 + pairs[i][Axis::Left];
    y[i] += trace(whole[i % 2]) + pairs[i].at(axis);
}

#[vortex::device]
impl Pair<f32> {
    fn at(&self, axis: Axis) -> f32 {
        if axis == Axis::Left {
            self[Axis::Left]
        } else {
            self[Axis::Right]
        }
    }
}

#[test]
fn types_are_indexed_by_variants() {
    let pairs = [
        Pair {
            left: 1.0f32,
            right: 2.0,
        },
        Pair {
            left: 3.0,
            right: 4.0,
        },
    ];
    let [[left, right], _] = matrices();
    for device in DEVICES.iter() {
        let mut y = device.alloc::<f32>(2).unwrap();
        by_variants(
            &device.upload(&pairs).unwrap(),
            Pair { left, right },
            &mut y,
        )
        .over(2)
        .launch(device)
        .unwrap();
        assert_eq!(y.download().unwrap(), [21.0 + 15.0 + 1.0, 43.0 + 3.0 + 4.0]);
    }
    assert_eq!(pairs[1][Axis::Left], 3.0);
}

#[vortex::kernel]
fn outside(m: &[Matrix], y: &mut [f32]) {
    let i = global_id();
    y[i] = m[0][(i, 1)];
}

#[test]
fn an_index_that_leads_outside_is_a_fault() {
    for device in DEVICES.iter() {
        let m = device.upload(&matrices()[0]).unwrap();
        let mut y = device.alloc::<f32>(4).unwrap();
        let error = outside(&m, &mut y)
            .over(4)
            .launch(device)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("work item 3: index 10 is out of bounds"),
            "{error}"
        );
        assert!(error.contains("of 9 elements"), "{error}");
        assert!(error.contains("indexed.rs:20"), "{error}");
    }
}

#[test]
fn only_the_element_is_read_and_written() {
    #[vortex::kernel]
    fn element(from: &[Matrix], to: &mut [Matrix], column: usize) {
        let i = global_id();
        to[i][(1, column)] = from[i][(column, 2)];
    }

    let entry = vortex::KernelEntry::of::<element>();
    let explanation = entry.explain(&DEVICES[0]).unwrap();
    let staged = &explanation.stages()[0];
    let count = |name: &str| {
        let lines = staged.lines.iter().map(|line| &line.text);
        lines.filter(|text| text.contains(name)).count()
    };
    assert_eq!(["load", "store", "private"].map(count), [1, 1, 0]);
}
