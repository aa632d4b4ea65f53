//! What a kernel is compiled for, and how.

#[cfg(doc)]
use super::Image;
use super::Specialization;
use crate::ir::LaunchTests;
use crate::isa::Generation;
use crate::opt::{Level, Tuning};

/// How to compile. The default: without listing, at the highest level, for any launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Whether to fill [`Image::listing`].
    pub listing: bool,
    /// Store the cycle and instruction counters where Vortex's runtime looks for them, at the end of every warp.
    pub dump_counters: bool,
    /// What the code may rely on.
    pub known: Specialization,
    /// How much is done to make it fast.
    pub level: Level,
    /// The optimiser's choices; by default, [`Tuning::of`] the device's generation.
    pub tuning: Option<Tuning>,
    /// What launches have room for. The code is for any launch, but one without room for its blocks has one item done
    /// after the other.
    pub room: Room,
    /// For a debugger: without optimisations, so that each line has its own code, and with [`Image::locals`]. Locals
    /// are those of kernels that were recorded [with names](crate::lang::with_names()).
    pub debug: bool,
    /// Where the conditions that a launch block alone decides are evaluated; unless on the device,
    /// [`Image::launch_conditions`] says how.
    pub launch_tests: LaunchTests,
}

/// How many items a lane may do at once, at most: powers of two. Where nothing is said, as many as [`Tuning`] says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Room {
    /// Items of a row.
    pub columns: Option<u32>,
    /// Items of neighbouring rows.
    pub rows: Option<u32>,
}

impl Room {
    /// For blocks of any size.
    pub const ANY: Self = Self {
        columns: None,
        rows: None,
    };
}

impl Options {
    /// The optimiser's choices for a generation.
    pub(super) fn tuning(&self, generation: Generation) -> Tuning {
        let tuning = self.tuning.unwrap_or_else(|| Tuning::of(generation));
        let Room { columns, rows } = self.room;
        Tuning {
            columns: tuning.columns.min(columns.unwrap_or(u32::MAX)),
            rows: tuning.rows.min(rows.unwrap_or(u32::MAX)),
            ..tuning
        }
    }

    /// How much is done to make the code fast.
    pub(super) const fn level(&self) -> Level {
        match self.debug {
            true => Level::None,
            false => self.level,
        }
    }
}
