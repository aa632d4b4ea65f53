//! The embedded device on which candidates for another device are measured.

use vortex_sim::{Config, Model};

use crate::device::Device;

/// The device as its driver describes it, or as it describes itself, if it is not embedded.
fn described(device: &Device) -> Config {
    if let Some(config) = device.state().driver.config() {
        return config.clone();
    }
    let caps = device.caps();
    Config {
        generation: caps.generation,
        cores: caps.cores,
        warps: caps.warps,
        threads: caps.threads,
        zicond: caps.zicond,
        atomics: caps.atomics,
        warp_ops: caps.warp_ops,
        local_mem: caps.local_memory,
        ..Config::default()
    }
}

/// The configuration of an embedded device of the same shape, with the cycle model: that of the device, if it has one,
/// or else of its generation's default hardware. Data races are not watched for there, as on hardware, where a lane may
/// do several items at once.
pub(super) fn timed(device: &Device) -> Config {
    let mut config = described(device);
    if config.model == Model::Functional {
        config.model = Model::cycle();
    }
    // The cycle model has one.
    config.clusters = 1;
    config.checks.races = false;
    config.patience = None;
    config.deterministic = true;
    config
}

/// The same without cycles, which is fast.
pub(super) fn counted(device: &Device) -> Config {
    Config {
        model: Model::Functional,
        ..timed(device)
    }
}

/// How many instructions such a device can begin in a cycle: each issue slice of each core one.
pub(super) fn issued(config: &Config) -> u64 {
    let timing = match &config.model {
        Model::Cycle(timing) => timing.on(config.generation),
        Model::Functional => None,
    };
    let slices = timing.unwrap_or_default().issue_slices(config.warps);
    u64::from(slices) * u64::from(config.cores)
}

/// The name of the model that candidates are measured on, as `VORTEX_MODEL` has it.
pub(super) fn name(device: &Device) -> String {
    let config = timed(device);
    config.model.name(config.generation)
}
