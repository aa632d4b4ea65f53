//! The way of work groups to cores (Vortex 3's `VX_kmu` and `VX_kmu_arb`): a group in each cycle, for the next core in
//! turn that would take one.

use super::core::{Core, Offer};
use super::queue::{Queue, RoundRobin};

#[derive(Debug)]
pub(super) struct HandOut {
    turn: RoundRobin,
    /// On their way to each core, if there are several. A core of its own is asked without a register between.
    queues: Vec<Queue<()>>,
}

impl HandOut {
    pub(super) fn new(cores: usize) -> HandOut {
        let several = if cores > 1 { cores } else { 0 };
        HandOut {
            turn: RoundRobin::default(),
            queues: (0..several).map(|_| Queue::new(2)).collect(),
        }
    }

    /// Groups on their way.
    fn on_the_way(&self) -> u64 {
        self.queues.iter().map(|queue| u64::from(queue.len())).sum()
    }

    /// Sends one of the groups that are `left` on its way.
    pub(super) fn step(&mut self, now: u64, cores: &[Core], left: u64) {
        if left <= self.on_the_way() {
            return;
        }
        let queues = &self.queues;
        let takes = |core: usize| queues[core].accepts(now) && cores[core].takes_group(now);
        if let Some(core) = self.turn.choose(queues.len(), takes) {
            self.turn.served(core);
            self.queues[core].push(now, ());
        }
    }

    /// What there is for a core, of so many groups that no core has taken.
    pub(super) fn offer(&self, now: u64, core: usize, left: u64) -> Offer {
        let more = left > 0;
        let offered = match self.queues.get(core) {
            Some(queue) => queue.front(now).is_some(),
            None => more,
        };
        Offer {
            offered,
            taken: false,
            more,
        }
    }

    /// A core took what there was for it.
    pub(super) fn taken(&mut self, now: u64, core: usize) {
        if let Some(queue) = self.queues.get_mut(core) {
            queue.pop(now);
        }
    }
}
