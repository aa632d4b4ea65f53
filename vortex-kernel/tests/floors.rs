//! The modules of this crate stand on floors, and so do the rooms of `lang`, as ARCHITECTURE.md says: each knows those
//! below its own, and no others.

use std::path::Path;

#[path = "support/floors.rs"]
mod support;

use support::{Floors, points_up};

const CRATE: Floors = &[
    &["abi", "escape", "group", "math"],
    &["ir"],
    &["types"],
    &["tensor"],
    &["meta"],
    &["lang", "opt"],
    &["codegen"],
];

const LANG: Floors = &[
    &["recorder"],
    &["base"],
    &["place"],
    &["value"],
    &["control", "iter"],
    &["library"],
];

#[test]
fn nothing_points_back() -> std::io::Result<()> {
    for (dir, parent, floors) in [("", "crate::", CRATE), ("lang", "crate::lang::", LANG)] {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(dir);
        let (wrong, seen) = points_up(&src, parent, floors)?;
        assert!(wrong.is_empty(), "these point up:\n{}", wrong.join("\n"));
        assert!(seen > 200, "only {seen} imports were found");
    }
    Ok(())
}
