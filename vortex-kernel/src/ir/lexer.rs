//! Tokens of the IR's text form, and the errors that name a place in it.

use super::parse_error::{MAX_NUMBER, ParseError, Problem};
use super::{DataId, Label, LocalId, MessageId, PrivateId, Value, Var};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Word(&'a str),
    /// A number as written, sign included.
    Number(&'a str),
    Text(String),
    Mark(char),
    End,
}

/// One token of lookahead over a text.
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// Byte offset after `token`.
    at: usize,
    /// Byte offset of `token`.
    pub(super) token_at: usize,
    pub(super) token: Token<'a>,
}

pub(super) type Parse<T> = Result<T, ParseError>;

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Parse<Self> {
        let mut lexer = Self {
            text,
            at: 0,
            token_at: 0,
            token: Token::End,
        };
        lexer.advance()?;
        Ok(lexer)
    }

    pub(super) fn error(&self, problem: Problem) -> ParseError {
        let before = self.text.get(..self.token_at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        ParseError {
            line: count(before.matches('\n').count()).saturating_add(1),
            column: count(before[line_start..].chars().count()).saturating_add(1),
            problem,
        }
    }

    pub(super) fn expected(&self, wanted: &'static str) -> ParseError {
        let found = match &self.token {
            Token::Word(word) | Token::Number(word) => format!("`{word}`"),
            Token::Text(text) => format!("{text:?}"),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => "the end of the text".to_owned(),
        };
        self.error(Problem::Expected { wanted, found })
    }

    /// Reads the next token, skipping blanks and `;` comments.
    pub(super) fn advance(&mut self) -> Parse<()> {
        let mut rest = &self.text[self.at..];
        loop {
            rest = rest.trim_start();
            match rest.strip_prefix(';') {
                Some(comment) => rest = comment.find('\n').map_or("", |n| &comment[n..]),
                None => break,
            }
        }
        self.token_at = self.text.len() - rest.len();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let word_len = |s: &str| s.find(|c| !is_word(c)).unwrap_or(s.len());
        let Some(first) = rest.chars().next() else {
            self.token = Token::End;
            self.at = self.token_at;
            return Ok(());
        };
        let mut len = first.len_utf8();
        self.token = match first {
            '"' => {
                len = self.string_len(rest)?;
                Token::Text(self.unescape(&rest[1..len - 1])?)
            }
            '-' | '+' => {
                len += word_len(&rest[1..]);
                // `1e-7` is one number.
                if rest[..len].ends_with(['e', 'E']) && rest[len..].starts_with(['-', '+']) {
                    len += 1 + word_len(&rest[len + 1..]);
                }
                Token::Number(&rest[..len])
            }
            c if c.is_ascii_digit() => {
                len = word_len(rest);
                let hex = rest.starts_with("0x");
                if !hex && rest[..len].ends_with(['e', 'E']) && rest[len..].starts_with(['-', '+'])
                {
                    len += 1 + word_len(&rest[len + 1..]);
                }
                Token::Number(&rest[..len])
            }
            c if is_word(c) => {
                len = word_len(rest);
                Token::Word(&rest[..len])
            }
            c => Token::Mark(c),
        };
        self.at = self.token_at + len;
        Ok(())
    }

    /// Length of the string literal at the start of `rest`, quotes included.
    fn string_len(&self, rest: &str) -> Parse<usize> {
        let mut escaped = false;
        for (i, c) in rest.char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => return Ok(i + 1),
                _ => {}
            }
        }
        Err(self.error(Problem::Malformed("string")))
    }

    /// Undoes what Rust's `{:?}` does to strings.
    fn unescape(&self, body: &str) -> Parse<String> {
        let bad = || self.error(Problem::Malformed("string"));
        let mut out = String::new();
        let mut chars = body.chars();
        while let Some(c) = chars.next() {
            if c != '\\' {
                out.push(c);
                continue;
            }
            out.push(match chars.next().ok_or_else(bad)? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    let rest = chars.as_str().strip_prefix('{').ok_or_else(bad)?;
                    let (digits, rest) = rest.split_once('}').ok_or_else(bad)?;
                    chars = rest.chars();
                    let code = u32::from_str_radix(digits, 16).map_err(|_| bad())?;
                    char::from_u32(code).ok_or_else(bad)?
                }
                c @ ('"' | '\\' | '\'') => c,
                _ => return Err(bad()),
            });
        }
        Ok(out)
    }

    pub(super) fn is(&self, mark: char) -> bool {
        self.token == Token::Mark(mark)
    }

    pub(super) fn eat(&mut self, mark: char) -> Parse<bool> {
        let there = self.is(mark);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    pub(super) fn mark(&mut self, mark: char, wanted: &'static str) -> Parse<()> {
        if self.eat(mark)? {
            Ok(())
        } else {
            Err(self.expected(wanted))
        }
    }

    pub(super) fn eat_word(&mut self, word: &str) -> Parse<bool> {
        let there = self.token == Token::Word(word);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    pub(super) fn keyword(&mut self, word: &'static str) -> Parse<()> {
        if self.eat_word(word)? {
            Ok(())
        } else {
            Err(self.expected(word))
        }
    }

    pub(super) fn word(&mut self, wanted: &'static str) -> Parse<&'a str> {
        match self.token {
            Token::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            _ => Err(self.expected(wanted)),
        }
    }

    pub(super) fn string(&mut self, wanted: &'static str) -> Parse<String> {
        match &self.token {
            Token::Text(text) => {
                let text = text.clone();
                self.advance()?;
                Ok(text)
            }
            _ => Err(self.expected(wanted)),
        }
    }

    pub(super) fn unsigned(&mut self, wanted: &'static str) -> Parse<u32> {
        let number = match self.token {
            Token::Number(digits) => digits.parse().ok(),
            _ => None,
        };
        let number = number.ok_or_else(|| self.expected(wanted))?;
        self.advance()?;
        Ok(number)
    }

    /// `v12`, `m3`, `L0`: a letter and a number.
    pub(super) fn numbered(&mut self, letter: char, wanted: &'static str) -> Parse<u32> {
        let Token::Word(word) = self.token else {
            return Err(self.expected(wanted));
        };
        let number = word.strip_prefix(letter).and_then(|n| n.parse().ok());
        let number: u32 = number.ok_or_else(|| self.expected(wanted))?;
        if number >= MAX_NUMBER {
            return Err(self.error(Problem::Numbering(word.to_owned())));
        }
        self.advance()?;
        Ok(number)
    }

    pub(super) fn value(&mut self) -> Parse<Value> {
        Ok(Value::from_bits(self.numbered('v', "a value")?))
    }

    pub(super) fn label(&mut self) -> Parse<Label> {
        Ok(Label::from_bits(self.numbered('L', "a label")?))
    }

    pub(super) fn var(&mut self) -> Parse<Var> {
        Ok(Var::from_bits(self.numbered('m', "a variable")?))
    }

    pub(super) fn message(&mut self) -> Parse<MessageId> {
        Ok(MessageId::from_bits(self.numbered('t', "a message")?))
    }

    pub(super) fn private(&mut self) -> Parse<PrivateId> {
        Ok(PrivateId::from_bits(
            self.numbered('p', "an object in private memory")?,
        ))
    }

    pub(super) fn data(&mut self) -> Parse<DataId> {
        Ok(DataId::from_bits(self.numbered('d', "constant data")?))
    }

    pub(super) fn local(&mut self) -> Parse<LocalId> {
        Ok(LocalId::from_bits(
            self.numbered('l', "an object in local memory")?,
        ))
    }

    pub(super) fn comma(&mut self) -> Parse<()> {
        self.mark(',', "`,`")
    }

    pub(super) fn named<T>(
        &mut self,
        wanted: &'static str,
        from: fn(&str) -> Option<T>,
    ) -> Parse<T> {
        let named = match self.token {
            Token::Word(word) => from(word),
            _ => None,
        };
        let named = named.ok_or_else(|| self.expected(wanted))?;
        self.advance()?;
        Ok(named)
    }
}
