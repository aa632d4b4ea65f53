use vortex::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(u32)]
enum Kind {
    Short,
    Long,
}

#[vortex::device(host)]
impl Kind {
    fn length(self) -> usize {
        if self == Kind::Short { 1 } else { 4 }
    }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Grid {
    width: u32,
}

#[vortex::device]
impl Grid {
    fn len(&mut self) -> u32 {
        self.width
    }

    fn windows(&self, n: u32) -> u32 {
        self.width - n
    }
}

#[vortex::kernel]
fn run(kinds: &[Kind], grid: Grid, out: &mut [u32]) {
    let i = global_id();
    let mut grid = grid;
    out[i] = kinds[i].length() as u32 + grid.len();
}

fn main() {}

// Mistakes: 3
