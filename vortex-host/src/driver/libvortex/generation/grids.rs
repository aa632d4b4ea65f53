//! Launches of grids, through the functions of Vortex 3's `vortex2.h`. One queue launches: two would mix up the
//! registers that describe their launches.

use std::ffi::{c_int, c_void};
use std::mem::size_of;
use std::ptr;
use std::time::Duration;

use libloading::Library;

use crate::driver::interface::{DriverError, RuntimeTimes};
use crate::driver::libvortex::api::{Handle, function};
use crate::driver::libvortex::check;
use vortex_sim::Grid;

/// `vx_launch_info_t`: here, that the registers have been written already.
#[repr(C)]
struct LaunchInfo {
    struct_size: usize,
    next: *const c_void,
    kernel: Handle,
    arguments: *const c_void,
    arguments_size: usize,
    dimensions: u32,
    grid: [u32; 3],
    block: [u32; 3],
    local_bytes: u32,
    cluster: [u32; 3],
}

/// `vx_queue_info_t`.
#[repr(C)]
struct QueueInfo {
    struct_size: usize,
    next: *const c_void,
    priority: c_int,
    flags: u32,
}

/// A queue that takes the times of its commands, at normal priority.
const PROFILED: QueueInfo = QueueInfo {
    struct_size: size_of::<QueueInfo>(),
    next: ptr::null(),
    priority: 1,
    flags: 1,
};

/// `vx_profile_info_t`: nanoseconds of a clock that only advances.
#[repr(C)]
#[derive(Default)]
struct Profile {
    queued: u64,
    submitted: u64,
    started: u64,
    ended: u64,
}

impl Profile {
    /// Nothing if it is not in order.
    fn times(&self) -> Option<RuntimeTimes> {
        let between = |from: u64, to: u64| to.checked_sub(from).map(Duration::from_nanos);
        Some(RuntimeTimes {
            queued: between(self.queued, self.submitted)?,
            submitted: between(self.submitted, self.started)?,
            ran: between(self.started, self.ended)?,
        })
    }
}

/// What a timed-out wait returns.
const TIMEOUT: c_int = 7;

/// The functions that launch. All return 0 when they did what was asked.
#[derive(Clone, Copy)]
struct Functions {
    /// Device, properties, result.
    queue_create: unsafe extern "C" fn(Handle, *const c_void, *mut Handle) -> c_int,
    queue_release: unsafe extern "C" fn(Handle) -> c_int,
    /// Queue, register, value, how many events to wait for, these, result.
    enqueue_dcr_write:
        unsafe extern "C" fn(Handle, u32, u32, u32, *const Handle, *mut Handle) -> c_int,
    enqueue_launch:
        unsafe extern "C" fn(Handle, *const LaunchInfo, u32, *const Handle, *mut Handle) -> c_int,
    /// Event, value, nanoseconds.
    event_wait_value: unsafe extern "C" fn(Handle, u64, u64) -> c_int,
    event_release: unsafe extern "C" fn(Handle) -> c_int,
    event_get_profiling: unsafe extern "C" fn(Handle, *mut Profile) -> c_int,
}

/// A launch to be made.
pub(in crate::driver::libvortex) struct Job {
    /// Where warps start, and what they find in their argument register.
    pub(in crate::driver::libvortex) start: u32,
    pub(in crate::driver::libvortex) argument: u32,
    pub(in crate::driver::libvortex) grid: Grid,
    /// Lanes of a warp.
    pub(in crate::driver::libvortex) threads: u32,
}

impl Job {
    /// The registers that describe it.
    fn registers(&self) -> impl Iterator<Item = (u32, u32)> {
        let Job {
            start,
            argument,
            grid,
            threads,
        } = *self;
        let [x, y, z] = grid.items.map(|n| n.max(1));
        // The place in its group of the first item of the second warp.
        let step = [threads % x, threads / x % y, threads / x / y % z];
        let [bx, by, bz] = grid.items;
        let [gx, gy, gz] = grid.groups;
        let words = [
            // Addresses have 64 bits.
            [start, 0, grid.entry, 0, argument, 0].as_slice(),
            &[bx, by, bz, gx, gy, gz, grid.local_bytes, bx * by * bz],
            &step,
            // Clusters of one group.
            &[1, 1, 1],
        ]
        .concat();
        (0x010..).zip(words)
    }
}

/// The queue that launches.
pub(super) struct Grids {
    functions: Functions,
    queue: Handle,
    /// The launch that has not been waited for.
    pending: Handle,
    /// When the runtime did what for the last launch that has ended, if it says so.
    times: Option<RuntimeTimes>,
}

// SAFETY: the runtime binds its handles to no thread.
unsafe impl Send for Grids {}

