//! Which stores change what was loaded from the same place: what lanes of a warp must not do to one word at once.
//!
//! In `c[0] += 1` each item adds to what it has loaded. Where several lanes of a warp store to one word in one
//! instruction, all of them have loaded it before, and all changes but one are lost. A store is an [`Update`] if the
//! item loads from the same place, and
//!
//! * the stored value depends on what was loaded: [`Update::Made`]. Let `f` be the function from the one to the other,
//!   which may differ from lane to lane. Lanes that store one value `v` to where `c` was lose nothing if `v = c`, as
//!   each then leaves what is there; nor if `f` is idempotent, `f(f(c)) = f(c)`: of lanes one after the other the first
//!   would store `v`, and each later one `f(v) = f(f(c)) = f(c) = v`;
//! * or that is so, `f` is idempotent, or what was loaded only decides whether anything is stored: [`Update::Chosen`].
//!   Then only lanes that store different values lose something.
//!
//! Functions that are known to be idempotent are made of `&` and `|`, of `min` and `max`, or are a choice between what
//! was loaded and something else. A value that depends on a warp operation is chosen, too: the lanes have agreed on
//! what to store.
//!
//! Places are the same if their addresses are the same computation from the same values, to a constant number of bytes.
//! Dependence is by operands, by the conditions of choices, and from one iteration of a loop to the next.

use super::equal::{Key, key};
use crate::ir::{
    Alias, BinOp, Block, Const, Function, Inst, Op, PrimaryMap, SecondaryMap, Type, Value,
};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What a store has to do with what its item has loaded from the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Update {
    /// It decides whether to store, or which of two values, or nothing is lost by storing one value twice.
    Chosen,
    /// The stored value is made of it.
    Made,
}

/// The stores of a function that are updates.
#[derive(Clone, Debug, Default)]
pub struct Updates {
    /// By address, displacement and value.
    found: FxHashMap<(Value, i32, Value), Update>,
}

impl Updates {
    /// Those of a structured function.
    #[must_use]
    pub fn of(function: &Function) -> Self {
        let mut analysis = Analysis::of(function);
        let mut found = FxHashMap::default();
        for store in std::mem::take(&mut analysis.stores) {
            let Some(loads) = analysis
                .loads
                .get(&analysis.place(store.ptr, store.offset))
                .cloned()
            else {
                continue;
            };
            if let Some(update) = analysis.update(&store, &loads) {
                let known = found
                    .entry((store.ptr, store.offset, store.value))
                    .or_insert(update);
                *known = update.max(*known);
            }
        }
        Self { found }
    }

    /// What the store of a value to a place is, if it is an update.
    #[must_use]
    pub fn get(&self, ptr: Value, offset: i32, value: Value) -> Option<Update> {
        self.found.get(&(ptr, offset, value)).copied()
    }
}

/// A pointer that others are reached from, and how far.
type Address = (Value, i32);

struct Store {
    ptr: Value,
    offset: i32,
    value: Value,
    /// The conditions that it is under.
    conditions: Vec<Value>,
}

/// What computes a value.
#[derive(Clone, Copy, Default)]
enum Def<'a> {
    #[default]
    Unknown,
    Op(&'a Op),
    /// One of two values, by a condition.
    Choice(Value, Value, Value),
}

/// Operations of which those made of several are idempotent, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Bits,
    Limits,
    Choice,
}

/// How a value depends on what was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Independent,
    Loaded,
    /// An idempotent function of it.
    Like(Family),
    Other,
}

/// How deep what a value is made of is looked into.
const DEPTH: u32 = 16;

/// What is known about a function's values.
struct Analysis<'a> {
    function: &'a Function,
    /// By value, the first one of the same computation.
    first: PrimaryMap<Value, Value>,
    keys: FxHashMap<Key, Value>,
    choices: FxHashMap<[Value; 3], Value>,
    /// By value, of pointers.
    places: PrimaryMap<Value, Address>,
    defs: SecondaryMap<Value, Def<'a>>,
    /// What a value directly depends on: where in `sources`.
    ranges: SecondaryMap<Value, (u32, u32)>,
    sources: Vec<Value>,
    /// Whether it is what the warp's lanes were answered when they asked each other.
    answers: SecondaryMap<Value, bool>,
    /// What is loaded from each place.
    loads: FxHashMap<Address, Vec<Value>>,
    stores: Vec<Store>,
    /// Those around what is looked at.
    conditions: Vec<Value>,
    /// By value, the number of the search that has met it last.
    met: SecondaryMap<Value, u32>,
    searches: u32,
}

