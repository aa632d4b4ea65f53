//! The results of a sweep, a row for each kernel of each point: as CSV, and as lines of JSON.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use super::hardware;
use super::outcome::{Measured, Outcome};
use super::points::{Job, Point};
use super::spec::Area;

/// A row.
pub(super) struct Row<'a> {
    /// The point's number, from 1.
    pub(super) number: usize,
    pub(super) point: &'a Point,
    pub(super) area: f64,
    pub(super) result: Result<&'a Measured, &'a str>,
}

/// The rows of all points that are done, in the sweep's order.
pub(super) fn rows<'a>(
    points: &'a [Point],
    done: &'a HashMap<String, Outcome>,
    area: &Area,
) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    for (number, point) in points.iter().enumerate() {
        let row = |result| Row {
            number: number + 1,
            point,
            area: point.hardware.area(area),
            result,
        };
        match done.get(&point.key) {
            Some(Outcome::Measured(all)) => rows.extend(all.iter().map(|one| row(Ok(one)))),
            Some(Outcome::Failed(error)) => rows.push(row(Err(error))),
            None => {}
        }
    }
    rows
}

/// The settings that a sweep says anything of, in their order.
pub(super) fn settings(points: &[Point]) -> Vec<&'static str> {
    let is_set = |name: &&str| {
        let of_point = |point: &Point| point.hardware.settings.iter().any(|(set, _)| set == *name);
        points.iter().any(of_point)
    };
    hardware::names().filter(is_set).collect()
}

impl Row<'_> {
    /// What the row is called.
    pub(super) fn name(&self) -> String {
        match &self.point.job {
            Job::Program(job) => job.name.clone(),
            Job::Kernel(job) => (job.name.clone())
                .or_else(|| job.kernel.clone())
                .or_else(|| Some(self.result.ok()?.kernel.clone()))
                .unwrap_or_else(|| job.file.display().to_string()),
        }
    }

    /// The launch: `over=4096 alpha=2`, or a program's arguments.
    pub(super) fn launch(&self) -> String {
        match &self.point.job {
            Job::Program(job) => job.args.join(" "),
            Job::Kernel(job) => {
                let all = job.size.iter().chain(&job.args);
                let texts: Vec<_> = all.map(|(name, value)| format!("{name}={value}")).collect();
                texts.join(" ")
            }
        }
    }
}

const SHAPE: [&str; 4] = ["generation", "cores", "warps", "threads"];

/// Writes both files.
pub(super) fn write(results: &Path, points: &[Point], rows: &[Row<'_>]) -> Result<()> {
    let is_column = |name: &&str| SHAPE.contains(name) || *name == "shape";
    let settings: Vec<_> = settings(points)
        .into_iter()
        .filter(|name| !is_column(name))
        .collect();
    let put = |name: &str, bytes: Vec<u8>| {
        let path = results.join(name);
        std::fs::write(&path, bytes).with_context(|| path.display().to_string())
    };
    put("results.csv", csv(&settings, rows)?)?;
    put("results.jsonl", json_lines(&settings, rows))
}

fn csv(settings: &[&str], rows: &[Row<'_>]) -> Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let before = ["point", "name", "kernel", "launch"];
    let after = [
        "area",
        "launches",
        "cycles",
        "instructions",
        "lane_instructions",
        "float_operations",
        "bytes",
        "limiter",
        "error",
    ];
    let header = before.iter().chain(&SHAPE).chain(settings).chain(&after);
    out.write_record(header)?;
    for row in rows {
        let measured = row.result.ok();
        let number = |field: fn(&Measured) -> u64| {
            measured.map_or(String::new(), |one| field(one).to_string())
        };
        let mut record = vec![
            row.number.to_string(),
            row.name(),
            measured.map_or(String::new(), |one| one.kernel.clone()),
            row.launch(),
        ];
        record.extend(row.point.hardware.shape().map(|count| count.to_string()));
        record.extend(settings.iter().map(|name| row.point.hardware.value(name)));
        record.extend([
            row.area.to_string(),
            number(|one| one.launches),
            number(|one| one.cycles),
            number(|one| one.instructions),
            number(|one| one.lane_instructions),
            number(|one| one.float_operations),
            number(|one| one.bytes),
            measured
                .and_then(|one| one.limiter.clone())
                .unwrap_or_default(),
            row.result.err().unwrap_or_default().to_owned(),
        ]);
        out.write_record(record)?;
    }
    Ok(out.into_inner()?)
}

fn json_lines(settings: &[&str], rows: &[Row<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for row in rows {
        let hardware = &row.point.hardware;
        let shape = SHAPE.iter().zip(hardware.shape());
        let mut device: Map<String, Value> = shape
            .map(|(name, count)| ((*name).to_owned(), json!(count)))
            .collect();
        for name in settings {
            let text = hardware.value(name);
            // Numbers and switches as such; `auto` is text.
            let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
            device.insert((*name).to_owned(), value);
        }
        let mut object = json!({
            "point": row.number,
            "key": row.point.key,
            "name": row.name(),
            "launch": row.launch(),
            "device": device,
            "area": row.area,
        });
        match row.result {
            Ok(measured) => object["measured"] = json!(measured),
            Err(error) => object["error"] = json!(error),
        }
        out.extend(object.to_string().into_bytes());
        out.push(b'\n');
    }
    out
}
