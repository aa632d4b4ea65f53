//! Control flow.

use proc_macro2::{Delimiter, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Block, Expr, ExprArray, ExprForLoop, ExprIf, ExprLoop, ExprMethodCall, ExprPath, ExprRange,
    ExprWhile, Pat, RangeLimits, Stmt,
};

use super::iterator::{is_iteration, is_name, is_range, is_range_method};
use super::jump::gives_value;
use super::scope::Declared;
use super::stmt::has_parts;
use super::typed::is_literal;
use super::{
    Rewriter, Surrounding, TargetKind, Unroll, desugared, diverge, iterator, matching,
    unparenthesized,
};
use crate::signature::ParamKind;
use crate::valid::Access;
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    pub(super) fn conditional(&mut self, conditional: &ExprIf) -> TokenStream {
        if let Some(other) = desugared::if_element(conditional) {
            return self.expr(&other);
        }
        if matching::has_let(&conditional.cond) {
            return self.if_let(conditional);
        }
        if self.is_comptime(&conditional.cond) {
            return self.comptime_if(conditional);
        }
        let span = conditional.if_token.span;
        let condition = self.condition(&conditional.cond);
        let then = &conditional.then_branch;
        let Some((else_token, otherwise)) = &conditional.else_branch else {
            let arm = self.block(then);
            return self.call(
                "when",
                span,
                quote_spanned!(span=> || #condition, || #arm),
                then.brace_token.span.close(),
            );
        };
        let then = self.block(then);
        let ended = diverge::conditional(conditional);
        let (function, closure) = match self.arm_is_value(&Expr::If(conditional.clone())) && !ended
        {
            true => {
                let arms = super::temporary("arms", else_token.span);
                let otherwise = self.arm_alike(otherwise, &arms);
                let closure = quote_spanned!(else_token.span=> |#arms| #otherwise);
                ("if_else_alike", closure)
            }
            false => {
                let otherwise = self.expr(otherwise);
                let closure = quote_spanned!(else_token.span=> || #otherwise);
                ("if_else", closure)
            }
        };
        let close = spans::last(otherwise);
        let arguments = quote_spanned!(span=> || #condition, || #then, #closure);
        self.choice(function, span, arguments, close, ended)
    }

    /// An arm that is a value, after a first one: each is compared with that, so that one of another type is reported,
    /// and each once.
    fn arm_alike(&mut self, arm: &Expr, arms: &Ident) -> TokenStream {
        let value = match arm {
            Expr::If(inner)
                if let Some((else_token, otherwise)) = &inner.else_branch
                    && desugared::if_element(inner).is_none()
                    && !matching::has_let(&inner.cond)
                    && !self.is_comptime(&inner.cond) =>
            {
                let span = inner.if_token.span;
                let condition = self.condition(&inner.cond);
                let then = self.block_alike(&inner.then_branch, arms);
                let last = self.arm_alike(otherwise, arms);
                let last = quote_spanned!(else_token.span=> || #last);
                let arguments = quote_spanned!(span=> || #condition, || #then, #last);
                return self.call("if_else", span, arguments, spans::last(otherwise));
            }
            Expr::Block(inner) if inner.label.is_none() => {
                return self.block_alike(&inner.block, arms);
            }
            arm => self.expr(arm),
        };
        self.is_arm(value, spans::first(arm), spans::last(arm), arms)
    }

    /// The same of a block. Of its value alone, or rustc would speak of the block's type.
    fn block_alike(&mut self, block: &Block, arms: &Ident) -> TokenStream {
        if let [Stmt::Expr(value, None)] = &block.stmts[..] {
            return self.arm_alike(value, arms);
        }
        let braces = block.brace_token.span;
        let value = self.block(block);
        self.is_arm(value, braces.open(), braces.close(), arms)
    }

    fn is_arm(&self, value: TokenStream, first: Span, last: Span, arms: &Ident) -> TokenStream {
        let arguments = quote_spanned!(first=> #arms, #value);
        self.call("Is::arm", first, arguments, last)
    }

    /// A call of what has the value of one of several arms or `break`s. `ended` says that there is none: then any
    /// type will do, and the whole is of type `!`.
    pub(super) fn choice(
        &self,
        function: &str,
        first: Span,
        arguments: TokenStream,
        last: Span,
        ended: bool,
    ) -> TokenStream {
        if !ended {
            return self.call(function, first, arguments, last);
        }
        let function = self.v.item(function, first);
        let arguments = spans::parens(arguments, last);
        self.ended(
            quote_spanned!(first=> #function::<()> #arguments),
            first,
            last,
        )
    }

    /// What an `if` or a `while` tests, or a part of it.
    pub(super) fn condition(&mut self, condition: &Expr) -> TokenStream {
        match unparenthesized(condition) {
            Expr::Assign(assignment) => {
                self.complain(messages::ASSIGN_IN_CONDITION.at(assignment.eq_token, &[]))
            }
            condition => self.tested(condition),
        }
    }

    pub(super) fn while_loop(&mut self, inner: &ExprWhile) -> TokenStream {
        if matching::has_let(&inner.cond) {
            return self.while_let(inner);
        }
        let span = inner.while_token.span;
        let label = self.label();
        self.surroundings.push(Surrounding::Condition);
        let condition = self.condition(&inner.cond);
        self.surroundings.pop();
        let target = self.loop_target(&label, inner.label.as_ref());
        let body = self.loop_body(&inner.body, target, TokenStream::new());
        let close = inner.body.brace_token.span.close();
        self.call(
            "while_loop",
            span,
            quote_spanned!(span=> |#label| #condition, |#label| #body),
            close,
        )
    }

    pub(super) fn endless_loop(&mut self, inner: &ExprLoop) -> TokenStream {
        let span = inner.loop_token.span;
        let label = self.label();
        let mut target = self.loop_target(&label, inner.label.as_ref());
        let mut function = "endless_loop";
        if gives_value(inner) {
            target.kind = TargetKind::ValueLoop;
            function = "loop_value";
        }
        let body = self.loop_body(&inner.body, target, TokenStream::new());
        let close = inner.body.brace_token.span.close();
        let iterations = self.call(function, span, quote_spanned!(span=> |#label| #body), close);
        match diverge::endless(inner) {
            true => self.ended(iterations, span, close),
            false => iterations,
        }
    }

    pub(super) fn for_loop(&mut self, inner: &ExprForLoop) -> TokenStream {
        let span = inner.for_token.span;
        let unroll = self.unroll.take();
        let iterated = unparenthesized(&inner.expr);
        if let Some(items) = self.comptime_items(iterated) {
            return self.comptime_for(inner, &items);
        }
        if let Some(tuples) = iterator::written_tuples(iterated) {
            return self.for_tuples(inner, tuples);
        }
        if has_tuple(&inner.pat)
            && let Some(table) = iterator::named(iterated)
            && self.names_an_item(table)
        {
            return self.for_rows(inner, table);
        }
        if let Some(error) = valid::float_range(iterated) {
            self.declare_unsound(&inner.pat, Declared::Loop);
            return self.complain(error);
        }
        if let Some(error) = self.pairs_of_one(&inner.pat, iterated) {
            self.declare_anyway(&inner.pat, Declared::Loop);
            return self.complain(error);
        }
        if let Some(error) = iterator::pattern_of_parts(&inner.pat, iterated) {
            self.declare_unsound(&inner.pat, Declared::Loop);
            return self.complain(error);
        }
        if let Some(error) = self.negative_in_index(inner) {
            self.declare_unsound(&inner.pat, Declared::Loop);
            return self.complain(error);
        }
        let exclusive = self.by_exclusive_items(iterated);
        let iterated = exclusive.as_ref().unwrap_or(iterated);
        let copy = self.iterated_copy(iterated, &inner.body);
        let iterated = copy.as_ref().unwrap_or(iterated);
        if unroll.is_some() && iterator::is_made(iterated) {
            return self.complain(messages::UNROLL_ITERATOR.at(iterated, &[]));
        }
        let Some(course) = self.course(iterated, unroll) else {
            return TokenStream::new();
        };
        let label = self.label();
        let mark = self.scope.enter();
        if let (Expr::Range(range), Pat::Ident(_)) = (iterated, &*inner.pat)
            && let Some(end) = range.end.as_deref()
            && range.start.as_deref().is_some_and(is_literal)
            && let Some(Declared::Param(param)) = self.local(end).map(|local| local.declared)
        {
            self.facts.counters.insert(self.scope.next_id(), param);
        }
        self.goes_over(&inner.pat, iterated);
        self.note_item(&inner.pat, iterated);
        self.note_element(&inner.pat, iterated);
        self.note_chunk(&inner.pat, iterated);
        let (item, first) = self.shaped(&inner.pat, &iterator::shape(iterated));
        if let (Pat::Tuple(pair), Expr::MethodCall(call)) = (&*inner.pat, iterated)
            && call.method == "enumerate"
            && let Some(Pat::Ident(number)) = pair.elems.first()
        {
            let size = self.scope.is_a_value(&number.ident);
            self.facts.sizes.extend(size);
        }
        let are_values = is_range(iterated) && matches!(*inner.pat, Pat::Ident(_));
        if are_values || is_name(&inner.pat) && self.goes_over_elements(iterated) {
            self.scope.are_values(1);
        }
        let target = self.loop_target(&label, inner.label.as_ref());
        let body = self.loop_body(&inner.body, target, first);
        self.scope.leave(mark);
        let close = inner.body.brace_token.span.close();
        let iterated = course.iterated;
        self.call(
            course.function,
            span,
            quote_spanned!(span=> #iterated, |#label, #item| #body),
            close,
        )
    }

    /// `for i in comptime!(0..n)`: each iteration is recorded on its own.
    fn comptime_for(&mut self, inner: &ExprForLoop, items: &TokenStream) -> TokenStream {
        let span = inner.for_token.span;
        let label = self.label();
        let mark = self.scope.enter();
        self.declare_comptime(&inner.pat);
        let target = self.loop_target(&label, inner.label.as_ref());
        let body = self.loop_body(&inner.body, target, TokenStream::new());
        self.scope.leave(mark);
        let pat = &inner.pat;
        let arguments = quote_spanned!(span=> #items, |#label, #pat| #body);
        let close = inner.body.brace_token.span.close();
        self.call("for_comptime", span, arguments, close)
    }

    /// `for (dx, dy) in [(0, 1), (1, 0)]`: tuples are no elements of arrays, but each iteration can be recorded on its
    /// own.
    fn for_tuples(&mut self, inner: &ExprForLoop, tuples: &ExprArray) -> TokenStream {
        let items: Vec<_> = (tuples.elems.iter())
            .map(|tuple| self.argument(tuple))
            .collect();
        let items = spans::delimited(
            Delimiter::Bracket,
            quote!(#(#items),*),
            tuples.bracket_token.span.join(),
        );
        self.for_each_recorded(inner, &items)
    }

    /// `for (dx, dy) in TABLE`, of a constant array of tuples.
    fn for_rows(&mut self, inner: &ExprForLoop, table: &ExprPath) -> TokenStream {
        let (first, last) = (spans::first(table), spans::last(table));
        let name = valid::names_of_path(&table.path).join("::");
        let rows = self.call("rows", first, quote!(#table, #name), last);
        self.for_each_recorded(inner, &rows)
    }

    /// A loop over these, each iteration of which is recorded on its own.
    fn for_each_recorded(&mut self, inner: &ExprForLoop, items: &TokenStream) -> TokenStream {
        let span = inner.for_token.span;
        let label = self.label();
        let mark = self.scope.enter();
        let mut rebound = Vec::new();
        let pat = self.untyped(&inner.pat, &mut rebound);
        let target = self.loop_target(&label, inner.label.as_ref());
        let body = self.loop_body(&inner.body, target, quote!(#(#rebound)*));
        self.scope.leave(mark);
        let arguments = quote_spanned!(span=> #items, |#label, #pat| #body);
        let close = inner.body.brace_token.span.close();
        self.call("for_comptime", span, arguments, close)
    }

    /// `for (i, v) in x`, of a slice, whose elements are no pairs.
    fn pairs_of_one(&self, pat: &Pat, iterated: &Expr) -> Option<syn::Error> {
        let Declared::Param(index) = self.local(iterator::elements_of(iterated))?.declared else {
            return None;
        };
        let ParamKind::Slice { .. } = &self.kernel.params[index].kind else {
            return None;
        };
        let name = &self.kernel.params[index].name;
        has_tuple(pat).then(|| messages::PAIRS_OF_ONE.at(pat, &[&valid::source(pat), name]))
    }

    /// What a `for` goes over.
    fn course(&mut self, iterated: &Expr, unroll: Option<Unroll>) -> Option<Course> {
        if iterator::is_made(iterated) {
            let (function, iterated) = ("for_sequence", self.sequence(iterated)?);
            return Some(Course { function, iterated });
        }
        if let Expr::Tuple(tuple) = unparenthesized(iterated) {
            self.complain(valid::iterated_tuple(tuple));
            return None;
        }
        let of_numbers = is_range(iterated);
        if let (None, Expr::Range(range)) = (&unroll, iterated) {
            let (iterated, inclusive) = self.bounds(range)?;
            let function = match inclusive {
                false => "for_range",
                true => "for_range_inclusive",
            };
            return Some(Course { function, iterated });
        }
        let items = match of_numbers {
            true => self.range_iter(iterated)?,
            false => self.elements(iterated)?,
        };
        let (function, iterated) = match unroll {
            None if of_numbers => ("for_range_iter", items),
            None => ("for_each", items),
            Some(Unroll::All) if of_numbers => ("for_unrolled", items),
            Some(Unroll::All) => ("for_each_unrolled", items),
            Some(Unroll::By(n)) if of_numbers => ("for_unrolled_by", quote!(#items, #n)),
            Some(Unroll::By(n)) => ("for_each_unrolled_by", quote!(#items, #n)),
        };
        Some(Course { function, iterated })
    }

    /// A slice, with `iter`, `enumerate` and what else there is.
    pub(super) fn elements(&mut self, iterated: &Expr) -> Option<TokenStream> {
        let (function, base, rest) = match unparenthesized(iterated) {
            Expr::MethodCall(call) if iterator::is_beginning(call) && !call.args.is_empty() => {
                return self.parts_of_slice(call);
            }
            Expr::MethodCall(call) if is_iteration(call) => {
                let (function, base) = match call.method == "iter_mut" {
                    true => ("iter_mut", &*call.receiver),
                    false if call.method == "iter" || call.method == "into_iter" => {
                        ("iter", &*call.receiver)
                    }
                    false if let Some(error) = self.slice_for_iterator(call) => {
                        self.complain(error);
                        return None;
                    }
                    false => {
                        let inner = self.elements(&call.receiver)?;
                        return Some(self.adapted(inner, call));
                    }
                };
                (function, base, Some(&call.method))
            }
            Expr::Reference(reference)
                if let Some(name) = desugared::reborrowed(reference)
                    && self.local(name).is_some() =>
            {
                let function = match reference.mutability {
                    Some(_) => "iter_mut",
                    None => "iter",
                };
                (function, name, None)
            }
            Expr::Reference(reference) if reference.mutability.is_some() => {
                ("iter_mut", &*reference.expr, None)
            }
            Expr::Reference(reference) => ("iter", &*reference.expr, None),
            Expr::MethodCall(call)
                if valid::method(call).is_some() || !valid::is_of_the_language(&call.method) =>
            {
                let error = match iterator::is_sequence(&call.receiver) {
                    true => valid::iterator_method(call),
                    false => valid::iterated_call(call),
                };
                self.complain(error);
                return None;
            }
            other => ("iter", other, None),
        };
        let base = unparenthesized(base);
        if valid::is_a_number(base, self.local(base), self.kernel) {
            let text = valid::source(base);
            self.complain(messages::NUMBER_IN_FOR.at(base, &[&text]));
            return None;
        }
        if function == "iter_mut"
            && let Some(local) = self.local(base)
            && let Some(error) = valid::iter_mut(base, local, self.kernel)
        {
            self.complain(error);
            return None;
        }
        if function == "iter_mut" {
            self.assigned_to(base);
        }
        let (first, last) = (spans::first(base), spans::last(base));
        // A slice in memory of the group, or in a mutable local, is not read as a whole.
        let value = match base {
            Expr::Path(path) if self.is_place(base) => path.to_token_stream(),
            Expr::Path(path) if self.names_an_item(path) => {
                let access = match function {
                    "iter_mut" => Access::Write,
                    _ => Access::Read,
                };
                self.item_to(path, access)?
            }
            base if function == "iter_mut" && self.is_place(base) => {
                self.place(base, Access::Write)?
            }
            base => self.argument(base),
        };
        let last = rest.map_or(last, |method| method.span());
        Some(self.call(function, first, value, last))
    }

    /// A method of what a `for` goes over.
    pub(super) fn adapted(&mut self, items: TokenStream, call: &ExprMethodCall) -> TokenStream {
        if let Some(error) = self.count_of_iterator(call) {
            return self.complain(error);
        }
        let arguments = call.args.iter().map(|argument| {
            let value = self.argument(argument);
            self.wanted(argument, value)
        });
        let arguments: Vec<_> = arguments.collect();
        let (dot, method) = (call.dot_token, &call.method);
        let arguments = spans::parens(quote!(#(#arguments),*), call.paren_token.span.join());
        quote!(#items #dot #method #arguments)
    }

    /// A range with `rev` and `step_by`.
    pub(super) fn range_iter(&mut self, iterated: &Expr) -> Option<TokenStream> {
        match unparenthesized(iterated) {
            Expr::Range(range) => {
                let (bounds, inclusive) = self.bounds(range)?;
                let function = match inclusive {
                    false => "range_iter",
                    true => "range_iter_inclusive",
                };
                let (first, last) = (spans::first(range), spans::last(range));
                Some(self.call(function, first, bounds, last))
            }
            Expr::MethodCall(call) if is_range(&call.receiver) && is_range_method(call) => {
                if let Some(error) = valid::negative_step(call) {
                    self.complain(error);
                    return None;
                }
                let items = self.range_iter(&call.receiver)?;
                Some(self.adapted(items, call))
            }
            Expr::MethodCall(call) if is_range(&call.receiver) => {
                self.complain(valid::iterator_method(call));
                None
            }
            other => {
                self.complain(valid::iterated(other));
                None
            }
        }
    }

    fn bounds(&mut self, range: &ExprRange) -> Option<(TokenStream, bool)> {
        let span = spans::first(range);
        let Some(start) = &range.start else {
            self.complain(messages::OPEN_RANGE.at(range, &[]));
            return None;
        };
        let Some(end) = &range.end else {
            let (start, last) = (self.argument(start), spans::last(range));
            let end = self.call("no_end", span, TokenStream::new(), last);
            return Some((quote_spanned!(span=> #start, || #end), false));
        };
        if let Expr::MethodCall(call) = &**end
            && is_range_method(call)
        {
            self.complain(messages::RANGE_METHOD.at(&call.method, &[&call.method]));
            return None;
        }
        let is_known = self.is_value(start) && !is_literal(start);
        let (start, last) = (self.argument(start), self.argument(end));
        let end = match is_known {
            true => self.wanted(end, last),
            false => last,
        };
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        Some((quote_spanned!(span=> #start, || #end), inclusive))
    }

    pub(super) fn name_of_item(
        &mut self,
        pat: &Pat,
        declared: Declared,
    ) -> (TokenStream, TokenStream) {
        match pat {
            Pat::Wild(_) => (pat.to_token_stream(), TokenStream::new()),
            Pat::Reference(reference) if declared == Declared::Shared => {
                self.name_of_item(&reference.pat, Declared::Local)
            }
            Pat::Ident(ident) if valid::is_constant_name(&ident.ident.to_string()) => {
                let error = messages::CONSTANT_IN_PATTERN.at(ident, &[&ident.ident]);
                (self.complain(error), TokenStream::new())
            }
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                let name = &ident.ident;
                if declared == Declared::Exclusive {
                    if let Some(mutability) = ident.mutability {
                        self.complain(messages::MUTABLE_REFERENCE.at(mutability, &[]));
                    }
                    self.scope.declare(name, declared, false);
                    return (name.to_token_stream(), TokenStream::new());
                }
                let declared = match ident.mutability.is_some() {
                    true => Declared::Local,
                    false => declared,
                };
                let (mutability, value) =
                    self.declare(name, declared, ident.mutability, quote!(#name));
                let becomes_mutable = ident.mutability.is_some() && mutability.is_none();
                let first =
                    becomes_mutable.then(|| quote_spanned!(name.span()=> let #name = #value;));
                (quote!(#mutability #name), first.into_token_stream())
            }
            pat if has_parts(pat) && declared != Declared::Exclusive => {
                self.taken_apart(pat, declared == Declared::Shared)
            }
            pat if has_parts(pat) => {
                self.declare_anyway(pat, declared);
                let error = messages::PARTS_OF_PLACE.at(pat, &[]);
                (self.complain(error), TokenStream::new())
            }
            pat => {
                self.declare_anyway(pat, Declared::Local);
                let error = valid::refutable(pat).unwrap_or_else(|| valid::pattern(pat));
                (self.complain(error), TokenStream::new())
            }
        }
    }
}

/// What a `for` goes over.
struct Course {
    function: &'static str,
    iterated: TokenStream,
}

/// Whether a pattern takes a tuple apart.
fn has_tuple(pat: &Pat) -> bool {
    match pat {
        Pat::Tuple(_) => true,
        Pat::Reference(reference) => has_tuple(&reference.pat),
        Pat::Paren(inner) => has_tuple(&inner.pat),
        _ => false,
    }
}
