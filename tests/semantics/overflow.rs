//! `checks = "full"`: what overflows in Rust ends the work item, and nothing else does.

use vortex::FaultKind;
use vortex::prelude::*;

use crate::harness::{DEVICES, pairs};

/// A kernel for each operation, with what the host has for it: `None` where it overflows.
macro_rules! checked {
    ($($name:ident($a:ident: $A:ty, $b:ident: $B:ty) -> $R:ty { $device:expr => $host:expr })*) => {$(
        #[test]
        #[allow(clippy::all, unused_variables)]
        fn $name() {
            #[vortex::kernel(checks = "full")]
            fn kernel(left: &[$A], right: &[$B], out: &mut [$R], done: &mut [bool]) {
                let i = global_id();
                let $a = left[i];
                let $b = right[i];
                out[i] = $device;
                done[i] = true;
            }

            fn host($a: $A, $b: $B) -> Option<$R> {
                $host
            }

            let (a, b): (Vec<$A>, Vec<$B>) = pairs();
            let expected: Vec<_> = a.iter().zip(&b).map(|(&a, &b)| host(a, b)).collect();
            let first = expected.iter().position(Option::is_none);
            for device in &DEVICES[1..] {
                let (left, right) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
                let (mut out, mut done) = (device.alloc(a.len()).unwrap(), device.alloc(a.len()).unwrap());
                match (kernel(&left, &right, &mut out, &mut done).over(a.len()).launch(device), first) {
                    (Ok(_), None) => {}
                    (Err(vortex::Error::Fault(fault)), Some(first)) => {
                        assert_eq!((fault.kind, fault.item as usize), (FaultKind::Overflow, first));
                    }
                    (result, first) => panic!("{result:?}, the first overflow is at {first:?}"),
                }
                let found = out.download().unwrap().into_iter().zip(done.download().unwrap());
                let found = found.map(|(result, done)| done.then_some(result));
                for (n, (found, expected)) in found.zip(&expected).enumerate() {
                    assert_eq!(found, *expected, "{:?} and {:?}", a[n], b[n]);
                }
            }
        }
    )*};
}

macro_rules! every_integer {
    ($($ty:ident $name:ident)*) => {$(
        mod $name {
            use super::*;

            checked! {
                add(a: $ty, b: $ty) -> $ty { a + b => a.checked_add(b) }
                sub(a: $ty, b: $ty) -> $ty { a - b => a.checked_sub(b) }
                mul(a: $ty, b: $ty) -> $ty { a * b => a.checked_mul(b) }
                shl(a: $ty, b: i32) -> $ty { a << b => a.checked_shl(b as u32) }
                shr(a: $ty, b: u8) -> $ty { a >> b => a.checked_shr(b.into()) }
                pow(a: $ty, b: u32) -> $ty { a.pow(b & 7) => a.checked_pow(b & 7) }
                assigned(a: $ty, b: $ty) -> $ty { { let mut x = a; x += b; x -= 1; x }
                    => a.checked_add(b).and_then(|x| x.checked_sub(1)) }
                wraps(a: $ty, b: $ty) -> $ty { a.wrapping_add(b).wrapping_mul(3) ^ a.rotate_left(3)
                    => Some(a.wrapping_add(b).wrapping_mul(3) ^ a.rotate_left(3)) }
            }
        }
    )*};
}

every_integer! { i8 on_i8 i32 on_i32 i64 on_i64 u8 on_u8 u16 on_u16 u32 on_u32 u64 on_u64 }

checked! {
    neg(a: i32, b: i32) -> i32 { -a => a.checked_neg() }
    neg_of_16_bits(a: i16, b: i16) -> i16 { -a => a.checked_neg() }
    abs(a: i8, b: i8) -> i8 { a.abs() => a.checked_abs() }
    next_power_of_two(a: u32, b: u32) -> u32 { a.next_power_of_two() => a.checked_next_power_of_two() }
    next_multiple_of(a: u32, b: u32) -> u32 { a.next_multiple_of(b | 1) => a.checked_next_multiple_of(b | 1) }
    of_floats(a: i32, b: i32) -> i32 { (a as f32 * 3.0 + b as f32) as i32 => Some((a as f32 * 3.0 + b as f32) as i32) }
    of_lengths(a: u32, b: u32) -> u32 { (a as usize + b as usize) as u32 => a.checked_add(b) }
}

#[vortex::device]
fn doubled(x: i32) -> i32 {
    x * 2
}

#[vortex::kernel(checks = "full")]
fn in_a_function(x: &mut [i32]) {
    let i = global_id();
    x[i] = doubled(x[i]) - 1;
}

