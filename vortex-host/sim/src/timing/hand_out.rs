//! How work groups get to cores (Vortex 3's `VX_kmu` and `VX_kmu_arb`): one group in each cycle, to the next core in
//! turn that can accept one.

use super::core::{Core, Offer};
use super::queue::{Queue, RoundRobin};

#[derive(Debug)]
pub(super) struct HandOut {
    turn: RoundRobin,
    /// All groups, those that were sent on their way, and those that cores took.
    groups: u64,
    sent: u64,
    taken: u64,
    /// The numbers of those on their way to each core, if there are several. A core of its own is asked without a
    /// register between.
    queues: Vec<Queue<u64>>,
}

impl HandOut {
    pub(super) fn new(cores: usize, groups: u64) -> HandOut {
        let several = if cores > 1 { cores } else { 0 };
        HandOut {
            turn: RoundRobin::default(),
            groups,
            sent: 0,
            taken: 0,
            queues: (0..several).map(|_| Queue::new(2)).collect(),
        }
    }

    /// Groups that no core has taken.
    pub(super) fn left(&self) -> u64 {
        self.groups - self.taken
    }

    /// Sends a group on its way: to a core that would take one now, though by the time that it comes there the core may
    /// have another, which it then waits for.
    pub(super) fn step(&mut self, now: u64, cores: &[Core]) {
        if self.sent == self.groups {
            return;
        }
        let queues = &self.queues;
        let takes = |core: usize| queues[core].accepts(now) && cores[core].takes_group(now);
        if let Some(core) = self.turn.choose(queues.len(), takes) {
            self.turn.served(core);
            self.queues[core].push(now, self.sent);
            self.sent += 1;
        }
    }

    /// What there is for a core.
    pub(super) fn offer(&self, now: u64, core: usize) -> Offer {
        let more = self.left() > 0;
        let group = match self.queues.get(core) {
            Some(queue) => queue.front(now).copied(),
            None => more.then_some(self.taken),
        };
        Offer {
            group,
            taken: false,
            more,
        }
    }

    /// A core took what there was for it.
    pub(super) fn taken(&mut self, now: u64, core: usize) {
        self.taken += 1;
        if let Some(queue) = self.queues.get_mut(core) {
            queue.pop(now);
        }
    }
}
