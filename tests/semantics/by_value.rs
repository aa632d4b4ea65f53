//! Structs, enums and arrays as arguments of kernels.

use vortex::DeviceType;
use vortex::meta::ArgKind;
use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(u8)]
enum Mode {
    Add = 1,
    Scale = 7,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Inner {
    factor: f32,
    steps: [i16; 3],
    mode: Mode,
    on: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Settings {
    id: u8,
    inner: Inner,
    offset: i64,
    twice: [Inner; 2],
}

/// More than 128 bytes.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Table {
    scale: u64,
    entries: [f32; 40],
    modes: [Mode; 5],
    last: Inner,
}

type Real = f32;

const fn inner(n: i16) -> Inner {
    Inner {
        factor: 0.5 * n as f32,
        steps: [n, -n, 3],
        mode: if n % 2 == 0 { Mode::Add } else { Mode::Scale },
        on: n > 2,
    }
}

const SETTINGS: Settings = Settings {
    id: 200,
    inner: inner(5),
    offset: -0x1_0000_0007,
    twice: [inner(4), inner(1)],
};

fn table() -> Table {
    Table {
        scale: 0x2_0000_0003,
        entries: std::array::from_fn(|n| n as f32 * 1.25),
        modes: [Mode::Add, Mode::Scale, Mode::Scale, Mode::Add, Mode::Add],
        last: inner(3),
    }
}

/// Functions, once for kernels and once for the host.
macro_rules! functions {
    ($($module:ident: $attribute:meta;)*) => {$(
        mod $module {
            use super::{Inner, Mode, Settings, Table};

            #[$attribute]
            pub(super) fn apply(inner: Inner, x: f32) -> f32 {
                let stepped = x + inner.steps[0] as f32 - inner.steps[1] as f32;
                match inner.mode {
                    Mode::Add => stepped + inner.factor,
                    Mode::Scale if inner.on => stepped * inner.factor,
                    Mode::Scale => stepped,
                }
            }

            #[$attribute]
            pub(super) fn set(settings: Settings, i: usize, x: f32) -> f32 {
                let first = apply(settings.inner, x) + settings.id as f32;
                let mut own = settings;
                own.inner.steps[i % 3] = i as i16;
                let second = apply(own.twice[i % 2], first) + own.inner.steps[2] as f32;
                second + (settings.offset >> 20) as f32
            }

            #[$attribute]
            pub(super) fn look_up(table: Table, i: usize) -> f32 {
                let x = match table.modes[i % 5] {
                    Mode::Add => table.entries[i % 40],
                    Mode::Scale => table.entries[39 - i % 40],
                };
                apply(table.last, x) + (table.scale >> 32) as f32
            }
        }
    )*};
}

functions! {
    on_the_device: vortex::device;
    on_the_host: inline;
}

#[vortex::kernel]
fn settings(tag: u8, settings: Settings, x: &[f32], bias: Real, out: &mut [f32]) {
    let i = global_id();
    out[i] = on_the_device::set(settings, i, x[i]) * bias + tag as f32 + settings.inner.factor;
}

#[test]
fn structs_are_passed_by_value() {
    let meta = settings::META;
    let offsets: Vec<_> = meta.args.iter().map(|arg| arg.offset).collect();
    assert_eq!(size_of::<Settings>(), 48);
    assert_eq!(offsets, [0, 4, 52, 60, 64]);
    assert_eq!(
        (meta.args[1].kind, meta.args[1].size),
        (ArgKind::Struct, 48)
    );
    assert_eq!(
        (meta.args[1].rust_type, meta.args[1].align),
        ("Settings", 4)
    );
    assert_eq!(
        (meta.args[3].kind, meta.args[3].rust_type),
        (ArgKind::Scalar, "f32")
    );
    assert_eq!(size_of::<vortex::Args<settings>>(), 72);
    let x: Vec<f32> = (0..29).map(|i| i as f32 - 7.5).collect();
    let expected: Vec<f32> = (0..29)
        .map(|i| on_the_host::set(SETTINGS, i, x[i]) * 0.5 + 9.0 + SETTINGS.inner.factor)
        .collect();
    for device in DEVICES.iter() {
        let x = device.upload(&x).unwrap();
        let mut out = device.alloc(29).unwrap();
        settings(9, SETTINGS, &x, 0.5, &mut out)
            .over(29)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[vortex::kernel]
fn tables(first: Table, mode: Mode, second: Table, mut weights: [f32; 3], out: &mut [f32]) {
    let i = global_id();
    weights[i % 3] += 1.0;
    let mut sum = on_the_device::look_up(first, i) + on_the_device::look_up(second, i + 1);
    for k in 0..weights.len() {
        sum += weights[k] * first.entries[k];
    }
    if mode == Mode::Scale {
        sum *= second.last.factor;
    }
    out[i] = sum;
}

#[test]
fn large_structs_are_passed_by_reference() {
    let meta = tables::META;
    assert_eq!((meta.args[0].kind, meta.args[0].size), (ArgKind::ByRef, 4));
    assert_eq!((meta.args[1].kind, meta.args[1].size), (ArgKind::Struct, 1));
    assert_eq!(
        (meta.args[3].kind, meta.args[3].size),
        (ArgKind::Struct, 12)
    );
    assert_eq!(meta.args[3].rust_type, "[f32; 3]");
    let offsets: Vec<_> = meta.args.iter().map(|arg| arg.offset).collect();
    assert_eq!(offsets, [0, 4, 8, 12, 24]);
    let (first, mut second) = (table(), table());
    second.entries.reverse();
    second.last.factor = 3.0;
    let weights = [0.25f32, 2.0, -1.0];
    let expected: Vec<f32> = (0..67)
        .map(|i| {
            let mut weights = weights;
            weights[i % 3] += 1.0;
            let mut sum = on_the_host::look_up(first, i) + on_the_host::look_up(second, i + 1);
            for (weight, entry) in weights.iter().zip(&first.entries) {
                sum += weight * entry;
            }
            sum * second.last.factor
        })
        .collect();
    for device in DEVICES.iter() {
        let mut out = device.alloc(67).unwrap();
        tables(first, Mode::Scale, second, weights, &mut out)
            .over(67)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[test]
fn generic_kernels_take_them_too() {
    #[vortex::kernel]
    fn fill<T, const N: usize>(one: T, all: [T; N], out: &mut [T]) {
        let i = global_id();
        out[i] = if i < N { all[i] } else { one };
    }

    let table = table();
    let device = Device::open().unwrap();
    let mut out = device.alloc(3).unwrap();
    fill(SETTINGS.inner, [inner(1), inner(2)], &mut out)
        .over(3)
        .launch(&device)
        .unwrap();
    assert_eq!(out.download().unwrap(), [inner(1), inner(2), inner(5)]);
    let mut out = device.alloc(2).unwrap();
    fill(table, [], &mut out).over(2).launch(&device).unwrap();
    assert_eq!(out.download().unwrap(), [table; 2]);
    assert_eq!(fill::<Table, 0>::META.args[0].kind, ArgKind::ByRef);
    assert_eq!(fill::<u16, 3>::META.args[1].size, 6);
}

#[test]
fn they_are_given_by_name() {
    let device = Device::open().unwrap();
    let module = vortex::Module::builder("by_value")
        .kernel::<tables>()
        .device(&device)
        .build();
    let module = module.unwrap();
    let mut out = device.alloc::<f32>(4).unwrap();
    let launch = module.launch("tables").unwrap();
    let launch = launch.value("first", table()).unwrap();
    let launch = launch.value("mode", Mode::Add).unwrap();
    let launch = launch.value("second", table()).unwrap();
    let launch = launch.value("weights", [1.0f32, 1.0, 1.0]).unwrap();
    let launch = launch.slice_mut("out", &mut out).unwrap();
    launch.over(4).launch(&device).unwrap();
    let mut direct = device.alloc(4).unwrap();
    tables(table(), Mode::Add, table(), [1.0; 3], &mut direct)
        .over(4)
        .launch(&device)
        .unwrap();
    assert_eq!(out.download().unwrap(), direct.download().unwrap());
    let wrong = module.launch("tables").unwrap();
    let error = wrong.value("weights", [1.0f32; 4]).unwrap_err();
    assert!(error.to_string().contains("[f32; 3]"), "{error}");
}
