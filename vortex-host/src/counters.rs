//! Performance counters of a launch, on devices of Vortex 3.

use std::fmt;

use vortex_sim::{PerfClass, PerfCounter};

/// The performance counters of a class in a launch, for each core. `Display` prints a line for each that is not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerfCounters {
    class: PerfClass,
    /// Counters with their values for each core.
    values: Vec<(PerfCounter, Vec<u64>)>,
}

impl PerfCounters {
    /// Asks for the counters that are known about all cores.
    pub(crate) fn read(
        class: PerfClass,
        cores: u32,
        of_core: impl Fn(u32, u32) -> Option<u64>,
    ) -> Self {
        let of_cores = |counter: &PerfCounter| {
            let values: Option<Vec<u64>> = (0..cores)
                .map(|core| of_core(core, counter.number))
                .collect();
            Some((*counter, values?))
        };
        Self {
            class,
            values: class.counters().iter().filter_map(of_cores).collect(),
        }
    }

    /// The class that these are counters of.
    #[must_use]
    pub fn class(&self) -> PerfClass {
        self.class
    }

    /// The counters that the device has, in the order of their numbers, each with its value for every core.
    pub fn all(&self) -> impl Iterator<Item = (&PerfCounter, &[u64])> {
        self.values
            .iter()
            .map(|(counter, cores)| (counter, cores.as_slice()))
    }

    /// The value of the counter with this number (from 0xB03 on) for the device: the sum of its cores, or a shared
    /// value. `None` if the device does not have it.
    #[must_use]
    pub fn total(&self, number: u32) -> Option<u64> {
        let (counter, cores) = self.all().find(|(counter, _)| counter.number == number)?;
        Some(total(counter, cores))
    }
}

fn total(counter: &PerfCounter, cores: &[u64]) -> u64 {
    match counter.is_shared {
        true => cores.iter().copied().max().unwrap_or(0),
        false => cores.iter().copied().fold(0, u64::saturating_add),
    }
}

impl fmt::Display for PerfCounters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = self.class;
        write!(f, "counters of {} (class {})", class.name(), class.number())?;
        if self.values.is_empty() {
            return f.write_str(": the device has none");
        }
        let mut counted = self
            .all()
            .map(|(counter, cores)| (counter, total(counter, cores)))
            .filter(|(_, total)| *total > 0)
            .peekable();
        if counted.peek().is_none() {
            return f.write_str(": all are zero, as in hardware that is built without them");
        }
        counted.try_for_each(|(counter, total)| write!(f, "\n  {}: {total}", counter.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_add_up_unless_they_share() {
        let read = |_, number| match number {
            0xb03 => Some(5),
            0xb05 => Some(0),
            0xb07 => Some(3),
            _ => None,
        };
        let counters = PerfCounters::read(PerfClass::Memory, 2, read);
        assert_eq!(counters.all().count(), 3);
        assert_eq!(
            [0xb03, 0xb04, 0xb05, 0xb07].map(|number| counters.total(number)),
            [Some(5), None, Some(0), Some(6)]
        );
        assert_eq!(
            counters.to_string(),
            "counters of memory (class 7)\n  reads of main memory: 5\n  reads of local memory: 6"
        );
        let none = PerfCounters::read(PerfClass::TensorUnits, 2, |_, _| None);
        assert_eq!(
            none.to_string(),
            "counters of tensor units (class 11): the device has none"
        );
        let zero = PerfCounters::read(PerfClass::TensorUnits, 2, |_, _| Some(0)).to_string();
        assert!(zero.ends_with(": all are zero, as in hardware that is built without them"));
    }
}
