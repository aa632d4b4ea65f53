//! What is said on stderr of a launch that takes long.

use std::fmt::{self, Write as _};

use super::shape::Stopped;
use super::whereabouts::{Lanes, Whereabouts};
use crate::driver::HardwareThread;
use crate::fault::{Explained as _, WorkItem};
use crate::image::Loaded;
use crate::name::Name;
use vortex_sim::Count;
use vortex_sim::debug::{LIVELOCK, Running, WordLocation};

/// How many places are named.
const PLACES: usize = 8;

/// What is known of the code that runs.
pub(super) struct Known<'a> {
    pub(super) loaded: &'a Loaded,
    /// The work item of a lane.
    pub(super) item: &'a (dyn Fn(Stopped) -> Option<WorkItem> + Sync),
}

/// Says that a kernel is still running, and where.
pub(super) fn say(kernel: &Name, known: &Known<'_>, running: &Running<'_>) {
    tell(kernel, running, Some(known));
}

/// The same of an image of which nothing is known.
pub(crate) fn say_of_image(kernel: &Name, running: &Running<'_>) {
    tell(kernel, running, None);
}

fn tell(kernel: &Name, running: &Running<'_>, known: Option<&Known<'_>>) {
    let place = |index: usize| {
        let warp = &running.warps[index];
        let source = known.and_then(|known| known.loaded.source_of(warp.pc));
        let at = source.map_or_else(|| format!("{:#010x}", warp.pc), ToString::to_string);
        match &warp.waits {
            Some(reason) => format!("at {at}, waiting for {reason}"),
            None => format!("at {at}"),
        }
    };
    let item = |index: usize| {
        let (known, warp) = (known?, &running.warps[index]);
        let (core, lane) = (warp.core, warp.lane);
        let at = HardwareThread {
            core,
            warp: warp.warp,
            lane,
        };
        let whereabouts = Whereabouts::of(known.loaded);
        (known.item)(whereabouts.at(&Now(running), at, warp.pc)?)
    };
    let mut text = String::new();
    // Writing to memory cannot fail.
    let _ = write(&mut text, kernel, running, &place, &item);
    eprint!("{text}");
}

/// What lanes hold while they run.
struct Now<'a>(&'a Running<'a>);

impl Now<'_> {
    fn warp(&self, core: u32, warp: u32) -> Option<&vortex_sim::debug::Whereabouts> {
        let mut warps = self.0.warps.iter();
        warps.find(|at| (at.core, at.warp) == (core, warp))
    }
}

impl Lanes for Now<'_> {
    fn held(&self, at: HardwareThread, place: WordLocation) -> Option<u32> {
        self.0.held.by(self.warp(at.core, at.warp)?, place)
    }

    fn handed(&self, core: u32, warp: u32) -> Option<(u32, u32)> {
        // Grids are rows here.
        let ([group, ..], rank) = self.warp(core, warp)?.handed;
        Some((group, rank))
    }

    fn first_lane(&self, core: u32, warp: u32) -> Option<u32> {
        Some(self.warp(core, warp)?.lane)
    }
}

fn write(
    text: &mut String,
    kernel: &Name,
    running: &Running<'_>,
    place: &dyn Fn(usize) -> String,
    item: &dyn Fn(usize) -> Option<WorkItem>,
) -> fmt::Result {
    let Running {
        after,
        instructions,
        budget,
        has_others,
        livelock,
        ..
    } = running;
    write!(
        text,
        "kernel {kernel} is still running after {after:?}, {instructions} instructions of warps so far"
    )?;
    if *has_others {
        write!(text, " on the cores of one host thread")?;
    }
    if !*livelock {
        write!(text, ": perhaps an endless loop")?;
    }
    writeln!(text)?;
    if *livelock {
        writeln!(text, "  it is {LIVELOCK}")?;
    }
    let places = places(running, place);
    for (place, warps) in places.iter().take(PLACES) {
        let count = Count(warps.len(), "warp");
        write!(text, "  {count} {place}")?;
        let first = warps.first();
        if let Some(item) = first.and_then(|first| item(*first)) {
            write!(text, ", with {item}")?;
        }
        writeln!(text)?;
    }
    if let Some(more @ 1..) = places.len().checked_sub(PLACES) {
        writeln!(text, "  and others at {more} more places")?;
    }
    match budget {
        Some(budget) => write!(
            text,
            "  it is stopped after {budget} instructions (VORTEX_BUDGET){}, or by Ctrl-C",
            Left::of(running, *budget)
        )?,
        None => write!(text, "  nothing but Ctrl-C stops it (VORTEX_BUDGET=none)")?,
    }
    writeln!(
        text,
        "; VORTEX_PATIENCE says when this is said, and with `none` it is not"
    )
}

/// How long it takes until the budget is spent.
struct Left {
    seconds: u64,
    /// Instructions in a second.
    pace: u64,
}

impl Left {
    fn of(running: &Running<'_>, budget: u64) -> Self {
        let seconds = running.after.as_secs_f64();
        let pace = running.instructions as f64 / seconds.max(1e-9);
        let left = budget.saturating_sub(running.instructions) as f64 / pace.max(1.0);
        Self {
            seconds: left as u64,
            pace: pace as u64,
        }
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// What the functional model is slower than without optimisation only.
        const SLOW: u64 = 2_000_000;
        let minutes = self.seconds / 60;
        match (minutes / 60, minutes) {
            (_, 0) => return Ok(()),
            (0, minutes) => write!(f, ", in about {}", Count(minutes, "minute"))?,
            (hours, _) => write!(f, ", in about {}", Count(hours, "hour"))?,
        }
        if cfg!(debug_assertions) && self.pace < SLOW {
            f.write_str(
                " (many times sooner where the device is optimised: README.md has a profile for that)",
            )?;
        }
        Ok(())
    }
}

/// Where warps are, and which of them; where most are comes first.
fn places(running: &Running<'_>, place: &dyn Fn(usize) -> String) -> Vec<(String, Vec<usize>)> {
    let mut places: Vec<(String, Vec<usize>)> = Vec::new();
    for warp in 0..running.warps.len() {
        let place = place(warp);
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, warps)) => warps.push(warp),
            None => places.push((place, vec![warp])),
        }
    }
    places.sort_by_key(|(_, warps)| std::cmp::Reverse(warps.len()));
    places
}
