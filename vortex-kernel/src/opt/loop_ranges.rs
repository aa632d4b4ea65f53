//! Between which numbers the parameters of a loop stay, where no counter tells: positions in rings and stacks.
//!
//! ```text
//! at = 0; while .. { last[at] = x; at += 1; if at == 8 { at = 0 } }          0 <= at <= 7
//! ```
//!
//! A range is tried: it begins as what the parameter starts as, and becomes larger by what an iteration makes of it, up
//! to the next number that something in the loop is compared with. It holds once an iteration leads out of none.

use super::ranges::{Range, Ranges, hull};
use crate::ir::{BinOp, Block, Function, Op, Type, Value, While};

/// How often a range is made larger: what grows without end would go through every number that the loop compares with.
const GROWTHS: u32 = 8;

/// A range that is tried.
#[derive(Clone, PartialEq)]
struct Tried {
    param: Value,
    next: Value,
    range: Range,
    /// How often it has been made larger.
    growths: u32,
}

/// The ranges of parameters, as far as there are any. `ranges` are those where the loop begins.
pub(super) fn of_params(
    w: &While,
    function: &Function,
    ranges: &mut Ranges,
) -> Vec<(Value, Range)> {
    let params = w.params.iter().zip(&w.init).zip(&w.next);
    let changing = params.filter(|((param, _), next)| {
        function.ty(**param) == Type::U32 && !counts(w, **param, **next)
    });
    let begun = changing.filter_map(|((param, init), next)| {
        Some(Tried {
            param: *param,
            next: *next,
            range: ranges.of(*init)?,
            growths: 0,
        })
    });
    let mut tried: Vec<_> = begun.collect();
    // It ends, as each time one of them becomes larger or is given up, or none does.
    while !tried.is_empty() {
        let after = after_an_iteration(w, &tried, function, ranges);
        // Constants are known by now, but not those of arms that no range has reached.
        let bounds = compared_with(w, ranges);
        let next = tried.iter().zip(after);
        let next: Vec<_> = next
            .filter_map(|(tried, after)| tried.larger(after?, &bounds))
            .collect();
        if next == tried {
            let found = next.into_iter().map(|tried| (tried.param, tried.range));
            return found.collect();
        }
        tried = next;
    }
    Vec::new()
}

/// Whether a parameter stays, or goes on by the same step each time: of that, more is known elsewhere.
fn counts(w: &While, param: Value, next: Value) -> bool {
    let steps = |op: &Op| matches!(op, Op::Binary(BinOp::Add | BinOp::Sub, a, _) if *a == param);
    let mut insts = w.after.insts.iter();
    param == next || insts.any(|inst| inst.results[..] == [next] && steps(&inst.op))
}

impl Tried {
    /// With what an iteration makes of it; it ends at some of these numbers where it has become larger. `None` if it
    /// would be any number.
    fn larger(&self, after: Range, bounds: &[u32]) -> Option<Self> {
        let (mut least, mut most) = self.range;
        if after.0 < least {
            let below = bounds.iter().rev().copied().find(|n| *n <= after.0);
            least = below.unwrap_or(0);
        }
        if after.1 > most {
            let above = bounds.iter().copied().find(|n| *n >= after.1);
            most = above.unwrap_or(u32::MAX);
        }
        let range = (least, most);
        let growths = self.growths + u32::from(range != self.range);
        (range != (0, u32::MAX) && growths <= GROWTHS).then_some(Self {
            range,
            growths,
            ..*self
        })
    }
}

/// What parameters that are in these ranges become.
fn after_an_iteration(
    w: &While,
    tried: &[Tried],
    function: &Function,
    ranges: &mut Ranges,
) -> Vec<Option<Range>> {
    let learnt = ranges.learnt();
    for Tried { param, range, .. } in tried {
        ranges.set(*param, *range);
    }
    walk(&w.before, function, ranges);
    ranges.learn(w.cond, true);
    walk(&w.after, function, ranges);
    let after = tried.iter().map(|tried| ranges.of(tried.next)).collect();
    ranges.forget(learnt);
    after
}

