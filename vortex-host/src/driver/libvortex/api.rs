//! The functions of Vortex's runtime (`vortex.h`) that have the same signature in all its generations, found in a
//! shared library at run time.

use std::error::Error as _;
use std::ffi::{c_int, c_void};

use libloading::Library;

use super::error::OpenError;

/// A device or a buffer of the runtime: a `void*`.
pub(super) type Handle = *mut c_void;

/// The runtime's functions that this library calls. All return 0 when they did what was asked.
pub(super) struct Api {
    pub(super) dev_open: unsafe extern "C" fn(*mut Handle) -> c_int,
    pub(super) dev_close: unsafe extern "C" fn(Handle) -> c_int,
    pub(super) dev_caps: unsafe extern "C" fn(Handle, u32, *mut u64) -> c_int,
    pub(super) mem_alloc: unsafe extern "C" fn(Handle, u64, c_int, *mut Handle) -> c_int,
    pub(super) mem_reserve: unsafe extern "C" fn(Handle, u64, u64, c_int, *mut Handle) -> c_int,
    pub(super) mem_access: unsafe extern "C" fn(Handle, u64, u64, c_int) -> c_int,
    pub(super) mem_free: unsafe extern "C" fn(Handle) -> c_int,
    pub(super) mem_address: unsafe extern "C" fn(Handle, *mut u64) -> c_int,
    pub(super) copy_to_dev: unsafe extern "C" fn(Handle, *const c_void, u64, u64) -> c_int,
    pub(super) copy_from_dev: unsafe extern "C" fn(*mut c_void, Handle, u64, u64) -> c_int,
    pub(super) start: unsafe extern "C" fn(Handle, Handle, Handle) -> c_int,
    pub(super) ready_wait: unsafe extern "C" fn(Handle, u64) -> c_int,
}

impl Api {
    /// Loads the runtime from where the system looks for libraries, and takes from it what else the caller wants.
    pub(super) fn load<T>(
        more: impl FnOnce(&Library) -> Result<T, OpenError>,
    ) -> Result<(Self, T), OpenError> {
        // SAFETY: loading runs the initialisers of the library that the user has installed as Vortex's runtime.
        let library = unsafe { Library::new("libvortex.so") }.map_err(not_found)?;
        let more = more(&library)?;
        // SAFETY: `vortex.h` gives the functions of these names these signatures, in both generations.
        let api = unsafe {
            Self {
                dev_open: function(&library, "vx_dev_open")?,
                dev_close: function(&library, "vx_dev_close")?,
                dev_caps: function(&library, "vx_dev_caps")?,
                mem_alloc: function(&library, "vx_mem_alloc")?,
                mem_reserve: function(&library, "vx_mem_reserve")?,
                mem_access: function(&library, "vx_mem_access")?,
                mem_free: function(&library, "vx_mem_free")?,
                mem_address: function(&library, "vx_mem_address")?,
                copy_to_dev: function(&library, "vx_copy_to_dev")?,
                copy_from_dev: function(&library, "vx_copy_from_dev")?,
                start: function(&library, "vx_start")?,
                ready_wait: function(&library, "vx_ready_wait")?,
            }
        };
        // The functions must stay where they are, and so must threads of the library, which nobody can end while a
        // kernel runs. Loading it again costs no memory.
        std::mem::forget(library);
        Ok((api, more))
    }
}

/// A function of the library.
///
/// # Safety
/// `T` is a pointer to a function with the signature that the library's function of this name has. It must not be
/// called after the library is unloaded.
pub(super) unsafe fn function<T: Copy>(
    library: &Library,
    name: &'static str,
) -> Result<T, OpenError> {
    // SAFETY: as the caller promises.
    let symbol = unsafe { library.get::<T>(name.as_bytes()) };
    symbol
        .map(|function| *function)
        .map_err(|_| OpenError::Incomplete { missing: name })
}

/// The loader's words are the cause of what `libloading` says.
fn not_found(error: libloading::Error) -> OpenError {
    let reason = error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string);
    OpenError::NotFound { reason }
}
