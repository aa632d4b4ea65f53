//! Where both sides run, and the table.

use super::bound::Work;
use super::cpp::Compiler;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use vortex::codegen::{
    CoreSize, Image, LaunchTests, Options, Specialization, Target, Tuning, compile,
};
use vortex::isa::{Class, Inst, x};
use vortex::lang::{Kernel, stage};
use vortex::prelude::*;
use vortex::sim::{Checks, Model};
use vortex::{Caps, Generation, RawImage, Report};

/// Declares a kernel, and in modules the same compiled otherwise.
macro_rules! variants {
    (fn $name:ident $(<const $constant:ident: usize>)? ($($parameters:tt)*) $body:tt) => {
        #[vortex::kernel]
        pub(crate) fn $name $(<const $constant: usize>)? ($($parameters)*) $body

        /// The same without bounds checks.
        pub(crate) mod unchecked {
            use super::*;

            #[vortex::kernel(checks = "none")]
            pub(crate) fn $name $(<const $constant: usize>)? ($($parameters)*) $body
        }

        /// The same with products and sums rounded once, as C++ may.
        pub(crate) mod contracted {
            use super::*;

            #[vortex::kernel(contract)]
            pub(crate) fn $name $(<const $constant: usize>)? ($($parameters)*) $body
        }
    };
}
pub(crate) use variants;

/// Launches all variants of a kernel, that which is asked about last.
macro_rules! launched {
    (
        $kernel:ident $(::<$constant:ident>)? ($($argument:expr),* $(,)?) $(.$shape:ident($size:expr))+,
        $device:expr
    ) => {{
        let contracted = contracted::$kernel $(::<$constant>)? ($($argument),*);
        let contracted = contracted $(.$shape($size))+.launch($device)?;
        // SAFETY: the same launch has passed all checks.
        let unchecked = unsafe { unchecked::$kernel $(::<$constant>)? ($($argument),*) };
        super::suite::Launched {
            contracted,
            unchecked: unchecked $(.$shape($size))+.launch($device)?,
            kernel: $kernel $(::<$constant>)? ($($argument),*) $(.$shape($size))+.launch($device)?,
        }
    }};
}
pub(crate) use launched;

/// What came of a kernel's variants.
#[derive(Clone)]
pub(super) struct Launched {
    pub(super) kernel: Report,
    pub(super) unchecked: Report,
    pub(super) contracted: Report,
}

/// What a kernel's file offers.
pub(super) type Case = fn(&mut Suite) -> vortex::Result<()>;

pub(super) struct Suite {
    pub(super) device: Device,
    compiler: Option<Compiler>,
    /// What is loaded of C++, by file and whether products and sums are rounded once.
    programs: HashMap<(&'static str, bool), RawImage>,
    /// What is said of kernels.
    print: Print,
    /// The kernels that have run.
    pub(super) runs: Vec<(String, Launched)>,
    /// Cycles against C++: as both sides are by default, if both round products and sums once, and if neither does.
    ratios: [Ratios; 3],
    /// Against kernels without checks.
    checks: Ratios,
    /// Against the lower bound.
    bounds: Ratios,
    /// How long it takes to compile each kernel.
    times: Vec<Duration>,
}

/// How often each kernel is compiled to see how long that takes.
const COMPILATIONS: usize = 10;

/// Logarithms of ratios.
#[derive(Default)]
struct Ratios(Vec<f64>);

impl Ratios {
    /// The ratio, which is noted.
    fn note(&mut self, cycles: u64, others: f64) -> f64 {
        let ratio = cycles as f64 / others;
        self.0.push(ratio.ln());
        ratio
    }

    /// Geometric mean, and the largest.
    fn print(&self, against: &str) {
        if self.0.is_empty() {
            return;
        }
        let mean = self.0.iter().sum::<f64>() / self.0.len() as f64;
        let most = self.0.iter().fold(f64::MIN, |a, b| a.max(*b));
        println!(
            "geometric mean of cycles against {against}: {:.3}, at most {:.2}",
            mean.exp(),
            most.exp()
        );
    }
}

/// What is said of a kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Print {
    Nothing,
    Row,
    /// And what it has become.
    Listing,
}

