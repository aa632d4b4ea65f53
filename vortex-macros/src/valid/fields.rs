//! Which types a field of a device type can have, as far as their tokens tell.

use proc_macro2::Ident;
use syn::{
    Field, GenericArgument, Path, PathArguments, PointerMutability, Type, TypePath, TypePtr,
    TypeReference,
};

use super::types::{is_text, number_of_atomic, refused, refused_name};
use super::{Complaints, is_one_of, source};
use crate::messages;
use crate::types::{argument_of, bare};

/// Complains of a field that no type of the device has.
pub(crate) fn device_field(field: &Field, complaints: &mut Complaints) {
    if let Some(error) = refused_field(field.ident.as_ref(), &field.ty) {
        complaints.push(error);
    }
}

fn refused_field(name: Option<&Ident>, ty: &Type) -> Option<syn::Error> {
    Some(match bare(ty) {
        Type::Array(array) => return refused_field(name, &array.elem),
        Type::Tuple(tuple) if tuple.elems.is_empty() => messages::FIELD_NOTHING.at(tuple, &[]),
        Type::Tuple(tuple) => messages::FIELD_TUPLE.at(tuple, &[]),
        Type::FnPtr(function) => messages::FIELD_FUNCTION.at(function, &[]),
        Type::Slice(slice) => elements(name, ty, "", &slice.elem),
        Type::Reference(reference) => borrowed(name, reference),
        Type::Ptr(pointer) => raw(pointer),
        Type::Path(path) => {
            let of_std = size(path).or_else(|| of_std(name, path));
            return of_std.or_else(|| refused_name(path, &Complaints::of_a_block()));
        }
        ty => return refused(ty, &Complaints::of_a_block()),
    })
}

/// `usize` and `isize`.
fn size(ty: &TypePath) -> Option<syn::Error> {
    let number = number_of_size(&ty.path.get_ident()?.to_string())?;
    Some(messages::FIELD_USIZE.at(ty, &[&source(ty), &number]))
}

/// The device's number in place of one that is as wide as an address.
fn number_of_size(name: &str) -> Option<&'static str> {
    match name {
        "usize" => Some("u32"),
        "isize" => Some("i32"),
        _ => None,
    }
}

/// Elements that are somewhere else, or as many as there happen to be.
fn elements(name: Option<&Ident>, whole: &Type, mutable: &str, elem: &Type) -> syn::Error {
    let name = name.map_or_else(|| "values".to_owned(), Ident::to_string);
    let parameter = format!("{name}: &{mutable}[{}]", source(elem));
    messages::FIELD_SLICE.at(whole, &[&source(whole), &name, &parameter])
}

fn borrowed(name: Option<&Ident>, reference: &TypeReference) -> syn::Error {
    let whole = Type::Reference(reference.clone());
    let mutable = match reference.mutability {
        Some(_) => "mut ",
        None => "",
    };
    match bare(&reference.elem) {
        ty if is_text(ty) => messages::FIELD_TEXT.at(reference, &[&source(reference)]),
        Type::Slice(slice) => elements(name, &whole, mutable, &slice.elem),
        Type::Array(array) => elements(name, &whole, mutable, &array.elem),
        Type::Path(path) if let Some(elem) = argument_of("Vec", path) => {
            elements(name, &whole, mutable, elem)
        }
        elem => refused(elem, &Complaints::of_a_block()).unwrap_or_else(|| {
            messages::FIELD_REFERENCE.at(reference, &[&source(reference), &source(elem)])
        }),
    }
}

fn raw(pointer: &TypePtr) -> syn::Error {
    let mutable = match pointer.mutability {
        PointerMutability::Mut(_) => "Mut",
        PointerMutability::Const(_) => "",
    };
    let instead = format!("RawPtr{mutable}<{}>", source(&pointer.elem));
    messages::FIELD_POINTER.at(pointer, &[&source(pointer), &instead])
}