impl Grids {
    /// Nothing if the runtime does not have all of the functions.
    pub(super) fn of(library: &Library) -> Option<Self> {
        // SAFETY: `vortex2.h` gives the functions of these names these signatures.
        let functions = unsafe {
            Functions {
                queue_create: function(library, "vx_queue_create").ok()?,
                queue_release: function(library, "vx_queue_release").ok()?,
                enqueue_dcr_write: function(library, "vx_enqueue_dcr_write").ok()?,
                enqueue_launch: function(library, "vx_enqueue_launch").ok()?,
                event_wait_value: function(library, "vx_event_wait_value").ok()?,
                event_release: function(library, "vx_event_release").ok()?,
                event_get_profiling: function(library, "vx_event_get_profiling").ok()?,
            }
        };
        Some(Self {
            functions,
            queue: ptr::null_mut(),
            pending: ptr::null_mut(),
            times: None,
        })
    }

    /// Queues a launch.
    pub(super) fn launch(&mut self, device: Handle, job: &Job) -> Result<(), DriverError> {
        let Functions {
            queue_create,
            enqueue_dcr_write,
            enqueue_launch,
            ..
        } = self.functions;
        if self.queue.is_null() {
            let properties = ptr::from_ref(&PROFILED).cast();
            // SAFETY: an open device, properties that the runtime copies or none, and a pointer valid for a write.
            let code = unsafe {
                match queue_create(device, properties, &mut self.queue) {
                    0 => 0,
                    // Times are not worth a launch.
                    _ => queue_create(device, ptr::null(), &mut self.queue),
                }
            };
            check("vx_queue_create", code)?;
        }
        for (register, value) in job.registers() {
            // SAFETY: an open queue, no events, and none wanted.
            let code = unsafe {
                enqueue_dcr_write(self.queue, register, value, 0, ptr::null(), ptr::null_mut())
            };
            check("vx_enqueue_dcr_write", code)?;
        }
        let info = LaunchInfo {
            struct_size: size_of::<LaunchInfo>(),
            next: ptr::null(),
            kernel: ptr::null_mut(),
            arguments: ptr::null(),
            arguments_size: 0,
            dimensions: 0,
            grid: [0; 3],
            block: [0; 3],
            local_bytes: 0,
            cluster: [0; 3],
        };
        // SAFETY: as above; the runtime copies what it needs of the description, and the pointer is valid for a write.
        let code = unsafe { enqueue_launch(self.queue, &info, 0, ptr::null(), &mut self.pending) };
        check("vx_enqueue_launch", code)
    }

    /// Waits for that launch. Returns as the runtime does; what is not 0 leaves open whether it has ended.
    pub(super) fn wait(&mut self, most: Duration) -> c_int {
        let nanoseconds = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        let pending = std::mem::replace(&mut self.pending, ptr::null_mut());
        if pending.is_null() {
            return TIMEOUT;
        }
        let mut profile = Profile::default();
        // SAFETY: a live event, which is given back once, and a pointer valid for a write.
        unsafe {
            let code = (self.functions.event_wait_value)(pending, 1, nanoseconds);
            let is_profiled =
                code == 0 && (self.functions.event_get_profiling)(pending, &mut profile) == 0;
            self.times = profile.times().filter(|_| is_profiled);
            (self.functions.event_release)(pending);
            code
        }
    }

    /// When the runtime did what for the launch that was waited for last.
    pub(super) fn take_times(&mut self) -> Option<RuntimeTimes> {
        self.times.take()
    }

    /// Gives the queue back, on which nothing is pending.
    pub(super) fn close(&self) {
        if !self.queue.is_null() {
            // SAFETY: made by the runtime, and this is the end of it.
            unsafe { (self.functions.queue_release)(self.queue) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of `VX_types.toml`.
    #[test]
    fn registers_describe_a_launch() {
        let job = Job {
            start: 0x8000_0000,
            argument: 0x2_0000,
            grid: Grid {
                groups: [10, 20, 30],
                items: [3, 2, 5],
                local_bytes: 640,
                entry: 0x8000_0040,
            },
            threads: 4,
        };
        let registers: Vec<_> = job.registers().collect();
        assert_eq!(registers.len(), 20);
        let value = |number| registers.iter().find(|(n, _)| *n == number).unwrap().1;
        assert_eq!(
            [0x010, 0x012, 0x014].map(value),
            [0x8000_0000, 0x8000_0040, 0x2_0000]
        );
        assert_eq!([0x016, 0x017, 0x018].map(value), [3, 2, 5]);
        assert_eq!([0x019, 0x01a, 0x01b].map(value), [10, 20, 30]);
        assert_eq!([0x01c, 0x01d].map(value), [640, 30]);
        // Item 4 is at (1, 1, 0).
        assert_eq!([0x01e, 0x01f, 0x020].map(value), [1, 1, 0]);
        assert_eq!([0x021, 0x022, 0x023].map(value), [1; 3]);
    }
}
