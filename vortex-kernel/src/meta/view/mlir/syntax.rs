//! MLIR as text: attributes, symbols, types, and operations in their generic form. Reading goes by tokens.

use std::fmt;

use crate::group::tree::{self, Cursor, TreeError};
use crate::tensor::TensorRecords;

/// The attribute that has the records of tensors.
pub(super) const TENSORS: &str = "vortex.tensors";

/// How deep attributes, operations and brackets can be nested in what is read.
const MOST_NESTED: usize = 64;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Attr {
    Flag(bool),
    Number(u32),
    Text(String),
    List(Vec<Attr>),
    Entries(Entries),
    /// `@name`.
    Symbol(String),
    /// `array<i32: 1, 2, 3>`.
    Words(Vec<u32>),
    /// Anything else.
    Type(String),
}

impl Attr {
    pub(super) fn numbers(numbers: &[u32]) -> Self {
        Self::List(numbers.iter().copied().map(Self::Number).collect())
    }

    fn read(cursor: &mut Cursor<'_>, nested: usize) -> Result<Self, TreeError> {
        if nested > MOST_NESTED {
            return Err(cursor.error("attributes are nested too deep"));
        }
        Ok(match cursor.next_char() {
            Some('"') => Self::Text(cursor.string()?),
            Some('@') => Self::Symbol(symbol(cursor)?),
            Some('{') => Self::Entries(Entries::read(cursor, nested)?),
            Some('0'..='9') => {
                let number = cursor.number()?;
                if cursor.accept(":") {
                    cursor.word()?;
                }
                Self::Number(number)
            }
            Some('[') => {
                cursor.expect("[")?;
                Self::List(list(cursor, "]", |cursor| Self::read(cursor, nested + 1))?)
            }
            _ if cursor.accept("true") => Self::Flag(true),
            _ if cursor.accept("false") => Self::Flag(false),
            _ if cursor.accept("array<i32:") => Self::Words(list(cursor, ">", word)?),
            _ => Self::Type(ty(cursor)?),
        })
    }
}

impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(&tree::quoted(text)),
            Self::List(values) => write!(f, "[{}]", joined(values)),
            Self::Entries(entries) => write!(f, "{{{entries}}}"),
            Self::Symbol(name) => Symbol(name).fmt(f),
            Self::Words(words) => write!(f, "array<i32: {}>", joined(words)),
            Self::Type(ty) => f.write_str(ty),
        }
    }
}

/// A number of 32 bits, which MLIR prints with a sign.
fn word(cursor: &mut Cursor<'_>) -> Result<u32, TreeError> {
    let is_negative = cursor.accept("-");
    let number = cursor.number()?;
    Ok(match is_negative {
        true => number.wrapping_neg(),
        false => number,
    })
}

/// Values with commas between them.
pub(super) fn joined<T: fmt::Display>(values: &[T]) -> String {
    let values: Vec<_> = values.iter().map(T::to_string).collect();
    values.join(", ")
}

/// What is up to `end`, separated by commas.
pub(super) fn list<'a, T>(
    cursor: &mut Cursor<'a>,
    end: &str,
    mut one: impl FnMut(&mut Cursor<'a>) -> Result<T, TreeError>,
) -> Result<Vec<T>, TreeError> {
    let mut values = Vec::new();
    while !cursor.accept(end) {
        if !values.is_empty() {
            cursor.expect(",")?;
        }
        values.push(one(cursor)?);
    }
    Ok(values)
}

impl Attr {
    /// A value of metadata.
    fn of(value: &ciborium::Value) -> Self {
        use ciborium::Value;
        match value {
            Value::Bool(flag) => Self::Flag(*flag),
            Value::Integer(number) => Self::Number(u32::try_from(*number).unwrap_or(u32::MAX)),
            Value::Text(text) => Self::Text(text.clone()),
            Value::Array(values) => Self::List(values.iter().map(Self::of).collect()),
            Value::Map(entries) => Self::Entries(Entries {
                entries: entries
                    .iter()
                    .filter_map(|(name, value)| Some((name.as_text()?.to_owned(), Self::of(value))))
                    .collect(),
                at: 0,
            }),
            _ => Self::Type("unit".to_owned()),
        }
    }

