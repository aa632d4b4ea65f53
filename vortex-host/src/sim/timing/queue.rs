//! Registers between stages.

use std::collections::VecDeque;

/// A buffer whose both ends are registered: what enters in one cycle can leave in the next, and whether it takes something
/// depends on how full it was when the cycle began. So the order in which producer and consumer run does not matter.
#[derive(Debug)]
pub(super) struct Queue<T> {
    items: VecDeque<T>,
    capacity: usize,
    pushed: u64,
    popped: u64,
}

impl<T> Queue<T> {
    pub(super) fn new(capacity: usize) -> Queue<T> {
        Queue {
            items: VecDeque::with_capacity(capacity),
            capacity,
            pushed: 0,
            popped: 0,
        }
    }

    /// Whether nothing is inside.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    #[inline]
    pub(super) fn accepts(&self, now: u64) -> bool {
        let at_start =
            self.items.len() + usize::from(self.popped == now) - usize::from(self.pushed == now);
        self.pushed != now && at_start < self.capacity
    }

    /// Whether something entered or left in this cycle.
    #[inline]
    pub(super) fn moved(&self, now: u64) -> bool {
        self.pushed == now || self.popped == now
    }

    /// How many were inside when the cycle began.
    #[inline]
    pub(super) fn len_at_start(&self, now: u64) -> usize {
        self.items.len() + usize::from(self.popped == now) - usize::from(self.pushed == now)
    }

    #[inline]
    pub(super) fn push(&mut self, now: u64, item: T) {
        debug_assert!(self.accepts(now));
        self.pushed = now;
        self.items.push_back(item);
    }

    /// Puts an item in that can leave in the same cycle.
    #[inline]
    pub(super) fn show(&mut self, item: T) {
        debug_assert!(self.items.len() < self.capacity);
        self.items.push_back(item);
    }

    /// Takes an item if it can.
    #[inline]
    pub(super) fn offer(&mut self, now: u64, item: T) -> bool {
        let accepts = self.accepts(now);
        if accepts {
            self.push(now, item);
        }
        accepts
    }

    /// What can leave in this cycle.
    #[inline]
    pub(super) fn front(&self, now: u64) -> Option<&T> {
        if self.popped == now || self.items.len() == usize::from(self.pushed == now) {
            return None;
        }
        self.items.front()
    }

    #[inline]
    pub(super) fn pop(&mut self, now: u64) -> Option<T> {
        self.front(now)?;
        self.popped = now;
        self.items.pop_front()
    }
}

/// A number of places, taken and given back; one given back can be taken again in the next cycle.
#[derive(Debug)]
pub(super) struct Places {
    used: usize,
    capacity: usize,
    freed: u64,
    freed_now: usize,
}

impl Places {
    pub(super) fn new(capacity: usize) -> Places {
        Places {
            used: 0,
            capacity,
            freed: 0,
            freed_now: 0,
        }
    }

    #[inline]
    pub(super) fn available(&self, now: u64) -> bool {
        let freed = if self.freed == now { self.freed_now } else { 0 };
        self.used + freed < self.capacity
    }

    pub(super) fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Whether one was given back in this cycle.
    pub(super) fn freed(&self, now: u64) -> bool {
        self.freed == now
    }

    /// Whether none was taken when the cycle began.
    pub(super) fn was_empty(&self, now: u64) -> bool {
        let freed = if self.freed == now { self.freed_now } else { 0 };
        self.used + freed == 0
    }

    #[inline]
    pub(super) fn take(&mut self) {
        self.used += 1;
    }

    #[inline]
    pub(super) fn release(&mut self, now: u64) {
        if self.freed != now {
            (self.freed, self.freed_now) = (now, 0);
        }
        self.freed_now += 1;
        self.used -= 1;
    }
}

/// An arbiter that serves whoever comes after the last one served.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundRobin {
    /// Requests below this number wait for those from it on.
    next: usize,
}

impl RoundRobin {
    #[inline]
    pub(super) fn choose(
        &self,
        count: usize,
        mut requests: impl FnMut(usize) -> bool,
    ) -> Option<usize> {
        if count == 1 {
            return requests(0).then_some(0);
        }
        (self.next..count)
            .chain(0..self.next.min(count))
            .find(|&n| requests(n))
    }

    #[inline]
    pub(super) fn served(&mut self, which: usize) {
        self.next = which + 1;
    }
}

/// An arbiter that serves the one after the last one served if it asks, and else the first that does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cyclic {
    preferred: usize,
}

impl Cyclic {
    #[inline]
    pub(super) fn choose(&self, requests: u32) -> Option<usize> {
        if requests >> self.preferred & 1 != 0 {
            return Some(self.preferred);
        }
        (requests != 0).then(|| requests.trailing_zeros() as usize)
    }

    #[inline]
    pub(super) fn served(&mut self, which: usize, count: usize) {
        self.preferred = if which + 1 == count { 0 } else { which + 1 };
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn a_queue_registers_both_ends() {
        let mut queue = Queue::new(2);
        queue.push(1, 'a');
        assert!(queue.pop(1).is_none(), "what enters leaves a cycle later");
        queue.push(2, 'b');
        assert!(!queue.accepts(3), "full when the cycle began");
        assert_eq!(queue.pop(3), Some('a'));
        assert!(
            !queue.accepts(3),
            "a place freed in this cycle is free in the next"
        );
        assert!(queue.pop(3).is_none(), "one per cycle");
        assert!(queue.accepts(4));
    }

    #[test]
    fn arbiters_rotate() {
        let mut fair = RoundRobin::default();
        let mut order = Vec::new();
        for _ in 0..4 {
            let which = fair.choose(3, |n| n != 1).unwrap();
            fair.served(which);
            order.push(which);
        }
        assert_eq!(order, [0, 2, 0, 2]);

        let mut cyclic = Cyclic::default();
        let mut order = Vec::new();
        for requests in [0b110, 0b101, 0b101, 0b111] {
            let which = cyclic.choose(requests).unwrap();
            cyclic.served(which, 3);
            order.push(which);
        }
        assert_eq!(order, [1, 2, 0, 1]);
    }
}
