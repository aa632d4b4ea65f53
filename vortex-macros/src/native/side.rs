//! `#[cfg(host)]` and `#[cfg(not(host))]` in front of a statement: what only one of the sides has. As `cfg!(host)` it
//! is an expression.

use proc_macro2::TokenStream;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Expr, Macro, Meta, Stmt};

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

    /// The side that `cfg!(host)` or `cfg!(not(host))` is true on.
    pub(crate) fn asked_for(mac: &Macro) -> Option<Self> {
        let is_cfg = mac.path.is_ident("cfg");
        side(&mac.tokens).filter(|_| is_cfg)
    }

    /// Takes such an attribute away; gives whether what it stands on belongs to this side.
    fn has(self, attributes: &mut Vec<Attribute>) -> bool {
        let mut is_of_this = true;
        attributes.retain(|attribute| {
            let side = side_of(attribute);
            is_of_this &= side.is_none_or(|side| side == self);
            side.is_none()
        });
        is_of_this
    }
}

/// The side that an attribute names.
fn side_of(attribute: &Attribute) -> Option<Side> {
    match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => side(&list.tokens),
        _ => None,
    }
}

/// The side for which a condition holds, if it asks for nothing else.
fn side(condition: &TokenStream) -> Option<Side> {
    match &*condition.to_string().replace(' ', "") {
        "host" => Some(Side::Host),
        "not(host)" => Some(Side::Device),
        _ => None,
    }
}

/// The attributes of a statement.
fn attributes(stmt: &mut Stmt) -> Option<&mut Vec<Attribute>> {
    match stmt {
        Stmt::Local(local) => Some(&mut local.attrs),
        Stmt::Macro(mac) => Some(&mut mac.attrs),
        Stmt::Expr(expr, _) => match expr {
            Expr::Block(expr) => Some(&mut expr.attrs),
            Expr::If(expr) => Some(&mut expr.attrs),
            Expr::ForLoop(expr) => Some(&mut expr.attrs),
            Expr::While(expr) => Some(&mut expr.attrs),
            Expr::Loop(expr) => Some(&mut expr.attrs),
            Expr::Match(expr) => Some(&mut expr.attrs),
            Expr::Assign(expr) => Some(&mut expr.attrs),
            Expr::Binary(expr) => Some(&mut expr.attrs),
            Expr::Call(expr) => Some(&mut expr.attrs),
            Expr::MethodCall(expr) => Some(&mut expr.attrs),
            Expr::Macro(expr) => Some(&mut expr.attrs),
            _ => None,
        },
        Stmt::Item(_) => None,
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
