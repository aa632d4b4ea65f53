//! What a core has executed, for the counters of Vortex 3.

use vortex_isa::{Class, Opcode};

/// What a core has executed, by kind, where the cycle model runs: the functional one has no time for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Executed {
    pub(crate) branches: u64,
    pub(crate) divergent: u64,
    pub(crate) integer: u64,
    pub(crate) float: u64,
    pub(crate) memory: u64,
    pub(crate) control: u64,
    pub(crate) loading: u64,
    pub(crate) storing: u64,
}

impl Executed {
    /// Records an instruction, with the lanes that were on before it and are on after it.
    pub(crate) fn note(&mut self, opcode: Opcode, before: u32, after: u32) {
        let lanes = u64::from(before.count_ones());
        let class = opcode.info().class;
        let unit = match class {
            Class::Load | Class::LoadPacked | Class::Store | Class::Atomic | Class::Fence => {
                &mut self.memory
            }
            Class::FpMisc
            | Class::FpAdd
            | Class::FpFma
            | Class::FpDiv
            | Class::FpSqrt
            | Class::FpConvert => &mut self.float,
            Class::Csr | Class::Simt => &mut self.control,
            _ => &mut self.integer,
        };
        *unit += 1;
        match class {
            Class::Branch | Class::Jump => self.branches += 1,
            Class::Load | Class::LoadPacked | Class::Atomic => self.loading += lanes,
            Class::Store => self.storing += lanes,
            Class::Simt if opcode == Opcode::Split && before != after => self.divergent += 1,
            _ => {}
        }
    }
}
