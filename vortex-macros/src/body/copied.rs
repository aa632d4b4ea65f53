//! What Rust copies before it changes: the array that a `for` goes over by value, what a `move` closure captures, and
//! the receiver of a method by value whose arguments change it.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprClosure, ExprMethodCall, parse_quote_spanned};

use super::effects::changed;
use super::method::root;
use super::named::mentions;
use super::scope::{Binding, Declared};
use super::sequence::with_beginnings;
use super::{Rewriter, unparenthesized};
use crate::{spans, valid};

impl Rewriter<'_> {
    /// What a `for` goes over, with a copy in place of each local that its body, or a closure on the way, may change
    /// meanwhile; nothing if there is none.
    pub(super) fn iterated_copy(&self, iterated: &Expr, body: &Block) -> Option<Expr> {
        let on_the_way = |name: &Ident| match unparenthesized(iterated) {
            Expr::MethodCall(call) => closures_mention(call, name),
            _ => false,
        };
        self.with_copies(iterated, &|name| mentions(body, name) || on_the_way(name))
    }

    /// The same of what an iterator goes over that a method ends, which closures on its way may change.
    pub(super) fn consumed_copy(&self, call: &ExprMethodCall) -> Option<ExprMethodCall> {
        let receiver = self.with_copies(&call.receiver, &|name| closures_mention(call, name))?;
        Some(ExprMethodCall {
            receiver: Box::new(receiver),
            ..call.clone()
        })
    }

    fn with_copies(&self, iterated: &Expr, changes: &dyn Fn(&Ident) -> bool) -> Option<Expr> {
        with_beginnings(iterated, &|base| {
            let local = self.local(base)?;
            let is_copied = local.may_change && is_value(local) && changes(&local.name);
            let span = spans::first(base);
            is_copied.then(|| parse_quote_spanned!(span=> { #base }.into_iter()))
        })
    }

    /// Whether the arguments of a method may change what it is called on, `p.sum(next(&mut p.count))`: a method that
    /// has it by value has it as it was before.
    pub(super) fn arguments_change_receiver(&self, call: &ExprMethodCall) -> bool {
        let Some(local) = self.local(root(&call.receiver)) else {
            return false;
        };
        let mut changes = Changes {
            name: &local.name,
            found: false,
        };
        for argument in &call.args {
            changes.visit_expr(argument);
        }
        changes.found
    }

    /// Declares what a `move` closure captures of locals that may change, as they are where it is made.
    pub(super) fn captured(&mut self, closure: &ExprClosure) -> Captured {
        let mut captured = Captured::default();
        if closure.capture.is_none() {
            return captured;
        }
        let changing = self
            .scope
            .changing(|local| is_value(local) && mentions(&closure.body, &local.name));
        for local in changing {
            captured.copies.push((local.id, self.scope.next_id()));
            captured.declarations.extend(self.copy_of(&local.name));
        }
        captured
    }

    /// A local of the same name and value. It can be assigned to if somebody does.
    fn copy_of(&mut self, name: &Ident) -> TokenStream {
        let span = name.span();
        let value = self.argument(&parse_quote_spanned!(span=> #name));
        let id = self.scope.next_id();
        let known = self.known_assigned.as_ref();
        let mutable = known.is_none_or(|known| known.contains(&id));
        self.scope.declare(name, Declared::Local, mutable);
        let value = match mutable {
            true => {
                self.declared_mut.insert(id);
                self.call("mutable", span, value, span)
            }
            false => value,
        };
        quote_spanned!(span=> #[allow(unused_variables)] let #name = #value;)
    }

    /// Whoever assigns to a copy needs the `mut` of what is copied.
    pub(super) fn note_copies(&mut self, captured: &Captured) {
        for (local, copy) in &captured.copies {
            if self.assigned.contains(copy) {
                self.assigned.insert(*local);
            }
        }
    }
}

/// Whether a closure of a chain of methods mentions a name.
fn closures_mention(call: &ExprMethodCall, name: &Ident) -> bool {
    let of_this = call.args.iter().any(
        |argument| matches!(argument, Expr::Closure(closure) if mentions(&closure.body, name)),
    );
    let before = unparenthesized(&call.receiver);
    of_this || matches!(before, Expr::MethodCall(call) if closures_mention(call, name))
}

/// Looks for what may change a local: assignments, `&mut`, and methods of the user's.
struct Changes<'a> {
    name: &'a Ident,
    found: bool,
}

impl Changes<'_> {
    fn note(&mut self, place: &Expr) {
        if let Expr::Path(path) = root(place) {
            self.found |= path.path.is_ident(self.name);
        }
    }
}

impl<'ast> Visit<'ast> for Changes<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        if let Some(place) = changed(expr) {
            self.note(place);
        }
        if let Expr::MethodCall(call) = expr
            && !valid::is_of_the_language(&call.method)
        {
            self.note(&call.receiver);
        }
        visit::visit_expr(self, expr);
    }
}

/// What a closure captures.
#[derive(Default)]
pub(super) struct Captured {
    pub(super) declarations: TokenStream,
    /// The locals and what they are copied to, by number.
    copies: Vec<(usize, usize)>,
}

/// Whether a name stands for a value, and not for what somebody else owns.
fn is_value(local: &Binding) -> bool {
    matches!(local.declared, Declared::Local | Declared::Argument)
}
