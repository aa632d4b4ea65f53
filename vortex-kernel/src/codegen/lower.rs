//! Structured IR to CLIF: control flow. Single operations are in `ops`.
//!
//! # Divergence
//!
//! A condition on which the active lanes agree becomes a plain branch. Otherwise:
//!
//! ```text
//! if c { A } else { B }            while { before; c } { after }
//!
//!     t = split c                      m = the active lanes
//!     brif c, then, else           top:
//! then: A; jump merge                  before
//! else: B; jump merge                  pred c, m
//! merge: join t                        brif c, body, out
//!                                  body: after; jump top
//! ```
//!
//! A lane that is switched off keeps its registers and resumes exactly where it was switched off, so each lane's own
//! execution is an ordinary sequential run, whatever the register allocator inserts.
//!
//! # How deep splits nest
//!
//! The device keeps an entry for every open split whose lanes disagreed, and has room for one less than a warp has
//! lanes. However deep conditions are nested in a kernel, that is enough. Let the entries be 1 to k, the outermost
//! first, and M(i) the lanes that were active at split i. A split whose active lanes agree makes no entry, so each side
//! of split i is smaller than M(i). Until its join what runs is one of its sides, or part of one: the `If` is nested in
//! it as a whole; a `pred` gives back the lanes that its loop began with, and that loop is nested likewise; `tmc` only
//! takes lanes away. So M(i + 1) is smaller than M(i). M(1) has at most all lanes, and of M(k), which disagreed, each
//! side has one at least: hence k < lanes. A loop needs no entry for its iterations, nor does a `break`: they are
//! conditions.

use super::CompileError;
use super::analysis::{Analysis, Inputs};
use super::carrier::{self, Carrier, CarrierShape};
use super::tags::{Branch, Note, Role, Tags};
use crate::ir::{
    self, Arm, Block, Csr, DataId, Function, Inst, Loc, Op, PrimaryMap, PrivateId, SecondaryMap,
    Type, Value,
};
use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::{
    self as clif, AbiParam, AtomicRmwOp, BlockArg, InstBuilder, MemFlagsData, StackSlotData,
    StackSlotKind, TrapCode, types,
};
use std::collections::HashMap;

/// Lowers `function`, which the entry has wrapped, into the empty CLIF function `into`.
pub(super) fn lower(
    function: &Function,
    inputs: Inputs<'_>,
    into: &mut clif::Function,
) -> Result<Tags, CompileError> {
    into.collect_debug_info();
    let mut cursor = FuncCursor::new(into);
    let start = cursor.func.dfg.make_block();
    cursor.insert_block(start);
    // The start leaves the address of the launch block in the first argument register.
    let word = AbiParam::new(types::I64);
    cursor.func.signature.params.push(word);
    let launch_block = cursor.func.dfg.append_block_param(start, types::I64);
    // The address of the constant data is in the second one.
    let (data_offsets, _) = function.data_image();
    let data = (!data_offsets.is_empty()).then(|| {
        cursor.func.signature.params.push(word);
        cursor.func.dfg.append_block_param(start, types::I64)
    });
    let (private_offsets, private_bytes) = function.private_layout();
    let private = (private_bytes > 0).then(|| {
        const ALIGN_SHIFT: u8 = ir::MAX_ALIGN.trailing_zeros() as u8;
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, private_bytes, ALIGN_SHIFT);
        cursor.func.create_sized_stack_slot(slot)
    });
    let analysis = Analysis::of(function, inputs);
    let mut lower = Lower {
        ir: function,
        inputs,
        analysis,
        cursor,
        launch_block,
        data: data.map(|data| (data, data_offsets)),
        private: private.map(|slot| (slot, private_offsets)),
        tags: Tags::default(),
        loc: Loc::NONE,
        seldom: Seldom::No,
        values: function.map_values(None),
        floats: HashMap::new(),
        words: HashMap::new(),
        shared: HashMap::new(),
        shared_log: Vec::new(),
        different: function.map_values(None),
    };
    lower.tag(Role::Plain);
    lower.constants();
    lower.block(&function.body)?;
    lower.loc = Loc::NONE;
    lower.tag(Role::Plain);
    // A zero word, which narrowing turns into the end of the warp.
    lower.cursor.ins().trap(TrapCode::unwrap_user(1));
    Ok(lower.tags)
}

/// How seldom code is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Seldom {
    /// For all that is known, often.
    No,
    /// Only where the checks do not hold that another version of it does without.
    InFallback,
    /// Only after a failure.
    InFailure,
}

/// A word that is computed once for all that need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shared {
    /// An index times an amount: arrays with one index share the shift.
    Scaled(clif::Value, u32),
    /// The bits in which two words differ.
    Difference(clif::Value, clif::Value),
}

