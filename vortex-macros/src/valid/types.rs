//! Which types can be written in a kernel. Names the macro does not know are left to rustc: they may
//! be aliases.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{
    Expr, ExprUnary, GenericArgument, LitInt, PathArguments, Token, Type, TypeParamBound, TypePath,
    TypeReference, UnOp,
};

use super::Complaints;
use crate::types::{bare, behind_reference, is_callable};
use crate::{messages, types};

/// The type of a parameter passed by value.
pub(crate) fn value_parameter(ty: &Type, complaints: &mut Complaints) -> Option<Type> {
    let error = match bare(ty) {
        Type::Tuple(tuple) => Some(messages::TUPLE.at(tuple, &[])),
        Type::Array(array) => return element(&array.elem, complaints).map(|_| ty.clone()),
        ty => buffer_parameter(ty, None).or_else(|| refused(ty, complaints)),
    };
    accept(ty, error, complaints)
}

/// A parameter that is written as what the host passes for it.
fn buffer_parameter(ty: &Type, reference: Option<&TypeReference>) -> Option<syn::Error> {
    let (name, elem) = host_memory(ty)?;
    let [shared, exclusive] = ["", "mut "].map(|mutable| format!("`&{mutable}[{}]`", source(elem)));
    Some(match reference {
        Some(reference) => {
            let instead = if reference.mutability.is_some() {
                exclusive
            } else {
                shared
            };
            messages::HOST_BUFFER.at(reference, &[&name, &instead])
        }
        None => messages::HOST_BUFFER.at(ty, &[&name, &format!("{shared} or {exclusive}")]),
    })
}

/// What the host calls device memory, and what that is of.
fn host_memory(ty: &Type) -> Option<(&'static str, &Type)> {
    let Type::Path(path) = bare(ty) else {
        return None;
    };
    let argument = |name| Some((name, types::argument_of(name, path)?));
    HOST_MEMORY.into_iter().find_map(argument)
}

/// The elements of a `&Buffer<T>`, and whether it is a `&mut`, if these are numbers that the host has.
pub(crate) fn elements_of_buffer(ty: &Type) -> Option<(bool, &Type)> {
    let Type::Reference(reference) = ty else {
        return None;
    };
    let (_, elem) = host_memory(&reference.elem)?;
    is_known_scalar(elem).then_some((reference.mutability.is_some(), elem))
}

/// The value of an `Option<f32>`, and of an option of a slice of such.
pub(crate) fn value_of_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = bare(ty) else {
        return None;
    };
    let value = types::argument_of("Option", path)?;
    let number = match bare(behind_reference(value)) {
        Type::Slice(slice) => &slice.elem,
        _ => value,
    };
    is_known_scalar(number).then_some(value)
}

/// Whether it is Rust's text, of which there is none on the device.
pub(super) fn is_text(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("str") || path.path.is_ident("String"))
}

/// The type of a `#[comptime]` parameter.
pub(crate) fn comptime_parameter(ty: &Type, complaints: &mut Complaints) -> Option<Type> {
    let error = match bare(ty) {
        Type::Reference(reference) if is_text(&reference.elem) => {
            Some(messages::COMPTIME_TEXT.at(ty, &[&source(ty)]))
        }
        Type::Reference(_) | Type::Ptr(_) | Type::Slice(_) | Type::Array(_) | Type::Tuple(_) => {
            let instead = match bare(ty) {
                Type::Reference(reference) if is_known_scalar(&reference.elem) => {
                    format!("write `{}`: it is passed by value", source(&reference.elem))
                }
                _ => "remove `#[comptime]`: what slices and pointers refer to is known only when the kernel runs"
                    .to_owned(),
            };
            Some(messages::COMPTIME_TYPE.at(ty, &[&source(ty), &instead]))
        }
        ty => refused(ty, complaints),
    };
    accept(ty, error, complaints)
}

/// A `usize` or an `isize` that is to lie in memory.
pub(crate) fn size_in_memory(ty: &Type) -> Option<syn::Error> {
    let Type::Path(path) = bare(ty) else {
        return None;
    };
    match path.path.get_ident()?.to_string().as_str() {
        "usize" => Some(messages::USIZE_ELEMENT.at(path, &[&"usize", &"u32"])),
        "isize" => Some(messages::USIZE_ELEMENT.at(path, &[&"isize", &"i32"])),
        _ => None,
    }
}