    /// The same as a value of metadata.
    fn value(&self) -> ciborium::Value {
        use ciborium::Value;
        match self {
            Self::Flag(flag) => Value::Bool(*flag),
            Self::Number(number) => Value::Integer((*number).into()),
            Self::Text(text) => Value::Text(text.clone()),
            Self::List(values) => Value::Array(values.iter().map(Self::value).collect()),
            Self::Entries(Entries { entries, .. }) => {
                let entries = entries.iter();
                let entries =
                    entries.map(|(name, value)| (Value::Text(name.clone()), value.value()));
                Value::Map(entries.collect())
            }
            Self::Type(_) | Self::Symbol(_) | Self::Words(_) => Value::Null,
        }
    }
}

/// A dictionary of attributes. The order in which they are read does not matter: `mlir-opt` sorts them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entries {
    entries: Vec<(String, Attr)>,
    /// Where it was read.
    at: usize,
}

impl Entries {
    /// The same with one more.
    pub(super) fn with(mut self, name: &str, value: Attr) -> Self {
        self.entries.push((name.to_owned(), value));
        self
    }

    /// The same with the records of tensors, if there are any.
    pub(super) fn with_tensors(self, records: &TensorRecords) -> Self {
        match records.to_tree() {
            Some(value) if !records.is_empty() => self.with(TENSORS, Attr::of(&value)),
            _ => self,
        }
    }

    /// The records of tensors, if there are any.
    pub(super) fn tensors(&mut self) -> Result<TensorRecords, TreeError> {
        match self.take(TENSORS) {
            None => Ok(TensorRecords::default()),
            Some(value) => TensorRecords::of_tree(&value.value()),
        }
    }

    /// Reads `{name = value, ..}`.
    pub(super) fn read(cursor: &mut Cursor<'_>, nested: usize) -> Result<Self, TreeError> {
        cursor.expect("{")?;
        let at = cursor.at();
        let entries = list(cursor, "}", |cursor| {
            let name = match cursor.peek("\"") {
                true => cursor.string()?,
                false => cursor.word()?.to_owned(),
            };
            // `mlir-opt` prints no `= unit`.
            if cursor.peek(",") || cursor.peek("}") {
                return Ok((name, Attr::Type("unit".to_owned())));
            }
            cursor.expect("=")?;
            Ok((name, Attr::read(cursor, nested + 1)?))
        })?;
        Ok(Self { entries, at })
    }

