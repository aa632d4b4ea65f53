//! The functions of floats that are written over `vortex_kernel::math::Real`: each is declared here and nowhere else.
//!
//! From a row follow that the macro knows the name and, through [`float_functions`](crate::float_functions), the method
//! of `f32` in kernels, which calls the function of that name in `vortex_kernel::math`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// One function.
struct Function {
    name: &'static str,
    /// Its second argument, if it has one; all are `f32`.
    argument: Option<&'static str>,
    /// A line of documentation.
    summary: &'static str,
}

const fn of_one(name: &'static str, summary: &'static str) -> Function {
    Function {
        name,
        argument: None,
        summary,
    }
}

const fn of_two(name: &'static str, argument: &'static str, summary: &'static str) -> Function {
    Function {
        name,
        argument: Some(argument),
        summary,
    }
}

/// How many arguments a function takes besides the number itself.
pub(crate) fn arguments(name: &str) -> Option<usize> {
    let function = DECLARED.iter().find(|function| function.name == name)?;
    Some(usize::from(function.argument.is_some()))
}

/// All of them.
const DECLARED: &[Function] = &[
    of_one("floor", "Down to an integer."),
    of_one("ceil", "Up to an integer."),
    of_one("round", "To the nearest integer, halves away from zero."),
    of_one(
        "round_ties_even",
        "To the nearest integer, of halves the even one.",
    ),
    of_one("trunc", "Towards zero to an integer."),
    of_one("signum", "1 or -1, by the sign; NaN of NaN."),
    of_two("copysign", "sign", "This number with the sign of another."),
    of_one("rsqrt", "`1 / sqrt(self)`."),
    of_two(
        "hypot",
        "other",
        "`sqrt(self * self + other * other)` without overflow on the way.",
    ),
    of_one("exp", "`e` to this power."),
    of_one("exp2", "2 to this power."),
    of_one("exp_m1", "`e` to this power, less 1; exact near zero."),
    of_one("ln", "The natural logarithm; NaN of negative numbers."),
    of_one("log2", "The logarithm to base 2; NaN of negative numbers."),
    of_one(
        "log10",
        "The logarithm to base 10; NaN of negative numbers.",
    ),
    of_one(
        "ln_1p",
        "The natural logarithm of 1 and this; exact near zero.",
    ),
    of_one("sin", "The sine of radians; the error grows beyond 32768."),
    of_one(
        "cos",
        "The cosine of radians; the error grows beyond 32768.",
    ),
    of_one(
        "tan",
        "The tangent of radians; the error grows beyond 32768.",
    ),
    of_one("asin", "The arc sine in radians; NaN beyond -1 and 1."),
    of_one("acos", "The arc cosine in radians; NaN beyond -1 and 1."),
    of_one("atan", "The arc tangent in radians."),
    of_two(
        "atan2",
        "abscissa",
        "The angle of the point with this ordinate, in radians.",
    ),
    of_one("sinh", "The hyperbolic sine."),
    of_one("cosh", "The hyperbolic cosine."),
    of_one("tanh", "The hyperbolic tangent."),
    of_one("erf", "The error function."),
];

/// Whether a method is one of them.
pub(super) fn is_one(method: &str) -> bool {
    DECLARED.iter().any(|function| function.name == method)
}

/// What they are called.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    DECLARED.iter().map(|function| function.name)
}

/// `#callback { #[doc = ..] name(argument); .. }`, for `vortex-kernel`.
pub(crate) fn rows(callback: &TokenStream) -> TokenStream {
    let rows = DECLARED.iter().map(|function| {
        let ident = |name| Ident::new(name, Span::call_site());
        let (name, summary) = (ident(function.name), function.summary);
        let argument = function.argument.map(ident);
        quote!(#[doc = #summary] #name(#argument);)
    });
    quote!(#callback { #(#rows)* })
}
