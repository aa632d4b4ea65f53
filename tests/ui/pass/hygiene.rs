//! Kernels made by `macro_rules!`.

use vortex::prelude::*;

macro_rules! for_each_type {
    ($($name:ident: $t:ty, $one:expr;)*) => {$(
        #[vortex::kernel]
        fn $name(x: &mut [$t], limit: usize) {
            let i = global_id();
            if i < limit {
                x[i] += $one;
            }
        }
    )*};
}

for_each_type! {
    increment_i32: i32, 1;
    increment_u8: u8, 2 - 1;
    increment_f32: f32, 0.5 * 2.0;
}

/// `x` and `t` of the macro are not those of its caller.
macro_rules! twice {
    ($name:ident, $out:ident, $t:ident, $value:expr) => {
        #[vortex::kernel]
        fn $name($out: &mut [u32]) {
            let mut t = 5;
            let $t = 7;
            t += 1;
            $out[0] = t;
            $out[1] = $value * 2;
        }
    };
}

twice!(hygienic, out, t, t + 1);

macro_rules! whole {
    ($($item:item)*) => { $($item)* };
}

whole! {
    #[vortex::kernel]
    fn from_an_item(out: &mut [u32]) {
        let i = global_id();
        let mut n = 0;
        while n < 3 {
            n += 1;
        }
        out[i] = n;
    }
}

#[test]
fn types_are_substituted() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut ints = device.upload(&[1i32; 3])?;
    increment_i32(&mut ints, 2).over(3).launch(&device)?;
    assert_eq!(ints.download()?, [2, 2, 1]);
    let mut bytes = device.upload(&[255u8; 3])?;
    increment_u8(&mut bytes, 2).over(3).launch(&device)?;
    assert_eq!(bytes.download()?, [0, 0, 255]);
    let mut floats = device.upload(&[1.5f32; 3])?;
    increment_f32(&mut floats, 2).over(3).launch(&device)?;
    assert_eq!(floats.download()?, [2.5, 2.5, 1.5]);
    Ok(())
}

#[test]
fn names_of_different_macros_differ() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut out = device.upload(&[0u32; 2])?;
    hygienic(&mut out).over(1).launch(&device)?;
    assert_eq!(out.download()?, [6, 16]);
    from_an_item(&mut out).over(2).launch(&device)?;
    assert_eq!(out.download()?, [3, 3]);
    Ok(())
}
