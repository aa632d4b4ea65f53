//! Write Vortex RISC-V GPGPU kernels as Rust functions, typed from the host call to the last device byte.
//!
//! A kernel is an ordinary-looking function with [`#[vortex::kernel]`](macro@kernel). It is compiled when it is
//! first launched, for the device it is launched on, by a compiler that is part of this library: stable Rust and
//! cargo are all there is to install. Without hardware it runs on the embedded device, a faithful Vortex in software.
//!
//! ```
//! use vortex::prelude::*;
//!
//! #[vortex::kernel]
//! fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_id();
//!     if i < y.len() {
//!         y[i] += alpha * x[i];
//!     }
//! }
//!
//! fn main() -> vortex::Result<()> {
//!     let device = Device::open()?;
//!     let x = device.upload(&vec![1.0f32; 10_000])?;
//!     let mut y = device.upload(&vec![2.0f32; 10_000])?;
//!     let report = saxpy(3.0, &x, &mut y).over(10_000).launch(&device)?;
//!     assert!(y.download()?.iter().all(|&v| v == 5.0));
//!     println!("{report}");
//!     Ok(())
//! }
//! ```
//!
//! * **What the host passes is what the device reads.** Calling a kernel on the host takes a [`DeviceSlice`] for each
//!   slice, scalars by value, a [`DevicePtr`] for each raw pointer: a wrong type, count or order, a missing `mut`,
//!   or a buffer that is both input and output do not compile.
//! * **Errors speak of your code.** An index out of bounds or a division by zero on the device is an [`Error`] that
//!   names kernel, work item and source line; nothing on the host is harmed.
//! * **Divergence is handled.** Every branch of the compiled code is uniform in its warp or guarded, and each image
//!   is checked for that before it runs.
//!
//! It is not a compiler for arbitrary Rust: a kernel's body is written in a subset of Rust, and what is outside of it
//! is a compile error that says what to write instead.
//!
//! # Where to look
//!
//! | for | see |
//! |---|---|
//! | a device, and memory on it | [`Device`], [`DeviceBuilder`], [`Buffer`], [`DeviceSlice`] and its parts, [`Texture`], [`Tensor`] |
//! | a kernel, and calling it | [`#[vortex::kernel]`](macro@kernel), [`#[vortex::device]`](macro@device), [`DeviceType`](derive@DeviceType), [`Launch`], [`Report`] |
//! | what kernels call | [`prelude`]: ids, barriers, warps, groups, short vectors, 16-bit floats; the methods of [`f32`](math) |
//! | variables of the program on devices | [`#[vortex::global]`](macro@global), [`#[vortex::constant]`](macro@constant), [`DeviceGlobal`] |
//! | work in the background | [`Stream`], [`Pending`], [`Event`] |
//! | several devices | [`Devices`], [`SplitBuffer`], [`Replicas`] |
//! | kernels by name, or from files | [`registry`], [`Module`], [`Bundle`], [`RawImage`] |
//! | what went wrong | [`Error`], [`Fault`], [`FaultKind`] |
//! | what it cost, and why | [`Report`], [`profile`](mod@profile), [`trace`](mod@trace), [`explain`](mod@explain) |
//! | choices by measurement | [`#[vortex::tune]`](macro@tune), [`Tuned`], [`TuneReport`] |
//! | the embedded device | [`sim`]: its checks, its cycle model and what hardware that has |
//!
//! The modules [`lang`], [`codegen`], [`tensor`], [`meta`] and [`isa`] are those of the compiler. Their types are in
//! what rustc says of kernels, and in what tools read; programs with kernels need none of them.
//!
//! The guide is in the package, below `docs/`: first steps, the language of kernels, memory, tuning, errors, and pages
//! for those who come from CUDA, OpenCL or CubeCL.

