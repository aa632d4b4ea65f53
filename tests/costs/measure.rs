//! Counting the instructions that a construct takes, and asking whether a page says so.

use std::fs;
use std::path::Path;

use vortex::codegen::Tuning;
use vortex::prelude::*;
use vortex::sim::Checks;
use vortex::{DeviceBuilder, Generation, Report};

/// A page of the documentation.
pub(crate) struct Page {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

impl Page {
    /// Holds that the kernels which the page shows are in a file of tests as well, and returns how many there are.
    pub(crate) fn kernels_in(&self, file: &str) -> usize {
        let blocks = self.text.split("```rust\n").skip(1);
        let mut shown = 0;
        for block in blocks {
            let code = block.split("```").next().unwrap().lines();
            let code: Vec<&str> = code.filter(|line| !line.starts_with("# ")).collect();
            for kernel in code.join("\n").trim().split("\n\n") {
                assert!(
                    file.contains(kernel),
                    "docs/{}: no test has\n{kernel}",
                    self.name
                );
                shown += 1;
            }
        }
        shown
    }
}

/// Holds that a file in `docs` has this text, or writes it if `VORTEX_BLESS` is set.
pub(crate) fn held(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(name);
    if std::env::var_os("VORTEX_BLESS").is_some() {
        fs::write(path, text).unwrap();
    } else {
        let kept = fs::read_to_string(path).unwrap();
        assert!(
            kept == text,
            "VORTEX_BLESS=1 writes docs/{name} anew:\n{text}"
        );
    }
}

macro_rules! page {
    ($constant:ident $name:literal) => {
        pub(crate) const $constant: Page = Page {
            name: $name,
            text: include_str!(concat!("../../docs/", $name)),
        };
    };
}

page!(ATOMICS "atomics.md");
page!(DIVERGENCE "divergence.md");
page!(GLOBALS "globals.md");
page!(GROUPS "groups.md");
page!(INTEGERS "integers.md");
page!(LANGUAGE "language.md");
page!(LAUNCHES "launches.md");
page!(MATH "math.md");
page!(TUNING "tuning.md");
page!(WARP "warp.md");

/// The device that instructions are counted on: one warp, so that an iteration of its loop is an item of each lane.
pub(crate) fn device() -> Device {
    let device = one_by_one(Generation::V2).cores(1).warps(1).threads(4);
    // What is counted may be done to one element by all items: what is left of it does not matter.
    let checks = Checks {
        lost_updates: false,
        ..Checks::default()
    };
    device.checks(checks).open().unwrap()
}

/// A device of which each lane does one item after the other, so that it can be said what one costs.
pub(crate) fn one_by_one(generation: Generation) -> DeviceBuilder {
    let tuning = Tuning::of(generation).one_by_one();
    Device::builder().generation(generation).tuning(tuning)
}

/// Instructions of a warp for each of its iterations: what is done once does not count.
pub(crate) fn per_iteration(lanes: u32, run: impl Fn(usize) -> Report) -> u64 {
    let items = [100, 200].map(|iterations| iterations * lanes as usize);
    let [few, many] = items.map(|items| run(items).instructions().unwrap());
    (many - few + 50) / 100
}

/// Values that operations have nothing special to do for.
pub(crate) trait Ordinary: Sized {
    fn ordinary(n: usize) -> Self;
}

macro_rules! ordinary {
    ($($ty:ident)*) => {$(
        impl Ordinary for $ty {
            fn ordinary(n: usize) -> Self {
                (n % 7 + 1) as $ty
            }
        }
    )*};
}

ordinary! { u8 i8 u16 i16 u32 i32 }

/// Near 0.5, where docs/math.md measures.
impl Ordinary for f32 {
    fn ordinary(n: usize) -> Self {
        0.5 + (n % 7) as f32 / 1024.0
    }
}

/// Both words of them are something.
macro_rules! ordinary_of_words {
    ($($ty:ident)*) => {$(
        impl Ordinary for $ty {
            fn ordinary(n: usize) -> Self {
                (n % 7 + 1) as $ty * 0x10_0000_0f0f
            }
        }
    )*};
}

ordinary_of_words! { u64 i64 }

/// What cases of a page cost that are not what it says.
#[derive(Default)]
pub(crate) struct Mismatches(Vec<String>);

impl Mismatches {
    pub(crate) fn page(&mut self, page: &Page, line: &str) {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !words(page.text).contains(&words(line)) {
            self.0
                .push(format!("docs/{} does not say `{line}`", page.name));
        }
    }

    pub(crate) fn cost(&mut self, page: &Page, case: &str, found: i64, wanted: &[i64]) {
        if !wanted.contains(&found) {
            self.0.push(format!(
                "docs/{}: `{case}` takes {found}, not {wanted:?}",
                page.name
            ));
        }
    }

    pub(crate) fn costs(&mut self, page: &Page, case: &str, found: &[i64], wanted: &[i64]) {
        if found != wanted {
            let text = format!(
                "docs/{}: `{case}` takes {found:?}, not {wanted:?}",
                page.name
            );
            self.0.push(text);
        }
    }

