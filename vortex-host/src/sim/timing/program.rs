//! What the cycle model is told of the program, and what it remembers of it.

use super::counters::Counters;
use super::lsu::Addresses;
use super::stats::PcStats;
use super::uop::Decoded;
use std::collections::BTreeMap;
use vortex_kernel::isa::Inst;

/// The program as the executor runs it. The cycle model says when which warp executes its next instruction; what that does
/// is none of its business, except for what is asked here.
pub(in crate::sim) trait Program {
    type Error;

    /// The instruction at an address.
    fn inst(&mut self, pc: u32) -> Option<Inst>;
    /// Executes a warp's next instruction. Answers its lanes, and into `addresses` what they accessed.
    fn execute(
        &mut self,
        core: usize,
        warp: usize,
        cycle: u64,
        addresses: &mut Addresses,
    ) -> Result<u32, Self::Error>;
    /// What a core's performance counters are for the next instruction of one of its warps.
    fn count(&mut self, core: usize, counters: &Counters);
    /// Where a warp goes on.
    fn pc(&mut self, core: usize, warp: usize) -> u32;
    /// Whether a warp could execute.
    fn is_ready(&mut self, core: usize, warp: usize) -> bool;
    /// Whether a warp ended or was not started.
    fn is_idle(&mut self, core: usize, warp: usize) -> bool;
    /// Starts what a core's warp 0 waits to start. `false`: it cannot yet.
    fn spawn(&mut self, core: usize) -> bool;
}

/// log2 of the instructions in a page of a [`Table`].
const PAGE_BITS: u32 = 10;

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    decoded: Option<Decoded>,
    stats: PcStats,
}

/// What is known of each instruction.
#[derive(Debug, Default)]
pub(super) struct Table {
    pages: Vec<(u32, Box<[Entry]>)>,
    last: usize,
}

impl Table {
    #[inline]
    fn entry(&mut self, pc: u32) -> &mut Entry {
        let page = pc >> (PAGE_BITS + 2);
        if self
            .pages
            .get(self.last)
            .is_none_or(|(number, _)| *number != page)
        {
            self.last = self
                .pages
                .iter()
                .position(|(number, _)| *number == page)
                .unwrap_or_else(|| {
                    self.pages.push((
                        page,
                        vec![Entry::default(); 1 << PAGE_BITS].into_boxed_slice(),
                    ));
                    self.pages.len() - 1
                });
        }
        &mut self.pages[self.last].1[(pc >> 2 & ((1 << PAGE_BITS) - 1)) as usize]
    }

    /// The instruction at `pc`.
    #[inline]
    pub(super) fn decode<P: Program>(&mut self, pc: u32, program: &mut P) -> Decoded {
        let entry = self.entry(pc);
        *entry.decoded.get_or_insert_with(|| {
            program
                .inst(pc)
                .map_or(Decoded::ILLEGAL, |inst| Decoded::new(&inst))
        })
    }

    #[inline]
    pub(super) fn stats(&mut self, pc: u32) -> &mut PcStats {
        &mut self.entry(pc).stats
    }

    /// All that was executed.
    pub(super) fn by_pc(&self) -> BTreeMap<u32, PcStats> {
        let mut all = BTreeMap::new();
        for (page, entries) in &self.pages {
            for (index, entry) in entries
                .iter()
                .enumerate()
                .filter(|(_, entry)| entry.stats != PcStats::default())
            {
                all.insert(page << (PAGE_BITS + 2) | (index as u32) << 2, entry.stats);
            }
        }
        all
    }
}
