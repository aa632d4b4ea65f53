//! Several devices in one process, and work divided among them.
//!
//! [`Devices`] is an ordered list of devices. [`Devices::split`] divides a number of units (rows, groups, or single
//! elements) into a [`Portion`](split::Portion) for each device; a [`SplitBuffer`](buffer::SplitBuffer) is a buffer
//! stored in such portions, a [`Replicas`](replicas::Replicas) one that each device has completely. [`Devices::run`]
//! calls a closure for each device, on a thread of its own, with that device's part of each.
//!
//! A launch still belongs to one device: it has that device's memory, and ids that start at 0. This module never looks
//! into kernels, so a kernel receives what it needs to know about the whole (where its portion starts) as an argument.
//! That is why a kernel is compiled once for all devices of a kind.
//!
//! The modules: `split` assigns portions, without memory; `buffer` and `replicas` are memory; `run` has the threads,
//! and gathers their results.

pub(crate) mod buffer;
pub(crate) mod replicas;
pub(crate) mod run;
pub(crate) mod split;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use run::Divided;
use vortex_sim::environment;

use crate::device::{Device, DeviceBuilder};
use crate::driver::OpenError;
use crate::error::{DeviceError, DevicesError, Error, Result};

/// The most devices that `VORTEX_DEVICES` can ask for.
const MOST: usize = 256;

const NUMBER: &str = "a number of devices from 1 to 256";

/// An ordered list of devices that share work. Cheap to clone: clones are handles to the same devices.
///
/// ```
/// # fn main() -> vortex_host::Result<()> {
/// use vortex_host::{Device, Devices, SplitBuffer};
///
/// let devices = Devices::embedded(2, Device::builder())?;
/// let split = devices.split(1000).build()?;
/// let x = SplitBuffer::scatter(&split, &vec![1.5f32; 1000])?;
/// let lengths = devices.run(&x, |device, x| {
///     assert_eq!(x.device().caps(), device.caps());
///     Ok(x.len())
/// })?;
/// assert_eq!(lengths, [500, 500]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Devices {
    devices: Arc<[Device]>,
}

fn number_of_devices(text: &str) -> Option<usize> {
    text.parse().ok().filter(|count| (1..=MOST).contains(count))
}

/// What became of an operation on one of the devices, which has these units.
fn on<R>(device: usize, units: Option<Range<usize>>, result: Result<R>) -> Result<R> {
    result.map_err(|cause| {
        Error::Devices(DevicesError::Failed {
            device,
            units,
            cause: Box::new(cause),
            also: Vec::new(),
        })
    })
}

impl Devices {
    /// These devices, which may differ: their order is that of the portions.
    ///
    /// # Errors
    /// If there are none, or if two handles are of one device.
    pub fn of(devices: Vec<Device>) -> Result<Self> {
        if devices.is_empty() {
            return Err(DevicesError::NoDevices.into());
        }
        for (second, device) in devices.iter().enumerate() {
            let mut before = devices.iter().take(second);
            if let Some(first) = before.position(|other| other.id() == device.id()) {
                return Err(DevicesError::Twice {
                    first,
                    second,
                    count: devices.len(),
                }
                .into());
            }
        }
        Ok(Self {
            devices: devices.into(),
        })
    }

    /// This many embedded devices, each as described.
    ///
    /// Each runs on the host thread that launches on it, so more devices than the host has cores may gain nothing; with
    /// [`deterministic(false)`](DeviceBuilder::deterministic) a single device uses several already.
    ///
    /// # Errors
    /// If the number is 0, or if no such device can be built.
    pub fn embedded(count: usize, config: DeviceBuilder) -> Result<Self> {
        Self::opened(count, |_| config.clone().open())
    }

    /// As many devices as the environment variable `VORTEX_DEVICES` says, 1 to 256, each opened as by
    /// [`Device::open`]: by default one, and embedded.
    ///
    /// # Errors
    /// If the variable has another value, or if a device cannot be opened; for example if the driver that
    /// `VORTEX_DRIVER` names only allows one device per process.
    pub fn open() -> Result<Self> {
        let mut count = 1;
        environment::read("VORTEX_DEVICES", NUMBER, number_of_devices, &mut count)?;
        Self::opened(count, |number| match Device::open() {
            Err(Error::Device(DeviceError::UnknownDriver {
                name: driver,
                cause: OpenError::SecondDevice { .. },
            })) if number > 0 => Err(DevicesError::OnePerProcess { driver, count }.into()),
            opened => opened,
        })
    }

    fn opened(count: usize, mut open: impl FnMut(usize) -> Result<Device>) -> Result<Self> {
        let devices = (0..count).map(|number| {
            open(number).map_err(|cause| match cause {
                // Of one device that cannot be opened there is no more to say, and some errors say it all.
                Error::Devices(_) => cause,
                _ if count == 1 => cause,
                cause => Error::Devices(DevicesError::Open {
                    number,
                    count,
                    cause: Box::new(cause),
                }),
            })
        });
        Self::of(devices.collect::<Result<_>>()?)
    }

    /// How many devices there are: at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        self.devices.len()
    }

    /// The devices, in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, Device> {
        self.devices.iter()
    }

    /// The device of this number, from 0.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&Device> {
        self.devices.get(number)
    }

    /// Calls `work` for each device, with the device's part of everything in `of`; all at the same time, each on a
    /// host thread of its own. Returns when all of them have ended, with what they returned, in the order of the
    /// devices.
    ///
    /// A `&SplitBuffer` is a [`Part`](crate::Part) to the closure, a `&mut SplitBuffer` a [`PartMut`](crate::PartMut);
    /// both are what launches take, and know their [`Portion`](crate::Portion). A `&Replicas` is a `&DeviceSlice`, a
    /// `&mut Replicas` a `&mut DeviceSlice`; a `&Split` is a `&Portion`. The closure is also called for a device with
    /// an empty portion; a launch over no work items does nothing.
    ///
    /// **Ids start at 0 on each device.** A launch belongs to one device, whose hardware counts its own work items; a
    /// kernel that needs its position in the whole takes the first unit as an argument:
    ///
    /// ```
    /// # fn main() -> vortex_host::Result<()> {
    /// use vortex_host::{Device, Devices, SplitBuffer};
    ///
    /// let devices = Devices::embedded(2, Device::builder())?;
    /// let split = devices.split(10).build()?;
    /// let mut squares = SplitBuffer::alloc(&split)?;
    /// devices.run(&mut squares, |_device, mut squares| {
    ///     // What a kernel would do: `square(squares.portion().start(), &mut squares).over_each().launch(device)`.
    ///     let values: Vec<u32> = squares.portion().range().map(|n| (n * n) as u32).collect();
    ///     squares.write(&values)
    /// })?;
    /// assert_eq!(squares.gather()?, [0, 1, 4, 9, 16, 25, 36, 49, 64, 81]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If something is divided among other devices, or if `work` returns an error: that of the first device with one,
    /// as [`DevicesError::Failed`], which names the device. The others are not stopped.
    ///
    /// # Panics
    /// If `work` does: with the panic of the first device that has one, once all have ended.
    pub fn run<D: Divided, R: Send>(
        &self,
        of: D,
        work: impl Fn(&Device, D::Part) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        run::run(self, of, work)
    }

    /// Whether these are the same devices in the same order.
    fn are(&self, other: &Self) -> bool {
        self.iter().map(Device::id).eq(other.iter().map(Device::id))
    }
}

impl<'a> IntoIterator for &'a Devices {
    type Item = &'a Device;
    type IntoIter = std::slice::Iter<'a, Device>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
