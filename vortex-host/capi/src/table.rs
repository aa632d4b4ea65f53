//! The table of functions that Vortex's runtime calls.
//!
//! They all return 0 on success, -1 on failure, or -2 if the kernel has ended by a fault; they check what can be
//! checked about their pointers, and no panic escapes.

use crate::boundary::{Handle, Out, as_pointer, guard};
use crate::caps;
use crate::command;
use crate::device::Device;
use crate::failure::Failure;
use crate::handle::{self, Buffer};
use crate::runtime;
use std::ffi::{c_int, c_void};
use vortex_sim::environment::Environment;
use vortex_sim::{Access, Generation, layout};

/// The functions of a driver, in the order of Vortex's `callbacks_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Callbacks {
    /// Opens a device.
    pub dev_open: unsafe extern "C" fn(*mut Handle) -> c_int,
    /// Closes a device, after the kernel if one runs. Its buffers are gone with it.
    pub dev_close: unsafe extern "C" fn(Handle) -> c_int,
    /// Reads a property of the device.
    pub dev_caps: unsafe extern "C" fn(Handle, u32, *mut u64) -> c_int,
    /// Allocates device memory of a size, with access flags.
    pub mem_alloc: unsafe extern "C" fn(Handle, u64, c_int, *mut Handle) -> c_int,
    /// Allocates device memory at an address.
    pub mem_reserve: unsafe extern "C" fn(Handle, u64, u64, c_int, *mut Handle) -> c_int,
    /// Frees a buffer; null is allowed.
    pub mem_free: unsafe extern "C" fn(Handle) -> c_int,
    /// Sets the access flags of a part of a buffer, given by offset and size.
    pub mem_access: unsafe extern "C" fn(Handle, u64, u64, c_int) -> c_int,
    /// Reads a buffer's device address.
    pub mem_address: unsafe extern "C" fn(Handle, *mut u64) -> c_int,
    /// Reads how much memory is free and used; either pointer may be null.
    pub mem_info: unsafe extern "C" fn(Handle, *mut u64, *mut u64) -> c_int,
    /// Copies to a buffer, at an offset, a number of bytes.
    pub copy_to_dev: unsafe extern "C" fn(Handle, *const c_void, u64, u64) -> c_int,
    /// Copies from a buffer, at an offset, a number of bytes.
    pub copy_from_dev: unsafe extern "C" fn(*mut c_void, Handle, u64, u64) -> c_int,
    /// Starts the kernel in a buffer with the arguments in another, and returns at once.
    pub start: unsafe extern "C" fn(Handle, Handle, Handle) -> c_int,
    /// Waits that many milliseconds for the kernel. -1 if it is not done by then, -2 if it ended by a fault.
    pub ready_wait: unsafe extern "C" fn(Handle, u64) -> c_int,
    /// Reads a device configuration register.
    pub dcr_read: unsafe extern "C" fn(Handle, u32, *mut u32) -> c_int,
    /// Writes a device configuration register.
    pub dcr_write: unsafe extern "C" fn(Handle, u32, u32) -> c_int,
    /// Reads a counter (0xB00 to 0xB1F) that the last kernel left, of one core.
    pub mpm_query: unsafe extern "C" fn(Handle, u32, u32, *mut u64) -> c_int,
}

const TABLE: Callbacks = Callbacks {
    dev_open,
    dev_close,
    dev_caps,
    mem_alloc,
    mem_reserve,
    mem_free,
    mem_access,
    mem_address,
    mem_info,
    copy_to_dev,
    copy_from_dev,
    start,
    ready_wait,
    dcr_read,
    dcr_write,
    mpm_query,
};

/// Fills the table. What Vortex's runtime looks up by name.
///
/// The runtime of Vortex 3 has a shorter table of other functions. Which it is, is seen where the program is linked to
/// it; a program that loads it for itself alone says so by `VORTEX_GENERATION=3`.
///
/// # Safety
/// `callbacks` is null or points to room for the table of the runtime's generation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vx_dev_init(callbacks: *mut c_void) -> c_int {
    guard("vx_dev_init", || {
        let asked = Environment::read()?.config.generation;
        let what = "the table of callbacks";
        match runtime::generation().unwrap_or(asked) {
            Generation::V2 if asked == Generation::V3 => Err(Failure::Generation(asked)),
            Generation::V2 => {
                Out::new(callbacks.cast(), what)?.set(TABLE);
                Ok(())
            }
            Generation::V3 => {
                Out::new(callbacks.cast(), what)?.set(command::table::TABLE);
                Ok(())
            }
        }
    })
}

