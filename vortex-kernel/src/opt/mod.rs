//! Passes over the IR, one file each.
//!
//! [`sroa`](sroa()), [`structurise`](structurise()) and [`ssa`](ssa()) turn the recorded function into the structured
//! form, [`legalize_i64`] turns its 64-bit values into words; [`run`] is the optimiser proper. Passes preserve what a
//! program does, faults in their order, floats to the bit; and they never move, merge or duplicate what is convergent
//! ([`Op::is_convergent`](crate::ir::Op::is_convergent)) relative to control flow.

mod address_sums;
mod addresses_ahead;
mod ahead;
pub(crate) mod alike;
mod always;
mod arrivals;
mod bank_padding;
mod barriers;
mod behind;
mod bit_choices;
mod bitwise;
mod bounds;
#[cfg(test)]
pub(crate) mod bounds_hold;
mod checks;
mod clear_bits;
pub(crate) mod coarsening;
mod common_base;
mod conditions;
mod constant_ranges;
mod course;
mod dce;
pub(crate) mod deferred_checks;
mod defs;
mod demanded_choices;
mod early_exits;
mod equal;
mod even_steps;
pub mod explain;
mod flatten;
mod float_minima;
mod fold;
mod folded;
mod group_coarsening;
mod gvn;
mod gvn_hoist;
mod if_conversion;
mod joined_choices;
mod launch_conditions;
mod legalize;
mod licm;
mod loads;
mod loop_ranges;
mod loop_versioning;
pub(crate) mod loops;
#[cfg(test)]
mod loops_hold;
mod mask_returns;
mod merged_checks;
mod once_checked;
mod outcomes;
mod own_elements;
mod pointer_provenance;
mod privatize_exits;
mod range_tests;
mod ranges;
mod reload;
mod rematerialize;
mod repeated_checks;
mod schedule;
mod simplify;
mod speculate;
mod split_offsets;
mod sroa;
mod ssa;
mod strength;
pub(crate) mod strides;
mod structurise;
mod successive_guards;
mod symbolic;
mod tuning;
mod unchecked;
mod uniformity;
mod unroll;
pub(crate) mod unroll_and_jam;
mod updates;

pub use address_sums::address_sums;
pub use addresses_ahead::addresses_ahead;
pub use ahead::ahead;
pub use arrivals::{ArrivalProblem, StrayArrival, check_arrivals};
pub use bank_padding::{LocalRoom, bank_padding};
pub use barriers::{BarrierPart, DivergentBarrier, check_barriers};
pub use bit_choices::bit_choices;
pub use bitwise::bitwise;
pub(crate) use checks::fates;
pub(crate) use coarsening::Coarsening;
pub use dce::{dce, forget};
pub use demanded_choices::demanded_choices;
pub use early_exits::early_exits;
pub use even_steps::even_steps;
pub use flatten::flatten;
pub use float_minima::float_minima;
pub(crate) use fold::inverse;
pub use gvn::gvn;
pub use gvn_hoist::gvn_hoist;
pub use if_conversion::if_conversion;
pub use launch_conditions::launch_conditions;
pub use legalize::{legalize_f16, legalize_i64, legalize_warp};
pub use licm::licm;
pub use loads::loads;
pub use loop_versioning::loop_versioning;
pub use mask_returns::mask_returns;
pub use merged_checks::merged_checks;
pub(crate) use own_elements::own_elements;
pub use own_elements::{Factor, ItemId, Launch, OwnElements, OwnMemory, Places, Term, Width};
pub use pointer_provenance::{loads_pointers, pointer_provenance};
pub use privatize_exits::privatize_exits;
pub use range_tests::range_tests;
pub use reload::reload;
pub use rematerialize::rematerialize;
pub(crate) use schedule::integers_alive;
pub use schedule::schedule;
pub use simplify::simplify;
pub use split_offsets::split_offsets;
pub use sroa::{promote, sroa};
pub use ssa::ssa;
pub use strength::strength;
pub use structurise::structurise;
pub use successive_guards::successive_guards;
pub(crate) use tuning::FLOAT_CONSTANTS;
pub use tuning::{Longer, Tuning};
pub use unchecked::unchecked;
pub use uniformity::Uniformity;
pub use unroll::unroll;
pub use updates::{Update, Updates};

use crate::ir::{Form, Function, Op, VerifyError, verify};
use crate::meta::{collecting, count};

/// Why a staged function cannot be brought into the structured form.
#[derive(Clone, Debug, PartialEq)]
pub enum StructureError {
    /// It would be nested too deeply, as [`structurise`](structurise()) says.
    Ir(VerifyError),
    /// Only some items of a group may reach a barrier, as [`check_barriers`] says.
    Barrier(DivergentBarrier),
    /// An arrival at a barrier is not waited for, as [`check_arrivals`] says.
    Arrival(StrayArrival),
}

