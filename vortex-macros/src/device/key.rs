//! `#[device(host)]` in front of an `impl` block or a trait: the key of the block, by which kernels find the functions
//! that are staged. See `lang::control::method_twin` in `vortex-kernel`.
//!
//! The names are the host's. The staged functions have others ([`staged_name`]) and stand next to them; the key is a
//! type in a place without a name, with methods that have the user's names and call the staged ones.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{FnArg, Generics, Lifetime, ReceiverKind, ReturnType, Safety, TypeReference, Visibility};

use super::signature::Signature;
use crate::messages;
use crate::runtime::Runtime;
use crate::signature::Kernel;
use crate::twins::{number_of, staged_name};
use crate::valid::Complaints;

/// The key of a block.
pub(super) struct Key {
    /// What `Self` is in the block, as other items have it.
    this: TokenStream,
    generics: Generics,
    /// It is a trait's, whose methods are those of whatever implements it.
    is_of_trait: bool,
    methods: Vec<TokenStream>,
    /// The implementations by which it is found.
    found_by: Vec<TokenStream>,
}

impl Key {
    /// Of an `impl` block.
    pub(super) fn of(this: &impl ToTokens, generics: &Generics) -> Self {
        Self {
            this: this.to_token_stream(),
            generics: generics.clone(),
            is_of_trait: false,
            methods: Vec::new(),
            found_by: Vec::new(),
        }
    }

