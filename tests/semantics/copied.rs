//! What Rust copies before it changes: arrays that a `for` goes over by value, and what `move` closures capture.

use vortex::prelude::{DeviceType, global_id};

use crate::harness::same;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Pair {
    a: u32,
    b: [u32; 2],
}

#[vortex::device(host)]
fn applied(f: impl Fn(u32) -> u32, v: u32) -> u32 {
    f(v)
}

#[vortex::device(host)]
fn changed_argument(mut n: u32, m: u32) -> u32 {
    n %= 1000;
    let f = move || n;
    n += m % 7;
    f() * 1000 + n
}

#[vortex::device(host)]
fn next(k: &mut u32) -> u32 {
    *k += 1;
    *k
}

#[vortex::device(host)]
impl Pair {
    fn plus(self, d: u32) -> u32 {
        self.a * 10 + d + self.b[1]
    }

    fn put(&mut self, d: u32, e: u32) -> u32 {
        self.a += d * 3;
        self.b[1] += e;
        self.a
    }
}

#[vortex::device(host)]
fn plus(p: Pair, d: u32) -> u32 {
    p.plus(d)
}

same! {
    receivers_by_value(n: u32, m: u32) -> u32 {
        let mut p = Pair { a: n % 1000, b: [m % 10, 2] };
        let first = p.plus(next(&mut p.a));
        let second = p.plus({
            p.a += m % 7;
            p.b[1] = 4;
            p.a
        });
        let third = plus(p, next(&mut p.b[1])) + p.put(p.a % 3, p.b[0]);
        let fourth = p.plus(p.put(n % 3, 1)) * 5 + p.put(p.plus(1) % 9, p.b[0]);
        let mut pairs = [p; 2];
        let k = (n % 2) as usize;
        let fifth = pairs[k].plus(pairs[k].put(3, 4)) + pairs[k].put(pairs[k].plus(2) % 5, 1);
        first * 7 + second * 3 + third + fourth + fifth + p.a + p.b[1] + pairs[k].a
    }

    captured_numbers(n: u32, m: u32) -> u32 {
        let mut k = n % 1000;
        let f = move || k + 1;
        k += m % 100;
        f() * 1000 + k
    }

    captured_arrays(n: u32, m: u32) -> u32 {
        let mut a = [n % 1000, 1, 2];
        let k = (n % 3) as usize;
        let f = move |i: usize| a[i];
        a[k] = m % 99;
        f(k) * 1000 + a[k]
    }

    captured_structs(n: u32, m: u32) -> u32 {
        let mut p = Pair { a: n % 1000, b: [1, 2] };
        let f = move |d: u32| p.a + d + p.b[1];
        p.a = m % 77;
        p.b = [3, 4];
        f(1) * 1000 + p.a + p.b[0]
    }

    captured_and_passed(n: u32, m: u32) -> u32 {
        let mut k = n % 1000;
        let f = move |v: u32| v * k;
        k = m % 3;
        applied(f, 5) * 100 + applied(move |v| v + k, 7) + k
    }

    counted_in_a_closure(n: u32, m: u32) -> u32 {
        let mut c = n % 100;
        let mut next = move || {
            c += 1 + m % 2;
            c
        };
        let a = next();
        let b = next();
        a * 10000 + b * 100 + c
    }

    captured_in_a_loop(n: u32, m: u32) -> u32 {
        let mut k = 1;
        let mut sum = 0u32;
        for i in 0..n % 5 {
            let f = move |v: u32| v * k + i;
            k += m % 8;
            sum = sum.wrapping_mul(7).wrapping_add(f(3)) + k;
        }
        sum
    }

    captured_of_an_argument(n: u32, m: u32) -> u32 {
        changed_argument(n, m)
    }

    captured_and_not_changed(n: u32, m: u32) -> u32 {
        let mut k = n % 10;
        k += m % 3;
        let f = move |v: u32| move |w: u32| v * k + w;
        f(2)(n % 3)
    }

    captured_by_adapters(n: u32, m: u32) -> u32 {
        let mut k = n % 7;
        k += 1;
        let a = [3u32, 2, 5];
        let sum = a.iter().map(move |v| v * k).sum::<u32>();
        let pairs = a.iter().enumerate().map(move |(i, v)| i as u32 * v + k).max().unwrap();
        let folded = (0..5u32).filter(move |v| v % (k + 1) == 0).fold(0, move |s, v| s * 3 + v + k);
        let mut sorted = [3u32, 2, 5, 7];
        sorted.sort_by_key(move |v| (v * k) % 5);
        let option = Some(m % 100).map(move |v| v + k).filter(move |v| v % 2 == k % 2).unwrap_or(5);
        let made: [u32; 3] = std::array::from_fn(move |i| i as u32 * k);
        k = 9;
        let sorted = sorted.iter().fold(0, |s, v| s * 10 + v);
        sum + pairs * 10 + folded + sorted + option + made[2] + k
    }

    captured_in_captured(n: u32, m: u32) -> u32 {
        let mut k = n % 5;
        k += m % 3;
        let f = move |a: u32| {
            let mut j = k;
            j += a;
            let g = move |b: u32| j * b;
            j = 0;
            assert!(k < 99, "k is {k}");
            g(2) + j
        };
        k = 77;
        f(3) * 100 + k
    }

    array_by_value(n: u32, m: u32) -> u32 {
        let mut a = [n % 1000, 1, 2, 3];
        let mut s = 0;
        for v in a {
            a[3] = m % 50;
            a[1] = 7;
            s = s * 3 + v;
        }
        s * 100 + a[3]
    }

    array_into_iter(n: u32, m: u32) -> u32 {
        let mut a = [n % 1000, 1, 2, 3];
        let mut s = 0;
        for (i, v) in a.into_iter().enumerate() {
            a[3 - i] = m % 50;
            s = s * 3 + v;
        }
        for v in a.into_iter().rev() {
            a[0] += 1;
            s = s * 3 + v;
        }
        s + a[3] + a[0]
    }

    arrays_of_structs(n: u32, m: u32) -> u32 {
        let mut pairs = [Pair { a: n % 1000, b: [1, 2] }; 3];
        let mut s = 0;
        for p in pairs {
            pairs[2].a = m % 40;
            pairs[1].b[0] += 3;
            s = s * 3 + p.a + p.b[0];
        }
        s * 10 + pairs[2].a + pairs[1].b[0]
    }

    zipped_arrays(n: u32, m: u32) -> u32 {
        let mut a = [n % 1000, 1, 2];
        let mut b = [5, 6, 7];
        let mut s = 0;
        for (v, w) in a.into_iter().zip(b) {
            a[2] = m % 30;
            b[1] = 11;
            s = s * 3 + v * w;
        }
        s + a[2] + b[1]
    }

    changed_by_a_closure_on_the_way(n: u32, m: u32) -> u32 {
        let mut a = [n % 1000, 1, 2];
        let s: u32 = a.into_iter().map(|v| {
            a[2] += m % 10;
            v * 2
        }).sum();
        s * 100 + a[2]
    }

    changed_on_the_way_to_a_for(n: u32, m: u32) -> u32 {
        let mut a = [n % 1000, 1, 2];
        let mut s = 0;
        for v in a.into_iter().map(|v| {
            a[2] += m % 10;
            v * 2
        }) {
            s = s * 3 + v;
        }
        s * 100 + a[2]
    }

    elements_that_do_change(n: u32, m: u32) -> u32 {
        let mut a = [n % 1000, 1, 2];
        for i in 0..3 {
            a[i] += a[(i + 1) % 3] + m % 5;
        }
        for v in &mut a {
            *v *= 2;
        }
        a.iter().fold(0, |s, v| s * 7 + *v)
    }
}
