//! The roofline: how fast it computed, for how many bytes it moved.

use std::fmt::Write as _;

use crate::html::axis::{self, Axis, number};
use crate::profile::Profile;

/// Size of the picture, and of what is around it.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 44.0;
const BOTTOM: f64 = 34.0;
const TOP: f64 = 12.0;
const RIGHT: f64 = 14.0;

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
    axis::grid(page, &x, &y);
    let leftmost = x.least();
    let rightmost = x.most();
    let start = leftmost.max(y.least() / roof.memory_peak.max(f64::MIN_POSITIVE));
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
