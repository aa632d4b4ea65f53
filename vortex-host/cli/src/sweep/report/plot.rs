//! Pictures with a dot for each point.

use std::fmt::Write as _;

use vortex::html::Text;
use vortex::html::axis::{self, Axis, number};

use super::analysis::{self, Case, Shot};

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 48.0;
const BOTTOM: f64 = 34.0;
const TOP: f64 = 14.0;
const RIGHT: f64 = 14.0;

/// A dot, and what is said under the pointer.
struct Dot {
    x: f64,
    y: f64,
    is_marked: bool,
    title: String,
}

/// Points of an area and of a measure of time; those that nothing beats are marked and joined.
pub(super) fn pareto(page: &mut String, points: &[(f64, f64)], titles: &[String], time: &str) {
    let front = analysis::front(points);
    let dots: Vec<_> = points
        .iter()
        .zip(titles)
        .enumerate()
        .map(|(place, ((x, y), title))| Dot {
            x: *x,
            y: *y,
            is_marked: front.contains(&place),
            title: title.clone(),
        })
        .collect();
    picture(page, &dots, "area", time, |page, x, y| {
        let mut path = String::new();
        for (n, place) in front.iter().enumerate() {
            let (area, time) = points[*place];
            _ = match n {
                0 => write!(path, "M{:.1} {:.1}", x.at(area), y.at(time)),
                _ => write!(path, "H{:.1}V{:.1}", x.at(area), y.at(time)),
            };
        }
        _ = write!(page, "<path class=\"limit\" d=\"{path}\"/>");
    });
}

/// Instructions of lanes for each byte, of what would make memory and lanes equally busy; and how much of what its
/// device can do at that a point did. All devices have the same roof so.
pub(super) fn roofline(page: &mut String, case: &Case<'_>, label: impl Fn(&Shot<'_>) -> String) {
    let dots: Vec<_> = case
        .shots
        .iter()
        .map(|shot| {
            let one = shot.measured;
            let x = one.intensity() * one.memory_peak / one.lane_peak.max(f64::MIN_POSITIVE);
            let rate = one.lane_instructions as f64 / shot.cycles().max(1.0);
            let y = rate / one.lane_peak.max(f64::MIN_POSITIVE);
            let roof = match x < 1.0 {
                true => "memory",
                false => "lanes",
            };
            Dot {
                x,
                y,
                is_marked: false,
                title: format!(
                    "{}: {} of {} instructions of lanes per cycle, {} per byte; {:.0}% of the roof, which is {roof}",
                    label(shot),
                    number(rate),
                    number(one.lane_peak),
                    number(one.intensity()),
                    100.0 * y / x.clamp(f64::MIN_POSITIVE, 1.0)
                ),
            }
        })
        .collect();
    picture(
        page,
        &dots,
        "work per byte, of what keeps both busy",
        "of all lanes",
        |page, x, y| {
            let start = x.least().max(y.least());
            _ = write!(
                page,
                "<path class=\"limit\" d=\"M{:.1} {:.1}L{:.1} {:.1}H{:.1}\"/>",
                x.at(start),
                y.at(start),
                x.at(1.0),
                y.at(1.0),
                x.at(x.most())
            );
        },
    );
}

/// A picture of dots, with what `under` draws behind them.
fn picture(
    page: &mut String,
    dots: &[Dot],
    below: &str,
    beside: &str,
    under: impl FnOnce(&mut String, &Axis, &Axis),
) {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, 0.0f64), |(low, high), value| {
            (low.min(value), high.max(value))
        })
    };
    let (left, right) = range(&mut dots.iter().map(|dot| dot.x.max(1e-6)));
    let (low, high) = range(&mut dots.iter().map(|dot| dot.y.max(1e-6)));
    let x = Axis::of(left * 0.99, right * 1.01, LEFT, WIDTH - LEFT - RIGHT);
    let y = Axis::of(
        low * 0.99,
        high * 1.01,
        HEIGHT - BOTTOM,
        -(HEIGHT - BOTTOM - TOP),
    );
    _ = write!(
        page,
        "<svg class=\"roof dots\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{beside} over {below}, \
         {} points\">",
        dots.len()
    );
    axis::grid(page, &x, &y);
    under(page, &x, &y);
    // Marked ones are on top.
    for dot in dots
        .iter()
        .filter(|dot| !dot.is_marked)
        .chain(dots.iter().filter(|dot| dot.is_marked))
    {
        _ = write!(
            page,
            "<circle{} cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{}</title></circle>",
            match dot.is_marked {
                true => " class=\"front\"",
                false => "",
            },
            x.at(dot.x),
            y.at(dot.y),
            Text(&dot.title)
        );
    }
    _ = write!(
        page,
        "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{below}</text>\
         <text class=\"axis\" x=\"{LEFT}\" y=\"{:.1}\">{beside}</text></svg>",
        WIDTH - RIGHT,
        HEIGHT - 4.0,
        TOP - 4.0
    );
}
