//! Detects when the model itself is stuck.
//!
//! A stuck program ends by its instruction budget, or in a deadlock. A bug in the model that keeps all instructions
//! from being executed triggers neither: it would look like a program that never ends.

use super::RunShape;
use super::config::TimingConfig;
use super::core::Core;
use vortex_isa::Generation;

/// Cycles that a run of the smallest device may take without an instruction.
const LEAST: u64 = 100_000;

/// A run in which no instruction is executed any more, although warps do not wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standstill {
    /// The cycle in which it was noticed.
    pub(crate) cycle: u64,
    /// What is under way in each core.
    pub(crate) state: String,
}

/// Counts the cycles without an instruction.
#[derive(Debug)]
pub(super) struct Watchdog {
    /// Cycles that an instruction may have to wait, if memory has nothing else to do.
    patience: u64,
    /// Cycles that memory may take for a line.
    line: u64,
    executed: u64,
    /// Until when there must be another.
    until: u64,
}

impl Watchdog {
    pub(super) fn new(config: &TimingConfig, shape: &RunShape) -> Watchdog {
        let patience = patience(config, shape);
        Watchdog {
            patience,
            line: config.dram.slowest_line(),
            executed: 0,
            until: patience,
        }
    }

    /// Looks whether anything was executed since the last look, after which memory has yet to serve this many lines.
    ///
    /// Nothing holds stores up, so that of them there may be any number.
    pub(super) fn look(
        &mut self,
        cycle: u64,
        cores: &[Core],
        lines: u64,
    ) -> Result<(), Standstill> {
        let executed = cores.iter().map(Core::executed).sum();
        if executed != self.executed {
            self.executed = executed;
            self.until = cycle + self.patience + lines.saturating_mul(self.line);
        }
        if cycle < self.until {
            return Ok(());
        }
        let state = cores
            .iter()
            .enumerate()
            .map(|(number, core)| format!("core {number}: {}", core.describe()))
            .collect::<Vec<_>>()
            .join("\n");
        Err(Standstill { cycle, state })
    }
}

/// Longer than any instruction can have to wait for those before it: for every line that cores can have asked for,
/// one after the other and each in a row of its own, for emptying all caches, and for the slowest unit.
fn patience(config: &TimingConfig, shape: &RunShape) -> u64 {
    let TimingConfig {
        multiply,
        divider,
        float_multiply_add,
        float_divide,
        float_square_root,
        float_convert,
        float_misc,
        load_queue,
        generation,
        ref icache,
        ref dcache,
        ref l2,
        ref l3,
        ref dram,
        ..
    } = *config;
    let units = [
        multiply,
        divider.cycles(),
        float_multiply_add,
        float_divide,
        float_square_root,
        float_convert,
        float_misc,
    ];
    let slowest = units.into_iter().max().map_or(0, u64::from);
    let loads = match generation {
        Generation::V2 => load_queue,
        Generation::V3 => load_queue.max(32),
    };
    let lines = u64::from(shape.cores) * (u64::from(loads) * u64::from(shape.threads) + 2);
    let caches = [Some(icache), Some(dcache), l2.as_ref(), l3.as_ref()];
    let held: u64 = caches
        .into_iter()
        .flatten()
        .map(|cache| u64::from(cache.size) / 64)
        .sum();
    LEAST
        .saturating_add(lines.saturating_mul(dram.slowest_line()))
        .saturating_add(held.saturating_mul(u64::from(shape.cores)))
        .saturating_add(slowest.saturating_mul(u64::from(shape.warps)))
}
