//! ELF files: what is loaded where, and what is refused.

use crate::harness::{Asm, bytes, words};
use proptest::prelude::*;
use vortex_isa::{Opcode, csr, x};
use vortex_sim::{Access, Config, Elf, Image, ImageError, Machine, TrapKind, VxBin};

const TEXT: u32 = 0x8000_0000;
const DATA: u32 = 0x8000_2000;

const READ: u32 = 4;
const WRITE: u32 = 2;
const EXECUTE: u32 = 1;
const LOAD: u32 = 1;

#[derive(Clone, Debug)]
struct Part {
    kind: u32,
    address: u32,
    bytes: Vec<u8>,
    size: u32,
    flags: u32,
}

fn part(address: u32, bytes: &[u8], size: u32, flags: u32) -> Part {
    Part {
        kind: LOAD,
        address,
        bytes: bytes.to_vec(),
        size,
        flags,
    }
}

/// A file as a linker writes it, less the sections.
fn elf(entry: u32, parts: &[Part]) -> Vec<u8> {
    const HEADER: usize = 52;
    const PROGRAM: usize = 32;
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let half = |file: &mut Vec<u8>, value: u16| file.extend(value.to_le_bytes());
    let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    half(&mut file, 2);
    half(&mut file, 243);
    for value in [1, entry, HEADER as u32, 0, 2] {
        word(&mut file, value);
    }
    for value in [HEADER, PROGRAM, parts.len(), 40, 0, 0] {
        half(&mut file, value as u16);
    }
    let mut offset = HEADER + PROGRAM * parts.len();
    for part in parts {
        let (at, length) = (offset as u32, part.bytes.len() as u32);
        let values = [
            part.kind,
            at,
            part.address,
            part.address,
            length,
            part.size,
            part.flags,
            4,
        ];
        values.into_iter().for_each(|value| word(&mut file, value));
        offset += part.bytes.len();
    }
    parts.iter().for_each(|part| file.extend(&part.bytes));
    file
}

/// Doubles the word at `DATA`, writes the sum of the zero after it and 5 to the zero, and copies both to the argument.
fn program() -> Vec<u8> {
    let mut program = Asm::new();
    program
        .csrr(x::A0, csr::MSCRATCH)
        .li(x::A1, DATA)
        .i(Opcode::Lw, x::T0, x::A1, 0)
        .r(Opcode::Add, x::T0, x::T0, x::T0)
        .store(Opcode::Sw, x::T0, x::A1, 0)
        .i(Opcode::Lw, x::T1, x::A1, 4)
        .i(Opcode::Addi, x::T1, x::T1, 5)
        .store(Opcode::Sw, x::T1, x::A1, 4)
        .store(Opcode::Sw, x::T0, x::A0, 0)
        .store(Opcode::Sw, x::T1, x::A0, 4)
        .end();
    program.bytes()
}

#[test]
fn an_executable_runs() {
    // Something in front of the entry, initialised data that is written, and a segment that is not loaded.
    let text = [vec![0; 8], program()].concat();
    let size = text.len() as u32;
    let note = Part {
        kind: 4,
        ..part(TEXT, b"a note", 6, READ)
    };
    let parts = [
        note,
        part(DATA, &bytes(&[21]), 8, READ | WRITE),
        part(TEXT, &text, size, READ | EXECUTE),
        part(0x1_0000, b"", 0, READ),
    ];
    let file = elf(TEXT + 8, &parts);
    let elf = Elf::parse(&file).unwrap();
    let image = Image::from(&elf);
    assert_eq!((image.base(), image.entry()), (TEXT, TEXT + 8));
    assert_eq!(image.size(), u64::from(DATA + 8 - TEXT));
    assert_eq!(Image::parse(&file).unwrap(), image);

    let mut machine = Machine::new(Config::bare()).unwrap();
    let result = machine.alloc(8, Access::ReadWrite).unwrap();
    let entry = machine.load(&elf).unwrap();
    machine.run(entry, result).unwrap();
    let mut back = [0; 8];
    machine.read(result, &mut back).unwrap();
    assert_eq!(words(&back), [42, 5]);

    // Its code is read-only, and the gap after it is nobody's.
    for (address, denied) in [(TEXT, true), (TEXT + size, true), (DATA + 8, false)] {
        let trap = machine.run(entry, address).unwrap_err();
        match trap.kind {
            TrapKind::AccessDenied { .. } => assert!(denied, "{trap}"),
            _ => assert!(!denied, "{trap}"),
        }
    }
    assert!(machine.load(&elf).is_err());
}

