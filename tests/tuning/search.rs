//! What is found, and what for.

use crate::said::said;
use vortex::prelude::*;
use vortex::sim::{Checks, Model};
use vortex::{Choices as _, Error, Generation, LaunchError, Outcome};

use crate::Scratch;
use crate::kernels::{ITEMS, ROUNDS, add, count, product, repeat, through_a_pointer};

/// A device of a shape, on which nobody watches for races, as where candidates are measured.
pub(crate) fn device(
    generation: Generation,
    [cores, warps, threads]: [u32; 3],
    model: Model,
) -> Device {
    let checks = Checks {
        races: false,
        ..Checks::default()
    };
    Device::builder()
        .generation(generation)
        .cores(cores)
        .warps(warps)
        .threads(threads)
        .checks(checks)
        .model(model)
        .open()
        .unwrap()
}

fn matrices(n: usize) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let a: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32 - 3.0).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i % 5) as f32 - 1.0).collect();
    let mut c = vec![0.0; n * n];
    for row in 0..n {
        for column in 0..n {
            c[row * n + column] = (0..n).map(|k| a[row * n + k] * b[k * n + column]).sum();
        }
    }
    (a, b, c)
}

/// Shapes and generations.
fn devices() -> impl Iterator<Item = (Generation, [u32; 3])> {
    let shapes = [[1, 4, 4], [1, 8, 8], [2, 8, 8]];
    let generations = [Generation::V2, Generation::V3];
    generations
        .into_iter()
        .flat_map(move |generation| shapes.map(|shape| (generation, shape)))
}

#[test]
fn the_best_is_the_one_of_the_fewest_cycles_measured_by_hand() {
    let n = 12;
    let (a, b, c) = matrices(n);
    for (generation, shape) in devices() {
        let file = Scratch::new("by-hand");
        // With the choice of this number, or with what is found.
        let measured = |tile: Option<usize>| {
            let device = device(generation, shape, Model::cycle());
            let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
            let mut out = device.alloc(n * n).unwrap();
            let groups = |tile: usize| (n.div_ceil(tile), n.div_ceil(tile));
            let grid = tile.map_or((0, 0), groups);
            let report = match tile {
                Some(2) => product::<2>(n, &a, &b, &mut out).grid(grid).launch(&device),
                Some(4) => product::<4>(n, &a, &b, &mut out).grid(grid).launch(&device),
                Some(8) => product::<8>(n, &a, &b, &mut out).grid(grid).launch(&device),
                _ => product::tuned(n, &a, &b, &mut out)
                    .grid_by(|choice| groups(choice.TILE))
                    .records(&file.0)
                    .launch(&device),
            };
            let report = report.ok()?;
            assert_eq!(out.download().unwrap(), c);
            Some((report.cycles().unwrap(), report.tuned().map(str::to_owned)))
        };
        let by_hand = [2, 4, 8].map(|tile| Some(measured(Some(tile))?.0));
        let least = *by_hand.iter().flatten().min().unwrap();

        let device = device(generation, shape, Model::Functional);
        let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
        let mut out = device.alloc(n * n).unwrap();
        let found = product::tuned(n, &a, &b, &mut out)
            .grid_by(|choice| (n.div_ceil(choice.TILE), n.div_ceil(choice.TILE)))
            .records(&file.0)
            .exhaustive()
            .tune(&device)
            .unwrap();
        let cycles: Vec<_> = found
            .tried()
            .iter()
            .map(|tried| tried.outcome.cycles())
            .collect();
        assert_eq!(cycles, by_hand, "{found}");
        assert_eq!(found.cycles(), least);
        // What is on record is what is launched.
        let (cycles, choice) = measured(None).unwrap();
        assert_eq!(choice.unwrap(), found.best().text());
        assert_eq!(cycles, least);
    }
}

#[test]
fn bounds_are_bounds_and_the_best_is_found_without_measuring_all() {
    let x: Vec<f32> = (0..500).map(|i| i as f32).collect();
    let mut cut_short = 0;
    for (generation, shape) in devices() {
        let file = Scratch::new("pruned");
        let device = device(generation, shape, Model::Functional);
        let x = device.upload(&x).unwrap();
        let mut y = device.alloc(500).unwrap();
        let mut call = add::tuned(&x, &mut y)
            .grid_by(|choice| 500usize.div_ceil(choice.each * choice.block.0 * choice.block.1))
            .records(&file.0);
        assert_eq!(call.candidates().len(), 11);
        let pruned = call.tune(&device).unwrap();
        let all = call.exhaustive().tune(&device).unwrap();
        assert_eq!(pruned.best(), all.best(), "{pruned}\n{all}");
        assert_eq!(pruned.cycles(), all.cycles());
        for (tried, measured) in pruned.tried().iter().zip(all.tried()) {
            assert_eq!(tried.choice, measured.choice);
            match (&tried.outcome, &measured.outcome) {
                (Outcome::Bound(least), Outcome::Cycles(cycles)) => {
                    cut_short += 1;
                    assert!(
                        least <= cycles && *cycles >= all.cycles(),
                        "{pruned}\n{all}"
                    );
                }
                (Outcome::Ended(after), Outcome::Cycles(cycles)) => {
                    cut_short += 1;
                    assert!(
                        after <= cycles && *cycles >= all.cycles(),
                        "{pruned}\n{all}"
                    );
                }
                (one, other) => assert_eq!(one, other),
            }
        }
    }
    assert!(cut_short > 6, "{cut_short}");
}

