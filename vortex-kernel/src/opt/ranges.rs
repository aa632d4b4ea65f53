//! Ranges of numbers that follow from the conditions at a place: `if x.len() >= 2 { x[1] }` needs no check.

use super::fold::swapped;
use crate::ir::{BinOp, CmpOp, Const, Op, Type, Value};
use rustc_hash::FxHashMap;

/// From the least to the greatest.
pub(super) type Range = (u32, u32);

const ANY: Range = (0, u32::MAX);

/// What is known about values where a walk is.
#[derive(Default)]
pub(super) struct Ranges {
    constants: FxHashMap<Value, (u32, Type)>,
    /// Comparisons of a `u32` with a constant.
    comparisons: FxHashMap<Value, (CmpOp, Value, u32)>,
    /// What a value is with a constant added, by that value.
    sums: FxHashMap<Value, Vec<(Value, u32)>>,
    /// One of two numbers: a condition, and which where it does not hold and where it does.
    choices: FxHashMap<Value, (Value, [u32; 2])>,
    ranges: FxHashMap<Value, Range>,
    /// What to restore of these.
    learnt: Vec<(Value, Option<Range>)>,
}

impl Ranges {
    /// Notes what defines a value. Gives the truth of a comparison that is known here.
    pub(super) fn see(&mut self, result: Value, op: &Op, ty: Type) -> Option<bool> {
        match *op {
            Op::Const(Const(word)) => {
                if let Ok(word) = u32::try_from(word) {
                    self.constants.insert(result, (word, ty));
                }
                None
            }
            Op::Compare(op, a, b) => {
                let (op, a, b) = match (self.word(a), self.word(b)) {
                    (_, Some(b)) => (op, a, b),
                    (Some(a), _) => (swapped(op), b, a),
                    _ => return None,
                };
                self.comparisons.insert(result, (op, a, b));
                decided(op, *self.ranges.get(&a)?, b)
            }
            Op::Binary(op, a, b) if ty == Type::U32 => {
                if let (BinOp::Add, Some(word)) = (op, self.word(b)) {
                    let sums = self.sums.entry(a).or_default();
                    if !sums.contains(&(result, word)) {
                        sums.push((result, word));
                    }
                }
                let range = match (self.word(b), self.choices.get(&b).copied()) {
                    (Some(word), _) => computed(op, self.of(a), word)?,
                    (None, Some((cond, words))) => self.either(cond, |this, truth| {
                        computed(op, this.of(a), words[usize::from(truth)])
                    })?,
                    (None, None) => return None,
                };
                self.set(result, range);
                None
            }
            Op::Select(cond, a, b) if ty == Type::U32 => {
                if let (Some(a), Some(b)) = (self.word(a), self.word(b)) {
                    self.choices.insert(result, (cond, [b, a]));
                }
                let range = self.either(cond, |this, truth| this.of(if truth { a } else { b }))?;
                self.set(result, range);
                None
            }
            Op::Cast(cond) if ty == Type::U32 && self.comparisons.contains_key(&cond) => {
                self.choices.insert(result, (cond, [0, 1]));
                self.set(result, (0, 1));
                None
            }
            _ => None,
        }
    }

    /// What has one range where a condition holds, and one where it does not.
    fn either(&mut self, cond: Value, of: impl Fn(&Self, bool) -> Option<Range>) -> Option<Range> {
        let mut whole = None;
        for truth in self.reached(cond) {
            let range = self.supposing(cond, truth, |this| of(this, truth))?;
            whole = Some(whole.map_or(range, |other| hull(other, range)));
        }
        whole
    }

    /// Which truths a condition can have here.
    pub(super) fn reached(&self, cond: Value) -> impl Iterator<Item = bool> + use<> {
        let known = match self.comparisons.get(&cond) {
            Some(&(op, value, word)) => self.of(value).and_then(|range| decided(op, range, word)),
            None => self.truth(cond),
        };
        let truths = [true, false].into_iter();
        truths.filter(move |truth| known.is_none_or(|known| known == *truth))
    }

