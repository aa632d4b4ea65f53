//! Integer operations of one lane.

#[inline(always)]
pub(super) fn unchanged(a: u32) -> u32 {
    a
}

#[inline(always)]
pub(super) fn extended_byte(a: u32) -> u32 {
    a as i8 as u32
}

#[inline(always)]
pub(super) fn extended_half(a: u32) -> u32 {
    a as i16 as u32
}

#[inline(always)]
pub(super) fn slt(a: u32, b: u32) -> u32 {
    u32::from((a as i32) < b as i32)
}

#[inline(always)]
pub(super) fn sltu(a: u32, b: u32) -> u32 {
    u32::from(a < b)
}

#[inline(always)]
pub(super) fn sll(a: u32, b: u32) -> u32 {
    a << (b & 31)
}

#[inline(always)]
pub(super) fn srl(a: u32, b: u32) -> u32 {
    a >> (b & 31)
}

#[inline(always)]
pub(super) fn sra(a: u32, b: u32) -> u32 {
    ((a as i32) >> (b & 31)) as u32
}

#[inline(always)]
pub(super) fn mulh(a: u32, b: u32) -> u32 {
    ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
}

#[inline(always)]
pub(super) fn mulhsu(a: u32, b: u32) -> u32 {
    ((i64::from(a as i32) * i64::from(b)) >> 32) as u32
}

#[inline(always)]
pub(super) fn mulhu(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

#[inline(always)]
pub(super) fn div(a: u32, b: u32) -> u32 {
    if b == 0 {
        u32::MAX
    } else {
        (a as i32).wrapping_div(b as i32) as u32
    }
}

#[inline(always)]
pub(super) fn divu(a: u32, b: u32) -> u32 {
    a.checked_div(b).unwrap_or(u32::MAX)
}

#[inline(always)]
pub(super) fn rem(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        (a as i32).wrapping_rem(b as i32) as u32
    }
}

#[inline(always)]
pub(super) fn remu(a: u32, b: u32) -> u32 {
    a.checked_rem(b).unwrap_or(a)
}
