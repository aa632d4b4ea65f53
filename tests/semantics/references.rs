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
