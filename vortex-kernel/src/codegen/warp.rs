//! Communication between the lanes of a warp: from operations to what the device provides.
//!
//! `legalize_warp` leaves three kinds of them. The mask of active lanes is a CSR. Votes are instructions; without them
//! only the ballot is left, which lowering builds from a split whose sides each read their own mask.
//! [`WarpOp::Read`] is a shuffle of lanes known to be active; without shuffles, [`exchange`] makes it a store of each
//! lane to its own word, and a load from another's.

use super::analysis::Inputs;
use super::lower::Lower;
use super::tags::{Branch, Role};
use super::{CompileError, carrier};
use crate::abi::{EXCHANGE_WORD, FAULT_AREA_HEADER, FaultRecord, header};
use crate::ir::expand::{Expand, Expanded, expand_body};
use crate::ir::{Alias, BinOp, Builder, Csr, Function, Inst, Op, Space, Type, Value, WarpOp};
use cranelift_codegen::cursor::Cursor;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};

/// Shuffles take the number of the lane in their lowest six bits and the highest number allowed in the next six.
const ANY_LANE: u32 = 31 << 6;

/// Passes values from lane to lane through memory, in a function that the entry has wrapped.
pub(super) fn exchange(function: &mut Function) {
    if !function.body.any(&|op| matches!(op, Op::Warp { .. })) {
        return;
    }
    expand_body(function, &mut Exchange);
}

struct Exchange;

impl Expand for Exchange {
    fn expand(&mut self, b: &mut Builder<'_>, op: &mut Op, _: &[Value]) -> Expanded {
        if let Op::Warp { op, operands } = op
            && let (WarpOp::Read, &[value, lane]) = (*op, &operands[..])
        {
            return Expanded::Is(read(b, value, lane));
        }
        Expanded::Kept
    }
}

/// The value as an active lane has it.
fn read(b: &mut Builder<'_>, value: Value, lane: Value) -> Value {
    let ty = b.function.ty(value);
    let block = b.csr(Csr::LaunchBlock);
    let faults_at = (b.function.args_size + header::FAULTS) as i32;
    let faults = b.load(Type::Ptr(Space::Global), block, faults_at, Alias::Launch);
    let [cores, warps, lanes, hart, own] = [
        Csr::NumCores,
        Csr::NumWarps,
        Csr::NumLanes,
        Csr::HartId,
        Csr::LaneId,
    ]
    .map(|csr| b.csr(csr));
    let on_core = b.binary(BinOp::Mul, warps, lanes);
    let harts = b.binary(BinOp::Mul, cores, on_core);
    let record = size_of::<FaultRecord>() as u32;
    let exchange = b.ptr_add(faults, harts, record);
    let first = b.binary(BinOp::Sub, hart, own);
    let row = b.ptr_add(exchange, first, EXCHANGE_WORD);
    let at = FAULT_AREA_HEADER as i32;
    let place = b.ptr_add(row, own, EXCHANGE_WORD);
    b.store(place, at, value, Alias::Exchange);
    let place = b.ptr_add(row, lane, EXCHANGE_WORD);
    b.load(ty, place, at, Alias::Exchange)
}

impl Lower<'_> {
    /// Lowers what `legalize_warp` and [`exchange`] leave.
    pub(super) fn warp(
        &mut self,
        inst: &Inst,
        op: WarpOp,
        operands: &[Value],
    ) -> Result<(), CompileError> {
        let [result] = inst.results[..] else {
            return Err(CompileError::internal(format!("{op:?} without a result")));
        };
        let answer = match (op, operands) {
            (WarpOp::Active, _) => self.read_now(carrier::ACTIVE, &[]),
            (WarpOp::Ballot, &[cond]) if !self.inputs.target.warp_ops => self.ballot(cond)?,
            (WarpOp::All | WarpOp::Any | WarpOp::Uniform | WarpOp::Ballot, &[cond]) => {
                let vote = match op {
                    WarpOp::All => carrier::VOTE_ALL,
                    WarpOp::Any => carrier::VOTE_ANY,
                    WarpOp::Uniform => carrier::VOTE_UNIFORM,
                    _ => carrier::BALLOT,
                };
                let cond = self.value(cond)?;
                self.carry(vote, cond, cond)
            }
            (WarpOp::Read, &[value, lane]) => {
                let control = match self.constant(lane) {
                    Some(lane) => self.word(lane | ANY_LANE),
                    None => {
                        let lane = self.value(lane)?;
                        self.ins().bor_imm_s(lane, i64::from(ANY_LANE))
                    }
                };
                let is_float = self.ir.ty(value) == Type::F32;
                let value = self.value(value)?;
                let flags = MemFlagsData::new();
                if is_float {
                    let word = self.ins().bitcast(types::I64, flags, value);
                    let word = self.carry(carrier::SHUFFLE, word, control);
                    self.ins().bitcast(types::F64, flags, word)
                } else {
                    self.carry(carrier::SHUFFLE, value, control)
                }
            }
            _ => return Err(CompileError::internal(format!("{op:?} is not lowered"))),
        };
        self.define(result, answer);
        Ok(())
    }

    /// The ballot, where there are no votes: each side of a split reads its own mask.
    fn ballot(&mut self, cond: Value) -> Result<cranelift_codegen::ir::Value, CompileError> {
        let active = self.read_now(carrier::ACTIVE, &[]);
        let Inputs { uniformity, .. } = self.inputs;
        if uniformity.is_uniform(cond) {
            let cond = self.value(cond)?;
            return Ok(self.zero_unless(cond, active));
        }
        let token = self.split(cond)?;
        let [then, els, merge] = [(); 3].map(|()| self.make_block());
        let ballot = self.cursor.func.dfg.append_block_param(merge, types::I64);
        self.brif(cond, Branch::Guarded, (then, &[]), (els, &[]))?;
        self.cursor.insert_block(then);
        let mine = self.read_now(carrier::ACTIVE, &[active]);
        self.jump(merge, &[mine.into()]);
        self.cursor.insert_block(els);
        let mine = self.read_now(carrier::ACTIVE, &[active]);
        let others = self.ins().bxor(active, mine);
        self.jump(merge, &[others.into()]);
        self.cursor.insert_block(merge);
        self.tag(Role::Plain);
        self.carry(carrier::JOIN, token, token);
        Ok(ballot)
    }
}
