//! The arguments of `#[kernel(..)]` and the attributes besides it.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{AttrStyle, Attribute, Expr, Lit, LitStr, Meta, Path, Token};

mod layout;
mod table;
mod value;

pub(crate) use layout::{Layout, is_layout};
pub(crate) use value::{Given, Value, is_no_number, literal};

use crate::messages;
use crate::spans;
use crate::valid::{self, Complaints};
use table::Declared;

/// What stands in the parentheses of `#[kernel(..)]`.
#[derive(Default)]
pub(crate) struct Arguments {
    /// `crate = path`.
    pub(crate) krate: Option<Path>,
    /// `name = "text"`.
    pub(crate) name: Option<LitStr>,
    /// `host`: a function or a kernel that is one of the host, too.
    pub(crate) host: Option<Ident>,
    /// The attributes that are declared in [`table`].
    pub(crate) given: Vec<Given>,
    seen: Vec<Ident>,
}

impl Arguments {
    /// Reads the arguments of `#[kernel]` as far as they can be read, and complains of the rest.
    pub(crate) fn parse(tokens: TokenStream, complaints: &mut Complaints) -> Self {
        Self::parse_with(tokens, table::DECLARED, complaints)
    }

    /// Reads the arguments of `#[device]`: `crate` and `host`.
    pub(crate) fn of_function(tokens: TokenStream, complaints: &mut Complaints) -> Self {
        Self::of_few(tokens, complaints, |arguments, name, input| {
            if name == "host" {
                arguments.host = Some(name);
                return Ok(());
            }
            if name != "crate" {
                return Err(messages::UNKNOWN_FUNCTION_ARGUMENT.at(&name, &[&name]));
            }
            arguments.read_crate(&name, input)
        })
    }

    /// Reads the arguments of `#[global]` and `#[constant]`: `crate` alone.
    pub(crate) fn of_variable(tokens: TokenStream, complaints: &mut Complaints) -> Self {
        Self::of_few(tokens, complaints, |arguments, name, input| {
            if name != "crate" {
                return Err(messages::UNKNOWN_VARIABLE_ARGUMENT.at(&name, &[&name]));
            }
            arguments.read_crate(&name, input)
        })
    }

    fn of_few(
        tokens: TokenStream,
        complaints: &mut Complaints,
        one: impl Fn(&mut Self, Ident, ParseStream<'_>) -> syn::Result<()>,
    ) -> Self {
        let mut arguments = Self::default();
        let parser = |input: ParseStream<'_>| arguments.read(input, one);
        if let Err(error) = parser.parse2(tokens) {
            complaints.push(error);
        }
        arguments
    }

    /// [`Arguments::parse`] with other attributes.
    fn parse_with(tokens: TokenStream, declared: &[Declared], complaints: &mut Complaints) -> Self {
        let mut arguments = Self::default();
        let parser = |input: ParseStream<'_>| {
            arguments.read(input, |arguments, name, input| {
                if name == "crate" {
                    return arguments.read_crate(&name, input);
                }
                if name == "name" {
                    return arguments.read_name(&name, input);
                }
                if name == "host" {
                    arguments.host = Some(name);
                    return Ok(());
                }
                let Some(row) = declared.iter().find(|row| name == row.name) else {
                    if valid::is_group_size(&name) {
                        input.parse::<Option<Token![=]>>()?;
                        let block = valid::block_of(input.parse::<Expr>()?.into_token_stream());
                        return Err(messages::GROUP_ARGUMENT.at(&name, &[&name, &block]));
                    }
                    let known = declared.iter().map(|row| row.name);
                    let known = known.chain(["crate", "name", "host"]);
                    if let Some(meant) = valid::nearest(&name.to_string(), known) {
                        return Err(messages::MISSPELT_ARGUMENT.at(&name, &[&name, &meant]));
                    }
                    let names: Vec<_> = declared.iter().map(|row| row.example).collect();
                    return Err(messages::UNKNOWN_ARGUMENT.at(&name, &[&name, &names.join("`, `")]));
                };
                arguments.given.push(Given::parse(name, row, input)?);
                Ok(())
            })
        };
        if let Err(error) = parser.parse2(tokens) {
            complaints.push(error);
        }
        arguments.check(complaints);
        arguments
    }

