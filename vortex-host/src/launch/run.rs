//! The steps of a launch: image, launch block, run, faults.

use std::time::{Duration, Instant};

use smallvec::SmallVec;
use vortex_kernel::abi::{FAULT_AREA_HEADER, FaultRecord, LaunchHeader, fault_area_size};

use super::call::Call;
use super::debug::{self, Work};
use super::own::Own;
use super::shape::{self, Coarse, Extent};
use super::variant::Chosen;
use super::whereabouts::Whereabouts;
use super::{bare, slow};
use crate::device::{Device, PrintArea, State};
use crate::driver::{Access, DriverError, Stats};
use crate::dump::Dump;
use crate::error::{DeviceError, Error, LaunchError, Result};
use crate::fault::{Explained as _, Fault, Involved, TrapReport};
use crate::image::Loaded;
use crate::image::sidecar::{of_launch, sidecar};
use crate::name::Name;
use crate::printed::Printed;
use crate::profile::{self, Launched, Profile};
use crate::report::{Report, Steps};
use crate::trace::{self, Trace, TraceLimits};
use vortex_kernel::isa::Generation;
use vortex_sim::debug::{Running, Terms};

impl Call {
    /// Waits for pending operations that it conflicts with, and runs the kernel to its end.
    pub(crate) fn run_in_order(self, device: &Device) -> Result<Report> {
        device.hazards().wait_for(self.accesses());
        self.run(device)
    }

    /// As [`Call::run_in_order`], and notes where the time goes.
    pub(crate) fn profiled(mut self, device: &Device) -> Result<Profile> {
        self.watch.profile = true;
        let kernel = self.kernel.clone();
        let profile = self.run_in_order(device)?.into_profile();
        profile
            .map(|profile| *profile)
            .ok_or_else(|| nothing(kernel))
    }

    /// As [`Call::run_in_order`], and notes what becomes of its instructions.
    pub(crate) fn traced(mut self, device: &Device, limits: TraceLimits) -> Result<Trace> {
        self.watch.trace = Some(limits);
        let kernel = self.kernel.clone();
        let trace = self.run_in_order(device)?.into_trace();
        trace.map(|trace| *trace).ok_or_else(|| nothing(kernel))
    }

    /// The items of each of its groups, if it has any.
    pub(super) fn groups(&self, device: &Device) -> Result<Option<[u32; 3]>> {
        let extent = self
            .shape
            .resolve(&self.kernel, &self.attributes, device.caps())?;
        Ok(extent.groups.map(|groups| groups.block))
    }

    /// Runs the kernel to its end.
    pub(crate) fn run(self, device: &Device) -> Result<Report> {
        run(&self, device)
    }
}

/// There is nothing to note of a launch of no work items.
fn nothing(kernel: Name) -> Error {
    let cause = LaunchError::NothingToRecord;
    Error::Refused { kernel, cause }
}

