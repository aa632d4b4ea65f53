//! The modules of the runtime stand on floors, in the order of ARCHITECTURE.md: each knows those below its own, and no
//! others.

use std::path::Path;

#[path = "../../vortex-kernel/tests/support/floors.rs"]
mod support;

use support::{Floors, points_up};

const RUNTIME: Floors = &[
    // Ground.
    &[
        "counters", "extents", "name", "pointer", "recent", "source", "visit",
    ],
    &["driver", "fault", "lines", "printed"],
    &["error"],
    // Pending work.
    &["hazards"],
    &["globals"],
    // Images.
    &["cached", "compile", "item_counter"],
    &["image"],
    &["dump", "resident"],
    // Devices.
    &["debugger"],
    &["device"],
    &["loading", "tensor", "texture", "variables"],
    // The registry.
    &["registry"],
    // Profiles.
    &["json"],
    &["html", "trace"],
    &["profile"],
    &["report"],
    // Explanations.
    &["explain"],
    // Launches.
    &["launch"],
    &["raw", "stream"],
    // Several devices, kernels on the host, tuning.
    &["devices", "native", "tune"],
    // Modules.
    &["module"],
    // The roof.
    &["attributes", "open"],
];

#[test]
fn nothing_points_back() -> std::io::Result<()> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (wrong, seen) = points_up(&src, "crate::", RUNTIME)?;
    assert!(wrong.is_empty(), "these point up:\n{}", wrong.join("\n"));
    assert!(seen > 200, "only {seen} imports were found");
    Ok(())
}
