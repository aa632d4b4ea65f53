//! Every filter, way of addressing, kind of coordinate, type and number of channels, in two and three dimensions.

use std::num::Wrapping;

use vortex::math::sample::{self, Texels, sample};
use vortex::meta::{Channel as _, Element, Texel};
use vortex::prelude::*;

use crate::DEVICES;
use crate::oracle::{Image, Settings};

/// A texel on the host.
pub(crate) trait Case: Texel {
    const CHANNELS: usize;

    fn random(seed: &mut u32) -> Self;
    fn channels(self) -> Vec<f64>;
    fn sampled(sample: Self::Sample) -> Vec<f32>;
}

fn next(seed: &mut u32) -> u32 {
    *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *seed >> 8
}

/// A number from 0 to 1.
fn unit(seed: &mut u32) -> f32 {
    (next(seed) % 4097) as f32 / 4096.0
}

macro_rules! cases {
    ($($name:ident $channel:ident |$seed:ident| $random:expr, |$value:ident| $number:expr;)*) => {$(
        impl Case for $channel {
            const CHANNELS: usize = 1;

            fn random($seed: &mut u32) -> Self {
                $random
            }
            fn channels(self) -> Vec<f64> {
                let $value = self;
                vec![$number]
            }
            fn sampled(sample: f32) -> Vec<f32> {
                vec![sample]
            }
        }

        cases! { @vector Vec2 2 $channel }
        cases! { @vector Vec4 4 $channel }

        mod $name {
            use super::*;

            cases! { @kernels one $channel, f32; two Vec2<$channel>, Vec2<f32>; four Vec4<$channel>, Vec4<f32>; }
        }
    )*};
    (@vector $vec:ident $n:literal $channel:ident) => {
        impl Case for $vec<$channel> {
            const CHANNELS: usize = $n;

            fn random(seed: &mut u32) -> Self {
                [(); $n].map(|()| $channel::random(seed)).into()
            }
            fn channels(self) -> Vec<f64> {
                let parts: [$channel; $n] = self.into();
                parts.into_iter().flat_map(Case::channels).collect()
            }
            fn sampled(sample: $vec<f32>) -> Vec<f32> {
                <[f32; $n]>::from(sample).into()
            }
        }
    };
    (@kernels $($name:ident $texel:ty, $sample:ty;)*) => {$(
        mod $name {
            use super::*;

            #[vortex::kernel]
            fn plane(image: &Texture<$texel>, points: &[Vec3<f32>], out: &mut [$sample]) {
                let i = global_id();
                out[i] = image.sample(points[i].x, points[i].y);
            }

            #[vortex::kernel]
            fn volume(image: &Texture<$texel, 3>, points: &[Vec3<f32>], out: &mut [$sample]) {
                let i = global_id();
                out[i] = image.sample(points[i].x, points[i].y, points[i].z);
            }

            #[test]
            fn planes() {
                for size in [(5, 3), (1, 1), (4, 8)] {
                    all::<$texel, $sample, 2>(&[size.0, size.1], |device, texels, sampler, points, out| {
                        let image = device.texture(size, texels).unwrap().with_sampler(sampler);
                        plane(&image, points, out).over(points.len()).launch(device).unwrap();
                    });
                }
            }

            #[test]
            fn volumes() {
                for size in [(3, 2, 4), (1, 5, 1)] {
                    all::<$texel, $sample, 3>(&[size.0, size.1, size.2], |device, texels, sampler, points, out| {
                        let image = device.texture(size, texels).unwrap().with_sampler(sampler);
                        volume(&image, points, out).over(points.len()).launch(device).unwrap();
                    });
                }
            }
        }
    )*};
}

cases! {
    bytes u8 |seed| next(seed) as u8, |x| f64::from(x) / 255.0;
    shorts u16 |seed| next(seed) as u16, |x| f64::from(x) / 65535.0;
    halves f16 |seed| f16::from_f32(unit(seed)), |x| f64::from(x.to_f32());
    floats f32 |seed| unit(seed), |x| f64::from(x);
}

/// Coordinates along an axis of so many texels, in texels: inside, on edges and centres, just beside them, far outside.
fn coordinates(texels: usize, few: bool) -> Vec<f32> {
    let n = texels as f32;
    let halves = (-2 * texels as i32 - 3..=4 * texels as i32 + 3).map(|h| h as f32 / 2.0);
    let mut all: Vec<f32> = halves.collect();
    let beside: Vec<f32> = [0.0, 0.5, 1.0, n - 0.5, n, 2.0 * n]
        .iter()
        .flat_map(|x: &f32| [x.next_up(), x.next_down(), x + 0.3, -x - 0.3])
        .collect();
    all.extend(beside);
    all.extend([1000.3, -1000.3, 1e6, -1e6, 123_456.7 * n, -54_321.9 * n]);
    if few {
        all.into_iter().step_by(3).collect()
    } else {
        all
    }
}

/// Texels on the host, with channels as the device has them.
struct OnHost {
    texels: Vec<Vec<f32>>,
    border: Vec<f32>,
}

impl Texels<f32> for &OnHost {
    type Texel = [f32; 4];

