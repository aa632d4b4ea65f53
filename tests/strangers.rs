//! Module files of any content are modules or errors: nothing panics, and what they take of the host's memory is
//! bounded by their size, as docs/registry.md says. In a program of its own, for its allocator.
//!
//! A few seconds by default; `VORTEX_SOAK_SECONDS=300 cargo test --release --test strangers -- --nocapture` goes on
//! for longer, and from another seed with `VORTEX_SOAK_SEED`. `fuzz/src/modules.rs` does the same with
//! libFuzzer.

#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};

use vortex::load::{Checked, Finished};
use vortex::meta::ArgKind;
use vortex::prelude::*;
use vortex::sim::Checks;
use vortex::{Bundle, LocalLen, Module, ModuleLaunch};

/// The system's, keeping account of what this thread has.
struct Counting;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.get() + layout.size();
        LIVE.set(live);
        PEAK.set(PEAK.get().max(live));
        // SAFETY: as for the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get().saturating_sub(layout.size()));
        // SAFETY: as for the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most that a call of `f` has at a time beyond what was there before.
fn peak<R>(f: impl FnOnce() -> R) -> (usize, R) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = f();
    (PEAK.get() - before, result)
}

/// Host memory for each byte of a file, and besides. The limit is 144 (docs/registry.md); these files take less.
const GROWTH: usize = 128;
const BESIDES: usize = 4 << 20;

#[vortex::global]
static COUNT: [u32; 16] = [0; 16];

#[vortex::kernel]
fn scaled(by: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    assert!(by > 0.0, "{by} is not positive");
    y[i] += by * x[i];
}

#[vortex::kernel]
fn counted(x: &[u32], out: &mut [u32]) {
    let tile = local::<[u32; 64]>();
    tile[local_id()] = x[global_id()];
    barrier();
    COUNT.atomic(local_id() % 16).fetch_add(1, Relaxed);
    out[global_id()] = tile[(local_id() + 1) % local_size()];
}

#[vortex::kernel]
fn printing(x: &mut [u32], tile: &mut Local<[u32]>) {
    tile[local_id()] = x[global_id()];
    barrier();
    println!("{} {}", global_id(), tile[0]);
    x[0] = 1;
}

/// splitmix64
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// The file with some of it changed.
    fn mutated(&mut self, seed: &[u8], other: &[u8]) -> Vec<u8> {
        let mut file = seed.to_vec();
        let changes = [1, 1 + self.below(6)][self.below(2)];
        for _ in 0..changes {
            let at = self.below(file.len());
            let room = file.len() - at;
            match self.below(8) {
                0 => file[at] ^= 1 << self.below(8),
                1 => file[at] = self.next() as u8,
                // The largest numbers, as the sections have them and as headers do.
                2 => put(&mut file, at, &[0xff, 0xff, 0xff, 0xff, 0x0f]),
                3 => put(&mut file, at, &u32::MAX.to_le_bytes()),
                4 => put(
                    &mut file,
                    at,
                    &(self.next() as u32 >> self.below(32)).to_le_bytes(),
                ),
                5 => file.truncate(at.max(1)),
                6 => {
                    // More of the same, as lists have it.
                    let part = file[at..at + self.below(room.min(64))].to_vec();
                    let part = part.repeat(1 + self.below(50));
                    file.splice(at..at, part);
                }
                _ => {
                    let from = self.below(other.len());
                    let part = &other[from..from + self.below(other.len() - from)];
                    put(&mut file, at, part);
                }
            }
        }
        file
    }
}

/// Overwrites as much as there is.
fn put(file: &mut [u8], at: usize, bytes: &[u8]) {
    let count = bytes.len().min(file.len() - at);
    file[at..at + count].copy_from_slice(&bytes[..count]);
}

/// Files that are what they should be, in each of the forms; of a pair, the second is the `.vxmeta` file.
fn seeds() -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let all = Module::builder("all")
        .kernel::<scaled>()
        .kernel::<counted>();
    let all = all.kernel::<printing>().statistics().build().unwrap();
    let one = Module::builder("one").kernel::<scaled>().build().unwrap();
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("strangers");
    one.write_dir(&directory).unwrap();
    let read = |name: &str| std::fs::read(directory.join(name)).unwrap();
    let bundle = Bundle::new().with("one", &one).unwrap();
    let bundle = bundle.with("all", &all).unwrap();
    vec![
        (all.to_elf(), None),
        (one.to_elf(), None),
        (bundle.to_bytes(), None),
        (read("scaled.vxbin"), Some(read("scaled.vxmeta"))),
        (read("scaled.vxbin"), None),
    ]
}

