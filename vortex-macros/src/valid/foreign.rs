//! Names of CUDA, OpenCL and CubeCL, with what to write instead: those of the tables in docs/from-cuda.md,
//! from-opencl.md and from-cubecl.md. With some of GLSL, WGSL and C, which people type out of habit.
//!
//! A user may have a constant or a function of the same name, and what a name refers to only rustc knows. So most of
//! these are not refused here, but looked for first: see `body/foreign.rs`. `LEFT_TO_RUSTC`, below, are the names on
//! these pages that are not refused at all, with the reasons; a test holds the pages against both.

use syn::{Expr, ExprCall, GenericArgument, Ident, Lit, Path, PathArguments, Type};

use super::source;
use crate::messages;

/// A name of CUDA that none of the user's has, by its case.
pub(crate) fn foreign_variable(path: &Path) -> Option<syn::Error> {
    let name = path.get_ident()?.to_string();
    let instead = match name.as_str() {
        "threadIdx" => LOCAL_ID,
        "blockIdx" => GROUP_ID,
        "blockDim" => LOCAL_SIZE,
        "gridDim" => GROUP_COUNT,
        "warpSize" => "`lane_count()`",
        _ => return None,
    };
    Some(messages::FOREIGN_NAME.at(path, &[&name, &instead]))
}

const LOCAL_ID: &str = "`local_id()`, or `local_id_2d()` and `local_id_3d()` for pairs and triples";
const GROUP_ID: &str = "`group_id()`, or `group_id_2d()` and `group_id_3d()`";
const LOCAL_SIZE: &str = "`local_size()`, or `local_size_2d()` and `local_size_3d()`";
const GROUP_COUNT: &str = "`group_count()`, or `group_count_2d()` and `group_count_3d()`";
const GLOBAL_ID: &str = "`global_id()`; `global_id_2d()` or `global_id_3d()` give all coordinates";
const GLOBAL_SIZE: &str = "`global_size()`, or `global_size_2d()` and `global_size_3d()`";
const WARP_ID: &str = "`local_id() / lane_count()`; `warp_id()` is the warp of the core";
const TOGETHER: &str = "nothing: lanes of a warp come to each operation of `warp` together; within a group `barrier()`";

/// What to write instead of a constant of this name.
pub(crate) fn instead_of_constant(name: &str) -> Option<&'static str> {
    Some(match name {
        "UNIT_POS" | "UNIT_POS_X" | "UNIT_POS_Y" | "UNIT_POS_Z" => LOCAL_ID,
        "CUBE_POS" | "CUBE_POS_X" | "CUBE_POS_Y" | "CUBE_POS_Z" => GROUP_ID,
        "CUBE_DIM" | "CUBE_DIM_X" | "CUBE_DIM_Y" | "CUBE_DIM_Z" => LOCAL_SIZE,
        "CUBE_COUNT" | "CUBE_COUNT_X" | "CUBE_COUNT_Y" | "CUBE_COUNT_Z" => GROUP_COUNT,
        "ABSOLUTE_POS" => "`global_id()`",
        "ABSOLUTE_POS_X" | "ABSOLUTE_POS_Y" | "ABSOLUTE_POS_Z" => {
            "`global_id_2d()` or `global_id_3d()`, which give all of them"
        }
        "PLANE_DIM" => "`lane_count()`",
        "gl_GlobalInvocationID" => GLOBAL_ID,
        "gl_LocalInvocationID" => LOCAL_ID,
        "gl_WorkGroupID" => GROUP_ID,
        "gl_WorkGroupSize" => LOCAL_SIZE,
        "gl_NumWorkGroups" => GROUP_COUNT,
        "M_PI" | "M_PI_F" | "CUDART_PI_F" => "`std::f32::consts::PI`",
        "INFINITY" | "CUDART_INF_F" => "`f32::INFINITY`",
        "NAN" | "CUDART_NAN_F" => "`f32::NAN`",
        "FLT_MAX" | "MAXFLOAT" => "`f32::MAX`",
        "FLT_MIN" => "`f32::MIN_POSITIVE`",
        "FLT_EPSILON" => "`f32::EPSILON`",
        "INT_MAX" => "`i32::MAX`",
        "INT_MIN" => "`i32::MIN`",
        "UINT_MAX" => "`u32::MAX`",
        "UNIT_POS_PLANE" => "`lane_id()`",
        "PLANE_POS" => WARP_ID,
        "CLK_LOCAL_MEM_FENCE" | "CLK_GLOBAL_MEM_FENCE" | "CLK_IMAGE_MEM_FENCE" => {
            "nothing: `barrier()` and `fence()` are for local and for global memory"
        }
        "CLK_ADDRESS_CLAMP_TO_EDGE"
        | "CLK_ADDRESS_CLAMP"
        | "CLK_ADDRESS_REPEAT"
        | "CLK_ADDRESS_MIRRORED_REPEAT"
        | "CLK_NORMALIZED_COORDS_FALSE" => "what the host says of the texture, `.with_sampler(..)`",
        "memory_order_relaxed"
        | "memory_order_acquire"
        | "memory_order_release"
        | "memory_order_acq_rel"
        | "memory_order_seq_cst" => "`Relaxed`, `Acquire`, `Release`, `AcqRel` or `SeqCst`",
        _ => return None,
    })
}

