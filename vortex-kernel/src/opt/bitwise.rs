//! Sums of masked words become fewer operations.
//!
//! ```text
//! (a & b) ^ (a & c)      ==>      a & (b ^ c)                 `|` alike
//! (a | b) & (a | c)      ==>      a | (b & c)
//! (a & m) ^ (b & !m)     ==>      ((a ^ b) & m) ^ b           `|` and `+` alike: no bit is in both
//! ```
//!
//! The device has no `and` with a complement. Such sums are common in hash functions and ciphers, and in code that
//! selects bits by a mask.

use super::defs::Defs;
use crate::ir::{BinOp, Block, Function, Inst, Op, SecondaryMap, Type, UnOp, Value};
use crate::meta::count;
use smallvec::smallvec;

/// Rewrites such sums in a structured function.
pub fn bitwise(function: &mut Function) {
    let masks = |op: &Op| matches!(op, Op::Binary(BinOp::And, ..));
    if !function.body.any(&masks) {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    let mut uses = function.map_values(0u32);
    body.uses(&mut |v| uses[v] += 1);
    let mut pass = Bitwise {
        defs: Defs::of(&body, function),
        uses,
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

struct Bitwise<'a> {
    function: &'a mut Function,
    defs: Defs,
    /// How often each value is an operand. New ones are none yet.
    uses: SecondaryMap<Value, u32>,
}

/// What an operation becomes: an operation on a new value, and those that make it.
struct Fewer {
    first: Vec<(Value, Op)>,
    last: Op,
}

impl Bitwise<'_> {
    fn block(&mut self, block: &mut Block) {
        block.rewrite(&mut |mut inst, out| {
            if let Some(Fewer { first, last }) = self.fewer(&inst) {
                count!("bitwise", "sums of masked words", 1);
                for (value, op) in first {
                    self.defs.set(value, &op);
                    let (results, loc) = (smallvec![value], inst.loc);
                    out.push(Inst { results, op, loc });
                }
                inst.op = last;
            }
            if let [result] = inst.results[..] {
                self.defs.set(result, &inst.op);
            }
            out.push(inst);
        });
    }

    fn fewer(&mut self, inst: &Inst) -> Option<Fewer> {
        let (Op::Binary(sum, a, b), [result]) = (&inst.op, &inst.results[..]) else {
            return None;
        };
        let ty = self.function.ty(*result);
        if !ty.is_int() || ty.is_wide() {
            return None;
        }
        let inner = match sum {
            BinOp::Xor | BinOp::Or | BinOp::Add => BinOp::And,
            BinOp::And => BinOp::Or,
            _ => return None,
        };
        let (a, b) = (self.parts(inner, *a)?, self.parts(inner, *b)?);
        if inner == BinOp::And
            && let Some(fewer) = self.chosen(a, b, ty)
        {
            return Some(fewer);
        }
        if *sum == BinOp::Add {
            return None;
        }
        let (common, a, b) = shared(a, b)?;
        let rest = self.function.new_value(ty);
        Some(Fewer {
            first: vec![(rest, Op::Binary(*sum, a, b))],
            last: Op::Binary(inner, common, rest),
        })
    }

    /// The operands of such an operation that nothing else needs.
    fn parts(&self, op: BinOp, value: Value) -> Option<[Value; 2]> {
        match self.defs.get(value)? {
            Op::Binary(found, a, b) if *found == op && self.uses.get(value) == Some(&1) => {
                Some([*a, *b])
            }
            _ => None,
        }
    }

    /// Of two words under a mask and its complement.
    fn chosen(&mut self, a: [Value; 2], b: [Value; 2], ty: Type) -> Option<Fewer> {
        let complement = |value: Value| match self.defs.get(value) {
            Some(Op::Unary(UnOp::Not, inner)) => Some(*inner),
            _ => None,
        };
        let under = |mask: Value, [x, y]: [Value; 2]| match mask {
            mask if mask == x => Some(y),
            mask if mask == y => Some(x),
            _ => None,
        };
        let ways = [(a, b), (b, a)].into_iter();
        let mut ways = ways.flat_map(|(a, [x, y])| [(a, x, y), (a, y, x)]);
        let (mask, one, rest) = ways.find_map(|(pair, not, rest)| {
            let mask = complement(not)?;
            Some((mask, under(mask, pair)?, rest))
        })?;
        let [differ, masked] = [(); 2].map(|()| self.function.new_value(ty));
        Some(Fewer {
            first: vec![
                (differ, Op::Binary(BinOp::Xor, one, rest)),
                (masked, Op::Binary(BinOp::And, differ, mask)),
            ],
            last: Op::Binary(BinOp::Xor, masked, rest),
        })
    }
}

/// What two pairs have in common, and what else there is in each.
fn shared(a: [Value; 2], b: [Value; 2]) -> Option<(Value, Value, Value)> {
    let [c, d] = b;
    match a {
        [x, y] if x == c => Some((x, y, d)),
        [x, y] if x == d => Some((x, y, c)),
        [x, y] if y == c => Some((y, x, d)),
        [x, y] if y == d => Some((y, x, c)),
        _ => None,
    }
}
