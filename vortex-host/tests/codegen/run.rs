//! Running a kernel on the device and on the interpreter.

use crate::generate::{INPUT_WORDS, SLOTS};
use crate::together::COUNTERS;
use vortex_host::sim::{Access, Config, Machine};
use vortex_kernel::abi::{
    FAULT_AREA_HEADER, FaultRecord, GroupHeader, LaunchHeader, fault_area_size,
};
use vortex_kernel::codegen::{GroupUse, Options, Target, compile};
use vortex_kernel::ir::Function;
use vortex_kernel::ir::interp::{DEFAULT_BUDGET, Grid, Memory, run_grid};
use vortex_kernel::opt::Level;

const CODE: u32 = 0x8000_0000;
const INPUT: u32 = 0x0010_0000;
const OUTPUT: u32 = 0x0020_0000;
const BLOCK: u32 = 0x0030_0000;
const FAULTS: u32 = 0x0040_0000;

/// Cores, warps per core, lanes per warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    cores: u32,
    warps: u32,
    lanes: u32,
}

impl Shape {
    /// Items that a group can have.
    pub(crate) const fn largest_group(self) -> u32 {
        self.warps * self.lanes
    }

    pub(crate) const fn new(cores: u32, warps: u32, lanes: u32) -> Self {
        Self {
            cores,
            warps,
            lanes,
        }
    }
}

/// What a run leaves behind.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) memory: Vec<u32>,
    /// Whether any item failed.
    pub(crate) faulted: bool,
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
    [INPUT, OUTPUT, 7, 2.5f32.to_bits()]
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words.map(bytemuck::pod_read_unaligned).collect()
}

fn count(size: [u32; 3]) -> u32 {
    size.iter().product()
}

/// The words of the items, and the counters behind them.
fn output(size: [u32; 3]) -> Vec<u8> {
    let words = vec![0; (count(size) * SLOTS) as usize];
    let counters = COUNTERS.iter().map(|(_, start)| *start);
    let words = words.into_iter().chain(counters);
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

    fn size(&self) -> [u32; 3] {
        std::array::from_fn(|d| self.groups[d] * self.block[d])
    }
}

/// The kernel as staged, in warps of the shape's lanes.
pub(crate) fn on_interpreter(kernel: &Function, launch: Launch, shape: Shape) -> Outcome {
    let mut memory = Memory::default();
    memory.map(INPUT, input());
    memory.map(OUTPUT, output(launch.size()));
    let grid = Grid {
        groups: launch.groups,
        block: launch.block,
        lanes: shape.lanes,
    };
    let faults = run_grid(kernel, &arguments(), grid, &mut memory, DEFAULT_BUDGET);
    let faults = faults.unwrap_or_else(|e| panic!("{e}\n{kernel}"));
    Outcome {
        memory: words(memory.region(OUTPUT).unwrap()),
        faulted: !faults.is_empty(),
    }
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
    let stride = shape.cores * shape.warps * shape.lanes;
    let mut header = LaunchHeader {
        total: count(size),
        size,
        stride,
        step: steps(stride, size),
        warps: shape.warps,
        faults: FAULTS,
        prints: 0,
        print_records: 0,
        print_room: 0,
        group: GroupHeader::default(),
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

/// A device with or without Zicond, with or without votes and shuffles.
pub(crate) fn target(zicond: bool, warp_ops: bool) -> Target {
    Target {
        zicond,
        atomics: true,
        warp_ops,
    }
}

/// How a kernel is compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) target: Target,
    pub(crate) level: Level,
}

/// The kernel compiled, on a device of this shape.
pub(crate) fn on_device(
    kernel: &Function,
    launch: Launch,
    shape: Shape,
    Way { target, level }: Way,
) -> Result<Outcome, String> {
    let options = Options {
        level,
        ..Options::default()
    };
    let image = compile(kernel, &target, &options).map_err(|e| e.to_string())?;
    let mut machine = Machine::new(Config {
        zicond: target.zicond,
        atomics: target.atomics,
        warp_ops: target.warp_ops,
        instruction_budget: Some(20_000_000),
        ..Config::with_shape(shape.cores, shape.warps, shape.lanes)
    })
    .unwrap();
    let header = header(launch, shape, image.groups);
    let block = [&arguments()[..], bytemuck::bytes_of(&header)].concat();
    let mut output = output(launch.size());
    let harts = shape.cores * shape.warps * shape.lanes;
    let mut faults = vec![0; fault_area_size(harts) as usize];
    let mut put = |address, access, bytes: &[u8]| {
        let size = bytes.len() as u64;
        machine.reserve(address, size, access).unwrap();
        machine.write(address, bytes).unwrap();
    };
    put(CODE, Access::Read, &image.bytes);
    put(INPUT, Access::Read, &input());
    put(OUTPUT, Access::ReadWrite, &output);
    put(BLOCK, Access::Read, &block);
    put(FAULTS, Access::ReadWrite, &faults);
    machine.run(CODE, BLOCK).map_err(|e| e.to_string())?;
    machine.read(OUTPUT, &mut output).unwrap();
    machine.read(FAULTS, &mut faults).unwrap();
    let (flag, records) = faults.split_at(FAULT_AREA_HEADER as usize);
    let records = records
        .chunks_exact(size_of::<FaultRecord>())
        .take(harts as usize);
    let records: Vec<FaultRecord> = records.map(bytemuck::pod_read_unaligned).collect();
    let faulted = records.iter().any(|record| record.site != 0);
    assert_eq!(flag[..4] != [0; 4], faulted);
    for record in records {
        assert!(record.site as usize <= image.fault_sites.len());
        assert!(record.item < count(launch.size()));
    }
    Ok(Outcome {
        memory: words(&output),
        faulted,
    })
}
