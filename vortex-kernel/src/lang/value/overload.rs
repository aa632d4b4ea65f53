//! What `+ - * / % & | ^ << >>`, unary `-` and `!` do to a type: one trait per operator; and `From`.
//!
//! rustc resolves an operator of a kernel by [`std::ops`], as any. Both sides are [`Lane`]s there, and only
//! this crate may implement a trait of the standard library for a `Lane`. So these traits say of the user's own type
//! what the operator does: `#[vortex::device] impl Add for Complex` implements [`Add`] of this module.

pub use crate::lang::place::indexed::{Index, IndexMut, Indices, StagedIndices};

use crate::lang::base::lane::Lane;
use crate::types::DeviceType;

macro_rules! binary {
    ($($op:ident $method:ident $symbol:literal $message:literal;)*) => {$(
        #[doc = concat!("`", $symbol, "`. For a type of your own, write `#[vortex::device] impl ", stringify!($op), " for ..`.")]
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "no such operator",
            note = "both sides of an operator are of one type, and a number is converted by `as`: `i as f32`, and `1.0` for \
                    `1`; operators of your own types are declared as in Rust, with `#[vortex::device]` in front of the \
                    `impl`; a type parameter has them by a bound, `T: Num`"
        )]
        pub trait $op<Rhs: DeviceType = Self>: DeviceType {
            /// What it gives.
            type Output: DeviceType;

            #[doc(hidden)]
            #[track_caller]
            fn $method(this: Lane<Self>, other: Lane<Rhs>) -> Lane<Self::Output>;
        }

        impl<A: $op<B>, B: DeviceType> std::ops::$op<Lane<B>> for Lane<A> {
            type Output = Lane<A::Output>;

            #[track_caller]
            fn $method(self, other: Lane<B>) -> Lane<A::Output> {
                A::$method(self, other)
            }
        }

    )*};
}

macro_rules! right_sides {
    ($($side:ident $op:ident $method:ident $symbol:literal $message:literal;)*) => {
        /// Right sides of operators, of which the left sides are known.
        ///
        /// The right side is `Self`: while rustc does not know it, it infers nothing from these bounds. Of `A: Add<B>`
        /// it would infer the only `B` that there is, and report types that do not match as those of `Lane`s.
        ///
        /// All types have them, so their functions have a name that rustc takes for no other: it would propose `sub`
        /// for a missing variant `Sub`.
        pub mod right {
            use crate::lang::base::lane::Lane;
            use crate::types::DeviceType;

            $(
                #[doc = concat!("What can be to the right of `", $symbol, "`.")]
                #[diagnostic::on_unimplemented(
                    message = $message,
                    label = "no such operator",
                    note = "both sides of an operator are of one type; a number is converted by `as`, as in `n as f32`, and \
                            a float is written with a point, `1.0`",
                    note = "types of yours have operators by `#[vortex::device]` in front of an `impl`, type parameters by \
                            a bound, `T: Num`"
                )]
                pub trait $side<Left: DeviceType, Output: DeviceType>: DeviceType {
                    #[doc(hidden)]
                    #[track_caller]
                    fn with_operands(left: Lane<Left>, right: Lane<Self>) -> Lane<Output>;
                }

                #[diagnostic::do_not_recommend]
                impl<A: super::$op<B>, B: DeviceType> $side<A, A::Output> for B {
                    #[track_caller]
                    fn with_operands(left: Lane<A>, right: Lane<B>) -> Lane<A::Output> {
                        A::$method(left, right)
                    }
                }
            )*
        }
    };
}

binary! {
    Add add "+" "cannot add `{Rhs}` to `{Self}`";
    Sub sub "-" "cannot subtract `{Rhs}` from `{Self}`";
    Mul mul "*" "cannot multiply `{Self}` by `{Rhs}`";
    Div div "/" "cannot divide `{Self}` by `{Rhs}`";
    Rem rem "%" "cannot calculate the remainder of `{Self}` divided by `{Rhs}`";
    BitAnd bitand "&" "no implementation for `{Self} & {Rhs}`";
    BitOr bitor "|" "no implementation for `{Self} | {Rhs}`";
    BitXor bitxor "^" "no implementation for `{Self} ^ {Rhs}`";
    Shl shl "<<" "no implementation for `{Self} << {Rhs}`";
    Shr shr ">>" "no implementation for `{Self} >> {Rhs}`";
}