/// What calling a kernel gives: it borrows the arguments, is told how many work items to run, and is launched.
///
/// ```
/// use vortex::prelude::*;
///
/// #[vortex::kernel]
/// fn scale(factor: f32, y: &mut [f32]) {
///     let i = global_id();
///     y[i] *= factor;
/// }
///
/// # fn main() -> vortex::Result<()> {
/// let device = Device::open()?;
/// let mut y = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let launch = scale(10.0, &mut y);
/// let report = launch.over(3).launch(&device)?; // One work item for each of the first three elements.
/// assert_eq!(report.kernel(), "scale");
/// assert_eq!(y.download()?, [10.0, 20.0, 30.0, 4.0]);
/// # Ok(())
/// # }
/// ```
pub use vortex_host::Launch;
/// What the compiler did to a kernel, for people: branches, loops, checks, and all stages of its code.
pub use vortex_host::explain;
/// What pages have in common, for the `vortex` command.
#[doc(hidden)]
pub use vortex_host::html;
pub use vortex_host::load;
/// Where the cycles of a launch went, and what holds the kernel up: what `VORTEX_PROFILE` writes.
pub use vortex_host::profile;
/// What every warp did at every cycle: what `VORTEX_TRACE` writes.
pub use vortex_host::trace;
pub use vortex_host::{
    AccessedElement, ArgCounts, Buffer, Bundle, CacheStats, Caps, Choice, Choices, ClientVisitor,
    Device, DeviceBuilder, DeviceError, DeviceGlobal, DevicePtr, DevicePtrMut, DeviceSlice,
    DeviceVariable, DeviceVisitor, Devices, DevicesError, Divided, Error, Event, Explanation,
    Extents, Fault, Faults, FunctionAttributes, HostLaunch, HostMemory, HostSide, ImageStats,
    KernelEntry, KernelOrigin, LaunchArg, LaunchArgs, LaunchError, Launchable, Limit, ListedKernel,
    LocalLen, LookupError, Matrix, MemoryError, Module, ModuleBuilder, ModuleError, ModuleLaunch,
    Name, Occupancy, OnDevice, OnDeviceMut, OpenError, Outcome, OverEach, Part, PartMut, Pending,
    PerfCounters, Portion, Profile, RaceProof, RawImage, RawKernel, RawLaunch, Registry, Replicas,
    Report, Result, RuntimeTimes, Scope, Size, SourceFiles, Split, SplitBuffer, SplitBuilder,
    Steps, Stream, StreamError, StreamLaunch, Tensor, Texture, TextureSize, Timing, Trace,
    TrapReport, Tried, TuneReport, Tuned, Upload, View, ViewMut, VisitedArg, WaitingWarp, WorkItem,
    registry, sim, visit_client, visit_device,
};
/// What rustc names where `Device::new` or `Device::download`, which there are not, is called.
#[doc(hidden)]
pub use vortex_host::{Constructed, Downloads};
pub use vortex_kernel::codegen::CompileError;
/// Text from files, made safe to print, for the `vortex` command.
#[doc(hidden)]
pub use vortex_kernel::escape;
pub use vortex_kernel::ir::{FaultKind, GlobalVariable, SourceLoc};
pub use vortex_kernel::isa::Generation;
pub use vortex_kernel::lang::overload as ops;
pub use vortex_kernel::lang::{
    Accumulator, Atomic, Callable, CircularBuffer, Global, GlobalConstant, GlobalItem, HasMethods,
    Kernel, Label, Lane, Local, LocalType, Mutable, PassedAs, Place, Ptr, PtrMut, ReadOnly,
    ReadWrite, Returned, Shard, Slice, SliceMut, StageError, TensorMut, TensorRef, TextureMut,
    TextureRef, Tile, TileMut, Vec2, Vec3, Vec4, WritableTensor, WritableTexture,
};
pub use vortex_kernel::lang::{RawPtr, RawPtrMut};
pub use vortex_kernel::meta::{Address, Filter, Sampler};
pub use vortex_kernel::tensor::{AT_LAUNCH, Axis, ShardOrder, TensorLayout, TensorMemory};
pub use vortex_kernel::{codegen, isa, lang, math, meta, tensor};
pub use vortex_macros::{DeviceType, constant, device, global, kernel, tune};

// By other names, so that one is told of the right ones.
#[doc(hidden)]
pub use vortex_macros::{Device, Kernel, devcie, devices, devise, kenrel, kernal, kernels, kernle};

#[doc(hidden)]
pub use vortex_host::{AlsoOnHost, HasChoice, RunsOnHost, Tunable};

/// Floats of 16 bits, of the crate `half`.
pub use vortex_kernel::meta::{bf16, f16};

/// The argument struct of a kernel, as the device reads it: `Args<saxpy>`.
pub type Args<K> = <K as Kernel>::Args;

/// What a program with kernels needs: `use vortex::prelude::*;`.
pub mod prelude {
    pub use crate::{Address, Axis, Filter, Sampler, TensorLayout, bf16, f16};
    #[doc(hidden)]
    pub use crate::{AlsoOnHost as _, Tunable as _};
    pub use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    pub use vortex_host::{
        Buffer, Device, DevicePtr, DevicePtrMut, DeviceSlice, Devices, LocalLen, Replicas,
        SplitBuffer, Stream, Tensor, Texture,
    };
    pub use vortex_kernel::lang::outside::{
        clock, core_count, core_id, global_id, global_id_2d, global_id_3d, global_size,
        global_size_2d, global_size_3d, group_count, group_count_2d, group_count_3d, group_id,
        group_id_2d, group_id_3d, lane_count, lane_id, local_id, local_id_2d, local_id_3d,
        local_size, local_size_2d, local_size_3d, warp_count, warp_id,
    };
    pub use vortex_kernel::lang::{
        Int, Num, RawPtr, RawPtrMut, Signed, SignedInt, Unsigned, Vec2, Vec3, Vec4, barrier, fence,
        group, local, vec2, vec3, vec4, warp,
    };
    pub use vortex_macros::{DeviceType, constant, device, global, kernel, tune};
}

