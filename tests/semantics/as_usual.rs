//! What Rust's users write without thinking of it: `expect`, `cfg!`, functions inside of functions, newtypes.

use core::array;

use vortex::prelude::{DeviceType, global_id};

use crate::harness::{DEVICES, same};

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(transparent)]
struct Rgb(u32);

#[vortex::device(host)]
fn blue(colour: Rgb) -> u32 {
    fn low(n: u32) -> u32 {
        n & mask()
    }

    fn mask() -> u32 {
        0xff
    }

    low(colour.0)
}

same! {
    configured(a: u32, _b: u32) -> u32 {
        let mut h = if cfg!(not(any())) { a } else { 0 };
        if cfg!(any()) { h ^= 1; }
        let first = line!();
        let next = line!();
        h ^ (next - first) << 3 ^ (column!() > 0) as u32
    }

    named_like_those_of_other_languages(a: u32, b: u32) -> u32 {
        let sum = mad(a, b) ^ float(a).wrapping_add(INT_MAX);
        fn mad(a: u32, b: u32) -> u32 { a.wrapping_mul(float(b)) }
        fn float(n: u32) -> u32 { n >> 1 }
        const INT_MAX: u32 = 9;
        sum
    }

    made_by_an_imported_function(a: u32, b: u32) -> u32 {
        let x: [u32; 4] = array::from_fn(|i| a.wrapping_mul(i as u32 + 1));
        let y = array::from_fn::<u32, 3, _>(|i| b ^ x[i]);
        x[3] ^ y[0] ^ y[2] << 1
    }

    as_text(a: u8, b: u8) -> u8 {
        let x = [b'q', a, b'Z'];
        let same = x[1].eq_ignore_ascii_case(&b);
        let other = a.eq_ignore_ascii_case(&(b ^ 0x20));
        same as u8 * 2 + other as u8 + x[0].eq_ignore_ascii_case(&b'Q') as u8 * 4
    }
}

/// The elements of a newtype, and what is not there.
#[vortex::kernel]
fn colours(pixels: &[Rgb], out: &mut [u32]) {
    fn halved(n: u32) -> u32 {
        n / 2
    }

    let i = global_id();
    let less = blue(pixels[i]).checked_sub(1).expect("{blue} is too dark");
    let pixel = *pixels.get(i).expect("a pixel");
    out[i] = halved(less) + pixel.0;
}

#[test]
fn a_newtype_lies_as_what_it_holds_and_expect_says_its_text() {
    let pixels = [Rgb(0x11_22_33), Rgb(0x80_00_05)];
    for device in &*DEVICES {
        let buffer = device.upload(&pixels).unwrap();
        let mut out = device.alloc(2).unwrap();
        colours(&buffer, &mut out)
            .over_each()
            .launch(device)
            .unwrap();
        assert_eq!(
            out.download().unwrap(),
            pixels.map(|p| (blue(p) - 1) / 2 + p.0)
        );

        let dark = device.upload(&[Rgb(0x11_22_00)]).unwrap();
        let error = colours(&dark, &mut out).over(1).launch(device).unwrap_err();
        assert!(error.to_string().contains("{blue} is too dark"), "{error}");
    }
}