/// What a slice holds or a pointer points to.
pub(crate) fn element(ty: &Type, complaints: &mut Complaints) -> Option<Type> {
    let error = match bare(ty) {
        Type::Tuple(tuple) => Some(messages::TUPLE_ELEMENT.at(tuple, &[])),
        Type::Reference(_) | Type::Slice(_) => Some(messages::NESTED_ELEMENT.at(ty, &[])),
        Type::Ptr(pointer) => return element(&pointer.elem, complaints).map(|_| ty.clone()),
        ty => size_in_memory(ty).or_else(|| refused(ty, complaints)),
    };
    accept(ty, error, complaints)
}

/// A texture, as far as its tokens tell.
pub(crate) fn texture(texture: &types::Texture<'_>, complaints: &mut Complaints) -> bool {
    let texel = texture.texel;
    let is_texel = match bare(texel) {
        Type::Path(path) => match path.path.segments.last().map(|last| &last.ident) {
            Some(name) if path.path.get_ident().is_some() && is_scalar(&name.to_string()) => {
                ["u8", "u16", "f32"].iter().any(|known| name == known)
            }
            Some(name) => name != "Vec3",
            None => true,
        },
        Type::Array(_) | Type::Tuple(_) | Type::Slice(_) => false,
        _ => true,
    };
    if !is_texel {
        complaints.push(messages::TEXEL.at(texel, &[&source(texel)]));
        return false;
    }
    let axes = texture.axes();
    if syn::parse2::<LitInt>(axes.clone())
        .is_ok_and(|axes| !matches!(axes.base10_digits(), "2" | "3"))
    {
        complaints.push(messages::TEXTURE_AXES.at(&axes, &[&axes]));
        return false;
    }
    element(texel, complaints).is_some()
}

/// A tensor, as far as its tokens tell.
pub(crate) fn tensor(tensor: &types::Tensor<'_>, complaints: &mut Complaints) -> bool {
    let elem = tensor.elem;
    if is_known_scalar(elem) && !["f32", "i8", "i32"].contains(&&*source(elem)) {
        complaints.push(messages::TENSOR_ELEMENT.at(elem, &[&source(elem)]));
        return false;
    }
    if !matches!(tensor.extents.len(), 0 | 2) {
        complaints.push(messages::TENSOR_EXTENTS.at(elem, &[&source(elem)]));
        return false;
    }
    element(elem, complaints).is_some()
}

/// Whether this is the name of a type of Rust's library that lies on the heap.
fn lies_on_the_heap(name: &str) -> bool {
    ["Vec", "Box", "Rc", "Arc", "Cow", "HashMap", "BTreeMap"].contains(&name)
}

/// The type of a variable of this name in device memory.
pub(crate) fn variable_type(name: &Ident, ty: &Type, complaints: &mut Complaints) {
    match bare(ty) {
        Type::Path(path)
            if let Some(last) = path.path.segments.last()
                && let Some(number) = number_of_atomic(&last.ident.to_string()) =>
        {
            let error = messages::ATOMIC_VARIABLE.at(ty, &[&last.ident, &name, &number]);
            complaints.push(error);
        }
        Type::Path(path)
            if let Some(last) = path.path.segments.last()
                && ["Vec", "VecDeque", "Box"].contains(&last.ident.to_string().as_str()) =>
        {
            let elem = match &last.arguments {
                PathArguments::AngleBracketed(of) => source(&of.args).replace(['[', ']'], ""),
                _ => "T".to_owned(),
            };
            complaints.push(messages::HEAP_VARIABLE.at(ty, &[&last.ident, &elem]));
        }
        Type::Array(array) => variable_type(name, &array.elem, complaints),
        _ => _ = element(ty, complaints),
    }
}

/// The type of a local, or the target of `as`.
pub(crate) fn local_type(ty: &Type, complaints: &mut Complaints) -> bool {
    let error = refused(ty, complaints);
    accept(ty, error, complaints).is_some()
}

fn accept(ty: &Type, error: Option<syn::Error>, complaints: &mut Complaints) -> Option<Type> {
    match error {
        None => Some(ty.clone()),
        Some(error) => {
            complaints.push(error);
            None
        }
    }
}

/// A parameter that is local memory; what its elements are.
pub(crate) fn local_parameter(
    whole: &Type,
    memory: &Type,
    complaints: &mut Complaints,
) -> Option<Type> {
    let held = types::local_memory(memory)?;
    let is_exclusive = matches!(
        bare(whole),
        Type::Reference(reference) if reference.mutability.is_some() && reference.lifetime.is_none()
    );
    complaints.push(match bare(held) {
        Type::Slice(slice) if is_exclusive => return Some((*slice.elem).clone()),
        Type::Slice(_) => messages::LOCAL_REFERENCE.at(whole, &[&source(held)]),
        Type::Array(array) => {
            messages::LOCAL_SIZED.at(whole, &[&source(held), &source(&array.elem)])
        }
        held => messages::LOCAL_SIZED.at(whole, &[&source(held), &source(held)]),
    });
    None
}

