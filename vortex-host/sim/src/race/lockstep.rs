//! Accesses of a warp's lanes that only lockstep orders.
//!
//! Here each lane is on its own: it knows its own accesses, and those of other lanes of its warp up to where it last
//! met them. Lanes meet at a barrier and where the warp continues to another group (or to its next items, where there
//! are no groups), all of them; and at an operation of `warp`, those that reach it together. A fence is treated as
//! synchronisation with all lanes that have executed one before, whether or not atomic accesses connected them: so
//! ordered accesses are never reported.
//!
//! [`Races`](super::Races) handles accesses of different warps.

use super::entry::{Access, Entry, Kind, number};
use crate::registers::{LANES, lanes_of};
use std::collections::HashMap;

/// What the lanes of a warp know about each other.
#[derive(Clone)]
struct Order {
    /// The time: it passes where lanes meet.
    now: u32,
    /// By lane, until when it knows what each other one has done.
    seen: [[u32; LANES]; LANES],
    /// When all lanes arrived at a barrier that they have not waited at, and what was known then.
    arrived: Option<(u32, [u32; LANES])>,
    /// What was known at fences.
    released: [u32; LANES],
    /// All lanes know what was done until then.
    past: u32,
    /// What the warp works on, as far as it is known.
    work: Option<u32>,
}

impl Order {
    fn new() -> Order {
        Order {
            now: 1,
            seen: [[0; LANES]; LANES],
            arrived: None,
            released: [0; LANES],
            past: 0,
            work: None,
        }
    }

    /// What lanes know together, and that is all of what they have done.
    fn known(&self, lanes: u32) -> [u32; LANES] {
        let mut all = [0; LANES];
        for lane in lanes_of(lanes) {
            learn(&mut all, &self.seen[lane as usize]);
        }
        for lane in lanes_of(lanes) {
            all[lane as usize] = self.now;
        }
        all
    }

    fn meet(&mut self, lanes: u32) {
        let all = self.known(lanes);
        for lane in lanes_of(lanes) {
            self.seen[lane as usize] = all;
        }
        self.now += 1;
    }

    fn acquire(&mut self, lanes: u32) {
        for lane in lanes_of(lanes) {
            learn(&mut self.seen[lane as usize], &self.released);
        }
    }

    fn release(&mut self, lanes: u32) {
        for lane in lanes_of(lanes) {
            learn(&mut self.released, &self.seen[lane as usize]);
            self.released[lane as usize] = self.now;
        }
        self.now += 1;
    }
}

fn learn(to: &mut [u32; LANES], from: &[u32; LANES]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = (*to).max(*from);
    }
}

/// All that is known about a run.
#[derive(Clone)]
pub(crate) struct Lockstep {
    per_core: u32,
    /// All lanes of a warp.
    all: u32,
    /// Whether it is a run of a program that is known.
    is_on: bool,
    /// What the library keeps for itself: there lanes read each other's values where warps have no operation for that.
    exchange: Option<(u32, u32)>,
    warps: Vec<Order>,
    /// By address, and core in local memory.
    words: HashMap<(u32, u32), Vec<Entry>>,
    /// With how many words it is time to look for those of which all is past.
    room: usize,
}

/// What [`Lockstep::room`] is at least.
const ROOM: usize = 1 << 16;

impl Lockstep {
    /// Of this many cores and warps per core, with these lanes.
    pub(super) fn new(cores: u32, per_core: u32, all: u32) -> Lockstep {
        let warps = std::iter::repeat_with(Order::new);
        Lockstep {
            per_core,
            all,
            is_on: false,
            exchange: None,
            warps: warps.take((cores * per_core) as usize).collect(),
            words: HashMap::new(),
            room: ROOM,
        }
    }

    /// Forgets words of which all is past.
    #[cold]
    fn forget(&mut self) {
        let (warps, per_core) = (&self.warps, self.per_core);
        let is_past = |entry: &Entry| {
            let warp = entry.core() * per_core + entry.warp();
            entry.clock <= warps[warp as usize].past
        };
        self.words.retain(|_, past| !past.iter().all(is_past));
        self.room = ROOM.max(2 * self.words.len());
    }

