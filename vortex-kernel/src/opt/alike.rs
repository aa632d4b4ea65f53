//! Objects in local memory that neighbouring groups fill alike.
//!
//! ```text
//! left[y][x] = a[global_y * n + x]         the same for all groups of a row
//! right[y][x] = b[y * n + global_x]        another for each of them
//! ```
//!
//! Where lanes do items of several groups at once, such groups can share one object: at each place in the code it holds
//! what each group's own would hold. That is the case if what is stored there, where, and whether, does not depend on
//! the group. It is first assumed of all objects, and dropped for one after the other until it is consistent, because
//! what is loaded from a shared object is also the same for all groups.

use super::unroll_and_jam::Varies;
use crate::ir::{Alias, Block, Function, Inst, LocalId, Op, SecondaryMap, Value};

/// The objects of which each group needs one of its own, if these values are another for each; and all values that are.
pub(crate) fn own_objects(
    function: &Function,
    body: &Block,
    items: &[Value],
) -> (SecondaryMap<LocalId, bool>, Varies) {
    let mut own = SecondaryMap::new();
    for id in function.locals.keys() {
        own[id] = false;
    }
    let mut addresses = Vec::new();
    body.visit(&mut |inst| {
        if let Op::LocalAddr(id) = inst.op {
            addresses.extend(inst.results.iter().map(|address| (*address, id)));
        }
    });
    loop {
        let of_own = addresses.iter().filter(|(_, id)| own[*id]);
        let values: Vec<Value> = items
            .iter()
            .copied()
            .chain(of_own.map(|(address, _)| *address))
            .collect();
        let varies = Varies::of(function, body, &values);
        let mut search = Search {
            varies: &varies,
            objects: function.map_values(None),
            own,
            changed: false,
        };
        search.block(body, false);
        let changed = search.changed;
        own = search.own;
        if !changed {
            return (own, varies);
        }
    }
}

struct Search<'a> {
    varies: &'a Varies,
    /// By address, the object that it is in.
    objects: SecondaryMap<Value, Option<LocalId>>,
    own: SecondaryMap<LocalId, bool>,
    changed: bool,
}

impl Search<'_> {
    fn block(&mut self, block: &Block, is_each_groups: bool) {
        for inst in &block.insts {
            self.inst(inst, is_each_groups);
            let cond = match &inst.op {
                Op::If { cond, .. } => self.varies.is(*cond),
                Op::While(w) => self.varies.is(w.cond),
                _ => false,
            };
            for nested in inst.op.blocks().into_iter().flatten() {
                self.block(nested, is_each_groups || cond);
            }
        }
    }

    fn inst(&mut self, inst: &Inst, is_each_groups: bool) {
        let escape = |search: &mut Self, value: Value| {
            if let Some(id) = search.objects[value] {
                search.give_up(id);
            }
        };
        match &inst.op {
            Op::LocalAddr(id) => {
                for address in &inst.results {
                    self.objects[*address] = Some(*id);
                }
            }
            Op::PtrAdd { base, .. } => {
                for address in &inst.results {
                    self.objects[*address] = self.objects[*base];
                }
            }
            Op::Load { ptr, alias, .. } => self.access(*ptr, *alias),
            op @ Op::Store {
                ptr, value, alias, ..
            } => {
                escape(self, *value);
                self.access(*ptr, *alias);
                if let Alias::Local(id) = *alias
                    && (is_each_groups || self.varies.any(op))
                {
                    self.give_up(id);
                }
            }
            // Somewhere else, anything could become of an address.
            op => {
                let mut used = Vec::new();
                op.operands(&mut |value| used.push(value));
                op.inner_operands(&mut |value| used.push(value));
                for value in used {
                    escape(self, value);
                }
            }
        }
    }

    /// An access whose address is not known to be in the object that it is said to be in.
    fn access(&mut self, ptr: Value, alias: Alias) {
        let said = match alias {
            Alias::Local(id) => Some(id),
            _ => None,
        };
        if self.objects[ptr] != said {
            for id in [self.objects[ptr], said].into_iter().flatten() {
                self.give_up(id);
            }
        }
    }

    fn give_up(&mut self, id: LocalId) {
        self.changed |= !self.own[id];
        self.own[id] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;
    use crate::opt::coarsening::{Axis, ids_along};

    /// Which of two objects need one for each group of a row.
    fn own(body: &str) -> [bool; 2] {
        let text = format!(
            "kernel \"k\" (v0: ptr<global> \"x\" arg 0 at 0) args 4 {{ \
             local l0 \"left\" size 64 align 4 local l1 \"right\" size 64 align 4 \
             v1: u32 = id linear v2: u32 = id local_linear \
             v3: ptr<local> = local_addr l0 v4: ptr<local> = local_addr l1 \
             v5: ptr<local> = ptradd v3, v2 * 4 v6: ptr<local> = ptradd v4, v2 * 4 {body} }}"
        );
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let ids = ids_along(&function.body, Axis::Column);
        let (own, _) = own_objects(&function, &function.body, &ids);
        let ids: Vec<LocalId> = function.locals.keys().collect();
        [own[ids[0]], own[ids[1]]]
    }

    #[test]
    fn what_is_stored_decides() {
        assert_eq!(
            own("store v5+0, v2 local(0) store v6+0, v1 local(1)"),
            [false, true]
        );
        // What comes of the other object.
        let copied = "store v5+0, v1 local(0) v7: u32 = load v3+4 local(0) store v6+0, v7 local(1)";
        assert_eq!(own(copied), [true, true]);
    }

    #[test]
    fn where_and_whether_decide_too() {
        let at = "v7: ptr<local> = ptradd v3, v1 * 4 store v7+0, v2 local(0)";
        assert_eq!(own(at), [true, false]);
        let under = "v7: bool = lt v1, v2 if v7 { store v5+0, v2 local(0) }";
        assert_eq!(own(under), [true, false]);
    }

    #[test]
    fn addresses_that_go_elsewhere_give_it_up() {
        assert_eq!(
            own("v7: ptr<global> = bitcast v5 store v7+0, v2 unknown"),
            [true, false]
        );
    }
}
