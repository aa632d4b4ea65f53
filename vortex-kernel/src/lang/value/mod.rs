//! Values: what lanes compute with, and the operators and methods of numbers, vectors and options.
//!
//! [`Lane`] is a value; [`DeviceType`] says what a type's values are made of.

pub(in crate::lang) mod arith;
pub(in crate::lang) mod array;
pub(in crate::lang) mod ascii;
pub(in crate::lang) mod checked;
pub(in crate::lang) mod compare;
pub(in crate::lang) mod convert;
pub(in crate::lang) mod elsewhere;
pub(in crate::lang) mod half;
pub(in crate::lang) mod integer;
pub(in crate::lang) mod lane;
pub(in crate::lang) mod literal;
pub(in crate::lang) mod named;
pub(in crate::lang) mod ops;
pub(in crate::lang) mod option;
pub(in crate::lang) mod ordering;
pub mod overload;
pub(in crate::lang) mod question_mark;
pub(in crate::lang) mod receiver;
pub(in crate::lang) mod result;
pub(in crate::lang) mod truth;
pub(in crate::lang) mod typed;
pub(in crate::lang) mod vector;

pub use arith::{Num, Signed};
pub use array::{array, repeat};
pub use compare::{Equal, Ordered, Ranked, eq, ge, gt, le, lt, ne};
pub use convert::{CastTo, cast, convert, made_from, try_from};
pub use elsewhere::*;
pub use half::{Half, half_from_bits, half_from_f32};
pub use integer::{Int, SignedInt, Unsigned};
pub use lane::Lane;
pub use literal::{Constant, field, literal, rest};
pub use named::{Nameable, NamedHolder, NamedValue, Unnamed, here, named, named_param};
pub use ops::Bits;
pub use option::{
    Expected, NoError, Opt, Variants, error_inside, expected, inside, matches_none, matches_some,
    none, some,
};
pub use ordering::{TotalOrder, partial_order, three_way, total_order, total_order_of};
pub use question_mark::{
    ErrorFound, Left, OptionAsked, ResultAsked, asked_option, asked_result, passed_on,
    value_or_leave,
};
pub use receiver::{
    HasMap, HasOption, HasResult, OnlyOption, Receiver, with_map, with_option, with_result,
    with_some,
};
pub use result::{AfterText, NotInRange, Res, err, matches_err, matches_ok, ok};
pub use typed::{Is, OfType, Truth};
pub use vector::{Component, swizzled, vec2, vec3, vec4};
