//! Barriers in two halves: `barrier::arrive()`, other work, and `.wait()`.
// The host's copies follow the kernels.
#![allow(clippy::needless_range_loop, clippy::manual_is_multiple_of)]

use vortex::prelude::*;

use crate::harness::DEVICES;

const BLOCKS: [usize; 5] = [1, 3, 4, 16, 64];

/// Runs `f` on each device that can run groups of that many items.
fn on_devices(items: usize, mut f: impl FnMut(&Device)) {
    let able = DEVICES
        .iter()
        .filter(|device| device.caps().max_group() as usize >= items);
    assert!(able.clone().count() > 0);
    able.for_each(&mut f);
}

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 20)
        .collect()
}

/// In each turn every item writes, loads what the next turn needs, and reads what the next item wrote.
#[vortex::kernel(host)]
fn turns(x: &[u32], count: usize, out: &mut [u32]) {
    let part = local::<[u32; 64]>();
    let (i, size) = (local_id(), local_size());
    let mut next = x[global_id()];
    let mut sum = 0;
    for turn in 0..count {
        part[i] = next;
        let written = barrier::arrive();
        next = x[(global_id() + turn) % x.len()];
        if next % 2 == 0 {
            sum += turn as u32;
        }
        written.wait();
        sum += part[(i + 1) % size];
        let read = barrier::arrive();
        sum *= 3;
        read.wait();
    }
    barrier();
    out[global_id()] = sum;
}

fn turns_expected(x: &[u32], count: usize, block: usize) -> Vec<u32> {
    let n = x.len();
    let at = |i: usize, turn: usize| match turn {
        0 => x[i],
        _ => x[(i + turn - 1) % n],
    };
    (0..n)
        .map(|i| {
            let next = i / block * block + (i % block + 1) % block;
            (0..count).fold(0u32, |sum, turn| {
                let own = at(i, turn + 1);
                let term = if own % 2 == 0 { turn as u32 } else { 0 };
                let sum = sum.wrapping_add(term).wrapping_add(at(next, turn));
                sum.wrapping_mul(3)
            })
        })
        .collect()
}

#[test]
fn what_was_written_before_is_seen_after() {
    for block in BLOCKS {
        let x = numbers(block * 5);
        for count in [0, 1, 2, 7] {
            let expected = turns_expected(&x, count, block);
            on_devices(block, |device| {
                let x = device.upload(&x).unwrap();
                let mut out = device.alloc(block * 5).unwrap();
                let launch = turns(&x, count, &mut out).grid(5).block(block);
                launch.launch(device).unwrap();
                assert_eq!(out.download().unwrap(), expected, "{block} {count}");
            });
            let mut out = vec![0; block * 5];
            let launch = turns::on_host(&x, count, &mut out);
            launch.grid(5).block(block).launch().unwrap();
            assert_eq!(out, expected, "{block} {count} on the host");
        }
    }
}

/// Items return before they arrive, and between the halves; others, all together, in some groups.
#[vortex::kernel]
fn leaving(x: &[u32], stops: &[u32], words: &mut [u32], out: &mut [u32]) {
    let at = global_id();
    let group = group_id();
    let first = group * local_size();
    words[at] = 1;
    for turn in 0..3 {
        if x[at] % 7 == turn {
            return;
        }
        words[at] += x[at] + turn;
        let token = barrier::arrive();
        if stops[group] == turn {
            return;
        }
        if x[at] % 5 == turn {
            out[at] = 1_000_000 + turn;
            return;
        }
        token.wait();
        out[at] += words[first + (at - first + 1) % local_size()];
        barrier();
    }
}

fn leaving_expected(x: &[u32], stops: &[u32], block: usize) -> Vec<u32> {
    let mut out = vec![0; x.len()];
    for (group, first) in (0..x.len()).step_by(block).enumerate() {
        let mut words = vec![1; block];
        let mut gone = vec![false; block];
        for turn in 0..3 {
            for i in 0..block {
                gone[i] |= x[first + i] % 7 == turn;
                if !gone[i] {
                    words[i] += x[first + i] + turn;
                }
            }
            if stops[group] == turn {
                break;
            }
            for i in (0..block).filter(|i| !gone[*i]).collect::<Vec<_>>() {
                if x[first + i] % 5 == turn {
                    out[first + i] = 1_000_000 + turn;
                    gone[i] = true;
                }
            }
            for i in (0..block).filter(|i| !gone[*i]) {
                out[first + i] += words[(i + 1) % block];
            }
        }
    }
    out
}

#[test]
fn items_that_return_are_not_waited_for() {
    for block in BLOCKS {
        let (groups, n) = (23, block * 23);
        let x = numbers(n);
        let stops: Vec<u32> = (0..groups as u32).map(|group| group % 5).collect();
        let expected = leaving_expected(&x, &stops, block);
        on_devices(block, |device| {
            let x = device.upload(&x).unwrap();
            let stops = device.upload(&stops).unwrap();
            let mut words = device.alloc::<u32>(n).unwrap();
            let mut out = device.upload(&vec![0u32; n]).unwrap();
            let launch = leaving(&x, &stops, &mut words, &mut out);
            launch.grid(groups).block(block).launch(device).unwrap();
            assert_eq!(out.download().unwrap(), expected, "{block}");
        });
    }
}

#[vortex::device]
fn told(part: &mut [u32], own: usize, value: u32, other: usize) -> u32 {
    part[own] = value;
    let token = barrier::arrive();
    let double = value * 2;
    token.wait();
    part[other] + double
}

/// In device functions, under conditions that a group agrees on, in blocks, and together with whole barriers.
#[vortex::kernel]
fn anywhere(x: &[u32], each: u32, out: &mut [u32]) {
    let part = local::<[u32; 64]>();
    let (i, size) = (local_id(), local_size());
    let mut sum = told(&mut part[..], i, x[global_id()], (i + 1) % size);
    barrier();
    if each > group_id() as u32 {
        sum += told(&mut part[..], i, sum, (i + 2) % size);
        barrier::arrive().wait();
    } else {
        part[i] = 5;
        let arrived = barrier::arrive();
        let also = arrived;
        also.wait();
        sum += part[size - 1];
    }
    sum += group::reduce_add(sum);
    let token = {
        part[i] = sum;
        barrier::arrive()
    };
    token.wait();
    out[global_id()] = part[size - 1 - i];
}

#[test]
fn wherever_a_barrier_may_stand() {
    for block in BLOCKS {
        let x = numbers(block * 4);
        let mut expected = Vec::new();
        for (group, x) in x.chunks(block).enumerate() {
            let told = |values: &[u32], by: usize| -> Vec<u32> {
                let each = (0..block).map(|i| values[(i + by) % block] + values[i] * 2);
                each.collect()
            };
            let mut sums = told(x, 1);
            if group < 2 {
                let more = told(&sums, 2);
                sums.iter_mut()
                    .zip(more)
                    .for_each(|(sum, more)| *sum += more);
            } else {
                sums.iter_mut().for_each(|sum| *sum += 5);
            }
            let all: u32 = sums.iter().sum();
            expected.extend(sums.iter().rev().map(|sum| sum + all));
        }
        on_devices(block, |device| {
            let x = device.upload(&x).unwrap();
            let mut out = device.alloc(block * 4).unwrap();
            let launch = anywhere(&x, 2, &mut out).grid(4).block(block);
            launch.launch(device).unwrap();
            assert_eq!(out.download().unwrap(), expected, "{block}");
        });
    }
}
