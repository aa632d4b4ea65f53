//! Kernels whose indices come from memory, of which lanes do several items at once: failures of some items of a lane,
//! of several, of none, against the host.

use crate::harness::{SHAPES, fault_of, unwatched};
use vortex::FaultKind;
use vortex::explain::CoarseFate;
use vortex::prelude::*;

/// Indices below `len`, but for every item that `fails`.
fn indices(count: usize, len: u32, fails: impl Fn(usize) -> bool) -> Vec<u32> {
    let index = |i: usize| match fails(i) {
        true => len + i as u32,
        false => (i * 7) as u32 % len,
    };
    (0..count).map(index).collect()
}

/// Which items fail: none, the first, the last, one in the middle, some, all.
fn failures(count: usize) -> [Box<dyn Fn(usize) -> bool>; 7] {
    [
        Box::new(|_| false),
        Box::new(|i| i == 0),
        Box::new(move |i| i == count - 1),
        Box::new(move |i| i == count / 2),
        Box::new(|i| i % 5 == 3),
        Box::new(|i| i % 16 > 8),
        Box::new(|_| true),
    ]
}

fn devices() -> impl Iterator<Item = Device> {
    SHAPES.into_iter().map(unwatched)
}

/// For each device, so many items, of which some fail.
fn each(test: impl Fn(&Device, usize, &dyn Fn(usize) -> bool)) {
    for device in devices() {
        for count in [1, 16, 100, 256, 1024] {
            for fails in failures(count) {
                test(&device, count, &fails);
            }
        }
    }
}

/// So many squares, and the places among them that items ask for: `at`, `x`, and both on the device.
fn squares(
    device: &Device,
    (count, len): (usize, u32),
    fails: &dyn Fn(usize) -> bool,
) -> ([Vec<u32>; 2], [Buffer<u32>; 2]) {
    let host = [
        indices(count, len, fails),
        (0..len).map(|i| i * i).collect(),
    ];
    let here = host.each_ref().map(|words| device.upload(words).unwrap());
    (host, here)
}

#[vortex::kernel]
fn gather(x: &[u32], at: &[u32], y: &mut [u32]) {
    let i = global_id();
    y[i] = x[at[i] as usize] + 1;
}

#[test]
fn loads() {
    each(|device, count, fails| {
        let ([at, x], [indices, from]) = squares(device, (count, 100), fails);
        let mut y = device.alloc::<u32>(count).unwrap();
        let found = fault_of(gather(&from, &indices, &mut y).over(count).launch(device));
        let first = (0..count).find(|i| fails(*i));
        let expected = first.map(|i| (i as u32, [100 + i as u32, 100]));
        assert_eq!(found.map(|f| (f.item, f.operands)), expected, "{count}");
        let element = |i: &u32| x.get(*i as usize).copied().unwrap_or(0) + 1;
        let expected: Vec<u32> = at.iter().map(element).collect();
        assert_eq!(y.download().unwrap(), expected, "{count}");
    });
}

#[test]
fn lanes_do_several_at_once() {
    let device = devices().next().unwrap();
    let x = device.alloc::<u32>(256).unwrap();
    let mut y = device.alloc::<u32>(256).unwrap();
    let explanation = gather(&x, &x, &mut y).over(256).explain(&device).unwrap();
    assert!(matches!(explanation.coarsening(), CoarseFate::Blocks(_)));
}

/// Each index comes of the one before; of what cannot be read, the rest is read at 0.
#[vortex::kernel]
fn chain(a: &[u32], b: &[u32], c: &[u32], w: usize, y: &mut [u32]) {
    let (x, row) = global_id_2d();
    let i = row * w + x;
    let first = b[a[i] as usize];
    let second = c[first as usize];
    y[i] = first * 1000 + second;
}

