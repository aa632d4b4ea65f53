//! Several devices in one process: who has what, halos, and closures that run on all of them. What one device
//! computes, or the host, is what several must.

#![allow(clippy::unwrap_used)]

mod errors;
mod failures;
mod halos;
mod opening;
mod results;
mod splits;

use vortex::prelude::*;

/// So many small embedded devices.
fn devices(count: usize) -> Devices {
    Devices::embedded(count, Device::builder().released()).unwrap()
}

fn message<T>(result: vortex::Result<T>) -> String {
    match result {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    }
}
