// Mistakes: 3
use vortex::prelude::*;

#[derive(Clone, Copy, Default, vortex::DeviceType)]
#[repr(C)]
struct Tally {
    sum: i32,
}

impl Tally {
    fn of_the_host(self, v: i32) -> Self {
        Self { sum: self.sum + v }
    }
}

#[vortex::device]
impl Tally {
    fn with(self, v: u32) -> Self {
        Tally { sum: self.sum + v as i32 }
    }
}

#[vortex::kernel]
fn host(x: &[i32], out: &mut [i32]) {
    out[0] = x.iter().copied().fold(Tally::default(), Tally::of_the_host).sum;
}

#[vortex::kernel]
fn another_type(x: &[i32], out: &mut [i32]) {
    out[0] = x.iter().copied().fold(Tally::default(), Tally::with).sum;
}

#[vortex::kernel]
fn unknown(x: &[u32], out: &mut [i32]) {
    out[0] = x.iter().copied().fold(Tally::default(), Tally::added).sum;
}

fn main() {}