/// What a value depends on.
#[derive(Clone, Copy, Default)]
struct Reached {
    loaded: bool,
    answers: bool,
}

impl<'a> Analysis<'a> {
    fn of(function: &'a Function) -> Self {
        let values = || function.values.keys();
        let mut analysis = Self {
            function,
            first: values().collect(),
            keys: FxHashMap::default(),
            choices: FxHashMap::default(),
            places: values().map(|value| (value, 0)).collect(),
            defs: function.map_values(Def::Unknown),
            ranges: function.map_values((0, 0)),
            sources: Vec::new(),
            answers: function.map_values(false),
            loads: FxHashMap::default(),
            stores: Vec::new(),
            conditions: Vec::new(),
            met: function.map_values(0),
            searches: 0,
        };
        analysis.block(&function.body);
        analysis
    }

    fn place(&self, ptr: Value, offset: i32) -> Address {
        let (from, at) = self.places[ptr];
        (from, at.wrapping_add(offset))
    }

    fn depends(&mut self, value: Value, on: impl IntoIterator<Item = Value>) {
        let start = self.sources.len() as u32;
        self.sources.extend(on);
        self.ranges[value] = (start, self.sources.len() as u32);
    }

    fn block(&mut self, block: &'a Block) {
        for inst in &block.insts {
            self.inst(inst);
        }
    }

    fn inst(&mut self, inst: &'a Inst) {
        match &inst.op {
            Op::If { cond, then, els } => {
                self.conditions.push(*cond);
                self.block(&then.block);
                self.block(&els.block);
                self.conditions.pop();
                let yields = then.yields.iter().zip(&els.yields);
                for (result, (a, b)) in inst.results.iter().zip(yields) {
                    self.depends(*result, [*cond, *a, *b]);
                    // What a failed check leaves is of no interest.
                    let def = match (then.block.is_failure(), els.block.is_failure()) {
                        (false, true) => Def::Choice(*cond, *a, *a),
                        (true, false) => Def::Choice(*cond, *b, *b),
                        _ => Def::Choice(*cond, *a, *b),
                    };
                    self.defs[*result] = def;
                    let same = [*cond, *a, *b].map(|value| self.first[value]);
                    self.first[*result] = *self.choices.entry(same).or_insert(*result);
                }
            }
            Op::While(w) => {
                for (param, (init, next)) in w.params.iter().zip(w.init.iter().zip(&w.next)) {
                    self.depends(*param, [*init, *next]);
                }
                self.conditions.push(w.cond);
                self.block(&w.before);
                self.block(&w.after);
                self.conditions.pop();
                for (result, exit) in inst.results.iter().zip(&w.exits) {
                    self.depends(*result, [w.cond, *exit]);
                }
            }
            op => self.simple(inst, op),
        }
    }

    fn simple(&mut self, inst: &'a Inst, op: &'a Op) {
        for result in &inst.results {
            let start = self.sources.len() as u32;
            op.operands(&mut |value| self.sources.push(value));
            self.ranges[*result] = (start, self.sources.len() as u32);
            self.defs[*result] = Def::Op(op);
            self.answers[*result] = op.is_collective();
        }
        match (op, &inst.results[..]) {
            (
                Op::Store {
                    ptr,
                    value,
                    offset,
                    alias,
                },
                _,
            ) if may_be_shared(*alias) => {
                self.stores.push(Store {
                    ptr: *ptr,
                    offset: *offset,
                    value: *value,
                    conditions: self.conditions.clone(),
                });
            }
            (Op::Load { ptr, offset, alias }, [result]) if may_be_shared(*alias) => {
                let place = self.place(*ptr, *offset);
                self.loads.entry(place).or_default().push(*result);
            }
            (_, [result]) => self.number(inst, *result),
            _ => {}
        }
    }

