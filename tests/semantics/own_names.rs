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

/// With methods that take other arguments than the language's by the same names.
#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Slots {
    one: u32,
    other: u32,
}

#[vortex::device(host)]
impl Slots {
    fn add(&mut self, v: u32, w: u32) {
        self.other = self.other.wrapping_add(v.wrapping_mul(w));
    }

    fn swap(&mut self) {
        (self.one, self.other) = (self.other, self.one);
    }

    fn load(&self) -> u32 {
        self.one ^ self.other << 3
    }

    fn store(&mut self, v: u32) {
        self.one = v;
    }

    fn round(&mut self, n: u32) {
        self.one = self.one / n * n;
    }
}

#[vortex::device(host)]
trait Extremes {
    fn max(&self) -> u32;
}

#[vortex::device(host)]
impl Extremes for Slots {
    fn max(&self) -> u32 {
        self.one.max(self.other)
    }
}

same! {
    methods_by_arguments(a: u32, b: u32) -> u32 {
        let mut slots = Slots { one: a, other: b };
        slots.add(a & 7, 9);
        slots.swap();
        let mut hash = slots.load() ^ slots.max();
        slots.round(10);
        hash = hash.wrapping_mul(31) ^ slots.load();
        let lent = &mut slots;
        lent.store(b >> 1);
        hash.wrapping_mul(31) ^ slots.load().max(a)
    }
}
