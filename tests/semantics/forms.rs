//! Forms that stand for others: `?`, `get_mut`, `T::default()`, `a..`, `nth`, `array::from_fn`, bytes and characters.

use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, Debug, Default, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Tally {
    sum: i32,
    count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Weight(f32);

#[vortex::device]
impl Default for Weight {
    fn default() -> Self {
        Self(0.5)
    }
}

/// One with a `default` of its own, which the device computes.
#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Place {
    item: u32,
}

#[vortex::device]
impl Place {
    const fn default() -> Self {
        Self {
            item: global_id() as u32,
        }
    }

    const fn next(self) -> Option<u32> {
        let next = self.item.checked_add(1)?;
        Some(next)
    }
}

#[vortex::device(host)]
fn between(x: &[i32], i: usize) -> Option<i32> {
    let here = x.get(i)?;
    let next = *x.get(i + 1)?;
    let sum = here.checked_add(next)?;
    if sum < 0 {
        return None;
    }
    let half = |value: i32| {
        let left = x.get(1)?;
        Some(value / 2 + *left)
    };
    Some(half(sum)? + (x.get(i)?.checked_sub(1)?))
}

#[vortex::device(host)]
const fn twice(x: u32) -> u32 {
    x * 2
}

const SIX: u32 = twice(3);

#[vortex::kernel]
fn question_marks(x: &[i32], out: &mut [i32]) {
    let i = global_id();
    out[i] = between(x, i).unwrap_or(-7);
}

#[test]
fn question_marks_leave_functions_that_give_options() {
    let x = [3, 4, i32::MAX, 1, -9, 20, i32::MIN, 5];
    let expected: Vec<_> = (0..8).map(|i| between(&x, i).unwrap_or(-7)).collect();
    assert_eq!(expected, [9, -7, -7, -7, -1, -7, -7, -7]);
    for device in DEVICES.iter() {
        let dx = device.upload(&x).unwrap();
        let mut out = device.alloc(8).unwrap();
        question_marks(&dx, &mut out)
            .over(8)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[vortex::kernel]
fn defaults(out: &mut [f32]) {
    let i = global_id();
    let mut tally = Tally::default();
    tally.sum += 3;
    tally.count += u32::default() + 1;
    let weight: Weight = Default::default();
    let same = Weight::default();
    let place = Place::default();
    out[i] = tally.sum as f32
        + tally.count as f32
        + weight.0 * same.0
        + (place.next().unwrap_or(0) + twice(3) - SIX) as f32;
}

#[test]
fn defaults_are_the_hosts() {
    for device in DEVICES.iter() {
        let mut out = device.alloc(3).unwrap();
        defaults(&mut out).over(3).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), [5.25, 6.25, 7.25]);
    }
}

/// Writes to elements that may not be there.
#[vortex::kernel]
fn elements(out: &mut [u32], i: usize) {
    let mut own = [1u32, 2, 3];
    if let Some(v) = out.get_mut(i) {
        *v += 10;
    } else {
        out[0] += 1000;
    }
    if let Some(v) = out.first_mut() {
        *v += 1;
    }
    if let Some(v) = own.last_mut() {
        *v *= 100;
    }
    let Some(last) = out.last_mut() else { return };
    *last += own[2];
    let empty = &mut out[0..0];
    if let Some(v) = empty.last_mut() {
        *v = 0;
    } else if let Some(v) = empty.first_mut() {
        *v = 0;
    }
    let Some(v) = out.get_mut(i + 1) else {
        out[1] = 77;
        return;
    };
    *v += 5;
}

#[test]
fn elements_are_changed_where_there_are_some() {
    let host = |i: usize| {
        let mut out = [0u32; 4];
        if i < 4 {
            out[i] += 10;
        } else {
            out[0] += 1000;
        }
        out[0] += 1;
        out[3] += 300;
        match out.get_mut(i + 1) {
            Some(v) => *v += 5,
            None => out[1] = 77,
        }
        out
    };
    for device in DEVICES.iter() {
        for i in [0, 1, 2, 3, 4, 9] {
            let mut out = device.upload(&[0u32; 4]).unwrap();
            elements(&mut out, i).over(1).launch(device).unwrap();
            assert_eq!(out.download().unwrap(), host(i), "{i}");
        }
    }
}

#[vortex::device]
fn raise(y: &mut [u32], by: &mut u32) {
    for v in y.iter_mut() {
        *v += *by;
    }
    *by += 1;
}

