//! `vortex stats`.

use anyhow::{Result, anyhow};
use vortex::escape;
use vortex::meta::Statistics;

use crate::args::Stats;
use crate::input::{self, Beside, Input};

pub(crate) fn run(args: &Stats) -> Result<()> {
    let mut all = Statistics::default();
    for file in &args.files {
        let bytes = input::bytes(file)?;
        // What `--json` has printed.
        match serde_json::from_slice::<Statistics>(&bytes) {
            Ok(statistics) => all.merge(&statistics),
            Err(_) => {
                let none = || {
                    anyhow!(
                        "{}: nothing has been counted in this file; `Module::builder(..).statistics()` has it counted",
                        file.display()
                    )
                };
                all.merge(&of(&Input::read(file)?).ok_or_else(none)?);
            }
        }
    }
    if let Some(name) = &args.kernel {
        let of_kernel = |function: &Option<String>| function.as_ref() == Some(name);
        all.records.retain(|record| of_kernel(&record.function));
        if all.records.is_empty() {
            return Err(anyhow!("nothing has been counted of a kernel `{name}`"));
        }
    }
    if args.totals {
        all = all.totals();
    }
    match args.json {
        true => {
            let text = serde_json::to_string_pretty(&all)? + "\n";
            crate::print_bytes(escape::json(&text).as_bytes())
        }
        false => crate::print_text(&all.to_string()),
    }
}

/// What has been counted in a file, if anything.
fn of(input: &Input) -> Option<Statistics> {
    match input {
        Input::Module(module)
        | Input::Program {
            beside: Beside::Module(module),
            ..
        } => Some(module.statistics()),
        Input::Bundle(bundle) => {
            let mut all = Statistics::default();
            for (_, module) in bundle.entries() {
                all.merge(&module.statistics());
            }
            Some(all)
        }
        Input::Metadata(info)
        | Input::Program {
            beside: Beside::Metadata(info),
            ..
        } => info.statistics.clone(),
        Input::Program {
            beside: Beside::Nothing,
            ..
        } => None,
    }
}
