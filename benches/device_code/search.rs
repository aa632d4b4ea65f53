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
        choice("coarse code", &[40, 80, 120, 240], |tuning, size| {
            tuning.coarse_code = size;
        }),
        choice("coarse gain", &[102, 105, 112, 116, 120], |tuning, gain| {
            tuning.coarse_gain = gain;
        }),
        choice("rows", &[1, 2], |tuning, rows| tuning.rows = rows),
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

/// Searches for each kernel of a shape, and prints what was found.
pub(super) fn search(
    shape: [u32; 3],
    generation: Generation,
    cases: &[(&str, Case)],
) -> vortex::Result<()> {
    let once = std::env::args().any(|arg| arg == "--once");
    let rules = Tuning::of(generation);
    let [cores, warps, threads] = shape;
    println!(
        "{cores} x {warps} warps x {threads}: cycles with the rules for all, and with the best found for each"
    );
    let mut logarithms = Vec::new();
    // How much worse all kernels get, on the whole, by each setting for all of them.
    let mut by_setting: Vec<(String, f64, u32)> = Vec::new();
    for (_, case) in cases {
        let mut runs = Runs {
            shape,
            generation,
            case: *case,
            known: HashMap::new(),
        };
        let count = runs.of(&rules)?.len();
        for nth in 0..count {
            let title = runs.of(&rules)?[nth].0.clone();
            let fixed = runs.cycles(&rules, nth)?;
            if once {
                let choices = choices();
                print!("{title:<24} {fixed:>10}");
                for setting in choices.iter().flat_map(|choice| &choice.settings) {
                    let mut for_all = rules;
                    (setting.1)(&mut for_all);
                    let ratio = runs.cycles(&for_all, nth)? as f64 / fixed as f64;
                    match by_setting.iter_mut().find(|(name, ..)| *name == setting.0) {
                        Some((_, sum, count)) => (*sum, *count) = (*sum + ratio.ln(), *count + 1),
                        None => by_setting.push((setting.0.clone(), ratio.ln(), 1)),
                    }
                    print!(" {}={ratio:.3}", setting.0.replace(' ', "_"));
                }
                println!();
                continue;
            }
            let (mut best, mut tuning) = (fixed, rules);
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
                    break;
                }
            }
            for setting in choices.iter().flat_map(|choice| &choice.settings) {
                let mut for_all = rules;
                (setting.1)(&mut for_all);
                let ratio = runs.cycles(&for_all, nth)? as f64 / fixed as f64;
                match by_setting.iter_mut().find(|(name, ..)| *name == setting.0) {
                    Some((_, sum, count)) => (*sum, *count) = (*sum + ratio.ln(), *count + 1),
                    None => by_setting.push((setting.0.clone(), ratio.ln(), 1)),
                }
            }
            let ratio = fixed as f64 / best as f64;
            logarithms.push(ratio.ln());
            let found: Vec<String> = found.into_iter().map(|(_, name)| name).collect();
            println!(
                "{title:<24} {fixed:>10} {best:>10} {ratio:>6.3}  {}",
                found.join(", ")
            );
        }
    }
    let mean = logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64;
    println!(
        "geometric mean of the rules against the best found: {:.3}",
        mean.exp()
    );
    println!("with one choice made otherwise for all, against the rules:");
    for (name, sum, count) in by_setting {
        println!("  {name:<48} {:.3}", (sum / f64::from(count)).exp());
    }
    Ok(())
}
