//! The device functions that are being recorded: each stands where it is called.

use super::{Recorder, with};
use crate::ir::{Callee, SourceLoc};
use crate::lang::StageError;

/// A device function whose body is being recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lang) struct Active {
    /// As the user spells it.
    pub(in crate::lang) name: &'static str,
    /// Its path.
    pub(in crate::lang) path: &'static str,
    pub(in crate::lang) declared: Declared,
}

/// Where a device function is declared: file, line and column.
pub type Declared = (&'static str, u32, u32);

impl Active {
    /// The module or the type it is declared in: its path without its own name and its type arguments.
    fn module(&self) -> &'static str {
        if let Some(of_a_trait) = self.path.strip_prefix('<') {
            let end = of_a_trait.find(['<', ' ', '>']);
            return &of_a_trait[..end.unwrap_or(of_a_trait.len())];
        }
        let end = self.path.find(['<', '{']).unwrap_or(self.path.len());
        let path = self.path[..end].trim_end_matches(':');
        path.strip_suffix(self.name)
            .unwrap_or(path)
            .trim_end_matches(':')
    }

    /// Where it is declared.
    fn loc(&self) -> SourceLoc {
        let (file, line, column) = self.declared;
        SourceLoc {
            file: file.to_owned(),
            line,
            column,
        }
    }
}

impl Recorder {
    /// Writes down who calls a device function.
    fn note_call(&mut self, function: &Active) {
        let caller = match self.functions.last() {
            Some(active) => active.name.to_owned(),
            None => self.function.name.clone(),
        };
        let module = function.module();
        let callees = &mut self.function.callees;
        let known = |callee: &Callee| callee.name == function.name && callee.module == module;
        match callees.iter_mut().find(|callee| known(callee)) {
            Some(callee) => {
                callee.call_sites += 1;
                if !callee.callers.contains(&caller) {
                    callee.callers.push(caller);
                }
            }
            None => callees.push(Callee {
                name: function.name.to_owned(),
                module: module.to_owned(),
                loc: function.loc(),
                callers: vec![caller],
                call_sites: 1,
            }),
        }
    }
}

/// How often a function can be active at once: in closures that are passed to it, it may well be called again.
const MOST_ACTIVE: usize = 32;

/// Notes that a device function is being recorded, unless that would never end: then the names of the functions
/// that call each other, or none if that has been reported.
pub(in crate::lang) fn enter_function(function: Active) -> Result<(), Option<Vec<&'static str>>> {
    with(|recorder| {
        if let Some(StageError::Recursion { .. }) = recorder.error {
            return Err(None);
        }
        let active = recorder.functions.iter();
        if active.filter(|active| **active == function).count() < MOST_ACTIVE {
            recorder.note_call(&function);
            recorder.functions.push(function);
            return Ok(());
        }
        let mut cycle = vec![function.name];
        let callers = recorder.functions.iter().rev();
        let first = callers.clone().position(|active| *active == function);
        cycle.extend(
            callers
                .take(first.unwrap_or(0) + 1)
                .map(|active| active.name),
        );
        cycle.reverse();
        Err(Some(cycle))
    })
}

pub(in crate::lang) fn leave_function() {
    with(|recorder| recorder.functions.pop());
}
