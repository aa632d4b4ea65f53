//! Kernels with one bottleneck each, and that profiles name it, with its line.

mod compute;
mod memory;
mod warps;

use vortex::isa::Generation;
use vortex::profile::{Cause, Profile};
use vortex::{Device, DeviceBuilder};

/// A kernel with one bottleneck.
pub(crate) struct Seed {
    pub(crate) name: &'static str,
    /// The bottleneck.
    cause: Cause,
    /// What its line says, if it is one line.
    line: Option<&'static str>,
    /// Warps and lanes of the device's core.
    shape: (u32, u32),
    run: fn(&Device) -> Profile,
}

impl Seed {
    const fn new(name: &'static str, cause: Cause, run: fn(&Device) -> Profile) -> Self {
        Self {
            name,
            cause,
            line: Some("<- here"),
            shape: (4, 4),
            run,
        }
    }

    const fn on(mut self, warps: u32, threads: u32) -> Self {
        self.shape = (warps, threads);
        self
    }

    const fn anywhere(mut self) -> Self {
        self.line = None;
        self
    }

    const fn at(mut self, line: &'static str) -> Self {
        self.line = Some(line);
        self
    }

    /// Its profile on a device of a generation.
    pub(crate) fn profile(&self, generation: Generation) -> Profile {
        let (warps, threads) = self.shape;
        let device = builder(generation).warps(warps).threads(threads);
        (self.run)(&device.open().unwrap())
    }
}

fn builder(generation: Generation) -> DeviceBuilder {
    Device::builder().cores(1).generation(generation)
}

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = Seed> {
    memory::SEEDS
        .into_iter()
        .chain(compute::SEEDS)
        .chain(warps::SEEDS)
}

#[test]
fn the_limiter_is_the_bottleneck() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for seed in all() {
        count += 1;
        for generation in [Generation::V2, Generation::V3] {
            let profile = seed.profile(generation);
            let limiter = profile.limiter().unwrap();
            let text = limiter
                .line
                .and_then(|line| profile.lines[line].text.as_deref());
            let in_line = seed
                .line
                .is_none_or(|line| text.is_some_and(|text| text.contains(line)));
            if limiter.cause != seed.cause || !in_line {
                let all = profile.findings.iter().take(5);
                let all: Vec<String> = all
                    .map(|found| {
                        format!(
                            "{:5.1} % {:?}: {}",
                            100.0 * found.share,
                            found.cause,
                            found.sentence
                        )
                    })
                    .collect();
                wrong.push(format!(
                    "{} on {generation}, {} cycles: is {:?}, at {text:?}\n    {}",
                    seed.name,
                    profile.cycles,
                    seed.cause,
                    all.join("\n    ")
                ));
            }
        }
    }
    assert!(count >= 20);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
