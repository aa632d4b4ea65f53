//! Methods, associated functions and constants, traits.

use vortex::prelude::*;

use crate::harness::DEVICES;

/// The same items, once for kernels and once for the host.
macro_rules! items {
    ($($module:ident: $attribute:meta;)*) => {$(
        pub(crate) mod $module {
            use vortex::DeviceType;

            #[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
            #[repr(C)]
            pub(crate) struct Ball {
                x: f32,
                speed: f32,
                bounces: u32,
                state: State,
            }

            #[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
            #[repr(u32)]
            pub(crate) enum State {
                Flying,
                Lying,
            }

            #[$attribute]
            impl State {
                fn next(self) -> Self {
                    match self {
                        Self::Flying => Self::Lying,
                        Self::Lying => State::Flying,
                    }
                }
            }

            #[$attribute]
            impl Ball {
                const FLOOR: f32 = -1.5;

                /// A ball that flies.
                pub(crate) fn new(x: f32, speed: f32) -> Self {
                    Self {
                        x,
                        speed,
                        bounces: 0,
                        state: State::Flying,
                    }
                }

                fn energy(&self, mass: f32) -> f32 {
                    0.5 * mass * self.speed * self.speed + (self.x - Self::FLOOR)
                }

                fn step(&mut self, dt: f32) -> bool {
                    self.x += self.speed * dt;
                    if self.x >= Ball::FLOOR {
                        return false;
                    }
                    self.bounce();
                    true
                }

                fn bounce(&mut self) {
                    self.x = 2.0 * Self::FLOOR - self.x;
                    self.speed = -self.speed;
                    self.bounces += 1;
                    self.state = self.state.next();
                }

                /// Has the name of a method of numbers.
                fn max(self, other: Ball) -> Ball {
                    if self.x > other.x { self } else { other }
                }

                /// Has one too, and Rust looks for it later than for those of values.
                fn min(&self, x: f32) -> f32 {
                    self.x.min(x)
                }

                fn doubled(mut self) -> Self {
                    self.x *= 2.0;
                    self.speed = self.x.max(self.speed);
                    self
                }

                fn reset(&mut self) {
                    *self = Self { bounces: self.bounces, ..Ball::new(1.0, 2.0) };
                }

                fn give(&self, to: &mut f32, scale: impl Fn(f32) -> f32) {
                    *to += scale(self.speed);
                }

                fn pick<const N: usize>(self, of: &[u32]) -> u32 {
                    of[N] + self.bounces
                }
            }

            #[$attribute]
            pub(crate) trait Shape {
                const SIDES: u32;

                fn area(&self) -> f32;

                fn grow(&mut self, by: f32);

                fn unit() -> Self;

                fn perimeter_of_hull(&self, scale: f32) -> f32 {
                    self.area() * scale + Self::SIDES as f32
                }
            }

            #[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
            #[repr(C)]
            pub(crate) struct Square(f32);

            #[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
            #[repr(C)]
            pub(crate) struct Frame {
                outer: Square,
                inner: Square,
            }

            #[$attribute]
            impl Shape for Square {
                const SIDES: u32 = 4;

                fn area(&self) -> f32 {
                    self.0 * self.0
                }

                fn grow(&mut self, by: f32) {
                    self.0 += by;
                }

                fn unit() -> Self {
                    Square(1.0)
                }
            }

            #[$attribute]
            impl Shape for Frame {
                const SIDES: u32 = 2 * Square::SIDES;

                fn area(&self) -> f32 {
                    self.outer.area() - self.inner.area()
                }

                fn grow(&mut self, by: f32) {
                    self.outer.grow(by);
                    self.inner.grow(by);
                }

                fn unit() -> Self {
                    let mut outer = Square::unit();
                    outer.grow(1.0);
                    Self { outer, inner: Square::unit() }
                }

                fn perimeter_of_hull(&self, scale: f32) -> f32 {
                    self.outer.perimeter_of_hull(scale)
                }
            }

            #[$attribute]
            impl Shape for f32 {
                const SIDES: u32 = 2;

                fn area(&self) -> f32 {
                    *self
                }

                fn grow(&mut self, by: f32) {
                    *self += by;
                }

                fn unit() -> Self {
                    1.0
                }
            }

            pub(crate) mod functions {
                use super::{Ball, Frame, Shape, Square};

                #[$attribute]
                fn total<T: Shape>(shapes: &mut [T], one: T) -> f32 {
                    let mut sum = one.area() + T::unit().perimeter_of_hull(0.5);
                    for i in 0..shapes.len() {
                        if i % 2 == 1 {
                            shapes[i].grow(T::SIDES as f32);
                        }
                        sum += shapes[i].area();
                    }
                    sum
                }

                #[$attribute]
                pub(crate) fn shapes(i: usize, squares: &mut [Square], frames: &mut [Frame], out: &mut [f32]) {
                    let mut x = 1.5f32;
                    x.grow(2.0);
                    out[i] = total(squares, squares[2]) + total(frames, Frame::unit()) + x.area() + squares[0].perimeter_of_hull(x);
                }

                #[$attribute]
                pub(crate) fn balls(i: usize, numbers: &[u32], balls: &mut [Ball], out: &mut [f32]) {
                    let mut own = Ball::new(i as f32, -2.0 * i as f32);
                    let mut sum = 0.0;
                    for turn in 0..4 {
                        if own.step(0.25 * turn as f32) {
                            sum += own.energy(2.0);
                            balls[i].bounce();
                        }
                        balls[i].step(0.5);
                    }
                    let fixed = own.max(balls[i]);
                    fixed.give(&mut sum, |speed: f32| speed * 0.5);
                    let larger = fixed.max(Ball::new(0.5, 0.25).doubled());
                    if larger.bounces % 2 == 0 {
                        balls[i].reset();
                    }
                    sum += balls[i].pick::<3>(numbers) as f32;
                    sum += Ball::new(0.5, 1.0).doubled().doubled().energy(1.0);
                    out[i] = sum + larger.min(1.0);
                }
            }
        }
    )*};
}

