//! The walk of passes that expand one operation into several.

use super::visit::Renaming;
use super::{Block, Builder, Function, Inst, Loc, Op, Value};

/// What becomes of an operation.
pub(crate) enum Expanded {
    /// It stays, perhaps changed.
    Kept,
    /// It is removed. The appended instructions compute this, its only result.
    Is(Value),
    /// The same of several results.
    Are(Vec<Value>),
    /// It is removed, and has no result.
    Gone,
}

/// What operations become.
pub(crate) trait Expand {
    /// Appends what stands for an operation, or changes it. Its operands are renamed already; what is nested in it
    /// comes later, if it stays.
    fn expand(&mut self, b: &mut Builder<'_>, op: &mut Op, results: &[Value]) -> Expanded;

    /// A block begins.
    fn enter(&mut self) {}

    /// A block ends, and has become this.
    fn leave(&mut self, _: &Block) {}
}

/// Appends a block with its operations expanded. What is appended next has no location.
pub(crate) fn expand(b: &mut Builder<'_>, block: Block, by: &mut dyn Expand) {
    let mut walk = Walk {
        by,
        renaming: Renaming::default(),
    };
    walk.block(b, block);
    b.loc = Loc::NONE;
}

/// Expands the operations of a function's body.
pub(crate) fn expand_body(function: &mut Function, by: &mut dyn Expand) {
    let body = std::mem::take(&mut function.body);
    let mut b = Builder::new(function, Loc::NONE);
    expand(&mut b, body, by);
    function.body = b.finish();
}

struct Walk<'a> {
    by: &'a mut dyn Expand,
    renaming: Renaming,
}

impl Walk<'_> {
    fn block(&mut self, b: &mut Builder<'_>, block: Block) {
        self.by.enter();
        for inst in block.insts {
            self.inst(b, inst);
        }
        self.by.leave(&b.block);
    }

    fn inst(&mut self, b: &mut Builder<'_>, mut inst: Inst) {
        b.loc = inst.loc;
        self.renaming.operands(&mut inst.op);
        match self.by.expand(b, &mut inst.op, &inst.results) {
            Expanded::Kept => {}
            Expanded::Is(value) => {
                for result in inst.results {
                    self.renaming.set(result, value);
                }
                return;
            }
            Expanded::Are(values) => {
                for (result, value) in inst.results.into_iter().zip(values) {
                    self.renaming.set(result, value);
                }
                return;
            }
            Expanded::Gone => return,
        }
        for nested in inst.op.blocks_mut().into_iter().flatten() {
            let mut inner = b.inner();
            self.block(&mut inner, std::mem::take(nested));
            *nested = inner.finish();
        }
        let renaming = &self.renaming;
        inst.op.inner_operands_mut(&mut |v| *v = renaming.get(*v));
        b.block.insts.push(inst);
    }
}
