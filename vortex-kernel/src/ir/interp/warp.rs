//! Communication between the lanes of a warp: the reference for [`WarpOp`].

use crate::ir::{BinOp, Type, WarpOp, eval};

/// The operands of an active lane.
pub(super) struct Asking {
    pub(super) lane: u32,
    pub(super) operands: Vec<u64>,
}

impl Asking {
    fn operand(&self, n: usize) -> u64 {
        self.operands.get(n).copied().unwrap_or(0)
    }
}

/// What each of the active lanes, lowest first, gets. `ty` is the type of that; `None` if a lane asks for what
/// it must not.
pub(super) fn answers(op: WarpOp, ty: Type, asking: &[Asking]) -> Option<Vec<u64>> {
    let all = |word: u64| vec![word; asking.len()];
    let mask = |holds: &dyn Fn(&Asking) -> bool| {
        let lanes = asking.iter().filter(|a| holds(a));
        lanes.fold(0_u64, |mask, a| mask | 1 << a.lane)
    };
    let active = mask(&|_| true);
    let ballot = mask(&|a| a.operand(0) != 0);
    let of_lane = |lane: u64| {
        let other = asking.iter().find(|a| u64::from(a.lane) == lane);
        other.map(|a| a.operand(0))
    };
    Some(match op {
        WarpOp::Active => all(active),
        WarpOp::All => all((ballot == active).into()),
        WarpOp::Any => all((ballot != 0).into()),
        WarpOp::Uniform => all((ballot == 0 || ballot == active).into()),
        WarpOp::Ballot => all(ballot),
        WarpOp::Shuffle => {
            let word = |a: &Asking| of_lane(a.operand(1)).unwrap_or(a.operand(0));
            asking.iter().map(word).collect()
        }
        WarpOp::Read => {
            let words = asking.iter().map(|a| of_lane(a.operand(1)));
            words.collect::<Option<_>>()?
        }
        WarpOp::Broadcast => all(asking.first()?.operand(0)),
        WarpOp::Reduce(by) => all(*scan(by, ty, asking).last()?),
        WarpOp::Scan(by) => scan(by, ty, asking),
        WarpOp::ScanBefore(by) => {
            let mut words = scan(by, ty, asking);
            words.pop();
            words.insert(0, WarpOp::neutral(by, ty)?.0);
            words
        }
    })
}

fn scan(by: BinOp, ty: Type, asking: &[Asking]) -> Vec<u64> {
    let mut words: Vec<u64> = asking.iter().map(|a| a.operand(0)).collect();
    let mut distance = 1;
    while distance < words.len() {
        let before = words.clone();
        for (n, word) in words.iter_mut().enumerate().skip(distance) {
            *word = eval::wide::binary(by, ty, before[n - distance], *word);
        }
        distance *= 2;
    }
    words
}
