//! The published schema of a module's description in JSON, `docs/metadata.schema.json`.

use super::{Access, ArgKind, Attributes, Facts, FunctionFacts, Group, ModuleValues};

/// The schema, as JSON. The parts that are declared elsewhere come from there.
#[must_use]
pub fn schema() -> String {
    let text = include_str!("schema.json");
    let kinds = ArgKind::ALL.map(|kind| format!("\"{kind}\"")).join(", ");
    let accesses = Access::ALL.map(|access| format!("\"{access}\"")).join(", ");
    text.replace("\"$kinds\"", &kinds)
        .replace("\"$accesses\"", &accesses)
        .replace("\"$attributes\"", &Attributes::schema())
        .replace("\"$facts\"", &Facts::schema())
        .replace("\"$function_facts\"", &FunctionFacts::schema())
        .replace("\"$values\"", &ModuleValues::schema())
}
