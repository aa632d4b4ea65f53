//! Kernels against plain Rust functions: what a kernel computes is what Rust computes.
//!
//! Each case is run on devices of several shapes, over edge values and random ones, and compared
//! bit for bit.

#![allow(clippy::unwrap_used)]

mod arrays;
mod arrivals;
mod as_usual;
mod asked_again;
mod associated_types;
mod atomics;
mod attributes;
mod attributes_of_the_prelude;
mod blocks_of_groups;
mod by_value;
mod bytes;
mod casts;
mod chunks;
mod coercions;
mod compared_by_hand;
mod comparisons;
mod comptime;
mod contraction;
mod control_flow;
mod conversions;
mod copied;
mod deferred_checks;
mod definite_init;
mod divergence;
mod elements;
mod f16;
mod faults;
mod forms;
mod functions;
mod generic_structs;
mod generics;
mod globals;
mod groups;
mod harness;
mod i64;
mod indexed;
mod integer_methods;
mod integers;
mod iterators;
mod launch_conditions;
mod local_memory;
mod locked;
mod loops;
mod markers;
mod matching;
mod math;
mod method_twins;
mod methods;
mod more_of_rust;
mod never;
mod numbers;
mod operators;
mod options;
mod overflow;
mod own_names;
mod partials;
mod parts;
mod paths;
mod places;
mod pointers;
mod ports;
mod print;
mod references;
mod results;
#[path = "../said/mod.rs"]
mod said;
mod sequences;
mod signed_coordinates;
mod slice_patterns;
mod small_arrays;
mod spills;
mod split_barriers;
mod structs;
mod taken_apart;
mod tensors;
mod three_ways;
mod twins;
mod unrolled_parts;
mod vectors;
mod warp_types;
mod warps;
