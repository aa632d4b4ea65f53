//! `#[layout(..)]` in front of a parameter that is a tensor.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, LitBool, Meta, Token, bracketed, parenthesized};

use super::value::is_no_number;
use crate::messages;
use crate::runtime::Runtime;
use crate::valid::Complaints;

/// What is said of a tensor's layout, in order.
pub(crate) struct Layout {
    parts: Vec<Part>,
    span: Span,
}

/// A key with its value. Numbers are expressions: constants may have names.
enum Part {
    /// `memory = dram` and its like: a method of `TensorLayout`, and a variant of what it takes.
    Choice {
        method: &'static str,
        of: &'static str,
        variant: &'static str,
    },
    /// `tile_shape = [16, 16]`, `depth = 4`.
    Numbers {
        method: &'static str,
        numbers: Vec<Expr>,
    },
    AlignTiles(LitBool),
    Shard {
        axes: Vec<Ident>,
        grid: Vec<Expr>,
    },
}

/// A key: its name, what it takes, and how it is written.
struct Key {
    name: &'static str,
    takes: Takes,
    example: &'static str,
}

#[derive(Clone, Copy)]
enum Takes {
    /// One of these words, each with its variant of a type.
    Word {
        method: &'static str,
        of: &'static str,
        words: &'static [(&'static str, &'static str)],
    },
    /// `[2, 2]`.
    Pair,
    /// A number.
    Number,
    /// `true` or `false`; the name alone means `true`.
    Flag,
    /// `(axes = [M, N], grid = [8, 8])`.
    Shard,
}

/// All of them.
const KEYS: &[Key] = &[
    Key {
        name: "memory",
        takes: Takes::Word {
            method: "in_memory",
            of: "TensorMemory",
            words: &[("dram", "Dram"), ("l1", "L1")],
        },
        example: "memory = dram` or `memory = l1",
    },
    Key {
        name: "layout",
        takes: Takes::Word {
            method: "arranged",
            of: "Arrangement",
            words: &[
                ("interleaved", "Interleaved"),
                ("sharded", "Sharded"),
                ("linear", "Linear"),
            ],
        },
        example: "layout = interleaved`, `layout = sharded` or `layout = linear",
    },
    Key {
        name: "shard",
        takes: Takes::Shard,
        example: "shard(axes = [M, N], grid = [8, 8])",
    },
    Key {
        name: "order",
        takes: Takes::Word {
            method: "order",
            of: "ShardOrder",
            words: &[("row_major", "RowMajor"), ("col_major", "ColMajor")],
        },
        example: "order = row_major` or `order = col_major",
    },
    Key {
        name: "align_tiles",
        takes: Takes::Flag,
        example: "align_tiles = false",
    },
    Key {
        name: "halo",
        takes: Takes::Pair,
        example: "halo = [1, 1]",
    },
    Key {
        name: "tile_shape",
        takes: Takes::Pair,
        example: "tile_shape = [16, 16]",
    },
    Key {
        name: "depth",
        takes: Takes::Number,
        example: "depth = 2",
    },
];

/// Whether an attribute is `#[layout]`.
pub(crate) fn is_layout(attribute: &Attribute) -> bool {
    attribute.path().is_ident("layout")
}

impl Layout {
    /// What the attributes of a parameter say, as far as they can be read.
    pub(crate) fn of(attributes: &[Attribute], complaints: &mut Complaints) -> Option<Self> {
        let mut given = attributes.iter().filter(|attribute| is_layout(attribute));
        let attribute = given.next()?;
        for again in given {
            complaints.push(messages::REPEATED_ARGUMENT.at(again, &[&"layout"]));
        }
        let Meta::List(list) = &attribute.meta else {
            complaints.push(messages::LAYOUT_EMPTY.at(attribute, &[]));
            return None;
        };
        match parse.parse2(list.tokens.clone()) {
            Ok(parts) => Some(Self {
                parts,
                span: crate::spans::first(attribute.path()),
            }),
            Err(error) => {
                complaints.push(error);
                None
            }
        }
    }

