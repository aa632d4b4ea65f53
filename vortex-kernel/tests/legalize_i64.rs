//! 64-bit integers, as the interpreter has them and as pairs of words, held against plain Rust on edge values and
//! random ones.
#![allow(clippy::unwrap_used)]

use vortex_kernel::ir::interp::{DEFAULT_BUDGET, Memory, run_items};
use vortex_kernel::ir::{Form, Function, parse, verify};
use vortex_kernel::opt;

const OUT: u32 = 0x1_0000;

/// A kernel that computes `op` of arguments of type `ty`: as it is, as pairs, and as pairs optimised.
fn forms(ty: &str, op: &str, result: &str) -> [Function; 3] {
    let text = format!(
        "kernel \"t\" (v0: {ty} \"a\" arg 0 at 0, v1: {ty} \"b\" arg 1 at 8, v2: ptr<global> \"out\" arg 2 at 16) args 20 {{\n\
         v3: {result} = {op}\n\
         store v2+0, v3 any\n}}\n"
    );
    let whole = parse(&text).unwrap();
    verify(&whole, Form::Structured).unwrap();
    let mut pairs = whole.clone();
    opt::legalize_i64(&mut pairs);
    verify(&pairs, Form::Structured).unwrap_or_else(|error| panic!("{error}\n{pairs}"));
    let mut optimised = pairs.clone();
    opt::run(&mut optimised, opt::Level::Full, &opt::Tuning::default()).unwrap();
    [whole, pairs, optimised]
}

fn run(function: &Function, a: u64, b: u64) -> u64 {
    let mut args = [a.to_le_bytes(), b.to_le_bytes()].concat();
    args.extend(OUT.to_le_bytes());
    let mut memory = Memory::default();
    memory.map(OUT, vec![0; 8]);
    run_items(function, &args, [1; 3], &mut memory, DEFAULT_BUDGET).unwrap();
    let bytes = memory.region(OUT).unwrap();
    u64::from_le_bytes(bytes.try_into().unwrap())
}

fn samples() -> Vec<u64> {
    let mut samples: Vec<u64> = vec![0, 1, 2, 3, 5, 7, 10, 31, 32, 33, 63, 64, 65, 1000];
    for power in [8, 20, 24, 25, 31, 32, 33, 40, 48, 62, 63] {
        let power = 1u64 << power;
        samples.extend([power - 1, power, power + 1]);
    }
    samples.extend([
        10_000_000_019,
        0x8000_0000_8000_0000,
        0xffff_ffff_0000_0000,
        0x7fff_ffff_0000_0001,
    ]);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for n in 0..24 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        samples.push(state >> (n * 5 % 61));
    }
    let negated: Vec<u64> = samples.iter().map(|x| x.wrapping_neg()).collect();
    samples.extend(negated);
    samples
}

fn check2(ty: &str, op: &str, result: &str, rust: impl Fn(u64, u64) -> u64) {
    let forms = forms(ty, op, result);
    for a in samples() {
        for b in samples() {
            let wanted = rust(a, b);
            for (form, name) in forms.iter().zip(["whole", "pairs", "optimised"]) {
                let found = run(form, a, b);
                assert_eq!(
                    found, wanted,
                    "{op} of {a:#x} and {b:#x} as {ty}, {name}:\n{form}"
                );
            }
        }
    }
}

fn check1(ty: &str, op: &str, result: &str, rust: impl Fn(u64) -> u64) {
    let forms = forms(ty, op, result);
    for a in samples() {
        for (form, name) in forms.iter().zip(["whole", "pairs", "optimised"]) {
            assert_eq!(
                run(form, a, 0),
                rust(a),
                "{op} of {a:#x} as {ty}, {name}:\n{form}"
            );
        }
    }
}

macro_rules! oracle {
    ($($test:ident: $ty:ident $variant:literal $wide:ident;)*) => {$(
        #[test]
        fn $test() {
            type T = $ty;
            let two = |op: &str, rust: fn(T, T) -> T| {
                check2($variant, &format!("{op} v0, v1"), $variant, |a, b| rust(a as T, b as T) as u64);
            };
            two("add", T::wrapping_add);
            two("sub", T::wrapping_sub);
            two("mul", T::wrapping_mul);
            two("mulhigh", |a, b| ((a as $wide * b as $wide) >> 64) as T);
            two("and", |a, b| a & b);
            two("or", |a, b| a | b);
            two("xor", |a, b| a ^ b);
            two("shl", |a, b| a.wrapping_shl(b as u32));
            two("shr", |a, b| a.wrapping_shr(b as u32));
            two("min", T::min);
            two("max", T::max);
            two("div", |a, b| if b == 0 { !0 } else { a.wrapping_div(b) });
            two("rem", |a, b| if b == 0 { a } else { a.wrapping_rem(b) });
            let compare = |op: &str, rust: fn(&T, &T) -> bool| {
                check2($variant, &format!("{op} v0, v1"), "bool", |a, b| rust(&(a as T), &(b as T)).into());
            };
            compare("eq", T::eq);
            compare("ne", T::ne);
            compare("lt", T::lt);
            compare("le", T::le);
            compare("gt", T::gt);
            compare("ge", T::ge);
            check1($variant, "neg v0", $variant, |a| (a as T).wrapping_neg() as u64);
            check1($variant, "not v0", $variant, |a| !(a as T) as u64);
            check1($variant, "cast v0", "i8", |a| (a as T as i8).cast_unsigned().into());
            check1($variant, "cast v0", "u16", |a| (a as T as u16).into());
            check1($variant, "cast v0", "i32", |a| (a as T as i32).cast_unsigned().into());
            check1($variant, "cast v0", "u32", |a| (a as T as u32).into());
            check1($variant, "cast v0", "f32", |a| (a as T as f32).to_bits().into());
            check1("i8", "cast v0", $variant, |a| a as i8 as T as u64);
            check1("u16", "cast v0", $variant, |a| a as u16 as T as u64);
            check1("i32", "cast v0", $variant, |a| a as i32 as T as u64);
            check1("u32", "cast v0", $variant, |a| a as u32 as T as u64);
            check1("i64", "cast v0", $variant, |a| a as i64 as T as u64);
            check1("u64", "cast v0", $variant, |a| a as T as u64);
        }
    )*};
}