    fn fetch(&self, number: Wrapping<i32>) -> [f32; 4] {
        four(&self.texels[usize::try_from(number.0).unwrap()])
    }
    fn border(&self) -> [f32; 4] {
        four(&self.border)
    }
    fn blend(&self, a: [f32; 4], b: [f32; 4], weight: f32) -> [f32; 4] {
        std::array::from_fn(|n| (b[n] - a[n]).mul_add(weight, a[n]))
    }
    fn either(
        &self,
        flag: bool,
        a: impl FnOnce() -> [f32; 4],
        b: impl FnOnce() -> [f32; 4],
    ) -> [f32; 4] {
        if flag { a() } else { b() }
    }
}

fn four(parts: &[f32]) -> [f32; 4] {
    std::array::from_fn(|n| parts.get(n).copied().unwrap_or_default())
}

impl OnHost {
    fn of<T: Case>(texels: &[T], colour: [f32; 4]) -> Self {
        let most = T::Channel::MOST.unwrap_or(1.0);
        let kept = |texel: &T| {
            texel
                .channels()
                .iter()
                .map(|x| (x * f64::from(most)) as f32)
                .collect()
        };
        Self {
            texels: texels.iter().map(kept).collect(),
            border: colour[..T::CHANNELS]
                .iter()
                .map(|part| part * most)
                .collect(),
        }
    }

    /// What the device computes, from the same text.
    fn sample<T: Case, const D: usize>(
        &self,
        settings: Settings,
        size: &[usize; D],
        point: &[f32],
    ) -> Vec<f32> {
        let settings = sample::Settings {
            linear: settings.filter == Filter::Linear,
            normalised: settings.normalised,
            repeat: settings.address == Address::Repeat,
            mirror: settings.address == Address::Mirror,
            border: matches!(settings.address, Address::Border(_)),
        };
        let counts = size.map(|n| Wrapping(n as i32));
        let point: [f32; D] = point.try_into().unwrap();
        let sampled = sample(settings, counts, point, &self);
        let scaled = sampled.map(|x| T::Channel::MOST.map_or(x, |most| x * (1.0 / most)));
        scaled[..T::CHANNELS].to_vec()
    }
}

type Sampled<'d, T, S> =
    dyn Fn(&Device, &[T], Sampler, &DeviceSlice<Vec3<f32>>, &mut DeviceSlice<S>) + 'd;

fn all<T: Case<Sample = S>, S: Element, const D: usize>(
    size: &[usize; D],
    sampled: impl Fn(&Device, &[T], Sampler, &DeviceSlice<Vec3<f32>>, &mut DeviceSlice<S>),
) {
    let sampled: &Sampled<'_, T, S> = &sampled;
    let mut seed = 1;
    let count = size.iter().product();
    let texels: Vec<T> = (0..count).map(|_| T::random(&mut seed)).collect();
    let image = Image {
        size: size.to_vec(),
        channels: T::CHANNELS,
        texels: texels.iter().flat_map(|texel| texel.channels()).collect(),
    };
    let colour = [0.25, 1.0, 0.0, 0.75];
    let on_host = OnHost::of(&texels, colour);
    for filter in [Filter::Nearest, Filter::Linear] {
        for address in [
            Address::Clamp,
            Address::Repeat,
            Address::Mirror,
            Address::Border(colour),
        ] {
            for normalised in [true, false] {
                let settings = Settings {
                    filter,
                    address,
                    normalised,
                };
                let mut points = vec![Vec::new()];
                for &n in size {
                    let along = coordinates(n, D == 3);
                    let scaled = along
                        .into_iter()
                        .map(|c| if normalised { c / n as f32 } else { c });
                    let scaled: Vec<f32> = scaled.collect();
                    points = points
                        .into_iter()
                        .flat_map(|point: Vec<f32>| {
                            scaled
                                .iter()
                                .map(move |&c| [point.as_slice(), &[c]].concat())
                        })
                        .collect();
                }
                let vectors: Vec<Vec3<f32>> = points
                    .iter()
                    .map(|p| vec3(p[0], p[1], p.get(2).copied().unwrap_or(0.0)))
                    .collect();
                // All shapes of devices on few points, one of them on all.
                for (device, points, vectors) in DEVICES.iter().enumerate().map(|(n, device)| {
                    let some = if n == 0 {
                        points.len()
                    } else {
                        points.len().min(70)
                    };
                    (device, &points[..some], &vectors[..some])
                }) {
                    let input = device.upload(vectors).unwrap();
                    let mut out = device.alloc(points.len()).unwrap();
                    sampled(device, &texels, settings.sampler(), &input, &mut out);
                    for (point, sample) in points.iter().zip(out.download().unwrap()) {
                        let found = T::sampled(sample);
                        let same = on_host.sample::<T, D>(settings, size, point);
                        assert_eq!(found, same, "{settings:?} of {size:?} at {point:?}");
                        let expected = settings.sample(&image, point);
                        for (expected, found) in expected.iter().zip(found) {
                            assert!(
                                (expected - f64::from(found)).abs() <= 1.0 / 256.0,
                                "{settings:?} of {size:?} at {point:?}: {found}, not {expected}"
                            );
                        }
                    }
                }
            }
        }
    }
}
