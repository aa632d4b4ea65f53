//! Why Vortex's runtime could not be used.

/// Why Vortex's runtime could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such library.
    #[error("cannot load Vortex's runtime: {reason}; its directory must be in LD_LIBRARY_PATH")]
    NotFound {
        /// What the system's loader says.
        reason: String,
    },
    /// A function is missing.
    #[error(
        "the `libvortex.so` found has no `{missing}`, so it is no runtime of Vortex 2 or Vortex 3"
    )]
    Incomplete {
        /// Name of the function.
        missing: &'static str,
    },
    /// The runtime could not open a device.
    #[error(
        "Vortex's runtime could not open a device (`vx_dev_open` returned {code}); it looks for `libvortex-$VORTEX_DRIVER.so`"
    )]
    NoDevice {
        /// The code that it returned; 0 is success.
        code: i32,
    },
    /// The process has a device of a runtime that survives only one.
    #[error(
        "this process has a device of Vortex 3's runtime already (VORTEX_DRIVER={driver}), which allows one per process: \
         share it, as clones of a `Device` do; once all are dropped, that device can be opened again"
    )]
    SecondDevice {
        /// What `VORTEX_DRIVER` was.
        driver: String,
    },
    /// The process had such a device, and a kernel still runs on it.
    #[error(
        "a kernel of this process was given up and may still run, and Vortex 3's runtime allows one device per process"
    )]
    DeviceLost,
    /// The runtime does not know a property that is needed.
    #[error("the device does not tell its {what} (`vx_dev_caps` returned {code})")]
    NoCaps {
        /// Which property, in words.
        what: &'static str,
        /// The code that it returned; 0 is success.
        code: i32,
    },
    /// A property has a value that no device can have.
    #[error("the device reports {value} as its {what}; possible is {least} to {most}")]
    ImpossibleCaps {
        /// Which property, in words.
        what: &'static str,
        /// The value that the runtime has for it.
        value: u64,
        /// The least that there can be.
        least: u64,
        /// The most that there can be.
        most: u64,
    },
    /// A device of another register width or without floats.
    #[error("the device has the ISA flags {flags:#x}; kernels are compiled for RV32IMF")]
    NotRv32 {
        /// The ISA flags that it reports, as Vortex numbers them.
        flags: u64,
    },
}
