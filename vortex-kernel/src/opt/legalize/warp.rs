//! Warp operations: from communication between lanes to values passed between two of them.
//!
//! What is left are the mask of active lanes, votes, and [`WarpOp::Read`]; where votes are no instructions, only the
//! ballot of these.
//!
//! Lanes are combined by doubling the distance: each active lane knows the active lane before it, takes its value in,
//! and then knows the one twice as far before. So which lanes are active does not matter, and floats are added in the
//! same order everywhere. Where all of them are active, and their number is a power of two, the lane at a distance is
//! known: [`whole`] tests for that, and such a warp takes a shorter path to the same words.

use crate::ir::expand::{Expand, Expanded, expand_body};
use crate::ir::{
    Arm, BinOp, Block, Builder, CmpOp, Const, Csr, Function, Op, Type, UnOp, Value, WarpOp, While,
};
use rustc_hash::FxHashMap;

/// Replaces warp operations of a structured function by votes and [`WarpOp::Read`]. `native` devices have instructions
/// for these; `lanes` are those of a warp, if they are known.
pub fn legalize_warp(function: &mut Function, native: bool, lanes: Option<u32>) {
    if !function.body.any(&|op| matches!(op, Op::Warp { .. })) {
        return;
    }
    let mut answers = Answers {
        native,
        lanes,
        asked: Asked::default(),
        outside: Vec::new(),
    };
    expand_body(function, &mut answers);
}

struct Answers {
    /// Whether votes and reading from other lanes are instructions.
    native: bool,
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
    scans: FxHashMap<(BinOp, Vec<Value>), (Vec<Value>, Before)>,
}

impl Expand for Answers {
    fn expand(&mut self, b: &mut Builder<'_>, op: &mut Op, _: &[Value]) -> Expanded {
        match op {
            Op::Warp { op, operands } => match op.combines() {
                Some(by) => Expanded::Are(self.combined(b, *op, by, operands)),
                None => Expanded::Is(self.answer(b, *op, operands)),
            },
            _ => Expanded::Kept,
        }
    }

    fn enter(&mut self) {
        self.outside.push(std::mem::take(&mut self.asked));
    }

    fn leave(&mut self, _: &Block) {
        self.asked = self.outside.pop().unwrap_or_default();
    }
}

