//! Kernels where the names of Rust's library and of this one mean something else.
//!
//! Generated code names everything by absolute paths, so none of this reaches it.

/// Macros of these names, which must not be called.
macro_rules! macros {
    ($($name:ident)*) => {$(
        #[allow(unused_macros)]
        macro_rules! $name {
            () => { ::core::compile_error!("generated code calls a macro of the user's") };
        }
        #[allow(unused_imports)]
        use $name;
    )*};
}

/// Types, traits and functions of these names, which are of no use.
macro_rules! items {
    (types: $($ty:ident)*; traits: $($tr:ident)*; functions: $($function:ident)*; modules: $($module:ident)*;) => {
        $(#[allow(dead_code, non_camel_case_types)] enum $ty {})*
        $(#[allow(dead_code)] trait $tr { fn bogus() {} })*
        $(#[allow(dead_code, non_snake_case)] fn $function() {})*
        $(#[allow(dead_code)] mod $module {})*
    };
}

mod everything {
    macros! {
        assert assert_eq assert_ne column compile_error concat dbg debug_assert eprintln file format format_args include
        line matches module_path panic print stringify todo unimplemented unreachable vec write argument_struct
    }

    items! {
        types: Option Result Vec String Box Rc Arc Cow Location PhantomData Lane Mutable Slice SliceMut Kernel KernelMeta
            ArgMeta SliceArg Binder Launch EncodedArgs Scalar Element Words Leaf Word Value Copied
            i8 i16 i64 u8 u16 u64 i128 u128 bool char str isize f64;
        traits: Clone Copy Default Debug Display Deref DerefMut Drop Eq PartialEq Ord PartialOrd Hash From Into TryFrom TryInto
            Fn FnMut FnOnce Iterator IntoIterator Send Sync Sized ToOwned ToString AsRef Pod Zeroable;
        functions: Some None Ok Err drop size_of align_of;
        modules: core std alloc vortex bytemuck half inventory vortex_kernel vortex_host __private mem marker primitive;
    }

    /// One of each kind of argument whose types are not shadowed.
    #[::vortex::kernel]
    pub(super) fn every_kind(a: u32, p: Pair, n: usize, x: &[f32], y: &mut [f32]) {
        let i = ::vortex::lang::global_id();
        if i < n {
            let mut sum = x[i] + p.left;
            for k in 0..a {
                sum += k as f32;
            }
            y[i] = double(sum) + p.right + COUNTS[0];
        }
    }

    /// A generic one, with a known argument.
    #[::vortex::kernel]
    pub(super) fn generic<T: ::vortex::lang::Num>(#[comptime] times: u32, one: T, y: &mut [T]) {
        let mut sum = one;
        for _ in 1..times {
            sum += one;
        }
        y[0] = sum;
    }

    #[::vortex::device]
    fn double(x: f32) -> f32 {
        x * 2.0
    }

    #[::vortex::global]
    static COUNTS: [f32; 2] = [0.5, 1.0];

    #[derive(::core::clone::Clone, ::core::marker::Copy, ::vortex::DeviceType)]
    #[repr(C)]
    pub(super) struct Pair {
        pub(super) left: f32,
        pub(super) right: f32,
    }

    #[derive(
        ::core::clone::Clone, ::core::marker::Copy, ::core::cmp::PartialEq, ::vortex::DeviceType,
    )]
    #[repr(u32)]
    pub(super) enum Mode {
        Plain,
        Other,
    }

    #[::vortex::kernel]
    pub(super) fn of_enum(mode: Mode, y: &mut [f32]) {
        y[0] = if mode == Mode::Other { 2.0 } else { 1.0 };
    }
}

mod words {
    items! {
        types: u32 usize i32;
        traits: Copy Clone;
        functions: Some None;
        modules: core std vortex;
    }

    #[::vortex::kernel]
    pub(super) fn scale(by: f32, y: &mut [f32]) {
        let i = ::vortex::lang::global_id();
        y[i] *= by;
    }
}

/// What is spelled like one type and is another lies in an argument struct as what it is.
mod aliases {
    #![allow(non_camel_case_types)]

    type u32 = u8;
    type f32 = u16;

    #[vortex::kernel]
    pub(super) fn narrow(a: u32, b: f32, c: u32, y: &mut [i32]) {
        y[0] = a as i32 + b as i32 * 1000 + c as i32 * 100_000_000;
    }
}

use vortex::prelude::*;

#[test]
fn shadowed_names_reach_no_generated_code() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32, 2.0])?;
    let mut y = device.alloc::<f32>(2)?;
    let pair = everything::Pair {
        left: 0.25,
        right: 10.0,
    };
    everything::every_kind(3, pair, 2, &x, &mut y)
        .over(2)
        .launch(&device)?;
    assert_eq!(y.download()?, [19.0, 21.0]);
    everything::generic(3, 1.5f32, &mut y)
        .over(1)
        .launch(&device)?;
    assert_eq!(y.slice(..1)?.download()?, [4.5]);
    for (mode, expected) in [
        (everything::Mode::Plain, 1.0),
        (everything::Mode::Other, 2.0),
    ] {
        everything::of_enum(mode, &mut y).over(1).launch(&device)?;
        assert_eq!(y.slice(..1)?.download()?, [expected]);
    }
    words::scale(2.0, &mut y).over(2).launch(&device)?;
    assert_eq!(y.download()?, [4.0, 42.0]);
    Ok(())
}

#[test]
fn aliases_are_laid_out_as_what_they_are() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut y = device.alloc::<i32>(1)?;
    aliases::narrow(7, 65, 3, &mut y).over(1).launch(&device)?;
    assert_eq!(y.download()?, [300_065_007]);
    assert_eq!(aliases::narrow::META.size, 16);
    let offsets = aliases::narrow::META.args.iter().map(|arg| arg.offset);
    assert_eq!(offsets.collect::<Vec<_>>(), [0, 2, 4, 8]);
    Ok(())
}