const BARRIER: &str = "`barrier()`, which is for local and for global memory";

/// What to write instead of a call of a function of this name.
pub(crate) fn instead_of_function(name: &str) -> Option<&'static str> {
    ids(name)
        .or_else(|| together(name))
        .or_else(|| by_letters(name))
        .or_else(|| atomics(name))
        .or_else(|| of_shaders(name))
        .or_else(|| others(name))
}

/// What to write instead of a call of this function of a type.
pub(crate) fn instead_of_function_of_a_type(ty: &str, name: &str) -> Option<&'static str> {
    let is_memory = matches!(
        (ty, name),
        ("SharedMemory", "new" | "new_lined" | "new_aligned")
            | ("Shared", "new" | "new_slice" | "new_array")
    );
    is_memory.then_some(LOCAL)
}

const LOCAL: &str = "`let tile = local::<[f32; 64]>();`, or take `tile: &mut Local<[f32]>`, whose length the \
                     launch says";

/// `shared::<[f32; 64]>()`: no function of the user's is told of an array.
fn memory(call: &ExprCall, name: &str) -> Option<syn::Error> {
    let names = [
        "shared",
        "local_memory",
        "local_array",
        "workgroup",
        "groupshared",
    ];
    let is_one = names.contains(&name) || name.starts_with("shared_");
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let PathArguments::AngleBracketed(generics) = &path.path.segments.last()?.arguments else {
        return None;
    };
    let of_array = matches!(
        generics.args.first(),
        Some(GenericArgument::Type(Type::Array(_)))
    );
    (is_one && of_array && call.args.is_empty())
        .then(|| messages::FOREIGN_NAME.at(path, &[&name, &LOCAL]))
}

/// What to write instead of a call, where a part of it is of another language and nobody else's.
pub(crate) fn foreign_call(call: &ExprCall, name: &str) -> Option<syn::Error> {
    if let Some(error) = memory(call, name) {
        return Some(error);
    }
    let first = call.args.first()?;
    let has_flags = call
        .args
        .iter()
        .any(|flags| source(flags).starts_with("CLK_"));
    let with_flags = match name {
        _ if !has_flags => None,
        "barrier" => Some(BARRIER),
        // With its flags it is one mistake, and rustc would tell of two names.
        "work_group_barrier"
        | "mem_fence"
        | "read_mem_fence"
        | "write_mem_fence"
        | "atomic_work_item_fence" => together(name),
        _ => None,
    };
    if let Some(instead) = with_flags {
        return Some(messages::FOREIGN_NAME.at(call, &[&source(call), &instead]));
    }
    match (name, first) {
        ("printf", Expr::Lit(_)) => {
            let instead = "`println!(\"{x}\")`, with Rust's formatting";
            Some(messages::FOREIGN_NAME.at(&call.func, &[&name, &instead]))
        }
        // No function can be given a text, so it is the macro.
        ("println" | "print" | "eprintln" | "eprint" | "panic" | "format", Expr::Lit(text))
            if matches!(text.lit, Lit::Str(_)) =>
        {
            let instead = format!("{name}!({})", source(&call.args));
            Some(messages::MACRO_AS_FUNCTION.at(&call.func, &[&name, &instead]))
        }
        _ => None,
    }
}

