//! Which expressions are of type `!`, and which are never passed, as far as that can be read off the syntax.
//!
//! The two differ where something follows what diverges: `{ return; 5 }` is never passed, and is a number. Only what
//! is of type `!` may stand where any type is wanted, for rustc as for the recorded code.

use syn::visit::{self, Visit};
use syn::{
    BinOp, Block, Expr, ExprClosure, ExprIf, ExprLoop, ExprMatch, ExprReturn, Lifetime, Macro,
    ReturnType, Stmt,
};

use super::meaning;
use crate::valid;

/// Whether an expression is of type `!`.
pub(super) fn expr(expr: &Expr) -> bool {
    match expr {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::If(inner) => conditional(inner),
        Expr::Block(inner) => match &inner.label {
            Some(label) => labelled(&inner.block, &label.name),
            None => block(&inner.block),
        },
        Expr::Unsafe(inner) => block(&inner.block),
        Expr::Loop(inner) => endless(inner),
        Expr::Match(inner) => matching(inner),
        Expr::Macro(inner) => meaning::diverges(&inner.mac),
        Expr::Paren(inner) => self::expr(&inner.expr),
        Expr::Group(inner) => self::expr(&inner.expr),
        _ => false,
    }
}

/// Whether an `if` is of type `!`: both of its arms are.
pub(super) fn conditional(inner: &ExprIf) -> bool {
    let otherwise = inner.else_branch.as_ref();
    block(&inner.then_branch) && otherwise.is_some_and(|(_, branch)| expr(branch))
}

/// Whether a `match` is of type `!`: all of its arms are.
pub(super) fn matching(inner: &ExprMatch) -> bool {
    !inner.arms.is_empty() && inner.arms.iter().all(|arm| expr(&arm.body))
}

/// Whether no `break` leaves a `loop`.
pub(super) fn endless(inner: &ExprLoop) -> bool {
    let name = inner.label.as_ref().map(|label| &label.name);
    !has_break(&inner.body, name, true)
}

/// Whether a closure never returns, and so nothing is known of its result.
pub(super) fn closure(closure: &ExprClosure) -> bool {
    struct Returns(bool);

    impl<'ast> Visit<'ast> for Returns {
        fn visit_expr_return(&mut self, _: &'ast ExprReturn) {
            self.0 = true;
        }

        fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
    }

    let mut returns = Returns(false);
    returns.visit_expr(&closure.body);
    matches!(closure.output, ReturnType::Default) && expr(&closure.body) && !returns.0
}

/// Whether a block of this label is of type `!`: nothing leaves it.
pub(super) fn labelled(inner: &Block, label: &Lifetime) -> bool {
    block(inner) && !has_break(inner, Some(label), false)
}

/// Whether a block is of type `!`: its last expression is, or it has none and its end is never reached.
pub(super) fn block(block: &Block) -> bool {
    match block.stmts.last() {
        Some(Stmt::Expr(last, None)) => expr(last),
        Some(Stmt::Macro(last)) if last.semi_token.is_none() => meaning::diverges(&last.mac),
        _ => block.stmts.iter().any(is_final),
    }
}

/// Whether control never passes a statement.
fn is_final(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Expr(inner, _) => is_never_passed(inner),
        Stmt::Macro(inner) => meaning::diverges(&inner.mac),
        Stmt::Local(local) => local
            .init
            .as_ref()
            .is_some_and(|init| is_never_passed(&init.expr)),
        Stmt::Item(_) => false,
    }
}

/// Whether control never passes an expression: it is of type `!`, or something that is always evaluated for it is.
fn is_never_passed(whole: &Expr) -> bool {
    let stmts = |block: &Block| block.stmts.iter().any(is_final);
    match whole {
        Expr::Array(array) => any(&array.elems),
        Expr::Assign(assign) => is_never_passed(&assign.right) || is_never_passed(&assign.left),
        Expr::Binary(binary) => {
            let both = !matches!(binary.op, BinOp::And(_) | BinOp::Or(_));
            is_never_passed(&binary.left) || both && is_never_passed(&binary.right)
        }
        Expr::Block(inner) if inner.label.is_none() => stmts(&inner.block),
        Expr::Call(call) => is_never_passed(&call.func) || any(&call.args),
        Expr::Cast(cast) => is_never_passed(&cast.expr),
        Expr::Field(field) => is_never_passed(&field.base),
        Expr::ForLoop(inner) => is_never_passed(&inner.expr),
        Expr::Group(inner) => is_never_passed(&inner.expr),
        Expr::If(inner) => {
            let otherwise = inner.else_branch.as_ref();
            let otherwise = otherwise.is_some_and(|(_, branch)| is_never_passed(branch));
            is_never_passed(&inner.cond) || otherwise && stmts(&inner.then_branch)
        }
        Expr::Index(index) => is_never_passed(&index.expr) || is_never_passed(&index.index),
        Expr::Let(condition) => is_never_passed(&condition.expr),
        Expr::Match(inner) => {
            let mut arms = inner.arms.iter();
            let of_arms = !inner.arms.is_empty() && arms.all(|arm| is_never_passed(&arm.body));
            is_never_passed(&inner.expr) || of_arms
        }
        Expr::MethodCall(call) => is_never_passed(&call.receiver) || any(&call.args),
        Expr::Paren(inner) => is_never_passed(&inner.expr),
        Expr::Range(range) => any([&range.start, &range.end]
            .into_iter()
            .flatten()
            .map(|end| &**end)),
        Expr::Reference(inner) => is_never_passed(&inner.expr),
        Expr::Repeat(array) => is_never_passed(&array.expr),
        Expr::Struct(literal) => {
            let fields = literal.fields.iter().map(|field| &field.expr);
            any(fields.chain(literal.rest.as_deref()))
        }
        Expr::Tuple(tuple) => any(&tuple.elems),
        Expr::Unary(unary) => is_never_passed(&unary.expr),
        Expr::Unsafe(inner) => stmts(&inner.block),
        whole => expr(whole),
    }
}

fn any<'e>(parts: impl IntoIterator<Item = &'e Expr>) -> bool {
    parts.into_iter().any(is_never_passed)
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
                // What it goes over is evaluated outside of it.
                Expr::ForLoop(inner) => {
                    self.visit_expr(&inner.expr);
                    self.innermost = false;
                    self.visit_block(&inner.body);
                    self.innermost = outside;
                    return;
                }
                Expr::Loop(_) | Expr::While(_) => self.innermost = false,
                _ => {}
            }
            visit::visit_expr(self, expr);
            self.innermost = outside;
        }

        // Its arguments are any tokens; what may be a `break` of the loop counts as one.
        fn visit_macro(&mut self, mac: &'ast Macro) {
            self.found |= valid::mentions(&mac.tokens, "break");
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
