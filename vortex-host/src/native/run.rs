//! A launch on the host, from its size to its report.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use vortex_kernel::ir::Stream;
use vortex_kernel::isa::Generation;
use vortex_kernel::meta::Attributes;

use super::arguments::HostArguments;
use super::failure::{self, Failure, Stop};
use super::item::{self, RunningItem};
use super::turn::{Group, ItemId, Turn, Way};
use crate::driver::{Caps, Stats};
use crate::error::{Error, LaunchError, Result};
use crate::fault::Fault;
use crate::launch::{Extent, Groups, LaunchSize};
use crate::name::Name;
use crate::printed::Printed;
use crate::report::Report;

/// What sizes are checked against: more items than a device has lanes can be in a group, each with a thread of its own.
const HOST: Caps = Caps {
    generation: Generation::V2,
    cores: 1,
    clusters: 1,
    warps: 1024,
    threads: 1,
    zicond: true,
    atomics: true,
    warp_ops: true,
    async_copies: false,
    tensor_units: false,
    local_memory: u32::MAX,
};

/// A launch that runs.
pub(super) struct Job<'a> {
    kernel: &'a Name,
    extent: Extent,
    printed: Mutex<Vec<(u32, Stream, String)>>,
    /// The failure of the item with the lowest number.
    failed: Mutex<Option<(u32, Failure)>>,
    needs_groups: AtomicBool,
}

/// Runs all items.
pub(super) fn launch(
    kernel: Name,
    attributes: &Attributes,
    size: &LaunchSize,
    run: &dyn Fn(&Job<'_>) -> Result<()>,
) -> Result<Report> {
    let extent = size.resolve(&kernel, attributes, &HOST)?;
    let items = extent.total;
    let _span = tracing::info_span!("launch on the host", kernel = &*kernel, items).entered();
    let began = Instant::now();
    let job = Job {
        kernel: &kernel,
        extent,
        printed: Mutex::default(),
        failed: Mutex::default(),
        needs_groups: AtomicBool::new(false),
    };
    if items > 0 {
        run(&job)?;
    }
    if job.needs_groups.load(Ordering::Relaxed) {
        return Err(job.refused(LaunchError::NeedsGroups));
    }
    let printed = Printed::of_items(
        job.printed
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    );
    printed.show(&kernel);
    if let Some((number, failure)) = job
        .failed
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
    {
        let Failure {
            kind,
            operands,
            message,
            at,
        } = failure;
        let place = extent.item(number);
        let fault = Fault::on_the_host(kernel, place, kind, operands, message, at);
        return Err(Error::Fault(Box::new(fault)));
    }
    let stats = Stats::default();
    Ok(Report::new(kernel.clone(), items, stats, began.elapsed()).with_printed(printed))
}

impl Job<'_> {
    /// Runs `item` for each item.
    pub(super) fn run<A: HostArguments>(
        &self,
        way: Way,
        arguments: &A,
        item: &(impl Fn(&mut Turn<'_>, A::OfItem) + Sync),
    ) -> Result<()> {
        let run = |group: &Group, local: u32, number: u32| {
            let id = ItemId::new();
            let of_item = arguments.of_item(&id);
            let mut turn = Turn::of(id, local as usize, group);
            self.run_item(number, || item(&mut turn, of_item));
        };
        let groups = || {
            self.extent
                .groups
                .ok_or_else(|| self.refused(LaunchError::NeedsGroups))
        };
        match way {
            Way::Items => {
                let alone = Group::new(1);
                for number in 0..self.extent.total {
                    if self.needs_groups.load(Ordering::Relaxed) {
                        break;
                    }
                    run(&alone, 0, number);
                }
            }
            Way::Groups => {
                let groups = groups()?;
                let group = Group::new(1);
                for number in 0..self.extent.total {
                    run(&group, 0, groups.item(number));
                }
            }
            Way::Turns => self.in_turns(groups()?, run)?,
        }
        Ok(())
    }

    fn refused(&self, cause: LaunchError) -> Error {
        let kernel = self.kernel.clone();
        Error::refused(kernel, cause)
    }

    /// Runs each item of a group in a thread, which then does the same for the next group.
    fn in_turns(&self, groups: Groups, run: impl Fn(&Group, u32, u32) + Sync) -> Result<()> {
        let items = groups.block.iter().product::<u32>();
        let count = groups.grid.iter().product::<u32>();
        let (group, run) = (Group::new(items as usize), &run);
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for local in 0..items {
                let group = &group;
                let thread = thread::Builder::new().name(format!("{}, item {local}", self.kernel));
                let spawned = thread.spawn_scoped(scope, move || {
                    for number in 0..count {
                        if !group.wait(local as usize) {
                            return;
                        }
                        run(group, local, groups.item(number * items + local));
                        group.end(local as usize);
                    }
                });
                match spawned {
                    Ok(handle) => threads.push(handle.thread().clone()),
                    Err(problem) => {
                        group.abandon(&threads);
                        return Err(self.refused(LaunchError::HostThreads { items, problem }));
                    }
                }
            }
            group.begin(threads);
            Ok(())
        })
    }

    fn run_item(&self, number: u32, run: impl FnOnce()) {
        let item = self.running(number);
        let (stop, said) = item::run_as(item, || failure::caught(run));
        if !said.is_empty() {
            let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
            printed.extend(
                said.into_iter()
                    .map(|(stream, text)| (number, stream, text)),
            );
        }
        match stop {
            None => {}
            Some(Stop::NeedsGroups) => self.needs_groups.store(true, Ordering::Relaxed),
            Some(Stop::Failed(failure)) => {
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(first, _)| number < *first) {
                    *failed = Some((number, failure));
                }
            }
        }
    }

    /// The ids of the item with this number.
    fn running(&self, number: u32) -> RunningItem {
        let at = self.extent.coordinates(number);
        let group = self
            .extent
            .groups
            .map(|Groups { grid, block }| item::Group {
                at: std::array::from_fn(|axis| at[axis] / block[axis]),
                grid,
                local: std::array::from_fn(|axis| at[axis] % block[axis]),
                block,
            });
        RunningItem {
            number,
            at,
            size: self.extent.size,
            group,
        }
    }
}
