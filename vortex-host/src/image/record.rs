//! What a file says about an image besides its bytes.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use vortex_kernel::codegen::{
    FaultSite, GroupUse, Image, ItemCounterEntry, LineEntry, Table, UpdateEntry,
};
use vortex_kernel::ir::{GlobalVariable, Message};
use vortex_kernel::meta::Facts;

/// What a file says about an image besides its bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Which kernel of the module's.
    kernel: u32,
    block: Option<[u32; 3]>,
    /// Where its bytes are in the segment.
    offset: u32,
    size: u32,
    groups: Option<GroupUse>,
    fault_sites: Vec<FaultSite>,
    prints: bool,
    messages: Vec<Message>,
    lines: Vec<LineEntry>,
    item_counters: Vec<ItemCounterEntry>,
    updates: Vec<UpdateEntry>,
    globals: Vec<GlobalVariable>,
    tables: Vec<Table>,
    facts: Facts,
}

impl Record {
    pub(crate) fn new(kernel: u32, block: Option<[u32; 3]>, offset: u32, image: &Image) -> Self {
        Self {
            kernel,
            block,
            offset,
            size: image.bytes.len() as u32,
            groups: image.groups,
            fault_sites: image.fault_sites.clone(),
            prints: image.prints,
            messages: image.messages.values().cloned().collect(),
            lines: image.lines.clone(),
            item_counters: image.item_counters.clone(),
            updates: image.updates.clone(),
            globals: image.globals.clone(),
            tables: image.tables.clone(),
            facts: image.facts.clone(),
        }
    }

    /// Where the image's bytes are in the segment.
    pub(crate) fn range(&self) -> Range<u64> {
        let start = u64::from(self.offset);
        start..start + u64::from(self.size)
    }

    /// The variables that the image uses.
    pub(crate) fn globals(&self) -> &[GlobalVariable] {
        &self.globals
    }

    /// Where it says that registers count items.
    pub(crate) fn item_counters(&self) -> &[ItemCounterEntry] {
        &self.item_counters
    }

    /// Where they begin.
    pub(crate) fn offset(&self) -> usize {
        self.offset as usize
    }

    /// How many bytes the image has.
    pub(crate) fn size(&self) -> usize {
        self.size as usize
    }

    /// Which kernel of the module's it is of.
    pub(crate) fn kernel(&self) -> u32 {
        self.kernel
    }

    /// The groups that it relies on.
    pub(crate) fn block(&self) -> Option<[u32; 3]> {
        self.block
    }

    /// The image, given its bytes.
    pub(crate) fn into_image(self, bytes: Vec<u8>) -> Image {
        Image {
            bytes,
            groups: self.groups,
            fault_sites: self.fault_sites,
            prints: self.prints,
            local_objects: Vec::new(),
            messages: self.messages.into(),
            lines: self.lines,
            item_counters: self.item_counters,
            block_items: Vec::new(),
            updates: self.updates,
            // What a file says is not trusted.
            own: Default::default(),
            globals: self.globals,
            tables: self.tables,
            facts: self.facts,
            callees: Vec::new(),
            launch_conditions: Default::default(),
            locals: None,
            listing: None,
        }
    }
}

/// What was written to memory, which cannot fail; if it does, that is a mistake of this library, and no file is
/// better than an empty one.
pub(crate) fn written<E: fmt::Display>(what: &str, bytes: Result<Vec<u8>, E>) -> Vec<u8> {
    bytes.unwrap_or_else(|error| {
        panic!("internal error: cannot write {what} to memory: {error}; please report it")
    })
}
