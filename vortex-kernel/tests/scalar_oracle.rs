//! What the interpreter computes for scalar operations, held against plain Rust: exhaustively for 8 bits, on edge
//! values and a stride through the rest otherwise.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use vortex_kernel::ir::interp::{DEFAULT_BUDGET, Memory, run_items};
use vortex_kernel::ir::{BinOp, CmpOp, Type, UnOp, eval, parse};

trait Scalar: Copy + std::fmt::Debug + 'static {
    const TYPE: Type;
    fn word(self) -> u32;
    fn samples() -> Vec<Self>;
}

macro_rules! ints {
    ($($ty:ident $variant:ident $wide:ident),+) => {$(
        impl Scalar for $ty {
            const TYPE: Type = Type::$variant;
            fn word(self) -> u32 { self as $wide as u32 }
            fn samples() -> Vec<Self> {
                if size_of::<Self>() == 1 {
                    return (Self::MIN..=Self::MAX).collect();
                }
                let edges = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 127, 128, 255, 256, 0x7fff,
                    0x8000, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff_u32];
                let spread = (0..40u32).map(|i| i.wrapping_mul(0x9e37_79b9));
                edges.into_iter().flat_map(|e| [e, e.wrapping_neg()]).chain(spread).map(|w| w as Self).collect()
            }
        }
    )+};
}
ints!(i8 I8 i32, i16 I16 i32, i32 I32 i32, u8 U8 u32, u16 U16 u32, u32 U32 u32);

impl Scalar for f32 {
    const TYPE: Type = Type::F32;
    fn word(self) -> u32 {
        self.to_bits()
    }
    fn samples() -> Vec<Self> {
        let edges = [
            0.0,
            0.5,
            1.0,
            1.5,
            2.5,
            127.5,
            128.0,
            255.9,
            256.0,
            32768.0,
            65536.0,
            2147483520.0,
            2147483648.0,
            4294967040.0,
            4294967296.0,
            1e-40,
            f32::MIN_POSITIVE,
            f32::MAX,
            f32::INFINITY,
            f32::NAN,
        ];
        let spread = (0..60u32).map(|i| f32::from_bits(i.wrapping_mul(0x9e37_79b9)));
        edges
            .into_iter()
            .flat_map(|e| [e, -e])
            .chain(spread)
            .collect()
    }
}

/// Equal words, or two NaNs (Rust does not say which).
fn same(ty: Type, found: u32, wanted: u32) -> bool {
    found == wanted
        || (ty == Type::F32 && f32::from_bits(found).is_nan() && f32::from_bits(wanted).is_nan())
}

fn check2<T: Scalar>(op: BinOp, rust: impl Fn(T, T) -> Option<T>) {
    for a in T::samples() {
        for b in T::samples() {
            if let Some(wanted) = rust(a, b) {
                let found = eval::binary(op, T::TYPE, a.word(), b.word());
                assert!(
                    same(T::TYPE, found, wanted.word()),
                    "{op:?} {a:?} {b:?}: {found:#x}, not {wanted:?}"
                );
            }
        }
    }
}

fn check1<T: Scalar>(op: UnOp, rust: impl Fn(T) -> T) {
    for a in T::samples() {
        let found = eval::unary(op, T::TYPE, a.word());
        assert!(
            same(T::TYPE, found, rust(a).word()),
            "{op:?} {a:?}: {found:#x}"
        );
    }
}

fn compares<T: Scalar + PartialOrd>() {
    type Rust<T> = fn(&T, &T) -> bool;
    let ops: [(CmpOp, Rust<T>); 6] = [
        (CmpOp::Eq, T::eq),
        (CmpOp::Ne, T::ne),
        (CmpOp::Lt, T::lt),
        (CmpOp::Le, T::le),
        (CmpOp::Gt, T::gt),
        (CmpOp::Ge, T::ge),
    ];
    for (op, rust) in ops {
        for a in T::samples() {
            for b in T::samples() {
                assert_eq!(
                    eval::compare(op, T::TYPE, a.word(), b.word()),
                    rust(&a, &b),
                    "{op:?} {a:?} {b:?}"
                );
            }
        }
    }
}

macro_rules! int_tests {
    ($($ty:ident),+) => {$(
        #[test]
        fn $ty() {
            check2::<$ty>(BinOp::Add, |a, b| Some(a.wrapping_add(b)));
            check2::<$ty>(BinOp::Sub, |a, b| Some(a.wrapping_sub(b)));
            check2::<$ty>(BinOp::Mul, |a, b| Some(a.wrapping_mul(b)));
            check2::<$ty>(BinOp::Div, |a, b| (b != 0).then(|| a.wrapping_div(b)));
            check2::<$ty>(BinOp::Rem, |a, b| (b != 0).then(|| a.wrapping_rem(b)));
            check2::<$ty>(BinOp::And, |a, b| Some(a & b));
            check2::<$ty>(BinOp::Or, |a, b| Some(a | b));
            check2::<$ty>(BinOp::Xor, |a, b| Some(a ^ b));
            check2::<$ty>(BinOp::Shl, |a, b| Some(a.wrapping_shl(b as u32)));
            check2::<$ty>(BinOp::Shr, |a, b| Some(a.wrapping_shr(b as u32)));
            check2::<$ty>(BinOp::Min, |a, b| Some(a.min(b)));
            check2::<$ty>(BinOp::Max, |a, b| Some(a.max(b)));
            check1::<$ty>(UnOp::Neg, |a| a.wrapping_neg());
            check1::<$ty>(UnOp::Not, |a| !a);
            compares::<$ty>();
        }
    )+};
}
int_tests!(i8, i16, i32, u8, u16, u32);

