//! Determines whether all addresses in global memory that a kernel accesses are its arguments', moved by arithmetic.
//!
//! The others are those that were loaded from memory, or made of a number. A runtime that knows there are none knows
//! from the arguments alone which memory a launch can touch.

use crate::ir::{Alias, Block, Function, Op, SecondaryMap, Space, Type, Value};

/// Writes down for a structured function, before `codegen::entry`, whether it has no indirect accesses.
pub fn pointer_provenance(function: &mut Function) {
    let mut found = Indirect {
        values: function.map_values(false),
        changed: true,
        accessed: false,
    };
    let pointer = |value: Value| matches!(function.ty(value), Type::Ptr(_));
    while found.changed {
        found.changed = false;
        found.block(&function.body, &pointer);
    }
    function.facts.no_indirect_global_access = Some(!found.accessed);
}

/// Whether a function, staged or structured, loads addresses of global memory. One that does not can have none but its
/// arguments'.
#[must_use]
pub fn loads_pointers(function: &Function) -> bool {
    let mut found = false;
    function.body.visit(&mut |inst| {
        let is_address = |&value: &Value| function.ty(value) == Type::Ptr(Space::Global);
        let loads = matches!(inst.op, Op::Load { .. } | Op::Atomic { .. });
        found |= loads && inst.results.iter().any(is_address);
    });
    found
}

struct Indirect {
    /// Whether a value is an address of other origin than an argument.
    values: SecondaryMap<Value, bool>,
    changed: bool,
    accessed: bool,
}

impl Indirect {
    fn is(&self, value: Value) -> bool {
        self.values[value]
    }

    fn mark(&mut self, value: Value, indirect: bool) {
        let known = &mut self.values[value];
        self.changed |= indirect && !*known;
        *known |= indirect;
    }

    fn block(&mut self, block: &Block, pointer: &dyn Fn(Value) -> bool) {
        for inst in &block.insts {
            let indirect = match &inst.op {
                Op::Load { ptr, alias, .. } | Op::Atomic { ptr, alias, .. } => {
                    self.access(*ptr, *alias);
                    true
                }
                Op::Store { ptr, alias, .. } => {
                    self.access(*ptr, *alias);
                    false
                }
                // Of another kind of memory, not out of a number.
                Op::Bitcast(a) if pointer(*a) => self.is(*a),
                Op::Bitcast(_) | Op::Warp { .. } => true,
                Op::PtrAdd { base, .. } => self.is(*base),
                Op::Select(_, a, b) => self.is(*a) || self.is(*b),
                Op::If { then, els, .. } => {
                    for arm in [then, els] {
                        self.block(&arm.block, pointer);
                        // The arms of some do not reach their end.
                        for (&result, &value) in inst.results.iter().zip(&arm.yields) {
                            self.mark(result, self.is(value));
                        }
                    }
                    continue;
                }
                Op::While(w) => {
                    self.block(&w.before, pointer);
                    self.block(&w.after, pointer);
                    let carried = w.init.iter().chain(&w.next);
                    let params = w.params.iter().chain(&w.params);
                    let exits = inst.results.iter().zip(&w.exits);
                    for (&to, &from) in params.zip(carried).chain(exits) {
                        self.mark(to, self.is(from));
                    }
                    continue;
                }
                _ => false,
            };
            for &result in &inst.results {
                self.mark(result, indirect && pointer(result));
            }
        }
    }

    fn access(&mut self, ptr: Value, alias: Alias) {
        // What goes through a slice names it.
        self.accessed |= matches!(alias, Alias::Any | Alias::Unknown) && self.is(ptr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    fn none_indirect(body: &str) -> bool {
        let text = format!(
            "kernel \"k\" (v0: ptr<global> \"p\" arg 0 at 0, v1: u32 \"n\" arg 1 at 4) args 8 {{ {body} }}"
        );
        let mut function = parse(&text).unwrap();
        pointer_provenance(&mut function);
        function.facts.no_indirect_global_access.unwrap()
    }

    #[test]
    fn arguments_and_arithmetic_are_direct() {
        assert!(none_indirect(""));
        assert!(none_indirect(
            "v2: ptr<global> = ptradd v0, v1 * 4 v3: u32 = load v2+8 any store v2+0, v3 any"
        ));
        assert!(none_indirect(
            "v2: bool = eq v1, v1 v3: ptr<global> = select v2, v0, v0 store v3+0, v1 any"
        ));
    }

    #[test]
    fn addresses_out_of_memory_are_indirect() {
        let load = "v2: ptr<global> = load v0+0 any";
        assert!(none_indirect(load));
        assert!(!none_indirect(&format!("{load} store v2+0, v1 any")));
        // Carried by a loop, and found only once its end was seen.
        let body = "v9: ptr<global> = while (v4: ptr<global> = v0) { v5: bool = eq v1, v1 test v5 exit v4 \
            store v4+0, v1 any v6: ptr<global> = load v0+4 any next v6 }";
        assert!(!none_indirect(body));
    }

    #[test]
    fn addresses_made_of_numbers_are_indirect() {
        assert!(!none_indirect(
            "v2: ptr<global> = bitcast v1 v3: u32 = load v2+0 any"
        ));
    }
}
