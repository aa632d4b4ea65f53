//! IR to image: `entry`, lowering to CLIF words, carriers, narrowing, linking, verification.
//!
//! ```text
//! structured IR of one item --entry--> IR of a warp's item loop --opt--> better IR
//!     --lower--> CLIF on 64-bit words --Cranelift--> RV64 code --narrow--> RV32 code
//!     --link--> image --verify--> the same image, believed
//! ```
//!
//! RV32 and RV64 share the encodings of all but a handful of instructions. So every 32-bit value of the IR becomes a
//! CLIF `i64` (floats become `f64`), only operations whose RV64 encoding is an RV32 encoding, or one rewrite away from
//! it, are used (`narrow`), and the same bits run with 32-bit registers compute 32-bit arithmetic. What CLIF cannot
//! express travels as something it can (`carrier`).

mod analysis;
mod backend;
mod bare;
mod blocks_of_groups;
mod carried;
mod carrier;
mod checks;
mod coarsened;
mod constants;
mod counts;
mod entry;
mod expand;
mod explain;
mod group;
mod handed;
mod items;
mod launch;
mod link;
mod listing;
mod locked;
mod loops;
mod lower;
mod meeting;
mod narrow;
mod objects;
mod ops;
mod options;
mod records;
mod select;
mod slots;
mod specialization;
mod spills;
mod tags;
mod verify;
mod vxbin;
mod warp;

pub use crate::ir::LaunchTests;
use crate::ir::{
    self, Callee, DataId, DataObject, FaultKind, Form, Function, GlobalVariable, IndexChecks,
    LaunchConditions, Loc, LocalPlace, Message, MessageId, NamedLocal, Op, PrimaryMap, SourceLoc,
    VerifyError,
};
use crate::isa::Generation;
use crate::meta::{self, Stage};
use crate::opt::{self, Uniformity, Updates};
pub use crate::opt::{Level, Longer, Tuning, Update};
pub use bare::{Bare, BareSize};
pub use explain::{Explanation, Language, Stage as ExplainedStage, StageLine, explain};
pub use link::LargestArray;
pub use meeting::{ArrivalMistake, MeetingPoint};
pub use objects::LocalObject;
pub use options::{Options, Room};
use serde::{Deserialize, Serialize};
pub use specialization::{CoreSize, Specialization};
use thiserror::Error;

/// What code generation may assume of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The generation of Vortex: how images are launched, and what its instructions do.
    pub generation: Generation,
    /// Whether it has Zicond: `czero.eqz` and `czero.nez`.
    pub zicond: bool,
    /// Whether it has the A extension: atomic operations.
    pub atomics: bool,
    /// Whether it has Vortex's votes and shuffles.
    pub warp_ops: bool,
}

impl Target {
    /// A device of Vortex 2 with every extension.
    pub const FULL: Self = Self {
        generation: Generation::V2,
        zicond: true,
        atomics: true,
        warp_ops: true,
    };
}

/// A finished, verified image, with what the host needs to run it and to explain its faults.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// Code and constants; position-independent, execution starts at the first byte.
    pub bytes: Vec<u8>,
    /// What the kernel requires of work groups; `None` if it does not use them.
    pub groups: Option<GroupUse>,
    /// Meaning of `FaultRecord::site - 1`.
    pub fault_sites: Vec<FaultSite>,
    /// Whether it prints, so that it needs a print area.
    pub prints: bool,
    /// What lies where in the local memory of a group. Files do not have it.
    pub local_objects: Vec<LocalObject>,
    /// Its messages, by the numbers in its records.
    pub messages: PrimaryMap<MessageId, Message>,
    /// Source lines of code ranges, ascending by offset.
    pub lines: Vec<LineEntry>,
    /// Where a register identifies the work items of a warp. Not everywhere, as registers are scarce; other places
    /// follow from these.
    pub item_counters: Vec<ItemCounterEntry>,
    /// Which of a lane's simultaneous items code is for, ascending by offset. Files do not have it, and their images
    /// run items one by one.
    pub block_items: Vec<BlockItemEntry>,
    /// The stores that change what their item has loaded from the same place, ascending by offset.
    pub updates: Vec<UpdateEntry>,
    /// Memory in which each item only accesses its own elements. Files do not have it.
    pub own: opt::OwnMemory,
    /// The conditions that the host evaluates for the launch header, or must check before it runs this image. Files do
    /// not have them, and their images do not need them.
    pub launch_conditions: LaunchConditions,
    /// The program's variables whose addresses a launch puts after the launch header, in this order.
    pub globals: Vec<GlobalVariable>,
    /// Constant data after the code.
    pub tables: Vec<Table>,
    /// What the compiler determined about the kernel.
    pub facts: meta::Facts,
    /// The device functions that are part of it.
    pub callees: Vec<Callee>,
    /// Where a debugger finds its locals, if it was made for one. Files do not have it.
    pub locals: Option<Vec<ImageLocal>>,
    /// The compiler's view of this image, on request.
    pub listing: Option<Listing>,
}

