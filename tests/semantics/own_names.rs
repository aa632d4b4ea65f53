//! Traits and functions of one's own by names that the prelude has, too.

use vortex::prelude::*;

use crate::harness::same;

#[vortex::device]
trait Filter {
    fn apply(&self, x: u32) -> u32;
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Gain {
    by: u32,
}

#[vortex::device]
impl Filter for Gain {
    fn apply(&self, x: u32) -> u32 {
        x.wrapping_mul(self.by)
    }
}

#[vortex::device]
fn applied<F: Filter>(filter: F, x: u32) -> u32 {
    filter.apply(x) ^ 1
}

same! {
    filters(a: u32, b: u32) -> u32 {
        applied(Gain { by: a }, b)
    } => {
        a.wrapping_mul(b) ^ 1
    }
}
