//! Numbers as bytes, and other methods of numbers that are rarer, against Rust's own.

use vortex::prelude::*;

use crate::harness::same;

same! {
    of_words(a: u32, b: u32) -> u32 {
        let [w, x, y, z] = a.to_be_bytes();
        let le = u32::from_le_bytes([w, x, y, z]);
        let swapped = u32::from_be_bytes(b.to_le_bytes());
        let mixed = i32::from_ne_bytes([z, y, x, w]) as u32;
        le ^ swapped.rotate_left(5) ^ mixed.rotate_left(11) ^ a.to_ne_bytes()[1] as u32
    }

    of_wide_numbers(a: u64, b: i64) -> u64 {
        let bytes = a.to_le_bytes();
        let back = u64::from_le_bytes(bytes);
        let other = i64::from_be_bytes(bytes) as u64;
        back ^ other.rotate_left(9) ^ b.to_be_bytes()[2] as u64
    }

    of_halves(a: i16, b: u16) -> u16 {
        let [high, low] = a.to_be_bytes();
        u16::from_le_bytes([high, low]) ^ b.to_be_bytes()[1] as u16 ^ u16::from(a.to_le_bytes()[0])
    }

    of_floats(a: f32, b: f32) -> f32 {
        let x = a.to_be_bytes();
        let y = f32::from_be_bytes(x);
        if y.to_le_bytes() == b.to_le_bytes() { 1.0 } else { y }
    }

    logarithms(a: u32, b: i32) -> u32 {
        let none = b.checked_ilog10().is_none() as u32;
        let tens = a.checked_ilog10().unwrap_or(99) + b.checked_ilog10().unwrap_or(50) * 100;
        (a | 1).ilog2() << 20 ^ (a | 1).ilog10() << 25 ^ tens ^ none << 31
    }

    logarithms_of_wide_numbers(a: u64, b: i64) -> u32 {
        a.checked_ilog10().unwrap_or(99) + b.checked_ilog10().unwrap_or(50) * 100
    }

    logarithms_of_bytes(a: u8, b: i8) -> u32 {
        a.checked_ilog10().unwrap_or(99) + b.checked_ilog10().unwrap_or(50) * 100
    }

    euclid_of_floats(a: f32, b: f32) -> f32 {
        a.rem_euclid(b)
    }

    quotients_of_floats(a: f32, b: f32) -> f32 {
        a.div_euclid(b)
    }
}
