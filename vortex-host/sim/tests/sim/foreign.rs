//! Programs in the manner of Vortex's own start-up and spawn code: registers per thread, thread-local storage after
//! the image, warps that are spawned again and again, a line per thread on the console, counters and an exit code at
//! the end.

use crate::harness::{Asm, CODE, bytes, racing, run, words};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Access, Config, Image, Machine, TrapKind, VxBin, layout};

/// Bytes of the image in the file, of zeros after them, and of local storage per thread.
const FILE: u32 = 512;
const ZEROS: u32 = 32;
const STORAGE: u32 = 12;
const END: u32 = CODE + FILE + ZEROS;

/// `jal ra, label`: a jump with another destination.
fn call(program: &mut Asm, label: &'static str) {
    program.la(x::T2, label).i(Opcode::Jalr, x::RA, x::T2, 0);
}

/// Spawns all warps at `start`, which must end them, then calls `routine` with all threads of this one.
fn everywhere(program: &mut Asm, start: &'static str, routine: &'static str) {
    program
        .csrr(x::T0, csr::NUM_WARPS)
        .la(x::T1, start)
        .simt(Opcode::Wspawn, x::T0, x::T1)
        .li(x::T0, u32::MAX)
        .simt(Opcode::Tmc, x::T0, 0);
    call(program, routine);
    program.li(x::T0, 1).simt(Opcode::Tmc, x::T0, 0);
}

/// What a spawned warp does: `routine` with all threads, and the end.
fn spawned(program: &mut Asm, label: &'static str, routine: &'static str) {
    program
        .label(label)
        .li(x::T0, u32::MAX)
        .simt(Opcode::Tmc, x::T0, 0);
    call(program, routine);
    program.end();
}

/// Every thread keeps its number in its local storage, spills it to its stack, prints a letter and a newline, and adds
/// its number to its word of the buffer that the argument names.
fn program() -> Vec<u8> {
    let mut p = Asm::new();
    everywhere(&mut p, "spawned registers", "registers");
    everywhere(&mut p, "spawned storage", "storage");
    // The image's zeros can be written.
    p.li(x::T0, CODE + FILE)
        .store(Opcode::Sw, x::SP, x::T0, 0)
        .store(Opcode::Sw, x::SP, x::T0, ZEROS as i32 - 4);
    everywhere(&mut p, "spawned kernel", "kernel");
    // Waits for the other warps.
    p.li(x::T0, 1).simt(Opcode::Wspawn, x::T0, x::ZERO);
    p.csrr(x::T1, csr::CORE_ID).i(Opcode::Slli, x::T1, x::T1, 8);
    p.csrr(x::T0, csr::MCYCLE)
        .store(Opcode::Sw, x::T0, x::T1, 0x80)
        .csrr(x::T0, csr::MCYCLEH)
        .store(Opcode::Sw, x::T0, x::T1, 0x84)
        .csrr(x::T0, csr::MINSTRET)
        .store(Opcode::Sw, x::T0, x::T1, 0x90)
        .csrr(x::T0, csr::MINSTRETH)
        .store(Opcode::Sw, x::T0, x::T1, 0x94)
        .li(x::A0, 42)
        .store(Opcode::Sw, x::A0, x::T1, 0x88)
        .emit(Inst::of(Opcode::Fence))
        .end();
    spawned(&mut p, "spawned registers", "registers");
    spawned(&mut p, "spawned storage", "storage");
    spawned(&mut p, "spawned kernel", "kernel");

    p.label("registers")
        .li(x::GP, CODE + FILE)
        .li(x::SP, layout::STACK_TOP)
        .csrr(x::T0, csr::MHARTID)
        .i(Opcode::Slli, x::T1, x::T0, 13)
        .r(Opcode::Sub, x::SP, x::SP, x::T1)
        .li(x::T1, STORAGE)
        .r(Opcode::Mul, x::T0, x::T0, x::T1)
        .li(x::TP, END)
        .r(Opcode::Add, x::TP, x::TP, x::T0)
        .emit(Inst::ret());
    p.label("storage")
        .csrr(x::T0, csr::MHARTID)
        .store(Opcode::Sw, x::ZERO, x::TP, 0)
        .store(Opcode::Sw, x::ZERO, x::TP, 4)
        .store(Opcode::Sw, x::T0, x::TP, 8)
        .emit(Inst::ret());
    p.label("kernel")
        .i(Opcode::Addi, x::SP, x::SP, -16)
        .i(Opcode::Lw, x::T0, x::TP, 8)
        .store(Opcode::Sw, x::T0, x::SP, 0);
    // The console has 64 lines.
    p.i(Opcode::Andi, x::T1, x::T0, 63)
        .i(Opcode::Andi, x::T2, x::T0, 15)
        .i(Opcode::Addi, x::T2, x::T2, i32::from(b'A'))
        .store(Opcode::Sb, x::T2, x::T1, layout::CONSOLE as i32)
        .li(x::T2, u32::from(b'\n'))
        .store(Opcode::Sb, x::T2, x::T1, layout::CONSOLE as i32);
    p.csrr(x::A0, csr::MSCRATCH)
        .i(Opcode::Lw, x::A0, x::A0, 0)
        .i(Opcode::Lw, x::T0, x::SP, 0)
        .i(Opcode::Slli, x::T1, x::T0, 2)
        .r(Opcode::Add, x::A0, x::A0, x::T1)
        .i(Opcode::Lw, x::T1, x::A0, 0)
        .r(Opcode::Add, x::T1, x::T1, x::T0)
        .store(Opcode::Sw, x::T1, x::A0, 0)
        .i(Opcode::Addi, x::SP, x::SP, 16)
        .emit(Inst::ret());
    let mut code = p.bytes();
    assert!(code.len() <= FILE as usize);
    code.resize(FILE as usize, 0);
    let mut file = u64::from(CODE).to_le_bytes().to_vec();
    file.extend(u64::from(END).to_le_bytes());
    file.extend(code);
    file
}

