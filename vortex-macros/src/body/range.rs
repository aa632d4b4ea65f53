//! `let r = a..b;`: a range has a name, and is what it is wherever the name stands.

use std::borrow::Cow;

use proc_macro2::Ident;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Block, Expr, ExprClosure, ExprForLoop, ExprIf, ExprRange, ExprWhile, Local, Member, Pat,
    RangeLimits, Stmt, parse_quote,
};

use super::definite_init::{binds, binds_in_condition};
use super::{temporary, unparenthesized};

/// The block with the ends of its ranges as locals, and the ranges where their names stood.
pub(super) fn unfolded(block: &Block) -> Cow<'_, Block> {
    if !block.stmts.iter().any(|stmt| named(stmt).is_some()) {
        return Cow::Borrowed(block);
    }
    let mut block = block.clone();
    let mut index = 0;
    while index < block.stmts.len() {
        if let Some((mut named, ends)) = named(&block.stmts[index]).map(Named::declared) {
            named.statements(&mut block.stmts[index + 1..]);
            let count = ends.len();
            block.stmts.splice(index..=index, ends);
            index += count - 1;
        }
        index += 1;
    }
    Cow::Owned(block)
}

/// The name and the range of `let r = a..b;`, where both ends are there.
fn named(stmt: &Stmt) -> Option<(&Local, &Ident, &ExprRange)> {
    let Stmt::Local(local) = stmt else {
        return None;
    };
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    match (&local.pat, unparenthesized(&init.expr)) {
        (Pat::Ident(name), Expr::Range(range))
            if name.mutability.is_none()
                && name.by_ref.is_none()
                && name.subpat.is_none()
                && range.start.is_some()
                && range.end.is_some() =>
        {
            Some((local, &name.ident, range))
        }
        _ => None,
    }
}

/// A range that is a local for the user.
struct Named {
    name: Ident,
    start: Ident,
    end: Ident,
    limits: RangeLimits,
}

impl Named {
    /// The same, and the statements that declare its ends.
    fn declared((local, name, range): (&Local, &Ident, &ExprRange)) -> (Self, Vec<Stmt>) {
        let end = |which: &str| temporary(&format!("{which}_of_{name}"), name.span());
        let named = Self {
            name: name.clone(),
            start: end("start"),
            end: end("end"),
            limits: range.limits,
        };
        let declare = |name: &Ident, value: &Option<Box<Expr>>| -> Stmt {
            let attributes = &local.attrs;
            parse_quote!(#(#attributes)* let #name = #value;)
        };
        let ends = vec![
            declare(&named.start, &range.start),
            declare(&named.end, &range.end),
        ];
        (named, ends)
    }

    /// Statements up to one that gives the name to something else.
    fn statements(&mut self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            self.visit_stmt_mut(stmt);
            if let Stmt::Local(local) = stmt
                && binds(&local.pat, &self.name)
            {
                break;
            }
        }
    }

    fn is_name(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Path(path) if path.path.is_ident(&self.name) && path.qself.is_none())
    }

    /// The range, of tokens that stand where its name stands.
    fn range(&self, name: &Expr) -> Expr {
        let span = crate::spans::first(name);
        let [mut start, mut end] = [self.start.clone(), self.end.clone()];
        start.set_span(span);
        end.set_span(span);
        let limits = self.limits;
        parse_quote!(#start #limits #end)
    }
}

impl VisitMut for Named {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            _ if self.is_name(expr) => *expr = self.range(expr),
            Expr::MethodCall(call)
                if call.method == "clone"
                    && call.args.is_empty()
                    && self.is_name(&call.receiver) =>
            {
                *expr = self.range(&call.receiver);
            }
            Expr::Field(field)
                if self.is_name(&field.base) && matches!(self.limits, RangeLimits::HalfOpen(_)) =>
            {
                let Member::Named(member) = &field.member else {
                    return;
                };
                let mut end = match member {
                    member if member == "start" => self.start.clone(),
                    member if member == "end" => self.end.clone(),
                    _ => return,
                };
                end.set_span(member.span());
                *expr = parse_quote!(#end);
            }
            expr => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        self.statements(&mut block.stmts);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        if !closure.inputs.iter().any(|pat| binds(pat, &self.name)) {
            visit_mut::visit_expr_closure_mut(self, closure);
        }
    }

    fn visit_expr_for_loop_mut(&mut self, inner: &mut ExprForLoop) {
        self.visit_expr_mut(&mut inner.expr);
        if !binds(&inner.pat, &self.name) {
            self.visit_block_mut(&mut inner.body);
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        if !binds(&arm.pat, &self.name) {
            visit_mut::visit_arm_mut(self, arm);
        }
    }

    fn visit_expr_if_mut(&mut self, conditional: &mut ExprIf) {
        self.visit_expr_mut(&mut conditional.cond);
        if !binds_in_condition(&conditional.cond, &self.name) {
            self.visit_block_mut(&mut conditional.then_branch);
        }
        if let Some((_, otherwise)) = &mut conditional.else_branch {
            self.visit_expr_mut(otherwise);
        }
    }

    fn visit_expr_while_mut(&mut self, inner: &mut ExprWhile) {
        self.visit_expr_mut(&mut inner.cond);
        if !binds_in_condition(&inner.cond, &self.name) {
            self.visit_block_mut(&mut inner.body);
        }
    }
}
