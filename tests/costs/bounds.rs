//! What becomes of bounds checks: the report, `deny(checks)`, `checks = "none"`, and the counts of the suite's kernels.

use super::device_code;
use super::measure::one_by_one;
use vortex::Generation;
use vortex::lang::Kernel;
use vortex::meta::BoundsChecks;
use vortex::prelude::*;
use vortex::{KernelEntry, Module};

fn checks<K: Kernel + 'static>() -> BoundsChecks {
    let device = Device::builder().open().unwrap();
    KernelEntry::of::<K>().bounds_checks(&device).unwrap()
}

/// Emitted, proved, before the work items, before loops, kept.
fn counts(checks: &BoundsChecks) -> [u32; 5] {
    let kept = checks.kept.len() as u32;
    let counts = [
        checks.proved,
        checks.before_items,
        checks.before_loops,
        kept,
    ];
    assert_eq!(checks.emitted, counts.iter().sum::<u32>());
    [checks.emitted, counts[0], counts[1], counts[2], counts[3]]
}

#[vortex::kernel]
fn guarded(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

#[vortex::kernel]
fn affine(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = x[2 * i + 1];
}

#[vortex::kernel]
fn rows(starts: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let mut sum = 0.0;
    for k in starts[i] as usize..starts[i + 1] as usize {
        sum += x[k];
    }
    y[i] = sum;
}

#[vortex::kernel]
fn gather(at: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = x[at[i] as usize];
}

#[test]
fn a_report_says_where_each_check_went() {
    assert_eq!(counts(&checks::<guarded>()), [2, 2, 0, 0, 0]);
    assert_eq!(counts(&checks::<affine>()), [2, 0, 2, 0, 0]);
    assert_eq!(counts(&checks::<rows>()), [4, 0, 3, 1, 0]);
    let line = line!() - 8;
    let report = checks::<gather>();
    assert_eq!(
        report.to_string(),
        format!(
            "3 bounds checks: 0 proved, 2 moved before all work items, 0 moved before a loop, 1 kept\n  \
             tests/costs/bounds.rs:{line}:12: the index depends on a value that is loaded from memory in line {line}"
        )
    );
    let kept = &report.kept[0];
    assert_eq!(kept.place, format!("tests/costs/bounds.rs:{line}:12"));
}

#[vortex::kernel(checks = "none")]
fn unguarded(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = x[i];
}

/// Where all checks are proved by a guard, it is asked once for all work items of a warp.
#[test]
fn a_guard_that_holds_for_all_items_costs_nothing_for_each() {
    let device = one_by_one(Generation::V2);
    let device = device.cores(1).warps(1).threads(4).open().unwrap();
    let x = device.upload(&[1.5f32; 1024]).unwrap();
    let mut y = device.alloc::<f32>(1024).unwrap();
    let with = guarded(&x, &mut y).over(1024).launch(&device).unwrap();
    // SAFETY: both have 1,024 elements.
    let launch = unsafe { unguarded(&x, &mut y) };
    let without = launch.over(1024).launch(&device).unwrap();
    let more = with.instructions().unwrap() - without.instructions().unwrap();
    assert!(more <= 16, "{more}");
    assert_eq!(y.download().unwrap(), [1.5; 1024]);
}

#[vortex::kernel]
fn butterfly(x: &[f32], y: &mut [f32], half: usize) {
    let i = global_id();
    let a = i / half * half * 2 + i % half;
    y[a] = x[a] + x[a + half];
    y[a + half] = x[a] - x[a + half];
}

#[test]
fn quotients_by_what_the_launch_knows_have_bounds() {
    let device = Device::builder().open().unwrap();
    assert_eq!(counts(&checks::<butterfly>()), [6, 2, 4, 0, 0]);
    let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let mut y = device.alloc::<f32>(4).unwrap();
    let launch = butterfly(&x, &mut y, 2).over(2).launch(&device);
    launch.unwrap();
    assert_eq!(y.download().unwrap(), [4.0, 6.0, -2.0, -2.0]);
    for (half, what) in [
        (0, "division by zero"),
        (3, "index 4"),
        (u32::MAX as usize, "index"),
    ] {
        let error = butterfly(&x, &mut y, half).over(2).launch(&device);
        let error = error.unwrap_err().to_string();
        assert!(error.contains(what), "{half}: {error}");
    }
}

#[test]
fn a_module_has_the_report_too() {
    let module = Module::builder("m").kernel::<gather>().build().unwrap();
    let report = module.bounds_checks("gather").unwrap();
    assert_eq!(report, Some(checks::<gather>()));
    assert!(module.bounds_checks("scatter").is_err());
}

/// Each reason that a check is kept for, by a kernel of which the last check is.
mod reasons {
    use super::{Kernel, checks};
    use vortex::prelude::*;

    fn why<K: Kernel + 'static>() -> String {
        checks::<K>().kept.pop().unwrap().why
    }

    #[vortex::kernel]
    fn counted(next: &mut [u32], y: &mut [u32]) {
        let at = next.atomic(0).fetch_add(1, Relaxed);
        y[at as usize] = 1;
    }

    #[vortex::kernel]
    fn walks(n: u32, y: &mut [u32]) {
        let mut at = global_id();
        for _ in 0..n {
            at = at * 5 + 1;
        }
        y[at] = 1;
    }

    #[vortex::kernel]
    fn root(y: &mut [u32]) {
        y[(global_id() as f32).sqrt() as usize] = 1;
    }

    #[vortex::kernel]
    fn hashed(by: u32, y: &mut [u32]) {
        y[global_id() << by] = 1;
    }

    #[vortex::kernel]
    fn cut(lens: &[u32], y: &mut [u32]) {
        let i = global_id();
        if i < lens.len() && lens[i] as usize <= y.len() {
            let part = &mut y[..lens[i] as usize];
            part[i] = 1;
        }
    }

    #[test]
    fn are_told() {
        for (why, part) in [
            (
                why::<counted>(),
                "the index depends on the result of the atomic operation in line ",
            ),
            (
                why::<walks>(),
                "no known largest value over all iterations of the loop in line ",
            ),
            (
                why::<root>(),
                "the index is computed with `f32`, of which no largest value is known",
            ),
            (
                why::<hashed>(),
                "no largest value is known of what computes the index",
            ),
            (why::<cut>(), "the length is not known before the loop"),
        ] {
            assert!(why.contains(part), "{why}");
        }
    }
}

