//! Memory of which each work item accesses elements of its own is not watched for races: what is proved to be such is
//! held against what items really access.

use vortex::Error;
use vortex::prelude::*;

/// With a thread for each item, as what a warp does in one iteration and in the next is in order.
fn device() -> Device {
    let builder = Device::builder().cores(2).warps(8).threads(4);
    builder.open().unwrap()
}

/// Whether a launch went well, or else was stopped for a race.
fn went_well(outcome: vortex::Result<vortex::Report>) -> bool {
    match outcome {
        Ok(_) => true,
        Err(Error::Trap(_)) => false,
        Err(other) => panic!("{other}"),
    }
}

/// Whether no two of these are the same.
fn differ(mut elements: Vec<usize>) -> bool {
    elements.sort_unstable();
    elements.windows(2).all(|pair| pair[0] != pair[1])
}

#[vortex::kernel]
fn at_a_sum(by: usize, row: usize, plane: usize, y: &mut [u32]) {
    let (i, j, k) = global_id_3d();
    y[i * by + row * j + k * plane + 2] = global_id() as u32 + 1;
}

#[vortex::kernel]
fn two_each(by: usize, y: &mut [u32]) {
    let i = global_id();
    y[i * by + 1] = i as u32;
    y[by * i + 3] = i as u32 + 1000;
}

#[vortex::kernel]
fn own_and_next(x: &mut [u32], y: &mut [u32], count: &mut [u32]) {
    let i = global_id();
    x[i] = i as u32;
    y[i] += 1;
    if i + 1 < y.len() && x[i] == u32::MAX {
        y[i + 1] = 2;
    }
    count.atomic(0).fetch_add(1, Relaxed);
}

/// Of two accesses to `x`, three or four to `y` and an atomic one, those to `y` could race.
#[test]
fn reports_say_how_much_is_proved() {
    let device = device();
    let [mut x, mut y, mut count] = [64, 64, 1].map(|n| device.upload(&vec![0u32; n]).unwrap());
    let mut proof = |items: usize| {
        let launch = own_and_next(&mut x, &mut y, &mut count).over(items);
        launch.launch(&device).unwrap().race_proof().unwrap()
    };
    let (one, many) = (proof(1), proof(64));
    assert_eq!((one.proved, many.accesses), (one.accesses, one.accesses));
    assert!(
        many.proved >= 2 && many.proved + 2 <= many.accesses,
        "{many:?}"
    );
}

/// All strides up to a few on several extents: it is stopped just where two items store to one element.
#[test]
fn sums_of_ids_meet_where_they_meet() {
    let device = device();
    let mut y = device.alloc::<u32>(256).unwrap();
    let (mut good, mut bad) = (0, 0);
    for size in [
        (1, 1, 1),
        (5, 1, 1),
        (3, 4, 1),
        (4, 3, 2),
        (1, 2, 5),
        (2, 1, 9),
    ] {
        for strides in 0..216 {
            let [by, row, plane] = [strides % 6, strides / 6 % 6, strides / 36 * 4];
            let element = |n: usize| {
                n % size.0 * by + n / size.0 % size.1 * row + n / size.0 / size.1 * plane
            };
            let expected = differ((0..size.0 * size.1 * size.2).map(element).collect());
            let launch = at_a_sum(by, row, plane, &mut y).over(size);
            let found = went_well(launch.launch(&device));
            assert_eq!(found, expected, "{size:?}: {by} {row} {plane}");
            *(if found { &mut good } else { &mut bad }) += 1;
        }
    }
    assert!(good > 300 && bad > 300, "{good} {bad}");
}

#[test]
fn elements_of_items_may_lie_between_those_of_others() {
    let device = device();
    let mut y = device.alloc::<u32>(256).unwrap();
    for by in 0..8 {
        let elements = (0..20).flat_map(|i| [i * by + 1, i * by + 3]).collect();
        let outcome = two_each(by, &mut y).over(20).launch(&device);
        assert_eq!(went_well(outcome), differ(elements), "{by}");
    }
}

#[vortex::kernel]
fn in_half_rows(width: usize, y: &mut [u32]) {
    let (x, row) = global_id_2d();
    y[row * (width / 2) + x] = global_id() as u32 + 1;
}

#[vortex::kernel]
fn in_pairs_of_blocks(block: usize, apart: usize, y: &mut [u32]) {
    let i = global_id();
    let at = i / block * block * 2 + i % block;
    y[at] = 2 * i as u32 + 1;
    y[at + apart] = 2 * i as u32 + 2;
}

