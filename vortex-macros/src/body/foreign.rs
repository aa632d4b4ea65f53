//! Names of other GPU languages, which are refused unless the user has something of the same name.
//!
//! What a name refers to only rustc knows. So it is declared around the place where it is used, as something that no
//! kernel has, and inside of that what the user has is imported, and found first. Of a function or a crate that is what
//! its name refers to outside of our declaration: see `staged_twin` for the macro of the same name. For a constant all
//! of the user's module is imported. (What a function declares around the kernel is not found then: rustc looks there
//! later.)

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{ExprPath, PathArguments, PathSegment};

use super::Rewriter;
use crate::signature::Kernel;
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    /// The constant that a path names.
    pub(super) fn known_constant(&mut self, path: &ExprPath) -> TokenStream {
        let used = path.to_token_stream();
        match self.foreign(path, valid::instead_of_constant) {
            Some((name, instead)) => {
                let looked_for = LookedFor::in_module(path, constant(name));
                self.unless_declared(path, &looked_for, instead, used)
            }
            None => used,
        }
    }

    /// What stands for the function that a path names.
    pub(super) fn known_function(&mut self, path: &ExprPath, used: TokenStream) -> TokenStream {
        match self.foreign(path, valid::instead_of_function) {
            Some((name, instead)) => {
                let looked_for = LookedFor::function(name);
                self.unless_declared(path, &looked_for, instead, used)
            }
            None => match self.method_of_self(path) {
                Some(name) => {
                    let words = messages::METHOD_AS_FUNCTION.parts(&[name]);
                    self.unless_found_by(path, &LookedFor::function(name), words, used)
                }
                None => used,
            },
        }
    }

    /// The name of a method of the block that this is in, where one of a function is expected.
    fn method_of_self<'a>(&self, path: &'a ExprPath) -> Option<&'a Ident> {
        let name = path.path.get_ident()?;
        let is_one = self.kernel.methods.contains(&name.to_string());
        (is_one && !self.items.contains(&name.to_string())).then_some(name)
    }

    /// The variant that a pattern of this value names without its enum, if it is imported.
    pub(super) fn variant(&self, name: &Ident, value: &TokenStream) -> TokenStream {
        let span = name.span();
        let root = self.v.root(span);
        let looked_for = LookedFor::function(name);
        let (declaration, imports) = (&looked_for.declaration, &looked_for.imports);
        let named = spans::braces(quote!(#imports #name), span);
        let found = quote_spanned!(span=> #root::VariantNamed(#named).found());
        let inner = quote_spanned! {span=>
            #[allow(unused_imports)]
            use #root::{NoSuchName, VariantFound as _};
            #declaration
            #root::HasVariant::meaning(#root::type_of_patterns(&#value), #found)
        };
        looked_for.outside(inner, span)
    }

    /// The function of a crate that a path names, which kernels are often expected to have.
    pub(super) fn known_function_of_a_crate(
        &mut self,
        path: &ExprPath,
        used: TokenStream,
    ) -> TokenStream {
        let segments: Vec<_> = path.path.segments.iter().collect();
        let ([module, function], None) = (&segments[..], &path.qself) else {
            return used;
        };
        let module = &module.ident;
        // On the host, too, rustc would ask of which types a generic one is.
        let is_looked_for = self.refusals.is_none() && !self.items.contains(&module.to_string());
        match valid::instead_of_a_crate(module) {
            Some(instead) if is_looked_for => {
                let looked_for = LookedFor::in_a_crate(module, function);
                self.unless_declared(path, &looked_for, instead, used)
            }
            _ => used,
        }
    }

    /// The function of a type that a path names.
    pub(super) fn known_function_of_a_type(&mut self, path: &ExprPath) -> TokenStream {
        let used = path.to_token_stream();
        let segments: Vec<_> = path.path.segments.iter().collect();
        let ([of, function], None) = (&segments[..], &path.qself) else {
            return used;
        };
        let (ty, name) = (&of.ident, &function.ident);
        let is_declared = self.items.contains(&ty.to_string());
        match valid::instead_of_function_of_a_type(&ty.to_string(), &name.to_string()) {
            Some(instead) if !is_declared => {
                let generic = !matches!(of.arguments, PathArguments::None);
                let params = generic.then(|| quote!(<T: ?::core::marker::Sized>));
                let (field, given) = match generic {
                    true => (quote!(::core::marker::PhantomData<T>), Some(quote!(<T>))),
                    false => (quote!(()), None),
                };
                let constant = constant(name);
                let declaration = quote! {
                    #[allow(dead_code)]
                    struct #ty #params (#field);
                    impl #params #ty #given { #constant }
                };
                let looked_for = LookedFor::in_module(path, declaration);
                self.unless_declared(path, &looked_for, instead, used)
            }
            _ => used,
        }
    }

    /// Whether a path may be that of a function which is not there.
    pub(super) fn may_be_missing(&self, path: &ExprPath) -> bool {
        self.foreign(path, valid::instead_of_function).is_some()
    }

    fn foreign<'a>(
        &self,
        path: &'a ExprPath,
        instead: fn(&str) -> Option<&'static str>,
    ) -> Option<(&'a Ident, &'static str)> {
        let [segment] = &path.path.segments.iter().collect::<Vec<_>>()[..] else {
            return None;
        };
        let name = segment.ident.to_string();
        let is_declared = path.qself.is_some() || self.items.contains(&name);
        let instead = instead(&name).filter(|_| !is_declared)?;
        Some((&segment.ident, instead))
    }

    /// What a path names, unless only this declaration of ours has the name.
    fn unless_declared(
        &mut self,
        path: &ExprPath,
        looked_for: &LookedFor,
        instead: &str,
        used: TokenStream,
    ) -> TokenStream {
        let name = valid::names_of_path(&path.path).join("::");
        let words = messages::FOREIGN_NAME.parts(&[&name, &instead]);
        self.unless_found_by(path, looked_for, words, used)
    }

    /// The same with these words of what is wrong, and what to write.
    fn unless_found_by(
        &mut self,
        path: &ExprPath,
        looked_for: &LookedFor,
        words: (String, String),
        used: TokenStream,
    ) -> TokenStream {
        // All of it is where the name is, or rustc would tell of the attribute, too.
        let span = spans::first(path);
        let name = valid::names_of_path(&path.path).join("::");
        let words = in_attribute(words);
        let no_such_name = self.v.item("NoSuchName", span);
        let (declaration, missing) = (&looked_for.declaration, &looked_for.missing);
        // `found` of `Known` itself is for what is not there, and that of the trait for all else.
        let around = |what_is_missing: TokenStream, all_else: TokenStream| {
            quote_spanned! {span=>
                #[allow(unused_imports)]
                use #no_such_name;
                #[allow(dead_code)]
                struct Known<T>(T);
                #[allow(dead_code)]
                #missing { #what_is_missing }
                #[allow(dead_code)]
                trait Found { type It; fn found(self) -> Self::It; }
                #all_else
                #declaration
            }
        };
        let of_user = self.v.item("NameOfUser", span);
        let refused = around(
            quote_spanned!(span=> fn found(self) -> NoSuchName { NoSuchName }),
            only_of_user(&of_user, &words, span),
        );
        let Some(refusals) = &mut self.refusals else {
            return looked_for.in_kernels(path, &refused, used);
        };
        // With a type that is in error where the constant is, and that rustc has told of.
        let constant = refusals.constant(self.kernel, &name);
        let silent = around(
            quote_spanned! {span=>
                fn found(self) -> <[(); #constant] as Anything>::It { ::core::unreachable!() }
            },
            quote_spanned! {span=>
                impl<T> Found for Known<T> { type It = T; fn found(self) -> T { self.0 } }
                #[allow(dead_code)]
                trait Anything { type It; }
                impl<const N: usize> Anything for [(); N] { type It = (); }
            },
        );
        if let Entry::Vacant(place) = refusals.silent.entry(name) {
            place.insert((looked_for.clone(), silent.clone()));
            let check = match &looked_for.alone {
                Some(name) => looked_for.asked(name, &words),
                None => looked_for.in_kernels(path, &refused, path.to_token_stream()),
            };
            refusals.constants.extend(checked(&constant, &check));
        }
        looked_for.around(path, &silent, used)
    }
}

/// Names that a kernel with `host` has, which must be refused for both of its forms in one error: in a constant next to
/// the kernel.
#[derive(Default)]
pub(crate) struct Refusals {
    constants: TokenStream,
    /// What a name is to be looked for with, by the name.
    silent: HashMap<String, (LookedFor, TokenStream)>,
}

impl Refusals {
    fn constant(&self, kernel: &Kernel, name: &str) -> Ident {
        let name = format!("{}_has_no_{}", kernel.name, name.replace("::", "_"));
        Ident::new(&name, Span::mixed_site())
    }

    /// What stands next to the kernel.
    pub(crate) const fn constants(&self) -> &TokenStream {
        &self.constants
    }

    /// What the host has for a path.
    pub(crate) fn on_the_host(&self, path: &ExprPath) -> Option<TokenStream> {
        let name = valid::names_of_path(&path.path).join("::");
        let (looked_for, silent) = self.silent.get(&name)?;
        Some(looked_for.around(path, silent, path.to_token_stream()))
    }
}

/// The constant that rustc complains of.
fn checked(constant: &Ident, check: &TokenStream) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        #[allow(non_upper_case_globals, clippy::all, clippy::pedantic)]
        const #constant: usize = { let _ = || { #check; }; 0 };
    }
}

