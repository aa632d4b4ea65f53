//! Vortex 3, through its `vortex.h`, and for launches `vortex2.h`: one device per process, and counters that the
//! runtime reads from the device itself.

use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use libloading::Library;

use super::grids::{Grids, Job};
use super::{Api, CYCLES, INSTRUCTIONS, Release, open_device};
use crate::counters::PerfCounters;
use crate::driver::interface::{DriverError, Stats};
use crate::driver::libvortex::api::{Handle, function};
use crate::driver::libvortex::error::OpenError;
use vortex_sim::PerfClass;
use vortex_sim::layout::MAX_HARTS;

/// The counters that are there whatever else a device was built to count.
const BASE_CLASS: u32 = 0;

pub(super) struct V3 {
    /// Device, class of counters, counter, core, value.
    mpm_query: unsafe extern "C" fn(Handle, u32, u32, u32, *mut u64) -> c_int,
    counting: Counting,
    /// What launches grids, if it is all there.
    grids: Option<Grids>,
    /// What the counters were before the launch, of each core; nothing if a core did not say.
    before: Option<Vec<Reading>>,
    /// The class whose counters are reported besides.
    class: Option<PerfClass>,
}

/// From when on a device counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counting {
    /// From when it was made, as hardware does.
    Cumulative,
    /// From the start of each launch, as Vortex's simulator SimX does.
    PerLaunch,
}

/// Counters of one core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Reading {
    cycles: u64,
    /// Counted once per warp.
    instructions: u64,
    /// Those of the class that is reported, in its order.
    of_class: Vec<u64>,
}

/// The device of the process. A second one ends the process on some drivers, also after the first was closed, and
/// hangs on others. So the first is never closed, and used again.
static DEVICE: Mutex<Slot> = Mutex::new(Slot::Unopened);

enum Slot {
    Unopened,
    InUse {
        driver: String,
    },
    Idle {
        device: Kept,
        driver: String,
    },
    /// A kernel may still run.
    Lost,
}

/// An unused device.
struct Kept(Handle);

// SAFETY: the runtime binds its handles to no thread.
unsafe impl Send for Kept {}

/// No panic can happen between changes of it.
fn slot() -> MutexGuard<'static, Slot> {
    DEVICE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the runtime takes for the name of its driver.
fn driver_name() -> String {
    let name = std::env::var_os("VORTEX_DRIVER");
    name.map_or("simx".to_owned(), |name| {
        name.to_string_lossy().into_owned()
    })
}

impl V3 {
    pub(super) fn of(library: &Library) -> Result<Self, OpenError> {
        Ok(Self {
            // SAFETY: the signature is that of `vortex.h` of version 3.
            mpm_query: unsafe { function(library, "vx_mpm_query") }?,
            counting: match driver_name().as_str() {
                "simx" => Counting::PerLaunch,
                _ => Counting::Cumulative,
            },
            grids: Grids::of(library),
            before: None,
            class: None,
        })
    }

    fn counter(&self, device: Handle, class: u32, number: u32, core: u32) -> Option<u64> {
        let mut value = 0;
        // SAFETY: an open device, and a pointer valid for a write.
        let code = unsafe { (self.mpm_query)(device, class, number, core, &mut value) };
        (code == 0).then_some(value)
    }

    /// The counters of the class that is reported; none if the runtime does not read them.
    fn of_class(&self, device: Handle, core: u32) -> Vec<u64> {
        let Some(class) = self.class else {
            return Vec::new();
        };
        let counters = class.counters().iter();
        let values: Option<Vec<u64>> = counters
            .map(|counter| self.counter(device, class.number(), counter.number, core))
            .collect();
        values.unwrap_or_default()
    }

    fn readings(&self, device: Handle, cores: u32) -> Option<Vec<Reading>> {
        let reading = |core| {
            Some(Reading {
                cycles: self.counter(device, BASE_CLASS, CYCLES, core)?,
                instructions: self.counter(device, BASE_CLASS, INSTRUCTIONS, core)?,
                of_class: self.of_class(device, core),
            })
        };
        (0..cores).map(reading).collect()
    }
}