pub(super) struct Lower<'a> {
    pub(super) ir: &'a Function,
    pub(super) inputs: Inputs<'a>,
    pub(super) analysis: Analysis,
    pub(super) cursor: FuncCursor<'a>,
    launch_block: clif::Value,
    /// Where constant data is, and each object in it.
    data: Option<(clif::Value, PrimaryMap<DataId, u32>)>,
    /// Where private memory is, and each object in it.
    private: Option<(clif::StackSlot, PrimaryMap<PrivateId, u32>)>,
    tags: Tags,
    pub(super) loc: Loc,
    /// How seldom the code is executed that comes next.
    seldom: Seldom,
    values: SecondaryMap<Value, Option<clif::Value>>,
    /// Constants that are kept in registers of floats.
    pub(super) floats: HashMap<u32, clif::Value>,
    /// Words that are kept in registers of integers.
    pub(super) words: HashMap<u32, clif::Value>,
    /// What has been computed already where the current block is dominated by it.
    shared: HashMap<Shared, clif::Value>,
    shared_log: Vec<Shared>,
    /// Of whether two words are equal, or not: a word that is 0 just when they are, and which of the two is asked.
    pub(super) different: SecondaryMap<Value, Option<(clif::Value, bool)>>,
}

impl<'a> Lower<'a> {
    /// Appends an instruction to the current block.
    pub(super) fn ins(&mut self) -> clif::InsertBuilder<'_, &mut FuncCursor<'a>> {
        self.cursor.ins()
    }

    pub(super) fn tag(&mut self, role: Role) {
        let tag = self.tags.add(self.loc, role);
        self.cursor.set_srcloc(tag);
    }

    /// What is emitted next is an instruction of which something is known.
    pub(super) fn tag_noted(&mut self, note: Note) {
        let tag = self.tags.add_noted(self.loc, note);
        self.cursor.set_srcloc(tag);
    }

    /// What is emitted next adds these. Cranelift does not say where labelled values are in code at the end of the
    /// function; where one is added to, it is in a register.
    pub(super) fn tag_sum(&mut self, a: Value, b: Value) {
        let counts = |value| self.inputs.item_counters.contains(&value);
        if self.seldom > Seldom::No && (counts(a) || counts(b)) {
            let is_second = !counts(a);
            self.tag_noted(Note::Counter { is_second });
        }
    }

    /// The word of a constant.
    pub(super) fn constant(&self, value: Value) -> Option<u32> {
        self.analysis.constant[value]
    }

    /// Whether a float certainly is not a NaN.
    pub(super) fn is_number(&self, value: Value) -> bool {
        self.analysis.number[value]
    }

    /// Whether a comparison, or a not around it, is made by the branch that uses it.
    pub(super) fn is_fused(&self, value: Value) -> bool {
        let (inner, _) = self.analysis.condition(value);
        self.analysis.fused[inner].is_some()
    }

    /// The CLIF value of an IR value.
    pub(super) fn value(&mut self, value: Value) -> Result<clif::Value, CompileError> {
        if let Some(word) = self.constant(value) {
            return Ok(if self.ir.ty(value) == Type::F32 {
                self.float_constant(word)
            } else {
                self.integer_constant(word)
            });
        }
        if let Some((id, 0)) = self.analysis.private[value] {
            return self.private(id);
        }
        if let (true, Some(csr)) = (self.rereads_csr(), self.analysis.csr[value]) {
            return Ok(self.read_csr(csr));
        }
        self.values[value].ok_or_else(|| CompileError::internal(format!("{value} has no code")))
    }

    /// The address of an object in private memory: it costs as much as keeping it would.
    fn private(&mut self, id: PrivateId) -> Result<clif::Value, CompileError> {
        let missing = || CompileError::internal(format!("{id} has no place"));
        let (slot, offsets) = self.private.as_ref().ok_or_else(missing)?;
        let (slot, offset) = (*slot, *offsets.get(id).ok_or_else(missing)?);
        Ok(self
            .ins()
            .stack_addr(types::I64, slot, offset.cast_signed()))
    }

    /// Whether an access is to private memory beyond its object: behind a check, so that it never happens. As part of
    /// the frame it would be taken for one of Cranelift's own.
    pub(super) fn never_happens(&self, ptr: Value, offset: i32, bytes: u32) -> bool {
        self.analysis.private[ptr].is_some_and(|(id, at)| {
            let size = self.ir.privates[id].size;
            let end = u32::try_from(at.wrapping_add(offset)).ok();
            end.and_then(|at| at.checked_add(bytes))
                .is_none_or(|end| end > size)
        })
    }

