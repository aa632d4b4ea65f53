//! `#[kernel(host)]`: `saxpy::on_host(3.0, &x, &mut y)`, beside the kernel's launcher.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::VisitMut as _;
use syn::{GenericParam, Generics, ItemFn, Safety, Token};

use super::{Body, InKernel, Side, Way, scope::Scope, turn};
use crate::body::foreign::Refusals;
use crate::expand;
use crate::fallback;
use crate::messages;
use crate::runtime::Runtime;
use crate::signature::{Kernel, Param, ParamKind};
use crate::valid::Complaints;

/// What a kernel is on the host.
pub(crate) struct KernelTwin {
    function: ItemFn,
}

impl KernelTwin {
    /// The function as it is written.
    pub(crate) fn of(function: &ItemFn) -> Self {
        let function = function.clone();
        Self { function }
    }

    /// The call on the host, and the body as a function that is run for each item.
    pub(crate) fn tokens(
        &self,
        kernel: &Kernel,
        refusals: &Refusals,
        v: &Runtime,
        complaints: &mut Complaints,
    ) -> TokenStream {
        let span = Span::mixed_site();
        let soundness = (!kernel.is_generic()).then(|| {
            let (name, if_sound) = (expand::type_name(kernel), v.item("if_sound", span));
            quote_spanned!(span=> #if_sound::<[(); <#name>::SOUNDNESS], _>)
        });
        let mut inside = InKernel {
            refusals,
            scope: Scope::default(),
            sites: 0,
            way: Way::Items,
            soundness,
        };
        let mut parameters = Vec::new();
        for param in &kernel.params {
            if let ParamKind::Texture { path, .. } | ParamKind::Tensor { path, .. } = &param.kind {
                let text = path.to_token_stream().to_string();
                complaints.push(messages::HOST_PARAMETER.at(path, &[&text]));
                continue;
            }
            parameters.push(Parameter::of(param, &mut inside, v));
        }
        let mut block = self.function.block.clone();
        Side::Host.choose(&mut block);
        let mut body = Body::new(v, Some(inside), complaints);
        body.visit_block_mut(&mut block);
        let way = body.kernel.map_or(Way::Items, |kernel| kernel.way);
        let (turn, lints) = (turn(span), &kernel.attributes.lints);
        let parts = || parameters.iter();
        let names: Vec<_> = parts().map(|parameter| &parameter.given).collect();
        let arguments = list(parts().map(|parameter| &parameter.argument));
        let pattern = list(parts().map(|parameter| &parameter.given));
        let declared = parts().map(|parameter| &parameter.declared);
        let lent = parts().map(|parameter| &parameter.lent);
        let way = Ident::new(way.name(), span);
        let launch = quote_spanned! {span=>
            HostLaunch::new(native::Way::#way, #arguments, |#turn, #pattern| Self::run_item(#turn #(, #names)*))
        };
        let private = v.root(span);
        let on_host = self.on_host(
            kernel,
            &quote_spanned! {span=>
                use #private::{HostLaunch, native};
                #launch
            },
            v,
        );
        let statements = &block.stmts;
        self.implementation(
            kernel,
            &quote_spanned! {span=>
                #on_host

                // Of a variant without its enum the staged form says enough.
                #[allow(unused, bindings_with_variant_name, clippy::all, clippy::pedantic, clippy::nursery)]
                #(#lints)*
                fn run_item(#turn: &mut #private::native::turn::Turn<'_> #(, #declared)*) {
                    use #private::native::atomic::{
                        AtomicElement as _, AtomicPointee as _, AtomicScalar as _,
                    };
                    #(#lent)*
                    #(#statements)*
                }
            },
        )
    }

    /// The call alone, of a kernel with mistakes.
    pub(crate) fn in_error(
        &self,
        kernel: &Kernel,
        is_sound: bool,
        unread: Option<&str>,
        v: &Runtime,
    ) -> TokenStream {
        let span = Span::mixed_site();
        let never = fallback::never(&kernel.name.to_string(), unread);
        if is_sound {
            let on_host = self.on_host(kernel, &never, v);
            return self.implementation(
                kernel,
                &quote_spanned!(span=> #[allow(unused_variables)] #on_host),
            );
        }
        let (vis, v) = (&kernel.vis, v.root(span));
        let params = (0..fallback::passed(&self.function).count())
            .map(|index| format_ident!("_argument{}", index, span = span));
        self.implementation(kernel, &quote_spanned! {span=>
            #[allow(missing_docs, dead_code)]
            #vis fn on_host(#(#params: impl ::core::marker::Sized),*) -> #v::HostLaunch<'static, Self> {
                #never
            }
        })
    }

    /// An `impl` of the kernel's type, with the bounds that the user has written, for the host, too.
    fn implementation(&self, kernel: &Kernel, items: &TokenStream) -> TokenStream {
        let span = Span::mixed_site();
        let conditions = &kernel.attributes.conditions;
        let ty = expand::type_name(kernel);
        let generics = with_bounds(kernel.generics.clone(), &self.function.sig.generics);
        let (declared, _, clause) = generics.split_for_impl();
        let (_, given, _) = kernel.generics.split_for_impl();
        quote_spanned! {span=>
            #(#conditions)*
            impl #declared #ty #given #clause {
                #items
            }
        }
    }

