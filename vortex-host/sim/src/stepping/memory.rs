//! The accesses of instructions, and a debugger's reads and changes of memory.

use super::{Stepper, WarpId};
use crate::layout::LOCAL;
use crate::registers::{lane, lanes_of};
use vortex_isa::{Class, Opcode};

/// What the next instruction of a warp reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// It reads memory: a load, or an atomic operation.
    pub is_read: bool,
    /// It writes memory: a store, or an atomic operation.
    pub is_write: bool,
    /// Bytes that each lane accesses.
    pub size: u32,
    /// The active lanes with their addresses, lowest lane first.
    pub lanes: Vec<(u32, u32)>,
}

/// Memory that a debugger watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Address of the first byte.
    pub first: u32,
    /// Address of the last byte.
    pub last: u32,
    /// Whether accesses that read are hits.
    pub reads: bool,
    /// Whether accesses that write are hits.
    pub writes: bool,
}

impl Watched {
    /// The first lane that an access concerns, and the address of what it does.
    #[must_use]
    pub fn hit(&self, access: &Access) -> Option<(u32, u32)> {
        let matters = self.reads && access.is_read || self.writes && access.is_write;
        let hits = |&&(_, address): &&(u32, u32)| {
            address <= self.last && address.saturating_add(access.size - 1) >= self.first
        };
        matters.then(|| access.lanes.iter().find(hits).copied())?
    }
}

impl Stepper<'_> {
    /// What the next instruction of a warp reads or writes, if it is a load, a store or an atomic operation.
    pub fn access(&mut self, id: WarpId) -> Option<Access> {
        let pc = self.warp(id)?.pc;
        let op = self.run.op(pc)?;
        let opcode = op.opcode?;
        let (is_read, is_write) = match opcode.info().class {
            Class::Load => (true, false),
            Class::Store => (false, true),
            Class::Atomic => (opcode != Opcode::ScW, opcode != Opcode::LrW),
            _ => return None,
        };
        let (size, offset) = match opcode {
            Opcode::Lb | Opcode::Lbu | Opcode::Sb => (1, op.imm),
            Opcode::Lh | Opcode::Lhu | Opcode::Sh => (2, op.imm),
            Opcode::Lw | Opcode::Flw | Opcode::Sw | Opcode::Fsw => (4, op.imm),
            _ if opcode.info().class == Class::Atomic => (4, 0),
            _ => return None,
        };
        let warp = self.warp(id)?;
        let base = warp.registers.row(op.rs1);
        let address = |n| lane(base, n).wrapping_add(offset);
        Some(Access {
            is_read,
            is_write,
            size,
            lanes: lanes_of(warp.mask()).map(|n| (n, address(n))).collect(),
        })
    }

    /// Copies memory as a core sees it; returns how many bytes there are before the first that does not exist.
    pub fn read(&self, core: u32, address: u32, bytes: &mut [u8]) -> usize {
        for (n, byte) in bytes.iter_mut().enumerate() {
            let at = (address as u64) + n as u64;
            match u32::try_from(at).ok().and_then(|at| self.byte(core, at)) {
                Some(there) => *byte = there,
                None => return n,
            }
        }
        bytes.len()
    }

    /// Whether there is memory at an address, seen by a core.
    fn is_there(&self, core: u32, address: u32) -> bool {
        match address {
            LOCAL.. => {
                let is_core = (core as usize) < self.run.cores.len();
                is_core && address - LOCAL < self.run.config.local_mem
            }
            _ => self.run.protection.range_at(address).is_some(),
        }
    }

    fn byte(&self, core: u32, address: u32) -> Option<u8> {
        if !self.is_there(core, address) {
            return None;
        }
        let word = match address {
            LOCAL.. => {
                let local = &self.run.cores.get(core as usize)?.state.local;
                local.load::<4>(address & !3)
            }
            _ => self.run.memory.word(address & !3),
        };
        Some(word.to_le_bytes()[address as usize % 4])
    }

    /// Whether all of this memory exists, seen by a core.
    pub(super) fn exists(&self, core: u32, address: u32, size: u32) -> bool {
        let Some(last) = size
            .checked_sub(1)
            .and_then(|more| address.checked_add(more))
        else {
            return size == 0;
        };
        (address..=last).all(|address| self.is_there(core, address))
    }

    /// Writes memory that exists, as a core sees it.
    pub(super) fn put_memory(&mut self, core: u32, address: u32, bytes: &[u8]) {
        let Some(last) = bytes.len().checked_sub(1) else {
            return;
        };
        for (address, byte) in (address..).zip(bytes) {
            let Some(core) = self.run.cores.get(core as usize) else {
                return;
            };
            match address {
                LOCAL.. => {
                    core.state.local.store::<1>(address, u32::from(*byte));
                    if let Some(shadow) = &core.state.local_shadow {
                        shadow.store::<1>(address, 0);
                    }
                }
                _ => {
                    self.history.preserve(&self.run, address);
                    let chunk = self.run.memory.chunk(address);
                    chunk.store::<1>(address, u32::from(*byte));
                    if let Some(shadow) = self.run.shadow {
                        shadow.chunk(address).store::<1>(address, 0);
                    }
                }
            }
        }
        self.run.code.invalidate(address, address + last as u32);
        for core in self.run.cores.iter_mut() {
            core.state.forget_windows();
        }
    }

    /// Keeps what is there before it is overwritten.
    pub(super) fn preserve(&mut self, access: &Access) {
        for &(_, address) in &access.lanes {
            self.history.preserve(&self.run, address);
            // It may be at no multiple of its size.
            let last = address.wrapping_add(access.size - 1);
            self.history.preserve(&self.run, last);
        }
    }
}
