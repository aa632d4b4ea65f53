//! Which code belongs to which place of the source, and which locals can be seen from it.

use std::ops::Range;

use vortex_kernel::codegen::{Image, ImageLocal, LineEntry};
use vortex_kernel::ir::SourceLoc;
use vortex_kernel::isa::{Class, Inst};

/// A run of code of one place of the source, by its offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run<'a> {
    pub(super) code: Range<u32>,
    /// Nothing for what comes before the kernel's body.
    pub(super) loc: Option<&'a SourceLoc>,
    /// Whether what precedes it, of the same line perhaps, does not lead here: it is the next version of a loop, say.
    pub(super) is_apart: bool,
}

/// The code of an image by places. What the compiler has put between belongs to the place before it, and if
/// that branches in optimised code, what follows is apart.
pub(super) fn runs(image: &Image) -> Vec<Run<'_>> {
    let end = image.bytes.len() as u32;
    let constants = image.tables.iter().map(|table| table.offset).min();
    let is_optimised = image.locals.is_none();
    runs_of(&image.lines, constants.unwrap_or(end).min(end), |code| {
        let code = &image.bytes[code.start as usize..code.end as usize];
        let (words, _) = code.as_chunks::<4>();
        let branches = |word: &[u8; 4]| {
            let inst = Inst::decode(u32::from_le_bytes(*word));
            inst.is_some_and(|inst| matches!(inst.opcode.info().class, Class::Branch | Class::Jump))
        };
        is_optimised && words.iter().any(branches)
    })
}

/// Likewise; `parts` says whether what follows code that the compiler has put between is separate.
fn runs_of(lines: &[LineEntry], end: u32, parts: impl Fn(Range<u32>) -> bool) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    let ends = lines.iter().skip(1).map(|entry| entry.offset).chain([end]);
    let mut is_apart = false;
    for (entry, end) in lines.iter().zip(ends) {
        match (runs.last_mut(), entry.loc.as_ref()) {
            (Some(last), None) => {
                last.code.end = end;
                is_apart |= parts(entry.offset..end);
            }
            (Some(last), loc) if last.loc == loc && !is_apart => last.code.end = end,
            (_, loc) => {
                runs.push(Run {
                    code: entry.offset..end,
                    loc,
                    is_apart: std::mem::take(&mut is_apart),
                });
            }
        }
    }
    runs.retain(|run| !run.code.is_empty());
    runs
}

/// Locals that can be seen from the same code, and those that can be seen from part of it only.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) locals: Vec<&'a ImageLocal>,
    pub(super) code: Vec<Range<u32>>,
    pub(super) inner: Vec<Scope<'a>>,
}

/// A part of a source file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part<'a> {
    file: &'a str,
    from: (u32, u32),
    to: (u32, u32),
}