/// A type of Rust's library.
fn of_std(field: Option<&Ident>, ty: &TypePath) -> Option<syn::Error> {
    let name = ty.path.segments.last()?.ident.to_string();
    let whole = source(ty);
    if let Some(number) = number_of_non_zero(&name, &ty.path) {
        return Some(messages::FIELD_WRAPPER.at(ty, &[&whole, &number]));
    }
    if let Some(number) = number_of_atomic(&name) {
        let field = field.map_or_else(|| "values".to_owned(), Ident::to_string);
        return Some(messages::FIELD_ATOMIC.at(ty, &[&whole, &number, &field]));
    }
    if ["String", "PathBuf", "OsString", "CString"].contains(&name.as_str()) {
        return Some(messages::FIELD_TEXT.at(ty, &[&whole]));
    }
    match argument(&ty.path) {
        Some(held) if is_wrapper(&name) => refused_field(field, held)
            .or_else(|| Some(messages::FIELD_WRAPPER.at(ty, &[&whole, &source(held)]))),
        Some(held) => generic(&name, ty, held),
        // A struct of the user's may have such a name.
        None => None,
    }
}

/// Whether this is a type that kernels do without, as what it holds can be written anyway, and wraps anyway.
fn is_wrapper(name: &str) -> bool {
    let of_std = [
        "RefCell",
        "UnsafeCell",
        "OnceCell",
        "Mutex",
        "RwLock",
        "Wrapping",
        "Saturating",
        "MaybeUninit",
        "ManuallyDrop",
    ];
    of_std.contains(&name)
}

/// Whether a type has the name of a time of Rust's library. The user may have one, too.
pub(crate) fn is_named_as_a_time(ty: &Type) -> bool {
    let Type::Path(path) = bare(ty) else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| is_one_of(&last.ident, &["Duration", "Instant", "SystemTime"]))
}

/// A type of Rust's library that holds another one.
fn generic(name: &str, ty: &TypePath, held: &Type) -> Option<syn::Error> {
    let whole = source(ty);
    Some(match name {
        "Option" => messages::FIELD_OPTION.at(ty, &[&whole]),
        "Result" => messages::FIELD_RESULT.at(ty, &[&whole]),
        "Vec" | "VecDeque" | "BinaryHeap" | "LinkedList" | "HashSet" | "BTreeSet" => {
            messages::FIELD_HEAP.at(ty, &[&name])
        }
        "HashMap" | "BTreeMap" => messages::FIELD_MAP.at(ty, &[&name]),
        "Box" | "Rc" | "Arc" | "Weak" | "Cow" => return Some(boxed(name, ty, held)),
        "Range" | "RangeInclusive" | "RangeFrom" | "RangeTo" => {
            messages::FIELD_RANGE.at(ty, &[&device_number(held)])
        }
        _ => return None,
    })
}

/// What lies on the heap by itself.
fn boxed(name: &str, ty: &TypePath, held: &Type) -> syn::Error {
    match bare(held) {
        held if is_text(held) => messages::FIELD_TEXT.at(ty, &[&source(ty)]),
        Type::Slice(_) => messages::FIELD_HEAP.at(ty, &[&name]),
        held => refused(held, &Complaints::of_a_block())
            .unwrap_or_else(|| messages::FIELD_BOX.at(ty, &[&name, &source(held)])),
    }
}

/// The number in place of `NonZeroU32` and `NonZero<u32>`.
fn number_of_non_zero(name: &str, path: &Path) -> Option<String> {
    Some(match name.strip_prefix("NonZero")? {
        "" => device_number(argument(path)?),
        "Usize" => "u32".to_owned(),
        "Isize" => "i32".to_owned(),
        "U128" => "u64".to_owned(),
        "I128" => "i64".to_owned(),
        of @ ("U8" | "U16" | "U32" | "U64" | "I8" | "I16" | "I32" | "I64") => of.to_lowercase(),
        _ => return None,
    })
}

/// A type of the host as one writes it for the device.
fn device_number(ty: &Type) -> String {
    let text = source(ty);
    number_of_size(&text).map_or(text, str::to_owned)
}

/// The first type, or the first behind a lifetime, that a path is given.
fn argument(path: &Path) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}