    /// The address of constant data.
    pub(super) fn data(&mut self, id: DataId) -> Result<clif::Value, CompileError> {
        let missing = || CompileError::internal(format!("{id} has no place"));
        let (start, offsets) = self.data.as_ref().ok_or_else(missing)?;
        let (start, offset) = (*start, *offsets.get(id).ok_or_else(missing)?);
        Ok(match offset {
            0 => start,
            offset => {
                let offset = self.word(offset);
                self.ins().iadd(start, offset)
            }
        })
    }

    pub(super) fn all(&mut self, values: &[Value]) -> Result<Vec<BlockArg>, CompileError> {
        values.iter().map(|v| Ok(self.value(*v)?.into())).collect()
    }

    pub(super) fn define(&mut self, value: Value, clif: clif::Value) {
        if self.inputs.item_counters.contains(&value) {
            self.label_item_counter(clif);
        }
        self.values[value] = Some(clif);
        self.different[value] = None;
    }

    /// Has Cranelift keep book of where it puts a value, and leave it as it is otherwise.
    fn label_item_counter(&mut self, value: clif::Value) {
        let start = clif::ValueLabelStart {
            from: clif::RelSourceLoc::default(),
            label: clif::ValueLabel::from_u32(0),
        };
        if let Some(labels) = &mut self.cursor.func.dfg.values_labels {
            let starts = clif::ValueLabelAssignments::Starts(vec![start]);
            labels.insert(value, starts);
        }
    }

    /// Emits the operation that carries an instruction. Shapes without operands ignore both, those with one the second.
    pub(super) fn carry(
        &mut self,
        carrier: Carrier,
        a: clif::Value,
        b: clif::Value,
    ) -> clif::Value {
        self.tag(Role::Carrier(carrier));
        let result = match carrier.shape {
            CarrierShape::Convergent => {
                self.ins()
                    .atomic_rmw(types::I64, MemFlagsData::trusted(), AtomicRmwOp::Xchg, a, b)
            }
            CarrierShape::Nullary => self.ins().get_stack_pointer(types::I64),
            CarrierShape::IntPair => self.ins().umulhi(a, b),
            CarrierShape::FloatPair => self.ins().fdiv(a, b),
            CarrierShape::FloatToInt => self.ins().bitcast(types::I64, MemFlagsData::new(), a),
        };
        let inst = self.cursor.func.dfg.value_def(result).unwrap_inst();
        self.tags.set_clif(inst);
        self.tag(Role::Plain);
        result
    }

    /// Whether what is read from the hart is read at each use, rather than kept in a register: in failures it is.
    pub(super) fn rereads_csr(&self) -> bool {
        self.seldom == Seldom::InFailure
    }

    /// Reads a fact about the hart. Where the launch block is, the start leaves in a register: for the first block, as
    /// nothing is won by keeping it.
    pub(super) fn read_csr(&mut self, csr: Csr) -> clif::Value {
        let is_first = self.cursor.current_block() == self.cursor.func.layout.entry_block();
        match csr {
            Csr::LaunchBlock if is_first => self.launch_block,
            Csr::LaunchBlock => self.read_now(carrier::LAUNCH_BLOCK, &[]),
            _ => {
                let nothing = self.launch_block;
                self.carry(carrier::read_csr(csr), nothing, nothing)
            }
        }
    }

    /// Reads a CSR at just this place. The carrier wants an operand: any word at hand will do.
    pub(super) fn read_now(&mut self, carrier: Carrier, at_hand: &[clif::Value]) -> clif::Value {
        let dfg = &self.cursor.func.dfg;
        let word = at_hand
            .iter()
            .copied()
            .find(|v| dfg.value_type(*v) == types::I64);
        let any = word.unwrap_or_else(|| self.word(0));
        self.carry(carrier, any, any)
    }

    pub(super) fn block(&mut self, block: &Block) -> Result<(), CompileError> {
        self.insts(&block.insts)
    }

    pub(super) fn insts(&mut self, insts: &[Inst]) -> Result<(), CompileError> {
        for inst in insts {
            self.loc = inst.loc;
            self.tag(Role::Plain);
            match &inst.op {
                Op::If { cond, then, els } => self.branch(inst, *cond, then, els)?,
                Op::While(w) => self.while_loop(inst, w)?,
                _ => self.op(inst)?,
            }
        }
        Ok(())
    }

    /// A block that is dominated by the current one: what is shared inside is not shared after it.
    pub(super) fn nested(&mut self, block: &Block) -> Result<(), CompileError> {
        let mark = self.shared_mark();
        self.block(block)?;
        self.forget_shared(mark);
        Ok(())
    }

    pub(super) fn shared_mark(&self) -> usize {
        self.shared_log.len()
    }

    /// Forgets what was remembered since the mark.
    pub(super) fn forget_shared(&mut self, mark: usize) {
        for key in self.shared_log.drain(mark..) {
            self.shared.remove(&key);
        }
    }

    pub(super) fn shared(&self, key: Shared) -> Option<clif::Value> {
        self.shared.get(&key).copied()
    }