mod denied {
    use vortex::prelude::*;

    // With a parameter that is known at launch, as there is no test then that it can be compiled.
    #[vortex::kernel(deny(checks))]
    pub(super) fn gathers(at: &[u32], #[comptime] by: usize, x: &[f32], y: &mut [f32]) {
        let i = global_id();
        y[i] = x[at[i] as usize * by];
    }

    #[vortex::kernel(deny(checks))]
    pub(super) fn guards(at: &[u32], x: &[f32], y: &mut [f32]) {
        let i = global_id();
        let from = at[i] as usize;
        y[i] = if from < x.len() { x[from] } else { 0.0 };
    }
}

#[test]
fn a_check_that_is_left_is_an_error_where_it_is_denied() {
    let device = Device::builder().open().unwrap();
    let at = device.upload(&[3, 2, 1, 0]).unwrap();
    let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let mut y = device.alloc::<f32>(4).unwrap();
    let launch = denied::guards(&at, &x, &mut y).over(4).launch(&device);
    launch.unwrap();
    assert_eq!(y.download().unwrap(), [4.0, 3.0, 2.0, 1.0]);
    let launch = denied::gathers(&at, 1, &x, &mut y).over(4).launch(&device);
    let line = line!() - 21;
    assert_eq!(
        launch.unwrap_err().to_string(),
        format!(
            "kernel gathers<1>: a bounds check is left in a kernel with `deny(checks)`:\n  \
             tests/costs/bounds.rs:{line}:16: the index depends on a value that is loaded from memory in line {line}\n\
             help: test the index before, as in `if i < x.len() {{ x[i] }}`, or have it be a sum of multiples of ids \
             and of variables of `for` over ranges"
        )
    );
}

#[vortex::kernel(checks = "none")]
fn trusting(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let row = &x[i * 4..];
    for k in 0..4 {
        y[i] += row[k];
    }
}

#[vortex::kernel(checks = "none", deny(checks))]
fn divides(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    y[i] = 100 / x[x[i] as usize];
}

#[test]
fn without_checks_there_are_none() {
    let device = Device::builder().open().unwrap();
    assert_eq!(counts(&checks::<trusting>()), [0; 5]);
    let x = device.upload(&[1.0f32; 16]).unwrap();
    let mut y = device.upload(&[0.0f32; 4]).unwrap();
    // SAFETY: each of the four items has four elements of `x` and one of `y`.
    let launch = unsafe { trusting(&x, &mut y) };
    launch.over(4).launch(&device).unwrap();
    assert_eq!(y.download().unwrap(), [4.0; 4]);
}

/// Only indices are trusted.
#[test]
fn without_checks_divisions_are_checked() {
    let device = Device::builder().open().unwrap();
    assert_eq!(counts(&checks::<divides>()), [0; 5]);
    let x = device.upload(&[1u32, 3, 2, 0]).unwrap();
    let mut y = device.upload(&[0u32; 4]).unwrap();
    // SAFETY: all numbers in `x` are less than its length.
    let launch = unsafe { divides(&x, &mut y) };
    let error = launch.over(4).launch(&device).unwrap_err();
    assert!(error.to_string().contains("division by zero"), "{error}");
}

