//! What only the host knows about a launch.

use vortex_sim::Trap;
use vortex_sim::stepping::{Stepper, WarpId};

/// A program on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What its file is called, as gdb shows it.
    pub name: String,
    /// Device address of its first byte.
    pub address: u32,
    /// Bytes it has there.
    pub size: u32,
    /// Its code, and what is to be known about it, as an ELF file.
    pub file: Vec<u8>,
}

/// A work item of a launch, for messages about the lane that is at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number in the launch, x fastest, from 0.
    pub number: u32,
    /// The number of its group, x fastest, from 0, if the launch has groups.
    pub group: Option<u32>,
    /// Both, as people write them: with coordinates, if there are several axes.
    pub text: String,
}

/// Knows which work the lanes of a launch do.
pub trait Explain {
    /// Whether a lane has any work in this launch.
    fn has_work(&self, warp: WarpId, lane: u32) -> bool;

    /// The item that a lane is at, or has been at last. Nothing if it is not known.
    fn item(&self, stepper: &Stepper<'_>, warp: WarpId, lane: u32) -> Option<Item>;

    /// What is to be said about a mistake that the launch ends with, in one or several lines.
    fn trap(&self, stepper: &Stepper<'_>, trap: &Trap) -> String;
}