    /// A launch begins.
    pub(super) fn begin(&mut self, is_on: bool) {
        self.is_on = is_on;
        self.words.clear();
        self.warps.fill_with(Order::new);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Takes accesses to part of memory for operations of the warp.
    pub(crate) fn leave_out(&mut self, exchange: (u32, u32)) {
        self.exchange = Some(exchange);
    }

    /// Whether lanes ask each other at an address.
    pub(crate) fn is_exchange(&self, address: u32) -> bool {
        self.exchange
            .is_some_and(|(first, last)| (first..=last).contains(&address))
    }

    fn order(&mut self, core: u32, warp: u32) -> &mut Order {
        &mut self.warps[(core * self.per_core + warp) as usize]
    }

    /// All lanes of a warp meet.
    pub(super) fn meet_all(&mut self, core: u32, warp: u32) {
        self.meet(core, warp, self.all);
    }

    /// All lanes of a warp arrive at a barrier, and need not wait.
    pub(super) fn arrive(&mut self, core: u32, warp: u32) {
        let all = self.all;
        let order = self.order(core, warp);
        order.arrived = Some((order.now, order.known(all)));
        order.now += 1;
    }

    /// All lanes of a warp wait at a barrier. Those meet there that have not arrived before.
    pub(super) fn wait(&mut self, core: u32, warp: u32) {
        let all = self.all;
        let order = self.order(core, warp);
        let Some((then, known)) = order.arrived.take() else {
            return self.meet_all(core, warp);
        };
        for lane in lanes_of(all) {
            learn(&mut order.seen[lane as usize], &known);
        }
        order.past = order.past.max(then);
    }

    /// Some lanes of a warp meet.
    pub(crate) fn meet(&mut self, core: u32, warp: u32, lanes: u32) {
        let all = self.all;
        let order = self.order(core, warp);
        order.meet(lanes);
        if lanes == all {
            order.past = order.now - 1;
        }
    }

    /// What was done before fences is past for some lanes of a warp.
    pub(crate) fn acquire(&mut self, core: u32, warp: u32, lanes: u32) {
        self.order(core, warp).acquire(lanes);
    }

    /// What some lanes of a warp have done is past for those that reach a fence later.
    pub(crate) fn release(&mut self, core: u32, warp: u32, lanes: u32) {
        self.order(core, warp).release(lanes);
    }

    /// What the warp works on now. If it is something else than before, what was done before is past.
    pub(crate) fn works_on(&mut self, core: u32, warp: u32, work: u32) {
        let before = self.order(core, warp).work.replace(work);
        if before.is_some_and(|before| before != work) {
            self.meet_all(core, warp);
        }
    }

    /// An earlier access of another lane of the warp that only lockstep orders with an access of one lane, and the byte
    /// of the word.
    pub(crate) fn earlier(&self, access: &Access) -> Option<(Entry, u32)> {
        let order = &self.warps[(access.core * self.per_core + access.warp) as usize];
        let entry = Entry::new(access, order.now);
        let known = &order.seen[access.lane as usize];
        let past = self.words.get(&place(access))?;
        let first = past.iter().find(|earlier| {
            let lane = lane(**earlier);
            earlier.number() == entry.number()
                && lane != access.lane
                && earlier.clock > known[lane as usize]
                && entry.harms(**earlier)
        })?;
        Some((*first, (first.bytes() & entry.bytes()).trailing_zeros()))
    }

    /// Records an access of one lane.
    pub(crate) fn note(&mut self, access: &Access) {
        if self.words.len() >= self.room {
            self.forget();
        }
        let order = &self.warps[(access.core * self.per_core + access.warp) as usize];
        let entry = Entry::new(access, order.now);
        let past = self.words.entry(place(access)).or_default();
        past.retain(|earlier| {
            earlier.number() != entry.number()
                || earlier.clock > order.past
                    && !(lane(*earlier) == access.lane && replaces(entry, *earlier))
        });
        past.push(entry);
    }
}

/// Where what is kept of an access is found.
fn place(access: &Access) -> (u32, u32) {
    let word = access.address & !3;
    match word {
        crate::layout::LOCAL.. => (word, number(access.core, 0)),
        _ => (word, 0),
    }
}

/// The lane of an access of one lane.
fn lane(entry: Entry) -> u32 {
    entry.lane(entry.bytes().trailing_zeros())
}

/// Whether all later accesses that an earlier one of the same lane would harm are harmed by the new one, too.
fn replaces(entry: Entry, earlier: Entry) -> bool {
    let covers = match entry.kind() {
        Kind::Store => true,
        Kind::Load | Kind::SameStore => {
            matches!(
                earlier.kind(),
                Kind::Load | Kind::SameStore | Kind::SameAtomic
            )
        }
        Kind::Atomic => matches!(earlier.kind(), Kind::Atomic | Kind::SameAtomic),
        Kind::SameAtomic => earlier.kind() == Kind::SameAtomic,
    };
    covers && earlier.bytes() & !entry.bytes() == 0
}
