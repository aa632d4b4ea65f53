//! How much better each kernel gets if the optimiser chooses otherwise than it does for all.
//!
//! For each kernel and shape all values of one choice after the other are tried, the best is kept for those that
//! follow, and that is repeated until nothing gets better. The model is exact, so each is tried once.

use super::suite::{Case, Launched, Suite};
use std::collections::HashMap;
use vortex::Generation;
use vortex::codegen::{Longer, Tuning};

/// A choice: its name, and settings to try for it.
struct Choice {
    name: &'static str,
    settings: Vec<Setting>,
}

/// What it is called, and what it changes.
type Setting = (String, Box<dyn Fn(&mut Tuning)>);

fn choice<V: Copy + std::fmt::Debug + 'static>(
    name: &'static str,
    values: &[V],
    set: fn(&mut Tuning, V),
) -> Choice {
    let setting = |value: V| -> Setting {
        (
            format!("{name} {value:?}"),
            Box::new(move |tuning| set(tuning, value)),
        )
    };
    Choice {
        name,
        settings: values.iter().copied().map(setting).collect(),
    }
}

/// All choices.
fn choices() -> Vec<Choice> {
    let unrolls = [
        [(0, 4), (0, 2)],
        [(0, 4), (20, 2)],
        [(0, 4), (40, 2)],
        [(0, 4), (80, 2)],
        [(10, 4), (20, 2)],
        [(10, 4), (40, 2)],
        [(20, 4), (40, 2)],
        [(40, 4), (80, 2)],
        [(10, 8), (40, 2)],
        [(20, 8), (40, 4)],
    ];
    vec![
        choice("unroll (size, iterations)", &unrolls, |tuning, longer| {
            tuning.unroll = longer.map(|(size, iterations)| Longer { size, iterations });
        }),
        choice(
            "loads together of iterations",
            &[1, 2, 4],
            |tuning, iterations| {
                tuning.loads_together = iterations;
            },
        ),
        choice("straight size", &[0, 100, 400, 800], |tuning, size| {
            tuning.straight_size = size;
        }),
        choice("loads under way", &[1, 2, 3, 4, 8], |tuning, loads| {
            tuning.loads_under_way = loads;
        }),
        choice("columns", &[1, 2, 4, 8], |tuning, columns| {
            tuning.columns = columns
        }),
        choice("items of lines", &[1, 4, 16, 32], |tuning, items| {
            tuning.items_of_lines = items;
        }),
        choice("coarse code", &[40, 80, 120, 240], |tuning, size| {
            tuning.coarse_code = size;
        }),
        choice("wide code", &[32, 64, 128], |tuning, size| {
            tuning.wide_code = size;
        }),
        choice("coarse gain", &[102, 105, 112, 116, 120], |tuning, gain| {
            tuning.coarse_gain = gain;
        }),
        choice("rows", &[1, 2, 4], |tuning, rows| tuning.rows = rows),
        choice("columns of groups", &[1, 2, 4, 8], |tuning, columns| {
            tuning.groups[0] = columns;
        }),
        choice("rows of groups", &[1, 2, 4], |tuning, rows| {
            tuning.groups[1] = rows;
        }),
        choice("group code", &[200, 400, 560, 800], |tuning, size| {
            tuning.group_code = size;
        }),
        choice(
            "float interval",
            &[1, 6, 8, 10, 12, 14],
            |tuning, cycles| {
                tuning.float_interval = cycles;
            },
        ),
        choice(
            "load interval",
            &[1, 6, 8, 12, 16, 20, 24],
            |tuning, cycles| {
                tuning.load_interval = cycles;
            },
        ),
        choice("issue", &[1, 4, 6, 10], |tuning, cycles| {
            tuning.issue = cycles
        }),
        choice(
            "full at",
            &[[16, 22], [18, 25], [20, 27], [22, 29], [25, 31]],
            |tuning, full| tuning.full = full,
        ),
    ]
}

/// Cycles of a kernel, by how it is compiled; each is run once.
struct Runs {
    shape: [u32; 3],
    generation: Generation,
    case: Case,
    known: HashMap<Tuning, Vec<(String, u64)>>,
}

impl Runs {
    fn of(&mut self, tuning: &Tuning) -> vortex::Result<&[(String, u64)]> {
        if !self.known.contains_key(tuning) {
            let mut suite = Suite::quiet(self.shape, self.generation, *tuning)?;
            (self.case)(&mut suite)?;
            let cycles = |(title, launched): (String, Launched)| {
                (title, launched.kernel.cycles().unwrap_or(0))
            };
            let runs = suite.runs.into_iter().map(cycles).collect();
            self.known.insert(*tuning, runs);
        }
        Ok(&self.known[tuning])
    }

