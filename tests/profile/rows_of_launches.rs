//! How many items of a row a lane does at once depends on how many a launch has room for.

use vortex::explain::CoarseFate;
use vortex::prelude::*;
use vortex::{KernelEntry, Module};

fn device() -> Device {
    let builder = Device::builder().cores(1).warps(4).threads(4);
    builder.open().unwrap()
}

/// Generic, so that nothing else compiles it.
#[vortex::kernel]
fn scaled<const BY: u32>(width: usize, x: &[u32], y: &mut [u32]) {
    let (column, row) = global_id_2d();
    let at = row * width + column;
    y[at] = x[at] * BY + column as u32;
}

/// Rows share most of what it loads.
#[vortex::kernel]
fn mean<const TIMES: u32>(width: usize, x: &[f32], y: &mut [f32]) {
    let (column, row) = global_id_2d();
    let mut sum = 0.0;
    for dy in 0..3 {
        for dx in 0..3 {
            sum += x[(row + dy) * (width + 2) + column + dx];
        }
    }
    y[row * width + column] = sum * TIMES as f32;
}

#[test]
fn neighbouring_rows_of_a_launch_have_room_for_so_many_items_of_a_lane() {
    let device = device();
    // Of 13 rows, the last one is done by the loop over single items; so it is of 7, of which 4 would be too few.
    for (height, expected, done) in [
        (16, 4, 16),
        (14, 2, 14),
        (13, 4, 12),
        (7, 2, 6),
        (16, 4, 16),
    ] {
        let width = 32;
        let x: Vec<f32> = (0..(width + 2) * (height + 2))
            .map(|i| (i % 7) as f32)
            .collect();
        let input = device.upload(&x).unwrap();
        let mut y = device.alloc::<f32>(width * height).unwrap();
        let launch = mean::<2>(width, &input, &mut y).over((width, height));
        let explanation = launch.explain(&device).unwrap();
        let blocks = explanation.coarsening();
        assert!(
            matches!(blocks, CoarseFate::Blocks([1, rows, 1]) if *rows == expected),
            "{height}: {blocks:?}"
        );
        let launch = mean::<2>(width, &input, &mut y).over((width, height));
        let profile = launch.profile(&device).unwrap();
        let blocks = ([1, expected, 1], (width * done) as u32);
        assert_eq!(profile.launch.coarse, Some(blocks), "{height}");
        let near = |i: usize| {
            let corner = i / width * (width + 2) + i % width;
            let at = |k: usize| x[corner + k / 3 * (width + 2) + k % 3];
            2.0 * (0..9).map(at).sum::<f32>()
        };
        let expected: Vec<f32> = (0..width * height).map(near).collect();
        assert_eq!(y.download().unwrap(), expected, "{height}");
    }
    assert_eq!(KernelEntry::of::<mean<2>>().cache().builds, 2);
}

/// An array of its own has each lane do one item after the other; how many there are does not matter.
#[vortex::kernel]
fn prefix<const OF: usize>(x: &[u32], y: &mut [u32]) {
    let mut sums = [0; OF];
    for k in 0..OF {
        sums[k] = x[(global_id() + k) % x.len()];
    }
    y[global_id()] = sums[sums[0] as usize % OF];
}

#[test]
fn rows_of_a_launch_have_room_for_so_many_items_of_a_lane() {
    let device = device();
    // Blocks of 8, 4 and 2 items for each of 4 lanes in rows of these; and the same for all items of a single row, of
    // which a few may be left.
    let launches = [
        ((64, 16), 8),
        ((48, 16), 4),
        ((40, 16), 2),
        ((36, 16), 1),
        ((1000, 1), 8),
        ((200, 1), 4),
        ((100, 1), 2),
        ((20, 1), 1),
        ((64, 16), 8),
        ((48, 16), 4),
    ];
    for ((width, height), expected) in launches {
        let x: Vec<u32> = (0..(width * height) as u32).collect();
        let input = device.upload(&x).unwrap();
        let mut y = device.alloc::<u32>(x.len()).unwrap();
        let launch = scaled::<3>(width, &input, &mut y).over((width, height));
        let columns = match launch.explain(&device).unwrap().coarsening() {
            CoarseFate::Blocks([columns, 1, 1]) => *columns,
            CoarseFate::OneByOne(why) => {
                assert!(why.contains("its rows have too few for more"), "{why}");
                1
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(columns, expected, "{width} {height}");
        let launch = scaled::<3>(width, &input, &mut y).over((width, height));
        launch.launch(&device).unwrap();
        let column = |at: u32| at % width as u32;
        let expected: Vec<u32> = x.iter().map(|at| at * 3 + column(*at)).collect();
        assert_eq!(y.download().unwrap(), expected, "{width} {height}");
    }
    let stats = KernelEntry::of::<scaled<3>>().cache();
    assert_eq!((stats.images, stats.builds, stats.hits), (4, 4, 6));
    assert_eq!(device.image_stats().images, 4);
}

/// What is compiled in advance serves all launches if it has no blocks.
#[test]
fn room_that_is_not_used_makes_no_other_image() {
    let device = device();
    let kernel = KernelEntry::of::<prefix<3>>();
    kernel.compile(&device).unwrap();
    let x = device.upload(&[1u32, 2, 0, 1]).unwrap();
    let mut y = device.alloc::<u32>(1000).unwrap();
    for items in [7, 1000, 40, 200] {
        prefix::<3>(&x, &mut y).over(items).launch(&device).unwrap();
    }
    assert_eq!(kernel.cache().builds, 1);
    // And one that is compiled for launches without room for more than it has.
    let kernel = KernelEntry::of::<prefix<4>>();
    for items in [200, 1000, 100] {
        prefix::<4>(&x, &mut y).over(items).launch(&device).unwrap();
    }
    assert_eq!(kernel.cache().builds, 1);
}

#[vortex::kernel(subgroup = 4)]
fn of_four_lanes(width: usize, x: &[u32], y: &mut [u32]) {
    let (column, row) = global_id_2d();
    y[row * width + column] = x[row * width + column] * 5;
}

/// Images of modules are for launches of any size, and there is one: its blocks are those that more launches have room
/// for.
#[test]
fn blocks_of_modules_fit_more_launches() {
    let device = device();
    let module = Module::builder("rows").kernel::<of_four_lanes>();
    let module = module.build().unwrap();
    let x = device.upload(&[7u32; 48 * 16]).unwrap();
    let mut y = device.alloc::<u32>(48 * 16).unwrap();
    let name = module.kernels()[0].name.clone();
    let launch = module
        .launch(&name)
        .unwrap()
        .scalar("width", 48usize)
        .unwrap();
    let launch = launch
        .slice("x", &x)
        .unwrap()
        .slice_mut("y", &mut y)
        .unwrap();
    let profile = launch.over((48, 16)).profile(&device).unwrap();
    assert_eq!(profile.launch.coarse, Some(([4, 1, 1], 48 * 16)));
    assert_eq!(y.download().unwrap()[47], 7 * 5);
}
