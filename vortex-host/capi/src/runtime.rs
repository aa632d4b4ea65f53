//! The runtime that has loaded this library, as far as it can be detected from here.

use vortex_sim::Generation;

/// The generation of Vortex's runtime in this program: both look drivers up by the same name, and have different
/// tables for them. `None` if it is not seen, because the program has loaded it for itself alone.
#[cfg(unix)]
pub(crate) fn generation() -> Option<Generation> {
    use std::ffi::{CStr, c_char, c_void};

    unsafe extern "C" {
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    #[cfg(not(target_vendor = "apple"))]
    const EVERYWHERE: *mut c_void = std::ptr::null_mut();
    #[cfg(target_vendor = "apple")]
    const EVERYWHERE: *mut c_void = std::ptr::without_provenance_mut(-2isize as usize);
    // SAFETY: the loader's own function, with the handle that stands for all that is loaded, and a string with its
    // zero at the end. The symbol is only looked for.
    let is_there = |name: &CStr| !unsafe { dlsym(EVERYWHERE, name.as_ptr()) }.is_null();
    // Version 3 has the functions of version 2, too.
    match (is_there(c"vx_device_open"), is_there(c"vx_dev_open")) {
        (true, _) => Some(Generation::V3),
        (false, true) => Some(Generation::V2),
        (false, false) => None,
    }
}

/// Version 3 is for Linux.
#[cfg(not(unix))]
pub(crate) fn generation() -> Option<Generation> {
    Some(Generation::V2)
}
