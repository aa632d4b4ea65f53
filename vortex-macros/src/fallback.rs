//! What stands in for a kernel with mistakes, so that they are not reported again wherever it is used.

use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::{
    ExprPath, FnArg, GenericParam, ImplItem, ItemFn, Lifetime, Pat, PatType, Path, TraitItem, Type,
};

use crate::expand;
use crate::generics;
use crate::runtime::Runtime;
use crate::signature::Kernel;
use crate::staged;
use crate::types::{bare, behind_reference};
use crate::valid::{self, Complaints};

/// A host call and a type of the right names.
pub(crate) struct Stub {
    inputs: Vec<PatType>,
    signature_is_sound: bool,
    called: Vec<ExprPath>,
    /// What the function names that may be imported.
    named: Vec<Ident>,
    /// Statements.
    errors: TokenStream,
    /// What it panics with.
    unread: Option<String>,
}

impl Stub {
    pub(crate) fn of(function: &ItemFn) -> Self {
        Self {
            inputs: passed(function).cloned().collect(),
            signature_is_sound: false,
            called: Vec::new(),
            named: named(function),
            errors: TokenStream::new(),
            unread: None,
        }
    }

    /// It stands for a function with a body that could not be parsed. rustc has parsed it before, and reports that. If
    /// it knows more of Rust's syntax than we do, calling this says what is wrong.
    pub(crate) fn unread(self, error: &syn::Error) -> Self {
        Self {
            unread: Some(error.to_string()),
            ..self
        }
    }

    /// If the signature is among what is wrong, the host call takes as many arguments, of whatever types.
    pub(crate) fn signature_is(self, sound: bool) -> Self {
        Self {
            signature_is_sound: sound,
            ..self
        }
    }

    /// `called` keeps the user's imports in use; generic functions among them are no further errors if `errors` stand
    /// in the same body.
    pub(crate) fn with(self, called: Vec<ExprPath>, errors: &TokenStream) -> Self {
        Self {
            called,
            errors: errors.clone(),
            ..self
        }
    }