    /// The cycles of one of the case's launches.
    fn cycles(&mut self, tuning: &Tuning, nth: usize) -> vortex::Result<u64> {
        Ok(self.of(tuning)?[nth].1)
    }
}

/// How much worse all kernels get, on the whole, by each setting for all of them.
#[derive(Default)]
struct ForAll(Vec<(String, f64, u32)>);

impl ForAll {
    /// Tries each setting by itself on one launch. Returns what the cycles are of those with the rules.
    fn try_each(
        &mut self,
        runs: &mut Runs,
        rules: Tuning,
        nth: usize,
    ) -> vortex::Result<Vec<(String, f64)>> {
        let fixed = runs.cycles(&rules, nth)? as f64;
        let mut tried = Vec::new();
        for (name, set) in choices().iter().flat_map(|choice| &choice.settings) {
            let mut tuning = rules;
            set(&mut tuning);
            let ratio = runs.cycles(&tuning, nth)? as f64 / fixed;
            match self.0.iter_mut().find(|(known, ..)| known == name) {
                Some((_, sum, count)) => (*sum, *count) = (*sum + ratio.ln(), *count + 1),
                None => self.0.push((name.clone(), ratio.ln(), 1)),
            }
            tried.push((name.clone(), ratio));
        }
        Ok(tried)
    }

    fn print(&self) {
        println!("with one choice made otherwise for all, against the rules:");
        for (name, sum, count) in &self.0 {
            println!("  {name:<48} {:.3}", (sum / f64::from(*count)).exp());
        }
    }
}

/// The fewest cycles found for one launch, and by which settings.
fn best_of(runs: &mut Runs, rules: Tuning, nth: usize) -> vortex::Result<(u64, Vec<String>)> {
    let (mut best, mut tuning) = (runs.cycles(&rules, nth)?, rules);
    let mut found: Vec<(&str, String)> = Vec::new();
    let choices = choices();
    loop {
        let before = best;
        for choice in &choices {
            for (name, set) in &choice.settings {
                let mut tried = tuning;
                set(&mut tried);
                let cycles = runs.cycles(&tried, nth)?;
                if cycles < best {
                    (best, tuning) = (cycles, tried);
                    found.retain(|(of, _)| *of != choice.name);
                    found.push((choice.name, name.clone()));
                }
            }
        }
        // Less than half a percent is no reason to go round again.
        if best * 200 > before * 199 {
            return Ok((best, found.into_iter().map(|(_, name)| name).collect()));
        }
    }
}

/// Searches for each kernel of a shape, and prints what was found; or tries each setting by itself and prints that.
pub(super) fn search(
    shape: [u32; 3],
    generation: Generation,
    cases: &[(&str, Case)],
    each_by_itself: bool,
) -> vortex::Result<()> {
    let rules = Tuning::of(generation);
    let [cores, warps, threads] = shape;
    let what = match each_by_itself {
        true => "what they are of these by each setting",
        false => "with the best found for each",
    };
    println!("{cores} x {warps} warps x {threads}: cycles with the rules for all, and {what}");
    let mut logarithms = Vec::new();
    let mut for_all = ForAll::default();
    for (_, case) in cases {
        let mut runs = Runs {
            shape,
            generation,
            case: *case,
            known: HashMap::new(),
        };
        for nth in 0..runs.of(&rules)?.len() {
            let (title, fixed) = runs.of(&rules)?[nth].clone();
            let tried = for_all.try_each(&mut runs, rules, nth)?;
            print!("{title:<24} {fixed:>10}");
            if each_by_itself {
                for (name, ratio) in tried {
                    print!(" {}={ratio:.3}", name.replace(' ', "_"));
                }
                println!();
                continue;
            }
            let (best, found) = best_of(&mut runs, rules, nth)?;
            let ratio = fixed as f64 / best as f64;
            logarithms.push(ratio.ln());
            println!(" {best:>10} {ratio:>6.3}  {}", found.join(", "));
        }
    }
    if !each_by_itself {
        let mean = logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64;
        println!(
            "geometric mean of the rules against the best found: {:.3}",
            mean.exp()
        );
    }
    for_all.print();
    Ok(())
}
