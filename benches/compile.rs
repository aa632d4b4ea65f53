//! Time from staged IR to a verified image, per example kernel: the median of many runs; and the same while statistics
//! are collected, which cost nothing otherwise.

// Each example brings the module it shares with the others.
#![allow(clippy::duplicate_mod)]

use std::time::{Duration, Instant};
use vortex_kernel::codegen::{CompileError, LaunchTests, Options, Target, compile};
use vortex_kernel::lang::{Kernel, stage};
use vortex_kernel::meta::collect;

#[path = "../examples/dotproduct.rs"]
#[allow(dead_code)]
mod dotproduct;
#[path = "../examples/saxpy.rs"]
#[allow(dead_code)]
mod saxpy;
#[path = "../examples/sgemm.rs"]
#[allow(dead_code)]
mod sgemm;
#[path = "../examples/sobel.rs"]
#[allow(dead_code)]
mod sobel;
#[path = "../examples/vecadd.rs"]
#[allow(dead_code)]
mod vecadd;

const RUNS: usize = 301;

fn measure<K: Kernel>() -> Result<(), Box<dyn std::error::Error>> {
    let ir = stage::<K>()?;
    let target = Target::FULL;
    // As a launch has it.
    let options = Options {
        launch_tests: LaunchTests::Assumed,
        ..Options::default()
    };
    let mut bytes = 0;
    let mut measured = || -> Result<_, CompileError> {
        let mut times = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let start = Instant::now();
            let image = compile(&ir, &target, &options)?;
            times.push(start.elapsed());
            bytes = image.bytes.len();
        }
        times.sort_unstable();
        Ok((times[RUNS / 2], times[0]))
    };
    let (median, least) = measured()?;
    let (counted, _) = collect(measured).0?;
    println!(
        "{:<12} {:>8.0} us {:>8.0} us {:>8.0} us {:>8} bytes  {}",
        K::META.name,
        micros(median),
        micros(least),
        micros(counted),
        bytes,
        if median <= Duration::from_millis(1) {
            "ok"
        } else {
            "OVER 1 ms"
        },
    );
    Ok(())
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:<12} {:>11} {:>11} {:>11} {:>14}",
        "IR to image", "median", "least", "counting", "size"
    );
    measure::<vecadd::vecadd>()?;
    measure::<saxpy::saxpy>()?;
    measure::<dotproduct::dotproduct>()?;
    measure::<sgemm::sgemm>()?;
    measure::<sobel::sobel>()?;
    Ok(())
}