/// How the same is run in C++.
pub(super) struct Cpp<'a> {
    /// `FILE.cpp`.
    pub(super) file: &'static str,
    /// Work items, or groups.
    pub(super) grid: [u32; 3],
    /// Items of a group, where there are groups.
    pub(super) block: Option<[u32; 3]>,
    /// What its arguments hold after these.
    pub(super) words: &'a [u32],
}

/// What is executed of the stack by an image's code.
#[derive(Default)]
struct Stack {
    stores: u64,
    loads: u64,
}

impl Suite {
    /// Where kernels are measured, as the optimiser has it by default: cores, warps and threads.
    pub(super) fn open(shape: [u32; 3], print: Print) -> vortex::Result<Self> {
        let [cores, warps, threads] = shape;
        let compiler = Compiler::find();
        println!("{}", Compiler::line(compiler.as_ref()));
        println!(
            "{:<24} {:>10} {:>10} {:>8} {:>8} {:>7} {:>6} {:>10} {:>10} {:>6} {:>6} {:>6}",
            format!("{cores} x {warps} warps x {threads}"),
            "cycles",
            "instr.",
            "spills",
            "reloads",
            "checks",
            "bound",
            "C++ cycles",
            "instr.",
            "ratio",
            "fused",
            "apart"
        );
        Ok(Self {
            compiler,
            print,
            ..Self::quiet(shape, Generation::V2, Tuning::default())?
        })
    }

    /// The same for another choice, without a word and without C++.
    pub(super) fn quiet(
        shape: [u32; 3],
        generation: Generation,
        tuning: Tuning,
    ) -> vortex::Result<Self> {
        let [cores, warps, threads] = shape;
        let device = Device::builder().cores(cores).warps(warps).threads(threads);
        let device = device.generation(generation).model(Model::cycle());
        // As hardware does, which never asks which item an access is of.
        let checks = Checks {
            races: false,
            ..Checks::default()
        };
        Ok(Self::on(device.checks(checks).tuning(tuning).open()?))
    }

    /// Where kernels run without a word.
    pub(super) fn on(device: Device) -> Self {
        Self {
            device,
            compiler: None,
            programs: HashMap::new(),
            print: Print::Nothing,
            runs: Vec::new(),
            ratios: Default::default(),
            checks: Ratios::default(),
            bounds: Ratios::default(),
            times: Vec::new(),
        }
    }

    /// Holds what the kernel has made of its outputs against what is expected, lets C++ do the same, and prints a line
    /// of the table.
    pub(super) fn compare<K: Kernel>(
        &mut self,
        title: &str,
        ours: &Launched,
        cpp: &Cpp<'_>,
        work: &Work,
        outputs: &mut [impl Output],
    ) -> vortex::Result<()> {
        for output in outputs.iter_mut() {
            output.check(title)?;
            output.clear()?;
        }
        self.runs.push((title.to_owned(), ours.clone()));
        if self.print == Print::Nothing {
            return Ok(());
        }
        let mut theirs = [None, None];
        for (contracts, report) in [true, false].into_iter().zip(&mut theirs) {
            *report = self.cpp(cpp, contracts)?;
            for output in outputs.iter_mut().filter(|_| report.is_some()) {
                output.check(&format!("{title} in C++"))?;
                output.clear()?;
            }
        }
        let (image, time) = image::<K>(cpp.block, self.device.caps());
        self.times.push(time);
        self.row(title, &image, ours, &theirs, work);
        Ok(())
    }

    fn cpp(&mut self, cpp: &Cpp<'_>, contracts: bool) -> vortex::Result<Option<Report>> {
        let Some(compiler) = &self.compiler else {
            return Ok(None);
        };
        // Without groups its runtime gives every core whole warps.
        let caps = self.device.caps();
        let items: u32 = cpp.grid.iter().product();
        if cpp.block.is_none() && !items.is_multiple_of(caps.cores * caps.threads) {
            return Ok(None);
        }
        let key = (cpp.file, contracts);
        if !self.programs.contains_key(&key) {
            // All are linked to one address.
            self.programs.clear();
            let executable = compiler.compile(cpp.file, contracts);
            let program = self.device.raw_image(&executable)?;
            self.programs.insert(key, program);
        }
        let sizes = cpp.grid.iter().chain(cpp.block.iter().flatten());
        let words = sizes.chain(cpp.words);
        let arguments: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        self.programs[&key].launch(&arguments).map(Some)
    }