    pub(crate) fn none(self) {
        assert!(self.0.is_empty(), "\n{}\n", self.0.join("\n"));
    }
}

/// Expressions of one or two values, each with what it costs, under the line of the page that says so.
///
/// All are one kernel, of which an image has the one that is asked for. What loads and stores take is known from
/// `base`.
macro_rules! expressions {
    ($name:ident in $page:ident, ($x:ident: $A:ty) $($rest:tt)*) => {
        $crate::measure::expressions! { $name in $page, ($x: $A, _unused: $A) $($rest)* }
    };
    ($name:ident in $page:ident, ($x:ident: $A:ty, $y:ident: $B:ty) -> $R:ty, base $base:expr => $base_cost:literal;
     $($line:literal { $($case:ident: $e:expr => $($cost:literal)|+;)* })*) => {
        mod $name {
            use super::*;
            use $crate::measure::{Mismatches, Ordinary, device, per_iteration};

            #[derive(Clone, Copy, PartialEq, vortex::DeviceType)]
            #[repr(u32)]
            #[allow(dead_code)]
            enum Case {
                Base,
                $($($case,)*)*
            }

            #[vortex::kernel]
            fn measured(#[comptime] case: Case, a: &[$A], b: &[$B], out: &mut [$R]) {
                let i = global_id();
                match case {
                    Case::Base => {
                        let $x = a[i];
                        let $y = b[i];
                        out[i] = $base;
                    }
                    $($(Case::$case => {
                        let $x = a[i];
                        let $y = b[i];
                        out[i] = $e;
                    })*)*
                }
            }

            fn cost(device: &Device, case: Case) -> i64 {
                per_iteration(4, |items| {
                    let a: Vec<$A> = (0..items).map(Ordinary::ordinary).collect();
                    let b: Vec<$B> = (0..items).map(|n| Ordinary::ordinary(n / 3)).collect();
                    let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
                    let mut out = device.alloc::<$R>(items).unwrap();
                    measured(case, &a, &b, &mut out).over(items).launch(device).unwrap()
                }) as i64
            }

            #[test]
            fn cost_what_the_page_says() {
                let device = device();
                let around = cost(&device, Case::Base) - $base_cost;
                let mut mismatches = Mismatches::default();
                $(
                    mismatches.page(&$page, $line);
                    $(
                        let found = cost(&device, Case::$case) - around;
                        mismatches.cost(&$page, stringify!($e), found, &[$($cost),+]);
                    )*
                )*
                mismatches.none();
            }
        }
    };
}

pub(crate) use expressions;

/// Pairs of blocks that result in a value, with and without a construct; each with what the construct costs on each of
/// some devices, under the sentence of the page that says so.
///
/// The blocks see the parameters of the kernel and what it begins with; `launch` runs one of them.
macro_rules! pairs {
    ($name:ident in $page:ident, on $devices:expr,
     fn measured($($params:tt)*) { $(let $first:ident = $value:expr;)* return $out:ident[$i:ident]; }
     launch |$device:ident, $items:ident, $chosen:ident, $has:ident| $launch:block
     $($line:literal { $($case:ident: $with:block $without:block => $($cost:literal),+;)* })*) => {
        mod $name {
            use super::*;
            use $crate::measure::{Mismatches, per_iteration};

            #[derive(Clone, Copy, PartialEq, vortex::DeviceType)]
            #[repr(u32)]
            enum Case {
                $($($case,)*)*
            }

            #[vortex::kernel]
            #[allow(unused_variables)]
            fn measured(#[comptime] case: Case, #[comptime] with: bool, $($params)*) {
                $(let $first = $value;)*
                match case {
                    $($(Case::$case => {
                        let result = if with $with else $without;
                        $out[$i] = result;
                    })*)*
                }
            }

            fn cost($device: &Device, lanes: u32, $chosen: Case) -> i64 {
                let [with, without] = [true, false].map(|$has| per_iteration(lanes, |$items| $launch) as i64);
                with - without
            }

            #[test]
            fn cost_what_the_page_says() {
                let devices = $devices;
                let mut mismatches = Mismatches::default();
                $(
                    mismatches.page(&$page, $line);
                    $({
                        let case = stringify!($case $with);
                        let found = devices.iter().map(|(device, lanes)| cost(device, *lanes, Case::$case));
                        mismatches.costs(&$page, case, &found.collect::<Vec<_>>(), &[$($cost),+]);
                    })*
                )*
                mismatches.none();
            }
        }
    };
}

pub(crate) use pairs;

/// The [`pairs`] of constructs that need no more than some values.
///
/// In scope are `v`, the item's own number; `n`, which is 10, and `k`, which is 3, both of all lanes; the slices `x`,
/// `bodies` and `out`, and the item's place in them, `i`.
macro_rules! constructs {
    ($name:ident in $page:ident, [$v:ident $n:ident $k:ident $i:ident $x:ident $bodies:ident $out:ident]; $($cases:tt)*) => {
        $crate::measure::pairs! {
            $name in $page, on [($crate::measure::device(), 4)],
            fn measured($n: u32, $k: usize, $x: &[u32], $bodies: &[Body], $out: &mut [u32]) {
                let $i = global_id();
                let $v = $x[$i];
                return $out[$i];
            }
            launch |device, items, case, with| {
                use $crate::measure::Ordinary;
                let x: Vec<u32> = (0..items + 16).map(Ordinary::ordinary).collect();
                let bodies = vec![Body { x: 1, speed: 2, mass: 3 }; items];
                let (x, bodies) = (device.upload(&x).unwrap(), device.upload(&bodies).unwrap());
                let mut out = device.alloc::<u32>(items).unwrap();
                let launch = measured(case, with, 10, 3, &x, &bodies, &mut out);
                launch.over(items).launch(device).unwrap()
            }
            $($cases)*
        }
    };
}

pub(crate) use constructs;
