//! A program whose run is recorded.

use crate::timing::{Addresses, Counters, GroupShape, Program};
use vortex_isa::{Inst, RegFile};

/// Runs a program, and says that notes are to be taken: where none are, none of the code for it is there.
pub(in crate::timing) struct Noted<'a, P>(pub(in crate::timing) &'a mut P);

impl<P: Program> Program for Noted<'_, P> {
    type Error = P::Error;

    const RECORDS: bool = true;

    fn inst(&mut self, pc: u32) -> Option<Inst> {
        self.0.inst(pc)
    }

    fn execute(
        &mut self,
        core: usize,
        warp: usize,
        cycle: u64,
        addresses: Option<&mut Addresses>,
    ) -> Result<u32, Self::Error> {
        self.0.execute(core, warp, cycle, addresses)
    }

    fn barrier_ahead(&mut self, core: usize, warp: usize) -> u32 {
        self.0.barrier_ahead(core, warp)
    }

    fn count(&mut self, core: usize, counters: &Counters) {
        self.0.count(core, counters);
    }

    fn register(
        &mut self,
        core: usize,
        warp: usize,
        file: RegFile,
        number: u8,
    ) -> Box<[Option<u32>]> {
        self.0.register(core, warp, file, number)
    }

    fn pc(&mut self, core: usize, warp: usize) -> u32 {
        self.0.pc(core, warp)
    }

    fn is_ready(&mut self, core: usize, warp: usize) -> bool {
        self.0.is_ready(core, warp)
    }

    fn is_idle(&mut self, core: usize, warp: usize) -> bool {
        self.0.is_idle(core, warp)
    }

    fn spawn(&mut self, core: usize) -> bool {
        self.0.spawn(core)
    }

    fn grid(&mut self) -> Option<GroupShape> {
        self.0.grid()
    }

    fn take_group(&mut self, core: usize, number: u64) -> usize {
        self.0.take_group(core, number)
    }

    fn start_warp(&mut self, core: usize, warp: usize) {
        self.0.start_warp(core, warp);
    }
}
