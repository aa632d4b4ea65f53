//! The cost of each source line of a kernel.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use vortex_kernel::escape::Escaped;
use vortex_kernel::ir::SourceLoc;

use crate::name::Name;
use crate::source::{SourceFiles, Sources};
use vortex_sim::timing::{PcStats, TimingStats};

/// What a launch on the cycle model cost, by line of source. `Display` prints a table: lines in the order of the
/// source, with their share of the launch's issue slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    kernel: Name,
    lines: Vec<Line>,
    /// Instructions and stalls, slots in which warps had ended included.
    slots: u64,
    sources: Sources,
}

/// What a line of source cost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// File and number of the line; `None` for what the compiler added around the kernel: the start of warps and the
    /// loop over work items.
    pub at: Option<(String, u32)>,
    /// What its instructions did, together.
    pub stats: PcStats,
}

impl Lines {
    pub(crate) fn new(
        kernel: Name,
        timing: &TimingStats,
        sources: Sources,
        source_of: impl Fn(u32) -> Option<SourceLoc>,
    ) -> Lines {
        let mut by_line: BTreeMap<Option<(String, u32)>, PcStats> = BTreeMap::new();
        for (&pc, stats) in &timing.by_pc {
            let line = source_of(pc).map(|loc| (loc.file.to_string(), loc.line));
            let sum = by_line.entry(line).or_default();
            *sum = sum.plus(stats);
        }
        Lines {
            kernel,
            lines: by_line
                .into_iter()
                .map(|(at, stats)| Line { at, stats })
                .collect(),
            slots: timing.instructions + timing.stalls.total(),
            sources,
        }
    }

    /// The lines, in the order of the source; what the compiler added comes first.
    pub fn iter(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter()
    }

    /// The lines with the most issue slots, used and stalled, first.
    #[must_use]
    pub fn by_cost(&self) -> Vec<&Line> {
        let mut lines: Vec<&Line> = self.iter().collect();
        lines.sort_by_key(|line| Reverse(line.slots()));
        lines
    }
}

impl Line {
    /// Issue slots that its instructions used or kept from being used.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.stats.executed + self.stats.stalls.total()
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sources = SourceFiles::new(self.sources);
        write!(
            f,
            "{}: issue slots by source line\n{:>7} {:>10} {:>10} {:>6} {:>8} {:>7}  {:<30} source",
            self.kernel, "slots", "instr.", "stalls", "lanes", "req/acc", "hits", "stalls by cause"
        )?;
        let mut file = None;
        for line in &self.lines {
            let stats = &line.stats;
            let (name, number) = match &line.at {
                Some((name, number)) => (Some(name.as_str()), *number),
                None => (None, 0),
            };
            if name.is_some() && file != name {
                file = name;
                write!(f, "\n{}", Escaped(name.unwrap_or_default()))?;
            }
            let requests = match stats.accesses {
                0 => String::new(),
                _ => format!("{:.2}", stats.requests_per_access()),
            };
            let hits = stats
                .hit_rate()
                .map_or(String::new(), |rate| format!("{:.1}%", 100.0 * rate));
            let source = match name {
                Some(name) => {
                    let line = sources.line(name, number).unwrap_or_default();
                    format!("{number:>4} | {line}")
                }
                None => "(added by the compiler)".to_owned(),
            };
            write!(
                f,
                "\n{:>6.1}% {:>10} {:>10} {:>6.1} {requests:>8} {hits:>7}  {:<30} {source}",
                100.0 * line.slots() as f64 / self.slots.max(1) as f64,
                stats.executed,
                stats.stalls.total(),
                stats.active_lanes(),
                causes(stats),
            )?;
        }
        Ok(())
    }
}

/// The causes of a line's stalls that matter: up to three, the largest first.
fn causes(stats: &PcStats) -> String {
    let total = stats.stalls.total();
    let mut causes = stats.stalls.by_cause();
    causes.sort_by_key(|&(_, cycles)| Reverse(cycles));
    let shown = causes
        .iter()
        .filter(|&&(_, cycles)| cycles * 20 > total)
        .take(3)
        .map(|(cause, cycles)| format!("{cause} {:.0}%", 100.0 * *cycles as f64 / total as f64));
    shown.collect::<Vec<_>>().join(" ")
}