    fn row(
        &mut self,
        name: &str,
        image: &Image,
        ours: &Launched,
        theirs: &[Option<Report>; 2],
        work: &Work,
    ) {
        let cycles = |report: &Report| report.cycles().unwrap_or(0);
        let instructions = |report: &Report| report.instructions().unwrap_or(0);
        if self.print == Print::Listing {
            print_listing(image, &ours.kernel);
        }
        let stack = Stack::of(image, &ours.kernel);
        let own = cycles(&ours.kernel);
        let checks = self.checks.note(own, cycles(&ours.unchecked) as f64);
        let bound = self.bounds.note(own, work.bound(self.device.caps()));
        assert!(bound >= 1.0, "{name}: fewer cycles than the lower bound");
        print!(
            "{name:<24} {own:>10} {:>10} {:>8} {:>8} {checks:>7.2} {bound:>6.2}",
            instructions(&ours.kernel),
            stack.stores,
            stack.loads
        );
        if let [Some(default), Some(apart)] = theirs {
            let pairs = [
                (own, default),
                (cycles(&ours.contracted), default),
                (own, apart),
            ];
            let mut ratios = [0.0; 3];
            for ((ratio, all), (ours, theirs)) in ratios.iter_mut().zip(&mut self.ratios).zip(pairs)
            {
                *ratio = all.note(ours, cycles(theirs) as f64);
            }
            let [ratio, fused, apart] = ratios;
            print!(
                " {:>10} {:>10} {ratio:>6.2} {fused:>6.2} {apart:>6.2}",
                cycles(default),
                instructions(default)
            );
        }
        println!();
    }

    pub(super) fn finish(self) {
        self.checks.print("no checks");
        self.bounds.print("the lower bound");
        let [default, fused, apart] = self.ratios;
        default.print("C++");
        fused.print("C++, where both round products and sums once");
        apart.print("C++, where neither does");
        let mut times = self.times;
        times.sort_unstable();
        if let (Some(median), Some(most)) = (times.get(times.len() / 2), times.last()) {
            println!("compiling a kernel takes {median:.2?}, the median, and {most:.2?} at most");
        }
    }
}

/// A kernel compiled as for the suite's device, on which it has run in such groups; and the least time that takes.
fn image<K: Kernel>(block: Option<[u32; 3]>, caps: &Caps) -> (Image, Duration) {
    let ir = stage::<K>().unwrap_or_else(|error| panic!("{error}"));
    let target = Target::FULL;
    let mut options = Options {
        known: Specialization {
            block,
            lanes: Some(caps.threads),
            core: Some(CoreSize {
                warps: caps.warps,
                local_memory: caps.local_memory,
            }),
            ..Specialization::default()
        },
        launch_tests: LaunchTests::Assumed,
        ..Options::default()
    };
    let compile = |options: &Options| {
        let start = Instant::now();
        let image = compile(&ir, &target, options).unwrap_or_else(|error| panic!("{error}"));
        (image, start.elapsed())
    };
    let times = (0..COMPILATIONS).map(|_| compile(&options).1).min();
    options.listing = true;
    (compile(&options).0, times.unwrap_or_default())
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

/// What a kernel writes: a buffer, and what it has to hold.
pub(super) trait Output {
    /// Ends the bench when it does not.
    fn check(&self, who: &str) -> vortex::Result<()>;
    fn clear(&mut self) -> vortex::Result<()>;
}

macro_rules! output {
    ($number:ty, |$result:ident, $expected:ident| $is_right:expr) => {
        impl Output for (&mut Buffer<$number>, Vec<$number>) {
            fn check(&self, who: &str) -> vortex::Result<()> {
                let results = self.0.download()?;
                assert_eq!(results.len(), self.1.len(), "{who}");
                for (at, ($result, $expected)) in results.into_iter().zip(&self.1).enumerate() {
                    assert!(
                        $is_right,
                        "{who}: element {at} is {}, not {}",
                        $result, $expected
                    );
                }
                Ok(())
            }

            fn clear(&mut self) -> vortex::Result<()> {
                self.0.write(&vec![Default::default(); self.1.len()])
            }
        }
    };
}

output!(u32, |result, expected| result == *expected);
// About right: C++ contracts multiplications and additions.
output!(f32, |result, expected| (result - expected).abs()
    <= 1e-4 * expected.abs().max(1.0));
