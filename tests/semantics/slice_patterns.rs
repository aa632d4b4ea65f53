//! Patterns of slices: `[first, .., last]`.

use vortex::prelude::*;

use crate::harness::DEVICES;

/// A function, for kernels and for the host.
macro_rules! functions {
    ($($name:ident: fn($x:ident: &[$ty:ty]) -> u32 $body:block)*) => {$(
        mod $name {
            #[allow(unused_imports)]
            use vortex::prelude::*;

            #[vortex::device]
            fn device($x: &[$ty]) -> u32 $body

            fn host($x: &[$ty]) -> u32 $body

            #[vortex::kernel]
            fn kernel(x: &[$ty], ends: &[u32], out: &mut [u32]) {
                let i = global_id();
                out[i] = device(&x[..ends[i] as usize]);
            }

            #[test]
            fn is_as_on_the_host() {
                let x: Vec<$ty> = [3, 1, 4, 1, 5, 9, 2, 6].map(|n: u8| n as $ty).to_vec();
                super::compare(&x, host, |device, x, ends, out| {
                    kernel(x, ends, out).over(ends.len()).launch(device).map(drop)
                });
            }
        }
    )*};
}

/// Each beginning of `x`, on the host and by a kernel.
fn compare<T: vortex::meta::Element>(
    x: &[T],
    host: impl Fn(&[T]) -> u32,
    launch: impl Fn(&Device, &Buffer<T>, &Buffer<u32>, &mut Buffer<u32>) -> vortex::Result<()>,
) {
    let ends: Vec<u32> = (0..=x.len() as u32).collect();
    let expected: Vec<u32> = ends.iter().map(|&end| host(&x[..end as usize])).collect();
    for device in &*DEVICES {
        let (x, ends) = (device.upload(x).unwrap(), device.upload(&ends).unwrap());
        let mut out = device.alloc(ends.len()).unwrap();
        launch(device, &x, &ends, &mut out).unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

functions! {
    in_match: fn(x: &[u32]) -> u32 {
        match x {
            [] => 1000,
            [one] => *one,
            [3, two] => 100 + two,
            [a, _, c] | [a, _, c, _] if *a > 3 || *c == 4 => a * 10 + c,
            [first, .., last] if first < last => last - first,
            [first, rest @ .., 9 | 6] => first + rest.len() as u32,
            [.., last] => *last,
        }
    }
    in_let_else: fn(x: &[u8]) -> u32 {
        let [first, middle @ .., last] = x else {
            return 77;
        };
        let mut sum = 0;
        for part in middle {
            sum += *part as u32;
        }
        sum * 100 + *first as u32 * 10 + *last as u32
    }
    in_if_let: fn(x: &[f32]) -> u32 {
        if let [.., a, b] = x && a < b {
            (b - a) as u32
        } else if let [a] = x {
            *a as u32 + 50
        } else {
            7
        }
    }
    in_while_let: fn(x: &[u32]) -> u32 {
        let mut rest = x;
        let mut hash = 7u32;
        while let [first, tail @ ..] = rest {
            if *first == 9 {
                break;
            }
            hash = hash.wrapping_mul(31) ^ *first;
            rest = tail;
        }
        hash + rest.len() as u32
    }
    in_tuples: fn(x: &[u32]) -> u32 {
        match (x, x.len() % 2) {
            ([a, .., b], 0) => a * b,
            ([a, ..], 1) => *a,
            _ => 5,
        }
    }
}

#[vortex::kernel]
fn written_through(y: &mut [u32]) {
    if let [_, rest @ ..] = y {
        rest[0] = rest.len() as u32;
    }
}

#[test]
fn what_is_left_can_be_written_to() {
    for device in &*DEVICES {
        let mut y = device.upload(&[5u32, 6, 7]).unwrap();
        written_through(&mut y).over(1).launch(device).unwrap();
        assert_eq!(y.download().unwrap(), [5, 2, 7]);
    }
}
