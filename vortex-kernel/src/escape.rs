//! Text of unknown origin, made safe to print.
//!
//! Names, paths and messages can come from an untrusted file. A terminal obeys control characters: they move the
//! cursor, change the title, or hide what stands next to them. Characters that change the direction of text make a line
//! read differently. All of these are printed as Rust writes them in a literal, `\u{1b}`.

use std::borrow::Cow;
use std::fmt;

/// Prints a name, or any other text that belongs on one line, with everything escaped that a terminal would obey.
///
/// ```
/// use vortex_kernel::escape::Escaped;
///
/// assert_eq!(Escaped("\u{1b}[2Jsaxpy\n").to_string(), r"\u{1b}[2Jsaxpy\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&escape(self.0, is_obeyed))
    }
}

/// The same text with everything escaped that a terminal would obey, except for the ends of lines and tabs: for
/// messages.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_obeyed(c) && !matches!(c, '\n' | '\t'))
}

/// JSON with everything escaped that a terminal would obey, in the way of JSON; what is outside of its strings stays.
#[must_use]
pub fn json(text: &str) -> Cow<'_, str> {
    let is_obeyed = |c| is_obeyed(c) && !matches!(c, '\n' | '\t');
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_obeyed(c) {
            // All of them are below U+10000.
            true => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_escaped(c) {
            true => out.extend(c.escape_debug()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Whether a character does something else than to be seen: it is a control character, separates lines, or changes
/// the direction of text.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        let text = "a\u{1b}[31m\r\0\u{7f}\u{9b}\u{202e}\u{2028}é";
        let shown = r"a\u{1b}[31m\r\0\u{7f}\u{9b}\u{202e}\u{2028}é";
        assert_eq!(Escaped(text).to_string(), shown);
        assert_eq!(lines(text), shown);
        assert_eq!(lines("a\n\tb"), "a\n\tb");
        assert_eq!(json("{\"a\u{9b}\":\n1}"), "{\"a\\u009b\":\n1}");
    }

    #[test]
    fn names_are_padded_as_they_are_shown() {
        assert_eq!(format!("{:<6}|", Escaped("a\n")), r"a\n   |");
    }
}
