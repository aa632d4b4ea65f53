//! The host runtime: buffers, launches, errors, dumps. Runs twice: on the embedded device itself, and, started once
//! more by `libvortex`, on the embedded device behind Vortex's own interface.

#![allow(clippy::unwrap_used)]

mod attributes;
mod by_name;
mod dump;
mod from_c;
mod globals;
mod libvortex;
mod libvortex3;
mod memory;
mod panics;
mod raw;
mod registry;
#[path = "../said/mod.rs"]
mod said;
mod sizes;
mod soak;
mod spans;
mod stream_orders;
mod streams;
mod tuning;

use std::fs;

use vortex::prelude::*;
use vortex::{Error, Launch, Report};

#[vortex::kernel]
fn add(by: i32, x: &[i32], y: &mut [i32]) {
    let i = global_id();
    y[i] = x[i] + by;
}

#[vortex::kernel]
fn nothing() {}

#[vortex::kernel]
fn sized(n: usize, out: &mut [u32]) {
    out[global_id()] = n as u32;
}

/// 16 bytes, of which 3 belong to no field.
#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Window {
    start: i64,
    step: i32,
    backwards: bool,
}

/// Too large to be passed by value.
#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Palette {
    shades: [u16; 65],
}

#[vortex::kernel]
fn paint(window: Window, palette: Palette, dark: Palette, out: &mut [u16]) {
    let i = global_id();
    let at = window.start + (window.step * i as i32) as i64;
    let at = (at % 65) as usize;
    out[i] = if window.backwards {
        dark.shades[64 - at]
    } else {
        palette.shades[at]
    };
}

fn device() -> Device {
    if libvortex::is_in_use() {
        return Device::open().unwrap();
    }
    Device::builder().released().open().unwrap()
}

fn message(error: impl Into<Result<Report, Error>>) -> String {
    said::said(&error.into().unwrap_err())
}

#[test]
fn structs_are_arguments() {
    let device = device();
    let palette = Palette {
        shades: std::array::from_fn(|n| 3 * n as u16),
    };
    let dark = Palette {
        shades: palette.shades.map(|shade| shade + 1000),
    };
    let mut window = Window {
        start: 0x1_0000_0001,
        step: 2,
        backwards: false,
    };
    let mut out = device.alloc(40).unwrap();
    for backwards in [false, true, false] {
        window.backwards = backwards;
        paint(window, palette, dark, &mut out)
            .over(40)
            .launch(&device)
            .unwrap();
        for (i, shade) in out.download().unwrap().into_iter().enumerate() {
            let at = ((window.start + 2 * i as i64) % 65) as usize;
            let expected = match backwards {
                false => palette.shades[at],
                true => dark.shades[64 - at],
            };
            assert_eq!(shade, expected);
        }
    }
}

#[test]
fn a_bool_is_validated() {
    #[vortex::kernel]
    fn spoil(to: *mut u8) {
        // SAFETY: there is at least one element.
        unsafe { *to.add(1) = 2 };
    }

    let device = device();
    let mut flags = device.upload(&[false; 4]).unwrap();
    spoil(flags.as_mut_ptr().cast())
        .over(1)
        .launch(&device)
        .unwrap();
    let error = flags.download().unwrap_err();
    assert_eq!(
        error.to_string(),
        "element 1 of the device slice is not a valid `bool`"
    );
}

#[test]
fn no_work_is_a_success() {
    let device = device();
    let x = device.upload::<i32>(&[]).unwrap();
    let mut y = device.alloc(0).unwrap();
    for report in [
        add(1, &x, &mut y).over(0).launch(&device).unwrap(),
        add(1, &x, &mut y).over((0, 5)).launch(&device).unwrap(),
        add(1, &x, &mut y)
            .grid((3, 0))
            .block(2)
            .launch(&device)
            .unwrap(),
    ] {
        assert_eq!((report.items(), report.lane_instructions()), (0, Some(0)));
    }
    assert_eq!(nothing().over(0).launch(&device).unwrap().items(), 0);
    assert_eq!(nothing().over(1000).launch(&device).unwrap().items(), 1000);
}

