//! The text form of most operations: their name, then their parts.

use super::lexer::{Lexer, Parse};
use super::{
    Csr, DataId, FaultKind, FaultOperands, Id, Label, LocalId, MessageId, PrivateId, Scope, Value,
    Var,
};
use std::fmt::{self, Display};

/// A part of an operation that is written like others.
pub(super) trait Plain: Sized {
    fn write(&self, line: &mut Line<'_>) -> fmt::Result;

    fn read(parts: &mut Parts<'_, '_>) -> Parse<Self>;
}

/// An operation that is being written.
pub(super) struct Line<'o> {
    out: &'o mut dyn fmt::Write,
    /// What is before the next part.
    before: &'static str,
}

impl<'o> Line<'o> {
    pub(super) fn start(out: &'o mut dyn fmt::Write, name: &str) -> Result<Self, fmt::Error> {
        out.write_str(name)?;
        Ok(Self { out, before: " " })
    }

    fn part(&mut self, part: impl Display) -> fmt::Result {
        write!(self.out, "{}{part}", self.before)?;
        self.before = ", ";
        Ok(())
    }

    /// A word, which no comma follows.
    fn word(&mut self, word: impl Display) -> fmt::Result {
        self.part(word)?;
        self.before = " ";
        Ok(())
    }
}

/// The parts of an operation that is being read.
pub(super) struct Parts<'p, 't> {
    lex: &'p mut Lexer<'t>,
    /// Whether a comma stands before the next part.
    comma: bool,
}

impl<'p, 't> Parts<'p, 't> {
    pub(super) fn of(lex: &'p mut Lexer<'t>) -> Self {
        let comma = false;
        Self { lex, comma }
    }

    /// The next part, up to the comma after it.
    fn part(&mut self) -> Parse<&mut Lexer<'t>> {
        if std::mem::replace(&mut self.comma, true) {
            self.lex.comma()?;
        }
        Ok(self.lex)
    }

    fn word<T>(&mut self, wanted: &'static str, from: fn(&str) -> Option<T>) -> Parse<T> {
        let word = self.part()?.named(wanted, from)?;
        self.comma = false;
        Ok(word)
    }
}

/// Parts that are a letter and a number.
macro_rules! numbered {
    ($($ty:ident $read:ident;)*) => {$(
        impl Plain for $ty {
            fn write(&self, line: &mut Line<'_>) -> fmt::Result {
                line.part(self)
            }

            fn read(parts: &mut Parts<'_, '_>) -> Parse<Self> {
                parts.part()?.$read()
            }
        }
    )*};
}

numbered! {
    Value value;
    LocalId local;
    PrivateId private;
    DataId data;
    MessageId message;
    Var var;
    Label label;
}

/// Parts that are a word.
macro_rules! words {
    ($($ty:ident $wanted:literal;)*) => {$(
        impl Plain for $ty {
            fn write(&self, line: &mut Line<'_>) -> fmt::Result {
                line.word(self.word())
            }

            fn read(parts: &mut Parts<'_, '_>) -> Parse<Self> {
                parts.word($wanted, Self::from_word)
            }
        }
    )*};
}

words! {
    Csr "a csr";
    FaultKind "a kind of fault";
    Scope "a scope";
}

impl Plain for Id {
    fn write(&self, line: &mut Line<'_>) -> fmt::Result {
        line.word(self)
    }

    fn read(parts: &mut Parts<'_, '_>) -> Parse<Self> {
        parts.word("an id", Self::from_word)
    }
}

impl Plain for [Value; 2] {
    fn write(&self, line: &mut Line<'_>) -> fmt::Result {
        self.iter().try_for_each(|value| value.write(line))
    }

    fn read(parts: &mut Parts<'_, '_>) -> Parse<Self> {
        Ok([Value::read(parts)?, Value::read(parts)?])
    }
}

/// One, and all that follow, each after a comma.
impl Plain for FaultOperands {
    fn write(&self, line: &mut Line<'_>) -> fmt::Result {
        self.iter().try_for_each(|value| value.write(line))
    }

    fn read(parts: &mut Parts<'_, '_>) -> Parse<Self> {
        let mut values = Self::new();
        values.push(Value::read(parts)?);
        while parts.lex.eat(',')? {
            values.push(parts.lex.value()?);
        }
        Ok(values)
    }
}

/// All that are left, each after a comma.
impl Plain for Vec<Value> {
    fn write(&self, line: &mut Line<'_>) -> fmt::Result {
        self.iter().try_for_each(|value| value.write(line))
    }

    fn read(parts: &mut Parts<'_, '_>) -> Parse<Self> {
        let mut values = Self::new();
        while parts.lex.eat(',')? {
            values.push(parts.lex.value()?);
        }
        Ok(values)
    }
}
