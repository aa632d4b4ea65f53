//! `#[cfg(host)]` and `#[cfg(not(host))]` in front of a statement or an item: what only one of the sides has. As
//! `cfg!(host)` it is an expression. `host` may stand inside of `all(..)`, `any(..)` and `not(..)` next to conditions
//! that rustc knows: then these are left to rustc.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Item, Macro, Meta, MetaList, Stmt, Token, parse_quote};

use crate::body::expr::attributes_mut;

/// Which side a body is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Device,
    Host,
}

impl Side {
    /// Leaves out what the other side has.
    pub(crate) fn choose(mut self, block: &mut Block) {
        self.visit_block_mut(block);
    }

    /// What `cfg!(..)` is on this side, if it asks for the side.
    pub(crate) fn answer(self, mac: &Macro) -> Option<Answer> {
        let mut condition = mac.parse_body::<Meta>().ok()?;
        if !mac.path.is_ident("cfg") || !asks_for_a_side(&condition) {
            return None;
        }
        Some(match self.resolve(&mut condition) {
            Some(is_so) => Answer::Known(is_so),
            None => {
                let mut mac = mac.clone();
                mac.tokens = condition.to_token_stream();
                Answer::Rustc(mac)
            }
        })
    }

    /// Takes such attributes away, or what they ask for the side; gives whether what they stand on belongs to this
    /// side.
    fn has(self, attributes: &mut Vec<Attribute>) -> bool {
        let mut is_of_this = true;
        attributes.retain_mut(|attribute| {
            let Meta::List(list) = &mut attribute.meta else {
                return true;
            };
            let Ok(mut condition) = list.parse_args::<Meta>() else {
                return true;
            };
            if !list.path.is_ident("cfg") || !asks_for_a_side(&condition) {
                return true;
            }
            let is_so = self.resolve(&mut condition);
            is_of_this &= is_so != Some(false);
            list.tokens = condition.to_token_stream();
            is_so.is_none()
        });
        is_of_this
    }

    /// Whether a condition holds on this side, if that is all that it depends on. Otherwise `host` in it becomes what
    /// rustc knows as true or as false.
    fn resolve(self, condition: &mut Meta) -> Option<bool> {
        if is_host(condition) {
            let holds = self == Self::Host;
            *condition = match holds {
                true => parse_quote!(all()),
                false => parse_quote!(any()),
            };
            return Some(holds);
        }
        let Meta::List(list) = condition else {
            return None;
        };
        let (is_all, is_any) = (list.path.is_ident("all"), list.path.is_ident("any"));
        if !(is_all || is_any || list.path.is_ident("not")) {
            return None;
        }
        let mut parts = parts(list)?;
        let known: Vec<_> = parts.iter_mut().map(|part| self.resolve(part)).collect();
        list.tokens = parts.to_token_stream();
        match (is_all, is_any, &known[..]) {
            (true, ..) if known.contains(&Some(false)) => Some(false),
            (true, ..) if known.iter().all(Option::is_some) => Some(true),
            (_, true, _) if known.contains(&Some(true)) => Some(true),
            (_, true, _) if known.iter().all(Option::is_some) => Some(false),
            (false, false, [one]) => one.map(|one| !one),
            _ => None,
        }
    }
}

/// What `cfg!(..)` is on a side.
pub(crate) enum Answer {
    Known(bool),
    /// What rustc is to say, with the part about the side settled.
    Rustc(Macro),
}

/// `host`.
fn is_host(condition: &Meta) -> bool {
    matches!(condition, Meta::Path(path) if path.is_ident("host"))
}

/// Whether `host` is a part of a condition.
fn asks_for_a_side(condition: &Meta) -> bool {
    match condition {
        Meta::List(list) => parts(list).is_some_and(|parts| parts.iter().any(asks_for_a_side)),
        condition => is_host(condition),
    }
}

/// What stands inside of `all(..)` and its like.
fn parts(list: &MetaList) -> Option<Punctuated<Meta, Token![,]>> {
    list.parse_args_with(Punctuated::parse_terminated).ok()
}

/// The attributes of a statement.
fn attributes(stmt: &mut Stmt) -> Option<&mut Vec<Attribute>> {
    match stmt {
        Stmt::Local(local) => Some(&mut local.attrs),
        Stmt::Macro(mac) => Some(&mut mac.attrs),
        Stmt::Expr(expr, _) => attributes_mut(expr),
        Stmt::Item(item) => match item {
            Item::Fn(item) => Some(&mut item.attrs),
            Item::Const(item) => Some(&mut item.attrs),
            Item::Static(item) => Some(&mut item.attrs),
            Item::Struct(item) => Some(&mut item.attrs),
            Item::Enum(item) => Some(&mut item.attrs),
            Item::Type(item) => Some(&mut item.attrs),
            Item::Use(item) => Some(&mut item.attrs),
            Item::Impl(item) => Some(&mut item.attrs),
            Item::Trait(item) => Some(&mut item.attrs),
            Item::Mod(item) => Some(&mut item.attrs),
            Item::Union(item) => Some(&mut item.attrs),
            _ => None,
        },
    }
}

impl VisitMut for Side {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let side = *self;
        block
            .stmts
            .retain_mut(|stmt| attributes(stmt).is_none_or(|attributes| side.has(attributes)));
        visit_mut::visit_block_mut(self, block);
    }
}