/// A parameter that is a reference, but not to a slice.
pub(crate) fn parameter_reference(reference: &TypeReference, complaints: &mut Complaints) {
    let mutable = if reference.mutability.is_some() {
        "mut "
    } else {
        ""
    };
    let error = match bare(&reference.elem) {
        Type::Slice(slice) => match &reference.lifetime {
            // Where it is declared, that has been said.
            Some(_) if complaints.lifetimes => return,
            Some(lifetime) => {
                let plain = format!("&{mutable}{}", source(slice));
                messages::SLICE_LIFETIME.at(lifetime, &[&plain, lifetime])
            }
            None => messages::NO_TYPE.at(reference, &[]),
        },
        Type::Array(array) => {
            let slice = format!("&{mutable}[{}]", source(&array.elem));
            messages::ARRAY_REFERENCE.at(reference, &[&slice])
        }
        Type::Path(path) if let Some(number) = types::argument_of("Atomic", path) => {
            messages::ATOMIC_TYPE.at(path, &[&source(path), &source(number)])
        }
        elem => match buffer_parameter(elem, Some(reference)).or_else(|| refused(elem, complaints))
        {
            Some(error) => error,
            None if reference.mutability.is_some() => {
                messages::SCALAR_REFERENCE_MUT.at(reference, &[&source(elem)])
            }
            None => messages::SCALAR_REFERENCE.at(reference, &[&source(elem)]),
        },
    };
    complaints.push(error);
}

/// Why no value of a kernel can have this type, if so.
pub(super) fn refused(ty: &Type, complaints: &Complaints) -> Option<syn::Error> {
    Some(match bare(ty) {
        Type::Path(path) => return refused_name(path, complaints),
        Type::Array(array) => return refused(&array.elem, complaints),
        Type::ImplTrait(of) => by_trait(ty, &of.bounds),
        Type::TraitObject(of) => by_trait(ty, &of.bounds),
        Type::FnPtr(pointer) => messages::FUNCTION_POINTER.at(pointer, &[]),
        Type::Slice(slice) => messages::UNSIZED.at(slice, &[&source(slice)]),
        Type::Tuple(_) | Type::Reference(_) | Type::Ptr(_) | Type::Infer(_) => return None,
        other => messages::NO_TYPE.at(other, &[]),
    })
}

/// `impl Trait` or `dyn Trait`.
pub(crate) fn by_trait(ty: &Type, bounds: &Punctuated<TypeParamBound, Token![+]>) -> syn::Error {
    let named = bounds.iter().find_map(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last(),
        _ => None,
    });
    let name = named.map(|last| last.ident.to_string()).unwrap_or_default();
    if name.starts_with("Fn") {
        return messages::TRAIT_FUNCTION.at(ty, &[&source(ty)]);
    }
    if name.ends_with("Iterator") {
        let item = named.and_then(|last| item_of(&last.arguments));
        let item = item.map_or_else(|| "T".to_owned(), source);
        return messages::TRAIT_ITERATOR.at(ty, &[&source(ty), &item]);
    }
    messages::TRAIT_TYPE.at(ty, &[&source(ty), &source(bounds)])
}

/// The same of what a function gives.
pub(crate) fn given_by_trait(
    ty: &Type,
    bounds: &Punctuated<TypeParamBound, Token![+]>,
) -> syn::Error {
    match bounds.iter().any(is_callable) {
        true => messages::FUNCTION_GIVEN.at(ty, &[&source(ty)]),
        false => by_trait(ty, bounds),
    }
}

/// The `f32` of `Iterator<Item = f32>` and `Iterator<Item = &f32>`.
fn item_of(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return None;
    };
    let item = arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::AssocType(item) => Some(bare(&item.ty)),
        _ => None,
    })?;
    Some(match item {
        Type::Reference(reference) => &reference.elem,
        item => item,
    })
}

/// What the host calls device memory.
const HOST_MEMORY: [&str; 4] = ["Buffer", "DeviceSlice", "DevicePtr", "DevicePtrMut"];

fn is_host_memory(name: &str) -> bool {
    HOST_MEMORY.contains(&name)
}

/// Whether this is the name of a type of the host that is not written without its parameters.
fn is_generic_on_the_host(name: &str) -> bool {
    let of_std = [
        "Vec",
        "Box",
        "Rc",
        "Arc",
        "Cow",
        "HashMap",
        "BTreeMap",
        "Range",
        "RangeInclusive",
        "RangeFrom",
        "RangeTo",
    ];
    of_std.contains(&name) || is_host_memory(name)
}

