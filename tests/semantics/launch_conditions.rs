//! Conditions that scalar arguments alone decide, which the host answers, against the same functions in Rust: each
//! launch has its own answers, though the image is one.

use crate::harness::SHAPES;
use vortex::prelude::*;

/// Signs, narrow integers, divisions that nothing forbids, one condition inside another.
#[vortex::device(host)]
fn decided(a: u32, b: u32, c: i32) -> u64 {
    let mut said = 0;
    if a.wrapping_mul(3).wrapping_add(7) > (b / 2).wrapping_add(100) {
        said |= 1;
    }
    if c.wrapping_sub(5) < (a as i32).wrapping_mul(-2) && a & 1 == b >> 31 {
        said |= 2;
    }
    if (a as u8).wrapping_add(b as u8) > 200 {
        said |= 4;
        if (c as i16).wrapping_mul(7) < (b as i16).wrapping_sub(1) {
            said |= 8;
        }
    }
    if a.wrapping_add(b).rotate_left(7) % 10 < 5 || b % 7 == a / 9 {
        said |= 16;
    }
    if a.min(b).wrapping_sub(a.max(b)) > !c as u32 {
        said |= 32;
    }
    said
}

/// More conditions than a word has bits.
macro_rules! many {
    ($($n:literal)*) => {
        #[vortex::device(host)]
        fn many(a: u32, b: u32) -> u64 {
            let mut said = 0;
            $(if (a ^ $n).wrapping_mul(b | 1) >> 3 > 0x0fff_ffff + $n {
                said |= 1 << $n;
            })*
            said
        }
    };
}

many!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35);

#[vortex::kernel]
fn decide(a: u32, b: u32, c: i32, y: &mut [u64]) {
    y[global_id()] = decided(a, b, c);
}

#[vortex::kernel]
fn decide_many(a: u32, b: u32, y: &mut [u64]) {
    y[global_id()] = many(a, b);
}

/// One that an item decides together with the launch, and one in a loop.
#[vortex::kernel]
fn decide_in_part(a: u32, b: u32, y: &mut [u64]) {
    let i = global_id();
    for n in 0..y[i] as u32 {
        if a.wrapping_mul(3).wrapping_add(b) / 7 > a ^ b && n & 1 == 0 {
            y[i] += 2;
        }
    }
}

#[test]
fn each_launch_has_its_own() {
    let words = [
        0,
        1,
        7,
        100,
        0x7fff_ffff,
        0x8000_0000,
        0xdead_beef,
        u32::MAX,
    ];
    for (cores, warps, threads, zicond) in SHAPES {
        let builder = Device::builder().cores(cores).warps(warps);
        let device = builder.threads(threads).zicond(zicond).open().unwrap();
        let mut y = device.upload(&[0u64; 5]).unwrap();
        for (a, b) in words.into_iter().flat_map(|a| words.map(|b| (a, b))) {
            for c in [-7, 0, i32::MAX] {
                decide(a, b, c, &mut y).over(5).launch(&device).unwrap();
                assert_eq!(y.download().unwrap(), [decided(a, b, c); 5], "{a} {b} {c}");
            }
            decide_many(a, b, &mut y).over(5).launch(&device).unwrap();
            assert_eq!(y.download().unwrap(), [many(a, b); 5], "{a} {b}");
            y.write(&[0, 1, 2, 3, 4]).unwrap();
            decide_in_part(a, b, &mut y)
                .over(5)
                .launch(&device)
                .unwrap();
            let each = 2 * u64::from(a.wrapping_mul(3).wrapping_add(b) / 7 > a ^ b);
            let sums = [0, 1, 2, 3, 4].map(|n: u64| n + each * n.div_ceil(2));
            assert_eq!(y.download().unwrap(), sums, "{a} {b}");
        }
    }
}

/// What checks and the guard come to is known of a launch: with `n` as the host says, the arguments as long as that or
/// not, and more work items than that or not.
#[vortex::kernel]
fn guarded<const BY: u32>(n: usize, x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < n {
        y[i] = BY * x[i];
    }
}

