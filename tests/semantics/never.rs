//! Expressions of type `!` wherever Rust lets them stand, in functions with results of all kinds: the same text for the
//! host and for the device.

// What follows what diverges is the subject here, and the macro's parentheses are not always needed.
#![allow(
    unreachable_code,
    unused_assignments,
    unused_imports,
    unused_parens,
    unused_unsafe,
    unused_variables,
    unused_mut
)]
#![allow(clippy::all)]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "nothing in these blocks is unsafe"
)]

use vortex::prelude::*;

use crate::harness::DEVICES;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Pair {
    x: i32,
    y: f32,
}

/// Functions with `$never` in each place where an expression of any type may stand. They come to it where `$when`
/// holds, and result in `$other` where it does not.
macro_rules! positions {
    ($device:tt $a:ident $b:ident $R:ty, [$when:expr] [$other:expr] [$($never:tt)*]) => {
        positions! { @item $device fn same(x: $R) -> $R { x } }
        positions! { @item $device fn positive(x: i32) -> Option<i32> { if x > 0 { Some(x) } else { None } } }
        positions! { @each $device $a $b $R, [$when] [$other]
            tail { $($never)* }
            statement { $($never)*; $other }
            in_blocks {{{ $($never)* }}}
            in_unsafe { unsafe { $($never)* } }
            typed { let x: $R = $($never)*; x }
            untyped { let x = $($never)*; x }
            mutable { let mut x = $($never)*; x = same(x); x }
            late { let x; x = $($never)*; x }
            assigned { let mut x = $other; x = $($never)*; same(x) }
            argument { same($($never)*) }
            returned { return $($never)* }
            in_then { let x = if $a > 0 { $($never)* } else { $other }; x }
            in_else { if $a > 0 { $other } else { $($never)* } }
            in_else_if { if $a > 0 { $other } else if $b > 0 { $($never)*; } else { $($never)* } }
            in_every_arm { if $a > 0 { $($never)* } else { $($never)* } }
            in_match { match $a { 1 | 2 => $($never)*, 3 => $other, k if k > $b => { $($never)* } _ => $other } }
            in_every_match { let x = match $a { 1 => $($never)*, _ => $($never)* }; x }
            in_if_let { if let Some(k) = positive($a) { let _ = k; $($never)* } else { $other } }
            in_if_let_chain { if let Some(k) = positive($a) && k > $b { $($never)* } else { $other } }
            in_let_else { let Some(k) = positive($a) else { $($never)* }; let _ = k; $other }
            of_a_loop { let x = loop { if $a > 0 { break $other; } $($never)* }; x }
            breaking { loop { break ($($never)*) } }
            of_a_block { 'here: { if $a > 0 { break 'here $other; } $($never)* } }
            breaking_a_block { 'here: { if $a > 0 { break 'here ($($never)*); } $other } }
            in_a_loop { for k in 0..4 { if k == $a { $($never)* } } $other }
            in_a_while { while $a > $b { $($never)* } $other }
            of_a_condition { let both = $a > 0 && $($never)*; if both { $other } else { same($other) } }
            in_a_tuple { let parts: ($R, i32) = ($($never)*, $b); parts.0 }
            in_an_option { let option: Option<$R> = Some($($never)*); option.unwrap_or($other) }
            of_a_closure { let f = |k: i32| -> $R { if k > 0 { return $other; } $($never)* }; f($b) }
            of_an_untyped_closure { let f = |k: i32| { if k > 0 { return $other; } $($never)* }; f($b) }
            passed_closure { positive($b).map_or_else(|| $other, |k| { let _ = k; $($never)* }) }
        }
    };
    (@each $device:tt $a:ident $b:ident $R:ty, [$when:expr] [$other:expr] $($name:ident { $($body:tt)* })*) => {$(
        positions! { @item $device
            pub(crate) fn $name($a: i32, $b: i32) -> $R {
                if !$when {
                    return $other;
                }
                $($body)*
            }
        }
    )*};
    (@item [$($device:tt)*] $($item:tt)*) => {
        $($device)*
        $($item)*
    };
}

