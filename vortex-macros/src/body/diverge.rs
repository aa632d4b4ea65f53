//! Which blocks never reach their end, as far as that can be read off the syntax.

use syn::visit::{self, Visit};
use syn::{Block, Expr, Stmt};

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
        Expr::Block(inner) => block(&inner.block),
        Expr::Unsafe(inner) => block(&inner.block),
        Expr::Loop(inner) => !has_break(&inner.body),
        Expr::Match(inner) => {
            !inner.arms.is_empty() && inner.arms.iter().all(|arm| self::expr(&arm.body))
        }
        Expr::Paren(inner) => self::expr(&inner.expr),
        Expr::Group(inner) => self::expr(&inner.expr),
        _ => false,
    }
}

/// Whether control never passes the end of `block`.
pub(super) fn block(block: &Block) -> bool {
    block
        .stmts
        .iter()
        .any(|stmt| matches!(stmt, Stmt::Expr(inner, _) if expr(inner)))
}

/// Whether a `break` in this body leaves the loop it belongs to.
fn has_break(body: &Block) -> bool {
    struct Finder(bool);

    impl<'ast> Visit<'ast> for Finder {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Break(_) => self.0 = true,
                Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {}
                _ => visit::visit_expr(self, expr),
            }
        }
    }

    let mut finder = Finder(false);
    finder.visit_block(body);
    finder.0
}
