//! Values as text, in the syntax of MLIR's attributes: `{name = [1, 2.5, true, "text", -3], other = unit}`.
//!
//! [`Value`] is the tree that values are in memory, of CBOR's kinds, which are all that metadata has (integers with
//! signs up to 64 bits, text, lists, and what is not there). No bytes of CBOR are written: files have postcard's.

use std::fmt;

use ciborium::Value;
use ciborium::value::Integer;
use thiserror::Error;

/// Text that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message} at byte {at}")]
pub struct TreeError {
    message: String,
    at: usize,
}

impl TreeError {
    pub(crate) fn new(message: impl fmt::Display, at: usize) -> Self {
        Self {
            message: message.to_string(),
            at,
        }
    }
}

/// How deep values can be nested in what is read.
const MOST_NESTED: usize = 64;

/// Prints a value.
pub(crate) fn print(value: &Value, f: &mut dyn fmt::Write) -> fmt::Result {
    match value {
        Value::Bool(value) => write!(f, "{value}"),
        Value::Integer(value) => write!(f, "{}", i128::from(*value)),
        Value::Float(value) => write!(f, "{value:?}"),
        Value::Text(text) => f.write_str(&quoted(text)),
        Value::Array(values) => {
            f.write_str("[")?;
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    f.write_str(", ")?;
                }
                print(value, f)?;
            }
            f.write_str("]")
        }
        Value::Map(entries) => {
            f.write_str("{")?;
            for (index, (name, value)) in entries.iter().enumerate() {
                if index > 0 {
                    f.write_str(", ")?;
                }
                match name {
                    Value::Text(name) if is_bare(name) => f.write_str(name)?,
                    name => print(name, f)?,
                }
                f.write_str(" = ")?;
                print(value, f)?;
            }
            f.write_str("}")
        }
        // Fields of metadata are nothing else.
        _ => f.write_str("unit"),
    }
}

/// What is meant by a byte after `\\`, to which another one may belong.
fn unescaped(first: u8, next: impl FnOnce() -> u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    match first {
        b'"' | b'\\' => Some(first),
        b'n' => Some(b'\n'),
        b't' => Some(b'\t'),
        first => u8::try_from(digit(first)? * 16 + digit(next())?).ok(),
    }
}

/// Text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    quoted.extend(['\\', hex(byte >> 4), hex(byte & 15)]);
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A digit of 0 to 15.
fn hex(digit: u8) -> char {
    char::from_digit(digit.into(), 16)
        .unwrap_or('0')
        .to_ascii_uppercase()
}

pub(crate) fn is_bare(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(is_bare_char)
}

fn is_bare_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// Reads a value and nothing after it.
pub(crate) fn parse(text: &str) -> Result<Value, TreeError> {
    let mut cursor = Cursor::new(text);
    let value = cursor.value(0)?;
    cursor.end()?;
    Ok(value)
}