    /// The same with others after.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.entries.extend(other.entries);
        self
    }

    /// Reads `name = value`.
    pub(super) fn read_one(cursor: &mut Cursor<'_>) -> Result<Self, TreeError> {
        let at = cursor.at();
        let name = cursor.word()?.to_owned();
        cursor.expect("=")?;
        let entries = vec![(name, Attr::read(cursor, 0)?)];
        Ok(Self { entries, at })
    }

    /// Takes an entry out, if it is there.
    pub(super) fn take(&mut self, name: &str) -> Option<Attr> {
        let index = self.entries.iter().position(|(known, _)| known == name)?;
        Some(self.entries.remove(index).1)
    }

    fn expect<T>(
        &mut self,
        name: &str,
        what: &str,
        is: impl Fn(Attr) -> Option<T>,
    ) -> Result<T, TreeError> {
        let value = self.take(name).and_then(is);
        value.ok_or_else(|| self.error(format_args!("expected `{name}`, {what}, in these braces")))
    }

    pub(super) fn number(&mut self, name: &str) -> Result<u32, TreeError> {
        self.expect(name, "a number", |value| match value {
            Attr::Number(number) => Some(number),
            _ => None,
        })
    }

    pub(super) fn flag(&mut self, name: &str) -> Result<bool, TreeError> {
        self.expect(name, "`true` or `false`", |value| match value {
            Attr::Flag(flag) => Some(flag),
            _ => None,
        })
    }

    pub(super) fn text(&mut self, name: &str) -> Result<String, TreeError> {
        self.expect(name, "text in quotes", |value| match value {
            Attr::Text(text) => Some(text),
            _ => None,
        })
    }

    pub(super) fn symbol(&mut self, name: &str) -> Result<String, TreeError> {
        self.expect(name, "a symbol", |value| match value {
            Attr::Symbol(name) => Some(name),
            _ => None,
        })
    }

    pub(super) fn ty(&mut self, name: &str) -> Result<String, TreeError> {
        self.expect(name, "a type", |value| match value {
            Attr::Type(ty) => Some(ty),
            _ => None,
        })
    }

    pub(super) fn list(&mut self, name: &str) -> Result<Vec<Attr>, TreeError> {
        self.expect(name, "a list", |value| match value {
            Attr::List(values) => Some(values),
            _ => None,
        })
    }

    pub(super) fn numbers(&mut self, name: &str) -> Result<Vec<u32>, TreeError> {
        self.expect(name, "a list of numbers", |value| match value {
            Attr::List(values) => values.into_iter().map(number).collect(),
            _ => None,
        })
    }

    pub(super) fn entries(&mut self, name: &str) -> Result<Self, TreeError> {
        self.expect(name, "a dictionary", |value| match value {
            Attr::Entries(entries) => Some(entries),
            _ => None,
        })
    }

    /// Nothing else may be there.
    pub(super) fn end(&self) -> Result<(), TreeError> {
        match self.entries.first() {
            None => Ok(()),
            Some((name, _)) => Err(self.error(format_args!("`{name}` has no place here"))),
        }
    }

    pub(super) fn error(&self, message: impl fmt::Display) -> TreeError {
        TreeError::new(message, self.at)
    }
}

impl fmt::Display for Entries {
    /// Without the braces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.entries.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            match tree::is_bare(name) {
                true => write!(f, "{comma}{name} = {value}")?,
                false => write!(f, "{comma}{} = {value}", tree::quoted(name))?,
            }
        }
        Ok(())
    }
}

fn number(value: Attr) -> Option<u32> {
    match value {
        Attr::Number(number) => Some(number),
        _ => None,
    }
}

/// A name that begins with `@`, in quotes where it must be.
pub(super) struct Symbol<'a>(pub(super) &'a str);

impl fmt::Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match tree::is_bare(self.0) {
            true => write!(f, "@{}", self.0),
            false => write!(f, "@{}", tree::quoted(self.0)),
        }
    }
}

pub(super) fn symbol(cursor: &mut Cursor<'_>) -> Result<String, TreeError> {
    cursor.expect("@")?;
    match cursor.peek("\"") {
        true => cursor.string(),
        false => cursor.word().map(str::to_owned),
    }
}

/// A type, with the blanks that MLIR prints. It ends where a comma, a closing bracket or nothing follows outside of its
/// brackets.
pub(super) fn ty(cursor: &mut Cursor<'_>) -> Result<String, TreeError> {
    let mut ty = String::new();
    let mut open = Vec::new();
    loop {
        match cursor.next_char() {
            None => break,
            Some(',' | '=' | '{' | '}') if open.is_empty() => break,
            Some(end @ (')' | ']' | '>')) if !ty.ends_with('-') => {
                if open.is_empty() {
                    break;
                }
                if open.pop() != Some(end) {
                    return Err(cursor.error(format_args!("`{end}` closes nothing here")));
                }
            }
            Some('(') => open.push(')'),
            Some('[') => open.push(']'),
            Some('<') => open.push('>'),
            Some(_) => {}
        }
        if open.len() > MOST_NESTED {
            return Err(cursor.error("brackets are nested too deep"));
        }
        let Some(token) = cursor.token() else { break };
        if needs_blank(&ty, token) {
            ty.push(' ');
        }
        ty.push_str(token);
    }
    match open.is_empty() && !ty.is_empty() {
        true => Ok(ty),
        false => Err(cursor.error("expected a type")),
    }
}

