//! What is said on stderr of a launch that takes long.

use std::fmt::{self, Write as _};

use crate::fault::Explained as _;
use crate::image::Loaded;
use crate::name::Name;
use vortex_sim::debug::{LIVELOCK, Running};

/// How many places are named.
const PLACES: usize = 8;

/// Says that a kernel is still running, and where.
pub(crate) fn say(kernel: &Name, loaded: Option<&Loaded>, running: &Running) {
    let source = |pc| Some(loaded?.source_of(pc)?.to_string());
    eprint!("{}", text(kernel, running, &source));
}

/// The same as text; `source` is the line that an instruction comes from.
fn text(kernel: &Name, running: &Running, source: &dyn Fn(u32) -> Option<String>) -> String {
    let mut text = String::new();
    // Writing to memory cannot fail.
    let _ = write(&mut text, kernel, running, source);
    text
}

fn write(
    text: &mut String,
    kernel: &Name,
    running: &Running,
    source: &dyn Fn(u32) -> Option<String>,
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
    let places = places(running, source);
    for (place, warps) in places.iter().take(PLACES) {
        let plural = if *warps == 1 { "warp" } else { "warps" };
        writeln!(text, "  {warps} {plural} {place}")?;
    }
    if let Some(more @ 1..) = places.len().checked_sub(PLACES) {
        writeln!(text, "  and others at {more} more places")?;
    }
    match budget {
        Some(budget) => write!(
            text,
            "  it is stopped after {budget} instructions (VORTEX_BUDGET)"
        )?,
        None => write!(text, "  nothing stops it (VORTEX_BUDGET=none)")?,
    }
    writeln!(
        text,
        "; VORTEX_PATIENCE says when this is said, and with `none` it is not"
    )
}

/// Where warps are, and how many there; where most are comes first.
fn places(running: &Running, source: &dyn Fn(u32) -> Option<String>) -> Vec<(String, usize)> {
    let mut places: Vec<(String, usize)> = Vec::new();
    for warp in &running.warps {
        let at = source(warp.pc).unwrap_or_else(|| format!("{:#010x}", warp.pc));
        let place = match &warp.waits {
            Some(reason) => format!("at {at}, waiting for {reason}"),
            None => format!("at {at}"),
        };
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, warps)) => *warps += 1,
            None => places.push((place, 1)),
        }
    }
    places.sort_by_key(|(_, warps)| std::cmp::Reverse(*warps));
    places
}
