//! Patterns: what has to hold for a value to match, and what their names then stand for.
//!
//! Both are computed from a staged value that has been evaluated once. Whether patterns are
//! exhaustive, irrefutable or of the right type, rustc says of the originals ([`super::matching`]).

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote_spanned;
use syn::punctuated::Punctuated;
use syn::{Expr, FieldPat, Lit, Pat, PatIdent, PatSlice, Path, RangeLimits, Token};

use super::referring::Matched;
use super::scope::Declared;
use super::{Rewriter, option, temporary};
use crate::{spans, valid};

/// A name that a pattern declares, and what it stands for.
pub(super) struct Bound {
    pub(super) name: Ident,
    pub(super) mutability: Option<Token![mut]>,
    pub(super) value: TokenStream,
    /// Perhaps the user has a reference there, and writes `*name`.
    pub(super) reference: bool,
}

impl Rewriter<'_> {
    /// The names of a pattern that is held against this.
    pub(super) fn bound_by(&mut self, pat: &Pat, matched: &Matched) -> Vec<Bound> {
        let mut names = Vec::new();
        self.pattern_names(pat, &matched.value, &mut names);
        for bound in &mut names {
            bound.reference |= matched.refers;
        }
        names
    }

    /// The `bool` that says whether `part` matches; `None` if it always does.
    pub(super) fn pattern_test(&mut self, pat: &Pat, part: &TokenStream) -> Option<TokenStream> {
        match pat {
            Pat::Wild(_) | Pat::Rest(_) => None,
            Pat::Paren(inner) => self.pattern_test(&inner.pat, part),
            Pat::Ident(ident) if ident.by_ref.is_some() && ident.mutability.is_some() => {
                self.complain(valid::pattern(pat));
                None
            }
            Pat::Reference(inner) if inner.mutability.is_none() => {
                self.pattern_test(&inner.pat, part)
            }
            Pat::Ident(ident) if ident.ident == "None" => {
                Some(self.variant_test("matches_none", pat, part))
            }
            Pat::Path(path) if option::is_none(&path.path) => {
                Some(self.variant_test("matches_none", pat, part))
            }
            Pat::TupleStruct(tuple) if option::variant_pattern(tuple).is_some() => {
                let (variant, inner) = option::variant_pattern(tuple)?;
                let is_one = self.variant_test(variant.test, pat, part);
                let inside = self.inside(variant, pat, part);
                let test = self.pattern_test(inner, &inside);
                self.join("all", pat, [Some(is_one), test].into_iter().flatten())
            }
            Pat::Ident(ident) if names_variant(ident) => {
                let variant = self.variant(&ident.ident, part);
                let constant = self.lift_all(&variant);
                Some(self.compare_test("is_constant", pat, part, &constant))
            }
            Pat::Ident(ident) if names_constant(ident) => {
                self.constant_test(&Path::from(ident.ident.clone()), pat, part)
            }
            Pat::Ident(ident) => {
                let (_, inner) = ident.subpat.as_ref()?;
                self.pattern_test(inner, part)
            }
            Pat::Path(path) => self.constant_test(&path.path, pat, part),
            Pat::Lit(lit) => {
                let constant = self.literal(lit);
                Some(self.compare_test("eq", pat, part, &constant))
            }
            Pat::Range(range) => {
                let from = range.start.as_deref().map(|start| {
                    let start = self.bound(start);
                    self.compare_test("ge", pat, part, &start)
                });
                let comparison = match range.limits {
                    RangeLimits::HalfOpen(_) => "lt",
                    RangeLimits::Closed(_) => "le",
                };
                let both_are_text = [&range.start, &range.end].map(|end| {
                    matches!(end.as_deref(), Some(Expr::Lit(lit)) if matches!(lit.lit, Lit::Char(_)))
                });
                let end = range
                    .end
                    .as_deref()
                    .filter(|_| both_are_text != [true, true]);
                let to = end.map(|end| {
                    let end = self.bound(end);
                    self.compare_test(comparison, pat, part, &end)
                });
                self.join("all", pat, [from, to].into_iter().flatten())
            }
            Pat::Or(or) => {
                let cases: Vec<_> = or
                    .cases
                    .iter()
                    .map(|case| self.pattern_test(case, part))
                    .collect();
                let cases: Option<Vec<_>> = cases.into_iter().collect();
                self.join("any", pat, cases?.into_iter())
            }
            Pat::Tuple(tuple) => self.tests_of(pat, elements(&tuple.elems, part)),
            Pat::TupleStruct(tuple) => self.tests_of(pat, elements(&tuple.elems, part)),
            Pat::Slice(slice) => {
                let parts = self.elements_of_slice(&slice.elems, part);
                let tests = self.tests_of(pat, parts.into_iter());
                Some(self.length_test(slice, part, tests))
            }
            Pat::Struct(literal) => self.tests_of(pat, fields(&literal.fields, part)),
            pat => {
                self.complain(valid::pattern(pat));
                None
            }
        }
    }

    fn tests_of<'p>(
        &mut self,
        whole: &Pat,
        parts: impl Iterator<Item = (&'p Pat, TokenStream)>,
    ) -> Option<TokenStream> {
        let tests: Vec<_> = parts
            .filter_map(|(pat, part)| self.pattern_test(pat, &part))
            .collect();
        self.join("all", whole, tests.into_iter())
    }

    /// `a & b & ..` or `a | b | ..`.
    fn join(
        &self,
        function: &str,
        pat: &Pat,
        tests: impl Iterator<Item = TokenStream>,
    ) -> Option<TokenStream> {
        let (first, last) = (spans::first(pat), spans::last(pat));
        tests.reduce(|a, b| self.call(function, first, quote_spanned!(first=> #a, #b), last))
    }

    fn compare_test(
        &self,
        comparison: &str,
        pat: &Pat,
        part: &TokenStream,
        constant: &TokenStream,
    ) -> TokenStream {
        let span = spans::first(pat);
        let arguments = quote_spanned!(span=> #part, || #constant);
        self.call(comparison, span, arguments, spans::last(pat))
    }

    fn constant_test(&mut self, path: &Path, pat: &Pat, part: &TokenStream) -> Option<TokenStream> {
        let constant = self.constant(path, path);
        Some(self.compare_test("is_constant", pat, part, &constant))
    }

    /// An end of a range.
    fn bound(&mut self, bound: &Expr) -> TokenStream {
        match bound {
            Expr::Lit(lit) => self.literal(lit),
            Expr::Path(path) if path.qself.is_none() => self.constant(&path.path, path),
            bound => self.lift_all(bound),
        }
    }

    /// The names of a pattern that `part` matches. What is wrong with it has been said by [`Self::pattern_test`].
    fn pattern_names(&mut self, pat: &Pat, part: &TokenStream, names: &mut Vec<Bound>) {
        match pat {
            Pat::Paren(inner) => self.pattern_names(&inner.pat, part, names),
            Pat::Reference(inner) => self.pattern_names(&inner.pat, part, names),
            Pat::TupleStruct(tuple) if option::variant_pattern(tuple).is_some() => {
                let Some((variant, inner)) = option::variant_pattern(tuple) else {
                    return;
                };
                let from = names.len();
                let inside = self.inside(variant, pat, part);
                self.pattern_names(inner, &inside, names);
                for bound in &mut names[from..] {
                    bound.reference = true;
                }
            }
            Pat::Ident(ident) if !names_constant(ident) => {
                names.push(Bound {
                    name: ident.ident.clone(),
                    mutability: ident.mutability,
                    value: part.clone(),
                    // A shared reference is a value.
                    reference: ident.by_ref.is_some(),
                });
                if let Some((_, inner)) = &ident.subpat {
                    self.pattern_names(inner, part, names);
                }
            }
            Pat::Or(or) => self.names_of_cases(&or.cases, part, names),
            Pat::Tuple(tuple) => self.names_of(elements(&tuple.elems, part), names),
            Pat::TupleStruct(tuple) => self.names_of(elements(&tuple.elems, part), names),
            Pat::Slice(slice) => {
                for (elem, part) in self.elements_of_slice(&slice.elems, part) {
                    let from = names.len();
                    self.pattern_names(elem, &part, names);
                    for bound in &mut names[from..] {
                        bound.reference = !is_rest(elem);
                    }
                }
            }
            Pat::Struct(literal) => self.names_of(fields(&literal.fields, part), names),
            _ => {}
        }
    }

    fn names_of<'p>(
        &mut self,
        parts: impl Iterator<Item = (&'p Pat, TokenStream)>,
        names: &mut Vec<Bound>,
    ) {
        for (pat, part) in parts {
            self.pattern_names(pat, &part, names);
        }
    }

    /// The names of `p | q`: what they stand for depends on which of them matches first.
    fn names_of_cases(
        &mut self,
        cases: &Punctuated<Pat, Token![|]>,
        part: &TokenStream,
        names: &mut Vec<Bound>,
    ) {
        let said = std::mem::take(self.complaints);
        let mut merged: Vec<Bound> = Vec::new();
        for case in cases.iter().rev() {
            let mut here = Vec::new();
            self.pattern_names(case, part, &mut here);
            if here.is_empty() {
                continue;
            }
            let test = self.pattern_test(case, part);
            for bound in &mut here {
                let (Some(test), Some(later)) =
                    (&test, merged.iter().find(|later| later.name == bound.name))
                else {
                    continue;
                };
                let (first, last) = (spans::first(case), spans::last(case));
                let (value, otherwise) = (&bound.value, &later.value);
                let arguments = quote_spanned!(first=> || #test, || #value, || #otherwise);
                bound.value = self.call("if_else", first, arguments, last);
            }
            merged = here;
        }
        *self.complaints = said;
        names.extend(merged);
    }

    /// Whether there are as many elements as a pattern has, and whether they match.
    fn length_test(
        &self,
        slice: &PatSlice,
        part: &TokenStream,
        tests: Option<TokenStream>,
    ) -> TokenStream {
        let (first, last) = (spans::first(slice), spans::last(slice));
        let open = slice.elems.iter().any(is_rest);
        let count = slice.elems.len() - usize::from(open);
        let count = Literal::usize_unsuffixed(count);
        let tests = tests.unwrap_or_else(|| self.call("holds", first, TokenStream::new(), last));
        let arguments = quote_spanned!(first=> #part, #count, #open, || #tests);
        self.call("has_elements", first, arguments, last)
    }

    /// The elements of an array or a slice with the parts they match. Those after `..` are counted from the end.
    fn elements_of_slice<'p>(
        &self,
        elems: &'p Punctuated<Pat, Token![,]>,
        part: &TokenStream,
    ) -> Vec<(&'p Pat, TokenStream)> {
        let rest = elems.iter().position(is_rest);
        let parts = elems.iter().enumerate().map(|(index, elem)| {
            let after = elems.len() - 1 - index;
            let (function, numbers) = match rest {
                Some(rest) if index == rest => ("elements_between", vec![index, after]),
                Some(rest) if index > rest => ("element_from_end", vec![after]),
                _ => ("element", vec![index]),
            };
            let numbers = numbers.into_iter().map(Literal::usize_unsuffixed);
            let span = spans::first(elem);
            let arguments = quote_spanned!(span=> #part, #(#numbers),*);
            let value = self.call(function, span, arguments, spans::last(elem));
            (elem, value)
        });
        parts.collect()
    }

    /// The statements that declare names.
    pub(super) fn declare_names(&mut self, names: Vec<Bound>) -> TokenStream {
        names
            .into_iter()
            .map(|bound| {
                let name = bound.name;
                let declared = match bound.reference && bound.mutability.is_none() {
                    true => Declared::Shared,
                    false => Declared::Local,
                };
                let (mutability, value) =
                    self.declare(&name, declared, bound.mutability, bound.value);
                quote_spanned!(name.span()=> let #mutability #name = #value;)
            })
            .collect()
    }
}

/// Whether a name in a pattern is a constant's, or that of a variant: anything that is not written like a local.
fn names_constant(ident: &PatIdent) -> bool {
    ident.by_ref.is_none()
        && ident.mutability.is_none()
        && ident.subpat.is_none()
        && ident.ident.to_string().starts_with(char::is_uppercase)
}

/// Whether it is written like a variant. Constants have no small letters.
fn names_variant(ident: &PatIdent) -> bool {
    names_constant(ident) && ident.ident.to_string().contains(char::is_lowercase)
}

/// `..` or `name @ ..`.
fn is_rest(pat: &Pat) -> bool {
    match pat {
        Pat::Rest(_) => true,
        Pat::Ident(ident) => (ident.subpat.as_ref()).is_some_and(|(_, inner)| is_rest(inner)),
        _ => false,
    }
}

/// The elements of a tuple with the parts they match. What stands after `..` is counted from the end, which only
/// rustc can do.
fn elements<'p>(
    elems: &'p Punctuated<Pat, Token![,]>,
    part: &TokenStream,
) -> impl Iterator<Item = (&'p Pat, TokenStream)> {
    let count = elems.len();
    let rest = elems.iter().position(|elem| matches!(elem, Pat::Rest(_)));
    elems.iter().enumerate().map(move |(index, elem)| {
        let span = spans::first(elem);
        let value = if rest.is_none_or(|rest| index < rest) {
            let mut number = Literal::usize_unsuffixed(index);
            number.set_span(span);
            quote_spanned!(span=> #part.#number)
        } else {
            let name = temporary("part", span);
            let after = (index + 1..count).map(|_| quote_spanned!(span=> , _));
            spans::braces(
                quote_spanned!(span=> let (.., #name #(#after)*) = #part; #name),
                span,
            )
        };
        (elem, value)
    })
}

fn fields<'p>(
    fields: &'p Punctuated<FieldPat, Token![,]>,
    part: &TokenStream,
) -> impl Iterator<Item = (&'p Pat, TokenStream)> {
    fields.iter().map(move |field| {
        let span = spans::first(&field.member);
        let member = &field.member;
        (&*field.pat, quote_spanned!(span=> #part.#member))
    })
}