impl Answers {
    fn answer(&mut self, b: &mut Builder<'_>, op: WarpOp, operands: &[Value]) -> Value {
        match (op, operands) {
            (WarpOp::All | WarpOp::Any | WarpOp::Uniform, &[cond]) if !self.native => {
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
            (WarpOp::Read, &[value, lane]) => read(b, value, lane),
            (WarpOp::Broadcast, &[value]) => {
                let active = self.active(b);
                let negative = b.unary(UnOp::Neg, active);
                let lowest = b.binary(BinOp::And, active, negative);
                let lane = bit_number(b, lowest);
                read(b, value, lane)
            }
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

    /// Words of active lanes combined.
    fn combined(
        &mut self,
        b: &mut Builder<'_>,
        op: WarpOp,
        by: BinOp,
        words: &[Value],
    ) -> Vec<Value> {
        match op {
            WarpOp::Scan(_) => self.scan(b, by, words).0,
            WarpOp::ScanBefore(_) => {
                let (sums, before) = self.scan(b, by, words);
                let of_before = read_all(b, &sums, before.lane).into_iter();
                of_before
                    .map(|word| {
                        let ty = b.function.ty(word);
                        let neutral = neutral(b, by, ty);
                        b.select(before.exists, word, neutral)
                    })
                    .collect()
            }
            _ => self.reduce(b, by, words),
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
        read(b, value, lane)
    }

    /// What the active lanes combine to.
    fn reduce(&mut self, b: &mut Builder<'_>, by: BinOp, words: &[Value]) -> Vec<Value> {
        let known = self.asked.scans.contains_key(&(by, words.to_vec()));
        if known || !self.may_be_whole() {
            let (sums, _) = self.scan(b, by, words);
            let active = self.active(b);
            let last = highest(b, active);
            return read_all(b, &sums, last);
        }
        let active = self.active(b);
        let lanes = b.csr(Csr::NumLanes);
        let whole = whole(b, active, lanes);

        let mut then = b.inner();
        let own = then.csr(Csr::LaneId);
        let sums = self.doubling(&mut then, words, lanes, |b, sums, distance| {
            let other = b.binary(BinOp::Xor, own, distance);
            let theirs = read_all(b, sums, other);
            both(b, by, &theirs, sums)
        });
        // All lanes have the same now, which nobody but this knows.
        let one = then.u32(1);
        let last = then.binary(BinOp::Sub, lanes, one);
        let sums = read_all(&mut then, &sums, last);
        let then = Arm::new(then.finish(), sums);

        let mut els = b.inner();
        let own = els.csr(Csr::LaneId);
        let before = self.before(&mut els, own);
        let sums = scan_from(&mut els, by, words, before);
        let last = highest(&mut els, active);
        let sums = read_all(&mut els, &sums, last);
        let els = Arm::new(els.finish(), sums);
        b.if_else(whole, then, els)
    }

    /// The results of [`WarpOp::Scan`], and the active lane before this one.
    fn scan(&mut self, b: &mut Builder<'_>, by: BinOp, words: &[Value]) -> (Vec<Value>, Before) {
        let asked = (by, words.to_vec());
        if let Some(known) = self.asked.scans.get(&asked) {
            return known.clone();
        }
        let own = b.csr(Csr::LaneId);
        let known = match self.may_be_whole() {
            true => self.scan_of_any(b, by, words, own),
            false => {
                let before = self.before(b, own);
                (scan_from(b, by, words, before), before)
            }
        };
        self.asked.scans.insert(asked, known.clone());
        known
    }

    /// The same, with a shorter way for warps whose lanes are all active.
    fn scan_of_any(
        &mut self,
        b: &mut Builder<'_>,
        by: BinOp,
        words: &[Value],
        own: Value,
    ) -> (Vec<Value>, Before) {
        let active = self.active(b);
        let lanes = b.csr(Csr::NumLanes);
        let whole = whole(b, active, lanes);

        let mut then = b.inner();
        let [zero, one] = [0, 1].map(|word| then.u32(word));
        let any_lane = then.binary(BinOp::Sub, lanes, one);
        let mut yields = self.doubling(&mut then, words, lanes, |b, sums, distance| {
            let other = b.binary(BinOp::Sub, own, distance);
            let other = b.binary(BinOp::And, other, any_lane);
            let theirs = read_all(b, sums, other);
            let exists = b.compare(CmpOp::Ge, own, distance);
            let words = theirs.into_iter().zip(sums);
            words
                .map(|(theirs, sum)| taken_in(b, by, exists, theirs, *sum))
                .collect()
        });
        yields.push(then.compare(CmpOp::Ne, own, zero));
        let lane = then.binary(BinOp::Sub, own, one);
        yields.push(then.binary(BinOp::And, lane, any_lane));
        let then = Arm::new(then.finish(), yields);

        let mut els = b.inner();
        let before = self.before(&mut els, own);
        let mut yields = scan_from(&mut els, by, words, before);
        yields.extend([before.exists, before.lane]);
        let els = Arm::new(els.finish(), yields);
        let mut sums = b.if_else(whole, then, els);
        let before = sums.split_off(words.len());
        let before = Before {
            exists: before[0],
            lane: before[1],
        };
        (sums, before)
    }

    /// Whether there can be a warp that takes the shorter way.
    fn may_be_whole(&self) -> bool {
        self.native && self.lanes.is_none_or(u32::is_power_of_two)
    }

    /// Words that are combined once for each time the number of lanes doubles, with the distance between lanes.
    fn doubling(
        &self,
        b: &mut Builder<'_>,
        words: &[Value],
        lanes: Value,
        combine: impl Fn(&mut Builder<'_>, &[Value], Value) -> Vec<Value>,
    ) -> Vec<Value> {
        if let Some(lanes) = self.lanes {
            let mut sums = words.to_vec();
            for distance in (0..lanes.ilog2()).map(|doubled| 1 << doubled) {
                let distance = b.u32(distance);
                sums = combine(b, &sums, distance);
            }
            return sums;
        }
        while_below(b, lanes, words, combine)
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

/// The results of [`WarpOp::Scan`], whichever lanes are active.
fn scan_from(b: &mut Builder<'_>, by: BinOp, words: &[Value], before: Before) -> Vec<Value> {
    let own = b.csr(Csr::LaneId);
    let lanes = b.csr(Csr::NumLanes);
    let mut init = words.to_vec();
    init.push(before.lane);
    let mut sums = while_below(b, lanes, &init, |b, state, _| {
        let (sums, other) = state.split_at(words.len());
        let other = other[0];
        let theirs = read_all(b, sums, other);
        let further = read(b, other, other);
        let more = b.compare(CmpOp::Ne, other, own);
        let both = both(b, by, &theirs, sums).into_iter().zip(sums);
        let mut next: Vec<Value> = both.map(|(both, sum)| b.select(more, both, *sum)).collect();
        // A lane that has nobody before it names itself.
        let at_end = b.compare(CmpOp::Eq, further, other);
        next.push(b.select(at_end, own, further));
        next
    });
    sums.truncate(words.len());
    sums
}

/// A loop with a distance that doubles from 1 while it is less than the number of lanes.
fn while_below(
    b: &mut Builder<'_>,
    lanes: Value,
    init: &[Value],
    step: impl FnOnce(&mut Builder<'_>, &[Value], Value) -> Vec<Value>,
) -> Vec<Value> {
    let one = b.u32(1);
    let types: Vec<Type> = init.iter().map(|word| b.function.ty(*word)).collect();
    let words: Vec<Value> = types.iter().map(|ty| b.function.new_value(*ty)).collect();
    let distance = b.function.new_value(Type::U32);

    let mut test = b.inner();
    let cond = test.compare(CmpOp::Lt, distance, lanes);
    let test = test.finish();

    let mut after = b.inner();
    let mut next = step(&mut after, &words, distance);
    next.push(after.binary(BinOp::Shl, distance, one));
    let after = after.finish();

    b.while_loop(While {
        params: words.iter().copied().chain([distance]).collect(),
        init: init.iter().copied().chain([one]).collect(),
        before: test,
        cond,
        exits: words,
        after,
        next,
        optional: false,
    })
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

fn both(b: &mut Builder<'_>, by: BinOp, theirs: &[Value], sums: &[Value]) -> Vec<Value> {
    let words = theirs.iter().zip(sums);
    words
        .map(|(theirs, sum)| b.binary(by, *theirs, *sum))
        .collect()
}

/// The word of another lane combined with this one's, if there is such a lane.
fn taken_in(b: &mut Builder<'_>, by: BinOp, exists: Value, theirs: Value, sum: Value) -> Value {
    let ty = b.function.ty(sum);
    if ty == Type::F32 {
        let both = b.binary(by, theirs, sum);
        return b.select(exists, both, sum);
    }
    let neutral = neutral(b, by, ty);
    let theirs = b.select(exists, theirs, neutral);
    b.binary(by, theirs, sum)
}

/// What changes nothing when it is combined with a word.
fn neutral(b: &mut Builder<'_>, by: BinOp, ty: Type) -> Value {
    let neutral = WarpOp::neutral(by, ty).unwrap_or(Const(0));
    b.value(Op::Const(neutral), ty)
}

/// The values as an active lane has them.
fn read_all(b: &mut Builder<'_>, values: &[Value], lane: Value) -> Vec<Value> {
    values.iter().map(|value| read(b, *value, lane)).collect()
}

/// The value as an active lane has it.
fn read(b: &mut Builder<'_>, value: Value, lane: Value) -> Value {
    let ty = b.function.ty(value);
    ask(b, WarpOp::Read, vec![value, lane], ty)
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
