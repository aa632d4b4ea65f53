//! Decoded instructions: each word is decoded once, when execution first comes near it.

use super::config::Config;
use super::memory::Memory;
use super::notes::{Notes, Update};
use super::protection::Range;
use super::registers::{FLOAT_ROWS, SINK};
use vortex_isa::{Extension, Generation, Inst, Opcode, RegFile, Rounding};

/// How much is decoded at once, around the address that was asked for.
const WINDOW: u32 = 64 << 10;

/// An instruction made ready: operands name rows of the register file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    /// `None`: no instruction of this device.
    pub(crate) opcode: Option<Opcode>,
    /// Row of the result; of `pred`, the negation flag.
    pub(crate) rd: u8,
    /// Row of the first operand; of `csrr?i`, the immediate.
    pub(crate) rs1: u8,
    /// Row of the second operand; of `split`, the negation flag.
    pub(crate) rs2: u8,
    pub(crate) rs3: u8,
    pub(crate) rm: Rounding,
    /// Of a store that is an update, what it is, if that matters.
    pub(crate) update: Option<Update>,
    /// Immediate; of atomics, bit 0 acquire and bit 1 release.
    pub(crate) imm: u32,
    /// The rows that are operands or the result, one bit each.
    pub(crate) rows: u64,
    /// Whether the result is a register that is no operand, and has a value in each lane whose operands have.
    pub(crate) is_fresh: bool,
}

impl Op {
    fn decode(word: u32, config: &Config) -> Op {
        let illegal = Op {
            opcode: None,
            rd: SINK,
            rs1: 0,
            rs2: 0,
            rs3: 0,
            rm: Rounding::Rne,
            update: None,
            imm: 0,
            rows: 0,
            is_fresh: false,
        };
        let Some(inst) = Inst::decode(word) else {
            return illegal;
        };
        let info = inst.opcode.info();
        let supported = match info.extension {
            Extension::A => config.atomics,
            Extension::Zicond => config.zicond,
            Extension::WarpOps => config.warp_ops,
            Extension::V3 => config.generation.has(Generation::V3),
            Extension::I | Extension::M | Extension::F | Extension::Zicsr | Extension::Simt => true,
        };
        if !supported {
            return illegal;
        }
        let row = |file: Option<RegFile>, number: u8| match file {
            Some(RegFile::Float) => FLOAT_ROWS + number,
            _ => number,
        };
        let rd = match (info.rd, inst.rd) {
            (Some(RegFile::Integer), 0) => SINK,
            (file, number) => row(file, number),
        };
        let rs = [inst.rs1, inst.rs2, inst.rs3];
        let operands = info
            .rs
            .iter()
            .zip(rs)
            .filter(|(file, _)| file.is_some())
            .fold(0, |rows, (&file, number)| rows | 1 << row(file, number));
        let result = match info.rd {
            Some(_) if rd != SINK => 1 << rd,
            _ => 0,
        };
        Op {
            opcode: Some(inst.opcode),
            rows: operands | result,
            is_fresh: result & !operands != 0 && !shuffles(inst.opcode),
            rd,
            rs1: row(info.rs[0], inst.rs1),
            rs2: row(info.rs[1], inst.rs2),
            rs3: row(info.rs[2], inst.rs3),
            rm: inst.rm,
            update: None,
            imm: match info.extension {
                Extension::A => u32::from(inst.aq) | u32::from(inst.rl) << 1,
                _ => inst.imm as u32,
            },
        }
    }
}

/// Whether lanes get what other lanes hold, which may be inactive.
fn shuffles(opcode: Opcode) -> bool {
    use Opcode::{ShflBfly, ShflDown, ShflIdx, ShflUp};
    matches!(opcode, ShflUp | ShflDown | ShflBfly | ShflIdx)
}

/// Decoded instructions from `start` on.
#[derive(Debug)]
pub(crate) struct Block {
    start: u32,
    ops: Box<[Op]>,
}

impl Block {
    /// The instruction at `pc`, a multiple of 4, if it is in this block.
    #[inline(always)]
    pub(crate) fn at(&self, pc: u32) -> Option<&Op> {
        self.ops.get((pc.wrapping_sub(self.start) / 4) as usize)
    }

    fn last(&self) -> u32 {
        self.start + (self.ops.len() as u32 * 4 - 1)
    }
}

/// All that was decoded so far.
#[derive(Debug, Default)]
pub(crate) struct Code {
    blocks: Vec<Block>,
}

impl Code {
    /// The block that holds `pc`, if it was decoded.
    #[inline]
    pub(crate) fn find(&self, pc: u32) -> Option<usize> {
        self.blocks.iter().position(|block| block.at(pc).is_some())
    }

    /// Decodes what is around `pc`, which is in `range`. Stores to it must be reported from now on.
    pub(crate) fn decode(
        &mut self,
        pc: u32,
        range: Range,
        memory: &Memory,
        config: &Config,
        notes: Option<&Notes>,
    ) -> usize {
        let notes = notes.filter(|_| config.checks.lost_updates);
        let window = pc & !(WINDOW - 1);
        let start = range.first.next_multiple_of(4).max(window);
        let last = range.last.min(window + (WINDOW - 1));
        let ops = (start..=last - 3)
            .step_by(4)
            .map(|address| Op {
                update: notes.and_then(|notes| notes.at(address).update),
                ..Op::decode(memory.word(address), config)
            })
            .collect();
        self.blocks.push(Block { start, ops });
        self.blocks.len() - 1
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> &Block {
        &self.blocks[index]
    }

    /// Whether anything in `[first, last]` was decoded.
    #[inline]
    pub(crate) fn overlaps(&self, first: u32, last: u32) -> bool {
        self.blocks
            .iter()
            .any(|block| block.start <= last && first <= block.last())
    }

    /// Forgets what was decoded in `[first, last]`.
    pub(crate) fn invalidate(&mut self, first: u32, last: u32) {
        self.blocks
            .retain(|block| block.start > last || first > block.last());
    }
}
