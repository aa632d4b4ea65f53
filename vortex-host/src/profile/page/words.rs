//! Numbers as the page has them.

/// A number in few letters: `950`, `1.2k`, `35k`, `4.1M`.
pub(super) fn short(number: u64) -> String {
    let (scaled, unit) = match number {
        0..10_000 => return number.to_string(),
        10_000..1_000_000 => (number as f64 / 1e3, "k"),
        _ => (number as f64 / 1e6, "M"),
    };
    match scaled < 10.0 {
        true => format!("{scaled:.1}{unit}"),
        false => format!("{scaled:.0}{unit}"),
    }
}

/// A share, as CSS and people have it.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent < 9.95 {
        true => format!("{percent:.1}%"),
        false => format!("{percent:.0}%"),
    }
}

/// Bytes in a unit that suits them.
pub(super) fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{:.1} KiB", count as f64 / 1024.0),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [9_999, 12_345, 999_999, 1_250_000].map(short),
            ["9999", "12k", "1000k", "1.2M"]
        );
        assert_eq!([0.034, 0.5].map(percent), ["3.4%", "50%"]);
        assert_eq!(
            [100, 2048, 3 << 20].map(bytes),
            ["100 B", "2.0 KiB", "3.0 MiB"]
        );
    }
}
