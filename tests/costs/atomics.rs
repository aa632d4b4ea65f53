//! Atomic operations and fences.

use crate::measure::{ATOMICS, Ordinary, device, pairs};
use vortex::prelude::*;

#[vortex::global]
static COUNT: u32 = 0;

#[vortex::global]
static SIGNED: i32 = 0;

macro_rules! operations {
    ($name:ident [$v:ident $i:ident $counts:ident $sums:ident]; $($cases:tt)*) => {
        pairs! {
            $name in ATOMICS, on [(device(), 4)],
            fn measured(x: &[u32], $counts: &mut [u32], $sums: &mut [f32], out: &mut [u32]) {
                let $i = global_id();
                let $v = x[$i];
                return out[$i];
            }
            launch |device, items, case, with| {
                let x: Vec<u32> = (0..items).map(Ordinary::ordinary).collect();
                let x = device.upload(&x).unwrap();
                let mut counts = device.upload(&vec![1u32; items]).unwrap();
                let mut sums = device.upload(&vec![1f32; items]).unwrap();
                let mut out = device.alloc::<u32>(items).unwrap();
                let launch = measured(case, with, &x, &mut counts, &mut sums, &mut out);
                launch.over(items).launch(device).unwrap()
            }
            $($cases)*
        }
    };
}

operations! {
    single [v i counts sums];
    "| `load(order)` | `u32`, `i32`, `f32` | 2 |" {
        Load: { v + COUNT.load(Relaxed) } { v + 1 } => 2;
    }
    "| `store(value, order)`, `swap(value, order)` | `u32`, `i32`, `f32` | 1 |" {
        Store: { COUNT.store(v, Relaxed); v } { v } => 1;
        Swap: { v + COUNT.swap(v, Relaxed) } { v + 1 } => 1;
    }
    "| `fetch_add`, `fetch_and`, `fetch_or`, `fetch_xor`, `fetch_min`, `fetch_max` `(value, order)` | `u32`, `i32` | 1 |" {
        Add: { COUNT.fetch_add(v, Relaxed); v } { v } => 1;
        And: { COUNT.fetch_and(v, Relaxed); v } { v } => 1;
        Or: { COUNT.fetch_or(v, Relaxed); v } { v } => 1;
        Xor: { COUNT.fetch_xor(v, Relaxed); v } { v } => 1;
        Min: { COUNT.fetch_min(v, Relaxed); v } { v } => 1;
        Max: { SIGNED.fetch_max(v as i32, Relaxed); v } { v } => 1;
        OfElement: { counts.atomic(i).fetch_add(v, Relaxed); v } { counts[i] = v; v } => 0;
    }
    "| `fetch_sub(value, order)` | `u32`, `i32` | 2; 1 when `value` is a constant |" {
        Sub: { COUNT.fetch_sub(v, Relaxed); v } { v } => 2;
        SubConstant: { SIGNED.fetch_sub(3, Relaxed); v } { SIGNED.fetch_add(3, Relaxed); v } => 0;
    }
    "All but `Relaxed` cost a `fence` each way they order." {
        Acquire: { v + COUNT.fetch_add(v, Acquire) } { v + 1 } => 2;
        Release: { COUNT.fetch_add(v, Release); v } { v } => 2;
        Both: { COUNT.fetch_add(v, AcqRel); v } { v } => 3;
        LoadAcquire: { v + COUNT.load(Acquire) } { v + 1 } => 3;
        StoreRelease: { COUNT.store(v, Release); v } { v } => 2;
    }
    "It costs the one instruction, which waits for the caches to be written back." {
        Fence: { fence(); v } { v } => 1;
    }
}

// Beside a store, which is one instruction, to an element of the same slice.
operations! {
    locked [v i counts sums];
    "| `fetch_add`, `fetch_sub` `(value, order)` | `f32` | about 25, see below |" {
        AddFloat: { sums.atomic(i).fetch_add(1.5, Relaxed); v } { sums[i] = 1.5; v } => 24;
        SubFloat: { sums.atomic(i).fetch_sub(1.5, Relaxed); v } { sums[i] = 1.5; v } => 24;
    }
    "| `compare_exchange(current, new, success, failure)` | `u32`, `i32` | about 30, see below |" {
        Exchange: { v + counts.atomic(i).compare_exchange(1, v, Relaxed, Relaxed).is_ok() as u32 }
            { counts[i] = v; v + 1 } => 30;
        ExchangeUsed: { match counts.atomic(i).compare_exchange(1, v, Relaxed, Relaxed)
              { Ok(a) => a, Err(b) => b + 1 } }
            { counts[i] = v; v + 1 } => 31;
    }
}
