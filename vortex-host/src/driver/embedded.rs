//! The embedded device as a driver.

use super::{Access, Caps, Driver, DriverError, Stats};
use crate::error::Result;
use crate::sim::Config;

/// An embedded device.
pub(crate) struct Embedded {
    config: Config,
}

impl Embedded {
    pub(crate) fn open(config: Config) -> Result<Self> {
        Ok(Self { config })
    }
}

const NOT_YET: &str = "the embedded device is not wired in yet";

impl Driver for Embedded {
    fn caps(&self) -> Caps {
        let Config {
            cores,
            warps,
            threads,
            zicond,
            ..
        } = self.config;
        Caps {
            cores,
            warps,
            threads,
            zicond,
        }
    }

    fn alloc(&mut self, _: u32, _: Access) -> Result<u32, DriverError> {
        Err(DriverError::Failed(NOT_YET.to_owned()))
    }

    fn free(&mut self, _: u32) {}

    fn write(&mut self, _: u32, _: &[u8]) -> Result<(), DriverError> {
        Err(DriverError::Failed(NOT_YET.to_owned()))
    }

    fn read(&mut self, _: u32, _: &mut [u8]) -> Result<(), DriverError> {
        Err(DriverError::Failed(NOT_YET.to_owned()))
    }

    fn run(&mut self, _: u32, _: u32) -> Result<Stats, DriverError> {
        Err(DriverError::Failed(NOT_YET.to_owned()))
    }
}
