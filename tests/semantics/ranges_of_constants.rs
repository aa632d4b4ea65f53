//! Two comparisons of one value with constants, for all values of the small types and all ends that matter.

use vortex::prelude::*;

/// Whether values are in the range, are not, are in one of two, and what a `match` says, one bit each.
macro_rules! ranges {
    ($($name:ident: $ty:ident, $values:expr, $ends:expr;)*) => {$(
        #[test]
        fn $name() -> vortex::Result<()> {
            #[vortex::kernel]
            fn ranges(#[comptime] a: $ty, #[comptime] b: $ty, values: &[$ty], truth: &mut [u32]) {
                let i = global_id();
                let v = values[i];
                let mut bits = 0;
                if v >= comptime!(a) && v <= comptime!(b) {
                    bits |= 1;
                }
                if v < comptime!(a) || v > comptime!(b) {
                    bits |= 2;
                }
                if comptime!(a) < v && v < comptime!(b) {
                    bits |= 4;
                }
                if v > comptime!(a) && v < 100 && v >= comptime!(b) || v == 3 {
                    bits |= 8;
                }
                truth[i] = bits;
            }
            let device = Device::open()?;
            let values: Vec<$ty> = $values;
            let input = device.upload(&values)?;
            let mut truth = device.upload(&vec![0u32; values.len()])?;
            for a in $ends {
                for b in $ends {
                    ranges(a, b, &input, &mut truth).over(values.len()).launch(&device)?;
                    let expected = values.iter().map(|&v| {
                        let is_far = v > a && v < 100 && v >= b || v == 3;
                        let bits = [v >= a && v <= b, v < a || v > b, a < v && v < b, is_far];
                        (0..).zip(bits).map(|(k, bit)| u32::from(bit) << k).sum::<u32>()
                    });
                    assert_eq!(truth.download()?, expected.collect::<Vec<_>>(), "{a}..={b}");
                }
            }
            Ok(())
        }
    )*};
}

/// Around the ends, and around 0.
fn words() -> Vec<u32> {
    let around = |word: u32| (-4..5).map(move |by| word.wrapping_add_signed(by));
    [0, 100, 0x8000_0000].into_iter().flat_map(around).collect()
}

ranges! {
    bytes: u8, (0..=u8::MAX).collect(), [0, 1, 2, 97, 102, 128, 254, 255];
    signed_bytes: i8, (i8::MIN..=i8::MAX).collect(), [-128, -127, -1, 0, 1, 99, 126, 127];
    unsigned: u32, words(), [0, 1, 97, 0x7fff_ffff, 0x8000_0000, u32::MAX - 1, u32::MAX];
    signed: i32, words().into_iter().map(u32::cast_signed).collect(), [i32::MIN, -3, 0, 2, 99, i32::MAX];
}