/// The same for rows, with a loop whose checks are answered before it.
#[vortex::kernel]
fn rows<const BY: u32>(width: usize, x: &[u32], y: &mut [u32]) {
    let row = global_id();
    for k in 0..width {
        y[row * width + k] = BY * x[row * width + k];
    }
}

/// Launches one after the other: usual ones, some with more items than there is to do, some with arguments that are too
/// short. Each does what it would do alone, and there are two images at most for each number of items that a lane does
/// at once: 8, 4, 2 or 1.
#[test]
fn launches_that_are_not_as_usual_have_an_image_of_their_own() {
    const LEN: usize = 64;
    let input: Vec<u32> = (1..=LEN as u32).collect();
    for (cores, warps, threads, zicond) in SHAPES {
        let builder = Device::builder().cores(cores).warps(warps);
        let device = builder.threads(threads).zicond(zicond).open().unwrap();
        let x = device.upload(&input).unwrap();
        let mut y = device.alloc::<u32>(LEN).unwrap();
        for n in [LEN, 0, LEN + 1, 5, LEN, usize::MAX >> 32, 17] {
            for items in [LEN, 1, LEN + 40, 2 * LEN, LEN - 1] {
                y.write(&[0; LEN]).unwrap();
                let launched = guarded::<3>(n, &x, &mut y).over(items).launch(&device);
                let done = n.min(items);
                match launched {
                    Ok(_) => assert!(done <= LEN, "{n} {items}"),
                    Err(vortex::Error::Fault(fault)) => {
                        assert_eq!((fault.item as usize, done > LEN), (LEN, true));
                    }
                    Err(other) => panic!("{other}"),
                }
                let expected: Vec<u32> = (0..LEN)
                    .map(|i| if i < done { 3 * input[i] } else { 0 })
                    .collect();
                assert_eq!(y.download().unwrap(), expected, "{n} {items}");
            }
        }
        for (width, items) in [(8, 8), (9, 7), (8, 9), (64, 1), (1, 64), (0, 100), (8, 8)] {
            y.write(&[0; LEN]).unwrap();
            let launched = rows::<3>(width, &x, &mut y).over(items).launch(&device);
            assert_eq!(launched.is_ok(), width * items <= LEN, "{width} {items}");
            let expected: Vec<u32> = (0..LEN)
                .map(|i| if i < width * items { 3 * input[i] } else { 0 })
                .collect();
            assert_eq!(y.download().unwrap(), expected, "{width} {items}");
        }
        assert!(device.image_stats().images <= 4 * 4);
    }
}

/// Nothing is asked of a launch that code relies on: few items or many, there is one image.
#[vortex::kernel]
fn own_numbers<const BY: u32>(y: &mut [[u32; 4]]) {
    if y.len() == 64 {
        y[global_id() % 64][1] = BY;
    }
}

#[test]
fn launches_of_few_items_are_usual() {
    let one_by_one = vortex::codegen::Tuning::default().one_by_one();
    let device = Device::builder().tuning(one_by_one).open().unwrap();
    let mut y = device.upload(&[[0; 4]; 64]).unwrap();
    for items in [1, 4096, 3, 100] {
        let launch = own_numbers::<5>(&mut y).over(items);
        launch.launch(&device).unwrap();
    }
    let kernel = vortex::KernelEntry::of::<own_numbers<5>>();
    assert_eq!(kernel.cache().builds, 1);
}

/// The second image is made when the first launch comes that needs it, and then there for all of them.
#[test]
fn an_image_is_compiled_when_it_is_needed() {
    let device = Device::open().unwrap();
    let x = device.upload(&[1; 64]).unwrap();
    let mut y = device.alloc::<u32>(64).unwrap();
    let kernel = vortex::KernelEntry::of::<guarded<5>>();
    let mut builds = Vec::new();
    for items in [64, 64, 80, 80, 64, 96] {
        let launch = guarded::<5>(64, &x, &mut y).over(items);
        launch.launch(&device).unwrap();
        builds.push(kernel.cache().builds);
    }
    assert_eq!(builds, [1, 1, 2, 2, 2, 2]);
    // Each launch is one use of one image.
    assert_eq!(kernel.cache().hits, 4);
    assert_eq!(device.image_stats().images, 2);
}
