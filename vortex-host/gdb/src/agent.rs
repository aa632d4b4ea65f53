//! gdb's agent expressions: conditions of breakpoints, compiled by gdb to a byte code for a stack machine, so that gdb
//! need not be asked for each lane that reaches one.
//!
//! ["The GDB Agent Expression
//! Mechanism"](https://sourceware.org/gdb/current/onlinedocs/gdb.html/Agent-Expressions.html) describes it. Where it
//! has no operations, as for floats, gdb evaluates the condition itself.

/// What an expression can ask for.
pub(crate) trait Around {
    /// A register, by its number in the target description.
    fn register(&self, number: usize) -> Option<u32>;

    /// `size` bytes of memory.
    fn memory(&self, address: u32, size: usize) -> Option<u64>;
}

/// So many operations at most: an expression may have loops.
const MOST: usize = 100_000;

/// As many values at most.
const DEPTH: usize = 1 << 10;

/// The value of an expression. `None`: it cannot be determined, for memory that is not there, an unknown operation, or
/// a division by zero.
pub(crate) fn evaluate(code: &[u8], around: &dyn Around) -> Option<u64> {
    let mut machine = Machine {
        code,
        at: 0,
        stack: Vec::new(),
    };
    for _ in 0..MOST {
        if machine.step(around)? {
            return machine.stack.pop();
        }
    }
    None
}

struct Machine<'a> {
    code: &'a [u8],
    at: usize,
    stack: Vec<u64>,
}

impl Machine<'_> {
    /// The next bytes of the code, the highest first.
    fn operand(&mut self, size: usize) -> Option<u64> {
        let bytes = self.code.get(self.at..self.at.checked_add(size)?)?;
        self.at += size;
        Some(
            bytes
                .iter()
                .fold(0, |all, byte| all << 8 | u64::from(*byte)),
        )
    }

    fn push(&mut self, value: u64) -> Option<()> {
        if self.stack.len() == DEPTH {
            return None;
        }
        self.stack.push(value);
        Some(())
    }

    fn unary(&mut self, operation: impl FnOnce(u64) -> u64) -> Option<()> {
        let a = self.stack.pop()?;
        self.push(operation(a))
    }

    fn binary(&mut self, operation: impl FnOnce(u64, u64) -> Option<u64>) -> Option<()> {
        let (b, a) = (self.stack.pop()?, self.stack.pop()?);
        self.push(operation(a, b)?)
    }

    /// Executes an operation; whether that was the last.
    fn step(&mut self, around: &dyn Around) -> Option<bool> {
        let signed = u64::cast_signed;
        let truth = |truth: bool| Some(u64::from(truth));
        match self.operand(1)? {
            // The numbers are gdb's (gdbsupport/ax.def).
            0x02 => self.binary(|a, b| Some(a.wrapping_add(b)))?,
            0x03 => self.binary(|a, b| Some(a.wrapping_sub(b)))?,
            0x04 => self.binary(|a, b| Some(a.wrapping_mul(b)))?,
            0x05 => self.binary(|a, b| {
                let quotient = signed(a).checked_div(signed(b))?;
                Some(quotient.cast_unsigned())
            })?,
            0x06 => self.binary(u64::checked_div)?,
            0x07 => self.binary(|a, b| {
                let rest = signed(a).checked_rem(signed(b))?;
                Some(rest.cast_unsigned())
            })?,
            0x08 => self.binary(u64::checked_rem)?,
            0x09 => self.binary(|a, b| Some(shift(b, |by| a.checked_shl(by))))?,
            0x0a => self.binary(|a, b| {
                let by = b.min(63) as u32;
                Some((signed(a) >> by).cast_unsigned())
            })?,
            0x0b => self.binary(|a, b| Some(shift(b, |by| a.checked_shr(by))))?,
            0x0e => self.unary(|a| u64::from(a == 0))?,
            0x0f => self.binary(|a, b| Some(a & b))?,
            0x10 => self.binary(|a, b| Some(a | b))?,
            0x11 => self.binary(|a, b| Some(a ^ b))?,
            0x12 => self.unary(|a| !a)?,
            0x13 => self.binary(|a, b| truth(a == b))?,
            0x14 => self.binary(|a, b| truth(signed(a) < signed(b)))?,
            0x15 => self.binary(|a, b| truth(a < b))?,
            0x16 => {
                let unused = 64u32.checked_sub(self.operand(1)? as u32)?.min(63);
                self.unary(|a| (signed(a << unused) >> unused).cast_unsigned())?;
            }
            0x2a => {
                let unused = 64u32.checked_sub(self.operand(1)? as u32)?.min(63);
                self.unary(|a| a << unused >> unused)?;
            }
            size @ 0x17..=0x1a => {
                let address = self.stack.pop()? as u32;
                self.push(around.memory(address, 1 << (size - 0x17))?)?;
            }
            0x20 => {
                let target = self.operand(2)? as usize;
                if self.stack.pop()? != 0 {
                    self.at = target;
                }
            }
            0x21 => self.at = self.operand(2)? as usize,
            size @ 0x22..=0x25 => {
                let constant = self.operand(1 << (size - 0x22))?;
                self.push(constant)?;
            }
            0x26 => {
                let number = self.operand(2)? as usize;
                self.push(u64::from(around.register(number)?))?;
            }
            0x27 => return Some(true),
            0x28 => {
                let top = *self.stack.last()?;
                self.push(top)?;
            }
            0x29 => {
                self.stack.pop()?;
            }
            0x2b => {
                let (b, a) = (self.stack.pop()?, self.stack.pop()?);
                self.push(b)?;
                self.push(a)?;
            }
            0x32 => {
                let depth = self.operand(1)? as usize;
                let index = self.stack.len().checked_sub(1 + depth)?;
                let value = *self.stack.get(index)?;
                self.push(value)?;
            }
            0x33 => {
                let top = self.stack.len().checked_sub(3)?;
                self.stack.get_mut(top..)?.rotate_right(1);
            }
            _ => return None,
        }
        Some(false)
    }
}

