//! `vortex devices`.

use std::fmt::Write as _;

use anyhow::Result;
use vortex::{Caps, Device};

use crate::counted;
use crate::installed::Installed;

pub(crate) fn run() -> Result<()> {
    let mut text = String::new();
    let driver = std::env::var("VORTEX_DRIVER").unwrap_or_else(|_| "embedded".to_owned());
    match Device::open() {
        Ok(device) => _ = writeln!(text, "{driver} (chosen): {}", describe(device.caps())),
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
            _ = writeln!(text, "{name}: {}", describe(device.caps()));
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

/// What a device is made of, in a line.
pub(crate) fn describe(caps: &Caps) -> String {
    let mut text = format!(
        "{} x {} x {}, groups of up to {}, {} bytes of local memory",
        counted(caps.cores, "core"),
        counted(caps.warps, "warp"),
        counted(caps.threads, "thread"),
        counted(caps.max_group(), "item"),
        caps.local_memory
    );
    for (has, name) in [
        (caps.zicond, "Zicond"),
        (caps.atomics, "atomics"),
        (caps.warp_ops, "warp operations"),
    ] {
        if has {
            _ = write!(text, ", {name}");
        }
    }
    text
}
