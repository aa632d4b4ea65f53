//! Random programs, most of them wrong, on all kinds of devices: whether cycles are counted, cores run on threads, and
//! what is watched for make no difference to what a program does.

use crate::harness::{CODE, Numbers, words};
use vortex_isa::{Class, Extension, Format, Inst, Opcode, RegFile, Rounding, csr, x};
use vortex_sim::{Access, Checks, Config, Generation, Machine, Model, Trap, TrapKind};

const LENGTH: usize = 60;
const WORDS: usize = 64;
/// Holds the address of the buffer, most of the time.
const BASE: u8 = x::A0;
/// Holds the address of the program.
const PROGRAM: u8 = x::S3;

/// Few registers, so that programs use what they have made.
fn register(numbers: &mut Numbers) -> u8 {
    match numbers.below(16) {
        0 => BASE,
        1 => x::ZERO,
        n => 11 + n as u8 % 8,
    }
}

fn instruction(numbers: &mut Numbers, at: usize, generation: Generation) -> Inst {
    let is_there = |opcode: &Opcode| {
        opcode.info().extension != Extension::V3 || generation.has(Generation::V3)
    };
    let opcode = loop {
        let opcode = Opcode::ALL[numbers.below(Opcode::ALL.len())];
        if is_there(&opcode) {
            break opcode;
        }
    };
    let info = opcode.info();
    let mut operand = |file: Option<RegFile>| match file {
        Some(_) => register(numbers),
        None => 0,
    };
    let mut inst = Inst {
        opcode,
        rd: operand(info.rd),
        rs1: operand(info.rs[0]),
        rs2: operand(info.rs[1]),
        rs3: operand(info.rs[2]),
        rm: Rounding::default(),
        aq: false,
        rl: false,
        imm: 0,
    };
    let wild = numbers.below(50) == 0;
    if inst.rd == BASE && info.rd == Some(RegFile::Integer) && !wild {
        inst.rd = x::A1;
    }
    // Mostly forward and inside.
    let jump = match numbers.below(10) {
        0 => -4 * numbers.below(at + 1) as i32,
        _ => 4 * (1 + numbers.below(LENGTH.saturating_sub(at).clamp(1, 8)) as i32),
    };
    match info.format {
        Format::Load | Format::S => {
            let size = match opcode {
                Opcode::Lb | Opcode::Lbu | Opcode::Sb => 1,
                Opcode::Lh | Opcode::Lhu | Opcode::Sh => 2,
                _ => 4,
            };
            if !wild {
                inst.rs1 = BASE;
                inst.imm = (numbers.below(WORDS * 4 / size) * size) as i32;
            }
            // Programs copy parts of themselves to other places.
            if size == 4 && numbers.below(10) == 0 {
                inst.rs1 = PROGRAM;
                inst.imm = 4 * numbers.below(LENGTH) as i32;
            }
        }
        Format::RFp | Format::R1Fp | Format::R4 => inst.rm = Rounding::Dyn,
        Format::I => inst.imm = numbers.next() as i32 >> 20,
        Format::Shift => inst.imm = numbers.below(32) as i32,
        Format::U => inst.imm = (numbers.next() & 0xffff_f000) as i32,
        Format::B | Format::J => inst.imm = jump + if wild { 2 } else { 0 },
        _ if info.extension == Extension::A && !wild => inst.rs1 = BASE,
        _ if info.class == Class::LoadPacked && !wild => (inst.rs1, inst.rs2) = (BASE, x::ZERO),
        Format::Gather => inst.imm = numbers.below(4) as i32,
        _ => {}
    }
    if info.extension == Extension::Zicsr {
        // Not those that tell the time.
        let known = [csr::FFLAGS, csr::FRM, csr::FCSR, csr::MSCRATCH];
        let fixed = [csr::THREAD_ID, csr::ACTIVE_THREADS, csr::NUM_WARPS];
        inst = match numbers.below(20) {
            0 => Inst::csr_op(opcode, inst.rd, known[numbers.below(4)], inst.rs1),
            1..8 => Inst::csr_op(Opcode::Csrrwi, inst.rd, known[numbers.below(3)], 1),
            _ => Inst::csrr(inst.rd, fixed[numbers.below(3)]),
        };
    }
    // What ends a warp, or all of them, is rare, and so is what is no good without the right value.
    let seldom = matches!(
        opcode,
        Opcode::Tmc
            | Opcode::Ecall
            | Opcode::Ebreak
            | Opcode::Mret
            | Opcode::Jalr
            | Opcode::Wspawn
            | Opcode::Bar
            | Opcode::BarArrive
            | Opcode::BarWait
    );
    if seldom && numbers.below(8) != 0 || !inst.is_encodable() {
        return Inst::i(Opcode::Addi, inst.rd, inst.rs1, numbers.next() as i32 >> 20);
    }
    inst
}

