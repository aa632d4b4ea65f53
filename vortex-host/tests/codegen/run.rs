//! What a kernel is run over; running it on the interpreter.

use super::generate::{INPUT_WORDS, SLOTS};
use super::together::{COUNTERS, SIZED};
use super::told::{Blocks, Told};
use vortex_host::sim::{self, Access};
use vortex_kernel::abi::{CoarseHeader, GroupHeader, LaunchHeader, PrintHeader};
use vortex_kernel::codegen::{CoreSize, GroupUse, Image};
use vortex_kernel::ir::Function;
use vortex_kernel::ir::interp::{DEFAULT_BUDGET, Events, Grid, Memory, run_grid};

const INPUT: u32 = 0x0010_0000;
const OUTPUT: u32 = 0x0020_0000;
pub(crate) const FAULTS: u32 = 0x0040_0000;
pub(crate) const PRINTS: u32 = 0x0050_0000;
const VARIABLES: u32 = 0x0060_0000;
const VARIABLE_ROOM: u32 = 0x1_0000;
/// Bytes of what a hart prints that are kept; little, so that some is lost.
pub(crate) const PRINT_ROOM: u32 = 128;

/// Bytes of each core's local memory.
const LOCAL_MEMORY: u32 = 1 << 14;

/// Cores, warps per core, lanes per warp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) cores: u32,
    pub(crate) warps: u32,
    pub(crate) lanes: u32,
}

impl Shape {
    /// Items that a group can have.
    pub(crate) const fn largest_group(self) -> u32 {
        self.warps * self.lanes
    }

    /// What code may know of a core; its local memory is what the device has that runs it.
    pub(crate) const fn core(self) -> CoreSize {
        CoreSize {
            warps: self.warps,
            local_memory: LOCAL_MEMORY,
        }
    }

    pub(crate) const fn new(cores: u32, warps: u32, lanes: u32) -> Self {
        Self {
            cores,
            warps,
            lanes,
        }
    }

    pub(crate) const fn harts(self) -> u32 {
        self.cores * self.warps * self.lanes
    }
}

/// What a run leaves behind.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) memory: Vec<u32>,
    pub(crate) told: Told,
}

/// Memory that a kernel gets.
pub(crate) struct Region {
    pub(crate) address: u32,
    pub(crate) access: Access,
    pub(crate) bytes: Vec<u8>,
}

/// All of it, what kernels write first.
pub(crate) fn regions(kernel: &Function, launch: Launch) -> Vec<Region> {
    let variables = kernel.globals.iter().zip(variables(kernel));
    let variables = variables.map(|(variable, address)| {
        let mut bytes = variable.first.clone();
        bytes.resize(variable.size as usize, 0);
        Region {
            address,
            access: match variable.is_const {
                true => Access::Read,
                false => Access::ReadWrite,
            },
            bytes,
        }
    });
    let given = [
        Region {
            address: OUTPUT,
            access: Access::ReadWrite,
            bytes: output(launch.size()),
        },
        Region {
            address: INPUT,
            access: Access::Read,
            bytes: input(),
        },
    ];
    given.into_iter().chain(variables).collect()
}

/// Addresses of the program's variables.
fn variables(kernel: &Function) -> impl Iterator<Item = u32> {
    (0..kernel.globals.len() as u32).map(|n| VARIABLES + n * VARIABLE_ROOM)
}

/// The words of what kernels write.
pub(crate) fn written(regions: &[Region], read: impl Fn(&Region) -> Vec<u8>) -> Vec<u32> {
    let written = regions
        .iter()
        .filter(|region| region.access == Access::ReadWrite);
    let bytes: Vec<u8> = written.flat_map(read).collect();
    let words = bytes.chunks_exact(4);
    words.map(bytemuck::pod_read_unaligned).collect()
}

/// Small and large integers, and what else can be a float: infinities, NaNs, subnormals, zeros.
fn input() -> Vec<u8> {
    let special = [
        0,
        1,
        0x8000_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        1 << 22,
        0x3f80_0000,
        0xffff_ffff,
        0x7fff_ffff,
    ];
    let mut state = 0x1234_5678_u32;
    let words = (0..INPUT_WORDS).map(|n| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        match n % 4 {
            0 => state % 16,
            1 => (f32::from(state as i16) / 64.0).to_bits(),
            2 => special[state as usize % special.len()],
            _ => state,
        }
    });
    words.flat_map(u32::to_le_bytes).collect()
}