#[test]
fn the_largest_number_of_items_is_counted_right() {
    // One item more than the lanes, so that every warp has a second iteration.
    let device = device();
    let mut y = device.alloc(17).unwrap();
    let x = device.upload(&[5; 17]).unwrap();
    let report = add(1, &x, &mut y).over(17).launch(&device).unwrap();
    assert_eq!(report.items(), 17);
    let counted = report.lane_instructions().or(report.instructions());
    assert!(counted > Some(17), "{counted:?}");
    assert_eq!(y.download().unwrap(), [6; 17]);
}

#[test]
fn impossible_sizes_are_errors() {
    let device = device();
    assert_eq!(
        message(nothing().launch(&device)),
        "kernel nothing: nothing says how many work items to run; use `.over(n)`, or `.grid(groups).block(items)`"
    );
    assert_eq!(
        message(nothing().over(1).grid(1).launch(&device)),
        "kernel nothing: `.over` and `.grid` both say how many work items to run; use one of them"
    );
    assert_eq!(
        message(nothing().grid(1).block((4, 5)).launch(&device)),
        "kernel nothing: a group of 4 x 5 x 1 work items does not fit a core of this device, which runs 16 at a time: \
             make groups smaller, and as many more, such as \
             `.grid((width.div_ceil(4), height.div_ceil(3))).block((4, 3))`; local memory that the kernel has for \
             groups of that size changes with it"
    );
    assert!(
        message(nothing().over(1 << 33).launch(&device))
            .contains("8589934592 work items are more than")
    );
    assert!(
        message(nothing().over((usize::MAX, 2)).launch(&device))
            .contains("are more than the device can number")
    );
    assert!(
        message(nothing().grid(usize::MAX).block(16).launch(&device)).contains("are more than")
    );
    assert!(
        message(nothing().grid(1).block(0).launch(&device)).contains("a group of 0 work items")
    );
}

