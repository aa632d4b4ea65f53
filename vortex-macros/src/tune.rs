//! `#[tune(..)]`: what of a kernel may vary, and what there is to choose from.
//!
//! It is read in two steps: as it is written ([`Written`]), before the function is looked at, and then held against the
//! kernel's signature ([`Tune`]), which says what each name means.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, Expr, ExprArray, Meta, Token};

use crate::attr::{Arguments, is_no_number, literal};
use crate::messages;
use crate::runtime::Runtime;
use crate::signature::{Kernel, ParamKind};
use crate::spans;
use crate::valid::{self, Complaints};

/// The most candidates of a kernel: each is compiled and measured.
const MOST_CANDIDATES: usize = 256;

/// What stands in the parentheses.
#[derive(Default)]
pub(crate) struct Written {
    lists: Vec<List>,
    conditions: Vec<Expr>,
    /// The attribute, or the first of several.
    at: TokenStream,
}

/// `name in [values]`.
struct List {
    name: Ident,
    /// `None` where something else stands there, of which has been complained.
    values: Option<Vec<Expr>>,
}

/// All that is open in a kernel.
pub(crate) struct Tune {
    pub(crate) axes: Vec<Axis>,
    pub(crate) conditions: Vec<Expr>,
}

/// Something to choose.
pub(crate) struct Axis {
    pub(crate) name: Ident,
    pub(crate) values: Vec<Expr>,
    pub(crate) kind: AxisKind,
}

/// What is chosen.
pub(crate) enum AxisKind {
    /// A const generic of this type.
    Const(TokenStream),
    /// A `#[comptime]` parameter of this type.
    Comptime(TokenStream),
    /// The work items of a group.
    Block,
}

impl Written {
    /// Takes `#[tune(..)]` out of a function's attributes.
    pub(crate) fn take(
        attributes: &mut Vec<Attribute>,
        complaints: &mut Complaints,
    ) -> Option<Self> {
        let taken: Vec<Attribute> = attributes
            .extract_if(.., |attribute| is_tune(attribute))
            .collect();
        let mut written = Self {
            at: taken.first()?.to_token_stream(),
            ..Self::default()
        };
        for attribute in taken {
            let nothing = || messages::TUNE_NOTHING.at(&attribute, &[]);
            let read = match &attribute.meta {
                Meta::List(list) if !list.tokens.is_empty() => {
                    let parser = |input: ParseStream<'_>| written.read(input, complaints);
                    parser.parse2(list.tokens.clone())
                }
                _ => Err(nothing()),
            };
            if let Err(error) = read {
                complaints.push(error);
            } else if written.lists.is_empty() {
                complaints.push(nothing());
            }
        }
        Some(written)
    }

    fn read(&mut self, input: ParseStream<'_>, complaints: &mut Complaints) -> syn::Result<()> {
        while !input.is_empty() {
            if input.parse::<Option<Token![where]>>()?.is_some() {
                self.conditions.push(input.parse()?);
            } else {
                self.read_list(input, complaints)?;
            }
            if input.is_empty() {
                break;
            }
            input.parse::<Token![,]>()?;
        }
        Ok(())
    }

    fn read_list(
        &mut self,
        input: ParseStream<'_>,
        complaints: &mut Complaints,
    ) -> syn::Result<()> {
        let Ok(name) = input.call(Ident::parse_any) else {
            let rest: TokenStream = input.parse()?;
            return Err(messages::TUNE_FORM.at(rest, &[&"tile"]));
        };
        let form = |tokens: &dyn ToTokens| messages::TUNE_FORM.at(tokens, &[&name]);
        let values = if input.parse::<Option<Token![in]>>()?.is_none() || input.is_empty() {
            complaints.push(form(&name));
            while !input.is_empty() && !input.peek(Token![,]) {
                input.parse::<TokenTree>()?;
            }
            None
        } else {
            match input.parse()? {
                Expr::Array(ExprArray { elems, .. }) => Some(elems.into_iter().collect()),
                other => {
                    complaints.push(form(&other));
                    None
                }
            }
        };
        self.lists.push(List { name, values });
        Ok(())
    }
}

