//! Compare-exchange and addition of floats: atomic operations under a lock, of which none hangs and no change is lost.

use crate::harness::DEVICES;
use vortex::prelude::*;

const ITEMS: usize = 700;

#[vortex::kernel]
fn count(x: &mut [u32], tries: &mut [u32]) {
    let i = global_id();
    let bin = i % 5;
    if i % 3 == 0 {
        x.atomic(bin).fetch_add(1, Relaxed);
    } else {
        let mut seen = x.atomic(bin).load(Relaxed);
        loop {
            tries[i] += 1;
            match x
                .atomic(bin)
                .compare_exchange_weak(seen, seen + 2, AcqRel, Relaxed)
            {
                Ok(_) => break,
                Err(now) => seen = now,
            }
        }
    }
}

#[test]
fn every_change_counts() {
    let mut expected = [0u32; 5];
    for i in 0..ITEMS {
        expected[i % 5] += if i % 3 == 0 { 1 } else { 2 };
    }
    for device in DEVICES.iter() {
        let mut x = device.upload(&[0u32; 5]).unwrap();
        let mut tries = device.upload(&vec![0u32; ITEMS]).unwrap();
        count(&mut x, &mut tries)
            .over(ITEMS)
            .launch(device)
            .unwrap();
        assert_eq!(x.download().unwrap(), expected, "{:?}", device.caps());
        let tries = tries.download().unwrap();
        assert!(
            tries
                .iter()
                .enumerate()
                .all(|(i, n)| (*n > 0) == (i % 3 != 0))
        );
    }
}

#[vortex::kernel]
fn first(x: &mut [i32], won: &mut [bool]) {
    let i = global_id();
    let result = x
        .atomic(i % 11)
        .compare_exchange(-1, i as i32, SeqCst, Acquire);
    won[i] = result.is_ok();
    if let Ok(old) = result {
        assert_eq!(old, -1);
    }
    if won[i] != (result.unwrap_or_else(|now: i32| now - 1) == -1) {
        assert!(result.err().is_some_and(|now: i32| now != i as i32));
        assert!(result.ok().is_none() && result.unwrap_or(7) == 7);
    }
}

#[test]
fn one_is_first() {
    for device in DEVICES.iter() {
        let mut x = device.upload(&[-1i32; 11]).unwrap();
        let mut won = device.alloc::<bool>(ITEMS).unwrap();
        first(&mut x, &mut won).over(ITEMS).launch(device).unwrap();
        let (x, won) = (x.download().unwrap(), won.download().unwrap());
        for (bin, &winner) in x.iter().enumerate() {
            let winners = (bin..ITEMS).step_by(11).filter(|i| won[*i]);
            assert_eq!(winners.collect::<Vec<_>>(), [winner as usize]);
        }
    }
}

#[vortex::kernel]
fn sums(x: &mut [f32], seen: &mut [f32]) {
    let i = global_id();
    seen[i] = x.atomic(0).fetch_add(1.0, Relaxed);
    if i % 3 != 0 {
        for turn in 0..i % 4 {
            x.atomic(1 + i % 64).fetch_add(turn as f32, Relaxed);
            if turn == 2 {
                x.atomic(65).fetch_sub(0.5, Relaxed);
            }
        }
    }
}

#[test]
fn floats_add_up() {
    let mut expected = [0.0f32; 66];
    for i in 0..ITEMS {
        expected[0] += 1.0;
        for turn in 0..if i % 3 == 0 { 0 } else { i % 4 } {
            expected[1 + i % 64] += turn as f32;
            expected[65] -= if turn == 2 { 0.5 } else { 0.0 };
        }
    }
    for device in DEVICES.iter() {
        let mut x = device.upload(&[0.0f32; 66]).unwrap();
        let mut seen = device.alloc::<f32>(ITEMS).unwrap();
        sums(&mut x, &mut seen).over(ITEMS).launch(device).unwrap();
        assert_eq!(x.download().unwrap(), expected, "{:?}", device.caps());
        // Each of them has come at another time.
        let mut seen = seen.download().unwrap();
        seen.sort_by(f32::total_cmp);
        assert!(seen.iter().enumerate().all(|(i, v)| *v == i as f32));
    }
}

#[vortex::kernel]
fn in_local_memory(x: &[u32], sums: &mut [f32], largest: &mut [u32]) {
    let bins = local::<[f32; 4]>();
    let most = local::<u32>();
    let i = local_id();
    if i < 4 {
        bins[i] = 0.0;
    }
    if i == 0 {
        *most = 0;
    }
    barrier();
    let v = x[global_id()];
    bins.atomic(v as usize % 4).fetch_add(v as f32, Relaxed);
    let mut seen = most.atomic().load(Relaxed);
    while seen < v {
        let Err(now) = most.atomic().compare_exchange(seen, v, Relaxed, Relaxed) else {
            break;
        };
        seen = now;
    }
    barrier();
    if i < 4 {
        sums[group_id() * 4 + i] = bins[i];
    }
    if i == 0 {
        largest[group_id()] = *most;
    }
}

#[test]
fn local_memory_too() {
    let (groups, block) = (9, 12);
    let x: Vec<u32> = (0..groups * block).map(|i| i as u32 * 37 % 101).collect();
    for device in DEVICES.iter() {
        if device.caps().harts() / device.caps().cores < block as u32 {
            continue;
        }
        let on_device = device.upload(&x).unwrap();
        let mut sums = device.alloc::<f32>(groups * 4).unwrap();
        let mut largest = device.alloc::<u32>(groups).unwrap();
        in_local_memory(&on_device, &mut sums, &mut largest)
            .grid(groups)
            .block(block)
            .launch(device)
            .unwrap();
        let (sums, largest) = (sums.download().unwrap(), largest.download().unwrap());
        for (group, x) in x.chunks(block).enumerate() {
            assert_eq!(largest[group], *x.iter().max().unwrap());
            for bin in 0..4 {
                let own = x.iter().filter(|v| **v as usize % 4 == bin);
                assert_eq!(sums[group * 4 + bin], own.sum::<u32>() as f32);
            }
        }
    }
}

#[vortex::kernel]
unsafe fn at(p: *mut u32, offset: usize) {
    // SAFETY: left to the caller.
    let _ = unsafe {
        p.add(offset)
            .atomic()
            .compare_exchange(0, 1, Relaxed, Relaxed)
    };
}

#[test]
fn a_launch_that_is_stopped_keeps_no_lock() {
    let device = Device::builder().open().unwrap();
    let mut x = device.upload(&[0u32; 1]).unwrap();
    let p = x.as_mut_ptr();
    // Far outside of all memory, on the same lock.
    // SAFETY: the device catches it.
    let stopped = unsafe { at(p, 1 << 28) }.over(5).launch(&device);
    stopped.unwrap_err();
    // SAFETY: `x` has one element.
    unsafe { at(p, 0) }.over(5).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [1]);
}

#[vortex::kernel]
fn timed(x: &mut [f32], took: &mut [u32]) {
    let i = global_id();
    let start = clock();
    for _ in 0..20 {
        x[i] = x[i] * 0.5 + 1.0;
    }
    took[i] = clock().wrapping_sub(start);
}

#[test]
fn clocks_run() {
    for device in DEVICES.iter() {
        let mut x = device.upload(&[1.0f32; 40]).unwrap();
        let mut took = device.alloc::<u32>(40).unwrap();
        timed(&mut x, &mut took).over(40).launch(device).unwrap();
        assert!(
            took.download()
                .unwrap()
                .iter()
                .all(|n| (60..100_000).contains(n))
        );
    }
}
