//! What can be wrong with a device.

use crate::driver::OpenError;
use vortex_sim::ConfigError;
use vortex_sim::environment::VariableError;

/// Why there is no such device, or why its driver failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// `VORTEX_DRIVER` asks for a device of Vortex's own runtime, and that could not be opened.
    #[error(
        "VORTEX_DRIVER={name}: {cause} (`embedded`, or no VORTEX_DRIVER, is the device that needs nothing installed)"
    )]
    UnknownDriver {
        /// What the variable says.
        name: String,
        /// Why it could not be.
        #[source]
        cause: OpenError,
    },

    /// Vortex's own runtime could not be used.
    #[error(transparent)]
    Runtime(#[from] OpenError),

    /// An environment variable has a value that means nothing.
    #[error(transparent)]
    Environment(#[from] VariableError),

    /// No such device can be built.
    #[error("cannot build this device: {0}")]
    Config(#[from] ConfigError),

    /// No debugger can attach where one was to.
    #[error(
        "VORTEX_GDB={address}: {cause} (`:1234` is a port of this machine, `host:1234` one of a certain address)"
    )]
    Debugger {
        /// The address that it was to listen at, as it was given.
        address: String,
        /// Why it could not be.
        #[source]
        cause: std::io::Error,
    },

    /// The driver failed, in its own words.
    #[error("the device's driver failed: {message}")]
    Driver {
        /// What it says.
        message: String,
    },
}