    /// What something is where `cond` is `truth`.
    pub(super) fn supposing<R>(
        &mut self,
        cond: Value,
        truth: bool,
        of: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let learnt = self.learnt();
        self.learn(cond, truth);
        let result = of(self);
        self.forget(learnt);
        result
    }

    fn word(&self, value: Value) -> Option<u32> {
        match self.constants.get(&value) {
            Some((word, Type::U32)) => Some(*word),
            _ => None,
        }
    }

    /// The word of a constant, whatever its type.
    pub(super) fn word_of(&self, value: Value) -> Option<u32> {
        self.constants.get(&value).map(|(word, _)| *word)
    }

    /// Which of both truths a value is, if it is a constant.
    pub(super) fn truth(&self, value: Value) -> Option<bool> {
        match self.constants.get(&value) {
            Some((word, Type::Bool)) => Some(*word != 0),
            _ => None,
        }
    }

    /// Between which numbers a value is here, if something is known of it.
    pub(super) fn of(&self, value: Value) -> Option<Range> {
        let word = self.word(value).map(|word| (word, word));
        word.or_else(|| self.ranges.get(&value).copied())
    }

    /// The most that a value is here.
    pub(super) fn most(&self, value: Value) -> u32 {
        self.ranges.get(&value).map_or(ANY.1, |(_, most)| *most)
    }

    /// Learns what follows from `cond` being `truth`.
    pub(super) fn learn(&mut self, cond: Value, truth: bool) {
        let Some(&(op, value, word)) = self.comparisons.get(&cond) else {
            return;
        };
        let old = self.ranges.get(&value).copied().unwrap_or(ANY);
        let Some(range) = narrowed(old, op, word, truth) else {
            return;
        };
        self.set(value, range);
        let sums = self.sums.get(&value).into_iter().flatten();
        let narrower = sums.filter_map(|(sum, word)| {
            let (least, most) = self.of(*sum).unwrap_or(ANY);
            let moved = moved(range, *word)?;
            Some((*sum, (least.max(moved.0), most.min(moved.1))))
        });
        let narrower: Vec<_> = narrower
            .filter(|(_, (least, most))| least <= most)
            .collect();
        for (sum, range) in narrower {
            self.set(sum, range);
        }
    }

    /// Notes between which numbers a value is.
    pub(super) fn set(&mut self, value: Value, range: Range) {
        let old = self.ranges.insert(value, range);
        self.learnt.push((value, old));
    }

    /// How much has been learnt.
    pub(super) fn learnt(&self) -> usize {
        self.learnt.len()
    }

    /// Forgets what has been learnt since there was so much of it.
    pub(super) fn forget(&mut self, learnt: usize) {
        for (value, old) in self.learnt.drain(learnt..).rev() {
            match old {
                Some(range) => self.ranges.insert(value, range),
                None => self.ranges.remove(&value),
            };
        }
    }
}

/// Whether a comparison with `word` has one result for the whole range.
fn decided(op: CmpOp, (least, most): Range, word: u32) -> Option<bool> {
    let (yes, no) = match op {
        CmpOp::Eq => (least == word && most == word, word < least || most < word),
        CmpOp::Ne => (word < least || most < word, least == word && most == word),
        CmpOp::Lt => (most < word, least >= word),
        CmpOp::Le => (most <= word, least > word),
        CmpOp::Gt => (least > word, most <= word),
        CmpOp::Ge => (least >= word, most < word),
    };
    (yes || no).then_some(yes)
}

