//! Warp operations: from communication between lanes to what the device provides.
//!
//! [`expand`] leaves three kinds of them. The mask of active lanes is a CSR. Votes are instructions; without them only
//! the ballot is left, which lowering builds from a split whose sides each read their own mask. Everything that passes
//! values from lane to lane becomes [`WarpOp::Read`], a shuffle of lanes known to be active; without shuffles, a store
//! of each lane to its word of the exchange, and a load from another's.
//!
//! Lanes are combined by doubling the distance: each active lane knows the active lane before it, takes its value in,
//! and then knows the one twice as far before. So which lanes are active does not matter, and floats are added in the
//! same order everywhere. Where all of them are active, and their number is a power of two, the lane at a distance is
//! known: [`whole`] tests for that, and such a warp takes a shorter path to the same words.

use super::analysis::Inputs;
use super::lower::Lower;
use super::tags::{Branch, Role};
use super::{CompileError, Target, carrier};
use crate::abi::{EXCHANGE_WORD, FAULT_AREA_HEADER, FaultRecord, header};
use crate::ir::expand::{Expand, Expanded, expand_body};
use crate::ir::{
    Alias, Arm, BinOp, Block, Builder, CmpOp, Csr, Function, Inst, Op, Space, Type, UnOp, Value,
    WarpOp, While,
};
use cranelift_codegen::cursor::Cursor;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use rustc_hash::FxHashMap;

/// Shuffles take the number of the lane in their lowest six bits and the highest number allowed in the next six.
const ANY_LANE: u32 = 31 << 6;

/// Brings the warp operations of a function that the entry has wrapped into the form that is lowered. `lanes` are those
/// of a warp, if they are known.
pub(super) fn expand(function: &mut Function, target: Target, lanes: Option<u32>) {
    if !function.body.any(&|op| matches!(op, Op::Warp { .. })) {
        return;
    }
    let mut answers = Answers {
        target,
        lanes,
        asked: Asked::default(),
        outside: Vec::new(),
    };
    expand_body(function, &mut answers);
}

struct Answers {
    target: Target,
    /// Of a warp, if that is known.
    lanes: Option<u32>,
    asked: Asked,
    /// What has been asked in the blocks around this one.
    outside: Vec<Asked>,
}

/// What has been asked in a block: throughout it the same lanes are active.
#[derive(Default)]
struct Asked {
    /// The mask of active lanes.
    active: Option<Value>,
    /// Values combined up to each lane.
    scans: FxHashMap<(BinOp, Value), (Value, Before)>,
}

impl Expand for Answers {
    fn expand(&mut self, b: &mut Builder<'_>, op: &mut Op, _: &[Value]) -> Expanded {
        match op {
            Op::Warp { op, operands } => Expanded::Is(self.answer(b, *op, operands)),
            _ => Expanded::Kept,
        }
    }

    fn enter(&mut self) {
        self.outside.push(std::mem::take(&mut self.asked));
    }

    fn leave(&mut self, block: &Block) {
        self.asked = self.outside.pop().unwrap_or_default();
        if block.any(&|op| matches!(op, Op::NarrowMask(_))) {
            self.asked = Asked::default();
        }
    }
}

