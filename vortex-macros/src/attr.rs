//! The arguments of `#[kernel(..)]` and the attributes beside it.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{AttrStyle, Attribute, LitStr, Meta, Path, Token};

use crate::messages;
use crate::spans;
use crate::valid::Complaints;

/// What stands in the parentheses of `#[kernel(..)]`.
#[derive(Default)]
pub(crate) struct Arguments {
    /// `crate = path`.
    pub(crate) krate: Option<Path>,
}

impl Arguments {
    /// Reads what can be read and complains of the rest.
    pub(crate) fn parse(tokens: TokenStream, complaints: &mut Complaints) -> Self {
        let mut arguments = Self::default();
        let parser = |input: ParseStream<'_>| {
            while !input.is_empty() {
                arguments.parse_one(input)?;
                if input.is_empty() {
                    break;
                }
                input.parse::<Token![,]>()?;
            }
            Ok(())
        };
        if let Err(error) = parser.parse2(tokens) {
            complaints.push(error);
        }
        arguments
    }

    fn parse_one(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let name = input.call(Ident::parse_any)?;
        if name != "crate" {
            return Err(messages::UNKNOWN_ARGUMENT.at(&name, &[&name]));
        }
        if self.krate.is_some() {
            return Err(messages::REPEATED_ARGUMENT.at(&name, &[&name]));
        }
        if input.parse::<Option<Token![=]>>()?.is_none() || input.is_empty() {
            return Err(messages::MISSING_CRATE.at(&name, &[]));
        }
        if input.peek(LitStr) {
            let quoted: LitStr = input.parse()?;
            return Err(messages::QUOTED_CRATE.at(&quoted, &[&quoted.value()]));
        }
        self.krate = Some(input.call(Path::parse_mod_style)?);
        Ok(())
    }
}

/// The attributes of the user's function, by where they belong in the expansion.
pub(crate) struct Attributes {
    /// `cfg` and its like: on every item.
    pub(crate) conditions: Vec<Attribute>,
    /// Documentation: on the host call and on the type.
    pub(crate) docs: Vec<Attribute>,
    /// Lint levels: on the body and on the host call.
    pub(crate) lints: Vec<Attribute>,
    /// The rest: on the host call.
    pub(crate) others: Vec<Attribute>,
}

impl Attributes {
    pub(crate) fn sort(attributes: Vec<Attribute>) -> Self {
        let mut sorted = Self {
            conditions: Vec::new(),
            docs: Vec::new(),
            lints: Vec::new(),
            others: Vec::new(),
        };
        for mut attribute in attributes {
            attribute.style = AttrStyle::Outer;
            let path = attribute.path();
            let list = if path.is_ident("cfg") || path.is_ident("cfg_attr") {
                &mut sorted.conditions
            } else if path.is_ident("doc") {
                &mut sorted.docs
            } else if is_lint_level(path) {
                allow_what_is_expected(&mut attribute.meta);
                &mut sorted.lints
            } else {
                &mut sorted.others
            };
            list.push(attribute);
        }
        sorted
    }
}

/// `expect(..)` becomes `allow(..)`: what is expected happens in one of the items at most, and the
/// others would be blamed for its absence.
fn allow_what_is_expected(meta: &mut Meta) {
    if let Meta::List(list) = meta
        && list.path.is_ident("expect")
    {
        list.path = Ident::new("allow", spans::first(&list.path)).into();
    }
}

/// `allow`, `warn` and their like.
pub(crate) fn is_lint_level(path: &Path) -> bool {
    ["allow", "warn", "deny", "forbid", "expect"]
        .iter()
        .any(|level| path.is_ident(level))
}
