//! What the device's default checks, of which watching for races is the dearest, cost in time on the functional model,
//! and for how many of a kernel's accesses it is proved that they cannot race.

use super::suite::{Case, Suite};
use std::collections::HashMap;
use std::time::Duration;
use vortex::prelude::*;
use vortex::sim::Checks;

/// Launches of each kernel on each side, in turns. The fastest counts: others were disturbed.
const LAUNCHES: usize = 15;

/// Runs all cases on devices with and without checks, and prints how long launches took.
pub(super) fn watch(cases: &[(&str, Case)]) -> vortex::Result<()> {
    println!(
        "{:<24} {:>8} {:>10} {:>10} {:>6}",
        "functional model", "proved", "checked us", "none us", "ratio"
    );
    let mut logarithms: Vec<f64> = Vec::new();
    for (_, case) in cases {
        let mut fastest: [HashMap<String, Duration>; 2] = Default::default();
        let mut titles = Vec::new();
        let mut proofs = HashMap::new();
        let mut suites = [
            Suite::on(Device::builder().open()?),
            Suite::on(Device::builder().checks(Checks::none()).open()?),
        ];
        for _ in 0..LAUNCHES {
            for (suite, fastest) in suites.iter_mut().zip(&mut fastest) {
                case(suite)?;
                titles.clear();
                for (title, launched) in suite.runs.drain(..) {
                    let least = fastest.entry(title.clone()).or_insert(Duration::MAX);
                    *least = launched.kernel.wall_time().min(*least);
                    proofs.insert(title.clone(), launched.kernel.race_proof());
                    titles.push(title);
                }
            }
        }
        for title in &titles {
            let [checked, none] = [0, 1].map(|side| fastest[side][title].as_secs_f64() * 1e6);
            let ratio = checked / none;
            logarithms.push(ratio.ln());
            let proved = proofs[title].map_or(String::new(), |proof| {
                format!("{}/{}", proof.proved, proof.accesses)
            });
            println!("{title:<24} {proved:>8} {checked:>10.0} {none:>10.0} {ratio:>6.2}");
        }
    }
    let mean = logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64;
    let most = logarithms.iter().fold(0.0f64, |a, b| a.max(*b)).exp();
    println!("geometric mean {:.2}, at most {most:.2}", mean.exp());
    Ok(())
}
