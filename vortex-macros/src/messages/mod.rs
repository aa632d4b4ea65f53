//! What the macro says, as data, so that the wording can be reviewed in one place.
//!
//! A message says what is wrong in the words of the user's code, then what to write instead.

mod body;
mod call;
mod item;
mod iterator;
mod tune;

pub(crate) use body::*;
pub(crate) use call::*;
pub(crate) use item::*;
pub(crate) use iterator::*;
pub(crate) use tune::*;

use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;

/// A complaint. `{0}`, `{1}` stand for words of the user's code.
pub(crate) struct Message {
    what: &'static str,
    instead: &'static str,
}

impl Message {
    /// The complaint about these tokens.
    pub(crate) fn at(&self, tokens: impl ToTokens, words: &[&dyn Display]) -> syn::Error {
        let (what, instead) = self.parts(words);
        syn::Error::new_spanned(tokens, format!("{what}\nhelp: {instead}"))
    }

    /// The same at a place.
    pub(crate) fn at_span(&self, span: Span, words: &[&dyn Display]) -> syn::Error {
        let (what, instead) = self.parts(words);
        syn::Error::new(span, format!("{what}\nhelp: {instead}"))
    }

    /// What is wrong, and what to write instead.
    pub(crate) fn parts(&self, words: &[&dyn Display]) -> (String, String) {
        let with_words = |text: &str| {
            let mut text = text.to_owned();
            for (index, word) in words.iter().enumerate() {
                let word = word.to_string().replace(SELF, "self");
                text = text.replace(&format!("{{{index}}}"), &word);
            }
            text
        };
        (with_words(self.what), with_words(self.instead))
    }
}

/// What `self` is called in the rewritten body of a method.
pub(crate) const SELF: &str = "__self";

macro_rules! messages {
    ($($name:ident: $what:literal, $instead:literal;)*) => {
        $(pub(crate) const $name: Message = Message { what: $what, instead: $instead };)*

        #[cfg(test)]
        pub(super) const ALL: &[(&str, Message)] = &[$((stringify!($name), $name)),*];
    };
}

use messages;

#[cfg(test)]
mod tests {
    use super::{body, call, item, iterator, tune};

    #[test]
    fn every_message_reads_as_a_sentence_without_its_full_stop() {
        let all = [item::ALL, body::ALL, call::ALL, iterator::ALL, tune::ALL];
        for (name, message) in all.into_iter().flatten() {
            for text in [message.what, message.instead] {
                assert!(
                    !text.is_empty() && !text.ends_with('.') && !text.contains("  "),
                    "{name}: {text}"
                );
                assert!(!text.starts_with(char::is_uppercase), "{name}: {text}");
            }
        }
    }
}
