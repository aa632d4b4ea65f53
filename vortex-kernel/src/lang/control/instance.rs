//! Names of instances of generic kernels.

use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::lang::Kernel;

/// `scale<f32>`, for an instance of `scale`. Each is made once.
#[must_use]
pub fn instance_name<K: Kernel>() -> &'static str {
    static NAMES: Mutex<Option<HashMap<TypeId, &'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    names.entry(TypeId::of::<K>()).or_insert_with(|| {
        let name = format!("{}{}", K::META.name, arguments(type_name::<K>()));
        Box::leak(name.into_boxed_str())
    })
}

/// What stands between the angle brackets of a type, without the paths in front of names.
fn arguments(ty: &str) -> String {
    let start = ty.find('<').unwrap_or(ty.len());
    without_paths(&ty[start..])
}

/// A type as [`type_name`] has it, without the paths in front of names.
#[must_use]
pub fn without_paths(ty: &str) -> String {
    let mut out = String::new();
    for c in ty.chars() {
        out.push(c);
        if out.ends_with("::") {
            let path = |c: char| c == ':' || c == '_' || c.is_alphanumeric();
            let kept = out.trim_end_matches(path).len();
            out.truncate(kept);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{arguments, without_paths};

    #[test]
    fn paths_are_left_out() {
        assert_eq!(arguments("my::kernels::scale<f32, 4>"), "<f32, 4>");
        assert_eq!(
            arguments("a::b<my::Vec3, a::Pair<c::d::E, u8>>"),
            "<Vec3, Pair<E, u8>>"
        );
        assert_eq!(arguments("a::b"), "");
        assert_eq!(
            without_paths("a::Pair<b::c::E, [d::F; 3]>"),
            "Pair<E, [F; 3]>"
        );
    }
}
