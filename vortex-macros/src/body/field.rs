//! Fields of places and of values.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprField, Member, Pat};

use super::{Rewriter, temporary, unparenthesized};
use crate::spans;
use crate::valid::{self, Access};

impl Rewriter<'_> {
    /// A field of a place. `None` after a complaint.
    pub(super) fn field_of_place(
        &mut self,
        field: &ExprField,
        access: Access,
    ) -> Option<TokenStream> {
        let way = self.way_to(field)?;
        let base = self.base(way.root, access)?;
        Some(self.at_the_end_of(&way, base))
    }

    /// A field of a value.
    pub(super) fn field_of_value(&mut self, field: &ExprField) -> TokenStream {
        let Some(way) = self.way_to(field) else {
            return TokenStream::new();
        };
        let base = self.operand(way.root);
        self.at_the_end_of(&way, base)
    }

    /// `None` after a complaint of a field on the way.
    fn way_to<'f>(&mut self, field: &'f ExprField) -> Option<Way<'f>> {
        let way = Way::to(field);
        let mut mistakes = way
            .fields
            .iter()
            .filter_map(|&field| Some((field, self.no_field(field)?)));
        match mistakes.next() {
            Some((field, error)) => {
                self.complain(valid::dot_at_the_end(field).unwrap_or(error));
                None
            }
            None => Some(way),
        }
    }

    /// The value of a `let` with a pattern that is a tuple; rustc says in the user's types where it is something else.
    pub(super) fn with_parts(&self, pat: &Pat, init: &Expr, value: TokenStream) -> TokenStream {
        let is_asked = match (unparenthesized(init), pat) {
            (Expr::Tuple(tuple), Pat::Tuple(pat)) => tuple.elems.len() != pat.elems.len(),
            (init, _) => matches!(
                init,
                Expr::Call(_) | Expr::MethodCall(_) | Expr::Index(_) | Expr::Field(_)
            ),
        };
        if !is_asked || value.is_empty() || !matches!(pat, Pat::Tuple(_)) {
            return value;
        }
        let Some(parts) = parts(pat, &mut 0) else {
            return value;
        };
        let (first, last) = (spans::first(init), spans::last(init));
        let of_host = temporary("whole", first);
        let taken_apart = spans::braces(quote!(let #parts = #of_host; #parts), last);
        let arguments = quote_spanned!(first=> #value, |#of_host| #taken_apart);
        self.call("with_parts", first, arguments, last)
    }

    /// What is known to be wrong with a field from how its base is written.
    fn no_field(&mut self, field: &ExprField) -> Option<syn::Error> {
        let error = self.method_of_option(&field.base, &field.member);
        if let Some(error) = error.or_else(|| self.option_with_member(&field.base)) {
            return Some(error);
        }
        let element = match unparenthesized(&field.base) {
            Expr::Index(element) => self.local(&element.expr),
            _ => None,
        };
        valid::field(field, self.local(&field.base), self.kernel)
            .or_else(|| self.part_of_tuple(field))
            .or_else(|| valid::field_of_a_number(field, element, self.kernel))
            .or_else(|| self.component_of_vector(field))
    }

    /// The fields of `base`. Of a name that is none rustc says so of the user's type, in code that is not run: where it
    /// does, it says nothing of the same name in the staged type. Parts of tuples may be of types that have no other.
    fn at_the_end_of(&self, way: &Way<'_>, base: TokenStream) -> TokenStream {
        let (parts, named) = (&way.parts, &way.named);
        let local = self.local(way.root);
        let is_given = local.is_some_and(|local| self.facts.given.contains(&local.id));
        let (base, named) = match is_given || self.is_value(way.root) {
            true => (base, quote!(#parts #named)),
            false => (quote!(#base #parts), named.clone()),
        };
        if named.is_empty() || base.is_empty() {
            return quote!(#base #named);
        }
        let (first, last) = (spans::first(&base), spans::last(&base));
        let of_host = temporary("fields", first);
        // The reference is to all of it, also to a sum or a product.
        let base = spans::parens(base, first);
        let looked_for = quote_spanned!(first=> &#base, |#of_host| #of_host #named);
        let base = self.call("with_field", first, looked_for, last);
        quote!(#base #named)
    }
}

/// The names in a pattern of a tuple, as a pattern and as a value of their own.
fn parts(pat: &Pat, count: &mut usize) -> Option<TokenStream> {
    let span = spans::first(pat);
    match pat {
        Pat::Ident(_) | Pat::Wild(_) => {
            *count += 1;
            Some(temporary(&format!("part{count}"), span).to_token_stream())
        }
        Pat::Tuple(tuple) => {
            let elems = tuple.elems.iter();
            let elems: Option<Vec<_>> = elems.map(|elem| parts(elem, count)).collect();
            let elems = elems?;
            let comma = (elems.len() == 1).then(|| quote!(,));
            Some(spans::parens(
                quote!(#(#elems),* #comma),
                tuple.paren_token.span.join(),
            ))
        }
        _ => None,
    }
}

/// The way from what is no field to one in it.
struct Way<'a> {
    root: &'a Expr,
    /// The fields on the way, the innermost first.
    fields: Vec<&'a ExprField>,
    /// As they are written, each after its dot: those before the first with a name.
    parts: TokenStream,
    /// The first with a name, and all after it.
    named: TokenStream,
}

impl<'a> Way<'a> {
    fn to(field: &'a ExprField) -> Self {
        let mut way = match unparenthesized(&field.base) {
            Expr::Field(base) => Self::to(base),
            root => Self {
                root,
                fields: Vec::new(),
                parts: TokenStream::new(),
                named: TokenStream::new(),
            },
        };
        way.fields.push(field);
        let is_part = way.named.is_empty() && matches!(field.member, Member::Unnamed(_));
        let written = match is_part {
            true => &mut way.parts,
            false => &mut way.named,
        };
        field.dot_token.to_tokens(written);
        field.member.to_tokens(written);
        way
    }
}
