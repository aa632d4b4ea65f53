//! Running a kernel on the device.

use super::run::{
    FAULTS, Launch, Outcome, PRINT_ROOM, PRINTS, Region, Shape, block, regions, row, written,
};
use super::told::Told;
use std::cell::RefCell;
use vortex_host::sim::debug::Terms;
use vortex_host::sim::{Access, Checks, Config, Grid, Machine, VxBin};
use vortex_kernel::abi::{PrintHeader, fault_area_size};
use vortex_kernel::codegen::{Image, LaunchTests, Options, Specialization, Target, compile};
use vortex_kernel::ir::Function;
use vortex_kernel::isa::Generation;
use vortex_kernel::opt::{Level, Tuning};

const CODE: u32 = 0x8000_0000;
const BLOCK: u32 = 0x0030_0000;

/// A device with or without Zicond, with or without votes and shuffles.
pub(crate) fn target(zicond: bool, warp_ops: bool) -> Target {
    Target {
        generation: Generation::V2,
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
    pub(crate) known: Specialization,
    /// Items in x, y and z that a lane does at once.
    pub(crate) at_once: [u32; 3],
}

thread_local! {
    /// Devices that have come to the end of all they have run. To make one takes longer than to run a kernel.
    static DEVICES: RefCell<Vec<(Shape, Target, Machine)>> = const { RefCell::new(Vec::new()) };
}

/// A device on which nothing is allocated.
fn device(shape: Shape, target: Target) -> Machine {
    let known = DEVICES.with_borrow_mut(|devices| {
        let is = |(s, t, _): &(Shape, Target, Machine)| (*s, *t) == (shape, target);
        let at = devices.iter().position(is)?;
        Some(devices.swap_remove(at).2)
    });
    known.unwrap_or_else(|| {
        Machine::new(Config {
            generation: target.generation,
            zicond: target.zicond,
            atomics: target.atomics,
            warp_ops: target.warp_ops,
            instruction_budget: Some(20_000_000),
            // Items that fail more than once all store to the header of the fault area.
            checks: Checks {
                races: false,
                ..Checks::default()
            },
            ..Config::with_shape(shape.cores, shape.warps, shape.lanes)
        })
        .unwrap()
    })
}

/// The kernel compiled, on a device of this shape.
pub(crate) fn on_device(
    kernel: &Function,
    launch: Launch,
    shape: Shape,
    Way {
        target,
        level,
        known,
        at_once: [columns, rows, _],
    }: Way,
) -> Result<Outcome, String> {
    let mut tuning = Tuning::of(target.generation);
    tuning.split_barriers = true;
    (tuning.columns, tuning.rows, tuning.coarse_gain) = (columns, rows, 0);
    tuning.groups = [columns, rows];
    let made = |launch_tests| -> Result<_, String> {
        let options = Options {
            level,
            known,
            tuning: Some(tuning),
            launch_tests,
            ..Options::default()
        };
        let image = compile(kernel, &target, &options).map_err(|e| e.to_string())?;
        let block = block(kernel, launch, shape, &image);
        Ok((image, block))
    };
    // With one core, as the host does it; with more, the image whose conditions the host answers.
    let usual = match shape.cores {
        1 => made(LaunchTests::Assumed)?,
        _ => made(LaunchTests::ByHost)?,
    };
    let (image, block) = match usual.0.launch_conditions.hold(&usual.1) {
        true => usual,
        false => made(LaunchTests::ByHost)?,
    };
    let mut machine = device(shape, target);
    let regions = regions(kernel, launch);
    // On Vortex 3 as one of two kernels of a file, which is found by its name.
    let (code, row) = match image.generation() {
        Generation::V2 => (image.bytes.clone(), None),
        Generation::V3 => {
            let kernels = [("other", &image), (kernel.name.as_str(), &image)];
            let file = Image::vxbin_of_many(CODE, &kernels).unwrap();
            let file = VxBin::parse(&file).map_err(|e| e.to_string())?;
            let mut found = file.kernels().filter(|(name, _)| *name == kernel.name);
            let (_, entry) = found.next().ok_or("the kernel has lost its name")?;
            let row = row(kernel, launch, shape, &image, entry);
            (file.bytes().to_vec(), Some(row))
        }
    };
    let outcome = run(&mut machine, &image, &code, &block, row, &regions, shape)?;
    DEVICES.with_borrow_mut(|devices| devices.push((shape, target, machine)));
    Ok(outcome)
}

fn run(
    machine: &mut Machine,
    image: &Image,
    code: &[u8],
    block: &[u8],
    row: Option<Grid>,
    regions: &[Region],
    shape: Shape,
) -> Result<Outcome, String> {
    let faults = vec![0; fault_area_size(shape.harts()) as usize];
    let of_hart = size_of::<PrintHeader>() + PRINT_ROOM as usize;
    let prints = vec![0; shape.harts() as usize * of_hart];
    let mut put = |address, access, bytes: &[u8]| {
        let size = bytes.len() as u64;
        machine.reserve(address, size, access).unwrap();
        machine.write(address, bytes).unwrap();
    };
    put(CODE, Access::Read, code);
    put(BLOCK, Access::Read, block);
    put(FAULTS, Access::ReadWrite, &faults);
    if image.prints {
        put(PRINTS, Access::ReadWrite, &prints);
    }
    for region in regions {
        put(region.address, region.access, &region.bytes);
    }
    match row {
        None => drop(machine.run(CODE, BLOCK).map_err(|e| e.to_string())?),
        Some(row) => {
            let mut lent = std::iter::empty();
            let terms = Terms::of(&mut lent, &|_| {});
            let launched = machine.launch(CODE, BLOCK, &row, terms);
            launched.map_err(|e| e.to_string())?;
        }
    }
    let read = |address, size: usize| {
        let mut bytes = vec![0; size];
        machine.read(address, &mut bytes).unwrap();
        bytes
    };
    let prints = match image.prints {
        true => read(PRINTS, prints.len()),
        false => Vec::new(),
    };
    let outcome = Outcome {
        memory: written(regions, |region| read(region.address, region.bytes.len())),
        told: Told::found(image, &read(FAULTS, faults.len()), &prints, shape),
    };
    let own = [CODE, BLOCK, FAULTS].into_iter();
    let own = own.chain(image.prints.then_some(PRINTS));
    for address in own.chain(regions.iter().map(|region| region.address)) {
        machine.free(address).unwrap();
    }
    Ok(outcome)
}
