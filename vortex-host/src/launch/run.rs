//! The steps of a launch: image, launch block, run, faults.

use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use smallvec::SmallVec;
use vortex_kernel::abi::{FAULT_AREA_HEADER, FaultRecord, LaunchHeader, fault_area_size};

use super::bare;
use super::call::Call;
use super::debug::{self, Work};
use super::elements::Elements;
use super::own::Own;
use super::prints::Records;
use super::shape::{self, Coarse, Extent, Stopped};
use super::slow::{self, Known};
use super::variant::Chosen;
use super::whereabouts::Whereabouts;
use crate::device::{Device, PrintArea, State};
use crate::driver::{Access, DriverError, Stats};
use crate::dump::Dump;
use crate::error::{DeviceError, Error, LaunchError, Result};
use crate::fault::{Explained as _, Fault, Involved, TrapReport};
use crate::image::Loaded;
use crate::image::sidecar::{of_launch, sidecar};
use crate::name::Name;
use crate::printed::Printed;
use crate::profile::{self, Items, Launched, Profile};
use crate::report::{Report, Steps};
use crate::resident::Launches;
use crate::trace::{self, Trace, TraceLimits};
use vortex_kernel::isa::Generation;
use vortex_sim::Trap;
use vortex_sim::debug::{Running, Terms};
use vortex_sim::timing::Recording;

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

    /// The usual launches that are like it.
    pub(super) fn like(&self, device: &Device) -> Result<Launches> {
        let extent = self
            .shape
            .resolve(&self.kernel, &self.attributes, device.caps())?;
        Ok(extent.usual(device))
    }

    /// Runs the kernel to its end.
    pub(crate) fn run(self, device: &Device) -> Result<Report> {
        run(&self, device)
    }
}

/// There is nothing to note of a launch of no work items.
fn nothing(kernel: Name) -> Error {
    let cause = LaunchError::NothingToRecord;
    Error::refused(kernel, cause)
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
    let (mut state, chosen, prepared) = prepare(call, &extent, device)?;
    if recording.is_some() && !state.driver.records() {
        return Err(Error::refused(kernel, LaunchError::NotRecorded));
    }
    state.write(prepared.block, &prepared.bytes)?;
    dump(call, &chosen, &prepared.bytes, device)?;
    let ready = Ready {
        call,
        device,
        extent: &extent,
        loaded: &chosen.loaded,
        prepared: &prepared,
        own: Own::of(call, &chosen.loaded.image, &extent),
    };
    let ran = ready.execute(&mut state, recording.as_mut())?;
    let left = ready.collect(&mut state, &ran.outcome);
    // What follows calls the user's code, which may panic and may use the device: the device is as it was before the
    // launch, and free.
    drop(state);
    let report = ready.report(began, ran, left, recording)?;
    Ok(report.with_choice(chosen.choice))
}

/// The image for a launch, and what it is given: of the usual one first, and if this launch is not as is usual, of the
/// one for others. The device is kept until the launch is over.
fn prepare<'d>(
    call: &Call,
    extent: &Extent,
    device: &'d Device,
) -> Result<(MutexGuard<'d, State>, Chosen, Prepared)> {
    let usual = extent.usual(device);
    let (mut state, mut chosen) = Chosen::of(call, usual, device)?;
    let mut prepared = Prepared::of(call, extent, &mut state, &chosen.loaded, device)?;
    if !chosen.is_for(&prepared.bytes) {
        drop(state);
        let unusual = Launches {
            are_usual: false,
            ..usual
        };
        (state, chosen) = Chosen::of(call, unusual, device)?;
        prepared = Prepared::of(call, extent, &mut state, &chosen.loaded, device)?;
    }
    chosen.note_launch();
    Ok((state, chosen, prepared))
}

/// Writes image, metadata and launch block to files, if `VORTEX_DUMP` asks for them.
fn dump(call: &Call, chosen: &Chosen, block: &[u8], device: &Device) -> Result<()> {
    let Some(dir) = device.dump() else {
        return Ok(());
    };
    let image = &chosen.loaded.image;
    let info = of_launch(call.info()?, image, device.target(), device.caps());
    let sidecar = sidecar(&info, chosen.block, image);
    let mut dump = Dump::new(dir, &call.kernel)?;
    dump.write(image, &sidecar, block)
}