/// Whether a function's path begins as those of crates that kernels are often expected to have.
pub(crate) fn may_be_an_unknown_crate(path: &Path) -> bool {
    let first = path.segments.first();
    path.segments.len() == 2
        && first.is_some_and(|first| instead_of_a_crate(&first.ident).is_some())
}

/// What to write instead of a function of such a crate.
pub(crate) fn instead_of_a_crate(name: &Ident) -> Option<&'static str> {
    Some(match name.to_string().as_str() {
        "fastrand" | "rand" => {
            "a slice of random numbers from the host, or a generator with a state of its own, a `u32` that is not 0: \
             `s ^= s << 13; s ^= s >> 17; s ^= s << 5;`"
        }
        "glam" | "nalgebra" => "`vec3(x, y, z)`, which kernels have, or arrays",
        "libm" => "a method, as in `x.sqrt()`",
        "ndarray" => "slices, or a `TensorRef`",
        "num" | "num_traits" => "a method of the number, with a bound such as `T: Num`",
        "rayon" => "what one work item does: those of a launch run at the same time",
        _ => return None,
    })
}

/// What to write instead of a macro of another language.
pub(crate) fn foreign_macro(name: &str) -> Option<&'static str> {
    match name {
        "terminate" => Some("`return`"),
        "debug_print" => Some("`println!(\"{x}\")`"),
        _ => None,
    }
}

fn ids(name: &str) -> Option<&'static str> {
    Some(match name {
        "get_global_id" | "get_global_linear_id" | "thread_id" | "item_id" => GLOBAL_ID,
        "get_local_id" | "get_local_linear_id" => LOCAL_ID,
        "get_group_id" | "block_id" => GROUP_ID,
        "get_global_size" => GLOBAL_SIZE,
        "get_local_size"
        | "get_enqueued_local_size"
        | "block_size"
        | "block_dim"
        | "group_size" => LOCAL_SIZE,
        "get_num_groups" | "grid_dim" | "num_groups" => GROUP_COUNT,
        "get_sub_group_local_id" => "`lane_id()`",
        "get_max_sub_group_size"
        | "get_sub_group_size"
        | "warp_size"
        | "subgroup_size"
        | "lane_size"
        | "num_lanes" => "`lane_count()`",
        "get_sub_group_id" => WARP_ID,
        "get_global_offset" => "nothing: pass an offset, or a part of a buffer",
        _ => return None,
    })
}

