//! Variables in device memory.

use crate::measure::{GLOBALS, Mismatches, Ordinary, device, one_by_one, pairs};
use vortex::Generation;
use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct State {
    sum: u32,
    steps: [u32; 9],
    limit: u32,
}

#[vortex::global]
static HITS: u32 = 0;

#[vortex::global]
static STATE: State = State {
    sum: 0,
    steps: [3; 9],
    limit: 3,
};

#[vortex::global]
static BINS: [u32; 16] = [0; 16];

#[vortex::constant]
static TABLE: [u32; 16] = [3; 16];

#[vortex::global]
static SUMS: [u32; 1000] = [0; 1000];

pairs! {
    accesses in GLOBALS, on [(device(), 4)],
    fn measured(k: usize, x: &[u32], out: &mut [u32]) {
        let i = global_id();
        let v = x[i];
        return out[i];
    }
    launch |device, items, case, with| {
        let x: Vec<u32> = (0..items).map(Ordinary::ordinary).collect();
        let x = device.upload(&x).unwrap();
        let mut out = device.alloc::<u32>(items).unwrap();
        measured(case, with, 3, &x, &mut out).over(items).launch(device).unwrap()
    }
    "| `HITS`, `STATE.sum`, `TABLE[i]`, `STATE.steps[i]` | reads it: one load; at an index that is not a \
     constant the check of a slice, unless the lanes agree on it |" {
        Read: { v + HITS } { v + 1 } => 1;
        Field: { v + STATE.sum } { v + 1 } => 1;
        Element: { v + BINS[3] } { v + 1 } => 1;
        ElementOfField: { v + STATE.steps[v as usize] } { v + x[v as usize] } => 0;
        AtAgreed: { v + STATE.steps[k] } { v + 1 } => 1;
        OfTable: { v + TABLE[v as usize] } { v + x[v as usize] } => 0;
    }
    "| `HITS = x`, `STATE.sum += x`, `BINS[i] = x` | writes it, as an element of a `&mut [T]` |" {
        Write: { HITS = 5; v } { v } => 2;
        WriteField: { STATE.sum = 5; v } { v } => 2;
        Update: { BINS[k] += 1; v } { v } => 3;
    }
    "| `let copy = STATE;` | reads all of it: a load for each word that is used |" {
        Copy: { let copy = STATE; copy.sum + copy.limit + v } { v + 1 } => 3;
    }
    "Accesses at constant places then cost nothing besides the load or store." {
        OfConstant: { v + TABLE[3] } { v + 1 } => 1;
    }
    "the optimiser merges and moves such\n  loads freely" {
        Twice: { TABLE[3] + v * TABLE[3] } { v * TABLE[3] } => 1;
    }
}

#[vortex::kernel]
fn count_in_variable() {
    SUMS[global_id()] += 1;
}

#[vortex::kernel]
fn count_in_slice(sums: &mut [u32]) {
    sums[global_id()] += 1;
}

#[test]
fn elements_cost_what_those_of_slices_do() {
    let device = one_by_one(Generation::V2).open().unwrap();
    let mut sums = device.upload(&[0u32; 1000]).unwrap();
    let of_variable = count_in_variable().over(1000).launch(&device).unwrap();
    let of_slice = count_in_slice(&mut sums)
        .over(1000)
        .launch(&device)
        .unwrap();
    let found = [of_variable, of_slice].map(|report| report.instructions().unwrap() as i64);
    let mut mismatches = Mismatches::default();
    let line = "`SUMS[i] += 1` for 1,000 work items is as many instructions as `sums[i] += 1` (1,116 with what is \
                around them)";
    mismatches.page(&GLOBALS, line);
    mismatches.costs(&GLOBALS, line, &found, &[1116, 1116]);
    mismatches.none();
}
