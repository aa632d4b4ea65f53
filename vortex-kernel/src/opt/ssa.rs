//! Turns variables into values: arms of an `If` yield what they assigned, iterations of a `While` carry it.
//!
//! The staged verifier has shown that every variable is assigned on all paths to a read; on other paths it still needs
//! a word, and gets zero.

use crate::ir::visit::Renaming;
use crate::ir::{Block, Const, Function, Inst, Loc, Op, Results, SecondaryMap, Value, Var, While};

/// Removes the variables of a structured function.
pub fn ssa(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Ssa {
        now: function.map_vars(None),
        function,
        renaming: Renaming::default(),
    };
    pass.block(&mut body);
    function.body = body;
    function.vars.clear();
}

struct Ssa<'a> {
    function: &'a mut Function,
    /// The value of every variable at this point, unless it has none.
    now: SecondaryMap<Var, Option<Value>>,
    renaming: Renaming,
}

impl Ssa<'_> {
    fn zero(&mut self, var: Var, block: &mut Block) -> Value {
        let ty = self.function.vars[var];
        self.function
            .push(Op::Const(Const(0)), ty, Loc::NONE, &mut block.insts)
    }

    fn block(&mut self, block: &mut Block) {
        let mut done = Block::default();
        for mut inst in std::mem::take(&mut block.insts) {
            self.renaming.operands(&mut inst.op);
            match &mut inst.op {
                Op::VarGet(var) => {
                    let value = match self.now[*var] {
                        Some(value) => value,
                        None => self.zero(*var, &mut done),
                    };
                    for result in &inst.results {
                        self.renaming.set(*result, value);
                    }
                    continue;
                }
                Op::VarSet(var, value) => {
                    self.now[*var] = Some(*value);
                    continue;
                }
                Op::If { then, els, .. } => {
                    let before = self.now.clone();
                    self.block(&mut then.block);
                    self.renaming.list(&mut then.yields);
                    let mut after = std::mem::replace(&mut self.now, before);
                    self.block(&mut els.block);
                    self.renaming.list(&mut els.yields);
                    for (var, after) in after.iter_mut() {
                        let (a, b) = (*after, self.now[var]);
                        if a == b {
                            continue;
                        }
                        let a = a.unwrap_or_else(|| self.zero(var, &mut then.block));
                        let b = b.unwrap_or_else(|| self.zero(var, &mut els.block));
                        then.yields.push(a);
                        els.yields.push(b);
                        let merged = self.function.new_value(self.function.vars[var]);
                        inst.results.push(merged);
                        *after = Some(merged);
                    }
                    self.now = after;
                }
                Op::While(w) => self.while_loop(w, &mut inst.results),
                _ => {}
            }
            done.insts.push(inst);
        }
        *block = done;
    }

    fn while_loop(&mut self, w: &mut While, results: &mut Results) {
        let mut assigned = Vec::new();
        let mut note = |inst: &Inst| {
            if let Op::VarSet(var, _) = inst.op {
                assigned.push(var);
            }
        };
        w.before.visit(&mut note);
        w.after.visit(&mut note);
        assigned.sort_unstable();
        assigned.dedup();
        let mut carried = Vec::new();
        for var in assigned.iter().copied() {
            if let Some(value) = self.now[var] {
                let param = self.function.new_value(self.function.vars[var]);
                w.params.push(param);
                w.init.push(value);
                self.now[var] = Some(param);
                carried.push(var);
            }
        }
        self.block(&mut w.before);
        w.cond = self.renaming.get(w.cond);
        self.renaming.list(&mut w.exits);
        let mut outside = self.now.clone();
        for var in assigned {
            if let Some(value) = self.now[var] {
                let result = self.function.new_value(self.function.vars[var]);
                w.exits.push(value);
                results.push(result);
                outside[var] = Some(result);
            }
        }
        self.block(&mut w.after);
        self.renaming.list(&mut w.next);
        for var in carried {
            let value = match self.now[var] {
                Some(value) => value,
                None => self.zero(var, &mut w.after),
            };
            w.next.push(value);
        }
        self.now = outside;
    }
}
