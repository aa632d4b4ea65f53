//! A device function, as it is declared.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ItemFn;

use super::signature::Signature;
use crate::runtime::Runtime;
use crate::signature::Kernel;

/// A device function, but for what it does.
pub(super) struct Declaration<'a> {
    pub(super) frame: &'a Kernel,
    pub(super) signature: &'a Signature,
    /// What it is on the host, if it is anything there.
    pub(super) twin: Option<&'a Twin>,
    /// Whether it belongs to no type.
    pub(super) is_free: bool,
    /// What it is called, if not as the user calls it: the name is the host's.
    pub(super) staged: Option<&'a Ident>,
    pub(super) v: &'a Runtime,
}

impl<'a> Declaration<'a> {
    /// Of a function of a type or a trait, which is not on the host.
    pub(super) fn in_block(
        (frame, signature): (&'a Kernel, &'a Signature),
        staged: Option<&'a Ident>,
        v: &'a Runtime,
    ) -> Self {
        Self {
            frame,
            signature,
            twin: None,
            is_free: false,
            staged,
            v,
        }
    }

    /// What the function results in. If it gives nothing, that is a type of ours: so that one of the host, which
    /// gives `()`, can be told from it.
    pub(super) fn output(&self) -> TokenStream {
        let output = self.signature.output.clone();
        output.unwrap_or_else(|| self.v.item("Nothing", Span::mixed_site()))
    }
}

/// What a device function is on the host.
pub(crate) struct Twin {
    pub(super) function: ItemFn,
}
