//! `vortex run --raw`: programs of other origin.

use vortex::isa::{Inst, Opcode, csr, x};

use crate::{ELF, dir, file, path, printed, refused, vortex_with};

/// Adds the second word of its arguments to the word that the first one is the address of, puts the sum after that,
/// and leaves the third as its exit code. Every core does so.
fn program() -> Vec<u8> {
    let program = [
        Inst::csrr(x::A0, csr::MSCRATCH),
        Inst::i(Opcode::Lw, x::A1, x::A0, 0),
        Inst::i(Opcode::Lw, x::A2, x::A0, 4),
        Inst::i(Opcode::Lw, x::A3, x::A1, 0),
        Inst::r(Opcode::Add, x::A3, x::A3, x::A2),
        Inst::s(Opcode::Sw, x::A3, x::A1, 4),
        Inst::i(Opcode::Lw, x::A4, x::A0, 8),
        Inst::s(Opcode::Sw, x::A4, x::ZERO, 0x88),
        Inst::s(Opcode::Sw, x::ZERO, x::ZERO, 0x8c),
        Inst::of(Opcode::Fence),
        Inst::simt(Opcode::Tmc, x::ZERO, 0),
    ];
    image(&program)
}

fn image(program: &[Inst]) -> Vec<u8> {
    let end = 0x8000_0000 + 4 * program.len() as u64;
    let mut file = [0x8000_0000, end].map(u64::to_le_bytes).concat();
    file.extend(program.iter().flat_map(|inst| inst.encode().to_le_bytes()));
    file
}

#[test]
fn programs_run_with_bytes() {
    let foreign = path(&file("foreign.vxbin", program()));
    let start = path(&file("cell.bin", [100, 0, 0, 0, 0, 0, 0, 0]));
    let [out, memory] = [path(&dir().join("cell.out")), format!("memory:x={start}")];
    let outs = format!("x={out}");
    let run = |by: &str, more: &[&str]| {
        let mut args = vec!["run", &foreign, "--raw", &memory, "--raw", by];
        args.extend(["--out", &outs].iter().chain(more));
        args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>()
    };
    let ran = |args: Vec<String>| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let report = printed(&args);
        let bytes = std::fs::read(&out).unwrap();
        (report, u32::from_le_bytes(bytes[4..].try_into().unwrap()))
    };
    let (report, sum) = ran(run("u32:11", &["--raw", "u32:0"]));
    assert_eq!(sum, 111);
    assert!(report.starts_with("at 0x80000000:\n"), "{report}");
    assert_eq!(
        ran(run("hex:0200000000000000", &["-q"])),
        (String::new(), 102)
    );
    let pieces = path(&file("pieces.bin", [5, 0, 0, 0, 0, 0, 0, 0]));
    assert_eq!(ran(run(&format!("file:{pieces}"), &[])).1, 105);
    let (_, sum) = ran(run(
        "i32:-1",
        &["--raw", "bool:false", "--raw", "hex:000000"],
    ));
    assert_eq!(sum, 99);

    // What it did is written, and that it failed is said.
    let args = run("u32:1", &["--raw", "u32:3", "-q"]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    assert_eq!(
        refused(&args),
        "error: DIR/foreign.vxbin: the program ended with exit code 3"
    );
    assert_eq!(std::fs::read(&out).unwrap()[4..], 101u32.to_le_bytes());
    let table = printed(&["inspect", &foreign]);
    assert!(
        table.contains("  uses_barrier               false\n"),
        "{table}"
    );
    assert!(
        table.contains("  isa                        [\"rv32im\""),
        "{table}"
    );
}

