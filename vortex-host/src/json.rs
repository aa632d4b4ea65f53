//! Writes JSON.
//!
//! `serde_json` is not among the dependencies: users of this library would get it, too, and it adds implementations of
//! `PartialEq` for numbers and strings, which breaks type inference in code such as `assert_eq!(bytes, [])`.

use std::fmt::{self, Display, Write as _};

use serde::ser::{self, Impossible, Serialize};

/// A value as JSON. Maps have texts for keys, which all that is written here has.
pub(crate) fn text(value: &impl Serialize) -> String {
    let mut json = String::new();
    // Nothing that is written here is of a kind that JSON does not have.
    match value.serialize(Writer(&mut json)) {
        Ok(()) => json,
        Err(NotJson(what)) => {
            tracing::error!(what, "cannot be written as JSON");
            "null".to_owned()
        }
    }
}

/// JSON has nothing of the kind.
#[derive(Debug)]
struct NotJson(String);

impl Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotJson {}

impl ser::Error for NotJson {
    fn custom<T: Display>(what: T) -> Self {
        Self(what.to_string())
    }
}

/// Writes a text with its quotes.
fn quoted(json: &mut String, text: &str) {
    json.push('"');
    for letter in text.chars() {
        match letter {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            control if control < ' ' => _ = write!(json, "\\u{:04x}", u32::from(control)),
            other => json.push(other),
        }
    }
    json.push('"');
}

struct Writer<'a>(&'a mut String);

/// A list or an object that is being written.
struct Parts<'a> {
    json: &'a mut String,
    is_first: bool,
    end: char,
}

impl<'a> Parts<'a> {
    fn begin(json: &'a mut String, start: char, end: char) -> Self {
        json.push(start);
        Self {
            json,
            is_first: true,
            end,
        }
    }

    fn next(&mut self) -> &mut String {
        if !std::mem::take(&mut self.is_first) {
            self.json.push(',');
        }
        self.json
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotJson> {
        value.serialize(Writer(self.next()))
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), NotJson> {
        let json = self.next();
        quoted(json, name);
        json.push(':');
        value.serialize(Writer(json))
    }

    fn finish(self) -> Result<(), NotJson> {
        self.json.push(self.end);
        Ok(())
    }
}

/// Kinds that are written as `Display` has them.
macro_rules! plain {
    ($($name:ident $type:ty;)*) => {
        $(fn $name(self, value: $type) -> Result<(), NotJson> {
            _ = write!(self.0, "{value}");
            Ok(())
        })*
    };
}

/// Kinds that nothing here is of.
macro_rules! refused {
    ($($name:ident($($type:ty),*) -> $result:ty;)*) => {
        $(fn $name(self, $(_: $type),*) -> Result<$result, NotJson> {
            Err(NotJson(stringify!($name).to_owned()))
        })*
    };
}

impl<'a> ser::Serializer for Writer<'a> {
    type Ok = ();
    type Error = NotJson;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Impossible<(), NotJson>;
    type SerializeTupleVariant = Impossible<(), NotJson>;
    type SerializeMap = Impossible<(), NotJson>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Impossible<(), NotJson>;

    plain! {
        serialize_bool bool; serialize_i8 i8; serialize_i16 i16; serialize_i32 i32; serialize_i64 i64;
        serialize_u8 u8; serialize_u16 u16; serialize_u32 u32; serialize_u64 u64;
    }

    refused! {
        serialize_bytes(&[u8]) -> ();
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    fn serialize_f32(self, value: f32) -> Result<(), NotJson> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), NotJson> {
        match value.is_finite() {
            true => _ = write!(self.0, "{value:?}"),
            false => self.0.push_str("null"),
        }
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), NotJson> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), NotJson> {
        quoted(self.0, value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), NotJson> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NotJson> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), NotJson> {
        self.0.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), NotJson> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<(), NotJson> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NotJson> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<(), NotJson> {
        let mut parts = Parts::begin(self.0, '{', '}');
        parts.field(name, value)?;
        parts.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, NotJson> {
        Ok(Parts::begin(self.0, '[', ']'))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, NotJson> {
        Ok(Parts::begin(self.0, '[', ']'))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, NotJson> {
        Ok(Parts::begin(self.0, '{', '}'))
    }
}

impl ser::SerializeSeq for Parts<'_> {
    type Ok = ();
    type Error = NotJson;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotJson> {
        self.element(value)
    }

    fn end(self) -> Result<(), NotJson> {
        self.finish()
    }
}

impl ser::SerializeTuple for Parts<'_> {
    type Ok = ();
    type Error = NotJson;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotJson> {
        self.element(value)
    }

    fn end(self) -> Result<(), NotJson> {
        self.finish()
    }
}

impl ser::SerializeStruct for Parts<'_> {
    type Ok = ();
    type Error = NotJson;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), NotJson> {
        self.field(name, value)
    }

    fn end(self) -> Result<(), NotJson> {
        self.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::text;
    use serde::Serialize;

    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        TwoWords,
    }

    #[derive(Serialize)]
    struct Thing {
        name: &'static str,
        kind: Kind,
        pair: (u32, f64),
        none: Option<u8>,
        list: Vec<bool>,
        broken: f64,
    }

    #[test]
    fn values_are_json() {
        let thing = Thing {
            name: "a\"b\\\n\u{1}é</script>",
            kind: Kind::TwoWords,
            pair: (7, 1.0),
            none: None,
            list: vec![true, false],
            broken: f64::NAN,
        };
        assert_eq!(
            text(&thing),
            "{\"name\":\"a\\\"b\\\\\\n\\u0001é</script>\",\"kind\":\"two-words\",\"pair\":[7,1.0],\"none\":null,\
             \"list\":[true,false],\"broken\":null}"
        );
    }
}