fn arguments() -> Vec<u8> {
    [INPUT, OUTPUT, 7, 2.5f32.to_bits(), SIZED]
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect()
}

pub(crate) fn count(size: [u32; 3]) -> u32 {
    size.iter().product()
}

/// The words of the items, the counters after them, and then an address.
fn output(size: [u32; 3]) -> Vec<u8> {
    let words = vec![0; (count(size) * SLOTS) as usize];
    let counters = COUNTERS.iter().map(|(_, start)| *start);
    let words = words.into_iter().chain(counters).chain([INPUT]);
    words.flat_map(u32::to_le_bytes).collect()
}

/// Which items run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) groups: [u32; 3],
    pub(crate) block: [u32; 3],
}

impl Launch {
    /// Items in no groups.
    pub(crate) const fn over(items: [u32; 3]) -> Self {
        Self {
            groups: [1; 3],
            block: items,
        }
    }

    pub(crate) fn size(&self) -> [u32; 3] {
        std::array::from_fn(|d| self.groups[d] * self.block[d])
    }
}

/// What a run on the device has to leave behind.
pub(crate) struct Wanted {
    pub(crate) memory: Vec<u32>,
    /// One of these: if each lane does one item after the other, and if it does blocks of them.
    pub(crate) told: [Told; 2],
}

/// Runs the kernel as staged, in warps of the shape's lanes.
pub(crate) fn interpreted(kernel: &Function, launch: Launch, shape: Shape) -> (Vec<u32>, Events) {
    let mut memory = Memory::default();
    let regions = regions(kernel, launch);
    for region in &regions {
        memory.map(region.address, region.bytes.clone());
    }
    let grid = Grid {
        groups: launch.groups,
        block: launch.block,
        lanes: shape.lanes,
    };
    let block = block_of(kernel, header(launch, shape, None));
    let events = run_grid(kernel, &block, grid, &mut memory, DEFAULT_BUDGET);
    let events = events.unwrap_or_else(|e| panic!("{e}\n{kernel}"));
    let read = |region: &Region| memory.region(region.address).unwrap().to_vec();
    (written(&regions, read), events)
}

/// What that leaves behind; `at_once` is what lanes may do at once.
pub(crate) fn on_interpreter(
    kernel: &Function,
    launch: Launch,
    shape: Shape,
    at_once: [u32; 3],
) -> Wanted {
    let (memory, events) = interpreted(kernel, launch, shape);
    let [columns, ..] = at_once;
    // Blocks of several rows are only used where nothing fails; otherwise they have one.
    let covered = covered_items(launch.size(), shape, [columns, 1]);
    let blocks = [Blocks::default(), Blocks { columns, covered }];
    Wanted {
        memory,
        told: blocks.map(|blocks| Told::wanted(kernel, &events, launch, shape, blocks)),
    }
}

/// How many items of the first rows of blocks are in blocks, if all are that can be.
fn covered_items([x, y, z]: [u32; 3], shape: Shape, [columns, rows]: [u32; 2]) -> u32 {
    let width = columns * shape.lanes;
    if y * z > 1 && !x.is_multiple_of(width) || z > 1 && !y.is_multiple_of(rows) {
        return 0;
    }
    count([x, y / rows, z]) / width * width
}

fn steps(stride: u32, size: [u32; 3]) -> [u32; 3] {
    [
        stride % size[0],
        stride / size[0] % size[1],
        stride / size[0] / size[1],
    ]
}

