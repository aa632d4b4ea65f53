//! The first difference of two commit traces.

use std::fmt::Write as _;

use super::csv::{Commit, Commits, SourceLine};

/// Instructions that only one trace has, at most, before both continue alike.
const SKIPPED: usize = 64;

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The address: the warp goes different ways.
    Address,
    /// The active lanes.
    Lanes,
    /// What was read.
    Operands,
    /// What was written.
    Destination,
    /// The warp ends in one, and continues in the other.
    End,
    /// Only one of them has the warp.
    Warp,
}

/// Where two traces differ first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) what: What,
    pub(super) core: u32,
    pub(super) warp: u32,
    /// The instructions of the warp's in each trace, counted from 0.
    pub(super) at: [usize; 2],
    /// Warps that differ.
    pub(super) warps: usize,
}

/// The first difference, of the warp that differs after the fewest instructions.
pub(super) fn first(a: &Commits, b: &Commits) -> Option<Difference> {
    let keys = a
        .warps
        .keys()
        .chain(b.warps.keys().filter(|key| !a.warps.contains_key(key)));
    let of_warp = |&(core, warp): &(u32, u32)| {
        let both = [a, b].map(|commits| commits.warps.get(&(core, warp)));
        let (what, at) = match both {
            [Some(x), Some(y)] => differ([x, y], [a.base, b.base])?,
            _ => (What::Warp, [0, 0]),
        };
        Some(Difference {
            what,
            core,
            warp,
            at,
            warps: 1,
        })
    };
    let all: Vec<Difference> = keys.filter_map(of_warp).collect();
    let first = all.iter().min_by_key(|difference| difference.at[0])?;
    Some(Difference {
        warps: all.len(),
        ..first.clone()
    })
}

/// Where the instructions of a warp differ.
fn differ(warps: [&[Commit]; 2], bases: [u32; 2]) -> Option<(What, [usize; 2])> {
    let [a, b] = warps;
    let offset = |which: usize, commit: &Commit| commit.pc.wrapping_sub(bases[which]);
    let (mut i, mut j) = (0, 0);
    loop {
        let (x, y) = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => (x, y),
            (None, None) => return None,
            _ => return Some((What::End, [i, j])),
        };
        if offset(0, x) == offset(1, y) {
            if x.lanes != y.lanes {
                return Some((What::Lanes, [i, j]));
            }
            if differs(&x.operands, &y.operands) {
                return Some((What::Operands, [i, j]));
            }
            if differs(&x.destination, &y.destination) {
                return Some((What::Destination, [i, j]));
            }
            (i, j) = (i + 1, j + 1);
            continue;
        }
        // One may have instructions that the other leaves out: those that belong to no line of the program.
        let meets = |which: usize, from: &[Commit], to: u32| {
            let mut next = from.iter().skip(1).take(SKIPPED);
            next.position(|commit| offset(which, commit) == to)
        };
        let in_a = meets(0, &a[i..], offset(1, y));
        let in_b = meets(1, &b[j..], offset(0, x));
        match (in_a, in_b) {
            (Some(skip), None) if goes_on(&a[i + skip + 1..], &b[j..], bases) => i += skip + 1,
            (None, Some(skip)) if goes_on(&a[i..], &b[j + skip + 1..], bases) => j += skip + 1,
            _ => return Some((What::Address, [i, j])),
        }
    }
}

/// Whether both continue alike for a while.
fn goes_on(a: &[Commit], b: &[Commit], bases: [u32; 2]) -> bool {
    let mut pairs = a.iter().zip(b).take(8);
    pairs.all(|(x, y)| {
        x.pc.wrapping_sub(bases[0]) == y.pc.wrapping_sub(bases[1]) && x.lanes == y.lanes
    })
}

/// Whether values differ, of a register or of several. What one of them does not say is not a difference.
fn differs(a: &str, b: &str) -> bool {
    !a.is_empty() && !b.is_empty() && a != b
}

/// Lanes of a register that are shown.
const SHOWN: usize = 4;