#[test]
fn errors_of_launches_end_with_their_place() {
    let device = device();
    let stream = device.stream().unwrap();
    let has_place = |error: Error| {
        let Error::Refused { at: Some(at), .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(at.file(), file!());
        let text = error.to_string();
        let place = format!(", at {at}\n");
        assert!(text.contains(&place), "{text}");
        let line = "nothing()";
        assert!(text.contains(line) && text.ends_with('^'), "{text}");
    };
    let error = nothing().launch(&device).unwrap_err();
    has_place(error);
    let error = stream.launch(nothing()).wait().unwrap_err();
    has_place(error);
}

#[test]
fn indices_below_zero_say_so() {
    #[vortex::kernel]
    fn before(x: &mut [u32]) {
        x[global_id() - 2] = 1;
    }

    let device = device();
    let mut x = device.alloc::<u32>(4).unwrap();
    let error = message(before(&mut x).over(4).launch(&device));
    let text = "kernel before, work item 0: index 4294967294 (0 - 2) is out of bounds of a slice of 4 elements";
    assert_eq!(error, text);
}

#[test]
fn a_runaway_kernel_is_stopped() {
    #[vortex::kernel]
    fn endless(out: &mut [u32]) {
        loop {
            out[0] += 1;
        }
    }

    let device = Device::builder()
        .cores(1)
        .instruction_budget(100_000)
        .open()
        .unwrap();
    let mut out = device.alloc(1).unwrap();
    let result = endless(&mut out).over(1).launch(&device);
    let error = message(result);
    assert!(
        error.starts_with("kernel endless: still running after 100000 instructions"),
        "{error}"
    );
    assert!(nothing().over(100).launch(&device).is_ok());
}

#[test]
#[cfg(target_pointer_width = "64")]
fn large_usize_arguments_are_errors() {
    let device = device();
    let mut out = device.alloc(1).unwrap();
    assert_eq!(
        message(sized(1 << 32, &mut out).over(1).launch(&device)),
        "kernel sized, argument `n`: 4294967296 does not fit `usize`, which is 32 bits wide on the device"
    );
    sized(u32::MAX as usize, &mut out)
        .over(1)
        .launch(&device)
        .unwrap();
    assert_eq!(out.download().unwrap(), [u32::MAX]);
}

#[test]
#[cfg(target_pointer_width = "64")]
fn large_constants_are_errors_of_the_launch() {
    const LARGE: usize = 1 << 40;

    // In a module of its own: its generated test would fail, as it should.
    struct TooLarge;
    impl vortex::Kernel for TooLarge {
        type Args = [u32; 0];
        const META: vortex::meta::KernelMeta = vortex::meta::KernelMeta::new(
            "too_large",
            module_path!(),
            file!(),
            line!(),
            column!(),
            &[],
        );
        fn stage() {
            let _ = vortex::lang::Constant { value: LARGE }.lane();
        }
    }

    let launch = Launch::<TooLarge>::new([], vortex::__private::Binder::new());
    let error = launch.over(1).launch(&device()).unwrap_err().to_string();
    assert!(
        error.starts_with("kernel too_large: the constant 1099511627776 does not fit `usize`, which is 32 bits wide on the device, at tests/runtime/main.rs:"),
        "{error}"
    );
}

#[test]
fn a_device_is_shared_between_threads() {
    let device = device();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let device = &device;
            scope.spawn(move || {
                let x = device.upload(&[thread; 50]).unwrap();
                let mut y = device.alloc(50).unwrap();
                for turn in 0..20 {
                    add(turn, &x, &mut y).over(50).launch(device).unwrap();
                    assert_eq!(y.download().unwrap(), [thread + turn; 50]);
                }
            });
        }
    });
}

#[test]
fn runs_are_repeatable() {
    let run = || {
        let device = device();
        let x = device.upload(&[3; 1000]).unwrap();
        let mut y = device.alloc(1000).unwrap();
        let report = add(4, &x, &mut y).over(1000).launch(&device).unwrap();
        // The one device of version 3 is in another state when it is opened again.
        let cycles = report.cycles().filter(|_| !libvortex::is_version_3());
        (report.instructions(), report.lane_instructions(), cycles)
    };
    assert_eq!(run(), run());
}

#[test]
fn the_released_machine_keeps_what_else_was_described() {
    use vortex::Generation;
    use vortex::sim::{Config, Model};
    let released = Device::builder().released();
    assert_eq!(*released.config(), Config::bare());
    let of_another = Device::builder().cores(2).clusters(2).zicond(false);
    let other = of_another
        .generation(Generation::V3)
        .model(Model::cycle())
        .instruction_budget(7)
        .released();
    let expected = Config {
        generation: Generation::V3,
        model: Model::cycle(),
        instruction_budget: Some(7),
        ..Config::bare()
    };
    assert_eq!(*other.config(), expected);
}

#[test]
fn cycles_are_counted_when_asked_for() {
    let run = |device: Device| {
        let x = device.upload(&[3; 100]).unwrap();
        let mut y = device.alloc(100).unwrap();
        let report = add(4, &x, &mut y).over(100).launch(&device).unwrap();
        assert_eq!(y.download().unwrap(), [7; 100]);
        report
    };
    let plain = run(Device::builder().released().open().unwrap());
    let timed = run(Device::builder()
        .released()
        .model(vortex::sim::Model::cycle())
        .open()
        .unwrap());
    assert_eq!(plain.instructions(), timed.instructions());
    assert_eq!(plain.cycles(), None);
    assert!(timed.cycles() > timed.instructions());
    assert!(timed.to_string().contains("\n  cycles "));
}

