//! Methods that slices have not. A trait of the user's may stand for one that is refused, so rustc is to look for the
//! method, and to find ours after all others.

use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};
use syn::ExprMethodCall;

use super::Rewriter;
use super::foreign::{in_attribute, only_of_user};
use crate::{messages, spans};

impl Rewriter<'_> {
    /// The call of a method that is no known one, with what is said if there is none.
    pub(super) fn unless_found(
        &self,
        call: &ExprMethodCall,
        slice: &str,
        instead: &str,
        called: TokenStream,
    ) -> TokenStream {
        let (method, span) = (&call.method, call.method.span());
        let words = in_attribute(messages::NO_SLICE_METHOD.parts(&[&slice, method, &instead]));
        let no_such_name = self.v.item("NoSuchName", span);
        let of_user = self.v.item("NameOfUser", span);
        let types: Vec<_> = (0..call.args.len())
            .map(|index| format_ident!("A{}", index, span = span))
            .collect();
        let only_of_user = only_of_user(&of_user, &words, span);
        // By `&mut self`, which rustc tries last.
        let declarations = quote_spanned! {span=>
            #[allow(unused_imports)]
            use #no_such_name;
            trait Lacking { fn #method<#(#types),*>(&mut self, #(_: #types),*) -> NoSuchName; }
            impl<T> Lacking for T {
                fn #method<#(#types),*>(&mut self, #(_: #types),*) -> NoSuchName { NoSuchName }
            }
            struct Known<T>(T);
            impl Known<NoSuchName> { fn found(self) -> NoSuchName { self.0 } }
            trait Found { type It; fn found(self) -> Self::It; }
            #only_of_user
        };
        let nothing = spans::parens(TokenStream::new(), span);
        let called = spans::parens(spans::braces(called, span), span);
        let found = quote_spanned!(span=> Known #called.found #nothing);
        let found = spans::parens(found, span);
        let inner = quote_spanned!(span=> #declarations InKernels::meaning #found);
        spans::braces(inner, span)
    }
}
