//! Whether barriers keep what items of a group read in local memory from what others write.
//!
//! All items of a group come to the same barriers in the same order, so that what one does between two of them can
//! meet only what others do between the same two. Each array is followed through the function: if it is written and,
//! without a barrier between, read at places other than the item's own, in any order and on any way, then items may
//! race for it.

use super::index::{Bytes, Indices, LocalAccess};
use super::places::Places;
use crate::ir::{Alias, Block, Function, LocalId, Op};
use rustc_hash::FxHashMap;

/// What may have been done to an array since the last barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Done {
    written: bool,
    /// At places that are another item's.
    read: bool,
}

/// What may have been done to each array that is written.
type State = FxHashMap<LocalId, Done>;

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
        let mut state = State::default();
        phases.block(&function.body, &mut state);
        if phases.races {
            return None;
        }
        let mut own: Vec<_> = phases.own.into_iter().collect();
        own.sort_unstable_by_key(|(object, _)| *object);
        Some(own.into_iter().map(|(_, bytes)| bytes.places()).collect())
    }

    fn block(&mut self, block: &Block, state: &mut State) {
        for inst in &block.insts {
            match &inst.op {
                Op::If { then, els, .. } => {
                    let mut other = state.clone();
                    self.block(&then.block, state);
                    self.block(&els.block, &mut other);
                    self.join(state, &other);
                }
                Op::While(w) => {
                    let first = self.next;
                    // What an iteration adds to the state the next one may find. After two, nothing is new.
                    for _ in 0..3 {
                        self.next = first;
                        self.block(&w.before, state);
                        let mut again = state.clone();
                        self.block(&w.after, &mut again);
                        self.join(state, &again);
                    }
                }
                Op::Barrier => state.clear(),
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
                    self.access(access, state);
                }
                _ => {}
            }
        }
    }

    fn access(&mut self, access: &LocalAccess, state: &mut State) {
        // What nobody writes is nothing to race for.
        let Some(own) = self.own.get(&access.object) else {
            return;
        };
        let is_own = access
            .bytes
            .as_ref()
            .is_some_and(|bytes| own.contains(bytes));
        let done = state.entry(access.object).or_default();
        done.written |= access.stores;
        done.read |= !access.stores && !is_own;
        self.races |= done.written && done.read;
    }

    fn join(&mut self, state: &mut State, other: &State) {
        for (object, done) in other {
            let known = state.entry(*object).or_default();
            known.written |= done.written;
            known.read |= done.read;
            self.races |= known.written && known.read;
        }
    }
}
