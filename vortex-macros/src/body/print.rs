//! What a kernel says: `println!`, `assert!`, `panic!` and their kin, and the text of `expect`.
//!
//! The device delivers the values; the text is made on the host, by Rust's own `format!` with the user's literal. So
//! its language is exactly Rust's, and rustc checks it.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::{Expr, ExprMatch, ExprMethodCall, LitBool, LitStr, Macro, Token};

use super::comptime::is_comptime_macro;
use super::meaning::{Meaning, meaning};
use super::{Rewriter, diverge, unparenthesized};
use crate::native::{Answer, Side};
use crate::{messages, spans, valid};

/// The `match` that `matches!(value, pattern if guard)` stands for.
fn matched(mac: &Macro) -> syn::Result<ExprMatch> {
    let parse = |input: ParseStream<'_>| {
        let value: Expr = input.parse()?;
        input.parse::<Token![,]>()?;
        let mut tokens: Vec<_> = input.parse::<TokenStream>()?.into_iter().collect();
        tokens.pop_if(|last| matches!(last, TokenTree::Punct(comma) if comma.as_char() == ','));
        Ok((value, tokens.into_iter().collect::<TokenStream>()))
    };
    let (value, pattern) = parse.parse2(mac.tokens.clone())?;
    let span = spans::first(&mac.path);
    syn::parse2(quote_spanned!(span=> match (#value) { #pattern => true, _ => false }))
}

/// `"text {} {name}", value, name = value`.
struct Format {
    text: LitStr,
    arguments: Vec<Argument>,
}

struct Argument {
    name: Option<Ident>,
    value: Expr,
}

impl Parse for Format {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let text = literal(&input.parse()?)?;
        let mut arguments = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let named = input.peek(syn::Ident::peek_any)
                && input.peek2(Token![=])
                && !input.peek2(Token![==]);
            let name = if named {
                let name = input.call(Ident::parse_any)?;
                input.parse::<Token![=]>()?;
                Some(name)
            } else {
                None
            };
            arguments.push(Argument {
                name,
                value: input.parse()?,
            });
        }
        Ok(Self { text, arguments })
    }
}

/// The text; what a `macro_rules!` was given may be in invisible parentheses.
fn literal(expr: &Expr) -> syn::Result<LitStr> {
    match expr {
        Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => Ok(text.clone()),
        Expr::Group(group) => literal(&group.expr),
        other => Err(messages::FORMAT_TEXT.at(other, &[])),
    }
}

/// The rest of a macro's arguments: a text with values, or nothing.
fn rest(input: ParseStream<'_>) -> syn::Result<Option<Format>> {
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    if input.is_empty() {
        return Ok(None);
    }
    input.parse().map(Some)
}

/// What is to be said, rewritten: the values as nested pairs, a pattern for them on the host, and the text.
struct Formatted {
    values: TokenStream,
    pattern: TokenStream,
    text: TokenStream,
}

