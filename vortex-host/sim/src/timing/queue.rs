//! Registers between stages.

/// A buffer whose both ends are registered: what enters in one cycle can leave in the next, and whether it takes
/// something depends on how full it was when the cycle began. So the order in which producer and consumer run does
/// not matter.
///
/// Most have two places, and are asked in every cycle, so these two lie in the queue itself.
#[derive(Debug)]
pub(super) struct Queue<T> {
    ends: Ends,
    first: Option<T>,
    second: Option<T>,
}

/// How many are inside a queue, and when that changed.
#[derive(Clone, Copy, Debug)]
struct Ends {
    len: u32,
    capacity: u32,
    pushed: u64,
    popped: u64,
}

impl Ends {
    const fn new(capacity: usize) -> Ends {
        Ends {
            len: 0,
            capacity: capacity as u32,
            pushed: 0,
            popped: 0,
        }
    }

    #[inline(always)]
    fn len_at_start(&self, now: u64) -> u32 {
        self.len + u32::from(self.popped == now) - u32::from(self.pushed == now)
    }

    #[inline(always)]
    fn accepts(&self, now: u64) -> bool {
        // One that is not full takes something whatever left in this cycle, except for the place that this left.
        self.pushed != now && self.len + u32::from(self.popped == now) < self.capacity
    }

    #[inline(always)]
    fn moved(&self, now: u64) -> bool {
        self.pushed == now || self.popped == now
    }

    /// Whether something can leave.
    #[inline(always)]
    fn gives(&self, now: u64) -> bool {
        self.len > u32::from(self.pushed == now) && self.popped != now
    }

    #[inline(always)]
    fn push(&mut self, now: u64) {
        self.pushed = now;
        self.len += 1;
    }

    #[inline(always)]
    fn pop(&mut self, now: u64) {
        self.popped = now;
        self.len -= 1;
    }
}

impl<T: Copy> Queue<T> {
    /// One or two places.
    pub(super) const fn new(capacity: usize) -> Queue<T> {
        debug_assert!(capacity <= 2);
        Queue {
            ends: Ends::new(capacity),
            first: None,
            second: None,
        }
    }

    /// Whether nothing is inside.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.ends.len == 0
    }

    /// Whether something entered in this cycle.
    #[inline(always)]
    pub(super) fn moved_in(&self, now: u64) -> bool {
        self.ends.pushed == now
    }

    #[inline(always)]
    pub(super) fn accepts(&self, now: u64) -> bool {
        self.ends.accepts(now)
    }

    /// Whether something entered or left in this cycle.
    #[inline(always)]
    pub(super) fn moved(&self, now: u64) -> bool {
        self.ends.moved(now)
    }

    #[inline(always)]
    pub(super) fn push(&mut self, now: u64, item: T) {
        debug_assert!(self.accepts(now));
        self.ends.push(now);
        self.put(item);
    }

    /// Puts an item in that can leave in the same cycle.
    #[inline(always)]
    pub(super) fn show(&mut self, item: T) {
        debug_assert!(self.ends.len < self.ends.capacity);
        self.ends.len += 1;
        self.put(item);
    }

    #[inline(always)]
    fn put(&mut self, item: T) {
        match self.first {
            None => self.first = Some(item),
            Some(_) => self.second = Some(item),
        }
    }

    /// Takes an item if it can.
    #[inline(always)]
    pub(super) fn offer(&mut self, now: u64, item: T) -> bool {
        let accepts = self.accepts(now);
        if accepts {
            self.push(now, item);
        }
        accepts
    }

    /// What can leave in this cycle.
    #[inline(always)]
    pub(super) fn front(&self, now: u64) -> Option<&T> {
        match self.ends.gives(now) {
            true => self.first.as_ref(),
            false => None,
        }
    }

    #[inline(always)]
    pub(super) fn pop(&mut self, now: u64) -> Option<T> {
        if !self.ends.gives(now) {
            return None;
        }
        self.ends.pop(now);
        std::mem::replace(&mut self.first, self.second.take())
    }
}

/// A [`Queue`] with as many places as one likes.
#[derive(Debug)]
pub(super) struct Deep<T> {
    ends: Ends,
    /// A ring.
    items: Box<[Option<T>]>,
    head: usize,
}

impl<T: Copy> Deep<T> {
    pub(super) fn new(capacity: usize) -> Deep<T> {
        Deep {
            ends: Ends::new(capacity),
            items: vec![None; capacity.next_power_of_two()].into_boxed_slice(),
            head: 0,
        }
    }

