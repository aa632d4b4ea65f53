//! Places: where they are. How they are read and written is in `place`.

use super::{At, with};
use crate::ir::{Alias, Value, Var};
use crate::types::DeviceType;

/// Where a place is.
#[derive(Clone, Copy, Debug)]
pub struct PlaceRef {
    pub(in crate::lang) root: Root,
    /// In variables and values: the first one; they are numbered consecutively.
    pub(in crate::lang) first: u32,
    /// In memory: the displacement in bytes.
    pub(in crate::lang) offset: u32,
}

/// What a place is a part of.
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) enum Root {
    /// A local.
    Variables,
    /// A value that is indexed.
    Values(ListId),
    /// What has an address.
    Memory {
        addr: Value,
        /// Indices that are checked when the place is read or written.
        check: Option<CheckId>,
        alias: Alias,
        at: At,
    },
}

/// An address that may be accessed, what it reaches through, and where the user says so.
pub(in crate::lang) type Reached = (Value, Alias, At);

impl PlaceRef {
    pub(in crate::lang) const fn new(root: Root) -> Self {
        Self {
            root,
            first: 0,
            offset: 0,
        }
    }

    /// The place at an address: memory that is known to exist.
    pub(in crate::lang) const fn pointee(addr: Value, alias: Alias, at: At) -> Self {
        Self::new(Root::Memory {
            addr,
            check: None,
            alias,
            at,
        })
    }

    /// The place of variables that begin with this one.
    pub(in crate::lang) fn variables(first: Var) -> Self {
        Self {
            root: Root::Variables,
            first: first.as_u32(),
            offset: 0,
        }
    }

    /// The first of the variables that it is in, if it is in variables.
    pub(in crate::lang) fn first_variable(&self) -> Option<Var> {
        matches!(self.root, Root::Variables).then(|| Var::from_u32(self.first))
    }

    /// So many of the values that it is made of, if it is no more than values.
    pub(in crate::lang) fn listed(&self, count: usize) -> Option<Vec<Value>> {
        match self.root {
            Root::Values(values) => Some(list(values, self.first as usize, count)),
            Root::Variables | Root::Memory { .. } => None,
        }
    }

    /// What it is in, and how far in, if it is in memory.
    pub(in crate::lang) fn in_memory(&self) -> Option<(Root, u32)> {
        matches!(self.root, Root::Memory { .. }).then_some((self.root, self.offset))
    }

    /// The next part of this place, at `offset` in memory.
    pub(in crate::lang) fn part<T: DeviceType>(&mut self, offset: usize) -> Self {
        let part = Self {
            offset: self.offset.wrapping_add(offset as u32),
            ..*self
        };
        self.first = self.first.wrapping_add(T::LEAVES);
        part
    }

    /// The element at an index, checked when it is read or written.
    pub(in crate::lang) fn element<T: DeviceType>(
        self,
        index: Value,
        len: impl FnOnce() -> Value,
        at: At,
    ) -> Self {
        let Root::Memory {
            addr, check, alias, ..
        } = self.root
        else {
            return self;
        };
        let check = new_check(Check {
            outer: check,
            index,
            len: len(),
            scale: size_of::<T>() as u32,
            at,
        });
        let root = Root::Memory {
            addr,
            check: Some(check),
            alias,
            at,
        };
        Self { root, ..self }
    }
}

/// A place in memory that is only there if an index is inside.
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) struct Check {
    /// The check before it.
    pub(in crate::lang) outer: Option<CheckId>,
    pub(in crate::lang) index: Value,
    pub(in crate::lang) len: Value,
    /// Bytes per element.
    pub(in crate::lang) scale: u32,
    pub(in crate::lang) at: At,
}

/// Names a [`Check`].
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) struct CheckId(usize);

/// Names a list of values.
#[derive(Clone, Copy, Debug)]
pub(in crate::lang) struct ListId(usize);

pub(in crate::lang) fn new_check(check: Check) -> CheckId {
    with(|recorder| {
        recorder.checks.push(check);
        CheckId(recorder.checks.len() - 1)
    })
}

/// A check and those before it, the first one first.
pub(in crate::lang) fn checks(mut last: Option<CheckId>) -> Vec<Check> {
    with(|recorder| {
        let mut checks = Vec::new();
        while let Some(CheckId(index)) = last {
            checks.push(recorder.checks[index]);
            last = recorder.checks[index].outer;
        }
        checks.reverse();
        checks
    })
}

pub(in crate::lang) fn new_list(values: Vec<Value>) -> ListId {
    with(|recorder| {
        recorder.lists.push(values);
        ListId(recorder.lists.len() - 1)
    })
}

/// Some values of a list.
pub(in crate::lang) fn list(ListId(list): ListId, first: usize, count: usize) -> Vec<Value> {
    with(|recorder| {
        let values = recorder.lists[list].iter().skip(first).take(count);
        values.copied().collect()
    })
}
