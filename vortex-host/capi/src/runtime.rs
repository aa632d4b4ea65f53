//! The runtime that has loaded this library, as far as it can be told from here.

/// Whether the program has Vortex's runtime of version 3, which looks drivers up by the same name as version 2 and
/// has a shorter table for them. It is not seen where the program has loaded the runtime for itself alone.
#[cfg(unix)]
pub(crate) fn is_version_3() -> bool {
    use std::ffi::{c_char, c_void};

    unsafe extern "C" {
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    #[cfg(not(target_vendor = "apple"))]
    const EVERYWHERE: *mut c_void = std::ptr::null_mut();
    #[cfg(target_vendor = "apple")]
    const EVERYWHERE: *mut c_void = std::ptr::without_provenance_mut(-2isize as usize);
    // SAFETY: the loader's own function, with the handle that stands for all that is loaded, and a string with its
    // zero at the end. The symbol is only looked for.
    !unsafe { dlsym(EVERYWHERE, c"vx_device_open".as_ptr()) }.is_null()
}

/// Version 3 is for Linux.
#[cfg(not(unix))]
pub(crate) fn is_version_3() -> bool {
    false
}
