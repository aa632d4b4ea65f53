//! The lines that a run accesses.

use std::collections::{BTreeMap, HashSet};

/// How many different lines of 64 bytes the cores of a socket accessed, summed over the sockets: what their caches
/// had to hold to ask for each of them once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Lines that instructions were fetched from.
    pub code: u64,
    /// Lines loaded from, other than local memory's.
    pub loaded: u64,
    /// Lines stored to, likewise.
    pub stored: u64,
    /// As [`Footprint::code`], of the socket that has most alone.
    pub most_code: u64,
    /// As [`Footprint::loaded`], likewise.
    pub most_loaded: u64,
}

/// The lines that a core accessed.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    pub(super) code: HashSet<u32>,
    pub(super) loaded: HashSet<u32>,
    pub(super) stored: HashSet<u32>,
}

impl Footprint {
    /// By the lines of each core, which come with the number of its socket.
    pub(super) fn of<'a>(cores: impl Iterator<Item = (usize, &'a Lines)>) -> Footprint {
        let mut sockets: BTreeMap<usize, Lines> = BTreeMap::new();
        for (socket, lines) in cores {
            let all = sockets.entry(socket).or_default();
            all.code.extend(&lines.code);
            all.loaded.extend(&lines.loaded);
            all.stored.extend(&lines.stored);
        }
        let sum = |of: fn(&Lines) -> usize| sockets.values().map(|lines| of(lines) as u64).sum();
        let most = |of: fn(&Lines) -> usize| {
            let each = sockets.values().map(|lines| of(lines) as u64);
            each.max().unwrap_or_default()
        };
        Footprint {
            most_code: most(|lines| lines.code.len()),
            most_loaded: most(|lines| lines.loaded.len()),
            code: sum(|lines| lines.code.len()),
            loaded: sum(|lines| lines.loaded.len()),
            stored: sum(|lines| lines.stored.len()),
        }
    }
}
