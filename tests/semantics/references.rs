//! `let r = &mut place;` and `let r = &place;`.

use vortex::prelude::*;

use crate::harness::{DEVICES, same};

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Cell {
    value: i32,
    history: [i32; 3],
}

#[vortex::device]
impl Cell {
    fn shift(&mut self, by: i32) {
        self.value += by;
    }
}

#[vortex::device]
fn double(x: &mut i32) {
    *x *= 2;
}

#[vortex::device]
fn x_or_none(v: u32) -> Option<u32> {
    (v % 3 != 0).then_some(v)
}

#[vortex::device]
fn sum(cell: &Cell) -> i32 {
    let Cell { value, history } = cell;
    let total = history.iter().fold(0, |sum: i32, v| sum.wrapping_add(*v));
    *value ^ total
}

#[vortex::device]
fn kind(cell: &Cell) -> i32 {
    match cell {
        Cell { value: 0, .. } => 1,
        Cell {
            value,
            history: [7, ..],
        } => *value,
        _ => 3,
    }
}

same! {
    compared_references(a: u32, b: u32) -> u32 {
        let x = [a % 7, 3, b % 7, 2];
        let k = b % 5;
        let first = x.iter().take_while(|v| *v < &k).count() as u32;
        let less = x.iter().filter(|v| v < &&k).count() as u32;
        let place = x.iter().position(|v| v == &k).unwrap_or(9) as u32;
        let alike = (&k == &x[0]) as u32 + (&x[1] >= &x[2]) as u32 * 2;
        first * 1000 + less * 100 + place * 10 + alike
    }

    of_locals(a: u32, b: u32) -> u32 {
        let mut v = a;
        let r = &mut v;
        *r = r.wrapping_mul(3);
        *r ^= b;
        let seen = &v;
        let also: &u32 = &b;
        *seen ^ (*also >> 1)
    }

    chosen_references(a: u32, b: u32) -> u32 {
        let x = [a, b, 7, 9];
        let larger = if a > b { &x[0] } else { &x[1] };
        let (low, high) = (&x[2], &x[(a & 3) as usize]);
        let (least, most) = if low < high { (low, high) } else { (high, low) };
        let typed: &u32 = match b % 3 { 0 => &x[0], 1 => low, _ => larger };
        *larger ^ (*least << 1) ^ most.rotate_left(3) ^ *typed
    }

    references_that_change(a: u32, b: u32) -> u32 {
        let x = [a, b, 7, 9];
        let mut best = &x[0];
        for v in &x {
            if v > best {
                best = v;
            }
        }
        let mut last = best;
        if a % 2 == 0 {
            last = &x[1];
        }
        let most = x.iter().fold(&x[0], |m, v| if v > m { v } else { m });
        *best ^ (*last << 2) ^ most.rotate_left(5)
    }

    parts_of_what_is_referred_to(a: u32, b: u32) -> u32 {
        let t = (a, [b, 3]);
        let whole = &t;
        let (first, rest) = whole;
        let (ref again, _) = t;
        let text = *b"kernel";
        let of_pair = match (&a, &b) {
            (0, y) => *y,
            (x, y) if *x > *y => *x - *y,
            (x, _) => *x,
        };
        let some = x_or_none(a) == Some(&50) || x_or_none(b) < Some(&7);
        *first ^ rest[0] ^ *again ^ text[(b % 6) as usize] as u32 ^ of_pair ^ some as u32
    } => {
        let text = *b"kernel";
        let of_pair = if a == 0 { b } else if a > b { a - b } else { a };
        let x_or_none = |v: u32| (v % 3 != 0).then_some(v);
        let some = x_or_none(a) == Some(50) || x_or_none(b) < Some(7);
        a ^ b ^ a ^ text[(b % 6) as usize] as u32 ^ of_pair ^ some as u32
    }

    references_that_are_given(a: u32, b: u32) -> u32 {
        let x = [a, b, 7, 9];
        let (v, w) = (&x[0], &x[1]);
        let greater = *v.max(w) - *v.min(w);
        let chosen = *(if a > b { &x[2] } else { &x[0] });
        let least = *std::cmp::min(&x[1], &x[3]);
        let of_option = match (x.get(2), x.first()) {
            (Some(p), Some(q)) => *p.max(q),
            _ => 0,
        };
        greater ^ chosen.rotate_left(3) ^ least.rotate_left(7) ^ of_option ^ (v.max(w) > &50) as u32
    }

    fields_of_what_is_referred_to(a: i32, b: i32) -> i32 {
        let cell = Cell { value: a, history: [b, 1, 2] };
        sum(&cell) ^ kind(&cell)
    } => {
        let kind = match (a, b) { (0, _) => 1, (a, 7) => a, _ => 3 };
        (a ^ b.wrapping_add(3)) ^ kind
    }

    of_what_is_not_copied(a: i32, b: i32) -> i32 {
        let mut pair = (a, [b, 1, 2]);
        let second: &mut i32 = &mut pair.1[(b & 1) as usize];
        *second = second.wrapping_sub(a);
        let first = &mut pair.0;
        *first = 7;
        pair.0 ^ pair.1[0] ^ pair.1[1]
    }
}

