//! The attribute macros of `vortex`.
//!
//! Nothing here knows types: rustc checks them, on the rewritten tokens, which carry the spans of
//! the user's. Data flows `attr` and `signature` (what was written) → `valid` (what is wrong with
//! it, worded in `messages`) → `body` (the rewritten statements) → `expand`, or `fallback` if
//! anything was wrong.

mod attr;
mod body;
mod bundle;
mod derive;
mod device;
mod expand;
mod fallback;
mod generics;
mod kernel;
mod messages;
mod misspelt;
mod native;
mod operators;
mod runtime;
mod signature;
mod spans;
mod staged;
#[cfg(test)]
mod strangers;
mod tune;
mod twins;
mod types;
mod valid;
mod variable;

use proc_macro::TokenStream;

/// Turns a function into a kernel: a typed host call, an argument struct, metadata and a device
/// entry that cannot disagree.
///
/// ```text
/// use vortex::prelude::*;
///
/// #[vortex::kernel]
/// fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
///     let i = global_id();
///     if i < y.len() {
///         y[i] += alpha * x[i];
///     }
/// }
/// ```
///
/// Parameters are `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16`, `bf16`, `f32`, `usize`,
/// `isize`, structs and enums with `#[derive(vortex::DeviceType)]`, arrays, slices `&[T]` and `&mut [T]`, and raw
/// pointers `*const T` and `*mut T`.
///
/// # Arguments
///
/// * `block = (16, 1, 1)`: work items of a group, which every launch must have; known to the optimiser.
/// * `grid = (8, 8)`: groups that every launch has; a launch need not say how many there are.
/// * `block_hint = (16, 1, 1)`: work items of a group where a launch leaves the choice open.
/// * `subgroup = 4`: lanes of a warp, which the device must have; known to the optimiser.
/// * `vec_hint = f32`, `vec_hint = Vec4<f32>`: what the kernel mostly computes with, for tools.
/// * `checks = "full"`: arithmetic on integers that overflows ends the work item with a fault, as in Rust's debug
///   builds.
/// * `checks = "none"`: indices are not checked, and the host call is `unsafe`: the caller answers for every access.
/// * `deny(checks)`: a kernel in which a bounds check is left in the body or in a loop does not compile.
/// * `contract`: `a * b + c` of floats may be rounded once, as `a.mul_add(b, c)`.
/// * `tags = [1, -2, 3]`: integers for tools.
/// * `host`: the kernel runs on the host, too: `saxpy::on_host(3.0, &x, &mut y).over(n).launch()`.
/// * `name = "text"`: what messages, metadata and files call the kernel instead of its function's name.
/// * `crate = path`: where this library is to be found if not at `::vortex`, for crates that
///   rename or re-export it: `#[gpu::kernel(crate = gpu)]`.
///
/// What of it may vary, and is to be tuned, [`tune`] says below it.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(arguments.into(), item.into()).into()
}

/// Says what of a kernel may vary, and what there is to choose from: const generics, `#[comptime]` parameters, and the
/// work items of a group.
///
/// ```text
/// #[vortex::kernel]
/// #[tune(TILE in [4, 8, 16], block in [32, 64, (8, 8)], where TILE <= block.0)]
/// fn sgemm<const TILE: usize>(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) { .. }
/// ```
///
/// The kernel has, besides its ordinary call, `sgemm::tuned(n, &a, &b, &mut c)`, in which the choice is open: `Tuned`.
/// A condition after `where` is an expression of what is chosen, evaluated on the host. The lengths of
/// `&mut Local<[T]>` are closures of the choice there.
///
/// It stands below [`kernel`], which reads it; above, it is moved there.
#[proc_macro_attribute]
pub fn tune(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tune::above(&arguments.into(), item.into()).into()
}

/// Turns a function into one that kernels and other device functions can call, from wherever it is visible.
///
/// ```text
/// #[vortex::device]
/// fn lerp(a: f32, b: f32, t: f32) -> f32 {
///     a + (b - a) * t
/// }
/// ```
///
/// In front of an `impl` block or a `trait` it does so with all functions in it: methods of device types.
///
/// It can be generic and take closures, slices, pointers, and `&mut` to locals of its caller. It is
/// compiled into each kernel that calls it. The argument `crate = path` is as for [`kernel`].
#[proc_macro_attribute]
pub fn device(arguments: TokenStream, item: TokenStream) -> TokenStream {
    device::expand(arguments.into(), item.into()).into()
}