    pub(super) fn remember_shared(&mut self, key: Shared, value: clif::Value) {
        self.shared.insert(key, value);
        self.shared_log.push(key);
    }

    pub(super) fn make_block(&mut self) -> clif::Block {
        let block = self.cursor.func.dfg.make_block();
        // Branches reach 4 KiB. What is seldom executed stands at the end, so that it is in nobody's way.
        if self.seldom > Seldom::No {
            self.cursor.func.layout.set_cold(block);
        }
        block
    }

    /// A block with a parameter for each of `values`, whose code it becomes; values nobody uses get none.
    pub(super) fn params(&mut self, block: clif::Block, values: &[Value]) {
        for value in values {
            let ty = self.clif_type(*value);
            let param = self.cursor.func.dfg.append_block_param(block, ty);
            self.define(*value, param);
        }
    }

    fn clif_type(&self, value: Value) -> clif::Type {
        match self.ir.ty(value) {
            Type::F32 => types::F64,
            _ => types::I64,
        }
    }

    pub(super) fn jump(&mut self, to: clif::Block, args: &[BlockArg]) {
        self.ins().jump(to, args);
    }

    /// A conditional branch on an IR value; the last instruction of its block.
    pub(super) fn brif(
        &mut self,
        cond: Value,
        role: Branch,
        (then, then_args): (clif::Block, &[BlockArg]),
        (els, els_args): (clif::Block, &[BlockArg]),
    ) -> Result<(), CompileError> {
        let (cond, inverted) = self.analysis.condition(cond);
        let (test, inverted) = match self.analysis.fused[cond] {
            Some((op, a, b)) => (self.comparison(op, a, b)?, inverted),
            // The arms keep their order, in which Cranelift lays them out.
            None => {
                let word = self.value(cond)?;
                (self.zero_test(word, inverted), false)
            }
        };
        self.tag(Role::Branch(role));
        if inverted {
            self.ins().brif(test, els, els_args, then, then_args);
        } else {
            self.ins().brif(test, then, then_args, els, els_args);
        }
        self.tag(Role::Plain);
        Ok(())
    }

    fn branch(
        &mut self,
        inst: &Inst,
        cond: Value,
        then: &Arm,
        els: &Arm,
    ) -> Result<(), CompileError> {
        let uniform = self.inputs.uniformity.is_uniform(cond);
        let token = if uniform {
            None
        } else {
            Some(self.split(cond)?)
        };
        let merge = self.make_block();
        // An empty arm is an edge to the merge.
        let (then_block, then_args) = self.arm_target(then, merge)?;
        let (els_block, els_args) = self.arm_target(els, merge)?;
        let role = if uniform {
            Branch::Uniform
        } else {
            Branch::Guarded
        };
        self.brif(cond, role, (then_block, &then_args), (els_block, &els_args))?;
        for (arm, block) in [(then, then_block), (els, els_block)] {
            if block != merge {
                let outer = self.enter(arm);
                self.arm(arm, block, merge)?;
                self.seldom = outer;
            }
        }
        self.cursor.insert_block(merge);
        self.params(merge, &inst.results);
        self.loc = inst.loc;
        self.tag(Role::Plain);
        if let Some(token) = token {
            self.carry(carrier::JOIN, token, token);
        }
        Ok(())
    }

    /// Splits the active lanes by `cond`; the result is what the join wants.
    pub(super) fn split(&mut self, cond: Value) -> Result<clif::Value, CompileError> {
        let (cond, _) = self.analysis.condition(cond);
        let word = self.value(cond)?;
        Ok(self.carry(carrier::SPLIT, word, word))
    }

    fn arm_target(
        &mut self,
        arm: &Arm,
        merge: clif::Block,
    ) -> Result<(clif::Block, Vec<BlockArg>), CompileError> {
        if arm.block.insts.is_empty() {
            return Ok((merge, self.all(&arm.yields)?));
        }
        let outer = self.enter(arm);
        let block = self.make_block();
        self.seldom = outer;
        Ok((block, Vec::new()))
    }

    /// Says how seldom code is executed from here on, in an arm; gives what was said before.
    fn enter(&mut self, arm: &Arm) -> Seldom {
        let arm = match arm.is_fallback {
            _ if arm.block.is_failure() => Seldom::InFailure,
            true => Seldom::InFallback,
            false => Seldom::No,
        };
        let here = self.seldom.max(arm);
        std::mem::replace(&mut self.seldom, here)
    }

    fn arm(
        &mut self,
        arm: &Arm,
        block: clif::Block,
        merge: clif::Block,
    ) -> Result<(), CompileError> {
        self.cursor.insert_block(block);
        self.nested(&arm.block)?;
        let yields = self.all(&arm.yields)?;
        self.jump(merge, &yields);
        Ok(())
    }
}
