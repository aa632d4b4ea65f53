//! Memory of which each item accesses elements of its own, so that no two items can race there.
//!
//! In `y[row * n + col] = sum` the index is a sum of ids, each times something that is the same for all items. If all
//! accesses to `y` are to such an index, the same but for a constant, then two items meet only if two of these sums are
//! less than so many elements apart: which the launch, that knows its size and its arguments, can find out
//! ([`OwnElements::disjoint`]). What is reached through `&mut [T]` is reached through no other argument, and a
//! kernel that dereferences raw pointers has no memory of that kind.
//!
//! Nothing of that changes the code. It spares whoever watches for races most of the work.

use crate::ir::{Alias, BinOp, Block, Function, Id, IndexChecks, Op, Type, Value};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// What of a kernel's memory is found to be each item's own, if a launch is as it must be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnMemory {
    /// Arguments all of whose accesses are.
    pub arguments: Vec<OwnElements>,
    /// There is nothing else that an item could race for: all other accesses are loads of what no item writes.
    pub all: bool,
}

/// An argument of which each item accesses elements of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnElements {
    /// Where the argument struct has its address, in bytes.
    pub address: u32,
    /// From one index to the next, in bytes.
    pub element: u32,
    /// The lowest index that an item accesses, as a sum.
    pub first: Vec<Term>,
    /// As many elements from there on; at least 1.
    pub count: u32,
}

/// A product.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// Which id of the item is in it, if one is.
    pub id: Option<ItemId>,
    /// A constant in it.
    pub constant: u32,
    /// What else is in it.
    pub factors: Vec<Factor>,
}

/// What tells an item from the others of its launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemId {
    /// Its number, x fastest.
    Linear,
    /// Its coordinate in a dimension.
    At(u8),
}

/// A word that is the same for all items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Factor {
    /// At this offset of the argument struct.
    Argument(u32),
    /// The extent of the launch in a dimension.
    Size(u8),
}

impl OwnElements {
    /// The address in an argument struct, if no two items of a launch of this extent access the same element, and no
    /// index wraps around.
    #[must_use]
    pub fn disjoint(&self, args: &[u8], size: [u32; 3]) -> Option<u32> {
        let address = word(args, self.address)?;
        // What the index grows by from an item to the next, in each dimension.
        let mut strides = [0u64; 3];
        let mut lowest = 0u64;
        let rows = [
            1,
            u64::from(size[0]),
            u64::from(size[0]).checked_mul(size[1].into())?,
        ];
        for term in &self.first {
            let product = term.product(args, size)?;
            match term.id {
                None => lowest = lowest.checked_add(product)?,
                Some(ItemId::At(dimension)) => {
                    let stride = strides.get_mut(usize::from(dimension))?;
                    *stride = stride.checked_add(product)?;
                }
                Some(ItemId::Linear) => {
                    for (stride, row) in strides.iter_mut().zip(rows) {
                        *stride = stride.checked_add(product.checked_mul(row)?)?;
                    }
                }
            }
        }
        let mut dimensions = [0, 1, 2].map(|d| (strides[d], u64::from(size[d])));
        dimensions.sort_unstable();
        // What the dimensions with smaller strides fill.
        let mut filled = u64::from(self.count);
        for (stride, size) in dimensions {
            if size > 1 {
                if stride < filled {
                    return None;
                }
                filled = filled.checked_add(stride.checked_mul(size - 1)?)?;
            }
        }
        let end = lowest.checked_add(filled)?;
        let bytes = end.checked_mul(self.element.into())?;
        (bytes <= 1 << 32).then_some(address)
    }
}

impl Term {
    fn product(&self, args: &[u8], size: [u32; 3]) -> Option<u64> {
        let mut product = u64::from(self.constant);
        for factor in &self.factors {
            let factor = match *factor {
                Factor::Argument(offset) => word(args, offset)?,
                Factor::Size(dimension) => *size.get(usize::from(dimension))?,
            };
            product = product.checked_mul(factor.into())?;
        }
        Some(product)
    }
}

