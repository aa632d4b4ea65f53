//! JSON Schema, as much of it as `docs/metadata.schema.json` uses; any other keyword is a panic.
//!
//! A crate for all of it took a tenth of what the tests take to build, and its features made every
//! `cargo test -p` build Cranelift once more. That the schema means the same to others is what `.ci/run` asks
//! Python's `jsonschema`.

use serde_json::Value;

/// A schema, with the definitions that it refers to.
pub(crate) struct Schema(Value);

impl Schema {
    pub(crate) fn new(text: &str) -> Schema {
        Schema(serde_json::from_str(text).unwrap())
    }

    /// Where a value is not what the schema says, and why; nothing if it is.
    pub(crate) fn complaint(&self, value: &Value) -> Option<String> {
        self.against(&self.0, value)
    }

    /// The same for a part of the schema.
    fn against(&self, schema: &Value, value: &Value) -> Option<String> {
        let keywords = schema.as_object().unwrap();
        keywords.iter().find_map(|(keyword, expected)| {
            let complaint = || Some(format!("{value} is against `{keyword}`: {expected}"));
            let unless = |holds: bool| if holds { None } else { complaint() };
            match keyword.as_str() {
                "$defs" | "$schema" | "description" | "title" => None,
                "$ref" => {
                    let pointer = expected.as_str().unwrap().strip_prefix('#').unwrap();
                    self.against(self.0.pointer(pointer).unwrap(), value)
                }
                "type" => unless(is_of_type(expected, value)),
                "enum" => unless(expected.as_array().unwrap().contains(value)),
                "const" => unless(expected == value),
                "anyOf" => {
                    let mut options = expected.as_array().unwrap().iter();
                    unless(options.any(|option| self.against(option, value).is_none()))
                }
                "allOf" => {
                    let mut parts = expected.as_array().unwrap().iter();
                    parts.find_map(|part| self.against(part, value))
                }
                "minimum" => unless(value.as_f64() >= expected.as_f64() || !value.is_number()),
                "maximum" => unless(value.as_f64() <= expected.as_f64() || !value.is_number()),
                "minItems" => unless(
                    value
                        .as_array()
                        .is_none_or(|list| at_least(expected, list.len())),
                ),
                "maxItems" => unless(
                    value
                        .as_array()
                        .is_none_or(|list| at_most(expected, list.len())),
                ),
                "minProperties" => unless(
                    value
                        .as_object()
                        .is_none_or(|map| at_least(expected, map.len())),
                ),
                "maxProperties" => unless(
                    value
                        .as_object()
                        .is_none_or(|map| at_most(expected, map.len())),
                ),
                "required" => unless(value.as_object().is_none_or(|map| {
                    let names = expected.as_array().unwrap();
                    names
                        .iter()
                        .all(|name| map.contains_key(name.as_str().unwrap()))
                })),
                "properties" => {
                    let known = expected.as_object().unwrap();
                    let mut present = known
                        .iter()
                        .filter_map(|(name, part)| Some((part, value.get(name)?)));
                    present.find_map(|(part, member)| self.against(part, member))
                }
                "patternProperties" => members(value).find_map(|(name, member)| {
                    patterns(Some(expected), name).find_map(|part| self.against(part, member))
                }),
                "additionalProperties" => {
                    let mut others =
                        members(value).filter(|(name, _)| !is_declared(keywords, name));
                    others.find_map(|(_, member)| self.against_or_bool(expected, member))
                }
                "prefixItems" => {
                    let parts = expected.as_array().unwrap().iter();
                    let mut pairs = parts.zip(items(value));
                    pairs.find_map(|(part, item)| self.against(part, item))
                }
                "items" => {
                    let declared = keywords
                        .get("prefixItems")
                        .map_or(0, |parts| parts.as_array().unwrap().len());
                    items(value)
                        .skip(declared)
                        .find_map(|item| self.against_or_bool(expected, item))
                }
                unknown => panic!("`{unknown}` is not among the keywords that this knows"),
            }
        })
    }

    /// A schema may be `true`, which takes everything, or `false`, which takes nothing.
    fn against_or_bool(&self, schema: &Value, value: &Value) -> Option<String> {
        match schema {
            Value::Bool(true) => None,
            Value::Bool(false) => Some(format!("{value} is one too many")),
            schema => self.against(schema, value),
        }
    }
}

fn is_of_type(expected: &Value, value: &Value) -> bool {
    match expected {
        Value::Array(types) => types.iter().any(|name| is_of_type(name, value)),
        name => match name.as_str().unwrap() {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("`{other}` is no type"),
        },
    }
}

fn at_least(bound: &Value, count: usize) -> bool {
    count as u64 >= bound.as_u64().unwrap()
}

fn at_most(bound: &Value, count: usize) -> bool {
    count as u64 <= bound.as_u64().unwrap()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn is_declared(keywords: &serde_json::Map<String, Value>, name: &str) -> bool {
    keywords
        .get("properties")
        .is_some_and(|known| known.get(name).is_some())
        || patterns(keywords.get("patternProperties"), name)
            .next()
            .is_some()
}

/// The parts of `patternProperties` whose pattern a name matches: `^` and what it begins with, no more.
fn patterns<'a>(declared: Option<&'a Value>, name: &str) -> impl Iterator<Item = &'a Value> {
    let declared = declared.and_then(Value::as_object).into_iter().flatten();
    let begins = move |pattern: &str| name.starts_with(pattern.strip_prefix('^').unwrap());
    declared
        .filter(move |(pattern, _)| begins(pattern))
        .map(|(_, part)| part)
}