/// Brings a verified staged function into the structured form.
///
/// # Errors
/// A [`StructureError`] when that is too deep, when only some items of a group may reach a barrier, or when they
/// arrive at one and do not wait.
pub fn structure(staged: &Function) -> Result<Function, StructureError> {
    let structure = |mut function: Function| {
        observed("structurise", &mut function, structurise).map_err(StructureError::Ir)?;
        observed("ssa", &mut function, ssa);
        check_barriers(&mut function).map_err(StructureError::Barrier)?;
        Ok(function)
    };
    check_arrivals(staged).map_err(StructureError::Arrival)?;
    let mut staged = staged.clone();
    observed("unchecked", &mut staged, unchecked);
    observed("sroa", &mut staged, sroa);
    observed("privatize_exits", &mut staged, privatize_exits);
    let result = structure(staged.clone());
    if !matches!(result, Err(StructureError::Barrier(_))) {
        return result;
    }
    // That costs guards, so it is not done where all return together anyway.
    let mut arriving = staged;
    observed("mask_returns", &mut arriving, mask_returns);
    if cfg!(debug_assertions) {
        verify(&arriving, Form::Staged).map_err(StructureError::Ir)?;
    }
    structure(arriving)
}

/// A pass over structured functions.
#[derive(Clone, Copy, Debug)]
pub enum Pass {
    /// One without choices.
    Fixed(fn(&mut Function)),
    /// One that trades one cost for another.
    Tuned(fn(&mut Function, &Tuning)),
    /// One that tells whether it has found something.
    Telling(fn(&mut Function) -> bool),
    /// One for what the pass before it, which tells, has found.
    IfFound(fn(&mut Function)),
}

impl Pass {
    /// Runs it on a structured function; `tuning` is what those weigh by that trade one cost for another. Gives false
    /// if it tells that it has found nothing.
    pub fn run(self, function: &mut Function, tuning: &Tuning) -> bool {
        match self {
            Self::Fixed(pass) | Self::IfFound(pass) => pass(function),
            Self::Tuned(pass) => pass(function, tuning),
            Self::Telling(pass) => return pass(function),
        }
        true
    }
}

/// A pass with its name.
pub type NamedPass = (&'static str, Pass);

/// A step of the optimiser.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// What it does, in order.
    pub passes: &'static [NamedPass],
    /// What cleans up after that, in order, if it has made new values.
    pub clean_up: &'static [NamedPass],
}

const fn always(passes: &'static [NamedPass]) -> Step {
    Step {
        passes,
        clean_up: &[],
    }
}

/// How much the optimiser does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// Nothing: the code is as staged. Use it to determine whether a pass is at fault.
    None,
    /// What needs one look at each operation.
    Basic,
    /// All passes. What kernels are compiled with by default.
    #[default]
    Full,
}

impl Level {
    /// From nothing to everything.
    pub const ALL: [Self; 3] = [Self::None, Self::Basic, Self::Full];

    /// The steps, in order.
    #[must_use]
    pub const fn pipeline(self) -> &'static [Step] {
        match self {
            Self::None => &[COMPACT],
            Self::Basic => BASIC,
            Self::Full => PIPELINE,
        }
    }
}

/// Renumbers what is left; always last.
const COMPACT: Step = always(&[("compact", Pass::Fixed(Function::compact))]);

/// Removes what is said twice, known or not needed.
const TIDY: &[NamedPass] = &[
    ("simplify", Pass::Fixed(simplify)),
    ("gvn", Pass::Telling(gvn)),
    ("simplify", Pass::IfFound(simplify)),
    ("dce", Pass::Fixed(dce)),
];

/// The steps of [`Level::Basic`].
const BASIC: &[Step] = &[always(TIDY), COMPACT];

