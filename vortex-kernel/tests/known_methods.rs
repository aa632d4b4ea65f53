//! Lists of methods for messages, held against the methods that there are.

use std::fs;
use std::path::Path;

/// Or it would call one of them no part of the language. It reads no other crate's source.
#[test]
fn the_macro_knows_the_methods_of_integers() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let valid = root.join("../vortex-macros/src/valid");
    let names = fs::read_to_string(valid.join("names.rs"))?;
    let known = names + &fs::read_to_string(valid.join("floats.rs"))?;
    let (mut seen, mut missing) = (0, Vec::new());
    for entry in fs::read_dir(root.join("src/lang/value/integer"))? {
        let source = fs::read_to_string(entry?.path())?;
        // Up to the brace that ends a block of methods.
        for block in source.split("\nmethods! {").skip(1) {
            let block = block.split("\n}\n").next().unwrap_or(block);
            for method in block.split("\n    fn ").skip(1) {
                let name = method.split('(').next().unwrap_or(method);
                seen += 1;
                if !known.contains(&format!("\"{name}\"")) {
                    missing.push(name.to_owned());
                }
            }
        }
    }
    assert!(seen > 80, "only {seen} methods were found");
    assert!(missing.is_empty(), "not in vortex-macros: {missing:?}");
    Ok(())
}

/// Or rustc would say of an integer with such a method that a type of this crate has none.
#[test]
fn numbers_that_are_no_floats_know_the_functions_of_floats() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let floats = fs::read_to_string(root.join("../vortex-macros/src/valid/floats.rs"))?;
    let elsewhere = fs::read_to_string(root.join("src/lang/value/elsewhere.rs"))?;
    let declared = floats.split("const DECLARED").nth(1).unwrap_or_default();
    let rows = declared
        .split("of_one(")
        .flat_map(|row| row.split("of_two("));
    let names: Vec<&str> = rows.filter_map(|row| row.split('"').nth(1)).collect();
    assert!(
        names.len() > 20,
        "only {} functions were found",
        names.len()
    );
    let is_missing = |name: &&&str| !elsewhere.contains(&format!(" {name}("));
    let missing: Vec<_> = names.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "not in elsewhere.rs: {missing:?}");
    Ok(())
}
