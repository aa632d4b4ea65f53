//! A small assembler with labels, and machines to run its programs on.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use vortex_isa::{Inst, Opcode, csr, x};
use vortex_sim::{Access, Checks, Config, Machine, RunStats, Trap};

pub(crate) const CODE: u32 = 0x8000_0000;

thread_local! {
    /// What programs of this thread were made of.
    static ASSEMBLED: RefCell<HashSet<Opcode>> = RefCell::default();
}

/// The opcodes in programs that `f` runs.
pub(crate) fn assembled(f: impl FnOnce()) -> HashSet<Opcode> {
    ASSEMBLED.take();
    f();
    ASSEMBLED.take()
}

/// A program under construction. Branches name labels; offsets are filled in at the end.
#[derive(Default)]
pub(crate) struct Asm {
    insts: Vec<Inst>,
    labels: HashMap<&'static str, usize>,
    uses: Vec<(usize, &'static str)>,
}

impl Asm {
    pub(crate) fn new() -> Asm {
        Asm::default()
    }

    pub(crate) fn emit(&mut self, inst: Inst) -> &mut Asm {
        self.insts.push(inst);
        self
    }

    pub(crate) fn all(&mut self, insts: impl IntoIterator<Item = Inst>) -> &mut Asm {
        self.insts.extend(insts);
        self
    }

    pub(crate) fn r(&mut self, opcode: Opcode, rd: u8, rs1: u8, rs2: u8) -> &mut Asm {
        self.emit(Inst::r(opcode, rd, rs1, rs2))
    }

    pub(crate) fn r1(&mut self, opcode: Opcode, rd: u8, rs1: u8) -> &mut Asm {
        self.emit(Inst::r1(opcode, rd, rs1))
    }

    pub(crate) fn i(&mut self, opcode: Opcode, rd: u8, rs1: u8, imm: i32) -> &mut Asm {
        self.emit(Inst::i(opcode, rd, rs1, imm))
    }

    pub(crate) fn store(&mut self, opcode: Opcode, rs2: u8, rs1: u8, offset: i32) -> &mut Asm {
        self.emit(Inst::s(opcode, rs2, rs1, offset))
    }

    pub(crate) fn li(&mut self, rd: u8, value: u32) -> &mut Asm {
        self.all(Inst::li(rd, value as i32))
    }

    pub(crate) fn csrr(&mut self, rd: u8, csr: u16) -> &mut Asm {
        self.emit(Inst::csrr(rd, csr))
    }

    pub(crate) fn simt(&mut self, opcode: Opcode, rs1: u8, rs2: u8) -> &mut Asm {
        self.emit(Inst::simt(opcode, rs1, rs2))
    }

    pub(crate) fn split(&mut self, rd: u8, predicate: u8) -> &mut Asm {
        self.emit(Inst::r(Opcode::Split, rd, predicate, 0))
    }

    pub(crate) fn join(&mut self, token: u8) -> &mut Asm {
        self.simt(Opcode::Join, token, 0)
    }

    pub(crate) fn label(&mut self, name: &'static str) -> &mut Asm {
        assert!(
            self.labels.insert(name, self.insts.len()).is_none(),
            "{name} is there already"
        );
        self
    }

    pub(crate) fn branch(
        &mut self,
        opcode: Opcode,
        rs1: u8,
        rs2: u8,
        label: &'static str,
    ) -> &mut Asm {
        self.uses.push((self.insts.len(), label));
        self.emit(Inst::b(opcode, rs1, rs2, 0))
    }

    pub(crate) fn jump(&mut self, label: &'static str) -> &mut Asm {
        self.uses.push((self.insts.len(), label));
        self.emit(Inst::jal(x::ZERO, 0))
    }

    /// `rd` = address of a label, by one `auipc` and one `addi`.
    pub(crate) fn la(&mut self, rd: u8, label: &'static str) -> &mut Asm {
        self.emit(Inst::u(Opcode::Auipc, rd, 0));
        self.uses.push((self.insts.len(), label));
        self.i(Opcode::Addi, rd, rd, 0)
    }