    fn on_host(&self, kernel: &Kernel, body: &TokenStream, v: &Runtime) -> TokenStream {
        let span = Span::mixed_site();
        let (vis, private) = (&kernel.vis, v.root(span));
        let is_unsafe = matches!(self.function.sig.safety, Safety::Unsafe(_));
        let has_pointers = kernel
            .params
            .iter()
            .any(|param| matches!(param.kind, ParamKind::Pointer { .. }));
        let unsafety = (is_unsafe || has_pointers).then(|| Token![unsafe](span));
        let safety = unsafety.is_some().then(|| {
            quote_spanned! {span=>
                ///
                /// # Safety
                /// Pointers lead to where the kernel reads and writes, as they must for any function of the host.
            }
        });
        let params = kernel.params.iter().map(|param| {
            let (name, ty) = (&param.name, host_type(param, v, true));
            quote_spanned!(span=> #name: #ty)
        });
        let doc = format!(
            "The kernel [`{0}`](fn@{0}) with arguments of the host, to run there.",
            kernel.name
        );
        quote_spanned! {span=>
            #[doc = #doc]
            #safety
            #[allow(dead_code)]
            #vis #unsafety fn on_host<'launch>(#(#params),*) -> #private::HostLaunch<'launch, Self> {
                #body
            }
        }
    }
}

/// A parameter, as the parts of the expansion have it.
struct Parameter {
    /// What it is given as to one item.
    given: Ident,
    /// What the launch is given.
    argument: TokenStream,
    /// `name: T`, of the function that is run for each item.
    declared: TokenStream,
    /// What the body has, where it is not what the function is given.
    lent: TokenStream,
}

impl Parameter {
    fn of(param: &Param, kernel: &mut InKernel<'_>, v: &Runtime) -> Self {
        let (name, mutability) = (&param.name, &param.mutability);
        // Where rustc says what is wrong with a name, it is the user's.
        let (turn, at) = (turn(name.span()), name.span());
        let span = Span::mixed_site();
        let given = format_ident!("of_{}", name, span = span.located_at(at));
        let ty = host_type(param, v, false);
        let soundness = kernel.soundness.clone();
        let as_written = |argument| Self {
            given: given.clone(),
            argument,
            declared: quote_spanned!(span=> #given: #ty),
            lent: quote_spanned!(span=> let #mutability #name = #soundness(#given);),
        };
        let native = v.item("native::arguments", span);
        match &param.kind {
            ParamKind::Slice {
                mutable: true,
                elem,
            } => {
                kernel.scope.lend(name.clone(), given.clone(), "lend");
                Self {
                    argument: quote_spanned!(span=> #native::Exclusive::of(#name)),
                    declared: quote_spanned!(span=> #given: #native::Lent<'_, #elem>),
                    lent: quote_spanned! {at=>
                        let #given = #soundness(#given);
                        let mut #name = #given.lend(#turn);
                    },
                    given,
                }
            }
            ParamKind::Local(elem) => {
                let site = kernel.sites;
                kernel.sites += 1;
                kernel.way = kernel.way.max(Way::Groups);
                kernel.scope.lend(name.clone(), given.clone(), "lend_slice");
                Self {
                    argument: quote_spanned!(span=> #native::Given(#name)),
                    declared: quote_spanned!(span=> #given: #ty),
                    lent: quote_spanned! {at=>
                        let #given = #soundness(#turn.local_of::<#elem>(#site, #given.0));
                        let mut #name = #given.lend_slice(#turn);
                    },
                    given,
                }
            }
            ParamKind::Pointer { .. } => {
                as_written(quote_spanned!(span=> #native::Address::of(#name)))
            }
            _ => as_written(quote_spanned!(span=> #native::Given(#name))),
        }
    }
}

/// What the host passes, or one item is given.
fn host_type(param: &Param, v: &Runtime, is_passed: bool) -> TokenStream {
    let span = Span::mixed_site();
    let lifetime = is_passed.then(|| quote_spanned!(span=> 'launch));
    match &param.kind {
        ParamKind::Scalar(ty) | ParamKind::Value(ty) | ParamKind::Comptime(ty) => quote!(#ty),
        ParamKind::Slice { mutable, elem } => {
            let mutability = mutable.then(|| quote_spanned!(span=> mut));
            quote_spanned!(span=> &#lifetime #mutability [#elem])
        }
        ParamKind::Pointer {
            mutable: false,
            elem,
        } => quote_spanned!(span=> *const #elem),
        ParamKind::Pointer {
            mutable: true,
            elem,
        } => quote_spanned!(span=> *mut #elem),
        ParamKind::Local(_) => v.item("LocalLen", span),
        ParamKind::Texture { path, .. } | ParamKind::Tensor { path, .. } => {
            let ty = param.made_of(v);
            quote_spanned!(span=> & #lifetime #path<#ty>)
        }
    }
}

/// `(a, (b, (c, ())))`.
fn list<T: ToTokens>(parts: impl DoubleEndedIterator<Item = T>) -> TokenStream {
    let span = Span::mixed_site();
    let end = quote_spanned!(span=> ());
    parts
        .rev()
        .fold(end, |rest, part| quote_spanned!(span=> (#part, #rest)))
}

/// Bounds with those that the user has written: of some the kernel has others in their place.
fn with_bounds(mut generics: Generics, written: &Generics) -> Generics {
    for param in &written.params {
        if let GenericParam::Type(param) = param
            && !param.bounds.is_empty()
        {
            let (name, bounds) = (&param.ident, &param.bounds);
            generics
                .make_where_clause()
                .predicates
                .push(syn::parse_quote!(#name: #bounds));
        }
    }
    if let Some(clause) = &written.where_clause {
        generics
            .make_where_clause()
            .predicates
            .extend(clause.predicates.iter().cloned());
    }
    generics
}

impl Way {
    const fn name(self) -> &'static str {
        match self {
            Self::Items => "Items",
            Self::Groups => "Groups",
            Self::Turns => "Turns",
        }
    }
}