#[test]
fn loads_of_loads() {
    let (b, c) = (indices(50, 40, |i| i % 11 == 4), [5u32; 40]);
    for device in devices() {
        for w in [4, 16, 64] {
            let count = w * 3;
            for fails in failures(count) {
                let a = indices(count, 50, &fails);
                let [p, q, r] = [&a[..], &b, &c].map(|words| device.upload(words).unwrap());
                let mut y = device.alloc::<u32>(count).unwrap();
                let result = chain(&p, &q, &r, w, &mut y).over((w, 3)).launch(&device);
                let first = |i: usize| b.get(a[i] as usize).copied().unwrap_or(0);
                let failing = |i: &usize| a[*i] >= 50 || first(*i) >= 40;
                let item = (0..count).find(failing);
                let operands = item.map(|i| match a[i] {
                    index @ 50.. => [index, 50],
                    _ => [first(i), 40],
                });
                let found = fault_of(result);
                assert_eq!(found.as_ref().map(|f| f.operands), operands, "{w}");
                assert_eq!(found.map(|f| f.item), item.map(|i| i as u32), "{w}");
                let second = |i: usize| c.get(first(i) as usize).copied().unwrap_or(0);
                let expected: Vec<u32> = (0..count).map(|i| first(i) * 1000 + second(i)).collect();
                assert_eq!(y.download().unwrap(), expected, "{w}");
            }
        }
    }
}

/// Two effects of an item, at places from memory.
#[vortex::kernel]
fn scatter(at: &[u32], bins: &mut [u32], y: &mut [u32]) {
    let i = global_id();
    let bin = at[i] as usize;
    bins.atomic(bin).fetch_add(i as u32, Relaxed);
    y[i] = 7;
}

#[test]
fn effects() {
    each(|device, count, fails| {
        let at = indices(count, 20, fails);
        let indices = device.upload(&at).unwrap();
        let mut bins = device.alloc::<u32>(20).unwrap();
        let mut y = device.alloc::<u32>(count).unwrap();
        let launch = scatter(&indices, &mut bins, &mut y).over(count);
        let found = fault_of(launch.launch(device));
        let first = (0..count).find(|i| fails(*i)).map(|i| i as u32);
        assert_eq!(found.map(|f| f.item), first, "{count}");
        let mut expected = [0; 20];
        for (i, bin) in at.iter().enumerate().filter(|(_, bin)| **bin < 20) {
            expected[*bin as usize] += i as u32;
        }
        assert_eq!(bins.download().unwrap(), expected, "{count}");
        assert_eq!(y.download().unwrap(), vec![7; count]);
    });
}

/// A divisor from memory, and a slice without elements.
#[vortex::kernel]
fn divided(x: &[u32], by: &[u32], y: &mut [u32]) {
    let i = global_id();
    y[i] = 100 / by[i] + x[by[i] as usize];
}

#[test]
fn divisions_and_empty_slices() {
    for device in devices() {
        let by: Vec<u32> = (0..64).map(|i| i % 4).collect();
        let divisors = device.upload(&by).unwrap();
        let mut y = device.alloc::<u32>(64).unwrap();
        for len in [0, 3, 4] {
            let x = device.upload(&[3u32; 4]).unwrap();
            let part = x.slice(..len).unwrap();
            let result = divided(&part, &divisors, &mut y).over(64).launch(&device);
            let found = fault_of(result).unwrap();
            assert_eq!((found.item, found.kind), (0, FaultKind::DivideByZero));
            let element = |i: &u32| if (*i as usize) < len { 3 } else { 0 };
            let expected = by
                .iter()
                .map(|i| 100u32.checked_div(*i).unwrap_or(0) + element(i));
            assert_eq!(
                y.download().unwrap(),
                expected.collect::<Vec<u32>>(),
                "{len}"
            );
        }
    }
}

/// Several loads at places that do not depend on each other, as of an image between its pixels.
#[vortex::device(host)]
fn mixed(x: &[u32], c: usize) -> u32 {
    x[c] + 3 * x[c / 2] + 7 * x[c ^ 1]
}

#[vortex::kernel]
fn several(at: &[u32], x: &[u32], y: &mut [u32]) {
    let i = global_id();
    y[i] = mixed(x, at[i] as usize);
}

/// The same under a condition, where checks are not deferred but merged, and stores that are.
#[vortex::kernel]
fn several_of_some(at: &[u32], x: &[u32], y: &mut [u32], pairs: &mut [u32]) {
    let i = global_id();
    let c = at[i] as usize;
    let mut sum = 1;
    if c % 3 != 1 {
        sum = mixed(x, c);
        // Beyond the end for the last items.
        pairs[2 * i] = sum;
        pairs[2 * i + 1] = sum + 1;
    }
    y[i] = sum;
}