    /// Finds an equal computation, and of a pointer what it points to.
    fn number(&mut self, inst: &Inst, result: Value) {
        let mut equal = inst.clone();
        let first = &self.first;
        equal.op.operands_mut(&mut |value| *value = first[*value]);
        let never_written = |alias| match alias {
            Alias::Launch | Alias::Shared(_) | Alias::Data(_) => Some(0),
            _ => None,
        };
        if let Some(key) = key(self.function, &equal, never_written) {
            self.first[result] = *self.keys.entry(key).or_insert(result);
        }
        self.places[result] = match equal.op {
            Op::Bitcast(a) => self.place(a, 0),
            Op::PtrAdd {
                base,
                index: by,
                scale,
            } => match self.constant(by) {
                Some(by) => self.place(base, by.wrapping_mul(scale).cast_signed()),
                None => (self.first[result], 0),
            },
            _ => (self.first[result], 0),
        };
    }

    fn constant(&self, value: Value) -> Option<u32> {
        match self.defs[value] {
            Def::Op(Op::Const(Const(word))) => u32::try_from(*word).ok(),
            _ => None,
        }
    }

    /// What a value depends on, of what was loaded and what lanes were answered.
    fn reached(&mut self, from: Value, loads: &[Value]) -> Reached {
        self.searches += 1;
        let mut reached = Reached::default();
        let mut left = vec![from];
        while let Some(value) = left.pop() {
            if std::mem::replace(&mut self.met[value], self.searches) == self.searches {
                continue;
            }
            reached.loaded |= loads.contains(&value);
            reached.answers |= self.answers[value];
            let (start, end) = self.ranges[value];
            left.extend_from_slice(&self.sources[start as usize..end as usize]);
        }
        reached
    }

    fn update(&mut self, store: &Store, loads: &[Value]) -> Option<Update> {
        let reached = self.reached(store.value, loads);
        if reached.loaded {
            let made = !reached.answers && self.class(store.value, loads, DEPTH) == Class::Other;
            return Some(if made { Update::Made } else { Update::Chosen });
        }
        let mut conditions = store.conditions.iter();
        let chosen = conditions.any(|condition| self.reached(*condition, loads).loaded);
        chosen.then_some(Update::Chosen)
    }

    fn class(&mut self, value: Value, loads: &[Value], depth: u32) -> Class {
        if loads.contains(&value) {
            return Class::Loaded;
        }
        if !self.reached(value, loads).loaded {
            return Class::Independent;
        }
        let Some(depth) = depth.checked_sub(1) else {
            return Class::Other;
        };
        match self.defs[value] {
            Def::Op(Op::Binary(op, a, b)) => {
                let Some(family) = family(*op) else {
                    return Class::Other;
                };
                match (self.class(*a, loads, depth), self.class(*b, loads, depth)) {
                    (Class::Independent, with) | (with, Class::Independent)
                        if with == Class::Loaded || with == Class::Like(family) =>
                    {
                        Class::Like(family)
                    }
                    _ => Class::Other,
                }
            }
            Def::Op(Op::Select(cond, a, b)) => self.choice([*cond, *a, *b], loads, depth),
            Def::Choice(cond, a, b) => self.choice([cond, a, b], loads, depth),
            _ => Class::Other,
        }
    }

    fn choice(&mut self, [cond, a, b]: [Value; 3], loads: &[Value], depth: u32) -> Class {
        if a == b {
            return self.class(a, loads, depth);
        }
        match (self.class(a, loads, depth), self.class(b, loads, depth)) {
            (Class::Loaded, Class::Loaded) => Class::Loaded,
            (Class::Loaded, Class::Independent) | (Class::Independent, Class::Loaded) => {
                Class::Like(Family::Choice)
            }
            // `||` and `&&`.
            (Class::Independent, Class::Independent)
                if self.is_truth(a, 1) || self.is_truth(b, 0) =>
            {
                match self.class(cond, loads, depth) {
                    Class::Loaded | Class::Like(Family::Bits) => Class::Like(Family::Bits),
                    _ => Class::Other,
                }
            }
            _ => Class::Other,
        }
    }

    fn is_truth(&self, value: Value, truth: u32) -> bool {
        self.function.ty(value) == Type::Bool && self.constant(value) == Some(truth)
    }
}

/// Whether lanes of a warp may reach one place through it.
const fn may_be_shared(alias: Alias) -> bool {
    match alias {
        Alias::Any | Alias::Exclusive(_) | Alias::Local(_) | Alias::Unknown => true,
        Alias::Launch | Alias::Shared(_) | Alias::Data(_) | Alias::Private(_) | Alias::Exchange => {
            false
        }
    }
}