fn word(args: &[u8], offset: u32) -> Option<u32> {
    let bytes = args.get(offset as usize..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// Finds such memory in a structured function, before `codegen::entry`.
pub(crate) fn own_elements(function: &Function) -> OwnMemory {
    // Without checks, an index can be that of anything.
    if function.indices == IndexChecks::Left {
        return OwnMemory::default();
    }
    let mut survey = Survey {
        function,
        params: (function.params.iter())
            .filter(|param| param.offset < function.args_size)
            .map(|param| (param.value, param.offset))
            .collect(),
        ops: FxHashMap::default(),
        found: FxHashMap::default(),
        shared: false,
        raw: false,
    };
    function.body.visit(&mut |inst| {
        if let [result] = inst.results[..]
            && inst.op.is_pure()
        {
            survey.ops.insert(result, &inst.op);
        }
    });
    survey.block(&function.body);
    if survey.raw {
        return OwnMemory::default();
    }
    let mut all = !survey.shared;
    let mut arguments = Vec::new();
    for found in survey.found.into_values() {
        match found.and_then(Found::written) {
            Some(own) => arguments.push(own),
            None => all = false,
        }
    }
    arguments.sort_unstable_by_key(|own| own.address);
    OwnMemory { arguments, all }
}

/// What is known of accesses to an argument.
struct Found {
    address: u32,
    element: u32,
    terms: Vec<Term>,
    /// The lowest and the highest constant that is added to the terms.
    from: u32,
    to: u32,
}

impl Found {
    /// Of two accesses, if they differ in nothing but a constant.
    fn with(self, other: &Self) -> Option<Self> {
        let key = |found: &Self| (found.address, found.element);
        (key(&self) == key(other) && self.terms == other.terms).then(|| Self {
            from: self.from.min(other.from),
            to: self.to.max(other.to),
            ..self
        })
    }

    fn written(self) -> Option<OwnElements> {
        let mut first = self.terms;
        first.push(Term {
            id: None,
            constant: self.from,
            factors: Vec::new(),
        });
        Some(OwnElements {
            address: self.address,
            element: self.element,
            first,
            count: (self.to - self.from).checked_add(1)?,
        })
    }
}

/// An index: terms in ascending order, and a constant.
struct Index {
    terms: Vec<Term>,
    constant: u32,
}

struct Survey<'a> {
    function: &'a Function,
    /// Arguments, with their offsets.
    params: FxHashMap<Value, u32>,
    /// What computes a value.
    ops: FxHashMap<Value, &'a Op>,
    /// By number; `None` where nothing is known of which elements an item accesses.
    found: FxHashMap<u32, Option<Found>>,
    /// There is memory that items have in common and write to.
    shared: bool,
    /// Some access could be to any argument.
    raw: bool,
}

/// Expressions are followed this deep.
const DEPTH: u32 = 12;

impl Survey<'_> {
    fn block(&mut self, block: &Block) {
        block.visit(&mut |inst| match &inst.op {
            Op::Load { ptr, offset, alias } => {
                let ty = inst.results.first().map(|v| self.function.ty(*v));
                self.access(*ptr, *offset, ty, *alias);
            }
            Op::Store {
                ptr,
                value,
                offset,
                alias,
            } => self.access(*ptr, *offset, Some(self.function.ty(*value)), *alias),
            Op::Atomic { ptr, alias, .. } => {
                self.shared = true;
                self.access(*ptr, 0, None, *alias);
            }
            // What is printed is written down in order, and barriers order what items have in common.
            Op::Warp { .. } | Op::Barrier | Op::Print { .. } => self.shared = true,
            _ => {}
        });
    }

    fn access(&mut self, ptr: Value, offset: i32, ty: Option<Type>, alias: Alias) {
        match alias {
            Alias::Launch | Alias::Shared(_) | Alias::Data(_) | Alias::Private(_) => {}
            Alias::Local(_) => self.shared = true,
            Alias::Any | Alias::Unknown | Alias::Exchange => self.raw = true,
            Alias::Exclusive(number) => {
                let access = ty.and_then(|ty| self.element(ptr, offset, ty));
                match self.found.entry(number) {
                    Entry::Vacant(entry) => {
                        entry.insert(access);
                    }
                    Entry::Occupied(mut entry) => {
                        let known = entry.get_mut().take();
                        *entry.get_mut() = known.zip(access).and_then(|(a, b)| a.with(&b));
                    }
                }
            }
        }
    }

    /// The element of an argument that is accessed, if it is one.
    fn element(&self, ptr: Value, offset: i32, ty: Type) -> Option<Found> {
        let Some(Op::PtrAdd { base, index, scale }) = self.ops.get(&ptr).copied() else {
            return None;
        };
        let offset = u32::try_from(offset).ok()?;
        let within = offset.checked_add(ty.bytes())? <= *scale;
        if !within || self.function.ty(*index) != Type::U32 {
            return None;
        }
        let Index {
            mut terms,
            constant,
        } = self.sum(*index, DEPTH)?;
        terms.sort_unstable();
        Some(Found {
            address: *self.params.get(base)?,
            element: *scale,
            terms,
            from: constant,
            to: constant,
        })
    }

    /// A value as a sum. As each part of it is less than the whole, none has wrapped around if the whole, without
    /// wrapping, is a word.
    fn sum(&self, value: Value, depth: u32) -> Option<Index> {
        let depth = depth.checked_sub(1)?;
        let term = |id, factors| {
            let term = Term {
                id,
                constant: 1,
                factors,
            };
            Some(Index {
                terms: vec![term],
                constant: 0,
            })
        };
        if let Some(offset) = self.params.get(&value) {
            let is_word = self.function.ty(value) == Type::U32;
            return is_word.then(|| term(None, vec![Factor::Argument(*offset)]))?;
        }
        match *self.ops.get(&value).copied()? {
            Op::Const(word) => Some(Index {
                terms: Vec::new(),
                constant: u32::try_from(word.0).ok()?,
            }),
            Op::Id(Id::GlobalLinear) => term(Some(ItemId::Linear), Vec::new()),
            Op::Id(Id::Global(dimension)) => term(Some(ItemId::At(dimension)), Vec::new()),
            Op::Id(Id::GlobalSize(dimension)) => term(None, vec![Factor::Size(dimension)]),
            Op::Binary(BinOp::Add, a, b) => {
                let (mut a, b) = (self.sum(a, depth)?, self.sum(b, depth)?);
                a.terms.extend(b.terms);
                a.constant = a.constant.checked_add(b.constant)?;
                Some(a)
            }
            Op::Binary(BinOp::Mul, a, b) => {
                let (a, b) = (self.sum(a, depth)?, self.sum(b, depth)?);
                times(&a, &b)
            }
            Op::Binary(BinOp::Shl, a, b) => {
                let (a, distance) = (self.sum(a, depth)?, self.sum(b, depth)?);
                let is_constant = distance.terms.is_empty() && distance.constant < 32;
                let factor = Index {
                    terms: Vec::new(),
                    constant: 1u32.checked_shl(distance.constant)?,
                };
                is_constant.then(|| times(&a, &factor))?
            }
            Op::Bitcast(a) if self.function.ty(a) == Type::U32 => self.sum(a, depth),
            _ => None,
        }
    }
}