impl<'a> Part<'a> {
    fn of(local: &'a ImageLocal) -> Part<'a> {
        let (after, until) = (&local.local.after, &local.local.until);
        Part {
            file: &after.file,
            from: (after.line, after.column),
            to: (until.line, until.column),
        }
    }

    fn holds(self, loc: &SourceLoc) -> bool {
        let at = (loc.line, loc.column);
        // What a macro has made is all at one place.
        let is_after = self.from < at || self.from == self.to;
        loc.file == self.file && is_after && self.from <= at && at <= self.to
    }

    fn contains(self, inner: Part<'_>) -> bool {
        self.file == inner.file && self.from <= inner.from && inner.to <= self.to
    }
}

/// The code that locals can be seen from.
pub(super) fn code_of(local: &ImageLocal, runs: &[Run<'_>]) -> Vec<Range<u32>> {
    let part = Part::of(local);
    let mut code: Vec<Range<u32>> = Vec::new();
    for run in runs {
        if !run.loc.is_some_and(|loc| part.holds(loc)) {
            continue;
        }
        match code.last_mut() {
            Some(last) if last.end == run.code.start => last.end = run.code.end,
            _ => code.push(run.code.clone()),
        }
    }
    code
}

/// The scopes of locals: those of one part of the source together, within those of the parts around it.
pub(super) fn scopes<'a>(locals: &'a [ImageLocal], runs: &[Run<'_>]) -> Vec<Scope<'a>> {
    let mut sorted: Vec<&ImageLocal> = locals.iter().collect();
    sorted.sort_by(|a, b| {
        let (a, b) = (Part::of(a), Part::of(b));
        // The larger one of two that begin together is around the other.
        (a.file, a.from, b.to).cmp(&(b.file, b.from, a.to))
    });
    let mut sorted = sorted.into_iter().peekable();
    let mut top = Vec::new();
    while let Some(first) = sorted.next() {
        top.push(scope(first, &mut sorted, runs));
    }
    top
}

fn scope<'a>(
    first: &'a ImageLocal,
    rest: &mut std::iter::Peekable<impl Iterator<Item = &'a ImageLocal>>,
    runs: &[Run<'_>],
) -> Scope<'a> {
    let part = Part::of(first);
    let mut scope = Scope {
        locals: vec![first],
        code: code_of(first, runs),
        inner: Vec::new(),
    };
    while let Some(next) = rest.next_if(|next| part.contains(Part::of(next))) {
        if Part::of(next) == part {
            scope.locals.push(next);
        } else {
            // A local that nobody can see from anywhere is not worth a scope.
            let inner = self::scope(next, rest, runs);
            scope.inner.push(inner);
        }
    }
    scope
}

#[cfg(test)]
mod tests {
    use super::*;
    use vortex_kernel::codegen::ImagePlace;
    use vortex_kernel::ir::{NamedLocal, Shape};

    fn at(line: u32, column: u32) -> SourceLoc {
        SourceLoc {
            file: "a.rs".to_owned(),
            line,
            column,
        }
    }

    fn local(name: &str, after: (u32, u32), until: (u32, u32)) -> ImageLocal {
        ImageLocal {
            local: NamedLocal {
                name: name.to_owned(),
                shape: Shape::Bytes {
                    name: String::new(),
                    size: 4,
                },
                after: at(after.0, after.1),
                until: at(until.0, until.1),
                is_param: false,
                place: None,
            },
            place: Some(ImagePlace::Frame(0)),
        }
    }

    fn lines(entries: &[(u32, Option<(u32, u32)>)]) -> Vec<LineEntry> {
        let entry = |&(offset, loc): &(u32, Option<(u32, u32)>)| LineEntry {
            offset,
            loc: loc.map(|(line, column)| at(line, column)),
        };
        entries.iter().map(entry).collect()
    }

    #[test]
    fn made_up_code_belongs_to_what_precedes_it() {
        let lines = lines(&[(0, None), (8, Some((2, 1))), (16, None), (20, Some((3, 1)))]);
        let runs = runs_of(&lines, 32, |_| false);
        let found: Vec<_> = runs
            .iter()
            .map(|run| (run.code.clone(), run.loc.map(|loc| loc.line)))
            .collect();
        assert_eq!(found, [(0..8, None), (8..20, Some(2)), (20..32, Some(3))]);
    }

    #[test]
    fn what_follows_a_branch_that_is_made_up_is_apart() {
        let lines = lines(&[
            (0, Some((2, 1))),
            (4, None),
            (8, Some((2, 1))),
            (12, None),
            (16, Some((2, 1))),
        ]);
        let runs = runs_of(&lines, 20, |code| code == (12..16));
        let found: Vec<_> = runs
            .iter()
            .map(|run| (run.code.clone(), run.is_apart))
            .collect();
        assert_eq!(found, [(0..16, false), (16..20, true)]);
    }

    #[test]
    fn scopes_nest_as_blocks_do() {
        // { let a; { let b; } let c; }
        let locals = [
            local("c", (5, 10), (9, 1)),
            local("b", (3, 10), (4, 5)),
            local("a", (2, 10), (9, 1)),
            local("a too", (2, 10), (9, 1)),
        ];
        let lines = lines(&[
            (0, Some((2, 1))),
            (4, Some((3, 1))),
            (8, Some((3, 20))),
            (12, Some((5, 1))),
            (16, Some((6, 1))),
            (20, Some((10, 1))),
        ]);
        let runs = runs_of(&lines, 24, |_| false);
        let scopes = scopes(&locals, &runs);
        let [a] = &scopes[..] else {
            panic!("{scopes:?}")
        };
        let seen = |scope: &Scope<'_>| -> String {
            let names = scope.locals.iter().map(|local| local.local.name.as_str());
            format!("{:?} {:?}", names.collect::<Vec<_>>(), scope.code)
        };
        assert_eq!(seen(a), "[\"a\", \"a too\"] [4..20]");
        let [b, c] = &a.inner[..] else {
            panic!("{a:?}")
        };
        assert_eq!(seen(b), "[\"b\"] [8..12]");
        assert_eq!(seen(c), "[\"c\"] [16..20]");
    }
}