/// What items of a group or of a warp do together.
fn together(name: &str) -> Option<&'static str> {
    Some(match name {
        "work_group_barrier" | "sync_cube" | "sync_units" | "sync_storage" => BARRIER,
        "sync_plane" => TOGETHER,
        "mem_fence" | "read_mem_fence" | "write_mem_fence" | "atomic_work_item_fence" => {
            "`fence()`"
        }
        "__syncthreads_or" | "work_group_any" => "`group::reduce_or(c)`",
        "__syncthreads_and" | "work_group_all" => "`group::reduce_and(c)`",
        "__syncthreads_count" => "`group::reduce_add(c as u32)`",
        "work_group_broadcast" => "local memory and `barrier()`",
        "work_group_reduce_add" => "`group::reduce_add(x)`",
        "work_group_reduce_min" => "`group::reduce_min(x)`",
        "work_group_reduce_max" => "`group::reduce_max(x)`",
        "work_group_scan_inclusive_add" => "`group::inclusive_add(x)`",
        "work_group_scan_exclusive_add" => "`group::exclusive_add(x)`",
        "__activemask" => "`warp::active()`",
        "__all_sync" | "sub_group_all" | "plane_all" => "`warp::all(c)`",
        "__any_sync" | "sub_group_any" | "plane_any" => "`warp::any(c)`",
        "__ballot_sync" | "sub_group_ballot" | "plane_ballot" => "`warp::ballot(c)`, a `u32`",
        "sub_group_elect" | "plane_elect" => "`warp::elect()`",
        "__shfl_sync" | "sub_group_shuffle" | "plane_shuffle" => "`warp::shuffle(x, lane)`",
        "__shfl_up_sync" | "sub_group_shuffle_up" | "plane_shuffle_up" => {
            "`warp::shuffle_up(x, n)`"
        }
        "__shfl_down_sync" | "sub_group_shuffle_down" | "plane_shuffle_down" => {
            "`warp::shuffle_down(x, n)`"
        }
        "__shfl_xor_sync" | "sub_group_shuffle_xor" | "plane_shuffle_xor" => {
            "`warp::shuffle_xor(x, n)`"
        }
        "sub_group_broadcast" | "plane_broadcast" => {
            "`warp::shuffle(x, lane)`; `warp::broadcast(x)` is of the lowest lane"
        }
        "sub_group_broadcast_first" => "`warp::broadcast(x)`",
        "__reduce_add_sync" | "sub_group_reduce_add" | "plane_sum" => {
            "`warp::reduce_add(x)`, or `group::reduce_add(x)` for all items of a group"
        }
        "__reduce_min_sync" | "sub_group_reduce_min" | "plane_min" => "`warp::reduce_min(x)`",
        "__reduce_max_sync" | "sub_group_reduce_max" | "plane_max" => "`warp::reduce_max(x)`",
        "__reduce_and_sync" => "`warp::reduce_and(x)`",
        "__reduce_or_sync" => "`warp::reduce_or(x)`",
        "__reduce_xor_sync" => "`warp::reduce_xor(x)`",
        "sub_group_scan_inclusive_add" | "plane_inclusive_sum" => "`warp::inclusive_add(x)`",
        "sub_group_scan_exclusive_add" | "plane_exclusive_sum" => "`warp::exclusive_add(x)`",
        "plane_prod" => "a loop over `warp::shuffle_xor(x, n)`",
        _ => return None,
    })
}

/// Barriers and fences, which people remember in the case of another language.
fn by_letters(name: &str) -> Option<&'static str> {
    let letters = name.chars().filter(|letter| *letter != '_');
    let letters: String = letters.flat_map(char::to_lowercase).collect();
    Some(match letters.as_str() {
        "syncthreads"
        | "syncgroup"
        | "syncworkgroup"
        | "syncblock"
        | "syncitems"
        | "workgroupbarrier"
        | "groupbarrier"
        | "blockbarrier"
        | "localbarrier"
        | "threadgroupbarrier"
        | "controlbarrier"
        | "storagebarrier"
        | "workgroupsync"
        | "groupsync"
        | "groupmemorybarrierwithgroupsync"
        | "allmemorybarrierwithgroupsync"
        | "devicememorybarrierwithgroupsync" => BARRIER,
        "syncwarp" | "warpbarrier" | "syncwarps" | "subgroupbarrier" | "simdgroupbarrier" => {
            TOGETHER
        }
        "threadfence"
        | "threadfenceblock"
        | "threadfencesystem"
        | "memoryfence"
        | "memorybarrier"
        | "groupmemorybarrier"
        | "allmemorybarrier"
        | "devicememorybarrier" => "`fence()`",
        _ => return None,
    })
}

