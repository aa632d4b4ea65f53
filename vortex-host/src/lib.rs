//! The host side of `vortex`: devices, buffers, launches, and the embedded Vortex device.
//!
//! * [`Device`] is a device; [`Buffer`] is memory on it, [`DeviceSlice`] a part of that.
//! * [`Launch`] is a kernel call, [`Report`] what it cost.
//! * [`Error`] is everything that can go wrong.
//! * [`sim`] is the embedded device.

mod buffer;
mod device;
mod driver;
mod dump;
mod error;
mod fault;
mod image;
mod launch;
mod pointer;
mod report;
/// Holds the place of the embedded device until it lands.
#[allow(missing_docs)]
pub mod sim {
    #[derive(Clone, Debug)]
    pub struct Config {
        pub cores: u32,
        pub warps: u32,
        pub threads: u32,
        pub zicond: bool,
    }
    impl Default for Config {
        fn default() -> Self {
            Self {
                cores: 4,
                warps: 16,
                threads: 32,
                zicond: true,
            }
        }
    }
    impl Config {
        pub fn bare() -> Self {
            Self {
                cores: 1,
                warps: 4,
                threads: 4,
                zicond: true,
            }
        }
    }
    #[derive(Clone, Debug, thiserror::Error)]
    #[error("config")]
    pub struct ConfigError;
    #[derive(Clone, Debug, thiserror::Error)]
    #[error("trap")]
    pub struct Trap {
        pub pc: u32,
    }
}

pub use buffer::{Buffer, DeviceSlice, View, ViewMut};
pub use device::{Device, DeviceBuilder};
pub use driver::Caps;
pub use error::{Error, Result};
pub use fault::{Fault, TrapReport};
pub use image::check_kernel;
pub use launch::{Binder, Launch, Size};
pub use pointer::{DevicePtr, DevicePtrMut};
pub use report::Report;
