//! The host side of `vortex`: devices, buffers, launches, and the embedded Vortex device.
//!
//! * [`Device`] is a device; [`Buffer`] is memory on it, [`DeviceSlice`] a part of that.
//! * [`Launch`] is a kernel call, [`Report`] what it cost.
//! * [`Stream`] is a queue of operations that a device does while the host goes on.
//! * [`Module`] is kernels compiled together, with their metadata, in a file or to be launched by name.
//! * [`Error`] is everything that can go wrong.
//! * [`sim`] is the embedded device.

mod buffer;
mod device;
mod driver;
mod dump;
mod elements;
mod error;
mod fault;
mod image;
mod launch;
mod lines;
mod module;
mod pointer;
mod report;
pub mod sim;
mod stream;

pub use buffer::{Buffer, DeviceSlice, View, ViewMut};
pub use device::{Device, DeviceBuilder};
pub use driver::{Caps, OpenError};
pub use error::{Error, Extents, Result};
pub use fault::{Fault, TrapReport, WorkItem};
pub use image::check_kernel;
pub use launch::{Binder, EncodedArgs, Launch, Launchable, Size};
pub use lines::{Line, Lines};
pub use module::{Choice, Module, ModuleBuilder, ModuleError, ModuleLaunch};
pub use pointer::{DevicePtr, DevicePtrMut};
pub use report::Report;
pub use stream::{Event, Pending, Scope, Stream, Timing};