impl Answers {
    fn answer(&mut self, b: &mut Builder<'_>, op: WarpOp, operands: &[Value]) -> Value {
        let native = self.target.warp_ops;
        match (op, operands) {
            (WarpOp::All | WarpOp::Any | WarpOp::Uniform, &[cond]) if !native => {
                let ballot = ask(b, WarpOp::Ballot, vec![cond], Type::U32);
                let zero = b.u32(0);
                if op == WarpOp::Any {
                    return b.compare(CmpOp::Ne, ballot, zero);
                }
                let active = self.active(b);
                let all = b.compare(CmpOp::Eq, ballot, active);
                if op == WarpOp::All {
                    return all;
                }
                let none = b.compare(CmpOp::Eq, ballot, zero);
                b.binary(BinOp::Or, all, none)
            }
            (WarpOp::Shuffle, &[value, lane]) => self.shuffle(b, value, lane),
            (WarpOp::Read, &[value, lane]) => self.read(b, value, lane),
            (WarpOp::Broadcast, &[value]) => {
                let active = self.active(b);
                let negative = b.unary(UnOp::Neg, active);
                let lowest = b.binary(BinOp::And, active, negative);
                let lane = bit_number(b, lowest);
                self.read(b, value, lane)
            }
            (WarpOp::Scan(by), &[value]) => self.scan(b, by, value).0,
            (WarpOp::ScanBefore(by), &[value]) => {
                let (sums, before) = self.scan(b, by, value);
                let of_before = self.read(b, sums, before.lane);
                let ty = b.function.ty(value);
                let neutral = b.constant(WarpOp::neutral(by, ty).unwrap_or(0), ty);
                b.select(before.exists, of_before, neutral)
            }
            (WarpOp::Reduce(by), &[value]) => self.reduce(b, by, value),
            (WarpOp::Active, _) => self.active(b),
            (op, operands) => {
                let ty = match op {
                    WarpOp::Ballot => Type::U32,
                    _ => Type::Bool,
                };
                ask(b, op, operands.to_vec(), ty)
            }
        }
    }

    fn active(&mut self, b: &mut Builder<'_>) -> Value {
        match self.asked.active {
            Some(active) => active,
            None => {
                let active = ask(b, WarpOp::Active, Vec::new(), Type::U32);
                self.asked.active = Some(active);
                active
            }
        }
    }

    fn shuffle(&mut self, b: &mut Builder<'_>, value: Value, lane: Value) -> Value {
        let active = self.active(b);
        let moved = b.binary(BinOp::Shr, active, lane);
        // The amount of a shift is taken modulo 32.
        let lanes = b.u32(32);
        let exists = b.compare(CmpOp::Lt, lane, lanes);
        let exists = b.cast(exists, Type::U32);
        let takes_part = b.binary(BinOp::And, moved, exists);
        let zero = b.u32(0);
        let takes_part = b.compare(CmpOp::Ne, takes_part, zero);
        let own = b.csr(Csr::LaneId);
        let lane = b.select(takes_part, lane, own);
        self.read(b, value, lane)
    }

