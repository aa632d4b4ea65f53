//! Instructions in flight.

use vortex_isa::{Class, Inst, Opcode, RegFile, Rounding, csr};

/// Where the table of the program's instructions has one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry(pub(super) u32);

/// The units that instructions are dispatched to, in the order in which their results are committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Alu,
    Lsu,
    Sfu,
    Fpu,
}

pub(super) const UNITS: usize = 4;

/// What an instruction keeps busy in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    /// Branches, jumps and environment calls.
    Branch,
    Multiply,
    Divide,
    FloatMultiplyAdd,
    FloatDivide,
    FloatSquareRoot,
    FloatConvert,
    FloatMisc,
    Load,
    Store,
    Atomic,
    Fence,
    Csr,
    /// A CSR that float instructions write: it is accessed when the warp has nothing else under way.
    FloatCsr,
    /// Masks and warps.
    Control,
    /// A control instruction that takes effect a cycle later than the others.
    Join,
    Barrier,
    /// An arrival at a barrier that does not wait there.
    Arrival,
    /// It waits until the warp has nothing else under way.
    Sync,
}

impl Kind {
    /// Whether it is the control unit's, and no access to a CSR.
    pub(super) fn is_control(self) -> bool {
        use Kind::{Arrival, Barrier, Control, Join, Sync};
        matches!(self, Control | Join | Barrier | Arrival | Sync)
    }
}

/// The float CSRs that an instruction reads or writes, where they are awaited as registers are: a bit for the flags,
/// and one for the rounding mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FloatState {
    pub(super) touched: u8,
    pub(super) written: u8,
}

impl FloatState {
    const FLAGS: u8 = 1;
    const MODE: u8 = 2;

    fn of(inst: &Inst, class: Class) -> FloatState {
        let both = |written: u8| FloatState {
            touched: written,
            written,
        };
        // A rounding mode of 7 is that of the CSR.
        let rounds = |state: FloatState| FloatState {
            touched: state.touched | (u8::from(inst.rm == Rounding::Dyn) * Self::MODE),
            ..state
        };
        match class {
            Class::FpAdd | Class::FpFma | Class::FpDiv | Class::FpSqrt | Class::FpConvert => {
                rounds(both(Self::FLAGS))
            }
            Class::FpMisc if sets_flags(inst.opcode) => both(Self::FLAGS),
            Class::Csr => {
                let which = match inst.csr() {
                    csr::FFLAGS => Self::FLAGS,
                    csr::FRM => Self::MODE,
                    csr::FCSR => Self::FLAGS | Self::MODE,
                    _ => 0,
                };
                let reads = matches!(
                    inst.opcode,
                    Opcode::Csrrs | Opcode::Csrrc | Opcode::Csrrsi | Opcode::Csrrci
                ) && inst.rs1 == 0;
                FloatState {
                    touched: which,
                    written: if reads { 0 } else { which },
                }
            }
            _ => FloatState::default(),
        }
    }
}

/// Whether a float instruction without arithmetic can raise a flag.
const fn sets_flags(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Fmin | Opcode::Fmax | Opcode::Feq | Opcode::Flt | Opcode::Fle
    )
}

/// What the pipeline must know about an instruction before it is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) unit: Unit,
    pub(super) kind: Kind,
    /// Register written; 0: none.
    pub(super) rd: u8,
    /// Registers read; 0: none.
    pub(super) rs: [u8; 3],
    /// Cycles it takes to read them.
    pub(super) reads: u8,
    pub(super) float: FloatState,
}

impl Decoded {
    /// Words that are not instructions go through the pipeline as nops, to be complained about where they are executed.
    pub(super) const ILLEGAL: Decoded = Decoded {
        unit: Unit::Alu,
        kind: Kind::Integer,
        rd: 0,
        rs: [0; 3],
        reads: 1,
        float: FloatState {
            touched: 0,
            written: 0,
        },
    };

