//! Iterators that are locals, against Rust's own.

use vortex::prelude::*;

use crate::harness::same;

same! {
    gone_through_where_it_is_named(a: u32, b: u32) -> u32 {
        let x = [a, b, 7, a ^ b, 9];
        let mut limit = a >> 1;
        let below = (0..limit % 9).map(|i| i * 3);
        limit = 2;
        let odd = x.iter().filter(|v| **v % 2 == 1);
        let first = x[1..4].iter().take((b % 4) as usize);
        let mut h = limit;
        for v in odd {
            h = h.rotate_left(3) ^ v;
        }
        let all = first.zip(x.iter().rev());
        for (v, w) in all {
            h = h.rotate_left(5) ^ v ^ (w >> 2);
        }
        below.fold(h, |h, v| h.rotate_left(7) ^ v)
    }

    made_of_itself(a: u32, b: u32) -> u32 {
        let x = [a, b, 7, a ^ b, 9, a & b];
        let it = x.iter();
        let it = it.skip((a % 3) as usize);
        let it = it.map(|v| v >> 1);
        let most = it.clone().max().unwrap_or(5);
        let count = it.len() as u32;
        if b % 2 == 0 { it.fold(most, |h, v| h.rotate_left(3) ^ v) } else { it.count() as u32 ^ most ^ count << 9 }
    }

    begun_by_next(a: u32, b: u32) -> u32 {
        let x = [a, b, 7, a ^ b, 9];
        let n = (a % 6) as usize;
        let mut it = x[..n].iter();
        let mut h = match it.next() {
            Some(v) => *v,
            None => 77,
        };
        let second = it.next().copied().unwrap_or(3);
        while let Some(v) = it.next() {
            if *v == 9 {
                break;
            }
            h = h.rotate_left(3) ^ v;
        }
        let mut pairs = x.iter().zip(x.iter().skip(1));
        let (p, q) = pairs.next().unwrap();
        h ^= p.wrapping_mul(3) ^ q ^ pairs.map(|(p, q)| (p & 0xff) + (q & 0xff)).sum::<u32>();
        h ^ second << 4
    }

    changed_by_them(a: u32, b: u32) -> u32 {
        let mut x = [a, b, 7, a ^ b];
        let mut called = 0;
        let doubled = x.iter_mut().enumerate();
        for (i, v) in doubled {
            *v = (*v >> 1) ^ i as u32;
            called += 1;
        }
        let counted = x.iter().map(|v| { called += 1; v >> 3 });
        let sum = counted.sum::<u32>();
        sum ^ called << 28 ^ x[1] ^ x[3].rotate_left(9)
    }
}
