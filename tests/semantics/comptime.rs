//! What is known when a kernel is compiled.

use std::cmp::Ordering;

use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(u32)]
enum Edge {
    Clamp,
    Wrap,
    Zero,
}

/// The host's twin.
fn blurred(radius: usize, edge: Edge, weight: f32, x: &[f32]) -> Vec<f32> {
    let n = x.len() as isize;
    let at = |i: isize| match edge {
        Edge::Clamp => x[i.clamp(0, n - 1) as usize],
        Edge::Wrap => x[i.rem_euclid(n) as usize],
        Edge::Zero if (0..n).contains(&i) => x[i as usize],
        Edge::Zero => 0.0,
    };
    (0..n)
        .map(|i| {
            let mut sum = 0.0;
            for k in 0..2 * radius as isize + 1 {
                sum += at(i + k - radius as isize) * weight;
            }
            if radius > 1 { sum } else { -sum }
        })
        .collect()
}

#[vortex::kernel]
fn blur(
    #[comptime] radius: usize,
    #[comptime] edge: Edge,
    #[comptime] weight: f32,
    x: &[f32],
    out: &mut [f32],
) {
    let i = global_id() as i32;
    let n = x.len() as i32;
    let taps = comptime!(2 * radius + 1);
    let mut sum = 0.0;
    for k in comptime!(0..taps) {
        let at = i + k as i32 - radius as i32;
        sum += weight
            * match edge {
                Edge::Clamp => x[at.clamp(0, n - 1) as usize],
                Edge::Wrap => x[at.rem_euclid(n) as usize],
                Edge::Zero => {
                    if at >= 0 && at < n {
                        x[at as usize]
                    } else {
                        0.0
                    }
                }
            };
    }
    out[i as usize] = if radius > 1 { sum } else { -sum };
}

#[test]
fn parameters_specialise_the_image() {
    let x: Vec<f32> = (0..37).map(|i| (i * i % 17) as f32).collect();
    for device in DEVICES.iter() {
        let input = device.upload(&x).unwrap();
        for radius in [0, 1, 4] {
            for edge in [Edge::Clamp, Edge::Wrap, Edge::Zero] {
                for weight in [0.5, 2.0] {
                    let mut out = device.alloc(x.len()).unwrap();
                    let report = blur(radius, edge, weight, &input, &mut out)
                        .over(x.len())
                        .launch(device)
                        .unwrap();
                    assert_eq!(out.download().unwrap(), blurred(radius, edge, weight, &x));
                    let name = format!("blur<{radius}, {edge:?}, {weight:?}>");
                    assert!(report.to_string().contains(&name), "{report}");
                }
            }
        }
    }
}

#[test]
fn only_what_is_taken_is_in_the_image() {
    let device = Device::open().unwrap();
    let x = device.upload(&[1.0f32; 8]).unwrap();
    let mut instructions = |radius| {
        let mut out = device.alloc(8).unwrap();
        let launch = blur(radius, Edge::Zero, 1.0, &x, &mut out);
        launch.over(8).launch(&device).unwrap().instructions()
    };
    let [none, some, more] = [0, 1, 2].map(&mut instructions);
    assert!(none < some && some < more);
    assert_eq!(instructions(1), some);
    let entry = vortex::registry().find("blur<1, Zero, 1.0>").unwrap();
    assert_eq!(entry.cache().builds, 1);
}

#[vortex::kernel]
fn ordered(#[comptime] wanted: Ordering, x: &[i32], out: &mut [i32]) {
    let i = global_id();
    let is_it = x[i].cmp(&5) == wanted;
    out[i] = if is_it { wanted as i32 * 10 } else { 7 };
}