/// Takes note of the ranges in a block. Of what loops in it make nothing is known.
fn walk(block: &Block, function: &Function, ranges: &mut Ranges) {
    for inst in &block.insts {
        match &inst.op {
            Op::If { cond, then, els } => {
                // Of an arm that is not reached nothing comes.
                let reached = ranges.reached(*cond).map(|truth| {
                    let arm = if truth { then } else { els };
                    ranges.supposing(*cond, truth, |ranges| {
                        walk(&arm.block, function, ranges);
                        let yields = arm.yields.iter();
                        yields.map(|v| ranges.of(*v)).collect::<Vec<_>>()
                    })
                });
                let reached: Vec<_> = reached.collect();
                for (number, result) in inst.results.iter().enumerate() {
                    let given = reached.iter().map(|yields| yields[number]);
                    if let Some(Some(range)) = given.reduce(|a, b| Some(hull(a?, b?))) {
                        ranges.set(*result, range);
                    }
                }
            }
            Op::Assume(cond) => ranges.learn(*cond, true),
            op => {
                if let [result] = inst.results[..] {
                    let _ = ranges.see(result, op, function.ty(result));
                }
            }
        }
    }
}

/// The numbers next to which values change their meaning in a loop, in order.
fn compared_with(w: &While, ranges: &Ranges) -> Vec<u32> {
    let mut numbers = Vec::new();
    for block in [&w.before, &w.after] {
        block.visit(&mut |inst| {
            let words = match inst.op {
                Op::Compare(_, a, b) => [ranges.word_of(a), ranges.word_of(b)],
                Op::Binary(BinOp::And | BinOp::Rem, _, b) => [ranges.word_of(b), None],
                _ => return,
            };
            for word in words.into_iter().flatten() {
                numbers.extend([word.saturating_sub(1), word, word.saturating_add(1)]);
            }
        });
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Arm, CmpOp, Const, Inst, Loc, eval};
    use crate::opt::bounds_hold::Numbers;
    use rustc_hash::FxHashMap;

    const WORDS: [u32; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, u32::MAX - 1, u32::MAX];

    /// Adds random code that computes something from these values.
    fn code(
        random: &mut Numbers,
        function: &mut Function,
        from: &[Value],
        depth: u32,
        out: &mut Vec<Inst>,
    ) -> Value {
        let mut push = |op, ty, out: &mut Vec<Inst>| function.push(op, ty, Loc::NONE, out);
        let some = random.of(from);
        if depth == 0 {
            return some;
        }
        let word = push(Op::Const(Const::from(random.of(&WORDS))), Type::U32, out);
        match random.below(8) {
            0 => word,
            1 | 2 => {
                let ops = [
                    BinOp::Add,
                    BinOp::Sub,
                    BinOp::And,
                    BinOp::Rem,
                    BinOp::Shr,
                    BinOp::Min,
                ];
                let op = random.of(&ops);
                let a = code(random, function, from, depth - 1, out);
                function.push(Op::Binary(op, a, word), Type::U32, Loc::NONE, out)
            }
            kind => {
                let op = random.of(&CmpOp::ALL);
                let a = code(random, function, from, depth - 1, out);
                let compare = Op::Compare(op, a, word);
                let cond = function.push(compare, Type::Bool, Loc::NONE, out);
                let from: Vec<_> = from.iter().copied().chain([a]).collect();
                if kind == 4 {
                    let of_cond = match random.below(3) {
                        0 => Op::Cast(cond),
                        _ => {
                            let [a, b] = [(); 2].map(|()| {
                                let word = Op::Const(Const::from(random.of(&WORDS)));
                                function.push(word, Type::U32, Loc::NONE, out)
                            });
                            Op::Select(cond, a, b)
                        }
                    };
                    let of_cond = function.push(of_cond, Type::U32, Loc::NONE, out);
                    let op = random.of(&[BinOp::Add, BinOp::Sub, BinOp::Min]);
                    return function.push(Op::Binary(op, a, of_cond), Type::U32, Loc::NONE, out);
                }
                if kind == 3 {
                    let [a, b] = [(); 2].map(|()| code(random, function, &from, depth - 1, out));
                    return function.push(Op::Select(cond, a, b), Type::U32, Loc::NONE, out);
                }
                let [then, els] = [(); 2].map(|()| {
                    let mut arm = Arm::default();
                    let insts = &mut arm.block.insts;
                    arm.yields = vec![code(random, function, &from, depth - 1, insts)];
                    arm
                });
                function.push(Op::branch(cond, then, els), Type::U32, Loc::NONE, out)
            }
        }
    }

    fn run(block: &Block, values: &mut FxHashMap<Value, u32>) {
        for inst in &block.insts {
            let of = |value: &Value| values[value];
            let word = match &inst.op {
                Op::Const(Const(word)) => u32::try_from(*word).unwrap(),
                Op::Binary(op, a, b) => eval::binary(*op, Type::U32, of(a), of(b)),
                Op::Compare(op, a, b) => eval::compare(*op, Type::U32, of(a), of(b)).into(),
                Op::Select(cond, a, b) => of(if of(cond) != 0 { a } else { b }),
                Op::Cast(cond) => of(cond),
                Op::If { cond, then, els } => {
                    let arm = if of(cond) != 0 { then } else { els };
                    run(&arm.block, values);
                    values[&arm.yields[0]]
                }
                other => unreachable!("{other:?}"),
            };
            values.insert(inst.results[0], word);
        }
    }

    /// For random loops, no parameter is ever out of its range; and there are ranges that are no single number.
    #[test]
    fn parameters_stay_in_their_ranges() {
        let mut found = [0; 2];
        for seed in 1..10_000 {
            let mut random = Numbers(seed);
            let mut function = Function::default();
            let params = [(); 2].map(|()| function.new_value(Type::U32));
            let mut before = Vec::new();
            let init = [(); 2].map(|()| {
                let word = Op::Const(Const::from(random.of(&WORDS)));
                function.push(word, Type::U32, Loc::NONE, &mut before)
            });
            let mut ranges = Ranges::default();
            let mut values = FxHashMap::default();
            let outside = Block { insts: before };
            walk(&outside, &function, &mut ranges);
            run(&outside, &mut values);
            let mut loop_ = While {
                params: params.to_vec(),
                init: init.to_vec(),
                before: Block::default(),
                cond: params[0],
                exits: Vec::new(),
                after: Block::default(),
                next: Vec::new(),
                optional: false,
            };
            let insts = &mut loop_.before.insts;
            let tested = code(&mut random, &mut function, &params, 2, insts);
            let limit = Op::Const(Const::from(random.of(&WORDS)));
            let limit = function.push(limit, Type::U32, Loc::NONE, insts);
            let op = random.of(&CmpOp::ALL);
            let again = Op::Compare(op, tested, limit);
            loop_.cond = function.push(again, Type::Bool, Loc::NONE, insts);
            let insts = &mut loop_.after.insts;
            loop_.next = [(); 2]
                .map(|()| code(&mut random, &mut function, &params, 3, insts))
                .to_vec();
            let known = of_params(&loop_, &function, &mut ranges);
            for (param, init) in params.iter().zip(&init) {
                let word = values[init];
                values.insert(*param, word);
            }
            for _ in 0..40 {
                for (param, (least, most)) in &known {
                    let is = values[param];
                    assert!(
                        (*least..=*most).contains(&is),
                        "{seed}: {is} in {least}..={most}"
                    );
                }
                run(&loop_.before, &mut values);
                if values[&loop_.cond] == 0 {
                    break;
                }
                run(&loop_.after, &mut values);
                let next: Vec<_> = loop_.next.iter().map(|value| values[value]).collect();
                for (param, word) in params.iter().zip(next) {
                    values.insert(*param, word);
                }
            }
            for (_, (least, most)) in known {
                found[usize::from(least < most)] += 1;
            }
        }
        assert!(found[1] > 1000, "{found:?}");
    }
}
