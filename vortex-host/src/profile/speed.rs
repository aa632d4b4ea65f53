//! The speed of a launch, relative to the device's peak.

use serde::{Deserialize, Serialize};

use super::costs::{Work, ratio, rounded};
use super::{DeviceShape, MemoryTraffic};

/// A part of the device, and how much of what it can do it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Gauge {
    /// Which part: `issue slots`, `lanes`, `float unit`, `load-store unit`, `memory`; `local memory` and `integer
    /// divider` where they are used.
    pub name: String,
    /// How much of what it can do it did, from 0 to 1.
    pub share: f64,
    /// What the share is of, in words: `3.5 of 4 lanes active`.
    pub detail: String,
}

/// Float operations and bytes of a launch, against what the device can do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Roofline {
    /// Float operations of all lanes; a fused multiplication and addition is two.
    pub float_operations: u64,
    /// Instructions times active lanes.
    pub lane_instructions: u64,
    /// Bytes that main memory moved.
    pub bytes: u64,
    /// Float operations per cycle that the launch made.
    pub float_rate: f64,
    /// Instructions times active lanes, per cycle, that the launch executed.
    pub lane_rate: f64,
    /// The most float operations that the device can make in a cycle.
    pub float_peak: f64,
    /// The most instructions times lanes that the device can issue in a cycle.
    pub lane_peak: f64,
    /// The most bytes that main memory can move in a cycle.
    pub memory_peak: f64,
}

/// What units did, in cycles that they were busy at least, of all cores.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Busy {
    pub(super) float: f64,
    pub(super) divider: f64,
    pub(super) coalescer: f64,
    pub(super) local: f64,
}

fn gauge(name: &str, part: f64, whole: f64, detail: String) -> Gauge {
    Gauge {
        name: name.to_owned(),
        share: match whole > 0.0 {
            true => rounded((part / whole).clamp(0.0, 1.0)),
            false => 0.0,
        },
        detail,
    }
}

/// The gauges of a launch.
pub(super) fn gauges(
    device: &DeviceShape,
    cycles: u64,
    work: &Work,
    slots: u64,
    busy: &Busy,
    memory: &MemoryTraffic,
) -> Vec<Gauge> {
    let core_cycles = cycles as f64 * f64::from(device.cores);
    let slices = core_cycles * f64::from(device.slices);
    let peak = device.memory_bytes;
    let moved = memory.bytes() as f64;
    let mut all = vec![
        gauge(
            "issue slots",
            work.executed as f64,
            slots as f64,
            format!("{} instructions in {slots} slots", work.executed),
        ),
        gauge(
            "lanes",
            work.lanes as f64,
            work.executed as f64 * f64::from(device.threads),
            format!(
                "{:.1} of {} lanes active",
                ratio(work.lanes, work.executed),
                device.threads
            ),
        ),
        gauge(
            "float unit",
            busy.float,
            slices,
            "cycles in which the float units could not take more".to_owned(),
        ),
        gauge(
            "load-store unit",
            busy.coalescer,
            core_cycles,
            "cycles in which requests to the data cache are put together".to_owned(),
        ),
        gauge(
            "memory",
            moved,
            cycles as f64 * peak,
            format!(
                "{:.2} of {peak:.0} bytes per cycle",
                moved / cycles.max(1) as f64
            ),
        ),
    ];
    if busy.local > 0.0 {
        let detail = "cycles in which its banks answer".to_owned();
        all.push(gauge("local memory", busy.local, core_cycles, detail));
    }
    if busy.divider > 0.0 {
        let detail = "cycles in which it works on a division".to_owned();
        all.push(gauge("integer divider", busy.divider, slices, detail));
    }
    all
}

impl Roofline {
    pub(super) fn of(
        device: &DeviceShape,
        cycles: u64,
        float_operations: u64,
        work: &Work,
        memory: &MemoryTraffic,
    ) -> Self {
        let cycles = cycles.max(1) as f64;
        Self {
            float_operations,
            lane_instructions: work.lanes,
            bytes: memory.bytes(),
            float_rate: rounded(float_operations as f64 / cycles),
            lane_rate: rounded(work.lanes as f64 / cycles),
            float_peak: device.float_operations,
            lane_peak: f64::from(device.cores * device.slices * device.threads),
            memory_peak: device.memory_bytes,
        }
    }

    /// Float operations for each byte that main memory moved; of a launch that moves none, for one byte.
    #[must_use]
    pub fn intensity(&self) -> f64 {
        self.float_operations as f64 / self.bytes.max(1) as f64
    }
}