/// The product of two sums, if at most one of them has ids in it.
fn times(a: &Index, b: &Index) -> Option<Index> {
    let mut product = Index {
        terms: Vec::new(),
        constant: a.constant.checked_mul(b.constant)?,
    };
    let number = |constant| Term {
        id: None,
        constant,
        factors: Vec::new(),
    };
    let parts = |sum: &Index| -> Vec<Term> {
        let constant = (sum.constant != 0).then(|| number(sum.constant));
        sum.terms.iter().cloned().chain(constant).collect()
    };
    for one in &parts(a) {
        for other in &parts(b) {
            let is_constant = |term: &Term| term.id.is_none() && term.factors.is_empty();
            if is_constant(one) && is_constant(other) {
                continue;
            }
            let mut factors = one.factors.clone();
            factors.extend(&other.factors);
            factors.sort_unstable();
            let id = match (one.id, other.id) {
                (Some(_), Some(_)) => return None,
                (one, other) => one.or(other),
            };
            product.terms.push(Term {
                id,
                constant: one.constant.checked_mul(other.constant)?,
                factors,
            });
        }
    }
    Some(product)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ir::parse;

    /// What is found in a kernel `(p: &mut [u32], n: u32, q: &mut [u32])` of which `v0`, `v1` and `v3` are the words.
    fn found(body: &str) -> OwnMemory {
        let text = format!(
            "kernel \"k\" (v0: ptr<global> \"p\" arg 0 at 0, v1: u32 \"n\" arg 1 at 8, \
             v3: ptr<global> \"q\" arg 2 at 12) args 20 {{ \
             v4: u32 = id linear v5: u32 = id x v6: u32 = id y v7: u32 = const 3 {body} }}"
        );
        own_elements(&parse(&text).unwrap())
    }

    fn args(n: u32) -> Vec<u8> {
        [0x1000, 100, n, 0x2000, 100].map(u32::to_le_bytes).concat()
    }

    /// Where the items' elements are disjoint, of a launch of this extent with this `n`.
    fn disjoint(own: &OwnMemory, n: u32, size: [u32; 3]) -> Vec<u32> {
        let arguments = own.arguments.iter();
        arguments
            .filter_map(|own| own.disjoint(&args(n), size))
            .collect()
    }

    #[test]
    fn one_element_each() {
        let own = found("v8: ptr<global> = ptradd v0, v4 * 4 store v8+0, v1 exclusive(0)");
        assert!(own.all);
        assert_eq!(disjoint(&own, 0, [100, 7, 3]), [0x1000]);
    }

    #[test]
    fn rows_as_wide_as_the_launch_or_wider() {
        let own = found(
            "v8: u32 = mul v6, v1 v9: u32 = add v8, v5 v10: ptr<global> = ptradd v3, v9 * 4 \
             v11: u32 = load v10+0 exclusive(2) store v10+0, v11 exclusive(2)",
        );
        assert!(own.all);
        assert_eq!(disjoint(&own, 7, [7, 5, 1]), [0x2000]);
        assert_eq!(disjoint(&own, 8, [7, 5, 1]), [0x2000]);
        assert_eq!(disjoint(&own, 6, [7, 5, 1]), [0u32; 0]);
        // In one dimension that is not used, there is one item.
        assert_eq!(disjoint(&own, 8, [7, 5, 2]), [0u32; 0]);
        // 2^31 rows of 8 elements of 4 bytes.
        assert_eq!(disjoint(&own, 8, [1, 1 << 31, 1]), [0u32; 0]);
    }

    #[test]
    fn pairs_and_parts_of_elements() {
        let pair = |step: u32| {
            found(&format!(
                "v8: u32 = const {step} v9: u32 = mul v4, v8 v10: u32 = const 1 v11: u32 = add v9, v10 \
                 v12: ptr<global> = ptradd v0, v9 * 8 v13: ptr<global> = ptradd v0, v11 * 8 \
                 store v12+0, v1 exclusive(0) store v13+4, v1 exclusive(0)"
            ))
        };
        assert_eq!(disjoint(&pair(1), 0, [5, 1, 1]), [0u32; 0]);
        assert_eq!(disjoint(&pair(2), 0, [5, 1, 1]), [0x1000]);
        // Beyond the element.
        let own = found("v8: ptr<global> = ptradd v0, v4 * 4 store v8+4, v1 exclusive(0)");
        assert_eq!(own, OwnMemory::default());
    }

    #[test]
    fn other_elements_of_the_same_argument_count() {
        let store = "v8: ptr<global> = ptradd v0, v4 * 4 store v8+0, v1 exclusive(0)";
        for other in [
            "v9: u32 = add v4, v1 v10: ptr<global> = ptradd v0, v9 * 4 v11: u32 = load v10+0 exclusive(0)",
            "v9: u32 = load v0+0 exclusive(0)",
            "v9: ptr<global> = ptradd v8, v4 * 4 v10: u32 = load v9+0 exclusive(0)",
            "v9: u32 = atomic add v8+0, v1 exclusive(0) relaxed device",
        ] {
            assert_eq!(found(&format!("{store} {other}")).arguments, [], "{other}");
        }
    }

    #[test]
    fn what_can_reach_anything_leaves_nothing() {
        let store = "v8: ptr<global> = ptradd v0, v4 * 4 store v8+0, v1 exclusive(0)";
        assert_eq!(
            found(&format!("{store} v9: u32 = load v3+0 any")),
            OwnMemory::default()
        );
        let shared = found(&format!("{store} v9: u32 = load v3+0 exclusive(2)"));
        assert_eq!((shared.arguments.len(), shared.all), (1, false));
        let lent = found(&format!("{store} v9: u32 = load v3+0 shared(2)"));
        assert_eq!((lent.arguments.len(), lent.all), (1, true));
    }
}
