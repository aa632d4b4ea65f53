//! Names of the user's that Rust's library or the language has, too.

use vortex::prelude::*;

/// A short vector of the user's own.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[vortex::device(host)]
impl Vec3 {
    #[inline]
    fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }

    fn splat(x: f32) -> Self {
        Self { x, y: x, z: x }
    }

    fn contains(&self, x: f32) -> bool {
        self.x <= x && x <= self.z
    }
}

/// A short vector for kernels only.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Vec2<T> {
    x: T,
    y: T,
}

#[vortex::device]
impl<T: Num> Vec2<T> {
    fn new(x: T, y: T) -> Self {
        Self { x, y }
    }
}

/// Not Rust's.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Range {
    start: u32,
    end: u32,
}

#[inline]
#[vortex::device(host)]
fn span(range: Range) -> u32 {
    range.end - range.start
}

#[vortex::kernel]
fn own_types(points: &mut [Vec3], pairs: &mut [Vec2<f32>], ranges: &[Range], out: &mut [u32]) {
    let i = global_id();
    let inside = points[i].contains(2.0);
    points[i] = if inside {
        Vec3::splat(1.0)
    } else {
        Vec3::new(points[i].x, 0.0, 1.0)
    };
    pairs[i] = Vec2::new(points[i].z, 3.0);
    out[i] = span(ranges[i]) + u32::from(inside);
}

#[test]
fn types_have_names_of_the_library() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut points = device.upload(&[Vec3::new(1.0, 2.0, 3.0), Vec3::splat(4.0)])?;
    let mut pairs = device.alloc(2)?;
    let ranges = device.upload(&[Range { start: 1, end: 4 }, Range { start: 2, end: 9 }])?;
    let mut out = device.alloc(2)?;
    own_types(&mut points, &mut pairs, &ranges, &mut out)
        .over_each()
        .launch(&device)?;
    assert_eq!(
        points.download()?,
        [Vec3::splat(1.0), Vec3::new(4.0, 0.0, 1.0)]
    );
    assert_eq!(pairs.download()?, [Vec2 { x: 1.0, y: 3.0 }; 2]);
    assert_eq!(out.download()?, [4, 7]);
    Ok(())
}

#[vortex::kernel]
fn short_vectors(out: &mut [vortex::prelude::Vec3<f32>]) {
    use vortex::prelude::{Vec2, Vec3};

    let i = global_id();
    let step = Vec2::new(1, 2) + Vec2::splat(i as u32);
    out[i] = Vec3::new(1.0, step.x as f32, step.y as f32) * Vec3::splat(2.0);
}

#[test]
fn short_vectors_are_made_by_their_types() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut out = device.alloc(2)?;
    short_vectors(&mut out).over_each().launch(&device)?;
    assert_eq!(out.download()?, [vec3(2.0, 2.0, 4.0), vec3(2.0, 4.0, 6.0)]);
    Ok(())
}

/// Has methods that options have, too.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Cell {
    value: u32,
}

#[vortex::device]
impl Cell {
    fn take(&mut self) -> u32 {
        let old = self.value;
        self.value = 0;
        old
    }
}

#[vortex::kernel]
fn exchanges(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    let mut last = None;
    let mut sum = 0;
    for &v in x {
        if let Some(before) = last.replace(v) {
            sum += before;
        }
    }
    let mut first: Option<u32> = x.first().copied();
    let taken = first.take().unwrap_or(0);
    let mut cell = Cell { value: 1000 };
    sum += cell.take() + cell.value;
    let none = x.get(9).unwrap_or(&7);
    let bytes = Some(x[0] as u8).map(u32::from).unwrap_or(0);
    let array = [i as u32, 5];
    let slice: &[u32] = &array;
    out[i] = sum
        + taken * 10
        + u32::from(first.is_none()) * 100
        + none
        + bytes
        + slice.iter().sum::<u32>();
}

#[test]
fn options_are_taken_and_replaced() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1u32, 2, 3])?;
    let mut out = device.alloc(1)?;
    exchanges(&x, &mut out).over_each().launch(&device)?;
    assert_eq!(out.download()?, [3 + 1000 + 10 + 100 + 7 + 1 + 5]);
    Ok(())
}

/// What is counted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
#[repr(C)]
struct Counts {
    sum: u32,
    most: u32,
    of: [u32; 2],
}

#[vortex::global]
static COUNTS: Counts = Counts {
    sum: 0,
    most: 0,
    of: [0; 2],
};

#[vortex::kernel]
fn counts(x: &[u32]) {
    let v = x[global_id()];
    COUNTS.sum.atomic().fetch_add(v, Relaxed);
    COUNTS.most.atomic().fetch_max(v, Relaxed);
    COUNTS.of.atomic(v as usize % 2).fetch_add(1, Relaxed);
}

#[test]
fn fields_of_variables_are_counted_with() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1u32, 2, 7])?;
    counts(&x).over(3).launch(&device)?;
    let expected = Counts {
        sum: 10,
        most: 7,
        of: [1, 2],
    };
    assert_eq!(device.global(&COUNTS).read()?, expected);
    Ok(())
}

/// Variants that are named without it.
#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum Op {
    Add,
    Subtract,
    Multiply,
}

use Op::{Add, Subtract};

#[vortex::device(host)]
fn applied(op: Op, a: i32, b: i32) -> i32 {
    match op {
        Add => a + b,
        Subtract => a - b,
        Op::Multiply => a * b,
    }
}

#[vortex::kernel(host)]
fn each_applied(op: Op, x: &[i32], y: &mut [i32]) {
    let i = global_id();
    y[i] = match (op, x[i] > 1) {
        (Add | Subtract, true) => applied(op, y[i], x[i]),
        (Op::Multiply, _) => 0,
        _ => -1,
    };
    if let Add = op {
        y[i] *= 10;
    }
}

#[test]
fn variants_are_imported() -> vortex::Result<()> {
    use Op::Add as Sum;

    #[vortex::kernel]
    fn is_sum(op: Op, out: &mut [u32]) {
        out[global_id()] = match op {
            Sum => 1,
            _ => 2,
        };
    }

    let device = Device::open()?;
    let x = device.upload(&[1i32, 2])?;
    for (op, expected, known) in [
        (Add, [-10, 70], 1),
        (Subtract, [-1, 3], 2),
        (Op::Multiply, [0; 2], 2),
    ] {
        let mut y = device.upload(&[5i32; 2])?;
        each_applied(op, &x, &mut y).over_each().launch(&device)?;
        assert_eq!(y.download()?, expected);
        let mut out = device.alloc(1)?;
        is_sum(op, &mut out).over_each().launch(&device)?;
        assert_eq!(out.download()?, [known]);
    }
    Ok(())
}
