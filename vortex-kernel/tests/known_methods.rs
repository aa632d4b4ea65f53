//! The macro knows the name of each method of integers, or it would call one of them no part of the language. It reads
//! no other crate's source, so the names stand in `vortex-macros`, too; and this holds them against the methods.

use std::fs;
use std::path::Path;

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
