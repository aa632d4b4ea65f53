//! Work items that return before a barrier: the others do not wait for them.
// The host's copies follow the kernels.
#![allow(clippy::needless_range_loop, clippy::manual_is_multiple_of)]

use vortex::Error;
use vortex::prelude::*;

use crate::harness::DEVICES;

/// Runs `f` on each device that can run groups of that many items.
fn on_devices(items: usize, mut f: impl FnMut(&Device)) {
    let mut ran = 0;
    for device in DEVICES.iter() {
        if device.caps().max_group() as usize >= items {
            f(device);
            ran += 1;
        }
    }
    assert!(ran > 0);
}

const BLOCKS: [usize; 5] = [1, 3, 4, 16, 64];

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 20)
        .collect()
}

#[vortex::kernel]
fn neighbours(x: &[u32], out: &mut [u32]) {
    let part = local::<[u32; 64]>();
    let (i, at, size) = (local_id(), global_id(), local_size());
    part[i] = 7;
    barrier();
    if at >= x.len() {
        return;
    }
    part[i] = x[at];
    barrier();
    let sum = part[i] + part[(i + 1) % size];
    barrier();
    part[i] = sum;
    barrier();
    if sum % 3 == 0 {
        return;
    }
    out[at] = part[(i + 1) % size] * 2 + sum;
}

#[test]
fn items_beyond_the_end_return_at_once() {
    for block in BLOCKS {
        for len in [1, 5, 64, 97] {
            let x = numbers(len);
            let groups = len.div_ceil(block);
            let mut expected = vec![1u32; len];
            for (g, out) in expected.chunks_mut(block).enumerate() {
                let at = |i: usize| x.get(g * block + i).copied();
                let part: Vec<u32> = (0..block).map(|i| at(i).unwrap_or(7)).collect();
                let sums: Vec<u32> = (0..block)
                    .map(|i| match at(i) {
                        Some(_) => part[i] + part[(i + 1) % block],
                        None => 7,
                    })
                    .collect();
                for (i, out) in out.iter_mut().enumerate() {
                    if sums[i] % 3 != 0 {
                        *out = sums[(i + 1) % block] * 2 + sums[i];
                    }
                }
            }
            on_devices(block, |device| {
                let x = device.upload(&x).unwrap();
                let mut out = device.upload(&vec![1u32; len]).unwrap();
                let launch = neighbours(&x, &mut out).grid(groups).block(block);
                launch.launch(device).unwrap();
                assert_eq!(out.download().unwrap(), expected, "{block} {len}");
            });
        }
    }
}

#[vortex::device]
fn step(x: u32, limit: u32) -> u32 {
    if x > limit {
        return x - limit;
    }
    for k in 0..3 {
        if x % 5 == k {
            return x + k;
        }
    }
    x + 1
}

/// Items drop out in different rounds, by a `return` deep inside, and the last round of all comes early.
#[vortex::kernel]
fn rounds(x: &[u32], count: u32, last: &[u32], out: &mut [u32]) {
    let part = local::<[u32; 64]>();
    let (i, at, size) = (local_id(), global_id(), local_size());
    part[i] = 0;
    let mut sum = 0;
    let mut value = x[at];
    let mut round = 0;
    while round < count && round < 100 {
        round += 1;
        let mut tries = 0;
        while tries < 4 {
            tries += 1;
            if (value + tries) % 11 == 3 {
                continue;
            }
            if (value + round) % 13 == 0 {
                out[at] = sum + 1_000_000;
                return;
            }
        }
        value = step(value, 600);
        part[i] = value;
        barrier();
        sum += part[(i + 1) % size];
        if round == last[0] {
            break;
        }
        barrier();
        if round % 4 == 1 {
            continue;
        }
        barrier();
    }
    barrier();
    out[at] = sum + part[(i + 2) % size];
}

fn rounds_on_the_host(x: &[u32], count: u32, last: u32) -> Vec<u32> {
    fn step(x: u32) -> u32 {
        match x {
            601.. => x - 600,
            _ => (0..3).find(|k| x % 5 == *k).map_or(x + 1, |k| x + k),
        }
    }
    let size = x.len();
    let (mut part, mut sum, mut value) = (vec![0u32; size], vec![0u32; size], x.to_vec());
    let mut out: Vec<Option<u32>> = vec![None; size];
    for round in 1..=count.min(100) {
        for i in 0..size {
            if out[i].is_some() {
                continue;
            }
            let stays =
                (1..=4).all(|tries| (value[i] + tries) % 11 == 3 || (value[i] + round) % 13 != 0);
            if !stays {
                out[i] = Some(sum[i] + 1_000_000);
                continue;
            }
            value[i] = step(value[i]);
            part[i] = value[i];
        }
        for i in (0..size).filter(|i| out[*i].is_none()) {
            sum[i] += part[(i + 1) % size];
        }
        if round == last {
            break;
        }
    }
    (0..size)
        .map(|i| out[i].unwrap_or(sum[i] + part[(i + 2) % size]))
        .collect()
}