#[test]
fn parts_of_arguments_and_of_items_numbers() {
    let device = device();
    let mut y = device.alloc::<u32>(256).unwrap();
    for width in 0..20 {
        let elements = (0..20).map(|n| n / 5 * (width / 2) + n % 5).collect();
        let outcome = in_half_rows(width, &mut y).over((5, 4)).launch(&device);
        let proof = outcome.as_ref().ok().and_then(vortex::Report::race_proof);
        assert_eq!(proof.is_some_and(|proof| proof.proved == 1), width >= 10);
        assert_eq!(went_well(outcome), differ(elements), "{width}");
    }
    for (block, apart) in (1..8).flat_map(|block| (0..10).map(move |apart| (block, apart))) {
        let at = |i: usize| i / block * block * 2 + i % block;
        // What lanes of a warp do one after the other is in order.
        let of_warps = (0..20).flat_map(|i| [(at(i), i / 4), (at(i) + apart, i / 4)]);
        let of_warps: std::collections::BTreeSet<_> = of_warps.collect();
        let expected = differ(of_warps.into_iter().map(|(element, _)| element).collect());
        let launch = in_pairs_of_blocks(block, apart, &mut y).over(20);
        assert_eq!(
            went_well(launch.launch(&device)),
            expected,
            "{block} {apart}"
        );
    }
}

/// Items wait for each other in each round, or do not.
#[vortex::kernel]
fn tree(#[comptime] waits: bool, part: &mut Local<[u32]>, sums: &mut [u32]) {
    let i = local_id();
    part[i] = global_id() as u32;
    barrier();
    let mut half = local_size() / 2;
    while half > 0 {
        if i < half {
            part[i] += part[i + half];
        }
        if waits {
            barrier();
        }
        half /= 2;
    }
    if i == 0 {
        sums[group_id()] = part[0];
    }
}

#[test]
fn trees_of_items_that_wait_for_each_other() {
    let device = device();
    let mut sums = device.alloc::<u32>(3).unwrap();
    let launch = tree(true, LocalLen(32), &mut sums).grid(3).block(32);
    let proof = launch.launch(&device).unwrap().race_proof().unwrap();
    assert_eq!(proof.proved, proof.accesses);
    let expected = [0, 1, 2].map(|group| (32 * group..32 * (group + 1)).sum::<u32>());
    assert_eq!(sums.download().unwrap(), expected);
    let launch = tree(false, LocalLen(32), &mut sums).grid(3).block(32);
    assert!(!went_well(launch.launch(&device)));
}

/// The same argument, once at the item's own element and once at another's.
#[vortex::kernel]
fn neighbours(by: usize, y: &mut [u32]) {
    let i = global_id();
    y[i] = y[i + by] + 1;
}

#[vortex::kernel]
fn through_a_part(from: usize, y: &mut [u32]) {
    let i = global_id();
    let part = &mut y[from..];
    part[i] = 1;
    y[i] = 2;
}

#[vortex::kernel]
fn one_of_two(x: &mut [u32], y: &mut [u32]) {
    let i = global_id();
    let mut one = &mut x[..];
    if i % 2 == 0 {
        one = &mut y[..];
    }
    one[i / 4] = i as u32;
    x[i] = 7;
}

#[vortex::kernel]
fn counted(next: &mut [u32], y: &mut [u32]) {
    let i = global_id();
    y[i] = 1;
    if i == 3 {
        next[0] += 1;
    }
    next.atomic(0).fetch_add(1, Relaxed);
}

#[test]
fn other_accesses_to_the_same_memory_are_watched() {
    let device = device();
    let mut y = device.upload(&[0u32; 200]).unwrap();
    let mut x = device.upload(&[0u32; 200]).unwrap();
    assert!(went_well(neighbours(0, &mut y).over(64).launch(&device)));
    assert!(!went_well(neighbours(1, &mut y).over(64).launch(&device)));
    assert!(!went_well(neighbours(17, &mut y).over(64).launch(&device)));
    assert!(went_well(neighbours(64, &mut y).over(64).launch(&device)));
    assert!(went_well(
        through_a_part(64, &mut y).over(64).launch(&device)
    ));
    assert!(!went_well(
        through_a_part(9, &mut y).over(64).launch(&device)
    ));
    assert!(!went_well(
        one_of_two(&mut x, &mut y).over(64).launch(&device)
    ));
    assert!(!went_well(counted(&mut x, &mut y).over(64).launch(&device)));
}

#[vortex::kernel]
fn wraps(by: u32, y: &mut [u32]) {
    let i = global_id();
    y[(i as u32 * by) as usize] = i as u32;
}

/// `2^31 * 2` is 0, so that items 0 and 2 meet.
#[test]
fn indices_that_wrap_around_are_watched() {
    let device = device();
    let mut y = device.alloc::<u32>(8).unwrap();
    let outcome = wraps(1 << 31, &mut y).over(3).launch(&device);
    assert!(outcome.is_err());
    assert!(went_well(wraps(3, &mut y).over(2).launch(&device)));
}

/// The same image, launched with rows of several widths.
#[test]
fn proofs_hold_for_the_arguments_of_the_launch() {
    let device = device();
    let mut y = device.alloc::<u32>(64).unwrap();
    for (width, expected) in [(8, true), (7, false), (9, true)] {
        let outcome = at_a_sum(1, width, 0, &mut y).over((8, 6)).launch(&device);
        assert_eq!(went_well(outcome), expected, "{width}");
    }
}
