//! Local memory that is read before it is written.

use std::fmt;

use vortex_sim::{TrapKind, UninitialisedUse};

use super::{AccessedElement, TrapReport};

/// What depends on a value that there is none of.
struct Dependent<'a>(&'a TrapReport);

impl fmt::Display for Dependent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(element) = &self.0.element {
            return write!(f, "`{}`", element.name);
        }
        let TrapKind::Uninitialised { what, .. } = &self.0.trap.kind else {
            return Ok(());
        };
        f.write_str(match what {
            UninitialisedUse::Branch | UninitialisedUse::ThreadMask => "a condition",
            UninitialisedUse::Address(_) => "an address",
            UninitialisedUse::Store { .. } => "what is stored for the host to read",
            UninitialisedUse::Console => "what is printed",
            UninitialisedUse::Jump
            | UninitialisedUse::Barrier
            | UninitialisedUse::Spawn
            | UninitialisedUse::Csr => "what the kernel does",
        })
    }
}

impl TrapReport {
    /// Who reads what where, what to do about it, and what depends on it; the device's own words come last.
    pub(super) fn fmt_unwritten(
        &self,
        f: &mut fmt::Formatter<'_>,
        read: &AccessedElement,
    ) -> fmt::Result {
        write!(f, "kernel {}", self.kernel)?;
        if let Some(item) = &self.first_item {
            write!(f, ", {item}")?;
        }
        write!(
            f,
            ": `{}` is read before any item of the group has written it",
            read.name
        )?;
        if let Some(first) = &self.first {
            write!(f, ", at {first}{}", self.excerpt(first))?;
        }
        f.write_str(
            "\nlocal memory starts without values: if another item writes it later, put a `barrier()` in between; if \
             none does, write it before, for all items",
        )?;
        if let Some(at) = &self.at {
            write!(f, "\n{} depends on it, at {at}", Dependent(self))?;
            let is_shown = self
                .first
                .as_ref()
                .is_some_and(|first| (&first.file, first.line) == (&at.file, at.line));
            if !is_shown {
                write!(f, "{}", self.excerpt(at))?;
            }
        }
        write!(f, "\nthe device says: {}", self.trap)
    }
}
