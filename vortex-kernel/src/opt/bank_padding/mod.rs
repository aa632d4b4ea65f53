//! Words left out in local memory, so that the lanes of a warp do not meet in a bank.
//!
//! ```text
//! tile[x][y], rows of 8 words, x by lane:     0 8 16 24 ..    one bank of 8: one lane after the other
//!         ==>     rows of 9 words:            0 9 18 27 ..    another bank for each
//! ```
//!
//! Local memory has a bank for each lane, word after word, and serves one lane of each bank at a time. Behind every so
//! many bytes of an object, its period, a word is left out, if that lets lanes take fewer turns and all accesses to the
//! object can be moved at no cost that counts: each address is made of parts ([`accesses`]) that are whole periods, or
//! stay within one. Their checks say which ([`Place`]). An object whose address is used otherwise stays as it is.

mod accesses;
mod turns;

use super::coarsening::Coarsening;
use super::defs::Defs;
use super::tuning::Tuning;
use crate::ir::{
    BinOp, Const, Function, Inst, Loc, LocalId, MemoryObject, NamedObject, Op, SecondaryMap, Space,
    Type, Value,
};
use crate::meta::count;
use accesses::{Access, Accesses, Part};
use rustc_hash::FxHashMap;
use smallvec::smallvec;
use turns::Lanes;

/// Bytes that a word takes up which is left out.
const GAP: u32 = NamedObject::GAP;

/// The local memory that a group can have, and the lanes that access it.
#[derive(Clone, Copy, Debug)]
pub struct LocalRoom {
    /// Bytes for each of the groups that run on a core at a time.
    pub bytes: u32,
    /// Lanes of a warp, and banks.
    pub lanes: u32,
    /// Work items of a group in x, y and z.
    pub block: [u32; 3],
}

impl LocalRoom {
    /// Of how many groups of so many bytes a lane can do an item at once.
    pub(crate) fn groups(&self, bytes: u32) -> u32 {
        self.bytes.checked_div(bytes).unwrap_or(u32::MAX)
    }
}

/// How a part of an address goes on when words are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is whole periods.
    Periods,
    /// It stays within a period.
    Within,
    /// Of so many elements, a power of two, a period is made. The bits above give the period: those of the index, or of
    /// a value below it in the same period.
    Elements { power: u32, index: Value },
    /// It is a constant.
    Constant(u32),
}

/// Leaves words out in objects of a structured function, before `codegen::entry`, where that pays.
pub fn bank_padding(function: &mut Function, room: &LocalRoom, tuning: &Tuning) {
    let is_fixed = |object: &MemoryObject| object.count.is_none();
    let any = !function.locals.is_empty() && room.lanes > 1;
    if !any || !function.locals.values().all(is_fixed) {
        return;
    }
    let defs = Defs::of(&function.body, function);
    let found = Accesses::of(function);
    let lanes = Lanes::new(room);
    let mut periods: SecondaryMap<LocalId, Option<u32>> = SecondaryMap::new();
    let mut parts = FxHashMap::default();
    for id in function.locals.keys() {
        let of_object: Vec<&Access> = found.of_object(id).collect();
        let Some(period) = best_period(&of_object, &lanes, &defs, function.locals[id].size) else {
            continue;
        };
        if function.locals[id].align > GAP || !leave_out(function, id, period, room, tuning) {
            continue;
        }
        periods[id] = Some(period);
        for part in of_object.iter().flat_map(|access| &access.parts) {
            if let Some((place, _)) = placed(part, period, &defs) {
                parts.insert(part.address, (place, period));
            }
        }
        count!("bank_padding", "objects", 1);
    }
    if periods.values().any(Option::is_some) {
        let period_at = |address| found.object_at(address).and_then(|id| periods[id]);
        rewrite(function, &parts, period_at);
    }
}

/// With so many groups of which a lane does an item at once, more of them are worth less than fewer turns.
const ENOUGH: u32 = 8;

/// Makes an object larger, unless too few groups would fit then of which a lane does an item at once.
fn leave_out(
    function: &mut Function,
    id: LocalId,
    period: u32,
    room: &LocalRoom,
    tuning: &Tuning,
) -> bool {
    let groups = |function: &Function| room.groups(function.local_layout(|_| 0).1);
    let before = groups(function);
    let at_once = Coarsening::of_groups(function, &function.body, tuning, before);
    let size = function.locals[id].size;
    function.locals[id].size = size.div_ceil(period) * (period + GAP);
    if groups(function) < at_once.map_or(1, |block| (block.columns * block.rows).min(ENOUGH)) {
        function.locals[id].size = size;
        return false;
    }
    if let Some(named) = &mut function.local_names[id] {
        named.period = Some(period);
    }
    true
}

/// The period with which lanes take the fewest turns, if it is worth while.
fn best_period(accesses: &[&Access], lanes: &Lanes, defs: &Defs, size: u32) -> Option<u32> {
    let turns = |period: Option<u32>| -> u64 {
        let of_access =
            |access: &&Access| access.weight * u64::from(lanes.turns(access, period, defs));
        accesses.iter().map(of_access).sum()
    };
    let as_it_is = turns(None);
    if as_it_is == accesses.iter().map(|access| access.weight).sum::<u64>() {
        return None;
    }
    let powers = (3..16).map(|power| 1u32 << power);
    let scales = accesses
        .iter()
        .flat_map(|access| &access.parts)
        .map(|part| part.scale);
    let mut periods: Vec<u32> = powers.chain(scales).collect();
    periods.sort_unstable();
    periods.dedup();
    let fits = |period: &u32| {
        *period > GAP
            && period.is_multiple_of(GAP)
            && *period < size
            && accesses.iter().all(|access| stays(access, *period, defs))
    };
    let tried = periods.into_iter().filter(fits);
    // Of several that are as good, the one that leaves out the least.
    let (least, period) = tried
        .map(|period| (turns(Some(period)), std::cmp::Reverse(period)))
        .min()?;
    (least * 8 < as_it_is * 7).then_some(period.0)
}

