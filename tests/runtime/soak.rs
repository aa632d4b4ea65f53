//! Many threads, many launches, drivers that fail: every result is right or a typed error, and no memory is lost.
//!
//! A short version by default; `VORTEX_SOAK=10000 cargo test --release --test runtime soak -- --nocapture` has each of
//! 8 threads launch 10,000 kernels.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed as Counted};
use std::thread;

use vortex::prelude::*;
use vortex::{DeviceError, Error, Faults, MemoryError, StreamError};

const THREADS: u64 = 8;
const LEN: usize = 48;

#[vortex::kernel]
fn add_scaled(by: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < y.len() {
        y[i] += by * x[i];
    }
}

#[vortex::kernel]
fn totals(x: &[u32], out: &mut [u32]) {
    let sum = group::reduce_add(x[global_id()]);
    if local_id() == 0 {
        out[group_id()] = sum;
    }
}

#[vortex::kernel]
fn never(bad: u32, x: &mut [u32]) {
    let i = global_id();
    assert!(x[i] != bad, "{} is not wanted", x[i]);
    x[i] = 0;
}

#[vortex::kernel]
fn power<const N: u32>(x: &mut [u32]) {
    let i = global_id();
    let base = x[i];
    for _ in 1..N {
        x[i] *= base;
    }
}

/// splitmix64
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn values(&mut self) -> Vec<u32> {
        (0..LEN).map(|_| self.below(1000) as u32).collect()
    }
}

/// What came of the launches.
#[derive(Default)]
struct Tally {
    right: AtomicU64,
    faults: AtomicU64,
    injected: AtomicU64,
}

impl Tally {
    /// A failure that the driver made up; any other is a mistake.
    fn injected(&self, error: &Error) {
        let expected = match error {
            Error::Memory(MemoryError::OutOfMemory { .. }) => true,
            Error::Device(DeviceError::Driver { message }) => {
                message.ends_with("failed on purpose")
            }
            Error::Stream(StreamError::Skipped { cause }) => {
                cause.contains("failed on purpose") || cause.contains("no free range")
            }
            _ => false,
        };
        assert!(expected, "{error}");
        self.injected.fetch_add(1, Counted);
    }
}

/// One launch, in some way.
fn turn(random: &mut Random, device: &Device, stream: &Stream, tally: &Tally) -> Result<(), Error> {
    let (given, by) = (random.values(), random.below(100) as u32);
    let x = device.upload(&given)?;
    match random.below(6) {
        0 => {
            let mut y = device.upload(&[1; LEN])?;
            add_scaled(by, &x, &mut y).over(LEN).launch(device)?;
            let expected: Vec<u32> = given.iter().map(|x| 1 + by * x).collect();
            assert_eq!(y.download()?, expected);
        }
        1 => {
            let mut out = device.alloc(3)?;
            totals(&x, &mut out).grid(3).block(16).launch(device)?;
            let expected: Vec<u32> = given.chunks(16).map(|group| group.iter().sum()).collect();
            assert_eq!(out.download()?, expected);
        }
        2 => {
            let mut x = x;
            let bad = given[random.below(LEN as u64) as usize];
            let first = given.iter().position(|x| *x == bad).unwrap();
            match never(bad, &mut x).over(LEN).launch(device) {
                Err(Error::Fault(fault)) => {
                    assert_eq!(fault.item, first as u32);
                    tally.faults.fetch_add(1, Counted);
                }
                other => return other.map(|report| panic!("it has not failed: {report}")),
            }
        }
        3 => {
            let mut x = x;
            power::<3>(&mut x).over(LEN).launch(device)?;
            let expected: Vec<u32> = given.iter().map(|x| x * x * x).collect();
            assert_eq!(x.download()?, expected);
        }
        4 => {
            let mut y = device.alloc(LEN)?;
            stream.enqueue_fill(&mut y, 5).detach();
            stream.launch(add_scaled(by, &x, &mut y).over(LEN)).detach();
            // Nobody waits for the launch; its memory is freed by what comes last.
            let read = stream.enqueue_read(&y).release();
            drop((x, y));
            let read = read.wait();
            let failed = stream.wait();
            let expected: Vec<u32> = given.iter().map(|x| 5 + by * x).collect();
            assert_eq!(read?, expected);
            failed?;
        }
        _ => {
            let y = device.upload(&[2; LEN])?;
            let owned = stream.launch_owned((x, y), |(x, y)| add_scaled(by, x, y).over(LEN));
            let result = owned.wait();
            // It has been told already.
            stream.wait().unwrap();
            let ((_, y), _) = result?;
            let expected: Vec<u32> = given.iter().map(|x| 2 + by * x).collect();
            assert_eq!(y.download()?, expected);
        }
    }
    tally.right.fetch_add(1, Counted);
    Ok(())
}

/// Launches every kernel until it succeeds, so that all that a device keeps is there; answers how much that is.
fn memory(device: &Device) -> u64 {
    fn insist<T>(mut f: impl FnMut() -> Result<T, Error>) -> T {
        loop {
            if let Ok(done) = f() {
                return done;
            }
        }
    }
    let x = insist(|| device.upload(&[1; LEN]));
    let mut y = insist(|| device.upload(&[1; LEN]));
    insist(|| add_scaled(1, &x, &mut y).over(LEN).launch(device));
    insist(|| totals(&x, &mut y).grid(3).block(16).launch(device));
    insist(|| never(1000, &mut y).over(LEN).launch(device));
    insist(|| power::<3>(&mut y).over(LEN).launch(device));
    drop((x, y));
    device.memory_used().unwrap()
}

#[test]
fn results_are_right_or_errors_and_memory_comes_back() {
    if super::libvortex::is_in_use() {
        return;
    }
    let turns = match std::env::var("VORTEX_SOAK") {
        Ok(turns) => turns.parse().unwrap(),
        Err(_) => 100,
    };
    let faults = Faults {
        seed: 7,
        alloc: 40,
        write: 60,
        read: 60,
        run: 30,
    };
    let devices = [(1, 4, 4), (2, 4, 8)].map(|(cores, warps, threads)| {
        let shape = Device::builder().cores(cores).warps(warps).threads(threads);
        shape.faults(faults).open().unwrap()
    });
    let before = devices.each_ref().map(memory);
    let tally = Tally::default();
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (devices, tally) = (&devices, &tally);
            scope.spawn(move || {
                let mut random = Random(number);
                let streams = devices.each_ref().map(|device| device.stream().unwrap());
                for _ in 0..turns {
                    let which = random.below(2) as usize;
                    let outcome = turn(&mut random, &devices[which], &streams[which], tally);
                    if let Err(error) = outcome {
                        tally.injected(&error);
                    }
                }
            });
        }
    });
    assert_eq!(devices.each_ref().map(memory), before);
    let [right, failed, injected] =
        [&tally.right, &tally.faults, &tally.injected].map(|count| count.load(Counted));
    println!(
        "{} turns: {right} right, {failed} of them kernels that failed as they should; {injected} errors on purpose",
        THREADS * turns
    );
    assert_eq!(right + injected, THREADS * turns);
    assert!(failed > 0 && injected > 0 && right > injected);
}
