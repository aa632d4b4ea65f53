//! Turns objects in private memory into variables, if every access has a constant position.
//!
//! An object is split when its address is used only for loads and stores, and no two of these overlap unless they have
//! the same bytes and type. What is indexed by a value stays in memory.

use super::ssa::ssa;
use crate::ir::{
    Alias, Block, Function, Inst, LocalPlace, Op, PrimaryMap, PrivateId, SecondaryMap, Type, Value,
    Var,
};
use std::collections::BTreeMap;

/// Takes the objects of a structured function apart, whose positions became constants with its loops.
pub fn promote(function: &mut Function) {
    sroa(function);
    if !function.vars.is_empty() {
        ssa(function);
    }
}

/// Takes the objects of a staged function apart.
pub fn sroa(function: &mut Function) {
    if function.privates.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    let mut parts = Parts::of(&body, function);
    for local in &function.names {
        // Debuggers look for it there.
        if let Some(LocalPlace::Private(id, _)) = local.place {
            parts.parts[id] = None;
        }
    }
    let mut kept = SecondaryMap::new();
    let mut privates = PrimaryMap::new();
    let mut vars: SecondaryMap<PrivateId, BTreeMap<i32, Var>> = SecondaryMap::new();
    for (id, object) in std::mem::take(&mut function.privates) {
        let Some(parts) = parts.of_object(id) else {
            kept[id] = Some(privates.push(object));
            continue;
        };
        for (offset, ty) in parts {
            vars[id].insert(offset, function.vars.push(ty));
        }
    }
    function.privates = privates;
    for local in &mut function.names {
        if let Some(LocalPlace::Private(id, _)) = &mut local.place
            && let Some(new) = kept[*id]
        {
            *id = new;
        }
    }
    let rewrite = Rewrite {
        object: &parts.object,
        kept,
        vars,
    };
    rewrite.block(&mut body);
    function.body = body;
}

/// What is accessed of each object.
struct Parts {
    /// The object whose address a value is.
    object: SecondaryMap<Value, Option<PrivateId>>,
    /// Type of what is accessed, by offset; `None` where the object cannot be taken apart.
    parts: SecondaryMap<PrivateId, Option<BTreeMap<i32, Type>>>,
}

impl Parts {
    fn of(body: &Block, function: &Function) -> Self {
        let mut found = Self {
            object: function.map_values(None),
            parts: SecondaryMap::with_default(Some(BTreeMap::new())),
        };
        body.visit(&mut |inst| {
            if let (Op::PrivateAddr(id), [result]) = (&inst.op, &inst.results[..]) {
                found.object[*result] = Some(*id);
            }
        });
        body.visit(&mut |inst| match &inst.op {
            Op::Load { ptr, offset, .. } => {
                let ty = inst.results.first().map(|v| function.ty(*v));
                found.access(*ptr, *offset, ty);
            }
            Op::Store {
                ptr, value, offset, ..
            } => {
                found.access(*ptr, *offset, Some(function.ty(*value)));
                found.escape(*value);
            }
            op => {
                op.operands(&mut |v| found.escape(v));
                op.inner_operands(&mut |v| found.escape(v));
            }
        });
        found
    }

    fn escape(&mut self, value: Value) {
        if let Some(id) = self.object[value] {
            self.parts[id] = None;
        }
    }

    fn access(&mut self, ptr: Value, offset: i32, ty: Option<Type>) {
        let Some(id) = self.object[ptr] else {
            return;
        };
        let (Some(parts), Some(ty)) = (&mut self.parts[id], ty) else {
            return;
        };
        if parts.insert(offset, ty).is_some_and(|other| other != ty) {
            self.parts[id] = None;
        }
    }

    /// The parts of an object, if none overlap.
    fn of_object(&self, id: PrivateId) -> Option<Vec<(i32, Type)>> {
        let parts = self.parts[id].as_ref()?;
        let parts: Vec<_> = parts.iter().map(|(offset, ty)| (*offset, *ty)).collect();
        let apart = parts.windows(2).all(|pair| {
            let [(start, ty), (next, _)] = pair else {
                return true;
            };
            start
                .checked_add_unsigned(ty.bytes())
                .is_some_and(|end| end <= *next)
        });
        apart.then_some(parts)
    }
}

struct Rewrite<'a> {
    object: &'a SecondaryMap<Value, Option<PrivateId>>,
    /// The new number of an object that stays in memory.
    kept: SecondaryMap<PrivateId, Option<PrivateId>>,
    vars: SecondaryMap<PrivateId, BTreeMap<i32, Var>>,
}

impl Rewrite<'_> {
    fn block(&self, block: &mut Block) {
        block.insts.retain_mut(|inst| self.inst(inst));
    }

    /// Whether the instruction stays.
    fn inst(&self, inst: &mut Inst) -> bool {
        match &mut inst.op {
            Op::PrivateAddr(id) => match self.kept[*id] {
                Some(new) => *id = new,
                None => return false,
            },
            Op::Load { ptr, offset, alias } => {
                if let Some(var) = self.var(*ptr, *offset) {
                    inst.op = Op::VarGet(var);
                } else {
                    self.renumber(alias);
                }
            }
            Op::Store {
                ptr,
                value,
                offset,
                alias,
            } => {
                if let Some(var) = self.var(*ptr, *offset) {
                    inst.op = Op::VarSet(var, *value);
                } else {
                    self.renumber(alias);
                }
            }
            Op::Atomic { alias, .. } => self.renumber(alias),
            op => {
                for nested in op.blocks_mut().into_iter().flatten() {
                    self.block(nested);
                }
            }
        }
        true
    }

    fn var(&self, ptr: Value, offset: i32) -> Option<Var> {
        let object = self.object[ptr]?;
        self.vars[object].get(&offset).copied()
    }

    fn renumber(&self, alias: &mut Alias) {
        if let Alias::Private(id) = alias
            && let Some(new) = self.kept[*id]
        {
            *id = new;
        }
    }
}
