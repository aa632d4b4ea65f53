//! Kernels in natural Rust with slices, next to the same algorithm in C++ compiled by clang -O3, both on the cycle
//! model, which follows the RTL to the cycle: it depends on the source, the target and the launch's shape alone, so
//! nothing jitters.
//!
//! ```text
//! cargo bench --bench device_code              all
//! cargo bench --bench device_code -- stencil   those with that in their names
//! cargo bench --bench device_code -- sgemv --listing    and what the compiler made of them, for the smallest shape
//! cargo bench --bench device_code -- --smallest         all, for the smallest shape
//! cargo bench --bench device_code -- --aside            another set, which the compiler is not tuned with:
//!                                                       also with names, `--listing` and `--smallest`
//! cargo bench --bench device_code -- --search           how much better they get if the optimiser chooses by others
//! cargo bench --bench device_code -- --search --v3      the same on Vortex 3
//! cargo bench --bench device_code -- --search --once    each choice by itself, for the smallest shape
//! cargo bench --bench device_code -- --runtime          cycles on the device that the environment names, such as
//!                                                       Vortex's RTL: VORTEX_DRIVER=rtlsim, see docs/driver.md
//! cargo bench --bench device_code -- --runtime gate     the same for the programs of Vortex 3's own gate
//! cargo bench --bench device_code -- --watch            what the device's checks cost on the functional model, in time
//! ```
//!
//! One file per kernel, `NAME.rs`, and `NAME.cpp` beside it; those of the other set are in `aside`. Both sides' results
//! are compared with a plain Rust function's.

mod aside;
mod bfs;
mod bilinear;
mod bitonic;
mod black_scholes;
mod bound;
mod collatz;
mod conv3x3;
mod conv5x5;
mod cpp;
mod dot;
mod fft;
mod gate;
mod gather;
mod gcd;
mod heat;
mod histogram;
mod kmeans;
mod layer_norm;
mod life;
mod lower_bound;
mod lu;
mod mandelbrot;
mod max_pool;
mod nbody;
mod nearest;
mod polynomial;
mod reduction;
mod rms_norm;
mod runtime;
mod saxpy;
mod scan;
mod search;
mod sgemm;
mod sgemm_tiled;
mod sgemv;
mod sha256;
mod sobel;
mod softmax;
mod spmv;
mod stencil5;
mod stencil7;
mod suite;
mod transpose;
mod transpose_tiled;
mod vecadd;
mod watch;

use suite::{Print, Suite};
use vortex::Generation;

/// The suite's kernels.
const CASES: [(&str, suite::Case); 39] = [
    ("vecadd", vecadd::run),
    ("polynomial", polynomial::run),
    ("transpose", transpose::run),
    ("sgemv", sgemv::run),
    ("dot", dot::run),
    ("nbody", nbody::run),
    ("stencil5", stencil5::run),
    ("conv3x3", conv3x3::run),
    ("stencil7", stencil7::run),
    ("sgemm", sgemm::run),
    ("sgemm_tiled", sgemm_tiled::run),
    ("saxpy", saxpy::run),
    ("conv5x5", conv5x5::run),
    ("sobel", sobel::run),
    ("layer_norm", layer_norm::run),
    ("kmeans", kmeans::run),
    ("fft", fft::run),
    ("lu", lu::run),
    ("bitonic", bitonic::run),
    ("spmv", spmv::run),
    ("transpose_tiled", transpose_tiled::run),
    ("scan", scan::run),
    ("histogram", histogram::run),
    ("nearest", nearest::run),
    ("bfs", bfs::run),
    ("mandelbrot", mandelbrot::run),
    ("black_scholes", black_scholes::run),
    ("softmax", softmax::run),
    ("sha256", sha256::run),
    ("heat", heat::run),
    ("max_pool", max_pool::run),
    ("life", life::run),
    ("bilinear", bilinear::run),
    ("gather", gather::run),
    ("lower_bound", lower_bound::run),
    ("reduction", reduction::run),
    ("rms_norm", rms_norm::run),
    ("collatz", collatz::run),
    ("gcd", gcd::run),
];

fn main() -> vortex::Result<()> {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let has = |flag: &str| std::env::args().any(|arg| arg == flag);
    if has("--runtime") && wanted == ["gate"] {
        return runtime::run(&[("gate", gate::run)]);
    }
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part));
    let all = match has("--aside") {
        true => &aside::CASES[..],
        false => &CASES,
    };
    let cases: Vec<(&str, suite::Case)> = all
        .iter()
        .copied()
        .filter(|(name, _)| is_wanted(name))
        .collect();
    let shapes = [[1, 4, 4], [1, 8, 8], [4, 16, 32]];
    let generation = match has("--v3") {
        true => Generation::V3,
        false => Generation::V2,
    };
    if has("--search") {
        let once = has("--once");
        let shapes = &shapes[..if once { 1 } else { shapes.len() }];
        return shapes
            .iter()
            .try_for_each(|shape| search::search(*shape, generation, &cases, once));
    }
    if has("--runtime") {
        return runtime::run(&cases);
    }
    if has("--watch") {
        return watch::watch(&cases);
    }
    let print = match has("--listing") {
        true => Print::Listing,
        false => Print::Row,
    };
    let few = has("--listing") || has("--smallest");
    let shapes = &shapes[..if few { 1 } else { shapes.len() }];
    for shape in shapes {
        let mut suite = Suite::open(*shape, print)?;
        for (_, run) in &cases {
            run(&mut suite)?;
        }
        suite.finish();
    }
    Ok(())
}
