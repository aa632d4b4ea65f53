//! Tags: the kind and origin of every piece of emitted code.
//!
//! Cranelift carries an opaque `SourceLoc` from each CLIF instruction to the code it becomes. Ours is an index into
//! this table.

use super::carrier::Carrier;
use crate::ir::Loc;
use crate::opt::Update;
use cranelift_codegen::ir::{Inst, SourceLoc};

/// What a conditional branch relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Branch {
    /// The active lanes agree on the condition: `opt::uniformity` says so.
    Uniform,
    /// The split or pred just before made them agree.
    Guarded,
}

/// What the code under a tag is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Whatever Cranelift made of it.
    Plain,
    /// Contains one word to be replaced.
    Carrier(Carrier),
    /// Contains one conditional branch.
    Branch(Branch),
}

/// What is known about one instruction of the code under a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// The store is an update.
    Update(Update),
    /// An operand of the addition counts iterations of the warp: the second one, or else the first.
    Counter { is_second: bool },
}

/// One tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    /// The user's source.
    pub(super) loc: Loc,
    /// What the code is.
    pub(super) role: Role,
    /// What is noted about it.
    pub(super) note: Option<Note>,
    /// The CLIF instruction of a carrier.
    pub(super) clif: Option<Inst>,
}

/// All tags of a function.
#[derive(Debug, Default)]
pub(super) struct Tags {
    list: Vec<Tag>,
}

impl Tags {
    /// A tag for what is emitted next. Plain code of one source location shares a tag with its predecessor.
    pub(super) fn add(&mut self, loc: Loc, role: Role) -> SourceLoc {
        let shared = role == Role::Plain
            && self.list.last().is_some_and(|last| {
                last.role == Role::Plain && last.loc == loc && last.note.is_none()
            });
        if !shared {
            self.list.push(Tag {
                loc,
                role,
                note: None,
                clif: None,
            });
        }
        SourceLoc::new(self.list.len() as u32 - 1)
    }

    /// A tag for an instruction of which something is known.
    pub(super) fn add_noted(&mut self, loc: Loc, note: Note) -> SourceLoc {
        self.list.push(Tag {
            loc,
            role: Role::Plain,
            note: Some(note),
            clif: None,
        });
        SourceLoc::new(self.list.len() as u32 - 1)
    }

    /// Notes the CLIF instruction of the tag made last.
    pub(super) fn set_clif(&mut self, inst: Inst) {
        if let Some(last) = self.list.last_mut() {
            last.clif = Some(inst);
        }
    }

    /// The tag of a source location; code that Cranelift made up has none.
    pub(super) fn get(&self, at: SourceLoc) -> Option<&Tag> {
        self.list.get(at.bits() as usize)
    }

    /// All tags with their source locations.
    pub(super) fn iter(&self) -> impl Iterator<Item = (SourceLoc, &Tag)> {
        self.list
            .iter()
            .enumerate()
            .map(|(index, tag)| (SourceLoc::new(index as u32), tag))
    }
}
