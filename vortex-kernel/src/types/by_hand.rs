//! What is found out about comparisons of the host: see [`super::comparisons`].

/// What is asked of two values.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Whether they are equal.
    Equality,
    /// Which is less.
    Order,
}

/// An implementation of the host's that says of some values what their parts do not.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByHand {
    /// The type's name, without its path.
    pub ty: &'static str,
    /// The trait.
    pub of: &'static str,
}
