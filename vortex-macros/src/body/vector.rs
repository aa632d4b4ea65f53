//! What short vectors surely do not have: other fields and methods, methods of floats where they hold integers, casts.

use std::fmt::Display;

use syn::{
    Expr, ExprCast, ExprField, ExprMethodCall, GenericArgument, Member, PathArguments, Type,
};

use super::{Rewriter, unparenthesized};
use crate::{messages, types, valid};

impl Rewriter<'_> {
    /// `p[i].w` of a vector of three.
    pub(super) fn component_of_vector(&self, field: &ExprField) -> Option<syn::Error> {
        let (Expr::Index(_), Member::Named(name)) = (unparenthesized(&field.base), &field.member)
        else {
            return None;
        };
        let ty = self.type_of_operand(unparenthesized(&field.base))?;
        let (components, list): (&[&str], _) = match ty.get(..5)? {
            "Vec2<" => (&["x", "y"], "`x` and `y`"),
            "Vec3<" => (&["x", "y", "z"], "`x`, `y` and `z`"),
            "Vec4<" => (&["x", "y", "z", "w"], "`x`, `y`, `z` and `w`"),
            _ => return None,
        };
        let instead = match valid::by_coordinates(&name.to_string()) {
            Some(letter) if components.contains(&letter.as_str()) => format!("`{letter}`"),
            _ if valid::is_swizzle(name) => {
                format!(
                    "`{name}()` for a vector of these; assign to each by itself, as in `v.x = ..`"
                )
            }
            _ => "one of them".to_owned(),
        };
        let words: [&dyn Display; 4] = [&ty, &list, name, &instead];
        (!valid::is_one_of(name, components)).then(|| messages::VECTOR_FIELD.at(name, &words))
    }

    /// `c[i].rgb()` and `v[i].len()` of a vector.
    pub(super) fn method_of_vector(&self, call: &ExprMethodCall) -> Option<syn::Error> {
        let ty = self.type_of_operand(unparenthesized(&call.receiver))?;
        let is_vector = ["Vec2<", "Vec3<", "Vec4<"]
            .iter()
            .any(|vec| ty.starts_with(vec));
        let name = call.method.to_string();
        let instead = match name.as_str() {
            "len" | "norm" | "mag" | "magnitude" => "length".to_owned(),
            "normalized" | "unit" => "normalize".to_owned(),
            "normalize" | "length" => return of_integers(call, &ty),
            "cross" => return no_cross_product(call, &ty),
            name => valid::by_coordinates(name).filter(|letters| letters.len() > 1)?,
        };
        let words: [&dyn Display; 3] = [&ty, &name, &instead];
        (is_vector && call.args.is_empty())
            .then(|| messages::VECTOR_METHOD.at(&call.method, &words))
    }
}

/// `v[i].cross(w)` of a `Vec2<f32>`.
fn no_cross_product(call: &ExprMethodCall, ty: &str) -> Option<syn::Error> {
    let (letters, _) = parts(ty)?;
    let [other] = &call.args.iter().collect::<Vec<_>>()[..] else {
        return None;
    };
    let [v, w] = [&*call.receiver, other].map(|vector| match unparenthesized(vector) {
        place @ (Expr::Path(_) | Expr::Index(_) | Expr::Field(_)) => Some(valid::source(place)),
        _ => None,
    });
    let (v, w) = (v.unwrap_or("v".to_owned()), w.unwrap_or("w".to_owned()));
    let instead = match letters {
        "xy" => format!("`{v}.x * {w}.y - {v}.y * {w}.x`, which is one number"),
        "xyzw" => format!("`{v}.xyz().cross({w}.xyz())`"),
        _ => return None,
    };
    let words: [&dyn Display; 2] = [&ty, &instead];
    Some(messages::CROSS_PRODUCT.at(&call.method, &words))
}

/// `v[i].normalize()` of a `Vec3<i32>`.
fn of_integers(call: &ExprMethodCall, ty: &str) -> Option<syn::Error> {
    let (letters, element) = parts(ty)?;
    let is_float = ["f32", "f16", "bf16"].contains(&element);
    let words: [&dyn Display; 3] = [
        &call.method,
        &ty,
        &converted(&call.receiver, letters, "f32"),
    ];
    (!is_float && valid::is_scalar(element) && call.args.is_empty())
        .then(|| messages::VECTOR_OF_INTEGERS.at(&call.method, &words))
}

/// `v as Vec3<u8>`.
pub(super) fn cast(cast: &ExprCast) -> Option<syn::Error> {
    let Type::Path(path) = types::bare(&cast.ty) else {
        return None;
    };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let [GenericArgument::Type(element)] = &arguments.args.iter().collect::<Vec<_>>()[..] else {
        return None;
    };
    let letters = letters(&last.ident.to_string())?;
    let words: [&dyn Display; 2] = [
        &valid::source(&cast.ty),
        &converted(&cast.expr, letters, &valid::source(element)),
    ];
    Some(messages::VECTOR_CAST.at(&cast.ty, &words))
}

/// `vec3(v.x as f32, v.y as f32, v.z as f32)`.
fn converted(vector: &Expr, letters: &str, element: &str) -> String {
    let vector = match unparenthesized(vector) {
        place @ (Expr::Path(_) | Expr::Index(_) | Expr::Field(_)) => valid::source(place),
        _ => "v".to_owned(),
    };
    let parts = letters
        .chars()
        .map(|letter| format!("{vector}.{letter} as {element}"));
    format!(
        "vec{}({})",
        letters.len(),
        parts.collect::<Vec<_>>().join(", ")
    )
}

/// The components of a vector's type, and the type of these.
fn parts(ty: &str) -> Option<(&'static str, &str)> {
    let (name, rest) = ty.split_once('<')?;
    Some((letters(name)?, rest.strip_suffix('>')?))
}

fn letters(name: &str) -> Option<&'static str> {
    Some(match name {
        "Vec2" => "xy",
        "Vec3" => "xyz",
        "Vec4" => "xyzw",
        _ => return None,
    })
}