/// Tests [`positions`] for some expressions of type `!`: `name when(condition) (expression)`.
macro_rules! never {
    ($module:ident($a:ident, $b:ident) -> $R:ty, else $other:expr, $result:ident as $seen:expr;
        $($name:ident when($when:expr) ($($never:tt)*))*
    ) => {
        mod $module {
            use super::*;

            #[vortex::device]
            fn seen($result: $R) -> i32 {
                $seen
            }

            fn seen_by_host($result: $R) -> i32 {
                $seen
            }

            $(mod $name {
                pub(super) mod host {
                    use super::super::*;

                    positions! { [] $a $b $R, [$when] [$other] [$($never)*] }
                }

                pub(super) mod device {
                    use super::super::*;

                    positions! { [#[vortex::device]] $a $b $R, [$when] [$other] [$($never)*] }
                }

            }

            never! { @test $name,
                    tail statement in_blocks in_unsafe typed untyped mutable late assigned argument returned in_then in_else in_else_if
                    in_every_arm in_match in_every_match in_if_let in_if_let_chain in_let_else of_a_loop breaking of_a_block
                    breaking_a_block in_a_loop in_a_while of_a_condition in_a_tuple in_an_option of_a_closure of_an_untyped_closure
                    passed_closure
            })*
        }
    };
    (@test $name:ident, $($position:ident)*) => {
        #[test]
        fn $name() {
            use $name::{device, host};

            const POSITIONS: &[&str] = &[$(stringify!($position)),*];
            const COUNT: usize = POSITIONS.len();

            #[vortex::kernel]
            fn kernel(left: &[i32], right: &[i32], out: &mut [i32]) {
                let i = global_id();
                let mut at = i * COUNT;
                $(
                    out[at] = seen(device::$position(left[i], right[i]));
                    at += 1;
                )*
            }

            let results = |a, b| vec![$(seen_by_host(host::$position(a, b))),*];
            crate::never::check(POSITIONS, results, |a, b, out, device| {
                kernel(a, b, out).over(a.len()).launch(device).map(drop)
            });
        }
    };
}

/// Compares a kernel with a function that gives a number for each position, over small numbers.
fn check(
    positions: &[&str],
    host: impl Fn(i32, i32) -> Vec<i32>,
    kernel: impl Fn(
        &DeviceSlice<i32>,
        &DeviceSlice<i32>,
        &mut DeviceSlice<i32>,
        &Device,
    ) -> vortex::Result<()>,
) {
    let numbers = -2..8;
    let pairs = numbers
        .clone()
        .flat_map(|a| numbers.clone().map(move |b| (a, b)));
    let (left, right): (Vec<_>, Vec<_>) = pairs.unzip();
    // One whose warps have lanes that part, and one whose have none.
    for device in [&DEVICES[0], &DEVICES[2]] {
        let (a, b) = (
            device.upload(&left).unwrap(),
            device.upload(&right).unwrap(),
        );
        let mut out = device.alloc(left.len() * positions.len()).unwrap();
        kernel(&a, &b, &mut out, device).unwrap();
        let found = out.download().unwrap();
        for (item, found) in found.chunks_exact(positions.len()).enumerate() {
            let (a, b) = (left[item], right[item]);
            for ((position, found), expected) in positions.iter().zip(found).zip(host(a, b)) {
                assert_eq!(*found, expected, "{position}({a}, {b})");
            }
        }
    }
}

never! {
    scalars(a, b) -> i32, else a * 3 + b, r as r;
    returns when(a != 4) (return b - 1)
    labelled when(a != 4) ({
        let mut n = 0;
        'out: loop {
            n += 1;
            for k in 0..9 {
                if k > b {
                    return n * 10 + k;
                }
                if k == a && n < 3 {
                    continue 'out;
                }
            }
            return n * 100;
        }
    })
    panics when(a > 1000) (panic!("{a}"))
}

never! {
    tuples(a, b) -> (i32, f32), else (a, b as f32), r as r.0 * 8 + r.1 as i32;
    in_turn when(b != 4) (match a { 5 => return (1, 0.5), k if k > b => return (k, 2.0), _ => loop { return (3, 3.0) } })
}

never! {
    options(a, b) -> Option<i32>, else Some(a), r as r.unwrap_or(-7);
    found when(a != 4) ({ let mut i = a; loop { if i > 5 { return None; } if i >= b { return Some(i * 10); } i += 1; } })
}

never! {
    structs(a, b) -> Pair, else Pair { x: a, y: 0.5 }, r as r.x * 8 + (r.y * 2.0) as i32;
    chosen when(a != 4) (if a > b { return Pair { x: 1, y: 1.5 } } else if a < -9 { panic!() } else { return Pair { y: 2.0, x: b } })
}

never! {
    arrays(a, b) -> [i32; 3], else [a, b, 1], r as r[0] + r[1] * 10 + r[(r[2] & 1) as usize] * 100;
    made when(a != 4) (loop { if a > b { return [b, a, a]; } return [a; 3]; })
}

/// The same items for the host and for the device, and a test of what `of` makes of them.
macro_rules! twins {
    ($($test:ident of($a:ident, $b:ident) $(with [$($types:tt)*])? $seen:block { $($items:tt)* })*) => {$(
        mod $test {
            use super::*;

            mod host {
                use super::*;

                $($($types)*)?
                twins! { @each [] $($items)* }

                pub(super) fn seen($a: i32, $b: i32) -> i32 $seen
            }

            mod device {
                use super::*;

                $($($types)*)?
                twins! { @each [#[vortex::device]] $($items)* }

                #[vortex::device]
                pub(super) fn seen($a: i32, $b: i32) -> i32 $seen
            }

            #[test]
            fn $test() {
                #[vortex::kernel]
                fn kernel(left: &[i32], right: &[i32], out: &mut [i32]) {
                    let i = global_id();
                    out[i] = device::seen(left[i], right[i]);
                }

                crate::never::check(&[stringify!($test)], |a, b| vec![host::seen(a, b)], |a, b, out, device| {
                    kernel(a, b, out).over(a.len()).launch(device).map(drop)
                });
            }
        }
    )*};
    (@each $device:tt $($item:item)*) => { $(twins! { @item $device $item })* };
    (@item [$($device:tt)*] $item:item) => { $($device)* $item };
}

twins! {
    units of(a, b) {
        let mut n = 0;
        count(&mut n, a);
        count_down(&mut n, b);
        either(&mut n, a > b);
        n
    } {
        fn count(n: &mut i32, a: i32) {
            loop {
                *n += 1;
                if *n > a {
                    return;
                }
            }
        }

        fn count_down(n: &mut i32, b: i32) {
            if b < 0 {
                return;
            }
            let mut left = b;
            let _: () = loop {
                if left == 0 {
                    break;
                }
                left -= 1;
                *n += 10;
            };
            *n += 1000;
        }

        fn either(n: &mut i32, yes: bool) {
            match yes {
                true => {
                    *n += 1;
                    return;
                }
                false => return,
            }
        }
    }

    methods of(a, b) with [
        #[derive(Clone, Copy, DeviceType)]
        #[repr(C)]
        struct Counted { limit: i32 }
    ] {
        let c = Counted { limit: b };
        c.first(a) * 100 + c.given() * 10 + Counted::upto(a).limit
    } {
        impl Counted {
            fn first(&self, from: i32) -> i32 {
                let mut i = from;
                loop {
                    if i >= self.limit {
                        return i;
                    }
                    i += 1;
                }
            }

            fn upto(limit: i32) -> Self {
                loop {
                    return Self { limit };
                }
            }
        }

        trait Given {
            fn given(&self) -> i32;
        }

        impl Given for Counted {
            fn given(&self) -> i32 {
                match self.limit {
                    3 => return 4,
                    k => loop {
                        if k > 5 {
                            return 7;
                        }
                        return self.first(2);
                    },
                }
            }
        }
    }

    generics of(a, b) { larger(a, b) + larger(a as i16, 5) as i32 + times::<3>(b) } {
        fn larger<T: Num + PartialOrd>(a: T, b: T) -> T {
            loop {
                if a > b {
                    return a;
                }
                return b;
            }
        }

        fn times<const N: i32>(x: i32) -> i32 {
            loop {
                return x * N;
            }
        }
    }

    jumps of(a, b) {
        let mut sum = 0;
        'out: for n in 0..6 {
            let typed: i32 = if n == a { continue } else { n };
            let matched = match n {
                1 => { sum += 100; continue 'out }
                4 if b > 3 => break,
                k => k + 1,
            };
            let Some(k) = (if n == b { None } else { Some(n) }) else { continue 'out };
            let both = n > 2 && { if n == 3 { continue } n > 4 };
            for m in 0..3 {
                if m == a { continue 'out; } else if m == b { break 'out; }
                let late;
                if m > n { break } else { late = m * 2 }
                sum += late;
            }
            sum += typed + matched * 2 + k * 3 + if both { 7 } else { add(1, if n > 8 { break } else { n }) };
        }
        sum
    } {
        fn add(x: i32, y: i32) -> i32 {
            x + y
        }
    }

    operands of(a, b) { each_operand(a, b) } {
        fn each_operand(a: i32, b: i32) -> i32 {
            let mut x = [a, b, 3];
            if a == 1 {
                x[0] += 1;
                x = return x[0];
            }
            if a == 2 {
                let all = [1, return b];
                x[0] = all[0];
            }
            if a == 3 {
                let all = [return b + 2; 3];
                x[1] = all[0];
            }
            if a == 4 {
                for k in b..return b + 3 {
                    x[0] += k;
                }
            }
            if a == 5 && (return b * 2) {
                return 1;
            }
            if { return a + b } {
                return 2;
            }
            x[2]
        }
    }
}

#[test]
fn slices() {
    #[vortex::device]
    fn after(values: &[i32], limit: i32) -> &[i32] {
        let mut i = 0;
        loop {
            if i == values.len() || values[i] > limit {
                return &values[i..];
            }
            i += 1;
        }
    }

    #[vortex::kernel]
    fn kernel(values: &[i32], out: &mut [i32]) {
        let i = global_id();
        let rest = after(values, i as i32);
        out[i] = if rest.len() == 0 { -1 } else { rest[0] };
    }

    let values = [0, 1, 5, 5, 9, 30];
    for device in [&DEVICES[0], &DEVICES[2]] {
        let buffer = device.upload(&values).unwrap();
        let mut out = device.alloc(40).unwrap();
        kernel(&buffer, &mut out).over(40).launch(device).unwrap();
        let first_above = |i| values.iter().copied().find(|&v| v > i).unwrap_or(-1);
        assert_eq!(
            out.download().unwrap(),
            (0..40).map(first_above).collect::<Vec<_>>()
        );
    }
}

#[test]
fn kernels() {
    #[vortex::kernel]
    fn searching(values: &[i32], out: &mut [i32]) {
        let i = global_id();
        let Some(limit) = values.get(i).copied() else {
            return;
        };
        let mut k = 0;
        loop {
            if k * k > limit {
                out[i] = k;
                return;
            }
            k += 1;
        }
    }

    #[vortex::kernel]
    fn deciding(values: &[i32], out: &mut [i32]) {
        let i = global_id();
        let value = if i < values.len() { values[i] } else { return };
        match value {
            0 => loop {
                out[i] = 10;
                return;
            },
            k if k > 20 => panic!("{k}"),
            k => {
                out[i] = k - 1;
                return;
            }
        }
        out[i] = 1000;
    }

    let values = [0, 1, 5, 4, 9, 17];
    for device in [&DEVICES[0], &DEVICES[2]] {
        let buffer = device.upload(&values).unwrap();
        let mut out = device.alloc(7).unwrap();
        searching(&buffer, &mut out).over(7).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), [1, 2, 3, 3, 4, 5, 0]);
        deciding(&buffer, &mut out).over(7).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), [10, 0, 4, 3, 8, 16, 0]);
    }
}