#[vortex::device]
fn raise_twice(y: &mut [u32], by: &mut u32) {
    raise(&mut *y, &mut *by);
    raise(y, by);
}

#[vortex::device]
fn total(bytes: &[u8]) -> u32 {
    bytes.iter().map(|v| *v as u32).sum::<u32>()
}

#[vortex::kernel]
fn lent_on(y: &mut [u32]) {
    let mut by = 1;
    raise_twice(&mut *y, &mut by);
    raise(y, &mut by);
}

#[test]
fn references_are_lent_on() {
    for device in DEVICES.iter() {
        let mut y = device.upload(&[0u32, 10]).unwrap();
        lent_on(&mut y).over(1).launch(device).unwrap();
        assert_eq!(y.download().unwrap(), [6, 16]);
    }
}

#[vortex::kernel]
fn texts(i: usize, out: &mut [u32]) {
    let text = b"hello";
    out[0] = text[i] as u32;
    out[1] = 'z' as u32 + 'a' as u8 as u32;
    out[2] = total(b"abc");
    for (k, &c) in b"xyz".iter().enumerate() {
        out[3] += (c as u32) << (8 * k as u32);
    }
}

#[test]
fn bytes_are_arrays() {
    for device in DEVICES.iter() {
        let mut out = device.upload(&[0u32; 4]).unwrap();
        texts(1, &mut out).over(1).launch(device).unwrap();
        let expected = [
            u32::from(b'e'),
            u32::from('z') + u32::from(b'a'),
            97 + 98 + 99,
            u32::from_le_bytes(*b"xyz\0"),
        ];
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[vortex::kernel]
fn sequences(x: &[u32], out: &mut [u32]) {
    let squares: [u32; 4] = std::array::from_fn(|i| (i * i) as u32);
    let of_x: [u32; 2] = core::array::from_fn(|i| x[i + 1]);
    out[0] = squares[3] + squares[2] + of_x[1];
    out[1] = x.iter().nth(2).copied().unwrap_or(9);
    out[2] = x.iter().filter(|v| **v > 3).nth(1).copied().unwrap_or(9);
    out[3] = x.iter().nth(100).copied().unwrap_or(9);
    for i in 0.. {
        if i >= x.len() || x[i] == 8 {
            break;
        }
        out[4] += x[i];
    }
    for (v, n) in x.iter().zip(5u32..) {
        out[5] += *v * n;
    }
    for v in out.iter_mut().filter(|v| **v > 30) {
        *v = 30;
    }
    for (i, v) in out.iter_mut().enumerate().filter(|(i, _)| i % 2 == 1) {
        *v += i as u32 * 100;
    }
}

#[test]
fn sequences_without_an_end() {
    let x = [2u32, 5, 4, 1, 8, 3];
    for device in DEVICES.iter() {
        let dx = device.upload(&x).unwrap();
        let mut out = device.upload(&[0u32; 6]).unwrap();
        sequences(&dx, &mut out).over(1).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), [17, 104, 4, 309, 12, 530]);
    }
}

const STEP: u32 = 3;

#[vortex::kernel]
fn constants_in_place<const N: u32>(x: &[f32], out: &mut [f32]) {
    let out = &mut *out;
    let x = &*x;
    out[0] = x[1] * const { 0.5 + 0.25 };
    out[1] = const { STEP * N } as f32;
    let big = const { u32::MAX / 5 };
    out[2] = (big >> 24) as f32;
}

#[test]
fn constant_blocks_and_slices_taken_again() {
    for device in DEVICES.iter() {
        let x = device.upload(&[1.0f32, 8.0]).unwrap();
        let mut out = device.upload(&[0.0f32; 3]).unwrap();
        constants_in_place::<7>(&x, &mut out)
            .over(1)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), [6.0, 21.0, 51.0]);
    }
}

#[vortex::device]
trait Doubled {
    fn doubled(self) -> Self;
}

#[vortex::device]
impl<T: Num> Doubled for T {
    fn doubled(self) -> T {
        self + self
    }
}

#[vortex::kernel]
fn doubles(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = x[i].doubled() + i.doubled() as f32;
}

#[test]
fn traits_of_all_numbers() {
    for device in DEVICES.iter() {
        let x = device.upload(&[1.0f32, 8.0]).unwrap();
        let mut y = device.upload(&[0.0f32; 2]).unwrap();
        doubles(&x, &mut y).over(2).launch(device).unwrap();
        assert_eq!(y.download().unwrap(), [2.0, 18.0]);
    }
}