/// Registers with the values of the first few lanes: `x1={0x1, 0x2, 0x3, 0x4, ..}`.
fn shortened(values: &str) -> String {
    let mut text = String::new();
    for part in values.split_inclusive('}') {
        let lanes: Vec<&str> = part.split(", ").collect();
        // The first of a further register is empty, before it.
        let shown = SHOWN + usize::from(part.starts_with(','));
        match lanes.len() > shown + 1 {
            true => _ = write!(text, "{}, ..}}", lanes[..shown].join(", ")),
            false => text.push_str(part),
        }
    }
    text
}

/// Says in which lane values differ first, and in how many.
fn lanes(a: &str, b: &str) -> String {
    let values = |text: &str| -> Vec<(String, usize, String)> {
        let registers = text.split('}').filter_map(|part| part.split_once("={"));
        let each = registers.flat_map(|(register, values)| {
            let name = register.trim_start_matches([',', ' ']).to_owned();
            let values = values.split(", ").enumerate();
            values
                .map(|(lane, value)| (name.clone(), lane, value.to_owned()))
                .collect::<Vec<_>>()
        });
        each.collect()
    };
    let (a, b) = (values(a), values(b));
    let pairs = a.iter().zip(&b).filter(|(x, y)| x != y);
    let count = pairs.clone().count();
    match pairs.into_iter().next() {
        Some(((register, lane, x), (_, _, y))) => format!(
            "  {register} of lane {lane} is {x} in one and {y} in the other; {}\n",
            match count {
                1 => "1 value differs".to_owned(),
                _ => format!("{count} values differ"),
            }
        ),
        None => String::new(),
    }
}