/// What [`mixed`] gives where what cannot be read is 0, and the first index of which that holds.
fn mixed_or_zero(x: &[u32], c: usize) -> (u32, Option<usize>) {
    let at = |i: usize| x.get(i).copied().unwrap_or(0);
    let sum = at(c) + 3 * at(c / 2) + 7 * at(c ^ 1);
    (sum, [c, c / 2, c ^ 1].into_iter().find(|i| *i >= x.len()))
}

#[test]
fn several_loads() {
    each(|device, count, fails| {
        let ([at, x], [indices, from]) = squares(device, (count, 99), fails);
        let mut y = device.alloc::<u32>(count).unwrap();
        let launch = several(&indices, &from, &mut y).over(count);
        let found = fault_of(launch.launch(device));
        let said = |i: usize| mixed_or_zero(&x, at[i] as usize);
        let failing = (0..count).find_map(|i| Some((i as u32, [said(i).1? as u32, 99])));
        assert_eq!(found.map(|f| (f.item, f.operands)), failing, "{count}");
        let expected: Vec<u32> = (0..count).map(|i| said(i).0).collect();
        assert_eq!(y.download().unwrap(), expected, "{count}");
    });
}

#[test]
fn several_loads_and_stores_of_some_items() {
    each(|device, count, fails| {
        let ([at, x], [indices, from]) = squares(device, (count, 99), fails);
        let mut y = device.alloc::<u32>(count).unwrap();
        let room = 2 * count - count / 3;
        let mut pairs = device.alloc::<u32>(room).unwrap();
        let launch = several_of_some(&indices, &from, &mut y, &mut pairs).over(count);
        let found = fault_of(launch.launch(device));
        let (mut sums, mut expected, mut first) = (vec![1; count], vec![0; room], None);
        for i in (0..count).filter(|i| at[*i] % 3 != 1) {
            let (sum, outside) = mixed_or_zero(&x, at[i] as usize);
            sums[i] = sum;
            first = first.or(outside.map(|c| (i as u32, [c as u32, 99])));
            for (place, value) in [(2 * i, sum), (2 * i + 1, sum + 1)] {
                match expected.get_mut(place) {
                    Some(element) => *element = value,
                    None => first = first.or(Some((i as u32, [place as u32, room as u32]))),
                }
            }
        }
        assert_eq!(found.map(|f| (f.item, f.operands)), first, "{count}");
        assert_eq!(y.download().unwrap(), sums, "{count}");
        assert_eq!(pairs.download().unwrap(), expected, "{count}");
    });
}

/// Which element is read, an item's own value decides; and what it changes then, too.
#[vortex::kernel]
fn in_arms(x: &[u32], at: &[u32], y: &mut [u32]) {
    let i = global_id();
    let c = at[i] as usize;
    let v = if c.is_multiple_of(2) {
        x[c / 2] + 3 * x[c]
    } else {
        1000 + x[c + 1]
    };
    y[i] = v;
    if c % 3 == 1 {
        y[i] = v + x[c ^ 1];
    }
}

/// What it gives, with zeros for what there is not, and the first index outside.
fn in_arms_or_zero(x: &[u32], c: usize) -> (u32, Option<usize>) {
    let at = |i: usize| x.get(i).copied().unwrap_or(0);
    let (mut v, mut asked) = match c.is_multiple_of(2) {
        true => (at(c / 2) + 3 * at(c), vec![c / 2, c]),
        false => (1000 + at(c + 1), vec![c + 1]),
    };
    if c % 3 == 1 {
        v += at(c ^ 1);
        asked.push(c ^ 1);
    }
    (v, asked.into_iter().find(|i| *i >= x.len()))
}

#[test]
fn loads_in_arms() {
    each(|device, count, fails| {
        let ([at, x], [indices, from]) = squares(device, (count, 99), fails);
        let mut y = device.alloc::<u32>(count).unwrap();
        let found = fault_of(in_arms(&from, &indices, &mut y).over(count).launch(device));
        let said = |i: usize| in_arms_or_zero(&x, at[i] as usize);
        let failing = (0..count).find_map(|i| Some((i as u32, [said(i).1? as u32, 99])));
        assert_eq!(found.map(|f| (f.item, f.operands)), failing, "{count}");
        let expected: Vec<u32> = (0..count).map(|i| said(i).0).collect();
        assert_eq!(y.download().unwrap(), expected, "{count}");
    });
}

