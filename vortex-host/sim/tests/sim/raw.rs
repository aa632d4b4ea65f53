//! Programs and devices made of any bytes: for tests that make up the bytes and for fuzzers that search for them.

use vortex_isa::{Extension, Format, Inst, Opcode, RegFile, Rounding, csr, x};
use vortex_sim::timing::CacheConfig;
use vortex_sim::timing::TimingConfig;
use vortex_sim::{Access, Checks, Config, Machine, Model, RunStats, Trap};

const CODE: u32 = 0x8000_0000;

/// Bytes of the buffer that programs are given.
const DATA: usize = 4096;

/// Instructions that a program may run: enough for a loop to come around, and no more.
const BUDGET: u64 = 3_000;

/// Registers from here on point somewhere in each lane.
const POINTERS: u8 = x::S2;

/// Where [`POINTERS`] point, in their order: the buffer, a line of it for each thread, neighbouring words, local
/// memory.
const PLACES: u8 = 4;

/// Runs the program that some bytes mean on the device that they mean, and counts cycles.
///
/// The first four bytes choose the device. Each further four are an instruction: as they are if they look like one,
/// that is, their lowest two bits are set; else they choose one that does something.
pub(crate) fn run(bytes: &[u8]) -> Result<RunStats, Box<Trap>> {
    let (device, program) = bytes.split_at(bytes.len().min(4));
    let mut code = prologue();
    let words = program.chunks_exact(4).map(|word| {
        let word = word.try_into().unwrap_or_default();
        u32::from_le_bytes(word)
    });
    code.extend(words.map(instruction));
    code.push(Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO).encode());
    let code: Vec<u8> = code.into_iter().flat_map(u32::to_le_bytes).collect();

    let mut machine = Machine::new(config(device)).expect("these devices are possible");
    let loaded = machine.reserve(CODE, code.len() as u64, Access::ReadWrite);
    loaded.expect("there is room for a program");
    machine.write(CODE, &code).expect("it was just reserved");
    let buffer = machine.alloc(DATA as u64, Access::ReadWrite);
    let buffer = buffer.expect("there is room for a buffer");
    let data: Vec<u8> = (0..DATA).map(|n| (n % 7) as u8).collect();
    machine.write(buffer, &data).expect("it was just allocated");
    machine.run(CODE, buffer)
}

/// The device that the first four bytes choose.
fn config(bytes: &[u8]) -> Config {
    let choice = |n: usize| usize::from(bytes.get(n).copied().unwrap_or_default());
    let [cores, warps, threads] = [
        [1, 1, 1],
        [1, 4, 4],
        [4, 2, 32],
        [2, 8, 8],
        [6, 3, 5],
        [1, 32, 2],
        [4, 16, 32],
        [2, 4, 16],
    ][choice(0) % 8];
    let checks = match choice(1) % 2 {
        0 => Checks::none(),
        _ => Checks::all(),
    };
    Config {
        model: Model::Cycle(Box::new(timing(choice(2), choice(3)))),
        instruction_budget: Some(BUDGET),
        checks,
        ..Config::with_shape(cores, warps, threads)
    }
}

/// Hardware of different sizes, small ones above all: they are full soon.
fn timing(levels: usize, sizes: usize) -> TimingConfig {
    let default = TimingConfig::default();
    let small = CacheConfig {
        size: 1 << 10,
        ways: 2,
        misses: 2,
        memory_queue: 1,
    };
    let second = CacheConfig {
        size: 8 << 10,
        ..small.clone()
    };
    let chosen = match sizes % 4 {
        0 => default,
        1 => TimingConfig {
            dcache: small,
            coalesced: Some(16),
            ..default
        },
        2 => TimingConfig {
            icache: small.clone(),
            dcache: small,
            load_queue: 1,
            float_queue: 1,
            instruction_buffer: 1,
            ..default
        },
        _ => TimingConfig {
            warps_per_slice: 2,
            load_queue: 8,
            register_banks: 1,
            ..default
        },
    };
    TimingConfig {
        l2: (!levels.is_multiple_of(3)).then(|| second.clone()),
        l3: (levels % 3 > 1).then_some(second),
        cores_per_socket: [1, 2, 4][levels / 3 % 3],
        ..chosen
    }
}

