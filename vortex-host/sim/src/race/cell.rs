//! What is kept of a word of memory: the accesses that a later one could still race with.

use super::super::registers::lanes_of;
use super::clock::Vector;
use super::entry::{Entry, Kind, WHOLE, number};

/// The latest access, and where the earlier ones are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub(super) last: Entry,
    /// The number of a node, or 0: there are none.
    more: u32,
}

/// A cell in memory. As numbers, because those begin as memory that the host has not touched.
pub(super) type Packed = [u32; 5];

/// An earlier access, of those bytes that a later one could still race with.
#[derive(Clone)]
struct Node {
    entry: Entry,
    /// The number of the next one, or 0.
    next: u32,
    /// Of the first node of a list, what the others have in common.
    others: Others,
}

/// Loads of a core, which is that of the cell's latest access.
#[derive(Clone, Copy)]
struct Others {
    /// Whose, one bit for each warp. All bits if these are not only loads of a core.
    warps: u32,
    /// The highest clock.
    latest: u32,
    /// The number of the last of them.
    end: u32,
}

impl Others {
    const NONE: Others = Others {
        warps: 0,
        latest: 0,
        end: 0,
    };
    const ANY: Others = Others {
        warps: u32::MAX,
        ..Others::NONE
    };

    fn add(&mut self, entry: Entry) {
        self.warps |= 1 << entry.warp();
        self.latest = self.latest.max(entry.clock);
    }
}

/// How many nodes there are at most: half a gigabyte of them.
const MOST: usize = (512 << 20) / size_of::<Node>();

/// What some cells have more than others. Numbers count from 1.
#[derive(Clone)]
pub(super) struct More {
    nodes: Vec<Node>,
    /// The first unused one, or 0.
    unused: u32,
    /// How many there may be. What finds no room is forgotten.
    most: usize,
}

impl Default for More {
    fn default() -> More {
        More::with_room(MOST)
    }
}

impl Cell {
    #[inline]
    pub(super) fn pack(self) -> Packed {
        let [who, clock, pc, work] = self.last.pack();
        [who, clock, pc, work, self.more]
    }

    #[inline]
    pub(super) fn unpack([who, clock, pc, work, more]: Packed) -> Cell {
        Cell {
            last: Entry::unpack([who, clock, pc, work]),
            more,
        }
    }

    /// Of one access.
    #[inline]
    pub(super) fn of(last: Entry) -> Cell {
        Cell { last, more: 0 }
    }

    /// Whether there is nothing to be kept after an access but that access: what there is was until `base`, or the
    /// warp itself did it.
    #[inline(always)]
    pub(super) fn is_replaced(self, entry: Entry, base: u32) -> bool {
        let old = self.last;
        let own = old.number() == entry.number()
            && old.bytes() & !entry.bytes() == 0
            && (entry.is_store() || !old.is_store() && old.is_like(entry));
        self.more == 0 && (old.clock <= base || own)
    }

    /// Forgets what happened before.
    pub(super) fn clear(&mut self, more: &mut More) {
        more.drop_list(self.more);
        *self = Cell::default();
    }

    /// Records an access. Returns an earlier one with which it races. What was until `base` is past for all.
    #[inline(always)]
    pub(super) fn note(
        &mut self,
        entry: Entry,
        base: u32,
        seen: &Vector,
        more: &mut More,
    ) -> Option<Entry> {
        if self.last.clock <= base {
            more.drop_list(std::mem::take(&mut self.more));
            self.last = entry;
            return None;
        }
        let races = |earlier: Entry| entry.harms(earlier) && !seen.knows(earlier);
        if races(self.last) {
            return Some(self.last);
        }
        if more.keep_load(*self, entry) {
            let head = more.list(self.more).next().filter(|&head| races(head));
            self.last = entry;
            return head;
        }
        if entry.is_store() && entry.bytes() == WHOLE && more.is_past(*self, seen) {
            let head = more.list(self.more).next().filter(|&head| races(head));
            more.drop_list(std::mem::take(&mut self.more));
            self.last = entry;
            return head;
        }
        let mut repeated = entry.repeats(self.last);
        for earlier in more.list(self.more) {
            if races(earlier) {
                return Some(earlier);
            }
            repeated |= entry.repeats(earlier);
        }
        if repeated {
            return None;
        }
        let old = std::mem::replace(&mut self.last, entry);
        let replaces = if entry.is_store() {
            self.more == 0 && old.bytes() & !entry.bytes() == 0
        } else {
            // What is in the list was held against the earlier one, which was the same.
            !old.is_store()
                && old.number() == entry.number()
                && old.is_like(entry)
                && old.bytes() == entry.bytes()
        };
        if replaces {
            // Whatever races with the earlier one does with this one, too.
        } else if entry.is_store() && entry.bytes() == WHOLE {
            more.drop_list(std::mem::take(&mut self.more));
        } else {
            self.more = more.keep(self.more, old, entry, seen);
        }
        None
    }
}

impl More {
    pub(super) fn with_room(most: usize) -> More {
        More {
            nodes: Vec::new(),
            unused: 0,
            most,
        }
    }

    /// A list of accesses, the latest first.
    fn list(&self, first: u32) -> impl Iterator<Item = Entry> {
        let mut at = first;
        std::iter::from_fn(move || {
            let node = self.nodes.get((at as usize).wrapping_sub(1))?;
            at = node.next;
            Some(node.entry)
        })
    }