/// A program that begins with all lanes and registers that hold something.
fn program(numbers: &mut Numbers, generation: Generation) -> Vec<u8> {
    let mut code = vec![Inst::i(Opcode::Addi, x::T0, x::ZERO, -1)];
    code.push(Inst::simt(Opcode::Tmc, x::T0, x::ZERO));
    code.push(Inst::u(Opcode::Auipc, PROGRAM, 0));
    code.push(Inst::csrr(BASE, csr::MSCRATCH));
    for n in 11..19 {
        code.push(match n % 3 {
            0 => Inst::csrr(n, csr::THREAD_ID),
            _ => Inst::i(Opcode::Lw, n, BASE, 4 * i32::from(n)),
        });
        code.push(Inst::r(Opcode::FmvWX, n, n, 0));
    }
    code.extend((0..LENGTH).map(|at| instruction(numbers, at, generation)));
    code.push(Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO));
    code.iter()
        .flat_map(|inst| inst.encode().to_le_bytes())
        .collect()
}

/// What a program leaves in memory, how many instructions it took, and how it ended.
type Outcome = (Vec<u32>, Result<u64, Trap>);

fn outcome(config: &Config, code: &[u8], data: &[u8], access: Access) -> Outcome {
    let mut machine = Machine::new(config.clone()).unwrap();
    machine.reserve(CODE, code.len() as u64, access).unwrap();
    machine.write(CODE, code).unwrap();
    let buffer = machine.alloc(data.len() as u64, Access::ReadWrite).unwrap();
    machine.write(buffer, data).unwrap();
    let ended = machine.run(CODE, buffer);
    let mut found = vec![0; data.len()];
    machine.read(buffer, &mut found).unwrap();
    let mut left = vec![0; code.len()];
    machine.read(CODE, &mut left).unwrap();
    found.extend(left);
    (
        words(&found),
        ended.map(|stats| stats.lane_instructions).map_err(|trap| {
            let _ = trap.to_string();
            *trap
        }),
    )
}

#[test]
fn all_devices_do_the_same() {
    let mut numbers = Numbers(11);
    let (mut ended, mut trapped) = (0, [0; 2]);
    for _ in 0..2_000 {
        let generation = match numbers.below(3) {
            0 => Generation::V3,
            _ => Generation::V2,
        };
        let code = program(&mut numbers, generation);
        let data: Vec<u8> = (0..WORDS * 4).map(|_| numbers.next() as u8 % 16).collect();
        let threads = [1, 3, 4, 8, 32][numbers.below(5)];
        let access = [Access::Read, Access::ReadWrite][numbers.below(2)];
        let config = Config {
            generation,
            instruction_budget: Some(3_000),
            checks: Checks {
                races: false,
                ..Checks::all()
            },
            ..Config::with_shape(1, 1, threads)
        };
        let run = |config: &Config| outcome(config, &code, &data, access);
        let expected = run(&config);
        if generation == Generation::V2 {
            let timed = run(&Config {
                model: Model::cycle(),
                ..config.clone()
            });
            assert_eq!(timed, expected);
        }
        let threaded = run(&Config {
            deterministic: false,
            ..config.clone()
        });
        assert_eq!(threaded, expected);
        // Programs that are wrong need not be followed far.
        let trusting = Config {
            checks: Checks::none(),
            instruction_budget: Some(if expected.1.is_ok() { 3_000 } else { 200 }),
            ..config.clone()
        };
        let unwatched = run(&trusting);
        // Wherever its mistakes lead it.
        if generation == Generation::V2 {
            let timed = run(&Config {
                model: Model::cycle(),
                ..trusting.clone()
            });
            assert_eq!(timed, unwatched);
        }
        let threaded = run(&Config {
            deterministic: false,
            ..trusting
        });
        assert_eq!(threaded, unwatched);
        match &expected.1 {
            Ok(_) => assert_eq!(unwatched, expected),
            Err(Trap {
                kind: TrapKind::BudgetSpent { .. },
                ..
            }) => trapped[0] += 1,
            Err(_) => trapped[1] += 1,
        }
        ended += usize::from(expected.1.is_ok());
        let raced = run(&Config {
            checks: Checks::all(),
            ..config
        });
        if !matches!(
            &raced.1,
            Err(Trap {
                kind: TrapKind::StoreCollision { .. } | TrapKind::DataRace { .. },
                ..
            })
        ) {
            assert_eq!(raced, expected);
        }
    }
    // Enough of each.
    assert!(
        ended > 200 && trapped[0] > 20 && trapped[1] > 200,
        "{ended} {trapped:?}"
    );
}