items! {
    on_the_device: vortex::device;
    on_the_host: allow(dead_code);
}

const NUMBERS: [u32; 5] = [3, 1, 4, 1, 5];

#[test]
fn methods_of_structs_and_enums() {
    #[vortex::kernel]
    fn kernel(numbers: &[u32], balls: &mut [on_the_device::Ball], out: &mut [f32]) {
        on_the_device::functions::balls(global_id(), numbers, balls, out);
    }

    let count = 37;
    let mut balls: Vec<_> = (0..count)
        .map(|i| on_the_host::Ball::new(1.0, 3.0 - i as f32))
        .collect();
    let mut sums = vec![0.0; count];
    for i in 0..count {
        on_the_host::functions::balls(i, &NUMBERS, &mut balls, &mut sums);
    }
    for device in DEVICES.iter() {
        let numbers = device.upload(&NUMBERS).unwrap();
        let mut out = device.alloc(count).unwrap();
        let mut on_device = device.upload(&start(count)).unwrap();
        kernel(&numbers, &mut on_device, &mut out)
            .over(count)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), sums);
        let on_device = on_device.download().unwrap();
        assert_eq!(format!("{on_device:?}"), format!("{balls:?}"));
    }
}

fn start(count: usize) -> Vec<on_the_device::Ball> {
    #[vortex::kernel]
    fn start(balls: &mut [on_the_device::Ball]) {
        let i = global_id();
        balls[i] = on_the_device::Ball::new(1.0, 3.0 - i as f32);
    }

    let device = Device::open().unwrap();
    let mut balls = device.alloc(count).unwrap();
    start(&mut balls).over(count).launch(&device).unwrap();
    balls.download().unwrap()
}

#[test]
fn traits_of_structs_and_numbers() {
    #[vortex::kernel]
    fn kernel(
        squares: &mut [on_the_device::Square],
        frames: &mut [on_the_device::Frame],
        out: &mut [f32],
    ) {
        on_the_device::functions::shapes(global_id(), squares, frames, out);
    }

    #[vortex::kernel]
    fn units<T: on_the_device::Shape>(shapes: &mut [T], areas: &mut [f32]) {
        let i = global_id();
        shapes[i] = T::unit();
        shapes[i].grow(i as f32);
        areas[i] = shapes[i].area();
    }

    use on_the_host::Shape as _;

    let count = 5;
    let mut squares = vec![on_the_host::Square::unit(); count];
    let mut frames = vec![on_the_host::Frame::unit(); count];
    for i in 0..count {
        squares[i].grow(i as f32);
        frames[i].grow(i as f32);
    }
    let areas: Vec<f32> = frames.iter().map(|frame| frame.area()).collect();
    let mut sums = [0.0];
    on_the_host::functions::shapes(0, &mut squares, &mut frames, &mut sums);
    for device in DEVICES.iter() {
        let mut on_device = (device.alloc(count).unwrap(), device.alloc(count).unwrap());
        let mut out = device.alloc(count).unwrap();
        units(&mut on_device.0, &mut out)
            .over(count)
            .launch(device)
            .unwrap();
        units(&mut on_device.1, &mut out)
            .over(count)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), areas);
        let mut sum = device.alloc(1).unwrap();
        kernel(&mut on_device.0, &mut on_device.1, &mut sum)
            .over(1)
            .launch(device)
            .unwrap();
        assert_eq!(sum.download().unwrap(), sums);
        let on_device = (
            on_device.0.download().unwrap(),
            on_device.1.download().unwrap(),
        );
        assert_eq!(
            format!("{on_device:?}"),
            format!("{:?}", (&squares, &frames))
        );
    }
}