    fn node(&mut self, number: u32) -> Option<&mut Node> {
        self.nodes.get_mut((number as usize).wrapping_sub(1))
    }

    /// A list with one more access, if there is room for it.
    fn add(&mut self, entry: Entry, next: u32) -> u32 {
        let node = Node {
            entry,
            next,
            others: Others::ANY,
        };
        let unused = self.unused;
        if let Some(room) = self.node(unused) {
            self.unused = std::mem::replace(room, node).next;
            return unused;
        }
        if self.nodes.len() >= self.most {
            return next;
        }
        self.nodes.push(node);
        self.nodes.len() as u32
    }

    fn drop_list(&mut self, first: u32) {
        let unused = self.unused;
        let end = self.node(first).map_or(0, |head| match head.others {
            Others {
                warps: u32::MAX, ..
            }
            | Others { end: 0, .. } => first,
            Others { end, .. } => end,
        });
        let mut at = end;
        while let Some(node) = self.node(at) {
            if node.next == 0 {
                node.next = unused;
                self.unused = first;
                return;
            }
            at = node.next;
        }
    }

    /// Adds `old` to the earlier accesses, of which only what a later access could race with stays, and not with
    /// `entry`. Of those like it by other cores, one is enough for each byte.
    fn keep(&mut self, first: u32, old: Entry, entry: Entry, seen: &Vector) -> u32 {
        let mut first = self.add_to(old, first);
        let rival =
            |earlier: Entry| entry.is_store() || entry.is_like(earlier) && !earlier.is_store();
        let foreign = |earlier: Entry| earlier.core() != entry.core() && !seen.knows(earlier);
        let rivals = |earlier: &Entry| rival(*earlier) && foreign(*earlier);
        let all = self.list(first).filter(rivals);
        let known_abroad = all.fold(0, |bytes, earlier| bytes | earlier.bytes());
        let mut wanted = known_abroad;
        let (mut at, mut previous) = (first, 0);
        let mut unused = self.unused;
        while let Some(node) = self.node(at) {
            let (number, next) = (at, node.next);
            at = next;
            let earlier = node.entry;
            let stays = if !rival(earlier) {
                WHOLE
            } else if foreign(earlier) {
                let first = wanted;
                wanted &= !earlier.bytes();
                first
            } else if !seen.knows(earlier) {
                !known_abroad
            } else {
                0
            };
            node.entry = earlier.only(stays | !entry.bytes());
            if node.entry.bytes() != 0 {
                previous = number;
                continue;
            }
            node.next = unused;
            unused = number;
            match self.node(previous) {
                Some(node) => node.next = next,
                None => first = next,
            }
        }
        self.unused = unused;
        self.find_others(first, entry.core());
        first
    }

    /// Adds a load to a list after what is not a load, or an access before all others.
    fn add_to(&mut self, entry: Entry, first: u32) -> u32 {
        let is_load = entry.kind() == Kind::Load;
        let Some(head) = self
            .node(first)
            .filter(|head| is_load && head.entry.kind() != Kind::Load)
        else {
            return self.add(entry, first);
        };
        let next = head.next;
        let added = self.add(entry, next);
        if let Some(head) = self.node(first) {
            head.next = added;
        }
        first
    }

    /// Determines what those of a list after the first have in common, if they are loads of a core.
    fn find_others(&mut self, first: u32, core: u32) {
        let Some(head) = self.node(first) else {
            return;
        };
        let (mut others, mut at) = (Others::NONE, head.next);
        while let Some(node) = self.node(at) {
            if node.entry.kind() != Kind::Load || node.entry.core() != core {
                others = Others::ANY;
                break;
            }
            others.add(node.entry);
            others.end = at;
            at = node.next;
        }
        if let Some(head) = self.node(first) {
            head.others = others;
        }
    }

    /// Adds the latest access to the earlier ones if a load comes now, and there is nothing else to be done: it is a
    /// load of another warp of the core, whose own loads are not among the earlier ones. With all but the first of
    /// these it cannot race.
    fn keep_load(&mut self, cell: Cell, entry: Entry) -> bool {
        let old = cell.last;
        let both = entry.kind() == Kind::Load && old.kind() == Kind::Load;
        if !both || old.core() != entry.core() || old.number() == entry.number() {
            return false;
        }
        let Some(head) = self.node(cell.more) else {
            return false;
        };
        if head.others.warps >> entry.warp() & 1 != 0 || head.entry.number() == entry.number() {
            return false;
        }
        head.others.add(old);
        let next = head.next;
        let added = self.add(old, next);
        if let Some(head) = self.node(cell.more) {
            head.next = added;
            if next == 0 {
                head.others.end = added;
            }
        }
        true
    }

    /// Whether it is known without a walk that all earlier accesses but the first are past.
    fn is_past(&mut self, cell: Cell, seen: &Vector) -> bool {
        let Some(&mut Node { others, .. }) = self.node(cell.more) else {
            return false;
        };
        let knows = |warp| seen.until(number(cell.last.core(), warp)) >= others.latest;
        others.warps != u32::MAX && lanes_of(others.warps).all(knows)
    }

    /// Nodes that there is room for.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.nodes.len()
    }
}
