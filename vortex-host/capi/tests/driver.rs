//! A C program that goes through the library as Vortex's runtime does, compiled with `cc`.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use vortex_isa::{Inst, Opcode, csr, x};

const BASE: u32 = 0x8000_0000;
/// Bytes of the image in the file, and of zeros after them.
const SIZE: u32 = 256;
const BSS: u32 = 64;

/// The image that `driver.c` describes. It also writes to its zeros, to the thread storage after them, and to the
/// console; each core leaves its counters, and 40 plus its number as exit code.
fn image() -> Vec<u8> {
    let mut body = Vec::new();
    body.push(Inst::i(Opcode::Addi, x::S0, x::S0, -1));
    body.push(Inst::b(Opcode::Bne, x::S0, x::ZERO, -4));
    let turn = [
        Inst::i(Opcode::Lw, x::T0, x::S2, 0),
        Inst::i(Opcode::Slli, x::T1, x::T0, 1),
        Inst::r(Opcode::Add, x::T0, x::T0, x::T1),
        Inst::i(Opcode::Addi, x::T0, x::T0, 1),
        Inst::s(Opcode::Sw, x::T0, x::S3, 0),
        Inst::i(Opcode::Addi, x::S2, x::S2, 4),
        Inst::i(Opcode::Addi, x::S3, x::S3, 4),
        Inst::i(Opcode::Addi, x::S1, x::S1, -1),
    ];
    body.extend(turn);
    let back = -4 * turn.len() as i32;
    body.push(Inst::b(Opcode::Bne, x::S1, x::ZERO, back));
    body.extend(Inst::li(x::T0, (BASE + SIZE) as i32));
    body.push(Inst::s(Opcode::Sw, x::T0, x::T0, 0));
    body.push(Inst::s(Opcode::Sw, x::T0, x::T0, BSS as i32));
    for &byte in b"done\n" {
        body.extend(Inst::li(x::T0, i32::from(byte)));
        body.push(Inst::s(Opcode::Sb, x::T0, x::ZERO, 0x40));
    }

    let mut code = vec![Inst::csrr(x::A0, csr::MSCRATCH)];
    for (n, register) in [x::S0, x::S1, x::S2, x::S3].into_iter().enumerate() {
        code.push(Inst::i(Opcode::Lw, register, x::A0, 4 * n as i32));
    }
    code.push(Inst::csrr(x::A1, csr::CORE_ID));
    let over = 4 + 4 * body.len() as i32;
    code.push(Inst::b(Opcode::Bne, x::A1, x::ZERO, over));
    code.append(&mut body);
    code.push(Inst::i(Opcode::Slli, x::A2, x::A1, 8));
    code.push(Inst::i(Opcode::Addi, x::A1, x::A1, 40));
    code.push(Inst::s(Opcode::Sw, x::A1, x::A2, 0x88));
    code.push(Inst::s(Opcode::Sw, x::ZERO, x::A2, 0x8c));
    let counters = [
        (csr::MCYCLE, 0x80),
        (csr::MCYCLEH, 0x84),
        (csr::MINSTRET, 0x90),
        (csr::MINSTRETH, 0x94),
    ];
    for (counter, slot) in counters {
        code.push(Inst::csrr(x::T0, counter));
        code.push(Inst::s(Opcode::Sw, x::T0, x::A2, slot));
    }
    // Requests to the data cache that load, in class 1.
    code.push(Inst::csrr(x::T0, csr::MCYCLE + 15));
    code.push(Inst::s(Opcode::Sw, x::T0, x::A2, 0x80 + 8 * 15));
    code.push(Inst::s(Opcode::Sw, x::ZERO, x::A2, 0x84 + 8 * 15));
    code.push(Inst::of(Opcode::Fence));
    code.push(Inst::simt(Opcode::Tmc, x::ZERO, 0));

    let mut file = u64::from(BASE).to_le_bytes().to_vec();
    file.extend(u64::from(BASE + SIZE + BSS).to_le_bytes());
    file.extend(code.iter().flat_map(|inst| inst.encode().to_le_bytes()));
    assert!(file.len() <= 16 + SIZE as usize);
    file.resize(16 + SIZE as usize, 0);
    file
}

/// Cargo builds the library before this test, into the directory that holds the test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let directory = test.parent().unwrap();
    directory.join("libvortex_embedded.so")
}

/// Compiles the program of this name.
fn compile(directory: &Path, name: &str, flags: &[&str]) -> PathBuf {
    let program = directory.join(name);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let source = sources.join(name).with_extension("c");
    let status = Command::new("cc")
        .args(["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"])
        .args(flags)
        .arg("-o")
        .arg(&program)
        .arg(source)
        .arg("-ldl")
        .status()
        .unwrap();
    assert!(status.success());
    program
}