/// A file with one word changed.
fn changed(file: &[u8], offset: usize, value: u32) -> Vec<u8> {
    let mut file = file.to_vec();
    file[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    file
}

#[test]
fn files_that_are_no_executables() {
    let text = program();
    let size = text.len() as u32;
    let code = part(TEXT, &text, size, READ | EXECUTE);
    let good = elf(TEXT, std::slice::from_ref(&code));
    assert!(Elf::parse(&good).is_ok());
    let error = |file: &[u8]| Elf::parse(file).unwrap_err();

    assert_eq!(error(&[]), ImageError::NoElf);
    assert_eq!(error(b"\x7fEL"), ImageError::NoElf);
    for length in 4..good.len() {
        assert!(matches!(
            error(&good[..length]),
            ImageError::Damaged(_) | ImageError::Foreign(_)
        ));
    }
    let foreign = |offset: usize, value: u32| {
        let error = error(&changed(&good, offset, value));
        assert!(matches!(error, ImageError::Foreign(_)), "{error}");
    };
    // Class and byte order, type and machine, flags.
    foreign(4, 0x0001_0102);
    foreign(4, 0x0001_0201);
    foreign(16, 0x00f3_0003);
    foreign(16, 0x00f2_0002);
    foreign(36, 1);

    let two = |second: Part| error(&elf(TEXT, &[code.clone(), second]));
    assert_eq!(
        two(part(TEXT + size - 1, b"x", 1, READ)),
        ImageError::Overlap(TEXT, TEXT + size - 1)
    );
    assert_eq!(
        two(part(TEXT - 16, b"", 0x1000, READ)),
        ImageError::Overlap(TEXT - 16, TEXT)
    );
    assert_eq!(
        two(part(0xffff_ff00, b"", 0x101, READ)),
        ImageError::Addresses {
            min: 0xffff_ff00,
            max: 0x1_0000_0001
        }
    );
    assert_eq!(
        two(part(DATA, b"four", 3, READ)),
        ImageError::TooLong { bytes: 4, size: 3 }
    );
    assert!(matches!(
        two(part(0x9000_0000, b"", 64, READ)),
        ImageError::TooLarge(_)
    ));
    assert!(matches!(
        two(part(DATA, b"", 0x4000_0000, READ)),
        ImageError::TooLarge(_)
    ));
    for entry in [TEXT - 4, TEXT + size, 0] {
        let file = elf(entry, std::slice::from_ref(&code));
        assert_eq!(error(&file), ImageError::Entry(entry));
    }
    let file = elf(TEXT + 2, std::slice::from_ref(&code));
    assert_eq!(error(&file), ImageError::Misaligned(TEXT + 2));
    assert_eq!(error(&elf(TEXT, &[])), ImageError::Entry(TEXT));
    // As many program headers as a count can say.
    let error = error(&changed(&good, 44, 40 << 16 | 0xffff));
    assert!(matches!(error, ImageError::Damaged(_)), "{error}");
}

/// Whatever a file says, it becomes an image that fits or an error; and the image runs or traps.
fn try_file(file: &[u8]) {
    let Ok(image) = Image::parse(file) else {
        return;
    };
    assert!(image.size() <= 256 << 20);
    let config = Config {
        instruction_budget: Some(1000),
        ..Config::bare()
    };
    let mut machine = Machine::new(config).unwrap();
    if let Ok(entry) = machine.load(image) {
        let _ = machine.run_foreign(entry, entry);
    }
}

fn near(value: u32) -> impl Strategy<Value = u32> {
    let values = [0, 4, 0x100, value, u32::MAX];
    (prop::sample::select(values.to_vec()), -8..8i32)
        .prop_map(|(base, more)| base.wrapping_add_signed(more))
}

fn any_part() -> impl Strategy<Value = Part> {
    let bytes = prop::collection::vec(any::<u8>(), 0..64);
    (near(TEXT), bytes, near(64), 0..8u32, 0..3u32).prop_map(
        |(address, bytes, size, flags, kind)| Part {
            kind: kind.min(LOAD),
            address,
            bytes,
            size,
            flags,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn hostile_executables_do_no_harm(
        entry in near(TEXT),
        parts in prop::collection::vec(any_part(), 0..4),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut file = elf(entry, &parts);
        for (at, value) in changes {
            let at = at.index(file.len());
            file[at] = value;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        try_file(&file);
    }

    #[test]
    fn hostile_vxbin_files_do_no_harm(
        min in near(TEXT),
        length in prop_oneof![Just(0), Just(64), any::<u32>(), near(64)],
        high in prop::sample::select(vec![0u64, 0, 0, 1, u64::MAX]),
        bytes in prop::collection::vec(any::<u8>(), 0..64),
        cut in prop::option::of(0..80usize),
    ) {
        let max = (u64::from(min) + u64::from(length)) ^ high << 32;
        let mut file = u64::from(min).to_le_bytes().to_vec();
        file.extend(max.to_le_bytes());
        file.extend(bytes);
        file.truncate(cut.unwrap_or(file.len()));
        try_file(&file);
    }
}

#[test]
fn vxbin_files_may_not_be_absurdly_large() {
    let mut file = u64::from(TEXT).to_le_bytes().to_vec();
    file.extend((u64::from(TEXT) + (256 << 20)).to_le_bytes());
    file.extend([0; 4]);
    assert!(VxBin::parse(&file).is_ok());
    file[8] = 1;
    assert_eq!(
        VxBin::parse(&file),
        Err(ImageError::TooLarge((256 << 20) + 1))
    );
}
