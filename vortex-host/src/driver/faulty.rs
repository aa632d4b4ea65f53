//! A driver that fails now and then.

use vortex_kernel::isa::Inst;

use super::interface::{Access, Caps, Driver, DriverError, HardwareThread, Stats};
use vortex_sim::debug::{Note, Tell, Terms, WordLocation};
use vortex_sim::{Config, Grid, PerfClass, Progress, Usage};

/// How often calls of a device's driver fail on purpose, to test how a program copes: each with a chance of one in so
/// many, never by default.
///
/// ```
/// # fn main() -> vortex_host::Result<()> {
/// use vortex_host::{Device, Error, Faults, MemoryError};
///
/// let faults = Faults { alloc: 1, ..Faults::default() };
/// let device = Device::builder().faults(faults).open()?;
/// assert!(matches!(device.alloc::<f32>(4), Err(Error::Memory(MemoryError::OutOfMemory { bytes: 16 }))));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Which calls those are; the same seed and the same calls give the same failures.
    pub seed: u64,
    /// One in so many allocations finds no room; 0: none.
    pub alloc: u32,
    /// One in so many copies to the device fails; 0: none.
    pub write: u32,
    /// One in so many copies from the device fails; 0: none.
    pub read: u32,
    /// One in so many runs fails, and does nothing; 0: none.
    pub run: u32,
}

/// A driver whose calls fail now and then.
pub(crate) struct Faulty<D> {
    driver: D,
    faults: Faults,
    /// Of the random numbers.
    state: u64,
}

impl<D> Faulty<D> {
    pub(crate) fn new(driver: D, faults: Faults) -> Self {
        Self {
            driver,
            faults,
            state: faults.seed,
        }
    }

    /// Whether it is time for a failure that comes once in so many.
    fn is_due(&mut self, one_in: u32) -> bool {
        if one_in == 0 {
            return false;
        }
        // splitmix64
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).is_multiple_of(u64::from(one_in))
    }

    fn fail(&mut self, one_in: u32, what: &str) -> Result<(), DriverError> {
        match self.is_due(one_in) {
            true => Err(DriverError::Failed(format!("{what} failed on purpose"))),
            false => Ok(()),
        }
    }
}

impl<D: Driver> Driver for Faulty<D> {
    fn caps(&self) -> Caps {
        self.driver.caps()
    }

    fn config(&self) -> Option<&Config> {
        self.driver.config()
    }

    fn reads_dump(&self) -> bool {
        self.driver.reads_dump()
    }

    fn watches_races(&self) -> bool {
        self.driver.watches_races()
    }

    fn count(&mut self, class: Option<PerfClass>) {
        self.driver.count(class);
    }

    fn hands_out_groups(&self) -> bool {
        self.driver.hands_out_groups()
    }

    fn progress(&self) -> Progress {
        self.driver.progress()
    }

    fn usage(&self) -> Option<Usage> {
        self.driver.usage()
    }

    fn alloc(&mut self, bytes: u32, access: Access) -> Result<u32, DriverError> {
        if self.is_due(self.faults.alloc) {
            return Err(DriverError::OutOfMemory);
        }
        self.driver.alloc(bytes, access)
    }

    fn reserve(&mut self, addr: u32, bytes: u32, access: Access) -> Result<(), DriverError> {
        if self.is_due(self.faults.alloc) {
            return Err(DriverError::OutOfMemory);
        }
        self.driver.reserve(addr, bytes, access)
    }

    fn set_access(&mut self, addr: u32, bytes: u32, access: Access) -> Result<(), DriverError> {
        self.driver.set_access(addr, bytes, access)
    }

    fn free(&mut self, addr: u32) {
        self.driver.free(addr);
    }

    fn annotate(&mut self, addr: u32, code: &[u8], note: &mut dyn FnMut(u32, Inst) -> Note) {
        self.driver.annotate(addr, code, note);
    }

    fn let_race(&mut self, addr: u32, bytes: u32) {
        self.driver.let_race(addr, bytes);
    }

    fn write(&mut self, addr: u32, bytes: &[u8]) -> Result<(), DriverError> {
        self.fail(self.faults.write, "a copy to the device")?;
        self.driver.write(addr, bytes)
    }

    fn read(&mut self, addr: u32, bytes: &mut [u8]) -> Result<(), DriverError> {
        self.fail(self.faults.read, "a copy from the device")?;
        self.driver.read(addr, bytes)
    }

    fn first_lane(&self, core: u32, warp: u32) -> Option<u32> {
        self.driver.first_lane(core, warp)
    }

    fn held(&self, at: HardwareThread, place: WordLocation) -> Option<u32> {
        self.driver.held(at, place)
    }

    fn run(&mut self, entry: u32, argument: u32) -> Result<Stats, DriverError> {
        self.fail(self.faults.run, "a run")?;
        self.driver.run(entry, argument)
    }

    fn records(&self) -> bool {
        self.driver.records()
    }

    fn run_on(
        &mut self,
        entry: u32,
        argument: u32,
        terms: Terms<'_>,
    ) -> Result<Stats, DriverError> {
        self.fail(self.faults.run, "a run")?;
        self.driver.run_on(entry, argument, terms)
    }

    fn launch(
        &mut self,
        entry: u32,
        argument: u32,
        grid: &Grid,
        terms: Terms<'_>,
    ) -> Result<Stats, DriverError> {
        self.fail(self.faults.run, "a run")?;
        self.driver.launch(entry, argument, grid, terms)
    }

    fn launch_foreign(
        &mut self,
        entry: u32,
        argument: u32,
        grid: &Grid,
        tell: Tell<'_>,
    ) -> Result<Stats, DriverError> {
        self.fail(self.faults.run, "a run")?;
        self.driver.launch_foreign(entry, argument, grid, tell)
    }

    fn handed(&self, core: u32, warp: u32) -> Option<(u32, u32)> {
        self.driver.handed(core, warp)
    }

    fn run_foreign(
        &mut self,
        entry: u32,
        argument: u32,
        tell: Tell<'_>,
    ) -> Result<Stats, DriverError> {
        self.fail(self.faults.run, "a run")?;
        self.driver.run_foreign(entry, argument, tell)
    }
}