#[test]
fn an_ordering_is_known_as_well() {
    let device = Device::open().unwrap();
    let x = [-3, 5, 8];
    let input = device.upload(&x).unwrap();
    for wanted in [Ordering::Less, Ordering::Equal, Ordering::Greater] {
        let mut out = device.alloc(3).unwrap();
        let launch = ordered(wanted, &input, &mut out).over_each();
        let report = launch.launch(&device).unwrap();
        let expected = x.map(|x| match x.cmp(&5) == wanted {
            true => wanted as i32 * 10,
            false => 7,
        });
        assert_eq!(out.download().unwrap(), expected);
        let name = format!("ordered<{wanted:?}>");
        assert!(report.to_string().contains(&name), "{report}");
    }
}

#[vortex::kernel]
fn counted(#[comptime] count: usize, #[comptime] negative: bool, start: u32, out: &mut [u32]) {
    comptime! {
        assert!(count < 100);
    }
    let i = global_id();
    let table = comptime!({
        let mut table = [0u32; 4];
        for n in 0..4 {
            table[n] = (n as u32 + 1).pow(count as u32 % 3);
        }
        table
    });
    let mut value = start;
    for weight in comptime!(table.into_iter().rev()) {
        if weight % 2 == 1 {
            continue;
        }
        if weight > 15 {
            break;
        }
        if i == 3 && weight == 2 {
            break;
        }
        value += weight * 10;
    }
    #[unroll(count)]
    for k in 0..i {
        value += k as u32;
    }
    if negative && count > 2 {
        value += 1000;
        if i > 2 {
            out[i] = value;
            return;
        }
    }
    let local = match count % 2 {
        0 if negative => 1,
        0 => 2,
        odd => 3 + odd as u32,
    };
    out[i] = value + local + table[i % 4];
}

fn counted_on_host(count: usize, negative: bool, start: u32, i: usize) -> u32 {
    let table: [u32; 4] = std::array::from_fn(|n| (n as u32 + 1).pow(count as u32 % 3));
    let mut value = start;
    for weight in table.into_iter().rev() {
        if weight % 2 == 1 {
            continue;
        }
        if weight > 15 || i == 3 && weight == 2 {
            break;
        }
        value += weight * 10;
    }
    value += (0..i as u32).sum::<u32>();
    if negative && count > 2 {
        value += 1000;
        if i > 2 {
            return value;
        }
    }
    let local = match count % 2 {
        0 if negative => 1,
        0 => 2,
        odd => 3 + odd as u32,
    };
    value + local + table[i % 4]
}

#[test]
fn control_flow_over_known_values_is_the_hosts() {
    for device in DEVICES.iter() {
        for count in [1, 2, 3, 4, 8] {
            for negative in [false, true] {
                let mut out = device.alloc(11).unwrap();
                counted(count, negative, 5, &mut out)
                    .over(11)
                    .launch(device)
                    .unwrap();
                let expected: Vec<u32> = (0..11)
                    .map(|i| counted_on_host(count, negative, 5, i))
                    .collect();
                assert_eq!(out.download().unwrap(), expected);
            }
        }
    }
}

#[vortex::kernel]
fn scaled<T: Num>(#[comptime] times: u32, x: &mut [T]) {
    let i = global_id();
    let own = x[i];
    for _ in comptime!(1..times) {
        x[i] += own;
    }
}

#[test]
fn generic_kernels_have_them_too() {
    let device = Device::open().unwrap();
    let mut x = device.upload(&[1.5f32, 2.0]).unwrap();
    let report = scaled(3, &mut x).over(2).launch(&device).unwrap();
    assert!(report.to_string().contains("scaled<f32, 3>"), "{report}");
    assert_eq!(x.download().unwrap(), [4.5, 6.0]);
    let mut x = device.upload(&[1u8, 2]).unwrap();
    scaled(100, &mut x).over(2).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [100, 200]);
}

#[test]
fn too_many_turns_are_an_error() {
    let device = Device::open().unwrap();
    let mut x = device.upload(&[1u8]).unwrap();
    let error = scaled(1_000_000, &mut x)
        .over(1)
        .launch(&device)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("an unrolled loop") && error.contains("comptime.rs:"),
        "{error}"
    );
}