impl Image {
    /// The place in the source that the instruction this many bytes from the start comes from, if it has one.
    #[must_use]
    pub fn source_at(&self, offset: u32) -> Option<&SourceLoc> {
        if offset as usize >= self.bytes.len() {
            return None;
        }
        let after = self.lines.partition_point(|entry| entry.offset <= offset);
        self.lines[..after].last()?.loc.as_ref()
    }

    /// The generation of Vortex that it is for.
    #[must_use]
    pub fn generation(&self) -> Generation {
        let number = self.facts.generation;
        number.and_then(Generation::numbered).unwrap_or_default()
    }
}

/// What a kernel requires of its work group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupUse {
    /// Bytes of local memory for each group; a multiple of 16.
    pub local_bytes: u32,
}

/// Constant data in an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// What the user calls it; empty if it has no name.
    pub name: String,
    /// Bytes from the image's start.
    pub offset: u32,
    /// Bytes it has.
    pub size: u32,
}

/// A place that can fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultSite {
    /// The kind of failure.
    pub kind: FaultKind,
    /// Its message, if the user has written one.
    pub message: Option<MessageId>,
    /// Where in the user's source.
    pub loc: SourceLoc,
}

/// From `offset` on, code comes from `loc` (`None`: made up by the compiler).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEntry {
    /// Bytes from the image's start.
    pub offset: u32,
    /// Where in the user's source.
    pub loc: Option<SourceLoc>,
}

/// From `offset` on and before `end`, a register counts the iterations of a warp: it holds the number of its group, or,
/// in a kernel without groups, of lane 0's work item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemCounterEntry {
    /// Bytes from the image's start.
    pub offset: u32,
    /// Bytes from the image's start to the first after it.
    pub end: u32,
    /// Number of an integer register, which holds the same in all active lanes.
    pub register: u8,
}

/// From `offset` on, code is for one of a lane's simultaneous items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockItemEntry {
    /// Bytes from the image's start.
    pub offset: u32,
    /// Column and row of the item in the lane's block, or nothing where there are no blocks.
    pub item: Option<[u8; 2]>,
}

/// A local of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageLocal {
    /// Its name, what it is, and where in the source it can be seen.
    pub local: NamedLocal,
    /// Where it is in the lane's memory. `None` if it is not kept.
    pub place: Option<ImagePlace>,
}

/// Where a local is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImagePlace {
    /// This many bytes above the address in `sp`.
    Frame(u32),
    /// This many bytes above the address of the launch block, in `mscratch`.
    LaunchBlock(u32),
}

/// A store that changes what its item has loaded from the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateEntry {
    /// Bytes from the image's start.
    pub offset: u32,
    /// How it relates to what was loaded.
    pub update: Update,
}

/// A kernel at four stages of compilation, as text for people.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The staged IR.
    pub staged: String,
    /// The IR after all passes.
    pub optimised: String,
    /// Cranelift's IR that this is lowered to.
    pub clif: String,
    /// For each line of [`Listing::clif`], its place in the user's source.
    pub clif_places: Vec<Option<SourceLoc>>,
    /// Disassembly of the image, offsets from 0, with source lines.
    pub disassembly: String,
}