fn run(call: &Call, device: &Device) -> Result<Report> {
    let began = Instant::now();
    let kernel = &call.kernel;
    let extent = call
        .shape
        .resolve(kernel, &call.attributes, device.caps())?;
    let groups = extent.groups.map(|groups| groups.count());
    call.binder.check_groups(kernel, groups)?;
    let items = extent.total;
    let _span = tracing::info_span!("launch", kernel = &**kernel, items).entered();
    if extent.total == 0 {
        let report = Report::new(kernel.clone(), 0, Stats::of_nothing(), Default::default());
        return Ok(report.with_choice(call.choice.clone()));
    }
    let mut recording = call.watch.recording(device);
    let groups = extent.groups.map(|groups| groups.block);
    let (mut state, mut chosen) = Chosen::of(call, groups, true, device)?;
    let mut prepared = Prepared::of(call, &extent, &mut state, &chosen.loaded, device)?;
    if !chosen.is_for(&prepared.bytes) {
        drop(state);
        (state, chosen) = Chosen::of(call, groups, false, device)?;
        prepared = Prepared::of(call, &extent, &mut state, &chosen.loaded, device)?;
    }
    chosen.note_launch();
    let Prepared {
        faults,
        prints,
        coarse,
        header,
        packed,
        block,
        bytes,
    } = prepared;
    let loaded = chosen.loaded;
    let caps = device.caps();
    let own = Own::of(call, &loaded.image, &extent);
    if recording.is_some() && !state.driver.records() {
        return Err(Error::Refused {
            kernel: kernel.clone(),
            cause: LaunchError::NotRecorded,
        });
    }
    state.write(block, &bytes)?;
    if let Some(dir) = device.dump() {
        let info = of_launch(call.info()?, &loaded.image, device.target(), device.caps());
        let sidecar = sidecar(&info, chosen.block, &loaded.image);
        let mut dump = Dump::new(dir, kernel)?;
        dump.write(&loaded.image, &sidecar, &bytes)?;
    }
    let mut lent = call.binder.lent();
    let mut elements = own.elements();
    let start = Instant::now();
    let tell = |running: &Running| slow::say(kernel, Some(&loaded), running);
    let terms = Terms::of(&mut lent, &tell).with_own(&mut elements, own.is_all());
    let terms = match call.watch.most_cycles {
        Some(cycles) => terms.within(cycles),
        None => terms,
    };
    let on_device = &mut *state;
    let work = on_device.debugger.is_some().then(|| Work {
        kernel,
        extent: &extent,
        header: &header,
        caps,
        loaded: &loaded,
        whereabouts: Whereabouts::of(&loaded),
    });
    let mut session = match (&mut on_device.debugger, &work) {
        (Some(debugger), Some(work)) => {
            let program = debug::program(&call.info()?, kernel, &loaded)?;
            Some(debugger.session(program, work))
        }
        _ => None,
    };
    let mut terms = match &mut session {
        Some(session) => terms.driven(session),
        None => terms,
    };
    if let Some(recording) = &mut recording {
        terms = terms.recorded(recording);
    }
    let outcome = match loaded.image.generation() {
        Generation::V2 => on_device.driver.run_on(loaded.addr, block, terms),
        Generation::V3 => {
            let grid = shape::grid(&header, caps, loaded.image.groups, loaded.addr);
            on_device.driver.launch(loaded.addr, block, &grid, terms)
        }
    };
    drop(session);
    let wall = start.elapsed();
    if let Err(DriverError::TimedOut { waited }) = outcome {
        let kernel = kernel.clone();
        return Err(Error::Refused {
            kernel,
            cause: LaunchError::TimedOut { waited },
        });
    }
    let records = prints.map(|area| area.take(&mut state)).transpose();
    // As with the faults below: what could not be read is not used again.
    if records.is_err()
        && let Some(area) = state.prints.take()
    {
        state.driver.free(area.headers);
    }
    let fault = take_fault(&mut state, faults, &extent, &loaded, device);
    let stopped = match &outcome {
        Err(DriverError::Trap(trap)) => Whereabouts::of(&loaded).involved(&*state, trap),
        _ => Involved::default(),
    };
    // Items that were stopped may have held locks. An area that cannot be read or cleared is not used again.
    let cleared = match (&outcome, &fault) {
        (_, Err(_)) => false,
        (Err(_), _) => clear_faults(&mut state, faults, device).is_ok(),
        _ => true,
    };
    if !cleared && let Some(faults) = state.faults.take() {
        state.driver.free(faults);
    }
    // What follows calls the user's code, which may panic and may use the device: the device is as it was before the
    // launch, and free.
    drop(state);
    let number = |number| item_number(&extent, &loaded, number);
    let printed = records.map(|records| match records {
        Some(records) => records.text(&loaded.image, number),
        None => Printed::default(),
    });
    let started = outcome
        .as_ref()
        .map_or_else(|_| Duration::ZERO, |stats| stats.start);
    let steps = Steps {
        pack: packed - began,
        upload: start - packed,
        start: started,
        wait: start.elapsed().saturating_sub(started),
    };
    if let Ok(printed) = &printed
        && !call.watch.is_trial
    {
        printed.show(kernel);
    }
    let trace = recording.as_mut().and_then(|noted| noted.trace.take());
    let trace = trace.map(|traced| Trace::of(kernel, caps.threads, &loaded, traced));
    // A launch that fails says why, also where its trace cannot be written.
    let mut traced = Ok(());
    if let (Some(path), Some(trace)) = (device.trace(), &trace) {
        let failed = trace::Failed(outcome.is_err() || !matches!(fault, Ok(None)));
        traced = trace::write_launch(path, trace, failed);
    }
    let trace = trace.filter(|_| call.watch.trace.is_some());
    match outcome {
        Ok(stats) => match fault? {
            Some(failed) => Err(Error::Fault(Box::new(
                failed.explained(kernel, &extent, &loaded, device)?,
            ))),
            None => {
                traced?;
                let launched = Launched {
                    kernel,
                    extent: &extent,
                    header: &header,
                    loaded: &loaded,
                    caps,
                };
                let data = recording.as_mut().and_then(|noted| noted.profile.take());
                let profile = stats.timing.as_deref().zip(data);
                let profile = profile.map(|(timing, data)| launched.profile(timing, &data));
                if let (Some(path), Some(profile)) = (device.profile(), &profile) {
                    profile::add_to_page(path, profile)?;
                }
                Ok(Report::new(kernel.clone(), extent.total, stats, wall)
                    .with_choice(chosen.choice)
                    .with_races(own.proof())
                    .with_steps(steps)
                    .with_printed(printed?)
                    .with_profile(profile.map(Box::new))
                    .with_trace(trace.map(Box::new))
                    .with_lines(loaded.sources, |pc| loaded.source_of(pc).cloned()))
            }
        },
        Err(DriverError::Trap(trap)) => {
            let items = stopped
                .map(|at| extent.place(&header, device.caps(), loaded.image.groups, coarse, at));
            let report = TrapReport::new(kernel.clone(), *trap, &*loaded, items);
            Err(Error::Trap(Box::new(report)))
        }
        Err(other) => Err(Error::driver(other)),
    }
}