fn atomics(name: &str) -> Option<&'static str> {
    Some(match name {
        "atomicAdd" | "atomic_add" | "atomic_fetch_add" => "`x.atomic(i).fetch_add(v, Relaxed)`",
        "atomicSub" | "atomic_sub" | "atomic_fetch_sub" => "`x.atomic(i).fetch_sub(v, Relaxed)`",
        "atomicMin" | "atomic_min" | "atomic_fetch_min" => "`x.atomic(i).fetch_min(v, Relaxed)`",
        "atomicMax" | "atomic_max" | "atomic_fetch_max" => "`x.atomic(i).fetch_max(v, Relaxed)`",
        "atomicAnd" | "atomic_and" | "atomic_fetch_and" => "`x.atomic(i).fetch_and(v, Relaxed)`",
        "atomicOr" | "atomic_or" | "atomic_fetch_or" => "`x.atomic(i).fetch_or(v, Relaxed)`",
        "atomicXor" | "atomic_xor" | "atomic_fetch_xor" => "`x.atomic(i).fetch_xor(v, Relaxed)`",
        "atomicInc" | "atomicDec" => {
            "a loop over `compare_exchange`, for a bound to wrap at; \
             `fetch_add(1, Relaxed)` and `fetch_sub(1, Relaxed)` have none"
        }
        "atomic_inc" => "`x.atomic(i).fetch_add(1, Relaxed)`",
        "atomic_dec" => "`x.atomic(i).fetch_sub(1, Relaxed)`",
        "atomicExch" | "atomic_xchg" | "atomic_exchange" => "`x.atomic(i).swap(v, Relaxed)`",
        "atomicCAS"
        | "atomic_cmpxchg"
        | "atomic_compare_exchange_strong"
        | "atomic_compare_exchange_weak" => {
            "`x.atomic(i).compare_exchange(old, new, Relaxed, Relaxed)`"
        }
        "atomic_load" | "atomic_load_explicit" => "`x.atomic(i).load(Acquire)`",
        "atomic_store" | "atomic_store_explicit" => "`x.atomic(i).store(v, Release)`",
        _ => return None,
    })
}

/// Functions of GLSL, HLSL and WGSL that others have not.
fn of_shaders(name: &str) -> Option<&'static str> {
    Some(match name {
        "mix" | "lerp" => "`a + (b - a) * t`",
        "smoothstep" => {
            "`let t = ((x - a) / (b - a)).clamp(0.0, 1.0);`, and `t * t * (3.0 - 2.0 * t)`"
        }
        "step" => "`if x < edge { 0.0 } else { 1.0 }`",
        "select" => "`if c { a } else { b }`",
        "distance" => "`(a - b).length()` of vectors, `(a - b).abs()` of numbers",
        "reflect" => "`v - n * (2.0 * v.dot(n))`",
        "refract" => {
            "`let c = n.dot(v); let k = 1.0 - eta * eta * (1.0 - c * c);`, and `v * eta - n * (eta * c + k.sqrt())` \
             if `k` is not negative"
        }
        "faceforward" => "`if i.dot(r) < 0.0 { n } else { -n }`",
        "fract" | "frac" => "`x.fract()`",
        "rcp" => "`1.0 / x`",
        "isnan" => "`x.is_nan()`",
        "isinf" => "`x.is_infinite()`",
        "isfinite" => "`x.is_finite()`",
        "inverseSqrt" => "`x.rsqrt()`",
        "sinh" | "sinhf" => "`x.sinh()`",
        "cosh" | "coshf" => "`x.cosh()`",
        "floatBitsToUint" | "asuint" => "`x.to_bits()`",
        "floatBitsToInt" | "asint" => "`x.to_bits() as i32`",
        "uintBitsToFloat" | "asfloat" => "`f32::from_bits(n)`",
        "intBitsToFloat" => "`f32::from_bits(n as u32)`",
        "bitCount" | "countbits" | "countOneBits" => "`n.count_ones()`",
        "bitfieldReverse" | "reversebits" | "reverseBits" => "`n.reverse_bits()`",
        "findLSB" | "firstbitlow" | "countTrailingZeros" => "`n.trailing_zeros()`",
        "countLeadingZeros" => "`n.leading_zeros()`",
        "ldexp" => "`x * (n as f32).exp2()`",
        _ => return None,
    })
}

