//! Where both sides run, and the table.

use super::cpp::Compiler;
use std::collections::HashMap;
use vortex::codegen::{Image, Options, Target, compile};
use vortex::isa::{Class, Inst, x};
use vortex::lang::{Kernel, stage};
use vortex::prelude::*;
use vortex::sim::Model;
use vortex::{RawImage, Report};

/// Declares a kernel with checks, and in `unchecked` the same without.
macro_rules! twice {
    (fn $name:ident $parameters:tt $body:tt) => {
        #[vortex::kernel]
        pub(crate) fn $name $parameters $body

        /// The same without bounds checks.
        pub(crate) mod unchecked {
            use vortex::prelude::*;

            #[vortex::kernel(checks = "none")]
            pub(crate) fn $name $parameters $body
        }
    };
}
pub(crate) use twice;

/// Launches a kernel with checks, and then without.
macro_rules! launched {
    ($kernel:ident($($argument:expr),* $(,)?).over($size:expr), $device:expr) => {{
        let checked = $kernel($($argument),*).over($size).launch($device)?;
        // SAFETY: the same launch has passed all checks.
        let launch = unsafe { unchecked::$kernel($($argument),*) };
        [checked, launch.over($size).launch($device)?]
    }};
}
pub(crate) use launched;

/// What a kernel's file offers.
pub(super) type Case = fn(&mut Suite) -> vortex::Result<()>;

pub(super) struct Suite {
    pub(super) device: Device,
    compiler: Option<Compiler>,
    programs: HashMap<&'static str, RawImage>,
    /// Print what kernels have become.
    listing: bool,
    /// Logarithms of the cycles against C++.
    ratios: Vec<f64>,
    /// The same against kernels without checks, and the largest.
    checks: Vec<f64>,
}

/// How the same is run in C++.
pub(super) struct Cpp<'a> {
    /// `FILE.cpp`.
    pub(super) file: &'static str,
    /// Work items.
    pub(super) grid: [u32; 3],
    /// What its arguments hold after the grid.
    pub(super) words: &'a [u32],
}

/// What is executed of the stack by an image's code.
#[derive(Default)]
struct Stack {
    stores: u64,
    loads: u64,
}

impl Suite {
    /// Cores, warps and threads.
    pub(super) fn open([cores, warps, threads]: [u32; 3], listing: bool) -> vortex::Result<Self> {
        let device = Device::builder().cores(cores).warps(warps).threads(threads);
        let device = device.model(Model::cycle()).open()?;
        let compiler = Compiler::find();
        println!("{}", Compiler::line(compiler.as_ref()));
        println!(
            "{:<24} {:>10} {:>10} {:>8} {:>8} {:>7} {:>10} {:>10} {:>6}",
            format!("{cores} x {warps} warps x {threads}"),
            "cycles",
            "instr.",
            "spills",
            "reloads",
            "checks",
            "C++ cycles",
            "instr.",
            "ratio"
        );
        Ok(Self {
            device,
            compiler,
            programs: HashMap::new(),
            listing,
            ratios: Vec::new(),
            checks: Vec::new(),
        })
    }

    /// Holds what the kernel has made of its outputs against what is expected, lets C++ do the same, and prints a line
    /// of the table.
    pub(super) fn compare<K: Kernel>(
        &mut self,
        title: &str,
        ours: &[Report; 2],
        cpp: &Cpp<'_>,
        outputs: &mut [(&mut Buffer<f32>, Vec<f32>)],
    ) -> vortex::Result<()> {
        for (output, expected) in outputs.iter_mut() {
            check(title, &output.download()?, expected);
            let nothing = vec![0.0; expected.len()];
            output.write(&nothing)?;
        }
        let theirs = self.cpp(cpp)?;
        if theirs.is_some() {
            for (output, expected) in outputs {
                check(&format!("{title} in C++"), &output.download()?, expected);
            }
        }
        self.row::<K>(title, ours, theirs.as_ref());
        Ok(())
    }

    fn cpp(&mut self, cpp: &Cpp<'_>) -> vortex::Result<Option<Report>> {
        let Some(compiler) = &self.compiler else {
            return Ok(None);
        };
        // Its runtime gives every core whole warps.
        let caps = self.device.caps();
        let items: u32 = cpp.grid.iter().product();
        if !items.is_multiple_of(caps.cores * caps.threads) {
            return Ok(None);
        }
        if !self.programs.contains_key(cpp.file) {
            // All are linked to one address.
            self.programs.clear();
            let program = self.device.raw_image(&compiler.compile(cpp.file))?;
            self.programs.insert(cpp.file, program);
        }
        let words = cpp.grid.iter().chain(cpp.words);
        let arguments: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        self.programs[cpp.file].launch(&arguments).map(Some)
    }