/// What an image is given for a launch.
struct Prepared {
    faults: u32,
    prints: Option<PrintArea>,
    coarse: Coarse,
    header: LaunchHeader,
    /// When the launch block was begun.
    packed: Instant,
    /// Where the launch block goes.
    block: u32,
    /// What it holds.
    bytes: BlockBytes,
}

impl Prepared {
    fn of(
        call: &Call,
        extent: &Extent,
        state: &mut State,
        loaded: &Loaded,
        device: &Device,
    ) -> Result<Self> {
        let (kernel, caps) = (&call.kernel, device.caps());
        bare::check(kernel, &loaded.image, caps, extent.size)?;
        let faults = fault_area(state, device)?;
        let prints = match loaded.image.prints {
            true => Some(PrintArea::of(state, caps)?),
            false => None,
        };
        let local = call.binder.local_bytes();
        // A lane does one item after the other where somebody asks which it does.
        let is_watched = state.debugger.is_some()
            || state.driver.watches_races() && !Own::of(call, &loaded.image, extent).is_all();
        let coarse = Coarse::of(&loaded.image, is_watched);
        let mut header = extent.header(kernel, caps, loaded.image.groups, local, faults, prints)?;
        extent.add_blocks(&mut header, caps, coarse);
        let packed = Instant::now();
        let (block, bytes) = launch_block(state, call, &header, loaded)?;
        Ok(Self {
            faults,
            prints,
            coarse,
            header,
            packed,
            block,
            bytes,
        })
    }
}

/// Where arguments begin that are passed by address, relative to the launch block.
const SLOT_ALIGN: usize = 32;

/// Address of the fault area, all zeros.
fn fault_area(state: &mut State, device: &Device) -> Result<u32> {
    if let Some(faults) = state.faults {
        return Ok(faults);
    }
    let bytes = fault_area_size(device.caps().harts());
    let faults = state.alloc_with(bytes, Access::ReadWrite, |state, faults| {
        clear_faults(state, faults, device)
    })?;
    // Whoever fails once more stores what is to be ignored there.
    state.driver.let_race(faults, FAULT_AREA_HEADER);
    state.faults = Some(faults);
    Ok(faults)
}

