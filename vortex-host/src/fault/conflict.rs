//! Two work items that access the same memory, of which at least one changes it.

use std::fmt;

use vortex_kernel::ir::SourceLoc;
use vortex_sim::layout::LOCAL;
use vortex_sim::{AccessKind, TrapKind};

use super::in_one_step::{changed, has};
use super::{OfGroup, TrapReport, WorkItem};

/// Two work items, the one with the lower number first.
struct Pair([WorkItem; 2]);

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pair = self.0;
        pair.sort_by_key(|item| item.item);
        let [one, two] = pair;
        let in_row = |item: WorkItem| matches!(item.coordinates, [_, 0, 0]);
        if one.group != two.group || !in_row(one) || !in_row(two) {
            return write!(f, "{one} and {two}");
        }
        let group = OfGroup(one.group);
        write!(f, "work items {} and {}{group}", one.item, two.item)
    }
}

/// What an access does, of one of two.
const fn does(access: AccessKind) -> &'static str {
    match access {
        AccessKind::Load => "reads",
        AccessKind::Store => "writes",
        AccessKind::Atomic => "changes",
    }
}

/// What two work items do to the same memory.
pub(super) struct Conflict<'a> {
    report: &'a TrapReport,
    items: [WorkItem; 2],
    does: Does,
}

/// What they do.
#[derive(Clone, Copy)]
enum Does {
    /// They change it from what was there before, in one place of the source.
    Update,
    /// One instruction stores another value for each.
    Store,
    /// The one that was stopped, and the other one.
    Race([AccessKind; 2]),
}

impl TrapReport {
    /// Who does what to the same memory, if it is known who they are.
    pub(super) fn conflict(&self) -> Option<Conflict<'_>> {
        let does = match &self.trap.kind {
            TrapKind::LostUpdate { .. } => Does::Update,
            TrapKind::StoreCollision { .. } => Does::Store,
            TrapKind::DataRace { access, first, .. } => Does::Race([*access, first.access]),
            _ => return None,
        };
        let conflict = Conflict {
            report: self,
            items: [self.item?, self.first_item?],
            does,
        };
        Some(match conflict.in_one_step() {
            // Both halves of an update.
            Some(_) => Conflict {
                does: Does::Update,
                ..conflict
            },
            None => conflict,
        })
    }
}

impl Conflict<'_> {
    /// The memory, as the source calls it.
    fn what(&self) -> String {
        match &self.report.element {
            Some(element) => format!("`{}`", element.name),
            None => "the same memory".to_owned(),
        }
    }

    fn is_local(&self) -> bool {
        let address = self.report.trap.kind.address();
        address.is_some_and(|address| address >= LOCAL)
    }

    /// What the element is called without its index, where it has one.
    fn slice(&self) -> Option<&str> {
        let name = &self.report.element.as_ref()?.name;
        Some(name.split_once('[')?.0)
    }

    /// The line of source that both come from, and the column.
    fn line(&self) -> Option<(String, u32)> {
        let at = self.report.at.as_ref()?;
        let is_of_both = match self.does {
            Does::Race(_) => self.report.first.as_ref().is_some_and(|first| first == at),
            Does::Update | Does::Store => true,
        };
        let line = self.report.excerpt(at).line().filter(|_| is_of_both)?;
        Some((line, at.column))
    }

    /// How it is changed in one step.
    fn in_one_step(&self) -> Option<String> {
        let (line, column) = self.line()?;
        changed(&line, column, &self.report.element.as_ref()?.ty)
    }

    fn fmt_update(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "\nboth begin with what was there before, so that one of the changes is lost: ",
        )?;
        let element = self.report.element.as_ref();
        let ty = element.map_or("", |element| &element.ty);
        let atomic = match (self.slice(), element) {
            (Some(slice), _) => format!("{slice}.atomic(i)"),
            (None, Some(element)) => format!("{}.atomic()", element.name),
            (None, None) => "x.atomic(i)".to_owned(),
        };
        if let Some(step) = self.in_one_step() {
            write!(f, "write `{step}`")?;
        } else if ty.is_empty() || has(ty, "fetch_add") {
            write!(
                f,
                "make it one step, such as `{atomic}.fetch_add(1, Relaxed)`"
            )?;
        } else {
            write!(
                f,
                "`{ty}` has no atomic operations, and `u32` has, by which the change is one step, such as \
                 `{atomic}.fetch_add(1, Relaxed)`"
            )?;
        }
        f.write_str(", or leave it to a single work item")
    }

    fn fmt_stores(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, of) = match self.is_local() {
            true => ("local_id()", " of its group"),
            false => ("global_id()", ""),
        };
        let such_as = self.slice().map_or_else(String::new, |slice| {
            format!(", such as `{slice}[{number}]`")
        });
        write!(
            f,
            "\nwhich value stays is chance: let each work item write an element of its own{such_as}, or one of them \
             alone, `if {number} == 0 {{ .. }}`{of}"
        )
    }

    fn fmt_race(&self, accesses: [AccessKind; 2], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slice = self.slice().unwrap_or("x");
        if accesses.contains(&AccessKind::Atomic) {
            let other = match accesses.contains(&AccessKind::Load) {
                true => "load(Relaxed)",
                false => "store(v, Relaxed)",
            };
            return write!(
                f,
                "\natomic operations do not race with each other: make it one for both, `{slice}.atomic(i).{other}`"
            );
        }
        let [one, two] = self.items;
        let is_of_one_group = one.group.is_some() && one.group == two.group;
        if is_of_one_group {
            f.write_str("\na `barrier();` between them, which all items of the group come to, puts them in order")?;
            return match self.is_local() {
                true => Ok(()),
                false => f.write_str(", and so does a second launch"),
            };
        }
        write!(
            f,
            "\nread from one slice and write to another, or do the second in a launch of its own{}",
            match one.group {
                Some(_) => "; a `barrier()` is for the items of one group",
                None => "",
            }
        )
    }
}

impl fmt::Display for Conflict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        let what = self.what();
        write!(f, "kernel {}, {}: ", report.kernel, Pair(self.items))?;
        let shown = |at: &Option<SourceLoc>| match at {
            Some(at) => format!(" at {at}{}", report.excerpt(at)),
            None => " in code that the compiler added".to_owned(),
        };
        match self.does {
            Does::Update => write!(f, "both change {what},{}", shown(&report.at))?,
            Does::Store => write!(
                f,
                "both write {what}, each another value,{}",
                shown(&report.at)
            )?,
            Does::Race([own, first]) => {
                let (one, other) = (does(first), does(own));
                match (own == first, &report.element) {
                    (true, _) => write!(f, "both write {what}")?,
                    (false, Some(_)) => write!(f, "one {one} {what}, the other {other} it")?,
                    (false, None) => write!(f, "one {one} what the other {other}")?,
                }
                f.write_str(", and which comes first is chance")?;
                let [item, other] = self.items;
                write!(f, "\n{other} {} it", does(first))?;
                match report.first == report.at {
                    true => f.write_str(" and ")?,
                    false => writeln!(f, "{}", shown(&report.first))?,
                }
                write!(f, "{item} {} it{}", does(own), shown(&report.at))?;
            }
        }
        match self.does {
            Does::Update => self.fmt_update(f)?,
            Does::Race(accesses) if accesses != [AccessKind::Store; 2] => {
                self.fmt_race(accesses, f)?
            }
            Does::Race(_) | Does::Store => self.fmt_stores(f)?,
        }
        write!(f, "\nthe device says: {}", report.trap.facts())
    }
}
