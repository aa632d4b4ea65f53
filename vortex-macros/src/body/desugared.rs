//! Forms that stand for others: they are rewritten as what one could write instead.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Expr, ExprClosure, ExprIf, ExprMethodCall, ExprPath, ExprReference, Lit, Local, Pat, PatIdent,
    PatType, Stmt, Token, Type,
};
use syn::{UnOp, parse_quote_spanned};

use super::named::mentions;
use super::{iterator, option, temporary, unparenthesized, unreferenced};
use crate::{spans, valid};

/// What a `&mut` of a slice leads to, if there is such an element: `y.get_mut(i)`, `y.first_mut()`, `y.last_mut()`.
struct Sought<'e> {
    base: &'e Expr,
    index: Expr,
}

impl<'e> Sought<'e> {
    fn read(expr: &'e Expr) -> Option<Self> {
        let Expr::MethodCall(call) = unparenthesized(expr) else {
            return None;
        };
        let base = &*call.receiver;
        let span = call.method.span();
        let method = call.method.to_string();
        let index = match (method.as_str(), call.args.first()) {
            ("get_mut", Some(index)) if !matches!(index, Expr::Range(_)) => index.clone(),
            ("first_mut", None) => parse_quote_spanned!(span=> 0),
            // Of a slice without elements this is no index either.
            ("last_mut", None) => parse_quote_spanned!(span=> #base.len().wrapping_sub(1)),
            _ => return None,
        };
        Some(Self { base, index })
    }

    /// The index, in a local; whether it is one; and the element.
    fn parts(&self, name: &PatIdent) -> (Stmt, Expr, Stmt) {
        let (base, index, span) = (self.base, &self.index, spans::first(self.base));
        let at = temporary("index", span);
        let declared = parse_quote_spanned!(span=> let #at = #index;);
        let is_one = parse_quote_spanned!(span=> #at < #base.len());
        let element = parse_quote_spanned!(span=> let #name = &mut #base[#at];);
        (declared, is_one, element)
    }
}

/// The name of `Some(name)`.
fn name_in_some(pat: &Pat) -> Option<&PatIdent> {
    let Pat::TupleStruct(tuple) = pat else {
        return None;
    };
    match (option::variant_pattern(tuple)?, tuple.elems.len()) {
        ((variant, Pat::Ident(name)), 1)
            if variant.test == "matches_some" && valid::is_plain_name(name) =>
        {
            Some(name)
        }
        _ => None,
    }
}

/// `if let Some(v) = y.get_mut(i) { .. }`: a comparison of the index, and the element.
pub(super) fn if_element(conditional: &ExprIf) -> Option<Expr> {
    let Expr::Let(condition) = &*conditional.cond else {
        return None;
    };
    let sought = Sought::read(&condition.expr)?;
    let (declared, is_one, element) = sought.parts(name_in_some(&condition.pat)?);
    let (span, then) = (conditional.if_token.span, &conditional.then_branch);
    let otherwise = conditional.else_branch.as_ref().map(|(_, expr)| expr);
    Some(match otherwise {
        Some(otherwise) => {
            parse_quote_spanned!(span=> { #declared if #is_one { #element #then } else #otherwise })
        }
        None => parse_quote_spanned!(span=> { #declared if #is_one { #element #then } }),
    })
}

/// `let Some(v) = y.get_mut(i) else { .. };`, likewise.
pub(super) fn let_element(local: &Local) -> Option<[Stmt; 3]> {
    let init = local.init.as_ref()?;
    let (else_token, otherwise) = init.diverge.as_ref()?;
    let sought = Sought::read(&init.expr)?;
    let (declared, is_one, element) = sought.parts(name_in_some(&local.pat)?);
    let span = else_token.span;
    let missing = parse_quote_spanned!(span=> if !(#is_one) #otherwise);
    Some([declared, missing, element])
}

/// `let mut f = || { n += 1; n };`: whether a closure changes what it captures is not asked here, so the `mut` that
/// Rust wants would be in vain.
pub(super) fn let_closure(local: &Local) -> Option<Local> {
    let init = local.init.as_ref()?;
    let (Pat::Ident(ident), Expr::Closure(_)) = (&local.pat, unparenthesized(&init.expr)) else {
        return None;
    };
    ident.mutability?;
    let mut local = local.clone();
    if let Pat::Ident(ident) = &mut local.pat {
        ident.mutability = None;
    }
    Some(local)
}

/// `let f = f32::sqrt;`, `let f: fn(f32) -> f32 = f32::sqrt;`, and with a closure: one that takes what is known.
pub(super) fn let_function(local: &Local) -> Option<Local> {
    let mut init = local.init.clone()?;
    let (name, taken) = match &local.pat {
        Pat::Type(typed) => match &*typed.ty {
            Type::FnPtr(pointer) => {
                let taken = pointer.inputs.iter().map(|input| input.ty.clone());
                (&*typed.pat, taken.collect())
            }
            _ => return None,
        },
        name => (name, taken_by_method(&init.expr)?),
    };
    if !matches!(name, Pat::Ident(name) if name.mutability.is_none()) {
        return None;
    }
    match &mut *init.expr {
        Expr::Path(function) => {
            let span = spans::first(function);
            let names = (0..taken.len()).map(|number| temporary(&format!("given_{number}"), span));
            let names: Vec<_> = names.collect();
            *init.expr = parse_quote_spanned!(span=> |#(#names: #taken),*| #function(#(#names),*));
        }
        Expr::Closure(closure) if closure.inputs.len() == taken.len() => {
            for (input, ty) in closure.inputs.iter_mut().zip(taken) {
                if !matches!(input, Pat::Type(_)) {
                    *input = Pat::Type(PatType {
                        attrs: Vec::new(),
                        pat: Box::new(input.clone()),
                        colon_token: Token![:](spans::first(&ty)),
                        ty: Box::new(ty),
                    });
                }
            }
        }
        _ => return None,
    }
    Some(Local {
        pat: name.clone(),
        init: Some(init),
        ..local.clone()
    })
}

/// What `f32::powi` takes: what it is called on, and another number.
fn taken_by_method(function: &Expr) -> Option<Vec<Type>> {
    let Expr::Path(path) = function else {
        return None;
    };
    let (ty, method) = valid::method_of_number(path)?;
    let count = valid::arguments_of_a_number(&method)?;
    let of = |number| match valid::wanted(&method) {
        Some(valid::Wanted::Of(other)) if number > 0 => Ident::new(other, ty.span()),
        _ => ty.clone(),
    };
    let types = (0..=count).map(of);
    Some(
        types
            .map(|ty| parse_quote_spanned!(ty.span()=> #ty))
            .collect(),
    )
}

/// `x.iter().nth(n)`: what is found first after the first `n` items.
pub(super) fn nth(call: &ExprMethodCall) -> Option<ExprMethodCall> {
    let (receiver, span) = (&call.receiver, call.method.span());
    if call.method != "nth" || !iterator::is_sequence(receiver) {
        return None;
    }
    let n = call.args.first()?;
    Some(parse_quote_spanned!(span=> #receiver.skip(#n).find(|_| true)))
}

/// `x.atomic(i).compare_exchange_weak(..)`, which may fail for no reason, and never does: an exchange as any other.
pub(super) fn strong(call: &ExprMethodCall) -> Option<ExprMethodCall> {
    let of_atomic = match unparenthesized(&call.receiver) {
        Expr::MethodCall(atomic) => atomic.method == "atomic",
        receiver => valid::is_static(receiver),
    };
    (of_atomic && call.method == "compare_exchange_weak").then(|| ExprMethodCall {
        method: Ident::new("compare_exchange", call.method.span()),
        ..call.clone()
    })
}

/// The `y` of `&mut *y` and `&*y`.
pub(super) fn reborrowed(reference: &ExprReference) -> Option<&Expr> {
    match unparenthesized(&reference.expr) {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
            Some(unparenthesized(&unary.expr))
        }
        _ => None,
    }
}

/// The `y` of `&mut *y` and `&*y`, of whatever else the expression itself.
pub(super) fn gone_over(expr: &Expr) -> &Expr {
    match unparenthesized(expr) {
        Expr::Reference(reference) => reborrowed(reference).unwrap_or(expr),
        _ => expr,
    }
}

/// `let [a, b] = &mut v;`, of names: one `let` for each.
pub(super) fn let_parts(local: &Local) -> Option<Vec<Stmt>> {
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    let Expr::Reference(reference) = unparenthesized(&init.expr) else {
        return None;
    };
    let place = unparenthesized(&reference.expr);
    if reference.mutability.is_none() || !matches!(place, Expr::Path(_) | Expr::Field(_)) {
        return None;
    }
    let (names, is_array): (Vec<_>, bool) = match &local.pat {
        Pat::Slice(slice) => (slice.elems.iter().collect(), true),
        Pat::Tuple(tuple) => (tuple.elems.iter().collect(), false),
        _ => return None,
    };
    let named = names.into_iter().enumerate();
    let named = named.filter(|(_, name)| !matches!(name, Pat::Wild(_)));
    let parts = named.map(|(number, name)| {
        let span = spans::first(name);
        let number = Literal::usize_unsuffixed(number);
        Some(match (name, is_array) {
            (Pat::Ident(name), _) if !valid::is_plain_name(name) => return None,
            (Pat::Ident(name), true) => {
                parse_quote_spanned!(span=> let #name = &mut #place[#number];)
            }
            (Pat::Ident(name), false) => {
                parse_quote_spanned!(span=> let #name = &mut #place.#number;)
            }
            _ => return None,
        })
    });
    parts.collect()
}

/// `let (a, b) = (&mut x[i], &mut y[j]);`: one `let` for each, if none asks for a name that is declared before it.
pub(super) fn let_references(local: &Local) -> Option<Vec<Stmt>> {
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    let (Pat::Tuple(names), Expr::Tuple(values)) = (&local.pat, unparenthesized(&init.expr)) else {
        return None;
    };
    let is_exclusive = |value: &Expr| match unparenthesized(value) {
        Expr::Reference(reference) => reference.mutability.is_some(),
        _ => false,
    };
    if names.elems.len() != values.elems.len() || !values.elems.iter().any(is_exclusive) {
        return None;
    }
    let mut declared: Vec<&Ident> = Vec::new();
    let mut statements = Vec::new();
    for (name, value) in names.elems.iter().zip(&values.elems) {
        let Pat::Ident(pat) = name else {
            return None;
        };
        if !valid::is_plain_name(pat) || declared.iter().any(|name| mentions(value, name)) {
            return None;
        }
        declared.push(&pat.ident);
        statements.push(parse_quote_spanned!(spans::first(name)=> let #pat = #value;));
    }
    Some(statements)
}

/// `|a, b| a.rank.cmp(&b.rank)`: two items that are compared by a key.
pub(super) struct Comparison {
    /// What gives the key of an item.
    pub(super) key: ExprClosure,
    /// Whether it is less that is more.
    pub(super) is_reversed: bool,
}

/// What `x.iter().max_by(..)` and the like are handed, if it is such a comparison.
pub(super) fn comparison(argument: &Expr) -> Option<Comparison> {
    let named;
    let closure = match unparenthesized(argument) {
        Expr::Closure(closure) => closure,
        Expr::Path(path) => {
            named = comparison_by_name(path)?;
            &named
        }
        _ => return None,
    };
    let names: Vec<_> = closure
        .inputs
        .iter()
        .map(name_of_item)
        .collect::<Option<_>>()?;
    let [a, b] = names[..] else {
        return None;
    };
    let Expr::MethodCall(call) = unparenthesized(&closure.body) else {
        return None;
    };
    let (other, 1) = (call.args.first()?, call.args.len()) else {
        return None;
    };
    if !valid::is_one_of(&call.method, &["cmp", "total_cmp"]) {
        return None;
    }
    let (receiver, other) = (unparenthesized(&call.receiver), unreferenced(other));
    let (of, is_reversed) = match () {
        () if renamed(other, b, a) == renamed(receiver, a, a) => (a, false),
        () if renamed(other, a, b) == renamed(receiver, b, b) => (b, true),
        () => return None,
    };
    let mut key = closure.clone();
    let pat = closure
        .inputs
        .iter()
        .find(|pat| name_of_item(pat) == Some(of))?;
    key.inputs = std::iter::once(pat.clone()).collect();
    *key.body = match call.method == "total_cmp" {
        true => {
            let span = spans::first(receiver);
            let method = Ident::new(valid::TOTAL_ORDER, span);
            parse_quote_spanned!(span=> (#receiver).#method())
        }
        false => receiver.clone(),
    };
    Some(Comparison { key, is_reversed })
}

/// The same of `x.sort_by_key(..)` and `x.iter().max_by_key(..)`, if the key is a `std::cmp::Reverse(..)`.
pub(super) fn reversed_key(argument: &Expr) -> Option<Comparison> {
    let Expr::Closure(closure) = unparenthesized(argument) else {
        return None;
    };
    let mut key = closure.clone();
    *key.body = reversed(&closure.body)?;
    Some(Comparison {
        key,
        is_reversed: true,
    })
}

/// The `e` of `Reverse(e)`, also at the end of a block.
fn reversed(expr: &Expr) -> Option<Expr> {
    match unparenthesized(expr) {
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else {
                return None;
            };
            let is_reverse =
                (path.path.segments.last()).is_some_and(|last| last.ident == "Reverse");
            (is_reverse && call.args.len() == 1).then(|| call.args.first().cloned())?
        }
        Expr::Block(block) => {
            let mut block = block.clone();
            let Some(Stmt::Expr(last, None)) = block.block.stmts.last_mut() else {
                return None;
            };
            *last = reversed(last)?;
            Some(Expr::Block(block))
        }
        _ => None,
    }
}

/// `f32::total_cmp`, `u32::cmp` and `Ord::cmp` as closures.
fn comparison_by_name(path: &ExprPath) -> Option<ExprClosure> {
    let (of, function) = valid::last_two(&path.path)?;
    let is_one = match function.to_string().as_str() {
        "total_cmp" => of == "f32",
        "cmp" => of == "Ord" || valid::is_scalar(&of.to_string()),
        _ => false,
    };
    let span = function.span();
    is_one.then(|| parse_quote_spanned!(span=> |one, other| one.#function(other)))
}

/// The name for a whole item that a pattern is.
pub(super) fn name_of_item(pat: &Pat) -> Option<&Ident> {
    match pat {
        Pat::Ident(name) if valid::is_plain_name(name) => Some(&name.ident),
        Pat::Reference(reference) => name_of_item(&reference.pat),
        Pat::Paren(inner) => name_of_item(&inner.pat),
        _ => None,
    }
}

/// An expression as text, with one name in the place of another. Whether it is
/// dereferenced makes no difference to a value.
fn renamed(expr: &Expr, from: &Ident, to: &Ident) -> String {
    fn rename(tokens: TokenStream, from: &Ident, to: &Ident, text: &mut String) {
        for token in tokens {
            match token {
                TokenTree::Ident(name) if name == *from => *text += &format!(" {to}"),
                TokenTree::Punct(punct) if punct.as_char() == '*' => {}
                TokenTree::Group(group) => {
                    *text += &format!(" {:?}", group.delimiter());
                    rename(group.stream(), from, to, text);
                    *text += " end";
                }
                token => *text += &format!(" {token}"),
            }
        }
    }
    let mut text = String::new();
    rename(expr.to_token_stream(), from, to, &mut text);
    text
}

/// `let s: &[T] = &a[..];` for a `&a` without it, a `b"text"`, or a name of a reference to an array: rustc makes a
/// slice of an array.
pub(super) fn whole_slice(
    local: &Local,
    refers_to_an_array: impl FnOnce(&Expr) -> bool,
) -> Option<Local> {
    let Pat::Type(typed) = &local.pat else {
        return None;
    };
    let (Pat::Ident(_), Type::Reference(to)) = (&*typed.pat, &*typed.ty) else {
        return None;
    };
    let value = unparenthesized(&local.init.as_ref()?.expr);
    let (and, whole) = match value {
        Expr::Reference(reference) => {
            let whole = unparenthesized(&reference.expr);
            let has_elements = matches!(
                whole,
                Expr::Path(_) | Expr::Field(_) | Expr::Array(_) | Expr::Repeat(_)
            );
            let (and, mutability) = (reference.and_token, reference.mutability);
            (
                quote!(#and #mutability),
                Some(whole).filter(|_| has_elements),
            )
        }
        Expr::Lit(lit) if matches!(lit.lit, Lit::ByteStr(_)) => {
            (quote_spanned!(spans::first(lit)=> &), Some(value))
        }
        name if refers_to_an_array(name) => (quote_spanned!(spans::first(name)=> &), Some(name)),
        _ => return None,
    };
    let whole = whole.filter(|_| matches!(&*to.elem, Type::Slice(_)))?;
    let mut local = local.clone();
    *local.init.as_mut()?.expr = parse_quote_spanned!(spans::last(whole)=> #and #whole[..]);
    Some(local)
}
