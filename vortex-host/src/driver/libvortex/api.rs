//! The functions of Vortex's runtime (`vortex.h`, v2), found in a shared library at run time.

use std::error::Error as _;
use std::ffi::{c_int, c_void};

use libloading::Library;

use super::OpenError;

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
    pub(super) mpm_query: unsafe extern "C" fn(Handle, u32, u32, *mut u64) -> c_int,
    /// Keeps the functions where they are.
    _library: Library,
}

impl Api {
    /// Loads the runtime from where the system looks for libraries.
    pub(super) fn load() -> Result<Self, OpenError> {
        // SAFETY: loading runs the initialisers of the library that the user has installed as Vortex's runtime.
        let library = unsafe { Library::new("libvortex.so") }.map_err(not_found)?;
        // v3 has functions of the same names and other signatures; only it has this one.
        // SAFETY: the symbol is only looked for.
        if unsafe { library.get::<*const c_void>(b"vx_start_g\0") }.is_ok() {
            return Err(OpenError::Release3);
        }
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the signature is the one that `vortex.h` of v2 gives the function of this name.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }
                    .map_err(|_| OpenError::Incomplete { missing: $name })?
            };
        }
        Ok(Self {
            dev_open: function!("vx_dev_open"),
            dev_close: function!("vx_dev_close"),
            dev_caps: function!("vx_dev_caps"),
            mem_alloc: function!("vx_mem_alloc"),
            mem_reserve: function!("vx_mem_reserve"),
            mem_access: function!("vx_mem_access"),
            mem_free: function!("vx_mem_free"),
            mem_address: function!("vx_mem_address"),
            copy_to_dev: function!("vx_copy_to_dev"),
            copy_from_dev: function!("vx_copy_from_dev"),
            start: function!("vx_start"),
            ready_wait: function!("vx_ready_wait"),
            mpm_query: function!("vx_mpm_query"),
            _library: library,
        })
    }
}

/// The loader's words are the cause of what `libloading` says.
fn not_found(error: libloading::Error) -> OpenError {
    let reason = error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string);
    OpenError::NotFound { reason }
}