fn access(flags: c_int) -> Result<Access, Failure> {
    Ok(match flags {
        0 | 4 => Access::None,
        1 | 5 => Access::Read,
        2 | 6 => Access::Write,
        3 | 7 => Access::ReadWrite,
        _ => return Err(Failure::Flags(flags)),
    })
}

fn device(handle: Handle) -> Result<std::sync::Arc<Device>, Failure> {
    if handle.is_null() {
        return Err(Failure::Null("the device"));
    }
    handle::device(handle.addr())
}

fn buffer(handle: Handle) -> Result<Buffer, Failure> {
    if handle.is_null() {
        return Err(Failure::Null("the buffer"));
    }
    handle::buffer(handle.addr())
}

// SAFETY of all functions below, for their callers: a pointer for a result is null or may be written through; a
// pointer to data is null or points to as many bytes as the call says. Handles may be anything.

unsafe extern "C" fn dev_open(result: *mut Handle) -> c_int {
    guard("dev_open", || {
        let result = Out::new(result, "the pointer for the device")?;
        result.set(as_pointer(handle::add_device(Device::open(
            Generation::V2,
        )?)));
        Ok(())
    })
}

unsafe extern "C" fn dev_close(handle: Handle) -> c_int {
    guard("dev_close", || {
        device(handle)?;
        handle::remove_device(handle.addr())?.close();
        Ok(())
    })
}

unsafe extern "C" fn dev_caps(handle: Handle, id: u32, result: *mut u64) -> c_int {
    guard("dev_caps", || {
        let device = device(handle)?;
        let result = Out::new(result, "the pointer for the value")?;
        result.set(caps::value(device.config(), id)?);
        Ok(())
    })
}

unsafe extern "C" fn mem_alloc(
    handle: Handle,
    size: u64,
    flags: c_int,
    result: *mut Handle,
) -> c_int {
    guard("mem_alloc", || {
        let device = device(handle)?;
        let result = Out::new(result, "the pointer for the buffer")?;
        let access = access(flags)?;
        let address = device.with_machine(|machine| machine.alloc(size, access))?;
        let buffer = Buffer {
            device,
            address,
            size,
        };
        result.set(as_pointer(handle::add_buffer(buffer)));
        Ok(())
    })
}

unsafe extern "C" fn mem_reserve(
    handle: Handle,
    address: u64,
    size: u64,
    flags: c_int,
    result: *mut Handle,
) -> c_int {
    guard("mem_reserve", || {
        let device = device(handle)?;
        let result = Out::new(result, "the pointer for the buffer")?;
        let access = access(flags)?;
        let address = u32::try_from(address).map_err(|_| Failure::Address(address))?;
        device.with_machine(|machine| match address {
            ..layout::USER => machine.reserve_io(address, size, access),
            _ => machine.reserve(address, size, access),
        })?;
        let buffer = Buffer {
            device,
            address,
            size,
        };
        result.set(as_pointer(handle::add_buffer(buffer)));
        Ok(())
    })
}

unsafe extern "C" fn mem_free(handle: Handle) -> c_int {
    guard("mem_free", || {
        if handle.is_null() {
            return Ok(());
        }
        let Buffer {
            device, address, ..
        } = handle::remove_buffer(handle.addr())?;
        Ok(device.with_machine(|machine| machine.free(address))?)
    })
}

unsafe extern "C" fn mem_access(handle: Handle, offset: u64, size: u64, flags: c_int) -> c_int {
    guard("mem_access", || {
        let buffer = buffer(handle)?;
        let access = access(flags)?;
        let address = buffer.part(offset, size)?;
        if size > 0 {
            let device = buffer.device;
            device.with_machine(|machine| machine.set_access(address, size, access))?;
        }
        Ok(())
    })
}

