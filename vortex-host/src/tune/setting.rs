//! The situation for which a choice is best: a kernel, a device and a size.

use std::fmt;

use crate::driver::Caps;
use crate::tune::candidate::Shaped;

/// Kernel, device and size, as records have them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Setting {
    /// Module and name, and what tells instances apart that is not tuned.
    pub(super) kernel: String,
    /// Generation and shape.
    pub(super) device: String,
    /// The class of sizes.
    pub(super) size: String,
}

impl Setting {
    pub(super) fn new(kernel: String, caps: &Caps, first: &Shaped) -> Self {
        Self {
            kernel,
            device: device(caps),
            size: size_class(first),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            device,
            size,
        } = self;
        write!(f, "{kernel} on {device} ({size})")
    }
}

/// Generation and shape of a device, as it reports them: `Vortex 2, 4x16x32`.
fn device(caps: &Caps) -> String {
    let Caps {
        generation,
        cores,
        warps,
        threads,
        ..
    } = caps;
    format!("{generation}, {cores}x{warps}x{threads}")
}

/// The class of a launch's size: its work items with the first candidate, and the bytes of each argument in memory,
/// each rounded down to a power of two.
fn size_class(first: &Shaped) -> String {
    let mut parts = vec![format!("items {}", power_of_two(first.items()))];
    for (name, access, memory) in first.binder().bound() {
        if memory.is_some() {
            let bytes = u128::from(access.end.saturating_sub(access.start));
            parts.push(format!("{name} {}", power_of_two(bytes)));
        }
    }
    parts.join(", ")
}

/// `2^12` for 4096 and up to twice that; `0` for nothing.
fn power_of_two(number: u128) -> String {
    match number.checked_ilog2() {
        Some(exponent) => format!("2^{exponent}"),
        None => "0".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::power_of_two;

    #[test]
    fn classes_are_powers_of_two() {
        for (number, class) in [
            (0, "0"),
            (1, "2^0"),
            (3, "2^1"),
            (4095, "2^11"),
            (4096, "2^12"),
            (8191, "2^12"),
        ] {
            assert_eq!(power_of_two(number), class, "{number}");
        }
    }
}
