//! Which bits of a warp's registers are uninitialised.

use super::registers::{self, FLOAT_ROWS, LANES, Registers, Row, SINK};
use super::trap::Origin;
use vortex_isa::{float_register_name, integer_register_name};

/// Registers there are.
const COUNT: usize = SINK as usize;
/// A register that nothing was put into.
const BLANK: Row = [[u32::MAX; 8]; LANES / 8];

/// What is not known about a warp's registers.
#[derive(Clone)]
pub(crate) struct Shadow {
    /// Ones for the bits without a value, in the lanes that `lanes` names, except for registers that are `blank`.
    bits: Registers,
    /// The registers of which no bit has a value in those lanes: most, until something is put into them.
    blank: u64,
    /// Per register, the lanes in which some bit has no value. So to say that what an instruction computes has values
    /// is one operation, whichever lanes are active.
    lanes: [u32; COUNT],
    /// The registers for which that are any lanes, and all.
    some: u64,
    all: u64,
    /// Where each register got such bits from, unless it is `blank`.
    origins: [Origin; COUNT],
}

impl Shadow {
    pub(crate) fn new() -> Shadow {
        Shadow {
            bits: Registers::new(),
            blank: 0,
            lanes: [0; COUNT],
            some: 0,
            all: 0,
            origins: [Origin::Register; COUNT],
        }
    }

    /// Registers as they are when a device is switched on.
    pub(crate) fn forget(&mut self) {
        self.lanes = [u32::MAX; COUNT];
        // x0 is 0; its row is never written.
        self.lanes[0] = 0;
        (self.blank, self.some, self.all) = (!1, !1, !1);
    }

    /// The bits of a register that have no value in a lane.
    #[inline]
    pub(crate) fn lane(&self, register: u8, lane: u32) -> u32 {
        if self.lanes[usize::from(register) % COUNT] >> lane & 1 == 0 {
            0
        } else if self.blank >> register & 1 != 0 {
            u32::MAX
        } else {
            registers::lane(self.bits.row(register), lane)
        }
    }

    /// The registers that lack values in some of these lanes.
    #[inline]
    pub(crate) fn rows(&self, mask: u32) -> u64 {
        if mask == 0 {
            return 0;
        }
        let (mut rows, mut mixed) = (self.all, self.some & !self.all);
        while mixed != 0 {
            let register = mixed.trailing_zeros();
            let lanes = self.lanes[register as usize % COUNT];
            rows |= u64::from(lanes & mask != 0) << register;
            mixed &= mixed - 1;
        }
        rows
    }

    pub(crate) fn origin(&self, register: u8) -> Origin {
        match self.blank >> register & 1 {
            0 => self.origins[usize::from(register) % COUNT],
            _ => Origin::Register,
        }
    }

    /// Says that all bits of a register have a value in these lanes.
    #[inline]
    pub(crate) fn define(&mut self, register: u8, lanes: u32) {
        let lacking = &mut self.lanes[usize::from(register) % COUNT];
        *lacking &= !lanes;
        let bit = 1u64 << register;
        self.all &= !bit;
        if *lacking == 0 {
            self.some &= !bit;
        } else {
            self.origins[usize::from(register) % COUNT] = Origin::Register;
        }
    }

    /// Sets the bits of a register that have no value, in the lanes that are all ones in `lanes`. Returns whether
    /// there are any.
    pub(crate) fn set(&mut self, register: u8, lanes: &Row, values: &Row, origin: Origin) -> bool {
        let bit = 1u64 << register;
        let row = self.bits.row_mut(register);
        if self.blank & bit != 0 {
            self.blank &= !bit;
            *row = BLANK;
        }
        let lacking = &mut self.lanes[usize::from(register) % COUNT];
        let (mut set, mut unknown) = (0, 0);
        let row = row.as_flattened_mut().iter_mut();
        let given = lanes.as_flattened().iter().zip(values.as_flattened());
        for (n, (bits, (on, value))) in row.zip(given).enumerate() {
            *bits = *bits & !on | value & on;
            set |= (on & 1) << n;
            unknown |= u32::from(value & on != 0) << n;
        }
        *lacking = *lacking & !set | unknown;
        self.some = self.some & !bit | u64::from(*lacking != 0) << register;
        self.all = self.all & !bit | u64::from(*lacking == u32::MAX) << register;
        self.origins[usize::from(register) % COUNT] = origin;
        unknown != 0
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
    const DEFINED: Row = [[0; 8]; LANES / 8];

    fn only_lane_0() -> Row {
        let mut lanes = DEFINED;
        lanes[0][0] = u32::MAX;
        lanes
    }

    fn row(shadow: &Shadow, register: u8) -> Row {
        let mut row = DEFINED;
        for (n, bits) in (0..).zip(row.as_flattened_mut()) {
            *bits = shadow.lane(register, n);
        }
        row
    }

    #[test]
    fn defined_in_all_lanes_until_one_is_not() {
        let mut shadow = Shadow::new();
        shadow.forget();
        assert_eq!(shadow.rows(ALL), !1);
        shadow.define(T0, ALL);
        assert_eq!(shadow.rows(ALL), !1 & !(1 << T0));
        assert_eq!(row(&shadow, T0), DEFINED);

        let unknown = shadow.set(T0, &only_lane_0(), &BLANK, Origin::Register);
        assert!(unknown);
        assert_eq!(shadow.rows(1), !1);
        assert_eq!(shadow.rows(!1), !1 & !(1 << T0));
        assert_eq!(row(&shadow, T0), only_lane_0());

        shadow.define(T0, ALL);
        assert_eq!(shadow.rows(1), !1 & !(1 << T0));
        shadow.forget();
        assert_eq!(row(&shadow, T0), BLANK);
    }

    #[test]
    fn lane_by_lane() {
        for define in [
            |shadow: &mut Shadow| shadow.define(T0, 1),
            |shadow: &mut Shadow| {
                assert!(!shadow.set(T0, &only_lane_0(), &DEFINED, Origin::Register));
            },
        ] {
            let mut shadow = Shadow::new();
            shadow.forget();
            define(&mut shadow);
            assert_eq!(shadow.rows(1), !1 & !(1 << T0));
            assert_eq!(shadow.rows(2), !1);
            assert_eq!(shadow.rows(0), 0);
            assert_eq!([0, 1].map(|n| shadow.lane(T0, n)), [0, ALL]);
        }
    }
}
