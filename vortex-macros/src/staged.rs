//! The types of a body, as its rewritten form has them.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{PointerMutability, Type};

use crate::runtime::Runtime;
use crate::types::{
    argument_of, bare, error_of, error_of_conversion, is_text, local_memory, option, shared_value,
    tensor, texture,
};
use crate::valid::{self, Complaints};
use crate::{messages, spans};

/// The type of a local: `f32` becomes `Lane<f32>`, slices and pointers their handles, tuples tuples.
pub(crate) fn of_local(ty: &Type, v: &Runtime, complaints: &mut Complaints) -> TokenStream {
    staged_by(ty, true, v, complaints)
}

/// The same in a signature, by which rustc finds out what the type parameters are.
pub(crate) fn in_signature(ty: &Type, v: &Runtime, complaints: &mut Complaints) -> TokenStream {
    staged_by(ty, false, v, complaints)
}

/// The same, of a local or of what stands in a signature.
fn staged_by(ty: &Type, is_in_body: bool, v: &Runtime, complaints: &mut Complaints) -> TokenStream {
    let span = spans::first(ty);
    match bare(ty) {
        Type::Tuple(tuple) => {
            let elems = tuple
                .elems
                .iter()
                .map(|elem| staged_by(elem, is_in_body, v, complaints));
            let elems: Vec<_> = elems.collect();
            spans::parens(quote!(#(#elems,)*), tuple.paren_token.span.join())
        }
        Type::Infer(infer) => quote!(#infer),
        Type::Reference(reference) => match bare(&reference.elem) {
            Type::Slice(slice) => {
                let name = if reference.mutability.is_some() {
                    "SliceMut"
                } else {
                    "Slice"
                };
                handle(
                    name,
                    &slice.elem,
                    v,
                    valid::element(&slice.elem, complaints).is_some(),
                    span,
                )
            }
            elem if local_memory(elem).is_some() => staged_by(elem, is_in_body, v, complaints),
            elem if let Some(tensor) = tensor(elem) => {
                if !valid::tensor(&tensor, complaints) {
                    return TokenStream::new();
                }
                let name = match reference.mutability {
                    Some(_) => "TensorMut",
                    None => "TensorRef",
                };
                let name = v.item(name, span);
                let (elem, extents) = (tensor.elem, tensor.extents(v));
                quote_spanned!(span=> #name<#elem, #extents>)
            }
            elem => match texture(elem) {
                Some(texture) if valid::texture(&texture, complaints) => {
                    let name = match reference.mutability {
                        Some(_) => "TextureMut",
                        None => "TextureRef",
                    };
                    let name = v.item(name, span);
                    let (texel, axes) = (texture.texel, texture.axes());
                    quote_spanned!(span=> #name<#texel, #axes>)
                }
                Some(_) => TokenStream::new(),
                None => {
                    valid::parameter_reference(reference, complaints);
                    TokenStream::new()
                }
            },
        },
        Type::Ptr(pointer) => {
            let name = match pointer.mutability {
                PointerMutability::Mut(_) => "PtrMut",
                PointerMutability::Const(_) => "Ptr",
            };
            handle(
                name,
                &pointer.elem,
                v,
                valid::element(&pointer.elem, complaints).is_some(),
                span,
            )
        }
        ty if local_memory(ty).is_some() => {
            let name = v.item("Local", span);
            let held = local_memory(ty);
            quote_spanned!(span=> #name<#held>)
        }
        Type::Path(path) if option(path).is_some() => {
            let inner = option(path).map(|inner| {
                // What an option refers to is a value in kernels.
                let value = shared_value(inner).filter(|_| is_in_body);
                staged_by(value.unwrap_or(inner), is_in_body, v, complaints)
            });
            let name = v.item("Opt", span);
            quote_spanned!(span=> #name<#inner>)
        }
        Type::Path(path) if let Some(value) = argument_of("Result", path) => {
            let error = match error_of(path) {
                Some(error) if is_text(error) => {
                    complaints.push(messages::ERROR_OF_TEXT.at(error, &[&valid::source(error)]));
                    any_error(is_in_body, v, span)
                }
                Some(error) => staged_by(error, is_in_body, v, complaints),
                None if is_in_body => quote_spanned!(span=> _),
                None => {
                    let words: [&dyn Display; 2] = [&valid::source(ty), &valid::source(value)];
                    complaints.push(messages::RESULT_OF_ONE.at(ty, &words));
                    any_error(is_in_body, v, span)
                }
            };
            let value = staged_by(value, is_in_body, v, complaints);
            let name = v.item("Res", span);
            quote_spanned!(span=> #name<#value, #error>)
        }
        Type::Path(path) if let Some(error) = error_of_conversion(path) => v.item(error, span),
        scalar if valid::local_type(scalar, complaints) => {
            let of = match is_in_body {
                true => of_value(scalar, v),
                false => in_memory(scalar, v),
            };
            let name = v.item("Lane", span);
            quote_spanned!(span=> #name<#of>)
        }
        _ => TokenStream::new(),
    }
}

/// An error of a type that has been complained of.
fn any_error(is_in_body: bool, v: &Runtime, span: Span) -> TokenStream {
    if is_in_body {
        return quote_spanned!(span=> _);
    }
    let name = v.item("Lane", span);
    quote_spanned!(span=> #name<::core::primitive::u32>)
}

fn handle(name: &str, elem: &Type, v: &Runtime, sound: bool, span: Span) -> TokenStream {
    if !sound {
        return TokenStream::new();
    }
    let name = v.item(name, span);
    let elem = in_memory(elem, v);
    quote_spanned!(span=> #name<#elem>)
}

/// The type of a value in a form that rustc complains of only once if it is none.
fn of_value(ty: &Type, v: &Runtime) -> TokenStream {
    match bare(ty) {
        Type::Path(_) if !valid::is_known_scalar(ty) => {
            let span = spans::first(ty);
            let value_type = v.item("ValueType", span);
            quote_spanned!(span=> <#ty as #value_type>::Itself)
        }
        Type::Array(array) => {
            let (elem, len) = (of_value(&array.elem, v), &array.len);
            spans::brackets(quote!(#elem; #len), array.bracket_token.span.join())
        }
        ty => in_memory(ty, v),
    }
}

/// A type as it lies in memory: a pointer there is a `RawPtr`, which has the same size everywhere.
pub(crate) fn in_memory(ty: &Type, v: &Runtime) -> TokenStream {
    let span = spans::first(ty);
    match bare(ty) {
        Type::Ptr(pointer) => {
            let name = match pointer.mutability {
                PointerMutability::Mut(_) => "RawPtrMut",
                PointerMutability::Const(_) => "RawPtr",
            };
            let (name, elem) = (v.item(name, span), in_memory(&pointer.elem, v));
            quote_spanned!(span=> #name<#elem>)
        }
        Type::Array(array) => {
            let (elem, len) = (in_memory(&array.elem, v), &array.len);
            spans::brackets(quote!(#elem; #len), array.bracket_token.span.join())
        }
        _ => ty.to_token_stream(),
    }
}