/// A shift by as much as somebody says; by too much, nothing is left.
fn shift(by: u64, shifted: impl FnOnce(u32) -> Option<u64>) -> u64 {
    u32::try_from(by).ok().and_then(shifted).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Register n holds n, and each byte of memory the low byte of its address; there is none from 1000 on.
    struct Numbers;

    impl Around for Numbers {
        fn register(&self, number: usize) -> Option<u32> {
            (number < 73).then_some(number as u32)
        }

        fn memory(&self, address: u32, size: usize) -> Option<u64> {
            let bytes = (0..size as u32).rev().map(|n| address + n);
            (address < 1000).then(|| bytes.fold(0, |all, at| all << 8 | u64::from(at & 0xff)))
        }
    }

    fn value(code: &[u8]) -> Option<u64> {
        evaluate(code, &Numbers)
    }

    #[test]
    fn what_gdb_makes_of_a_comparison() {
        // `item == 4096`, of a register; and of a word at 0x10.
        let register = [0x26, 0, 65, 0x23, 0x10, 0x00, 0x13, 0x27];
        assert_eq!(value(&register), Some(0));
        let memory = [0x22, 0x10, 0x19, 0x24, 0x13, 0x12, 0x11, 0x10, 0x13, 0x27];
        assert_eq!(value(&memory), Some(1));
    }

    #[test]
    fn arithmetic() {
        let binary = |a: u8, b: u8, operation| value(&[0x22, a, 0x22, b, operation, 0x27]);
        for (operation, expected) in [
            (0x02, 10),
            (0x03, 4),
            (0x04, 21),
            (0x05, 2),
            (0x06, 2),
            (0x07, 1),
            (0x08, 1),
            (0x09, 56),
            (0x0a, 0),
            (0x0b, 0),
            (0x0f, 3),
            (0x10, 7),
            (0x11, 4),
            (0x13, 0),
            (0x14, 0),
            (0x15, 0),
        ] {
            assert_eq!(binary(7, 3, operation), Some(expected), "{operation:#x}");
        }
        // -1 of eight bits, extended by its sign and by zeros; divided by zero.
        assert_eq!(value(&[0x22, 0xff, 0x16, 8, 0x27]), Some(u64::MAX));
        assert_eq!(value(&[0x22, 0xff, 0x2a, 4, 0x27]), Some(15));
        assert_eq!(binary(1, 0, 0x05), None);
        assert_eq!(value(&[0x22, 0, 0x0e, 0x27]), Some(1));
        assert_eq!(value(&[0x22, 0, 0x12, 0x27]), Some(u64::MAX));
    }

    #[test]
    fn jumps_and_the_stack() {
        // `if 1 { 5 } else { 6 }`, as gdb does it for `&&`.
        let choice = [0x22, 1, 0x20, 0, 10, 0x22, 6, 0x21, 0, 12, 0x22, 5, 0x27];
        assert_eq!(value(&choice), Some(5));
        assert_eq!(value(&[0x22, 1, 0x22, 2, 0x2b, 0x03, 0x27]), Some(1));
        assert_eq!(value(&[0x22, 1, 0x22, 2, 0x32, 1, 0x27]), Some(1));
        assert_eq!(
            value(&[0x22, 1, 0x22, 2, 0x22, 3, 0x33, 0x29, 0x27]),
            Some(1)
        );
        assert_eq!(value(&[0x22, 1, 0x28, 0x02, 0x27]), Some(2));
    }

    #[test]
    fn what_is_not_one() {
        for code in [
            &[] as &[u8],
            &[0x27],
            &[0x02, 0x27],
            &[0x22],
            &[0x01],
            &[0xff, 0x27],
            // For ever.
            &[0x21, 0, 0],
            &[0x22, 0, 0x21, 0, 0],
            &[0x21, 0xff, 0xff],
            // Memory and registers that are not there.
            &[0x23, 0xff, 0xff, 0x19, 0x27],
            &[0x26, 0, 200, 0x27],
            &[0x22, 1, 0x32, 7, 0x27],
            &[0x22, 1, 0x16, 65, 0x27],
        ] {
            assert_eq!(value(code), None, "{code:x?}");
        }
    }
}