impl Rewriter<'_> {
    /// A macro call.
    pub(super) fn macro_call(&mut self, mac: &Macro) -> TokenStream {
        if is_comptime_macro(mac) {
            return self.comptime_value(mac);
        }
        if mac
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "matches")
        {
            return match matched(mac) {
                Ok(matched) => self.matching(&matched),
                Err(error) => self.complain(error),
            };
        }
        let Some(meaning) = meaning(mac) else {
            return self.complain(valid::mac(mac));
        };
        let rewritten = match meaning {
            Meaning::Constant => self.constant_macro(mac),
            Meaning::Print(stream, end) => self.print(mac, stream, end),
            Meaning::Panic(before, alone) => self
                .panic(mac, before, alone)
                .map(|panic| self.ended(panic, spans::first(&mac.path), close(mac))),
            Meaning::Assert { debug } => self.assert(mac).map(|code| debugging(debug, code)),
            Meaning::Compare { debug, equal } => self
                .assert_compared(mac, equal)
                .map(|code| debugging(debug, code)),
        };
        rewritten.unwrap_or_else(|error| self.complain(error))
    }

    /// `cfg!(..)`, `line!()` and `column!()`.
    fn constant_macro(&self, mac: &Macro) -> syn::Result<TokenStream> {
        let rest = match Side::Device.answer(mac) {
            Some(Answer::Known(is_so)) => {
                return Ok(self.lift_all(&LitBool::new(is_so, spans::first(mac))));
            }
            Some(Answer::Rustc(rest)) => Some(rest),
            None => None,
        };
        match valid::cfg_of_a_target(mac) {
            Some(error) => Err(error),
            None => Ok(self.lift_all(rest.as_ref().unwrap_or(mac))),
        }
    }

    fn print(&mut self, mac: &Macro, stream: &str, end: &str) -> syn::Result<TokenStream> {
        let format = Format::parse_in(mac)?;
        let span = spans::first(&mac.path);
        let formatted = match &format {
            Some(format) => self.formatted(format, "", end),
            None => self.without_values(span, end),
        };
        let stream = format_ident!("{}", if stream == "out" { "Out" } else { "Err" });
        let stream_type = self.v.item("Stream", span);
        let shown = format.map_or_else(|| Literal::string(""), |format| format.text.token());
        Ok(self.say(
            "print",
            span,
            close(mac),
            quote!(#stream_type::#stream, #shown),
            formatted,
        ))
    }

    fn panic(&mut self, mac: &Macro, before: &str, alone: &str) -> syn::Result<TokenStream> {
        let format = Format::parse_in(mac)?;
        let span = spans::first(&mac.path);
        let (shown, formatted) = match &format {
            Some(format) => (format.text.token(), self.formatted(format, before, "")),
            None => (Literal::string(alone), self.without_values(span, alone)),
        };
        Ok(self.say("panic", span, close(mac), quote!(#shown), formatted))
    }

    /// `option.expect("text")`. `None` if the text is written somewhere else.
    pub(super) fn expected(&mut self, call: &ExprMethodCall, text: &Expr) -> Option<TokenStream> {
        let text = literal(unparenthesized(text)).ok()?;
        let (first, span, end) = (
            spans::first(&call.receiver),
            call.method.span(),
            spans::last(call),
        );
        let option = self.argument(&call.receiver);
        let option = self.call(
            "HasOption::this",
            first,
            option,
            spans::last(&call.receiver),
        );
        let (error, value) = (super::temporary("error", span), text.value());
        let (shown, format) = (
            self.call("Shown::shown", span, quote!(#error), span),
            self.v.item("format", span),
        );
        // What a `Result` has for an error is said after the text.
        let formatted = Formatted {
            values: quote!((#shown, ())),
            pattern: quote!((#error, ())),
            text: quote!(#format!("{}{}", #value, #error)),
        };
        let panic = self.say("panic", span, end, quote!(#text), formatted);
        Some(self.call(
            "expected",
            first,
            quote_spanned!(span=> #option, |#error| #panic),
            end,
        ))
    }

    fn assert(&mut self, mac: &Macro) -> syn::Result<TokenStream> {
        let parser = |input: ParseStream<'_>| {
            if input.is_empty() {
                return Err(messages::ASSERT_NOTHING.at(&mac.path, &[]));
            }
            Ok((input.parse::<Expr>()?, rest(input)?))
        };
        let (condition, format) = parser.parse2(mac.tokens.clone())?;
        let span = spans::first(&mac.path);
        let condition_tokens = self.tested(&condition);
        let failed = format!("assertion failed: {}", source(mac, &condition));
        let (shown, formatted) = match &format {
            Some(format) => (format.text.token(), self.formatted(format, "", "")),
            None => (Literal::string(&failed), self.without_values(span, &failed)),
        };
        let panic = self.say("panic", span, close(mac), quote!(#shown), formatted);
        Ok(self.call(
            "require",
            span,
            quote_spanned!(span=> || #condition_tokens, || #panic),
            close(mac),
        ))
    }

    /// `assert_eq!` and `assert_ne!`.
    fn assert_compared(&mut self, mac: &Macro, equal: bool) -> syn::Result<TokenStream> {
        let parser = |input: ParseStream<'_>| {
            let two = |input: ParseStream<'_>| {
                let left = input.parse::<Expr>()?;
                input.parse::<Token![,]>()?;
                Ok((left, input.parse::<Expr>()?))
            };
            let (left, right) =
                two(input).map_err(|_: syn::Error| messages::COMPARE_TWO.at(&mac.path, &[]))?;
            Ok((left, right, rest(input)?))
        };
        let (left, right, format) = parser.parse2(mac.tokens.clone())?;
        let span = spans::first(&mac.path);
        let end = close(mac);
        let (op, compare) = if equal { ("==", "eq") } else { ("!=", "ne") };
        let right_span = spans::first(&right);
        let are_values = self.is_value(&left) && self.is_value(&right);
        let (left, right) = (self.argument(&left), self.argument(&right));
        let [l, r] = ["left", "right"].map(|name| super::temporary(name, span));
        let heading = format!("assertion `left {op} right` failed");
        let (shown, formatted) = match &format {
            Some(format) => {
                let before = format!("{heading}: ");
                (format.text.token(), self.formatted(format, &before, ""))
            }
            None => (
                Literal::string(&heading),
                self.without_values(span, &heading),
            ),
        };
        let Formatted {
            values,
            pattern,
            text,
        } = formatted;
        let [left_shown, right_shown] =
            [&l, &r].map(|side| self.call("Shown::shown", span, quote!(#side), end));
        let formatted = self.v.item("format", span);
        let formatted = Formatted {
            values: quote!((#left_shown, (#right_shown, #values))),
            pattern: quote!((#l, (#r, #pattern))),
            text: quote!(#formatted!("{}\n  left: {:?}\n right: {:?}", #text, #l, #r)),
        };
        let panic = self.say("panic", span, end, quote!(#shown), formatted);
        let compared = self.call(compare, span, quote_spanned!(span=> #l, || #r), end);
        let require = self.call(
            "require",
            span,
            quote_spanned!(span=> || #compared, || #panic),
            end,
        );
        let right = match are_values {
            true => self.call(
                "Is::like",
                right_span,
                quote!(#l, #right),
                spans::last(&right),
            ),
            false => self.call("like", right_span, quote!(&#l, || #right), end),
        };
        Ok(spans::braces(
            quote!(let #l = #left; let #r = #right; #require),
            end,
        ))
    }

    /// A text between two others: its values, and the names that it takes from its surroundings.
    fn formatted(&mut self, format: &Format, before: &str, after: &str) -> Formatted {
        let mut parts = Parts::default();
        for argument in &format.arguments {
            let span = spans::first(&argument.value);
            let value = self.argument(&argument.value);
            // What never has a value may be of any type, so of one that can be printed.
            let value = match diverge::expr(&argument.value) {
                true => {
                    let lane = self.v.item("Lane", span);
                    let name = super::temporary("never", span);
                    spans::braces(
                        quote_spanned!(span=> let #name: #lane<::core::primitive::u32> = #value; #name),
                        span,
                    )
                }
                false => value,
            };
            self.part(&mut parts, span, value, argument.name.as_ref());
        }
        let span = format.text.span();
        for name in captured(&format.text.value()) {
            let name = Ident::new(&name, span);
            let is_argument = |argument: &Argument| argument.name.as_ref() == Some(&name);
            if !format.arguments.iter().any(is_argument) {
                let value = self.argument(&Expr::Path(syn::ExprPath {
                    attrs: Vec::new(),
                    qself: None,
                    path: name.clone().into(),
                }));
                self.part(&mut parts, span, value, Some(&name));
            }
        }
        let Parts {
            values,
            names,
            passed,
        } = parts;
        // The literal stays as it is, so that rustc finds its way in it.
        let (format_macro, text) = (self.v.item("format", span), &format.text);
        let text = quote!(#format_macro!(#text #(, #passed)*));
        Formatted {
            values: pairs(&values),
            pattern: pairs(&names),
            text: match (before, after) {
                ("", "") => text,
                _ => quote!([#before, #text.as_str(), #after].concat()),
            },
        }
    }

    /// Adds a value to a text.
    fn part(&self, parts: &mut Parts, span: Span, value: TokenStream, named: Option<&Ident>) {
        let name = super::temporary(&format!("value_{}", parts.names.len()), span);
        let close = spans::last(&value);
        parts
            .values
            .push(self.call("Shown::shown", span, value, close));
        parts.passed.push(match named {
            Some(named) => quote!(#named = #name),
            None => quote!(#name),
        });
        parts.names.push(name);
    }

    /// A text without values.
    fn without_values(&self, span: Span, text: &str) -> Formatted {
        let format = self.v.item("format", span);
        Formatted {
            values: quote!(()),
            pattern: quote!(()),
            text: quote!(#format!("{}", #text)),
        }
    }

    /// Calls `function` with what comes before, the values, and the function that makes the text of them.
    fn say(
        &mut self,
        function: &str,
        span: Span,
        end: Span,
        before: TokenStream,
        formatted: Formatted,
    ) -> TokenStream {
        let Formatted {
            values,
            pattern,
            text,
        } = formatted;
        self.call(
            function,
            span,
            quote_spanned!(span=> #before, #values, |#pattern| #text),
            end,
        )
    }
}

/// A text that is being taken apart.
#[derive(Default)]
struct Parts {
    values: Vec<TokenStream>,
    /// What the values are called on the host.
    names: Vec<Ident>,
    /// How they are passed to `format!`.
    passed: Vec<TokenStream>,
}

impl Format {
    /// All arguments of a macro: a text with values, or nothing.
    fn parse_in(mac: &Macro) -> syn::Result<Option<Self>> {
        if mac.tokens.is_empty() {
            return Ok(None);
        }
        mac.parse_body().map(Some)
    }
}

/// Runs only in builds that check `debug_assert!`s.
fn debugging(debug: bool, code: TokenStream) -> TokenStream {
    match debug {
        true => quote!(if ::core::cfg!(debug_assertions) { #code }),
        false => code,
    }
}

/// `(a, (b, (c, ())))`.
fn pairs(parts: &[impl ToTokens]) -> TokenStream {
    parts
        .iter()
        .rev()
        .fold(quote!(()), |rest, part| quote!((#part, #rest)))
}

fn close(mac: &Macro) -> Span {
    match &mac.delimiter {
        syn::MacroDelimiter::Paren(paren) => paren.span.close(),
        syn::MacroDelimiter::Brace(brace) => brace.span.close(),
        syn::MacroDelimiter::Bracket(bracket) => bracket.span.close(),
    }
}

/// The condition of an `assert!` without a text, as it is written.
fn source(mac: &Macro, condition: &Expr) -> String {
    let all = mac.delimiter.span().join().source_text();
    let inside = all
        .as_deref()
        .and_then(|all| all.get(1..all.len().checked_sub(1)?))
        .map(|inside| inside.trim().trim_end_matches(','));
    match inside {
        Some(inside) => inside.split_whitespace().collect::<Vec<_>>().join(" "),
        None => condition.to_token_stream().to_string(),
    }
}

/// The names that a format string takes from its surroundings: `{name}`, `{name:..}`, and widths like `{:name$}`.
/// What is no format string gives whatever; rustc will say so.
fn captured(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |name: &str| {
        let is_plain = name.starts_with(|c: char| c == '_' || c.is_alphabetic())
            && name.chars().all(|c| c == '_' || c.is_alphanumeric());
        // Not every letter and number may be in a name.
        let is_name = is_plain && Ident::parse_any.parse_str(name).is_ok();
        if is_name && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            rest = after;
            continue;
        }
        let Some(end) = rest.find('}') else { break };
        let (name, spec) = match rest[..end].split_once(':') {
            Some((name, spec)) => (name, spec),
            None => (&rest[..end], ""),
        };
        add(name.trim());
        // What stands before a `$` is the name of a width or a precision.
        let mut parts: Vec<&str> = spec.split('$').collect();
        parts.pop();
        for before in parts {
            let word = before.rfind(|c: char| c != '_' && !c.is_alphanumeric());
            add(&before[word.map_or(0, |at| at + 1)..]);
        }
        rest = &rest[end + 1..];
    }
    names
}

#[cfg(test)]
mod tests {
    use super::captured;

    #[test]
    fn captured_names() {
        assert_eq!(
            captured("{x} {y:?} {{z}} {0} {} {:>width$.prec$} {x}"),
            ["x", "y", "width", "prec"]
        );
        assert_eq!(captured("{a:>b$} }}{"), ["a", "b"]);
        assert_eq!(captured("{self} {fn}"), ["self", "fn"]);
        for none in [
            "no names",
            "{i| {}",
            "{a b}",
            "{a\u{b2}}",
            "{a-b$}",
            "{:a b",
            "{",
            "}",
        ] {
            assert!(captured(none).is_empty(), "{none}");
        }
    }
}