right_sides! {
    AddTo Add add "+" "cannot add `{Self}` to `{Left}`";
    SubFrom Sub sub "-" "cannot subtract `{Self}` from `{Left}`";
    FactorOf Mul mul "*" "cannot multiply `{Left}` by `{Self}`";
    DivisorOf Div div "/" "cannot divide `{Left}` by `{Self}`";
    RemDivisorOf Rem rem "%" "cannot calculate the remainder of `{Left}` divided by `{Self}`";
    BitAndWith BitAnd bitand "&" "no implementation for `{Left} & {Self}`";
    BitOrWith BitOr bitor "|" "no implementation for `{Left} | {Self}`";
    BitXorWith BitXor bitxor "^" "no implementation for `{Left} ^ {Self}`";
}

macro_rules! unary {
    ($($op:ident $method:ident $symbol:literal $side:ident $message:literal $note:literal;)*) => {
        $(
            #[doc = concat!("`", $symbol, "`. For a type of your own, write `#[vortex::device] impl ", stringify!($op), " for ..`.")]
            #[diagnostic::on_unimplemented(message = $message, label = "no such operator", note = $note)]
            pub trait $op: DeviceType {
                /// What it gives.
                type Output: DeviceType;

                #[doc(hidden)]
                #[track_caller]
                fn $method(this: Lane<Self>) -> Lane<Self::Output>;
            }

            impl<A: $op> std::ops::$op for Lane<A> {
                type Output = Lane<A::Output>;

                #[track_caller]
                fn $method(self) -> Lane<A::Output> {
                    A::$method(self)
                }
            }
        )*

        /// Operands of unary operators, of which rustc says what is written here and nothing of ours.
        pub mod operand {
            use crate::lang::base::lane::Lane;
            use crate::types::DeviceType;

            $(
                #[doc = concat!("What `", $symbol, "` can stand in front of.")]
                #[diagnostic::on_unimplemented(message = $message, label = "no such operator", note = $note)]
                pub trait $side<Output: DeviceType>: DeviceType {
                    #[doc(hidden)]
                    #[track_caller]
                    fn $method(this: Lane<Self>) -> Lane<Output>;
                }

                #[diagnostic::do_not_recommend]
                impl<A: super::$op> $side<A::Output> for A {
                    #[track_caller]
                    fn $method(this: Lane<A>) -> Lane<A::Output> {
                        A::$method(this)
                    }
                }
            )*
        }
    };
}

unary! {
    Neg neg "-" Negatable "cannot apply unary operator `-` to type `{Self}`"
        "unsigned integers have no negative values: subtract, as in `a - b`, or convert first, as in `-(n as i32)`";
    Not not "!" Invertible "cannot apply unary operator `!` to type `{Self}`"
        "integers have `!`, which inverts their bits, and `bool`; of a number, compare: `x == 0`";
}

/// `From`: what `To::from(value)` and `value.into()` make. For a type of your own, write
/// `#[vortex::device] impl From<A> for ..`.
#[diagnostic::on_unimplemented(
    message = "`from` and `into` make no `{Self}` of `{Of}`",
    label = "no such conversion",
    note = "they are for numbers that all are in the other type; others are converted by `as`, as in `n as usize`, or \
            by `try_from`, which gives a `Result`",
    note = "of a type of yours, say how, by `#[vortex::device] impl From<..> for ..`"
)]
pub trait From<Of: DeviceType>: DeviceType {
    #[doc(hidden)]
    #[track_caller]
    fn from(value: Lane<Of>) -> Lane<Self>;
}