/// The least range that has both in it.
pub(super) fn hull(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Where the results of an operation with `word` lie, for operands in this range if one is known.
fn computed(op: BinOp, range: Option<Range>, word: u32) -> Option<Range> {
    let (least, most) = range.unwrap_or(ANY);
    match op {
        BinOp::Add => moved(range?, word),
        BinOp::Sub => moved(range?, word.wrapping_neg()),
        BinOp::And => Some((0, most.min(word))),
        BinOp::Rem if word > 0 => Some((0, most.min(word - 1))),
        BinOp::Shr => Some((least >> (word & 31), most >> (word & 31))),
        BinOp::Min => Some((least.min(word), most.min(word))),
        BinOp::Max => Some((least.max(word), most.max(word))),
        _ => None,
    }
}

/// Where a range lies when `word` is added to all of it, if it stays one.
fn moved((least, most): Range, word: u32) -> Option<Range> {
    let (least, wraps) = least.overflowing_add(word);
    let (most, too) = most.overflowing_add(word);
    (wraps == too).then_some((least, most))
}

/// What is left of a range where the comparison with `word` is `truth`. `None` if nothing is: that place is not
/// reached.
fn narrowed((least, most): Range, op: CmpOp, word: u32, truth: bool) -> Option<Range> {
    let below = || Some((least, most.min(word.checked_sub(1)?)));
    let above = || Some((least.max(word.checked_add(1)?), most));
    let range = match (op, truth) {
        (CmpOp::Eq, true) | (CmpOp::Ne, false) => Some((least.max(word), most.min(word))),
        (CmpOp::Ne, true) | (CmpOp::Eq, false) if word == least => above(),
        (CmpOp::Ne, true) | (CmpOp::Eq, false) if word == most => below(),
        (CmpOp::Ne, true) | (CmpOp::Eq, false) => Some((least, most)),
        (CmpOp::Lt, true) | (CmpOp::Ge, false) => below(),
        (CmpOp::Le, true) | (CmpOp::Gt, false) => Some((least, most.min(word))),
        (CmpOp::Gt, true) | (CmpOp::Le, false) => above(),
        (CmpOp::Ge, true) | (CmpOp::Lt, false) => Some((least.max(word), most)),
    };
    range.filter(|(least, most)| least <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::eval;

    const EDGES: [u32; 7] = [0, 1, 2, 3, 0x8000_0000, u32::MAX - 1, u32::MAX];

    /// For all ranges between edges, and all words that are edges.
    #[test]
    fn sums_are_where_their_ranges_say() {
        let ranges = EDGES.iter().flat_map(|a| EDGES.map(|b| (*a, b)));
        for (least, most) in ranges.filter(|(least, most)| least <= most) {
            for word in EDGES {
                let sums = EDGES.into_iter().filter(|v| (least..=most).contains(v));
                let sums = sums.map(|v| v.wrapping_add(word));
                match moved((least, most), word) {
                    Some((low, high)) => {
                        assert!(sums.clone().all(|sum| (low..=high).contains(&sum)));
                        assert_eq!((sums.clone().min(), sums.max()), (Some(low), Some(high)));
                    }
                    // From the greatest number on to the least.
                    None => assert!(most.wrapping_add(word) < least.wrapping_add(word)),
                }
            }
        }
    }

    /// For all ranges between edges, all comparisons, and all values at edges.
    #[test]
    fn ranges_hold_just_what_comparisons_say() {
        let ranges = EDGES.iter().flat_map(|a| EDGES.map(|b| (*a, b)));
        for range @ (least, most) in ranges.filter(|(least, most)| least <= most) {
            for (op, word) in CmpOp::ALL
                .iter()
                .flat_map(|op| EDGES.map(|word| (*op, word)))
            {
                let holds = |value| eval::compare(op, Type::U32, value, word);
                let values = || EDGES.into_iter().filter(|v| (least..=most).contains(v));
                if let Some(truth) = decided(op, range, word) {
                    assert!(
                        values().all(|v| holds(v) == truth),
                        "{range:?} {op:?} {word}"
                    );
                } else {
                    assert!(least < most, "{range:?} {op:?} {word}");
                }
                for truth in [false, true] {
                    let left = narrowed(range, op, word, truth);
                    let inside = |v| left.is_some_and(|(least, most)| (least..=most).contains(&v));
                    let lost = values().find(|v| holds(*v) == truth && !inside(*v));
                    assert_eq!(lost, None, "{range:?} {op:?} {word} {truth}: {left:?}");
                }
            }
        }
    }
}