    /// `banks`: of registers. `flags_are_registers`: as [`Stages`](super::stages::Stages) says.
    pub(super) fn new(inst: &Inst, banks: u32, flags_are_registers: bool) -> Decoded {
        let class = inst.opcode.info().class;
        let (unit, kind) = match class {
            // Votes and shuffles are not part of Vortex 2's hardware; Vortex 3 has them in the integer unit.
            Class::Alu | Class::Vote => (Unit::Alu, Kind::Integer),
            Class::Branch | Class::Jump | Class::System => (Unit::Alu, Kind::Branch),
            Class::Mul => (Unit::Alu, Kind::Multiply),
            Class::Div => (Unit::Alu, Kind::Divide),
            Class::FpMisc => (Unit::Fpu, Kind::FloatMisc),
            Class::FpAdd | Class::FpFma => (Unit::Fpu, Kind::FloatMultiplyAdd),
            Class::FpDiv => (Unit::Fpu, Kind::FloatDivide),
            Class::FpSqrt => (Unit::Fpu, Kind::FloatSquareRoot),
            Class::FpConvert => (Unit::Fpu, Kind::FloatConvert),
            Class::Load | Class::LoadPacked => (Unit::Lsu, Kind::Load),
            Class::Store => (Unit::Lsu, Kind::Store),
            Class::Atomic => (Unit::Lsu, Kind::Atomic),
            Class::Fence => (Unit::Lsu, Kind::Fence),
            Class::Csr if inst.csr() <= csr::FCSR && !flags_are_registers => {
                (Unit::Sfu, Kind::FloatCsr)
            }
            Class::Csr => (Unit::Sfu, Kind::Csr),
            Class::Simt => (
                Unit::Sfu,
                match inst.opcode {
                    Opcode::Join => Kind::Join,
                    Opcode::Bar | Opcode::BarWait => Kind::Barrier,
                    Opcode::BarArrive => Kind::Arrival,
                    Opcode::Wsync => Kind::Sync,
                    _ => Kind::Control,
                },
            ),
        };
        let number = |(file, register): (RegFile, u8)| match file {
            RegFile::Integer => register,
            RegFile::Float => register + 32,
        };
        let mut rs = [0; 3];
        for (slot, source) in rs.iter_mut().zip(inst.sources()) {
            *slot = number(source);
        }
        Decoded {
            unit,
            kind,
            rd: inst.destination().map_or(0, number),
            rs,
            reads: reads(rs, banks),
            float: match flags_are_registers {
                true => FloatState::of(inst, class),
                false => FloatState::default(),
            },
        }
    }

    /// Whether the warp is fetched again only after this was executed.
    pub(super) const fn holds_fetch(&self) -> bool {
        matches!(
            self.kind,
            Kind::Branch | Kind::FloatCsr | Kind::Control | Kind::Join | Kind::Barrier | Kind::Sync
        )
    }
}

/// Cycles it takes to read registers, one per bank in each.
fn reads(registers: [u8; 3], banks: u32) -> u8 {
    let bank = |n: usize| (registers[n] != 0).then(|| u32::from(registers[n]) % banks.max(1));
    let alike = |n: usize| {
        (0..3)
            .filter(|&m| bank(n).is_some() && bank(m) == bank(n))
            .count() as u8
    };
    (0..3).map(alike).max().unwrap_or(1).max(1)
}

/// Index of a [`Uop`].
pub(super) type Id = u16;

/// An instruction under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uop {
    pub(super) warp: u8,
    /// The warp's slice, and its number there.
    pub(super) slice: u8,
    pub(super) index: u8,
    /// Where the table has it.
    pub(super) entry: Entry,
    pub(super) decoded: Decoded,
    /// Its memory request, from dispatch on.
    pub(super) request: u16,
    /// Whether it left its warp waiting for others.
    pub(super) waits: bool,
    /// The barrier that it is about.
    pub(super) barrier: u32,
}

/// All instructions under way in a core.
#[derive(Debug, Default)]
pub(super) struct Uops {
    all: Vec<Uop>,
    free: Vec<Id>,
}

impl Uops {
    pub(super) fn add(&mut self, uop: Uop) -> Id {
        if let Some(id) = self.free.pop() {
            self.all[usize::from(id)] = uop;
            return id;
        }
        self.all.push(uop);
        (self.all.len() - 1) as Id
    }

    #[inline]
    pub(super) fn remove(&mut self, id: Id) {
        self.free.push(id);
    }

    /// Whether nothing is under way.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.free.len() == self.all.len()
    }
}

impl std::ops::Index<Id> for Uops {
    type Output = Uop;

    #[inline]
    fn index(&self, id: Id) -> &Uop {
        &self.all[usize::from(id)]
    }
}

impl std::ops::IndexMut<Id> for Uops {
    #[inline]
    fn index_mut(&mut self, id: Id) -> &mut Uop {
        &mut self.all[usize::from(id)]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use vortex_isa::{Inst, Opcode, x};

    #[test]
    fn operands_in_one_bank_are_read_one_after_the_other() {
        let reads = |a, b| Decoded::new(&Inst::r(Opcode::Add, x::A0, a, b), 4, false).reads;
        assert_eq!(reads(x::A1, x::A2), 1);
        assert_eq!(reads(x::A1, x::A5), 2, "x11 and x15");
        assert_eq!(reads(x::A1, x::A1), 2);
        assert_eq!(reads(x::ZERO, x::ZERO), 1);
    }
}
