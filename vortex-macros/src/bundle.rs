//! Many items in one, for rustc to complain of only once where none can stand.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;

use crate::runtime::Runtime;

/// Wraps items; [`open`] undoes it.
///
/// The wrapping is an `impl`, as rustc then says that an *implementation* cannot stand in an `impl`
/// or a `trait`, and to move it out. It stands where the kernel's `name` does, so that it is plain what is to be moved.
pub(crate) fn close(items: &TokenStream, name: &Ident, v: &Runtime) -> TokenStream {
    let span = Span::mixed_site().located_at(name.span());
    let open = v.item("kernel_items", span);
    quote_spanned! {span=>
        #[#open]
        impl () {
            items! { #items }
        }
    }
}

/// The tokens in the innermost braces.
pub(crate) fn open(block: TokenStream) -> TokenStream {
    let last_group = |tokens: TokenStream| {
        tokens
            .into_iter()
            .filter_map(|token| {
                if let TokenTree::Group(group) = token {
                    Some(group.stream())
                } else {
                    None
                }
            })
            .last()
    };
    last_group(block).and_then(last_group).unwrap_or_default()
}
