//! Axes of pictures, with lines at powers of ten.

use std::fmt::Write as _;

/// An axis of powers of ten.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    from: f64,
    to: f64,
    start: f64,
    length: f64,
}

impl Axis {
    /// From the power of ten below `low` to the one above `high`, from `start` on in the picture, and so long there.
    #[must_use]
    pub fn of(low: f64, high: f64, start: f64, length: f64) -> Self {
        Self {
            from: low.log10().floor(),
            to: high.log10().ceil().max(low.log10().floor() + 1.0),
            start,
            length,
        }
    }

    /// The place of a value in the picture.
    #[must_use]
    pub fn at(&self, value: f64) -> f64 {
        let share = (value.max(1e-12).log10() - self.from) / (self.to - self.from);
        self.start + self.length * share.clamp(0.0, 1.0)
    }

    /// The least value on it.
    #[must_use]
    pub fn least(&self) -> f64 {
        10f64.powf(self.from)
    }

    /// The most.
    #[must_use]
    pub fn most(&self) -> f64 {
        10f64.powf(self.to)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.from as i32..=self.to as i32).map(|power| 10f64.powi(power))
    }
}

/// A number in few digits.
#[must_use]
pub fn number(value: f64) -> String {
    match value {
        _ if value >= 100.0 => format!("{value:.0}"),
        _ if value >= 1.0 => format!("{value:.1}"),
        _ if value >= 0.01 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// Lines and numbers at powers of ten, of an axis from left to right and one from bottom to top.
pub fn grid(page: &mut String, x: &Axis, y: &Axis) {
    let (left, right) = (x.start, x.start + x.length);
    let (bottom, top) = (y.start, y.start + y.length);
    for tick in x.ticks() {
        let at = x.at(tick);
        _ = write!(
            page,
            "<line class=\"tick\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top}\" y2=\"{bottom:.1}\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 14.0,
            label(tick)
        );
    }
    for tick in y.ticks() {
        let at = y.at(tick);
        _ = write!(
            page,
            "<line class=\"tick\" x1=\"{left}\" x2=\"{right:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            at + 4.0,
            label(tick)
        );
    }
}

/// A power of ten.
fn label(value: f64) -> String {
    match value {
        _ if value >= 1e6 => format!("{:.0}M", value / 1e6),
        _ if value >= 1e3 => format!("{:.0}k", value / 1e3),
        _ if value >= 1.0 => format!("{value:.0}"),
        _ => format!("{value}"),
    }
}