/// A place in text that is being read. Space between tokens means nothing.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(crate) fn error(&self, message: impl fmt::Display) -> TreeError {
        TreeError::new(message, self.at)
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn rest(&mut self) -> &'a str {
        self.skip_space();
        &self.text[self.at..]
    }

    /// Where it is, in bytes.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The first character of the next token.
    pub(crate) fn next_char(&mut self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Steps over the next token: a word, or a character.
    pub(crate) fn token(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        let length = match is_bare_char(first) {
            true => rest.find(|c| !is_bare_char(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        self.at += length;
        Some(&rest[..length])
    }

    /// Steps over the tokens of a text, if they are next.
    pub(crate) fn accept(&mut self, tokens: &str) -> bool {
        let before = self.at;
        let mut wanted = Cursor::new(tokens);
        while let Some(token) = wanted.token() {
            if self.token() != Some(token) {
                self.at = before;
                return false;
            }
        }
        true
    }

    /// Whether the text goes on with the tokens of another one.
    pub(crate) fn peek(&mut self, tokens: &str) -> bool {
        let before = self.at;
        let found = self.accept(tokens);
        self.at = before;
        found
    }

    /// Steps over the tokens of a text, which must be next.
    pub(crate) fn expect(&mut self, tokens: &str) -> Result<(), TreeError> {
        if self.accept(tokens) {
            return Ok(());
        }
        self.skip_space();
        Err(self.error(format_args!("expected `{tokens}`")))
    }

    /// Nothing but space is left.
    pub(crate) fn end(&mut self) -> Result<(), TreeError> {
        match self.rest() {
            "" => Ok(()),
            _ => Err(self.error("expected nothing more")),
        }
    }

    /// A word of letters, digits, `_` and `.`.
    pub(crate) fn word(&mut self) -> Result<&'a str, TreeError> {
        let rest = self.rest();
        let word = &rest[..rest.find(|c| !is_bare_char(c)).unwrap_or(rest.len())];
        if word.is_empty() {
            return Err(self.error("expected a name"));
        }
        self.at += word.len();
        Ok(word)
    }

    /// Text in quotes.
    pub(crate) fn string(&mut self) -> Result<String, TreeError> {
        let rest = self.rest();
        let Some(inner) = rest.strip_prefix('"') else {
            return Err(self.error("expected text in quotes"));
        };
        let mut text = Vec::new();
        let mut bytes = inner.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'"' => {
                    self.at += 1 + at + 1;
                    let text = String::from_utf8(text);
                    return text.map_err(|_| self.error("the bytes of this text are no UTF-8"));
                }
                b'\\' => {
                    let mut next = || bytes.next().map_or(b'"', |(_, byte)| byte);
                    let escaped = unescaped(next(), next);
                    text.push(
                        escaped
                            .ok_or_else(|| self.error("an escape in this text means nothing"))?,
                    );
                }
                byte => text.push(byte),
            }
        }
        Err(self.error("this text in quotes does not end"))
    }

    /// Everything up to `token`, which is stepped over too.
    pub(crate) fn until(&mut self, token: &str) -> Result<&'a str, TreeError> {
        let rest = self.rest();
        let Some(length) = rest.find(token) else {
            return Err(self.error(format_args!("expected `{token}` somewhere")));
        };
        self.at += length + token.len();
        Ok(rest[..length].trim_end())
    }

    /// A number that a `u32` can hold.
    pub(crate) fn number(&mut self) -> Result<u32, TreeError> {
        let at = self.at;
        let word = self.word()?;
        word.parse()
            .map_err(|_| TreeError::new(format_args!("`{word}` is not a 32-bit number"), at))
    }

    pub(crate) fn value(&mut self, nested: usize) -> Result<Value, TreeError> {
        if nested > MOST_NESTED {
            return Err(self.error("values are nested too deep"));
        }
        match self.rest().chars().next() {
            Some('"') => Ok(Value::Text(self.string()?)),
            Some('[') => self.list(nested),
            Some('{') => self.entries(nested),
            Some('-' | '0'..='9') => self.any_number(),
            _ => match self.word()? {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                "unit" => Ok(Value::Null),
                "NaN" => Ok(Value::Float(f64::NAN)),
                "inf" => Ok(Value::Float(f64::INFINITY)),
                word => Err(self.error(format_args!("`{word}` is not a value"))),
            },
        }
    }

    fn list(&mut self, nested: usize) -> Result<Value, TreeError> {
        self.expect("[")?;
        let mut values = Vec::new();
        while !self.accept("]") {
            if !values.is_empty() {
                self.expect(",")?;
            }
            values.push(self.value(nested + 1)?);
        }
        Ok(Value::Array(values))
    }

    fn entries(&mut self, nested: usize) -> Result<Value, TreeError> {
        self.expect("{")?;
        let mut entries: Vec<(Value, Value)> = Vec::new();
        while !self.accept("}") {
            if !entries.is_empty() {
                self.expect(",")?;
            }
            let name = match self.peek("\"") {
                true => self.string()?,
                false => self.word()?.to_owned(),
            };
            self.expect("=")?;
            let value = self.value(nested + 1)?;
            let key = Value::Text(name.clone());
            if entries.iter().any(|(other, _)| *other == key) {
                return Err(self.error(format_args!("`{name}` is there twice")));
            }
            entries.push((key, value));
        }
        Ok(Value::Map(entries))
    }

    fn any_number(&mut self) -> Result<Value, TreeError> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-');
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        let integer = word.parse::<i128>().ok();
        let value = match integer.and_then(|integer| Integer::try_from(integer).ok()) {
            Some(integer) => Some(Value::Integer(integer)),
            None => word.parse().ok().map(Value::Float),
        };
        let value = value.ok_or_else(|| self.error(format_args!("`{word}` is not a number")))?;
        self.at += word.len();
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_as_they_print() {
        let text = |text: &str| Value::Text(text.to_owned());
        let value = Value::Map(vec![
            (
                text("a"),
                Value::Array(vec![
                    Value::Integer(1.into()),
                    Value::Integer(i64::MIN.into()),
                    Value::Integer(u64::MAX.into()),
                    Value::Float(2.5),
                    Value::Float(-1e300),
                    Value::Float(1.0),
                    Value::Float(f64::NEG_INFINITY),
                ]),
            ),
            (
                text("b.c"),
                Value::Map(vec![
                    (text("strange name"), text("é\"\\\n\u{7}\u{10ffff}")),
                    (text(""), Value::Array(Vec::new())),
                ]),
            ),
            (
                text("d"),
                Value::Array(vec![Value::Bool(true), Value::Null, Value::Map(Vec::new())]),
            ),
        ]);
        let mut text = String::new();
        print(&value, &mut text).unwrap();
        assert_eq!(parse(&text).unwrap(), value, "{text}");
    }

    #[test]
    fn damaged_text_is_an_error() {
        let nested = "[".repeat(100_000);
        for (text, message) in [
            ("", "expected a name at byte 0"),
            ("[1, 2", "expected `,` at byte 5"),
            ("{a = 1, a = 2}", "`a` is there twice at byte 13"),
            ("{a 1}", "expected `=` at byte 3"),
            ("1 2", "expected nothing more at byte 2"),
            ("\"\\q\"", "an escape in this text means nothing at byte 0"),
            ("\"abc", "this text in quotes does not end at byte 0"),
            ("1.2.3", "`1.2.3` is not a number at byte 0"),
            ("maybe", "`maybe` is not a value at byte 5"),
            (&nested, "values are nested too deep at byte 65"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message);
        }
    }
}