/// A launch whose image and launch block are on the device.
struct Ready<'a> {
    call: &'a Call,
    device: &'a Device,
    extent: &'a Extent,
    loaded: &'a Loaded,
    prepared: &'a Prepared,
    own: Own<'a>,
}

/// A run that is over.
struct Ran {
    outcome: Result<Stats, DriverError>,
    start: Instant,
    wall: Duration,
}

/// What a run left on the device.
struct Left {
    prints: Result<Option<Records>>,
    fault: Result<Option<Failed>>,
    /// Where those were that the device stopped.
    stopped: Involved<Stopped>,
}

impl Ready<'_> {
    /// Runs the kernel to its end, however it ends.
    fn execute(&self, state: &mut State, recording: Option<&mut Recording>) -> Result<Ran> {
        let Self {
            call,
            device,
            extent,
            loaded,
            prepared,
            own,
        } = self;
        let (kernel, caps, header) = (&call.kernel, device.caps(), &prepared.header);
        let mut lent = call.binder.lent();
        let mut elements = own.elements();
        let start = Instant::now();
        let (groups, coarse) = (loaded.image.groups, prepared.coarse);
        let item = |at| extent.place(header, caps, groups, coarse, at);
        let known = Known {
            loaded,
            item: &item,
        };
        let tell = |running: &Running<'_>| slow::say(kernel, &known, running);
        let terms = Terms::of(&mut lent, &tell).with_own(&mut elements, own.is_all());
        let terms = match call.watch.most_cycles {
            Some(cycles) => terms.within(cycles),
            None => terms,
        };
        let work = state.debugger.is_some().then(|| Work {
            kernel,
            extent,
            header,
            caps,
            loaded,
            whereabouts: Whereabouts::of(loaded),
        });
        let mut session = match (&mut state.debugger, &work) {
            (Some(debugger), Some(work)) => {
                let program = debug::program(&call.info()?, kernel, loaded)?;
                Some(debugger.session(program, work))
            }
            _ => None,
        };
        let mut terms = match &mut session {
            Some(session) => terms.driven(session),
            None => terms,
        };
        if let Some(recording) = recording {
            terms = terms.recorded(recording);
        }
        let (entry, block) = (loaded.addr, prepared.block);
        let outcome = match loaded.image.generation() {
            Generation::V2 => state.driver.run_on(entry, block, terms),
            Generation::V3 => {
                let grid = shape::grid(header, caps, loaded.image.groups, entry);
                state.driver.launch(entry, block, &grid, terms)
            }
        };
        drop(session);
        let wall = start.elapsed();
        if let Err(DriverError::TimedOut { waited }) = outcome {
            return Err(Error::refused(kernel, LaunchError::TimedOut { waited }));
        }
        Ok(Ran {
            outcome,
            start,
            wall,
        })
    }

    /// Takes what a run left on the device, which is then as it was before the launch.
    fn collect(&self, state: &mut State, outcome: &Result<Stats, DriverError>) -> Left {
        let Self {
            device,
            extent,
            loaded,
            prepared,
            ..
        } = self;
        let prints = prepared.prints.map(|area| area.take(state)).transpose();
        // As with the faults below: what could not be read is not used again.
        if prints.is_err()
            && let Some(area) = state.prints.take()
        {
            state.driver.free(area.headers);
        }
        let fault = take_fault(state, prepared.faults, extent, loaded, device);
        let stopped = match outcome {
            Err(DriverError::Trap(trap)) => Whereabouts::of(loaded).involved(&*state, trap),
            _ => Involved::default(),
        };
        // Items that were stopped may have held locks. An area that cannot be read or cleared is not used again.
        let cleared = match (outcome, &fault) {
            (_, Err(_)) => false,
            (Err(_), _) => clear_faults(state, prepared.faults, device).is_ok(),
            _ => true,
        };
        if !cleared && let Some(faults) = state.faults.take() {
            state.driver.free(faults);
        }
        Left {
            prints,
            fault,
            stopped,
        }
    }

    /// What became of the launch, after its messages have been printed and its trace and profile been written.
    fn report(
        &self,
        began: Instant,
        ran: Ran,
        left: Left,
        mut recording: Option<Recording>,
    ) -> Result<Report> {
        let Self {
            call,
            device,
            extent,
            loaded,
            prepared,
            ..
        } = self;
        let kernel = &call.kernel;
        let number = |number| item_number(extent, loaded, number);
        let printed = left.prints.map(|records| match records {
            Some(records) => records.text(&loaded.image, number),
            None => Printed::default(),
        });
        let started = ran
            .outcome
            .as_ref()
            .map_or_else(|_| Duration::ZERO, |stats| stats.start);
        let steps = Steps {
            pack: prepared.packed - began,
            upload: ran.start - prepared.packed,
            start: started,
            wait: ran.start.elapsed().saturating_sub(started),
        };
        if let Ok(printed) = &printed
            && !call.watch.is_trial
        {
            printed.show(kernel);
        }
        let trace = recording.as_mut().and_then(|noted| noted.trace.take());
        let trace = trace.map(|traced| Trace::of(kernel, device.caps().threads, loaded, traced));
        // A launch that fails says why, also where its trace cannot be written.
        let mut traced = Ok(());
        if let (Some(path), Some(trace)) = (device.trace(), &trace) {
            let failed = trace::Failed(ran.outcome.is_err() || !matches!(left.fault, Ok(None)));
            traced = trace::write_launch(path, trace, failed);
        }
        let trace = trace.filter(|_| call.watch.trace.is_some());
        let stats = match ran.outcome {
            Ok(stats) => stats,
            Err(DriverError::Trap(trap)) => return Err(self.trapped(*trap, left.stopped)),
            Err(other) => return Err(Error::driver(other)),
        };
        if let Some(failed) = left.fault? {
            let fault = failed.explained(kernel, extent, loaded, device)?;
            return Err(Error::Fault(Box::new(fault)));
        }
        traced?;
        let profile = self.profile(&stats, recording)?;
        Ok(Report::new(kernel.clone(), extent.total, stats, ran.wall)
            .with_races(self.own.proof())
            .with_steps(steps)
            .with_printed(printed?)
            .with_profile(profile.map(Box::new))
            .with_trace(trace.map(Box::new))
            .with_lines(loaded.sources, |pc| loaded.source_of(pc).cloned()))
    }

    /// The profile, if one was asked for; it is added to the page that `VORTEX_PROFILE` names.
    fn profile(&self, stats: &Stats, recording: Option<Recording>) -> Result<Option<Profile>> {
        let launched = Launched {
            kernel: &self.call.kernel,
            items: Items {
                total: self.extent.total,
                size: self.extent.size,
                block: self.extent.groups.map(|groups| groups.block),
            },
            header: &self.prepared.header,
            loaded: self.loaded,
            caps: self.device.caps(),
        };
        let data = recording.and_then(|noted| noted.profile);
        let profile = stats.timing.as_deref().zip(data);
        let profile = profile.map(|(timing, data)| launched.profile(timing, &data));
        if let (Some(path), Some(profile)) = (self.device.profile(), &profile) {
            profile::add_to_page(path, profile)?;
        }
        Ok(profile)
    }

    /// The error of a launch that the device stopped.
    fn trapped(&self, trap: Trap, stopped: Involved<Stopped>) -> Error {
        let Prepared { header, coarse, .. } = self.prepared;
        let (caps, groups) = (self.device.caps(), self.loaded.image.groups);
        let items = stopped.map(|at| self.extent.place(header, caps, groups, *coarse, at));
        let elements = Elements {
            call: self.call,
            image: &self.loaded.image,
            header,
            caps,
        };
        let [element, unwritten] = [trap.kind.address(), trap.kind.unwritten_local()]
            .map(|address| address.and_then(|address| elements.at(address)));
        let report = TrapReport::new(self.call.kernel.clone(), trap, self.loaded, items);
        Error::Trap(Box::new(report.with_elements(element, unwritten)))
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
            // Where the host has written all, the embedded device need not look which bytes hold a value. Only what a
            // launch writes is read by what the compiler makes.
            let zeros = |state: &mut State, addr| state.write_zeros(addr, room);
            let addr = state.alloc_with(room, Access::Read, zeros)?;
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
