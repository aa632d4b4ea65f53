//! The findings of a sweep: for each launch the best device, and the Pareto-optimal ones; for each setting its effect.

use std::collections::HashMap;

use super::super::outcome::Measured;
use super::super::table::Row;

/// A row that was measured.
#[derive(Clone, Copy)]
pub(super) struct Shot<'a> {
    pub(super) row: &'a Row<'a>,
    pub(super) measured: &'a Measured,
}

/// A kernel with its arguments, on every device that it ran on.
pub(super) struct Case<'a> {
    pub(super) name: String,
    pub(super) launch: String,
    pub(super) shots: Vec<Shot<'a>>,
}

/// The cases of a sweep, in its order.
pub(super) fn cases<'a>(rows: &'a [Row<'a>]) -> Vec<Case<'a>> {
    let mut cases: Vec<Case<'a>> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    for row in rows {
        let Ok(measured) = row.result else {
            continue;
        };
        // A program's rows are of its kernels.
        let name = match row.name() {
            name if name.contains(&measured.kernel) => name,
            name => format!("{name}: {}", measured.kernel),
        };
        let launch = row.launch();
        let place = *places
            .entry((name.clone(), launch.clone()))
            .or_insert_with(|| {
                cases.push(Case {
                    name,
                    launch,
                    shots: Vec::new(),
                });
                cases.len() - 1
            });
        cases[place].shots.push(Shot { row, measured });
    }
    cases
}

impl Shot<'_> {
    pub(super) fn cycles(&self) -> f64 {
        self.measured.cycles as f64
    }
}

