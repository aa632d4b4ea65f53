//! `vortex sweep`: kernels on many devices, on the cycle model.
//!
//! A file says what runs and on what (`spec`, `hardware`); from it come points, each with a key of everything that it
//! depends on (`points`). The result of a point (`outcome`) is saved at once (`parts`), whatever ran it: the threads of
//! this machine (`local`, and `program` for programs) or an engine that starts this command for each shard (`engine`).
//! When all are done, rows are written in the file's order (`table`), and a page of them (`report`).

mod engine;
mod hardware;
mod local;
mod outcome;
mod parts;
mod points;
mod program;
mod report;
mod spec;
mod table;

use std::collections::HashMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use vortex::sim::Generation;
use vortex::sim::timing::{KNOBS, TimingConfig};

use crate::args::{Sweep as Args, SweepCommand};
use crate::{counted, print_text};

use engine::{Handed, Shard, Tasks};
use outcome::Outcome;
use parts::Parts;
use points::Point;
use spec::Spec;

pub(crate) fn run(args: &Args) -> Result<()> {
    match (&args.command, &args.file) {
        (Some(SweepCommand::Knobs), _) => print_text(&knobs()),
        (
            Some(SweepCommand::Report {
                file,
                results,
                output,
            }),
            _,
        ) => {
            // As seen from here, and not from the sweep.
            let output = output.as_ref().map(std::path::absolute).transpose()?;
            report::write(&Sweep::read(file, results.as_deref())?, output)
        }
        (None, Some(file)) => swept(args, Sweep::read(file, args.output.as_deref())?),
        (None, None) => bail!("the following required arguments were not provided: <SWEEP.toml>"),
    }
}

/// A sweep, what there is to do, and where its results are.
struct Sweep {
    /// As it was given, for messages.
    shown: PathBuf,
    file: PathBuf,
    results: PathBuf,
    spec: Spec,
    points: Vec<Point>,
}

impl Sweep {
    /// Reads a sweep. Files in it are named as seen from its own directory, which is this process's from here on.
    fn read(shown: &Path, output: Option<&Path>) -> Result<Self> {
        let file = std::path::absolute(shown)?;
        let results = match output {
            Some(path) => std::path::absolute(path)?,
            None => file.with_extension("results"),
        };
        let spec = Spec::read(shown)?;
        if let Some(directory) = file.parent() {
            std::env::set_current_dir(directory)
                .with_context(|| directory.display().to_string())?;
        }
        let points = points::all(&spec).with_context(|| shown.display().to_string())?;
        Ok(Self {
            shown: shown.to_owned(),
            file,
            results,
            spec,
            points,
        })
    }

    /// Writes the tables, once every point is done, and says what is in them.
    fn merge(&self) -> Result<()> {
        let done = Parts::of(&self.results).done()?;
        let missing = self
            .points
            .iter()
            .filter(|point| !done.contains_key(&point.key))
            .count();
        if missing > 0 {
            bail!(
                "{missing} of {} are not done yet: `vortex sweep {}` runs them",
                counted(self.points.len() as u32, "point"),
                self.shown.display()
            );
        }
        let rows = table::rows(&self.points, &done, &self.spec.area);
        table::write(&self.results, &self.points, &rows)?;
        let failures: Vec<_> = rows.iter().filter_map(|row| row.result.err()).collect();
        let mut text = format!("{}, ", counted(self.points.len() as u32, "point"));
        match failures.first() {
            None => text.push_str("all measured"),
            Some(first) => text += &format!("{} failed, such as: {first}", failures.len()),
        }
        print_text(&format!(
            "{text}\n  {}\n",
            self.results.join("results.csv").display()
        ))
    }
}

fn swept(args: &Args, sweep: Sweep) -> Result<()> {
    let shard = args.shard.as_deref().map(Shard::named).transpose()?;
    if args.merge {
        return sweep.merge();
    }
    let parts = Parts::of(&sweep.results);
    parts.create()?;
    if let Some(engine) = args.engine {
        let most = args.shards.map_or(64, NonZero::get);
        let tasks = Tasks {
            sweep: &sweep.file,
            results: &sweep.results,
            count: most.min(sweep.points.len()),
            retry: args.retry,
        };
        return match tasks.to(engine)? {
            Handed::Run => sweep.merge(),
            Handed::Written(script) => print_text(&format!(
                "sbatch {}\nand when its {} have ended: vortex sweep {} -o {} --merge\n",
                script.display(),
                counted(tasks.count as u32, "task"),
                sweep.shown.display(),
                sweep.results.display()
            )),
        };
    }
    let part = parts.open(&shard.map_or("here".to_owned(), Shard::name))?;
    let mut done: HashMap<String, Outcome> = parts.done()?;
    if args.retry {
        done.retain(|_, outcome| matches!(outcome, Outcome::Measured(_)));
    }
    let is_open = |number: usize, point: &Point| {
        shard.is_none_or(|shard| shard.has(number)) && !done.contains_key(&point.key)
    };
    let points = sweep.points.iter().enumerate();
    let open: Vec<&Point> = points
        .filter(|(number, point)| is_open(*number, point))
        .map(|(_, point)| point)
        .collect();
    let jobs = match args.jobs {
        Some(jobs) => jobs.get(),
        None => std::thread::available_parallelism().map_or(1, NonZero::get),
    };
    local::run(&open, &sweep.spec, jobs, &part, &sweep.results)?;
    match shard {
        Some(_) => print_text(&format!("{} done\n", counted(open.len() as u32, "point"))),
        None => sweep.merge(),
    }
}

/// What can be set in the cycle model, as a table.
fn knobs() -> String {
    let usual = Generation::ALL.map(TimingConfig::of);
    let mut text = format!(
        "{:30} {:>8} {:>8}  what it is, and what it can be\n",
        "", "Vortex 2", "Vortex 3"
    );
    for knob in KNOBS {
        let [second, third] = usual.each_ref().map(|timing| knob.value(timing));
        text += &format!(
            "{:30} {second:>8} {third:>8}  {}: {}\n",
            knob.name,
            knob.meaning,
            knob.values()
        );
    }
    text
}
