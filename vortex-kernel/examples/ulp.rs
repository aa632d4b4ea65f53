//! Measures the float functions of the kernel language: `cargo run --release -p vortex-kernel --example ulp`.
//!
//! Arguments: names of functions (all of them without), `--step N` to take every Nth `f32` only (N is made odd, since
//! numbers with zeros at their end are kinder than others), and `--max ULP`, with which it fails if a function of one
//! argument is further off. Functions of two arguments are sampled.
//!
//! What is measured is the host's run of the very source that kernels are staged from, against 64-bit floats. One ULP
//! is the distance of the two numbers around the true value.

use std::process::ExitCode;
use std::thread;

#[path = "../tests/float_functions/mod.rs"]
mod float_functions;

use float_functions::{FUNCTIONS, FUNCTIONS2, Function, Function2};

/// The worst that was met.
#[derive(Clone, Copy, Default)]
struct Worst {
    ulp: f64,
    at: [f32; 2],
}

impl Worst {
    fn meet(&mut self, found: f32, wanted: f64, at: [f32; 2]) {
        let ulp = distance(found, wanted);
        if ulp > self.ulp {
            *self = Self { ulp, at };
        }
    }

    fn or(self, other: Self) -> Self {
        if other.ulp > self.ulp { other } else { self }
    }
}

/// How many ULP `found` is away from `wanted`; infinite where one of them is NaN or a zero has the wrong sign.
fn distance(found: f32, wanted: f64) -> f64 {
    let rounded = wanted as f32;
    if found.to_bits() == rounded.to_bits() || found.is_nan() && rounded.is_nan() {
        return 0.0;
    }
    if found.is_nan() || rounded.is_nan() || found == rounded {
        return f64::INFINITY;
    }
    // What would follow the largest number stands for infinity.
    let beyond = 2f64.powi(128);
    let found = if found.is_infinite() {
        beyond.copysign(found.into())
    } else {
        found.into()
    };
    let wanted = wanted.clamp(-beyond, beyond);
    let exponent = i32::try_from((wanted.abs().to_bits() >> 52) & 0x7ff).unwrap_or(0) - 1023;
    (found - wanted).abs() / 2f64.powi(exponent.clamp(-126, 127) - 23)
}

fn measure(function: &Function, step: u64, threads: u64) -> Worst {
    let &(_, found, wanted, limit) = function;
    let part = |thread: u64| {
        let mut worst = Worst::default();
        let mut bits = thread * step;
        while let Ok(word) = u32::try_from(bits) {
            let x = f32::from_bits(word);
            if x.is_nan() || x.abs() <= limit {
                worst.meet(found(x), wanted(x.into()), [x, x]);
            }
            bits += step * threads;
        }
        worst
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || part(thread)))
            .collect();
        workers
            .into_iter()
            .filter_map(|worker| worker.join().ok())
            .fold(Worst::default(), Worst::or)
    })
}

fn measure2(function: &Function2, count: u64) -> Worst {
    let &(_, found, wanted, _) = function;
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut worst = Worst::default();
    for turn in 0..count {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let [mut x, mut y] = [state as u32, (state >> 32) as u32].map(f32::from_bits);
        if turn % 4 != 0 {
            // Where neither is out of all proportion to the other.
            x = 1.0
                + (state as u32 as f32 / 2f32.powi(32) - 0.25) * 2f32.powi((turn % 9) as i32 - 4);
            y = ((state >> 32) as u32 as f32 / 2f32.powi(31) - 1.0)
                * 2f32.powi((turn % 19) as i32 - 4);
        }
        worst.meet(found(x, y), wanted(x.into(), y.into()), [x, y]);
    }
    worst
}

/// What is to be measured.
struct Wanted {
    /// None: all functions.
    names: Vec<String>,
    step: u64,
    bound: f64,
}

impl Wanted {
    /// Of the arguments of the command; an error says what there is.
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut wanted = Self {
            names: Vec::new(),
            step: 1,
            bound: f64::INFINITY,
        };
        let known: Vec<&str> = FUNCTIONS
            .iter()
            .map(|function| function.0)
            .chain(FUNCTIONS2.iter().map(|function| function.0))
            .collect();
        while let Some(argument) = arguments.next() {
            let mut number = || match arguments.next() {
                Some(value) => value
                    .parse::<f64>()
                    .map_err(|_| format!("`{argument}` takes a number, not `{value}`")),
                None => Err(format!("`{argument}` takes a number")),
            };
            match argument.as_str() {
                "--step" => wanted.step = (number()? as u64) | 1,
                "--max" => wanted.bound = number()?,
                name if known.contains(&name) => wanted.names.push(argument),
                name => {
                    return Err(format!(
                        "there is no `{name}`: options are --step N and --max ULP, functions are {}",
                        known.join(", ")
                    ));
                }
            }
        }
        Ok(wanted)
    }
}

fn main() -> ExitCode {
    let Wanted { names, step, bound } = match Wanted::read(std::env::args().skip(1)) {
        Ok(wanted) => wanted,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    let mut failed = false;
    println!("| function | worst ULP | at |\n|---|---|---|");
    for function in FUNCTIONS.iter().filter(|function| wanted(function.0)) {
        let worst = measure(function, step, 2);
        println!("| {} | {:.3} | {:e} |", function.0, worst.ulp, worst.at[0]);
        failed |= worst.ulp > bound;
    }
    for function in FUNCTIONS2.iter().filter(|function| wanted(function.0)) {
        let worst = measure2(function, (1 << 28) / step);
        let [x, y] = worst.at;
        println!("| {} | {:.3} | {x:e}, {y:e} |", function.0, worst.ulp);
        failed |= worst.ulp > function.3 && bound.is_finite();
    }
    ExitCode::from(u8::from(failed))
}
