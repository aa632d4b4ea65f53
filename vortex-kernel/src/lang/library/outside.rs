//! The names of ids outside of kernels: what the prelude imports. Bodies of kernels never call these, as the macros put
//! the functions of `lang::library::ids` in their place; in any other function they are a mistake, which is said where
//! it is.

/// What only a work item can tell.
#[diagnostic::on_unimplemented(
    message = "only a kernel can ask for this, and this function is none",
    label = "asked outside of a kernel",
    note = "write `#[vortex::kernel]` in front of the function, or `#[vortex::device]` if kernels call it",
    note = "the host is told how many cores, warps and lanes a device has by `device.caps()`"
)]
pub trait WorkItem: Sized {
    /// The number asked for.
    fn number<T>() -> T;
}

/// A function without an attribute. It has a lifetime, as a bound that no type could meet would be an error in itself;
/// one for all lifetimes is asked for where a function with it is called.
#[derive(Debug)]
pub struct PlainFunction<'a>(std::marker::PhantomData<&'a ()>);

/// The bound is an argument, as rustc would show the whole macro if it came from inside.
macro_rules! outside {
    (where $bound:tt; $($name:ident -> $number:ty, $what:literal;)*) => {
        $(outside! { $bound $name -> $number, $what })*
    };
    (($($bound:tt)*) $name:ident -> $number:ty, $what:literal) => {
        #[doc = $what]
        #[doc = ""]
        #[doc = "In kernels and in their functions; elsewhere it is an error to call it."]
        #[must_use]
        pub fn $name() -> $number
        where
            $($bound)*
        {
            <PlainFunction<'_> as WorkItem>::number()
        }
    };
}

outside! {
    where (for<'a> PlainFunction<'a>: WorkItem);
    global_id -> usize,
        "The number of this work item in the launch, from 0; in two and three dimensions x runs fastest.";
    global_id_2d -> (usize, usize), "The coordinates of this work item in the launch: `(x, y)`.";
    global_id_3d -> (usize, usize, usize), "The coordinates of this work item in the launch: `(x, y, z)`.";
    global_size -> usize, "How many work items the launch has.";
    global_size_2d -> (usize, usize), "The extent of the launch in work items: `(x, y)`.";
    global_size_3d -> (usize, usize, usize), "The extent of the launch in work items: `(x, y, z)`.";
    local_id -> usize,
        "The number of this work item in its group, from 0; in two and three dimensions x runs fastest.";
    local_id_2d -> (usize, usize), "The coordinates of this work item in its group: `(x, y)`.";
    local_id_3d -> (usize, usize, usize), "The coordinates of this work item in its group: `(x, y, z)`.";
    local_size -> usize, "How many work items a group has.";
    local_size_2d -> (usize, usize),
        "The extent of a group in work items, what the launch gave to `.block`: `(x, y)`.";
    local_size_3d -> (usize, usize, usize),
        "The extent of a group in work items, what the launch gave to `.block`: `(x, y, z)`.";
    group_id -> usize,
        "The number of this work item's group, from 0; in two and three dimensions x runs fastest.";
    group_id_2d -> (usize, usize), "The coordinates of this work item's group: `(x, y)`.";
    group_id_3d -> (usize, usize, usize), "The coordinates of this work item's group: `(x, y, z)`.";
    group_count -> usize, "How many groups the launch has.";
    group_count_2d -> (usize, usize),
        "The extent of the launch in groups, what the launch gave to `.grid`: `(x, y)`.";
    group_count_3d -> (usize, usize, usize),
        "The extent of the launch in groups, what the launch gave to `.grid`: `(x, y, z)`.";
    lane_id -> usize, "The lane of its warp that this work item runs in, below [`lane_count`].";
    warp_id -> usize, "The warp of its core that this work item runs in, below [`warp_count`].";
    core_id -> usize, "The core that this work item runs on, below [`core_count`].";
    lane_count -> usize, "How many lanes a warp of the device has.";
    warp_count -> usize, "How many warps a core of the device has.";
    core_count -> usize, "How many cores the device has.";
    clock -> u32,
        "Cycles that the core has run for. It wraps after 2^32, so take the difference of two with `wrapping_sub`.";
}
