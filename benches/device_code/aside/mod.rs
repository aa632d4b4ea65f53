//! Kernels that the compiler is not tuned with, written by somebody who does not know it: each shows what becomes of
//! code that nobody has looked at before.

mod attention;
mod base64;
mod bilateral;
mod binomial;
mod biquad;
mod blend;
mod block_sparse;
mod bvh;
mod crc32;
mod edit_distance;
mod find_text;
mod fir;
mod hash_join;
mod insertion_sort;
mod int8_mv;
mod inverse4;
mod median9;
mod merge_path;
mod parse;
mod perlin;
mod queens;
mod radix_count;
mod ray_sphere;
mod run_length;
mod sph;
mod thomas;
mod tiled_mv;
mod utf8;
mod varint;
mod xxhash;
mod yuv;

use super::{bound, suite};

/// In the order of the table.
pub(super) const CASES: [(&str, suite::Case); 31] = [
    ("perlin", perlin::run),
    ("bilateral", bilateral::run),
    ("parse", parse::run),
    ("bvh", bvh::run),
    ("merge_path", merge_path::run),
    ("varint", varint::run),
    ("xxhash", xxhash::run),
    ("run_length", run_length::run),
    ("utf8", utf8::run),
    ("queens", queens::run),
    ("edit_distance", edit_distance::run),
    ("crc32", crc32::run),
    ("ray_sphere", ray_sphere::run),
    ("blend", blend::run),
    ("yuv", yuv::run),
    ("fir", fir::run),
    ("biquad", biquad::run),
    ("sph", sph::run),
    ("inverse4", inverse4::run),
    ("thomas", thomas::run),
    ("block_sparse", block_sparse::run),
    ("attention", attention::run),
    ("int8_mv", int8_mv::run),
    ("insertion_sort", insertion_sort::run),
    ("median9", median9::run),
    ("radix_count", radix_count::run),
    ("hash_join", hash_join::run),
    ("binomial", binomial::run),
    ("base64", base64::run),
    ("find_text", find_text::run),
    ("tiled_mv", tiled_mv::run),
];