impl Counting {
    /// What a launch has cost each core.
    fn of_launch(&mut self, before: &[Reading], after: &[Reading]) -> Vec<Reading> {
        let pairs = || before.iter().zip(after);
        if pairs().any(|(b, a)| a.cycles < b.cycles || a.instructions < b.instructions) {
            // Whatever the driver is called.
            *self = Self::PerLaunch;
        }
        match self {
            Self::PerLaunch => after.to_vec(),
            Self::Cumulative => pairs()
                .map(|(before, after)| Reading {
                    cycles: after.cycles - before.cycles,
                    instructions: after.instructions - before.instructions,
                    // Those of a driver that counts on do not go back.
                    of_class: (before.of_class.iter())
                        .zip(&after.of_class)
                        .map(|(before, after)| after.saturating_sub(*before))
                        .collect(),
                })
                .collect(),
        }
    }
}

impl Release for V3 {
    fn number(&self) -> vortex_kernel::isa::Generation {
        vortex_kernel::isa::Generation::V3
    }

    fn open(&self, api: &Api) -> Result<Handle, OpenError> {
        let asked = driver_name();
        let mut slot = slot();
        let device = match &*slot {
            Slot::Unopened => open_device(api)?,
            Slot::Idle { device, driver } if *driver == asked => device.0,
            Slot::InUse { driver } | Slot::Idle { driver, .. } => {
                let driver = driver.clone();
                return Err(OpenError::SecondDevice { driver });
            }
            Slot::Lost => return Err(OpenError::DeviceLost),
        };
        *slot = Slot::InUse { driver: asked };
        Ok(device)
    }

    fn close(&self, _: &Api, device: Handle) {
        if let Some(grids) = &self.grids {
            grids.close();
        }
        let mut slot = slot();
        if let Slot::InUse { driver } = &mut *slot {
            *slot = Slot::Idle {
                driver: std::mem::take(driver),
                device: Kept(device),
            };
        }
    }

    fn abandon(&self) {
        *slot() = Slot::Lost;
    }

    fn launches_grids(&self) -> bool {
        self.grids.is_some()
    }

    fn launch(&mut self, device: Handle, job: &Job) -> Result<(), DriverError> {
        match &mut self.grids {
            Some(grids) => grids.launch(device, job),
            None => Err(DriverError::Failed(
                "the runtime lacks functions of `vortex2.h`".to_owned(),
            )),
        }
    }

    fn wait(&mut self, most: Duration) -> c_int {
        self.grids.as_mut().map_or(0, |grids| grids.wait(most))
    }

    fn reads_dump(&self) -> bool {
        // What kernels of version 2 store there would be taken for what they print.
        false
    }

    fn most_cores(&self) -> u64 {
        MAX_HARTS.into()
    }

    fn count(&mut self, class: Option<PerfClass>) {
        self.class = class;
    }

    fn before_launch(&mut self, device: Handle, cores: u32) {
        self.before = self.readings(device, cores);
    }

    fn cost(&mut self, device: Handle, cores: u32) -> Stats {
        let after = self.readings(device, cores);
        let cost = self
            .before
            .take()
            .zip(after)
            .map(|(before, after)| self.counting.of_launch(&before, &after));
        let cost = cost.as_deref();
        let counters = self.class.zip(cost).map(|(class, of_cores)| {
            let place = |number| class.counters().iter().position(|c| c.number == number);
            Box::new(PerfCounters::read(class, cores, |core, number| {
                let core = of_cores.get(core as usize)?;
                core.of_class.get(place(number)?).copied()
            }))
        });
        Stats {
            counters,
            cycles: cost.and_then(|cores| cores.iter().map(|core| core.cycles).max()),
            instructions: cost.map(|cores| cores.iter().map(|core| core.instructions).sum()),
            times: self.grids.as_mut().and_then(Grids::take_times),
            // Nothing holds an exit code: what the runtime returns for its number is not a counter either.
            ..Stats::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(cycles: u64, instructions: u64) -> Reading {
        Reading {
            cycles,
            instructions,
            of_class: vec![cycles * 2],
        }
    }

    #[test]
    fn counters_that_go_on_are_told_from_those_that_begin_anew() {
        let mut counting = Counting::Cumulative;
        let before = [reading(883, 100), reading(890, 50)];
        let after = [reading(1764, 200), reading(1790, 100)];
        assert_eq!(
            counting.of_launch(&before, &after),
            [reading(881, 100), reading(900, 50)]
        );
        // A counter that went back shows what the device does.
        let shorter = [reading(2000, 300), reading(1789, 101)];
        assert_eq!(counting.of_launch(&after, &shorter), shorter);
        assert_eq!(counting, Counting::PerLaunch);
        assert_eq!(counting.of_launch(&before, &after), after);
    }
}