oracle! {
    signed: i64 "i64" i128;
    unsigned: u64 "u64" u128;
}

/// Every 4001st float, and what lies around powers of two.
#[test]
fn from_floats() {
    let edges =
        (0..=255u32).flat_map(|exponent| [0, 1, 0x40_0000, 0x7f_ffff].map(|f| exponent << 23 | f));
    let floats = edges
        .flat_map(|x| [x, x | 1 << 31])
        .chain((0..u32::MAX).step_by(400_001));
    let [signed, unsigned] = ["i64", "u64"].map(|ty| forms("f32", "cast v0", ty));
    for bits in floats {
        let x = f32::from_bits(bits);
        for (signed, unsigned) in signed.iter().zip(&unsigned) {
            assert_eq!(
                run(signed, bits.into(), 0),
                x as i64 as u64,
                "{x:e} as i64\n{signed}"
            );
            assert_eq!(
                run(unsigned, bits.into(), 0),
                x as u64,
                "{x:e} as u64\n{unsigned}"
            );
        }
    }
}

/// Bits around where rounding to 24 of them is decided.
#[test]
fn to_floats() {
    let [signed, unsigned] = ["i64", "u64"].map(|ty| forms(ty, "cast v0", "f32"));
    let lows = [0u64, 1, 2, 3, 0x7f, 0x80, 0x81, 0xff];
    let values = (24..64).flat_map(|top| {
        lows.into_iter().flat_map(move |low| {
            let around = 1u64 << (top - 24);
            [around.wrapping_sub(1), around, around + 1]
                .map(|half| (1 << top | low << (top - 24)).wrapping_add(half))
        })
    });
    for a in values {
        for (signed, unsigned) in signed.iter().zip(&unsigned) {
            assert_eq!(
                run(signed, a, 0),
                (a.cast_signed() as f32).to_bits().into(),
                "{a:#x}"
            );
            assert_eq!(run(unsigned, a, 0), (a as f32).to_bits().into(), "{a:#x}");
        }
    }
}

/// Amounts and divisors that are known have code of their own.
#[test]
fn by_constants() {
    for n in (0..64).chain([100]) {
        for (ty, signed) in [("i64", true), ("u64", false)] {
            let by = |op: &str, constant: u64| {
                let constant = if signed {
                    constant.cast_signed().to_string()
                } else {
                    constant.to_string()
                };
                // The constant stands for b.
                let text = format!(
                    "const {constant}\nv4: {ty} = {op} v0, v3\nv5: ptr<global> = ptradd v2, v6 * 1\nstore v5+0, v4 any\n"
                );
                let text = format!(
                    "kernel \"t\" (v0: {ty} \"a\" arg 0 at 0, v1: {ty} \"b\" arg 1 at 8, v2: ptr<global> \"out\" arg 2 at 16) args 20 {{\n\
                     v6: u32 = const 0\nv3: {ty} = {text}}}\n"
                );
                let mut function = parse(&text).unwrap();
                opt::legalize_i64(&mut function);
                verify(&function, Form::Structured).unwrap();
                function
            };
            let power = 1u64 << (n & 63);
            let (shl, shr) = (by("shl", n), by("shr", n));
            let (div, rem) = (by("div", power), by("rem", power));
            for a in samples() {
                let s = a.cast_signed();
                assert_eq!(run(&shl, a, 0), a.wrapping_shl(n as u32));
                let wanted = if signed {
                    s.wrapping_shr(n as u32) as u64
                } else {
                    a.wrapping_shr(n as u32)
                };
                assert_eq!(run(&shr, a, 0), wanted);
                let power_s = power.cast_signed();
                let (quotient, rest) = if signed {
                    (
                        (s.wrapping_div(power_s)) as u64,
                        s.wrapping_rem(power_s) as u64,
                    )
                } else {
                    (a / power, a % power)
                };
                assert_eq!(run(&div, a, 0), quotient, "{a:#x} / {power:#x} as {ty}");
                assert_eq!(run(&rem, a, 0), rest, "{a:#x} % {power:#x} as {ty}");
            }
        }
    }
}
