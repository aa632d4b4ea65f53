//! The device entry: turns the code of one work item into that of a warp.
//!
//! The body is put into the loop over a warp's work items ([`super::items`]), or over blocks of them
//! ([`super::coarsened`]); that of a kernel with work groups into the loop over groups ([`super::group`],
//! [`super::blocks_of_groups`]).
//!
//! All of it is IR, so the passes work on it as on the body: arguments are loaded once per warp, and what a kernel does
//! not use is never computed. Coordinates are computed from the item number by division once, before the loop; then
//! they advance by addition with carries ([`super::carried`], `LaunchHeader::step`).

use super::bare;
use super::blocks_of_groups;
use super::coarsened;
use super::group::{self, Members};
use super::items::ItemLoop;
use super::launch::{Launch, Placement, UsedIds};
use super::records::Sites;
use super::{FaultSite, GroupUse};
use crate::ir::{Alias, BinOp, Builder, Csr, Function, Inst, Loc, Op, Value};
use crate::isa::Generation;
use crate::opt::coarsening::Obstacle;
use crate::opt::loops::outermost_loops;
use crate::opt::{self, Coarsening, Level, Tuning, Uniformity};
use smallvec::smallvec;

/// The function a warp runs, and what its fault records mean.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) function: Function,
    pub(super) fault_sites: Vec<FaultSite>,
    pub(super) groups: Option<GroupUse>,
}

/// Wraps the body of a structured function into the item loop.
pub(super) fn wrap(
    mut function: Function,
    options: &super::Options,
    tuning: &Tuning,
    generation: Generation,
) -> Entry {
    let groups = GroupUse::of(&function);
    if lanes_of_blocks(options).is_ok() {
        // What `&&` makes of guards is looked at, and may be jammed; so is how long parts of slices are.
        opt::observed("simplify", &mut function, opt::simplify);
        opt::observed("successive_guards", &mut function, opt::successive_guards);
    }
    let body = std::mem::take(&mut function.body);
    let args_size = function.args_size;
    let used = UsedIds::of(&body);
    let prints = body.any(&|op| matches!(op, Op::Print { .. }));
    let lanes = lanes_of_blocks(options);
    let coarsening = lanes.and_then(|lanes| match groups {
        Some(GroupUse { local_bytes }) => {
            let room = options.known.local_room();
            let room = room.map_or(u32::MAX, |room| room.groups(local_bytes));
            let coarsening = Coarsening::of_groups(&function, &body, tuning, room)?;
            Ok((coarsening, Vec::new()))
        }
        None => Coarsening::of(&function, &body, lanes, tuning),
    });
    if let Err(obstacle) = &coarsening {
        opt::explain::note_one_by_one(&function, obstacle);
    }
    let (coarsening, strides) = coarsening.ok().unzip();
    let params = std::mem::take(&mut function.params);

    let mut b = Builder::new(&mut function, Loc::NONE);
    let block = b.csr(Csr::LaunchBlock);
    for param in params {
        b.block.insts.push(Inst {
            results: smallvec![param.value],
            op: Op::Load {
                ptr: block,
                offset: param.offset as i32,
                alias: Alias::Launch,
            },
            loc: Loc::NONE,
        });
    }
    let launch = Launch {
        placement: Placement(generation),
        block,
        args_size,
        bare: options
            .known
            .bare
            .map(|bare| bare::Kernel::new(bare, options.known.block, groups)),
    };
    let mut sites = Sites::default();
    if groups.is_some() {
        let is_row = matches!(options.known.block, Some([_, 1, 1]));
        // Of several groups at once, one that has only arrived would be followed by the next: a warp would arrive there
        // before others have arrived for the first.
        let only_arrives = coarsening.is_some() && group::may_only_arrive(&body);
        let splits = tuning.split_barriers && !only_arrives;
        let members = Members::start(&mut b, &launch, &used, (is_row, splits));
        blocks_of_groups::blocks_then_rest(
            &mut b, body, &launch, &used, &members, coarsening, &mut sites,
        );
    } else if let (Some(coarsening), Ok(lanes)) = (coarsening, lanes) {
        let strides = strides.unwrap_or_default();
        let blocks = (coarsening, lanes, strides.as_slice());
        coarsened::blocks_then_rest(&mut b, body, &launch, &used, blocks, &mut sites);
    } else {
        ItemLoop::all_items(&mut b, body, &launch, &used, None, &mut sites);
    }
    function.body = b.finish();
    let fault_sites = sites.into_vec();
    let facts = &mut function.facts;
    facts.uses_groups = Some(groups.is_some());
    facts.local_memory = Some(groups.map_or(0, |groups| groups.local_bytes));
    facts.fault_sites = u32::try_from(fault_sites.len()).ok();
    facts.prints = Some(prints);
    facts.coordinates = Some(used.dimensions.into());
    facts.coarsening = coarsening.map(Coarsening::items);
    facts.generation = (generation != Generation::V2).then(|| generation.number());
    // The entry knows where everything is.
    for object in function.locals.values_mut() {
        object.count = None;
    }
    Entry {
        function,
        fault_sites,
        groups,
    }
}

/// The lanes of warps whose lanes may do several items at once.
fn lanes_of_blocks(options: &super::Options) -> Result<u32, Obstacle<'static>> {
    match options.known.lanes {
        _ if options.known.bare.is_some() => Err(Obstacle::Bare),
        _ if options.level() != Level::Full => Err(Obstacle::Level),
        None => Err(Obstacle::Lanes),
        Some(lanes) => Ok(lanes),
    }
}

/// What counts the iterations of a wrapped function, after all passes: the number of the warp's first item, or of its
/// group. Passes may have made several versions of the loop; of the numbers that one carries and adds to, it is the
/// first that a warp has in common.
pub(super) fn item_counters(function: &Function, uniformity: &Uniformity) -> Vec<Value> {
    let mut found = Vec::new();
    outermost_loops(&function.body, &mut |w| {
        let advances = |param: Value, next: Value| {
            let mut insts = w.after.insts.iter();
            insts.any(|inst| {
                inst.results[..] == [next]
                    && matches!(inst.op, Op::Binary(BinOp::Add, a, b) if a == param || b == param)
            })
        };
        let mut carried = w.params.iter().zip(&w.next);
        let counter =
            carried.find(|&(&param, &next)| uniformity.is_uniform(param) && advances(param, next));
        found.extend(counter.map(|(&param, _)| param));
    });
    found
}
