//! Which conditions that lanes differ in are no branch: small ones that only compute.

use crate::measure::{LANGUAGE, Ordinary, one_by_one, pairs};
use crate::uniform::splits_for;
use vortex::Generation;
use vortex::codegen::Target;
use vortex::prelude::*;

/// With Zicond, and without.
fn devices() -> [(Device, u32); 2] {
    [true, false].map(|zicond| {
        let builder = one_by_one(Generation::V2).cores(1).warps(1).threads(4);
        (builder.zicond(zicond).open().unwrap(), 4)
    })
}

pairs! {
    costs in LANGUAGE, on devices(),
    fn measured(n: u32, x: &[u32], out: &mut [u32]) {
        let i = global_id();
        let v = x[i];
        let w = v ^ n;
        return out[i];
    }
    launch |device, items, case, with| {
        let x: Vec<u32> = (0..items).map(Ordinary::ordinary).collect();
        let x = device.upload(&x).unwrap();
        let mut out = device.alloc::<u32>(items).unwrap();
        measured(case, with, 10, &x, &mut out).over(items).launch(device).unwrap()
    }
    "The choice costs three instructions, four without Zicond;" {
        Choice: { if v < w { v * v } else { w } } { (v * v) ^ w ^ (v < w) as u32 } => 1, 2;
    }
    "next to zero one, two without;" {
        Zero: { if v < w { v } else { 0 } } { v ^ w ^ (v < w) as u32 } => -1, 0;
    }
    "`if c { s += x }` costs two, three without, and\n`if c { s += 1 }` one;" {
        Sum: { let mut s = w; if v < w { s += v; } s } { v ^ w ^ (v < w) as u32 } => 0, 1;
        Count: { let mut s = w; if v < w { s += 1; } s } { w ^ (v < w) as u32 } => 0, 0;
    }
    "between two constants it costs two or three." {
        Constants: { if v < w { 7 } else { 5 } } { (v < w) as u32 } => 2, 2;
        FarConstants: { if v < w { 12 } else { 5 } } { (v < w) as u32 } => 3, 3;
    }
}

macro_rules! kernels {
    ([$v:ident $n:ident $f:ident] $($name:ident: $value:expr;)*) => {
        $(
            #[vortex::kernel]
            #[allow(unused_variables)]
            fn $name($n: u32, x: *const u32, y: *const f32, out: *mut u32) {
                let i = global_id();
                // SAFETY: never run.
                let ($v, $f) = unsafe { (*x.add(i), *y.add(i)) };
                let result = $value;
                // SAFETY: never run.
                unsafe { *out.add(i) = result };
            }
        )*

        fn of_each(target: &Target) -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), splits_for::<$name>(target)),)*]
        }
    };
}

kernels! {
    [v n f]
    chosen_value: if v > n { v } else { n };
    chosen_without_else: { let mut s = n; if v > n { s += v; } s };
    chosen_two: { let (a, b) = if v > n { (v, n) } else { (n, v) }; a - b / 3 };
    chosen_at_the_limit: if v > n { v * n + 1 } else { n };
    chosen_from_both_arms: if v > n { v * n } else { v + n };
    chosen_float: (if v > n { f } else { 2.5 }).to_bits();
    chosen_bool: { let b = if v > n { v > 100 } else { true }; b as u32 };
    chosen_where_lanes_disagree: if v % 2 == 0 { v / 2 } else { 3 * v + 1 };
    branch_above_the_limit: if v > n { ((v * n + 1) * v + n) * (v + 3) } else { n };
    branch_of_a_division: if v > n { v / 3 } else { n };
    branch_of_a_float: (if v > n { f * 2.0 } else { f }).to_bits();
}

#[test]
fn small_choices_are_no_branch() {
    for zicond in [true, false] {
        let target = Target {
            zicond,
            ..Target::FULL
        };
        let found = of_each(&target).into_iter();
        let wrong: Vec<_> = found
            .filter(|(name, splits)| (*splits > 0) != name.starts_with("branch"))
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