    fn row<K: Kernel>(
        &mut self,
        name: &str,
        [ours, unchecked]: &[Report; 2],
        theirs: Option<&Report>,
    ) {
        let count = |report: &Report| {
            (
                report.cycles().unwrap_or(0),
                report.instructions().unwrap_or(0),
            )
        };
        let (cycles, instructions) = count(ours);
        let image = image::<K>();
        if self.listing {
            print_listing(&image, ours);
        }
        let stack = Stack::of(&image, ours);
        let checks = cycles as f64 / count(unchecked).0 as f64;
        self.checks.push(checks.ln());
        print!(
            "{name:<24} {cycles:>10} {instructions:>10} {:>8} {:>8} {checks:>7.2}",
            stack.stores, stack.loads
        );
        match theirs.map(count) {
            Some((their_cycles, their_instructions)) => {
                let ratio = cycles as f64 / their_cycles as f64;
                self.ratios.push(ratio.ln());
                println!(" {their_cycles:>10} {their_instructions:>10} {ratio:>6.2}");
            }
            None => println!(),
        }
    }

    pub(super) fn finish(self) {
        let mean = |logarithms: &[f64]| {
            let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
            mean.exp()
        };
        if !self.checks.is_empty() {
            let most = self.checks.iter().fold(0.0f64, |a, b| a.max(*b)).exp();
            println!(
                "geometric mean of cycles against no checks: {:.3}, at most {most:.2}",
                mean(&self.checks)
            );
        }
        if !self.ratios.is_empty() {
            println!(
                "geometric mean of cycles against C++: {:.3}",
                mean(&self.ratios)
            );
        }
    }
}

/// A kernel compiled as for the suite's device, on which it has run.
fn image<K: Kernel>() -> Image {
    let ir = stage::<K>().unwrap_or_else(|error| panic!("{error}"));
    let target = Target::FULL;
    let options = Options {
        listing: true,
        ..Options::default()
    };
    compile(&ir, &target, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The IR after all passes; the code, with how often warps executed each instruction and how long they waited for it.
fn print_listing(image: &Image, report: &Report) {
    let (Some(listing), Some(timing)) = (&image.listing, report.timing()) else {
        return;
    };
    println!("{report}");
    println!("{}", listing.optimised);
    let base = timing.by_pc.keys().next().copied().unwrap_or(0);
    for line in listing.disassembly.lines() {
        let at = line.split(':').next().map(str::trim);
        let at = at.and_then(|at| u32::from_str_radix(at, 16).ok());
        match at.and_then(|at| timing.by_pc.get(&(base + at))) {
            Some(stats) => {
                let waited = stats.stalls.total();
                println!("{:>8} {waited:>8}  {line}", stats.executed);
            }
            None => println!("{:>8} {:>8}  {line}", "", ""),
        }
    }
}

impl Stack {
    fn of(image: &Image, report: &Report) -> Self {
        let mut stack = Self::default();
        let Some(timing) = report.timing() else {
            return stack;
        };
        // It starts at its first byte.
        let Some(base) = timing.by_pc.keys().next() else {
            return stack;
        };
        for (pc, stats) in &timing.by_pc {
            let at = (pc - base) as usize;
            let word = image
                .bytes
                .get(at..at + 4)
                .and_then(|bytes| bytes.try_into().ok());
            let inst = word.and_then(|word| Inst::decode(u32::from_le_bytes(word)));
            match inst
                .filter(|inst| inst.uses_stack() || inst.rs1 == x::S0)
                .map(|inst| inst.opcode.info().class)
            {
                Some(Class::Store) => stack.stores += stats.executed,
                Some(Class::Load) => stack.loads += stats.executed,
                _ => {}
            }
        }
        stack
    }
}

/// Numbers that look like nothing in particular, between -1 and 1.
pub(super) fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12345);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Ends the bench when a result is not about what it has to be: C++ contracts multiplications and additions.
fn check(who: &str, result: &[f32], expected: &[f32]) {
    assert_eq!(result.len(), expected.len(), "{who}");
    for (at, (result, expected)) in result.iter().zip(expected).enumerate() {
        let tolerance = 1e-4 * expected.abs().max(1.0);
        assert!(
            (result - expected).abs() <= tolerance,
            "{who}: element {at} is {result}, not {expected}"
        );
    }
}