#[vortex::kernel]
fn rows_in_four_ways(x: &[f32], y: &mut [f32], n: usize) {
    let row = global_id();
    let [mut first, mut second, mut third, mut fourth] = [0.0; 4];
    for v in &x[row * n..(row + 1) * n] {
        first += v * v;
    }
    for v in &x[row * n..row * n + n] {
        second += v * 0.5;
    }
    let part = &x[row * n..][..n];
    for k in 0..n {
        third += part[k];
    }
    for v in &x[n * row..n * (row + 1)] {
        fourth += v * 2.0;
    }
    y[row] = first + second + third + fourth;
}

#[vortex::kernel]
fn clamped(from: &[f32], to: &mut [f32], w: usize, h: usize) {
    let (x, y) = global_id_2d();
    let mut sum = 0.0;
    for dy in -1..=1 {
        let v = (y as i32 + dy).clamp(0, h as i32 - 1) as usize;
        for dx in -1..=1 {
            sum += from[v * w + (x as i32 + dx).max(0).min(w as i32 - 1) as usize];
        }
    }
    to[y * w + x] = sum;
}

#[vortex::kernel]
fn inside(from: &[f32], to: &mut [f32], w: usize, h: usize) {
    let (x, y) = global_id_2d();
    let mut sum = 0.0;
    for dy in -1..=1 {
        let v = y as i32 + dy;
        if v < 0 || v >= h as i32 {
            continue;
        }
        for dx in -1..=1 {
            let u = x as i32 + dx;
            if u >= 0 && u < w as i32 {
                sum += from[v as usize * w + u as usize];
            }
        }
    }
    to[y * w + x] = sum;
}

/// The nearest point of an image, where the new one has each.
#[vortex::kernel]
fn enlarged(from: &[f32], to: &mut [f32], w: usize, to_w: usize, scale: f32, shift: f32) {
    let (x, y) = global_id_2d();
    let at = |k: usize| (scale * (k as f32 + 0.5) - shift) as usize;
    to[y * to_w + x] = from[at(y) * w + at(x)];
}

/// The point of an image at a turned place, if that is inside of it.
#[vortex::kernel]
fn turned(from: &[f32], to: &mut [f32], w: usize, h: usize, sin: f32, cos: f32) {
    let (x, y) = global_id_2d();
    let u = x as f32 * cos - y as f32 * sin;
    let v = x as f32 * sin + y as f32 * cos;
    let is_inside = u >= 0.0 && v >= 0.0 && u < w as f32 && v < h as f32;
    to[y * w + x] = if is_inside {
        from[v as usize * w + u as usize]
    } else {
        0.0
    };
}

#[vortex::kernel]
fn turned_and_clamped(from: &[f32], to: &mut [f32], w: usize, h: usize, sin: f32, cos: f32) {
    let (x, y) = global_id_2d();
    let u = (x as f32 * cos - y as f32 * sin).clamp(0.0, (w - 1) as f32);
    let v = (x as f32 * sin + y as f32 * cos)
        .max(0.0)
        .min(h as f32 - 1.0);
    to[y * w + x] = from[v as i32 as usize * w + u as usize];
}

/// Positions that comparisons keep inside, one around a ring, and one up and down a stack as in a search; next to a
/// counter that nothing bounds.
#[vortex::kernel]
fn ring_and_stack(x: &[u32], y: &mut [u32]) {
    let item = global_id();
    let (mut ring, mut free) = ([0; 5], [0; 8]);
    let (mut at, mut row, mut sum, mut found) = (0, 2, 0, 0);
    free[row] = x[item];
    while row >= 2 {
        let left = free[row];
        if left == 0 {
            row -= 1;
            continue;
        }
        free[row] = left & (left - 1);
        sum ^= ring[at];
        ring[at] = left;
        at = if at + 1 == 5 { 0 } else { at + 1 };
        if row == 6 {
            found += 1;
            continue;
        }
        row += 1;
        free[row] = left >> 1;
    }
    y[item] = sum ^ found;
}

#[test]
fn nothing_is_checked_for_each_item_that_a_launch_answers() {
    let all = [
        checks::<device_code::reduction::reduction>(),
        checks::<device_code::heat::heat>(),
        checks::<device_code::lower_bound::lower_bound>(),
        checks::<device_code::life::life>(),
        checks::<rows_in_four_ways>(),
        checks::<clamped>(),
        checks::<inside>(),
        checks::<ring_and_stack>(),
        checks::<enlarged>(),
        checks::<turned>(),
        checks::<turned_and_clamped>(),
    ];
    for report in all {
        assert_eq!(counts(&report)[3..], [0, 0], "{report}");
    }
}

