//! What is known about finished code, instruction by instruction.

use super::narrow::Placed;
use super::{BlockItemEntry, ItemCounterEntry, LineEntry, UpdateEntry, source};
use crate::ir::{Function, Loc, PrimaryMap, SourceLoc};
use std::fmt::Write as _;

/// Where code comes from: an entry for each run of instructions from one place.
pub(super) fn lines(code: &[Placed], locs: &PrimaryMap<Loc, SourceLoc>) -> Vec<LineEntry> {
    let mut lines = Vec::new();
    let mut last = None;
    for (index, placed) in code.iter().enumerate() {
        // What a lane does for several items has a location for each, and one place in the source.
        let loc = source(locs, placed.loc);
        if last.replace(loc) != Some(loc) {
            lines.push(LineEntry {
                offset: index as u32 * 4,
                loc: loc.cloned(),
            });
        }
    }
    lines
}

/// Which of a block's items code is for.
pub(super) fn block_items(code: &[Placed], function: &Function) -> Vec<BlockItemEntry> {
    let mut entries = Vec::new();
    let mut last = None;
    for (offset, placed) in (0..).step_by(4).zip(code) {
        let item = function.block_items[placed.loc];
        if item != last {
            entries.push(BlockItemEntry { offset, item });
            last = item;
        }
    }
    entries
}

/// Stores that change what was loaded.
pub(super) fn updates(code: &[Placed]) -> Vec<UpdateEntry> {
    let offsets = (0..).step_by(4);
    let marked = offsets.zip(code).filter_map(|(offset, placed)| {
        let update = placed.update?;
        Some(UpdateEntry { offset, update })
    });
    marked.collect()
}

/// Additions to what counts iterations.
pub(super) fn counted(code: &[Placed]) -> impl Iterator<Item = ItemCounterEntry> {
    let offsets = (0..).step_by(4);
    offsets.zip(code).filter_map(|(offset, placed)| {
        Some(ItemCounterEntry {
            offset,
            end: offset + 4,
            register: placed.counter?,
        })
    })
}

/// Addresses, words and instructions, below the places that they come from.
pub(super) fn disassembly(code: &[Placed], locs: &PrimaryMap<Loc, SourceLoc>) -> String {
    let mut text = String::new();
    let mut last = None;
    for (index, placed) in code.iter().enumerate() {
        let pc = index as u32 * 4;
        let loc = source(locs, placed.loc);
        if last.replace(loc) != Some(loc) {
            match loc {
                Some(loc) => _ = writeln!(text, "; {loc}"),
                None => text.push_str(";\n"),
            }
        }
        _ = writeln!(
            text,
            "{pc:6x}:  {:08x}  {}",
            placed.inst.encode(),
            placed.inst.at(pc)
        );
    }
    text
}
