//! Handles: numbers that stand for open devices and live buffers.

use crate::device::Device;
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Device memory with a live handle.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub(crate) device: Arc<Device>,
    pub(crate) address: u32,
    pub(crate) size: u64,
}

impl Buffer {
    /// The address of a part of the buffer.
    pub(crate) fn part(&self, offset: u64, size: u64) -> Result<u32, Failure> {
        match offset.checked_add(size) {
            // The buffer ends at most where the address space does; an empty part at that end starts nowhere else.
            Some(end) if end <= self.size => Ok(self.address.wrapping_add(offset as u32)),
            _ => Err(Failure::OutOfBuffer {
                offset,
                size,
                buffer: self.size,
            }),
        }
    }
}

struct Handles {
    next: usize,
    devices: BTreeMap<usize, Arc<Device>>,
    buffers: BTreeMap<usize, Buffer>,
}

static HANDLES: Mutex<Handles> = Mutex::new(Handles {
    next: 0,
    devices: BTreeMap::new(),
    buffers: BTreeMap::new(),
});

/// A panic leaves the maps as they were before or after an insertion or removal.
fn handles() -> MutexGuard<'static, Handles> {
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Handles {
    /// A number that was never given out. Looks like an aligned pointer, in case somebody checks.
    fn fresh(&mut self) -> usize {
        self.next += 16;
        self.next
    }
}

pub(crate) fn add_device(device: Device) -> usize {
    let mut handles = handles();
    let handle = handles.fresh();
    handles.devices.insert(handle, Arc::new(device));
    handle
}

pub(crate) fn device(handle: usize) -> Result<Arc<Device>, Failure> {
    handles()
        .devices
        .get(&handle)
        .cloned()
        .ok_or(Failure::NoDevice)
}

/// Removes a device and all of its buffers.
pub(crate) fn remove_device(handle: usize) -> Result<Arc<Device>, Failure> {
    let mut handles = handles();
    let device = handles.devices.remove(&handle).ok_or(Failure::NoDevice)?;
    handles
        .buffers
        .retain(|_, buffer| !Arc::ptr_eq(&buffer.device, &device));
    Ok(device)
}

pub(crate) fn add_buffer(buffer: Buffer) -> usize {
    let mut handles = handles();
    let handle = handles.fresh();
    handles.buffers.insert(handle, buffer);
    handle
}

pub(crate) fn buffer(handle: usize) -> Result<Buffer, Failure> {
    handles()
        .buffers
        .get(&handle)
        .cloned()
        .ok_or(Failure::NoBuffer)
}

pub(crate) fn remove_buffer(handle: usize) -> Result<Buffer, Failure> {
    handles().buffers.remove(&handle).ok_or(Failure::NoBuffer)
}
