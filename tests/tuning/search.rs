//! What is found, and what for.

use vortex::prelude::*;
use vortex::sim::{Checks, Model};
use vortex::{Choices as _, Generation};

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

#[test]
fn the_best_is_the_one_of_the_fewest_cycles_measured_by_hand() {
    let n = 12;
    let (a, b, c) = matrices(n);
    for generation in [Generation::V2, Generation::V3] {
        for shape in [[1, 4, 4], [1, 8, 8], [2, 8, 8]] {
            let device = device(generation, shape, Model::cycle());
            let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
            let mut by_hand = Vec::new();
            let mut of_product = device.alloc(n * n).unwrap();
            macro_rules! measure {
                ($($tile:literal)*) => {$(
                    let groups = n.div_ceil($tile);
                    let launch = product::<$tile>(n, &a, &b, &mut of_product).grid((groups, groups));
                    by_hand.push(launch.launch(&device).ok().and_then(|report| report.cycles()));
                )*};
            }
            measure!(2 4 8);
            assert_eq!(of_product.download().unwrap(), c);
            let mut out = device.alloc(n * n).unwrap();
            let mut call = product::tuned(n, &a, &b, &mut out)
                .grid_by(|choice| (n.div_ceil(choice.TILE), n.div_ceil(choice.TILE)))
                .records(std::env::temp_dir().join("vortex-tuning-by-hand.toml"))
                .exhaustive();
            let found = call.tune(&device).unwrap();
            println!("{found}");
            let cycles: Vec<_> = found.tried().iter().map(|tried| tried.outcome.cycles()).collect();
            assert_eq!(cycles, by_hand, "{found}");
            let least = by_hand.iter().flatten().min().unwrap();
            assert_eq!(found.cycles(), *least);
            let report = call.launch(&device).unwrap();
            assert_eq!(report.tuned().unwrap(), found.best().text());
            assert_eq!(report.cycles(), Some(*least));
            assert_eq!(out.download().unwrap(), c);
        }
    }
}
