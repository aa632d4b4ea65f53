//! Accesses that only lockstep orders, found out by following every way from one to the other.

use super::super::lockstep::Lockstep;
use super::super::{Access, Kind};
use crate::registers::lanes_of;
use proptest::prelude::*;

const LANES: u32 = 4;
const PLACE: u32 = 0x2_0000;

#[derive(Clone, Debug)]
enum Step {
    /// Each lane of a mask accesses the same part of a word.
    Access {
        lanes: u32,
        kind: Kind,
        at: u32,
        size: u32,
    },
    Meet(u32),
    Barrier,
    Arrive,
    Wait,
    Work(u32),
    Fence(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![
        4 => Just((Kind::Load, None)),
        4 => Just((Kind::Store, None)),
        2 => Just((Kind::SameStore, None)),
        1 => Just((Kind::Atomic, Some(4))),
        1 => Just((Kind::SameAtomic, Some(4))),
    ];
    let access = (1..16u32, kind, 0..8u32, 0..3u32).prop_map(|(lanes, (kind, size), at, log)| {
        let size = size.unwrap_or(1 << log);
        let at = at & !(size - 1);
        Step::Access {
            lanes,
            kind,
            at,
            size,
        }
    });
    prop_oneof![
        12 => access,
        2 => (1..16u32).prop_map(Step::Meet),
        2 => (1..16u32).prop_map(Step::Fence),
        1 => Just(Step::Barrier),
        2 => Just(Step::Arrive),
        2 => Just(Step::Wait),
        1 => (0..2u32).prop_map(Step::Work),
    ]
}

/// What a lane does at a step: accesses, and where it goes on from.
struct Node {
    step: usize,
    lane: u32,
    access: Option<Access>,
    /// Those before it.
    after: Vec<usize>,
}

#[derive(Default)]
struct Model {
    nodes: Vec<Node>,
    /// Of each lane, the last.
    last: [Option<usize>; LANES as usize],
    fences: Vec<usize>,
    /// Of each lane, the last before they arrived at a barrier.
    arrived: Option<Vec<usize>>,
}

impl Model {
    fn add(&mut self, step: usize, lane: u32, access: Option<Access>, also: &[usize]) -> usize {
        let mut after = also.to_vec();
        after.extend(self.last[lane as usize]);
        self.nodes.push(Node {
            step,
            lane,
            access,
            after,
        });
        self.last[lane as usize] = Some(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn before(&self, lanes: u32) -> Vec<usize> {
        let last = |lane: u32| self.last[lane as usize];
        lanes_of(lanes).filter_map(last).collect()
    }

    fn meet(&mut self, step: usize, lanes: u32) {
        let before = self.before(lanes);
        for lane in lanes_of(lanes) {
            self.add(step, lane, None, &before);
        }
    }

    fn wait(&mut self, step: usize, lanes: u32) {
        let arrived = self.arrived.take();
        let before = arrived.unwrap_or_else(|| self.before(lanes));
        for lane in lanes_of(lanes) {
            self.add(step, lane, None, &before);
        }
    }

    fn fence(&mut self, step: usize, lanes: u32) {
        let before = self.fences.clone();
        for lane in lanes_of(lanes) {
            let node = self.add(step, lane, None, &before);
            self.fences.push(node);
        }
    }

    fn is_before(&self, first: usize, second: usize) -> bool {
        let mut left = vec![second];
        let mut met = vec![false; self.nodes.len()];
        while let Some(node) = left.pop() {
            if node == first {
                return true;
            }
            if !std::mem::replace(&mut met[node], true) {
                left.extend(&self.nodes[node].after);
            }
        }
        false
    }

    /// All earlier accesses that nothing orders with one.
    fn earlier(&self, number: usize) -> Vec<(u32, u32)> {
        let node = &self.nodes[number];
        let Some(access) = &node.access else {
            return Vec::new();
        };
        let found = (0..number).filter_map(|earlier| {
            let past = &self.nodes[earlier];
            let before = past.access.as_ref()?;
            let overlap = before.address < access.address + access.size
                && access.address < before.address + before.size;
            let harms = overlap && super::model::harms(access.kind, before.kind);
            let other = past.lane != node.lane && past.step != node.step;
            (harms && other && !self.is_before(earlier, number)).then_some((past.lane, before.pc))
        });
        found.collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn what_only_lockstep_orders_is_found_and_nothing_else(steps in proptest::collection::vec(step(), 1..40)) {
        let mut lockstep = Lockstep::new(2, 2, (1 << LANES) - 1);
        lockstep.begin(true);
        let (core, warp) = (1, 1);
        let all = (1 << LANES) - 1;
        let mut model = Model::default();
        let mut works = None;
        for (step, what) in steps.into_iter().enumerate() {
            match what {
                Step::Meet(lanes) => {
                    lockstep.meet(core, warp, lanes);
                    model.meet(step, lanes);
                }
                Step::Barrier => {
                    lockstep.meet_all(core, warp);
                    model.meet(step, all);
                }
                Step::Arrive => {
                    lockstep.arrive(core, warp);
                    model.arrived = Some(model.before(all));
                }
                Step::Wait => {
                    lockstep.wait(core, warp);
                    model.wait(step, all);
                }
                Step::Work(work) => {
                    lockstep.works_on(core, warp, work);
                    if works.replace(work).is_some_and(|before| before != work) {
                        model.meet(step, all);
                    }
                }
                Step::Fence(lanes) => {
                    lockstep.acquire(core, warp, lanes);
                    lockstep.release(core, warp, lanes);
                    model.fence(step, lanes);
                }
                Step::Access { lanes, kind, at, size } => {
                    let access = |lane| Access {
                        core,
                        warp,
                        lane,
                        lanes: 1,
                        pc: 4 * step as u32,
                        work: 0,
                        counts: false,
                        kind,
                        address: PLACE + at,
                        size,
                    };
                    for lane in lanes_of(lanes) {
                        let access = access(lane);
                        let node = model.add(step, lane, Some(access), &[]);
                        let expected = model.earlier(node);
                        match lockstep.earlier(&access) {
                            None => prop_assert_eq!(expected, vec![]),
                            Some((first, byte)) => {
                                let told = (first.lane(byte), first.pc());
                                prop_assert!(expected.contains(&told), "{:?}: {:?}", told, expected);
                                return Ok(());
                            }
                        }
                    }
                    for lane in lanes_of(lanes) {
                        lockstep.note(&access(lane));
                    }
                }
            }
        }
    }
}