/// The counts of the suite may only fall: of all places, those proved, tested before the work items, before loops,
/// kept.
#[test]
fn the_suite_keeps_no_more_checks() {
    let mut wrong = Vec::new();
    macro_rules! hold {
        ($($kernel:ident $(::<$tile:literal>)?: $counts:expr;)*) => {$(
            let report = checks::<device_code::$kernel::$kernel $(::<$tile>)?>();
            if counts(&report) != $counts {
                wrong.push(format!("{}: {:?}, {report}", stringify!($kernel), counts(&report)));
            }
        )*};
    }
    hold! {
        vecadd: [3, 1, 2, 0, 0];
        polynomial: [4, 1, 3, 0, 0];
        transpose: [2, 0, 2, 0, 0];
        sgemv: [3, 1, 2, 0, 0];
        dot: [3, 0, 3, 0, 0];
        nbody: [10, 2, 8, 0, 0];
        stencil5: [6, 0, 6, 0, 0];
        conv3x3: [3, 0, 3, 0, 0];
        stencil7: [8, 0, 8, 0, 0];
        sgemm: [3, 0, 3, 0, 0];
        saxpy: [3, 1, 2, 0, 0];
        conv5x5: [3, 0, 3, 0, 0];
        sobel: [13, 4, 9, 0, 0];
        layer_norm: [6, 0, 6, 0, 0];
        kmeans: [5, 2, 3, 0, 0];
        fft: [16, 6, 10, 0, 0];
        lu: [5, 0, 5, 0, 0];
        bitonic: [5, 1, 4, 0, 0];
        spmv: [6, 1, 2, 2, 1];
        sgemm_tiled::<8>: [7, 0, 7, 0, 0];
        transpose_tiled::<8>: [4, 0, 4, 0, 0];
        scan: [8, 0, 8, 0, 0];
        histogram: [2, 1, 1, 0, 0];
        nearest: [2, 1, 1, 0, 0];
        bfs: [6, 1, 3, 1, 1];
        mandelbrot: [1, 0, 1, 0, 0];
        black_scholes: [5, 1, 4, 0, 0];
        softmax: [4, 0, 4, 0, 0];
        sha256: [12, 6, 6, 0, 0];
        heat: [6, 1, 5, 0, 0];
        max_pool: [5, 0, 5, 0, 0];
        life: [3, 0, 3, 0, 0];
        bilinear: [5, 0, 5, 0, 0];
        gather: [3, 0, 2, 0, 1];
        lower_bound: [3, 0, 3, 0, 0];
        reduction: [6, 0, 6, 0, 0];
        rms_norm: [5, 1, 4, 0, 0];
        collatz: [1, 0, 1, 0, 0];
        gcd: [3, 0, 3, 0, 0];
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Steps of a prefix sum: the guards say that the differences are some.
macro_rules! differences {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        fn $name(apart: usize, x: &[f32], y: &mut [f32]) {
            let i = global_id();
            let mut by = apart;
            while by < x.len() {
                if i >= by {
                    y[i] += x[i - by];
                }
                if by < i {
                    y[i] += x[i - by];
                }
                by *= 2;
            }
        }
    };
}

differences! { #[vortex::kernel] differences }
differences! { #[vortex::kernel(checks = "none")] unchecked_differences }

#[test]
fn a_difference_that_a_guard_says_is_one_has_a_bound() {
    let [.., kept] = counts(&checks::<differences>());
    assert_eq!(kept, 0);
    let builder = Device::builder().cores(1).warps(2).threads(4);
    let device = builder.open().unwrap();
    let x = device.upload(&[1.0f32; 64]).unwrap();
    let mut y = device.upload(&[0.0f32; 64]).unwrap();
    let launch = differences(1, &x, &mut y).over(64).launch(&device);
    let with = launch.unwrap().instructions().unwrap();
    let expected = |i: u32| {
        let steps = (0..6).map(|step| 1 << step);
        steps
            .map(|by| f32::from(u8::from(i >= by) + u8::from(by < i)))
            .sum::<f32>()
    };
    assert_eq!(
        y.download().unwrap(),
        (0..64).map(expected).collect::<Vec<_>>()
    );
    // SAFETY: the same launch has passed all checks.
    let launch = unsafe { unchecked_differences(1, &x, &mut y) };
    let launch = launch.over(64).launch(&device);
    let without = launch.unwrap().instructions().unwrap();
    assert!(with < without + 40, "{with} {without}");
}