/// Functions of numbers, textures, and what prints.
fn others(name: &str) -> Option<&'static str> {
    Some(match name {
        "sqrtf" | "sqrt" | "native_sqrt" => "`x.sqrt()`",
        "rsqrtf" | "rsqrt" | "inversesqrt" | "native_rsqrt" => "`x.rsqrt()`",
        "abs" | "fabsf" | "fabs" => "`x.abs()`",
        "sin" | "sinf" | "__sinf" | "native_sin" | "half_sin" => "`x.sin()`",
        "cos" | "cosf" | "__cosf" | "native_cos" | "half_cos" => "`x.cos()`",
        "tan" | "tanf" | "__tanf" | "native_tan" => "`x.tan()`",
        "asin" | "asinf" => "`x.asin()`",
        "acos" | "acosf" => "`x.acos()`",
        "atan" | "atanf" => "`x.atan()`",
        "atan2" | "atan2f" => "`y.atan2(x)`",
        "tanh" | "tanhf" => "`x.tanh()`",
        "floor" | "floorf" => "`x.floor()`",
        "ceil" | "ceilf" => "`x.ceil()`",
        "round" | "roundf" => "`x.round()`",
        "trunc" | "truncf" => "`x.trunc()`",
        "exp2" | "exp2f" => "`x.exp2()`",
        "log2" | "log2f" => "`x.log2()`",
        "log10" | "log10f" => "`x.log10()`",
        "cbrtf" => "`x.cbrt()`",
        "copysignf" => "`x.copysign(y)`",
        "sincosf" | "sincos" => "`let (s, c) = x.sin_cos();`",
        "exp" | "expf" | "__expf" | "native_exp" | "half_exp" => "`x.exp()`",
        "log" | "logf" | "__logf" | "native_log" | "half_log" => "`x.ln()`",
        "pow" | "powf" | "__powf" | "native_powr" => {
            "`x.powf(y)`, or `x.powi(n)` for an exponent that is an integer"
        }
        "pown" => "`x.powi(n)`",
        "fmaf" | "fma" | "mad" => "`a.mul_add(b, c)`",
        "min" | "fminf" | "fmin" => "`a.min(b)`",
        "max" | "fmaxf" | "fmax" => "`a.max(b)`",
        "fmodf" | "fmod" => "`a % b`",
        "hypotf" | "hypot" => "`x.hypot(y)`",
        "__float_as_uint" | "as_uint" => "`x.to_bits()`",
        "__float_as_int" | "as_int" => "`x.to_bits() as i32`",
        "__uint_as_float" | "as_float" => "`f32::from_bits(n)`",
        "__int_as_float" => "`f32::from_bits(n as u32)`",
        "__popc" | "popcount" => "`n.count_ones()`",
        "__clz" | "clz" => "`n.leading_zeros()`",
        "__brev" => "`n.reverse_bits()`",
        "__ffs" => "`n.trailing_zeros()`, which counts from 0, and is 32 for 0",
        "clamp" => "`x.clamp(low, high)`",
        "saturate" => "`x.clamp(0.0, 1.0)`",
        "sign" => "`x.signum()`",
        "abs_diff" => "`a.abs_diff(b)`",
        "degrees" => "`x.to_degrees()`",
        "radians" => "`x.to_radians()`",
        "dot" => "`a.dot(b)`",
        "cross" => "`a.cross(b)`",
        "length" => "`v.length()`",
        "normalize" => "`v.normalize()`",
        "float" => "`n as f32`",
        "int" => "`x as i32`",
        "uint" => "`x as u32`",
        "make_float2" | "make_int2" | "make_uint2" | "float2" | "int2" | "uint2" => "`vec2(a, b)`",
        "make_float3" | "make_int3" | "make_uint3" | "float3" | "int3" | "uint3" => {
            "`vec3(a, b, c)`"
        }
        "make_float4" | "make_int4" | "make_uint4" | "float4" | "int4" | "uint4" => {
            "`vec4(a, b, c, d)`"
        }
        "malloc" | "calloc" | "alloca" => {
            "`let mut a = [0.0; 64];` for memory of the item, `local::<[f32; 64]>()` for that of the group"
        }
        "range" => "`a..b`, as in `for i in 0..n`",
        "free" => "nothing: what a kernel declares is gone at its end",
        "mad24" => "`a * b + c`",
        "mul24" | "__mul24" | "__umul24" => "`a * b`",
        "clock64" => "`clock()`, which counts the cycles in a `u32`",
        "__umulhi" => "`((a as u64 * b as u64) >> 32) as u32`",
        "add_sat" => "`a.saturating_add(b)`",
        "convert_int_sat" | "convert_int" => "`x as i32`, which saturates",
        "assert" => "`assert!(x > 0.0, \"x is {x}\")`",
        "__trap" => "`panic!(\"..\")`",
        "tex2D" | "read_imagef" => "`texture.sample(u, v)`",
        "tex3D" => "`texture.sample(u, v, w)`",
        "surf2Dread" | "read_imagei" | "read_imageui" => "`texture.read(x, y)`",
        "surf2Dwrite" | "write_imagef" | "write_imagei" | "write_imageui" => {
            "`texture.write(x, y, texel)`"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Tables of what kernels are made of, by the headings above them.
    const SECTIONS: &[&str] = &[
        "Ids",
        "Barriers and fences",
        "Barriers, planes, atomics",
        "Warp operations",
        "Sub-group operations",
        "Atomics",
        "Math functions",
        "Math, printing, textures",
        "printf and assert",
        "printf and assertions",
        "Textures",
        "Images",
    ];

    /// What rustc knows more of: methods, which rustc has no names of; types and what is of the host.
    const LEFT_TO_RUSTC: &[&str] = &[
        // Methods, and functions of types and modules.
        "F",
        "arrive",
        "cg",
        "compare_exchange_weak",
        "cuda",
        "exchange",
        "rotate",
        "wait",
        "x",
        // Types and qualifiers.
        "BlockReduce",
        "BlockScan",
        "Vector",
        "__device__",
        "__nv_bfloat16",
        "half",
        "image2d_t",
        "image3d_t",
        "read_only",
        "read_write",
        "sampler_t",
        "u32",
        // Of the host.
        "Border",
        "CLAMP",
        "Clamp",
        "MIRRORED_REPEAT",
        "Mirror",
        "REPEAT",
        "cudaAddressModeWrap",
        "cudaCreateTextureObject",
        "cudaTextureObject_t",
    ];

    /// The first columns of the tables of a page, by lines.
    fn first_columns(page: &str) -> impl Iterator<Item = &str> {
        let mut heading = "";
        page.lines().filter_map(move |line| {
            if let Some(next) = line.strip_prefix("## ") {
                heading = next;
            }
            let row = line
                .strip_prefix("| ")
                .filter(|_| SECTIONS.contains(&heading))?;
            row.split(" | ").next()
        })
    }

    /// Identifiers that something in backticks begins with, or that operators stand between.
    fn names(column: &str) -> impl Iterator<Item = &str> {
        let quoted = column.split('`').skip(1).step_by(2);
        quoted.flat_map(|code| {
            let code = code.split(['(', '<', '"']).next().unwrap_or_default();
            let parts = code.split([' ', '/', '*', '+']);
            parts.filter_map(|part| part.split(['.', ':', '!', '[', '-']).next())
        })
    }

    fn is_explained(name: &str) -> bool {
        let path = syn::parse_str::<Path>(name).ok();
        path.is_some_and(|path| foreign_variable(&path).is_some())
            || instead_of_constant(name).is_some()
            || instead_of_function(name).is_some()
            || foreign_macro(name).is_some()
            // With an argument: see `foreign_call`.
            || ["barrier", "printf"].contains(&name)
    }

    #[test]
    fn what_the_pages_name_is_explained() {
        let pages = [
            include_str!("../../../docs/from-cuda.md"),
            include_str!("../../../docs/from-opencl.md"),
            include_str!("../../../docs/from-cubecl.md"),
        ];
        let columns = pages.iter().flat_map(|page| first_columns(page));
        // Of `_min` after `reduce_add` only the end is written.
        let is_name = |name: &&str| name.starts_with(char::is_alphabetic) || name.starts_with("__");
        let all: BTreeSet<_> = columns.flat_map(names).filter(is_name).collect();
        assert!(all.len() > 120, "{}", all.len());
        let unknown: Vec<_> = all.into_iter().filter(|name| !is_explained(name)).collect();
        let mut left = LEFT_TO_RUSTC.to_vec();
        left.sort_unstable();
        assert_eq!(
            unknown, left,
            "left: what the pages name and the macro does not explain; right: what is left to rustc"
        );
    }

    #[test]
    fn only_names_that_are_not_those_of_kernels() {
        for name in [
            "local_id",
            "barrier",
            "fence",
            "global_id",
            "local",
            "sqrt2",
        ] {
            assert!(instead_of_function(name).is_none(), "{name}");
        }
        assert!(instead_of_constant("N").is_none());
    }
}