/// The steps of [`Level::Full`].
const PIPELINE: &[Step] = &[
    // As TIDY, which would simplify twice: all kernels say something twice as they are staged.
    always(&[
        ("gvn", Pass::Telling(gvn)),
        ("simplify", Pass::Fixed(simplify)),
        ("dce", Pass::Fixed(dce)),
    ]),
    Step {
        passes: &[
            ("bitwise", Pass::Fixed(bitwise)),
            ("float_minima", Pass::Fixed(float_minima)),
            ("bit_choices", Pass::Fixed(bit_choices)),
        ],
        clean_up: TIDY,
    },
    Step {
        passes: &[
            ("even_steps", Pass::Fixed(even_steps)),
            ("flatten", Pass::Tuned(flatten)),
        ],
        clean_up: TIDY,
    },
    Step {
        passes: &[("promote", Pass::Fixed(promote))],
        clean_up: TIDY,
    },
    Step {
        passes: &[("early_exits", Pass::Fixed(early_exits))],
        clean_up: TIDY,
    },
    always(&[("licm", Pass::Fixed(licm)), ("gvn", Pass::Telling(gvn))]),
    Step {
        passes: &[("loop_versioning", Pass::Fixed(loop_versioning))],
        clean_up: &[
            ("simplify", Pass::Fixed(simplify)),
            ("licm", Pass::Fixed(licm)),
            ("gvn", Pass::Telling(gvn)),
        ],
    },
    Step {
        passes: &[("range_tests", Pass::Fixed(range_tests))],
        clean_up: &[
            ("simplify", Pass::Fixed(simplify)),
            ("licm", Pass::Fixed(licm)),
            ("gvn", Pass::Telling(gvn)),
            ("dce", Pass::Fixed(dce)),
        ],
    },
    always(&[
        ("forget", Pass::Fixed(forget)),
        ("simplify", Pass::Fixed(simplify)),
        ("dce", Pass::Fixed(dce)),
    ]),
    Step {
        passes: &[("launch_conditions", Pass::Fixed(launch_conditions))],
        clean_up: &[
            ("simplify", Pass::Fixed(simplify)),
            ("gvn", Pass::Telling(gvn)),
            ("dce", Pass::Fixed(dce)),
        ],
    },
    Step {
        passes: &[("loads", Pass::Fixed(loads))],
        clean_up: TIDY,
    },
    Step {
        passes: &[("merged_checks", Pass::Fixed(merged_checks))],
        clean_up: TIDY,
    },
    Step {
        passes: &[
            ("strength", Pass::Fixed(strength)),
            ("address_sums", Pass::Fixed(address_sums)),
            ("split_offsets", Pass::Fixed(split_offsets)),
        ],
        clean_up: TIDY,
    },
    always(&[
        ("gvn_hoist", Pass::Fixed(gvn_hoist)),
        ("if_conversion", Pass::Telling(if_conversion)),
        ("simplify", Pass::IfFound(simplify)),
        ("demanded_choices", Pass::Telling(demanded_choices)),
        ("simplify", Pass::IfFound(simplify)),
        ("dce", Pass::IfFound(dce)),
    ]),
    Step {
        passes: &[("unroll", Pass::Tuned(unroll))],
        clean_up: TIDY,
    },
    always(&[
        ("ahead", Pass::Fixed(ahead)),
        ("addresses_ahead", Pass::Fixed(addresses_ahead)),
    ]),
    Step {
        passes: &[
            ("rematerialize", Pass::Fixed(rematerialize)),
            ("reload", Pass::Tuned(reload)),
        ],
        clean_up: &[("dce", Pass::Fixed(dce))],
    },
    always(&[("schedule", Pass::Tuned(schedule))]),
    COMPACT,
];

/// Optimises a structured function.
///
/// # Errors
/// In debug builds, when a pass has broken a rule of the IR: a bug of ours, reported instead of compiled.
pub fn run(function: &mut Function, level: Level, tuning: &Tuning) -> Result<(), VerifyError> {
    for step in level.pipeline() {
        let values = function.values.len();
        apply(step.passes, function, tuning)?;
        if function.values.len() > values {
            apply(step.clean_up, function, tuning)?;
        }
    }
    Ok(())
}

fn apply(
    passes: &[NamedPass],
    function: &mut Function,
    tuning: &Tuning,
) -> Result<(), VerifyError> {
    let mut found = true;
    for (name, pass) in passes {
        if found || !matches!(pass, Pass::IfFound(_)) {
            found = apply_one(name, *pass, function, tuning)?;
        }
    }
    Ok(())
}

fn apply_one(
    name: &str,
    pass: Pass,
    function: &mut Function,
    tuning: &Tuning,
) -> Result<bool, VerifyError> {
    let found = observed(name, function, |function| pass.run(function, tuning));
    if cfg!(debug_assertions) {
        verify(function, Form::Structured).map_err(|error| VerifyError {
            inst: format!("{} (after pass {name})", error.inst),
            ..error
        })?;
    }
    Ok(found)
}

/// Runs a pass, and counts what it did if anybody wants to know.
#[inline]
pub(crate) fn observed<R>(
    name: &str,
    function: &mut Function,
    pass: impl FnOnce(&mut Function) -> R,
) -> R {
    if !collecting() && !explain::is_watched() {
        return pass(function);
    }
    let before = function.clone();
    let result = pass(function);
    if collecting() {
        note(name, &before, function);
    }
    explain::passed(name, &before, function);
    result
}

/// Counts what a pass did.
#[cold]
fn note(name: &str, before: &Function, after: &Function) {
    let size = |function: &Function, weight: fn(&Op) -> usize| {
        let mut size = 0;
        function.body.visit(&mut |inst| size += weight(&inst.op));
        size
    };
    if before.body != after.body {
        count!(name, "fired", 1);
    }
    let instructions: fn(&Op) -> usize = |_| 1;
    let checks: fn(&Op) -> usize = |op| {
        let nested = op.blocks().into_iter().flatten();
        nested.filter(|block| block.is_failure()).count()
    };
    for (what, weight) in [("instructions", instructions), ("checks", checks)] {
        let (before, after) = (size(before, weight), size(after, weight));
        if after < before {
            count!(name, &format!("{what} removed"), before - after);
        } else if after > before {
            count!(name, &format!("{what} added"), after - before);
        }
    }
}

/// A pass by its name, for tests.
#[must_use]
pub fn pass(name: &str) -> Option<Pass> {
    let mut passes = PIPELINE.iter().flat_map(|step| step.passes);
    let found = passes.find(|pass| pass.0 == name)?;
    Some(found.1)
}