#[vortex::kernel]
fn in_an_arm(x: &[u32], at: &[u32], y: &mut [u32]) {
    let i = global_id();
    let c = at[i] as usize;
    y[i] = if c < 1000 { x[c / 2 + 1] } else { 7 };
}

#[test]
fn lanes_do_several_with_checks_in_arms_at_once() {
    let device = devices().next().unwrap();
    let x = device.alloc::<u32>(256).unwrap();
    let mut y = device.alloc::<u32>(256).unwrap();
    let size = (16, 16);
    let launches = [
        in_an_arm(&x, &x, &mut y).over(256).explain(&device),
        guarded(&x, &x, &mut y).over(256).explain(&device),
        shifted(&x, &x, 16, 16, &mut y).over(size).explain(&device),
    ];
    for explanation in launches {
        let explanation = explanation.unwrap();
        assert!(matches!(explanation.coarsening(), CoarseFate::Blocks(_)));
    }
}

/// Two guards, and a condition of several parts.
#[vortex::kernel]
fn shifted(x: &[u32], at: &[u32], w: usize, h: usize, y: &mut [u32]) {
    let (column, row) = global_id_2d();
    if column < w && row < h {
        let i = row * w + column;
        let c = at[i];
        let inside = c >= 3 && c < 1000 && c != 50;
        y[i] = if inside { x[c as usize - 3] } else { 9 };
    }
}

#[test]
fn two_guards_around_all() {
    for device in devices() {
        for (w, h) in [(16, 4), (61, 7), (128, 3)] {
            for fails in failures(w * h) {
                let ([at, x], [indices, from]) = squares(&device, (w * h, 97), &fails);
                for size in [(w, h), (w + 3, h + 1), (w - 1, h)] {
                    let mut y = device.upload(&vec![2u32; w * h]).unwrap();
                    let launch = shifted(&from, &indices, w, h, &mut y).over(size);
                    let found = fault_of(launch.launch(&device));
                    let is_inside = |i: usize| (3..1000).contains(&at[i]) && at[i] != 50;
                    let outside = |i: &usize| is_inside(*i) && at[*i] - 3 >= 97;
                    let of_launch = |i: usize| (i / w * size.0 + i % w) as u32;
                    let mut done = (0..w * h).filter(|i| i % w < size.0);
                    let expected = done.find(outside);
                    let expected = expected.map(|i| (of_launch(i), [at[i] - 3, 97]));
                    assert_eq!(found.map(|f| (f.item, f.operands)), expected, "{w} x {h}");
                    let value = |i: usize| match is_inside(i) {
                        _ if i % w >= size.0 => 2,
                        true => x.get(at[i] as usize - 3).copied().unwrap_or(0),
                        false => 9,
                    };
                    let expected: Vec<u32> = (0..w * h).map(value).collect();
                    assert_eq!(y.download().unwrap(), expected, "{w} x {h}");
                }
            }
        }
    }
}

/// As most kernels are, with a guard around all that they do.
#[vortex::kernel]
fn guarded(x: &[u32], at: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < y.len() {
        let c = at[i] as usize;
        y[i] = x[c] + if c > 50 { x[c - 50] } else { 1 };
    }
}

#[vortex::kernel]
fn returning(x: &[u32], at: &[u32], w: usize, h: usize, y: &mut [u32]) {
    let (column, row) = global_id_2d();
    if column >= w || row >= h {
        return;
    }
    let i = row * w + column;
    y[i] = x[at[i] as usize] + 1;
}

fn guarded_or_zero(x: &[u32], c: usize) -> (u32, Option<usize>) {
    let at = |i: usize| x.get(i).copied().unwrap_or(0);
    match c > 50 {
        true => (
            at(c) + at(c - 50),
            [c, c - 50].into_iter().find(|i| *i >= x.len()),
        ),
        false => (at(c) + 1, Some(c).filter(|c| *c >= x.len())),
    }
}

