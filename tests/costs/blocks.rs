//! What docs/launches.md says of lanes that do several work items at once: kernels of the suite with and without.

use crate::device_code::scan::scan;
use crate::device_code::sgemm::sgemm;
use crate::device_code::sgemm_tiled::{sgemm_tiled, unchecked};
use crate::device_code::vecadd::vecadd;
use crate::measure::{LAUNCHES, held, one_by_one};
use vortex::prelude::*;
use vortex::sim::{Checks, Grouped, Model};
use vortex::{DeviceBuilder, Generation, Report};

const N: usize = 64;
const TILE: usize = 4;
const BLOCK: usize = 16;

fn taken(report: vortex::Result<Report>) -> vortex::Result<u64> {
    Ok(report?.cycles().unwrap_or(0))
}

/// What each kernel of the page takes on a device.
fn cycles(device: DeviceBuilder) -> vortex::Result<[u64; 4]> {
    // As hardware, which never asks which item an access is of.
    let checks = Checks {
        races: false,
        ..Checks::default()
    };
    let device = device.cores(1).warps(4).threads(4).checks(checks);
    let device = &device.model(Model::cycle()).open()?;
    let len = N * N;
    let numbers: Vec<f32> = (0..len).map(|n| (n % 17) as f32).collect();
    let (a, b) = (&device.upload(&numbers)?, &device.upload(&numbers)?);
    let c = &mut device.alloc::<f32>(len)?;
    let ends = &mut device.alloc::<f32>(len / BLOCK)?;
    let product = |k: usize, at: usize| numbers[at / N * N + k] * numbers[k * N + at % N];
    let right = |c: &Buffer<f32>, wanted: &dyn Fn(usize) -> f32| -> vortex::Result<()> {
        let found = c.download()?;
        assert!((0..len).all(|at| found[at] == wanted(at)));
        Ok(())
    };
    let sums = taken(vecadd(a, b, c).over(len).launch(device))?;
    right(c, &|at| numbers[at] + numbers[at])?;
    let products = taken(sgemm(a, b, c, N).over((N, N)).launch(device))?;
    let wanted = |at: usize| (0..N).map(|k| product(k, at)).sum();
    right(c, &wanted)?;
    let grid = (N / TILE, N / TILE);
    let tiled = sgemm_tiled::<TILE>(a, b, c, N)
        .grid(grid)
        .block((TILE, TILE));
    let tiled = taken(tiled.launch(device))?;
    right(c, &wanted)?;
    let prefixes = scan(LocalLen(BLOCK), a, c, ends)
        .grid(len / BLOCK)
        .block(BLOCK);
    let prefixes = taken(prefixes.launch(device))?;
    right(c, &|at| numbers[at / BLOCK * BLOCK..=at].iter().sum())?;
    Ok([sums, products, tiled, prefixes])
}

#[test]
fn several_at_once_take_what_the_page_says() {
    let one = cycles(one_by_one(Generation::V2)).unwrap();
    let several = cycles(Device::builder().generation(Generation::V2)).unwrap();
    let names = [
        "vector addition, 4096",
        "sgemm, 64 x 64",
        "tiled sgemm, 64 x 64",
        "prefix sums, 4096",
    ];
    let mut rows = String::new();
    for ((name, one), several) in names.into_iter().zip(one).zip(several) {
        let ratio = several as f64 / one as f64;
        rows += &format!(
            "| {name} | {} | {} | {ratio:.2} |\n",
            Grouped(one),
            Grouped(several)
        );
    }
    let head =
        "| kernel | cycles, one item at a time | several at once | ratio |\n|---|---|---|---|\n";
    let (before, rest) = LAUNCHES.text.split_once(head).unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    held(LAUNCHES.name, &format!("{before}{head}{rows}\n{after}"));
}

/// Checks that are answered before the loop over blocks do not make the blocks smaller.
#[test]
fn blocks_of_groups_are_the_same_without_checks() {
    const TILE: usize = 8;
    let checks = Checks {
        races: false,
        ..Checks::default()
    };
    let device = Device::builder().cores(1).warps(8).threads(8);
    let device = &device.checks(checks).open().unwrap();
    let factors = &device.upload(&[1.5f32; N * N]).unwrap();
    let c = &mut device.alloc::<f32>(N * N).unwrap();
    let grid = (N / TILE, N / TILE);
    let checked = sgemm_tiled::<TILE>(factors, factors, c, N)
        .grid(grid)
        .block((TILE, TILE));
    let checked = checked.launch(device).unwrap().instructions().unwrap();
    // SAFETY: the same launch has passed all checks.
    let unchecked = unsafe { unchecked::sgemm_tiled::<TILE>(factors, factors, c, N) };
    let unchecked = unchecked.grid(grid).block((TILE, TILE)).launch(device);
    let unchecked = unchecked.unwrap().instructions().unwrap();
    assert!(
        checked * 100 <= unchecked * 101,
        "{checked} and {unchecked}"
    );
}
