//! What `#[tune(..)]` adds to a kernel: a type for a choice, and a call in which the choice is open.
//!
//! `k::tuned(..)` takes what `k(..)` takes, without what is chosen. It keeps its arguments, and makes the ordinary call
//! of them for any choice: a `match` leads from the values of const generics to the instances, so that rustc checks
//! each.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{GenericParam, Generics};

use super::{host_type, mixed, type_name};
use crate::fallback;
use crate::runtime::Runtime;
use crate::signature::{Kernel, Param, ParamKind};
use crate::spans;
use crate::tune::{Axis, AxisKind, Tune, names_replaced};

/// The choice, and the call that leaves it open.
pub(crate) fn tuned(kernel: &Kernel, tune: &Tune, v: &Runtime) -> TokenStream {
    let choices = choices(kernel, tune, v);
    let span = mixed();
    let choice = choice_name(kernel);
    let ordinary = |at: Option<&[usize]>| ordinary_call(kernel, tune, at);
    let call = match const_axes(tune).next() {
        None => ordinary(None),
        Some(_) => {
            let arms = combinations(tune).into_iter().map(|at| {
                let is_it = const_axes(tune).zip(&at).map(|((number, axis), at)| {
                    let (name, values) = (&axis.name, values_name(number));
                    let at = Literal::usize_unsuffixed(*at);
                    quote_spanned!(span=> choice.#name == #choice::#values[#at])
                });
                let call = ordinary(Some(&at));
                quote_spanned!(span=> if #(#is_it)&&* { #call } else)
            });
            let private = v.root(span);
            quote_spanned! {span=>
                #(#arms)* { #private::no_such_choice() }
            }
        }
    };
    let fixed = fixed_parts(kernel, tune, v);
    let v_root = v.root(span);
    let body = quote_spanned! {span=>
        #v_root::Tuned::of::<Self>(
            [#(#fixed),*],
            ::std::boxed::Box::new(move |choice: &#choice| #call),
        )
    };
    let first = |number: usize, _: &Axis| {
        let values = values_name(number);
        quote_spanned!(span=> { #choice::#values[0] })
    };
    let implementation = implementation(kernel, tune, first, &body, v);
    quote!(#choices #implementation)
}

/// The same of a kernel with mistakes: what uses it is in no further error.
pub(crate) fn tuned_in_error(kernel: &Kernel, tune: &Tune, v: &Runtime) -> TokenStream {
    let span = mixed();
    let body = fallback::never(&kernel.name.to_string(), None);
    let choice = declaration(kernel, tune, v);
    let ty = choice_name(kernel);
    let root = v.root(span);
    let conditions = &kernel.attributes.conditions;
    let first = |_: usize, axis: &Axis| match axis.values.first() {
        Some(value) => quote_spanned!(span=> { #value }),
        None => least(axis),
    };
    let implementation = implementation(kernel, tune, first, &body, v);
    quote_spanned! {span=>
        #choice
        #(#conditions)*
        impl #root::Choices for #ty {
            const NAMES: &'static [&'static ::core::primitive::str] = &[];
            fn all() -> ::std::vec::Vec<Self> { #body }
            fn texts(&self) -> ::std::vec::Vec<::std::string::String> { #body }
        }
        #implementation
    }
}

/// A value of a const generic of which none is listed.
fn least(axis: &Axis) -> TokenStream {
    let (span, ty) = (mixed(), axis_type(axis));
    match ty.to_string().as_str() {
        "bool" => quote_spanned!(span=> false),
        _ => quote_spanned!(span=> { <#ty>::MIN }),
    }
}

/// The name of the type of a choice.
fn choice_name(kernel: &Kernel) -> Ident {
    format_ident!("Choice_of_{}", kernel.name, span = mixed())
}

/// The name of the list of an axis' values.
fn values_name(number: usize) -> Ident {
    format_ident!("VALUES_{}", number, span = mixed())
}

/// The axes that are const generics, with their numbers.
fn const_axes(tune: &Tune) -> impl Iterator<Item = (usize, &Axis)> {
    let axes = tune.axes.iter().enumerate();
    axes.filter(|(_, axis)| axis.is_const())
}

/// Each way to choose values for the const generics, as their numbers.
fn combinations(tune: &Tune) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for (_, axis) in const_axes(tune) {
        let longer = |start: &Vec<usize>| {
            let start = start.clone();
            (0..axis.values.len()).map(move |at| {
                let mut longer = start.clone();
                longer.push(at);
                longer
            })
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The type of an axis' values.
fn axis_type(axis: &Axis) -> TokenStream {
    let span = mixed();
    match &axis.kind {
        AxisKind::Const(ty) | AxisKind::Comptime(ty) => ty.clone(),
        AxisKind::Block => {
            let usize = quote_spanned!(span=> ::core::primitive::usize);
            quote_spanned!(span=> (#usize, #usize, #usize))
        }
    }
}

/// The struct of what is chosen. Two are the same if their texts are: values need not be comparable.
fn declaration(kernel: &Kernel, tune: &Tune, v: &Runtime) -> TokenStream {
    let span = mixed();
    let root = v.root(span);
    let (vis, name) = (&kernel.vis, &kernel.name);
    let conditions = &kernel.attributes.conditions;
    let choice = choice_name(kernel);
    let fields = tune.axes.iter().map(|axis| {
        let (name, ty) = (&axis.name, axis_type(axis));
        let doc = match axis.kind {
            AxisKind::Block => "The work items of a group.".to_owned(),
            _ => format!("The value of `{name}`."),
        };
        quote_spanned!(span=> #[doc = #doc] pub #name: #ty,)
    });
    let doc = format!("A choice of what [`{name}`](fn@{name}) leaves open to be tuned.");
    quote_spanned! {span=>
        #(#conditions)*
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        #[allow(non_camel_case_types, non_snake_case, dead_code)]
        #vis struct #choice {
            #(#fields)*
        }

        #(#conditions)*
        impl ::core::cmp::PartialEq for #choice {
            fn eq(&self, other: &Self) -> ::core::primitive::bool {
                #root::Choices::texts(self) == #root::Choices::texts(other)
            }
        }

        #(#conditions)*
        impl ::core::cmp::Eq for #choice {}

        #(#conditions)*
        impl ::core::fmt::Debug for #choice {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(&#root::Choices::text(self))
            }
        }
    }
}

/// The type of a choice, with all candidates.
fn choices(kernel: &Kernel, tune: &Tune, v: &Runtime) -> TokenStream {
    let span = mixed();
    let conditions = &kernel.attributes.conditions;
    let choice = choice_name(kernel);
    let declaration = declaration(kernel, tune, v);
    let root = v.root(span);
    let lists = tune.axes.iter().enumerate().map(|(number, axis)| {
        let (values, ty, elements) = (values_name(number), axis_type(axis), axis.elements());
        let count = Literal::usize_unsuffixed(elements.len());
        quote_spanned!(span=> const #values: [#ty; #count] = [#(#elements),*];)
    });
    let names = tune.axes.iter().map(|axis| plain_name(&axis.name));
    let texts = tune.axes.iter().map(|axis| {
        let name = &axis.name;
        match &axis.kind {
            AxisKind::Const(_) => {
                quote_spanned!(span=> ::std::string::ToString::to_string(&self.#name))
            }
            AxisKind::Comptime(_) => quote_spanned!(span=> #root::comptime_text(self.#name)),
            AxisKind::Block => quote_spanned!(span=> #root::block_text(self.#name)),
        }
    });
    let block = tune
        .axes
        .iter()
        .find(|axis| matches!(axis.kind, AxisKind::Block))
        .map(|axis| {
            let name = &axis.name;
            quote_spanned! {span=>
                fn block(&self) -> ::core::option::Option<[::core::primitive::usize; 3]> {
                    let (x, y, z) = self.#name;
                    ::core::option::Option::Some([x, y, z])
                }
            }
        });
    let all = all_of(tune);
    quote_spanned! {span=>
        #declaration

        #(#conditions)*
        #[allow(dead_code)]
        impl #choice {
            #(#lists)*
        }

        #(#conditions)*
        impl #root::Choices for #choice {
            const NAMES: &'static [&'static ::core::primitive::str] = &[#(#names),*];

            fn all() -> ::std::vec::Vec<Self> {
                let mut all = ::std::vec::Vec::new();
                #all
                all
            }

            fn texts(&self) -> ::std::vec::Vec<::std::string::String> {
                ::std::vec::Vec::from([#(#texts),*])
            }

            #block
        }
    }
}

/// Puts all candidates that fulfil the conditions into a list: loops, the last axis innermost.
fn all_of(tune: &Tune) -> TokenStream {
    let span = mixed();
    let numbers = || 0..tune.axes.len();
    let value = |number: usize| format_ident!("value_{}", number, span = span);
    let values = numbers().map(value);
    let names = tune.axes.iter().map(|axis| &axis.name);
    let conditions = tune.conditions.iter().map(|condition| {
        let open = of_choice(condition.to_token_stream(), tune);
        let at = spans::first(condition);
        let fits = Ident::new("fits", span.located_at(at));
        quote_spanned!(at=> let #fits: ::core::primitive::bool = #open;)
    });
    let tests = conditions.map(|test| {
        quote_spanned! {span=>
            #[allow(unused_parens, clippy::all, clippy::pedantic, clippy::nursery)]
            #test
            if !fits {
                continue;
            }
        }
    });
    let innermost = quote_spanned! {span=>
        let choice = Self { #(#names: #values,)* };
        #(#tests)*
        all.push(choice);
    };
    numbers().rev().fold(innermost, |inner, number| {
        let (list, value) = (values_name(number), value(number));
        quote_spanned! {span=>
            for #value in ::core::iter::IntoIterator::into_iter(Self::#list) {
                #inner
            }
        }
    })
}

/// The user's tokens, with the fields of `choice` for what is chosen.
fn of_choice(tokens: TokenStream, tune: &Tune) -> TokenStream {
    let span = mixed();
    names_replaced(tokens, &mut |name| {
        let is_open = tune.axes.iter().any(|axis| axis.name == *name);
        let at = name.span();
        let choice = Ident::new("choice", span.located_at(at));
        is_open.then(|| quote_spanned!(at=> (#choice.#name)))
    })
}

/// The ordinary call with the values of `choice`; `at` are the numbers of those of const generics.
fn ordinary_call(kernel: &Kernel, tune: &Tune, at: Option<&[usize]>) -> TokenStream {
    let span = mixed();
    let choice = choice_name(kernel);
    let (name, unsafety) = (&kernel.name, &kernel.unsafety);
    let arguments = kernel.params.iter().map(|param| {
        let name = &param.name;
        match &param.kind {
            ParamKind::Comptime(_) if is_chosen(param, tune) => {
                quote_spanned!(span=> choice.#name)
            }
            ParamKind::Slice { mutable: true, .. }
            | ParamKind::Texture { mutable: true, .. }
            | ParamKind::Tensor { mutable: true, .. } => quote_spanned!(span=> &mut *#name),
            ParamKind::Local(_) => quote_spanned!(span=> #name(choice)),
            _ => quote_spanned!(span=> #name),
        }
    });
    let generics = kernel
        .generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(param.ident.to_token_stream()),
            GenericParam::Const(param) => {
                let mut axes = const_axes(tune).zip(at.unwrap_or_default());
                let axis = axes.find(|((_, axis), _)| axis.name == param.ident);
                Some(match axis {
                    Some(((number, _), at)) => {
                        let (values, at) = (values_name(number), Literal::usize_unsuffixed(*at));
                        quote_spanned!(span=> { #choice::#values[#at] })
                    }
                    None => param.ident.to_token_stream(),
                })
            }
            GenericParam::Lifetime(_) => None,
        });
    let generics = kernel
        .is_generic()
        .then(|| quote_spanned!(span=> ::<#(#generics),*>));
    let call = quote_spanned!(span=> #name #generics (#(#arguments),*));
    // What the caller of `tuned` has promised.
    let call = match unsafety {
        Some(_) => quote_spanned!(span=> #unsafety { #call }),
        None => call,
    };
    quote_spanned!(span=> ::core::convert::Into::into(#call))
}

/// Whether a parameter is chosen, and so not passed.
fn is_chosen(param: &Param, tune: &Tune) -> bool {
    let is_it = |axis: &Axis| axis.name == param.name && matches!(axis.kind, AxisKind::Comptime(_));
    tune.axes.iter().any(is_it)
}

/// What tells calls apart besides the kernel's name, as texts: types, and values that are not chosen.
fn fixed_parts(kernel: &Kernel, tune: &Tune, v: &Runtime) -> Vec<TokenStream> {
    let span = mixed();
    let root = v.root(span);
    let is_open = |name: &Ident| tune.axes.iter().any(|axis| axis.name == *name);
    let generics = kernel
        .generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => {
                let name = &param.ident;
                Some(quote_spanned!(span=> #root::type_text::<#name>()))
            }
            GenericParam::Const(param) if !is_open(&param.ident) => {
                let name = &param.ident;
                Some(quote_spanned!(span=> ::std::string::ToString::to_string(&#name)))
            }
            GenericParam::Const(_) | GenericParam::Lifetime(_) => None,
        });
    let values = kernel.params.iter().filter_map(|param| {
        let name = &param.name;
        (param.is_comptime() && !is_open(name))
            .then(|| quote_spanned!(span=> #root::comptime_text(#name)))
    });
    generics.chain(values).collect()
}

/// `impl k<..> { fn tuned(..) -> Tuned<Choice> { body } }`, of the instance with the values that `first` gives for what
/// is chosen, so that rustc need not be told of any.
fn implementation(
    kernel: &Kernel,
    tune: &Tune,
    first: impl Fn(usize, &Axis) -> TokenStream,
    body: &TokenStream,
    v: &Runtime,
) -> TokenStream {
    let span = mixed();
    let conditions = &kernel.attributes.conditions;
    let (vis, unsafety, name) = (&kernel.vis, &kernel.unsafety, &kernel.name);
    let (ty, choice) = (type_name(kernel), choice_name(kernel));
    let is_open = |ident: &Ident| {
        let mut axes = const_axes(tune);
        axes.find(|(_, axis)| axis.name == *ident)
    };
    let mut declared: Generics = kernel.generics.clone();
    let given = declared.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(param.ident.to_token_stream()),
        GenericParam::Const(param) => Some(match is_open(&param.ident) {
            Some((number, axis)) => first(number, axis),
            None => param.ident.to_token_stream(),
        }),
        GenericParam::Lifetime(_) => None,
    });
    let given = kernel
        .is_generic()
        .then(|| quote_spanned!(span=> <#(#given),*>));
    declared.params = std::mem::take(&mut declared.params)
        .into_iter()
        .filter(|param| match param {
            GenericParam::Const(param) => is_open(&param.ident).is_none(),
            _ => true,
        })
        .collect();
    let (declared, _, clause) = declared.split_for_impl();
    let root = v.root(span);
    let params = kernel
        .params
        .iter()
        .filter(|param| !is_chosen(param, tune))
        .map(|param| {
            let name = &param.name;
            let ty = match &param.kind {
                ParamKind::Local(_) => quote_spanned! {span=>
                    impl ::core::ops::Fn(&#choice) -> #root::LocalLen + 'launch
                },
                _ => host_type(param, v),
            };
            quote_spanned!(span=> #name: #ty)
        });
    let summary = format!(
        "The call of [`{name}`](fn@{name}) with a choice that is open: the best one that is on record for the device \
         and the size, or the first that is declared."
    );
    let safety = unsafety.map(|_| {
        quote_spanned! {span=>
            #[doc = ""]
            #[doc = "# Safety"]
            #[doc = "As of the kernel's call, whatever is chosen."]
        }
    });
    quote_spanned! {span=>
        #(#conditions)*
        impl #declared #ty #given #clause {
            #[doc = #summary]
            #safety
            #[allow(dead_code, unused_variables, unused_mut)]
            #vis #unsafety fn tuned<'launch>(#(#params),*) -> #root::Tuned<'launch, #choice> {
                #body
            }
        }
    }
}

/// A name without `r#`.
fn plain_name(name: &Ident) -> String {
    syn::ext::IdentExt::unraw(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_their_own_are_replaced() {
        let tune = Tune {
            axes: vec![Axis {
                name: format_ident!("tile"),
                values: Vec::new(),
                kind: AxisKind::Block,
            }],
            conditions: Vec::new(),
        };
        let replaced = of_choice(
            quote!(tile * other.tile <= limits::tile + matches!(tile, 4) + (0..tile)),
            &tune,
        );
        assert_eq!(
            replaced.to_string(),
            quote!(
                (choice.tile) * other.tile
                    <= limits::tile + matches!((choice.tile), 4) + (0..(choice.tile))
            )
            .to_string()
        );
    }
}
