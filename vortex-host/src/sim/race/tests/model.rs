//! Races found out by keeping every access to every byte.

use super::super::{Access, Kind, Races};
use proptest::prelude::*;
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
        0..2u32,
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
    prop_oneof![20 => access, 3 => meet, 1 => Just(Step::Launch)]
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

fn harms(later: Kind, earlier: Kind) -> bool {
    use Kind::{Atomic, Load, SameAtomic, SameStore, Store};
    match (later, earlier) {
        (SameStore, _) => false,
        (Store, _) | (_, Store) => true,
        (Load, Atomic) | (Atomic, Load | SameStore) => true,
        (Load | Atomic | SameAtomic, Load | SameStore | Atomic | SameAtomic) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_race_is_found_and_nothing_else(steps in proptest::collection::vec(step(), 1..80)) {
        let mut races = Races::new((WARPS / PER_CORE) as u32, PER_CORE as u32);
        races.begin(None);
        let mut bytes: [Vec<Past>; 8] = Default::default();
        // How much each warp knows of each.
        let mut known = [[0u32; WARPS]; WARPS];
        let mut time = [1u32; WARPS];
        for (pc, step) in (0..).step_by(4).zip(steps) {
            match step {
                Step::Launch => {
                    races.begin(None);
                    bytes = Default::default();
                }
                Step::Meet(met) => {
                    let core = |warp| (warp / PER_CORE) as u32;
                    races.meet(met.clone().map(|warp| (core(warp), (warp % PER_CORE) as u32)));
                    let mut all = [0; WARPS];
                    for warp in met.clone() {
                        known[warp][warp] = time[warp];
                        for (all, known) in all.iter_mut().zip(known[warp]) {
                            *all = known.max(*all);
                        }
                    }
                    for warp in met {
                        known[warp] = all;
                        time[warp] += 1;
                    }
                }
                Step::Access { warp, lane, lanes, kind, at, size, counts } => {
                    let (core, own) = ((warp / PER_CORE) as u32, (warp % PER_CORE) as u32);
                    let access = Access {
                        core, warp: own, lane, lanes, pc, work: 100, counts, kind, address: PLACE + at, size,
                    };
                    let found = races.access(&access);
                    let mut expected = Vec::new();
                    for byte in at..at + size * lanes {
                        let step = (byte - at) / size;
                        let past = &mut bytes[byte as usize];
                        let races = |earlier: &&Past| {
                            harms(kind, earlier.kind)
                                && earlier.warp != warp
                                && earlier.time > known[warp][earlier.warp]
                        };
                        expected.extend(past.iter().filter(races).map(|past| (byte % 4, *past)));
                        past.push(Past {
                            warp,
                            lane: lane + step,
                            work: 100 + if counts { step } else { 0 },
                            kind,
                            time: time[warp],
                        });
                    }
                    let Some((earlier, byte)) = found else {
                        prop_assert_eq!(expected, vec![]);
                        continue;
                    };
                    let told = Past {
                        warp: (earlier.core() as usize) * PER_CORE + earlier.warp() as usize,
                        lane: earlier.lane(byte),
                        work: earlier.work(byte),
                        kind: earlier.kind(),
                        time: 0,
                    };
                    let mut expected = expected.into_iter().map(|(byte, past)| (byte, Past { time: 0, ..past }));
                    prop_assert!(expected.any(|expected| expected == (byte, told)), "{:?}", told);
                    return Ok(());
                }
            }
        }
    }
}
