//! The attributes of kernels: each is declared here and nowhere else.
//!
//! From a row follow how it is written in `#[kernel(..)]` (here), and, through
//! [`kernel_attributes`](crate::kernel_attributes), the field of `meta::Attributes` with its place in every view of
//! the metadata (in `vortex-kernel`).

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// One attribute.
pub(crate) struct Declared {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    /// How it is written, for messages and documentation.
    pub(crate) example: &'static str,
    /// A line of documentation.
    pub(crate) summary: &'static str,
}

/// What an attribute's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// `n`, `(x, y)` or `(x, y, z)`, each a `usize`.
    Size,
    /// A `u32`.
    Number,
    /// A `bool`; the name alone means `true`.
    Flag,
    /// A type to compute with: a scalar or a short vector.
    Type,
    /// `"full"` or `"none"`.
    Checks,
    /// `(checks)`, after the name.
    Denied,
    /// `[1, -2, 3]`, each an `i32`.
    Integers,
}

/// All of them.
pub(crate) const DECLARED: &[Declared] = &[
    Declared {
        name: "block",
        takes: Takes::Size,
        example: "block = (16, 1, 1)",
        summary: "Work items of a group, which every launch must have (`reqd_work_group_size`).",
    },
    Declared {
        name: "grid",
        takes: Takes::Size,
        example: "grid = (8, 8)",
        summary: "Groups that every launch has.",
    },
    Declared {
        name: "block_hint",
        takes: Takes::Size,
        example: "block_hint = (16, 1, 1)",
        summary: "Work items of a group where a launch leaves the choice open (`work_group_size_hint`).",
    },
    Declared {
        name: "subgroup",
        takes: Takes::Number,
        example: "subgroup = 4",
        summary: "Lanes of a warp, which the device must have (`sub_group_size`).",
    },
    Declared {
        name: "vec_hint",
        takes: Takes::Type,
        example: "vec_hint = f32",
        summary: "What the kernel mostly computes with (`vec_type_hint`).",
    },
    Declared {
        name: "checks",
        takes: Takes::Checks,
        example: "checks = \"full\"` or `checks = \"none\"",
        summary: "What is checked, other than indices and divisions.",
    },
    Declared {
        name: "deny",
        takes: Takes::Denied,
        example: "deny(checks)",
        summary: "What the compiled kernel must not have.",
    },
    Declared {
        name: "contract",
        takes: Takes::Flag,
        example: "contract",
        summary: "Whether a product and the sum it goes into may be rounded once.",
    },
    Declared {
        name: "tags",
        takes: Takes::Integers,
        example: "tags = [1, -2, 3]",
        summary: "Numbers for tools, which mean nothing to the compiler.",
    },
];

impl Takes {
    /// The type of the field in `meta::Attributes`, as `vortex-kernel` names it.
    fn field_type(self) -> TokenStream {
        match self {
            Self::Size => quote!([u32; 3]),
            Self::Number => quote!(u32),
            Self::Flag => quote!(bool),
            Self::Type => quote!(VecHint),
            Self::Checks => quote!(Checks),
            Self::Denied => quote!(Denied),
            Self::Integers => quote!(Integers),
        }
    }
}

/// `#callback { #[doc = ..] name: type; .. }`, for `vortex-kernel`.
pub(crate) fn rows(callback: &TokenStream, declared: &[Declared]) -> TokenStream {
    let rows = declared.iter().map(|row| {
        let name = Ident::new(row.name, Span::call_site());
        let (ty, summary) = (row.takes.field_type(), row.summary);
        quote!(#[doc = #summary] #name: #ty;)
    });
    quote!(#callback { #(#rows)* })
}
