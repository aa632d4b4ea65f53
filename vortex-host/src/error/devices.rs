//! What can be wrong with several devices.

use std::fmt;
use std::ops::Range;

use super::Error;
use vortex_sim::{Count, Several};

/// Why several devices, or what is divided among them, cannot be had, or which of them failed.
///
/// Devices are counted from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DevicesError {
    /// No devices at all.
    #[error(
        "work cannot be divided among 0 devices: give `Devices::of` at least one, as in `Devices::of(vec![Device::open()?])`"
    )]
    NoDevices,

    /// One device, twice.
    #[error(
        "device {second} is device {first} once more: `clone()` gives another handle to the same device. \
         `Device::builder().open()?` opens one more, and `Devices::embedded({count}, Device::builder())` as many as this"
    )]
    Twice {
        /// Where the device is first.
        first: usize,
        /// Where it is once more.
        second: usize,
        /// How many devices were given.
        count: usize,
    },

    /// One of several devices could not be opened.
    #[error("of {}, device {number} (counted from 0) cannot be opened: {cause}", Count(*.count, "device"))]
    Open {
        /// Number of the device.
        number: usize,
        /// How many there were to be.
        count: usize,
        /// Why it could not be opened.
        #[source]
        cause: Box<Error>,
    },

    /// `VORTEX_DEVICES` asks for several devices of a runtime that allows one in each process.
    #[error(
        "VORTEX_DEVICES={count}, but the runtime of VORTEX_DRIVER={driver} allows one device per process: leave out \
         VORTEX_DEVICES and work with that one, or leave out VORTEX_DRIVER for {count} embedded devices"
    )]
    OnePerProcess {
        /// What `VORTEX_DRIVER` says.
        driver: String,
        /// What `VORTEX_DEVICES` says.
        count: usize,
    },

    /// Portions that start at multiples of no units.
    #[error(
        "`.granularity(0)`: portions cannot start at multiples of 0 units; write 1 or more, or leave it out, which is 1"
    )]
    ZeroGranularity,

    /// Another number of weights than of devices.
    #[error(
        "{} cannot be for {}: `.weights(&[..])` takes one for each device, in their order",
        Count(*.weights, "weight"), Count(*.devices, "device")
    )]
    WeightCount {
        /// How many weights.
        weights: usize,
        /// How many devices.
        devices: usize,
    },

    /// A weight that is not part of a whole.
    #[error(
        "the weight of device {device} is {weight}: a weight is 0 or more, and finite; with 0 the device has no part of the work"
    )]
    Weight {
        /// Number of the device that it is for.
        device: usize,
        /// The weight, as it was given.
        weight: f64,
    },

    /// All weights are 0, or so large that their sum is infinite.
    #[error(
        "the sum of the weights is {sum}, so they are no shares of it: it must be more than 0, and finite"
    )]
    WeightSum {
        /// The sum of all weights.
        sum: f64,
    },

    /// More elements than a host can count.
    #[error("{} of {} are more than can be counted", Count(*.units, "unit"), Count(*.unit, "element"))]
    TooLarge {
        /// How many units.
        units: usize,
        /// How many elements a unit has.
        unit: usize,
    },

    /// Data of another length than the split covers.
    #[error(
        "the split covers {}{}, but there are {found}{}",
        Count(*.units, "unit"), OfElements { units: *.units, unit: *.unit }, Instead { units: *.units, unit: *.unit, found: *.found }
    )]
    Length {
        /// How many units the split has.
        units: usize,
        /// How many elements a unit has.
        unit: usize,
        /// How many elements are given.
        found: usize,
    },

    /// Something divided among other devices was given to `run`.
    #[error(
        "argument {argument} is divided among other devices than those that run: {} there, {} here. \
         Make its split, or its replicas, from the same `Devices`, or from a clone of it",
        Count(*.found, "device"), Count(*.devices, "device")
    )]
    OtherDevices {
        /// Which argument, counted from 0.
        argument: usize,
        /// How many devices it is divided among.
        found: usize,
        /// How many devices run.
        devices: usize,
    },

    /// A slice with another number of values than there are devices.
    #[error(
        "argument {argument} has {} for {}: a slice that `run` is given has one value for each device. \
         A buffer is divided by `SplitBuffer::scatter(&split, &data)`",
        Count(*.found, "value"), Count(*.devices, "device")
    )]
    ValueCount {
        /// Which argument, counted from 0.
        argument: usize,
        /// How many values.
        found: usize,
        /// How many devices.
        devices: usize,
    },

    /// A device failed.
    #[error("on device {device}{}: {cause}{}", OfUnits(.units), Also(.also))]
    Failed {
        /// Number of the device; the first one, if several failed.
        device: usize,
        /// The units that it has, if something was split.
        units: Option<Range<usize>>,
        /// The error of that device.
        #[source]
        cause: Box<Error>,
        /// Numbers of the others that failed.
        also: Vec<usize>,
    },

    /// The system has no thread for a device.
    #[error("cannot start the thread of device {device}: {cause}")]
    NoThread {
        /// Number of the device.
        device: usize,
        /// What the system says.
        #[source]
        cause: std::io::Error,
    },
}

/// How many elements these units have, unless that is as many.
struct OfElements {
    units: usize,
    unit: usize,
}

impl fmt::Display for OfElements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            1 => f.write_str(" of 1 element"),
            unit => write!(
                f,
                " of {unit} elements, which are {}",
                self.units.saturating_mul(unit)
            ),
        }
    }
}

/// What to write for this many elements.
struct Instead {
    units: usize,
    unit: usize,
    found: usize,
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self { units, unit, found } = self;
        if found > 0 && units > 0 && found.is_multiple_of(units) {
            let unit = found / units;
            return write!(
                f,
                ": write `.unit({unit})`, or `split.with_unit({unit})?` where the portions are to be the same"
            );
        }
        match unit > 0 && found.is_multiple_of(unit) {
            true => write!(f, ": write `devices.split({})`", found / unit),
            false => write!(f, ", which is not a whole number of units"),
        }
    }
}

struct OfUnits<'a>(&'a Option<Range<usize>>);

impl fmt::Display for OfUnits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(units) if units.is_empty() => f.write_str(", which has no units"),
            Some(units) => write!(f, ", which has the units {}..{}", units.start, units.end),
            None => Ok(()),
        }
    }
}

/// Which others failed, in a line of its own.
struct Also<'a>(&'a [usize]);

impl fmt::Display for Also<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => Ok(()),
            [one] => write!(f, "\ndevice {one} failed, too"),
            several => write!(f, "\ndevices {} failed, too", Several(several)),
        }
    }
}
