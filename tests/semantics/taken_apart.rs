//! Patterns of structs and arrays where items and parameters are named: `for`, closures, functions. A kernel's host
//! form is what rustc makes of them.

use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Metres(f32);

const WAYS: [[i32; 2]; 4] = [[0, 1], [1, 0], [0, -1], [-1, 0]];

#[vortex::kernel(host)]
fn loops(points: &[Point], out: &mut [f32]) {
    let i = global_id();
    for Point { x, y } in points {
        out[i] += x * *y;
    }
    for &Point { mut x, y: other } in points.iter().skip(1) {
        x += other;
        out[i] += x;
    }
    for (k, &Point { x, .. }) in points.iter().enumerate() {
        out[i] -= x * k as f32;
    }
    for [dx, dy] in WAYS {
        for [x, y] in WAYS {
            out[i] += (3 * dx + dy - x * y) as f32;
        }
    }
    for Metres(m) in [Metres(0.5), Metres(2.0)] {
        out[i] *= m;
    }
}

#[vortex::kernel(host)]
fn closures(points: &[Point], out: &mut [f32]) {
    let i = global_id();
    let pairs = [[1.0, 2.0], [points[i].x, 3.0]];
    out[i] += points.iter().map(|&Point { x, y }| x - y).sum::<f32>();
    out[i] += points.iter().filter(|Point { x, y }| *x < *y).count() as f32;
    out[i] += points
        .iter()
        .zip(pairs.iter())
        .map(|(Point { x, .. }, &[a, b])| x * a - b)
        .sum::<f32>();
    out[i] += pairs.iter().fold(1.0, |sum, [a, b]| sum * a + *b);
    let cross = |[a, b]: [f32; 2], Point { x, y }: Point| a * y - b * x;
    out[i] += cross(pairs[0], points[i]) - cross(pairs[1], points[0]);
}

#[vortex::device(host)]
fn scaled(Point { x, y }: Point, [a, b]: [f32; 2], Metres(m): Metres) -> Point {
    Point {
        x: x * a * m,
        y: y * b * m,
    }
}

#[vortex::device(host)]
impl Point {
    fn along(&self, [a, mut b]: [f32; 2]) -> f32 {
        b += 1.0;
        self.x * a + self.y * b
    }
}

#[vortex::kernel(host)]
fn functions(points: &[Point], out: &mut [f32]) {
    let i = global_id();
    let point = scaled(points[i], [2.0, -1.0], Metres(1.5));
    out[i] = point.along([0.5, out[i]]);
}

#[test]
fn items_and_parameters_are_taken_apart_as_by_rustc() {
    let points: Vec<Point> = (0..10)
        .map(|i| Point {
            x: i as f32 * 0.3 - 1.0,
            y: 2.0 - i as f32 * 0.25,
        })
        .collect();
    for device in &*DEVICES {
        let on_device = device.upload(&points).unwrap();
        macro_rules! compare {
            ($kernel:ident) => {
                let mut expected = vec![0.5f32; points.len()];
                let mut out = device.upload(&expected).unwrap();
                $kernel::on_host(&points, &mut expected)
                    .over_each()
                    .launch()
                    .unwrap();
                $kernel(&on_device, &mut out)
                    .over_each()
                    .launch(device)
                    .unwrap();
                assert_eq!(out.download().unwrap(), expected, "{}", stringify!($kernel));
            };
        }
        compare!(loops);
        compare!(closures);
        compare!(functions);
    }
}
