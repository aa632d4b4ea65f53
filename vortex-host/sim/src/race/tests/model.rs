//! Races found out by keeping every access to every byte.

use super::super::{Access, Kind, Lanes, Races};
use crate::registers::{Row, lanes_of};
use proptest::prelude::*;
use std::array::from_fn;
use std::ops::Range;

const WARPS: usize = 4;
const PER_CORE: usize = 2;
const PLACE: u32 = 0x2_0000;

#[derive(Clone, Debug)]
enum Step {
    Access {
        warp: usize,
        lane: u32,
        lanes: u32,
        kind: Kind,
        /// In bytes, from [`PLACE`] on.
        at: u32,
        size: u32,
        counts: bool,
    },
    /// Each lane of a mask accesses its word.
    Words {
        warp: usize,
        kind: Kind,
        mask: u32,
        same: u32,
    },
    /// All warps of a core meet, or all there are.
    Meet(Range<usize>),
    Launch,
}

fn step() -> impl Strategy<Value = Step> {
    let plain = prop_oneof![Just(Kind::Load), Just(Kind::Store), Just(Kind::SameStore)];
    let atomic = prop_oneof![Just(Kind::Atomic), Just(Kind::SameAtomic)];
    let parts = (0..3u32, 0..4u32, 1..5u32).prop_map(|(size, first, lanes)| {
        let size = 1 << size;
        let first = first & (4 - size);
        (first, lanes.min((4 - first) / size), size)
    });
    let plain = (plain, parts);
    let atomic = atomic.prop_map(|kind| (kind, (0, 1, 4)));
    let access = (
        0..WARPS,
        0..28u32,
        prop_oneof![4 => plain, 1 => atomic],
        0..4u32,
        any::<bool>(),
    );
    let access =
        access.prop_map(
            |(warp, lane, (kind, (first, lanes, size)), word, counts)| Step::Access {
                warp,
                lane,
                lanes,
                kind,
                at: 4 * word + first,
                size,
                counts,
            },
        );
    let meet = prop_oneof![Just(0..2), Just(2..4), Just(0..4)].prop_map(Step::Meet);
    let words = (
        0..WARPS,
        prop_oneof![Just(Kind::Load), Just(Kind::Store)],
        1..16u32,
        0..16u32,
    );
    let words = words.prop_map(|(warp, kind, mask, same)| Step::Words {
        warp,
        kind,
        mask,
        same,
    });
    prop_oneof![20 => access, 6 => words, 4 => meet, 1 => Just(Step::Launch)]
}

/// An access to a byte.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Past {
    warp: usize,
    lane: u32,
    work: u32,
    kind: Kind,
    time: u32,
}

pub(super) fn harms(later: Kind, earlier: Kind) -> bool {
    use Kind::{Atomic, Load, SameAtomic, SameStore, Store};
    match (later, earlier) {
        (SameStore, _) => false,
        (Store, _) | (_, Store) => true,
        (Load, Atomic) | (Atomic, Load | SameStore) => true,
        (Load | Atomic | SameAtomic, Load | SameStore | Atomic | SameAtomic) => false,
    }
}

/// What is known without the detector.
struct Model {
    bytes: [Vec<Past>; 16],
    /// How much each warp knows of each.
    known: [[u32; WARPS]; WARPS],
    time: [u32; WARPS],
}

impl Model {
    fn meet(&mut self, met: Range<usize>) {
        let mut all = [0; WARPS];
        for warp in met.clone() {
            self.known[warp][warp] = self.time[warp];
            for (all, known) in all.iter_mut().zip(self.known[warp]) {
                *all = known.max(*all);
            }
        }
        for warp in met {
            self.known[warp] = all;
            self.time[warp] += 1;
        }
    }

    /// Takes note of an access. Answers all earlier ones with which it races, with the byte of the word.
    fn access(&mut self, access: &Access) -> Vec<(u32, Past)> {
        let warp = access.core as usize * PER_CORE + access.warp as usize;
        let at = access.address - PLACE;
        let mut found = Vec::new();
        for byte in at..at + access.size * access.lanes {
            let step = (byte - at) / access.size;
            let past = &mut self.bytes[byte as usize];
            let races = |earlier: &&Past| {
                harms(access.kind, earlier.kind)
                    && earlier.warp != warp
                    && earlier.time > self.known[warp][earlier.warp]
            };
            found.extend(past.iter().filter(races).map(|past| (byte % 4, *past)));
            past.push(Past {
                warp,
                lane: access.lane + step,
                work: access.work + if access.counts { step } else { 0 },
                kind: access.kind,
                time: self.time[warp],
            });
        }
        found
    }
}

/// Whether an access races, which has to be what the model says.
fn check(races: &mut Races, model: &mut Model, access: &Access) -> Result<bool, TestCaseError> {
    let expected = model.access(access);
    let Some((earlier, byte)) = races.access(access) else {
        prop_assert_eq!(expected, vec![]);
        return Ok(false);
    };
    let told = |past: &(u32, Past)| {
        let (at, past) = *past;
        at == byte
            && past.warp == earlier.core() as usize * PER_CORE + earlier.warp() as usize
            && past.lane == earlier.lane(byte)
            && past.work == earlier.work(byte)
            && past.kind == earlier.kind()
    };
    prop_assert!(expected.iter().any(told), "{earlier:?}: {expected:?}");
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_race_is_found_and_nothing_else(steps in proptest::collection::vec(step(), 1..80)) {
        let mut races = Races::new((WARPS / PER_CORE) as u32, PER_CORE as u32);
        races.begin(None);
        let mut model = Model { bytes: Default::default(), known: Default::default(), time: [1; WARPS] };
        let place = |warp: usize| ((warp / PER_CORE) as u32, (warp % PER_CORE) as u32);
        for (pc, step) in (0..).step_by(4).zip(steps) {
            match step {
                Step::Launch => {
                    races.begin(None);
                    model.bytes = Default::default();
                }
                Step::Meet(met) => {
                    races.meet(met.clone().map(place));
                    model.meet(met);
                }
                Step::Access { warp, lane, lanes, kind, at, size, counts } => {
                    let (core, warp) = place(warp);
                    let address = PLACE + at;
                    let access = Access { core, warp, lane, lanes, pc, work: 100, counts, kind, address, size };
                    if check(&mut races, &mut model, &access)? {
                        return Ok(());
                    }
                }
                Step::Words { warp, kind, mask, same } => {
                    let (core, warp) = place(warp);
                    let first = Access {
                        core, warp, lane: 0, lanes: 1, pc, work: 0, counts: false, kind, address: PLACE, size: 4,
                    };
                    let same = if kind == Kind::Store { same } else { 0 };
                    let works: Row = from_fn(|octet| from_fn(|n| 70 * (8 * octet + n) as u32));
                    let left = races.access_words(&first, &Lanes { mask, same, works: Some(&works) });
                    prop_assert_eq!(left & !mask, 0);
                    for lane in lanes_of(mask) {
                        let access = Access {
                            lane,
                            address: PLACE + 4 * lane,
                            work: 70 * lane,
                            kind: if same >> lane & 1 != 0 { Kind::SameStore } else { kind },
                            ..first
                        };
                        if left >> lane & 1 == 0 {
                            prop_assert_eq!(model.access(&access), vec![]);
                        } else if check(&mut races, &mut model, &access)? {
                            return Ok(());
                        }
                    }
                }
            }
        }
    }
}