impl Difference {
    /// In words. `names`: of the traces.
    pub(super) fn described(&self, names: &[String; 2], traces: [&Commits; 2]) -> String {
        let Self { core, warp, .. } = *self;
        let key = (core, warp);
        let has = |which: usize| traces[which].warps.get(&key);
        if self.what == What::Warp {
            let only = if has(0).is_some() { 0 } else { 1 };
            return format!("core {core}, warp {warp} is only in {}\n", names[only]);
        }
        let says = match self.what {
            What::Address => "the warp goes different ways",
            What::Lanes => "different lanes are active",
            What::Operands => "different values are read",
            What::Destination => "different values are written",
            What::End | What::Warp => "the warp ends in one of them",
        };
        let mut text = format!(
            "core {core}, warp {warp}, after {} instructions: {says}\n",
            self.at[0]
        );
        let at = |which: usize, index: usize| has(which)?.get(index);
        let source_line = |pc: u32, which: usize| {
            // Either trace may know the line.
            let offset = pc.wrapping_sub(traces[which].base);
            let find = |trace: &&Commits| {
                trace
                    .source_lines
                    .get(&trace.base.wrapping_add(offset))
                    .cloned()
            };
            traces.iter().find_map(find).unwrap_or_default()
        };
        let shown = |text: &mut String, which: usize, index: usize, mark: &str| {
            let Some(commit) = at(which, index) else {
                _ = writeln!(text, "{mark} (the end)");
                return;
            };
            let SourceLine {
                instruction,
                source,
            } = source_line(commit.pc, which);
            let instruction = match instruction.is_empty() {
                true => commit.opcode.clone(),
                false => instruction,
            };
            let source = source.map_or(String::new(), |source| format!("  {source}"));
            _ = writeln!(
                text,
                "{mark} {:#x}  {instruction}  lanes {}{source}",
                commit.pc, commit.lanes
            );
        };
        let [i, j] = self.at;
        if let Some(before) = i.checked_sub(1) {
            shown(&mut text, 0, before, "  before: ");
        }
        for (which, index) in [(0, i), (1, j)] {
            _ = writeln!(text, "  {}:", names[which]);
            shown(&mut text, which, index, "    ");
            if let Some(commit) = at(which, index) {
                for (name, values) in [("reads", &commit.operands), ("writes", &commit.destination)]
                {
                    if !values.is_empty() {
                        _ = writeln!(text, "      {name} {}", shortened(values));
                    }
                }
            }
        }
        if let Some((a, b)) = at(0, i).zip(at(1, j)) {
            text.push_str(&match self.what {
                What::Operands => lanes(&a.operands, &b.operands),
                What::Destination => lanes(&a.destination, &b.destination),
                _ => String::new(),
            });
        }
        if self.warps > 1 {
            _ = writeln!(text, "  {} more warps differ, later", self.warps - 1);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An instruction: its offset, its lanes, and what it wrote.
    type Wrote = (u32, &'static str, &'static str);

    fn commits(base: u32, warps: &[(u32, &[Wrote])]) -> Commits {
        let mut all = Commits {
            base,
            ..Commits::default()
        };
        for (warp, instructions) in warps {
            let list = instructions
                .iter()
                .enumerate()
                .map(|(index, (offset, lanes, wrote))| Commit {
                    uuid: index as u64,
                    pc: base + offset,
                    opcode: "ADD".to_owned(),
                    lanes: (*lanes).to_owned(),
                    destination: (*wrote).to_owned(),
                    operands: String::new(),
                });
            all.warps.insert((0, *warp), list.collect());
        }
        all
    }

    #[test]
    fn many_lanes_are_shortened() {
        assert_eq!(
            shortened("x1={0x1, 0x2, 0x3, 0x4}, f2={-, 0x2}"),
            "x1={0x1, 0x2, 0x3, 0x4}, f2={-, 0x2}"
        );
        let many = "x1={0x1, 0x2, 0x3, 0x4, 0x5, 0x6}, x2={0x1, 0x2, 0x3, 0x4, 0x5, 0x6}";
        assert_eq!(
            shortened(many),
            "x1={0x1, 0x2, 0x3, 0x4, ..}, x2={0x1, 0x2, 0x3, 0x4, ..}"
        );
        assert_eq!(
            lanes("x1={0x1, 0x2}, x2={-, 0x5}", "x1={0x1, 0x2}, x2={-, 0x6}"),
            "  x2 of lane 1 is 0x5 in one and 0x6 in the other; 1 value differs\n"
        );
    }

    #[test]
    fn the_first_difference_is_found() {
        let usual: &[Wrote] = &[
            (0, "11", "x1={0x1, 0x2}"),
            (4, "11", ""),
            (8, "11", "x2={0x3, 0x4}"),
        ];
        let a = commits(0x8000_0000, &[(0, usual), (1, usual)]);
        assert_eq!(
            first(&a, &commits(0x1_0000, &[(0, usual), (1, usual)])),
            None
        );
        let find = |warp: &[Wrote]| {
            let found = first(&a, &commits(0x1_0000, &[(0, usual), (1, warp)]));
            found.map(|difference| {
                (
                    difference.what,
                    difference.warp,
                    difference.at,
                    difference.warps,
                )
            })
        };
        let mut other = usual.to_vec();
        other[2].2 = "x2={0x3, 0x5}";
        assert_eq!(find(&other), Some((What::Destination, 1, [2, 2], 1)));
        other[1].1 = "01";
        assert_eq!(find(&other), Some((What::Lanes, 1, [1, 1], 1)));
        assert_eq!(find(&usual[..2]), Some((What::End, 1, [2, 2], 1)));
        other = usual.to_vec();
        other[1].0 = 40;
        other[2].0 = 44;
        assert_eq!(find(&other), Some((What::Address, 1, [1, 1], 1)));
        // What only one of them has.
        other = usual.to_vec();
        other.insert(1, (100, "11", ""));
        assert_eq!(find(&other), None);
        // Values that one does not say.
        other = usual.to_vec();
        other[0].2 = "";
        assert_eq!(find(&other), None);
        let less = first(&a, &commits(0x1_0000, &[(0, usual)])).unwrap();
        assert_eq!((less.what, less.warp), (What::Warp, 1));
    }
}
