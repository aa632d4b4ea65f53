//! What is noted of a launch.

use vortex_sim::timing::{Recording, TraceLimits};

use crate::device::Device;

/// What is noted of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Watch {
    /// A profile of it.
    pub(crate) profile: bool,
    /// A trace of so much of it.
    pub(crate) trace: Option<TraceLimits>,
    /// It is made to see what it costs: nothing is printed.
    pub(crate) is_trial: bool,
    /// After how many cycles it is ended, on the cycle model.
    pub(crate) most_cycles: Option<u64>,
}

impl Watch {
    /// What the device is to note, if anything: what is asked of this launch, and of all.
    pub(super) fn recording(&self, device: &Device) -> Option<Recording> {
        let profile = self.profile || device.profile().is_some();
        let of_all = device.trace().map(|_| TraceLimits::default());
        let recording = match profile {
            true => Recording::of_profile(),
            false => Recording::default(),
        };
        match self.trace.clone().or(of_all) {
            Some(limits) => Some(recording.with_trace(limits)),
            None => profile.then_some(recording),
        }
    }
}