fn clear_faults(state: &mut State, faults: u32, device: &Device) -> Result<()> {
    let zeros = vec![0; fault_area_size(device.caps().harts()) as usize];
    state.write(faults, &zeros)
}

/// A launch block. Those of usual size need no allocation.
type BlockBytes = SmallVec<[u8; 512]>;

/// A launch block of arguments, header, addresses of variables and what is passed by address: where it goes, and its
/// bytes.
fn launch_block(
    state: &mut State,
    call: &Call,
    header: &LaunchHeader,
    loaded: &Loaded,
) -> Result<(u32, BlockBytes)> {
    let mut bytes = BlockBytes::from_slice(&call.args);
    bytes.extend_from_slice(bytemuck::bytes_of(header));
    for addr in &loaded.globals {
        bytes.extend_from_slice(&addr.to_le_bytes());
    }
    let mut slots = Vec::new();
    for spilled in call.binder.spilled() {
        bytes.resize(bytes.len().next_multiple_of(SLOT_ALIGN), 0);
        slots.push((spilled.offset, bytes.len() as u32));
        bytes.extend_from_slice(&spilled.bytes);
    }
    // An argument struct is far smaller than 4 GiB.
    let addr = match state.block {
        Some((addr, room)) if room as usize >= bytes.len() => addr,
        old => {
            const ROOM: u32 = 256;
            let room = ROOM.max(bytes.len() as u32);
            let addr = state.alloc(room, Access::Read)?;
            if let Some((old, _)) = old {
                state.driver.free(old);
            }
            state.block = Some((addr, room));
            addr
        }
    };
    for (offset, slot) in slots {
        if let Some(place) = bytes.get_mut(offset..offset + 4) {
            place.copy_from_slice(&(addr + slot).to_le_bytes());
        }
    }
    let conditions = &loaded.image.launch_conditions;
    conditions.answer(&mut bytes, call.args.len());
    Ok((addr, bytes))
}

/// The failure of one item, as it was on the device.
struct Failed {
    item: u32,
    hart: u32,
    record: FaultRecord,
}

impl Failed {
    /// Puts it into words, which calls the user's code: not while the device is locked.
    fn explained(
        &self,
        kernel: &Name,
        extent: &Extent,
        loaded: &Loaded,
        device: &Device,
    ) -> Result<Fault> {
        let site = loaded
            .image
            .fault_sites
            .get((self.record.site as usize).wrapping_sub(1))
            .ok_or_else(no_valid_record)?;
        Ok(Fault::new(
            kernel.clone(),
            &self.record,
            extent.item(self.item),
            device.caps().place(self.hart),
            loaded,
            site,
        ))
    }
}

fn no_valid_record() -> Error {
    Error::Device(DeviceError::Driver {
        message: "the fault area holds no valid record".to_owned(),
    })
}

/// The failure of the item with the lowest number, if any failed. Leaves the fault area clear.
fn take_fault(
    state: &mut State,
    faults: u32,
    extent: &Extent,
    loaded: &Loaded,
    device: &Device,
) -> Result<Option<Failed>> {
    let mut flag = [0u32];
    state.read(faults, bytemuck::cast_slice_mut(&mut flag))?;
    if flag == [0] {
        return Ok(None);
    }
    let mut records = vec![FaultRecord::default(); device.caps().harts() as usize];
    state.read(
        faults + FAULT_AREA_HEADER,
        bytemuck::cast_slice_mut(&mut records),
    )?;
    clear_faults(state, faults, device)?;
    let failed = records.into_iter().zip(0..);
    let failed = failed.filter(|(record, _)| record.site != 0);
    let failed = failed.map(|(record, hart)| Failed {
        item: item_number(extent, loaded, record.item),
        hart,
        record,
    });
    let first = failed.min_by_key(|failed| failed.item);
    first.map(Some).ok_or_else(no_valid_record)
}

/// The item's number in the launch, from the one in its records.
fn item_number(extent: &Extent, loaded: &Loaded, number: u32) -> u32 {
    match (loaded.image.groups, extent.groups) {
        (Some(_), Some(groups)) => groups.item(number),
        _ => number,
    }
}
