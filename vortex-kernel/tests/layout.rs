//! The layout of argument structs, against what rustc and clang make of the same members.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use vortex_kernel::meta::{ArgKind, ArgType, layout};

/// A type of an argument, as Rust and as C spell it in the struct.
#[derive(Clone, Copy)]
struct Spelled {
    ty: ArgType,
    rust: &'static str,
    c: &'static str,
}

const fn spelled(ty: ArgType, rust: &'static str, c: &'static str) -> Spelled {
    Spelled { ty, rust, c }
}

const TYPES: [Spelled; 13] = [
    spelled(ArgType::scalar::<bool>(), "bool", "_Bool"),
    spelled(ArgType::scalar::<i8>(), "i8", "signed char"),
    spelled(ArgType::scalar::<u8>(), "u8", "unsigned char"),
    spelled(ArgType::scalar::<i16>(), "i16", "short"),
    spelled(ArgType::scalar::<u16>(), "u16", "unsigned short"),
    spelled(ArgType::scalar::<i32>(), "i32", "int"),
    spelled(ArgType::scalar::<u32>(), "u32", "unsigned"),
    spelled(ArgType::scalar::<f32>(), "f32", "float"),
    spelled(ArgType::scalar::<usize>(), "u32", "__SIZE_TYPE__"),
    spelled(ArgType::POINTER, "u32", "void *"),
    spelled(ArgType::SLICE, "Slice", "struct slice"),
    spelled(
        ArgType::new(ArgKind::Opaque, 3, 1),
        "[u8; 3]",
        "struct opaque",
    ),
    // Aligned to 4 here and to 8 in C.
    spelled(
        ArgType::new(ArgKind::Scalar, 8, 8),
        "u64",
        "unsigned long long",
    ),
];

/// How many of [`TYPES`] are the same in C.
const C_TYPES: usize = TYPES.len() - 1;

const MOST_ARGS: usize = 12;

struct Signature {
    args: Vec<Spelled>,
    offsets: Vec<usize>,
    total: usize,
}

impl Signature {
    fn new(args: Vec<Spelled>) -> Self {
        // Nothing takes no room.
        let mut types = [ArgType::new(ArgKind::Unknown, 0, 1); MOST_ARGS];
        for (ty, arg) in types.iter_mut().zip(&args) {
            *ty = arg.ty;
        }
        let laid_out = layout(types);
        Self {
            offsets: laid_out.offsets[..args.len()].to_vec(),
            total: laid_out.total,
            args,
        }
    }
}

/// A generator of numbers that is good enough for this (xorshift).
fn signatures(count: usize, types: &[Spelled]) -> Vec<Signature> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % n
    };
    (0..count)
        .map(|_| {
            let length = 1 + below(MOST_ARGS);
            Signature::new((0..length).map(|_| types[below(types.len())]).collect())
        })
        .collect()
}

