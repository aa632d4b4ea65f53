//! Opening the device that the environment selects.

use std::time::Duration;

use vortex_kernel::isa::Generation;
use vortex_sim::PerfClass;
use vortex_sim::environment::{self, zero_or_one};

use crate::device::{Device, DeviceBuilder};
use crate::driver::{LibVortex, MAX_WAIT};
use crate::error::{DeviceError, Error, Result};
use crate::registry::registry;

const CLASSES: &str = "a class of performance counters: 1 for the cores, 3 to 7 for caches and memory, 11 for tensor \
                       units, 16 for asynchronous copies, or 0 for none";

fn counter_class(text: &str) -> Option<Option<PerfClass>> {
    match text {
        "0" | "" => Some(None),
        number => PerfClass::numbered(number.parse().ok()?).map(Some),
    }
}

impl Device {
    /// Opens the device that the environment asks for, the embedded device by default.
    ///
    /// * `VORTEX_DRIVER`: `embedded`, or unset; any other name is a device of Vortex's own runtime, such as `simx`,
    ///   which is opened as by [`Device::open_runtime`].
    /// * `VORTEX_TIMEOUT`: how many seconds a kernel may take on a device of Vortex's runtime; a day by default,
    ///   which is the most.
    /// * `VORTEX_GENERATION`: the generation of Vortex that the embedded device is of, `2` (the default) or `3`.
    /// * `VORTEX_CORES`, `VORTEX_WARPS`, `VORTEX_THREADS`: shape of the embedded device; 4 x 16 x 32 by default.
    /// * `VORTEX_CLUSTERS`: clusters that these cores are in, 1 by default; see [`DeviceBuilder::clusters`].
    /// * `VORTEX_MODEL`: `functional` (the default, fast) or `cycle` (counts cycles), the latter of other
    ///   hardware than the default if asked for, as in `cycle,l2,dcache.size=8K`: see
    ///   [`KNOBS`](vortex_sim::timing::KNOBS).
    /// * `VORTEX_CHECKS`: which mistakes of kernels the embedded device watches for, a list for
    ///   [`Checks`](vortex_sim::Checks) such as
    ///   `none,bounds` or `-divergence`.
    /// * `VORTEX_BUDGET`: after how many instructions (of warps) the embedded device takes a launch for a runaway,
    ///   4,000 million by default, or `none`.
    /// * `VORTEX_PATIENCE`: after how many seconds the embedded device says on stderr that a launch has not ended,
    ///   and where its warps are; 10 by default, or `none`.
    /// * `VORTEX_DETERMINISTIC`: with `0` the cores of the embedded device run on host threads; see
    ///   [`DeviceBuilder::deterministic`].
    /// * `VORTEX_PROFILING`: on a device of Vortex 3, the class of performance counters that launches report, as for
    ///   Vortex's own runtime: `1` for the cores, `3` to `7` for caches and memory
    ///   ([`PerfClass`](vortex_sim::PerfClass)); `0`, or unset, for none. See [`Device::count`].
    /// * `VORTEX_GDB`: where gdb can attach, such as `:1234`; see [`DeviceBuilder::gdb`]. It is for the first embedded
    ///   device that the program opens.
    /// * `VORTEX_DUMP`: a directory; every launch writes there what the compiler made of its kernel.
    /// * `VORTEX_PROFILE`: a file; every launch is profiled, and a page of the longest ones written there
    ///   ([`profile`](crate::profile)), or JSON if the name ends in `.json`.
    /// * `VORTEX_TRACE`: a file; every launch is traced ([`trace`](crate::trace)), up to a million instructions of it,
    ///   as CSV if the name ends in `.csv`. Later launches have a number in their names.
    /// * `VORTEX_TUNE`: with `1` launches of kernels with `#[tune(..)]` are tuned that have no record
    ///   ([`Tuned`](crate::Tuned)); `VORTEX_TUNE_FILE` is the file of records, `vortex-tune.toml` by default.
    /// * `VORTEX_LAZY_JIT`: with `0` all kernels of the program are compiled here and now, and not at their first
    ///   launch, and those of files are checked when they are read.
    ///
    /// # Errors
    /// If one of them has a value that means nothing, if there is no such device, or if a kernel cannot be compiled
    /// that is to be.
    pub fn open() -> Result<Self> {
        let mut lazy = true;
        environment::read("VORTEX_LAZY_JIT", "`0` or `1`", zero_or_one, &mut lazy)?;
        let device = Self::of_environment()?;
        if device.caps().generation.has(Generation::V3) {
            let mut class = None;
            environment::read("VORTEX_PROFILING", CLASSES, counter_class, &mut class)?;
            device.count(class);
        }
        if !lazy {
            device.be_eager();
            registry().compile_all(&device)?;
        }
        Ok(device)
    }

    fn of_environment() -> Result<Self> {
        let builder = DeviceBuilder::from_environment()?;
        let Some(name) = std::env::var_os("VORTEX_DRIVER").filter(|name| name != "embedded") else {
            return builder.open();
        };
        let mut wait = MAX_WAIT;
        environment::read(
            "VORTEX_TIMEOUT",
            "a number of seconds",
            |value| Duration::try_from_secs_f64(value.parse().ok()?).ok(),
            &mut wait,
        )?;
        match LibVortex::open(wait) {
            Ok(driver) => Ok(Self::of_driver(Box::new(driver), None)),
            Err(cause) => Err(Error::Device(DeviceError::UnknownDriver {
                name: name.to_string_lossy().into_owned(),
                cause,
            })),
        }
    }
}
