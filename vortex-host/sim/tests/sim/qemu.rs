//! A second opinion: random straight-line RV32IMF programs on the embedded device and on `qemu-riscv32` (Debian's
//! qemu-user), where that is installed. Results are compared to the bit, float flags included.

use std::path::Path;
use std::process::Command;

use crate::harness::{Asm, Numbers, bytes, lanes, run, words};
use vortex_isa::{Extension, Format, Inst, Opcode, RegFile, Rounding, csr, x};

const PROGRAMS: usize = 60;
const LENGTH: usize = 400;

/// Where qemu's process has its code and its data.
const CODE: u32 = 0x1_0000;
const DATA: u32 = 0x2_0000;

/// The address of the data, which differs: programs use it for loads and stores only.
const BASE: u8 = x::S0;

// What is where in the data, in bytes: registers before and after, float flags, and memory to play with.
const FLOATS: i32 = 128;
const FLAGS: i32 = 256;
const SCRATCH: i32 = 320;
const SCRATCH_BYTES: usize = 128;
const WORDS: usize = 112;

/// The instructions that a program is made of.
fn choices() -> Vec<Opcode> {
    let straight = |opcode: &&Opcode| {
        let info = opcode.info();
        let extension = matches!(info.extension, Extension::I | Extension::M | Extension::F);
        let format = matches!(
            info.format,
            Format::R
                | Format::R1
                | Format::RFp
                | Format::R1Fp
                | Format::R4
                | Format::I
                | Format::Load
                | Format::Shift
                | Format::S
                | Format::U
        );
        extension && format && **opcode != Opcode::Auipc
    };
    Opcode::ALL.iter().filter(straight).copied().collect()
}

fn instruction(opcode: Opcode, numbers: &mut Numbers) -> Inst {
    let info = opcode.info();
    let register =
        |file: Option<RegFile>, numbers: &mut Numbers| match (file, numbers.below(32) as u8) {
            (None, _) => 0,
            (Some(RegFile::Integer), BASE) => x::ZERO,
            (_, number) => number,
        };
    let modes = [
        Rounding::Rne,
        Rounding::Rtz,
        Rounding::Rdn,
        Rounding::Rup,
        Rounding::Rmm,
        Rounding::Dyn,
    ];
    let mut inst = Inst {
        opcode,
        rd: register(info.rd, numbers),
        rs1: register(info.rs[0], numbers),
        rs2: register(info.rs[1], numbers),
        rs3: register(info.rs[2], numbers),
        rm: Rounding::default(),
        aq: false,
        rl: false,
        imm: 0,
    };
    match info.format {
        Format::RFp | Format::R1Fp | Format::R4 => inst.rm = modes[numbers.below(modes.len())],
        Format::I => inst.imm = (numbers.next() as i32) >> 20,
        Format::Shift => inst.imm = numbers.below(32) as i32,
        Format::U => inst.imm = (numbers.next() & 0xffff_f000) as i32,
        Format::Load | Format::S => {
            let size = match opcode {
                Opcode::Lb | Opcode::Lbu | Opcode::Sb => 1,
                Opcode::Lh | Opcode::Lhu | Opcode::Sh => 2,
                _ => 4,
            };
            inst.rs1 = BASE;
            inst.imm = SCRATCH + (numbers.below(SCRATCH_BYTES / size) * size) as i32;
        }
        _ => {}
    }
    inst
}

/// The program between two addresses of the data: registers come from there and go back there.
fn body(numbers: &mut Numbers, choices: &[Opcode]) -> Vec<Inst> {
    let registers = || (0..32).filter(|&number| number != BASE);
    let mut code = vec![Inst::i(
        Opcode::Csrrw,
        x::ZERO,
        x::ZERO,
        i32::from(csr::FCSR),
    )];
    code.extend((0..32).map(|n| Inst::i(Opcode::Flw, n, BASE, FLOATS + 4 * i32::from(n))));
    code.extend(registers().map(|n| Inst::i(Opcode::Lw, n, BASE, 4 * i32::from(n))));
    code.extend((0..LENGTH).map(|_| instruction(choices[numbers.below(choices.len())], numbers)));
    code.extend(registers().map(|n| Inst::s(Opcode::Sw, n, BASE, 4 * i32::from(n))));
    code.extend((0..32).map(|n| Inst::s(Opcode::Fsw, n, BASE, FLOATS + 4 * i32::from(n))));
    code.push(Inst::csrr(x::T0, csr::FCSR));
    code.push(Inst::s(Opcode::Sw, x::T0, BASE, FLAGS));
    code
}

