//! Which blocks never reach their end, as far as that can be read off the syntax.

use syn::visit::{self, Visit};
use syn::{Block, Expr, Lifetime, Stmt};

use super::said;

/// Whether control never passes `expr`.
pub(super) fn expr(expr: &Expr) -> bool {
    match expr {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::If(conditional) => {
            block(&conditional.then_branch)
                && conditional
                    .else_branch
                    .as_ref()
                    .is_some_and(|(_, branch)| self::expr(branch))
        }
        Expr::Block(inner) => match &inner.label {
            Some(label) => {
                block(&inner.block) && !has_break(&inner.block, Some(&label.name), false)
            }
            None => block(&inner.block),
        },
        Expr::Unsafe(inner) => block(&inner.block),
        Expr::Loop(inner) => {
            let name = inner.label.as_ref().map(|label| &label.name);
            !has_break(&inner.body, name, true)
        }
        Expr::Match(inner) => {
            !inner.arms.is_empty() && inner.arms.iter().all(|arm| self::expr(&arm.body))
        }
        Expr::Macro(inner) => said::diverges(&inner.mac),
        Expr::Paren(inner) => self::expr(&inner.expr),
        Expr::Group(inner) => self::expr(&inner.expr),
        _ => false,
    }
}

/// Whether control never passes the end of `block`.
pub(super) fn block(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Expr(inner, _) => expr(inner),
        Stmt::Macro(inner) => said::diverges(&inner.mac),
        Stmt::Local(_) | Stmt::Item(_) => false,
    })
}

/// Whether a `break` in this body leaves the loop or block it belongs to.
fn has_break(body: &Block, name: Option<&Lifetime>, is_loop: bool) -> bool {
    struct Finder<'l> {
        name: Option<&'l Lifetime>,
        /// An unlabelled `break` here leaves what is asked about.
        innermost: bool,
        found: bool,
    }

    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            let outside = self.innermost;
            match expr {
                Expr::Break(jump) => {
                    self.found |= match &jump.label {
                        Some(label) => self.name == Some(label),
                        None => self.innermost,
                    };
                }
                Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => self.innermost = false,
                _ => {}
            }
            visit::visit_expr(self, expr);
            self.innermost = outside;
        }
    }

    let mut finder = Finder {
        name,
        innermost: is_loop,
        found: false,
    };
    finder.visit_block(body);
    finder.found
}
