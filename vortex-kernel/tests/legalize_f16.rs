//! Casts of 16-bit floats, as the interpreter has them and spelled out, held against the crate `half`.
#![allow(clippy::unwrap_used)]

use half::{bf16, f16};
use vortex_kernel::ir::interp::{DEFAULT_BUDGET, Memory, run_items};
use vortex_kernel::ir::{Form, Function, parse, verify};
use vortex_kernel::opt;

const DATA: u32 = 0x1_0000;

/// A kernel that casts what its items read: as it is, and spelled out and optimised.
fn forms(from: &str, size: u32, to: &str, offset: u32) -> [Function; 2] {
    let text = format!(
        "kernel \"t\" (v0: ptr<global> \"data\" arg 0 at 0) args 4 {{\n\
         v1: u32 = id linear\n\
         v2: ptr<global> = ptradd v0, v1 * 8\n\
         v3: {from} = load v2+0 any\n\
         v4: {to} = cast v3\n\
         store v2+{offset}, v4 any\n}}\n"
    );
    assert!(size <= offset);
    let whole = parse(&text).unwrap();
    assert_eq!(parse(&whole.to_string()).unwrap(), whole);
    verify(&whole, Form::Structured).unwrap();
    let mut spelled = whole.clone();
    opt::legalize_f16(&mut spelled);
    verify(&spelled, Form::Structured).unwrap();
    opt::run(&mut spelled, opt::Level::Full, &opt::Tuning::default()).unwrap();
    [whole, spelled]
}

fn cast(function: &Function, words: impl Iterator<Item = u32>) -> Vec<u32> {
    let data: Vec<u8> = words
        .flat_map(|word| u64::from(word).to_le_bytes())
        .collect();
    let count = (data.len() / 8) as u32;
    let mut memory = Memory::default();
    memory.map(DATA, data);
    run_items(
        function,
        &DATA.to_le_bytes(),
        [count, 1, 1],
        &mut memory,
        DEFAULT_BUDGET,
    )
    .unwrap();
    let bytes = memory.region(DATA).unwrap().chunks_exact(8);
    bytes
        .map(|bytes| u32::from_le_bytes(bytes[4..].try_into().unwrap()))
        .collect()
}

#[test]
fn from_every_value() {
    type Widen = fn(u16) -> f32;
    let cases: [(&str, Widen); 2] = [
        ("f16", |bits| f16::from_bits(bits).to_f32()),
        ("bf16", |bits| bf16::from_bits(bits).to_f32()),
    ];
    for (ty, rust) in cases {
        let [whole, spelled] = forms(ty, 2, "f32", 4);
        let (whole, spelled) = (cast(&whole, 0..1 << 16), cast(&spelled, 0..1 << 16));
        assert_eq!(whole, spelled);
        for (bits, found) in (0..=u16::MAX).zip(whole) {
            let wanted = rust(bits);
            let found = f32::from_bits(found);
            assert!(
                found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan(),
                "{ty} {bits:#x}: {found:e}, not {wanted:e}"
            );
        }
    }
}

#[test]
fn from_floats() {
    type Narrow = fn(f32) -> (u16, bool);
    let cases: [(&str, Narrow); 2] = [
        ("f16", |x| (f16::from_f32(x).to_bits(), x.is_nan())),
        ("bf16", |x| (bf16::from_f32(x).to_bits(), x.is_nan())),
    ];
    // All exponents with the fractions that rounding is decided by, and a spread.
    let fractions = [
        0, 1, 0x0fff, 0x1000, 0x1001, 0x2fff, 0x3000, 0x3001, 0x7fff, 0x8000, 0x8001, 0x1_8000,
        0x7f_e000, 0x7f_efff, 0x7f_f000, 0x7f_ffff,
    ];
    let floats: Vec<u32> = (0..512u32)
        .flat_map(|exponent| fractions.map(|fraction| exponent << 23 | fraction))
        .chain((0..u32::MAX).step_by(65_521))
        .collect();
    for (ty, rust) in cases {
        let [whole, spelled] = forms("f32", 4, ty, 4);
        let (whole, spelled) = (
            cast(&whole, floats.iter().copied()),
            cast(&spelled, floats.iter().copied()),
        );
        assert_eq!(whole, spelled);
        for (bits, found) in floats.iter().zip(whole) {
            let (wanted, nan) = rust(f32::from_bits(*bits));
            let quiet = if ty == "f16" { 0x7e00 } else { 0x7fc0 };
            assert!(
                found == wanted.into() || nan && found & 0x7fff == quiet,
                "{bits:#x} as {ty}: {found:#x}, not {wanted:#x}"
            );
        }
    }
}
