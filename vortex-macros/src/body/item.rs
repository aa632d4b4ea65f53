//! Paths that name items of the host: constants, and the program's variables in device memory. Which of them it is,
//! rustc knows.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprPath};

use super::{Rewriter, option, unparenthesized};
use crate::valid::Access;
use crate::{messages, spans, valid};

impl Rewriter<'_> {
    /// Whether a path is neither a local's nor one that the language knows.
    pub(super) fn names_an_item(&self, path: &ExprPath) -> bool {
        let is_local = path.qself.is_none()
            && (path.path.get_ident()).is_some_and(|name| self.scope.find(name).is_some());
        let is_none = path.qself.is_none() && option::is_none(&path.path);
        !is_local
            && !is_none
            && valid::constant(&path.path).is_none()
            && valid::device_constant(&path.path).is_none()
    }

    /// The same of an expression, or what it is a field of.
    pub(super) fn is_item(&self, expr: &Expr) -> bool {
        matches!(unparenthesized(expr), Expr::Path(path) if self.names_an_item(path))
    }

    /// Whether a name by itself is that of no local, and not written as one of a constant.
    pub(super) fn is_unknown(&self, path: &ExprPath) -> bool {
        path.path.get_ident().is_some_and(|name| {
            self.scope.find(name).is_none() && !valid::is_constant_name(&name.to_string())
        })
    }

    /// An item, by this method of what names it.
    pub(super) fn item_by(&mut self, path: &ExprPath, method: &str) -> TokenStream {
        let (first, last) = (spans::first(path), spans::last(path));
        let name = self.v.item("Named", first);
        let text = valid::names_of_path(&path.path).join("::");
        let item = self.known_constant(path);
        let fields = spans::braces(quote_spanned!(first=> item: #item, name: #text), last);
        let method = Ident::new(method, first);
        let nothing = spans::parens(TokenStream::new(), last);
        quote_spanned!(first=> #name #fields.#method #nothing)
    }

    /// An item that is written to, or changed as a whole.
    fn item_to_change(&mut self, path: &ExprPath) -> TokenStream {
        let (first, last) = (spans::first(path), spans::last(path));
        let item = self.known_constant(path);
        self.call("Changeable::place_mut", first, item, last)
    }

    /// `x += 1.0` in a method, of a name that nothing has: perhaps that of a field.
    pub(super) fn field_without_self(&self, path: &ExprPath) -> Option<syn::Error> {
        let name = path.path.get_ident()?;
        let is_one = self.kernel.is_of_a_block
            && self.scope.has(messages::SELF)
            && self.scope.find(name).is_none()
            && !valid::may_be_a_static(path);
        is_one.then(|| messages::ASSIGN_FIELD.at(path, &[name]))
    }

    /// An item of which a part is read or written. `None` after a complaint.
    pub(super) fn item_to(&mut self, path: &ExprPath, access: Access) -> Option<TokenStream> {
        if access == Access::Read {
            return Some(self.item_by(path, "place"));
        }
        if !valid::may_be_a_static(path) {
            let error = self.field_without_self(path);
            self.complain(error.unwrap_or_else(|| valid::not_a_local(path)));
            return None;
        }
        Some(self.item_to_change(path))
    }

    /// An item on which a method of places is called.
    pub(super) fn item_with(&mut self, path: &ExprPath, method: &Ident) -> TokenStream {
        let atomic = valid::orderings(&method.to_string()) > 0;
        if method != "atomic" && !atomic {
            return self.item_by(path, "place");
        }
        let place = self.item_to_change(path);
        match atomic {
            true => quote_spanned!(method.span()=> #place.atomic()),
            false => quote!(#place),
        }
    }
}
