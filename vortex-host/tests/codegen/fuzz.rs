//! Generated kernels, as many as one likes: the interpreter against the compiler and the embedded device.
//!
//! ```text
//! cargo run --release -p vortex-host --example fuzz -- --seed 1 --count 3000
//! ```
//!
//! Every kernel runs on the interpreter and, at every level of optimisation, on the device. The seed decides the
//! kernels and nothing else does. At the first mismatch the kernel is made as small as it gets, shown, and the command
//! ends with 1. A chunk is a hundred kernels; `--from C` begins with that chunk, to see one again.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod case;
mod device;
mod failing;
mod generate;
mod never;
mod objects;
mod order;
mod order_loops;
mod order_values;
mod pointers;
mod run;
mod together;
mod told;
mod values;
mod variables;

use case::Case;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Kernels that share a seed.
const CHUNK: u64 = 100;

struct Wanted {
    seed: u64,
    count: u64,
    /// The first chunk.
    from: u64,
}

fn wanted(mut arguments: impl Iterator<Item = String>) -> Result<Wanted, String> {
    let mut wanted = Wanted {
        seed: 1,
        count: 3000,
        from: 0,
    };
    while let Some(name) = arguments.next() {
        let field = match name.as_str() {
            "--seed" => &mut wanted.seed,
            "--count" => &mut wanted.count,
            "--from" => &mut wanted.from,
            _ => {
                return Err(format!(
                    "`{name}` is not known here; there are `--seed S`, `--count N` and `--from CHUNK`"
                ));
            }
        };
        let value = arguments.next().unwrap_or_default();
        *field = value
            .parse()
            .map_err(|_| format!("`{name}` needs a number, not `{value}`"))?;
    }
    Ok(wanted)
}

/// Runs `count` kernels of a chunk. Its number says of which kind they are: a quarter of the chunks has kernels of
/// items, and one those of groups; small kernels with checks are most of the others.
fn run(seed: u64, chunk: u64, count: u32) -> Result<(), String> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&chunk.to_le_bytes());
    let config = Config {
        cases: count,
        max_shrink_iters: 1000,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let runner = TestRunner::new_with_rng(config, rng);
    match chunk % 16 {
        0 | 4 | 8 | 12 => check(runner, &case::of_items(), chunk),
        2 | 10 => check(runner, &case::of_lookups(), chunk),
        5 => check(runner, &case::of_order_of_groups(), chunk),
        6 | 7 | 13 | 14 | 15 => check(runner, &case::of_order(), chunk),
        _ => check(runner, &case::of_groups(), chunk),
    }
}

fn check(
    mut runner: TestRunner,
    cases: &impl Strategy<Value = Case>,
    chunk: u64,
) -> Result<(), String> {
    let told = AtomicBool::new(false);
    let result = runner.run(cases, |case| {
        let result = case.check();
        // To make it smaller may take long, above all where the device does not come to an end.
        if let Err(TestCaseError::Fail(what)) = &result
            && !told.swap(true, Ordering::Relaxed)
        {
            println!(
                "in chunk {chunk} (`--from {chunk}`): {what}\n{case:?}\nnow it is made smaller"
            );
        }
        result
    });
    result.map_err(|e| e.to_string())
}

fn main() -> ExitCode {
    let wanted = match wanted(std::env::args().skip(1)) {
        Ok(wanted) => wanted,
        Err(what) => {
            eprintln!("{what}");
            return ExitCode::FAILURE;
        }
    };
    // The runner shows the smallest failing kernel; those on the way to it are of no interest.
    std::panic::set_hook(Box::new(|_| ()));
    let start = Instant::now();
    let chunks = wanted.count.div_ceil(CHUNK);
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let failure = Mutex::new(None);
    let work = || {
        while failure.lock().unwrap().is_none() {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return;
            }
            let count = CHUNK.min(wanted.count - chunk * CHUNK);
            if let Err(what) = run(wanted.seed, wanted.from + chunk, count as u32) {
                failure.lock().unwrap().get_or_insert(what);
            }
            let done = done.fetch_add(count, Ordering::Relaxed) + count;
            if done / 10_000 != (done - count) / 10_000 {
                println!("{done} kernels, {:.0?}", start.elapsed());
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    if let Some(what) = failure.into_inner().unwrap() {
        println!("{what}");
        return ExitCode::FAILURE;
    }
    println!(
        "{} kernels of seed {} from chunk {}, at {} levels of optimisation: no mismatch ({:.0?})",
        wanted.count,
        wanted.seed,
        wanted.from,
        vortex_kernel::opt::Level::ALL.len(),
        start.elapsed()
    );
    ExitCode::SUCCESS
}
