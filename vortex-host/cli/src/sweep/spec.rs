//! What a sweep file says, as it is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

/// A sweep: everything that runs, on every device.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spec {
    #[serde(default)]
    pub(super) kernel: Vec<Kernel>,
    #[serde(default)]
    pub(super) program: Vec<Program>,
    /// Each stands for all combinations of what it names.
    #[serde(default)]
    device: Devices,
    /// Instructions of warps after which a point is taken for a runaway.
    #[serde(default = "usual_budget")]
    pub(super) budget: u64,
    /// What devices watch for.
    #[serde(default = "usual_checks")]
    pub(super) checks: String,
    #[serde(default)]
    pub(super) area: Area,
}

/// A launch of a kernel out of a file. What is a list is tried with each of its values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kernel {
    /// A module, a bundle, or an image with its metadata next to it.
    pub(super) file: PathBuf,
    /// Which kernel; may be left out if there is only one.
    pub(super) kernel: Option<String>,
    /// What rows call it: the kernel's name by default.
    pub(super) name: Option<String>,
    /// The values of its parameters, as `vortex run` takes them.
    #[serde(default)]
    pub(super) args: BTreeMap<String, Axis>,
    pub(super) over: Option<Axis>,
    pub(super) grid: Option<Axis>,
    pub(super) block: Option<Axis>,
}

/// A program that launches kernels.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    /// An example of the package in whose directory cargo is started, built in release.
    pub(super) example: Option<String>,
    /// Of another package of the workspace.
    pub(super) package: Option<String>,
    /// An executable that is there.
    pub(super) path: Option<PathBuf>,
    /// What rows call it: the example's or executable's name by default.
    pub(super) name: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub(super) args: Vec<String>,
}

/// One value, or several to be tried.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "a number, a text, `true`, `false`, or a list of such"
)]
pub(super) enum Axis {
    One(Value),
    Many(Vec<Value>),
}

/// A value, as `vortex run` and the environment take them: text.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "a number, a text, `true` or `false`")]
pub(super) enum Value {
    Switch(bool),
    Integer(i64),
    Float(f64),
    Text(String),
}

/// `[device]`, or several `[[device]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "a table `[device]`, or several `[[device]]`")]
enum Devices {
    One(toml::Table),
    Many(Vec<toml::Table>),
}

/// What a KiB of each memory, and a lane, are to count in the area proxy.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Area {
    /// Of registers: 64 of 32 bits for each thread.
    pub(super) registers: f64,
    /// Of local memory.
    pub(super) local_memory: f64,
    /// Of caches, tags left out.
    pub(super) caches: f64,
    /// For each lane that a core computes with in a cycle.
    pub(super) lane: f64,
    /// For each core.
    pub(super) core: f64,
}

impl Default for Area {
    fn default() -> Self {
        Self {
            registers: 1.0,
            local_memory: 1.0,
            caches: 1.0,
            lane: 8.0,
            core: 8.0,
        }
    }
}

impl Default for Devices {
    fn default() -> Self {
        Self::One(toml::Table::new())
    }
}

fn usual_budget() -> u64 {
    1_000_000_000
}

/// Races are watched for where programs are tested.
fn usual_checks() -> String {
    "all,-races".to_owned()
}

impl Axis {
    /// Its values as text, in order.
    pub(super) fn values(&self) -> Vec<String> {
        match self {
            Self::One(value) => vec![value.text()],
            Self::Many(values) => values.iter().map(Value::text).collect(),
        }
    }
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Switch(is_on) => is_on.to_string(),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

impl Spec {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Self::parse(&text, path)
    }

    /// What a text says, which is that of a file.
    pub(super) fn parse(text: &str, file: &Path) -> Result<Self> {
        let shown = file.display();
        let spec: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| {
                text.bytes()
                    .take(span.start)
                    .filter(|byte| *byte == b'\n')
                    .count()
                    + 1
            });
            anyhow::anyhow!("{shown}:{line}: {}", error.message())
        })?;
        if spec.kernel.is_empty() && spec.program.is_empty() {
            bail!(
                "{shown}: there is nothing to run: add a `[[kernel]]` with a `file`, or a `[[program]]`"
            );
        }
        for program in &spec.program {
            if program.example.is_some() == program.path.is_some() {
                bail!("{shown}: a `[[program]]` has either an `example` or a `path`");
            }
        }
        for kernel in &spec.kernel {
            if kernel.over.is_some() == kernel.grid.is_some() {
                bail!(
                    "{shown}: the kernel of {} has no size: say `over` for work items, or `grid` for groups",
                    kernel.file.display()
                );
            }
        }
        Ok(spec)
    }

    /// What devices there are: of each table, its settings with their values, by the names that they have.
    pub(super) fn devices(&self) -> Result<Vec<BTreeMap<String, Axis>>> {
        let tables = match &self.device {
            Devices::One(table) => std::slice::from_ref(table),
            Devices::Many(tables) => tables,
        };
        if tables.is_empty() {
            bail!("`device` is an empty list: leave it out, or name one");
        }
        let flat = |table| {
            let mut axes = BTreeMap::new();
            flatten(table, "", &mut axes)?;
            Ok(axes)
        };
        tables.iter().map(flat).collect()
    }
}

/// `dcache.size`, as TOML has it, is a table in a table.
fn flatten(table: &toml::Table, before: &str, axes: &mut BTreeMap<String, Axis>) -> Result<()> {
    for (key, value) in table {
        let name = format!("{before}{key}");
        if let toml::Value::Table(inner) = value {
            flatten(inner, &format!("{name}."), axes)?;
            continue;
        }
        let axis: Axis = (value.clone().try_into()).map_err(|_| {
            anyhow::anyhow!("`{name}` is a number, a text, `true`, `false`, or a list of such")
        })?;
        if axis.values().is_empty() {
            bail!("`{name}` is an empty list: leave it out, or name what it can be");
        }
        axes.insert(name, axis);
    }
    Ok(())
}