/// Why a kernel could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompileError {
    /// The IR breaks a rule: what was staged, or what a pass of a debug build made of it.
    #[error(transparent)]
    Ir(#[from] VerifyError),
    /// An atomic operation for a device without them.
    #[error(
        "the kernel uses an atomic operation{}, but this device has none: RISC-V's A extension is not built in",
        at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default()
    )]
    NoAtomics {
        /// Where in the user's source.
        at: Option<SourceLoc>,
    },
    /// A barrier that only some items of a group may reach.
    #[error(
        "the {what} at {barrier} stands under a condition that is not the same for all work items of a group ({condition}), so some \
         would wait for ever; move it out of the conditional code, or make the condition depend on the group only, \
         such as `group::reduce_or(c)`, which is whether `c` holds for any of its items"
    )]
    DivergentBarrier {
        /// What it is, or is part of.
        what: MeetingPoint,
        /// Where the barrier is.
        barrier: SourceLoc,
        /// Where the condition is.
        condition: SourceLoc,
    },
    /// An arrival at a barrier that is not waited for in its block, before anything else.
    #[error("the `barrier::arrive()` at {arrival} {mistake}")]
    StrayArrival {
        /// Where the arrival is.
        arrival: SourceLoc,
        /// What is wrong with it.
        mistake: ArrivalMistake,
    },
    /// Bounds checks are made for each access, in a kernel with `deny(checks)`.
    #[error("{}", checks::left(kept))]
    ChecksLeft {
        /// Where they are, and why each is left.
        kept: Vec<(SourceLoc, String)>,
    },
    /// More stack than the memory map gives a hart.
    #[error(
        "the kernel needs {needed} bytes of private memory for each work item, but there are {available}{}: \
         make its arrays smaller, put them into slices or local memory, or keep fewer values alive at once",
        largest.as_ref().map(|of| format!(", of which the array at {} takes {}", of.at, of.bytes)).unwrap_or_default()
    )]
    StackTooLarge {
        /// Bytes that each hart needs, including the lines that lanes of a warp share.
        needed: u32,
        /// Bytes that there are for each hart.
        available: u32,
        /// What takes most of them, if the kernel has arrays there.
        largest: Option<LargestArray>,
    },
    /// An impossible statement of [`Options::known`], and why.
    #[error("no launch can be as the kernel is to be compiled for: {0}")]
    Specialization(&'static str),
    /// A kernel that cannot do without a launch header, for an image without one.
    #[error(
        "the kernel cannot become a bare image, which is started with its arguments and nothing else: {why}{}",
        at.as_ref().map(|at| format!(" (at {at})")).unwrap_or_default()
    )]
    Bare {
        /// What it needs.
        why: &'static str,
        /// Where in the user's source.
        at: Option<SourceLoc>,
    },
    /// A mistake of the compiler, caught before it could become an image.
    #[error(
        "internal error of the kernel compiler: {0}; please report it with the kernel's source"
    )]
    Internal(String),
}

impl CompileError {
    fn internal(what: impl Into<String>) -> Self {
        Self::Internal(what.into())
    }
}

/// Compiles a staged kernel to a verified image.
///
/// # Errors
/// [`CompileError::Ir`] if the IR is not well-formed; [`CompileError::DivergentBarrier`] and
/// [`CompileError::StrayArrival`] for barriers that not all items of a group reach as they should;
/// [`CompileError::NoAtomics`] and [`CompileError::StackTooLarge`] if it needs more than the device has;
/// [`CompileError::ChecksLeft`], [`CompileError::Specialization`] and [`CompileError::Bare`] if the requested code is
/// impossible; [`CompileError::Internal`] for bugs in the compiler.
pub fn compile(
    staged: &Function,
    target: &Target,
    options: &Options,
) -> Result<Image, CompileError> {
    meta::about(&staged.name);
    let structuring = Stage::begin("structuring");
    options
        .known
        .problem()
        .map_or(Ok(()), |problem| Err(CompileError::Specialization(problem)))?;
    ir::verify(staged, Form::Staged)?;
    let function = opt::structure(staged).map_err(|error| match error {
        opt::StructureError::Ir(error) => CompileError::Ir(error),
        opt::StructureError::Barrier(divergent) => meeting::divergent(staged, divergent),
        opt::StructureError::Arrival(stray) => meeting::stray(staged, stray),
    })?;
    drop(structuring);
    compile_structured(function, Some(staged), target, options)
}