#[test]
fn mistakes_are_one_line() {
    let foreign = path(&file("mistaken.vxbin", program()));
    let run = |more: &[&'static str]| refused(&[&["run", &*foreign], more].concat());
    for (args, message) in [
        (
            &["--raw", "7"][..],
            "error: `--raw 7`: write TYPE:NUMBER, hex:BYTES, file:PATH, memory:NAME=FILE or memory:NAME=zeros:BYTES",
        ),
        (
            &["--raw", "u32:-7"],
            "error: `--raw u32:-7`: `-7` is not a value of type u32",
        ),
        (
            &["--raw", "f64:1"],
            "error: `--raw f64:1`: there is no type `f64`; write u32:NUMBER or f32:NUMBER, hex:BYTES, file:PATH or memory:NAME=..",
        ),
        (
            &["--raw", "hex:+1"],
            "error: `hex:+1`: write two digits from 0 to f for each byte",
        ),
        (
            &["--raw", "memory:x"],
            "error: `--raw memory:x` has no `=`: write memory:NAME=FILE or memory:NAME=zeros:BYTES",
        ),
        (
            &["--raw", "memory:x=zeros:y"],
            "error: `x=zeros:y`: `y` is not a number of elements",
        ),
        (
            &["--raw", "memory:x=zeros:4", "--raw", "memory:x=zeros:4"],
            "error: `--raw memory:x=..` is given twice",
        ),
        (
            &["--raw", "u32:4", "--out", "x=x.bin"],
            "error: there is no `--raw memory:x=..`, so there is nothing to write to a file",
        ),
        (
            &["--raw", "u32:4", "--over", "4"],
            "error: the argument '--raw <PIECE>' cannot be used with '--over <ITEMS>'",
        ),
        // An address that nobody has.
        (
            &["--raw", "u32:4"],
            "error: kernel at 0x80000000: out-of-bounds load of 4 bytes at 0x10004",
        ),
    ] {
        let line = run(args);
        assert!(line.starts_with(message), "{line}\nexpected: {message}");
    }
    assert!(refused(&["run", &ELF, "--raw", "u32:1"]).ends_with(
        "what arguments this file's kernels take is known: give each with `--arg NAME=..`"
    ));
}

/// A program for each mistake that the environment can tell the device not to watch for. What is freed is freed by the
/// host.
#[test]
fn the_environment_says_what_is_watched_for() {
    let cases = [
        ("bounds", vec![Inst::i(Opcode::Lw, x::A1, x::A0, 2044)]),
        ("unmapped", vec![Inst::i(Opcode::Lw, x::A1, x::ZERO, 2044)]),
        (
            "rights",
            vec![
                Inst::u(Opcode::Auipc, x::A1, 0),
                Inst::s(Opcode::Sw, x::A1, x::A1, 12),
            ],
        ),
        ("alignment", vec![Inst::i(Opcode::Lw, x::A1, x::A0, 1)]),
        (
            "uninitialised",
            vec![Inst::b(Opcode::Beq, x::A1, x::ZERO, 4)],
        ),
        (
            "divergence",
            vec![
                Inst::i(Opcode::Addi, x::T0, x::ZERO, -1),
                Inst::simt(Opcode::Tmc, x::T0, 0),
                Inst::csrr(x::A1, csr::THREAD_ID),
                Inst::b(Opcode::Beq, x::A1, x::ZERO, 4),
            ],
        ),
        (
            "foreign-races",
            vec![
                Inst::csrr(x::A1, csr::CORE_ID),
                Inst::i(Opcode::Lw, x::A2, x::A0, 0),
                Inst::s(Opcode::Sw, x::A1, x::A2, 0),
            ],
        ),
        (
            "reconvergence",
            vec![
                Inst::i(Opcode::Addi, x::A1, x::ZERO, 1),
                Inst::simt(Opcode::Join, x::A1, 0),
            ],
        ),
        ("barriers", vec![Inst::simt(Opcode::Bar, x::ZERO, x::ZERO)]),
    ];
    for (check, mistake) in cases {
        let mut program = vec![Inst::csrr(x::A0, csr::MSCRATCH)];
        program.extend(mistake);
        program.extend([Inst::simt(Opcode::Tmc, x::ZERO, 0), Inst::nop()]);
        let image = path(&file(&format!("{check}.vxbin"), image(&program)));
        let memory = "memory:x=zeros:64";
        let args = ["run", &image, "--raw", memory, "--raw", "u32:0"];
        for (list, noticed) in [
            ("all".to_owned(), true),
            (format!("all,-{check}"), false),
            (format!("none,{check}"), true),
            ("none".to_owned(), false),
        ] {
            let output = vortex_with(&[("VORTEX_CHECKS", &list)], &args);
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!(
                !output.status.success(),
                noticed,
                "{check}, {list}: {error}"
            );
        }
    }
    // Two thousand iterations.
    let program = [
        Inst::i(Opcode::Addi, x::A1, x::ZERO, 2000),
        Inst::i(Opcode::Addi, x::A1, x::A1, -1),
        Inst::b(Opcode::Bne, x::A1, x::ZERO, -4),
        Inst::simt(Opcode::Tmc, x::ZERO, 0),
    ];
    let image = path(&file("iterations.vxbin", image(&program)));
    for (budget, noticed) in [("1000", true), ("1000000", false), ("none", false)] {
        let args = ["run", &image, "--raw", "u32:0"];
        let output = vortex_with(&[("VORTEX_BUDGET", budget)], &args);
        assert_eq!(!output.status.success(), noticed, "{budget}");
    }
}