#[test]
fn items_drop_out_of_a_loop() {
    for block in BLOCKS {
        let x = numbers(block * 3);
        for (count, last) in [(0, 5), (1, 5), (9, 200), (9, 4), (40, 200)] {
            let expected: Vec<u32> = x
                .chunks(block)
                .flat_map(|x| rounds_on_the_host(x, count, last))
                .collect();
            on_devices(block, |device| {
                let x = device.upload(&x).unwrap();
                let last_round = device.upload(&[last]).unwrap();
                let mut out = device.upload(&vec![0u32; block * 3]).unwrap();
                let launch = rounds(&x, count, &last_round, &mut out)
                    .grid(3)
                    .block(block);
                launch.launch(device).unwrap();
                assert_eq!(out.download().unwrap(), expected, "{block} {count} {last}");
            });
        }
    }
}

#[vortex::kernel]
fn quotients(x: &[i32], by: &[i32], out: &mut [i32]) {
    let part = local::<[i32; 64]>();
    let (i, at, size) = (local_id(), global_id(), local_size());
    part[i] = 0;
    for round in 0..5 {
        let quotient = x[at].checked_div(by[at] - round).unwrap();
        part[i] = quotient + by[at + round as usize * 0];
        barrier();
        out[at] += part[(i + 1) % size];
        barrier();
    }
}

#[test]
fn items_whose_division_fails_retire() {
    for block in BLOCKS {
        let n = block * 4;
        let x: Vec<i32> = (0..n as i32).map(|i| i * 37 % 101 - 50).collect();
        let by: Vec<i32> = (0..n as i32).map(|i| i * 29 % 83 - 11).collect();
        let mut expected = vec![0; n];
        let mut failed = vec![false; n];
        for (g, out) in expected.chunks_mut(block).enumerate() {
            let mut part = vec![0; block];
            for round in 0..5 {
                for i in 0..block {
                    let at = g * block + i;
                    match x[at].checked_div(by[at] - round) {
                        Some(quotient) if !failed[at] => part[i] = quotient + by[at],
                        _ => failed[at] = true,
                    }
                }
                for i in 0..block {
                    if !failed[g * block + i] {
                        out[i] += part[(i + 1) % block];
                    }
                }
            }
        }
        let first = failed.iter().position(|failed| *failed);
        on_devices(block, |device| {
            let (x, by) = (device.upload(&x).unwrap(), device.upload(&by).unwrap());
            let mut out = device.upload(&vec![0; n]).unwrap();
            match quotients(&x, &by, &mut out)
                .grid(4)
                .block(block)
                .launch(device)
            {
                Err(Error::Fault(fault)) => assert_eq!(Some(fault.item as usize), first),
                result => assert!(result.is_ok() && first.is_none()),
            }
            assert_eq!(out.download().unwrap(), expected, "{block}");
        });
    }
}

/// The loop ends by a `return` only, of all items at once; some have returned before.
#[vortex::kernel]
fn all_at_once(x: &[u32], rounds: &[u32], out: &mut [u32]) {
    let part = local::<[u32; 64]>();
    let (i, at, size) = (local_id(), global_id(), local_size());
    part[i] = x[at];
    if x[at] % 2 == 0 {
        return;
    }
    let mut round = 0;
    loop {
        barrier();
        out[at] = part[(i + round as usize) % size];
        if round == rounds[0] {
            return;
        }
        round += 1;
    }
}

#[test]
fn a_return_of_all_ends_a_loop() {
    for block in BLOCKS {
        let x = numbers(block * 2);
        let mut expected = vec![0; block * 2];
        for (at, out) in expected.iter_mut().enumerate() {
            if x[at] % 2 == 1 {
                *out = x[at / block * block + (at % block + 6) % block];
            }
        }
        on_devices(block, |device| {
            let (x, rounds) = (device.upload(&x).unwrap(), device.upload(&[6u32]).unwrap());
            let mut out = device.upload(&vec![0u32; block * 2]).unwrap();
            let launch = all_at_once(&x, &rounds, &mut out).grid(2).block(block);
            launch.launch(device).unwrap();
            assert_eq!(out.download().unwrap(), expected, "{block}");
        });
    }
}

