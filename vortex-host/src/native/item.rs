//! Which work item runs, of which group, and how many there are.

use std::cell::{Cell, RefCell};
use std::panic;

use vortex_kernel::ir::Stream;

/// What an item panics with that asks for its group in vain.
pub(super) struct NeedsGroups;

/// A work item that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunningItem {
    /// Its number in the launch.
    pub(super) number: u32,
    pub(super) at: [u32; 3],
    /// The extent of the launch.
    pub(super) size: [u32; 3],
    pub(super) group: Option<Group>,
}

/// Its group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) at: [u32; 3],
    /// How many groups there are.
    pub(super) grid: [u32; 3],
    /// The place of the item in it.
    pub(super) local: [u32; 3],
    /// How many items it has.
    pub(super) block: [u32; 3],
}

thread_local! {
    static RUNNING: Cell<Option<RunningItem>> = const { Cell::new(None) };
    static SAID: RefCell<Vec<(Stream, String)>> = const { RefCell::new(Vec::new()) };
}

/// Runs something as this item; gives what it prints, too.
pub(super) fn run_as<R>(item: RunningItem, run: impl FnOnce() -> R) -> (R, Vec<(Stream, String)>) {
    RUNNING.set(Some(item));
    let result = run();
    RUNNING.set(None);
    (result, SAID.take())
}

/// Whether this thread runs a work item.
pub(super) fn is_running() -> bool {
    RUNNING.get().is_some()
}

/// Keeps text that the item prints until the launch has ended.
#[doc(hidden)]
pub fn say(is_error: bool, text: String) {
    let stream = if is_error { Stream::Err } else { Stream::Out };
    if is_running() {
        SAID.with_borrow_mut(|said| said.push((stream, text)));
    } else if is_error {
        eprint!("{text}");
    } else {
        print!("{text}");
    }
}

/// `println!` and its kin, in a kernel on the host.
#[doc(hidden)]
#[macro_export]
macro_rules! __native_print {
    ($is_error:literal, $end:literal) => {
        $crate::native::item::say($is_error, ::std::string::String::from($end))
    };
    ($is_error:literal, $end:literal, $($said:tt)+) => {{
        let mut text = ::std::format!($($said)+);
        text.push_str($end);
        $crate::native::item::say($is_error, text)
    }};
}

/// The item that asks.
#[track_caller]
fn asking(function: &str) -> RunningItem {
    match RUNNING.get() {
        Some(item) => item,
        None => panic!("only a work item can call `{function}`"),
    }
}

/// The group of the item that asks. A launch without groups ends here.
#[track_caller]
fn group_of_asking(function: &str) -> Group {
    match asking(function).group {
        Some(group) => group,
        None => panic::resume_unwind(Box::new(NeedsGroups)),
    }
}

/// The number of what is at this place, x fastest.
const fn number([x, y, z]: [u32; 3], [width, height, _]: [u32; 3]) -> usize {
    (z as usize * height as usize + y as usize) * width as usize + x as usize
}

fn count(extent: [u32; 3]) -> usize {
    extent.iter().map(|n| *n as usize).product()
}

macro_rules! ids {
    ($($linear:ident $two:ident $three:ident: $asks:ident, $of:expr, $whole:expr;)*) => {$(
        #[doc = concat!("As in kernels: `", stringify!($linear), "()`.")]
        #[track_caller]
        #[must_use]
        pub fn $linear() -> usize {
            $whole($asks(stringify!($linear)))
        }

        #[doc = concat!("As in kernels: `", stringify!($two), "()`.")]
        #[track_caller]
        #[must_use]
        pub fn $two() -> (usize, usize) {
            let [x, y, _]: [u32; 3] = $of($asks(stringify!($two)));
            (x as usize, y as usize)
        }

        #[doc = concat!("As in kernels: `", stringify!($three), "()`.")]
        #[track_caller]
        #[must_use]
        pub fn $three() -> (usize, usize, usize) {
            let [x, y, z]: [u32; 3] = $of($asks(stringify!($three)));
            (x as usize, y as usize, z as usize)
        }
    )*};
}

ids! {
    global_id global_id_2d global_id_3d: asking, |item: RunningItem| item.at,
        |item: RunningItem| item.number as usize;
    global_size global_size_2d global_size_3d: asking, |item: RunningItem| item.size,
        |item: RunningItem| count(item.size);
    local_id local_id_2d local_id_3d: group_of_asking, |group: Group| group.local,
        |group: Group| number(group.local, group.block);
    local_size local_size_2d local_size_3d: group_of_asking, |group: Group| group.block,
        |group: Group| count(group.block);
    group_id group_id_2d group_id_3d: group_of_asking, |group: Group| group.at,
        |group: Group| number(group.at, group.grid);
    group_count group_count_2d group_count_3d: group_of_asking, |group: Group| group.grid,
        |group: Group| count(group.grid);
}

/// The host as a device: one core, whose warps have one lane each.
macro_rules! ones {
    ($($name:ident $value:literal)*) => {$(
        #[doc = concat!("As in kernels: `", stringify!($name), "()`. The host has one core, and warps of one lane.")]
        #[track_caller]
        #[must_use]
        pub fn $name() -> usize {
            asking(stringify!($name));
            $value
        }
    )*};
}

ones! { lane_id 0 lane_count 1 core_id 0 core_count 1 warp_count 1 }

/// As in kernels: `warp_id()`. Warps have one lane each.
#[track_caller]
#[must_use]
pub fn warp_id() -> usize {
    let item = asking("warp_id");
    item.group
        .map_or(0, |group| number(group.local, group.block))
}

/// As in kernels: `clock()`, in nanoseconds.
#[must_use]
pub fn clock() -> u32 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGAN.elapsed().as_nanos() as u32
}

/// As in kernels: `fence()`. Items run one at a time, so there is nothing to order.
pub const fn fence() {}
