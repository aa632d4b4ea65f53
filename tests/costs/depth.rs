//! How deep lanes are parted: below the number of lanes, whatever the kernel.

use vortex::prelude::*;

/// Cores, warps, lanes.
const SHAPES: [[u32; 3]; 5] = [[1, 2, 1], [1, 4, 2], [1, 4, 4], [2, 2, 8], [1, 4, 32]];

fn devices() -> impl Iterator<Item = (Device, u32)> {
    SHAPES.into_iter().map(|[cores, warps, lanes]| {
        let builder = Device::builder().cores(cores).warps(warps).threads(lanes);
        (builder.open().unwrap(), lanes)
    })
}

/// `if lane >= 1 { depth += 1; if lane >= 2 { .. } } else { .. }`, once for each number, the innermost first. What is
/// stored otherwise keeps conditions from becoming one.
macro_rules! nested {
    ($name:ident $lane:ident $depth:ident $stayed:ident [$($body:tt)*]) => {
        #[vortex::kernel]
        fn $name(out: &mut [u32], lanes: &mut [u32], $stayed: &mut [u32]) {
            let i = global_id();
            let $lane = lane_id();
            let mut $depth = 0;
            $($body)*
            out[i] = $depth;
            lanes[i] = $lane as u32;
        }
    };
    ($name:ident $lane:ident $depth:ident $stayed:ident [$($body:tt)*] $level:literal $($rest:literal)*) => {
        nested! {
            $name $lane $depth $stayed
            [if $lane >= $level { $depth += 1; $($body)* } else { $stayed[global_id()] = $level; }]
            $($rest)*
        }
    };
}

nested! {
    deep lane depth stayed []
    40 39 38 37 36 35 34 33 32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1
}

#[test]
fn conditions_nest_deeper_than_there_are_lanes() {
    for (device, lanes) in devices() {
        let mut out = device.alloc::<u32>(300).unwrap();
        let mut numbers = device.alloc::<u32>(300).unwrap();
        let mut stayed = device.upload(&[0; 300]).unwrap();
        let report = deep(&mut out, &mut numbers, &mut stayed)
            .over(300)
            .launch(&device);
        // One lane stays behind in each.
        assert_eq!(report.unwrap().split_depth(), Some(lanes - 1));
        let numbers = numbers.download().unwrap();
        let depths: Vec<u32> = numbers.iter().map(|lane| (*lane).min(40)).collect();
        let levels = numbers
            .iter()
            .map(|lane| if *lane < 40 { lane + 1 } else { 0 });
        assert_eq!(out.download().unwrap(), depths, "{lanes}");
        assert_eq!(
            stayed.download().unwrap(),
            levels.collect::<Vec<_>>(),
            "{lanes}"
        );
    }
}

/// As a kernel and as a function of the host: loops in loops and conditions around them, with ways out of all of them.
/// One for each number, the innermost first.
macro_rules! nested_loops {
    ($all:lifetime $lane:ident $work:ident $sum:ident [$($body:tt)*]) => {
        #[vortex::kernel]
        fn loops(out: &mut [u32], lanes: &mut [u32]) {
            let i = global_id();
            let $lane = lane_id() as u32;
            let mut $sum = 0u32;
            let mut $work = 0u32;
            $all: loop {
                $($body)*
                break $all;
            }
            out[i] = $sum;
            lanes[i] = $lane;
        }

        #[allow(unused_labels)]
        fn loops_on_host($lane: u32) -> u32 {
            let mut $sum = 0u32;
            let mut $work = 0u32;
            $all: loop {
                $($body)*
                break $all;
            }
            $sum
        }
    };
    ($all:lifetime $lane:ident $work:ident $sum:ident [$($body:tt)*] $level:literal $($rest:literal)*) => {
        nested_loops! {
            $all $lane $work $sum
            [
                let mut turn = 0;
                while turn < 1 + ($lane >> ($level % 5)) % 2 {
                    turn += 1;
                    $work += 1;
                    if $work == 500 {
                        break $all;
                    }
                    $sum = ($sum % 65521) * 5 + $level;
                    if $lane < $level || $sum % 11 == 3 {
                        $sum += 7;
                        continue;
                    }
                    $($body)*
                    if $sum % 13 == 4 {
                        break;
                    }
                    if $sum % 97 == 5 {
                        break $all;
                    }
                }
            ]
            $($rest)*
        }
    };
}

nested_loops! {
    'all lane work sum []
    32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1
}

#[test]
fn loops_nest_deeper_than_there_are_lanes() {
    for (device, lanes) in devices() {
        let mut out = device.alloc::<u32>(70).unwrap();
        let mut numbers = device.alloc::<u32>(70).unwrap();
        let report = loops(&mut out, &mut numbers).over(70).launch(&device);
        let depth = report.unwrap().split_depth().unwrap();
        assert!(
            depth < lanes && (lanes < 4 || depth >= 3),
            "{depth} of {lanes}"
        );
        let expected = numbers.download().unwrap().into_iter().map(loops_on_host);
        assert_eq!(
            out.download().unwrap(),
            expected.collect::<Vec<_>>(),
            "{lanes}"
        );
    }
}
