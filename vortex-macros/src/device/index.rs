//! `#[device] impl Index<usize> for Matrix`: what `m[i]` leads to.
//!
//! For a kernel `index` gives a value, as nothing changes it while it is referred to, and takes what it reads as a
//! place, of which only what is asked for is read. `index_mut` gives the place that its body ends in.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit::Visit;
use syn::{
    Block, Expr, ExprClosure, ExprReturn, FnArg, ImplItem, ImplItemFn, ItemFn, ItemImpl, Pat,
    ReceiverKind, ReturnType, Stmt, Type, Visibility, parse_quote, parse_quote_spanned,
};

use super::block::{of_implementation, without_self};
use super::declaration::Declaration;
use super::signature::Signature;
use super::{nested, operator, this};
use crate::body;
use crate::expand::location;
use crate::messages;
use crate::native::Side;
use crate::operators;
use crate::runtime::Runtime;
use crate::signature::Kernel;
use crate::staged;
use crate::types::bare;
use crate::valid::{self, Complaints};

/// Which of the two it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Index,
    IndexMut,
}

/// The block as one of our trait of the same name, if it is for `Index` or `IndexMut`.
pub(super) fn implementation(
    block: &ItemImpl,
    has_twins: bool,
    v: &Runtime,
    complaints: &mut Complaints,
) -> Option<TokenStream> {
    let (path, _) = block.trait_.as_ref()?;
    let last = path.segments.last()?;
    let kind = match last.ident.to_string().as_str() {
        _ if !valid::implements_std(block) => return None,
        "Index" => Kind::Index,
        "IndexMut" => Kind::IndexMut,
        _ => return None,
    };
    let twin = has_twins.then(|| operator::twin(block, v, complaints));
    let mut staged = block.clone();
    let mut named = of_implementation(&mut staged, v);
    named.push(path.clone());
    let imports = operators::imports(&named);
    let ours = operators::ours(path, v)?;
    staged.trait_.as_mut()?.0 = ours;
    for item in &mut staged.items {
        if let ImplItem::Fn(function) = item {
            let tokens = function_of(kind, function, v, complaints);
            *item = ImplItem::Verbatim(tokens);
        }
    }
    Some(quote!(#twin #imports #staged))
}

/// `index` or `index_mut`, over staged types.
fn function_of(
    kind: Kind,
    function: &ImplItemFn,
    v: &Runtime,
    complaints: &mut Complaints,
) -> TokenStream {
    let mut own = Complaints::of_a_block();
    let mut function = ItemFn {
        attrs: function.attrs.clone(),
        modifiers: Default::default(),
        vis: Visibility::Inherited,
        sig: function.sig.clone(),
        block: Box::new(function.block.clone()),
    };
    // Without what is said of types, nothing can be said of the body.
    let Some(given) = takes_place(&mut function) else {
        complaints.push(messages::INDEX_SIGNATURE.at(&function.sig, &[]));
        return TokenStream::new();
    };
    let ends = match kind {
        Kind::Index => {
            body::without_references(&mut function.block);
            function.sig.output = parse_quote!(-> #given);
            Ok(())
        }
        Kind::IndexMut => {
            function.sig.output = ReturnType::Default;
            keeps_place(&mut function.block)
        }
    };
    let block = without_self(function.block.to_token_stream());
    match (ends, syn::parse2(block)) {
        (Ok(()), Ok(block)) => function.block = Box::new(block),
        (Err(error), _) | (_, Err(error)) => {
            own.push(error);
            function.block = parse_quote!({ ::core::unreachable!() });
        }
    }
    Side::Device.choose(&mut function.block);
    let place = staged::in_signature(&given, v, &mut own);
    let (mut signature, frame) = Signature::read(function, v, &mut own);
    let span = Span::mixed_site();
    if let (Kind::Index, Some(this)) = (kind, signature.inputs.first_mut()) {
        let name = v.item("Place", span);
        this.ty = quote_spanned!(span=> #name<Self>);
    }
    let body = body::rewrite_function(
        &frame,
        &signature.inputs_of_body(),
        signature.output.as_ref(),
        &HashSet::new(),
        nested,
        v,
        &mut own,
    );
    let declaration = Declaration::in_block((&frame, &signature), None, v);
    let error = own.into_error().map(syn::Error::into_compile_error);
    match (kind, error) {
        (Kind::Index, None) => declaration.function(&body),
        (Kind::Index, Some(error)) => declaration.stub(&body, &error),
        (Kind::IndexMut, error) => {
            let does = match error {
                Some(error) => quote!(#error ::core::unreachable!()),
                None => recorded(&frame, &body.tokens, v),
            };
            let mutable = v.item("Mutable", span);
            declaration.giving(&body, &quote_spanned!(span=> #mutable<#place>), &does)
        }
    }
}

/// A parameter in the place of `self`, which is read as a place is. Gives what the function gives a reference to.
fn takes_place(function: &mut ItemFn) -> Option<Type> {
    let Some(FnArg::Receiver(receiver)) = function.sig.inputs.first() else {
        return None;
    };
    let (ReceiverKind::Reference(..), ReturnType::Type(_, output)) =
        (&receiver.kind, &function.sig.output)
    else {
        return None;
    };
    let given = match bare(output) {
        Type::Reference(reference) => (*reference.elem).clone(),
        _ => return None,
    };
    let span = receiver.self_token.span;
    let this = this(span);
    function.sig.inputs[0] = parse_quote_spanned!(span=> #this: &mut Self);
    Some(given)
}

/// The place that a block ends in gets a name.
fn keeps_place(block: &mut Block) -> Result<(), syn::Error> {
    let mut returns = Returns(None);
    returns.visit_block(block);
    if let Some(jump) = returns.0 {
        return Err(messages::INDEX_MUT_END.at(jump, &[]));
    }
    match block.stmts.pop() {
        Some(Stmt::Expr(Expr::Reference(place), None)) if place.mutability.is_some() => {
            let name = place_name();
            block.stmts.push(parse_quote!(let #name = #place;));
            Ok(())
        }
        Some(last) => Err(messages::INDEX_MUT_END.at(last, &[])),
        None => Err(messages::INDEX_MUT_END.at_span(block.brace_token.span.close(), &[])),
    }
}

/// The first `return` of a function, those of closures aside.
struct Returns<'ast>(Option<&'ast ExprReturn>);

impl<'ast> Visit<'ast> for Returns<'ast> {
    fn visit_expr_return(&mut self, jump: &'ast ExprReturn) {
        self.0.get_or_insert(jump);
    }

    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
}

fn place_name() -> Pat {
    let name = Ident::new("__vortex_place", Span::mixed_site());
    parse_quote!(#name)
}

/// A body that ends in a place.
fn recorded(frame: &Kernel, tokens: &TokenStream, v: &Runtime) -> TokenStream {
    let span = Span::mixed_site();
    let callee = v.item("function_of_place", span);
    let (name, declared) = (frame.name.to_string(), location(&frame.name));
    let place = place_name();
    quote_spanned!(span=> #callee(#name, (#declared), || { #tokens #place }))
}