#[test]
fn reports_tell_lines_apart() {
    let plain = Device::builder().released().open().unwrap();
    let n = 4096;
    let run = |device: &Device| {
        let x = device.upload(&vec![3; n]).unwrap();
        let mut y = device.alloc(n).unwrap();
        add(4, &x, &mut y).over(n).launch(device).unwrap()
    };
    assert!(run(&plain).lines().is_none(), "nobody counted");
    let timed = Device::builder()
        .released()
        .model(vortex::sim::Model::cycle())
        .open()
        .unwrap();
    let report = run(&timed);
    let (lines, timing) = (report.lines().unwrap(), report.timing().unwrap());
    let sum: u64 = lines.iter().map(|line| line.stats.executed).sum();
    assert_eq!(Some(sum), report.instructions());
    let stalls: u64 = lines.iter().map(|line| line.stats.stalls.total()).sum();
    assert_eq!(stalls + timing.stalls.idle, timing.stalls.total());
    assert!(lines.iter().any(|line| line.at.is_none()));

    // The line that loads and stores.
    let body = "y[i] = x[i] + by;";
    let of_body = lines.iter().find(|line| {
        line.at.as_ref().is_some_and(|(file, number)| {
            let mut source = include_str!("main.rs").lines();
            file.ends_with("runtime/main.rs")
                && source.nth(*number as usize - 1).unwrap().trim() == body
        })
    });
    let stats = &of_body.unwrap().stats;
    assert!(stats.stalls.memory > 0);
    assert!(stats.load_misses > 0 && stats.load_misses < stats.loads);
    assert_eq!(stats.requests_per_access(), 1.0, "neighbours are in a line");
    assert_eq!(stats.active_lanes(), f64::from(timed.caps().threads));
    assert_eq!(lines.by_cost().len(), lines.iter().count());

    let table = lines.to_string();
    assert!(table.contains(body), "{table}");
    assert!(table.contains("memory"), "{table}");
    assert!(table.contains("(added by the compiler)"), "{table}");
    println!("{table}");
}

#[test]
fn errors_print_alike() {
    let error = nothing().launch(&device()).unwrap_err();
    assert_eq!(format!("{error:?}"), format!("{error}"));
}

/// Unrolls a loop of `n` iterations.
#[vortex::kernel]
fn unrolled(#[comptime] n: u32, out: &mut [u32]) {
    for _ in comptime!(0..n) {
        out[global_id()] += 1;
    }
}

#[test]
fn errors_have_kinds_and_sources() {
    use std::error::Error as _;
    let device = device();
    let missing = device.module_from_file("/nowhere/saxpy.elf").unwrap_err();
    assert!(matches!(missing, Error::File { .. }));
    let cause = missing.source().unwrap().downcast_ref::<std::io::Error>();
    assert_eq!(cause.unwrap().kind(), std::io::ErrorKind::NotFound);

    // Two steps: the file, and what is wrong in it.
    let path = std::env::temp_dir().join(format!("vortex-errors-{}.elf", std::process::id()));
    fs::write(&path, b"neither").unwrap();
    let foreign = device.module_from_file(&path).unwrap_err();
    fs::remove_file(&path).unwrap();
    assert!(matches!(&foreign, Error::InFile { path: at, .. } if *at == path));
    let cause = foreign.source().unwrap().to_string();
    assert_eq!(
        cause,
        "this is no file of kernels: neither an ELF file nor a bundle"
    );

    let mut out = device.alloc(1).unwrap();
    let error = unrolled(u32::MAX, &mut out)
        .over(1)
        .launch(&device)
        .unwrap_err();
    let Error::Stage { kernel, cause } = &error else {
        panic!("{error}");
    };
    assert!(kernel.starts_with("unrolled"), "{kernel}");
    assert_eq!(
        error.source().map(ToString::to_string),
        Some(cause.to_string())
    );
}
