//! `as` between all scalar types.

use vortex::prelude::*;

use crate::harness::same;

macro_rules! casts {
    ($($name:ident: $from:ident as $($to:ident)*;)*) => {$(
        mod $name {
            use super::*;

            $(casts! { @one $from $to })*
        }
    )*};
    (@one $from:ident bool) => { same! { to_bool(a: $from, b: $from) -> bool { a as bool } } };
    (@one $from:ident i8) => { same! { to_i8(a: $from, b: $from) -> i8 { a as i8 } } };
    (@one $from:ident i16) => { same! { to_i16(a: $from, b: $from) -> i16 { a as i16 } } };
    (@one $from:ident i32) => { same! { to_i32(a: $from, b: $from) -> i32 { a as i32 } } };
    (@one $from:ident u8) => { same! { to_u8(a: $from, b: $from) -> u8 { a as u8 } } };
    (@one $from:ident u16) => { same! { to_u16(a: $from, b: $from) -> u16 { a as u16 } } };
    (@one $from:ident u32) => { same! { to_u32(a: $from, b: $from) -> u32 { a as u32 } } };
    (@one $from:ident i64) => { same! { to_i64(a: $from, b: $from) -> i64 { a as i64 } } };
    (@one $from:ident u64) => { same! { to_u64(a: $from, b: $from) -> u64 { a as u64 } } };
    (@one $from:ident f32) => { same! { to_f32(a: $from, b: $from) -> f32 { a as f32 } } };
}

casts! {
    from_bool: bool as bool i8 i16 i32 u8 u16 u32 i64 u64;
    from_i8: i8 as i8 i16 i32 u8 u16 u32 i64 u64 f32;
    from_i16: i16 as i8 i16 i32 u8 u16 u32 i64 u64 f32;
    from_i32: i32 as i8 i16 i32 u8 u16 u32 i64 u64 f32;
    from_u8: u8 as i8 i16 i32 u8 u16 u32 i64 u64 f32;
    from_u16: u16 as i8 i16 i32 u8 u16 u32 i64 u64 f32;
    from_u32: u32 as i8 i16 i32 u8 u16 u32 i64 u64 f32;
    from_i64: i64 as i8 i16 i32 u8 u16 u32 i64 u64 f32;
    from_u64: u64 as i8 i16 i32 u8 u16 u32 i64 u64 f32;
    from_f32: f32 as i8 i16 i32 u8 u16 u32 i64 u64 f32;
}

same! {
    through_usize(a: f32, b: i8) -> u32 { (a as usize as u32) ^ (b as usize as u32) }
        => { (a as u32) ^ (b as u32) }
    through_isize(a: f32, b: u16) -> i32 { (a as isize as i32) ^ (b as isize as i32) }
        => { (a as i32) ^ (b as i32) }
    there_and_back(a: i32, b: u8) -> i32 { a as i8 as u16 as i32 + (b as i8 as f32 * 2.0) as i32 }
}