/// An executable for Linux that runs the program and prints its data.
fn executable(body: &[Inst], data: &[u32]) -> Vec<u8> {
    const ECALL: u32 = 0x73;
    let mut code: Vec<u32> = vec![Inst::u(Opcode::Lui, BASE, DATA as i32).encode()];
    code.extend(body.iter().map(Inst::encode));
    let call = |number: i32, arguments: [i32; 3]| {
        let [_, size, _] = arguments;
        [
            Inst::i(Opcode::Addi, x::A7, x::ZERO, number),
            Inst::i(Opcode::Addi, x::A0, x::ZERO, arguments[0]),
            Inst::i(Opcode::Addi, x::A1, BASE, 0),
            Inst::i(Opcode::Addi, x::A2, x::ZERO, size),
        ]
        .map(|inst| inst.encode())
    };
    // write(1, data, size) and exit(0).
    code.extend(call(64, [1, 4 * WORDS as i32, 0]));
    code.push(ECALL);
    code.extend(call(93, [0; 3]));
    code.push(ECALL);

    const HEADERS: u32 = 52 + 2 * 32;
    let code_at = HEADERS.next_multiple_of(0x1000);
    let code_size = 4 * code.len() as u32;
    let data_at = (code_at + code_size).next_multiple_of(0x1000);
    let mut file = b"\x7fELF\x01\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend([2u16, 243].iter().flat_map(|half| half.to_le_bytes()));
    file.extend(bytes(&[1, CODE, 52, 0, 0]));
    file.extend(
        [52u16, 32, 2, 40, 0, 0]
            .iter()
            .flat_map(|half| half.to_le_bytes()),
    );
    for (offset, address, size, flags) in [
        (code_at, CODE, code_size, 5),
        (data_at, DATA, 4 * WORDS as u32, 6),
    ] {
        file.extend(bytes(&[
            1, offset, address, address, size, size, flags, 0x1000,
        ]));
    }
    file.resize(code_at as usize, 0);
    file.extend(bytes(&code));
    file.resize(data_at as usize, 0);
    file.extend(bytes(data));
    file
}

#[test]
fn random_programs_do_what_they_do_on_qemu() {
    if Command::new("qemu-riscv32")
        .arg("--version")
        .output()
        .is_err()
    {
        println!("skipped: there is no qemu-riscv32 here (Debian's qemu-user)");
        return;
    }
    let choices = choices();
    assert!(choices.len() > 60);
    let mut numbers = Numbers(2026);
    for number in 0..PROGRAMS {
        // Numbers of all kinds: floats near each other, special ones, small integers.
        let special = [
            0,
            1 << 31,
            0x3f80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x7f80_0001,
            1,
            0x0080_0000,
            0x7f7f_ffff,
        ];
        let data: Vec<u32> = (0..WORDS)
            .map(|_| match numbers.below(4) {
                0 => special[numbers.below(special.len())],
                1 => 0x3f80_0000 ^ (numbers.next() & 0x80ff_ffff),
                2 => numbers.next() >> 24,
                _ => numbers.next(),
            })
            .collect();
        let body = body(&mut numbers, &choices);
        let mut program = Asm::new();
        program.csrr(BASE, csr::MSCRATCH).all(body.clone()).end();
        let found = run(lanes(1), &program, &data);

        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("qemu-{number}"));
        std::fs::write(&path, executable(&body, &data)).unwrap();
        let set = Command::new("chmod").arg("+x").arg(&path).status().unwrap();
        assert!(set.success());
        let output = Command::new("qemu-riscv32").arg(&path).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} {error}", output.status);
        let expected = words(&output.stdout);
        let listing = || -> String { body.iter().map(|inst| format!("{inst}\n")).collect() };
        // Each has its own address there.
        for n in (0..WORDS).filter(|&n| n != usize::from(BASE)) {
            assert_eq!(
                found[n],
                expected[n],
                "program {number}, word {n}\n{}",
                listing()
            );
        }
        std::fs::remove_file(path).unwrap();
    }
}
