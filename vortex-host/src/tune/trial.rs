//! Devices on which candidates are tried, with copies of the memory that the arguments refer to.

use vortex_sim::Config;

use super::candidate::Shaped;
use crate::device::Device;
use crate::driver::Access;
use crate::error::{Error, LaunchError, Result};
use crate::globals;
use crate::hazards::AccessRange;
use crate::launch::{Call, Watch};
use crate::report::Report;

/// What the arguments refer to, at its addresses.
pub(super) struct Contents {
    parts: Vec<(u32, Vec<u8>)>,
}

impl Contents {
    /// Of all candidates, once nothing is pending that changes it.
    pub(super) fn of(candidates: &[Shaped], device: &Device) -> Result<Self> {
        let calls = candidates.iter().map(Shaped::as_call);
        let accesses: Vec<_> = calls.flat_map(Call::accesses).collect();
        if let (Some(candidate), true) = (
            candidates.first(),
            accesses.contains(&AccessRange::ANYTHING),
        ) {
            return Err(Error::refused(
                candidate.entry().shared_name(),
                LaunchError::PointersInTuning,
            ));
        }
        device.hazards().wait_for(accesses.into_iter());
        let bound = candidates
            .iter()
            .flat_map(|candidate| candidate.binder().bound());
        let ranges = bound.map(|(_, access, memory)| match memory {
            // Whole allocations, so that what is next to a part of one is not a gap.
            Some(memory) => memory.owned.map_or((access.start, access.end), |owned| {
                let (first, bytes) = (u64::from(owned.0), u64::from(owned.1));
                (first, first + bytes)
            }),
            None => (access.start, access.end),
        });
        let mut state = device.state();
        let parts = merged(ranges.collect()).into_iter().map(|(start, end)| {
            // Devices have 32 bits of address.
            let mut bytes = vec![0; (end - start) as usize];
            state.read(start as u32, &mut bytes)?;
            Ok((start as u32, bytes))
        });
        let parts: Result<_> = parts.collect();
        Ok(Self { parts: parts? })
    }
}

/// Ranges without what is in several of them; none is empty.
fn merged(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.retain(|(start, end)| start < end);
    ranges.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (start, end) in ranges {
        match merged.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

/// An embedded device with these contents.
pub(super) struct Bench<'a> {
    device: Device,
    contents: &'a Contents,
    /// Where variables have their values.
    original: &'a Device,
}

impl<'a> Bench<'a> {
    /// Memory is at the same addresses: arguments need not be changed, and lines of the caches are the same.
    pub(super) fn open(
        config: Config,
        contents: &'a Contents,
        original: &'a Device,
    ) -> Result<Self> {
        let device = original.to_try(config)?;
        for (addr, bytes) in &contents.parts {
            let reserved =
                device
                    .state()
                    .driver
                    .reserve(*addr, bytes.len() as u32, Access::ReadWrite);
            reserved.map_err(Error::driver)?;
        }
        Ok(Self {
            device,
            contents,
            original,
        })
    }

    /// Runs a candidate on contents as they are on the original device, for this many cycles at most.
    pub(super) fn run(&self, candidate: Shaped, most_cycles: Option<u64>) -> Result<Report> {
        for (addr, bytes) in &self.contents.parts {
            self.device.state().write(*addr, bytes)?;
        }
        self.copy_variables(&candidate)?;
        let watch = Watch {
            is_trial: true,
            most_cycles,
            ..Watch::default()
        };
        candidate.call(watch).run(&self.device)
    }

    /// Gives the variables that a kernel uses the values that they have on the original device, or will have there.
    fn copy_variables(&self, candidate: &Shaped) -> Result<()> {
        if !globals::are_any() {
            return Ok(());
        }
        let staged = candidate.entry().stage();
        let kernel = candidate.entry().shared_name();
        let staged = staged.map_err(|cause| Error::Stage { kernel, cause })?;
        for variable in &staged.globals {
            let number = globals::number(variable);
            let mut value = vec![0; variable.size as usize];
            {
                let mut original = self.original.state();
                match original.globals.get(&number).copied() {
                    Some(addr) => original.read(addr, &mut value)?,
                    None => {
                        let first = value.iter_mut().zip(&variable.first);
                        first.for_each(|(byte, first)| *byte = *first);
                    }
                }
            }
            let mut state = self.device.state();
            let addr = state.global(variable)?;
            state.write(addr, &value)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn what_overlaps_is_copied_once() {
        let ranges = vec![(64, 96), (0, 16), (8, 24), (30, 30), (24, 32)];
        assert_eq!(merged(ranges), [(0, 24), (24, 32), (64, 96)]);
    }
}
