//! What stands in for what kernels cannot have, so that nothing that uses it is a mistake, too.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{ImplItem, Item, ItemFn, ItemImpl, Path, Type, TypeSlice, Visibility, parse_quote};

use super::expand;
use super::signature::Signature;
use crate::runtime::Runtime;
use crate::types::bare;
use crate::valid::{self, Complaints};

/// An item with the attributes that it should have had: on a type a derive, in a module those of its functions.
pub(super) fn with_attributes(item: TokenStream, krate: Option<Path>) -> TokenStream {
    let Ok(Item::Mod(mut module)) = syn::parse2::<Item>(item.clone()) else {
        let attributes = valid::attributes_of_a_type(&item, krate);
        return quote!(#attributes #item);
    };
    let krate = krate.unwrap_or_else(|| parse_quote!(::vortex));
    let items = module.content.iter_mut().flat_map(|(_, items)| items);
    for item in items {
        let attributes = match item {
            Item::Fn(function) => &mut function.attrs,
            Item::Impl(block) => &mut block.attrs,
            Item::Trait(block) => &mut block.attrs,
            _ => continue,
        };
        attributes.push(parse_quote!(#[#krate::device]));
    }
    module.into_token_stream()
}

/// What stands in for an `impl` block.
pub(super) fn stand_in(block: &ItemImpl, v: &Runtime) -> TokenStream {
    if valid::is_for_the_host(block) {
        return block.to_token_stream();
    }
    // Of parameters that only the trait names, rustc would say that nothing determines them.
    if !block.generics.params.is_empty() {
        return TokenStream::new();
    }
    match bare(&block.self_ty) {
        Type::Slice(slice) => of_slice(block, slice, v),
        this => {
            let methods = methods(block, &parse_quote!(pub(crate)), v);
            quote!(impl #this { #(#methods)* })
        }
    }
}

/// Methods of a slice are those of a trait in kernels: nobody else may add one.
fn of_slice(block: &ItemImpl, slice: &TypeSlice, v: &Runtime) -> TokenStream {
    let span = Span::mixed_site();
    let first = block.items.iter().find_map(|item| match item {
        ImplItem::Fn(function) => Some(&function.sig.ident),
        _ => None,
    });
    let Some(first) = first else {
        return TokenStream::new();
    };
    let name = format_ident!("__VortexRefused_{first}");
    let methods = methods(block, &Visibility::Inherited, v);
    let elem = &slice.elem;
    let slices = ["Slice", "SliceMut"].map(|name| v.item(name, span));
    quote_spanned! {span=>
        #[allow(dead_code, non_camel_case_types)]
        trait #name: ::core::marker::Sized { #(#methods)* }
        #(impl #name for #slices<#elem> {})*
    }
}

/// Functions that take as many arguments, and give what the block's say.
fn methods(block: &ItemImpl, vis: &Visibility, v: &Runtime) -> Vec<TokenStream> {
    let functions = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let stubs = functions.map(|function| {
        let mut function = ItemFn {
            attrs: Vec::new(),
            modifiers: Default::default(),
            vis: vis.clone(),
            sig: function.sig.clone(),
            block: Box::new(function.block.clone()),
        };
        Associated(block).visit_signature_mut(&mut function.sig);
        let (signature, frame) = Signature::read(function, v, &mut Complaints::of_a_block());
        expand::any_call(&frame, &signature, v)
    });
    stubs.collect()
}

/// Writes out `Self::Item`, which only the block that is refused says.
struct Associated<'b>(&'b ItemImpl);

impl VisitMut for Associated<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        let found = self.0.items.iter().find_map(|item| match (item, &*ty) {
            (ImplItem::Type(declared), Type::Path(path)) => {
                let (of, name) = valid::last_two(&path.path)?;
                (of == "Self" && *name == declared.ident).then(|| declared.ty.clone())
            }
            _ => None,
        });
        match found {
            Some(found) => *ty = found,
            None => visit_mut::visit_type_mut(self, ty),
        }
    }
}