/// Whether MLIR prints a blank before a token of a type.
fn needs_blank(before: &str, token: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let after_arrow = before.ends_with("->");
    let between_words = before.ends_with(is_word) && token.starts_with(is_word);
    let equals = token == "=" || before.ends_with('=');
    before.ends_with(',') || token == "-" || after_arrow || between_words || equals
}

/// An operation in its generic form, without operands and results: `"name"() ({..}) {..} : () -> ()`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operation {
    pub(super) name: String,
    /// Its only region, if it has one.
    pub(super) region: Option<Vec<Operation>>,
    pub(super) attributes: Entries,
}

impl Operation {
    pub(super) fn new(name: &str, attributes: Entries) -> Self {
        Self {
            name: name.to_owned(),
            region: None,
            attributes,
        }
    }

    /// The same with these operations in it.
    pub(super) fn around(self, region: Vec<Operation>) -> Self {
        Self {
            region: Some(region),
            ..self
        }
    }

    fn read(cursor: &mut Cursor<'_>, nested: usize) -> Result<Self, TreeError> {
        if nested > MOST_NESTED {
            return Err(cursor.error("operations are nested too deep"));
        }
        let name = cursor.string()?;
        cursor.expect("()")?;
        let region = match cursor.accept("({") {
            false => None,
            true => {
                let mut inner = Vec::new();
                while !cursor.accept("})") {
                    inner.push(Self::read(cursor, nested + 1)?);
                }
                Some(inner)
            }
        };
        let attributes = match cursor.peek("{") {
            true => Entries::read(cursor, nested)?,
            false => Entries::default(),
        };
        cursor.expect(": () -> ()")?;
        Ok(Self {
            name,
            region,
            attributes,
        })
    }

    fn print(&self, f: &mut fmt::Formatter<'_>, indent: usize) -> fmt::Result {
        write!(f, "{:indent$}{}()", "", tree::quoted(&self.name))?;
        if let Some(region) = &self.region {
            writeln!(f, " ({{")?;
            for inner in region {
                inner.print(f, indent + 2)?;
                writeln!(f)?;
            }
            write!(f, "{:indent$}}})", "")?;
        }
        if !self.attributes.entries.is_empty() {
            write!(f, " {{{}}}", self.attributes)?;
        }
        write!(f, " : () -> ()")
    }

    /// The attributes, if it is an operation of this name without a region that says anything.
    pub(super) fn expect(self, name: &str) -> Result<Entries, TreeError> {
        let Self {
            name: is,
            region,
            attributes,
        } = self;
        match is == name && region.is_none_or(|region| region.is_empty()) {
            true => Ok(attributes),
            false => Err(attributes.error(format_args!("expected the operation `{name}`"))),
        }
    }

    /// The operations in it and its attributes, if it is one of this name.
    pub(super) fn expect_around(self, name: &str) -> Result<(Vec<Self>, Entries), TreeError> {
        match (self.region, self.name == name) {
            (Some(region), true) => Ok((region, self.attributes)),
            _ => Err(self.attributes.error(format_args!(
                "expected the operation `{name}`, with a region"
            ))),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(f, 0)
    }
}

/// Reads operations up to the end, also if they are all in `module {..}`, which `mlir-opt` prints around them.
pub(super) fn operations(cursor: &mut Cursor<'_>) -> Result<Vec<Operation>, TreeError> {
    let is_module = cursor.accept("module {");
    let mut all = Vec::new();
    while cursor.peek("\"") {
        all.push(Operation::read(cursor, 0)?);
    }
    if is_module {
        cursor.expect("}")?;
    }
    cursor.end()?;
    Ok(all)
}

/// Whether text begins with operations in their generic form.
pub(super) fn is_generic(cursor: &mut Cursor<'_>) -> bool {
    cursor.peek("\"") || cursor.peek("module {\"")
}