/// The part of [`compile`] that begins with structured IR.
fn compile_structured(
    mut function: Function,
    staged: Option<&Function>,
    target: &Target,
    options: &Options,
) -> Result<Image, CompileError> {
    let optimising = Stage::begin("optimisation");
    verify_ours(&function)?;
    opt::observed("legalize_f16", &mut function, opt::legalize_f16);
    opt::observed("legalize_warp", &mut function, |function| {
        opt::legalize_warp(function, target.warp_ops, options.known.lanes);
    });
    opt::observed("legalize_i64", &mut function, opt::legalize_i64);
    let tuning = options.tuning(target.generation);
    if let (Level::Full, Some(room)) = (options.level(), options.known.local_room()) {
        opt::observed("bank_padding", &mut function, |function| {
            opt::bank_padding(function, &room, &tuning);
        });
    }
    opt::pointer_provenance(&mut function);
    let own = opt::own_elements(&function);
    check_extensions(&mut function, *target)?;
    let args_size = function.args_size;
    let bare = options.known.bare;
    if bare.is_some() {
        bare::refuse(&function)?;
    }
    // Whoever starts a bare image knows nothing of groups of warps.
    let generation = match bare {
        Some(_) => Generation::V2,
        None => target.generation,
    };
    let local_objects = objects::named(&function);
    let entry::Entry {
        mut function,
        fault_sites,
        groups,
    } = entry::wrap(function, options, &tuning, generation);
    if !target.warp_ops {
        opt::observed("exchange", &mut function, warp::exchange);
    }
    opt::observed("locked operations", &mut function, locked::expand);
    if bare.is_some() {
        bare::refuse_memory(&function)?;
    }
    opt::observed("known sizes", &mut function, |function| {
        options.known.assume(function);
    });
    verify_ours(&function)?;
    function.launch_conditions = match bare {
        Some(_) => None,
        None => LaunchConditions::of(options.launch_tests),
    };
    opt::run(&mut function, options.level(), &tuning)?;
    if options.debug {
        // Whatever the kernel denies, checks are left here.
        function.indices = IndexChecks::Made;
    }
    checks::write_down(&mut function, &fault_sites, options.level())?;
    let uniformity = Uniformity::of(&function);
    drop(optimising);
    backend::with_context(|context| {
        let lowering = Stage::begin("lowering");
        let item_counters = entry::item_counters(&function, &uniformity);
        let inputs = analysis::Inputs {
            target: *target,
            uniformity: &uniformity,
            item_counters: &item_counters,
            updates: &Updates::of(&function),
        };
        let tags = lower::lower(&function, inputs, &mut context.func)?;
        let clif = options.listing.then(|| context.func.display().to_string());
        drop(lowering);
        let emitting = Stage::begin("cranelift");
        let code = backend::emit(context)?;
        drop(emitting);
        let _linking = Stage::begin("linking");
        let (frame, mut item_counters) = (code.frame, code.item_counters.clone());
        let mut placed = narrow::narrow(&code, &tags, &context.func, *target)?;
        let (offsets, data) = function.data_image();
        let (_, private) = function.private_layout();
        slots::without_idle_accesses(&mut placed, private, &mut item_counters);
        let slots = spills::interleave(&mut placed, private, link::room_for_slots(frame));
        let needs = link::Needs {
            args_size,
            generation,
            has_header: bare.is_none(),
            frame,
            slots,
            largest: link::LargestArray::of(&function),
            dump_counters: options.dump_counters,
            has_data: !data.is_empty(),
        };
        let link::Linked { code, start_length } = link::link(placed, &needs, &mut function.facts)?;
        let code_target = Target {
            generation,
            ..*target
        };
        verify::verify(&code, start_length, private, code_target)?;
        let listing = clif.map(|clif| Listing {
            staged: staged.map(Function::to_string).unwrap_or_default(),
            optimised: function.to_string(),
            clif_places: explain::places(&clif, &tags, &function.locs),
            clif,
            disassembly: listing::disassembly(&code, &function.locs),
        });
        counts::code(&code, private);
        let bytes = link::bytes(&code, &data, &mut function.facts);
        Ok(Image {
            tables: tables(&function, &offsets, bytes.len() - data.len()),
            bytes,
            groups,
            fault_sites,
            prints: function.facts.prints == Some(true),
            local_objects,
            messages: std::mem::take(&mut function.messages),
            lines: listing::lines(&code, &function.locs),
            block_items: listing::block_items(&code, &function),
            updates: listing::updates(&code),
            own,
            item_counters: item_counters
                .into_iter()
                .map(|(range, register)| ItemCounterEntry {
                    offset: (start_length + range.start) as u32 * 4,
                    end: (start_length + range.end) as u32 * 4,
                    register,
                })
                .chain(listing::counted(&code))
                .collect(),
            launch_conditions: function.launch_conditions.take().unwrap_or_default(),
            globals: std::mem::take(&mut function.globals),
            facts: std::mem::take(&mut function.facts),
            callees: std::mem::take(&mut function.callees),
            locals: options.debug.then(|| locals(&mut function)),
            listing,
        })
    })
}

