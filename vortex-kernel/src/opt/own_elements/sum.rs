//! Sums of ids, of numbers that are the same for all items, and of numbers that an item runs through.

use super::places::{Factor, ItemId, Term, Width};

/// A sum: terms in ascending order, a constant, and numbers that an item runs through.
#[derive(Default, PartialEq)]
pub(super) struct Index {
    pub(super) terms: Vec<Term>,
    pub(super) constant: u32,
    pub(super) widths: Vec<Width>,
    /// By what the item's number is divided, if it is.
    pub(super) divisor: Option<Vec<Term>>,
}

impl Index {
    /// The number that it is, if it is a constant.
    pub(super) fn as_number(&self) -> Option<u32> {
        (*self == number(self.constant)).then_some(self.constant)
    }

    /// Whether it is the number of an item in its group.
    pub(super) fn is_local_number(&self) -> bool {
        *self == term(Some(ItemId::LocalLinear), Vec::new())
    }
}

/// A constant as a sum of terms.
pub(super) fn constant(constant: u32) -> Vec<Term> {
    vec![Term {
        id: None,
        constant,
        factors: Vec::new(),
    }]
}

pub(super) fn number(constant: u32) -> Index {
    Index {
        constant,
        ..Index::default()
    }
}

pub(super) fn term(id: Option<ItemId>, factors: Vec<Factor>) -> Index {
    Index {
        terms: vec![Term {
            id,
            constant: 1,
            factors,
        }],
        ..Index::default()
    }
}

pub(super) fn plus(mut a: Index, b: Index) -> Option<Index> {
    a.terms.extend(b.terms);
    a.widths.extend(b.widths);
    a.constant = a.constant.checked_add(b.constant)?;
    a.divisor = one_divisor(a.divisor, &b.divisor)?;
    Some(a)
}

/// What both divide by, unless that is not the same.
fn one_divisor(a: Option<Vec<Term>>, b: &Option<Vec<Term>>) -> Option<Option<Vec<Term>>> {
    match (a, b) {
        (Some(a), Some(b)) => (a == *b).then_some(Some(a)),
        (a, b) => Some(a.or_else(|| b.clone())),
    }
}

/// The product of two sums, if at most one of them has ids in it, and the second no widths.
pub(super) fn times(a: Index, b: &Index) -> Option<Index> {
    let parts = |sum: &Index| -> Vec<Term> {
        let constant = (sum.constant != 0).then(|| constant(sum.constant));
        sum.terms
            .iter()
            .cloned()
            .chain(constant.into_iter().flatten())
            .collect()
    };
    let product = |one: &[Term], other: &[Term]| -> Option<Vec<Term>> {
        let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
        pairs.map(|(a, b)| a.times(b)).collect()
    };
    let factor = parts(b);
    let mut widths = a.widths.clone();
    for width in &mut widths {
        width.stride = product(&width.stride, &factor)?;
        width.stride.sort_unstable();
        if width.stride.iter().any(|term| term.id.is_some()) {
            return None;
        }
    }
    let is_constant = |term: &Term| term.id.is_none() && term.factors.is_empty();
    let mut terms = product(&parts(&a), &factor)?;
    terms.retain(|term| !is_constant(term));
    let widths_fit = b.widths.is_empty();
    let constant = a.constant.checked_mul(b.constant)?;
    let divisor = one_divisor(a.divisor, &b.divisor)?;
    widths_fit.then_some(Index {
        terms,
        constant,
        widths,
        divisor,
    })
}

impl Term {
    fn times(&self, other: &Self) -> Option<Self> {
        let mut factors = self.factors.clone();
        factors.extend(&other.factors);
        factors.sort_unstable();
        let id = match (self.id, other.id) {
            (Some(_), Some(_)) => return None,
            (one, other) => one.or(other),
        };
        Some(Self {
            id,
            constant: self.constant.checked_mul(other.constant)?,
            factors,
        })
    }
}