#[test]
fn a_c_program_runs_on_the_device() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = compile(directory, "driver", &[]);
    let image_file = directory.join("kernel.vxbin");
    std::fs::write(&image_file, image()).unwrap();
    // As it is to be installed.
    let installed = directory.join("libvortex-embedded.so");
    std::fs::copy(library(), &installed).unwrap();

    for [cores, warps, threads] in [["1", "4", "4"], ["3", "2", "8"]] {
        let output = Command::new(&program)
            .arg(&installed)
            .arg(&image_file)
            .args([cores, warps, threads])
            .env("VORTEX_CORES", cores)
            .env("VORTEX_WARPS", warps)
            .env("VORTEX_THREADS", threads)
            .output()
            .unwrap();
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert!(output.status.success(), "{out}{err}");
        // Twelve kernels got to their end, twice.
        assert_eq!(out, "#0: done\n".repeat(24) + "passed\n", "{err}");
        let expected = [
            "dev_open: VORTEX_WARPS=many is not a number of warps",
            "dev_open: a device with 1000 warps per core is not possible",
            "mem_alloc: device memory has no room for 18446744073709551615 bytes",
            "mem_free: this is no buffer, or one that was freed",
            "ready_wait: the kernel did not finish: ",
        ];
        for message in expected {
            assert!(err.contains(message), "{message}\n{err}");
        }
    }
}

/// A kernel for Vortex 3, in groups along x: each item adds 1 plus its number to its word of the array that the first
/// word of the argument is the address of.
fn kernel() -> Vec<u8> {
    let body = [
        Inst::csrr(x::A0, csr::MSCRATCH),
        Inst::i(Opcode::Lw, x::A0, x::A0, 0),
        Inst::csrr(x::A1, csr::CTA_BLOCK_ID_X),
        Inst::csrr(x::A2, csr::CTA_BLOCK_DIM_X),
        Inst::r(Opcode::Mul, x::A1, x::A1, x::A2),
        Inst::csrr(x::A2, csr::CTA_THREAD_ID_X),
        Inst::r(Opcode::Add, x::A1, x::A1, x::A2),
        Inst::i(Opcode::Slli, x::A2, x::A1, 2),
        Inst::r(Opcode::Add, x::A0, x::A0, x::A2),
        Inst::i(Opcode::Lw, x::A2, x::A0, 0),
        Inst::r(Opcode::Add, x::A2, x::A2, x::A1),
        Inst::i(Opcode::Addi, x::A2, x::A2, 1),
        Inst::s(Opcode::Sw, x::A2, x::A0, 0),
    ];
    // A warp begins with its next group 16 bytes before its end.
    let window = [Inst::jal(x::ZERO, 20), Inst::nop(), Inst::nop()];
    let end = [Inst::of(Opcode::Wsync), Inst::simt(Opcode::Tmc, x::ZERO, 0)];
    let back = Inst::jal(x::ZERO, -4 * (body.len() as i32 + 2));
    let code = window.into_iter().chain(end).chain(body).chain([back]);
    code.flat_map(|inst| inst.encode().to_le_bytes()).collect()
}

#[test]
fn the_runtime_of_version_3_drives_it_by_commands() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let code = directory.join("commands.bin");
    std::fs::write(&code, kernel()).unwrap();
    let run = |cores: &str, flags: &[&str]| {
        let mut command = Command::new(compile(directory, "commands", flags));
        command.arg(library()).arg(&code);
        command.env("VORTEX_CORES", cores);
        command.env("VORTEX_WARPS", "4").env("VORTEX_THREADS", "4");
        let output = command.output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.stdout, err)
    };
    // Programs that are not moved have their heap where devices have memory.
    let (out, err) = run("1", &["-rdynamic", "-fno-pie", "-no-pie"]);
    assert_eq!(out, b"passed\n", "{err}");
    let (out, err) = run("1", &["-rdynamic"]);
    assert_eq!(out, b"passed\n", "{err}");
    for said in [
        "the kernel did not finish: illegal instruction",
        "a group of 17x1x1 work items is not possible",
        "[0xffff0000, 0xffff0000 + 0x4) is not within one allocation",
    ] {
        assert!(err.contains(said), "{said}: {err}");
    }
    let (_, err) = run("3", &["-rdynamic"]);
    assert!(
        err.contains(
            "the runtime of Vortex 3 knows powers of two only, and the device has 3 cores"
        ),
        "{err}"
    );
}