    /// Whether nothing is inside.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.ends.len == 0
    }

    #[inline(always)]
    pub(super) fn accepts(&self, now: u64) -> bool {
        self.ends.accepts(now)
    }

    /// Whether something entered or left in this cycle.
    #[inline(always)]
    pub(super) fn moved(&self, now: u64) -> bool {
        self.ends.moved(now)
    }

    /// How many are inside.
    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.ends.len
    }

    /// How many were inside when the cycle began.
    #[inline(always)]
    pub(super) fn len_at_start(&self, now: u64) -> usize {
        self.ends.len_at_start(now) as usize
    }

    /// Whether something is inside.
    pub(super) fn contains(&self, item: T) -> bool
    where
        T: PartialEq,
    {
        self.items.contains(&Some(item))
    }

    #[inline(always)]
    pub(super) fn push(&mut self, now: u64, item: T) {
        debug_assert!(self.accepts(now));
        let mask = self.items.len() - 1;
        self.items[(self.head + self.ends.len as usize) & mask] = Some(item);
        self.ends.push(now);
    }

    /// What can leave in this cycle.
    #[inline(always)]
    pub(super) fn front(&self, now: u64) -> Option<&T> {
        match self.ends.gives(now) {
            true => self.items[self.head & (self.items.len() - 1)].as_ref(),
            false => None,
        }
    }

    #[inline(always)]
    pub(super) fn pop(&mut self, now: u64) -> Option<T> {
        if !self.ends.gives(now) {
            return None;
        }
        self.ends.pop(now);
        let mask = self.items.len() - 1;
        let item = self.items[self.head & mask].take();
        self.head = (self.head + 1) & mask;
        item
    }
}

/// How many are under way, of as many as there are places for. A place that is released can be taken again in the next
/// cycle.
#[derive(Debug)]
pub(super) struct InFlight {
    used: usize,
    capacity: usize,
    freed: u64,
    freed_now: usize,
}

impl InFlight {
    pub(super) fn new(capacity: usize) -> InFlight {
        InFlight {
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

/// Cycles for which a [`Calendar`] looks ahead.
const AHEAD: usize = 8;

/// What is due in which of the next cycles, for each of 32.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Calendar {
    due: [u32; AHEAD],
}

impl Calendar {
    /// Notes a cycle that is less than [`AHEAD`] ahead.
    #[inline(always)]
    pub(super) fn note(&mut self, when: u64, which: u8) {
        self.due[when as usize % AHEAD] |= 1 << which;
    }

    /// What is due now, which must be asked in every cycle in which something may be.
    #[inline(always)]
    pub(super) fn take(&mut self, now: u64) -> u32 {
        std::mem::take(&mut self.due[now as usize % AHEAD])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.due == [0; AHEAD]
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
        for n in self.next..count {
            if requests(n) {
                return Some(n);
            }
        }
        (0..self.next.min(count)).find(|&n| requests(n))
    }

    /// As `choose`, of requests in a mask.
    #[inline]
    pub(super) fn among(&self, requests: u64) -> Option<usize> {
        let later = requests.checked_shr(self.next as u32).unwrap_or(0);
        match (later, requests) {
            (_, 0) => None,
            (0, _) => Some(requests.trailing_zeros() as usize),
            _ => Some(self.next + later.trailing_zeros() as usize),
        }
    }

    #[inline]
    pub(super) fn served(&mut self, which: usize) {
        self.next = which + 1;
    }
}

/// An arbiter that continues with the one served last while it asks, and else serves whoever comes after the one that
/// it turned to last; of more than eight, the one that it has not turned to for longest, the last ones first.
#[derive(Clone, Debug)]
pub(super) struct Greedy {
    served: Option<usize>,
    /// Of up to eight.
    turn: RoundRobin,
    /// Of more, all of them: those turned to are last, the latest behind.
    turned: Option<Vec<usize>>,
}

impl Greedy {
    pub(super) fn new(count: usize) -> Greedy {
        Greedy {
            served: None,
            turn: RoundRobin::default(),
            turned: (count > 8).then(|| (0..count).rev().collect()),
        }
    }

    pub(super) fn choose(&self, requests: u32) -> Option<usize> {
        let asks = |which: &usize| requests >> which & 1 != 0;
        match (self.served.filter(asks), &self.turned) {
            (Some(served), _) => Some(served),
            (None, None) => self.turn.among(u64::from(requests)),
            (None, Some(order)) => order.iter().copied().find(asks),
        }
    }

    /// Serves one of `requests`.
    pub(super) fn serve(&mut self, which: usize, requests: u32) {
        let goes_on = self
            .served
            .is_some_and(|served| requests >> served & 1 != 0);
        self.served = Some(which);
        if goes_on {
            return;
        }
        self.turn.served(which);
        if let Some(order) = &mut self.turned {
            order.retain(|&other| other != which);
            order.push(which);
        }
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
