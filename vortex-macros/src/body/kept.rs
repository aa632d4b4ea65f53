//! `let evens = x.iter().filter(..);`: an iterator has a name, and is gone through where the name stands.
//!
//! What it is made of is evaluated where it is declared: ends of ranges, numbers of items, parts of slices. What it
//! borrows cannot change before it is used, which Rust sees to.

use std::borrow::Cow;
use std::collections::HashSet;

use proc_macro2::{Ident, Span};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, ExprAssign, ExprClosure, ExprForLoop, ExprIf, ExprMatch, ExprMethodCall,
    ExprWhile, Local, Macro, Pat, PatIdent, Path, Stmt, parse_quote, parse_quote_spanned,
};

use super::definite_init::binds;
use super::expr::operator_of_assignment;
use super::iterator::{is_beginning, is_sequence};
use super::named::mentions;
use super::subslice::is_subslice;
use super::{refers_to, temporary, unparenthesized};
use crate::{spans, valid};

/// The block with such iterators where their names stood.
pub(super) fn unfolded(block: &Block) -> Cow<'_, Block> {
    let mut unfolded = Cow::Borrowed(block);
    let mut index = 0;
    while index < unfolded.stmts.len() {
        if let Some((name, chain)) = named(&unfolded.stmts[index])
            && let Some((parts, after)) = used(name, chain, &unfolded.stmts[index + 1..])
        {
            let count = parts.len();
            let stmts = unfolded.stmts[..index].iter().cloned();
            let stmts = stmts.chain(parts).chain(after).collect();
            unfolded = Cow::Owned(Block {
                stmts,
                ..block.clone()
            });
            index += count;
        } else {
            index += 1;
        }
    }
    unfolded
}

/// The name and the value of `let it = x.iter();`.
fn named(stmt: &Stmt) -> Option<(&Ident, &ExprMethodCall)> {
    let Stmt::Local(Local {
        attrs,
        pat: Pat::Ident(name),
        init: Some(init),
        ..
    }) = stmt
    else {
        return None;
    };
    let is_plain = name.by_ref.is_none() && name.subpat.is_none();
    let is_name = is_plain && init.diverge.is_none() && attrs.is_empty();
    match unparenthesized(&init.expr) {
        chain @ Expr::MethodCall(call) if is_name && is_sequence(chain) => {
            Some((&name.ident, call))
        }
        _ => None,
    }
}

/// The statements that evaluate what the iterator is made of, and those after them with it in the place of its name.
/// `None` where it is used otherwise than it can be.
fn used(name: &Ident, chain: &ExprMethodCall, after: &[Stmt]) -> Option<(Vec<Stmt>, Vec<Stmt>)> {
    let mut made = Made {
        name,
        parts: Vec::new(),
    };
    let chain = made.iterator(&Expr::MethodCall(chain.clone()))?;
    let mut free = Free::default();
    free.visit_expr(&chain);
    let mut after = after.to_vec();
    let mut kept = Kept {
        name,
        changes: changes(&chain),
        chain,
        taken: 0,
        depth: 0,
        is_gone: false,
        is_refused: false,
    };
    // Up to what gives the name to something else, which may be made of this.
    let is_again = |stmt: &Stmt| match stmt {
        Stmt::Local(local) => binds(&local.pat, name),
        _ => false,
    };
    let again = after.iter().position(is_again);
    let end = again.map_or(after.len(), |index| index + 1);
    let last_use = (after[..end].iter()).rposition(|stmt| mentions(stmt, name))?;
    for (index, stmt) in after[..=last_use].iter_mut().enumerate() {
        let mut binds = Binds {
            names: &free.names,
            itself: name,
            found: false,
        };
        match stmt {
            Stmt::Local(local) if again == Some(index) => {
                let init = local.init.as_mut()?;
                binds.visit_local_init(init);
                kept.visit_local_init_mut(init);
            }
            stmt => {
                binds.visit_stmt(stmt);
                kept.visit_stmt_mut(stmt);
            }
        }
        kept.is_refused |= binds.found;
    }
    (!kept.is_refused).then_some((made.parts, after))
}

/// What an iterator is made of, in locals.
struct Made<'n> {
    name: &'n Ident,
    parts: Vec<Stmt>,
}

