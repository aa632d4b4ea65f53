//! Replaces what a body asks for by what only the code around it knows: ids, barriers, objects in local memory, and
//! records of failures.

use super::launch::{IdSource, Launch, Surroundings};
use super::records::{self, Sites};
use crate::ir::expand::{self, Expand, Expanded};
use crate::ir::{Alias, Block, Builder, Csr, FaultKind, Id, Op, Type, Value};

/// The ids that every entry reads from the hart.
fn of_the_hart(id: Id) -> Option<IdSource> {
    let csr = match id {
        Id::Lane => Csr::LaneId,
        Id::Warp => Csr::WarpId,
        Id::Core => Csr::CoreId,
        Id::Lanes => Csr::NumLanes,
        Id::Warps => Csr::NumWarps,
        Id::Cores => Csr::NumCores,
        _ => return None,
    };
    Some(IdSource::Csr(csr))
}

/// Appends `body` with what only the entry knows replaced: ids, barriers, local memory and faults. What it does not
/// know either is left for lowering to refuse. What can fail there is added to the sites.
pub(super) fn expand(
    b: &mut Builder<'_>,
    body: Block,
    around: &dyn Surroundings,
    launch: &Launch,
    sites: &mut Sites,
) {
    let mut expansion = Expansion {
        around,
        launch,
        sites,
    };
    expand::expand(b, body, &mut expansion);
}

struct Expansion<'a> {
    around: &'a dyn Surroundings,
    launch: &'a Launch,
    sites: &'a mut Sites,
}

impl Expansion<'_> {
    /// What an id is, or what it becomes.
    fn id(&self, b: &mut Builder<'_>, id: Id, op: &mut Op) -> Expanded {
        match self.around.id(id).or_else(|| of_the_hart(id)) {
            None => {}
            Some(IdSource::Value(value)) => return Expanded::Is(value),
            Some(IdSource::Csr(csr)) => *op = Op::Csr(csr),
            Some(IdSource::Field(field)) if self.launch.bare.is_some() => {
                return Expanded::Is(self.launch.load(b, field, Type::U32));
            }
            Some(IdSource::Field(field)) => {
                *op = Op::Load {
                    ptr: self.launch.block,
                    offset: (self.launch.args_size + field) as i32,
                    alias: Alias::Launch,
                };
            }
        }
        Expanded::Kept
    }
}

impl Expand for Expansion<'_> {
    fn expand(&mut self, b: &mut Builder<'_>, op: &mut Op, _: &[Value]) -> Expanded {
        match op {
            &mut Op::Id(id) => return self.id(b, id, op),
            Op::LocalAddr(id) => {
                if let Some(address) = self.around.local(b, *id) {
                    return Expanded::Is(address);
                }
            }
            Op::Barrier | Op::BarrierArrive | Op::BarrierWait(_) => {
                return self.around.barrier(b, op);
            }
            Op::Fault { .. } | Op::Panic { .. } if !self.launch.has_records() => {
                return Expanded::Gone;
            }
            Op::Fault { kind, operands } => {
                let site = self.sites.number(b, *kind, None);
                records::fault(b, self.around, site, operands);
                return Expanded::Gone;
            }
            Op::Panic { message, operands } => {
                let site = self.sites.number(b, FaultKind::Panic, Some(*message));
                records::fault(b, self.around, site, operands);
                return Expanded::Gone;
            }
            Op::Print { message, operands } => {
                records::print(b, self.launch, self.around, *message, operands);
                return Expanded::Gone;
            }
            _ => {}
        }
        Expanded::Kept
    }
}
