//! Commit traces as files.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

/// An instruction that a warp committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) uuid: u64,
    pub(super) pc: u32,
    pub(super) opcode: String,
    pub(super) lanes: String,
    pub(super) destination: String,
    pub(super) operands: String,
}

/// What is in a program's source for an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SourceLine {
    pub(super) instruction: String,
    pub(super) source: Option<String>,
}

/// A commit trace.
#[derive(Clone, Debug, Default)]
pub(super) struct Commits {
    /// By core and warp, in the order in which each fetched them.
    pub(super) warps: BTreeMap<(u32, u32), Vec<Commit>>,
    /// Where the first of all is.
    pub(super) base: u32,
    pub(super) source_lines: BTreeMap<u32, SourceLine>,
}

/// The columns of a commit trace.
const COLUMNS: [&str; 8] = [
    "uuid",
    "PC",
    "opcode",
    "core_id",
    "warp_id",
    "tmask",
    "destination",
    "operands",
];

impl Commits {
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut rows = rows(text);
        let header = rows.next().unwrap_or_default();
        let mut at = [0; COLUMNS.len()];
        for (index, name) in at.iter_mut().zip(COLUMNS) {
            let Some(found) = header.iter().position(|column| column == name) else {
                bail!("this is no commit trace: it has no column `{name}`");
            };
            *index = found;
        }
        let mut commits = Self::default();
        for (number, row) in rows.enumerate() {
            let field = |column: usize| row.get(at[column]).map_or("", String::as_str);
            let parsed = || -> Option<((u32, u32), Commit)> {
                let warp = (field(3).parse().ok()?, field(4).parse().ok()?);
                let commit = Commit {
                    uuid: field(0).parse().ok()?,
                    pc: address(field(1))?,
                    opcode: field(2).to_uppercase(),
                    lanes: field(5).to_owned(),
                    destination: field(6).to_owned(),
                    operands: field(7).to_owned(),
                };
                Some((warp, commit))
            };
            let Some((warp, commit)) = parsed() else {
                bail!("row {} is no instruction: {}", number + 2, row.join(","));
            };
            commits.warps.entry(warp).or_default().push(commit);
        }
        for warp in commits.warps.values_mut() {
            warp.sort_by_key(|commit| commit.uuid);
        }
        let first = commits.warps.values().next().and_then(|warp| warp.first());
        commits.base = first.map_or(0, |commit| commit.pc);
        Ok(commits)
    }

    /// Instructions of all warps.
    pub(super) fn len(&self) -> usize {
        self.warps.values().map(Vec::len).sum()
    }
}

fn address(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// What stands in a program's source for each address, from the file beside a trace.
pub(super) fn source_lines(text: &str) -> Result<BTreeMap<u32, SourceLine>> {
    let mut source_lines = BTreeMap::new();
    for row in rows(text).skip(1) {
        let [pc, instruction, file, line] = row.as_slice() else {
            bail!("a row has {} columns instead of 4", row.len());
        };
        let Some(pc) = address(pc) else {
            bail!("`{pc}` is no address");
        };
        let source = (!file.is_empty()).then(|| format!("{file}:{line}"));
        let instruction = instruction.clone();
        source_lines.insert(
            pc,
            SourceLine {
                instruction,
                source,
            },
        );
    }
    Ok(source_lines)
}

/// The rows of a CSV file, with quotes as Python writes them.
fn rows(text: &str) -> impl Iterator<Item = Vec<String>> {
    let mut letters = text.chars().peekable();
    std::iter::from_fn(move || {
        letters.peek()?;
        let mut row = vec![String::new()];
        let mut quoted = false;
        while let Some(letter) = letters.next() {
            match letter {
                '"' if quoted && letters.peek() == Some(&'"') => {
                    letters.next();
                    row.last_mut()?.push('"');
                }
                '"' => quoted = !quoted,
                ',' if !quoted => row.push(String::new()),
                '\r' if !quoted => {}
                '\n' if !quoted => break,
                other => row.last_mut()?.push(other),
            }
        }
        Some(row)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_quotes() {
        let all: Vec<_> = rows("a,\"b, \"\"c\"\"\",\r\nd\n").collect();
        assert_eq!(all, [vec!["a", "b, \"c\"", ""], vec!["d"]]);
    }

    #[test]
    fn what_is_no_trace() {
        let error = |text: &str| format!("{:#}", Commits::parse(text).unwrap_err());
        assert_eq!(
            error("a,b\n"),
            "this is no commit trace: it has no column `uuid`"
        );
        let header = COLUMNS.join(",");
        assert_eq!(
            error(&format!("{header}\n1,x,ADD,0,0,1,,\n")),
            "row 2 is no instruction: 1,x,ADD,0,0,1,,"
        );
    }
}