    /// The value as an active lane has it.
    fn read(&mut self, b: &mut Builder<'_>, value: Value, lane: Value) -> Value {
        let ty = b.function.ty(value);
        if self.target.warp_ops {
            return ask(b, WarpOp::Read, vec![value, lane], ty);
        }
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

    /// What the active lanes combine to.
    fn reduce(&mut self, b: &mut Builder<'_>, by: BinOp, value: Value) -> Value {
        let known = self.asked.scans.contains_key(&(by, value));
        if known || !self.may_be_whole() {
            let (sums, _) = self.scan(b, by, value);
            let active = self.active(b);
            let last = highest(b, active);
            return self.read(b, sums, last);
        }
        let active = self.active(b);
        let lanes = b.csr(Csr::NumLanes);
        let whole = whole(b, active, lanes);

        let mut then = b.inner();
        let own = then.csr(Csr::LaneId);
        let sums = self.doubling(&mut then, value, lanes, |this, b, sum, distance| {
            let other = b.binary(BinOp::Xor, own, distance);
            let theirs = this.read(b, sum, other);
            b.binary(by, theirs, sum)
        });
        // All lanes have the same now, which nobody but this knows.
        let one = then.u32(1);
        let last = then.binary(BinOp::Sub, lanes, one);
        let sum = self.read(&mut then, sums, last);
        let then = arm(then, &[sum]);

        let mut els = b.inner();
        let own = els.csr(Csr::LaneId);
        let before = self.before(&mut els, own);
        let sums = self.scan_from(&mut els, by, value, before);
        let last = highest(&mut els, active);
        let sum = self.read(&mut els, sums, last);
        let els = arm(els, &[sum]);
        b.if_else(whole, then, els)[0]
    }

    /// The results of [`WarpOp::Scan`], and the active lane before this one.
    fn scan(&mut self, b: &mut Builder<'_>, by: BinOp, value: Value) -> (Value, Before) {
        if let Some(known) = self.asked.scans.get(&(by, value)) {
            return *known;
        }
        let own = b.csr(Csr::LaneId);
        let known = match self.may_be_whole() {
            true => self.scan_of_any(b, by, value, own),
            false => {
                let before = self.before(b, own);
                (self.scan_from(b, by, value, before), before)
            }
        };
        self.asked.scans.insert((by, value), known);
        known
    }

    /// The same, with a shorter way for warps whose lanes are all active.
    fn scan_of_any(
        &mut self,
        b: &mut Builder<'_>,
        by: BinOp,
        value: Value,
        own: Value,
    ) -> (Value, Before) {
        let active = self.active(b);
        let lanes = b.csr(Csr::NumLanes);
        let whole = whole(b, active, lanes);

        let mut then = b.inner();
        let [zero, one] = [0, 1].map(|word| then.u32(word));
        let any_lane = then.binary(BinOp::Sub, lanes, one);
        let ty = then.function.ty(value);
        let sums = self.doubling(&mut then, value, lanes, |this, b, sum, distance| {
            let other = b.binary(BinOp::Sub, own, distance);
            let other = b.binary(BinOp::And, other, any_lane);
            let theirs = this.read(b, sum, other);
            let exists = b.compare(CmpOp::Ge, own, distance);
            match WarpOp::neutral(by, ty) {
                Some(neutral) if ty != Type::F32 => {
                    let neutral = b.constant(neutral, ty);
                    let theirs = b.select(exists, theirs, neutral);
                    b.binary(by, theirs, sum)
                }
                _ => {
                    let both = b.binary(by, theirs, sum);
                    b.select(exists, both, sum)
                }
            }
        });
        let exists = then.compare(CmpOp::Ne, own, zero);
        let lane = then.binary(BinOp::Sub, own, one);
        let lane = then.binary(BinOp::And, lane, any_lane);
        let then = arm(then, &[sums, exists, lane]);

        let mut els = b.inner();
        let before = self.before(&mut els, own);
        let sums = self.scan_from(&mut els, by, value, before);
        let els = arm(els, &[sums, before.exists, before.lane]);
        let results = b.if_else(whole, then, els);
        let before = Before {
            exists: results[1],
            lane: results[2],
        };
        (results[0], before)
    }

    /// Whether there can be a warp that takes the shorter way.
    fn may_be_whole(&self) -> bool {
        self.target.warp_ops && self.lanes.is_none_or(u32::is_power_of_two)
    }

    /// A word that is combined once for each time the number of lanes doubles, with the distance between lanes.
    fn doubling(
        &mut self,
        b: &mut Builder<'_>,
        value: Value,
        lanes: Value,
        combine: impl Fn(&mut Self, &mut Builder<'_>, Value, Value) -> Value,
    ) -> Value {
        if let Some(lanes) = self.lanes {
            let mut sum = value;
            for distance in (0..lanes.ilog2()).map(|doubled| 1 << doubled) {
                let distance = b.u32(distance);
                sum = combine(self, b, sum, distance);
            }
            return sum;
        }
        let ty = b.function.ty(value);
        let one = b.u32(1);
        let [sum, distance] = [ty, Type::U32].map(|ty| b.function.new_value(ty));

        let mut test = b.inner();
        let cond = test.compare(CmpOp::Lt, distance, lanes);
        let test = test.finish();

        let mut step = b.inner();
        let next_sum = combine(self, &mut step, sum, distance);
        let next_distance = step.binary(BinOp::Shl, distance, one);
        let step = step.finish();

        let sums = b.while_loop(While {
            params: vec![sum, distance],
            init: vec![value, one],
            before: test,
            cond,
            exits: vec![sum],
            after: step,
            next: vec![next_sum, next_distance],
            optional: false,
        });
        sums[0]
    }

    /// The results of [`WarpOp::Scan`], whichever lanes are active.
    fn scan_from(&mut self, b: &mut Builder<'_>, by: BinOp, value: Value, before: Before) -> Value {
        let ty = b.function.ty(value);
        let own = b.csr(Csr::LaneId);
        let lanes = b.csr(Csr::NumLanes);
        let one = b.u32(1);
        let [sum, other, distance] = [ty, Type::U32, Type::U32].map(|ty| b.function.new_value(ty));

        let mut test = b.inner();
        let cond = test.compare(CmpOp::Lt, distance, lanes);
        let test = test.finish();

        let mut step = b.inner();
        let theirs = self.read(&mut step, sum, other);
        let further = self.read(&mut step, other, other);
        let more = step.compare(CmpOp::Ne, other, own);
        let both = step.binary(by, theirs, sum);
        let next_sum = step.select(more, both, sum);
        // A lane that has nobody before it names itself.
        let at_end = step.compare(CmpOp::Eq, further, other);
        let next_other = step.select(at_end, own, further);
        let next_distance = step.binary(BinOp::Shl, distance, one);
        let step = step.finish();

        let sums = b.while_loop(While {
            params: vec![sum, other, distance],
            init: vec![value, before.lane, one],
            before: test,
            cond,
            exits: vec![sum],
            after: step,
            next: vec![next_sum, next_other, next_distance],
            optional: false,
        });
        sums[0]
    }

    fn before(&mut self, b: &mut Builder<'_>, own: Value) -> Before {
        let active = self.active(b);
        let one = b.u32(1);
        let bit = b.binary(BinOp::Shl, one, own);
        let lower = b.binary(BinOp::Sub, bit, one);
        let below = b.binary(BinOp::And, active, lower);
        let zero = b.u32(0);
        let exists = b.compare(CmpOp::Ne, below, zero);
        let last = highest(b, below);
        let lane = b.select(exists, last, own);
        Before { exists, lane }
    }
}

/// The active lane before this one.
#[derive(Clone, Copy)]
struct Before {
    exists: Value,
    /// Its number; this lane's own if there is none.
    lane: Value,
}

/// Whether all lanes are active, and their number is a power of two.
fn whole(b: &mut Builder<'_>, active: Value, lanes: Value) -> Value {
    let one = b.u32(1);
    let below = b.binary(BinOp::Sub, lanes, one);
    let common = b.binary(BinOp::And, lanes, below);
    // The amount of a shift is taken modulo 32, and there are 32 lanes at most.
    let unused = b.unary(UnOp::Neg, lanes);
    let all = b.u32(u32::MAX);
    let all = b.binary(BinOp::Shr, all, unused);
    let idle = b.binary(BinOp::Xor, active, all);
    let either = b.binary(BinOp::Or, idle, common);
    let zero = b.u32(0);
    b.compare(CmpOp::Eq, either, zero)
}

fn arm(block: Builder<'_>, values: &[Value]) -> Arm {
    Arm::new(block.finish(), values.to_vec())
}

fn ask(b: &mut Builder<'_>, op: WarpOp, operands: Vec<Value>, ty: Type) -> Value {
    b.value(Op::Warp { op, operands }, ty)
}

/// The number of the highest bit that is set, of a word with one.
fn highest(b: &mut Builder<'_>, word: Value) -> Value {
    let one = b.u32(1);
    let half = b.binary(BinOp::Shr, word, one);
    let others = b.unary(UnOp::Not, half);
    // The bit below the highest is clear now, so that the conversion to a float does not round up to the next power.
    let word = b.binary(BinOp::And, word, others);
    bit_number(b, word)
}

/// The exponent of a word as a float.
fn bit_number(b: &mut Builder<'_>, word: Value) -> Value {
    const MANTISSA_BITS: u32 = f32::MANTISSA_DIGITS - 1;
    const BIAS: u32 = 127;
    let float = b.cast(word, Type::F32);
    let bits = b.bitcast(float, Type::U32);
    let amount = b.u32(MANTISSA_BITS);
    let exponent = b.binary(BinOp::Shr, bits, amount);
    let bias = b.u32(BIAS);
    b.binary(BinOp::Sub, exponent, bias)
}

impl Lower<'_> {
    /// Lowers what [`expand`] leaves.
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
