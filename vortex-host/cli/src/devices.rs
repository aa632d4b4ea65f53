//! `vortex devices`.

use std::fmt::Write as _;

use anyhow::Result;
use vortex::Device;

use crate::installed::Installed;

pub(crate) fn run() -> Result<()> {
    let mut text = String::new();
    let driver = std::env::var("VORTEX_DRIVER").unwrap_or_else(|_| "embedded".to_owned());
    match Device::open() {
        Ok(device) => _ = writeln!(text, "{driver} (chosen): {}", device.caps()),
        Err(error) => {
            let error = error.to_string();
            _ = writeln!(
                text,
                "{driver} (chosen): cannot be opened: {}",
                crate::one_line(&error)
            );
        }
    }
    for (name, builder) in [
        ("embedded, as it is by default", Device::builder()),
        (
            "embedded, as Vortex is released",
            Device::builder().released(),
        ),
    ] {
        if let Ok(device) = builder.open() {
            _ = writeln!(text, "{name}: {}", device.caps());
        }
    }
    let found = Installed::look();
    match &found.runtime {
        None => text.push_str(
            "Vortex's own runtime: there is no libvortex.so here; its directory must be in LD_LIBRARY_PATH\n",
        ),
        Some(path) => _ = writeln!(text, "Vortex's own runtime: {}", path.display()),
    }
    for name in &found.drivers {
        _ = match found.runtime {
            Some(_) => writeln!(text, "  {name}: chosen by VORTEX_DRIVER={name}"),
            None => writeln!(
                text,
                "  {name}: libvortex-{name}.so is of no use without libvortex.so"
            ),
        };
    }
    crate::print_text(&text)
}
