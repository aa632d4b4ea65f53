//! `VORTEX_GDB`: a debugger that attaches to a device.

use std::sync::atomic::{AtomicBool, Ordering};

use vortex_gdb::Debugger;

use crate::error::{DeviceError, Error, Result};

/// Says where a debugger can attach.
const VARIABLE: &str = "VORTEX_GDB";

/// After an address: kernels are what they are without a debugger.
const OPTIMISED: &str = ",optimised";

/// Where a debugger shall be able to attach to a device that is opened now, as the environment says: to the first one
/// that a program opens.
pub(crate) fn of_environment() -> Option<String> {
    static IS_TAKEN: AtomicBool = AtomicBool::new(false);
    let address = std::env::var(VARIABLE).ok()?;
    let is_wanted = !address.is_empty() && !IS_TAKEN.swap(true, Ordering::Relaxed);
    is_wanted.then_some(address)
}

/// Listens for a debugger, and says so. Whether kernels are to be compiled for it.
pub(crate) fn listen(address: &str) -> Result<(Debugger, bool)> {
    let (place, is_plain) = match address.strip_suffix(OPTIMISED) {
        Some(place) => (place, false),
        None => (address, true),
    };
    let debugger = Debugger::listen(place).map_err(|cause| {
        Error::Device(DeviceError::Debugger {
            address: address.to_owned(),
            cause,
        })
    })?;
    let at = debugger.address();
    let host = match at.ip().is_loopback() {
        true => String::new(),
        false => at.ip().to_string(),
    };
    eprintln!(
        "vortex: launches wait for a debugger: gdb-multiarch -ex 'target remote {host}:{}'",
        at.port()
    );
    Ok((debugger, is_plain))
}