/// Puts a `static` into device memory, where kernels and device functions read and write it by its path.
///
/// ```text
/// #[vortex::global]
/// static HITS: u32 = 0;
/// ```
///
/// There is one on each device, for all kernels and launches there, with the `static`'s value at first; the host has
/// it by `device.global(&HITS)`. The argument `crate = path` is as for [`kernel`].
#[proc_macro_attribute]
pub fn global(arguments: TokenStream, item: TokenStream) -> TokenStream {
    variable::expand(variable::Kind::Global, arguments.into(), item.into()).into()
}

/// Puts a `static` into device memory, where kernels and device functions read it by its path.
///
/// ```text
/// #[vortex::constant]
/// static WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];
/// ```
///
/// As [`global`], but only the host writes it, between launches.
#[proc_macro_attribute]
pub fn constant(arguments: TokenStream, item: TokenStream) -> TokenStream {
    variable::expand(variable::Kind::Constant, arguments.into(), item.into()).into()
}

/// Makes a struct or a C-like enum a type that kernels can compute with, that buffers can hold and that
/// slices and pointers of kernels can refer to.
///
/// A struct has to be `#[repr(C)]`, without padding, and an enum `#[repr(u32)]` or of another integer type up
/// to 32 bits. Both have to be `Copy`. `#[vortex(crate = path)]` says where this library is to be found if not at
/// `::vortex`.
#[proc_macro_derive(DeviceType, attributes(vortex))]
pub fn device_type(item: TokenStream) -> TokenStream {
    derive::expand(item.into()).into()
}

macro_rules! misspelt_attributes {
    ($($written:ident: $meant:ident;)*) => {$(
        #[doc(hidden)]
        #[allow(non_snake_case)]
        #[proc_macro_attribute]
        pub fn $written(arguments: TokenStream, item: TokenStream) -> TokenStream {
            let item: proc_macro2::TokenStream = item.into();
            let expanded = $meant::expand(arguments.into(), item.clone());
            misspelt::attribute(stringify!($written), stringify!($meant), &item, &expanded).into()
        }
    )*};
}

misspelt_attributes! {
    Kernel: kernel;
    kenrel: kernel;
    kernal: kernel;
    kernels: kernel;
    kernle: kernel;
    devcie: device;
    devices: device;
    devise: device;
}

#[doc(hidden)]
#[allow(non_snake_case)]
#[proc_macro_derive(Device, attributes(vortex))]
pub fn Device(item: TokenStream) -> TokenStream {
    let item: proc_macro2::TokenStream = item.into();
    let expanded = derive::expand(item.clone());
    misspelt::derive("Device", &item, &expanded).into()
}

/// The second half of [`kernel`]: puts its items where the block they came in stands.
///
/// `#[kernel]` cannot tell whether it is used inside an `impl`, where its items cannot stand. They
/// come in a single one, so that rustc says so only once.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn kernel_items(_: TokenStream, block: TokenStream) -> TokenStream {
    bundle::open(block.into()).into()
}

/// The attributes that kernels can have, as rows for the macro that declares them.
#[doc(hidden)]
#[proc_macro]
pub fn kernel_attributes(callback: TokenStream) -> TokenStream {
    attr::rows(&callback.into()).into()
}

/// The functions of floats, as rows for the macro that makes methods of them.
#[doc(hidden)]
#[proc_macro]
pub fn float_functions(callback: TokenStream) -> TokenStream {
    valid::floats::rows(&callback.into()).into()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn seeds_of_libfuzzer_expand() {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds/macros");
        let mut count = 0;
        for seed in std::fs::read_dir(seeds).unwrap() {
            let path = seed.unwrap().path();
            let seed = std::fs::read(&path).unwrap();
            assert!(crate::strangers::run(&seed), "{}", path.display());
            count += 1;
        }
        assert!(count > 3, "{count} seeds");
    }
}
