//! Names of other GPU languages that the user has declared: what they say is what counts.
#![deny(warnings, clippy::all, clippy::pedantic)]

use vortex::prelude::*;

mod ported {
    /// As CUDA has it.
    #[vortex::device]
    #[allow(non_snake_case)]
    pub(crate) fn atomicAdd(to: &mut [u32], i: usize, by: u32) -> u32 {
        to.atomic(i).fetch_add(by, Relaxed)
    }

    pub(crate) const CUBE_DIM: u32 = 64;

    #[vortex::device(host)]
    pub(crate) fn fma(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }

    use vortex::prelude::Relaxed;
}

use ported::*;

const UNIT_POS: usize = 0;

#[vortex::device]
fn get_global_id(dimension: u32) -> usize {
    global_id() + dimension as usize
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
pub(crate) struct SharedMemory {
    of: u32,
}

#[vortex::device]
impl SharedMemory {
    fn new(of: u32) -> Self {
        Self { of }
    }
}

#[vortex::device]
fn applied(function: impl Fn(f32, f32, f32) -> f32, x: f32) -> f32 {
    function(x, x, x)
}

#[vortex::kernel]
pub(crate) fn ported_kernel(x: &mut [u32], y: &mut [f32]) {
    let i = get_global_id(0);
    atomicAdd(x, UNIT_POS, CUBE_DIM);
    y[i] = fma(y[i], 2.0, 1.0) + applied(fma, y[i]);
    let clz = |n: u32| n / 2;
    x[i] = clz(SharedMemory::new(3).of);
}

/// By the name of a crate.
mod rand {
    #[vortex::device(host)]
    pub(crate) fn random<T: vortex::prelude::Num>(x: T) -> T {
        x * x
    }
}

/// Generic ones are found on both sides.
#[vortex::device(host)]
fn saturate<T: Num>(x: T) -> T {
    x + x
}

#[vortex::kernel(host)]
pub(crate) fn generic(x: &mut [u32], y: &mut [f32]) {
    let i = global_id();
    x[i] = saturate(x[i]) + saturate::<u32>(1) + rand::random(x[i]);
    y[i] = saturate(y[i]) + rand::random::<f32>(2.0);
}

/// Next to a kernel in a function they are found, too.
#[test]
fn declared_in_a_function() -> vortex::Result<()> {
    #[vortex::device(host)]
    fn pow(x: f32, n: u32) -> f32 {
        if n == 0 { 1.0 } else { x }
    }

    #[vortex::device]
    fn clamp<T: Num>(x: T) -> T {
        x * x
    }

    #[vortex::kernel(host)]
    fn on_both_sides(x: &mut [f32]) {
        let i = global_id();
        x[i] = pow(x[i], 1);
    }

    #[vortex::kernel]
    fn here(x: &mut [f32]) {
        let i = global_id();
        x[i] = pow(x[i], 1) + clamp(x[i]) + clamp::<f32>(x[i]);
    }

    let device = Device::open()?;
    let mut x = device.upload(&[3.0f32; 4])?;
    on_both_sides(&mut x).over(4).launch(&device)?;
    here(&mut x).over(4).launch(&device)?;
    assert_eq!(x.download()?, [3.0 + 9.0 + 9.0; 4]);
    Ok(())
}
