//! Whether barriers separate what items of a group read in local memory from what others write.
//!
//! All items of a group reach the same barriers in the same order, so accesses of one between two of them can only
//! conflict with accesses of others between the same two; of a barrier in two halves, accesses between the halves can
//! also conflict with those on either side. Each array is followed through the function: if it is written and, without
//! a barrier between, read at places other than the item's own, in any order and on any path, then items may race for
//! it.

use super::index::{Bytes, Indices, LocalAccess, Side};
use super::places::Places;
use crate::ir::{Alias, Block, Function, LocalId, Op, Value};
use rustc_hash::FxHashMap;

/// What may be done to an array between two barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Done {
    written: Where,
    /// At places that are another item's.
    read: Where,
}

/// At which places something is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Where {
    #[default]
    Nowhere,
    /// On one side of a number that is the same for all items, as long as they are in the same iteration.
    On(Side),
    Anywhere,
}

impl Where {
    fn and(self, other: Where) -> Where {
        match (self, other) {
            (Where::Nowhere, place) | (place, Where::Nowhere) => place,
            (a, b) if a == b => a,
            _ => Where::Anywhere,
        }
    }

    /// Whether it may be where another item's access is.
    fn meets(self, other: Where) -> bool {
        match (self, other) {
            (Where::Nowhere, _) | (_, Where::Nowhere) => false,
            (Where::On(Side::Below(a, apart)), Where::On(Side::From(b, other)))
            | (Where::On(Side::From(a, apart)), Where::On(Side::Below(b, other))) => {
                (a, apart) != (b, other)
            }
            _ => true,
        }
    }

    /// The same in any iteration.
    fn in_any_iteration(self) -> Where {
        match self {
            Where::Nowhere => Where::Nowhere,
            Where::On(_) | Where::Anywhere => Where::Anywhere,
        }
    }
}

/// What may be done to each array that is written.
type Accessed = FxHashMap<LocalId, Done>;

/// What some code does, as what comes before and after it needs to know it.
#[derive(Clone, Debug)]
struct Steps {
    /// Before the end of its first barrier.
    first: Accessed,
    /// After the beginning of its last one.
    last: Accessed,
    /// There is a way through it without a barrier, of which all is both first and last.
    passes: bool,
}

pub(super) struct Phases<'a> {
    /// Accesses in the order of the walk that found them.
    accesses: &'a [LocalAccess],
    /// The next of them.
    next: usize,
    /// Where items write, by array.
    own: FxHashMap<LocalId, Bytes>,
    races: bool,
}

impl<'a> Phases<'a> {
    /// Where items write in each array, if there is nothing to race for unless these places meet.
    pub(super) fn own(function: &Function, indices: &'a Indices<'_>) -> Option<Vec<Places>> {
        let mut own: FxHashMap<LocalId, Bytes> = FxHashMap::default();
        for access in indices.local.iter().filter(|access| access.stores) {
            let bytes = access.bytes.clone()?;
            let all = match own.remove(&access.object) {
                Some(known) => known.with(&bytes)?,
                None => bytes,
            };
            own.insert(access.object, all);
        }
        let mut phases = Self {
            accesses: &indices.local,
            next: 0,
            own,
            races: false,
        };
        phases.block(&function.body);
        if phases.races {
            return None;
        }
        let mut own: Vec<_> = phases.own.into_iter().collect();
        own.sort_unstable_by_key(|(object, _)| *object);
        Some(own.into_iter().map(|(_, bytes)| bytes.places()).collect())
    }

