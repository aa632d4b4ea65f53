//! What a name of a function stands for where it is called, or handed to another function.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{ExprClosure, ExprPath, PathArguments, parse_quote_spanned};

use super::{Rewriter, temporary};
use crate::{spans, valid};

impl Rewriter<'_> {
    /// A function that is no local, where it is called.
    pub(super) fn callee(&mut self, path: &ExprPath) -> TokenStream {
        let (first, last) = (spans::first(path), spans::last(path));
        let name = self.function_name(path);
        if is_known(path) {
            return name;
        }
        let name = match valid::may_be_well_known(path) {
            Some(kind) => {
                let alone = self.call(kind, first, name, last);
                let function = quote_spanned!(first=> .function);
                let nothing = spans::parens(TokenStream::new(), last);
                quote!(#alone #function #nothing)
            }
            None => name,
        };
        // Blocks, as what stands for the name may be one, have one place: all of the path is where the arm is.
        let name = match path.path.segments.len() {
            1 => name,
            _ => {
                let arms = spans::braces(quote_spanned!(first=> () => #name), last);
                quote_spanned!(first=> match () #arms)
            }
        };
        match self.unsafety {
            0 => self.asking(("Callable", "function"), name, (first, last)),
            _ => self.unsafe_callee(name, first, last),
        }
    }

    /// The same in an `unsafe` block.
    fn unsafe_callee(&self, name: TokenStream, first: Span, last: Span) -> TokenStream {
        let span = Span::mixed_site();
        let trait_ = self.v.item("CalledAsItIs", span);
        let callee = self.call("Callee", first, name, last);
        let function = quote_spanned!(first=> .function);
        let nothing = spans::parens(TokenStream::new(), last);
        let inner = quote_spanned!(span=> #[allow(unused_imports)] use #trait_ as _; #callee #function #nothing);
        spans::parens(spans::braces(inner, first), first)
    }

    /// The name of a function that is no local, where it is handed to another.
    pub(super) fn handed(&mut self, path: &ExprPath) -> TokenStream {
        if let Some((function, ty)) = valid::conversion_of_numbers(path) {
            let span = spans::first(path);
            let function = self.v.item(function, span);
            return quote_spanned!(span=> #function::<#ty, _>);
        }
        let name = self.function_name(path);
        if is_known(path) {
            return name;
        }
        self.call(
            "Handed::handed",
            spans::first(path),
            name,
            spans::last(path),
        )
    }

    /// The name of a function that is no local.
    pub(super) fn function_name(&mut self, path: &ExprPath) -> TokenStream {
        if let Some((ty, method)) = valid::method_of_number(path) {
            let span = spans::first(path);
            let lane = self.v.item("Lane", span);
            return quote_spanned!(span=> #lane::<#ty>::#method);
        }
        self.called.push(path.clone());
        match () {
            () if is_known(path) => path.to_token_stream(),
            () if valid::may_be_of_a_short_vector(path) => self.function_of_a_vector(path),
            () if valid::may_have_a_twin(path) => self.staged_twin(path),
            () => self.function_with_twin(path),
        }
    }

    /// What kernels call where a name may be that of a function of the host with a twin: see `lang::twin` in
    /// `vortex-kernel`.
    ///
    /// The name is looked for in what its own, as a type, refers to. That may be nothing, and an import of nothing
    /// would be an error; hence the macro of the same name. It is declared after the user's name, or rustc would
    /// take that for the macro's where it is in error. Names that would be ambiguous then are looked for in the module.
    fn staged_twin(&mut self, path: &ExprPath) -> TokenStream {
        let span = Span::mixed_site();
        let untwinned = self.v.item("Untwinned", span);
        let (ty, function) = (
            Ident::new("__vortex_twin", span),
            Ident::new("function", span),
        );
        let mut plain = path.path.clone();
        for segment in &mut plain.segments {
            segment.arguments = PathArguments::None;
        }
        let Some(last) = path.path.segments.last() else {
            return path.to_token_stream();
        };
        let name = &last.ident;
        let found = match path.path.segments.len() {
            1 if valid::is_ambiguous(name) => quote_spanned! {span=>
                #[allow(unused_imports)]
                use self::#plain as #ty;
            },
            1 => {
                let mut name = name.clone();
                name.set_span(span);
                quote_spanned! {span=>
                    #[allow(unused_macros)]
                    macro_rules! #name { () => {} }
                    #[allow(unused_imports)]
                    use #plain as #ty;
                }
            }
            // By a name of its own, which refers to nothing else where the user's is private: rustc says that once.
            _ => {
                let at = span.located_at(name.span());
                let (found, module) = (
                    Ident::new("__vortex_found", at),
                    Ident::new("__vortex_module", at),
                );
                // Of what is imported from nowhere, rustc says only that if the module has a name of its own, too.
                let (imports, again) = match valid::may_be_an_unknown_crate(&plain) {
                    true => {
                        let first = plain.segments.first();
                        let imports = quote_spanned! {at=>
                            #[allow(unused_imports)]
                            use #first as #module;
                            #[allow(unused_imports)]
                            use #module::#name as #found;
                        };
                        (imports, quote_spanned!(at=> #module::#name))
                    }
                    false => {
                        let import = quote_spanned!(at=> use #plain as #found;);
                        let import = quote_spanned!(span=> #[allow(unused_imports)] #import);
                        (import, quote_spanned!(span=> #found))
                    }
                };
                quote_spanned! {span=>
                    #imports
                    #[allow(unused_imports)]
                    use #again as #ty;
                    #[allow(unused_imports)]
                    use #found as #name;
                }
            }
        };
        let (first, end) = (spans::first(path), spans::last(path));
        let named = spans::braces(
            quote_spanned!(span=> #[allow(unused_imports)] use #ty::*; #last),
            end,
        );
        let named = self.known_function(path, named);
        let located = Ident::new("function", span.located_at(first));
        let inner = quote_spanned!(span=> let #function = #named; #found #located);
        let inner = spans::braces(inner, first);
        let all = quote_spanned!(span=> #[allow(unused_imports)] use #untwinned as #ty; #inner);
        let all = spans::braces(all, first);
        self.known_function_of_a_crate(path, all)
    }
}

/// The closure that calls a function of the user's type where its name is handed to this method: what it takes as its
/// `self` is of another type than a kernel's values.
pub(super) fn method_as_closure(path: &ExprPath, method: &Ident) -> Option<ExprClosure> {
    let is_of_the_users = !is_known(path)
        && !valid::may_have_a_twin(path)
        && !valid::may_be_of_a_short_vector(path)
        && valid::conversion_of_numbers(path).is_none();
    if !is_of_the_users {
        return None;
    }
    let span = spans::first(path);
    let value = temporary("value", span);
    let is_default = (path.path.segments.last()).is_some_and(|last| last.ident == "default");
    Some(match method.to_string().as_str() {
        _ if is_default => parse_quote_spanned!(span=> || #path()),
        "fold" | "reduce" | "scan" => {
            let result = temporary("result", span);
            parse_quote_spanned!(span=> |#result, #value| #path(#result, #value))
        }
        // There is no `self`; of a result that is taken by what takes its error, only rustc knows.
        "then" | "unwrap_or_else" | "or_else" | "ok_or_else" | "map_or_else" => return None,
        _ => parse_quote_spanned!(span=> |#value| #path(#value)),
    })
}

/// Whether the language itself has the function, about which rustc says more by itself.
pub(super) fn is_known(path: &ExprPath) -> bool {
    valid::method_of_number(path).is_some() || valid::is_of_the_library(path)
}
