//! Traits with types of their own.

use vortex::prelude::*;

use crate::harness::same;

#[vortex::device]
trait Source {
    type Item;

    fn at(&self, i: u32) -> Self::Item;

    fn start(&self) -> Self::Item {
        self.at(0)
    }
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Ramp {
    slope: u32,
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Pairs {
    first: u32,
}

#[vortex::device]
impl Source for Ramp {
    type Item = u32;

    fn at(&self, i: u32) -> u32 {
        self.slope.wrapping_mul(i)
    }
}

#[vortex::device]
impl Source for Pairs {
    type Item = Vec2<u32>;

    fn at(&self, i: u32) -> Vec2<u32> {
        vec2(self.first, i)
    }
}

#[vortex::device]
fn second<S: Source>(source: S) -> S::Item {
    source.at(1)
}

#[vortex::device]
fn all<S: Source<Item = u32>>(source: &S, count: u32) -> u32 {
    let mut all = 0;
    for i in 0..count {
        all ^= source.at(i);
    }
    all
}

#[vortex::device]
fn greatest<S>(source: &S, count: u32) -> S::Item
where
    S: Source,
    S::Item: Int,
{
    let mut greatest = source.start();
    for i in 1..count {
        let item = source.at(i);
        if item > greatest {
            greatest = item;
        }
    }
    greatest
}

same! {
    sources(a: u32, b: u32) -> u32 {
        let ramp = Ramp { slope: a };
        let pairs = Pairs { first: b };
        let (item, pair) = (second(ramp), second(pairs));
        item ^ pair.x.rotate_left(4) ^ pair.y ^ all(&ramp, b % 9) ^ greatest(&ramp, 5) ^ pairs.start().x.rotate_left(9)
    } => {
        let items = |count: u32| (0..count).map(move |i| a.wrapping_mul(i));
        let all = items(b % 9).fold(0, |all, item| all ^ item);
        let greatest = items(5).max().unwrap_or(0);
        a ^ b.rotate_left(4) ^ 1 ^ all ^ greatest ^ b.rotate_left(9)
    }
}
