//! Files of sweeps, which people write, and of their results: text is one or an error. A device that a sweep makes is
//! the same to a program that finds it in its environment.

use std::path::Path;
use vortex_sim::Model;

#[allow(
    dead_code,
    reason = "part of the `vortex` command, which has all of it"
)]
#[path = "../../vortex-host/cli/src/sweep/hardware.rs"]
mod hardware;
#[allow(
    dead_code,
    reason = "part of the `vortex` command, which has all of it"
)]
#[path = "../../vortex-host/cli/src/sweep/outcome.rs"]
mod outcome;
#[allow(
    dead_code,
    reason = "part of the `vortex` command, which has all of it"
)]
#[path = "../../vortex-host/cli/src/sweep/spec.rs"]
mod spec;

/// Devices of a sweep that are looked at: more are more of the same.
const FEW: usize = 64;

/// Reads a sweep, or a line of results.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else {
        return false;
    };
    if text.starts_with('{') {
        let Ok(done) = serde_json::from_str::<outcome::Done>(text) else {
            return false;
        };
        let written = serde_json::to_string(&done).expect("it has names for keys");
        let again: outcome::Done = serde_json::from_str(&written).expect("it was just written");
        assert_eq!(again.key, done.key);
        return true;
    }
    let Ok(spec) = spec::Spec::parse(text, Path::new("sweep.toml")) else {
        return false;
    };
    let Ok(devices) = spec.devices() else {
        return false;
    };
    let lengths = |axes: &std::collections::BTreeMap<String, spec::Axis>| {
        let lengths = axes.values().map(|axis| axis.values().len());
        lengths.fold(1usize, usize::saturating_mul)
    };
    if devices.iter().map(lengths).fold(0, usize::saturating_add) > FEW {
        return true;
    }
    let Ok(all) = hardware::all(&spec) else {
        return false;
    };
    for one in &all {
        let _ = one.area(&spec.area);
        assert!(!one.identity().is_empty());
        let [generation, ..] = one.shape();
        let generation = vortex_sim::Generation::numbered(generation).expect("it is of one");
        let environment = one.environment(&spec.checks);
        let (_, name) = (environment.iter())
            .find(|(variable, _)| *variable == "VORTEX_MODEL")
            .expect("it is among them");
        let model = Model::named(name, generation).expect("it was just written");
        assert_eq!(&model.name(generation), name);
    }
    true
}