/// What code generated by the macros names. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use bytemuck;
    pub use std::format;
    pub use vortex_host::{
        __native_print as native_print, Binder, Buffer, Candidate, Choices, DevicePtr,
        DevicePtrMut, EncodedArgs, GlobalEntry, HostLaunch, KernelEntry, Launch, LocalLen,
        OnDevice, OnDeviceMut, OverEach, Tensor, Texture, Tuned, block_text, check_kernel,
        comptime_text, inventory, native, no_such_choice, type_text,
    };
    pub use vortex_kernel::__argument_struct as argument_struct;
    pub use vortex_kernel::ir::{Shape, Value};
    pub use vortex_kernel::lang::*;
    pub use vortex_kernel::meta::*;
    pub use vortex_kernel::tensor::{
        AT_LAUNCH, Arrangement, Axis, InTensor, ShardOrder, TensorElement, TensorLayout,
        TensorMemory,
    };
    pub use vortex_macros::kernel_items;
}

/// What rustc says where code is built, and not where it is only checked, as in `tests/ui`: integers that overflow as
/// they are written.
///
/// ```compile_fail
/// use vortex::prelude::*;
///
/// #[vortex::kernel]
/// fn masks(out: &mut [u32]) {
///     out[0] = (1u32 << 32) - 1;
/// }
/// ```
///
/// ```
/// use vortex::prelude::*;
///
/// #[vortex::kernel]
/// fn masks(out: &mut [u32]) {
///     out[0] = (1u32 << 31) - 1;
/// }
/// ```
#[cfg(doctest)]
mod built {}

/// The examples of the README and of all pages in `docs/`, compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../docs/language.md")]
    mod language {}
    #[doc = include_str!("../docs/math.md")]
    mod math {}
    #[doc = include_str!("../docs/integers.md")]
    mod integers {}
    #[doc = include_str!("../docs/device.md")]
    mod device {}
    #[doc = include_str!("../docs/devices.md")]
    mod devices {}
    #[doc = include_str!("../docs/reports.md")]
    mod reports {}
    #[doc = include_str!("../docs/sweep.md")]
    mod sweep {}
    #[doc = include_str!("../docs/profile.md")]
    mod profile {}
    #[doc = include_str!("../docs/explain.md")]
    mod explain {}
    #[doc = include_str!("../docs/metadata.md")]
    mod metadata {}
    #[doc = include_str!("../docs/atomics.md")]
    mod atomics {}
    #[doc = include_str!("../docs/printing.md")]
    mod printing {}
    #[doc = include_str!("../docs/groups.md")]
    mod groups {}
    #[doc = include_str!("../docs/warp.md")]
    mod warp {}
    #[doc = include_str!("../docs/streams.md")]
    mod streams {}
    #[doc = include_str!("../docs/registry.md")]
    mod registry {}
    #[doc = include_str!("../docs/launches.md")]
    mod launches {}
    #[doc = include_str!("../docs/tensors.md")]
    mod tensors {}
    #[doc = include_str!("../docs/textures.md")]
    mod textures {}
    #[doc = include_str!("../docs/globals.md")]
    mod globals {}
    #[doc = include_str!("../docs/host.md")]
    mod host {}
    #[doc = include_str!("../docs/getting-started.md")]
    mod getting_started {}
    #[doc = include_str!("../docs/memory.md")]
    mod memory {}
    #[doc = include_str!("../docs/divergence.md")]
    mod divergence {}
    #[doc = include_str!("../docs/tuning.md")]
    mod tuning {}
    #[doc = include_str!("../docs/autotuning.md")]
    mod autotuning {}
    #[doc = include_str!("../docs/from-cuda.md")]
    mod from_cuda {}
    #[doc = include_str!("../docs/from-opencl.md")]
    mod from_opencl {}
    #[doc = include_str!("../docs/from-cubecl.md")]
    mod from_cubecl {}
    #[doc = include_str!("../docs/errors.md")]
    mod errors {}
    #[doc = include_str!("../docs/hardware.md")]
    mod hardware {}
    #[doc = include_str!("../docs/debugging.md")]
    mod debugging {}
    #[doc = include_str!("../docs/driver.md")]
    mod driver {}
    #[doc = include_str!("../docs/performance.md")]
    mod performance {}
    #[doc = include_str!("../docs/staging.md")]
    mod staging {}
    #[doc = include_str!("../docs/unsafe.md")]
    mod unsafe_code {}
    #[doc = include_str!("../docs/inside/overview.md")]
    mod inside_overview {}
    #[doc = include_str!("../docs/inside/ir.md")]
    mod inside_ir {}
    #[doc = include_str!("../docs/inside/passes.md")]
    mod inside_passes {}
    #[doc = include_str!("../docs/inside/entry.md")]
    mod inside_entry {}
    #[doc = include_str!("../docs/inside/lowering.md")]
    mod inside_lowering {}
    #[doc = include_str!("../docs/inside/image.md")]
    mod inside_image {}
    #[doc = include_str!("../docs/inside/device.md")]
    mod inside_device {}
}
