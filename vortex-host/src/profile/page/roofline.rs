//! The roofline: how fast it computed, for how many bytes it moved.

use std::fmt::Write as _;

use crate::profile::Profile;

/// Size of the picture, and of what is around it.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 44.0;
const BOTTOM: f64 = 34.0;
const TOP: f64 = 12.0;
const RIGHT: f64 = 14.0;

/// Axes of powers of ten: from, to, and how long they are.
struct Axis {
    from: f64,
    to: f64,
    start: f64,
    length: f64,
}

impl Axis {
    fn of(low: f64, high: f64, start: f64, length: f64) -> Self {
        Self {
            from: low.log10().floor(),
            to: high.log10().ceil().max(low.log10().floor() + 1.0),
            start,
            length,
        }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value.max(1e-12).log10() - self.from) / (self.to - self.from);
        self.start + self.length * share.clamp(0.0, 1.0)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.from as i32..=self.to as i32).map(|power| 10f64.powi(power))
    }
}

fn number(value: f64) -> String {
    match value {
        _ if value >= 100.0 => format!("{value:.0}"),
        _ if value >= 1.0 => format!("{value:.1}"),
        _ if value >= 0.01 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

pub(super) fn of(page: &mut String, profile: &Profile) {
    let roof = &profile.roofline;
    let is_float = roof.float_operations > 0;
    let (what, peak, rate, operations) = match is_float {
        true => (
            "float operations",
            roof.float_peak,
            roof.float_rate,
            roof.float_operations,
        ),
        false => (
            "instructions of lanes",
            roof.lane_peak,
            roof.lane_rate,
            roof.lane_instructions,
        ),
    };
    let intensity = operations as f64 / roof.bytes.max(1) as f64;
    let ridge = peak / roof.memory_peak.max(f64::MIN_POSITIVE);
    _ = write!(
        page,
        "<section class=\"card\"><h2>Roofline</h2><p class=\"note\">{} {what} per byte of main memory; {} of {} per \
         cycle.</p>",
        number(intensity),
        number(rate),
        number(peak)
    );
    let low = (ridge / 30.0).min(intensity / 2.0).max(1e-4);
    let high = (ridge * 30.0).max(intensity * 2.0);
    let x = Axis::of(low, high, LEFT, WIDTH - LEFT - RIGHT);
    let floor = (rate / 3.0).min(peak / 300.0).max(1e-4);
    let y = Axis::of(floor, peak * 1.5, HEIGHT - BOTTOM, -(HEIGHT - BOTTOM - TOP));
    _ = write!(
        page,
        "<svg class=\"roof\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{} {what} per cycle at {} per byte\">",
        number(rate),
        number(intensity)
    );
    for tick in x.ticks() {
        let at = x.at(tick);
        _ = write!(
            page,
            "<line class=\"tick\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - BOTTOM,
            HEIGHT - BOTTOM + 14.0,
            label(tick)
        );
    }
    for tick in y.ticks() {
        let at = y.at(tick);
        _ = write!(
            page,
            "<line class=\"tick\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0,
            label(tick)
        );
    }
    let leftmost = 10f64.powf(x.from);
    let rightmost = 10f64.powf(x.to);
    let start = leftmost.max(10f64.powf(y.from) / roof.memory_peak.max(f64::MIN_POSITIVE));
    _ = write!(
        page,
        "<path class=\"limit\" d=\"M{:.1} {:.1}L{:.1} {:.1}H{:.1}\"/>",
        x.at(start),
        y.at(start * roof.memory_peak),
        x.at(ridge),
        y.at(peak),
        x.at(rightmost)
    );
    let (px, py) = (x.at(intensity), y.at(rate));
    let reach = peak.min(intensity * roof.memory_peak);
    _ = write!(
        page,
        "<line class=\"reach\" x1=\"{px:.1}\" x2=\"{px:.1}\" y1=\"{py:.1}\" y2=\"{:.1}\"/>\
         <circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"5\"/>\
         <text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">per byte</text>\
         <text class=\"axis\" x=\"{LEFT}\" y=\"{:.1}\">per cycle</text></svg>",
        y.at(reach),
        WIDTH - RIGHT,
        HEIGHT - 4.0,
        TOP - 2.0
    );
    let left = rate / reach.max(f64::MIN_POSITIVE);
    let bound = match intensity < ridge {
        true => "memory",
        false => "arithmetic",
    };
    _ = writeln!(
        page,
        "<p class=\"note\">At this many per byte, {bound} is the roof, and the kernel reaches {} of it.</p></section>",
        super::percent(left.min(1.0))
    );
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
