//! Blocks, statements and the patterns of `let`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Block, Expr, ExprReference, Item, Local, Pat, PatIdent, Stmt, Token, Type, parse_quote_spanned,
};

use super::comptime::is_comptime_macro;
use super::expr::take_attributes;
use super::misfit::other_length;
use super::named::Mentions;
use super::scope::Declared;
use super::typed::compares;
use super::{
    Rewriter, definite_init, desugared, diverge, kept, option, range, subslice, temporary,
    unparenthesized,
};
use crate::valid::Complaints;
use crate::{messages, spans, staged, types, valid};

impl Rewriter<'_> {
    /// The statements of a block, in a scope of their own.
    pub(super) fn statements(&mut self, block: &Block) -> TokenStream {
        let block = range::unfolded(block);
        let block = &*kept::unfolded(&block);
        let result = self.result.take();
        let refused_value = self.refused_value.take();
        let mentions = Mentions::of(&block.stmts);
        let braces = block.brace_token.span;
        let (open, close) = (braces.open(), braces.close());
        // Of what has been declared for this block: parameters, variables of loops, what patterns bind.
        let mut tokens = self.names_of_locals(&mentions, 0, (open, close), true);
        let mark = self.scope.enter();
        // Items are known before they are declared, too.
        let items = block.stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Item(item) => Some(item),
            _ => None,
        });
        self.items.extend(items.flat_map(valid::names_of_item));
        for (index, stmt) in block.stmts.iter().enumerate() {
            let is_tail = index + 1 == block.stmts.len();
            let is_set = match stmt {
                Stmt::Local(local) if local.init.is_none() => {
                    tokens.extend(self.declared_later(local, &block.stmts[index + 1..]));
                    false
                }
                Stmt::Expr(tail, None) if is_tail => {
                    self.holds(result.as_ref(), tail);
                    let statement = self.statement(stmt, is_tail);
                    if let Some(message) = refused_value.as_ref().filter(|_| self.is_value(tail)) {
                        self.complaints.gives_a_value = true;
                        self.complain(message.at(tail, &[]));
                    }
                    tokens.extend(self.declared_as(result.as_ref(), tail, statement));
                    true
                }
                stmt => {
                    tokens.extend(self.statement(stmt, is_tail));
                    true
                }
            };
            if let Stmt::Local(local) = stmt
                && !local
                    .init
                    .as_ref()
                    .is_some_and(|init| diverge::expr(&init.expr))
            {
                let place = (local.semi_token.span, close);
                let names = self.names_of_locals(&mentions, index + 1, place, is_set);
                if !names.is_empty() {
                    let attributes = &local.attrs;
                    tokens.extend(quote!(#(#attributes)* #names));
                }
            }
        }
        self.scope.leave(mark);
        tokens
    }

    /// `{ .. }`.
    pub(super) fn block(&mut self, block: &Block) -> TokenStream {
        let inner = self.statements(block);
        spans::braces(inner, block.brace_token.span.join())
    }

    fn statement(&mut self, stmt: &Stmt, is_tail: bool) -> TokenStream {
        match stmt {
            Stmt::Local(local) => self.let_statement(local),
            Stmt::Item(item) if valid::is_item(item) => item.to_token_stream(),
            // Nobody but the kernel can call it.
            Stmt::Item(Item::Fn(function)) if valid::may_be_of_the_device(function) => {
                (self.nested)(function.clone(), &self.items, self.v)
            }
            Stmt::Item(item) => self.complain(valid::item(item)),
            Stmt::Macro(stmt)
                if is_comptime_macro(&stmt.mac) && (stmt.semi_token.is_some() || !is_tail) =>
            {
                valid::statement_attributes(&stmt.attrs, self.complaints);
                let attributes = &stmt.attrs;
                let block = self.comptime_statement(&stmt.mac);
                quote!(#(#attributes)* #block;)
            }
            Stmt::Macro(stmt) => {
                valid::statement_attributes(&stmt.attrs, self.complaints);
                let (attributes, semi) = (&stmt.attrs, stmt.semi_token);
                let tokens = self.macro_call(&stmt.mac);
                // `m! { .. }` in the midst of a block needs no semicolon.
                match semi {
                    None if !is_tail => {
                        let end = quote_spanned!(spans::last(&stmt.mac)=> ;);
                        quote!(#(#attributes)* #tokens #end)
                    }
                    semi => quote!(#(#attributes)* #tokens #semi),
                }
            }
            // A semicolon alone.
            Stmt::Expr(Expr::Verbatim(nothing), semi) if nothing.is_empty() => quote!(#semi),
            Stmt::Expr(expr, semi) => {
                let (attributes, expr) = take_attributes(expr);
                let attributes = self.unrolling(attributes, &expr);
                valid::statement_attributes(&attributes, self.complaints);
                if !is_tail && self.refuses_lost_variant(stmt) {
                    return TokenStream::new();
                }
                let tokens = match &expr {
                    Expr::MethodCall(call)
                        if semi.is_some()
                            && valid::moves_elements(call)
                            && !self.is_known_number(&call.receiver) =>
                    {
                        self.moving_elements(call)
                    }
                    expr => self.expr(expr),
                };
                match semi {
                    Some(semi) if matches!(&expr, Expr::Binary(binary) if compares(binary)) => {
                        let (first, last) = (spans::first(&expr), spans::last(&expr));
                        let compared = self.call("comparison", first, tokens, last);
                        quote!(#(#attributes)* #compared #semi)
                    }
                    Some(semi) => quote!(#(#attributes)* #tokens #semi),
                    None if is_tail => quote!(#(#attributes)* #tokens),
                    // Without another block around that of the user: in the one that has ended last, rustc looks for
                    // names that are not found.
                    None if is_without_value(&expr) => {
                        let end = quote_spanned!(spans::last(&expr)=> ;);
                        quote!(#(#attributes)* #tokens #end)
                    }
                    // An `if` or a loop in the midst of a block; its value must be `()`, as in Rust.
                    None => {
                        let (first, last) = (spans::first(&expr), spans::last(&expr));
                        let tokens = match self.has_a_value(&expr) {
                            true => self.asking(("Unit", "of"), tokens, (first, last)),
                            false => tokens,
                        };
                        let block = spans::braces(tokens, last);
                        quote!(#(#attributes)* #block)
                    }
                }
            }
        }
    }

    /// Whether a statement is `if c { Some(x) }`, whose value goes nowhere, of which it then complains.
    pub(super) fn refuses_lost_variant(&mut self, stmt: &Stmt) -> bool {
        let Stmt::Expr(Expr::If(conditional), None) = stmt else {
            return false;
        };
        let Some(Stmt::Expr(Expr::Call(call), None)) = conditional.then_branch.stmts.last() else {
            return false;
        };
        let is_lost = option::made(call).is_some() && conditional.else_branch.is_none();
        if is_lost {
            self.complain(messages::RESULT_OF_AN_IF.at(call, &[&valid::source(call)]));
        }
        is_lost
    }

    /// Whether an `if` or a block surely has a value.
    fn has_a_value(&self, expr: &Expr) -> bool {
        let block = match expr {
            Expr::If(inner) if inner.else_branch.is_some() => &inner.then_branch,
            Expr::Block(inner) => &inner.block,
            _ => return false,
        };
        match block.stmts.last() {
            Some(Stmt::Expr(inner @ (Expr::If(_) | Expr::Block(_)), None)) => {
                self.has_a_value(inner)
            }
            Some(Stmt::Expr(value, None)) => self.is_value(value),
            _ => false,
        }
    }

    fn let_statement(&mut self, local: &Local) -> TokenStream {
        let meant = desugared::let_closure(local)
            .or_else(|| desugared::let_function(local))
            .or_else(|| desugared::whole_slice(local, |name| self.refers_to_an_array(name)))
            .or_else(|| self.reborrowed(local));
        let local = meant.as_ref().unwrap_or(local);
        valid::statement_attributes(&local.attrs, self.complaints);
        if let Some(known) = self.comptime_let(local) {
            return known;
        }
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let Some(init) = &local.init else {
            return self.declared_later(local, &[]);
        };
        if let (Pat::Ident(_), Some(param)) = (pat, self.part_of_param(&init.expr)) {
            self.facts.parts.insert(self.scope.next_id(), param);
            self.note_shared_part(param, &init.expr);
        }
        self.note_shared_place(pat, &init.expr);
        self.note_referred_array(pat, ty, &init.expr);
        let several = desugared::let_parts(local)
            .or_else(|| desugared::let_element(local).map(Vec::from))
            .or_else(|| desugared::let_references(local));
        if let Some(statements) = several {
            let statements = statements
                .iter()
                .map(|statement| self.statement(statement, false));
            return statements.collect();
        }
        if let Some((else_token, otherwise)) = &init.diverge {
            return self.let_else(local, pat, ty, &init.expr, *else_token, otherwise);
        }
        if let (Expr::Reference(reference), Pat::Ident(ident)) = (unparenthesized(&init.expr), pat)
            && self.can_be_kept(reference)
            && valid::is_plain_name(ident)
            && (ident.mutability.is_none() || reference.mutability.is_some())
        {
            return self.let_reference(local, ident, ty, reference);
        }
        if let Expr::Call(call) = &*init.expr
            && let Some(error) = valid::let_of_the_prelude(pat, ty, call, self.local(&call.func))
        {
            self.declare_anyway(pat, Declared::Local);
            if let Expr::Path(path) = &*call.func {
                self.called.push(path.clone());
            }
            return self.complain(error);
        }
        if !is_plain(pat) {
            return self.let_pattern(local.let_token, pat, ty, &init.expr, false);
        }
        let complaints = self.complaints.len();
        let first = self.scope.next_id();
        let referred = ty.and_then(types::shared_value);
        let refers = referred.is_some() || self.may_refer(&init.expr);
        let ty = referred.or(ty);
        let mut of_type = Complaints::default();
        let staged = ty.map(|ty| (ty, staged::of_local(ty, self.v, &mut of_type)));
        if let Some((_, staged)) = &staged {
            self.holds(Some(staged), &init.expr);
        }
        self.wants_a_value(&init.expr);
        let value = match unparenthesized(&init.expr) {
            expr if let Some(error) = self.option_of_type(ty, expr) => self.complain(error),
            expr if let Some(error) = self.value_of_option(pat, ty, expr) => self.complain(error),
            expr if let Some(error) = self.collected(pat, expr) => self.complain(error),
            expr if let Some(error) = other_length(ty, expr) => self.complain(error),
            expr if let Some(ty) = ty
                && let Some(error) = self.literal_for_parameter(ty, expr) =>
            {
                self.complain(error)
            }
            expr if let Some(error) = self.no_else(expr) => self.complain(error),
            expr if let Some(error) = self.mixed_values(expr) => self.complain(error),
            expr if let Some(error) = valid::negative_value(ty, expr) => self.complain(error),
            part if subslice::is_subslice(part) => self.complain(subslice::is_unsized(part)),
            Expr::Closure(closure) if diverge::closure(closure) => self.endless_closure(closure),
            _ if refers => self.of_referred(&init.expr),
            _ => self.expr(&init.expr),
        };
        let value = match ty {
            Some(ty) if self.complaints.len() == complaints => self.of_type(ty, &init.expr, value),
            None => self.with_parts(pat, &init.expr, value),
            _ => value,
        };
        // What is wrong with the value often is with its type: `let v: Vec<_> = x.collect()`.
        if self.complaints.len() == complaints {
            self.complaints.add(of_type);
        }
        let ty = staged;
        if self.complaints.len() > complaints {
            self.facts.unsound.insert(self.scope.next_id());
        }
        let values = match &ty {
            Some((Type::Path(path), _)) => usize::from(types::is_value(path)),
            _ => self.values_of(pat, &init.expr),
        };
        let has_a_type = ty.is_some() || self.gives_a_type(&init.expr);
        if let Expr::Closure(closure) = unparenthesized(&init.expr) {
            self.note_closure(pat, closure);
        }
        self.note_tuple(pat, ty.as_ref().map(|(ty, _)| *ty), &init.expr);
        match &ty {
            Some((ty, staged)) => {
                self.note_type_of_option(pat, ty, staged);
                self.note_type_of_number(pat, ty);
                self.note_parameter(pat, ty);
            }
            None => {
                self.note_option(pat, &init.expr);
                self.note_literal(pat, &init.expr);
                self.note_assignment(pat, &init.expr);
                self.note_kind(pat, &init.expr);
            }
        }
        // One name of what is written as a reference is declared as any other: it may be assigned to.
        let is_untyped = option::may_refer(&init.expr) || !matches!(pat, Pat::Ident(_));
        if ty.is_none() && refers && is_untyped {
            let (attributes, let_token) = (&local.attrs, local.let_token);
            let attributes = quote!(#(#attributes)*);
            let mut rebound = Vec::new();
            let pat = self.untyped(pat, &mut rebound);
            self.scope.refer(first);
            self.scope.are_values(values);
            let (eq, semi) = (init.eq_token, local.semi_token);
            return quote!(#attributes #let_token #pat #eq #value #semi #(#attributes #rebound)*);
        }
        let is_ones_own = matches!(unparenthesized(&init.expr), Expr::Call(call)
            if self.is_ones_own(call));
        let is_memory = valid::is_local_memory(&init.expr) && !is_ones_own;
        if let (true, Pat::Ident(ident)) = (is_memory, pat)
            && let Some(mutability) = ident.mutability
        {
            self.complain(messages::MUT_MEMORY.at(mutability, &[&ident.ident]));
        }
        if let (Expr::Call(call), Pat::Ident(ident)) = (unparenthesized(&init.expr), pat)
            && let (Expr::Path(path), Some(mutability)) = (&*call.func, ident.mutability)
            && valid::is_arrival(path)
        {
            self.complain(messages::MUT_ARRIVAL.at(mutability, &[&ident.ident]));
        }
        if let (None, Pat::Ident(_)) = (&ty, pat) {
            self.begins_as(&init.expr);
        }
        let tokens = self.bind(local, pat, ty, value);
        if let (true, Pat::Ident(_)) = (is_memory, pat) {
            if let Some(ty) = valid::number_in_local_memory(&init.expr) {
                self.facts.single.insert(first, ty);
            }
            self.scope.is_memory();
        }
        if let (true, Pat::Ident(_)) = (has_a_type, pat) {
            self.scope.has_a_type();
        }
        self.scope.are_values(values);
        if refers {
            self.scope.refer(first);
        }
        tokens
    }

    /// `let r = &mut place;` and `let r = &place;`: the place, and the value that nothing can change meanwhile.
    fn let_reference(
        &mut self,
        local: &Local,
        ident: &PatIdent,
        ty: Option<&Type>,
        reference: &ExprReference,
    ) -> TokenStream {
        let (attributes, let_token, name) = (&local.attrs, local.let_token, &ident.ident);
        if let Some(mutability) = ident.mutability {
            self.complain(messages::MUTABLE_REFERENCE.at(mutability, &[]));
        }
        let (value, declared) = match reference.mutability {
            Some(_) => (
                self.exclusive_borrow(reference, &mut Vec::new()),
                Declared::Exclusive,
            ),
            None => (self.argument(&reference.expr), Declared::Shared),
        };
        self.scope.declare(name, declared, false);
        let ty = ty.map(|ty| self.type_of_reference(ty));
        let (eq, semi) = (spans::first(name), local.semi_token);
        let eq = quote_spanned!(eq=> =);
        quote!(#(#attributes)* #let_token #name #ty #eq #value #semi)
    }

    /// `: &mut T` of a `let`.
    fn type_of_reference(&mut self, ty: &Type) -> TokenStream {
        let span = spans::first(ty);
        match ty {
            Type::Reference(reference) if !matches!(&*reference.elem, Type::Slice(_)) => {
                let staged = staged::of_local(&reference.elem, self.v, self.complaints);
                match reference.mutability {
                    Some(_) => {
                        let place = self.v.item("Mutable", span);
                        quote_spanned!(span=> : #place<#staged>)
                    }
                    None => quote_spanned!(span=> : #staged),
                }
            }
            ty => {
                let staged = staged::of_local(ty, self.v, self.complaints);
                quote_spanned!(span=> : #staged)
            }
        }
    }

    /// `let x;`: a place of its own, which gets its value later.
    fn declared_later(&mut self, local: &Local, after: &[Stmt]) -> TokenStream {
        valid::statement_attributes(&local.attrs, self.complaints);
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let Pat::Ident(ident) = pat else {
            self.declare_anyway(pat, Declared::Local);
            return self.complain(messages::UNINITIALISED.at(local, &[]));
        };
        if !valid::is_plain_name(ident) {
            self.declare_anyway(pat, Declared::Local);
            return self.complain(valid::pattern(pat));
        }
        let (name, span) = (&ident.ident, ident.ident.span());
        for error in definite_init::complaints(name, ident.mutability.is_some(), after) {
            self.complain(error);
        }
        let id = self.scope.next_id();
        self.declared_mut.insert(id);
        self.assigned.insert(id);
        self.scope.declare(name, Declared::Local, true);
        let ty = ty.map(|ty| {
            let staged = staged::of_local(ty, self.v, self.complaints);
            let place = self.v.item("Mutable", spans::first(ty));
            quote_spanned!(spans::first(ty)=> : #place<#staged>)
        });
        let (attributes, let_token) = (&local.attrs, local.let_token);
        let place = self.call("declared", span, TokenStream::new(), span);
        let (eq, semi) = (quote_spanned!(span=> =), local.semi_token);
        quote!(#(#attributes)* #let_token #name #ty #eq #place #semi)
    }

    /// `let pat: ty = value;`, and what makes its mutable names mutable.
    fn bind(
        &mut self,
        local: &Local,
        pat: &Pat,
        ty: Option<(&Type, TokenStream)>,
        value: TokenStream,
    ) -> TokenStream {
        let Local {
            attrs,
            let_token,
            init,
            semi_token: semi,
            ..
        } = local;
        let attributes = quote!(#(#attrs)*);
        let eq = init.as_ref().map(|init| init.eq_token);
        if let Pat::Ident(ident) = pat
            && ident.mutability.is_some()
            && ident.by_ref.is_none()
            && ident.subpat.is_none()
            && !valid::is_constant_name(&ident.ident.to_string())
        {
            // The type is checked on a local of its own, so that the message is Rust's usual one.
            let value = match ty {
                None => value,
                Some((ty, staged)) => {
                    let init = temporary("init", spans::first(ty));
                    let span = spans::last(&value);
                    let inner = quote_spanned!(span=> let #init: #staged = #value; #init);
                    spans::braces(inner, span)
                }
            };
            let (mutability, value) =
                self.declare(&ident.ident, Declared::Local, ident.mutability, value);
            let name = &ident.ident;
            return quote!(#attributes #let_token #mutability #name #eq #value #semi);
        }
        let mut rebound = Vec::new();
        let pat = self.pattern(pat, &mut rebound);
        let ty = ty.map(|(_, staged)| quote!(: #staged));
        quote!(#attributes #let_token #pat #ty #eq #value #semi #(#attributes #rebound)*)
    }

    /// Declares the names of a pattern; `rebound` are the statements that make mutable ones mutable.
    pub(super) fn pattern(&mut self, pat: &Pat, rebound: &mut Vec<TokenStream>) -> TokenStream {
        match pat {
            Pat::Ident(ident) if valid::is_constant_name(&ident.ident.to_string()) => {
                self.complain(messages::CONSTANT_IN_PATTERN.at(ident, &[&ident.ident]))
            }
            Pat::Ident(ident) if ident.by_ref.is_some() && ident.mutability.is_none() => {
                self.scope.declare(&ident.ident, Declared::Shared, false);
                ident.ident.to_token_stream()
            }
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                let name = &ident.ident;
                let (mutability, value) = self.declare(
                    name,
                    Declared::Local,
                    ident.mutability,
                    name.to_token_stream(),
                );
                if ident.mutability.is_some() && mutability.is_none() {
                    let span = name.span();
                    rebound.push(quote_spanned!(span=> let #name = #value;));
                }
                quote!(#mutability #name)
            }
            Pat::Wild(_) | Pat::Rest(_) => pat.to_token_stream(),
            Pat::Tuple(tuple) => {
                let elems: Vec<_> = tuple
                    .elems
                    .iter()
                    .map(|elem| self.pattern(elem, rebound))
                    .collect();
                let comma = (elems.len() == 1 && !matches!(tuple.elems[0], Pat::Rest(_)))
                    .then(|| quote!(,));
                spans::parens(quote!(#(#elems),* #comma), tuple.paren_token.span.join())
            }
            Pat::Paren(inner) => self.pattern(&inner.pat, rebound),
            pat if has_parts(pat) => {
                let (item, parts) = self.taken_apart(pat, false);
                rebound.push(parts);
                item
            }
            pat => {
                self.declare_anyway(pat, Declared::Local);
                self.complain(valid::refutable(pat).unwrap_or_else(|| valid::pattern(pat)))
            }
        }
    }

    /// A name in the place of a pattern that rustc cannot match a staged value with, and the `let` that does. Of a
    /// reference, the parts are references, too, for the user.
    pub(super) fn taken_apart(
        &mut self,
        pat: &Pat,
        of_reference: bool,
    ) -> (TokenStream, TokenStream) {
        let span = spans::first(pat);
        let item = temporary(&format!("item{}", self.scope.next_id()), span);
        self.scope.declare(&item, Declared::Shared, false);
        let value = parse_quote_spanned!(span=> #item);
        let parts = self.let_pattern(Token![let](span), pat, None, &value, of_reference);
        (item.to_token_stream(), parts)
    }
}

/// Whether an expression, other than a block, is `()` whatever is in it.
fn is_without_value(expr: &Expr) -> bool {
    let ends_in_none = |block: &Block| match block.stmts.last() {
        Some(Stmt::Expr(last, None)) => is_without_value(last),
        Some(Stmt::Macro(last)) => last.semi_token.is_some(),
        _ => true,
    };
    match expr {
        Expr::ForLoop(_) | Expr::While(_) => true,
        Expr::If(inner) => match &inner.else_branch {
            None => true,
            Some((_, otherwise)) => {
                let otherwise = match &**otherwise {
                    Expr::Block(otherwise) => ends_in_none(&otherwise.block),
                    otherwise => is_without_value(otherwise),
                };
                otherwise && ends_in_none(&inner.then_branch)
            }
        },
        _ => false,
    }
}

/// Whether this is a struct's pattern or an array's, which `let` knows.
pub(super) fn has_parts(pat: &Pat) -> bool {
    match pat {
        Pat::TupleStruct(tuple) => option::variant_pattern(tuple).is_none(),
        pat => matches!(pat, Pat::Struct(_) | Pat::Slice(_)),
    }
}

/// Whether rustc can match a staged value with this pattern itself: names and tuples of names.
fn is_plain(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(ident) => ident.subpat.is_none(),
        Pat::Tuple(tuple) => tuple.elems.iter().all(is_plain),
        Pat::Paren(inner) => is_plain(&inner.pat),
        Pat::Struct(_)
        | Pat::TupleStruct(_)
        | Pat::Slice(_)
        | Pat::Lit(_)
        | Pat::Range(_)
        | Pat::Or(_) => false,
        _ => true,
    }
}