#[vortex::kernel]
fn move_cells(cells: &mut [Cell], sums: &mut [i32]) {
    let i = global_id();
    let cell = &mut cells[i];
    cell.history[i % 3] = cell.value;
    cell.shift(10);
    double(&mut cell.value);
    double(&mut cell.history[0]);
    let sum = &mut sums[i];
    for &v in cell.history.iter() {
        *sum += v;
    }
    let seen = &cells[i];
    *sum += seen.value;
}

#[test]
fn elements_and_their_fields_are_referred_to() {
    let start: Vec<Cell> = (0..37)
        .map(|i| Cell {
            value: i * 3 - 20,
            history: [i, -i, 1],
        })
        .collect();
    let mut expected = start.clone();
    let mut sums = vec![5; start.len()];
    for (i, (cell, sum)) in expected.iter_mut().zip(&mut sums).enumerate() {
        cell.history[i % 3] = cell.value;
        cell.value = (cell.value + 10) * 2;
        cell.history[0] *= 2;
        *sum += cell.history.iter().sum::<i32>() + cell.value;
    }
    for device in DEVICES.iter() {
        let mut cells = device.upload(&start).unwrap();
        let mut out = device.upload(&vec![5; start.len()]).unwrap();
        move_cells(&mut cells, &mut out)
            .over(start.len())
            .launch(device)
            .unwrap();
        assert_eq!(cells.download().unwrap(), expected);
        assert_eq!(out.download().unwrap(), sums);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Complex {
    re: i32,
    im: i32,
}

#[vortex::device]
impl Complex {
    fn dot(&self, other: &Self) -> i32 {
        self.re * other.re + self.im * other.im
    }

    fn cross(&self, other: &Self) -> i32 {
        self.re * other.im - self.im * other.re
    }
}

#[vortex::kernel]
fn named_as_those_of_vectors(x: &[Complex], firsts: &[i32], out: &mut [i32]) {
    let i = global_id();
    let one = x[i];
    let row = &firsts[i..];
    let first: Option<&i32> = row.first();
    out[i] = one.dot(&x[0]) + 3 * x[i].cross(&one);
    if let Some(v) = first {
        out[i] += *v;
    }
}

#[test]
fn methods_take_references_whatever_they_are_called() {
    let x: Vec<Complex> = (0..9)
        .map(|i| Complex {
            re: i - 4,
            im: 2 * i,
        })
        .collect();
    let expected: Vec<i32> = x.iter().zip(1..).map(|(x, i)| x.re * -4 + i).collect();
    for device in DEVICES.iter() {
        let values = device.upload(&x).unwrap();
        let firsts = device.upload(&[1, 2, 3, 4, 5, 6, 7, 8, 9]).unwrap();
        let mut out = device.alloc(x.len()).unwrap();
        named_as_those_of_vectors(&values, &firsts, &mut out)
            .over(x.len())
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}
