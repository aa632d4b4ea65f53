//! Functions named by their types: methods with their `self` as the first argument, functions of numbers and vectors;
//! and `#[comptime]` parameters of device functions.

use vortex::prelude::*;

use crate::harness::{DEVICES, same};

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Ball {
    mass: f32,
    speed: f32,
}

#[vortex::device]
trait Moving {
    const LIMIT: f32;

    fn energy(&self) -> f32;
    fn push(&mut self, by: f32);
    fn doubled(self) -> Self;
    fn at_rest(mass: f32) -> Self;
}

#[vortex::device]
impl Moving for Ball {
    const LIMIT: f32 = 10.0;

    fn energy(&self) -> f32 {
        self.mass * self.speed * self.speed
    }

    fn push(&mut self, by: f32) {
        self.speed = f32::min(self.speed + by, Self::LIMIT);
    }

    fn doubled(self) -> Self {
        Self {
            speed: self.speed * 2.0,
            ..self
        }
    }

    fn at_rest(mass: f32) -> Self {
        Ball { mass, speed: 0.0 }
    }
}

#[vortex::device]
impl Ball {
    fn heavier<'a>(a: &'a Ball, b: &'a Ball) -> Ball {
        if a.mass > b.mass { *a } else { *b }
    }

    fn exchange(a: &mut Ball, b: &mut Ball) {
        let kept = *a;
        *a = *b;
        *b = kept;
    }

    fn kicked(mut self, times: u32) -> Self {
        for _ in 0..times {
            Self::push(&mut self, 1.0);
        }
        self
    }

    fn twice(&mut self) {
        Ball::push(self, 0.5);
        Self::push(self, 0.5);
    }
}

#[vortex::device]
fn total<B: Moving>(b: B, extra: f32) -> f32 {
    let mut other = <B as Moving>::at_rest(extra);
    B::push(&mut other, 2.0);
    Moving::push(&mut other, 20.0);
    B::energy(&b) + <B as Moving>::energy(&B::doubled(b)) + Moving::energy(&other)
}

#[vortex::kernel]
fn by_path(balls: &mut [Ball], out: &mut [f32]) {
    let b = balls[1];
    out[0] = Ball::energy(&b);
    out[1] = Ball::energy(&Ball::doubled(b));
    out[2] = total(b, 0.25);
    Ball::push(&mut balls[0], 3.0);
    Ball::twice(&mut balls[0]);
    let mut c = Ball::at_rest(1.0);
    let mut d = Ball::kicked(b, 3);
    Ball::exchange(&mut c, &mut d);
    balls[2] = Ball::heavier(&c, &d);
    out[3] = Some(d.mass).map_or(0.0, f32::sqrt);
    out[4] = <Ball as Moving>::LIMIT;
}

#[test]
fn methods_are_called_by_path() {
    for device in DEVICES.iter() {
        let ball = |mass, speed| Ball { mass, speed };
        let mut balls = device
            .upload(&[ball(1.0, 4.0), ball(2.0, 1.5), ball(0.0, 0.0)])
            .unwrap();
        let mut out = device.alloc::<f32>(5).unwrap();
        by_path(&mut balls, &mut out)
            .over(1)
            .launch(device)
            .unwrap();
        let energy = |mass: f32, speed: f32| mass * speed * speed;
        let all = energy(2.0, 1.5) + energy(2.0, 3.0) + energy(0.25, 10.0);
        let expected = [energy(2.0, 1.5), energy(2.0, 3.0), all, 1.0, 10.0];
        assert_eq!(out.download().unwrap(), expected);
        let expected = [ball(1.0, 8.0), ball(2.0, 1.5), ball(2.0, 4.5)];
        assert_eq!(balls.download().unwrap(), expected);
    }
}

same! {
    numbers(a: u32, b: u32) -> u32 {
        u32::max(u32::wrapping_add(a, b), 7) ^ u32::rotate_left(a, u32::count_ones(b)) ^ u32::MAX
    }
    of_signs(a: i32, b: i32) -> i32 {
        i32::abs_diff(a, b) as i32 ^ i32::min(a, i32::MAX) ^ i32::wrapping_neg(b)
    }
    of_options(a: u8, b: u8) -> u8 {
        u8::checked_add(a, b).map(u8::reverse_bits).unwrap_or(u8::MIN)
    }
    floats(a: f32, b: f32) -> f32 {
        f32::max(f32::abs(a), f32::clamp(b, -1.0, 1.0)) + core::primitive::f32::EPSILON
    }
    lossless(a: u16, b: i8) -> i64 {
        i64::from(u32::from(a)) - i64::from(b) + i64::from(a > 5) + i64::from(f32::from(b) as i32)
    }
}

#[vortex::kernel]
fn vectors(s: f32, v: &[Vec3<f32>], out: &mut [Vec3<f32>], small: &mut [Vec2<u8>]) {
    out[0] = 2.0 * v[0];
    out[1] = s * (v[0] + Vec3::new(1.0, s, 0.0)) * s;
    out[2] = Vec3::splat(s) - 0.5 * Vec3::splat(1.0);
    small[0] = 3 * Vec2::new(1, 2) + Vec2::splat(1);
}