/// Whether an access is found where it is moved to: the parts that are no whole periods are within one together.
fn stays(access: &Access, period: u32, defs: &Defs) -> bool {
    let parts = access.parts.iter().map(|part| placed(part, period, defs));
    let within = parts.map(|place| place.map(|(_, within)| u64::from(within)));
    let within: Option<u64> = within.sum();
    let constant = access.start % period + access.size;
    within.is_some_and(|within| within + u64::from(constant) <= u64::from(period))
}

/// How a part of an address goes on, and the most of it that is within a period.
fn placed(part: &Part, period: u32, defs: &Defs) -> Option<(Place, u32)> {
    let Part {
        index, scale, most, ..
    } = *part;
    if let Some(index) = defs.constant(index) {
        let bytes = index.checked_mul(scale)?;
        return Some((Place::Constant(moved(bytes, period)), bytes % period));
    }
    // As all of it is in the object, nothing wraps.
    let bytes = most.checked_mul(scale)?;
    if scale.is_multiple_of(period) {
        return Some((Place::Periods, 0));
    }
    if bytes < period {
        return Some((Place::Within, bytes));
    }
    let elements = period / scale;
    if !period.is_multiple_of(scale) || !elements.is_power_of_two() {
        return None;
    }
    let power = elements.trailing_zeros();
    Some(match below(index, power, defs) {
        // A multiple and a number below the power: what is above the power is the multiple's.
        Some((index, rest)) => (Place::Elements { power, index }, rest * scale),
        None => (Place::Elements { power, index }, period - scale),
    })
}

/// Where a byte is when words are left out.
const fn moved(bytes: u32, period: u32) -> u32 {
    bytes / period * (period + GAP) + bytes % period
}

/// The multiple of a power of two that a value is, or is with a constant below that power added; and the constant.
fn below(value: Value, power: u32, defs: &Defs) -> Option<(Value, u32)> {
    if zeros(value, defs) >= power {
        return Some((value, 0));
    }
    let &Op::Binary(BinOp::Add, a, b) = defs.get(value)? else {
        return None;
    };
    let (multiple, rest) = match (defs.constant(a), defs.constant(b)) {
        (_, Some(rest)) => (a, rest),
        (Some(rest), _) => (b, rest),
        _ => return None,
    };
    (zeros(multiple, defs) >= power && rest < 1 << power).then_some((multiple, rest))
}

/// How many of a value's lowest bits are zero for sure, by the multiplication or the shift that it is.
fn zeros(value: Value, defs: &Defs) -> u32 {
    let of_constant = |value| defs.constant(value).map(u32::trailing_zeros);
    match defs.get(value) {
        Some(&Op::Binary(BinOp::Mul, a, b)) => {
            of_constant(b).or_else(|| of_constant(a)).unwrap_or(0)
        }
        Some(&Op::Binary(BinOp::Shl, _, bits)) => defs.constant(bits).map_or(0, |bits| bits % 32),
        _ => 0,
    }
}

/// Moves the parts of addresses, and what accesses add to them.
fn rewrite(
    function: &mut Function,
    parts: &FxHashMap<Value, (Place, u32)>,
    period_at: impl Fn(Value) -> Option<u32>,
) {
    let mut body = std::mem::take(&mut function.body);
    let values = &mut function.values;
    body.rewrite(&mut |mut inst, out| {
        let place = match inst.results[..] {
            [result] => parts.get(&result),
            _ => None,
        };
        if let Op::Load { ptr, offset, .. }
        | Op::Store { ptr, offset, .. }
        | Op::Atomic { ptr, offset, .. } = &mut inst.op
            && let Some(period) = period_at(*ptr)
        {
            *offset = moved(offset.cast_unsigned(), period).cast_signed();
        }
        if let (Some(&(place, period)), Op::PtrAdd { index, scale, .. }) = (place, &mut inst.op) {
            let mut add = |op: Op, ty: Type, loc: Loc| {
                let value = values.push(ty);
                let results = smallvec![value];
                out.push(Inst { results, op, loc });
                value
            };
            let word = |word: u32| Op::Const(Const::from(word));
            match place {
                Place::Within => {}
                Place::Periods => *scale = *scale / period * (period + GAP),
                Place::Constant(bytes) => {
                    *index = add(word(bytes), Type::U32, inst.loc);
                    *scale = 1;
                }
                Place::Elements {
                    power,
                    index: multiple,
                } => {
                    let bits = add(word(power), Type::U32, inst.loc);
                    let shift = Op::Binary(BinOp::Shr, multiple, bits);
                    let periods = add(shift, Type::U32, inst.loc);
                    let whole = inst.op.clone();
                    let base = add(whole, Type::Ptr(Space::Local), inst.loc);
                    inst.op = Op::PtrAdd {
                        base,
                        index: periods,
                        scale: GAP,
                    };
                }
            }
        }
        out.push(inst);
    });
    function.body = body;
}