    /// Of a trait: for each type that implements it.
    pub(super) fn of_trait(name: &Ident) -> Self {
        let this = Ident::new("Implementor", Span::mixed_site());
        let generics = syn::parse_quote!(<#this: #name>);
        Self {
            is_of_trait: true,
            ..Self::of(&this, &generics)
        }
    }

    /// Adds a function: as it is written, and as it is staged.
    pub(super) fn add(
        &mut self,
        written: &syn::Signature,
        signature: &Signature,
        frame: &Kernel,
        v: &Runtime,
        complaints: &mut Complaints,
    ) {
        if signature.receiver.is_some() {
            self.add_method(signature, frame, v);
        }
        let is_safe = !matches!(written.safety, Safety::Unsafe(_));
        if written.generics.params.is_empty() && !takes_callables(written) && is_safe {
            if signature.receiver.is_some() || self.names_itself(written) {
                self.add_function(written, signature, frame, v);
                return;
            }
        } else if signature.receiver.is_some() {
            return;
        }
        complaints.push(messages::HOST_FUNCTION.at(&written.ident, &[&written.ident]));
    }

    /// A method of the key, which calls the staged one.
    fn add_method(&mut self, signature: &Signature, frame: &Kernel, v: &Runtime) {
        let Some(receiver) = &signature.receiver else {
            return;
        };
        let span = Span::mixed_site();
        let (this, root) = (&self.this, v.root(span));
        let staged = staged_name(&frame.name);
        let conditions = &frame.attributes.conditions;
        let (unsafety, name) = (&frame.unsafety, &frame.name);
        let vis = match &frame.vis {
            Visibility::Inherited if self.is_of_trait => quote_spanned!(span=> pub),
            vis => vis.to_token_stream(),
        };
        let declared = receiver.declared();
        let names: Vec<_> = (0..signature.inputs.len())
            .map(|number| format_ident!("argument{}", number, span = span))
            .collect();
        let types = signature
            .inputs
            .iter()
            .map(|input| self.elsewhere(input.ty.clone()));
        let output = self.elsewhere(output(signature, v));
        let (generics, _, clause) = signature.generics.split_for_impl();
        let (generics, clause) = (
            self.elsewhere(generics.to_token_stream()),
            self.elsewhere(clause.to_token_stream()),
        );
        let (_, given, _) = signature.generics.split_for_impl();
        let given = given.as_turbofish();
        let placeholder = quote_spanned!(span=> <#this as #root::DeviceType>::placeholder());
        let placeholder = receiver.borrowing(placeholder);
        self.methods.push(quote_spanned! {span=>
            #(#conditions)*
            #[track_caller]
            #[allow(unused, unsafe_op_in_unsafe_fn, clippy::all, clippy::pedantic, clippy::nursery)]
            #vis #unsafety fn #name #generics(#declared #(#names: #types),*) -> #output #clause {
                <#this>::#staged #given(#placeholder #(, #names)*)
            }
        });
        let number = number_of(name);
        let (declared, _, clause) = self.generics.split_for_impl();
        let key = self.given();
        self.found_by.push(quote_spanned! {span=>
            #(#conditions)*
            impl #declared #root::HasTwin<#number, #key> for #root::Methods<#this> #clause {
                fn key() -> #key {
                    Key(::core::marker::PhantomData)
                }
            }
        });
    }

    /// By its type on the host.
    fn add_function(
        &mut self,
        written: &syn::Signature,
        signature: &Signature,
        frame: &Kernel,
        v: &Runtime,
    ) {
        let span = Span::mixed_site();
        let lifetime = Lifetime::new("'twin", span);
        let this = self.this.clone();
        let inputs = written.inputs.iter().map(|input| match input {
            FnArg::Receiver(receiver) => match &receiver.kind {
                ReceiverKind::Reference(_, _, mutability) => {
                    quote_spanned!(span=> &#lifetime #mutability #this)
                }
                _ => this.clone(),
            },
            FnArg::Typed(input) => {
                let mut ty = (*input.ty).clone();
                Lifetimes(&lifetime).visit_type_mut(&mut ty);
                self.elsewhere(ty.to_token_stream())
            }
        });
        let inputs: Vec<_> = inputs.collect();
        let result = match &written.output {
            ReturnType::Type(_, ty) => self.elsewhere(ty.to_token_stream()),
            ReturnType::Default => quote_spanned!(span=> ()),
        };
        let receiver = signature.receiver.iter().map(|_| inputs[0].clone());
        let staged = signature
            .inputs
            .iter()
            .map(|input| self.elsewhere(input.ty.clone()));
        let staged: Vec<_> = receiver.chain(staged).collect();
        let output = self.elsewhere(output(signature, v));
        let (number, name) = (number_of(&frame.name), staged_name(&frame.name));
        let conditions = &frame.attributes.conditions;
        let mut generics = self.generics.clone();
        generics.params.insert(0, syn::parse_quote!(#lifetime));
        let (declared, _, clause) = generics.split_for_impl();
        let (key, root) = (self.given(), v.root(span));
        self.found_by.push(quote_spanned! {span=>
            #(#conditions)*
            #[allow(clippy::extra_unused_lifetimes)]
            impl #declared #root::TwinFunction<#number, #key> for fn(#(#inputs),*) -> #result #clause {
                type Function = fn(#(#staged),*) -> #output;

                fn function() -> Self::Function {
                    <#this>::#name
                }
            }
        });
    }

    /// The key's type and all that leads there.
    pub(super) fn tokens(&self) -> TokenStream {
        let span = Span::mixed_site();
        let mut plain = self.generics.clone();
        plain.where_clause = None;
        for param in plain.type_params_mut() {
            param.bounds.clear();
            param.colon_token = None;
        }
        let uses = plain.type_params().map(|param| &param.ident);
        let uses = quote_spanned!(span=> ::core::marker::PhantomData<fn() -> (#(#uses,)*)>);
        let (declared, given, clause) = self.generics.split_for_impl();
        let (methods, found_by) = (&self.methods, &self.found_by);
        let (plain, _, _) = plain.split_for_impl();
        quote_spanned! {span=>
            const _: () = {
                #[allow(missing_docs, missing_debug_implementations, unreachable_pub, dead_code)]
                pub struct Key #plain (#uses);

                impl #plain ::core::marker::Copy for Key #given {}

                #[allow(clippy::expl_impl_clone_on_copy)]
                impl #plain ::core::clone::Clone for Key #given {
                    fn clone(&self) -> Self {
                        *self
                    }
                }

                #[allow(missing_docs, dead_code)]
                impl #declared Key #given #clause {
                    #(#methods)*
                }

                #(#found_by)*
            };
        }
    }

    fn given(&self) -> TokenStream {
        let (_, given, _) = self.generics.split_for_impl();
        quote_spanned!(Span::mixed_site()=> Key #given)
    }

    /// Tokens with the type in the place of `Self`.
    pub(super) fn elsewhere(&self, tokens: TokenStream) -> TokenStream {
        let tokens = tokens.into_iter().map(|token| match token {
            TokenTree::Ident(name) if name == "Self" => {
                // One type, whatever stands around it.
                let mut this = Group::new(Delimiter::None, self.this.clone());
                this.set_span(name.span());
                TokenTree::Group(this)
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), self.elsewhere(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            token => token,
        });
        tokens.collect()
    }

    /// Whether a signature names the type of the block.
    fn names_itself(&self, written: &syn::Signature) -> bool {
        let own = self.this.clone().into_iter().find_map(|token| match token {
            TokenTree::Ident(name) => Some(name.to_string()),
            _ => None,
        });
        let tokens = quote!(#written);
        fn has(tokens: TokenStream, own: Option<&str>) -> bool {
            tokens.into_iter().any(|token| match token {
                TokenTree::Ident(name) => name == "Self" || own.is_some_and(|own| name == own),
                TokenTree::Group(group) => has(group.stream(), own),
                _ => false,
            })
        }
        has(tokens, own.as_deref())
    }
}

/// What the staged function results in.
fn output(signature: &Signature, v: &Runtime) -> TokenStream {
    let output = signature.output.clone();
    output.unwrap_or_else(|| v.item("Nothing", Span::mixed_site()))
}

/// Whether a function takes an `impl Fn(..)`.
fn takes_callables(written: &syn::Signature) -> bool {
    struct Finder(bool);

    impl<'ast> Visit<'ast> for Finder {
        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
            self.0 = true;
        }
    }

    let mut finder = Finder(false);
    visit::visit_signature(&mut finder, written);
    finder.0
}

/// Gives references without a lifetime this one.
struct Lifetimes<'a>(&'a Lifetime);

impl VisitMut for Lifetimes<'_> {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        reference.lifetime.get_or_insert_with(|| self.0.clone());
        visit_mut::visit_type_reference_mut(self, reference);
    }
}
