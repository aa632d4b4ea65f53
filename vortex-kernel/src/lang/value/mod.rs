//! Values: the operators and methods of numbers, vectors, arrays and options.

pub(in crate::lang) mod arith;
pub(in crate::lang) mod array;
pub(in crate::lang) mod checked;
pub(in crate::lang) mod compare;
pub(in crate::lang) mod convert;
pub(in crate::lang) mod elsewhere;
pub(in crate::lang) mod float;
pub(in crate::lang) mod half;
pub(in crate::lang) mod integer;
pub(in crate::lang) mod literal;
pub(in crate::lang) mod named;
pub(in crate::lang) mod operators;
pub(in crate::lang) mod option;
pub mod overload;
pub(in crate::lang) mod receiver;
pub(in crate::lang) mod result;
pub(in crate::lang) mod tried;
pub(in crate::lang) mod typed;
pub(in crate::lang) mod vector;

pub use array::{array, repeat};
pub use compare::{Equal, Ordered, Ordinal, Ranked, comparison, eq, ge, gt, le, lt, ne};
pub use convert::{CastTo, convert, made_from};
pub use elsewhere::*;
pub use float::f32_from_bits;
pub use half::{half_from_bits, half_from_f32};
pub use literal::{field, literal, rest};
pub use named::{
    Nameable, NamedHolder, NamedValue, Unnamed, here, named, named_param, named_unused,
};
pub use operators::shifted;
pub use option::{Opt, Variants, error_inside, inside, matches_none, matches_some, none, some};
pub use receiver::{HasMap, HasOption, HasResult, OnlyOption, Receiver};
pub use result::{Res, err, matches_err, matches_ok, ok};
pub use tried::{NotInRange, OfAnotherLength, TryTo, try_from};
pub use typed::{Arms, Is, OfType, Truth, arms, first_arm, if_else_alike};
pub use vector::{Component, swizzled, vec2, vec3, vec4};