const fn family(op: BinOp) -> Option<Family> {
    match op {
        BinOp::And | BinOp::Or => Some(Family::Bits),
        BinOp::Min | BinOp::Max => Some(Family::Limits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    /// What the last store of a body is; `v0` is an index, `v1` where both loads and stores go, `v2` a value of the
    /// item's own, and `v3` a condition.
    fn last(body: &str) -> Option<Update> {
        let text = format!(
            "kernel \"k\" (v0: u32 \"i\" arg 0 at 0, v1: ptr<global> \"c\" arg 1 at 4, v2: u32 \"x\" arg 2 at 8, v3: bool \"p\" arg 3 at 12) args 16 {{\n{body}\n}}\n"
        );
        let function = parse(&text).unwrap();
        let mut stores = Vec::new();
        function.body.visit(&mut |inst| {
            if let Op::Store {
                ptr, value, offset, ..
            } = inst.op
            {
                stores.push((ptr, offset, value));
            }
        });
        let (ptr, offset, value) = *stores.last().unwrap();
        Updates::of(&function).get(ptr, offset, value)
    }

    #[test]
    fn values_that_are_made_of_what_was_loaded() {
        let made = Some(Update::Made);
        for op in ["add", "sub", "xor", "mul"] {
            let body = format!(
                "v4: u32 = load v1+0 exclusive(1)\nv5: u32 = {op} v4, v2\nstore v1+0, v5 exclusive(1)"
            );
            assert_eq!(last(&body), made, "{op}");
        }
        // Two computations of one address, and of another.
        for (scale, found) in [(4, made), (8, None)] {
            let body = format!(
                "v4: ptr<global> = ptradd v1, v0 * 4\nv5: u32 = load v4+0 exclusive(1)\nv6: u32 = add v5, v2\n\
                 v7: ptr<global> = ptradd v1, v0 * {scale}\nstore v7+0, v6 exclusive(1)"
            );
            assert_eq!(last(&body), found, "{scale}");
        }
        // One address by displacement and by index, and another one.
        for (displaced, found) in [(8, made), (4, None)] {
            let body = format!(
                "v4: u32 = const 2\nv5: ptr<global> = ptradd v1, v4 * 4\nv6: u32 = load v5+0 exclusive(1)\nv7: u32 = add v6, v2\n\
                 store v1+{displaced}, v7 exclusive(1)"
            );
            assert_eq!(last(&body), found, "{displaced}");
        }
    }

    #[test]
    fn what_storing_twice_does_not_change() {
        for op in ["and", "or", "min", "max"] {
            let body = format!(
                "v4: u32 = load v1+0 exclusive(1)\nv5: u32 = {op} v4, v2\nv6: u32 = {op} v0, v5\nstore v1+0, v6 exclusive(1)"
            );
            assert_eq!(last(&body), Some(Update::Chosen), "{op}");
        }
        let mixed = "v4: u32 = load v1+0 exclusive(1)\nv5: u32 = max v4, v2\nv6: u32 = or v0, v5\nstore v1+0, v6 exclusive(1)";
        assert_eq!(last(mixed), Some(Update::Made));
        let own = "v4: u32 = load v1+0 exclusive(1)\nstore v1+0, v2 exclusive(1)";
        assert_eq!(last(own), None);
    }

    #[test]
    fn choices() {
        let chosen = "v4: u32 = load v1+0 exclusive(1)\nv5: bool = lt v4, v2\nv6: u32 = select v5, v2, v4\nstore v1+0, v6 exclusive(1)";
        assert_eq!(last(chosen), Some(Update::Chosen));
        let toggled = "v4: u32 = load v1+0 exclusive(1)\nv5: bool = lt v4, v2\nv6: u32 = select v5, v2, v0\nstore v1+0, v6 exclusive(1)";
        assert_eq!(last(toggled), Some(Update::Made));
        let by_condition = "v4: u32 = load v1+0 exclusive(1)\nv5: bool = lt v4, v2\nif v5 {\n  store v1+0, v2 exclusive(1)\n} else {\n}";
        assert_eq!(last(by_condition), Some(Update::Chosen));
    }
}