#[test]
fn guards_around_all() {
    each(|device, count, fails| {
        let ([at, x], [indices, from]) = squares(device, (count, 99), fails);
        for items in [count, count + 1, count + 100, count / 2] {
            let mut y = device.upload(&vec![5u32; count]).unwrap();
            let found = fault_of(guarded(&from, &indices, &mut y).over(items).launch(device));
            let done = items.min(count);
            let said = |i: usize| guarded_or_zero(&x, at[i] as usize);
            let failing = (0..done).find_map(|i| Some((i as u32, [said(i).1? as u32, 99])));
            assert_eq!(
                found.map(|f| (f.item, f.operands)),
                failing,
                "{count}, {items}"
            );
            let value = |i: usize| if i < done { said(i).0 } else { 5 };
            let expected: Vec<u32> = (0..count).map(value).collect();
            assert_eq!(y.download().unwrap(), expected, "{count}, {items}");
        }
    });
}

#[test]
fn guards_that_return() {
    for device in devices() {
        for (w, h) in [(16, 4), (61, 7), (128, 3)] {
            for fails in failures(w * h) {
                let ([at, x], [indices, from]) = squares(&device, (w * h, 99), &fails);
                for size in [(w, h), (w + 3, h + 1)] {
                    let mut y = device.alloc::<u32>(w * h).unwrap();
                    let launch = returning(&from, &indices, w, h, &mut y).over(size);
                    let found = fault_of(launch.launch(&device));
                    let first = (0..w * h).find(|i| fails(*i));
                    let of_launch = |i: usize| (i / w * size.0 + i % w) as u32;
                    let expected = first.map(|i| (of_launch(i), [99 + i as u32, 99]));
                    assert_eq!(found.map(|f| (f.item, f.operands)), expected, "{w} x {h}");
                    let element = |i: &u32| x.get(*i as usize).copied().unwrap_or(0) + 1;
                    let expected: Vec<u32> = at.iter().map(element).collect();
                    assert_eq!(y.download().unwrap(), expected, "{w} x {h}");
                }
            }
        }
    }
}

/// Checks that are known to hold before all items, between others: what they need is computed with them.
#[vortex::kernel]
fn between(x: &[u32], at: &[u32], n: u32, y: &mut [u32]) {
    let i = global_id();
    let c = at[i] as usize;
    let quotient = (i as u32 * 3) / n;
    y[i] = x[c] + quotient;
}

/// An effect before the index of an arm is known.
#[vortex::kernel]
fn effect_first(x: &[u32], at: &[u32], w: u32, seen: &mut [u32], y: &mut [u32]) {
    let i = global_id();
    let is_even = i.is_multiple_of(2);
    let first = x[(at[i] ^ 1) as usize];
    seen.atomic(i).fetch_add(1, Relaxed);
    let c = (at[i] + w) as usize;
    y[i] = if is_even { first + x[c / 2] } else { first };
}

#[test]
fn checks_between_and_effects_first() {
    each(|device, count, fails| {
        let ([at, x], [indices, from]) = squares(device, (count, 98), fails);
        let read = |i: u32| x.get(i as usize).copied().unwrap_or(0);
        let mut y = device.alloc::<u32>(count).unwrap();
        let found = fault_of(
            between(&from, &indices, 7, &mut y)
                .over(count)
                .launch(device),
        );
        let first = (0..count).find(|i| fails(*i)).map(|i| i as u32);
        assert_eq!(found.map(|f| f.item), first, "{count}");
        let value = |i: usize| read(at[i]) + i as u32 * 3 / 7;
        let expected: Vec<u32> = (0..count).map(value).collect();
        assert_eq!(y.download().unwrap(), expected, "{count}");

        let mut y = device.alloc::<u32>(count).unwrap();
        let mut seen = device.upload(&vec![0u32; count]).unwrap();
        let launch = effect_first(&from, &indices, 2, &mut seen, &mut y).over(count);
        let found = fault_of(launch.launch(device));
        let is_outside =
            |i: &usize| at[*i] ^ 1 >= 98 || i.is_multiple_of(2) && (at[*i] + 2) / 2 >= 98;
        let first = (0..count).find(is_outside).map(|i| i as u32);
        assert_eq!(found.map(|f| f.item), first, "{count}");
        let value = |i: usize| {
            let first = read(at[i] ^ 1);
            first
                + if i.is_multiple_of(2) {
                    read((at[i] + 2) / 2)
                } else {
                    0
                }
        };
        let expected: Vec<u32> = (0..count).map(value).collect();
        assert_eq!(y.download().unwrap(), expected, "{count}");
        assert_eq!(seen.download().unwrap(), vec![1; count], "{count}");
    });
}