unsafe extern "C" fn mem_address(handle: Handle, result: *mut u64) -> c_int {
    guard("mem_address", || {
        let buffer = buffer(handle)?;
        let result = Out::new(result, "the pointer for the address")?;
        result.set(u64::from(buffer.address));
        Ok(())
    })
}

unsafe extern "C" fn mem_info(handle: Handle, free: *mut u64, used: *mut u64) -> c_int {
    guard("mem_info", || {
        let info = device(handle)?.with_machine(|machine| machine.mem_info());
        for (result, value) in [(free, info.free), (used, info.used)] {
            if let Ok(result) = Out::new(result, "") {
                result.set(value);
            }
        }
        Ok(())
    })
}

unsafe extern "C" fn copy_to_dev(
    handle: Handle,
    source: *const c_void,
    offset: u64,
    size: u64,
) -> c_int {
    guard("copy_to_dev", || {
        let buffer = buffer(handle)?;
        if source.is_null() {
            return Err(Failure::Null("the source"));
        }
        let address = buffer.part(offset, size)?;
        if size == 0 {
            return Ok(());
        }
        // SAFETY: not null, and as long as the caller says; a buffer has no more than 4 GiB.
        let bytes = unsafe { std::slice::from_raw_parts(source.cast::<u8>(), size as usize) };
        let device = buffer.device;
        Ok(device.with_machine(|machine| machine.write(address, bytes))?)
    })
}

unsafe extern "C" fn copy_from_dev(
    destination: *mut c_void,
    handle: Handle,
    offset: u64,
    size: u64,
) -> c_int {
    guard("copy_from_dev", || {
        let buffer = buffer(handle)?;
        if destination.is_null() {
            return Err(Failure::Null("the destination"));
        }
        let address = buffer.part(offset, size)?;
        if size == 0 {
            return Ok(());
        }
        // SAFETY: not null, and as long as the caller says. Rust wants bytes to hold something before there is a
        // slice of them.
        let bytes = unsafe {
            destination.write_bytes(0, size as usize);
            std::slice::from_raw_parts_mut(destination.cast::<u8>(), size as usize)
        };
        let device = buffer.device;
        Ok(device.with_machine(|machine| machine.read(address, bytes))?)
    })
}

unsafe extern "C" fn start(handle: Handle, kernel: Handle, arguments: Handle) -> c_int {
    guard("start", || {
        let device = device(handle)?;
        let (kernel, arguments) = (buffer(kernel)?, buffer(arguments)?);
        for (buffer, what) in [(&kernel, "kernel"), (&arguments, "argument")] {
            if !std::sync::Arc::ptr_eq(&buffer.device, &device) {
                return Err(Failure::OtherDevice(what));
            }
        }
        device.start(kernel.address, arguments.address)
    })
}

unsafe extern "C" fn ready_wait(handle: Handle, milliseconds: u64) -> c_int {
    guard("ready_wait", || device(handle)?.wait(milliseconds))
}

unsafe extern "C" fn dcr_read(handle: Handle, address: u32, result: *mut u32) -> c_int {
    guard("dcr_read", || {
        let device = device(handle)?;
        let result = Out::new(result, "the pointer for the value")?;
        result.set(device.read_register(address)?);
        Ok(())
    })
}

unsafe extern "C" fn dcr_write(handle: Handle, address: u32, value: u32) -> c_int {
    guard("dcr_write", || {
        device(handle)?.write_register(address, value)
    })
}

unsafe extern "C" fn mpm_query(handle: Handle, counter: u32, core: u32, result: *mut u64) -> c_int {
    guard("mpm_query", || {
        const FIRST: u32 = 0xb00;
        let device = device(handle)?;
        let result = Out::new(result, "the pointer for the value")?;
        let slot = counter
            .checked_sub(FIRST)
            .filter(|&slot| slot < layout::DUMP_BYTES / 8)
            .ok_or(Failure::Counter(counter))?;
        let cores = device.config().cores;
        if core >= cores {
            return Err(Failure::Core { core, cores });
        }
        // What nobody wrote reads as on Vortex's simulator, which programs may look for.
        let unwritten = u64::from(layout::UNINITIALISED) << 32 | u64::from(layout::UNINITIALISED);
        let value = device.with_machine(|machine| machine.dumped(core, slot));
        result.set(value.unwrap_or(unwritten));
        Ok(())
    })
}