#[allow(clippy::unwrap_used)] // A test's helper.
fn compile(program: &mut Command, file: &str, source: &str) {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = dir.join(file);
    std::fs::write(&path, source).unwrap();
    let output = program.current_dir(&dir).arg(&path).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn rustc_lays_structs_out_alike() {
    let mut source =
        "#![allow(dead_code)]\nuse core::mem::{offset_of, size_of};\n#[repr(C)] struct Slice(u32, u32);\n".to_owned();
    for (number, signature) in signatures(1500, &TYPES).iter().enumerate() {
        // 64-bit members are aligned to 4, as `Args` says it.
        _ = write!(source, "#[repr(C, packed(4))] struct S{number} {{ ");
        for (index, arg) in signature.args.iter().enumerate() {
            _ = write!(source, "a{index}: {}, ", arg.rust);
        }
        source.push_str("}\nconst _: () = { ");
        for (index, offset) in signature.offsets.iter().enumerate() {
            _ = write!(
                source,
                "assert!(offset_of!(S{number}, a{index}) == {offset}); "
            );
        }
        _ = writeln!(
            source,
            "assert!(size_of::<S{number}>().next_multiple_of(4) == {}); }};",
            signature.total
        );
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    compile(
        Command::new(rustc).args(["--edition=2024", "--crate-type=lib", "--emit=metadata"]),
        "layouts.rs",
        &source,
    );
}

#[test]
fn clang_lays_structs_out_alike() {
    let version = Command::new("clang").arg("--print-targets").output();
    let has_target =
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("riscv32"));
    if !has_target {
        println!("skipped: there is no clang for riscv32 here");
        return;
    }
    let mut source =
        "struct slice { unsigned addr, len; };\nstruct opaque { char bytes[3]; };\n".to_owned();
    for (number, signature) in signatures(1500, &TYPES[..C_TYPES]).iter().enumerate() {
        _ = write!(source, "struct s{number} {{ ");
        for (index, arg) in signature.args.iter().enumerate() {
            _ = write!(source, "{} a{index}; ", arg.c);
        }
        source.push_str("};\n");
        for (index, offset) in signature.offsets.iter().enumerate() {
            _ = writeln!(
                source,
                "_Static_assert(__builtin_offsetof(struct s{number}, a{index}) == {offset}, \"\");"
            );
        }
        _ = writeln!(
            source,
            "_Static_assert((sizeof(struct s{number}) + 3) / 4 * 4 == {}, \"\");",
            signature.total
        );
    }
    compile(
        Command::new("clang").args(["--target=riscv32", "-fsyntax-only", "-x", "c"]),
        "layouts.c",
        &source,
    );
}

/// Sizes and offsets by name, for tables that can be read.
#[derive(Debug, PartialEq)]
struct Expected<const N: usize> {
    count: usize,
    kinds: [ArgKind; N],
    sizes: [usize; N],
    offsets: [usize; N],
    total: usize,
}

fn check<const N: usize>(types: [ArgType; N], expected: Expected<N>) {
    let layout = layout(types);
    let found = Expected {
        count: layout.count(),
        kinds: layout.kinds,
        sizes: layout.sizes,
        offsets: layout.offsets,
        total: layout.total,
    };
    assert_eq!(found, expected);
    assert_eq!(
        layout.padding(),
        layout.total - layout.sizes.iter().sum::<usize>()
    );
}

use ArgKind::{Pointer, Scalar};

#[test]
fn count_input_scale_output() {
    check(
        [
            ArgType::scalar::<i32>(),
            ArgType::POINTER,
            ArgType::scalar::<f32>(),
            ArgType::POINTER,
        ],
        Expected {
            count: 4,
            kinds: [Scalar, Pointer, Scalar, Pointer],
            sizes: [4, 4, 4, 4],
            offsets: [0, 4, 8, 12],
            total: 16,
        },
    );
}

#[test]
fn two_pointers_and_a_scalar() {
    check(
        [ArgType::POINTER, ArgType::POINTER, ArgType::scalar::<u32>()],
        Expected {
            count: 3,
            kinds: [Pointer, Pointer, Scalar],
            sizes: [4, 4, 4],
            offsets: [0, 4, 8],
            total: 12,
        },
    );
}

#[test]
fn three_pointers_and_a_scalar() {
    check(
        [
            ArgType::POINTER,
            ArgType::POINTER,
            ArgType::POINTER,
            ArgType::scalar::<usize>(),
        ],
        Expected {
            count: 4,
            kinds: [Pointer, Pointer, Pointer, Scalar],
            sizes: [4, 4, 4, 4],
            offsets: [0, 4, 8, 12],
            total: 16,
        },
    );
}

#[test]
fn mixed_sizes_are_padded() {
    check(
        [
            ArgType::scalar::<u8>(),
            ArgType::scalar::<u16>(),
            ArgType::new(Scalar, 8, 8),
            ArgType::scalar::<bool>(),
        ],
        Expected {
            count: 4,
            kinds: [Scalar; 4],
            sizes: [1, 2, 8, 1],
            offsets: [0, 2, 4, 12],
            total: 16,
        },
    );
}

#[test]
fn nothing_takes_no_room() {
    check(
        [],
        Expected {
            count: 0,
            kinds: [],
            sizes: [],
            offsets: [],
            total: 0,
        },
    );
}