/// How a name is looked for that may be nobody's.
#[derive(Clone)]
struct LookedFor {
    /// Outside of our declaration.
    outside: TokenStream,
    declaration: TokenStream,
    /// What `found` is for that is declared here.
    missing: TokenStream,
    /// Where an error about it ends.
    end: Span,
    /// The name of a function that is looked for by it alone.
    alone: Option<Ident>,
    /// Inside of it: what the user has.
    imports: TokenStream,
}

impl LookedFor {
    /// A function, by its name alone.
    fn function(name: &Ident) -> Self {
        let missing = quote_spanned!(name.span()=> impl Known<NoSuchName>);
        Self {
            alone: Some(name.clone()),
            ..Self::outside_of(name, constant(name), missing)
        }
    }

    /// A function of a module or of a crate, which may not be there.
    fn in_a_crate(module: &Ident, function: &PathSegment) -> Self {
        let (name, span) = (&function.ident, function.ident.span());
        let generics = match &function.arguments {
            PathArguments::AngleBracketed(generics) => generics.args.len(),
            _ => 0,
        };
        let generics = (0..generics).map(|index| format_ident!("T{}", index, span = span));
        let declaration = quote_spanned! {span=>
            #[allow(dead_code)]
            mod #module {
                pub(super) struct Missing;
                pub(super) fn #name<#(#generics),*>() -> Missing { Missing }
            }
            type Missing = #module::Missing;
        };
        let missing = quote_spanned!(span=> impl<F: ::core::ops::FnOnce() -> Missing> Known<F>);
        Self::outside_of(module, declaration, missing)
    }

    /// Where what the user has of this name is what it refers to outside of the declaration.
    fn outside_of(name: &Ident, declaration: TokenStream, missing: TokenStream) -> Self {
        let span = name.span();
        let found = Ident::new("__vortex_named", Span::mixed_site().located_at(span));
        let mut hidden = name.clone();
        hidden.set_span(Span::mixed_site());
        Self {
            outside: quote_spanned! {span=>
                #[allow(unused_macros)]
                macro_rules! #hidden { () => {} }
                #[allow(unused_imports)]
                use #name as #found;
            },
            declaration,
            missing,
            end: span,
            alone: None,
            imports: quote_spanned!(span=> #[allow(unused_imports)] use #found as #name;),
        }
    }

    fn in_module(path: &ExprPath, declaration: TokenStream) -> Self {
        let span = spans::first(path);
        Self {
            outside: TokenStream::new(),
            declaration,
            missing: quote_spanned!(span=> impl Known<NoSuchName>),
            end: spans::last(path),
            alone: None,
            imports: quote_spanned! {span=>
                #[allow(unused_imports, clippy::wildcard_imports)]
                use self::*;
            },
        }
    }

    /// That rustc refuses the name of a function if it is not there, without asking what the types of one are that is:
    /// in a pattern a constant has its type, and a function's name is a new one.
    fn asked(&self, name: &Ident, words: &TokenStream) -> TokenStream {
        let (span, imports) = (name.span(), &self.imports);
        let inner = quote_spanned! {span=>
            #[diagnostic::on_unimplemented(#words)]
            trait InKernels { fn meaning(self); }
            #[diagnostic::do_not_recommend]
            impl InKernels for i32 { fn meaning(self) {} }
            #[allow(dead_code, non_upper_case_globals)]
            const #name: u8 = 0;
            {
                #imports
                let number = 0;
                #[allow(unused_variables, unreachable_patterns)]
                match number { #name => {} _ => {} }
                InKernels::meaning(number);
            }
        };
        self.outside(inner, span)
    }

    /// What is found for a path, with declarations around the place.
    fn around(
        &self,
        path: &ExprPath,
        declarations: &TokenStream,
        used: TokenStream,
    ) -> TokenStream {
        let found = self.found(path, used);
        self.outside(quote!(#declarations #found), spans::first(path))
    }

    /// The same, where rustc refuses what is not there. A trait's function is called by the trait, as rustc has nothing
    /// more to say then.
    fn in_kernels(
        &self,
        path: &ExprPath,
        declarations: &TokenStream,
        used: TokenStream,
    ) -> TokenStream {
        let span = spans::first(path);
        let found = spans::parens(self.found(path, used), self.end);
        let inner = quote_spanned!(span=> #declarations InKernels::meaning #found);
        self.outside(inner, span)
    }

    fn outside(&self, inner: TokenStream, span: Span) -> TokenStream {
        let (outside, inner) = (&self.outside, spans::braces(inner, span));
        match outside.is_empty() {
            true => inner,
            false => spans::braces(quote!(#outside #inner), span),
        }
    }

    fn found(&self, path: &ExprPath, used: TokenStream) -> TokenStream {
        let (span, imports) = (spans::first(path), &self.imports);
        let nothing = spans::parens(TokenStream::new(), self.end);
        let used = spans::braces(quote!(#imports #used), span);
        let used = spans::parens(used, self.end);
        quote_spanned!(span=> Known #used.found #nothing)
    }
}

/// What `Found` finds of all that is the user's, and that rustc refuses all else with these words.
pub(super) fn only_of_user(
    of_user: &impl ToTokens,
    words: &TokenStream,
    span: Span,
) -> TokenStream {
    quote_spanned! {span=>
        impl<T> Found for Known<T> {
            type It = #of_user<T>;
            fn found(self) -> #of_user<T> { #of_user(self.0) }
        }
        #[diagnostic::on_unimplemented(#words)]
        trait InKernels { type Meaning; fn meaning(self) -> Self::Meaning; }
        #[diagnostic::do_not_recommend]
        impl<T> InKernels for #of_user<T> {
            type Meaning = T;
            fn meaning(self) -> T { self.0 }
        }
    }
}

/// What is wrong and what to write instead, as `on_unimplemented` has them: texts there are format strings.
pub(super) fn in_attribute((what, instead): (String, String)) -> TokenStream {
    let [what, instead] = [what, instead].map(|text| text.replace('{', "{{").replace('}', "}}"));
    quote!(message = #what, label = #instead)
}

/// A constant of this name that no kernel has.
fn constant(name: &Ident) -> TokenStream {
    quote_spanned! {name.span()=>
        #[allow(dead_code, non_upper_case_globals)]
        const #name: NoSuchName = NoSuchName;
    }
}
