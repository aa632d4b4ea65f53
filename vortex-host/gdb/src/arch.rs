//! What gdb calls the registers of a lane.

use gdbstub::arch::{Arch, Registers};

/// Vortex, as gdb sees it: RISC-V of 32 bits with single floats, and numbers of its own for each lane.
#[derive(Debug)]
pub(crate) enum Vortex {}

/// The registers that tell which work a lane does: they can be read, and used in conditions.
pub(crate) const WORK: [&str; 5] = ["item", "group", "lane", "warp", "core"];

/// Numbers of registers: x0 to x31 come first, then these.
pub(crate) const PC: usize = 32;
pub(crate) const FLOAT: usize = 33;
pub(crate) const MSCRATCH: usize = 65;
pub(crate) const FIRST_WORK: usize = 66;

/// The registers of a lane. What is not known about it is not there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LaneRegisters {
    pub(crate) x: [u32; 32],
    pub(crate) pc: u32,
    pub(crate) f: [u32; 32],
    /// The address of the launch block.
    pub(crate) mscratch: u32,
    /// As [`WORK`] says.
    pub(crate) work: [Option<u32>; WORK.len()],
}

impl Registers for LaneRegisters {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.pc
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        let known = self.x.iter().chain([&self.pc]).chain(&self.f);
        let known = known.chain([&self.mscratch]);
        let words = known.copied().map(Some).chain(self.work);
        for word in words {
            match word {
                Some(word) => word.to_le_bytes().map(|byte| write_byte(Some(byte))),
                None => [(); 4].map(|()| write_byte(None)),
            };
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let (words, _) = bytes.as_chunks::<4>();
        let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
        let known = self.x.iter_mut().chain([&mut self.pc]).chain(&mut self.f);
        for register in known {
            *register = words.next().ok_or(())?;
        }
        Ok(())
    }
}

impl Arch for Vortex {
    type Usize = u32;
    type Registers = LaneRegisters;
    type BreakpointKind = usize;
    type RegId = ();

    fn target_description_xml() -> Option<&'static str> {
        Some(DESCRIPTION)
    }
}

macro_rules! registers {
    ($ty:literal: $($name:literal)*) => {
        concat!($("<reg name=\"", $name, "\" bitsize=\"32\" type=\"", $ty, "\"/>\n",)*)
    };
}

/// The registers, in the order in which they are sent.
const DESCRIPTION: &str = concat!(
    "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n",
    "<target version=\"1.0\">\n<architecture>riscv:rv32</architecture>\n<osabi>none</osabi>\n",
    "<feature name=\"org.gnu.gdb.riscv.cpu\">\n",
    registers!("int": "zero" "ra"),
    registers!("data_ptr": "sp" "gp" "tp"),
    registers!("int": "t0" "t1" "t2"),
    registers!("data_ptr": "fp"),
    registers!("int": "s1" "a0" "a1" "a2" "a3" "a4" "a5" "a6" "a7" "s2" "s3" "s4" "s5" "s6" "s7" "s8" "s9" "s10" "s11"
        "t3" "t4" "t5" "t6"),
    registers!("code_ptr": "pc"),
    "</feature>\n<feature name=\"org.gnu.gdb.riscv.fpu\">\n",
    registers!("ieee_single": "ft0" "ft1" "ft2" "ft3" "ft4" "ft5" "ft6" "ft7" "fs0" "fs1" "fa0" "fa1" "fa2" "fa3" "fa4"
        "fa5" "fa6" "fa7" "fs2" "fs3" "fs4" "fs5" "fs6" "fs7" "fs8" "fs9" "fs10" "fs11" "ft8" "ft9" "ft10" "ft11"),
    "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n",
    registers!("data_ptr": "mscratch"),
    "</feature>\n<feature name=\"org.vortex.work\">\n",
    registers!("uint32": "item" "group" "lane" "warp" "core"),
    "</feature>\n</target>\n",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_register_has_its_number() {
        let mut names = DESCRIPTION.lines().filter_map(|line| {
            let name = line.strip_prefix("<reg name=\"")?;
            name.split('"').next()
        });
        let names: Vec<_> = names.by_ref().collect();
        assert_eq!((names[0], names[31], names[PC]), ("zero", "t6", "pc"));
        assert_eq!((names[FLOAT], names[FLOAT + 31]), ("ft0", "ft11"));
        assert_eq!(
            (names[MSCRATCH], &names[FIRST_WORK..]),
            ("mscratch", &WORK[..])
        );
    }
}