/// `#[vortex::tune(..)]` by itself, when it stands above `#[vortex::kernel]`: puts it below, where the kernel reads it.
pub(crate) fn above(arguments: &TokenStream, item: TokenStream) -> TokenStream {
    let parser = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        Ok((attributes, input.parse::<TokenStream>()?))
    };
    let Ok((attributes, rest)) = parser.parse2(item.clone()) else {
        return item;
    };
    let is_kernel = |attribute: &Attribute| {
        let last = attribute.path().segments.last();
        last.is_some_and(|segment| segment.ident == "kernel")
    };
    if attributes.iter().any(is_kernel) {
        return quote!(#(#attributes)* #[tune(#arguments)] #rest);
    }
    let at = quote!(#arguments);
    let error = messages::TUNE_ALONE.at(at, &[]).into_compile_error();
    quote!(#error #item)
}

/// Whether an attribute is `#[tune(..)]`, by its name or by the library's path.
fn is_tune(attribute: &Attribute) -> bool {
    let path = attribute.path();
    let last = path.segments.last();
    last.is_some_and(|segment| segment.ident == "tune") && path.segments.len() <= 2
}

impl Tune {
    /// What is written, held against the kernel. What is wrong has been complained of, and is there as what it seems to
    /// be meant as, so that calls are in no further error.
    pub(crate) fn of(
        written: Written,
        kernel: &Kernel,
        arguments: &Arguments,
        v: &Runtime,
        complaints: &mut Complaints,
    ) -> Self {
        let mut axes: Vec<Axis> = Vec::new();
        let names: Vec<Ident> = written.lists.iter().map(|list| list.name.clone()).collect();
        for List { name, values } in written.lists {
            if axes.iter().any(|axis| axis.name == name) {
                complaints.push(messages::TUNE_REPEATED_NAME.at(&name, &[&name]));
                continue;
            }
            let listed: Vec<&Ident> = axes.iter().map(|axis| &axis.name).chain(&names).collect();
            let Some((name, kind)) = AxisKind::of(&name, &listed, kernel, arguments, v, complaints)
            else {
                continue;
            };
            if values.as_ref().is_some_and(Vec::is_empty) {
                complaints.push(messages::TUNE_EMPTY_LIST.at(&name, &[&name]));
            }
            let values = values.unwrap_or_default();
            distinct(&name, &values, complaints);
            if matches!(kind, AxisKind::Block) {
                block_sizes(&values, complaints);
            }
            axes.push(Axis { name, values, kind });
        }
        let candidates = axes.iter().map(|axis| axis.values.len().max(1));
        let candidates = candidates.fold(1, usize::saturating_mul);
        if candidates > MOST_CANDIDATES {
            let words: &[&dyn std::fmt::Display] = &[&candidates, &MOST_CANDIDATES];
            complaints.push(messages::TUNE_MANY.at(&written.at, words));
        }
        for condition in &written.conditions {
            of_choices(condition, &axes, kernel, complaints);
        }
        Self {
            axes,
            conditions: written.conditions,
        }
    }
}

/// That a condition names no parameters but those that are chosen.
fn of_choices(condition: &Expr, axes: &[Axis], kernel: &Kernel, complaints: &mut Complaints) {
    let consts = kernel.generics.const_params().map(|param| &param.ident);
    let params = kernel.params.iter().map(|param| &param.name);
    let params: Vec<&Ident> = params.chain(consts).collect();
    names_replaced(condition.to_token_stream(), &mut |name| {
        if params.contains(&name) && axes.iter().all(|axis| axis.name != *name) {
            complaints.push(messages::TUNE_CONDITION.at(name, &[name]));
        }
        None
    });
}

/// The user's tokens, with others for some names. After a dot or `::` a name is a field's or an item's, and stays;
/// after two dots it is the end of a range.
pub(crate) fn names_replaced(
    tokens: TokenStream,
    by: &mut dyn FnMut(&Ident) -> Option<TokenStream>,
) -> TokenStream {
    let mut before = ' ';
    let replaced = tokens.into_iter().map(|token| {
        let earlier = std::mem::replace(&mut before, ' ');
        match token {
            TokenTree::Ident(name) if !matches!(earlier, '.' | ':') => {
                by(&name).unwrap_or_else(|| name.to_token_stream())
            }
            TokenTree::Group(group) => {
                let inner = names_replaced(group.stream(), by);
                spans::delimited(group.delimiter(), inner, group.span())
            }
            TokenTree::Punct(punct) => {
                before = match (earlier, punct.as_char()) {
                    ('.', '.') => ' ',
                    (_, char) => char,
                };
                punct.to_token_stream()
            }
            other => other.to_token_stream(),
        }
    });
    replaced.collect()
}

impl AxisKind {
    /// What a name stands for in a kernel: a parameter, or else groups. It comes with the name that is meant, where
    /// others are `listed`.
    fn of(
        name: &Ident,
        listed: &[&Ident],
        kernel: &Kernel,
        arguments: &Arguments,
        v: &Runtime,
        complaints: &mut Complaints,
    ) -> Option<(Ident, Self)> {
        if let Some(param) = kernel.params.iter().find(|param| param.name == *name) {
            let kind = match &param.kind {
                ParamKind::Comptime(_) if param.is_generic => {
                    complaints.push(messages::TUNE_GENERIC_TYPE.at(name, &[name]));
                    return None;
                }
                ParamKind::Comptime(_) => param.scalar(v),
                ParamKind::Scalar(ty) | ParamKind::Value(ty) => {
                    let words = valid::source(ty);
                    complaints.push(messages::TUNE_RUNTIME.at(name, &[name, &words]));
                    ty.to_token_stream()
                }
                _ => {
                    complaints.push(messages::TUNE_MEMORY.at(name, &[name]));
                    return None;
                }
            };
            return Some((name.clone(), Self::Comptime(kind)));
        }
        let mut consts = kernel.generics.const_params();
        if let Some(param) = consts.find(|param| param.ident == *name) {
            return Some((name.clone(), Self::Const(param.ty.to_token_stream())));
        }
        let mut types = kernel.generics.type_params();
        if types.any(|param| param.ident == *name) {
            complaints.push(messages::TUNE_TYPE_PARAMETER.at(name, &[name]));
            return None;
        }
        if name == "block" {
            if arguments.value("block").is_some() {
                complaints.push(messages::TUNE_FIXED_BLOCK.at(name, &[]));
            }
            return Some((name.clone(), Self::Block));
        }
        // What could not be read may be what is meant.
        if !kernel.unread.is_empty() {
            return None;
        }
        let known = tunable(kernel);
        let words: &[&dyn std::fmt::Display] = &[&kernel.name.unraw(), name, &known];
        complaints.push(messages::TUNE_UNKNOWN.at(name, words));
        Some(Self::meant(name, listed, kernel, v))
    }

    /// What a name seems to be meant as that is none of the kernel's: the one thing that could be tuned and is not
    /// listed, or else a number of its own.
    fn meant(name: &Ident, listed: &[&Ident], kernel: &Kernel, v: &Runtime) -> (Ident, Self) {
        let consts = kernel.generics.const_params();
        let consts = consts.map(|param| (&param.ident, Self::Const(param.ty.to_token_stream())));
        let params = kernel.params.iter().filter(|param| param.is_comptime());
        let params = params.filter(|param| !param.is_generic);
        let params = params.map(|param| (&param.name, Self::Comptime(param.scalar(v))));
        let mut left: Vec<_> = consts
            .chain(params)
            .filter(|(name, _)| !listed.contains(name))
            .collect();
        match (left.pop(), left.is_empty()) {
            (Some((meant, kind)), true) => (meant.clone(), kind),
            _ => (
                name.clone(),
                Self::Comptime(quote!(::core::primitive::usize)),
            ),
        }
    }
}

/// What of a kernel can be tuned, as a list.
fn tunable(kernel: &Kernel) -> String {
    let consts = kernel.generics.const_params().map(|param| &param.ident);
    let comptime = kernel.params.iter().filter(|param| param.is_comptime());
    let mut names: Vec<String> = consts
        .chain(comptime.map(|param| &param.name))
        .map(|name| format!("`{name}`"))
        .collect();
    names.push("`block`".to_owned());
    if names.len() == 1 {
        return "`block`, and whatever you make a `#[comptime]` parameter or a const generic"
            .to_owned();
    }
    let last = names.pop().unwrap_or_default();
    format!("{} and {last}", names.join(", "))
}

/// That no value is listed twice, as it is written.
fn distinct(name: &Ident, values: &[Expr], complaints: &mut Complaints) {
    for (index, value) in values.iter().enumerate() {
        let text = valid::source(value);
        let mut earlier = values[..index].iter();
        if earlier.any(|earlier| is_same(earlier, value)) {
            complaints.push(messages::TUNE_REPEATED_VALUE.at(value, &[&text, name]));
        }
    }
}

/// Whether two values are written alike, or are the same number.
fn is_same(a: &Expr, b: &Expr) -> bool {
    match (literal(a), literal(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a.to_token_stream().to_string() == b.to_token_stream().to_string(),
    }
}

/// That values can be sizes of groups.
fn block_sizes(values: &[Expr], complaints: &mut Complaints) {
    for value in values {
        let axes = size_axes(value);
        if axes.is_empty() || axes.len() > 3 || axes.iter().any(|axis| is_no_number(axis)) {
            complaints.push(messages::TUNE_BLOCK.at(value, &[]));
            continue;
        }
        let sizes: Vec<u64> = axes.iter().filter_map(|axis| literal(axis)).collect();
        valid::group_size(value, &sizes, complaints);
    }
}

/// The axes of a size, as they are written.
fn size_axes(value: &Expr) -> Vec<&Expr> {
    match value {
        Expr::Tuple(tuple) => tuple.elems.iter().collect(),
        Expr::Paren(paren) => size_axes(&paren.expr),
        other => vec![other],
    }
}

impl Axis {
    /// Its values, as an array of its type has them.
    pub(crate) fn elements(&self) -> Vec<TokenStream> {
        let element = |value: &Expr| match &self.kind {
            AxisKind::Const(_) | AxisKind::Comptime(_) => value.to_token_stream(),
            AxisKind::Block => {
                let axes = size_axes(value);
                let missing = (axes.len()..3).map(|_| quote!(1));
                quote!((#(#axes,)* #(#missing,)*))
            }
        };
        self.values.iter().map(element).collect()
    }

    /// Whether it is a const generic.
    pub(crate) fn is_const(&self) -> bool {
        matches!(self.kind, AxisKind::Const(_))
    }
}
