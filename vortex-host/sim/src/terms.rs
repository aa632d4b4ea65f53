//! The terms of a run: what the caller promises, and which callbacks it wants.

use super::run::Tell;
use super::stepping::Drive;
use super::timing::Recording;

/// The terms of a run.
pub struct Terms<'a> {
    /// What it stores to no part of, if races are watched for: addresses and sizes of at least a byte.
    pub(super) lent: &'a mut dyn Iterator<Item = (u32, u32)>,
    /// Of what each lane's work accesses only what no other work does: addresses and sizes of at least a byte.
    pub(super) own: Option<&'a mut dyn Iterator<Item = (u32, u32)>>,
    /// There is nothing else for which work could race.
    pub(super) is_own: bool,
    /// The callback, called once, for a run that takes longer than [`Config::patience`](super::Config::patience).
    pub(super) tell: Tell<'a>,
    /// Who drives it, if it does not go by itself.
    pub(super) drive: Option<&'a mut dyn Drive>,
    /// In which cycle it is ended, on the cycle model.
    pub(super) most_cycles: Option<u64>,
    /// What is noted of it.
    pub(super) recording: Option<&'a mut Recording>,
}

impl<'a> Terms<'a> {
    /// Memory that is lent for the run, as addresses and sizes, and the callback for a long run.
    pub fn of(lent: &'a mut dyn Iterator<Item = (u32, u32)>, tell: Tell<'a>) -> Terms<'a> {
        Terms {
            lent,
            own: None,
            is_own: false,
            tell,
            drive: None,
            most_cycles: None,
            recording: None,
        }
    }

    /// A debugger drives it, one instruction at a time, on the functional model.
    #[must_use]
    pub fn driven(self, by: &'a mut dyn Drive) -> Terms<'a> {
        Terms {
            drive: Some(by),
            ..self
        }
    }

    /// Ends the run once it has taken more than this many cycles, where it is on the cycle model:
    /// [`TrapKind::CyclesSpent`](super::TrapKind::CyclesSpent).
    #[must_use]
    pub fn within(self, cycles: u64) -> Terms<'a> {
        Terms {
            most_cycles: Some(cycles),
            ..self
        }
    }

    /// Makes the run record what a recording asks for. It runs on the cycle model: the device's, or else the default
    /// one of its generation.
    #[must_use]
    pub fn recorded(self, recording: &'a mut Recording) -> Terms<'a> {
        Terms {
            recording: Some(recording),
            ..self
        }
    }

    /// There is memory, given by addresses and sizes of at least a byte, of which no two items of work access the same
    /// element, and if `is_all` nothing else for which they could race: where nothing is watched for races then.
    #[must_use]
    pub fn with_own(self, own: &'a mut dyn Iterator<Item = (u32, u32)>, is_all: bool) -> Terms<'a> {
        Terms {
            own: Some(own),
            is_own: is_all,
            ..self
        }
    }
}
