//! Why conditions are the same for all lanes of a warp, or are not.

use rustc_hash::{FxHashMap, FxHashSet};

use super::place;
use crate::ir::{Alias, Block, Csr, Function, Inst, Loc, Op, Param, SourceLoc, Value};
use crate::opt::uniformity::{Uniformity, is_source};

/// What a condition decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchKind {
    /// Which of two sides runs.
    If,
    /// Whether an index, or something else that can fail, is all right.
    Check,
    /// Whether a loop continues.
    Loop,
}

/// Something that a condition depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What it is, in a few words.
    pub what: String,
    /// Where it is, if it has a place in the source.
    pub at: Option<SourceLoc>,
}

/// How it is decided which side runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchFate {
    /// By a plain branch: all lanes of a warp go the same way.
    Uniform,
    /// Lanes of a warp can disagree: they are parted, and joined after it.
    Divergent,
    /// Without a branch: both sides are computed, and results chosen.
    Selected,
}

/// A condition, and what was made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchNote {
    /// Where the condition is in the user's source.
    pub at: SourceLoc,
    /// What it decides.
    pub kind: BranchKind,
    /// What was made of it.
    pub fate: BranchFate,
    /// What makes it so: where lanes first differ, or everything that it depends on.
    pub because: Vec<Reason>,
    /// Other lines that the difference comes through on its way from there, the last first.
    pub through: Vec<SourceLoc>,
}

/// What the optimiser begins with, as far as it takes that to name things in what it ends with.
#[derive(Clone, Debug, Default)]
pub(super) struct Staged {
    /// The places of conditions, those of checks and loops aside.
    conditions: Vec<SourceLoc>,
    /// What is where in the launch block.
    arguments: Vec<(i32, String)>,
}

impl Staged {
    pub(super) fn of(function: &Function) -> Self {
        let mut conditions = Vec::new();
        function.body.visit(&mut |inst| {
            if matches!(&inst.op, Op::If { els, .. } if !els.block.is_failure()) {
                conditions.extend(place(function, inst.loc).cloned());
            }
        });
        let argument = |param: &Param| Some((i32::try_from(param.offset).ok()?, argument(param)));
        Self {
            conditions,
            arguments: function.params.iter().filter_map(argument).collect(),
        }
    }
}

/// A parameter as its kernel has it.
fn argument(param: &Param) -> String {
    match param.name.strip_suffix(".len") {
        Some(slice) => format!("the length of `{slice}`"),
        None => format!("the argument `{}`", param.name),
    }
}

/// The conditions of a function in the structured form that have a place in the source.
pub(super) fn of(function: &Function, staged: &Staged) -> Vec<BranchNote> {
    let mut search = Search {
        uniformity: Uniformity::of(function),
        origins: FxHashMap::default(),
        function,
        staged,
    };
    search.origins_of(&function.body);
    let mut notes: Vec<BranchNote> = Vec::new();
    let mut selects: Vec<SourceLoc> = Vec::new();
    function.body.visit(&mut |inst| {
        let Some(at) = place(function, inst.loc) else {
            return;
        };
        let (kind, cond) = match &inst.op {
            Op::If { cond, els, .. } if els.block.is_failure() => (BranchKind::Check, *cond),
            Op::If { cond, .. } => (BranchKind::If, *cond),
            Op::While(w) => (BranchKind::Loop, w.cond),
            Op::Select(..) => return selects.push(at.clone()),
            _ => return,
        };
        let note = search.note(at.clone(), kind, cond);
        // Copies of code are one branch to its author.
        if !notes.contains(&note) {
            notes.push(note);
        }
    });
    for at in &staged.conditions {
        if selects.contains(at) && !notes.iter().any(|note| note.at == *at) {
            notes.push(BranchNote {
                at: at.clone(),
                kind: BranchKind::If,
                fate: BranchFate::Selected,
                because: Vec::new(),
                through: Vec::new(),
            });
        }
    }
    let place = |note: &BranchNote| (note.at.file.to_string(), note.at.line, note.at.column);
    notes.sort_by_key(place);
    notes
}

/// Where a value comes from.
#[derive(Clone, Copy)]
enum Origin<'a> {
    /// Nth result of an instruction.
    Result(&'a Inst, usize),
    /// Nth parameter of a loop.
    Param(&'a Inst, usize),
}

struct Search<'a> {
    function: &'a Function,
    uniformity: Uniformity,
    origins: FxHashMap<Value, Origin<'a>>,
    staged: &'a Staged,
}

/// Reasons that are worth a word.
const MOST: usize = 4;

impl<'a> Search<'a> {
    fn origins_of(&mut self, block: &'a Block) {
        for inst in &block.insts {
            for (index, result) in inst.results.iter().enumerate() {
                self.origins.insert(*result, Origin::Result(inst, index));
            }
            if let Op::While(w) = &inst.op {
                for (index, param) in w.params.iter().enumerate() {
                    self.origins.insert(*param, Origin::Param(inst, index));
                }
            }
            for nested in inst.op.blocks().into_iter().flatten() {
                self.origins_of(nested);
            }
        }
    }