#[test]
fn start_up_storage_console_and_exit_code() {
    let file = program();
    for (cores, warps, threads) in [(1, 1, 1), (1, 4, 4), (2, 8, 8), (4, 16, 32)] {
        let harts = cores * warps * threads;
        let mut machine = Machine::new(Config::with_shape(cores, warps, threads)).unwrap();
        let size = u64::from(harts) * 4;
        let buffer = machine.alloc(size, Access::ReadWrite).unwrap();
        let start: Vec<u32> = (0..harts).map(|hart| hart * hart).collect();
        machine.write(buffer, &bytes(&start)).unwrap();
        let argument = machine.alloc(4, Access::Read).unwrap();
        machine.write(argument, &bytes(&[buffer])).unwrap();
        let entry = machine.load(Image::parse(&file).unwrap()).unwrap();
        let stats = machine
            .run_foreign(entry, argument)
            .unwrap_or_else(|trap| panic!("{trap}"));

        let mut result = vec![0; size as usize];
        machine.read(buffer, &mut result).unwrap();
        let expected: Vec<u32> = (0..harts).map(|hart| hart * hart + hart).collect();
        assert_eq!(words(&result), expected);
        assert_eq!(stats.exit_code, Some(42));
        for core in 0..cores {
            let instructions = machine.dumped(core, 2).unwrap();
            assert!(instructions > 0 && instructions < stats.lane_instructions);
            assert!(machine.dumped(core, 0).is_some_and(|cycles| cycles > 0));
            assert_eq!(machine.dumped(core, 3), None);
        }
        let mut lines: Vec<&str> = stats.console.lines().collect();
        lines.retain(|line| line.len() > "#63: ".len() - 1);
        // Threads that share a line buffer may print each other's letters, but none is lost.
        let letters = |text: &str| text.chars().filter(char::is_ascii_uppercase).count();
        assert_eq!(letters(&stats.console), harts as usize);
        if harts <= 64 {
            for hart in 0..harts {
                let letter = char::from(b'A' + hart as u8 % 16);
                assert!(lines.contains(&format!("#{hart}: {letter}").as_str()));
            }
        }
    }
}

#[test]
fn memory_behind_an_image_is_lent_for_the_run_only() {
    let file = program();
    let image = VxBin::parse(&file).unwrap();
    let config = || Config::with_shape(1, 1, 4);
    let fails_behind_the_image = |machine: &mut Machine, foreign: bool| {
        let argument = machine.alloc(4, Access::Read).unwrap();
        let trap = if foreign {
            machine.run_foreign(CODE, argument).unwrap_err()
        } else {
            machine.run(CODE, argument).unwrap_err()
        };
        let TrapKind::OutOfBounds { address, .. } = trap.kind else {
            panic!("{trap}");
        };
        address
    };

    let mut machine = Machine::new(config()).unwrap();
    machine.load(&image).unwrap();
    assert_eq!(fails_behind_the_image(&mut machine, false), END);

    // A neighbour keeps its memory to itself: the first thread's storage fits before it, the second's does not.
    machine.reserve(END + STORAGE, 64, Access::Read).unwrap();
    let mut neighbour = [0; 64];
    machine.write(END + STORAGE, &[7; 64]).unwrap();
    let argument = machine.alloc(4, Access::Read).unwrap();
    let trap = machine.run_foreign(CODE, argument).unwrap_err();
    assert!(matches!(trap.kind, TrapKind::AccessDenied { .. }), "{trap}");
    machine.read(END + STORAGE, &mut neighbour).unwrap();
    assert_eq!(neighbour, [7; 64]);

    // And afterwards the memory is free, for the host too.
    machine.free(END + STORAGE).unwrap();
    let used = machine.mem_info().used;
    assert!(machine.read(END, &mut [0; 4]).is_err());
    machine.reserve(END, 64, Access::ReadWrite).unwrap();
    assert!(machine.mem_info().used >= used);
}

#[test]
fn spawned_warps_get_somewhere_before_the_first_goes_on() {
    // The others store their numbers and end; the first one copies these at once, without waiting.
    let mut p = Asm::new();
    p.csrr(x::A0, csr::MSCRATCH)
        .csrr(x::T0, csr::NUM_WARPS)
        .la(x::T1, "others")
        .simt(Opcode::Wspawn, x::T0, x::T1);
    for n in 1..8 {
        p.i(Opcode::Lw, x::T0, x::A0, 4 * n)
            .store(Opcode::Sw, x::T0, x::A0, 4 * n + 32);
    }
    p.end();
    p.label("others")
        .csrr(x::A0, csr::MSCRATCH)
        .csrr(x::T0, csr::WARP_ID)
        .i(Opcode::Slli, x::T1, x::T0, 2)
        .r(Opcode::Add, x::A0, x::A0, x::T1)
        .store(Opcode::Sw, x::T0, x::A0, 0)
        .end();
    let result = run(racing(Config::with_shape(1, 8, 4)), &p, &[0; 16]);
    assert_eq!(result[8..], [0, 1, 2, 3, 4, 5, 6, 7]);
}