#[test]
fn f32() {
    check2::<f32>(BinOp::Add, |a, b| Some(a + b));
    check2::<f32>(BinOp::Sub, |a, b| Some(a - b));
    check2::<f32>(BinOp::Mul, |a, b| Some(a * b));
    check2::<f32>(BinOp::Div, |a, b| Some(a / b));
    // Rust leaves open which zero `min` and `max` give.
    check2::<f32>(BinOp::Min, |a, b| (a != b).then(|| a.min(b)));
    check2::<f32>(BinOp::Max, |a, b| (a != b).then(|| a.max(b)));
    check1::<f32>(UnOp::Neg, |a| -a);
    check1::<f32>(UnOp::Abs, f32::abs);
    check1::<f32>(UnOp::Sqrt, f32::sqrt);
    // 0 without a sign, and the limits of words.
    let word = |a: f32| if a.is_nan() { i32::MAX } else { a as i32 } as f32;
    check1::<f32>(UnOp::Floor, |a| word(a.floor()));
    check1::<f32>(UnOp::Ceil, |a| word(a.ceil()));
    check1::<f32>(UnOp::Trunc, |a| word(a.trunc()));
    check1::<f32>(UnOp::Round, |a| word(a.round()));
    check1::<f32>(UnOp::RoundEven, |a| word(a.round_ties_even()));
    check2::<f32>(BinOp::CopySign, |a, b| Some(a.copysign(b)));
    check2::<f32>(BinOp::FlipSign, |a, b| {
        Some(if b.is_sign_negative() { -a } else { a })
    });
    compares::<f32>();
    let samples = <f32 as Scalar>::samples();
    for (a, b) in samples
        .iter()
        .flat_map(|a| samples.iter().map(move |b| (*a, *b)))
    {
        let found = eval::mul_add(a.to_bits(), b.to_bits(), 0.1f32.to_bits());
        assert!(same(Type::F32, found, a.mul_add(b, 0.1).to_bits()));
    }
    assert_eq!(
        eval::binary(BinOp::Min, Type::F32, 0, 0x8000_0000),
        0x8000_0000
    );
    assert_eq!(eval::binary(BinOp::Max, Type::F32, 0x8000_0000, 0), 0);
    assert_eq!(
        eval::binary(BinOp::Min, Type::F32, f32::NAN.to_bits(), 0),
        0
    );
}

#[test]
fn high_products() {
    check2::<i32>(BinOp::MulHigh, |a, b| {
        Some(((i64::from(a) * i64::from(b)) >> 32) as i32)
    });
    check2::<u32>(BinOp::MulHigh, |a, b| {
        Some(((u64::from(a) * u64::from(b)) >> 32) as u32)
    });
}

macro_rules! casts {
    ($($from:ident),+ => $to:tt) => { $(casts!(@one $from $to);)+ };
    (@one $from:ident [$($to:ident),+]) => {$(
        for a in <$from as Scalar>::samples() {
            let found = eval::cast(<$from as Scalar>::TYPE, <$to as Scalar>::TYPE, a.word());
            let wanted = a as $to;
            assert!(same(<$to as Scalar>::TYPE, found, wanted.word()), "{a:?} as {}: {found:#x}", stringify!($to));
        }
    )+};
}

#[test]
fn casts() {
    casts!(i8, i16, i32, u8, u16, u32, f32 => [i8, i16, i32, u8, u16, u32, f32]);
    for flag in [false, true] {
        for ty in [
            Type::I8,
            Type::I16,
            Type::I32,
            Type::U8,
            Type::U16,
            Type::U32,
        ] {
            assert_eq!(eval::cast(Type::Bool, ty, flag.into()), u32::from(flag));
        }
    }
}

#[test]
fn items_loads_stores_and_faults() {
    let text = r#"kernel "k" (v0: i16 "a" arg 0 at 0, v1: ptr<global> "y" arg 1 at 4, v2: u32 "y.len" arg 1 at 8) args 12 {
  v3: u32 = id linear
  v4: bool = lt v3, v2
  if v4 {
    v5: ptr<global> = ptradd v1, v3 * 2
    v6: i16 = load v5+0 exclusive(1)
    v7: i16 = add v6, v0
    store v5+0, v7 exclusive(1)
  } else {
    fault index v3, v2
  }
}"#;
    let function = parse(text).unwrap();
    let mut memory = Memory::default();
    memory.map(
        0x1000,
        [1i16, -1, i16::MAX]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect(),
    );
    let mut args = vec![0; 12];
    args[..2].copy_from_slice(&1i16.to_le_bytes());
    args[4..8].copy_from_slice(&0x1000u32.to_le_bytes());
    args[8..].copy_from_slice(&3u32.to_le_bytes());
    let events = run_items(&function, &args, [4, 1, 1], &mut memory, DEFAULT_BUDGET).unwrap();
    let faults = events.faults;
    let wanted: Vec<u8> = [2i16, 0, i16::MIN]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    assert_eq!(memory.region(0x1000).unwrap(), wanted);
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].item, 3);
    assert_eq!(faults[0].operands, [3, 3]);
}
