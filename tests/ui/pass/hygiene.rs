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

/// As the library might call its own.
mod same_names {
    use vortex::prelude::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(super) struct Particle {
        pub(super) mass: f32,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(super) struct ParticleFields {
        pub(super) charge: f32,
    }

    #[vortex::device]
    fn scale_args(a: f32, b: f32) -> f32 {
        a * b
    }

    #[vortex::kernel]
    pub(super) fn scale(particles: &[Particle], fields: &[ParticleFields], out: &mut [f32]) {
        let i = global_id();
        out[i] = scale_args(particles[i].mass, fields[i].charge);
    }

    #[vortex::kernel]
    pub(super) fn of_any<T: Num>(x: &mut [T]) {
        x[0] = x[0] + x[1];
    }

    #[allow(non_camel_case_types)]
    pub(super) struct of_any_args;
}

#[test]
fn names_of_the_user_are_free() {
    let _ = |a: &DeviceSlice<same_names::Particle>,
             b: &DeviceSlice<same_names::ParticleFields>,
             out: &mut DeviceSlice<f32>| drop(same_names::scale(a, b, out));
    let _ = |x: &mut DeviceSlice<f32>| drop(same_names::of_any(x));
    assert_eq!(size_of::<vortex::Args<same_names::scale>>(), 24);
    let _ = same_names::of_any_args;
}
