//! Devices as the runtime sees them ([`interface`]), and their implementations, a file each.

mod embedded;
mod faulty;
mod interface;
mod libvortex;

pub(crate) use embedded::Embedded;
pub(crate) use faulty::Faulty;
pub(crate) use interface::{Access, Driver, DriverError, HardwareThread, Stats};
pub(crate) use libvortex::{LibVortex, MAX_WAIT};

pub use faulty::Faults;
pub use interface::{Caps, RuntimeTimes};
pub use libvortex::OpenError;
