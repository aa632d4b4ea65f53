//! The signature of a device function, over staged types.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Block, Expr, FnArg, GenericParam, Generics, Ident, ItemFn, Pat, Path, PathArguments,
    PathSegment, ReceiverKind, ReturnType, Stmt, Token, Type, TypeParamBound, TypeReference,
    WherePredicate,
};

use crate::attr;
use crate::body::scope::Declared;
use crate::body::{self, Input};
use crate::generics::{copied, gather_bounds, in_memory, in_tensors, in_textures};
use crate::operators;
use crate::runtime::Runtime;
use crate::signature::Kernel;
use crate::types::{bare, is_callable};
use crate::valid::{self, Complaints};
use crate::{messages, spans, staged, types};

/// What a device function takes and gives.
pub(crate) struct Signature {
    /// Without lifetimes; with the bounds that the device asks for.
    pub(crate) generics: Generics,
    /// The traits of operators that bound these for the user.
    pub(crate) operators: Vec<Path>,
    /// `self` of a method.
    pub(crate) receiver: Option<Receiver>,
    /// The parameters, without `self`.
    pub(crate) inputs: Vec<Input>,
    /// `None` for `()`.
    pub(crate) output: Option<TokenStream>,
    /// Whether only rustc knows whether there is such a type.
    pub(crate) output_is_asked: bool,
    /// Whether what it gives has been complained of, and is no type.
    pub(crate) output_is_refused: bool,
    /// The type of a function that it gives, which has been complained of.
    pub(crate) given_function: Option<TokenStream>,
    /// What is wrong with giving a reference. The rest of the signature is right, and so is each call.
    pub(crate) gives_a_reference: Option<syn::Error>,
}

/// `self`, `&self` or `&mut self`.
pub(crate) struct Receiver {
    pub(crate) span: Span,
    /// Where it begins, with `&`.
    first: Span,
    /// `mut` of `mut self`.
    mutability: Option<Token![mut]>,
    declared: Declared,
}

impl Receiver {
    fn read(receiver: &syn::Receiver, complaints: &mut Complaints) -> Self {
        let (declared, mutability) = match &receiver.kind {
            ReceiverKind::Reference(_, _, Some(_)) => (Declared::Exclusive, None),
            ReceiverKind::Reference(_, _, None) => (Declared::Shared, None),
            ReceiverKind::Typed(..) => {
                complaints.push(messages::TYPED_SELF.at(receiver, &[]));
                (Declared::Argument, None)
            }
            _ => (Declared::Argument, receiver.mutability),
        };
        Self {
            span: receiver.self_token.span,
            first: spans::first(receiver),
            mutability,
            declared,
        }
    }

