//! What is kept of a word of memory, or of a byte: the accesses that a later one could still race with.

use super::clock::Vector;
use super::entry::Entry;

/// The latest access, and where the earlier ones are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub(super) last: Entry,
    /// 0: none. With [`PARTS`], the number of the four cells of the word's bytes; otherwise that of a node.
    more: u32,
}

/// A cell in memory. As numbers, because those begin as memory that the host has not touched.
pub(super) type Packed = [u32; 5];

const PARTS: u32 = 1 << 31;

/// An earlier access to a word.
struct Node {
    entry: Entry,
    /// The number of the next one, or 0.
    next: u32,
}

/// What some cells have more than others. Numbers count from 1.
#[derive(Default)]
pub(super) struct More {
    nodes: Vec<Node>,
    /// Unused ones.
    free_nodes: u32,
    parts: Vec<[Cell; 4]>,
    free_parts: Vec<u32>,
}

impl Cell {
    pub(super) fn pack(self) -> Packed {
        let [who, clock, pc, work] = self.last.pack();
        [who, clock, pc, work, self.more]
    }

    pub(super) fn unpack([who, clock, pc, work, more]: Packed) -> Cell {
        Cell {
            last: Entry::unpack([who, clock, pc, work]),
            more,
        }
    }

    /// Of one access.
    pub(super) fn of(last: Entry) -> Cell {
        Cell { last, more: 0 }
    }

    /// Whether there is nothing but one access, if that, until `base`.
    pub(super) fn is_past(self, base: u32) -> bool {
        self.last.clock <= base && self.more == 0
    }

    /// Whether the word is kept byte by byte.
    pub(super) fn is_parted(self) -> bool {
        self.more & PARTS != 0
    }

    /// Forgets what happened before.
    pub(super) fn clear(&mut self, more: &mut More) {
        more.drop_of(*self);
        *self = Cell::default();
    }

    /// Takes note of an access. Answers an earlier one with which it races. What was until `base` is past for all.
    #[inline(always)]
    pub(super) fn note(
        &mut self,
        entry: Entry,
        base: u32,
        seen: &Vector,
        more: &mut More,
    ) -> Option<Entry> {
        if self.last.clock <= base {
            if self.more != 0 {
                more.drop_of(*self);
                self.more = 0;
            }
            self.last = entry;
            return None;
        }
        let races = |earlier: Entry| entry.harms(earlier) && !seen.knows(earlier);
        if races(self.last) {
            return Some(self.last);
        }
        if self.more != 0
            && let Some(earlier) = more.list(self.more).find(|&earlier| races(earlier))
        {
            return Some(earlier);
        }
        let old = std::mem::replace(&mut self.last, entry);
        if entry.is_store() {
            more.drop_list(std::mem::take(&mut self.more));
        } else if old.is_store() || old.number() != entry.number() || !old.is_like(entry) {
            self.more = more.keep(self.more, old, entry, seen);
        }
        None
    }
}

impl More {
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

    fn add(&mut self, entry: Entry, next: u32) -> u32 {
        let node = Node { entry, next };
        let unused = self.free_nodes;
        if let Some(room) = self.node(unused) {
            let next = std::mem::replace(room, node).next;
            self.free_nodes = next;
            return unused;
        }
        self.nodes.push(node);
        self.nodes.len() as u32
    }

    fn drop_list(&mut self, first: u32) {
        let mut at = first;
        let unused = self.free_nodes;
        while let Some(node) = self.node(at) {
            if node.next == 0 {
                node.next = unused;
                self.free_nodes = first;
                return;
            }
            at = node.next;
        }
    }

    fn drop_of(&mut self, cell: Cell) {
        if !cell.is_parted() {
            return self.drop_list(cell.more);
        }
        let number = cell.more & !PARTS;
        for part in *self.parts(cell) {
            self.drop_list(part.more);
        }
        self.free_parts.push(number);
    }

    /// Adds `old` to the earlier accesses, of which only those stay that a later access could race with and not with `entry`. Of those
    /// like it by other cores, one is enough.
    fn keep(&mut self, first: u32, old: Entry, entry: Entry, seen: &Vector) -> u32 {
        let mut first = self.add(old, first);
        let rival = |earlier: Entry| entry.is_like(earlier) && !earlier.is_store();
        let foreign = |earlier: Entry| earlier.core() != entry.core() && !seen.knows(earlier);
        let mut single = 0;
        let (mut at, mut previous) = (first, 0);
        while single == 0
            && let Some(node) = self.node(at)
        {
            if rival(node.entry) && foreign(node.entry) {
                single = at;
            }
            at = node.next;
        }
        at = first;
        let mut unused = self.free_nodes;
        while let Some(node) = self.node(at) {
            let (number, next) = (at, node.next);
            let alone = number == single || single == 0 && !seen.knows(node.entry);
            at = next;
            if !rival(node.entry) || alone {
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
        self.free_nodes = unused;
        first
    }

    /// Splits a word into its bytes. All have its accesses behind them.
    pub(super) fn part(&mut self, cell: &mut Cell) {
        let mut parts = [*cell; 4];
        for part in &mut parts[1..] {
            part.more = self.copy(cell.more);
        }
        let number = self.free_parts.pop().unwrap_or_else(|| {
            self.parts.push([Cell::default(); 4]);
            self.parts.len() as u32
        });
        cell.more = PARTS | number;
        *self.parts(*cell) = parts;
    }

    fn copy(&mut self, list: u32) -> u32 {
        let Some(&mut Node { entry, next }) = self.node(list) else {
            return 0;
        };
        let next = self.copy(next);
        self.add(entry, next)
    }

    /// Nodes and parted words that there is room for.
    #[cfg(test)]
    pub(super) fn counts(&self) -> [usize; 2] {
        [self.nodes.len(), self.parts.len()]
    }

    /// The cells of the bytes of a word that is kept so.
    pub(super) fn parts(&mut self, cell: Cell) -> &mut [Cell; 4] {
        &mut self.parts[((cell.more & !PARTS) as usize).wrapping_sub(1)]
    }
}
