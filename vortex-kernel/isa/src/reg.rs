//! Names of the registers, by the ABI.

/// The ABI name of an integer register: `sp` of 2. Of a number beyond 31, its lowest five bits count.
#[must_use]
pub fn integer_register_name(register: u8) -> &'static str {
    const NAMES: [&str; 32] = [
        "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
        "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
        "t5", "t6",
    ];
    NAMES[usize::from(register & 31)]
}

/// The ABI name of a float register: `fa0` of 10. Of a number beyond 31, its lowest five bits count.
#[must_use]
pub fn float_register_name(register: u8) -> &'static str {
    const NAMES: [&str; 32] = [
        "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2",
        "fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9",
        "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
    ];
    NAMES[usize::from(register & 31)]
}

macro_rules! registers {
    ($($name:ident = $number:literal),* $(,)?) => {
        $(
            #[doc = concat!("Register ", $number, ".")]
            pub const $name: u8 = $number;
        )*
    };
}

/// Numbers of the integer registers by ABI name.
pub mod x {
    registers! {
        ZERO = 0, RA = 1, SP = 2, GP = 3, TP = 4, T0 = 5, T1 = 6, T2 = 7, S0 = 8, S1 = 9, A0 = 10, A1 = 11, A2 = 12,
        A3 = 13, A4 = 14, A5 = 15, A6 = 16, A7 = 17, S2 = 18, S3 = 19, S4 = 20, S5 = 21, S6 = 22, S7 = 23, S8 = 24,
        S9 = 25, S10 = 26, S11 = 27, T3 = 28, T4 = 29, T5 = 30, T6 = 31,
    }
}

/// Numbers of the float registers by ABI name.
pub mod f {
    registers! {
        FT0 = 0, FT1 = 1, FT2 = 2, FT3 = 3, FT4 = 4, FT5 = 5, FT6 = 6, FT7 = 7, FS0 = 8, FS1 = 9, FA0 = 10, FA1 = 11,
        FA2 = 12, FA3 = 13, FA4 = 14, FA5 = 15, FA6 = 16, FA7 = 17, FS2 = 18, FS3 = 19, FS4 = 20, FS5 = 21, FS6 = 22,
        FS7 = 23, FS8 = 24, FS9 = 25, FS10 = 26, FS11 = 27, FT8 = 28, FT9 = 29, FT10 = 30, FT11 = 31,
    }
}
