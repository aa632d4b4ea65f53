//! What a launch costs the host, beside running the kernel: an empty kernel's launch in its steps, medians of many, and
//! how often the heap is used in one. At most 5 us and no allocation are what the embedded device is held to.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use vortex::prelude::*;
use vortex::{Report, Steps};

/// The system's allocator, counting.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as for the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as for the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[vortex::kernel]
fn nothing() {}

#[vortex::kernel]
fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] += alpha * x[i];
}

const RUNS: usize = 10_001;

fn measure(name: &str, mut launch: impl FnMut() -> vortex::Result<Report>) -> vortex::Result<()> {
    launch()?;
    let mut totals = Vec::with_capacity(RUNS);
    let mut steps: Vec<Steps> = Vec::with_capacity(RUNS);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for _ in 0..RUNS {
        let start = Instant::now();
        let report = black_box(launch()?);
        totals.push(start.elapsed());
        steps.push(report.steps());
    }
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    let median = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[RUNS / 2].as_secs_f64() * 1e6
    };
    let step = |of: fn(&Steps) -> Duration| median(steps.iter().map(of).collect());
    println!(
        "{name:<28} {:>7.2} {:>7.2} {:>7.2} {:>7.2} {:>7.2} us {:>8.2}",
        step(|steps| steps.pack),
        step(|steps| steps.upload),
        step(|steps| steps.start),
        step(|steps| steps.wait),
        median(totals),
        allocations as f64 / RUNS as f64,
    );
    Ok(())
}

fn main() -> vortex::Result<()> {
    println!(
        "{:<28} {:>7} {:>7} {:>7} {:>7} {:>7}    {:>8}",
        "", "pack", "upload", "start", "wait", "total", "allocs"
    );
    let device = Device::open()?;
    measure("nothing, 1 item", || nothing().over(1).launch(&device))?;
    let harts = device.caps().harts() as usize;
    measure("nothing, an item per lane", || {
        nothing().over(harts).launch(&device)
    })?;
    let x = device.upload(&[1.0f32; 64])?;
    let mut y = device.alloc(64)?;
    measure("saxpy, 64 items", || {
        saxpy(2.0, &x, &mut y).over(64).launch(&device)
    })?;
    let stream = device.stream()?;
    measure("nothing, 1 item, on a stream", || {
        stream.launch(nothing().over(1)).wait()
    })
}