/// Traits of the user's that have the names of Rust's.
mod named_as_in_std {
    use super::DEVICES;
    use vortex::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
    #[repr(C)]
    struct Pair(u32, u32);

    #[vortex::device]
    trait Index {
        fn at(self, i: u32) -> u32;
    }

    #[vortex::device]
    trait Sum {
        fn total(self) -> u32;
    }

    #[vortex::device]
    trait Mul {
        const FACTOR: u32;

        fn scaled(self) -> Self;
    }

    /// Its function has the name, too.
    #[vortex::device]
    trait Hash {
        fn hash(self) -> u32;
    }

    #[vortex::device]
    impl Index for Pair {
        fn at(self, i: u32) -> u32 {
            if i == 0 { self.0 } else { self.1 }
        }
    }

    #[vortex::device]
    impl Sum for Pair {
        fn total(self) -> u32 {
            self.0 + self.1
        }
    }

    #[vortex::device]
    impl Mul for Pair {
        const FACTOR: u32 = 3;

        fn scaled(self) -> Self {
            Pair(self.0 * Self::FACTOR, self.1 * Self::FACTOR)
        }
    }

    #[vortex::device]
    impl self::Hash for Pair {
        fn hash(self) -> u32 {
            self.0 ^ self.1
        }
    }

    #[vortex::device]
    fn digest<T: Index + Sum + self::Mul + Hash>(x: T, i: u32) -> u32 {
        x.at(i % 2) + 100 * x.scaled().total() + 10_000 * x.hash()
    }

    #[vortex::kernel]
    fn digests(x: &[Pair], out: &mut [u32]) {
        let i = global_id();
        out[i] = digest(x[i], i as u32);
    }

    #[test]
    fn are_the_users() {
        let x = [Pair(0, 0), Pair(2, 7), Pair(4, 1)];
        for device in &*DEVICES {
            let mut out = device.alloc(3).unwrap();
            digests(&device.upload(&x).unwrap(), &mut out)
                .over(3)
                .launch(device)
                .unwrap();
            assert_eq!(out.download().unwrap(), [0, 52_707, 51_504]);
        }
    }
}

/// Names that begin as those of numbers' methods do, or are an iterator's; a function and a local by the name of a
/// function of the prelude.
#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Span {
    from: f32,
    to: f32,
}

#[vortex::device(host)]
impl Span {
    fn checked_size(self) -> f32 {
        (self.to - self.from).max(0.0)
    }

    fn nth(self, n: u32) -> f32 {
        self.from + n as f32
    }
}

#[vortex::kernel]
fn measure(spans: &[Span], out: &mut [f32]) {
    #[vortex::device]
    fn local(x: f32) -> f32 {
        x * 0.5
    }
    let i = global_id();
    let _ = 0;
    let mut sum = local(1.0);
    let half = local(sum);
    sum += spans[i].to + spans[i].nth(1) + half;
    let local = || 3.0;
    let three = local();
    out[i] = spans[i].checked_size();
    out[i] += sum + three;
}

#[test]
fn names_are_the_users_where_they_declare_them() {
    let spans: Vec<Span> = (0..10u8)
        .map(|n| Span {
            from: 4.0 - f32::from(n),
            to: f32::from(n) * 1.5,
        })
        .collect();
    let expected: Vec<f32> = (spans.iter())
        .map(|span| span.checked_size() + (0.5 + (span.to + span.nth(1) + 0.25) + 3.0))
        .collect();
    for device in DEVICES.iter() {
        let spans = device.upload(&spans).unwrap();
        let mut out = device.alloc(10).unwrap();
        measure(&spans, &mut out).over(10).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}