/// Gives a kernel arguments of what it says are their types, and runs it.
fn launch(device: &Device, module: &Module, name: &str) -> vortex::Result<()> {
    let args = module.kernel(name).map_or(&[][..], |kernel| kernel.args());
    let mut buffers = Vec::new();
    for _ in args.iter().take(8) {
        buffers.push(device.alloc::<u8>(4096)?);
    }
    let mut memory = buffers.iter_mut();
    let mut launch: ModuleLaunch<'_> = module.launch(name)?;
    for arg in args {
        launch = match (arg.kind, &*arg.rust_type) {
            (ArgKind::Slice | ArgKind::Pointer, _) => match memory.next() {
                Some(buffer) => launch.bytes(&arg.name, buffer)?,
                None => return Ok(()),
            },
            (ArgKind::LocalSize, _) => launch.local(&arg.name, LocalLen(8))?,
            (_, "f32") => launch.scalar(&arg.name, 1.5f32)?,
            (_, _) => launch.value_bytes(&arg.name, &vec![0; arg.element_size.min(64) as usize])?,
        };
    }
    launch.grid(4).block(8).launch(device).map(drop)
}

/// Reads a file and launches what is in it. Returns what a mutation can come to: nothing, a module, a module whose
/// kernels ran.
fn try_file(device: &Device, file: &[u8], beside: Option<&[u8]>) -> [bool; 3] {
    let size = file.len() + beside.map_or(0, <[u8]>::len);
    let began = Instant::now();
    let (taken, finished) = peak(|| {
        let checked = match beside {
            Some(beside) => Checked::read_pair(file, beside),
            None => Checked::read(file),
        };
        let analysed = checked.ok()?.analyse();
        // A program may be where the device's own memory is.
        (!analysed.is_program()).then(|| analysed.for_device(device).ok())?
    });
    assert!(
        taken <= GROWTH * size + BESIDES,
        "{taken} bytes for a file of {size}"
    );
    let Some(Finished::Module(module)) = finished else {
        return [true, false, false];
    };
    let names: Vec<String> = module
        .kernels()
        .iter()
        .map(|kernel| kernel.name.clone())
        .collect();
    let mut ran = false;
    for name in names.iter().take(4) {
        match launch(device, &module, name) {
            Ok(()) => ran = true,
            Err(error) => drop(error.to_string()),
        }
    }
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "{:?}",
        began.elapsed()
    );
    [true, true, ran]
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn files_of_any_content_are_modules_or_errors() {
    let limit = Duration::from_secs(number("VORTEX_SOAK_SECONDS").unwrap_or(3));
    let mut random = Random(number("VORTEX_SOAK_SEED").unwrap_or(1));
    let device = Device::builder().cores(1).warps(2).threads(4);
    let device = device.instruction_budget(20_000).open().unwrap();
    let seeds = seeds();
    for (file, beside) in &seeds[..4] {
        assert_eq!(try_file(&device, file, beside.as_deref()), [true; 3]);
    }
    // What the device has for each launch is there now; the rest goes with the modules.
    let before = device.memory_used().unwrap();
    let (mut files, mut modules, mut runs) = (0u64, 0u64, 0u64);
    let began = Instant::now();
    while began.elapsed() < limit {
        let (file, beside) = &seeds[random.below(seeds.len())];
        let (other, _) = &seeds[random.below(seeds.len())];
        let (file, beside) = match beside {
            Some(beside) if random.below(4) > 0 => {
                (file.clone(), Some(random.mutated(beside, other)))
            }
            beside => (random.mutated(file, other), beside.clone()),
        };
        let [_, is_module, ran] = try_file(&device, &file, beside.as_deref());
        files += 1;
        modules += u64::from(is_module);
        runs += u64::from(ran);
        assert!(device.memory_used().unwrap() <= before, "{files}");
    }
    println!("{files} files: {modules} of them modules, {runs} of these with kernels that ran");
    assert!(files > modules && modules > runs && runs > 0);
}

#[test]
fn a_module_leaves_nothing_in_memory() {
    // Without checks: the device looks out for accesses to what was freed, and so does not use it again soon.
    let device = Device::builder().cores(1).warps(2).threads(4);
    let device = device.checks(Checks::none()).open().unwrap();
    let module = Module::builder("all")
        .kernel::<scaled>()
        .kernel::<counted>();
    let file = module.build().unwrap().to_elf();
    let mut live = Vec::new();
    for round in 0..4 {
        for number in 0..50 {
            // Names of their own, as long as the one that they replace.
            let name = format!("k{round}{number:05}");
            let mut file = file.clone();
            let places = (0..file.len()).filter(|at| file[*at..].starts_with(b"counted"));
            for at in places.collect::<Vec<_>>() {
                put(&mut file, at, name.as_bytes());
            }
            let module = device.module_from_bytes(&file).unwrap();
            launch(&device, &module, "scaled").unwrap();
            launch(&device, &module, &name).unwrap();
        }
        live.push(LIVE.get());
    }
    assert!(live[3] <= live[1] + 2048, "{live:?}");
}

#[test]
fn the_peak_is_counted() {
    let (peak, _) = peak(|| drop(vec![0u8; 1 << 20]));
    assert!((1 << 20..1 << 21).contains(&peak), "{peak}");
}
