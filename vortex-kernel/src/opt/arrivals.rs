//! Finds arrivals at barriers that are not waited for as they must be: each once, in its own block, before the group
//! reaches another barrier.

use super::barriers::BarrierPart;
use crate::ir::{Block, Function, Inst, Label, Loc, Op, Value};

/// An arrival at a barrier, and what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrayArrival {
    /// Where the arrival is.
    pub arrival: Loc,
    /// What is wrong.
    pub problem: ArrivalProblem,
}

/// What can be wrong with an arrival at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalProblem {
    /// Nobody waits for it.
    Forgotten,
    /// It is waited for here, in another block.
    Elsewhere(Loc),
    /// The group reaches another barrier before it waits.
    Between(BarrierPart, Loc),
    /// A jump from here leaves the block before it is waited for.
    Left(Loc),
}

/// Checks a staged function.
///
/// # Errors
/// The first arrival that something is wrong with.
pub fn check_arrivals(function: &Function) -> Result<(), StrayArrival> {
    if !function.body.any(&|op| *op == Op::BarrierArrive) {
        return Ok(());
    }
    block(&function.body)
}

fn block(block: &Block) -> Result<(), StrayArrival> {
    let mut open: Option<(&[Value], Loc)> = None;
    for inst in &block.insts {
        let Some((token, arrival)) = open else {
            if inst.op == Op::BarrierArrive {
                open = Some((&inst.results, inst.loc));
            }
            for nested in inst.op.blocks().into_iter().flatten() {
                self::block(nested)?;
            }
            continue;
        };
        if matches!(&inst.op, Op::BarrierWait(waited) if token.contains(waited)) {
            open = None;
        } else if let Some(problem) = between(token, inst) {
            return Err(StrayArrival { arrival, problem });
        }
    }
    open.map_or(Ok(()), |(_, arrival)| {
        let problem = ArrivalProblem::Forgotten;
        Err(StrayArrival { arrival, problem })
    })
}

/// What is wrong with having an instruction between an arrival, which gave the token, and where it is waited for.
fn between(token: &[Value], inst: &Inst) -> Option<ArrivalProblem> {
    let mut meets = None;
    let mut note = |inst: &Inst| {
        let problem = match &inst.op {
            Op::BarrierWait(waited) if token.contains(waited) => {
                Some(ArrivalProblem::Elsewhere(inst.loc))
            }
            op => BarrierPart::of(op).map(|part| ArrivalProblem::Between(part, inst.loc)),
        };
        meets = meets.or(problem);
    };
    note(inst);
    let nested = || inst.op.blocks().into_iter().flatten();
    nested().for_each(|block| block.visit(&mut note));
    meets.or_else(|| leaves(inst, &mut Vec::new()).map(ArrivalProblem::Left))
}

/// Where a jump is that goes further than to the end of an instruction, or of one of those around it. A `return` is
/// none: nobody waits for items that have returned.
fn leaves(inst: &Inst, inside: &mut Vec<Label>) -> Option<Loc> {
    match inst.op {
        Op::Break(label) | Op::Continue(label) => (!inside.contains(&label)).then_some(inst.loc),
        _ => {
            let depth = inside.len();
            if let Op::Loop { label, .. } | Op::Scope { label, .. } = inst.op {
                inside.push(label);
            }
            let mut nested = inst.op.blocks().into_iter().flatten();
            let found =
                nested.find_map(|block| block.insts.iter().find_map(|inst| leaves(inst, inside)));
            inside.truncate(depth);
            found
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    fn check(body: &str) -> Result<(), ArrivalProblem> {
        let text = format!(
            "kernel \"k\" (v0: u32 \"n\" arg 0 at 0) args 4 {{ loc @1 \"k.rs\":1:1 loc @2 \"k.rs\":2:2 \
             v1: bool = eq v0, v0 {body} }}"
        );
        let checked = check_arrivals(&parse(&text).unwrap());
        checked.map_err(|stray| {
            assert_eq!(stray.arrival, Loc::from_u32(1));
            stray.problem
        })
    }

    #[test]
    fn what_is_waited_for_in_its_block_is_fine() {
        let arrive = "v2: u32 = barrier_arrive @1";
        check(&format!("{arrive} barrier_wait v2 barrier")).unwrap();
        check(&format!("{arrive} if v1 {{ return }} barrier_wait v2")).unwrap();
        check(&format!(
            "loop L0 {{ {arrive} loop L1 {{ if v1 {{ continue L1 }} break L1 }} barrier_wait v2 break L0 }}"
        ))
        .unwrap();
    }

    #[test]
    fn what_is_not_is_named() {
        let (here, arrive) = (Loc::from_u32(2), "v2: u32 = barrier_arrive @1");
        let problem = |text: &str| check(&format!("{arrive} {text}")).unwrap_err();
        assert_eq!(
            problem("barrier_wait v2 v3: u32 = barrier_arrive @1"),
            ArrivalProblem::Forgotten
        );
        assert_eq!(problem("return"), ArrivalProblem::Forgotten);
        for elsewhere in [
            "if v1 { barrier_wait v2 @2 }",
            "loop L0 { if v1 { break L0 } barrier_wait v2 @2 }",
        ] {
            assert_eq!(problem(elsewhere), ArrivalProblem::Elsewhere(here));
        }
        let between = |part| ArrivalProblem::Between(part, here);
        assert_eq!(
            problem("barrier @2 barrier_wait v2"),
            between(BarrierPart::Whole)
        );
        assert_eq!(
            problem("if v1 { v3: u32 = barrier_arrive @2 barrier_wait v3 } barrier_wait v2"),
            between(BarrierPart::Arrival)
        );
        let jump = "loop L0 { v2: u32 = barrier_arrive @1 if v1 { break L0 @2 } barrier_wait v2 }";
        assert_eq!(check(jump), Err(ArrivalProblem::Left(here)));
    }
}
