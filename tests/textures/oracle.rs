//! What a sample is, as docs/textures.md says it, in `f64`.

use vortex::prelude::*;

/// A texture on the host.
pub(crate) struct Image {
    /// Texels along each axis.
    pub(crate) size: Vec<usize>,
    pub(crate) channels: usize,
    /// The channels of each texel.
    pub(crate) texels: Vec<f64>,
}

/// How it is sampled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) filter: Filter,
    pub(crate) address: Address,
    pub(crate) normalised: bool,
}

/// To the nearest `f32`: where the page writes brackets.
fn rounded(x: f64) -> f64 {
    f64::from(x as f32)
}

impl Settings {
    pub(crate) fn sampler(self) -> Sampler {
        let sampler = Sampler::NEAREST.filter(self.filter).address(self.address);
        match self.normalised {
            true => sampler,
            false => sampler.in_texels(),
        }
    }

    /// The coordinate in texels of the texture itself.
    fn coordinate(self, c: f32, texels: usize) -> f64 {
        let (c, n) = (f64::from(c), texels as f64);
        let (period, scale) = if self.normalised { (1.0, n) } else { (n, 1.0) };
        match self.address {
            Address::Repeat => {
                let turns = rounded(c * rounded(1.0 / period)).floor();
                let rest = c - period * turns;
                rounded(rounded(rest) * scale)
            }
            Address::Mirror => {
                let even = 2.0 * period * (c / (2.0 * period)).round_ties_even();
                rounded(rounded(c - even).abs() * scale)
            }
            Address::Clamp | Address::Border(_) => rounded(c * scale),
        }
    }

    /// The texel that stands at a place, if any does.
    fn texel(self, place: f64, texels: usize) -> Option<usize> {
        let (place, n) = (place as i64, texels as i64);
        let found = match self.address {
            Address::Clamp | Address::Mirror => place.clamp(0, n - 1),
            Address::Repeat => place.rem_euclid(n),
            Address::Border(_) => place,
        };
        (0..n).contains(&found).then_some(found as usize)
    }

    /// Texels along an axis with their weights.
    fn along(self, c: f32, texels: usize) -> Vec<(Option<usize>, f64)> {
        let u = self.coordinate(c, texels);
        match self.filter {
            Filter::Nearest => vec![(self.texel(u.floor(), texels), 1.0)],
            Filter::Linear => {
                let first = (u - 0.5).floor();
                let weight = u - 0.5 - first;
                vec![
                    (self.texel(first, texels), 1.0 - weight),
                    (self.texel(first + 1.0, texels), weight),
                ]
            }
        }
    }

    /// The channels of a sample.
    pub(crate) fn sample(self, image: &Image, at: &[f32]) -> Vec<f64> {
        let mut sum = vec![0.0; image.channels];
        let mut add = |number: Option<usize>, weight: f64| {
            for (channel, sum) in sum.iter_mut().enumerate() {
                let texel = match (number, self.address) {
                    (Some(number), _) => image.texels[number * image.channels + channel],
                    (None, Address::Border(colour)) => f64::from(colour[channel]),
                    (None, _) => f64::NAN,
                };
                *sum += weight * texel;
            }
        };
        let axes: Vec<_> = at.iter().zip(&image.size).collect();
        let along: Vec<_> = axes.iter().map(|(c, n)| self.along(**c, **n)).collect();
        let mut combined = vec![(Some(0), 1.0)];
        for (axis, places) in along.iter().enumerate().rev() {
            let n = image.size[axis];
            combined = combined
                .iter()
                .flat_map(|&(number, weight)| {
                    places.iter().map(move |&(place, of)| {
                        let number = number.zip(place).map(|(number, place)| number * n + place);
                        (number, weight * of)
                    })
                })
                .collect();
        }
        for (number, weight) in combined {
            add(number, weight);
        }
        sum
    }
}