    /// Ends the warp.
    pub(crate) fn end(&mut self) -> &mut Asm {
        self.simt(Opcode::Tmc, x::ZERO, 0)
    }

    /// Every lane of warp 0: `a0` = argument, `s4` = lane, `s5` = the full mask.
    pub(crate) fn all_lanes(&mut self) -> &mut Asm {
        self.li(x::T0, u32::MAX);
        self.simt(Opcode::Tmc, x::T0, 0);
        self.csrr(x::A0, csr::MSCRATCH)
            .csrr(x::S4, csr::THREAD_ID)
            .csrr(x::S5, csr::ACTIVE_THREADS)
    }

    /// Every lane of every warp: as [`Asm::all_lanes`].
    pub(crate) fn all_warps(&mut self) -> &mut Asm {
        self.csrr(x::T0, csr::NUM_WARPS)
            .la(x::T1, "all warps")
            .simt(Opcode::Wspawn, x::T0, x::T1)
            .label("all warps");
        self.all_lanes()
    }

    /// `a1` = argument + 4 * lane.
    pub(crate) fn lane_address(&mut self) -> &mut Asm {
        self.i(Opcode::Slli, x::A1, x::S4, 2)
            .r(Opcode::Add, x::A1, x::A1, x::A0)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut insts = self.insts.clone();
        for &(at, label) in &self.uses {
            let target = *self
                .labels
                .get(label)
                .unwrap_or_else(|| panic!("no label {label}"));
            let from = if insts[at].opcode == Opcode::Addi {
                at - 1
            } else {
                at
            };
            insts[at].imm = (target as i32 - from as i32) * 4;
        }
        for inst in &insts {
            assert!(inst.is_encodable(), "{inst}");
        }
        ASSEMBLED.with_borrow_mut(|all| all.extend(insts.iter().map(|inst| inst.opcode)));
        insts
            .iter()
            .flat_map(|inst| inst.encode().to_le_bytes())
            .collect()
    }

    pub(crate) fn address(&self, label: &'static str) -> u32 {
        CODE + self.labels[label] as u32 * 4
    }
}

/// A machine with a program at [`CODE`].
pub(crate) fn machine(config: Config, program: &Asm) -> Machine {
    let mut machine = Machine::new(config).unwrap();
    let bytes = program.bytes();
    machine
        .reserve(CODE, bytes.len() as u64, Access::Read)
        .unwrap();
    machine.write(CODE, &bytes).unwrap();
    machine
}

pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

pub(crate) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// What a program leaves in a buffer of words, to which `mscratch` points.
pub(crate) fn try_run(
    config: Config,
    program: &Asm,
    buffer: &[u32],
) -> Result<(Vec<u32>, RunStats), Box<Trap>> {
    let mut machine = machine(config, program);
    let size = buffer.len() as u64 * 4;
    let address = machine.alloc(size, Access::ReadWrite).unwrap();
    machine.write(address, &bytes(buffer)).unwrap();
    let stats = machine.run(CODE, address)?;
    let mut result = vec![0; size as usize];
    machine.read(address, &mut result).unwrap();
    Ok((words(&result), stats))
}

pub(crate) fn run(config: Config, program: &Asm, buffer: &[u32]) -> Vec<u32> {
    match try_run(config, program, buffer) {
        Ok((buffer, _)) => buffer,
        Err(trap) => panic!("{trap}"),
    }
}

pub(crate) fn trap(config: Config, program: &Asm, buffer: &[u32]) -> Trap {
    match try_run(config, program, buffer) {
        Ok(_) => panic!("nothing was noticed"),
        Err(trap) => *trap,
    }
}

/// A device that does not watch for data races: for programs that have some on purpose, and for cores on host threads.
pub(crate) fn racing(config: Config) -> Config {
    let checks = Checks {
        races: false,
        ..config.checks
    };
    Config { checks, ..config }
}

/// One warp of that many lanes.
pub(crate) fn lanes(threads: u32) -> Config {
    Config::with_shape(1, 1, threads)
}

/// A deterministic stream of numbers.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }
}
