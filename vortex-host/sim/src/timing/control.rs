//! The control unit, and how the slices of a core share single units.

use super::issue::Slice;
use super::queue::{Queue, RoundRobin};
use super::stages::Stages;
use super::uop::{Id, Kind, Unit, Uops};

/// The control unit: CSRs, masks, warps and barriers.
#[derive(Debug)]
pub(super) struct Sfu {
    pub(super) input: Queue<Id>,
    control: Queue<Id>,
    csrs: Queue<Id>,
    arbiter: RoundRobin,
    out: Queue<Id>,
    /// Cycles that a CSR access waits, and those that the next one has waited.
    csr_wait: u8,
    waited: u8,
    /// What takes effect in the next cycle, if that does not wait until the result is taken.
    taken: Option<Option<Id>>,
}

/// What the control unit asks of the core.
pub(super) struct Around<A> {
    /// Whether a warp has nothing else under way.
    pub(super) alone: A,
    /// Barriers wait.
    pub(super) holds_barriers: bool,
}

/// What the control unit did in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Controlled {
    /// A mask, warp or barrier instruction that took effect.
    pub(super) control: Option<Id>,
    /// A float CSR that was accessed.
    pub(super) float_csr: Option<Id>,
}

impl Sfu {
    pub(super) fn new(stages: &Stages) -> Sfu {
        Sfu {
            csr_wait: stages.csr_wait,
            waited: 0,
            taken: stages.control_at_once.then_some(None),
            input: Queue::new(2),
            control: Queue::new(2),
            csrs: Queue::new(2),
            arbiter: RoundRobin::default(),
            out: Queue::new(2),
        }
    }

    /// Whether nothing is inside.
    pub(super) fn is_empty(&self) -> bool {
        let queues = [&self.input, &self.control, &self.csrs, &self.out];
        queues.into_iter().all(Queue::is_empty)
    }

    /// What waits there, or else has not left: for profiles.
    pub(super) fn holder(&self, now: u64) -> Option<Id> {
        [&self.input, &self.control, &self.csrs, &self.out]
            .into_iter()
            .find_map(|queue| queue.front(now).copied())
    }

    /// Moves on; results go to their warp's slice.
    pub(super) fn step(
        &mut self,
        now: u64,
        slices: &mut [Slice],
        uops: &Uops,
        around: &Around<impl Fn(u8) -> bool>,
    ) -> Controlled {
        let mut did = Controlled::default();
        if self.is_empty() {
            return did;
        }
        did.control = self.taken.as_mut().and_then(Option::take);
        if let Some(&id) = self.out.front(now) {
            let slice = usize::from(uops[id].slice);
            if slices[slice].controlled.offer(now, id) {
                self.out.pop(now);
            }
        }
        if self.out.accepts(now) {
            let waiting = [
                self.control.front(now).is_some(),
                self.csrs.front(now).is_some(),
            ];
            if let Some(which) = self.arbiter.choose(2, |n| waiting[n]) {
                self.arbiter.served(which);
                let result = if which == 0 {
                    self.control.pop(now)
                } else {
                    self.csrs.pop(now)
                };
                if let Some(id) = result {
                    self.out.push(now, id);
                    if which == 0 && self.taken.is_none() {
                        did.control = Some(id);
                    }
                }
            }
        }
        if let Some(&id) = self.input.front(now) {
            let kind = uops[id].decoded.kind;
            let (into, can) = match kind {
                Kind::Control | Kind::Join => (&mut self.control, true),
                Kind::Barrier | Kind::Arrival => (&mut self.control, !around.holds_barriers),
                Kind::Sync => (&mut self.control, (around.alone)(uops[id].warp)),
                Kind::FloatCsr => (&mut self.csrs, (around.alone)(uops[id].warp)),
                _ => (&mut self.csrs, self.waited == self.csr_wait),
            };
            if can && into.offer(now, id) {
                self.input.pop(now);
                self.waited = 0;
                did.float_csr = (kind == Kind::FloatCsr).then_some(id);
                if let Some(taken) = &mut self.taken {
                    *taken = kind.is_control().then_some(id);
                }
            } else {
                self.waited = (self.waited + 1).min(self.csr_wait);
            }
        }
        did
    }
}

/// The slices that have an instruction for a unit.
fn waiting(now: u64, slices: &[Slice], unit: Unit) -> u32 {
    slices.iter().enumerate().fold(0u32, |mask, (n, slice)| {
        mask | u32::from(slice.dispatch[unit as usize].front(now).is_some()) << n
    })
}

/// Brings the instructions of several slices to one unit.
#[derive(Debug, Default)]
pub(super) struct Funnel {
    /// The slice whose turn it is.
    turn: usize,
}

impl Funnel {
    /// Whether the next cycle changes nothing: nobody waits, or whoever is next lacks room behind.
    pub(super) fn is_still(
        &self,
        now: u64,
        slices: &[Slice],
        unit: Unit,
        into: &Queue<Id>,
    ) -> bool {
        let waiting = waiting(now, slices, unit);
        waiting == 0 || waiting >> self.turn & 1 != 0 && !into.accepts(now)
    }

    /// Moves an instruction of the slice whose turn it is, and chooses the next slice.
    pub(super) fn step(
        &mut self,
        now: u64,
        slices: &mut [Slice],
        unit: Unit,
        into: &mut Queue<Id>,
    ) {
        if let [slice] = slices {
            let from = &mut slice.dispatch[unit as usize];
            if into.accepts(now)
                && let Some(id) = from.pop(now)
            {
                into.push(now, id);
            }
            return;
        }
        let waiting = waiting(now, slices, unit);
        let unit = unit as usize;
        if waiting >> self.turn & 1 != 0 {
            if !into.accepts(now) {
                return;
            }
            if let Some(id) = slices[self.turn].dispatch[unit].pop(now) {
                into.push(now, id);
            }
        }
        // With nobody waiting, the arbiter points at the last.
        self.turn = (waiting.trailing_zeros() as usize).min(slices.len() - 1);
    }
}
