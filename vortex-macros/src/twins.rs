//! How kernels find the functions that are the host's, too: names, and numbers that stand for names.

use proc_macro2::{Ident, Literal};
use quote::format_ident;
use syn::ext::IdentExt as _;

/// What stands for a method's name in the types by which its twin is found.
pub(crate) fn number_of(name: &Ident) -> Literal {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let name = name.unraw().to_string();
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    });
    Literal::u64_unsuffixed(hash)
}

/// What the staged function is called.
pub(crate) fn staged_name(name: &Ident) -> Ident {
    format_ident!("{}_in_kernels", name.unraw(), span = name.span())
}
