//! Input from strangers: damaged images, absurd devices, too much memory, many devices.

use crate::harness::{Asm, Numbers, racing};
use vortex_isa::{Opcode, x};
use vortex_sim::{Access, Config, Image, Machine, MemoryError, Model};

fn vxbin(code: &[u8]) -> Vec<u8> {
    let base = 0x8000_0000u64;
    let mut file = base.to_le_bytes().to_vec();
    file.extend((base + code.len() as u64 + 64).to_le_bytes());
    file.extend(code);
    file
}

/// An ELF file with one segment.
fn elf(code: &[u8]) -> Vec<u8> {
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend([2, 0, 243, 0]);
    let size = code.len() as u32;
    for word in [1, 0x8000_0000u32, 52, 0, 2] {
        file.extend(word.to_le_bytes());
    }
    for half in [52u16, 32, 1, 40, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    for word in [1, 84, 0x8000_0000u32, 0x8000_0000, size, size + 64, 7, 4] {
        file.extend(word.to_le_bytes());
    }
    file.extend(code);
    file
}

fn program() -> Asm {
    let mut program = Asm::new();
    program
        .all_warps()
        .lane_address()
        .i(Opcode::Lw, x::T1, x::A1, 0)
        .i(Opcode::Andi, x::T3, x::S4, 1)
        .split(x::T2, x::T3)
        .branch(Opcode::Beq, x::T3, x::ZERO, "even")
        .i(Opcode::Addi, x::T1, x::T1, 1)
        .label("even")
        .join(x::T2)
        .store(Opcode::Sw, x::T1, x::A1, 0)
        .end();
    program
}

/// Changes a few bytes, or the length, of a file.
fn damage(file: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(4) {
        if file.is_empty() {
            return;
        }
        let at = numbers.below(file.len());
        match numbers.below(8) {
            0 => file.truncate(at),
            1 => file.extend([numbers.next() as u8; 7]),
            2 => file[at] = 0xff,
            3 => file[at] = 0,
            // Headers decide the most.
            4 | 5 => {
                let at = at % 84.min(file.len());
                file[at] = numbers.next() as u8;
            }
            _ => file[at] ^= 1 << numbers.below(8),
        }
    }
}

fn small() -> Config {
    Config {
        instruction_budget: Some(2_000),
        ..Config::with_shape(2, 2, 4)
    }
}

/// Whatever a damaged file does, it ends, in an error or not, in every model, and whatever is watched for.
fn load_and_run(file: &[u8]) {
    for (model, deterministic, checks) in [
        (Model::Functional, true, "all"),
        (Model::cycle(), true, "none"),
        (Model::Functional, false, "-unmapped,-alignment,-rights"),
    ] {
        let Ok(image) = Image::parse(file) else {
            return;
        };
        let config = Config {
            model,
            deterministic,
            checks: checks.parse().unwrap(),
            ..small()
        };
        let mut machine = Machine::new(config).unwrap();
        let buffer = machine.alloc(64, Access::ReadWrite).unwrap();
        if let Ok(entry) = machine.load(image)
            && let Err(trap) = machine.run_foreign(entry, buffer)
        {
            assert!(!trap.to_string().is_empty());
        }
    }
}

#[test]
fn damaged_images_end_in_errors_at_worst() {
    let code = program().bytes();
    let mut numbers = Numbers(4);
    for sound in [vxbin(&code), elf(&code)] {
        load_and_run(&sound);
        for length in 0..sound.len() {
            load_and_run(&sound[..length]);
        }
        for _ in 0..1_500 {
            let mut file = sound.clone();
            damage(&mut file, &mut numbers);
            load_and_run(&file);
        }
    }
}

#[test]
fn images_of_nothing_but_noise_end_in_errors_at_worst() {
    let mut numbers = Numbers(5);
    for _ in 0..300 {
        let code: Vec<u8> = (0..64).flat_map(|_| numbers.next().to_le_bytes()).collect();
        load_and_run(&vxbin(&code));
    }
}

#[test]
fn absurd_devices_are_refused() {
    let numbers = [0, 1, 33, 255, 256, 1 << 16, u32::MAX];
    for cores in numbers {
        for warps in numbers {
            for threads in numbers {
                let possible = (1..=255).contains(&cores)
                    && (1..=32).contains(&warps)
                    && (1..=32).contains(&threads);
                let opened = Machine::new(Config::with_shape(cores, warps, threads));
                assert_eq!(opened.is_ok(), possible, "{cores} x {warps} x {threads}");
            }
        }
    }
    for local_mem in [1, 3, (64 << 10) + 4, u32::MAX, u32::MAX - 3] {
        let config = Config {
            local_mem,
            ..Config::default()
        };
        assert!(Machine::new(config).is_err(), "{local_mem}");
    }
}

#[test]
fn more_memory_than_there_is_is_refused_and_nothing_is_lost() {
    let mut machine = Machine::new(small()).unwrap();
    let before = machine.mem_info();
    for size in [1 << 32, 1 << 40, u64::MAX, u64::MAX - 4095] {
        assert!(matches!(
            machine.alloc(size, Access::ReadWrite),
            Err(MemoryError::OutOfMemory { .. })
        ));
    }
    let mut taken = Vec::new();
    while let Ok(address) = machine.alloc(64 << 20, Access::ReadWrite) {
        taken.push(address);
    }
    assert!(taken.len() > 16, "{}", taken.len());
    for address in taken {
        machine.free(address).unwrap();
    }
    assert_eq!(machine.mem_info(), before);
}

#[test]
fn thousands_of_devices_come_and_go() {
    let code = vxbin(&program().bytes());
    for n in 0..2_000 {
        let mut machine = Machine::new(racing(Config {
            model: if n % 64 == 0 {
                Model::cycle()
            } else {
                Model::Functional
            },
            ..small()
        }))
        .unwrap();
        let buffer = machine.alloc(64, Access::ReadWrite).unwrap();
        machine.write(buffer, &[0; 64]).unwrap();
        let entry = machine.load(Image::parse(&code).unwrap()).unwrap();
        machine.run(entry, buffer).unwrap();
    }
}