impl Made<'_> {
    /// The same iterator, of names and literals.
    fn iterator(&mut self, expr: &Expr) -> Option<Expr> {
        match unparenthesized(expr) {
            Expr::Range(range) => {
                let mut range = range.clone();
                for end in [&mut range.start, &mut range.end].into_iter().flatten() {
                    **end = self.part(end);
                }
                let span = spans::first(expr);
                Some(parse_quote_spanned!(span=> (#range)))
            }
            Expr::MethodCall(call) => {
                let mut call = call.clone();
                *call.receiver = match is_beginning(&call) {
                    true => self.base(&call.receiver, call.method == "iter_mut"),
                    false => self.iterator(&call.receiver)?,
                };
                let is_of_two = valid::is_one_of(&call.method, &["zip", "chain"]);
                for argument in &mut call.args {
                    *argument = match unparenthesized(argument) {
                        Expr::Closure(closure) if closure.capture.is_some() => return None,
                        Expr::Closure(_) => continue,
                        other if is_of_two && is_sequence(other) => self.iterator(other)?,
                        other if is_of_two => self.base(other, false),
                        Expr::Path(path) if valid::names_a_function(path) => continue,
                        other => self.part(other),
                    };
                }
                Some(Expr::MethodCall(call))
            }
            _ => None,
        }
    }

    /// What it goes over: names are borrowed, and all else is evaluated.
    fn base(&mut self, base: &Expr, is_mutable: bool) -> Expr {
        let base = unparenthesized(base);
        match base {
            Expr::Path(_) | Expr::Field(_) => base.clone(),
            Expr::Reference(reference) if matches!(*reference.expr, Expr::Path(_)) => base.clone(),
            part if is_subslice(part) && is_mutable => self.local(&parse_quote!(&mut #part)),
            part if is_subslice(part) => self.local(&parse_quote!(&#part)),
            other => self.local(other),
        }
    }

    fn part(&mut self, value: &Expr) -> Expr {
        match unparenthesized(value) {
            literal @ Expr::Lit(_) => literal.clone(),
            value => self.local(value),
        }
    }

    fn local(&mut self, value: &Expr) -> Expr {
        let span = spans::first(value);
        let text = format!("part_{}_of_{}", self.parts.len(), self.name);
        let name = temporary(&text, span);
        self.parts
            .push(parse_quote_spanned!(span=> let #name = #value;));
        parse_quote_spanned!(span=> #name)
    }
}

/// The names around an iterator that its closures and its slices are of.
#[derive(Default)]
struct Free {
    names: HashSet<String>,
    bound: Vec<String>,
}

impl Free {
    fn add(&mut self, name: &Ident) {
        let name = name.to_string();
        if !self.bound.contains(&name) {
            self.names.insert(name);
        }
    }
}

impl<'ast> Visit<'ast> for Free {
    fn visit_path(&mut self, path: &'ast Path) {
        if let Some(name) = path.get_ident() {
            self.add(name);
        }
        visit::visit_path(self, path);
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        let count = self.bound.len();
        self.bound.extend(names_in(&closure.inputs));
        self.visit_expr(&closure.body);
        self.bound.truncate(count);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        for token in mac.tokens.clone() {
            if let proc_macro2::TokenTree::Ident(name) = token {
                self.add(&name);
            }
        }
    }
}

/// The names that patterns bind.
fn names_in<'p>(pats: impl IntoIterator<Item = &'p Pat>) -> Vec<String> {
    struct Names(Vec<String>);

    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, name: &'ast PatIdent) {
            self.0.push(name.ident.to_string());
            visit::visit_pat_ident(self, name);
        }
    }

    let mut names = Names(Vec::new());
    pats.into_iter().for_each(|pat| names.visit_pat(pat));
    names.0
}

/// Whether something gives one of these names to something else, or assigns to one of them.
struct Binds<'a> {
    names: &'a HashSet<String>,
    itself: &'a Ident,
    found: bool,
}

impl<'ast> Visit<'ast> for Binds<'_> {
    fn visit_pat_ident(&mut self, name: &'ast PatIdent) {
        self.found |= name.ident == *self.itself || self.names.contains(&name.ident.to_string());
        visit::visit_pat_ident(self, name);
    }

    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        if let Expr::Path(path) = unparenthesized(&assign.left)
            && let Some(name) = path.path.get_ident()
        {
            self.found |= self.names.contains(&name.to_string());
        }
        visit::visit_expr_assign(self, assign);
    }
}

/// Whether going through an iterator may change something: an item that is skipped by going through it once more is
/// then not the same.
fn changes(chain: &Expr) -> bool {
    struct Changes(bool);

    impl<'ast> Visit<'ast> for Changes {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            self.0 |= match expr {
                Expr::Assign(_) | Expr::Macro(_) => true,
                Expr::Reference(reference) => reference.mutability.is_some(),
                Expr::Binary(binary) => operator_of_assignment(&binary.op).is_some(),
                Expr::MethodCall(call) => valid::is_one_of(
                    &call.method,
                    &[
                        "iter_mut",
                        "chunks_mut",
                        "chunks_exact_mut",
                        "scan",
                        "atomic",
                    ],
                ),
                _ => false,
            };
            visit::visit_expr(self, expr);
        }
    }

    let mut changes = Changes(false);
    changes.visit_expr(chain);
    changes.0
}

/// An iterator that is a local for the user, put where it is used.
struct Kept<'n> {
    name: &'n Ident,
    chain: Expr,
    changes: bool,
    /// How many items `next` has taken.
    taken: usize,
    /// How many loops, closures and choices there are around.
    depth: usize,
    /// Whether it has been gone through.
    is_gone: bool,
    is_refused: bool,
}

impl Kept<'_> {
    fn is_name(&self, expr: &Expr) -> bool {
        refers_to(expr, self.name)
    }

    /// `it.next()`, and the like without arguments.
    fn is_called(&self, expr: &Expr, method: &str) -> bool {
        match unparenthesized(expr) {
            Expr::MethodCall(call) => {
                call.method == method && call.args.is_empty() && self.is_name(&call.receiver)
            }
            _ => false,
        }
    }

    /// What is left of it.
    fn rest(&self, span: Span) -> Expr {
        let (chain, taken) = (&self.chain, self.taken);
        match taken {
            0 => chain.clone(),
            taken => parse_quote_spanned!(span=> #chain.skip(#taken)),
        }
    }

    fn next(&mut self, span: Span) -> Expr {
        let (chain, taken) = (&self.chain, self.taken);
        let next = parse_quote_spanned!(span=> #chain.nth(#taken));
        self.is_refused |= self.is_gone || self.depth > 0 || self.changes;
        self.taken += 1;
        next
    }

    /// All of it, which is there once.
    fn all(&mut self, span: Span) -> Expr {
        self.is_refused |= self.is_gone || self.taken > 0 && self.changes;
        self.is_gone = true;
        self.rest(span)
    }

    fn deeper(&mut self, f: impl FnOnce(&mut Self)) {
        self.depth += 1;
        f(self);
        self.depth -= 1;
    }

    /// Code that may run several times, or later.
    fn repeated(&mut self, f: impl FnOnce(&mut Self)) {
        let was_gone = self.is_gone;
        self.deeper(f);
        self.is_refused |= self.is_gone && !was_gone;
    }

    /// Alternatives, of which each may go through it.
    fn choice(&mut self, was_gone: bool, f: impl FnOnce(&mut Self)) {
        let is_gone = std::mem::replace(&mut self.is_gone, was_gone);
        self.deeper(f);
        self.is_gone |= is_gone;
    }

    /// `for v in it { .. }` for `while let Some(v) = it.next() { .. }`.
    fn by_for(&mut self, inner: &ExprWhile) -> Option<Expr> {
        let Expr::Let(condition) = &*inner.cond else {
            return None;
        };
        let Pat::TupleStruct(some) = &*condition.pat else {
            return None;
        };
        let is_one = some.path.is_ident("Some")
            && self.is_called(&condition.expr, "next")
            && !mentions(&inner.body, self.name);
        let pat = some
            .elems
            .first()
            .filter(|pat| is_one && is_irrefutable(pat))?;
        self.is_refused |= self.depth > 0;
        let all = self.all(spans::first(&condition.expr));
        let (attrs, label, body) = (&inner.attrs, &inner.label, &inner.body);
        let span = inner.while_token.span;
        Some(parse_quote_spanned!(span=> #(#attrs)* #label for #pat in #all #body))
    }
}

fn is_irrefutable(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(name) => valid::is_plain_name(name),
        Pat::Reference(reference) => is_irrefutable(&reference.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().all(is_irrefutable),
        pat => matches!(pat, Pat::Wild(_)),
    }
}

impl VisitMut for Kept<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let span = spans::first(&*expr);
        match expr {
            _ if self.is_called(expr, "next") => *expr = self.next(span),
            _ if self.is_called(expr, "clone") => {
                self.is_refused |= self.is_gone || self.changes;
                *expr = self.rest(span);
            }
            _ if self.is_called(expr, "len") => {
                self.is_refused |= self.is_gone;
                let rest = self.rest(span);
                *expr = parse_quote_spanned!(span=> #rest.len());
            }
            _ if self.is_called(expr, "by_ref") => self.is_refused = true,
            Expr::Reference(reference) if self.is_name(&reference.expr) => self.is_refused = true,
            _ if self.is_name(expr) => *expr = self.all(span),
            Expr::While(inner) => match self.by_for(inner) {
                Some(by_for) => *expr = by_for,
                None => self.repeated(|this| visit_mut::visit_expr_mut(this, expr)),
            },
            Expr::Loop(_) => self.repeated(|this| visit_mut::visit_expr_mut(this, expr)),
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) => {
                self.visit_expr_mut(&mut binary.left);
                self.deeper(|this| this.visit_expr_mut(&mut binary.right));
            }
            expr => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        self.repeated(|this| visit_mut::visit_expr_closure_mut(this, closure));
    }

    fn visit_expr_for_loop_mut(&mut self, inner: &mut ExprForLoop) {
        self.visit_expr_mut(&mut inner.expr);
        self.repeated(|this| this.visit_block_mut(&mut inner.body));
    }

    fn visit_expr_if_mut(&mut self, conditional: &mut ExprIf) {
        self.visit_expr_mut(&mut conditional.cond);
        let was_gone = self.is_gone;
        self.choice(was_gone, |this| {
            this.visit_block_mut(&mut conditional.then_branch);
        });
        if let Some((_, otherwise)) = &mut conditional.else_branch {
            self.choice(was_gone, |this| this.visit_expr_mut(otherwise));
        }
    }

    fn visit_expr_match_mut(&mut self, choice: &mut ExprMatch) {
        self.visit_expr_mut(&mut choice.expr);
        let was_gone = self.is_gone;
        for arm in &mut choice.arms {
            self.choice(was_gone, |this| visit_mut::visit_arm_mut(this, arm));
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        self.is_refused |= mentions(&mac.tokens, self.name);
    }
}
