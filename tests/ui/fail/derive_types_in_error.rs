//! A tuple as a field, also of a generic struct, a union, enums without a representation and with data. What uses them
//! is no further mistake.

use vortex::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Line {
    to: (f32, f32),
    mode: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
union Word {
    bits: u32,
    number: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
enum Mode {
    Add,
    Scale,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum Shape {
    Circle(f32),
    Rect { w: f32, h: f32 },
    Nothing,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair<T, const N: usize> {
    both: (T, T),
    more: [T; N],
}

#[vortex::device]
impl Shape {
    fn area(&self) -> f32 {
        match *self {
            Shape::Circle(r) => r * r,
            Shape::Rect { w, h } => w * h,
            Shape::Nothing => 0.0,
        }
    }

    fn unit() -> Self {
        Shape::Circle(1.0)
    }

    fn is_wide(self) -> bool {
        if let Shape::Rect { w, .. } = self { w > 1.0 } else { matches!(self, Shape::Nothing) }
    }
}

#[vortex::device]
impl<T: Num, const N: usize> Pair<T, N> {
    fn sum(&self) -> T {
        self.both.0 + self.more[N - 1]
    }
}

#[vortex::kernel]
fn areas(shapes: &mut [Shape], one: Shape, y: &mut [f32]) {
    let i = global_id();
    y[i] = shapes[i].area() + one.area() + Shape::unit().area();
    shapes[i] = Shape::Rect { w: 1.0, h: y[i] };
    if shapes[i].is_wide() {
        shapes[i] = Shape::Nothing;
    }
}

#[vortex::kernel]
fn sums<T: Num>(pairs: &[Pair<T, 3>], y: &mut [T]) {
    let i = global_id();
    y[i] = pairs[i].sum() + pairs[i].both.0;
}

#[vortex::device]
impl Line {
    fn new(x: f32, y: f32) -> Self {
        Line { to: (x, y), mode: 0 }
    }

    fn length(&self) -> f32 {
        let (x, y) = self.to;
        x + y + self.to.0
    }

    fn grow(&mut self) {
        self.to.1 += 1.0;
    }
}

#[vortex::device]
fn longer(a: Line, b: &Line) -> bool {
    a.length() > b.length()
}

const UNIT: Line = Line { to: (1.0, 1.0), mode: 1 };

#[vortex::global]
static LAST: Line = UNIT;

#[vortex::kernel]
fn draw(lines: &mut [Line], first: Line, words: &[Word], #[comptime] mode: Mode, modes: &[Mode], y: &mut [f32]) {
    let i = global_id();
    let mut line = Line::new(1.0, y[i]);
    line.grow();
    line.to.0 = 2.0;
    lines[i] = line;
    lines[i].to = (1.0, 2.0);
    let (a, b) = lines[i].to;
    if longer(lines[i], &first) || lines[i] == UNIT {
        y[i] = a + b + UNIT.to.0 + LAST.to.1;
    }
    y[i] += match modes[i] {
        Mode::Add => 1.0,
        Mode::Scale => 2.0,
    };
    if modes[i] == Mode::Add || mode == Mode::Scale {
        y[i] += Mode::Add as u32 as f32;
    }
    y[i] += unsafe { words[i].number };
    let tile = local::<[Line; 4]>();
    tile[local_id()] = lines[i];
    for line in lines.iter_mut() {
        line.to.0 += 1.0;
    }
    y[i] += lines.iter().map(|line| line.to.0).sum();
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut lines = device.upload(&[UNIT; 8])?;
    let words = device.upload(&[Word { bits: 1 }; 8])?;
    let modes = device.upload(&[Mode::Add; 8])?;
    let mut y = device.upload(&[0.0f32; 8])?;
    let mut shapes = device.upload(&[Shape::Nothing; 8])?;
    let pairs = device.upload(&[Pair { both: (1i32, 2), more: [3; 3] }; 8])?;
    let mut of_pairs = device.upload(&[0; 8])?;
    areas(&mut shapes, Shape::Circle(2.0), &mut y).over_each().launch(&device)?;
    sums(&pairs, &mut of_pairs).over_each().launch(&device)?;
    draw(&mut lines, UNIT, &words, Mode::Add, &modes, &mut y).over_each().launch(&device)?;
    assert_eq!(lines.download()?[0].to.0, 1.0);
    Ok(())
}

// Mistakes: 5