pub(super) fn refused_name(ty: &TypePath, complaints: &Complaints) -> Option<syn::Error> {
    let last = ty.path.segments.last()?;
    let name = last.ident.to_string();
    // Rust's have parameters. A struct of the user's may have such a name.
    if last.arguments.is_empty() && is_generic_on_the_host(&name) {
        return None;
    }
    let scalar = refused_scalar(&name, ty);
    if scalar.is_some() {
        return scalar;
    }
    Some(match name.as_str() {
        "char" => messages::CHAR.at(ty, &[]),
        "str" | "String" => messages::TEXT.at(ty, &[&name]),
        name if lies_on_the_heap(name) => messages::HEAP.at(ty, &[&name]),
        "Range" | "RangeInclusive" | "RangeFrom" | "RangeTo" => messages::RANGE_TYPE.at(ty, &[]),
        name if let Some(number) = number_of_atomic(name) => {
            messages::ATOMIC_TYPE.at(ty, &[&name, &number])
        }
        "Option" if last.arguments.is_empty() => {
            messages::OPTION_OF_WHAT.at(ty, &[&name, &"Option<f32>"])
        }
        "Option" => match types::argument_of("Option", ty) {
            Some(Type::Reference(slice)) if let Type::Slice(_) = bare(&slice.elem) => {
                messages::OPTION_OF_SLICE.at(ty, &[&source(slice)])
            }
            _ => messages::OPTION.at(ty, &[&name]),
        },
        "Result" => messages::RESULT.at(ty, &[&name]),
        "DevicePtr" => messages::HOST_POINTER.at(ty, &[&name, &"RawPtr", &"as_ptr"]),
        "DevicePtrMut" => messages::HOST_POINTER.at(ty, &[&name, &"RawPtrMut", &"as_mut_ptr"]),
        _ if is_host_memory(&name) => messages::HOST_VALUE.at(ty, &[&name]),
        "Self" if !complaints.knows_self => messages::SELF_TYPE.at(ty, &[]),
        _ => return None,
    })
}

/// The device's number in place of one of Rust's atomic types.
pub(super) fn number_of_atomic(name: &str) -> Option<&'static str> {
    match name {
        "AtomicU32" | "AtomicUsize" | "AtomicU64" | "AtomicU16" | "AtomicU8" | "AtomicBool" => {
            Some("u32")
        }
        "AtomicI32" | "AtomicIsize" | "AtomicI64" | "AtomicI16" | "AtomicI8" => Some("i32"),
        _ => None,
    }
}

/// Numbers that the device has not.
pub(crate) fn refused_scalar(name: &str, at: impl ToTokens) -> Option<syn::Error> {
    Some(match name {
        "f64" => messages::F64.at(at, &[]),
        "f128" => messages::QUAD.at(at, &[]),
        "i128" => messages::WIDE_INTEGER.at(at, &[&name, &"i64"]),
        "u128" => messages::WIDE_INTEGER.at(at, &[&name, &"u64"]),
        _ => return None,
    })
}

/// Whether this is certainly the scalar type of that name, and not a name only rustc can look up.
pub(crate) fn is_known_scalar(ty: &Type) -> bool {
    let Type::Path(path) = bare(ty) else {
        return false;
    };
    path.path
        .get_ident()
        .is_some_and(|name| is_scalar(&name.to_string()))
}

/// Whether a type has this name on the device.
pub(crate) fn is_scalar(name: &str) -> bool {
    [
        "bool", "i8", "i16", "i32", "u8", "u16", "u32", "i64", "u64", "f32", "usize", "isize",
    ]
    .contains(&name)
}

/// `-x` or `!x`, of a type of this name.
pub(crate) fn unary(unary: &ExprUnary, operand: &Expr, ty: &str) -> Option<syn::Error> {
    let text = source(operand);
    match unary.op {
        UnOp::Neg(_) if ["u8", "u16", "u32", "u64", "usize", "bool"].contains(&ty) => {
            Some(messages::NEGATED.at(unary, &[&ty, &text]))
        }
        UnOp::Not(_) if is_one_of_floats(ty) => Some(messages::INVERTED.at(unary, &[&ty, &text])),
        _ => None,
    }
}

/// Whether a type has this name, and is one of floats.
pub(crate) fn is_one_of_floats(name: &str) -> bool {
    ["f16", "bf16", "f32"].contains(&name)
}

