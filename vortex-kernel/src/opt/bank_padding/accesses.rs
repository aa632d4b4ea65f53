//! The accesses to objects in local memory, and what their addresses are made of.

use crate::ir::{Block, Function, Inst, LocalId, Op, SecondaryMap, Type, Value};
use crate::opt::loops::ITERATIONS;
use crate::opt::ranges::Ranges;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How often an access is made, at most, as far as that is weighed: sums of many stay far from the end of a word.
const OFTEN: u64 = 1 << 32;

/// What is added to an address: some elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The sum.
    pub(super) address: Value,
    pub(super) index: Value,
    /// Bytes of an element.
    pub(super) scale: u32,
    /// The most that the index is.
    pub(super) most: u32,
}

#[derive(Clone, Debug)]
struct Address {
    object: LocalId,
    parts: SmallVec<[Part; 3]>,
}

/// An access to an object.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) object: LocalId,
    pub(super) parts: SmallVec<[Part; 3]>,
    /// Bytes from the sum of the parts to the first that is accessed, and how many are.
    pub(super) start: u32,
    pub(super) size: u32,
    /// How often it is made, roughly.
    pub(super) weight: u64,
}

/// All accesses to objects whose addresses are used for nothing else, and by indices that are known to be in bounds.
#[derive(Debug)]
pub(super) struct Accesses {
    all: Vec<Access>,
    addresses: FxHashMap<Value, Address>,
    refused: SecondaryMap<LocalId, bool>,
}

impl Accesses {
    pub(super) fn of(function: &Function) -> Self {
        let mut search = Search {
            function,
            ranges: Ranges::default(),
            weight: 1,
            found: Self {
                all: Vec::new(),
                addresses: FxHashMap::default(),
                refused: SecondaryMap::new(),
            },
        };
        search.block(&function.body);
        search.found
    }

    /// The object that an address is in.
    pub(super) fn object_at(&self, address: Value) -> Option<LocalId> {
        self.addresses.get(&address).map(|address| address.object)
    }

    /// Those to one object; none if it has to stay as it is.
    pub(super) fn of_object(&self, id: LocalId) -> impl Iterator<Item = &Access> {
        let known = !self.refused[id];
        self.all
            .iter()
            .filter(move |access| known && access.object == id)
    }
}

struct Search<'a> {
    function: &'a Function,
    ranges: Ranges,
    weight: u64,
    found: Accesses,
}

impl Search<'_> {
    fn block(&mut self, block: &Block) {
        let learnt = self.ranges.learnt();
        for inst in &block.insts {
            self.inst(inst);
        }
        self.ranges.forget(learnt);
    }

    fn inst(&mut self, inst: &Inst) {
        match &inst.op {
            Op::LocalAddr(object) => {
                let parts = SmallVec::new();
                let object = *object;
                let address = Address { object, parts };
                self.found
                    .addresses
                    .extend(inst.results.iter().map(|result| (*result, address.clone())));
            }
            Op::PtrAdd { base, index, scale } => self.sum(inst, *base, *index, *scale),
            Op::Load { ptr, offset, .. } => {
                let size = inst.results.first().map(|result| self.function.ty(*result));
                self.access(*ptr, *offset, size);
            }
            Op::Store {
                ptr, value, offset, ..
            } => {
                self.access(*ptr, *offset, Some(self.function.ty(*value)));
                self.refuse(*value);
            }
            Op::Atomic {
                ptr,
                offset,
                operands,
                ..
            } => {
                self.access(*ptr, *offset, Some(Type::U32));
                operands.iter().for_each(|operand| self.refuse(*operand));
            }
            Op::Assume(cond) => self.ranges.learn(*cond, true),
            Op::If { cond, then, els } => {
                for (arm, truth) in [(then, true), (els, false)] {
                    let learnt = self.ranges.learnt();
                    self.ranges.learn(*cond, truth);
                    self.block(&arm.block);
                    self.ranges.forget(learnt);
                }
            }
            Op::While(w) => {
                let around = self.weight;
                self.weight = (around * u64::from(ITERATIONS)).min(OFTEN);
                self.block(&w.before);
                let learnt = self.ranges.learnt();
                self.ranges.learn(w.cond, true);
                self.block(&w.after);
                self.ranges.forget(learnt);
                self.weight = around;
                w.init.iter().for_each(|value| self.refuse(*value));
            }
            op => op.operands(&mut |value| self.refuse(value)),
        }
        inst.op.inner_operands(&mut |value| self.refuse(value));
        if let [result] = inst.results[..] {
            self.ranges.see(result, &inst.op, self.function.ty(result));
        }
    }

    /// Its address is used for something else.
    fn refuse(&mut self, value: Value) {
        if let Some(address) = self.found.addresses.get(&value) {
            self.found.refused[address.object] = true;
        }
    }

    fn sum(&mut self, inst: &Inst, base: Value, index: Value, scale: u32) {
        let (Some(address), [result]) = (self.found.addresses.get(&base), &inst.results[..]) else {
            return;
        };
        let mut address = address.clone();
        match self.ranges.of(index) {
            Some((_, most)) if self.function.ty(index) == Type::U32 => {
                address.parts.push(Part {
                    address: *result,
                    index,
                    scale,
                    most,
                });
            }
            _ => self.found.refused[address.object] = true,
        }
        self.found.addresses.insert(*result, address);
    }

    fn access(&mut self, ptr: Value, offset: i32, ty: Option<Type>) {
        let Some(address) = self.found.addresses.get(&ptr) else {
            return;
        };
        let (Ok(start), Some(ty)) = (u32::try_from(offset), ty) else {
            self.found.refused[address.object] = true;
            return;
        };
        self.found.all.push(Access {
            object: address.object,
            parts: address.parts.clone(),
            start,
            size: ty.bytes(),
            weight: self.weight,
        });
    }
}