    pub(crate) fn tokens(&self, kernel: &Kernel, v: &Runtime) -> TokenStream {
        let span = Span::mixed_site();
        let mut marker = expand::marker(kernel, v);
        if kernel.has_mutable_slice() || !self.signature_is_sound {
            marker.extend(expand::over_each(kernel, v));
        }
        let ty = expand::type_name(kernel);
        let name = kernel.name.to_string();
        let body = never(&name, self.unread.as_deref());
        let host = self.host_call(kernel, &body, v);
        let v = v.root(span);
        let conditions = &kernel.attributes.conditions;
        let (declared, given, clause) = kernel.generics.split_for_impl();
        let of_prelude = |path: &ExprPath| {
            let name = path.path.get_ident().cloned();
            name.filter(valid::is_name_of_the_prelude)
        };
        let called = self.called.iter().filter(|path| of_prelude(path).is_none());
        let mut names: Vec<_> = self.called.iter().filter_map(of_prelude).collect();
        names.extend(self.named.iter().cloned());
        let (errors, in_use) = (&self.errors, in_use(&names));
        quote_spanned! {span=>
            #host
            #marker
            #(#conditions)*
            impl #declared #v::Kernel for #ty #given #clause {
                type Args = [::core::primitive::u8; 0];
                const META: #v::KernelMeta =
                    #v::KernelMeta::new(#name, ::core::module_path!(), ::core::file!(), 0, 0, &[]);
                fn stage() {
                    #errors
                    #(let _ = #called;)*
                    #in_use
                    #body
                }
            }
        }
    }

    /// The type of a parameter that takes whatever is passed. It is in error, so that rustc does not ask of what type a
    /// buffer is that is passed for it; `errors` are in it once more, which is no further error.
    fn anything(&self) -> TokenStream {
        let errors = &self.errors;
        match errors.is_empty() {
            true => anything(),
            false => {
                quote_spanned!(Span::mixed_site()=> <[(); { #errors 0 }] as ::core::iter::Iterator>::Item)
            }
        }
    }

    fn host_call(&self, kernel: &Kernel, body: &TokenStream, runtime: &Runtime) -> TokenStream {
        let span = Span::mixed_site();
        let v = runtime.root(span);
        if self.signature_is_sound {
            let params = kernel.params.iter();
            let types: Vec<_> = params
                .map(|param| expand::host_type(param, runtime))
                .collect();
            let silent = quote_spanned!(span=> #[allow(unused_variables)]);
            let function = expand::host_function(kernel, &types, &v, body);
            return quote!(#silent #function);
        }
        let ty = expand::type_name(kernel);
        let conditions = &kernel.attributes.conditions;
        let (vis, unsafety, name) = (&kernel.vis, &kernel.unsafety, &kernel.name);
        let params =
            (0..self.inputs.len()).map(|index| format_ident!("_argument{}", index, span = span));
        let types = self
            .inputs
            .iter()
            .map(|input| host_type(input, kernel, &self.anything(), runtime));
        let declared = generics::declared(&kernel.generics);
        let (_, given, clause) = kernel.generics.split_for_impl();
        let lifetime = Lifetime::new("'launch", span);
        quote_spanned! {span=>
            #(#conditions)*
            #vis #unsafety fn #name<#lifetime, #declared>(#(#params: #types),*) -> #v::Launch<#lifetime, #ty #given>
            #clause
            {
                #body
            }
        }
    }
}

fn anything() -> TokenStream {
    quote_spanned!(Span::mixed_site()=> impl ::core::marker::Sized)
}

/// What the host passes for a parameter, as far as that is known, or `anything`: so rustc knows what buffers are of.
fn host_type(input: &PatType, kernel: &Kernel, anything: &TokenStream, v: &Runtime) -> TokenStream {
    let read = match &*input.pat {
        Pat::Ident(name) => kernel.params.iter().find(|param| param.name == name.ident),
        _ => None,
    };
    if let Some(param) = read {
        return expand::host_type(param, v);
    }
    match &*input.ty {
        ty if let Some((mutable, elem)) = valid::elements_of_buffer(ty) => {
            expand::host_slice(mutable, elem, v)
        }
        ty if let Some(value) = valid::value_of_option(ty) => host_option(value, v),
        // A closure, of which rustc would not know what it takes.
        ty if matches!(behind_reference(ty), Type::ImplTrait(_)) => ty.to_token_stream(),
        _ => anything.clone(),
    }
}

/// What the host may pass for an option of this, which may be `None`: a number, or a buffer.
fn host_option(value: &Type, v: &Runtime) -> TokenStream {
    let span = Span::mixed_site();
    let value = match value {
        Type::Reference(reference) if let Type::Slice(slice) = bare(&reference.elem) => {
            let (lifetime, mutability) = (Lifetime::new("'launch", span), reference.mutability);
            let (elem, buffer) = (staged::in_memory(&slice.elem, v), v.item("Buffer", span));
            quote_spanned!(span=> &#lifetime #mutability #buffer<#elem>)
        }
        value => value.to_token_stream(),
    };
    quote_spanned!(span=> ::core::option::Option<#value>)
}

/// The parameters that the host has arguments for. What WGSL calls built in is no such, and is to be removed.
pub(crate) fn passed(function: &ItemFn) -> impl Iterator<Item = &PatType> {
    let inputs = function.sig.inputs.iter().filter_map(typed);
    inputs.filter(|input| !input.attrs.iter().any(valid::is_builtin))
}

fn typed(input: &FnArg) -> Option<&PatType> {
    match input {
        FnArg::Typed(input) => Some(input),
        FnArg::Receiver(_) => None,
    }
}

/// Types and what else is written in capitals in a function, each once; and the name of the prelude.
fn named(function: &ItemFn) -> Vec<Ident> {
    /// What is found, and what is no import: parameters.
    struct Finder(Vec<Ident>, Vec<String>);

    impl<'ast> Visit<'ast> for Finder {
        fn visit_path(&mut self, path: &'ast Path) {
            if let Some(first) = path.segments.first().map(|segment| &segment.ident)
                && first.to_string().starts_with(char::is_uppercase)
                && first != "Self"
                && !self.1.contains(&first.to_string())
                && !self.0.contains(first)
            {
                self.0.push(first.clone());
            }
            visit::visit_path(self, path);
        }
    }

    let generics = function
        .sig
        .generics
        .params
        .iter()
        .map(|param| match param {
            GenericParam::Type(param) => param.ident.to_string(),
            GenericParam::Const(param) => param.ident.to_string(),
            GenericParam::Lifetime(param) => param.lifetime.ident.to_string(),
        });
    let inputs =
        (function.sig.inputs.iter().filter_map(typed)).map(|input| valid::source(&input.pat));
    let mut finder = Finder(vec![of_prelude()], generics.chain(inputs).collect());
    finder.visit_signature(&function.sig);
    finder.visit_block(&function.block);
    finder.0
}

/// A name of the prelude, which a kernel will need when it is right.
fn of_prelude() -> Ident {
    Ident::new("global_id", Span::call_site())
}

/// Imports of these functions, which keep the user's own in use. There may be none; hence the macros of their names.
pub(crate) fn in_use(called: &[Ident]) -> TokenStream {
    let span = Span::mixed_site();
    let imports = called.iter().map(|name| {
        let own = Ident::new(&name.to_string(), span);
        quote_spanned! {span=>
            {
                #[allow(unused_macros)]
                macro_rules! #own { () => {} }
                #[allow(unused_imports)]
                use #name as __used;
            }
        }
    });
    quote!(#(#imports)*)
}

/// The same for a method, whose types may be parameters of its block: imports cannot refer to these.
fn in_use_by_method() -> TokenStream {
    in_use(&[of_prelude()])
}

/// The body of what is never called, unless only rustc could read what the user wrote there.
pub(crate) fn never(name: &str, unread: Option<&str>) -> TokenStream {
    let span = Span::mixed_site();
    match unread {
        None => quote_spanned!(span=> ::core::unreachable!()),
        Some(error) => {
            let text = format!("the body of `{name}` could not be read: {error}");
            quote_spanned!(span=> ::core::panic!("{}", #text))
        }
    }
}

/// A function whose signature can be parsed, without its body, and the functions of the prelude that the body calls:
/// they keep the user's imports in use.
pub(crate) fn without_body(item: &TokenStream) -> Option<(ItemFn, Vec<Ident>)> {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let Some(TokenTree::Group(body)) = tokens.pop() else {
        return None;
    };
    let mut empty = Group::new(Delimiter::Brace, TokenStream::new());
    empty.set_span(body.span());
    tokens.push(empty.into());
    if body.delimiter() != Delimiter::Brace {
        return None;
    }
    let mut called = Vec::new();
    calls(body.stream(), &mut called);
    let function = syn::parse2(tokens.into_iter().collect()).ok()?;
    Some((function, called))
}

/// An `impl` block or a `trait` without what only rustc could read of its functions, and has reported: bodies, and
/// whatever else is only half typed.
pub(crate) fn without_unread(item: &TokenStream) -> Option<TokenStream> {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let is_block = |token: &TokenTree| matches!(token, TokenTree::Ident(name) if *name == "impl" || *name == "trait");
    let is_a_block = tokens.iter().any(is_block);
    let Some(TokenTree::Group(block)) = tokens.pop().filter(|_| is_a_block) else {
        return None;
    };
    let inside: Vec<TokenTree> = block.stream().into_iter().collect();
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    };
    let items = inside.split_inclusive(is_end).filter_map(|item| {
        if let Some(tokens) = readable(item) {
            return Some(tokens);
        }
        let (TokenTree::Group(body), signature) = item.split_last()? else {
            return None;
        };
        let never = quote!(panic!("this body could not be read"));
        let mut never = Group::new(Delimiter::Brace, never);
        never.set_span(body.span());
        let item: Vec<_> = signature.iter().cloned().chain([never.into()]).collect();
        let tokens = readable(&item)?;
        Some(quote!(#[allow(unused_variables, unused_mut)] #tokens))
    });
    let mut readable = Group::new(Delimiter::Brace, items.collect());
    readable.set_span(block.span());
    tokens.push(readable.into());
    Some(tokens.into_iter().collect())
}

/// An item of an `impl` block or a `trait`, if it can be read as one.
fn readable(item: &[TokenTree]) -> Option<TokenStream> {
    let tokens: TokenStream = item.iter().cloned().collect();
    let is_readable = syn::parse2::<ImplItem>(tokens.clone()).is_ok()
        || syn::parse2::<TraitItem>(tokens.clone()).is_ok();
    is_readable.then_some(tokens)
}

/// A function some of whose parameters have no type, or no comma after them, or `mut` without `&`, or `*` without
/// `mut`, with these in their place: rustc has reported them, as it has parsed the item before.
pub(crate) fn with_missing_types(item: &TokenStream) -> Option<ItemFn> {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let is_parameters = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Parenthesis,
        _ => false,
    };
    let keyword = (tokens.iter())
        .position(|token| matches!(token, TokenTree::Ident(name) if name == "fn"))?;
    let at = keyword + tokens[keyword..].iter().position(is_parameters)?;
    let TokenTree::Group(parameters) = &tokens[at] else {
        return None;
    };
    let parameters: Vec<TokenTree> = parameters.stream().into_iter().collect();
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    // `b`, and `float b`.
    let separate = parameters.split(is_comma).flat_map(without_commas);
    let completed = separate.map(|parameter| match parameter {
        [TokenTree::Ident(name)] | [TokenTree::Ident(_), TokenTree::Ident(name)] => {
            quote!(#name: ())
        }
        parameter => with_mut_in_its_place(parameter)
            .or_else(|| with_mut_of_a_pointer(parameter))
            .unwrap_or_else(|| parameter.iter().cloned().collect()),
    });
    let completed = quote!(#(#completed),*);
    tokens[at] = Group::new(Delimiter::Parenthesis, completed).into();
    syn::parse2(tokens.into_iter().collect()).ok()
}

/// `x: &mut [f32]` for `x: mut [f32]`, and for `x: mut &[f32]`.
fn with_mut_in_its_place(parameter: &[TokenTree]) -> Option<TokenStream> {
    let is = |at: usize, token: &str| parameter.get(at).is_some_and(|of| of.to_string() == token);
    let at = (1..parameter.len()).find(|&at| is(at - 1, ":") && is(at, "mut"))?;
    let (before, after) = parameter.split_at(at);
    let after = &after[if is(at + 1, "&") { 2 } else { 1 }..];
    let is_exclusive = after
        .first()
        .is_some_and(|first| first.to_string() == "mut");
    let exclusive = (!is_exclusive).then(|| quote!(mut));
    Some(quote!(#(#before)* & #exclusive #(#after)*))
}

/// `x: *mut f32` for `x: *f32`.
fn with_mut_of_a_pointer(parameter: &[TokenTree]) -> Option<TokenStream> {
    let is = |at: usize, token: &str| parameter.get(at).is_some_and(|of| of.to_string() == token);
    let at = (1..parameter.len()).find(|&at| is(at - 1, ":") && is(at, "*"))?;
    let (before, after) = parameter.split_at(at + 1);
    let has_one = is(at + 1, "mut") || is(at + 1, "const");
    (!has_one).then(|| quote!(#(#before)* mut #(#after)*))
}

/// `a: f32 b: f32`, where a comma is missing, as two parameters: a name with a colon behind the type of another.
fn without_commas(parameters: &[TokenTree]) -> Vec<&[TokenTree]> {
    let is_ident = |at: usize| matches!(parameters.get(at), Some(TokenTree::Ident(_)));
    // Of `::` the first is joint, and before the second there is no name.
    let is_colon = |at: usize| {
        matches!(parameters.get(at), Some(TokenTree::Punct(punct))
            if punct.as_char() == ':' && punct.spacing() == Spacing::Alone)
    };
    let is_mut =
        |at: usize| matches!(parameters.get(at), Some(TokenTree::Ident(name)) if name == "mut");
    let mut parts = Vec::new();
    let (mut start, mut has_type) = (0, false);
    for at in 0..parameters.len() {
        if !is_ident(at) || !is_colon(at + 1) {
            continue;
        }
        if has_type {
            let next = at - usize::from(is_mut(at - 1));
            parts.push(&parameters[start..next]);
            start = next;
        }
        has_type = true;
    }
    parts.push(&parameters[start..]);
    parts
}

/// Finds the functions of the prelude that are called without arguments, `global_id()`, each once.
fn calls(tokens: TokenStream, called: &mut Vec<Ident>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match (token, tokens.get(index + 1)) {
            (TokenTree::Group(group), _) => calls(group.stream(), called),
            (TokenTree::Ident(name), Some(TokenTree::Group(arguments)))
                if arguments.delimiter() == Delimiter::Parenthesis
                    && arguments.stream().is_empty()
                    && valid::is_name_of_the_prelude(name)
                    && !is_part_of_a_path(
                        index.checked_sub(1).and_then(|last| tokens.get(last)),
                    )
                    && !called.contains(name) =>
            {
                called.push(name.clone());
            }
            _ => {}
        }
    }
}

/// Whether this stands in front of a method's name, or of the last one of a path.
fn is_part_of_a_path(before: Option<&TokenTree>) -> bool {
    matches!(before, Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '.' | ':'))
}

/// The host call of a kernel that is a method, for whoever calls it like that.
pub(crate) fn kernel_method(function: ItemFn, v: &Runtime) -> TokenStream {
    let span = Span::mixed_site();
    let in_use = in_use_by_method();
    let receiver = function.sig.receiver().cloned();
    let inputs: Vec<_> = passed(&function).cloned().collect();
    let kernel = Kernel::read(function, v, &mut Complaints::of_a_block());
    let types = inputs
        .iter()
        .map(|input| host_type(input, &kernel, &anything(), v));
    let params = (0..inputs.len()).map(|index| format_ident!("_argument{}", index, span = span));
    let (conditions, vis, name) = (&kernel.attributes.conditions, &kernel.vis, &kernel.name);
    let (unsafety, declared) = (&kernel.unsafety, generics::declared(&kernel.generics));
    let (_, _, clause) = kernel.generics.split_for_impl();
    let v = v.root(span);
    quote_spanned! {span=>
        #(#conditions)*
        #[allow(dead_code)]
        #vis #unsafety fn #name<'launch, #declared>(#receiver, #(#params: #types),*) -> #v::Launch<'launch, ()>
        #clause
        {
            #in_use
            ::core::unreachable!()
        }
    }
}

/// A method of the same signature, which is no kernel.
pub(crate) fn method(mut method: ItemFn) -> TokenStream {
    let in_use = in_use_by_method();
    method.block = syn::parse_quote!({
        #in_use
        ::core::unreachable!()
    });
    quote!(#[allow(unused_variables)] #method)
}
