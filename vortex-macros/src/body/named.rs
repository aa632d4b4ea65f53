//! Names of locals, for debuggers: after each declaration of a local that is used, a statement that hands its name and
//! its value to the recorder, which keeps them where somebody wants to debug the kernel. What is not used stays so, for
//! rustc to warn of: only its name is kept.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Stmt;

use super::Rewriter;
use super::scope::{Binding, Declared};

/// The names that each of some statements mentions.
pub(super) struct Mentions(Vec<HashSet<String>>);

impl Mentions {
    pub(super) fn of(statements: &[Stmt]) -> Self {
        let names = statements.iter().map(|statement| {
            let mut names = HashSet::new();
            collect(statement.to_token_stream(), &mut names);
            names
        });
        Self(names.collect())
    }

    /// Whether one of the statements from this one on mentions a name.
    fn after(&self, index: usize, name: &str) -> bool {
        let mut later = self.0.iter().skip(index);
        later.any(|names| names.contains(name))
    }
}

/// Whether code mentions a name.
pub(super) fn mentions(code: &impl ToTokens, name: &Ident) -> bool {
    let mut names = HashSet::new();
    collect(code.to_token_stream(), &mut names);
    names.contains(&name.to_string())
}

fn collect(tokens: TokenStream, names: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => _ = names.insert(name.to_string()),
            TokenTree::Group(group) => collect(group.stream(), names),
            // `"{name}"`.
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let captured = text.split('{').skip(1).map(|rest| {
                    let is_part = |c: char| c.is_alphanumeric() || c == '_';
                    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                    rest[..end].to_owned()
                });
                names.extend(captured.filter(|name| !name.is_empty()));
            }
            TokenTree::Punct(_) => {}
        }
    }
}

impl Rewriter<'_> {
    /// Statements that say what the locals are called that have been declared since the last ones, and which values
    /// they have, as far as the statements from `next` on mention them. They have these after one place, and are
    /// visible until another.
    pub(super) fn names_of_locals(
        &mut self,
        mentions: &Mentions,
        next: usize,
        (after, until): (Span, Span),
        is_set: bool,
    ) -> TokenStream {
        let fresh = self.scope.fresh();
        let fresh = (fresh.iter()).filter(|binding| binding.declared != Declared::Comptime);
        let named: TokenStream = fresh
            .map(
                |binding| match mentions.after(next, &binding.name.to_string()) {
                    true => self.name_of_local(binding, after, until, is_set),
                    false => self.name_of_unused(binding, after, until),
                },
            )
            .collect();
        if named.is_empty() {
            return named;
        }
        let mixed = Span::mixed_site();
        let root = self.v.root(mixed);
        quote_spanned!(mixed=> { #[allow(unused_imports)] use #root::Unnamed as _; #named })
    }

    fn name_of_local(
        &self,
        binding: &Binding,
        after: Span,
        until: Span,
        is_set: bool,
    ) -> TokenStream {
        let name = &binding.name;
        let text = text_of(name);
        let function = match binding.declared {
            Declared::Param(_) => "named_param",
            _ => "named",
        };
        let end = self.call("here", until, TokenStream::new(), until);
        let local = self.call(function, after, quote!(#text, #end, &#name), after);
        match is_set {
            true => quote_spanned!(after=> #local.keep();),
            false => quote_spanned!(after=> #local.keep_unset();),
        }
    }

    fn name_of_unused(&self, binding: &Binding, after: Span, until: Span) -> TokenStream {
        let text = text_of(&binding.name);
        let is_param = matches!(binding.declared, Declared::Param(_));
        let end = self.call("here", until, TokenStream::new(), until);
        let named = self.call("named_unused", after, quote!(#text, #end, #is_param), after);
        quote_spanned!(after=> #named;)
    }
}

/// A name as it is shown.
fn text_of(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn what_is_mentioned() {
        let block: syn::Block = parse_quote!({
            let a = b + 1;
            println!("{c} {d:?} {{e}} {}", f);
            if g {
                x[h] = 1
            }
        });
        let mentions = Mentions::of(&block.stmts);
        for name in ["b", "c", "d", "f", "g", "h", "x"] {
            assert!(mentions.after(0, name), "{name}");
        }
        assert!(!mentions.after(1, "b"));
        assert!(!mentions.after(2, "c"));
        assert!(!mentions.after(0, "y"));
    }
}
