//! The types of a body, as its rewritten form has them.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{GenericArgument, Path, PathArguments, PointerMutability, Type, TypePath};

use crate::runtime::Runtime;
use crate::valid::{self, Complaints};
use crate::{messages, spans};

/// The type of a local: `f32` becomes `Lane<f32>`, slices and pointers their handles, tuples tuples.
pub(crate) fn staged(ty: &Type, v: &Runtime, complaints: &mut Complaints) -> TokenStream {
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
            let inner = option(path).map(|inner| staged_by(inner, is_in_body, v, complaints));
            let name = v.item("Opt", span);
            quote_spanned!(span=> #name<#inner>)
        }
        Type::Path(path) if let Some(value) = argument_of("Result", path) => {
            let error = match error_of(path) {
                Some(error) if is_text(error) => {
                    complaints.push(messages::ERROR_OF_TEXT.at(error, &[&valid::source(error)]));
                    return TokenStream::new();
                }
                Some(error) => staged_by(error, is_in_body, v, complaints),
                None if is_in_body => quote_spanned!(span=> _),
                None => {
                    let words: [&dyn Display; 2] = [&valid::source(ty), &valid::source(value)];
                    complaints.push(messages::RESULT_OF_ONE.at(ty, &words));
                    return TokenStream::new();
                }
            };
            let value = staged_by(value, is_in_body, v, complaints);
            let name = v.item("Res", span);
            quote_spanned!(span=> #name<#value, #error>)
        }
        Type::Path(path) if is_error_of_conversion(path) => v.item("NotInRange", span),
        scalar if valid::local_type(scalar, complaints) => {
            let of = match is_in_body {
                true => known(scalar, v),
                false => in_memory(scalar, v),
            };
            let name = v.item("Lane", span);
            quote_spanned!(span=> #name<#of>)
        }
        _ => TokenStream::new(),
    }
}

/// An option or a result, whose parts are types of their own.
pub(crate) struct Wrapped<'t> {
    /// What it is staged as.
    pub(crate) name: &'static str,
    pub(crate) parts: Vec<&'t Type>,
}

/// The same, of a type that says all of its parts.
pub(crate) fn wrapped(ty: &Type) -> Option<Wrapped<'_>> {
    let Type::Path(path) = bare(ty) else {
        return None;
    };
    if let Some(value) = option(path) {
        let parts = vec![value];
        return Some(Wrapped { name: "Opt", parts });
    }
    let (value, error) = (argument_of("Result", path)?, error_of(path)?);
    let parts = vec![value, error];
    (!is_text(error)).then_some(Wrapped { name: "Res", parts })
}

/// Whether a path is the type of a plain value of kernels, as far as it says.
pub(crate) fn is_value(path: &TypePath) -> bool {
    option(path).is_none()
        && argument_of("Local", path).is_none()
        && argument_of("Result", path).is_none()
}

/// The `T` of a `&T` that is a value of its own in kernels.
pub(crate) fn shared_value(ty: &Type) -> Option<&Type> {
    let Type::Reference(reference) = bare(ty) else {
        return None;
    };
    let elem = bare(&reference.elem);
    let is_value = match elem {
        Type::Array(_) => true,
        Type::Path(path) => is_value(path) && tensor(elem).is_none() && texture(elem).is_none(),
        _ => false,
    };
    (is_value && reference.mutability.is_none()).then_some(elem)
}

/// The `T` of `Option<T>`.
fn option(path: &TypePath) -> Option<&Type> {
    argument_of("Option", path)
}

/// The `E` of `Result<T, E>`.
fn error_of(path: &TypePath) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    match arguments.args.get(1)? {
        GenericArgument::Type(error) => Some(error),
        _ => None,
    }
}

/// Whether a type is what the host describes errors by: `&str`, `String`, `Box<dyn Error>`.
fn is_text(ty: &Type) -> bool {
    match bare(ty) {
        Type::Reference(reference) => is_text(&reference.elem),
        Type::TraitObject(_) => true,
        Type::Path(path) => {
            let last = path.path.segments.last();
            last.is_some_and(|last| valid::is_one_of(&last.ident, &["str", "String", "Box"]))
        }
        _ => false,
    }
}

