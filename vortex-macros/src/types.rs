//! What a type says that the user wrote, as far as its tokens tell.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericArgument, Path, PathArguments, ReturnType, Type, TypeParamBound, TypePath};

use crate::runtime::Runtime;
use crate::{spans, valid};

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
pub(crate) fn option(path: &TypePath) -> Option<&Type> {
    argument_of("Option", path)
}

/// The `E` of `Result<T, E>`.
pub(crate) fn error_of(path: &TypePath) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    match arguments.args.get(1)? {
        GenericArgument::Type(error) => Some(error),
        _ => None,
    }
}

/// Whether a type is what the host describes errors by: `&str`, `String`, `Box<dyn Error>`.
pub(crate) fn is_text(ty: &Type) -> bool {
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

/// What is called here what `u8::try_from(n)` and `x.try_into()` of a slice give as errors.
pub(crate) fn error_of_conversion(path: &TypePath) -> Option<&'static str> {
    match path.path.segments.last()?.ident.to_string().as_str() {
        "TryFromIntError" => Some("NotInRange"),
        "TryFromSliceError" => Some("OfAnotherLength"),
        _ => None,
    }
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

/// The `T` of `Name<T>`.
pub(crate) fn argument_of<'t>(name: &str, path: &'t TypePath) -> Option<&'t Type> {
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(ty) if last.ident == name => Some(ty),
        _ => None,
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

/// `Fn`, `FnMut`, `FnOnce`.
pub(crate) fn is_callable(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else {
        return false;
    };
    let Some(last) = bound.path.segments.last() else {
        return false;
    };
    matches!(last.arguments, PathArguments::Parenthesized(_))
}

/// What a function takes and gives that is of this type: `impl Fn(A) -> B`, `fn(A) -> B`, `Box<dyn Fn(A) -> B>`.
pub(crate) fn called_with(ty: &Type) -> Option<(Vec<&Type>, &ReturnType)> {
    let bounds = match bare(ty) {
        Type::FnPtr(pointer) => {
            let inputs = pointer.inputs.iter().map(|input| &input.ty);
            return Some((inputs.collect(), &pointer.output));
        }
        Type::Reference(reference) => return called_with(&reference.elem),
        Type::Path(path) => {
            return match &path.path.segments.last()?.arguments {
                PathArguments::AngleBracketed(held) => match held.args.first()? {
                    GenericArgument::Type(ty) => called_with(ty),
                    _ => None,
                },
                _ => None,
            };
        }
        Type::ImplTrait(of) => &of.bounds,
        Type::TraitObject(of) => &of.bounds,
        _ => return None,
    };
    bounds.iter().find_map(|bound| match bound {
        TypeParamBound::Trait(bound) => match &bound.path.segments.last()?.arguments {
            PathArguments::Parenthesized(function) => {
                let inputs = function.inputs.iter().map(|input| &input.ty);
                Some((inputs.collect(), &function.output))
            }
            _ => None,
        },
        _ => None,
    })
}

/// The type itself, or what it refers to.
pub(crate) fn behind_reference(ty: &Type) -> &Type {
    match bare(ty) {
        Type::Reference(reference) => bare(&reference.elem),
        ty => ty,
    }
}