#[test]
fn is_told_with_its_line() {
    for device in DEVICES.iter() {
        let mut x = device.upload(&[1, 1 << 30, 7]).unwrap();
        let error = in_a_function(&mut x).over(3).launch(device).unwrap_err();
        let message = error.to_string();
        let says = "kernel in_a_function, work item 1: a multiplication overflows: 1073741824 * 2 does not fit 32 \
                    bits, at tests/semantics/overflow.rs:";
        assert!(message.starts_with(says), "{message}");
        assert!(message.contains("    x * 2\n"), "{message}");
        assert_eq!(x.download().unwrap(), [1, 1 << 30, 13]);
    }
}

/// Sums, differences and products of different types, one after the other.
#[vortex::kernel(checks = "full")]
fn of_types(what: u32, bytes: &mut [i8], shorts: &mut [u16], wide: &mut [i64], wider: &mut [u64]) {
    if what == 0 {
        bytes[0] -= 100;
    } else if what == 1 {
        shorts[0] = shorts[0] * 256;
    } else if what == 2 {
        wide[0] = wide[0] - wide[1];
    } else if what == 3 {
        wider[0] += wider[1];
    } else if what == 4 {
        bytes[0] = -bytes[1];
    }
}

#[test]
fn the_numbers_are_told() {
    for device in DEVICES.iter() {
        let run = |what| {
            let mut bytes = device.upload(&[-100i8, i8::MIN]).unwrap();
            let mut shorts = device.upload(&[300u16]).unwrap();
            let mut wide = device.upload(&[i64::MIN, 5]).unwrap();
            let mut wider = device.upload(&[u64::MAX, 1 << 40]).unwrap();
            let launch = of_types(what, &mut bytes, &mut shorts, &mut wide, &mut wider);
            launch.over(1).launch(device).unwrap_err().to_string()
        };
        for (what, says) in [
            "a subtraction overflows: -100 - 100 does not fit 8 bits, at ",
            "a multiplication overflows: 300 * 256 does not fit 16 bits, at ",
            "a subtraction overflows: -9223372036854775808 - 5 does not fit 64 bits, at ",
            "an addition overflows: 18446744073709551615 + 1099511627776 does not fit 64 bits, at ",
            "a negation overflows, at ",
        ]
        .into_iter()
        .enumerate()
        {
            let message = run(what as u32);
            let begins = format!("kernel of_types, work item 0: {says}");
            assert!(message.starts_with(&begins), "{message}");
        }
        assert!(run(0).ends_with("^ use `saturating_sub`, `wrapping_sub` or a signed type"));
    }
}

#[test]
fn math_inside_of_functions_wraps_as_it_is_meant_to() {
    #[vortex::kernel(checks = "full")]
    fn functions(x: &[f32], n: &[u32], out: &mut [f32]) {
        let i = global_id();
        out[i] = x[i].sin()
            + x[i].exp()
            + x[i].powi(3)
            + (n[i].count_ones() + n[i].leading_zeros()) as f32;
    }

    let device = &DEVICES[1];
    let x = device
        .upload(&[0.5, -700.0, 3e9, f32::MAX, f32::NAN])
        .unwrap();
    let n = device.upload(&[0, 1, u32::MAX, 1 << 31, 77]).unwrap();
    let mut out = device.alloc(5).unwrap();
    functions(&x, &n, &mut out).over(5).launch(device).unwrap();
}

const SIDE: u32 = 65536;
const LIMIT: u8 = 200;
const LARGE: usize = 65536;

/// Without the attribute, too, of constants that are named where they are used: rustc refuses them on the host.
#[vortex::kernel]
fn of_constants(what: u32, small: &mut [u8], out: &mut [u32]) {
    let i = global_id();
    let side = SIDE;
    out[i] = side * side + 1;
    out[i] += match what {
        0 => SIDE * SIDE,
        1 => (SIDE - 1) * SIDE + (LIMIT + 55) as u32,
        2 => SIDE - 65536 - 1,
        3 => (LARGE * LARGE) as u32,
        _ => 3,
    };
    small[i] = if what == 4 { LIMIT + 56 } else { LIMIT + 55 };
}

#[test]
fn of_constants_is_a_fault_where_it_is_reached() {
    let says = [
        Some("a multiplication overflows: 65536 * 65536 does not fit 32 bits"),
        None,
        Some("a subtraction overflows: 0 - 1 does not fit 32 bits"),
        Some("a multiplication overflows: 65536 * 65536 does not fit 32 bits"),
        Some("an addition overflows: 200 + 56 does not fit 8 bits"),
        None,
    ];
    for device in DEVICES.iter() {
        for (what, says) in (0..).zip(says) {
            let (mut small, mut out) = (device.alloc(1).unwrap(), device.alloc(1).unwrap());
            let launched = of_constants(what, &mut small, &mut out)
                .over(1)
                .launch(device);
            match (launched, says) {
                (Ok(_), None) => assert_eq!(small.download().unwrap(), [255]),
                (Err(error), Some(says)) => assert!(error.to_string().contains(says), "{error}"),
                (launched, says) => panic!("{what}: {launched:?}, and not {says:?}"),
            }
        }
    }
}