    fn note(&self, at: SourceLoc, kind: BranchKind, cond: Value) -> BranchNote {
        let is_divergent = self.uniformity.is_divergent(cond);
        let mut because = Vec::new();
        let mut through = Vec::new();
        let mut seen = FxHashSet::default();
        match is_divergent {
            true => self.divergent(cond, &mut because, &mut through, &mut seen),
            false => self.uniform(cond, &mut because, &mut seen),
        }
        because.truncate(MOST);
        // Where it begins and where it ends are named anyway.
        let is_line = |place: &SourceLoc, other: &SourceLoc| {
            (&place.file, place.line) == (&other.file, other.line)
        };
        let named = because.iter().filter_map(|reason| reason.at.as_ref());
        let named: Vec<&SourceLoc> = named.chain([&at]).collect();
        through.retain(|place| !named.iter().any(|named| is_line(place, named)));
        through.dedup_by(|next, last| is_line(next, last));
        BranchNote {
            through,
            at,
            kind,
            fate: match is_divergent {
                true => BranchFate::Divergent,
                false => BranchFate::Uniform,
            },
            because,
        }
    }

    fn add(&self, reasons: &mut Vec<Reason>, what: &str, loc: Loc) {
        let reason = Reason {
            what: what.to_owned(),
            at: place(self.function, loc).cloned(),
        };
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }

    /// Follows a divergent value to where lanes first differ.
    fn divergent(
        &self,
        value: Value,
        reasons: &mut Vec<Reason>,
        through: &mut Vec<SourceLoc>,
        seen: &mut FxHashSet<Value>,
    ) {
        if !seen.insert(value) {
            return;
        }
        if let Some(Origin::Result(inst, _) | Origin::Param(inst, _)) = self.origins.get(&value) {
            through.extend(place(self.function, inst.loc).cloned());
        }
        let is = |value: &Value| self.uniformity.is_divergent(*value);
        let next = match self.origins.get(&value) {
            None => None,
            Some(Origin::Param(inst, index)) => match &inst.op {
                Op::While(w) => [w.init[*index], w.next[*index]].into_iter().find(is),
                _ => None,
            },
            Some(Origin::Result(inst, index)) => match &inst.op {
                Op::If { cond, then, els } => {
                    let yields = [then.yields[*index], els.yields[*index]];
                    let found = yields.into_iter().find(is);
                    if found.is_none() {
                        self.add(reasons, "which side of a condition they took", inst.loc);
                    }
                    found.or(Some(*cond))
                }
                Op::While(w) => {
                    let exit = w.exits[*index];
                    if !is(&exit) {
                        self.add(reasons, "in which iteration they left a loop", inst.loc);
                        Some(w.cond)
                    } else {
                        Some(exit)
                    }
                }
                op if is_source(op) => {
                    self.add(reasons, differs(op), inst.loc);
                    None
                }
                op => {
                    let mut found = None;
                    op.operands(&mut |operand| found = found.or(Some(operand).filter(is)));
                    found
                }
            },
        };
        if let Some(next) = next {
            self.divergent(next, reasons, through, seen);
        }
    }

    /// Gathers what a uniform value depends on.
    fn uniform(&self, value: Value, reasons: &mut Vec<Reason>, seen: &mut FxHashSet<Value>) {
        if !seen.insert(value) || reasons.len() > MOST {
            return;
        }
        match self.origins.get(&value) {
            None => {}
            Some(Origin::Param(inst, index)) => {
                if let Op::While(w) = &inst.op {
                    for next in [w.init[*index], w.next[*index]] {
                        self.uniform(next, reasons, seen);
                    }
                }
            }
            Some(Origin::Result(inst, index)) => match &inst.op {
                Op::Const(_) => {}
                Op::If { cond, then, els } => {
                    for next in [*cond, then.yields[*index], els.yields[*index]] {
                        self.uniform(next, reasons, seen);
                    }
                }
                Op::While(w) => {
                    for next in [w.cond, w.exits[*index]] {
                        self.uniform(next, reasons, seen);
                    }
                }
                Op::Load {
                    alias: Alias::Launch,
                    offset,
                    ..
                } => match self.staged.arguments.iter().find(|(at, _)| at == offset) {
                    Some((_, name)) => self.add(reasons, name, Loc::NONE),
                    None => self.add(reasons, "the size of the launch", Loc::NONE),
                },
                Op::Load { alias, .. } => self.add(reasons, loaded(alias), inst.loc),
                Op::Csr(_) | Op::Id(_) => {
                    let what = "which warp it is, and how many there are";
                    self.add(reasons, what, Loc::NONE);
                }
                Op::Warp { .. } => {
                    self.add(
                        reasons,
                        "what all lanes of the warp are answered alike",
                        inst.loc,
                    );
                }
                op => op.operands(&mut |operand| self.uniform(operand, reasons, seen)),
            },
        }
    }
}

/// What lanes have different ones of.
fn differs(op: &Op) -> &'static str {
    match op {
        Op::Csr(Csr::LaneId | Csr::HartId) | Op::Id(_) => "the number of the work item",
        Op::Load { .. } => "a value that is loaded, and that others may write during the launch",
        Op::PrivateAddr(_) => "an address in the work item's own memory",
        Op::Atomic { .. } => "the result of an atomic operation",
        Op::Warp { .. } => "the result of a warp operation",
        Op::Clock => "the clock",
        _ => "a value of each lane's own",
    }
}

/// What a uniform load loads.
fn loaded(alias: &Alias) -> &'static str {
    match alias {
        Alias::Data(_) => "a constant table, at the same index",
        Alias::Exchange => "what lanes of the warp exchanged",
        _ => "a value in memory that nobody writes during the launch, at the same index",
    }
}
