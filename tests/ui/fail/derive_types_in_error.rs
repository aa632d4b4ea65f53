//! A tuple as a field, a union, and an enum without a representation. What uses them is no further mistake.

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

#[vortex::device]
impl Line {
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
    let mut line = lines[i];
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
    draw(&mut lines, UNIT, &words, Mode::Add, &modes, &mut y).over_each().launch(&device)?;
    assert_eq!(lines.download()?[0].to.0, 1.0);
    Ok(())
}

// Mistakes: 3