    /// Complains of all that is wrong with the values, one by one and together.
    fn check(&self, complaints: &mut Complaints) {
        if let Some(value) = self.value("block")
            && let Some(size) = value.literal_size()
        {
            valid::group_size(value, &size, complaints);
        }
        if let Some(value) = self.value("subgroup")
            && let Some(lanes) = value.literal_number()
        {
            valid::subgroup_size(value, lanes, complaints);
        }
        for given in &self.given {
            if let Some(count) = given.value.listed() {
                valid::list(&given.name, &given.value, count, complaints);
            }
        }
        if let Some(name) = &self.name {
            valid::kernel_name(name, complaints);
        }
    }

    /// Reads a list of arguments, each by `one`.
    fn read(
        &mut self,
        input: ParseStream<'_>,
        one: impl Fn(&mut Self, Ident, ParseStream<'_>) -> syn::Result<()>,
    ) -> syn::Result<()> {
        while !input.is_empty() {
            if let Some(last) = self.seen.last()
                && input.peek(Lit)
            {
                let number: Lit = input.parse()?;
                return Err(messages::UNGROUPED.at(&number, &[last]));
            }
            let name = input.call(Ident::parse_any)?;
            if self.seen.contains(&name) {
                return Err(messages::REPEATED_ARGUMENT.at(&name, &[&name]));
            }
            self.seen.push(name.clone());
            one(self, name, input)?;
            if input.is_empty() {
                break;
            }
            input.parse::<Token![,]>()?;
        }
        Ok(())
    }

    fn read_crate(&mut self, name: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        if input.parse::<Option<Token![=]>>()?.is_none() || input.is_empty() {
            return Err(messages::MISSING_CRATE.at(name, &[]));
        }
        if input.peek(LitStr) {
            let quoted: LitStr = input.parse()?;
            return Err(messages::QUOTED_CRATE.at(&quoted, &[&quoted.value()]));
        }
        self.krate = Some(input.call(Path::parse_mod_style)?);
        Ok(())
    }

    fn read_name(&mut self, name: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        let has_value = input.parse::<Option<Token![=]>>()?.is_some();
        if !has_value || !input.peek(LitStr) {
            return Err(messages::ATTRIBUTE_VALUE.at(name, &[name, &"name = \"text\""]));
        }
        self.name = Some(input.parse()?);
        Ok(())
    }

    /// What was given to the attribute of this name.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        let given = self.given.iter().find(|given| given.name == name);
        given.map(|given| &given.value)
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

/// What a parameter's attributes say of lints.
pub(crate) fn lints(attributes: &[Attribute]) -> Vec<Attribute> {
    Attributes::sort(attributes.to_vec()).lints
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

/// The table of attributes, for `vortex-kernel`.
pub(crate) fn rows(callback: &TokenStream) -> TokenStream {
    table::rows(callback, table::DECLARED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Runtime;
    use quote::quote;
    use table::Takes;

    /// All that a new attribute takes.
    const TRACED: Declared = Declared {
        name: "traced",
        takes: Takes::Flag,
        example: "traced",
        summary: "Whether launches are traced.",
    };

    #[test]
    fn a_new_attribute_is_one_declaration() {
        let mut complaints = Complaints::default();
        let arguments = Arguments::parse_with(quote!(traced), &[TRACED], &mut complaints);
        assert!(complaints.is_empty());
        let field = arguments.given[0].field(&Runtime::new(None));
        assert_eq!(
            field.to_string(),
            quote!(traced: ::core::option::Option::Some(true)).to_string()
        );
        assert_eq!(
            table::rows(&quote!(declare!), &[TRACED]).to_string(),
            quote!(declare! { #[doc = "Whether launches are traced."] traced: bool; }).to_string()
        );
    }

    #[test]
    fn sizes_have_one_to_three_axes() {
        for (tokens, errors) in [
            (quote!(block = 64), false),
            (quote!(block = (8, TILE)), false),
            (quote!(block = (8, 8, 2), subgroup = 4,), false),
            (quote!(block = ()), true),
            (quote!(block = (1, 2, 3, 4)), true),
            (quote!(block = "16"), true),
            (quote!(block), true),
            (quote!(block =), true),
            (quote!(block = 1, block = 1), true),
        ] {
            let mut complaints = Complaints::default();
            Arguments::parse(tokens.clone(), &mut complaints);
            assert_eq!(!complaints.is_empty(), errors, "{tokens}");
        }
    }
}