    /// Where it stands.
    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// The same as a constant of the runtime.
    pub(crate) fn constant(&self, v: &Runtime) -> TokenStream {
        let span = Span::mixed_site().located_at(self.span);
        let root = v.root(span);
        let layout = quote_spanned!(span=> #root::TensorLayout::INTERLEAVED);
        self.parts.iter().fold(layout, |layout, part| match part {
            Part::Choice {
                method,
                of,
                variant,
            } => {
                let [method, of, variant] =
                    [method, of, variant].map(|name| Ident::new(name, span));
                quote_spanned!(span=> #layout.#method(#root::#of::#variant))
            }
            Part::Numbers { method, numbers } => {
                let method = Ident::new(method, span);
                quote_spanned!(span=> #layout.#method(#(#numbers),*))
            }
            Part::AlignTiles(flag) => quote_spanned!(span=> #layout.align_tiles(#flag)),
            Part::Shard { axes, grid } => {
                let axes = axes.iter().map(|axis| Ident::new(&axis.to_string(), span));
                quote_spanned!(span=> #layout.shard(&[#(#root::Axis::#axes),*], &[#(#grid),*]))
            }
        })
    }
}

/// Reads what stands in the parentheses.
fn parse(input: ParseStream<'_>) -> syn::Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut seen: Vec<Ident> = Vec::new();
    while !input.is_empty() {
        let name = input.call(Ident::parse_any)?;
        let Some(key) = KEYS.iter().find(|key| name == key.name) else {
            let examples: Vec<_> = KEYS.iter().map(|key| key.example).collect();
            return Err(messages::LAYOUT_KEY.at(&name, &[&name, &examples.join("`, `")]));
        };
        if seen.contains(&name) {
            return Err(messages::REPEATED_ARGUMENT.at(&name, &[&name]));
        }
        parts.push(key.value(&name, input)?);
        seen.push(name);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(parts)
}

impl Key {
    fn wrong(&self, at: impl ToTokens) -> syn::Error {
        messages::LAYOUT_VALUE.at(at, &[&self.name, &self.example])
    }

    fn value(&self, name: &Ident, input: ParseStream<'_>) -> syn::Result<Part> {
        match self.takes {
            Takes::Shard => return self.shard(name, input),
            Takes::Flag if !input.peek(Token![=]) => {
                return Ok(Part::AlignTiles(LitBool::new(true, name.span())));
            }
            _ => {}
        }
        if input.parse::<Option<Token![=]>>()?.is_none() || input.is_empty() {
            return Err(self.wrong(name));
        }
        match self.takes {
            Takes::Word { method, of, words } => {
                let word = input.call(Ident::parse_any).map_err(|_| self.wrong(name))?;
                let found = words.iter().find(|(known, _)| word == known);
                let (_, variant) = found.ok_or_else(|| self.wrong(&word))?;
                Ok(Part::Choice {
                    method,
                    of,
                    variant,
                })
            }
            Takes::Pair => {
                let numbers = self.list(name, input)?;
                match numbers.len() {
                    2 => Ok(Part::Numbers {
                        method: self.name,
                        numbers,
                    }),
                    _ => Err(self.wrong(name)),
                }
            }
            Takes::Number => {
                let number: Expr = input.parse()?;
                if is_no_number(&number) {
                    return Err(self.wrong(&number));
                }
                let numbers = vec![number];
                Ok(Part::Numbers {
                    method: self.name,
                    numbers,
                })
            }
            Takes::Flag => match input.parse() {
                Ok(flag) => Ok(Part::AlignTiles(flag)),
                Err(_) => Err(self.wrong(name)),
            },
            Takes::Shard => self.shard(name, input),
        }
    }

    /// `[8, 8]`.
    fn list(&self, name: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<Expr>> {
        if !input.peek(syn::token::Bracket) {
            return Err(self.wrong(name));
        }
        let inner;
        bracketed!(inner in input);
        let numbers = Punctuated::<Expr, Token![,]>::parse_terminated(&inner)?;
        match numbers.iter().find(|number| is_no_number(number)) {
            Some(wrong) => Err(self.wrong(wrong)),
            None => Ok(numbers.into_iter().collect()),
        }
    }

    /// `(axes = [M, N], grid = [8, 8])`.
    fn shard(&self, name: &Ident, input: ParseStream<'_>) -> syn::Result<Part> {
        if !input.peek(syn::token::Paren) {
            return Err(self.wrong(name));
        }
        let inner;
        parenthesized!(inner in input);
        let (mut axes, mut grid) = (None, None);
        while !inner.is_empty() {
            let key = inner.call(Ident::parse_any)?;
            if inner.parse::<Option<Token![=]>>()?.is_none() {
                return Err(self.wrong(&key));
            }
            if key == "axes" && axes.is_none() {
                axes = Some(self.axes(&key, &inner)?);
            } else if key == "grid" && grid.is_none() {
                grid = Some(self.list(&key, &inner)?);
            } else {
                return Err(self.wrong(&key));
            }
            if !inner.is_empty() {
                inner.parse::<Token![,]>()?;
            }
        }
        match (axes, grid) {
            (Some(axes), Some(grid)) => Ok(Part::Shard { axes, grid }),
            _ => Err(self.wrong(name)),
        }
    }

    /// `[M, N]`.
    fn axes(&self, name: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<Ident>> {
        if !input.peek(syn::token::Bracket) {
            return Err(self.wrong(name));
        }
        let inner;
        bracketed!(inner in input);
        let axes = Punctuated::<Ident, Token![,]>::parse_terminated(&inner)?;
        match axes.iter().find(|axis| *axis != "M" && *axis != "N") {
            Some(wrong) => Err(self.wrong(wrong)),
            None => Ok(axes.into_iter().collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn keys_take_what_they_say() {
        for (tokens, is_sound) in [
            (quote!(), true),
            (quote!(memory = dram, layout = interleaved), true),
            (
                quote!(
                    memory = l1,
                    layout = sharded,
                    shard(axes = [M, N], grid = [8, 8]),
                ),
                true,
            ),
            (
                quote!(layout = linear, tile_shape = [16, TILE], depth = 4),
                true,
            ),
            (
                quote!(order = col_major, align_tiles = false, halo = [1, 1]),
                true,
            ),
            (quote!(align_tiles), true),
            (quote!(memory = sram), false),
            (quote!(layout = "tiled"), false),
            (quote!(tile_shape = [16]), false),
            (quote!(tile_shape = 16), false),
            (quote!(depth = "2"), false),
            (quote!(depth), false),
            (quote!(depth = 2, depth = 2), false),
            (quote!(shard(axes = [K], grid = [8])), false),
            (quote!(shard(axes = [M])), false),
            (quote!(shard = [8, 8]), false),
            (quote!(size = 3), false),
        ] {
            assert_eq!(parse.parse2(tokens.clone()).is_ok(), is_sound, "{tokens}");
        }
    }
}