impl<'a> Case<'a> {
    /// The fewest cycles; of several devices the smallest.
    pub(super) fn best(&self) -> Option<Shot<'a>> {
        self.least(|shot| (shot.cycles(), shot.row.area))
    }

    /// The least of cycles times area.
    pub(super) fn most_efficient(&self) -> Option<Shot<'a>> {
        self.least(|shot| (shot.cycles() * shot.row.area, shot.row.area))
    }

    fn least(&self, by: impl Fn(&Shot<'_>) -> (f64, f64)) -> Option<Shot<'a>> {
        self.shots.iter().copied().min_by(|a, b| {
            let (a, b) = (by(a), by(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
    }

    /// Those that no other device beats in both cycles and area, from the smallest on.
    pub(super) fn front(&self) -> Vec<Shot<'a>> {
        let points: Vec<_> = self
            .shots
            .iter()
            .map(|shot| (shot.row.area, shot.cycles()))
            .collect();
        front(&points)
            .into_iter()
            .map(|place| self.shots[place])
            .collect()
    }
}

/// The places of points that no other has less of both than, by the first. Of equal ones, the first is there.
pub(super) fn front(points: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (points[a], points[b]);
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let mut least = f64::INFINITY;
    order.retain(|&place| {
        let is_less = points[place].1 < least;
        least = least.min(points[place].1);
        is_less
    });
    order
}

/// What a value of a setting does to cycles.
pub(super) struct Effect {
    pub(super) value: String,
    /// Of cycles to those with the setting's first value, everything else the same: geometric mean, least and most.
    pub(super) mean: f64,
    pub(super) least: f64,
    pub(super) most: f64,
    /// Pairs of points that were compared.
    pub(super) pairs: usize,
}

/// A setting that has several values.
pub(super) struct Sensitivity {
    pub(super) setting: &'static str,
    pub(super) first: String,
    pub(super) effects: Vec<Effect>,
}

/// What each setting does, the one with the largest effect first.
pub(super) fn sensitivities(cases: &[Case<'_>], settings: &[&'static str]) -> Vec<Sensitivity> {
    let mut all: Vec<_> = settings
        .iter()
        .filter_map(|setting| sensitivity(cases, settings, setting))
        .collect();
    let reach = |one: &Sensitivity| {
        one.effects
            .iter()
            .map(|effect| effect.mean.ln().abs())
            .fold(0.0, f64::max)
    };
    all.sort_by(|a, b| reach(b).total_cmp(&reach(a)));
    all
}

fn sensitivity(
    cases: &[Case<'_>],
    settings: &[&'static str],
    setting: &'static str,
) -> Option<Sensitivity> {
    let value = |shot: &Shot<'_>, name: &str| shot.row.point.hardware.value(name);
    let mut values: Vec<String> = Vec::new();
    let mut groups: HashMap<(usize, Vec<String>), HashMap<String, f64>> = HashMap::new();
    for (number, case) in cases.iter().enumerate() {
        for shot in &case.shots {
            let own = value(shot, setting);
            if !values.contains(&own) {
                values.push(own.clone());
            }
            let others = settings.iter().filter(|other| **other != setting);
            let others = others.map(|other| value(shot, other)).collect();
            groups
                .entry((number, others))
                .or_default()
                .insert(own, shot.cycles());
        }
    }
    let (first, others) = values.split_first()?;
    let effects: Vec<_> = others
        .iter()
        .filter_map(|other| {
            let pair =
                |group: &HashMap<String, f64>| Some(group.get(other)? / group.get(first)?.max(1.0));
            let ratios: Vec<f64> = groups.values().filter_map(pair).collect();
            let mean = geometric_mean(&ratios)?;
            Some(Effect {
                value: other.clone(),
                mean,
                least: ratios.iter().copied().fold(f64::INFINITY, f64::min),
                most: ratios.iter().copied().fold(0.0, f64::max),
                pairs: ratios.len(),
            })
        })
        .collect();
    (!effects.is_empty()).then(|| Sensitivity {
        setting,
        first: first.clone(),
        effects,
    })
}

fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    // In order of size, so that the sum is the same in every run.
    let mut logarithms: Vec<f64> = numbers
        .iter()
        .map(|number| number.max(f64::MIN_POSITIVE).ln())
        .collect();
    logarithms.sort_by(f64::total_cmp);
    match logarithms.len() {
        0 => None,
        count => Some((logarithms.iter().sum::<f64>() / count as f64).exp()),
    }
}

/// A device that ran every case, and how it did: the geometric mean of its cycles over the best of each case.
pub(super) struct Overall<'a> {
    pub(super) shot: Shot<'a>,
    pub(super) slowdown: f64,
}

/// The devices that ran every case, the best first.
pub(super) fn overall<'a>(cases: &[Case<'a>]) -> Vec<Overall<'a>> {
    let mut devices: HashMap<String, (Shot<'a>, Vec<f64>)> = HashMap::new();
    for case in cases {
        let best = case.best().map_or(1.0, |best| best.cycles().max(1.0));
        for shot in &case.shots {
            let (_, ratios) = devices
                .entry(shot.row.point.hardware.identity())
                .or_insert((*shot, Vec::new()));
            ratios.push(shot.cycles() / best);
        }
    }
    let mut all: Vec<_> = devices
        .into_values()
        .filter(|(_, ratios)| ratios.len() == cases.len())
        .filter_map(|(shot, ratios)| {
            Some(Overall {
                shot,
                slowdown: geometric_mean(&ratios)?,
            })
        })
        .collect();
    all.sort_by(|a, b| {
        let order = a.slowdown.total_cmp(&b.slowdown);
        order
            .then(a.shot.row.area.total_cmp(&b.shot.row.area))
            .then(a.shot.row.number.cmp(&b.shot.row.number))
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_beats_is_in_front() {
        let points = [
            (2.0, 5.0),
            (1.0, 9.0),
            (2.0, 4.0),
            (3.0, 4.0),
            (4.0, 1.0),
            (1.0, 9.0),
        ];
        assert_eq!(front(&points), [1, 2, 4]);
        assert_eq!(front(&[]), [0; 0]);
        // Each of them, and nothing else, is beaten by none.
        for seed in 0..200u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state % 8) as f64
            };
            let points: Vec<_> = (0..12).map(|_| (next(), next())).collect();
            let front = front(&points);
            for (place, point) in points.iter().enumerate() {
                let beats =
                    |other: &(f64, f64)| other.0 <= point.0 && other.1 <= point.1 && other != point;
                let is_beaten = points.iter().any(beats);
                let is_there = front.iter().any(|&other| points[other] == *point);
                assert_eq!(is_there, !is_beaten, "{place} of {points:?}");
            }
        }
    }

    #[test]
    fn means_are_geometric() {
        assert_eq!(geometric_mean(&[]), None);
        let mean = geometric_mean(&[2.0, 8.0]).unwrap_or(0.0);
        assert!((mean - 4.0).abs() < 1e-12, "{mean}");
    }
}
