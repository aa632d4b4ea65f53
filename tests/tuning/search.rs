//! What is found, and what for.

use vortex::prelude::*;
use vortex::sim::{Checks, Model};
use vortex::{Choices as _, Generation};

use crate::Scratch;
use crate::kernels::product;

/// A device of a shape, on which nobody watches for races, as where candidates are measured.
fn device(generation: Generation, [cores, warps, threads]: [u32; 3], model: Model) -> Device {
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
            Some((
                report.cycles().unwrap(),
                report.tuned().map(str::to_owned),
            ))
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
