//! The function that a device function becomes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{GenericParam, Generics, Pat, Token, TypeParam, TypeParamBound};

use super::declaration::Declaration;
use super::signature::{Receiver, Signature};
use super::this;
use crate::body::scope::Declared;
use crate::body::{FunctionBody, Input};
use crate::expand::location;
use crate::operators;
use crate::runtime::Runtime;
use crate::signature::Kernel;
use crate::{spans, valid};

impl Declaration<'_> {
    /// The function over staged types.
    pub(super) fn function(&self, body: &FunctionBody) -> TokenStream {
        let (frame, signature, v) = (self.frame, self.signature, self.v);
        let span = Span::mixed_site();
        let name = frame.name.unraw().to_string();
        let callee = v.item("function", span);
        let output = &signature.output;
        let result = output.as_ref().map(|ty| quote!(-> #ty));
        let tokens = &body.tokens;
        let declared = location(&frame.name);
        let taken = signature.receiver.as_ref().map(|receiver| {
            let (name, value) = (this(receiver.span), receiver.taken(v));
            quote!(let #name = #value;)
        });
        let known = signature
            .inputs
            .iter()
            .filter_map(|input| match &input.pat {
                Pat::Ident(pat) if input.declared == Declared::Comptime => {
                    let (name, text) = (&pat.ident, pat.ident.unraw().to_string());
                    let function = v.item("known", span);
                    Some(quote_spanned!(span=> let #name = #function(#text, #name);))
                }
                _ => None,
            });
        let nothing = output.is_none().then(|| {
            let nothing = v.item("Nothing", span);
            quote_spanned!(span=> ; #nothing {})
        });
        let imports = operators::imports(&signature.operators);
        let call = quote_spanned!(span=> #callee(#name, (#declared), || #result { #tokens }));
        let inner = quote_spanned!(span=> #imports #taken #(#known)* #call #nothing);
        let inner = self.over_values(inner);
        self.with_body(body, &inner)
    }

    /// The same with these errors as its body. Where they are, generic functions that it would have called are no
    /// further ones.
    pub(super) fn stub(&self, body: &FunctionBody, errors: &TokenStream) -> TokenStream {
        let span = Span::mixed_site();
        let called = &body.called;
        let inner = quote_spanned! {span=>
            #errors
            #(let _ = #called;)*
            ::core::unreachable!()
        };
        let function = self.with_body(body, &inner);
        match self.twin {
            // The attribute would be that of the first item alone.
            Some(_) => function,
            None => quote_spanned!(span=> #[allow(unused_variables, unused_mut)] #function),
        }
    }

    /// The same for one that gives something of this type, by this code.
    pub(super) fn giving(
        &self,
        body: &FunctionBody,
        output: &TokenStream,
        code: &TokenStream,
    ) -> TokenStream {
        let head = self.head_giving(&body.params, output);
        let body = spans::braces(code.clone(), self.frame.name.span());
        quote!(#head #body)
    }

    /// The same for a function whose body could not be read.
    pub(super) fn unread(&self, body: &TokenStream) -> TokenStream {
        let params =
            (0..self.signature.inputs.len()).map(|index| format_ident!("_argument{index}"));
        let params: Vec<_> = params.map(|name| quote!(#name)).collect();
        self.declared(&params, body)
    }

    /// A function of a trait that its implementations have to have.
    pub(super) fn required(&self) -> TokenStream {
        let params =
            (0..self.signature.inputs.len()).map(|index| format_ident!("_argument{index}"));
        let params: Vec<_> = params.map(|name| quote!(#name)).collect();
        let head = self.head(&params);
        // Where rustc says that an implementation lacks it.
        let end = Token![;](self.frame.name.span());
        quote!(#head #end)
    }

    fn with_body(&self, body: &FunctionBody, inner: &TokenStream) -> TokenStream {
        let receivers = usize::from(self.signature.receiver.is_some());
        self.declared(&body.params[receivers..], inner)
    }

    fn declared(&self, params: &[TokenStream], inner: &TokenStream) -> TokenStream {
        if let Some(twin) = self.twin {
            return twin.tokens(self, params, inner);
        }
        let head = self.head(params);
        let body = spans::braces(inner.clone(), self.frame.name.span());
        quote!(#head #body)
    }

    /// All of a function but its body.
    fn head(&self, params: &[TokenStream]) -> TokenStream {
        let output = match self.gives_own() {
            true => given().to_token_stream(),
            false => self.output(),
        };
        self.head_giving(params, &output)
    }

    fn head_giving(&self, params: &[TokenStream], output: &TokenStream) -> TokenStream {
        let Kernel {
            attributes,
            vis,
            unsafety,
            name,
            ..
        } = self.frame;
        let (conditions, docs) = (&attributes.conditions, &attributes.docs);
        let (lints, others) = (&attributes.lints, &attributes.others);
        let (name, docs) = match self.staged {
            Some(staged) => (staged, vec![syn::parse_quote!(#[doc(hidden)])]),
            None => (name, docs.clone()),
        };
        let mut generics = self.signature.generics.clone();
        let types = self.taken(&mut generics);
        let (generics, _, clause) = generics.split_for_impl();
        let receiver = self.signature.receiver.as_ref().map(Receiver::declared);
        // Of functions that are macros' rustc does not say that nothing uses them.
        let keyword = quote_spanned!(name.span()=> fn);
        quote_spanned! {Span::mixed_site()=>
            #(#conditions)*
            #(#docs)*
            #[allow(unused_braces, clippy::all, clippy::pedantic, clippy::nursery)]
            #(#lints)*
            #(#others)*
            #[track_caller]
            #vis #unsafety #keyword #name #generics(#receiver #(#params: #types),*) -> #output #clause
        }
    }

    /// The numbers among the parameters, which have types of their own: see `InKernel` in `vortex-kernel`. A function
    /// with type parameters of the user's has none besides them, as these may be given where it is called.
    fn own_types(&self) -> impl Iterator<Item = OwnType<'_>> {
        // Of a function called `min` it is asked whether it is Rust's, which takes values of any type, and one called
        // `vec2` may be the prelude's.
        let has_own = self.is_free
            && self.twin.is_none()
            && self.signature.generics.params.is_empty()
            && valid::of_the_same_name(&self.frame.name).is_none()
            && !valid::is_name_of_the_prelude(&self.frame.name);
        let inputs = self.signature.inputs.iter();
        let own = inputs.filter_map(move |input| match &input.pat {
            Pat::Ident(pat) if has_own && input.is_scalar && pat.subpat.is_none() => {
                Some((input, &pat.ident))
            }
            _ => None,
        });
        let span = Span::mixed_site();
        own.enumerate().map(move |(number, (input, name))| OwnType {
            input,
            name,
            argument: format_ident!("Argument{}", number, span = span),
            is_first: number == 0,
        })
    }

    /// Whether what such a function gives has a type of its own, too. A type that rustc may know nothing of would be
    /// in error at each parameter.
    fn gives_own(&self) -> bool {
        !self.signature.output_is_asked && self.own_types().next().is_some()
    }

    /// The types of the parameters, and the type parameters that these are.
    fn taken(&self, generics: &mut Generics) -> Vec<TokenStream> {
        let nothing = quote_spanned!(Span::mixed_site()=> ());
        let given = || (self.output(), given().to_token_stream());
        let mut given = self.gives_own().then(given);
        for own in self.own_types() {
            let at = spans::first(&own.input.ty);
            let of = self.v.item("OfType", at);
            if given.is_some() {
                let given = self::given();
                generics.params.push(syn::parse_quote!(#given));
            }
            let (result, given) = given.take().unwrap_or((nothing.clone(), nothing.clone()));
            let (argument, ty) = (&own.argument, &own.input.ty);
            let wanted = quote_spanned!(at=> <#ty as #of>::Type);
            let taken = self.taken_as(&own, &wanted, (&result, &given), at);
            let mut param = TypeParam::from(argument.clone());
            param.bounds.push(TypeParamBound::Verbatim(taken));
            generics.params.push(GenericParam::Type(param));
        }
        let type_of = |input: &Input| {
            let own = self.own_types().find(|own| std::ptr::eq(own.input, input));
            own.map_or_else(|| input.ty.clone(), |own| own.argument.to_token_stream())
        };
        self.signature.inputs.iter().map(type_of).collect()
    }

    /// The trait by which an argument is taken, and what it gives. Only that of the first reports a call by the host.
    fn taken_as(
        &self,
        own: &OwnType<'_>,
        wanted: &TokenStream,
        (result, given): (&TokenStream, &TokenStream),
        at: Span,
    ) -> TokenStream {
        match own.is_first {
            true => {
                let in_kernel = self.v.item("InKernel", at);
                quote_spanned!(at=> #in_kernel<#wanted, #result, #given>)
            }
            false => {
                let also = self.v.item("AlsoInKernel", at);
                quote_spanned!(at=> #also<#wanted>)
            }
        }
    }

    /// The body over values of these parameters.
    fn over_values(&self, body: TokenStream) -> TokenStream {
        let span = Span::mixed_site();
        let of_type = self.v.item("OfType", span);
        let nothing = quote_spanned!(span=> ());
        let given = || (self.output(), given().to_token_stream());
        let mut given = self.gives_own().then(given);
        let mut values = Vec::new();
        let mut giving = None;
        for own in self.own_types() {
            let is_given = given.is_some();
            let (result, given) = given.take().unwrap_or((nothing.clone(), nothing.clone()));
            let (name, argument) = (own.name, &own.argument);
            let Input { ty, lints, .. } = own.input;
            let wanted = quote_spanned!(span=> <#ty as #of_type>::Type);
            let taken = self.taken_as(&own, &wanted, (&result, &given), span);
            let of = quote_spanned!(span=> <#argument as #taken>);
            values.push(quote_spanned!(span=> #(#lints)* let #name: #ty = #of::value(#name);));
            if is_given {
                giving = Some(quote_spanned!(span=> #of::given));
            }
        }
        match giving {
            Some(giving) => quote_spanned!(span=> #(#values)* #giving({ #body })),
            None => quote_spanned!(span=> #(#values)* #body),
        }
    }
}

/// A parameter by value, of a type of its own.
struct OwnType<'a> {
    input: &'a Input,
    name: &'a Ident,
    /// What is given for it.
    argument: Ident,
    is_first: bool,
}

/// The name of the type of what such a function gives.
fn given() -> Ident {
    Ident::new("Given", Span::mixed_site())
}

/// Stands in for a function whose signature is in error: takes as many arguments, and gives what it says, or anything.
pub(super) fn any_call(frame: &Kernel, signature: &Signature, v: &Runtime) -> TokenStream {
    let span = Span::mixed_site();
    let has_receiver = signature.receiver.is_some();
    let conditions = &frame.attributes.conditions;
    let (vis, unsafety, name) = (&frame.vis, &frame.unsafety, &frame.name);
    let params =
        (0..signature.inputs.len()).map(|index| format_ident!("_argument{}", index, span = span));
    // Of what a closure takes rustc knows the type only from here.
    let types = signature.inputs.iter().map(|input| {
        let is_callable = input.ty.to_string().starts_with("impl ");
        let any = || quote_spanned!(span=> impl ::core::marker::Sized);
        if is_callable { input.ty.clone() } else { any() }
    });
    let receiver = has_receiver.then(|| quote_spanned!(span=> &self,));
    let is_known = !signature.output_is_refused && signature.generics.params.is_empty();
    let (generics, output) = match &signature.output {
        // What is called later has a type that can be.
        _ if let Some(function) = &signature.given_function => (None, function.clone()),
        Some(output) if is_known => (None, output.clone()),
        None if is_known => (None, v.item("Nothing", span)),
        _ => (
            Some(quote_spanned!(span=> <Anything>)),
            quote_spanned!(span=> Anything),
        ),
    };
    quote_spanned! {span=>
        #(#conditions)*
        #[allow(dead_code)]
        #vis #unsafety fn #name #generics(#receiver #(#params: #types),*) -> #output {
            ::core::unreachable!()
        }
    }
}
