// Mistakes: 4
use vortex::prelude::*;

#[vortex::kernel]
fn digits(x: &[u8], out: &mut [u32]) {
    out[0] = (x[0] as char).to_digit(10).unwrap_or(0);
}

#[vortex::kernel]
fn letters(x: &[u8], out: &mut [u32]) {
    out[0] = (x[0] as char).is_alphabetic() as u32;
}

#[vortex::kernel]
fn compared(x: &[u8], out: &mut [u32]) {
    let c = x[0] as char;
    out[0] = (c == 'a') as u32;
}

fn main() {}
