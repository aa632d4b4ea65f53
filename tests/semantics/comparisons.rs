//! `==`, `<` and their kin on what is made of several parts.

use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, vortex::DeviceType)]
#[repr(C)]
struct Key {
    level: Level,
    weight: f32,
    id: Id,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, vortex::DeviceType)]
#[repr(C)]
struct Id(i64, [u8; 4]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, vortex::DeviceType)]
#[repr(i32)]
enum Level {
    Low = -3,
    High = 2,
}

#[derive(Clone, Copy, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Pair<T> {
    first: T,
    second: T,
}

const ORIGIN: Vec3<f32> = Vec3 {
    x: 0.0,
    y: 0.0,
    z: 0.0,
};

#[vortex::device]
fn position<T: PartialEq>(x: &[T], value: T) -> Option<usize> {
    for (i, v) in x.iter().enumerate() {
        if *v == value {
            return Some(i);
        }
    }
    None
}

#[vortex::device]
fn largest<T: PartialOrd>(x: &[T]) -> T {
    let mut largest = x[0];
    for v in x {
        if v > largest {
            largest = v;
        }
    }
    largest
}

/// A bit for each comparison, on the device and on the host.
macro_rules! compared {
    ($($device:ident $host:ident [$($generic:tt)*] $ty:ty;)*) => {$(
        #[vortex::device]
        fn $device $($generic)* (a: $ty, b: $ty) -> u32 {
            (a == b) as u32
                | ((a != b) as u32) << 1
                | ((a < b) as u32) << 2
                | ((a <= b) as u32) << 3
                | ((a > b) as u32) << 4
                | ((a >= b) as u32) << 5
        }

        fn $host $($generic)* (a: $ty, b: $ty) -> u32 {
            u32::from(a == b)
                | u32::from(a != b) << 1
                | u32::from(a < b) << 2
                | u32::from(a <= b) << 3
                | u32::from(a > b) << 4
                | u32::from(a >= b) << 5
        }
    )*};
}

compared! {
    values host_values [<T: PartialOrd + Copy>] T;
    tuples host_tuples [] (f32, Level, i64);
    options host_options [] Option<f32>;
}

#[vortex::kernel]
fn compare(keys: &[Key], out: &mut [u32]) {
    let i = global_id();
    let (a, b) = (keys[i / keys.len()], keys[i % keys.len()]);
    out[i * 5] = values(a, b);
    out[i * 5 + 1] = tuples((a.weight, a.level, a.id.0), (b.weight, b.level, b.id.0));
    out[i * 5 + 2] = values(a.id.1, b.id.1);
    let m = if a.id.0 > 0 { Some(a.weight) } else { None };
    let n = if b.id.0 > 0 { Some(b.weight) } else { None };
    out[i * 5 + 3] = options(m, n);
    out[i * 5 + 4] = values(a.level, b.level);
}

fn keys() -> Vec<Key> {
    let mut keys = Vec::new();
    for level in [Level::Low, Level::High] {
        for weight in [f32::NAN, -0.0, 0.0, 1.5] {
            for id in [-1, 1, 1 << 40] {
                for last in [0, 200] {
                    keys.push(Key {
                        level,
                        weight,
                        id: Id(id, [1, 2, 3, last]),
                    });
                }
            }
        }
    }
    keys
}

#[test]
fn parts_are_compared_in_order() {
    let keys = keys();
    let mut expected = Vec::new();
    for a in &keys {
        for b in &keys {
            let (a, b) = (*a, *b);
            let m = (a.id.0 > 0).then_some(a.weight);
            let n = (b.id.0 > 0).then_some(b.weight);
            expected.extend([
                host_values(a, b),
                host_tuples((a.weight, a.level, a.id.0), (b.weight, b.level, b.id.0)),
                host_values(a.id.1, b.id.1),
                host_options(m, n),
                host_values(a.level, b.level),
            ]);
        }
    }
    for device in DEVICES.iter() {
        let on_device = device.upload(&keys).unwrap();
        let mut out = device.alloc::<u32>(expected.len()).unwrap();
        compare(&on_device, &mut out)
            .over(keys.len() * keys.len())
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[vortex::kernel]
fn search(x: &[Vec3<f32>], pairs: &[Pair<u64>], out: &mut [u32]) {
    out[0] = position(x, ORIGIN).unwrap_or(100) as u32;
    out[1] = position(x, x[1]).map_or(100, |i| i as u32);
    out[2] = position(
        pairs,
        Pair {
            first: 1 << 40,
            second: 2,
        },
    )
    .unwrap_or(100) as u32;
    out[3] = (x.first() == Some(ORIGIN)) as u32;
    out[4] = (pairs.get(7) == None) as u32;
    out[5] = match x[2] {
        ORIGIN => 1,
        v if v == x[0] => 2,
        _ => 3,
    };
    assert_eq!((x.len(), 1), (3, 1));
    assert!(x[0] != x[1] && pairs[0] == pairs[0]);
}

#[vortex::kernel]
fn maxima(x: &[i16], keys: &[Key], out: &mut [i16], keys_out: &mut [Key]) {
    out[0] = largest(x);
    keys_out[0] = largest(keys);
}

#[test]
fn generic_functions_compare() {
    for device in DEVICES.iter() {
        let x = [vec3(1.0f32, 2.0, 3.0), vec3(0.0, 0.0, 1.0), ORIGIN];
        let x = device.upload(&x).unwrap();
        let pairs = [
            Pair {
                first: 1u64,
                second: 2,
            },
            Pair {
                first: 1 << 40,
                second: 2,
            },
        ];
        let pairs = device.upload(&pairs).unwrap();
        let mut out = device.alloc::<u32>(6).unwrap();
        search(&x, &pairs, &mut out).over(1).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), [2, 1, 1, 0, 1, 1]);

        let keys: Vec<Key> = keys().into_iter().filter(|k| !k.weight.is_nan()).collect();
        let (x, on_device) = (
            device.upload(&[-7i16, 3, -9]).unwrap(),
            device.upload(&keys).unwrap(),
        );
        let mut out = device.alloc::<i16>(1).unwrap();
        let mut keys_out = device.upload(&keys[..1]).unwrap();
        maxima(&x, &on_device, &mut out, &mut keys_out)
            .over(1)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), [3]);
        assert_eq!(keys_out.download().unwrap()[0], keys[keys.len() - 1]);
    }
}

#[vortex::kernel]
fn pointers(a: *const u32, b: *mut u32, out: &mut [bool]) {
    // SAFETY: they point to more elements than that.
    unsafe {
        out[0] = a == a.add(1);
        out[1] = b.add(2) == b.add(1).add(1);
        out[2] = a != a.add(3);
    }
}

#[test]
fn pointers_are_equal_where_they_point_to_the_same() {
    for device in DEVICES.iter() {
        let (a, mut b) = (
            device.alloc::<u32>(4).unwrap(),
            device.alloc::<u32>(4).unwrap(),
        );
        let mut out = device.alloc::<bool>(3).unwrap();
        pointers(a.as_ptr(), b.as_mut_ptr(), &mut out)
            .over(1)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), [false, true, true]);
    }
}
