//! Device configuration registers, and the grid that they describe.

use std::collections::BTreeMap;
use vortex_sim::Grid;

/// The registers that describe a launch; those of 64 bits have their high half in the next one.
const START: u32 = 0x010;
const ENTRY: u32 = 0x012;
const ARGUMENT: u32 = 0x014;
const ITEMS: u32 = 0x016;
const GROUPS: u32 = 0x019;
const LOCAL_BYTES: u32 = 0x01c;

/// What was written to them.
#[derive(Debug, Default)]
pub(super) struct Registers(BTreeMap<u32, u32>);

/// What a launch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) start: u32,
    pub(super) argument: u32,
    pub(super) grid: Grid,
}

impl Registers {
    pub(super) fn write(&mut self, number: u32, value: u32) {
        self.0.insert(number, value);
    }

    fn read(&self, number: u32) -> u32 {
        self.0.get(&number).copied().unwrap_or(0)
    }

    /// The launch that they describe. High halves of addresses mean nothing to a device of 32 bits.
    pub(super) fn job(&self) -> Job {
        let axes = |first: u32| [0, 1, 2].map(|axis| self.read(first + axis));
        Job {
            start: self.read(START),
            argument: self.read(ARGUMENT),
            grid: Grid {
                groups: axes(GROUPS),
                items: axes(ITEMS),
                local_bytes: self.read(LOCAL_BYTES),
                entry: self.read(ENTRY),
            },
        }
    }
}
