//! The table of functions that Vortex 3's runtime calls. They all return 0 on success, and -1 otherwise; they check
//! what can be checked about their pointers, and no panic escapes.

use super::processor::Processor;
use crate::boundary::{Handle, Out, as_pointer, guard};
use crate::device::Device;
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vortex_sim::Generation;

/// The functions of a driver, in the order of Vortex 3's `callbacks_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Callbacks {
    dev_open: unsafe extern "C" fn(*mut Handle) -> c_int,
    dev_close: unsafe extern "C" fn(Handle) -> c_int,
    cp_reg_write: unsafe extern "C" fn(Handle, u32, u32) -> c_int,
    cp_reg_read: unsafe extern "C" fn(Handle, u32, *mut u32) -> c_int,
    host_mem_alloc: unsafe extern "C" fn(Handle, u64, *mut *mut c_void, *mut u64) -> c_int,
    host_mem_free: unsafe extern "C" fn(Handle, u64) -> c_int,
}

pub(crate) const TABLE: Callbacks = Callbacks {
    dev_open,
    dev_close,
    cp_reg_write,
    cp_reg_read,
    host_mem_alloc,
    host_mem_free,
};

/// Open devices by their handles, which are never dereferenced.
struct Devices {
    next: usize,
    open: BTreeMap<usize, Arc<Mutex<Processor>>>,
}

static DEVICES: Mutex<Devices> = Mutex::new(Devices {
    next: 0,
    open: BTreeMap::new(),
});

/// A panic leaves the map as it was before or after an insertion or removal.
fn devices() -> MutexGuard<'static, Devices> {
    DEVICES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with an open device.
fn with<T>(handle: Handle, action: impl FnOnce(&mut Processor) -> T) -> Result<T, Failure> {
    if handle.is_null() {
        return Err(Failure::Null("the device"));
    }
    let device = devices().open.get(&handle.addr()).cloned();
    let device = device.ok_or(Failure::NoDevice)?;
    // A panic in a command leaves the registers as they were before it or after.
    let mut device = device.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(action(&mut device))
}

// SAFETY of all functions below, for their callers: a pointer for a result is null or may be written through. Handles
// may be anything.

unsafe extern "C" fn dev_open(result: *mut Handle) -> c_int {
    guard("dev_open", || {
        let result = Out::new(result, "the pointer for the device")?;
        let processor = Processor::new(Device::open(Generation::V3)?)?;
        let mut devices = devices();
        // Looks like an aligned pointer, in case somebody checks.
        devices.next += 16;
        let handle = devices.next;
        devices.open.insert(handle, Arc::new(Mutex::new(processor)));
        result.set(as_pointer(handle));
        Ok(())
    })
}

unsafe extern "C" fn dev_close(handle: Handle) -> c_int {
    guard("dev_close", || {
        with(handle, |processor| processor.close())?;
        devices().open.remove(&handle.addr());
        Ok(())
    })
}

unsafe extern "C" fn cp_reg_write(handle: Handle, offset: u32, value: u32) -> c_int {
    guard("cp_reg_write", || {
        with(handle, |processor| processor.write(offset, value))
    })
}

unsafe extern "C" fn cp_reg_read(handle: Handle, offset: u32, result: *mut u32) -> c_int {
    guard("cp_reg_read", || {
        let result = Out::new(result, "the pointer for the value")?;
        result.set(with(handle, |processor| processor.read(offset))?);
        Ok(())
    })
}

unsafe extern "C" fn host_mem_alloc(
    handle: Handle,
    size: u64,
    pointer: *mut *mut c_void,
    address: *mut u64,
) -> c_int {
    guard("host_mem_alloc", || {
        let pointer = Out::new(pointer, "the pointer for the memory")?;
        let address = Out::new(address, "the pointer for its address")?;
        let (start, named) = with(handle, |processor| processor.memory.alloc(size))??;
        address.set(named);
        pointer.set(start.as_ptr().cast());
        Ok(())
    })
}

unsafe extern "C" fn host_mem_free(handle: Handle, address: u64) -> c_int {
    guard("host_mem_free", || {
        with(handle, |processor| processor.memory.free(address))?
    })
}