/// How often is decided after the return, by an access that fails where nobody may report it.
#[vortex::kernel]
fn decided_late(x: &[u32], at_most: usize, out: &mut [u32]) {
    let part = local::<[u32; 64]>();
    let (i, at) = (local_id(), global_id());
    if i >= at_most {
        return;
    }
    let times = x[group_id()];
    for time in 0..times {
        part[i] = time;
        barrier();
        out[at] += part[at_most - 1 - i] + 1;
        barrier();
    }
}

#[test]
fn turns_decided_after_a_return() {
    for block in BLOCKS {
        on_devices(block, |device| {
            let x = device.upload(&[3u32, 5]).unwrap();
            for at_most in [0, 1, block / 2, block] {
                let mut out = device.upload(&vec![0u32; block * 3]).unwrap();
                let launch = decided_late(&x, at_most, &mut out).grid(3).block(block);
                match launch.launch(device) {
                    Err(Error::Fault(fault)) => {
                        assert!(at_most > 0 && fault.item as usize == 2 * block);
                    }
                    result => assert!(result.is_ok() && at_most == 0),
                }
                let out = out.download().unwrap();
                for (i, out) in out.into_iter().enumerate() {
                    let sums = [6, 15, 0];
                    let expected = if i % block < at_most {
                        sums[i / block]
                    } else {
                        0
                    };
                    assert_eq!(out, expected);
                }
            }
        });
    }
}

/// In a loop without barriers some return for themselves, after a return of all that never happens here.
#[vortex::kernel]
fn behind_a_return_of_all(x: &[u32], all: u32, out: &mut [u32]) {
    let part = local::<[u32; 64]>();
    let (i, at) = (local_id(), global_id());
    part[i] = x[at];
    for round in 0..3 {
        if all == 7 {
            return;
        }
        if x[at] % 4 == round {
            return;
        }
        out[at] += 1;
    }
    barrier();
    out[at] += part[0];
}

/// The same within a loop with barriers, which is to go on.
#[vortex::kernel]
fn behind_a_return_of_all_twice(x: &[u32], all: u32, out: &mut [u32]) {
    let part = local::<[u32; 64]>();
    let (i, at) = (local_id(), global_id());
    part[i] = x[at];
    for time in 0..2 {
        let mut round = 0;
        loop {
            if all == 7 + time {
                return;
            }
            if x[at] % 4 == round {
                return;
            }
            if round == 2 {
                break;
            }
            out[at] += 1;
            round += 1;
        }
        barrier();
        out[at] += part[0];
    }
}

#[test]
fn returns_of_some_behind_returns_of_all() {
    for block in BLOCKS {
        let x = numbers(block * 2);
        let (mut once, mut twice) = (vec![0; block * 2], vec![0; block * 2]);
        for at in 0..block * 2 {
            let (rounds, first) = (x[at] % 4, x[at / block * block]);
            once[at] = if rounds == 3 { 3 + first } else { rounds };
            twice[at] = if rounds == 3 { 2 * (2 + first) } else { rounds };
        }
        on_devices(block, |device| {
            let input = device.upload(&x).unwrap();
            let mut out = device.upload(&vec![0u32; block * 2]).unwrap();
            let launch = behind_a_return_of_all(&input, 6, &mut out);
            launch.grid(2).block(block).launch(device).unwrap();
            assert_eq!(out.download().unwrap(), once, "{block}");

            let mut out = device.upload(&vec![0u32; block * 2]).unwrap();
            let launch = behind_a_return_of_all_twice(&input, 6, &mut out);
            launch.grid(2).block(block).launch(device).unwrap();
            assert_eq!(out.download().unwrap(), twice, "{block}");
        });
    }
}

/// A variable that only items which leave have changed is the same for all that go on.
#[vortex::kernel]
fn leaving_does_not_change(limit: usize, x: &mut [u32]) {
    let part = local::<[u32; 64]>();
    let i = local_id();
    part[i] = 1;
    let mut state = 0;
    for turn in 0..4 {
        if i == limit + turn {
            state += 100 + turn as u32;
            if turn == 1 {
                state *= 2;
            }
            x[global_id()] = state;
            return;
        }
    }
    if state == 0 {
        barrier();
        x[global_id()] = part[(i + 1) % local_size()];
    }
}

#[test]
fn items_that_leave_change_nothing_for_others() {
    for device in DEVICES.iter() {
        let (groups, block) = (3, 12);
        if device.caps().harts() / device.caps().cores < block as u32 {
            continue;
        }
        let mut x = device.alloc::<u32>(groups * block).unwrap();
        leaving_does_not_change(7, &mut x)
            .grid(groups)
            .block(block)
            .launch(device)
            .unwrap();
        let expected = (0..groups * block).map(|i| match i % block {
            7 => 100,
            8 => 202,
            9 => 102,
            10 => 103,
            _ => 1,
        });
        assert_eq!(x.download().unwrap(), expected.collect::<Vec<_>>());
    }
}