#[test]
fn nothing_is_changed_by_tuning() {
    let file = Scratch::new("unchanged");
    let device = device(Generation::V2, [1, 4, 4], Model::Functional);
    let mut y = device.upload(&(0..64).collect::<Vec<u32>>()).unwrap();
    let items = device.global(&ITEMS);
    items.write(7).unwrap();
    // In part of a buffer, of which the rest stays as it is, too.
    let mut part = y.slice_mut(16..48).unwrap();
    let found = count::tuned(&mut part)
        .over(32)
        .records(&file.0)
        .tune(&device)
        .unwrap();
    let [_, failed, _] = found.tried() else {
        panic!("{found}")
    };
    match &failed.outcome {
        Outcome::Unfit(why) => assert!(why.contains("index 32 is out of bounds"), "{why}"),
        other => panic!("{other}"),
    }
    assert_eq!(y.download().unwrap(), (0..64).collect::<Vec<u32>>());
    assert_eq!(items.read().unwrap(), 7);
}

/// How long a kernel takes may depend on all that it reads.
#[test]
fn candidates_run_on_the_contents_and_variables_of_the_device() {
    let numbers: Vec<u32> = (0..16).map(|i| 40 + i % 5).collect();
    let prepared = |model: Model| {
        let device = device(Generation::V2, [1, 4, 4], model);
        device.global(&ROUNDS).write(5).unwrap();
        let x = device.upload(&numbers).unwrap();
        (device, x)
    };
    let by_hand = [1, 2].map(|step| {
        let (device, mut x) = prepared(Model::cycle());
        let report = repeat(step, &mut x).over(16).launch(&device).unwrap();
        report.cycles()
    });
    let (device, mut x) = prepared(Model::Functional);
    let mut call = repeat::tuned(&mut x).over(16).exhaustive();
    // Once more, as what has been tried leaves nothing behind.
    for _ in 0..2 {
        let found = call.measure(&device).unwrap();
        let cycles: Vec<_> = (found.tried().iter())
            .map(|tried| tried.outcome.cycles())
            .collect();
        assert_eq!(cycles, by_hand, "{found}");
    }
    drop(call);
    assert_eq!(x.download().unwrap(), numbers);
}

#[test]
fn what_pointers_lead_to_cannot_be_copied() {
    let file = Scratch::new("pointers");
    let device = device(Generation::V2, [1, 4, 4], Model::Functional);
    let x = device.upload(&[1u32, 2, 3, 4]).unwrap();
    let mut y = device.alloc(4).unwrap();
    // SAFETY: `x` has as many elements as `y`.
    let mut call = unsafe { through_a_pointer::tuned(x.as_ptr(), &mut y) }
        .over_by(|choice| 4 / choice.each)
        .records(&file.0);
    let error = call.tune(&device).unwrap_err();
    assert!(matches!(
        error,
        Error::Refused {
            cause: LaunchError::PointersInTuning,
            ..
        }
    ));
    assert!(
        error.to_string().contains("cannot be copied; pass slices"),
        "{error}"
    );
    call.launch(&device).unwrap();
    assert_eq!(y.download().unwrap(), [1, 2, 3, 4]);
}

#[test]
fn a_kernel_that_never_runs_says_why() {
    let file = Scratch::new("never");
    let device = device(Generation::V2, [1, 4, 4], Model::Functional);
    let mut y = device.alloc(0).unwrap();
    let error = count::tuned(&mut y)
        .over(32)
        .records(&file.0)
        .tune(&device)
        .unwrap_err();
    let fault = error.to_string();
    assert!(
        fault.contains("out of bounds") && fault.contains("kernels.rs"),
        "{fault}"
    );
    let error = count::tuned(&mut y)
        .only(|choice| choice.step > 3)
        .over(32)
        .launch(&device)
        .unwrap_err();
    assert_eq!(
        said(&error),
        "kernel count: no choice is left: the conditions of `#[tune(..)]` and of `.only(..)` hold for none of the candidates"
    );
    assert!(!file.0.exists());
}