    fn block(&mut self, block: &Block) -> Steps {
        let mut all = Steps::nothing();
        let mut arrived: Option<(&[Value], Steps)> = None;
        for inst in &block.insts {
            let steps = match &inst.op {
                Op::BarrierArrive => {
                    let before = std::mem::replace(&mut all, Steps::nothing());
                    let before = match arrived {
                        Some((_, earlier)) => self.sequence(earlier, &before),
                        None => before,
                    };
                    arrived = Some((&inst.results, before));
                    continue;
                }
                Op::BarrierWait(token) => {
                    // Elsewhere than where the items arrived, it is taken for nothing.
                    if let Some((_, before)) = arrived.take_if(|(own, _)| own.contains(token)) {
                        let between = std::mem::replace(&mut all, Steps::nothing());
                        all = self.sequence(before, &between);
                        all.last = between.last;
                        all.passes = false;
                    }
                    continue;
                }
                Op::If { then, els, .. } => {
                    let then = self.block(&then.block);
                    let els = self.block(&els.block);
                    self.either(then, &els)
                }
                Op::While(w) => {
                    let before = self.block(&w.before);
                    let iteration = self.block(&w.after);
                    let iteration = self.sequence(iteration, &before.in_any_iteration());
                    let iterations = self.repeated(iteration);
                    self.sequence(before, &iterations)
                }
                Op::Barrier => Steps {
                    passes: false,
                    ..Steps::nothing()
                },
                Op::Load {
                    alias: Alias::Local(_),
                    ..
                }
                | Op::Store {
                    alias: Alias::Local(_),
                    ..
                } => {
                    let access = &self.accesses[self.next];
                    self.next += 1;
                    self.access(access)
                }
                _ => continue,
            };
            all = self.sequence(all, &steps);
        }
        match arrived {
            Some((_, before)) => self.sequence(before, &all),
            None => all,
        }
    }

    fn access(&self, access: &LocalAccess) -> Steps {
        let mut steps = Steps::nothing();
        // What nobody writes is nothing to race for.
        if let Some(own) = self.own.get(&access.object) {
            let bytes = access.bytes.as_ref();
            let is_own = bytes.is_some_and(|bytes| own.contains(bytes));
            let place = access.side.map_or(Where::Anywhere, Where::On);
            let done = match (access.stores, is_own) {
                (true, _) => Done {
                    written: place,
                    ..Done::default()
                },
                (false, false) => Done {
                    read: place,
                    ..Done::default()
                },
                (false, true) => Done::default(),
            };
            steps.first.insert(access.object, done);
            steps.last.insert(access.object, done);
        }
        steps
    }

    /// One after the other.
    fn sequence(&mut self, mut one: Steps, then: &Steps) -> Steps {
        self.meet(&one.last, &then.first);
        if one.passes {
            join(&mut one.first, &then.first);
        }
        if then.passes {
            join(&mut one.last, &then.last);
        } else {
            one.last.clone_from(&then.last);
        }
        one.passes &= then.passes;
        one
    }

    /// One of the two, in some items one and in some the other.
    fn either(&mut self, mut one: Steps, other: &Steps) -> Steps {
        self.meet(&one.first, &other.first);
        self.meet(&one.last, &other.last);
        join(&mut one.first, &other.first);
        join(&mut one.last, &other.last);
        one.passes |= other.passes;
        one
    }

    /// The same any number of times.
    fn repeated(&mut self, steps: Steps) -> Steps {
        let steps = steps.in_any_iteration();
        self.meet(&steps.last, &steps.first);
        Steps {
            passes: true,
            ..steps
        }
    }

    /// Both are between the same two barriers.
    fn meet(&mut self, some: &Accessed, others: &Accessed) {
        self.races |= others.iter().any(|(object, other)| {
            let done = some.get(object).copied().unwrap_or_default();
            done.written.meets(other.read) || other.written.meets(done.read)
        });
    }
}

impl Steps {
    fn nothing() -> Self {
        Self {
            first: Accessed::default(),
            last: Accessed::default(),
            passes: true,
        }
    }

    /// The same in an iteration that may be another one.
    fn in_any_iteration(&self) -> Self {
        let done = |done: &Done| Done {
            written: done.written.in_any_iteration(),
            read: done.read.in_any_iteration(),
        };
        let all = |accessed: &Accessed| {
            let accessed = accessed.iter();
            accessed
                .map(|(object, some)| (*object, done(some)))
                .collect()
        };
        Self {
            first: all(&self.first),
            last: all(&self.last),
            passes: self.passes,
        }
    }
}

fn join(some: &mut Accessed, others: &Accessed) {
    for (object, other) in others {
        let done = some.entry(*object).or_default();
        done.written = done.written.and(other.written);
        done.read = done.read.and(other.read);
    }
}
