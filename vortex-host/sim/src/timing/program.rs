//! What the cycle model learns and remembers about the program.

use super::config::TimingConfig;
use super::counters::Counters;
use super::lsu::Addresses;
use super::stages::Stages;
use super::stats::PcStats;
use super::uop::{Decoded, Entry};
use std::collections::BTreeMap;
use vortex_isa::{Inst, RegFile};

/// Work groups as far as handing them out goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupShape {
    /// How many there are.
    pub(crate) count: u64,
    /// Warps of each.
    pub(crate) warps: u32,
    /// Groups that a core has room for.
    pub(crate) slots: usize,
}

/// The program as the executor runs it. The cycle model says when which warp executes its next instruction; what that
/// does is irrelevant to it, except for what is asked here.
pub(crate) trait Program {
    type Error;

    /// Whether cores take notes, as far as they have recorders.
    const RECORDS: bool = false;

    /// The instruction at an address.
    fn inst(&mut self, pc: u32) -> Option<Inst>;
    /// Executes a warp's next instruction. Returns its lanes, and into `addresses` what they accessed, if one asks
    /// for that.
    fn execute(
        &mut self,
        core: usize,
        warp: usize,
        cycle: u64,
        addresses: Option<&mut Addresses>,
    ) -> Result<u32, Self::Error>;
    /// The number of the barrier that a warp's next instruction is about.
    fn barrier_ahead(&mut self, core: usize, warp: usize) -> u32;
    /// What a core's performance counters are for the next instruction of one of its warps.
    fn count(&mut self, core: usize, counters: &Counters);
    /// What a register of a warp holds, lane by lane.
    fn register(
        &mut self,
        core: usize,
        warp: usize,
        file: RegFile,
        number: u8,
    ) -> Box<[Option<u32>]>;
    /// Where a warp continues.
    fn pc(&mut self, core: usize, warp: usize) -> u32;
    /// Whether a warp could execute.
    fn is_ready(&mut self, core: usize, warp: usize) -> bool;
    /// Whether a warp ended or was not started.
    fn is_idle(&mut self, core: usize, warp: usize) -> bool;
    /// Starts what a core's warp 0 waits to start. `false`: it cannot yet.
    fn spawn(&mut self, core: usize) -> bool;
    /// The work groups that the hardware is to hand out, if it does.
    fn grid(&mut self) -> Option<GroupShape>;
    /// Gives a core the work group of a number. Returns its slot.
    fn take_group(&mut self, core: usize, number: u64) -> usize;
    /// Starts the next warp of the group that the core was given last.
    fn start_warp(&mut self, core: usize, warp: usize);
}

/// log2 of the instructions in a page of a [`Table`].
const PAGE_BITS: u32 = 10;

/// What is known about each instruction.
#[derive(Debug)]
pub(super) struct Table {
    /// Register banks.
    banks: u32,
    /// As [`Stages`] says.
    flags_are_registers: bool,
    /// The pages of which something was executed, by number, in the order of their entries.
    pages: Vec<u32>,
    /// The page asked for last.
    last: usize,
    decoded: Vec<Option<Decoded>>,
    stats: Vec<PcStats>,
}

impl Table {
    pub(super) fn new(config: &TimingConfig, stages: &Stages) -> Table {
        Table {
            banks: config.register_banks,
            flags_are_registers: stages.flags_are_registers,
            pages: Vec::new(),
            last: 0,
            decoded: Vec::new(),
            stats: Vec::new(),
        }
    }

    /// Where the instruction at `pc` is.
    #[inline]
    pub(super) fn entry(&mut self, pc: u32) -> Entry {
        let page = pc >> (PAGE_BITS + 2);
        if self.pages.get(self.last) != Some(&page) {
            self.last = self.page(page);
        }
        Entry((self.last as u32) << PAGE_BITS | pc >> 2 & ((1 << PAGE_BITS) - 1))
    }

    #[cold]
    fn page(&mut self, number: u32) -> usize {
        let known = self.pages.iter().position(|page| *page == number);
        known.unwrap_or_else(|| {
            self.pages.push(number);
            let entries = self.pages.len() << PAGE_BITS;
            self.decoded.resize(entries, None);
            self.stats.resize(entries, PcStats::default());
            self.pages.len() - 1
        })
    }

    /// The instruction at `pc`.
    #[inline]
    pub(super) fn decode<P: Program>(&mut self, pc: u32, program: &mut P) -> (Entry, Decoded) {
        let entry = self.entry(pc);
        let decoded = &mut self.decoded[entry.0 as usize];
        let decoded = decoded.get_or_insert_with(|| match program.inst(pc) {
            Some(inst) => Decoded::new(&inst, self.banks, self.flags_are_registers),
            None => Decoded::ILLEGAL,
        });
        (entry, *decoded)
    }

    #[inline]
    pub(super) fn stats(&mut self, entry: Entry) -> &mut PcStats {
        &mut self.stats[entry.0 as usize]
    }

    /// All that was executed.
    pub(super) fn by_pc(&self) -> BTreeMap<u32, PcStats> {
        self.with_addresses(&self.stats).collect()
    }

    /// What is known about entries, by the addresses of their instructions, where it is something.
    pub(super) fn with_addresses<T: Copy + Default + PartialEq>(
        &self,
        known: &[T],
    ) -> impl Iterator<Item = (u32, T)> {
        let entries = known.chunks(1 << PAGE_BITS);
        let pcs = |page: u32| (0..1 << PAGE_BITS).map(move |n| page << (PAGE_BITS + 2) | n << 2);
        let pages = self.pages.iter().zip(entries);
        pages
            .flat_map(move |(page, entries)| pcs(*page).zip(entries.iter().copied()))
            .filter(|(_, known)| *known != T::default())
    }
}