fn header(launch: Launch, shape: Shape, groups: Option<GroupUse>) -> LaunchHeader {
    let size = launch.size();
    let stride = shape.harts();
    let mut header = LaunchHeader {
        total: count(size),
        size,
        stride,
        step: steps(stride, size),
        warps: shape.warps,
        faults: FAULTS,
        prints: PRINTS,
        print_records: PRINTS + shape.harts() * size_of::<PrintHeader>() as u32,
        print_room: PRINT_ROOM,
        coarse: CoarseHeader::default(),
        group: GroupHeader::default(),
        answers: 0,
    };
    if let Some(groups) = groups {
        let items = count(launch.block);
        let warps = items.div_ceil(shape.lanes);
        let slots = shape.warps / warps;
        let stride = slots * shape.cores;
        header.warps = slots * warps;
        header.group = GroupHeader {
            items,
            size: launch.block,
            count: count(launch.groups),
            groups: launch.groups,
            stride,
            step: steps(stride, launch.groups),
            warps,
            local_bytes: groups.local_bytes,
        };
    }
    header
}

/// What the hardware of Vortex 3 is to hand out.
pub(crate) fn row(
    kernel: &Function,
    launch: Launch,
    shape: Shape,
    image: &Image,
    entry: u32,
) -> sim::Grid {
    let header = header_for(kernel, launch, shape, image);
    let (groups, warps, local_bytes) = match image.groups {
        None => (shape.cores * shape.warps, 1, 0),
        Some(_) => (
            header.group.stride,
            header.group.warps,
            header.group.local_bytes,
        ),
    };
    sim::Grid {
        groups: [groups, 1, 1],
        items: [warps * shape.lanes, 1, 1],
        local_bytes,
        entry,
    }
}

/// Objects that have no size of their own have as many elements as the argument says.
fn sized(kernel: &Function) -> GroupUse {
    let (_, local_bytes) = kernel.local_layout(|_| SIZED);
    GroupUse { local_bytes }
}

/// The launch block.
pub(crate) fn block(kernel: &Function, launch: Launch, shape: Shape, image: &Image) -> Vec<u8> {
    let mut block = block_of(kernel, header_for(kernel, launch, shape, image));
    let asked = &image.launch_conditions;
    asked.answer(&mut block, arguments().len());
    block
}

/// What an image is told of a launch.
fn header_for(kernel: &Function, launch: Launch, shape: Shape, image: &Image) -> LaunchHeader {
    let mut header = header(launch, shape, image.groups.map(|_| sized(kernel)));
    match (image.groups, image.facts.coarsening) {
        (Some(_), Some([columns, rows, _])) => blocks_of_groups(&mut header, [columns, rows]),
        _ => header.coarse = coarse(launch.size(), shape, image),
    }
    header
}

/// Has all groups done by blocks, if that can be.
fn blocks_of_groups(header: &mut LaunchHeader, [columns, rows]: [u32; 2]) {
    let group = &mut header.group;
    let [x, y, z] = group.groups;
    let local_bytes = columns * rows * group.local_bytes;
    let slots = header.warps / group.warps;
    if y * z > 1 && !x.is_multiple_of(columns)
        || !y.is_multiple_of(rows)
        || slots * sim::Grid::local_stride(local_bytes) > LOCAL_MEMORY
    {
        return;
    }
    let blocks = [x / columns, y / rows, z];
    if count(blocks) > 0 {
        group.local_bytes = local_bytes;
        header.coarse = CoarseHeader {
            covered: count(blocks),
            stride: group.stride,
            step: steps(group.stride, blocks),
        };
    }
}

/// What is done by blocks: as much as can be.
fn coarse(size: [u32; 3], shape: Shape, image: &Image) -> CoarseHeader {
    let Some([columns, rows, _]) = image.facts.coarsening else {
        return CoarseHeader::default();
    };
    let [x, y, z] = size;
    let covered = covered_items(size, shape, [columns, rows]);
    if covered == 0 {
        return CoarseHeader::default();
    }
    // What a kernel does not ask for, blocks do not count.
    if matches!(image.facts.coordinates, Some(1)) && y * z > 1
        || matches!(image.facts.coordinates, Some(2)) && z > 1
    {
        return CoarseHeader::default();
    }
    let of_first_rows = [x, y / rows, z];
    let stride = columns * shape.harts();
    CoarseHeader {
        covered,
        stride,
        step: steps(stride, of_first_rows),
    }
}

fn block_of(kernel: &Function, header: LaunchHeader) -> Vec<u8> {
    let variables = variables(kernel).flat_map(u32::to_le_bytes);
    let mut block = [&arguments()[..], bytemuck::bytes_of(&header)].concat();
    block.extend(variables);
    block
}
