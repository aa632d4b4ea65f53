//! Changes by a debugger, and when they were made: they are repeated whenever that moment comes again.

use super::{Stepper, WarpId};

/// A change.
#[derive(Clone, Debug)]
enum Edit {
    Register {
        warp: WarpId,
        lane: u32,
        number: u8,
        value: u32,
    },
    Memory {
        core: u32,
        address: u32,
        bytes: Box<[u8]>,
    },
}

/// All changes, in the order of time.
#[derive(Debug, Default)]
pub(super) struct Edits {
    all: Vec<(u64, Edit)>,
    /// How many of them have been made by now.
    pub(super) applied: usize,
}

impl Stepper<'_> {
    /// Gives a lane's register another value: 0 to 31 are the integer registers, 32 to 63 the float registers. What
    /// was known about the time after now is forgotten.
    pub fn set_register(&mut self, warp: WarpId, lane: u32, number: u8, value: u32) {
        self.edit(Edit::Register {
            warp,
            lane,
            number,
            value,
        });
    }

    /// Writes memory as a core sees it, whatever programs may do there; likewise. Returns whether there is that memory.
    pub fn write(&mut self, core: u32, address: u32, bytes: &[u8]) -> bool {
        let size = u32::try_from(bytes.len());
        let exists = size.is_ok_and(|size| self.exists(core, address, size));
        if exists {
            let bytes = bytes.into();
            self.edit(Edit::Memory {
                core,
                address,
                bytes,
            });
        }
        exists
    }

    fn edit(&mut self, edit: Edit) {
        self.make(&edit);
        self.end = self.time;
        self.order.forget_after(self.time);
        self.edits.all.truncate(self.edits.applied);
        self.edits.all.push((self.time, edit));
        self.edits.applied += 1;
    }

    /// Makes the changes that belong to this moment.
    pub(super) fn apply_edits(&mut self) {
        while let Some((at, edit)) = self.edits.all.get(self.edits.applied)
            && *at <= self.time
        {
            let edit = edit.clone();
            self.make(&edit);
            self.edits.applied += 1;
        }
    }

    fn make(&mut self, edit: &Edit) {
        match edit {
            &Edit::Register {
                warp,
                lane,
                number,
                value,
            } => self.put_register(warp, lane, number, value),
            Edit::Memory {
                core,
                address,
                bytes,
            } => self.put_memory(*core, *address, bytes),
        }
    }
}