/// Whether this is what `u8::try_from(n)` gives as an error.
pub(crate) fn is_error_of_conversion(path: &TypePath) -> bool {
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "TryFromIntError")
}

/// The `T` of `Local<T>`.
pub(crate) fn local_memory(ty: &Type) -> Option<&Type> {
    match bare(ty) {
        Type::Path(path) => argument_of("Local", path),
        _ => None,
    }
}

/// `Texture<T>` or `Texture<T, 3>`.
pub(crate) struct Texture<'t> {
    /// Without what is between the angle brackets.
    pub(crate) path: Path,
    pub(crate) texel: &'t Type,
    /// The 3.
    written: Option<&'t GenericArgument>,
}

impl Texture<'_> {
    /// The number of axes, 2 if the type does not say.
    pub(crate) fn axes(&self) -> TokenStream {
        match self.written {
            Some(axes) => axes.to_token_stream(),
            None => quote!(2),
        }
    }
}

/// A type that is a texture.
pub(crate) fn texture(ty: &Type) -> Option<Texture<'_>> {
    let Type::Path(of) = bare(ty) else {
        return None;
    };
    let texel = argument_of("Texture", of)?;
    let PathArguments::AngleBracketed(arguments) = &of.path.segments.last()?.arguments else {
        return None;
    };
    let mut path = of.path.clone();
    path.segments.last_mut()?.arguments = PathArguments::None;
    Some(Texture {
        path,
        texel,
        written: arguments.args.iter().nth(1),
    })
}

/// `Tensor<T, M, N>` or `Tensor<T>`.
pub(crate) struct Tensor<'t> {
    /// Without what is between the angle brackets.
    pub(crate) path: Path,
    pub(crate) elem: &'t Type,
    /// What follows the element.
    pub(crate) extents: Vec<&'t GenericArgument>,
}

impl Tensor<'_> {
    /// Rows and columns, also if the type does not name them.
    pub(crate) fn extents(&self, v: &Runtime) -> TokenStream {
        match self.extents.as_slice() {
            [rows, cols] => quote!(#rows, #cols),
            _ => {
                let at_launch = v.item("AT_LAUNCH", spans::first(self.elem));
                quote!({ #at_launch }, { #at_launch })
            }
        }
    }
}

/// A type that is a tensor.
pub(crate) fn tensor(ty: &Type) -> Option<Tensor<'_>> {
    let Type::Path(of) = bare(ty) else {
        return None;
    };
    let elem = argument_of("Tensor", of)?;
    let PathArguments::AngleBracketed(arguments) = &of.path.segments.last()?.arguments else {
        return None;
    };
    let mut path = of.path.clone();
    path.segments.last_mut()?.arguments = PathArguments::None;
    Some(Tensor {
        path,
        elem,
        extents: arguments.args.iter().skip(1).collect(),
    })
}

fn argument_of<'t>(name: &str, path: &'t TypePath) -> Option<&'t Type> {
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(ty) if last.ident == name => Some(ty),
        _ => None,
    }
}

fn handle(
    name: &str,
    elem: &Type,
    v: &Runtime,
    sound: bool,
    span: proc_macro2::Span,
) -> TokenStream {
    if !sound {
        return TokenStream::new();
    }
    let name = v.item(name, span);
    let elem = in_memory(elem, v);
    quote_spanned!(span=> #name<#elem>)
}

/// The type of a value in a form that rustc complains of only once if it is none.
fn known(ty: &Type, v: &Runtime) -> TokenStream {
    match bare(ty) {
        Type::Path(_) if !valid::is_known_scalar(ty) => {
            let span = spans::first(ty);
            let known = v.item("Known", span);
            quote_spanned!(span=> <#ty as #known>::Itself)
        }
        Type::Array(array) => {
            let (elem, len) = (known(&array.elem, v), &array.len);
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

/// A type without the parentheses around it, visible or not.
pub(crate) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(ty) => bare(&ty.elem),
        Type::Group(ty) => bare(&ty.elem),
        _ => ty,
    }
}
