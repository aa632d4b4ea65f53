//! Methods that are methods of the host, too: the same results on both sides.

// Twins are what the user wrote, with indices where device code is clearest with them.
#![allow(clippy::needless_range_loop, clippy::manual_find)]

use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Ball {
    at: f32,
    speed: f32,
}

#[vortex::device(host)]
impl Ball {
    /// Downwards.
    const G: f32 = -9.75;

    /// A ball at rest.
    fn at_rest(at: f32) -> Self {
        Self { at, speed: 0.0 }
    }

    fn energy(&self) -> f32 {
        0.5 * self.speed * self.speed - Self::G * self.at
    }

    fn step(&mut self, dt: f32) {
        self.speed += Self::G * dt;
        self.at += self.speed * dt;
        if self.at < 0.0 {
            self.bounce();
        }
    }

    fn bounce(&mut self) {
        self.at = -self.at;
        self.speed *= -0.5;
    }

    /// Takes it as a value, and others with it.
    fn nearer(self, other: Self, to: f32) -> Self {
        if (self.at - to).abs() <= (other.at - to).abs() {
            self
        } else {
            other
        }
    }

    fn sampled(&self, times: u32, f: impl Fn(f32) -> f32) -> f32 {
        let mut sum = 0.0;
        for i in 0..times {
            sum += f(self.at + i as f32);
        }
        sum
    }

    fn of_slice(&self, weights: &[f32]) -> f32 {
        let mut sum = 0.0;
        for w in weights {
            sum += w * self.at;
        }
        sum
    }

    fn first_below(&self, limits: &[f32]) -> Option<usize> {
        for i in 0..limits.len() {
            if limits[i] > self.at {
                return Some(i);
            }
        }
        None
    }
}

/// What has an extent.
#[vortex::device(host)]
trait Shape {
    const SIDES: u32;

    fn area(&self) -> f32;

    fn grow(&mut self, by: f32);

    fn unit() -> Self;

    fn twice(&self) -> f32 {
        self.area() * 2.0 + Self::SIDES as f32
    }
}

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Square {
    side: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Rect {
    w: f32,
    h: f32,
}

#[vortex::device(host)]
impl Shape for Square {
    const SIDES: u32 = 4;

    fn area(&self) -> f32 {
        self.side * self.side
    }

    fn grow(&mut self, by: f32) {
        self.side += by;
    }

    fn unit() -> Self {
        Square { side: 1.0 }
    }
}

#[vortex::device(host)]
impl Shape for Rect {
    const SIDES: u32 = 8;

    fn area(&self) -> f32 {
        self.w * self.h
    }

    fn grow(&mut self, by: f32) {
        self.w += by;
        self.h += 2.0 * by;
    }

    fn unit() -> Self {
        Self { w: 1.0, h: 3.0 }
    }

    fn twice(&self) -> f32 {
        -self.area()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

#[vortex::device(host)]
impl<T: Num> Pair<T> {
    fn new(a: T, b: T) -> Self {
        Self { a, b }
    }

    fn sum(&self) -> T {
        self.a + self.b
    }

    fn scaled<const N: u32>(&self, by: T) -> Pair<T> {
        Pair::new(self.a * by, self.sum())
    }
}

/// One that only kernels have, of the same names.
#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Staged {
    x: f32,
}

#[vortex::device]
impl Staged {
    fn energy(&self) -> f32 {
        self.x * 100.0
    }

    fn at_rest(x: f32) -> Self {
        Staged { x }
    }
}

/// A function of both sides that calls methods of both sides.
#[vortex::device(host)]
fn total<S: Shape>(mut shape: S) -> f32 {
    shape.grow(0.5);
    shape.area() + shape.twice() + S::unit().area()
}

#[vortex::device(host)]
fn all(x: f32, i: usize, limits: &[f32]) -> f32 {
    let mut ball = Ball::at_rest(x);
    for _ in 0..4 {
        ball.step(0.25);
    }
    let near = ball.nearer(
        Ball {
            at: 2.0,
            speed: 1.0,
        },
        3.0,
    );
    let k = i as f32;
    let mut out = near.energy() + Ball::energy(&ball);
    out += ball.sampled(3, |at| at * k) + ball.of_slice(limits);
    out += match ball.first_below(limits) {
        Some(found) => found as f32,
        None => -8.0,
    };
    out += total(Square { side: k }) + total(Rect { w: x, h: k });
    out += <Rect as Shape>::unit().twice() + Square::SIDES as f32;
    out + Pair::new(x, k).scaled::<3>(2.0).sum() + Pair::<f32>::new(1.0, 2.0).a
}

#[vortex::kernel]
fn on_both_sides(x: &[f32], limits: &[f32], out: &mut [f32]) {
    let i = global_id();
    out[i] = all(x[i], i, limits);
    let staged = Staged::at_rest(x[i]);
    out[i] += staged.energy();
    let mut balls = [Ball::at_rest(x[i]); 2];
    balls[1].step(0.5);
    out[i] += balls[1].energy();
}

#[test]
fn methods_give_the_same_on_both_sides() {
    let x: Vec<f32> = (0..40u8).map(|i| f32::from(i) * 0.5 - 3.0).collect();
    let limits = [-2.0f32, 1.0, 2.5, 10.0];
    let expected: Vec<f32> = (x.iter().enumerate())
        .map(|(i, &x)| {
            let mut ball = Ball::at_rest(x);
            ball.step(0.5);
            all(x, i, &limits) + x * 100.0 + ball.energy()
        })
        .collect();
    for device in &*DEVICES {
        let (x, limits) = (device.upload(&x).unwrap(), device.upload(&limits).unwrap());
        let mut out = device.alloc(40).unwrap();
        on_both_sides(&x, &limits, &mut out)
            .over_each()
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[test]
fn they_are_ordinary_methods_of_the_host() {
    let mut ball = Ball::at_rest(1.5);
    ball.bounce();
    assert_eq!(
        ball,
        Ball {
            at: -1.5,
            speed: 0.0
        }
    );
    assert_eq!(Ball::at_rest(2.0).energy(), 19.5);
    let shapes: Vec<f32> = [Square { side: 2.0 }, Square::unit()]
        .iter()
        .map(Shape::area)
        .collect();
    assert_eq!(shapes, [4.0, 1.0]);
    assert_eq!(Rect { w: 2.0, h: 4.0 }.twice(), -8.0);
    assert_eq!(Pair::new(1u32, 2).sum(), 3);
}
