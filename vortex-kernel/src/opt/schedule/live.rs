//! Which values are live, and how many registers they occupy.

use super::super::tuning::FLOAT_CONSTANTS;
use crate::ir::{Block, EntitySet, Function, Inst, Op, SecondaryMap, Type, Value, While};
use rustc_hash::FxHashSet;

/// Registers by file: integers, floats.
pub(super) type Registers = [usize; 2];

/// The register file of a value, if it takes a register: constants are made where they are used.
#[derive(Debug)]
pub(super) struct Live {
    files: SecondaryMap<Value, Option<u8>>,
    now: EntitySet<Value>,
    /// Float constants that are kept in registers.
    constants: usize,
}

impl Live {
    /// At the end of a function.
    pub(super) fn of(function: &Function, body: &Block) -> Self {
        let mut files = function.map_values(None);
        for (value, ty) in &function.values {
            files[value] = Some(u8::from(*ty == Type::F32));
        }
        let mut floats = FxHashSet::default();
        body.visit(&mut |inst| {
            if let (Op::Const(word), [result]) = (&inst.op, &inst.results[..]) {
                files[*result] = None;
                if function.ty(*result) == Type::F32 {
                    floats.insert(word.0);
                }
            }
        });
        Self {
            files,
            now: EntitySet::new(),
            constants: floats.len().min(FLOAT_CONSTANTS),
        }
    }

    /// The register file that a value takes a register of.
    pub(super) fn file(&self, value: Value) -> Option<usize> {
        self.files[value].map(usize::from)
    }

    pub(super) fn is(&self, value: Value) -> bool {
        self.now.contains(value)
    }

    pub(super) fn registers(&self) -> Registers {
        let mut registers = [0, self.constants];
        for value in self.now.iter() {
            if let Some(file) = self.file(value) {
                registers[file] += 1;
            }
        }
        registers
    }

    pub(super) fn used(&mut self, values: &[Value]) {
        for value in values {
            if self.files[*value].is_some() {
                self.now.insert(*value);
            }
        }
    }

    pub(super) fn defined(&mut self, values: &[Value]) {
        for value in values {
            self.now.remove(*value);
        }
    }

    /// Goes back over an instruction without blocks.
    pub(super) fn before(&mut self, inst: &Inst) {
        self.defined(&inst.results);
        inst.op.operands(&mut |v| self.used(&[v]));
    }

    /// What a loop uses and does not define is alive all through it.
    pub(super) fn used_by_loop(&mut self, w: &While) {
        let mut used = Vec::new();
        let mut defined: FxHashSet<Value> = w.params.iter().copied().collect();
        for block in [&w.before, &w.after] {
            block.uses(&mut |v| used.push(v));
            block.visit(&mut |inst| {
                defined.extend(&inst.results);
                if let Op::While(inner) = &inst.op {
                    defined.extend(&inner.params);
                }
            });
        }
        used.push(w.cond);
        used.extend(w.exits.iter().chain(&w.next));
        used.retain(|v| !defined.contains(v));
        self.used(&used);
    }

    pub(super) fn clone_now(&self) -> EntitySet<Value> {
        self.now.clone()
    }

    pub(super) fn replace(&mut self, now: EntitySet<Value>) -> EntitySet<Value> {
        std::mem::replace(&mut self.now, now)
    }

    pub(super) fn join(&mut self, other: &EntitySet<Value>) {
        for value in other.iter() {
            self.now.insert(value);
        }
    }
}
