//! How many turns the lanes of a warp take at their banks.

use super::accesses::Access;
use super::{GAP, LocalRoom};
use crate::ir::{Const, Id, Op, Type, Value, eval};
use crate::opt::defs::Defs;

/// Operations that are looked through, one behind the other.
const DEPTH: u32 = 8;

/// A lane, and where its item is in the group.
#[derive(Debug)]
struct Place {
    lane: u32,
    at: [u32; 3],
}

/// The lanes of a group's first warp.
#[derive(Debug)]
pub(super) struct Lanes {
    places: Vec<Place>,
}

impl Lanes {
    pub(super) fn new(room: &LocalRoom) -> Self {
        let [width, height, _] = room.block.map(|items| items.max(1));
        let at = |lane| [lane % width, lane / width % height, lane / width / height];
        let place = |lane| Place { lane, at: at(lane) };
        Self {
            places: (0..room.lanes).map(place).collect(),
        }
    }

    /// The turns of an access, if a word is left out behind each period: lanes that ask one bank, at most.
    pub(super) fn turns(&self, access: &Access, period: Option<u32>, defs: &Defs) -> u32 {
        let banks = self.places.len();
        let mut asked = vec![0; banks];
        for place in &self.places {
            let bytes = access.parts.iter().fold(access.start, |bytes, part| {
                let index = place.word(part.index, defs, DEPTH);
                bytes.wrapping_add(index.wrapping_mul(part.scale))
            });
            let left_out = period.map_or(0, |period| bytes / period * GAP);
            asked[(bytes.wrapping_add(left_out) / GAP) as usize % banks] += 1;
        }
        asked.into_iter().max().unwrap_or(1)
    }
}

impl Place {
    /// What a value is for the item there, if the group is the first, and loops are in their first iteration. What is
    /// not known is 0: the choice of a period hardly depends on it.
    fn word(&self, value: Value, defs: &Defs, depth: u32) -> u32 {
        let Some(op) = defs.get(value).filter(|_| depth > 0) else {
            return 0;
        };
        let of = |value| self.word(value, defs, depth - 1);
        match *op {
            Op::Const(Const(word)) => word as u32,
            Op::Id(Id::Local(axis) | Id::Global(axis)) => self.at[usize::from(axis) % 3],
            Op::Id(Id::LocalLinear | Id::GlobalLinear | Id::Lane) => self.lane,
            Op::Cast(a) | Op::Bitcast(a) => of(a),
            Op::Binary(op, a, b) => eval::binary(op, Type::U32, of(a), of(b)),
            _ => 0,
        }
    }
}
