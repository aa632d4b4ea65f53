//! The traits of [`std::ops`] and `From`, and ours that stand for them: `T: Add<Output = T>` of a type parameter.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Path, PathArguments, TypeParamBound, WherePredicate};

use crate::runtime::Runtime;
use crate::valid;

/// The traits of operators that assign, and those of the operators that do in kernels what they do.
const ASSIGNING: &[(&str, &str)] = &[
    ("AddAssign", "Add"),
    ("SubAssign", "Sub"),
    ("MulAssign", "Mul"),
    ("DivAssign", "Div"),
    ("RemAssign", "Rem"),
    ("BitAndAssign", "BitAnd"),
    ("BitOrAssign", "BitOr"),
    ("BitXorAssign", "BitXor"),
    ("ShlAssign", "Shl"),
    ("ShrAssign", "Shr"),
];

/// The traits of the operators that kernels have, and those of conversions and of indices.
const OPERATORS: &[&str] = &[
    "Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr", "Neg", "Not",
    "From", "Index", "IndexMut",
];

/// Bounds by the traits of operators, `T: Add<Output = T>`, become bounds by ours. Gives the user's.
pub(crate) fn in_bounds(generics: &mut Generics, v: &Runtime) -> Vec<Path> {
    let clauses = generics.where_clause.iter_mut();
    let predicates = clauses.flat_map(|clause| &mut clause.predicates);
    let of_predicates = predicates.filter_map(|predicate| match predicate {
        WherePredicate::Type(predicate) => Some((
            predicate.bounded_ty.to_token_stream(),
            &mut predicate.bounds,
        )),
        _ => None,
    });
    let of_params = generics.params.iter_mut().filter_map(|param| match param {
        GenericParam::Type(param) => Some((param.ident.to_token_stream(), &mut param.bounds)),
        _ => None,
    });
    let (mut replaced, mut conversions) = (Vec::new(), Vec::new());
    for (ty, bounds) in of_params.chain(of_predicates) {
        for mut bound in std::mem::take(bounds) {
            if let TypeParamBound::Trait(bound) = &mut bound {
                if let Some(conversion) = converted(&bound.path, &ty, v) {
                    conversions.push(conversion);
                    continue;
                }
                let ours = ours(&bound.path, v).or_else(|| assigning(&bound.path, &ty, v));
                replaced.extend(ours.map(|ours| std::mem::replace(&mut bound.path, ours)));
            }
            bounds.push(bound);
        }
    }
    if !conversions.is_empty() {
        generics.make_where_clause().predicates.extend(conversions);
    }
    replaced
}

/// What `T: Into<f32>` asks of the `f32`: kernels have the one trait for both ways.
fn converted(path: &Path, ty: &TokenStream, v: &Runtime) -> Option<WherePredicate> {
    let last = path.segments.last().filter(|last| last.ident == "Into")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let [to] = &arguments.args.iter().collect::<Vec<_>>()[..] else {
        return None;
    };
    let from = v.item("overload::From", last.ident.span());
    let predicate = syn::parse2(quote!(#to: #from<#ty>)).ok();
    predicate.filter(|_| valid::may_be_of_std(path))
}

/// What uses traits that the user names and that ours stand for: otherwise their imports would be in vain.
pub(crate) fn imports(paths: &[Path]) -> TokenStream {
    let paths = paths.iter().map(|path| {
        let mut path = path.clone();
        if let Some(last) = path.segments.last_mut() {
            last.arguments = PathArguments::None;
        }
        path
    });
    quote! {
        #(const _: () = {
            #[allow(unused_imports)]
            use #paths as _;
        };)*
    }
}

/// Our trait for what `+=` of a `T: AddAssign` does: its `+`, which gives a `T`.
fn assigning(path: &Path, ty: &TokenStream, v: &Runtime) -> Option<Path> {
    let last = path.segments.last()?;
    let is_meant = |(name, _): &&(&str, &str)| last.ident == name;
    let (_, operator) = ASSIGNING.iter().find(is_meant)?;
    if !valid::may_be_of_std(path) {
        return None;
    }
    let ours = v.item(&format!("overload::{operator}"), last.ident.span());
    let right = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.first(),
        _ => None,
    };
    let right = right.map(|right| quote!(#right,));
    syn::parse2(quote!(#ours<#right Output = #ty>)).ok()
}

/// Our trait for the operator that a trait of [`std::ops`] is for.
pub(crate) fn ours(path: &Path, v: &Runtime) -> Option<Path> {
    let last = path.segments.last()?;
    // Rust's always says what it is indexed by.
    let is_another = last.ident.to_string().starts_with("Index") && last.arguments.is_none();
    if !valid::is_one_of(&last.ident, OPERATORS) || !valid::may_be_of_std(path) || is_another {
        return None;
    }
    let ours = v.item(&format!("overload::{}", last.ident), last.ident.span());
    let mut ours: Path = syn::parse2(ours).ok()?;
    ours.segments.last_mut()?.arguments = last.arguments.clone();
    Some(ours)
}
