//! Which bits of a warp's registers are uninitialised.

use super::registers::{FLOAT_ROWS, LANES, Registers, Row, SINK, lanes_of};
use super::trap::Origin;
use vortex_isa::{float_register_name, integer_register_name};

/// Registers there are.
const COUNT: usize = SINK as usize;
/// A register that nothing was put into.
const BLANK: Row = [[u32::MAX; 8]; LANES / 8];
/// A register that all lanes have put something into.
const DEFINED: Row = [[0; 8]; LANES / 8];
/// How many masks a divergent loop goes through, more or less: a power of two.
const ANSWERS: usize = 8;

/// What is not known about a warp's registers.
#[derive(Clone)]
pub(crate) struct Shadow {
    /// Ones for the bits without a value, except for registers that are `blank` or `defined`.
    bits: Registers,
    /// The registers that nothing was ever put into, of which all bits have no value.
    blank: u64,
    /// The registers that all lanes have put a value into at once, whatever is written elsewhere: most are, and this
    /// is one bit.
    defined: u64,
    /// Per lane, the registers that have such bits, unless they are `defined`.
    rows: [u64; LANES],
    /// Where each register got them from.
    origins: [Origin; COUNT],
    /// What was found in `rows` since it last changed, by mask. An empty mask has no registers.
    answers: [(u32, u64); ANSWERS],
}

impl Shadow {
    pub(crate) fn new() -> Shadow {
        Shadow {
            bits: Registers::new(),
            blank: 0,
            defined: 0,
            rows: [0; LANES],
            origins: [Origin::Register; COUNT],
            answers: [(0, 0); ANSWERS],
        }
    }

    /// Registers as they are when a device is switched on.
    pub(crate) fn forget(&mut self) {
        // x0 is 0; its row is never written.
        self.blank = !1;
        self.defined = 0;
        self.rows = [!1; LANES];
        self.origins = [Origin::Register; COUNT];
        self.answers = [(0, 0); ANSWERS];
    }

    /// The bits of a register that have no value. Right in the lanes of registers that `rows` names, zero elsewhere.
    pub(crate) fn row(&self, register: u8) -> &Row {
        let bit = 1u64 << register;
        if self.defined & bit != 0 {
            &DEFINED
        } else if self.blank & bit != 0 {
            &BLANK
        } else {
            self.bits.row(register)
        }
    }

    /// The registers that lack values in some of these lanes.
    #[inline]
    pub(crate) fn rows(&mut self, mask: u32) -> u64 {
        let answer = &mut self.answers[mask.wrapping_mul(0x9e37_79b1) as usize >> 29];
        if answer.0 != mask {
            let rows = lanes_of(mask).map(|n| self.rows[n as usize % LANES]);
            *answer = (mask, rows.fold(0, |all, rows| all | rows));
        }
        answer.1 & !self.defined
    }

    pub(crate) fn origin(&self, register: u8) -> Origin {
        self.origins[usize::from(register) % COUNT]
    }

    /// Says that all lanes have put a value into a register.
    #[inline]
    pub(crate) fn define(&mut self, register: u8) {
        self.defined |= 1 << register;
    }

    /// Sets the bits of a register that have no value, in the lanes that are all ones in `lanes`. Returns whether
    /// there are any.
    pub(crate) fn set(&mut self, register: u8, lanes: &Row, values: &Row, origin: Origin) -> bool {
        let bit = 1u64 << register;
        let row = self.bits.row_mut(register);
        if self.defined & bit != 0 {
            self.defined &= !bit;
            self.blank &= !bit;
            *row = DEFINED;
            self.rows.iter_mut().for_each(|rows| *rows &= !bit);
            self.answers = [(0, 0); ANSWERS];
        } else if self.blank & bit != 0 {
            self.blank &= !bit;
            *row = BLANK;
        }
        let (mut any, mut changed) = (0, 0);
        // Without a branch, so that lanes are worked on together.
        let row = row.as_flattened_mut().iter_mut();
        let given = lanes.as_flattened().iter().zip(values.as_flattened());
        for ((bits, rows), (on, value)) in row.zip(&mut self.rows).zip(given) {
            any |= value & on;
            *bits = *bits & !on | value & on;
            let now = *rows & !bit | u64::from(*bits != 0) << register;
            changed |= now ^ *rows;
            *rows = now;
        }
        if changed != 0 {
            self.answers = [(0, 0); ANSWERS];
        }
        self.origins[usize::from(register) % COUNT] = origin;
        any != 0
    }
}

/// Float exceptions that may have been raised, or may not, for operands had no value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doubts {
    /// Which ones, unless they are raised for certain.
    pub(crate) possible: u32,
    /// Those of them that are, as it happened.
    pub(crate) raised: u32,
    /// Where such an operand came from.
    pub(crate) origin: Origin,
}

impl Doubts {
    pub(crate) const NONE: Self = Self {
        possible: 0,
        raised: 0,
        origin: Origin::Register,
    };
}

/// What a row of the register file is called.
pub(crate) fn name(row: u8) -> &'static str {
    if row < FLOAT_ROWS {
        integer_register_name(row)
    } else {
        float_register_name(row - FLOAT_ROWS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: u32 = u32::MAX;
    const T0: u8 = 5;

    fn only_lane_0() -> Row {
        let mut lanes = DEFINED;
        lanes[0][0] = u32::MAX;
        lanes
    }

    #[test]
    fn defined_in_all_lanes_until_one_is_not() {
        let mut shadow = Shadow::new();
        shadow.forget();
        assert_eq!(shadow.rows(ALL), !1);
        shadow.define(T0);
        assert_eq!(shadow.rows(ALL), !1 & !(1 << T0));
        assert_eq!(*shadow.row(T0), DEFINED);

        let unknown = shadow.set(T0, &only_lane_0(), &BLANK, Origin::Register);
        assert!(unknown);
        assert_eq!(shadow.rows(1), !1);
        assert_eq!(shadow.rows(!1), !1 & !(1 << T0));
        assert_eq!(*shadow.row(T0), only_lane_0());

        shadow.define(T0);
        assert_eq!(shadow.rows(1), !1 & !(1 << T0));
        shadow.forget();
        assert_eq!(*shadow.row(T0), BLANK);
    }

    #[test]
    fn lane_by_lane() {
        let mut shadow = Shadow::new();
        shadow.forget();
        assert!(!shadow.set(T0, &only_lane_0(), &DEFINED, Origin::Register));
        assert_eq!(shadow.rows(1), !1 & !(1 << T0));
        assert_eq!(shadow.rows(2), !1);
    }
}