/// All lanes of all warps, with registers that point somewhere.
fn prologue() -> Vec<u32> {
    let [buffer, line, word, local] = [0, 1, 2, 3].map(|n| POINTERS + n);
    let code = [
        Inst::csrr(x::T0, csr::NUM_WARPS),
        Inst::u(Opcode::Auipc, x::T1, 0),
        Inst::i(Opcode::Addi, x::T1, x::T1, 12),
        Inst::simt(Opcode::Wspawn, x::T0, x::T1),
        Inst::i(Opcode::Addi, x::T0, x::ZERO, -1),
        Inst::simt(Opcode::Tmc, x::T0, x::ZERO),
        Inst::csrr(buffer, csr::MSCRATCH),
        Inst::csrr(line, csr::MHARTID),
        Inst::i(Opcode::Slli, line, line, 6),
        Inst::i(Opcode::Andi, line, line, 0x7c0),
        Inst::r(Opcode::Add, line, line, buffer),
        Inst::csrr(x::T0, csr::THREAD_ID),
        Inst::i(Opcode::Slli, word, x::T0, 2),
        Inst::csrr(local, csr::LOCAL_MEM_BASE),
        Inst::r(Opcode::Add, local, local, word),
        Inst::r(Opcode::Add, word, word, buffer),
        Inst::csrr(x::A0, csr::CORE_ID),
        Inst::csrr(x::A1, csr::WARP_ID),
        Inst::csrr(x::A2, csr::NUM_CORES),
        Inst::csrr(x::A3, csr::NUM_WARPS),
        Inst::i(Opcode::Addi, x::A4, x::T0, 0),
    ];
    code.iter().map(Inst::encode).collect()
}

/// An instruction that a word chooses.
fn instruction(word: u32) -> u32 {
    if word & 3 == 3 {
        return word;
    }
    let mut left = word >> 2;
    let mut choose = |among: u32| {
        let choice = left % among;
        left /= among;
        choice
    };
    let opcode = Opcode::ALL[choose(Opcode::ALL.len() as u32) as usize];
    let info = opcode.info();
    let mut register = |file: Option<RegFile>| match file {
        Some(_) => x::A0 + choose(6) as u8,
        None => 0,
    };
    let mut inst = Inst {
        opcode,
        rd: register(info.rd),
        rs1: register(info.rs[0]),
        rs2: register(info.rs[1]),
        rs3: register(info.rs[2]),
        rm: Rounding::default(),
        aq: false,
        rl: false,
        imm: 0,
    };
    let size = match opcode {
        Opcode::Lb | Opcode::Lbu | Opcode::Sb => 1,
        Opcode::Lh | Opcode::Lhu | Opcode::Sh => 2,
        _ => 4,
    };
    match info.format {
        Format::Load | Format::S => {
            inst.rs1 = POINTERS + choose(u32::from(PLACES)) as u8;
            inst.imm = (choose(64) * size) as i32;
        }
        Format::I => inst.imm = choose(16) as i32 - 4,
        Format::Shift => inst.imm = choose(32) as i32,
        Format::U => inst.imm = (choose(16) << 12) as i32,
        Format::B | Format::J => inst.imm = 4 * (choose(16) as i32 - 4),
        _ if info.extension == Extension::A => inst.rs1 = POINTERS + choose(3) as u8,
        _ => {}
    }
    if info.extension == Extension::Zicsr {
        let known = [
            csr::FFLAGS,
            csr::FRM,
            csr::THREAD_ID,
            csr::ACTIVE_THREADS,
            csr::MCYCLE,
        ];
        inst = Inst::csrr(inst.rd, known[choose(known.len() as u32) as usize]);
    }
    match inst.is_encodable() {
        true => inst.encode(),
        false => Inst::nop().encode(),
    }
}