    /// As the method declares it.
    pub(crate) fn declared(&self) -> TokenStream {
        let this = Ident::new("self", self.span);
        match self.declared {
            Declared::Exclusive => quote_spanned!(self.first=> &mut #this,),
            Declared::Shared => quote_spanned!(self.first=> &#this,),
            _ => quote!(#this,),
        }
    }

    /// A value as the method takes it.
    pub(crate) fn borrowing(&self, value: TokenStream) -> TokenStream {
        match self.declared {
            Declared::Exclusive => quote!(&mut #value),
            Declared::Shared => quote!(&#value),
            _ => value,
        }
    }

    /// What the method was called on.
    pub(crate) fn taken(&self, v: &Runtime) -> TokenStream {
        let this = Ident::new("self", self.span);
        let function = match self.declared {
            Declared::Exclusive => "this_mut",
            _ => "this",
        };
        let function = v.item(function, self.span);
        match self.declared {
            Declared::Argument => quote!(#function(&#this)),
            _ => quote!(#function(#this)),
        }
    }

    /// The parameter that the body has in its place.
    pub(crate) fn input(&self) -> Input {
        let name = super::this(self.span);
        let mutability = self.mutability;
        Input {
            pat: syn::parse_quote!(#mutability #name),
            lints: Vec::new(),
            ty: TokenStream::new(),
            declared: self.declared,
            is_slice_mut: false,
            is_scalar: false,
        }
    }
}

impl Signature {
    /// That a function gives a value, as it does, and is not declared to: of a type that it may well have, so that its
    /// calls are no further mistakes.
    pub(super) fn gives_a_value(&mut self, block: &Block, v: &Runtime) {
        let mut numbers = self.inputs.iter().filter(|input| input.is_scalar);
        let ty = match (block.stmts.last(), numbers.next()) {
            (Some(Stmt::Expr(Expr::Binary(binary), None)), _) if body::compares(binary) => {
                syn::parse_quote!(bool)
            }
            (_, Some(first)) => {
                self.output = Some(first.ty.clone());
                return;
            }
            _ => syn::parse_quote!(f32),
        };
        self.output = Some(staged::in_signature(&ty, v, &mut Complaints::default()));
    }

    /// The parameters that the body has.
    pub(crate) fn inputs_of_body(&self) -> Vec<Input> {
        let this = self.receiver.as_ref().map(Receiver::input);
        this.into_iter()
            .chain(self.inputs.iter().cloned())
            .collect()
    }

    /// Reads a function, and what its body needs of it in the form that a kernel has.
    pub(crate) fn read(
        function: ItemFn,
        v: &Runtime,
        complaints: &mut Complaints,
    ) -> (Self, Kernel) {
        valid::device_signature(&function, complaints);
        let callables = callables(&function.sig.generics);
        let receiver = function.sig.receiver();
        let receiver = receiver.map(|receiver| Receiver::read(receiver, complaints));
        let params = function.sig.generics.type_params();
        let params = params.map(|param| param.ident.to_string()).collect();
        let mut mapper = Mapper {
            v,
            callables: &callables,
            params: (!complaints.knows_self).then_some(params),
            complaints,
        };
        let inputs = function
            .sig
            .inputs
            .iter()
            .filter_map(|input| {
                let FnArg::Typed(input) = input else {
                    return None;
                };
                let mut read = match valid::is_comptime(&input.attrs) {
                    true => mapper.comptime(&input.pat, &input.ty),
                    false => mapper.input(&input.pat, &input.ty),
                };
                read.lints = attr::lints(&input.attrs);
                Some(read)
            })
            .collect();
        let output = match &function.sig.output {
            ReturnType::Type(_, ty) if !valid::is_unit(ty) => Some(ty),
            _ => None,
        };
        let output_is_asked = output.is_some_and(|ty| {
            let parts = types::wrapped(ty).map(|wrapped| wrapped.parts);
            let parts = parts.unwrap_or_else(|| vec![&**ty]);
            parts.iter().any(|ty| mapper.is_of_the_user(bare(ty)))
        });
        let reference = output.and_then(|ty| to_a_value(ty));
        let output = output.map(|ty| match (bare(ty), reference) {
            (Type::ImplTrait(of), _) => {
                mapper
                    .complaints
                    .push(valid::given_by_trait(ty, &of.bounds));
                TokenStream::new()
            }
            (_, Some(reference)) => mapper.referred(reference).0,
            (ty, None) => mapper.staged(ty),
        });
        let output_is_refused = output.as_ref().is_some_and(TokenStream::is_empty);
        let given_function = match &function.sig.output {
            ReturnType::Type(_, ty) if output_is_refused => mapper.pointer(ty),
            _ => None,
        };
        let gives_a_reference = reference.filter(|_| !output_is_refused);
        let gives_a_reference = gives_a_reference.map(valid::given_reference);
        valid::bounds_of_operators(&function.sig, mapper.complaints);
        let mut generics = function.sig.generics.clone();
        mapper.generics(&mut generics, &function);
        let operators = operators::in_bounds(&mut generics, v);
        let signature = Self {
            generics,
            operators,
            receiver,
            inputs,
            output,
            output_is_asked,
            output_is_refused,
            given_function,
            gives_a_reference,
        };
        (signature, Kernel::of_function(function, complaints))
    }
}

struct Mapper<'a> {
    v: &'a Runtime,
    callables: &'a HashSet<String>,
    /// The type parameters. Of a method not all are known here.
    params: Option<HashSet<String>>,
    complaints: &'a mut Complaints,
}

impl Mapper<'_> {
    fn input(&mut self, pat: &Pat, ty: &Type) -> Input {
        let referred = match bare(ty) {
            Type::Reference(reference) => &reference.elem,
            ty => ty,
        };
        let is_slice_mut = match bare(ty) {
            Type::Reference(reference) => {
                reference.mutability.is_some() && matches!(bare(&reference.elem), Type::Slice(_))
            }
            _ => false,
        };
        let is_scalar = valid::is_known_scalar(bare(ty));
        let (ty, declared) = match to_a_value(ty) {
            _ if let Some(bound) = function_of(referred) => {
                let error = messages::TRAIT_FUNCTION.at(ty, &[&valid::source(ty)]);
                self.complaints.push(error);
                let taken = syn::parse_quote!(impl #bound);
                (self.staged(&taken), Declared::Argument)
            }
            _ if types::local_memory(referred).is_some() => {
                (self.staged(referred), Declared::Memory)
            }
            Some(reference) => self.referred(reference),
            None => (self.staged(bare(ty)), Declared::Argument),
        };
        Input {
            pat: pat.clone(),
            lints: Vec::new(),
            ty,
            declared,
            is_slice_mut,
            is_scalar,
        }
    }

    /// What a reference to a value is, and how it is declared.
    fn referred(&mut self, reference: &TypeReference) -> (TokenStream, Declared) {
        let inner = self.staged(&reference.elem);
        if reference.mutability.is_none() {
            return (inner, Declared::Shared);
        }
        let span = spans::first(reference);
        let name = self.v.item("Mutable", span);
        (quote_spanned!(span=> #name<#inner>), Declared::Exclusive)
    }

    /// `#[comptime] n: usize`: a value of the kernel for the caller, which the function takes a value of the host from.
    fn comptime(&mut self, pat: &Pat, ty: &Type) -> Input {
        match pat {
            Pat::Ident(name) if valid::is_plain_name(name) => {
                if let Some(mutability) = name.mutability {
                    let error = messages::COMPTIME_MUT.at(mutability, &[&name.ident]);
                    self.complaints.push(error);
                }
            }
            pat => valid::parameter_pattern(pat, self.complaints),
        }
        let ty = valid::comptime_parameter(ty, self.complaints);
        Input {
            pat: pat.clone(),
            lints: Vec::new(),
            ty: ty.map_or_else(TokenStream::new, |ty| self.staged(&ty)),
            declared: Declared::Comptime,
            is_slice_mut: false,
            is_scalar: false,
        }
    }

    /// `fn(A) -> B`, of `impl Fn(A) -> B` and its like.
    fn pointer(&mut self, ty: &Type) -> Option<TokenStream> {
        let (inputs, output) = types::called_with(ty)?;
        let inputs: Vec<_> = inputs.into_iter().map(|ty| self.staged(ty)).collect();
        let output = match output {
            ReturnType::Type(_, ty) => self.staged(ty),
            ReturnType::Default => self.v.item("Nothing", Span::mixed_site()),
        };
        Some(quote_spanned!(Span::mixed_site()=> fn(#(#inputs),*) -> #output))
    }

    fn staged(&mut self, ty: &Type) -> TokenStream {
        match bare(ty) {
            Type::ImplTrait(of) if of.bounds.iter().any(is_callable) => {
                let mut of = of.clone();
                of.bounds.iter_mut().for_each(|bound| self.bound(bound));
                quote!(#of + ::core::marker::Copy)
            }
            Type::Path(path)
                if path
                    .path
                    .get_ident()
                    .is_some_and(|name| self.callables.contains(&name.to_string())) =>
            {
                path.to_token_stream()
            }
            Type::Reference(reference) if reference.lifetime.is_some() => {
                let mut reference = reference.clone();
                reference.lifetime = None;
                staged::in_signature(&Type::Reference(reference), self.v, self.complaints)
            }
            ty if let Some(wrapped) = types::wrapped(ty) => {
                // Of a type that is none rustc complains at one place.
                let asked = wrapped
                    .parts
                    .iter()
                    .find(|part| self.is_of_the_user(bare(part)));
                let at = asked.map_or_else(|| spans::first(ty), |part| spans::first(*part));
                let name = self.v.item(wrapped.name, at);
                let parts: Vec<_> = wrapped.parts.iter().map(|part| self.staged(part)).collect();
                quote_spanned!(at=> #name<#(#parts),*>)
            }
            ty => match self.complained_of_once(ty) {
                Some(staged) => staged,
                None => staged::in_signature(ty, self.v, self.complaints),
            },
        }
    }

    /// The staged type in a form that rustc complains of only once, where only rustc knows what the type is.
    fn complained_of_once(&mut self, ty: &Type) -> Option<TokenStream> {
        let (name, held, by) = match ty {
            Type::Reference(reference) => match bare(&reference.elem) {
                Type::Slice(slice) if reference.mutability.is_some() => {
                    ("SliceMut", &*slice.elem, "InMemory")
                }
                Type::Slice(slice) => ("Slice", &*slice.elem, "InMemory"),
                _ => return None,
            },
            ty => ("Lane", ty, "ByValue"),
        };
        if !self.is_of_the_user(held) {
            return None;
        }
        let is_sound = match by {
            "InMemory" => valid::element(held, self.complaints).is_some(),
            _ => valid::local_type(held, self.complaints),
        };
        if !is_sound {
            return Some(TokenStream::new());
        }
        let at = spans::first(held);
        let (name, by) = (self.v.item(name, at), self.v.item(by, at));
        Some(quote_spanned!(at=> #name<<#held as #by>::This>))
    }

    /// Whether a type is named by a path that is neither a parameter nor a type that the language has.
    fn is_of_the_user(&self, ty: &Type) -> bool {
        let (Type::Path(path), Some(params)) = (ty, &self.params) else {
            return false;
        };
        let first = path.path.segments.first();
        let first = first
            .map(|first| first.ident.to_string())
            .unwrap_or_default();
        let is_plain = |segment: &PathSegment| matches!(segment.arguments, PathArguments::None);
        path.qself.is_none()
            && types::error_of_conversion(path).is_none()
            && path.path.segments.iter().all(is_plain)
            && !params.contains(&first)
            && !valid::is_known_scalar(ty)
    }

    /// `Fn(A) -> B` over staged types.
    fn bound(&mut self, bound: &mut TypeParamBound) {
        if !is_callable(bound) {
            return;
        }
        let TypeParamBound::Trait(bound) = bound else {
            return;
        };
        for segment in &mut bound.path.segments {
            let PathArguments::Parenthesized(arguments) = &mut segment.arguments else {
                continue;
            };
            for input in &mut arguments.inputs {
                input.ty = Type::Verbatim(self.staged(&input.ty));
            }
            if let ReturnType::Type(_, ty) = &mut arguments.output
                && !valid::is_unit(ty)
            {
                **ty = Type::Verbatim(self.staged(ty));
            }
        }
    }

    fn generics(&mut self, generics: &mut Generics, function: &ItemFn) {
        let in_memory = in_memory(function);
        let (in_textures, in_tensors) = (in_textures(function), in_tensors(function));
        generics.params = std::mem::take(&mut generics.params)
            .into_iter()
            .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
            .collect();
        gather_bounds(generics);
        for param in generics.type_params_mut() {
            let name = param.ident.to_string();
            let span = param.ident.span();
            if self.callables.contains(&name) {
                for bound in &mut param.bounds {
                    self.bound(bound);
                }
                param
                    .bounds
                    .push(syn::parse_quote_spanned!(span=> ::core::marker::Copy));
                continue;
            }
            let needed = if in_textures.contains(&name) {
                "Texel"
            } else if in_tensors.contains(&name) {
                "TensorElement"
            } else if in_memory.contains(&name) {
                "Element"
            } else {
                "DeviceType"
            };
            let at = spans::of_bound(param);
            let needed = self.v.item(needed, at);
            param.bounds.push(TypeParamBound::Verbatim(needed));
            param.bounds.push(copied(at));
        }
        if let Some(clause) = &mut generics.where_clause {
            for predicate in &mut clause.predicates {
                if let WherePredicate::Type(predicate) = predicate {
                    for bound in &mut predicate.bounds {
                        self.bound(bound);
                    }
                }
            }
        }
    }
}

/// A reference to one value: not to a slice, a texture, a tensor, or local memory.
fn to_a_value(ty: &Type) -> Option<&TypeReference> {
    let Type::Reference(reference) = bare(ty) else {
        return None;
    };
    let elem = &reference.elem;
    let is_handle = matches!(bare(elem), Type::Slice(_))
        || types::texture(elem).is_some()
        || types::tensor(elem).is_some()
        || types::local_memory(elem).is_some();
    (!is_handle).then_some(reference)
}

/// The `Fn(A) -> B` of a `dyn Fn(A) -> B` or of an `fn(A) -> B`.
fn function_of(ty: &Type) -> Option<TypeParamBound> {
    match bare(ty) {
        Type::TraitObject(of) => of.bounds.iter().find(|bound| is_callable(bound)).cloned(),
        Type::FnPtr(pointer) => {
            let inputs = pointer.inputs.iter().map(|input| &input.ty);
            let output = &pointer.output;
            Some(syn::parse_quote!(Fn(#(#inputs),*) #output))
        }
        _ => None,
    }
}

/// The type parameters that stand for closures.
fn callables(generics: &Generics) -> HashSet<String> {
    let mut names: HashSet<String> = generics
        .type_params()
        .filter(|param| param.bounds.iter().any(is_callable))
        .map(|param| param.ident.to_string())
        .collect();
    let predicates = generics.where_clause.iter().flat_map(|c| &c.predicates);
    for predicate in predicates {
        if let WherePredicate::Type(predicate) = predicate
            && predicate.bounds.iter().any(is_callable)
        {
            names.insert(valid::source(&predicate.bounded_ty));
        }
    }
    names
}