/// In debug builds, refuses structured IR that is not: a bug of ours, reported instead of compiled.
fn verify_ours(function: &Function) -> Result<(), ir::VerifyError> {
    match cfg!(debug_assertions) {
        true => ir::verify(function, Form::Structured),
        false => Ok(()),
    }
}

/// Refuses what the target has no instructions for, and writes down what of that there is.
fn check_extensions(function: &mut Function, target: Target) -> Result<(), CompileError> {
    let mut first = None;
    function.body.visit(&mut |inst| {
        if matches!(inst.op, Op::Atomic { .. }) {
            first.get_or_insert(inst.loc);
        }
    });
    function.facts.uses_atomics = Some(first.is_some());
    match first {
        Some(loc) if !target.atomics => Err(CompileError::NoAtomics {
            at: source(&function.locs, loc).cloned(),
        }),
        _ => Ok(()),
    }
}

/// Offset of a launch header field from the launch block's start.
const fn header_offset(args_size: u32, field: u32) -> u32 {
    args_size + field
}

fn source(locs: &PrimaryMap<Loc, SourceLoc>, loc: Loc) -> Option<&SourceLoc> {
    (loc != Loc::NONE).then(|| &locs[loc])
}

/// Constant data that lies `after` this many bytes of code.
fn tables(function: &Function, offsets: &PrimaryMap<DataId, u32>, after: usize) -> Vec<Table> {
    let names = function.data_names.iter().map(String::as_str);
    let objects = function.data.values().zip(offsets.values());
    let named = objects.zip(names.chain(std::iter::repeat("")));
    let table = |((object, offset), name): ((&DataObject, &u32), &str)| Table {
        name: name.to_owned(),
        // Images are far smaller than 4 GiB.
        offset: after as u32 + offset,
        size: object.bytes.len() as u32,
    };
    named.map(table).collect()
}

/// Where locals are in a frame, which begins with the objects in private memory.
fn locals(function: &mut Function) -> Vec<ImageLocal> {
    let (offsets, _) = function.private_layout();
    let place = |local: &NamedLocal| {
        Some(match local.place? {
            LocalPlace::Private(id, within) => ImagePlace::Frame(offsets.get(id)? + within),
            LocalPlace::Argument(offset) => ImagePlace::LaunchBlock(offset),
        })
    };
    let locals = std::mem::take(&mut function.names).into_iter();
    let locals = locals.map(|local| ImageLocal {
        place: place(&local),
        local,
    });
    locals.collect()
}
