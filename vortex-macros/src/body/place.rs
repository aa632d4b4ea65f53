//! Places: what can be read and assigned to.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprAssign, ExprIndex, ExprTuple, UnOp};

use super::callee::is_known;
use super::scope::{Binding, Declared};
use super::{Rewriter, argument, diverge, method, option, subslice, temporary, unparenthesized};
use crate::signature::ParamKind;
use crate::valid::Access;
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    /// Whether an expression is a place: a mutable local, an element, what a pointer points to, or a
    /// field of these. Other names hold values.
    pub(super) fn is_place(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(_) => self.local(expr).is_some_and(|local| {
                self.holds_a_place(local)
                    || matches!(local.declared, Declared::Exclusive | Declared::Memory)
            }),
            Expr::Index(index) => !matches!(*index.index, Expr::Range(_)),
            Expr::Unary(unary) => {
                matches!(unary.op, UnOp::Deref(_))
                    && self.referred(expr).is_none()
                    && option::unwrapped(expr).is_none()
            }
            Expr::Field(field) => self.is_place(&field.base) || self.is_item(&field.base),
            Expr::Paren(paren) => self.is_place(&paren.expr),
            Expr::Group(group) => self.is_place(&group.expr),
            _ => false,
        }
    }

    /// The local that a pointer is, or is computed of: `p` of `p.add(i)`.
    fn moved_pointer(&self, expr: &Expr) -> Option<&Binding> {
        match unparenthesized(expr) {
            Expr::MethodCall(call) if valid::is_one_of(&call.method, &["add", "sub", "offset"]) => {
                let pointer = self.moved_pointer(&call.receiver)?;
                let Declared::Param(param) = pointer.declared else {
                    return None;
                };
                matches!(self.kernel.params[param].kind, ParamKind::Pointer { .. })
                    .then_some(pointer)
            }
            expr => self.local(expr),
        }
    }

    /// What a field is taken from: a place, or a value.
    pub(super) fn base(&mut self, expr: &Expr, access: Access) -> Option<TokenStream> {
        let expr = unparenthesized(expr);
        match expr {
            Expr::Path(path) if self.is_place(expr) => {
                match self.local(expr).map(|local| local.declared) {
                    Some(Declared::Exclusive) => Some(path.to_token_stream()),
                    Some(Declared::Memory) => Some(self.memory(expr)),
                    _ if access == Access::Read => Some(path.to_token_stream()),
                    _ => self.assigned(expr),
                }
            }
            Expr::Path(path) if self.names_an_item(path) => self.item_to(path, access),
            // A name that holds a value; what is wrong with assigning to its parts is said of the name.
            Expr::Path(_) if access == Access::Write && self.local(expr).is_some() => {
                self.assigned(expr)
            }
            _ => self.place(expr, access),
        }
    }

    /// What stands between the brackets, and what looks up where that leads to.
    fn position_in(&mut self, element: &ExprIndex, access: Access) -> (&'static str, TokenStream) {
        let is_number = !is_of_a_type(unparenthesized(&element.index))
            || self.element_of(&element.expr).is_some();
        let function = match (is_number, access) {
            (true, Access::Read) => "Indexable::index",
            (true, Access::Write) => "IndexableMut::index_mut",
            (false, Access::Read) => "IndexedBy::indexed_by",
            (false, Access::Write) => "IndexedMutBy::indexed_mut_by",
        };
        let position = match is_number {
            true => {
                let number = self.number_of_element(element);
                quote_spanned!(spans::first(&element.expr)=> || #number)
            }
            false => self.argument(&element.index),
        };
        (function, position)
    }

    /// What stands between the brackets: a `usize`, of which rustc need not be told if it is a literal.
    fn number_of_element(&mut self, element: &ExprIndex) -> TokenStream {
        let index = &*element.index;
        if let Some(error) = valid::negative_index(&element.expr, unparenthesized(index)) {
            return self.complain(error);
        }
        if let Some((local, ty)) = self.other_number(unparenthesized(index)) {
            let (name, id) = (local.name.clone(), local.id);
            let slice = valid::source(&element.expr);
            // Once, however often it is written.
            if self.facts.indices.insert(id) {
                let words: [&dyn std::fmt::Display; 3] = [&name, &ty, &slice];
                self.complain(messages::INDEX_TYPE.at(index, &words));
            }
            return TokenStream::new();
        }
        let error = (self.tuple_as_index(&element.expr, unparenthesized(index)))
            .or_else(|| self.float_as_index(element))
            .or_else(|| self.index_beyond(element))
            .or_else(|| self.index_of_one(element));
        if let Some(error) = error.or_else(|| self.option_as_operand(index)) {
            return self.complain(error);
        }
        let number = self.argument(index);
        if number.is_empty() || matches!(index, Expr::Lit(_)) || diverge::expr(index) {
            return number;
        }
        self.call(
            "NumbersElements::number",
            spans::first(index),
            number,
            spans::last(index),
        )
    }

    /// A local that is surely a number of another type than `usize`, and the type.
    fn other_number(&self, index: &Expr) -> Option<(&Binding, String)> {
        let local = self.local(index)?;
        let param = match (local.declared, self.facts.counters.get(&local.id)) {
            (Declared::Param(param), _) => param,
            (_, Some(param)) => *param,
            _ => return None,
        };
        let ParamKind::Scalar(ty) = &self.kernel.params[param].kind else {
            return None;
        };
        let ty = valid::source(ty);
        (valid::is_scalar(&ty) && ty != "usize").then_some((local, ty))
    }

    /// A place other than a local: an element of a slice, what a pointer points to, or a field of a
    /// place. `None` after a complaint.
    pub(super) fn place(&mut self, expr: &Expr, access: Access) -> Option<TokenStream> {
        match expr {
            Expr::Index(index) => {
                if self.is_in_error(&index.expr) {
                    // What the index names is in use.
                    let said = std::mem::take(self.complaints);
                    self.argument(&index.index);
                    *self.complaints = said;
                    return Some(TokenStream::new());
                }
                let error = match &*index.expr {
                    Expr::Path(path) if access == Access::Write => self.field_without_self(path),
                    _ => None,
                };
                let error = error
                    .or_else(|| valid::index(index, self.local(&index.expr), access, self.kernel));
                if let Some(error) = error.or_else(|| self.index_of_number(index)) {
                    self.complain(error);
                    return None;
                }
                if access == Access::Write
                    && let Some(error) = self.shared_part(&index.expr)
                {
                    self.complain(error);
                    return None;
                }
                let base = unparenthesized(&index.expr);
                let whole = match base {
                    Expr::Index(first) => self.local(&first.expr).map(|local| self.whole(local)),
                    _ => None,
                };
                if let Some(error) = valid::second_index(index, whole.as_ref(), self.kernel) {
                    self.complain(error);
                    return None;
                }
                let base = match base {
                    Expr::Path(path) if self.is_place(base) => {
                        if access == Access::Write {
                            self.assigned_to(base);
                        }
                        path.to_token_stream()
                    }
                    Expr::Path(path) if self.names_an_item(path) => self.item_to(path, access)?,
                    _ if self.is_place(base) => self.place(base, access)?,
                    _ => self.expr(&index.expr),
                };
                let (function, position) = self.position_in(index, access);
                // As if what is indexed first were all of the call: a fault then has the place that rustc would
                // give it, and two complaints about what cannot be indexed are the same one.
                let (first, last) = (
                    spans::first(&index.expr),
                    spans::last(indexed_first(&index.expr)),
                );
                let arguments = quote_spanned!(first=> #base, #position);
                Some(self.call(function, first, arguments, last))
            }
            Expr::Unary(_) if self.referred(expr).is_some() => {
                let name = self.referred(expr);
                self.complain(messages::WRITE_SHARED.at(expr, &[&quote!(#name)]));
                None
            }
            Expr::Unary(unary)
                if matches!(unary.op, UnOp::Deref(_))
                    && self
                        .local(&unary.expr)
                        .is_some_and(|local| local.declared == Declared::Memory) =>
            {
                Some(self.memory(&unary.expr))
            }
            Expr::Unary(_) if self.exclusive(expr).is_some() => self.exclusive(expr),
            Expr::Unary(unary)
                if matches!(unary.op, UnOp::Deref(_))
                    && let whole = unparenthesized(&unary.expr)
                    && let Some(error) = valid::power(whole).or_else(|| valid::lock(whole)) =>
            {
                self.complain(error);
                None
            }
            Expr::Unary(unary)
                if matches!(unary.op, UnOp::Deref(_))
                    && self.unsafety == 0
                    && self.calls_ones_own(unparenthesized(&unary.expr)) =>
            {
                let (first, last) = (spans::first(&unary.expr), spans::last(&unary.expr));
                let given = self.argument(&unary.expr);
                Some(self.call("Reference::referred", first, given, last))
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                let pointer = self.moved_pointer(&unary.expr);
                let mut error = valid::deref(expr, pointer, access, self.kernel);
                if error.is_none() && self.unsafety == 0 {
                    if self.is_in_error(method::called_on(argument::whole(&unary.expr))) {
                        return None;
                    }
                    // What has no other name than this may not exist: rustc says that, or that `deref` is unsafe.
                    let is_unknown = matches!(unparenthesized(&unary.expr), Expr::Path(path)
                        if self.is_unknown(path));
                    let number = self
                        .is_known_number(&unary.expr)
                        .then(|| messages::DEREF_VALUE.at(expr, &[&valid::source(&unary.expr)]));
                    error = self.starred_option(unary).or(number).or_else(|| {
                        (!is_unknown).then(|| match unparenthesized(&unary.expr) {
                            Expr::Field(field) => {
                                messages::DEREF_FIELD.at(expr, &[&valid::source(field)])
                            }
                            _ => messages::DEREF_OUTSIDE_UNSAFE.at(expr, &[]),
                        })
                    });
                }
                if let Some(error) = error {
                    self.complain(error);
                    return None;
                }
                let pointer = self.argument(&unary.expr);
                let (first, last) = (spans::first(&unary.expr), spans::last(&unary.expr));
                Some(self.call("Pointer::deref", first, pointer, last))
            }
            Expr::Field(field) => self.field_of_place(field, access),
            Expr::Paren(paren) => self.place(&paren.expr, access),
            Expr::Group(group) => self.place(&group.expr, access),
            Expr::Path(path) if self.names_an_item(path) => self.item_to(path, access),
            _ => {
                self.complain(valid::not_a_place(expr));
                None
            }
        }
    }

    /// Whether an expression calls a function of the user's, of which only rustc knows what it gives.
    fn calls_ones_own(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Call(call) => {
                matches!(&*call.func, Expr::Path(path) if !is_known(path))
                    && self.local(&call.func).is_none()
            }
            _ => false,
        }
    }

    /// What memory of the work group holds.
    pub(super) fn memory(&mut self, name: &Expr) -> TokenStream {
        let (first, last) = (spans::first(name), spans::last(name));
        let memory = self.argument(name);
        self.call("Local::place", first, memory, last)
    }

    /// `target = value`.
    pub(super) fn assign(&mut self, assign: &ExprAssign) -> TokenStream {
        let equals = assign.eq_token.spans[0];
        let target = unparenthesized(&assign.left);
        if let Expr::Infer(_) = target {
            let value = self.expr(&assign.right);
            return spans::braces(quote!(let _ = #value;), spans::last(&assign.right));
        }
        if let Expr::Tuple(tuple) = target {
            return self.assign_parts(tuple, assign);
        }
        if let Expr::Index(part) = target
            && subslice::is_subslice(target)
        {
            return self.complain(subslice::assigned(target, &part.expr, &assign.right));
        }
        let (first, end) = (spans::first(target), spans::last(&assign.right));
        if let Some(error) = self
            .no_else(&assign.right)
            .or_else(|| self.mixed_values(&assign.right))
        {
            return self.complain(error);
        }
        let is_value = !matches!(target, Expr::Path(_)) || self.is_value(target);
        // Of an array of options its type says what is wrong.
        let is_sound = !self.is_in_error(method::root(target));
        if is_value
            && is_sound
            && let Some(error) = self.option_for_value(&assign.right)
        {
            return self.complain(error);
        }
        let error = (assigned_assignment(target, &assign.right))
            .or_else(|| self.float_for_half(target, &assign.right))
            .or_else(|| self.tuple_for_element(target, &assign.right))
            .or_else(|| self.value_for_option(target, &assign.right))
            .or_else(|| self.length_of_assigned(target, &assign.right))
            .or_else(|| self.negative_for_unsigned(target, &assign.right))
            .or_else(|| self.literal_for_any_number(target, &assign.right))
            .or_else(|| self.literal_of_any_type(target, &assign.right));
        if let Some(error) = error {
            return self.complain(error);
        }
        if let Some(local) = self.local(target)
            && let Some(option) = self.facts.typed_options.get(&local.id).cloned()
        {
            self.holds(Some(&option), &assign.right);
        }
        self.wants_a_value(&assign.right);
        let refers = self.local(target).is_some_and(|local| local.refers);
        let value = match refers {
            true => self.of_referred(&assign.right),
            false => self.argument(&assign.right),
        };
        let is_value = self.is_value(&assign.right);
        let value = match !is_value && self.is_value(target) {
            true => self.wanted(&assign.right, value),
            false => value,
        };
        let set = match is_value && self.is_value(target) {
            true => "Is::set_local",
            false => "set",
        };
        let at = spans::first(&assign.right);
        let late = quote_spanned!(at=> || #value);
        if let Some(exclusive) = self.exclusive(target) {
            let value = if set == "set" { &late } else { &value };
            return self.call(set, equals, quote!(#exclusive, #value), end);
        }
        if self.local(target).is_some() {
            let Some(local) = self.assigned(target) else {
                return TokenStream::new();
            };
            let value = if set == "set" { &late } else { &value };
            return self.call(set, equals, quote!(#local, #value), end);
        }
        let Some(place) = self.place(target, Access::Write) else {
            return TokenStream::new();
        };
        let place = quote_spanned!(first=> || #place);
        if is_value && self.is_value(target) {
            let arguments = quote_spanned!(equals=> #place, #late);
            return self.asking(("Is", "assign"), arguments, (at, end));
        }
        let arguments = quote_spanned!(equals=> #place, || #value);
        self.call("Writable::assign", equals, arguments, end)
    }

    /// `(a, b) = value`: first the value, then each of its parts.
    fn assign_parts(&mut self, tuple: &ExprTuple, assign: &ExprAssign) -> TokenStream {
        let value = self.expr(&assign.right);
        let mark = self.scope.enter();
        let parts: Vec<_> = (tuple.elems.iter().enumerate())
            .map(|(number, elem)| temporary(&format!("part_{number}"), spans::first(elem)))
            .collect();
        for part in &parts {
            self.scope.declare(part, Declared::Local, false);
        }
        let statements: Vec<_> = (tuple.elems.iter().zip(&parts))
            .map(|(elem, part)| {
                let mut assign = assign.clone();
                *assign.left = elem.clone();
                *assign.right = syn::parse_quote!(#part);
                self.assign(&assign)
            })
            .collect();
        self.scope.leave(mark);
        let comma = (parts.len() == 1).then(|| quote!(,));
        let end = spans::last(&assign.right);
        spans::braces(
            quote!(let (#(#parts),* #comma) = #value; #(#statements;)*),
            end,
        )
    }

    /// `target op= value`. The value first, as in Rust; the place is found once.
    pub(super) fn assign_with(
        &mut self,
        target: &Expr,
        (op, function): (TokenStream, Option<&str>),
        value: &Expr,
    ) -> TokenStream {
        let target = unparenthesized(target);
        let error = self.float_into_integer(target, value);
        if let Some(error) = error.or_else(|| self.option_as_operand(value)) {
            return self.complain(error);
        }
        let operator = spans::first(&op);
        let end = spans::last(value);
        let rhs = temporary("rhs", spans::first(value));
        let first = self.expr(value);
        let applied = |this: &Self, old: TokenStream| match function {
            Some(function) => this.call(function, spans::first(&old), quote!(#old, #rhs), end),
            None => quote!(#old #op #rhs),
        };
        let statement = if self.exclusive(target).is_some() || self.local(target).is_some() {
            let local = self.exclusive(target).or_else(|| self.assigned(target));
            let Some(local) = local else {
                return TokenStream::new();
            };
            let (first, last) = (spans::first(&local), spans::last(&local));
            let old = self.call("get", first, local.clone(), last);
            let value = applied(self, old);
            let arguments = quote_spanned!(operator=> #local, || #value);
            self.call("set", operator, arguments, end)
        } else {
            let Some(place) = self.place(target, Access::Write) else {
                return TokenStream::new();
            };
            let old = temporary("old", spans::first(target));
            let value = applied(self, old.to_token_stream());
            let arguments = quote_spanned!(operator=> #place, |#old| #value);
            self.call("update", operator, arguments, end)
        };
        spans::braces(quote!(let #rhs = #first; #statement), end)
    }

    /// Notes that a local is assigned to, if it can be.
    pub(super) fn assigned_to(&mut self, local: &Expr) {
        if let Some(local) = self.local(local).filter(|local| local.mutable) {
            let id = local.id;
            self.assigned.insert(id);
        }
    }

    /// The parameter that `&x[a..b]` is a part of.
    pub(super) fn part_of_param(&self, expr: &Expr) -> Option<usize> {
        let Expr::Reference(reference) = unparenthesized(expr) else {
            return None;
        };
        let Expr::Index(part) = unparenthesized(&reference.expr) else {
            return None;
        };
        if !subslice::is_subslice(&reference.expr) {
            return None;
        }
        match self.whole(self.local(&part.expr)?).declared {
            Declared::Param(index) => Some(index),
            _ => None,
        }
    }

    /// A local, as the slice that it is a part of.
    fn whole(&self, local: &Binding) -> Binding {
        let declared = match self.facts.parts.get(&local.id) {
            Some(param) => Declared::Param(*param),
            None => local.declared,
        };
        Binding {
            declared,
            ..local.clone()
        }
    }

    /// The handle of a local that is assigned to. `None` after a complaint.
    fn assigned(&mut self, target: &Expr) -> Option<TokenStream> {
        let Expr::Path(path) = target else {
            return None;
        };
        let local = self.local(target)?;
        if !local.mutable {
            let error = self
                .shared_place(path, local.id)
                .or_else(|| self.assigned_item(path, local.id))
                .unwrap_or_else(|| valid::assignment(path, local, self.kernel));
            self.complain(error);
            return None;
        }
        let id = local.id;
        self.assigned.insert(id);
        Some(path.to_token_stream())
    }
}

/// The `x` of `x[i][j]`.
fn indexed_first(base: &Expr) -> &Expr {
    match unparenthesized(base) {
        Expr::Index(index) => indexed_first(&index.expr),
        base => base,
    }
}

/// `low = high = x[0]`.
fn assigned_assignment(target: &Expr, value: &Expr) -> Option<syn::Error> {
    let Expr::Assign(assign) = unparenthesized(value) else {
        return None;
    };
    let (target, first) = (valid::source(target), valid::source(&assign.left));
    let words: [&dyn std::fmt::Display; 3] = [&valid::source(assign), &target, &first];
    Some(messages::ASSIGNED_ASSIGNMENT.at(assign, &words))
}

/// Whether an index surely is no number: a tuple, a struct, or a variant of an enum.
fn is_of_a_type(index: &Expr) -> bool {
    match index {
        Expr::Tuple(tuple) => tuple.elems.len() > 1,
        Expr::Struct(_) => true,
        Expr::Path(path) => valid::may_be_a_variant(path),
        _ => false,
    }
}
