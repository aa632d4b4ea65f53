//! Which constants are kept in registers, and which are made where they are used.

use super::analysis::Analysis;
use super::carrier;
use super::lower::Lower;
use crate::ir::{Block, Function, Op, Type, Value};
use crate::opt::loops::ITERATIONS;
use crate::opt::{FLOAT_CONSTANTS, integers_alive};
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlagsData, types};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Integer registers that values and constants take together, at most: the others are for addresses, other constants
/// and what instructions need on the way.
const INTEGERS: usize = 22;

/// Instructions that a word takes, in all iterations, from which on it is kept rather than values that are only alive
/// around the loop; and how many such words there are at most.
const OFTEN: u64 = 8 * (ITERATIONS as u64) * (ITERATIONS as u64);
const OFTEN_KEPT: usize = 4;

/// One instruction makes the multiples of it.
const LUI: u32 = 1 << 12;

/// How many instructions make a word, which is not part of another instruction then. 0: it may be.
const fn instructions(word: u32) -> u64 {
    match word {
        0..0x800 | 0xffff_f800.. => 0,
        _ if word.is_multiple_of(LUI) => 1,
        _ => 2,
    }
}

impl Lower<'_> {
    /// Makes what constants are kept in registers: of floats those that are used most. Words that loops have to make
    /// anew, and of which nothing else is part of an instruction, are kept in the integer registers that are left.
    pub(super) fn constants(&mut self) {
        let uses = Uses::of(self.ir, &self.analysis);
        let floats = uses.floats(&self.analysis);
        let (floats, others) = floats.split_at(FLOAT_CONSTANTS.min(floats.len()));
        for word in floats {
            let value = self.load_float(*word);
            self.floats.insert(*word, value);
        }
        let words = uses.words(others);
        if words.is_empty() {
            return;
        }
        let alive = integers_alive(self.ir, &self.ir.body, &self.ir.body.insts);
        let room = INTEGERS.saturating_sub(alive);
        let (first, rest) = words.split_at(room.min(words.len()));
        let often = rest.iter().filter(|(_, cost)| *cost >= OFTEN);
        for (word, _) in first.iter().chain(often.take(OFTEN_KEPT)) {
            let kept = self.kept(*word);
            self.words.insert(*word, kept);
        }
    }

    /// A word that is made once: as a constant it would be made again at each use.
    fn kept(&mut self, word: u32) -> clif::Value {
        let high = word.wrapping_add(LUI / 2) & !(LUI - 1);
        let (high, low) = (self.word(high), self.word(word.wrapping_sub(high)));
        self.carry(carrier::ADD, high, low)
    }

    /// A constant word, sign-extended. Constants cost nothing where they fit an immediate, else they are loaded at
    /// each use.
    pub(super) fn word(&mut self, word: u32) -> clif::Value {
        let mut value = i64::from(word as i32);
        // RV64 has no lui and addi for these; one turn of 32 bits further down it does, and RV32 cannot tell.
        if (0x7fff_f800..=0x7fff_ffff).contains(&value) {
            value -= 1 << 32;
        }
        self.ins().iconst(types::I64, value)
    }

    pub(super) fn integer_constant(&mut self, word: u32) -> clif::Value {
        match self.words.get(&word) {
            Some(kept) => *kept,
            None => self.word(word),
        }
    }

    pub(super) fn float_constant(&mut self, word: u32) -> clif::Value {
        if let Some(value) = self.floats.get(&word) {
            return *value;
        }
        match self.words.get(&word).copied() {
            Some(kept) => self.ins().bitcast(types::F64, MemFlagsData::new(), kept),
            None => self.load_float(word),
        }
    }

    fn load_float(&mut self, word: u32) -> clif::Value {
        let word = self.word(word);
        self.ins().bitcast(types::F64, MemFlagsData::new(), word)
    }
}

/// How often constants are used, with loops running [`ITERATIONS`] times.
#[derive(Default)]
struct Uses {
    floats: HashMap<u32, u64>,
    words: HashMap<u32, u64>,
}

impl Uses {
    fn of(function: &Function, analysis: &Analysis) -> Self {
        let mut uses = Self::default();
        uses.block(function, analysis, &function.body, 1);
        uses
    }

    /// Adds those of a block that runs so often.
    fn block(&mut self, function: &Function, analysis: &Analysis, block: &Block, times: u64) {
        let mut count = |value: &Value| {
            if let Some(word) = analysis.constant[*value] {
                let is_float = function.ty(*value) == Type::F32;
                let uses = if is_float {
                    &mut self.floats
                } else {
                    &mut self.words
                };
                let uses = uses.entry(word).or_default();
                *uses = uses.saturating_add(times);
            }
        };
        for inst in &block.insts {
            match &inst.op {
                // Indices become offsets.
                Op::PtrAdd { base, .. } => count(base),
                op => op.operands(&mut |value| count(&value)),
            }
            if let Op::If { then, els, .. } = &inst.op {
                then.yields.iter().chain(&els.yields).for_each(&mut count);
            }
        }
        for inst in &block.insts {
            let is_loop = matches!(inst.op, Op::While(_));
            let times = times.saturating_mul(if is_loop { ITERATIONS.into() } else { 1 });
            for nested in inst.op.blocks().into_iter().flatten() {
                if !nested.is_failure() {
                    self.block(function, analysis, nested, times);
                }
            }
        }
    }

    /// Float constants, those that are used most first.
    fn floats(&self, analysis: &Analysis) -> Vec<u32> {
        let of = |word: &u32| self.floats.get(word).copied().unwrap_or(0);
        let mut floats = analysis.floats.clone();
        if floats.len() > FLOAT_CONSTANTS {
            floats.sort_by_key(|word| Reverse(of(word)));
        }
        floats
    }

    /// Words that loops make anew, with the instructions that they take, those first that take most: for integers, and
    /// for such `floats` as no float register is left for.
    fn words(&self, floats: &[u32]) -> Vec<(u32, u64)> {
        let mut uses = self.words.clone();
        for word in floats {
            let of_float = self.floats.get(word).copied().unwrap_or(0);
            let uses = uses.entry(*word).or_default();
            *uses = uses.saturating_add(of_float);
        }
        let in_loops = uses
            .into_iter()
            .filter(|(_, uses)| *uses >= ITERATIONS.into());
        let mut words: Vec<(u32, u64)> = in_loops
            .map(|(word, uses)| (word, uses.saturating_mul(instructions(word))))
            .filter(|(_, cost)| *cost > 0)
            .collect();
        words.sort_by_key(|(word, cost)| (Reverse(*cost), *word));
        words
    }
}