#[test]
fn vectors_are_made_and_scaled() {
    for device in DEVICES.iter() {
        let (v, s) = (Vec3::new(1.0f32, -2.0, 3.0), 1.5f32);
        let on_device = device.upload(&[v]).unwrap();
        let mut out = device.alloc(3).unwrap();
        let mut small = device.alloc(1).unwrap();
        vectors(s, &on_device, &mut out, &mut small)
            .over(1)
            .launch(device)
            .unwrap();
        let expected = [
            2.0 * v,
            s * (v + Vec3::new(1.0, s, 0.0)) * s,
            Vec3::splat(s) - 0.5 * Vec3::splat(1.0),
        ];
        assert_eq!(out.download().unwrap(), expected);
        assert_eq!(small.download().unwrap(), [Vec2::new(4u8, 7)]);
    }
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(i8)]
enum Way {
    Up = 1,
    Down = -1,
}

const TAPS: usize = 3;

#[vortex::device]
fn window(x: &[i32], at: usize, #[comptime] taps: usize, #[comptime] way: Way) -> i32 {
    let mut sum = 0;
    let weights = comptime!((1..=taps as i32).collect::<Vec<_>>());
    for k in comptime!(0..taps) {
        let weight = comptime!(weights[k]);
        sum += weight * x[at + k];
    }
    match way {
        Way::Up => sum,
        Way::Down => -sum,
    }
}

#[vortex::device]
fn scaled(x: i32, #[comptime] by: i32, #[comptime] twice: bool) -> i32 {
    if twice {
        return scaled_once(x, 2 * by);
    }
    scaled_once(x, by)
}

#[vortex::device]
fn scaled_once(x: i32, #[comptime] by: i32) -> i32 {
    if by == -5 { 1000 * x } else { by * x }
}

#[vortex::kernel]
fn known(#[comptime] n: usize, x: &[i32], out: &mut [i32]) {
    let i = global_id();
    out[i] = window(x, i, TAPS, Way::Up) + window(x, i, n, Way::Down);
    #[unroll]
    for k in 0..3 {
        out[i] += scaled(x[i], k - 5, k == 1);
    }
    out[i] += scaled(x[i], -10 + 5, n > 1) + scaled_once(x[i], comptime!(n as i32 * 3));
}

#[test]
fn device_functions_have_comptime_parameters() {
    let x = [3, -1, 4, 1, -5];
    let window = |i: usize, taps: usize| (0..taps).map(|k| (k as i32 + 1) * x[i + k]).sum::<i32>();
    for device in DEVICES.iter() {
        let on_device = device.upload(&x).unwrap();
        for n in [1, 2] {
            let mut out = device.alloc::<i32>(3).unwrap();
            known(n, &on_device, &mut out)
                .over(3)
                .launch(device)
                .unwrap();
            let expected: Vec<i32> = (0..3)
                .map(|i| {
                    let of = |by: i32| if by == -5 { 1000 * x[i] } else { by * x[i] };
                    let last = if n > 1 { of(-10) } else { of(-5) };
                    let turns = of(-5) + of(-8) + of(-3);
                    window(i, 3) - window(i, n) + turns + last + of(n as i32 * 3)
                })
                .collect();
            assert_eq!(out.download().unwrap(), expected);
        }
    }
}

#[vortex::kernel]
fn unknown<const N: usize>(x: &[i32], out: &mut [i32]) {
    let i = global_id();
    out[i + N] = scaled_once(x[i], x[0]);
}

#[test]
fn what_changes_is_no_comptime_argument() {
    let error = vortex::lang::stage::<unknown<0>>().unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("the parameter `by` is `#[comptime]`"),
        "{text}"
    );
    assert!(text.contains("paths.rs:"), "{text}");
    let line = include_str!("paths.rs")
        .lines()
        .position(|line| line.contains("scaled_once(x[i], x[0])"));
    assert_eq!(error.location().line as usize, line.unwrap() + 1);
}

/// Functions by the names of what rustc has built in, and of the prelude's.
mod built_in {
    use vortex::prelude::*;

    use crate::harness::DEVICES;

    macro_rules! named {
        ($($name:ident)*) => {
            $(
                #[vortex::device]
                fn $name(a: u32, b: u32) -> u32 {
                    a.wrapping_mul(3) ^ b
                }
            )*

            #[vortex::kernel]
            fn calls_all(x: &[u32], out: &mut [u32]) {
                let i = global_id();
                let mut sum = 0;
                $(sum += $name(x[i], 2);)*
                out[i] = sum;
            }

            const NAMED: u32 = [$(stringify!($name)),*].len() as u32;
        };
    }

    named! {
        allow automatically_derived cfg cfg_attr cold crate_name crate_type deny deprecated doc expect export_name
        feature forbid ignore inline instruction_set link link_name link_section macro_export macro_use must_use naked
        no_builtins no_link no_main no_mangle no_std non_exhaustive panic_handler path proc_macro recursion_limit repr
        should_panic target_feature track_caller type_length_limit used warn windows_subsystem align_of align_of_val
        drop size_of size_of_val test bench derive vec2 vec3
    }

    #[test]
    fn names_of_attributes_are_names_of_functions() {
        for device in DEVICES.iter() {
            let x = device.upload(&[5u32, 6]).unwrap();
            let mut out = device.upload(&[0u32; 2]).unwrap();
            calls_all(&x, &mut out).over(2).launch(device).unwrap();
            assert_eq!(
                out.download().unwrap(),
                [15 ^ 2, 18 ^ 2].map(|one| NAMED * one)
            );
        }
    }
}
