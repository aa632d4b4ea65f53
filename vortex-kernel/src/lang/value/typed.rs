//! Where the type of a value is known: what rustc says of a value of another.
//!
//! It would say `mismatched types`, and of ours: `Lane<i32>`. Of a trait that the user's types lack it says what is
//! written here, of the user's types.

use super::lane::Lane;
use crate::types::DeviceType;

/// Itself: what a value has to be where a type is written.
#[diagnostic::on_unimplemented(
    message = "mismatched types: expected `{Written}`, found `{Self}`",
    label = "expected `{Written}`, found `{Self}`",
    note = "if it is a number of another type, write `.. as {Written}`"
)]
pub trait Is<Written: DeviceType>: DeviceType {
    /// The same.
    #[doc(hidden)]
    fn itself(value: Lane<Self>) -> Lane<Written>;
}

impl<T: DeviceType> Is<T> for T {
    fn itself(value: Lane<T>) -> Lane<T> {
        value
    }
}

/// The value of a `let` with a type.
#[must_use]
pub fn of_type<Written: DeviceType, Found: Is<Written>>(value: Lane<Found>) -> Lane<Written> {
    Found::itself(value)
}

/// `bool`.
#[diagnostic::on_unimplemented(
    message = "mismatched types: a condition is a `bool`, and this is `{Self}`",
    label = "expected `bool`, found `{Self}`",
    note = "as in Rust, a number is compared: `n != 0`"
)]
pub trait Truth: DeviceType {
    /// The same.
    #[doc(hidden)]
    fn truth(value: Lane<Self>) -> Lane<bool>;
}

#[diagnostic::do_not_recommend]
impl Truth for bool {
    fn truth(value: Lane<bool>) -> Lane<bool> {
        value
    }
}

/// A condition.
#[must_use]
pub fn condition<T: Truth>(value: Lane<T>) -> Lane<bool> {
    T::truth(value)
}
