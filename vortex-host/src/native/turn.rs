//! Whose turn it is: items of a group that wait for each other.
//!
//! An item that reaches a barrier lets the next one of its group run, in its own thread, and waits for its next turn.
//! Threads rather than coroutines, so that debuggers show each item's stack, Miri can run it, and no code of ours
//! changes stacks; a change of turns takes a few microseconds.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, Thread};

use super::memory::Memory;

/// In which order items run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One after the other.
    Items,
    /// Group by group: they have memory in common.
    Groups,
    /// Group by group, and those of a group in turns: there are barriers.
    Turns,
}

/// The number of a run of an item: no two have the same.
#[derive(Debug)]
pub struct ItemId(u64);

impl ItemId {
    /// One that has not been before.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) const fn number(&self) -> u64 {
        self.0
    }
}

/// That an item runs, and no other one does.
#[derive(Debug)]
pub struct Turn<'a> {
    item: ItemId,
    /// The number of the item in its group.
    number: usize,
    /// How often it has let others run.
    count: u64,
    pub(super) group: &'a Group,
    /// The local memory that is lent to the item, by its place in the kernel.
    pub(super) lent: Rc<RefCell<Vec<u32>>>,
    /// It is one thread's.
    here: PhantomData<*const ()>,
}

impl<'a> Turn<'a> {
    pub(super) fn of(item: ItemId, number: usize, group: &'a Group) -> Self {
        Self {
            item,
            number,
            count: 0,
            group,
            lent: Rc::default(),
            here: PhantomData,
        }
    }

    pub(super) const fn item(&self) -> u64 {
        self.item.number()
    }

    /// Lets all other items of the group run until each has come here, too, or has ended.
    pub fn barrier(&mut self) {
        self.count += 1;
        self.group.pass(self.number);
        self.group.wait(self.number);
    }

    /// Records that something is lent for this turn, which it is once.
    pub(super) fn lend(&self, item: u64, last: &Cell<Option<u64>>) {
        let is_own = item == self.item();
        assert!(
            is_own && last.get() != Some(self.count),
            "internal error: memory is lent twice in one turn"
        );
        last.set(Some(self.count));
    }

    /// What all items have that come here, by their numbers, and this one's number.
    pub(super) fn exchanged<T: Copy + Send + 'static>(
        &mut self,
        value: T,
    ) -> (Vec<(usize, T)>, usize) {
        let own = self.number;
        self.group
            .with_exchange(|values| values.push((own, Box::new(value))));
        self.barrier();
        let mut all = self.group.with_exchange(|values| {
            let values = values.iter();
            let values =
                values.filter_map(|(item, value)| Some((*item, *value.downcast_ref::<T>()?)));
            values.collect::<Vec<_>>()
        });
        self.barrier();
        // Before it comes here again, or to another such place.
        self.group
            .with_exchange(|values| values.retain(|(item, _)| *item != own));
        all.sort_by_key(|(item, _)| *item);
        (all, own)
    }
}

/// The items of a group, and what they have in common.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) memory: Memory,
    exchange: Mutex<Vec<(usize, Box<dyn Any + Send>)>>,
    /// Whose turn it is, or [`NOBODY`].
    current: AtomicUsize,
    /// Who has not ended yet.
    live: Vec<AtomicBool>,
    threads: OnceLock<Vec<Thread>>,
    abandoned: AtomicBool,
}

const NOBODY: usize = usize::MAX;

impl Group {
    /// Of this many items; it is nobody's turn.
    pub(super) fn new(items: usize) -> Self {
        Self {
            memory: Memory::default(),
            exchange: Mutex::default(),
            current: AtomicUsize::new(NOBODY),
            live: (0..items).map(|_| AtomicBool::new(true)).collect(),
            threads: OnceLock::new(),
            abandoned: AtomicBool::new(false),
        }
    }

    /// Begins with the first item, once there is a thread for each.
    pub(super) fn begin(&self, threads: Vec<Thread>) {
        self.threads.get_or_init(|| threads);
        self.give(0);
    }

    /// Ends the threads that wait for their first turn.
    pub(super) fn abandon(&self, threads: &[Thread]) {
        self.abandoned.store(true, Ordering::Release);
        threads.iter().for_each(Thread::unpark);
    }

    /// Waits until it is the turn of an item. It never is in a group that has been abandoned.
    pub(super) fn wait(&self, item: usize) -> bool {
        while self.current.load(Ordering::Acquire) != item {
            if self.abandoned.load(Ordering::Acquire) {
                return false;
            }
            thread::park();
        }
        true
    }

    /// Makes it the turn of the next item that has not ended. Gives whether there is one, which may be the same.
    fn pass(&self, item: usize) -> bool {
        let items = self.live.len();
        let others = (item + 1..items).chain(0..=item);
        let mut live = others.filter(|other| self.live[*other].load(Ordering::Relaxed));
        match live.next() {
            Some(next) if next != item => {
                self.give(next);
                true
            }
            next => next.is_some(),
        }
    }

    /// An item has ended. After the last one, all start again, with another group's items.
    pub(super) fn end(&self, item: usize) {
        self.live[item].store(false, Ordering::Relaxed);
        if !self.pass(item) {
            for item in &self.live {
                item.store(true, Ordering::Relaxed);
            }
            self.give(0);
        }
    }

    /// What is written before is seen by the item whose turn it is from now on.
    fn give(&self, item: usize) {
        self.current.store(item, Ordering::Release);
        let threads = self.threads.get();
        if let Some(thread) = threads.and_then(|threads| threads.get(item)) {
            thread.unpark();
        }
    }

    fn with_exchange<R>(&self, f: impl FnOnce(&mut Vec<(usize, Box<dyn Any + Send>)>) -> R) -> R {
        f(&mut self.exchange.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