/// Code as one would write it, without the spaces that tokens are printed with.
pub(crate) fn source(code: &impl ToTokens) -> String {
    let text = code.to_token_stream().to_string();
    let mut out = String::with_capacity(text.len());
    // Between the bars of a closure.
    let mut in_bars = false;
    // Lists of generic arguments around this point.
    let mut lists = 0_usize;
    for c in text.chars() {
        let opens_bars = c == '|'
            && !in_bars
            && (out.is_empty() || out.trim_end().ends_with(['(', ',', '=', '{']));
        let closes_bars = c == '|' && in_bars;
        let opens_list = c == '<' && begins_a_list(&out);
        let closes_list = c == '>' && lists > 0 && !out.ends_with(['-', '=']);
        let is_joined = match c {
            '|' => closes_bars,
            '<' => opens_list,
            '>' => closes_list,
            ']' | ')' | ':' | ',' | ';' => true,
            '[' | '(' => ends_in_an_operand(&out),
            _ => false,
        };
        if is_joined && out.ends_with(' ') {
            out.pop();
        }
        let is_after_bar = in_bars && out.ends_with('|');
        let is_after_list = lists > 0 && out.ends_with('<');
        let is_joined =
            is_after_bar || is_after_list || out.ends_with(['[', '(', ':']) || ends_in_a_sign(&out);
        if !(c == ' ' && is_joined) {
            out.push(c);
        }
        lists = lists + usize::from(opens_list) - usize::from(closes_list);
        in_bars = opens_bars || in_bars && !closes_bars;
    }
    out.replace("* const ", "*const ")
        .replace("* mut ", "*mut ")
        .replace(" . ", ".")
        .replace(" .. ", "..")
        .replace(" ..= ", "..=")
}

/// Whether `<` after this begins a list of generic arguments: after the name of a type, by its case.
fn begins_a_list(text: &str) -> bool {
    let text = text.trim_end();
    let is_of_a_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = &text[text.trim_end_matches(is_of_a_word).len()..];
    match word {
        "" => text.is_empty() || text.ends_with([':', '(', ',', '&', '[', '<', '=']),
        "impl" | "for" => true,
        word => word.starts_with(char::is_uppercase),
    }
}

/// Whether this ends in the sign of what follows, `-x`, and not in an operator between two values.
fn ends_in_a_sign(text: &str) -> bool {
    let before = text.strip_suffix("&&");
    let before = before.or_else(|| text.strip_suffix(['-', '*', '!', '&']));
    before.is_some_and(|before| !ends_in_an_operand(before))
}

/// The same where a method is called on it, or it is cast.
pub(crate) fn as_receiver(expr: &Expr) -> String {
    let binds_less = matches!(
        expr,
        Expr::Binary(_) | Expr::Unary(_) | Expr::Cast(_) | Expr::Reference(_) | Expr::Range(_)
    );
    let text = source(expr);
    if binds_less {
        format!("({text})")
    } else {
        text
    }
}

/// Whether brackets that follow belong to what is written so far: `x [i]`, `f (x)`, and not `&mut [T]`, `&'a [T]`.
fn ends_in_an_operand(text: &str) -> bool {
    let text = text.trim_end();
    let is_of_a_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let word = &text[text.trim_end_matches(is_of_a_word).len()..];
    match word {
        "mut" | "const" | "dyn" | "impl" | "as" | "in" | "if" | "match" | "return" => false,
        "" => text.ends_with([')', ']']),
        word => !word.starts_with('\''),
    }
}

#[cfg(test)]
mod tests {
    use super::source;

    #[test]
    fn code_is_shown_as_it_is_written() {
        for code in [
            "&mut [f32]",
            "&'a [Vec3<f32>]",
            "*const [u32; 4]",
            "&mut (u32, f32)",
            "p.x",
            "x[i + 1].v[0]",
            "global_id().0",
            "f(x)(y)[z]",
            "y[1..n]",
            "(0..=9).rev()",
            "x.iter().max_by(|a, b| a.total_cmp(b))",
            "|a, b| a + b",
            "x.iter().filter(|v| **v > 0.0)",
            "f(-x[i], !b) + -1.0 * *p",
            "if i < n && -j > 0 & !0 { a } else { b }",
            "Vec::<f32>::new()",
            "<T as Iterator>::Item",
            "impl Fn(f32) -> Option<Vec<f32>>",
            "x.iter().position(|&v| v | 1 == 3)",
            "Fn(u32) -> [u32; 2]",
        ] {
            let tokens: proc_macro2::TokenStream = code.parse().unwrap();
            assert_eq!(source(&tokens), code);
        }
    }
}
